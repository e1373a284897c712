# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulator of one vehicle from the values of its parameters."""

from __future__ import annotations

from racecar.base.types import Pose2
from racecar.base.values import number_of, text_of, Values
from racecar.dynamics.vehicles import make_vehicle_model, VehicleModel, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import InitialMotion, Start
from racecar.scene.world_choice import scene_of, start_pose
from racecar.simulation.contact import Contact
from racecar.simulation.obstacles import ContactShape
from racecar.simulation.simulator import Simulator


def make_simulator(
    values: Values, model: VehicleModel | None = None, start: Pose2 | None = None,
) -> Simulator:
    """Build a simulator from the resolved values of VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS.

    model: one that is built from the same values already; models have no memory. start: of
    base_link in map, by default start_pose(). Raises ParameterError or ConfigurationError as
    Simulator and the models do.
    """
    scene = scene_of(values)
    simulator = Simulator(
        model or make_vehicle_model(
            text_of(values, 'vehicle_model'), VehicleParameters.from_values(values), values),
        step=number_of(values, 'step'), period=1.0 / number_of(values, 'rate'),
        integrator=text_of(values, 'integrator'),
        start=Start(start or start_pose(scene, values), InitialMotion(
            number_of(values, 'initial_yaw_rate'), number_of(values, 'initial_sideslip'),
            number_of(values, 'initial_speed'))),
        actuators=values, scene=scene)
    simulator.contacts.shape = ContactShape.from_values(values)
    simulator.contacts.response = Contact.from_values(values)
    return simulator
