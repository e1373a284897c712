# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The longitudinal velocity below which models regularise the slip."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from racecar.base.columns import Array
from racecar.base.values import number_of, Values
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.dynamics.vehicles.modes import spectral_radii
from racecar.dynamics.vehicles.parameters import VehicleParameters

LOW_SPEED_THRESHOLD = 0.1
"""Default of the low-speed threshold [m/s]; single_track_equations says why."""

# Fastest mode [1/s] that Runge-Kutta steps of 1 ms follow with a third to spare.
_FASTEST_MODE = 2000.0
# No car needs its slip regularised up to here [m/s].
_THRESHOLD_LIMIT = 10.0


class RegularisedModel(VehicleModel, Protocol):
    """A model that regularises its slip; low_speed_row: where its parameters say from when on."""

    low_speed_row: ClassVar[int]
    low_speed_threshold: float


_Model = TypeVar('_Model', bound=RegularisedModel)


def with_stable_threshold(
    vehicle: VehicleParameters, values: Values, build: Callable[[float], _Model],
) -> _Model:
    """Build a model of a vehicle with the low_speed_threshold of some values, see below."""
    model = build(number_of(values, 'low_speed_threshold') or LOW_SPEED_THRESHOLD)
    (threshold,) = model.columns(vehicle, values, 1).parameters[model.low_speed_row].tolist()
    return model if threshold == model.low_speed_threshold else build(threshold)


def stable_thresholds(
    threshold: float, parameters: Array, row: int, modes: Callable[[Array], Array],
) -> None:
    """Write the low-speed threshold of each car [m/s] into a row of (numbers, cars).

    threshold: 0 chooses LOW_SPEED_THRESHOLD, or, where the tyres are too stiff there for steps of
    1 ms, about the lowest one that suits them. modes: gives the matrices of which these parameters
    make the modes, (cars, points, n, n). Raises TypeError for a column of thresholds.
    """
    found = parameters[row]
    found[:] = float(threshold) or LOW_SPEED_THRESHOLD
    goes_on = np.full(found.shape, float(threshold) == 0.0)
    while goes_on.any():
        excess = spectral_radii(modes(parameters)).max(axis=-1) / _FASTEST_MODE
        goes_on &= (excess > 1.0) & (found <= _THRESHOLD_LIMIT)
        # The modes go with the inverse of the threshold.
        found[goes_on] *= np.maximum(excess[goes_on], 1.01)
