# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an estimate is worth: profiles, correlations, bounds, and the status that follows.

A profile holds one unknown at a value and lets the others find their best again. It is shown as
scaled rise: the rise of the cost over what one standard error (of blocks) of that unknown makes
of a parabola, so a parabola reads k^2/2 at k standard errors, and a profile is open where it does
not reach 1.35, that of a 90 % interval, before the bound or 4 standard errors. Where holding an
unknown at what is assumed of it raises the cost by as much, and that lies outside of the
interval, the data refuse it.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import NamedTuple

import numpy as np

from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.identification.drive import Array
from racecar.identification.estimation import Fit, soft_l1
from racecar.identification.unknowns import bounds, UNKNOWNS

IDENTIFIED, UNCERTAIN = 'identified', 'uncertain'
UNIDENTIFIABLE, ASSUMED = 'unidentifiable', 'assumed'

CORRELATED = 0.95
BOUND_EDGE = 2e-3
"""Share of a range within which a value counts as at its bound."""
_OPEN_RISE = 1.35
_REACHES = (-4.0, -2.0, 2.0, 4.0)
_EXACT = 0.01
"""Scaled rise to which a profile is computed."""
_LEAST_DEVIATION = 1e-4
"""Scaled standard error from which the search is accurate enough for a profile."""
_WIDE = 0.15
"""Half width of an interval over the value from which an estimate is uncertain."""
_WIDE_OF_SMALL = {'steering_offset': 0.01, 'steering_delay': 0.015, 'steering_lag': 0.015,
                  'wheel_lag': 0.03, 'wheel_delay': 0.015, 'speed_delay': 0.015, 'speed_lag': 0.03}
"""The same, absolute, of what may be 0."""
_EFFECTIVE = {
    'yaw_inertia': 'takes up what lag tyres and servo have beyond the model; not a measurement of'
                   ' the inertia',
    'cog_height': 'takes up what springs and dampers do to the loads; not a measurement of the'
                  ' height'}
"""Why an estimate is never more than uncertain."""
_LEAST_DEMAND = 0.6
"""Share of friction that drives must use for friction to be told."""


class Profile(NamedTuple):
    """values (k,) of the unknown; rises (k,): scaled rise of the cost; is_open: see the module."""

    values: Array
    rises: Array
    is_open: bool


class Identifiability(NamedTuple):
    """One of the four words, and why in a sentence ('' if there is nothing to say)."""

    word: str
    reason: str


def profile(fit: Fit, name: str) -> Profile:
    """Return the profile of an unknown of a fit, with the frozen Jacobian of its end."""
    at = fit.names.index(name)
    others = [index for index in range(len(fit.names)) if index != at]
    deviation, design = _scaling(fit, at)
    low, high = (bound / float(fit.scales[at]) for bound in bounds(name, fit.problem.vehicle))
    x0 = np.array([fit.values[other] for other in fit.names]) / fit.scales
    reduced = np.linalg.pinv(fit.curvature[np.ix_(others, others)])
    sides = np.array([[bound / scale for bound in bounds(other, fit.problem.vehicle)]
                      for other, scale in zip(fit.names, fit.scales, strict=True)]).T
    values, rises = [], []
    for reach in _REACHES:
        x = x0.copy()
        x[at] = min(max(x0[at] + reach * deviation, low), high)
        # Where the others would go if all were linear.
        x[others] -= reduced @ fit.curvature[others, at] * (x[at] - x0[at])
        best = math.inf
        for _ in range(3):
            x = np.clip(x, *sides)
            r = fit.problem.residuals({**fit.values, **dict(zip(
                fit.names, (x * fit.scales).tolist(), strict=True))})
            root = np.sqrt(1.0 + r * r)
            before, best = best, min(best, soft_l1(r))
            if before - best < _EXACT * design:
                break
            x[others] -= reduced @ (fit.jacobian[:, others].T @ (r / root))
        values.append(float(x[at] * fit.scales[at]))
        rises.append((best - fit.cost) / design)
    rise = np.array(rises)
    is_open = bool(max(rise[:2]) < _OPEN_RISE or max(rise[2:]) < _OPEN_RISE)
    return Profile(np.array(values), rise, is_open)


def _scaling(fit: Fit, at: int) -> tuple[float, float]:
    """Return the scaled standard error of an unknown and the rise of cost that counts as 1."""
    inverse = float(np.linalg.pinv(fit.curvature)[at, at])
    deviation = max(math.sqrt(max(float(fit.covariance[at, at]), 0.0)), _LEAST_DEVIATION)
    return deviation, deviation**2 / max(inverse, 1e-300)


def is_refused(fit: Fit, name: str, held: Fit) -> bool:
    """Whether the data refuse to have an unknown held as another fit holds it."""
    low, high = fit.interval(name)
    rise = (held.cost - fit.cost) / _scaling(fit, fit.names.index(name))[1]
    return rise >= _OPEN_RISE and not low <= held.values[name] <= high


def classify(
    fit: Fit, name: str, found: Profile | None, demand: float, spread: float | None,
) -> Identifiability:
    """Return the status on an estimate.

    found: None where it is not known yet; demand: largest acceleration in the drives [m/s^2];
    spread: standard error between sessions, in the unit of the unknown, None with one.
    """
    unit = UNKNOWNS[name.partition(':')[0]].unit
    value = fit.values[name]
    low, high = bounds(name, fit.problem.vehicle)
    edge = BOUND_EDGE * (high - low)
    is_kept = name in fit.doubts.kept

    def doubt(reason: str) -> Identifiability:
        return Identifiability(UNCERTAIN, f'{reason}; but what is assumed of it fits worse') if (
            is_kept) else Identifiability(UNIDENTIFIABLE, reason)

    if value <= low + edge or value >= high - edge:
        return doubt(f'at the bound {low if value <= low + edge else high:.4g} {unit} of its'
                     ' range')
    if name == 'friction_coefficient' and demand < _LEAST_DEMAND * value * GRAVITY:
        return doubt(f'the drives reach {demand:.2g} m/s^2, expected {_LEAST_DEMAND:.0%} of the'
                     f' {value * GRAVITY:.2g} m/s^2 of the fitted friction: drive faster')
    partner, correlation = strongest_partner(fit, name)
    if correlation > CORRELATED and not is_kept:
        return Identifiability(
            UNIDENTIFIABLE, f'correlation {correlation:.3f} with {partner}: only both together'
                            ' can be told')
    if found is not None and found.is_open:
        return doubt('its profile is open: other values fit as well')
    if name in _EFFECTIVE:
        return Identifiability(UNCERTAIN, _EFFECTIVE[name])
    if name in fit.doubts.partners:
        return Identifiability(UNCERTAIN, f'{fit.doubts.partners[name]} is held, and only both'
                                         ' together can be told')
    low_end, high_end = fit.interval(name)
    half = max(0.5 * (high_end - low_end), 1.64 * (spread or 0.0))
    limit = _WIDE_OF_SMALL.get(name, _WIDE * abs(value))
    if half > limit:
        reason = f'known to {half:.2g} {unit} only'.replace(' - only', ' only')
        return Identifiability(UNCERTAIN, reason + (
            ', as sessions differ' if (spread or 0.0) * 1.64 >= half else ''))
    return Identifiability(IDENTIFIED, '')


def strongest_partner(fit: Fit, name: str) -> tuple[str, float]:
    """Return the other unknown with the largest correlation, and its modulus."""
    row = np.abs(fit.correlation[fit.names.index(name)])
    row[fit.names.index(name)] = -1.0
    at = int(np.argmax(row))
    return fit.names[at], float(row[at])


def to_drop(fit: Fit, statuses: Mapping[str, Identifiability]) -> list[str]:
    """Return which unidentifiable unknowns to hold at what was assumed of them: one of these.

    What lies at a bound or is asked too little comes first, then the one known worst; of two that
    are correlated both are named, as either may be held. Empty if there is none.
    """
    bad = [name for name, status in statuses.items()
           if status.word == UNIDENTIFIABLE and ':' not in name]
    alone = [name for name in bad if strongest_partner(fit, name)[1] <= CORRELATED
             or 'correlation' not in statuses[name].reason]
    if alone:
        def vagueness(name: str) -> float:
            low, high = bounds(name, fit.problem.vehicle)
            return fit.deviation(name) / (high - low)
        return [max(alone, key=vagueness)]
    if not bad:
        return []
    worst = max(bad, key=lambda name: strongest_partner(fit, name)[1])
    return [name for name in (worst, strongest_partner(fit, worst)[0]) if ':' not in name]
