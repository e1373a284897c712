# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vehicle models, one per file; a new one adds its row to VEHICLE_MODELS."""

from __future__ import annotations

from collections.abc import Callable

from racecar.base.errors import ParameterError
from racecar.base.values import Values
from racecar.dynamics.vehicles.double_track import DoubleTrack
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.dynamics.vehicles.kinematic_bicycle import KinematicBicycle
from racecar.dynamics.vehicles.kinematic_understeer import KinematicUndersteer
from racecar.dynamics.vehicles.parameters import VEHICLE_PARAMETERS, VehicleParameters
from racecar.dynamics.vehicles.single_track import SingleTrack
from racecar.dynamics.vehicles.single_track_force import SingleTrackForce
from racecar.dynamics.vehicles.single_track_slip import SingleTrackSlip

__all__ = [
    'VEHICLE_MODELS', 'VEHICLE_PARAMETERS', 'DoubleTrack', 'KinematicBicycle',
    'KinematicUndersteer', 'SingleTrack', 'SingleTrackForce', 'SingleTrackSlip', 'VehicleModel',
    'VehicleParameters', 'make_vehicle_model',
]

VEHICLE_MODELS: dict[str, Callable[[VehicleParameters, Values], VehicleModel]] = {
    SingleTrack.name: SingleTrack.from_values,
    KinematicBicycle.name: KinematicBicycle.from_values,
    SingleTrackForce.name: SingleTrackForce.from_values,
    DoubleTrack.name: DoubleTrack.from_values,
    KinematicUndersteer.name: KinematicUndersteer.from_values,
    SingleTrackSlip.name: SingleTrackSlip.from_values,
}


def make_vehicle_model(
    name: str, vehicle: VehicleParameters, values: Values,
) -> VehicleModel:
    """Model of a name; `values` holds its options (tyre_model, formulation, ...).

    Raises ParameterError if the name or an option is unknown.
    """
    try:
        make = VEHICLE_MODELS[name]
    except KeyError:
        raise ParameterError(
            f"parameter 'vehicle_model' is {name!r}, expected one of"
            f" {', '.join(VEHICLE_MODELS)}") from None
    return make(vehicle, values)
