# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car in the plane as a plant: a Simulator behind ports."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from racecar.base.frames import BASE_LINK, COG
from racecar.base.readings import Collisions, WheelReading
from racecar.base.rows import filled
from racecar.base.types import (
    Acceleration3,
    AckermannCommand,
    BodyState,
    HINGE_JOINTS,
    JointStates,
    Odometry,
    Pose3,
    SUSPENSION_JOINTS,
    Twist3,
    VehicleDiagnostics,
    WHEEL_JOINTS,
    WheelCommand,
    WheelStates,
)
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.body_dimensions import body_dimensions
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene.loose_objects import still
from racecar.scene.scene import Scene
from racecar.simulation.dead_reckoning import rolling_of
from racecar.simulation.lamp_board import LampBoard
from racecar.simulation.one_robot_plant import check_planar, OneRobotPlant, planar_part
from racecar.simulation.ports import (
    Bounds,
    COLLISIONS,
    Entity,
    Input,
    Mount,
    ODOMETRY,
    Output,
    Scenery,
    SensorPlatform,
)
from racecar.simulation.simulator import Simulator


class VehiclePlant(OneRobotPlant):
    """One car; it shows everything with the period of the simulator's ticks.

    Inputs: drive (AckermannCommand), wheels (WheelCommand, for models whose wheels take torques),
    lamps (LampSwitches). Outputs: diagnostics (VehicleDiagnostics), joints (JointStates), wheels
    (WheelStates), lamps (LampMarkers), collisions (Collisions, where there is something to run
    into), odometry (BodyState).
    """

    def __init__(self, simulator: Simulator) -> None:
        """Take over a simulator, which is then moved by this plant only."""
        super().__init__(simulator)
        self.simulator = simulator
        # The newest, and what is shown of it.
        self._odometry: Odometry | None = None
        self._body: BodyState
        vehicle = simulator.model.vehicle
        # In the plane the springs of a sprung car stay as they are at rest.
        springs = SUSPENSION_JOINTS if vehicle.body.is_sprung else ()
        self._joint_names = WHEEL_JOINTS + HINGE_JOINTS + springs
        self._still = (0.0,) * len(springs)
        equations = simulator.car.kind.equations
        self._rolling = rolling_of(equations)
        self._car = filled(equations.parameters, simulator.model.parameters)
        self._describe = partial(describe_vehicle, vehicle)
        self._board = LampBoard(self._describe, lambda: simulator.time_ns)
        self._surround(simulator.scene)

    @property
    def simulators(self) -> Mapping[str, Simulator]:
        """What moves the car, by its name."""
        return {'': self.simulator}

    def _surround(self, scene: Scene) -> None:
        """Let a scene stand around the car, which then shows contacts or none."""
        simulator = self.simulator
        simulator.scene = scene
        self._show(self._car_entity(), Scenery(
            lambda: simulator.scene, self._surround, lambda: still(simulator.scene.cones)))

    def _car_entity(self) -> Entity:
        simulator, board, describe = self.simulator, self._board, self._describe
        steps, vehicle = simulator.steps_per_tick, simulator.model.vehicle
        cog = Pose3(-vehicle.odometry_offset, 0.0, vehicle.cog_height, 0.0, 0.0, 0.0, 1.0)
        return Entity(
            name='',
            inputs=(
                Input('drive', AckermannCommand, simulator.set_command),
                Input('wheels', WheelCommand, simulator.set_wheel_command), board.input),
            outputs=(
                Output('diagnostics', VehicleDiagnostics, simulator.diagnostics, steps, COG),
                Output('joints', JointStates, self._joints, steps),
                Output('wheels', WheelStates, self._wheels, steps),
                board.output(steps),
                *self._collision_outputs(),
                Output(ODOMETRY, BodyState, self._body_state, steps, BASE_LINK)),
            reset=self._reset, halt=simulator.stop,
            mounts=(Mount(BASE_LINK, COG, cog),),
            platform=SensorPlatform(
                BASE_LINK, self._body_state, self._acceleration, wheels=self._wheel_reading),
            describe=describe, notice=lambda: simulator.notice, lamps=board.lit,
            bounds=bounds_of_vehicle(vehicle), push=self._push)

    def _push(self, twist: Twist3) -> None:
        check_planar(twist)
        self.simulator.push(twist.vx, twist.vy, twist.wz)

    def _reset(self, pose: Pose3 | None) -> Pose3:
        self.simulator.reset(planar_part(pose))
        return self._body_state().pose

    def _body_state(self) -> BodyState:
        odometry = self.simulator.odometry()
        if odometry is not self._odometry:
            _, x, y, qz, qw, vx, vy, yaw_rate = self._odometry = odometry
            # Half the time of calls of the NamedTuples.
            self._body = BodyState(
                tuple.__new__(Pose3, (x, y, 0.0, 0.0, 0.0, qz, qw)),
                tuple.__new__(Twist3, (vx, vy, 0.0, 0.0, 0.0, yaw_rate)))
        return self._body

    def _collision_outputs(self) -> tuple[Output, ...]:
        simulator = self.simulator
        if simulator.collisions is None:
            return ()
        return (Output(COLLISIONS, Collisions, lambda: simulator.collisions,
                       simulator.steps_per_tick, BASE_LINK),)

    def _acceleration(self) -> Acceleration3:
        ax, ay, alpha = self.simulator.acceleration()
        return Acceleration3(ax, ay, 0.0, 0.0, 0.0, alpha)

    def _wheel_reading(self) -> WheelReading:
        simulator = self.simulator
        return WheelReading(
            self._rolling(
                filled(simulator.car.kind.equations.state, simulator.state), self._car,
                simulator.odometry().vx),
            simulator.command.steering_angle)

    def _joints(self) -> JointStates:
        simulator, still = self.simulator, self._still
        return JointStates(
            self._joint_names,
            (*simulator.wheel_rotations, *simulator.steering_angles, *still),
            (*simulator.wheel_speeds, 0.0, 0.0, *still))

    def _wheels(self) -> WheelStates:
        return WheelStates(*self.simulator.wheels())


def bounds_of_vehicle(vehicle: VehicleParameters) -> Bounds:
    """The box about a vehicle in the axes of base_link."""
    front, rear, side = vehicle.footprint
    return Bounds((-rear, -side, 0.0), (front, side, body_dimensions(vehicle).top))
