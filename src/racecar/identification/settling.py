# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a fit to estimates: hold what cannot be told, and how far sessions differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
import math

import numpy as np

from racecar.identification.estimation import Doubts, Fit, fit
from racecar.identification.identifiability import (
    BOUND_EDGE,
    classify,
    CORRELATED,
    Identifiability,
    is_refused,
    Profile,
    profile,
    to_drop,
)
from racecar.identification.unknowns import bounds


def settle(
    found: Fit, demand: float, tell: Callable[[float, str], None],
) -> tuple[Fit, dict[str, Profile], dict[str, Identifiability]]:
    """Hold what cannot be told at what was assumed, one after the other, and fit the rest anew.

    What the data refuse to have held stays free: where the cost rises by as much as a profile must
    rise to be closed. demand: see classify(). Returns the last fit, its profiles, and why
    others are held.
    """
    dropped: dict[str, Identifiability] = {}
    profiles: dict[str, Profile] = {}
    while True:
        tell(0.5, 'profiles')
        statuses = {name: classify(found, name, profiles.get(name), demand, None)
                    for name in found.names}
        worst = to_drop(found, statuses)
        if not worst and profiles:
            return found, profiles, dropped
        if not worst:
            # Bounds and correlations are seen at once, profiles take time.
            profiles = {name: profile(found, name) for name in found.names}
            continue
        held = {name: _without(found, name) for name in worst}
        fitting = [name for name in worst if not is_refused(found, name, held[name])]
        if not fitting:
            kept = found.doubts.kept.union(worst)
            found = replace(found, doubts=found.doubts._replace(kept=kept))
            continue
        # Of two that go together it is the data that say which is missed less.
        name = min(fitting, key=lambda one: held[one].cost)
        dropped[name] = statuses[name]
        found = replace(held[name], doubts=_inherited(found, held[name], name))
        profiles = {}


def _without(found: Fit, name: str) -> Fit:
    """Return the fit with an unknown held at what is assumed of it."""
    problem = replace(found.problem, fixed=found.problem.fixed | {name})
    return fit(problem, {other: found.values[other] for other in found.names if other != name})


def _inherited(found: Fit, held: Fit, name: str) -> Doubts:
    """Return the doubts about the rest of a fit once an unknown is held.

    The intervals of the rest contain those that it had while that was free.
    """
    partners = {other: partner for other, partner in found.doubts.partners.items()
                if other in held.names}
    low, high = bounds(name, found.problem.vehicle)
    # At a bound where the search ended anyway, nothing was forced.
    if abs(found.values[name] - held.values[name]) > BOUND_EDGE * (high - low):
        row = np.abs(found.correlation[found.names.index(name)])
        partners |= {other: name for other, value in zip(found.names, row, strict=True)
                     if value > CORRELATED and other != name}
    return Doubts({other: found.interval(other) for other in held.names}, partners)


def spreads(others: Sequence[Fit], last: Fit) -> dict[str, float]:
    """Return the standard errors of the jackknife that leaves out one session at a time.

    others: fits without each session in turn; empty with fewer than two.
    """
    if len(others) < 2:
        return {}
    count = len(others)
    return {key: float(math.sqrt((count - 1) / count * np.sum((column - column.mean())**2)))
            for key in last.names if ':' not in key
            for column in [np.array([one.values[key] for one in others])]}
