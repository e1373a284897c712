# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The longitudinal velocity below which models regularise the slip."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from racecar.dynamics.vehicles.interface import VehicleModel

LOW_SPEED_THRESHOLD = 0.1
"""Default of the low-speed threshold [m/s]; single_track_equations says why."""

# Fastest mode [1/s] that Runge-Kutta steps of 1 ms follow with a third to spare.
_FASTEST_MODE = 2000.0
# No car needs its slip regularised up to here [m/s].
_THRESHOLD_LIMIT = 10.0

_Model = TypeVar('_Model', bound=VehicleModel)


def with_stable_threshold(threshold: float, build: Callable[[float], _Model]) -> _Model:
    """Build a model with a low-speed threshold [m/s]; 0 chooses one.

    That is LOW_SPEED_THRESHOLD, or, where the tyres are too stiff there for steps of 1 ms, about
    the lowest one that suits them.
    """
    if threshold > 0.0:
        return build(threshold)
    threshold = LOW_SPEED_THRESHOLD
    while True:
        model = build(threshold)
        excess = model.fastest_mode() / _FASTEST_MODE
        if excess <= 1.0 or threshold > _THRESHOLD_LIMIT:
            return model
        # The modes go with the inverse of the threshold.
        threshold *= max(excess, 1.01)
