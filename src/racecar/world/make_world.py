# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The 3-D world of resolved parameter values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from racecar.base.errors import ConfigurationError
from racecar.base.values import number_of, text_of, Values
from racecar.control.servo_commands import ServoCommands
from racecar.description.car_bodies import car_bodies, CarBodies
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.tyres import find_tyre_model
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set, TyreSet
from racecar.scene.scene import Scene
from racecar.scene.world_choice import HEIGHT_PARAMETER, scene_of
from racecar.simulation.fleet_file import CarValues
from racecar.simulation.plant_car import PlantCar
from racecar.simulation.ports import Plant
from racecar.simulation.reckoned_plant import as_it_is, car_with_odometry
from racecar.world.car_gains import joint_gains
from racecar.world.car_model import Gains
from racecar.world.world_engine import WorldCarSpec
from racecar.world.world_parameters import COULOMB, PACEJKA
from racecar.world.world_plant import DrivenCar, WorldPlant, WorldRates


class _CarParts(NamedTuple):
    """What a WorldCarSpec has of the parameters of a car."""

    vehicle: VehicleParameters
    bodies: CarBodies
    gains: Gains
    tyres: TyreSet | None


def _parts_of(values: Values) -> _CarParts:
    vehicle = VehicleParameters.from_values(values)
    along, across = vehicle.frictions
    if text_of(values, 'contact_model') == COULOMB and along != across:
        raise ConfigurationError(
            f"parameter 'vehicle.lateral_friction_coefficient' is {across:g}, expected 0 or"
            f' friction_coefficient ({along:g}) for contact_model {COULOMB}: the friction of the'
            f' engine knows no direction that turns with a wheel; use contact_model {PACEJKA},'
            ' with any tyre_model')
    bodies = car_bodies(describe_vehicle(vehicle).tree)
    return _CarParts(
        vehicle, bodies, joint_gains(vehicle, bodies, values),
        make_tyre_set(vehicle, text_of(values, 'tyre_model'), values)
        if text_of(values, 'contact_model') == PACEJKA else None)


def make_world_plant(
    values: Values, scene: Scene | None = None, cars: Sequence[CarValues] | None = None,
) -> WorldPlant:
    """Build a world with cars from resolved values of the vehicle and WORLD_PARAMETERS.

    scene: in the place of that of the parameter world; cars: by default one without a name. Raises
    ParameterError or ConfigurationError for what cannot be simulated, ConfigurationError if MuJoCo
    or xacro is not there.
    """
    scene = scene or scene_of(values)
    # Cars that differ in nothing have one body.
    made: dict[int, _CarParts] = {}
    driven = []
    for car in cars or [CarValues('', values)]:
        if id(car.values) not in made:
            made[id(car.values)] = _parts_of(car.values)
        driven.append(DrivenCar(
            WorldCarSpec(car.name, *made[id(car.values)], car.start_in(scene),
                         number_of(car.values, HEIGHT_PARAMETER.name)),
            ServoCommands.from_values(made[id(car.values)].vehicle, car.values),
            text_of(car.values, 'command_interface'), text_of(car.values, 'wheel_drive')))
    return WorldPlant(
        scene, driven, step=number_of(values, 'step'), rates=WorldRates(*(
            number_of(values, name) for name in (
                'rate', 'joint_states_rate', 'wheel_states_rate', 'car_state_rate'))))


def make_world_car(values: Values, wrap: Callable[[Plant], Plant] = as_it_is) -> PlantCar:
    """Build the same for a loop without ROS; see make_world_plant().

    wrap: gives the plant with what else it carries.
    """
    plant = make_world_plant(values)
    contact = text_of(values, 'contact_model')
    if contact == PACEJKA:
        contact = f"{contact} contact, {find_tyre_model(text_of(values, 'tyre_model')).name} tyres"
    else:
        contact = f'{contact} contact'
    name = text_of(values, 'vehicle.name')
    return car_with_odometry(
        plant, values, f"3-D world with vehicle '{name}' ({contact})", wrap=wrap)
