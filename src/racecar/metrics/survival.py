# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which of many runs survived, how many of them that lets expect, and how bad the others are."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.fields import Fields

CONFIDENCE = 0.95
_DEVIATIONS = 1.959963984540054
"""Quantile of the normal distribution for CONFIDENCE."""


class Limits(NamedTuple):
    """Least and most that a metric may be."""

    least: float = -math.inf
    most: float = math.inf

    def hold(self, value: float) -> bool:
        """Whether a value is within them; NaN never is."""
        return self.least <= value <= self.most

    def text(self, unit: str = '') -> str:
        """Both in words, empty without any; unit: of the metric."""
        unit = f' {unit}'.rstrip()
        return ' and '.join([
            *([f'at most {self.most:g}{unit}'] if self.most < math.inf else []),
            *([f'at least {self.least:g}{unit}'] if self.least > -math.inf else [])])


def limits_of(fields: Fields, name: str) -> Limits:
    """Limits of a metric in a file: the most that it may be, or {least: , most: }.

    Raises ConfigurationError for what is neither.
    """
    value = fields.value(name)
    if not isinstance(value, dict):
        return Limits(most=fields.number(name, None, 0.0))
    inner = fields.inner(name)
    inner.know(Limits._fields)
    found = Limits(inner.number('least', -math.inf), inner.number('most', math.inf))
    if not found.least <= found.most:
        raise fields.error(name, value, 'a least that is at most the most')
    return found


class Share(NamedTuple):
    """How many of some runs survived, their share, and where it lies with CONFIDENCE."""

    runs: int
    survived: int
    share: float
    low: float
    high: float


def share_of(survived: NDArray[np.bool_]) -> Share:
    """Share of runs (n,) that survived, with Wilson's score interval (1927); NaN without a run.

    The interval has a width where none or all survived, too.
    """
    runs, count = len(survived), int(np.count_nonzero(survived))
    if not runs:
        return Share(0, 0, math.nan, math.nan, math.nan)
    share, z = count / runs, _DEVIATIONS
    scale = 1.0 + z * z / runs
    centre = (share + z * z / (2.0 * runs)) / scale
    half = z * math.sqrt(share * (1.0 - share) / runs + (z / (2.0 * runs)) ** 2) / scale
    return Share(runs, count, share, max(centre - half, 0.0), min(centre + half, 1.0))


def severities(
    metrics: Mapping[str, Array], limits: Mapping[str, Limits], lost: NDArray[np.bool_],
) -> Array:
    """How bad runs are, (n,): the largest share of a limit that they take; up to 1 they survive.

    metrics: of the runs by name, (n,), NaN for none; lost: whether a car diverged or failed: such
    a run, and one without a metric, is infinitely bad.
    """
    found = np.zeros(len(lost))
    for name, (least, most) in limits.items():
        values = metrics[name]
        with np.errstate(divide='ignore', invalid='ignore'):
            above = np.where(values <= most, np.minimum(_ratio(values, most), 1.0),
                             np.maximum(_ratio(values, most), 1.0 + (values - most)))
            below = np.where(values >= least, 0.0, 1.0 + (least - values))
        bad = np.where(np.isnan(values), np.inf, np.maximum(above, below))
        found = np.maximum(found, bad)
    return np.where(lost, np.inf, found)


def _ratio(values: Array, most: float) -> Array:
    return values / most if 0.0 < most < math.inf else np.zeros(len(values))
