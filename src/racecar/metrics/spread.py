# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mean, deviation and confidence interval of a figure over repeated runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.extras import not_installed

CONFIDENCE = 0.95


class Spread(NamedTuple):
    """Mean and standard deviation of n values, and where their mean lies with CONFIDENCE.

    The interval is that of Student's t distribution with n - 1 degrees of freedom. mean is NaN
    without a value, the others with fewer than two.
    """

    samples: int
    mean: float
    deviation: float
    low: float
    high: float


def spread(values: Array) -> Spread:
    """Spread of values (n,), without those that are not finite.

    Raises ConfigurationError where SciPy is not installed.
    """
    try:
        from scipy.special import stdtrit
    except ModuleNotFoundError as error:
        raise not_installed('a confidence interval', 'scipy') from error
    known = values[np.isfinite(values)]
    count = known.size
    if count < 2:
        return Spread(count, float(known[0]) if count else np.nan, np.nan, np.nan, np.nan)
    mean, deviation = float(known.mean()), float(known.std(ddof=1))
    half = float(stdtrit(count - 1, 0.5 + 0.5 * CONFIDENCE)) * deviation / np.sqrt(count)
    return Spread(count, mean, deviation, mean - half, mean + half)
