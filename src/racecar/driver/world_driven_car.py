# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car of the 3-D world driven by pedals, gear and steering wheel, without nodes.

It does in each tick what the driver bridge does at each odometry: under throttle or brake the
wheels get torques for one tick. As in the plane, a cruising speed forces the driven wheels to
turn.
"""

from __future__ import annotations

import math
from pathlib import Path

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config, find_vehicle
from racecar.base.types import (
    AckermannCommand,
    BodyState,
    HINGE_JOINTS,
    JointStates,
    LampSwitches,
    NANOSECONDS,
    Odometry,
)
from racecar.dynamics.powertrain.car_parameters import CarParameters
from racecar.dynamics.powertrain.powertrain import ControlMode, PedalControls, Powertrain
from racecar.dynamics.vehicles.parameters import VEHICLE_PARAMETERS, VehicleParameters
from racecar.simulation.lamp_board import LAMPS
from racecar.simulation.ports import Input, ODOMETRY
from racecar.world.make_world import make_world_plant
from racecar.world.world_parameters import WORLD_PARAMETERS
from racecar.world.world_plant import WorldPlant

_WHEELS = 4
_NODE, _STACK = 'world_simulator', 'stacks/driver_world'


class WorldDrivenCar:
    """The only car of a world, which takes wheel torques; pedals act from the next tick on.

    powertrain, plant: what drives it, and what it is part of.
    """

    def __init__(self, car: CarParameters, vehicle: VehicleParameters, plant: WorldPlant) -> None:
        """Take over a world, which is then moved by this car only.

        Raises ParameterError as Powertrain does, and ConfigurationError if the world has not one
        car or does not take torques.
        """
        self.plant = plant
        entity, = plant.entities
        self._steps = int(entity.output(ODOMETRY).steps)
        self.powertrain = Powertrain(car, vehicle, self.period_ns / NANOSECONDS)
        inputs: dict[str, Input] = {port.name: port for port in entity.inputs}
        self._drive = inputs['drive'].apply
        self._switch_lamps = inputs[LAMPS].apply
        self._read_odometry = entity.output(ODOMETRY).read
        self._read_joints = entity.output('joints').read
        self._pedals = PedalControls(-1.0, *(0.0,) * 8)

    @property
    def time_ns(self) -> int:
        """Simulated time [ns]."""
        return self.plant.time_ns

    @property
    def period_ns(self) -> int:
        """Length of a tick [ns]."""
        return self._steps * self.plant.step_ns

    @property
    def wheel_speeds(self) -> tuple[float, ...]:
        """Rotation of left front, right front, left rear, right rear wheel [rad/s]."""
        return self._joints().velocities[:_WHEELS]

    @property
    def wheel_rotations(self) -> tuple[float, ...]:
        """Angle through which each wheel has turned [rad]."""
        return self._joints().positions[:_WHEELS]

    @property
    def steering_angles(self) -> tuple[float, float]:
        """Steering angle of the left and right front wheel [rad]."""
        left, right = self._joints().positions[_WHEELS:_WHEELS + len(HINGE_JOINTS)]
        return left, right

    def set_pedals(self, pedals: PedalControls) -> None:
        """Drive so from the next tick on."""
        self._pedals = pedals

    def switch_lamps(self, switches: LampSwitches) -> None:
        """Switch the lamps, which cameras of the world see. Raises ParameterError as LampBoard."""
        self._switch_lamps(switches)

    def tick(self) -> None:
        """Advance by one period. Raises DivergenceError as WorldPlant does."""
        pedals, powertrain = self._pedals, self.powertrain
        torques = powertrain.command(pedals, self.wheel_speeds)
        if pedals.mode == ControlMode.UNDEFINED:
            self._drive(AckermannCommand(0.0, math.atan(pedals.tangent)))
        else:
            self.plant.command_wheels(0, powertrain.wheel_command(torques), torques.forced)
        self.plant.advance(self._steps)

    def odometry(self) -> Odometry:
        """Return pose and twist of base_link in the plane."""
        return Odometry.of_body(self.time_ns, self.body_state())

    def body_state(self) -> BodyState:
        """Return pose and twist of base_link in space."""
        state: BodyState = self._read_odometry()
        return state

    def _joints(self) -> JointStates:
        joints: JointStates = self._read_joints()
        return joints


def world_driven_car(
    vehicle: str | Path, world: str = 'empty', **values: object,
) -> WorldDrivenCar:
    """Return a car in the 3-D world, as the configuration driver_world has it.

    vehicle, world: files or names in config/vehicles and worlds; values: of WORLD_PARAMETERS and
    the vehicle. Raises ConfigurationError or ParameterError for what cannot be simulated.
    """
    path = find_vehicle(vehicle)
    table = VEHICLE_PARAMETERS + WORLD_PARAMETERS
    # The file of the configuration has rows of the node, too.
    stack = {name: value for name, value in load_parameter_file(find_config(_STACK), _NODE).items()
             if name in table}
    resolved = table.resolve(
        {**load_parameter_file(path, _NODE), **stack, 'world': world, **values})
    return WorldDrivenCar(
        CarParameters.from_file(path), VehicleParameters.from_values(resolved),
        make_world_plant(resolved))
