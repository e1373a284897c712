# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points of a sweep as figure and report look at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array

Flags = NDArray[np.bool_]


def best_point(rmse: Array, lost: Flags) -> int | None:
    """The point with the least RMSE among those that are not lost; None if there is none."""
    ranked = np.where(lost | ~np.isfinite(rmse), np.inf, rmse)
    best = int(np.argmin(ranked))
    return best if np.isfinite(ranked[best]) else None


def kinds_of(values: Sequence[object]) -> list[object]:
    """Different values, those of one type in ascending order."""
    kinds = list(dict.fromkeys(values))
    if len({type(value) for value in kinds}) == 1:
        return [*sorted(cast('list[float]', kinds))]
    return kinds
