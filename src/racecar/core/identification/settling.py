# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a fit to estimates: hold what cannot be told, and how far sessions differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
import math

import numpy as np

from racecar.core.identification.estimation import Fit, fit
from racecar.core.identification.verdicts import (
    judge_unknown,
    Profile,
    profile,
    to_drop,
    Verdict,
)


def settle(
    found: Fit, demand: float, tell: Callable[[float, str], None],
) -> tuple[Fit, dict[str, Profile], dict[str, Verdict]]:
    """Hold what cannot be told at what was assumed, one after the other, and fit the rest anew.

    demand: see judge_unknown(). Returns the last fit, its profiles, and why others are held.
    """
    dropped: dict[str, Verdict] = {}
    while True:
        tell(0.5, 'profiles')
        # Bounds and correlations are seen at once, profiles take time.
        verdicts = {name: judge_unknown(found, name, None, demand, None) for name in found.names}
        if not to_drop(found, verdicts):
            profiles = {name: profile(found, name) for name in found.names}
            verdicts = {name: judge_unknown(found, name, profiles[name], demand, None)
                        for name in found.names}
        worst = to_drop(found, verdicts)
        if not worst:
            return found, profiles, dropped
        # Of two that go together it is the data that say which is missed less.
        held = {name: _without(found, name) for name in worst}
        name = min(held, key=lambda one: held[one].cost)
        dropped[name] = verdicts[name]
        found = held[name]


def _without(found: Fit, name: str) -> Fit:
    """Return the fit with an unknown held at what is assumed of it."""
    problem = replace(found.problem, fixed=found.problem.fixed | {name})
    return fit(problem, {other: found.values[other] for other in found.names if other != name})


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
