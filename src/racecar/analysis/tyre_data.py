# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slip and forces of the wheels, each force beside the slip that it belongs to.

What is recorded has no stamp. A simulator gives all of them at each tick, so where slip and force
of a wheel have equally many samples, the n-th belongs to the n-th. Otherwise some are missing (the
recording of one began later, or lost some), and a slip goes with the force recorded nearest to it,
at most half a step apart: the same instant for a recorder that keeps simulated time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array


class TyreCurve(NamedTuple):
    """What one wheel did: t, slip, force, (n,) each, n at least 1.

    t: time of recording since the first sample of all wheels [s]; slip: longitudinal [-] or slip
    angle [rad]; force [N].
    """

    t: Array
    slip: Array
    force: Array


@dataclass(frozen=True, eq=False)
class TyreData:
    """Curves by wheel, those of WHEEL_NAMES that were recorded.

    fx: longitudinal force against longitudinal slip; fy: lateral force against slip angle.
    """

    fx: Mapping[str, TyreCurve]
    fy: Mapping[str, TyreCurve]

    @property
    def fy_in_degrees(self) -> dict[str, TyreCurve]:
        """Fy with slip angles in degrees, as people read them."""
        return {wheel: curve._replace(slip=np.degrees(curve.slip))
                for wheel, curve in self.fy.items()}

    def without_start(self, skip: float) -> TyreData:
        """Samples from `skip` seconds after the first on."""
        return TyreData(_without_start(self.fx, skip), _without_start(self.fy, skip))


def pair_samples(
    first_ns: np.ndarray, second_ns: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the samples of two quantities that belong together.

    first_ns, second_ns: (n,), (m,) times of recording in order [ns], n and m at least 1. The
    module says what belongs together; samples without a partner are left out.
    """
    if first_ns.size == second_ns.size:
        index = np.arange(first_ns.size)
        return index, index
    right = np.searchsorted(second_ns, first_ns).clip(0, second_ns.size - 1)
    left = (right - 1).clip(0)
    nearest = np.where(
        np.abs(second_ns[left] - first_ns) < np.abs(second_ns[right] - first_ns), left, right)
    steps = np.diff(first_ns if first_ns.size > second_ns.size else second_ns)
    close = 2 * np.abs(second_ns[nearest] - first_ns) < max(float(np.median(steps)), 1.0)
    return np.flatnonzero(close), nearest[close]


def _without_start(curves: Mapping[str, TyreCurve], skip: float) -> dict[str, TyreCurve]:
    kept = {}
    for wheel, curve in curves.items():
        late = curve.t >= skip
        if late.any():
            kept[wheel] = TyreCurve(*(column[late] for column in curve))
    return kept
