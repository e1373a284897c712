# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a recording has lost: ticks of the odometry, the start of the reference, a pause in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array

# A step this many ticks long has lost one; shorter ones are jitter.
_LOST_FROM = 1.5

# Whole multiples of the tick may differ from it by rounding, not by more [ticks].
_ROUNDING = 0.01

# Share of single ticks among the steps without which the shortest step is taken for jitter.
_SINGLE_TICKS = 0.05

# Slower cars stand [m/s].
_ROLLING = 0.05

# A longer gap is a pause: both so many seconds and so many steps.
_LONG_GAP = 1.0  # [s]
_LONG_GAP_STEPS = 5.0

# A tracker answers the odometry within two ticks; the half is for rounding.
_TICKS_TO_ANSWER = 2.5


class LostTicks(NamedTuple):
    """What is missing between the first sample and the last.

    ticks: how many; share: of all ticks that should be there. period: of the ticks [s].
    longest: longest step between two samples [s]; longest_at: where it begins [s].
    """

    ticks: int
    share: float
    period: float
    longest: float
    longest_at: float


def lost_ticks(t: Array) -> LostTicks | None:
    """Missing samples of a fixed rate; None if none is missing.

    t: (n,) stamps [s] in any order.
    """
    times = np.unique(t)
    steps = np.diff(times)
    if steps.size < 2:
        return None
    period = tick_period(steps)
    missing = np.where(steps < _LOST_FROM * period, 0.0, np.rint(steps / period) - 1.0)
    ticks = int(np.sum(missing))
    if not ticks:
        return None
    longest = int(np.argmax(missing))
    return LostTicks(ticks, ticks / (ticks + times.size), period, float(steps[longest]),
                     float(times[longest]))


def tick_period(steps: Array) -> float:
    """Period [s] of ticks some of which are lost; steps: (n,) between samples [s].

    A simulation's steps are whole multiples of it, so the shortest is the tick however many are
    lost. Where they jitter it is the median, right as long as most ticks are there.
    """
    shortest = float(np.min(steps))
    ticks = steps / shortest
    whole = bool(np.all(np.abs(ticks - np.rint(ticks)) < _ROUNDING))
    if whole and float(np.mean(ticks < _LOST_FROM)) >= _SINGLE_TICKS:
        return shortest
    return float(np.median(steps))


class LateStart(NamedTuple):
    """A recording that begins when the reference is under way.

    missing: time between the start of the reference and the first sample that can be compared
    [s], None if it cannot be told; is_bound: whether it may be less.
    """

    missing: float | None
    is_bound: bool


def late_start(
    t: Array, speed: Array, reference_t: Array, *, path_stamps: Sequence[float] = (),
    time_zero: float | None = None,
) -> LateStart | None:
    """How much of the start is missing, None if nothing is.

    t, speed: (n,) stamps [s] and speed [m/s] of the odometry; reference_t: (m,) stamps of the
    reference [s]. path_stamps: when the path was announced, as a tracker does when it starts [s].
    time_zero: when a simulation began [s], None for a real car.
    Without a path, a car that rolls before the first reference followed it before.
    """
    first_reference = float(np.min(reference_t))
    slack = _TICKS_TO_ANSWER * max(_period(t), _period(reference_t))
    begin = max(float(np.min(t)), first_reference)
    started = [stamp for stamp in path_stamps if stamp <= first_reference + slack]
    rolls = speed[_last_until(t, first_reference)] > _ROLLING
    if started:
        start, is_bound = max(started), False
    elif not rolls:
        start, is_bound = first_reference, False
    elif time_zero is None:
        return LateStart(None, False)
    else:
        start, is_bound = time_zero, True
    return LateStart(begin - start, is_bound) if begin - start > slack else None


def longest_pause(t: Array) -> tuple[float, float] | None:
    """Start and length of the longest gap [s] if it is a pause, else None."""
    times = np.unique(t)
    steps = np.diff(times)
    if not steps.size:
        return None
    longest = int(np.argmax(steps))
    limit = max(_LONG_GAP, _LONG_GAP_STEPS * float(np.median(steps)))
    return (float(times[longest]), float(steps[longest])) if steps[longest] > limit else None


def _last_until(t: Array, end: float) -> int:
    """Index of the last stamp up to a time, of the first if there is none."""
    order = np.argsort(t, kind='stable')
    return int(order[max(0, int(np.searchsorted(t[order], end, side='right')) - 1)])


def _period(t: Array) -> float:
    steps = np.diff(np.unique(t))
    return tick_period(steps) if steps.size else 0.0
