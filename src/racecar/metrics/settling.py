# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a car has settled on its reference, and its error before and after.

The settling time is that of step responses with a band of 5 % (K. Ogata, "Modern Control
Engineering", 5th edition, 2010, section 5-3): from then on the error stays within 5 % of its
largest value, which a car that starts beside its reference has at the start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.metrics.quantities import Quantity
from racecar.metrics.tracking_error import MergedTrack

BAND = 0.05
"""Of the largest error, within which a settled error stays."""

LATEST = 0.5
"""Share of a run after which a car that comes within the band counts as one that never settles."""


class Settling(NamedTuple):
    """Error |e| of a run before and after it has settled, the times counted from its first sample.

    time: at which the car has settled [s]; None if it does not. transient_rmse: RMSE before [m],
    None if there is no sample. settled_rmse, settled_max_error: RMSE and largest error after it
    [m]. All are None for a run that does not settle.
    """

    time: float | None = None
    transient_rmse: float | None = None
    settled_rmse: float | None = None
    settled_max_error: float | None = None

    def quantities(self) -> dict[str, Quantity]:
        """The figures for people by the names that JSON has; of no settling the time alone."""
        time = {'settling_time': Quantity('settling time', self.time, 's')}
        return time if self.time is None else {
            **time,
            'transient_rmse': Quantity('RMSE before settling', self.transient_rmse, 'm'),
            'settled_rmse': Quantity('RMSE when settled', self.settled_rmse, 'm'),
            'settled_max_error': Quantity(
                'maximum error when settled', self.settled_max_error, 'm')}


def settling(track: MergedTrack, settled_from: float | None = None) -> Settling:
    """Find when a run settles.

    track: the whole run, its start included. settled_from: time from which it counts as settled
    [s], in the place of the rule. A run that comes within the band only after LATEST of its
    duration has not settled: its largest errors are those of its course, not of its start.
    Raises ConfigurationError if settled_from is negative or leaves no sample.
    """
    error, t = track.error, track.t - track.t[0]
    if settled_from is not None:
        if not 0.0 <= settled_from <= t[-1]:
            raise ConfigurationError(
                f'settled_from is {settled_from:g} s, expected 0 s to {t[-1]:g} s, the length of'
                ' the run')
        first = int(np.searchsorted(t, settled_from))
    else:
        outside = np.flatnonzero(error > BAND * error.max())
        first = int(outside[-1]) + 1 if outside.size else 0
        if first == t.size or t[first] > LATEST * t[-1]:
            return Settling()
    before, after = error[:first], error[first:]
    return Settling(
        float(t[first]) if settled_from is None else settled_from,
        float(np.sqrt(np.mean(before**2))) if before.size else None,
        float(np.sqrt(np.mean(after**2))), float(after.max()))
