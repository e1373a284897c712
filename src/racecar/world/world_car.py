# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One car of the 3-D world: how it is commanded, and what it shows."""

from __future__ import annotations

import math

import numpy as np

from racecar.base.errors import ParameterError
from racecar.base.readings import Collisions, WheelReading
from racecar.base.types import (
    Acceleration3,
    AckermannCommand,
    BodyState,
    HINGE_JOINTS,
    JointSetpoint,
    JointStates,
    Pose2,
    Pose3,
    quaternion_to_yaw,
    Twist3,
    VehicleDiagnostics,
    WHEEL_JOINTS,
    WheelCommand,
    Wheels,
    WheelState,
    WheelStates,
    yaw_to_quaternion,
)
from racecar.control.servo_commands import ServoCommands
from racecar.dynamics.vehicles.ackermann import middle_tangent
from racecar.dynamics.vehicles.command_limits import checked
from racecar.dynamics.vehicles.double_track import wheel_command_fault
from racecar.world.contact_forces import friction_on_wheels
from racecar.world.engine_state import LOWEST, uprightness
from racecar.world.world_engine import CarPlaces, joint_names, WorldCarSpec, WorldEngine
from racecar.world.world_kernel import QUIET, WHEEL_COUNT
from racecar.world.world_parameters import DIFFERENTIAL, SERVOS

_JOINTS = WHEEL_JOINTS + HINGE_JOINTS
_HINGES = slice(WHEEL_COUNT, WHEEL_COUNT + len(HINGE_JOINTS))


class WorldCar:
    """A car by its number in a WorldEngine."""

    def __init__(
        self, engine: WorldEngine, index: int, spec: WorldCarSpec, servo: ServoCommands,
        rest: Pose3, wheel_drive: str = DIFFERENTIAL,
    ) -> None:
        """Stand at the start.

        rest: pose of base_link at rest at the origin with heading 0; wheel_drive: what turns the
        wheels of a car that is commanded by speed.
        """
        self._engine = engine
        self._index = index
        self._spec = spec
        self._servo = servo
        self._is_servo_driven = wheel_drive == SERVOS
        # Speed that the drive is given for 1 m/s.
        self._speed_ratio = servo.wheel_rate * spec.vehicle.wheel_radii[1]
        self._rest = rest
        self._joint_names = joint_names(spec.bodies)
        limits = [body.joint.limit for body in (*spec.bodies.wheels, *spec.bodies.hinges)
                  if body.joint is not None]
        self._lowest = np.array(
            [-limit.velocity for limit in limits[:WHEEL_COUNT]]
            + [limit.lower for limit in limits[WHEEL_COUNT:]])
        self._highest = np.array(
            [limit.velocity for limit in limits[:WHEEL_COUNT]]
            + [limit.upper for limit in limits[WHEEL_COUNT:]])
        model = engine.model
        # The engine's own numbers, which a command of torques sets to none.
        self._gains = (model.actuator_gainprm[self._places.wheel_servos].copy(),
                       model.actuator_biasprm[self._places.wheel_servos].copy())
        self._command = AckermannCommand(0.0, 0.0)
        self._notice = ''
        # Why it stands until it is reset, '' if it does not.
        self.failure = ''
        self.reset(None)

    @property
    def _places(self) -> CarPlaces:
        """Where the car is in the arrays of the engine, as long as nothing else is compiled."""
        return self._engine.places[self._index]

    @property
    def command(self) -> AckermannCommand:
        """The command in force; of wheel torques the steering angle of the virtual wheel."""
        return self._command

    @property
    def notice(self) -> str:
        """What the limits of the vehicle have cut off the newest command; empty if nothing."""
        return self._notice

    # Commands

    def set_command(self, command: AckermannCommand) -> None:
        """Drive by speed and steering angle from now on, clamped to the vehicle's limits.

        Raises ParameterError, and keeps the old command, if it is NaN or infinite.
        """
        command, self._notice = checked(
            command, self._spec.vehicle, self._servo.steering_range)
        setpoints = np.clip(self._servo.setpoints(command), self._lowest, self._highest)
        if self._is_servo_driven:
            self._drive_by_servos()
            self._engine.set_control(self._places.wheel_servos, setpoints[:WHEEL_COUNT])
        else:
            self._drive_by_speed(command.speed)
        self._engine.set_control(self._places.hinge_servos, setpoints[WHEEL_COUNT:])
        self._command = command

    def set_joint(self, index: int, setpoint: JointSetpoint) -> None:
        """Give the controller of one joint its set-point; index: in WHEEL_JOINTS + HINGE_JOINTS.

        It is clamped to the limits of the joint. Raises ParameterError, and keeps the old one, if
        it is NaN or infinite.
        """
        if not math.isfinite(setpoint.value):
            raise ParameterError(
                f'set-point of {_JOINTS[index]} is {setpoint.value!r}, expected a finite number'
                ' [rad/s of a wheel, rad of a hinge]')
        self._drive_by_servos()
        value = min(max(setpoint.value, self._lowest[index]), self._highest[index])
        servos = np.concatenate([self._places.wheel_servos, self._places.hinge_servos])
        self._engine.set_control(servos[index], value)
        self._take_over_setpoints()

    def set_wheel_command(
        self, command: WheelCommand, forced: Wheels = (0.0, 0.0, 0.0, 0.0),
    ) -> None:
        """Drive by angles and torques of wheels from now on; angles are clamped to the limits.

        forced: 1 for a wheel whose number in `drive` is its speed [rad/s], which its controller
        gives it. Raises ParameterError, and keeps the old command, for what wheel_command_fault()
        tells of, and for wheels that are forced but have no controller.
        """
        if any(forced) and not self._places.wheel_servos.size:
            raise ParameterError(
                f'forced is {forced}, expected zeros: the wheels of this car have no controllers;'
                ' use another command_interface or wheel_drive servos')
        speeds = np.multiply(command.drive, forced)
        a, b, c, d = (0.0 if is_forced else torque for torque, is_forced in zip(
            command.drive, forced, strict=True))
        command = command._replace(drive=(a, b, c, d))
        fault = wheel_command_fault(command, self._spec.vehicle.wheel_inertia)
        if fault:
            raise ParameterError(f'wheel command has {fault}')
        self._release_wheels(forced)
        self._engine.govern(self._index, None)
        self._engine.set_control(self._places.wheel_servos, speeds)
        self._engine.model.dof_damping[self._places.body.dofs[:WHEEL_COUNT]] = command.damping
        self._engine.turn_wheels(
            self._index, command.drive, command.brake, command.brake_damping)
        angles = np.clip(
            (command.left_angle, command.right_angle), self._lowest[WHEEL_COUNT:],
            self._highest[WHEEL_COUNT:])
        self._engine.set_control(self._places.hinge_servos, angles)
        self._command = AckermannCommand(0.0, math.atan(middle_tangent(*map(float, angles))))

    def halt(self) -> None:
        """Bring the wheels to rest and hold the hinges where they are wanted."""
        if self._is_servo_driven:
            self._drive_by_servos()
            self._engine.set_control(self._places.wheel_servos, 0.0)
        else:
            self._drive_by_speed(0.0)
        self._command = AckermannCommand(0.0, self._command.steering_angle)

    def _drive_by_speed(self, speed: float) -> None:
        """Let the speed controller drive [m/s], through the differentials."""
        self._release_wheels()
        self._engine.govern(self._index, speed * self._speed_ratio)

    def _drive_by_servos(self) -> None:
        """Let the controllers of single wheels drive."""
        self._release_wheels((1.0, 1.0, 1.0, 1.0))
        self._engine.govern(self._index, None)

    def _release_wheels(self, forced: Wheels = (0.0, 0.0, 0.0, 0.0)) -> None:
        """Take torques, brakes and damping away, and the controllers of wheels not forced."""
        model = self._engine.model
        servos = self._places.wheel_servos
        if servos.size:
            model.actuator_gainprm[servos] = self._gains[0] * np.vstack(forced)
            model.actuator_biasprm[servos] = self._gains[1] * np.vstack(forced)
        model.dof_damping[self._places.body.dofs[:WHEEL_COUNT]] = 0.0
        self._engine.turn_wheels(self._index, 0.0, 0.0, 0.0)

    def _take_over_setpoints(self) -> None:
        """Note the command that the set-points of the joints stand for."""
        control = self._engine.data.ctrl
        wanted = control[self._places.wheel_servos]
        rear = 0.5 * float(wanted[2] + wanted[3]) * self._spec.vehicle.wheel_radii[1]
        left, right = map(float, control[self._places.hinge_servos])
        self._command = AckermannCommand(rear, math.atan(middle_tangent(left, right)))

    # Reset and faults

    def reset(self, pose: Pose3 | None) -> Pose3:
        """Put the car at rest on the ground at a pose, of which x, y and heading count.

        None: at its start, from whose height it falls. Returns the pose of base_link.
        Raises ParameterError if the pose is not finite.
        """
        height = 0.0
        if pose is None:
            wanted, height = self._spec.start, self._spec.start_height
        elif all(map(math.isfinite, pose)):
            wanted = Pose2(pose.x, pose.y, quaternion_to_yaw(*pose[3:]))
        else:
            raise ParameterError(f'pose is {pose}, expected finite numbers')
        for servos in (self._places.wheel_servos, self._places.hinge_servos):
            self._engine.set_control(servos, 0.0)
        self._command, self.failure = AckermannCommand(0.0, 0.0), ''
        self.halt()
        qz, qw = yaw_to_quaternion(wanted.yaw)
        rest = self._rest
        # Heading after pitch.
        self._engine.place_car(self._index, Pose3(
            wanted.x, wanted.y, rest.z + height, 0.0 - qz * rest.qy, qw * rest.qy, qz * rest.qw,
            qw * rest.qw))
        return self.body_state().pose

    def retire(self, reason: str) -> None:
        """Stand where it is, whatever acts on it, until it is reset."""
        self.failure = reason
        self.halt()
        self._engine.hold_car(self._index)

    def push(self, twist: Twist3) -> None:
        """Give the car a twist of base_link, with wheels that roll.

        Raises ParameterError for one that is not finite.
        """
        if not all(map(math.isfinite, twist)):
            raise ParameterError(f'twist is {twist}, expected finite numbers [m/s, rad/s]')
        vehicle = self._spec.vehicle
        half = 0.5 * vehicle.track_width
        front, rear = vehicle.wheel_radii
        self._engine.push_car(self._index, twist, [
            (twist.vx - side * half * twist.wz) / radius
            for radius in (front, rear) for side in (1.0, -1.0)])

    @property
    def fault(self) -> str:
        """Why the car cannot drive on, and what to do; empty if it can."""
        if self.failure:
            return self.failure
        pose = self.body_state().pose
        up = uprightness(pose)
        if up < 0.0:
            return (f'the car lies on its {"roof" if up < -0.5 else "side"} at x {pose.x:.3g} m,'
                    f' y {pose.y:.3g} m; reset it')
        if pose.z < LOWEST:
            return f'the car has fallen to z {pose.z:.3g} m; reset it'
        return ''

    # What it shows

    def body_state(self) -> BodyState:
        """Return pose of base_link and twist in its axes."""
        return self._engine.body_state(self._places.body)

    def acceleration(self) -> Acceleration3:
        """Return the acceleration of base_link."""
        return self._engine.acceleration(
            self._places.body, self._engine.present(forces=True).qacc)

    def collisions(self) -> Collisions:
        """Return what the body has run into since the last reset."""
        begun, since, x, y, speed, _ = self._engine.touched(self._index)
        return Collisions(int(begun), since < QUIET, x, y, speed)

    def joints(self) -> JointStates:
        """Return positions and speeds of wheels, hinges and suspension."""
        data = self._engine.data
        return JointStates(
            self._joint_names, tuple(map(float, data.qpos[self._places.body.joints])),
            tuple(map(float, data.qvel[self._places.body.dofs])))

    def wheel_reading(self) -> WheelReading:
        """Return what dead reckoning takes of the car."""
        speeds = self._engine.data.qvel[self._places.body.dofs[:WHEEL_COUNT]]
        return WheelReading(
            0.5 * float(speeds[2] + speeds[3]) * self._spec.vehicle.wheel_radii[1],
            self._command.steering_angle)

    def wheels(self) -> WheelStates:
        """Return slip, forces and load of each wheel."""
        speeds = self._engine.data.qvel[self._places.body.dofs[:WHEEL_COUNT]]
        if self._spec.tyres is None:
            return WheelStates(*friction_on_wheels(self._engine, self._index, speeds))
        return WheelStates(*(
            WheelState(wheel.slip, math.atan(wheel.tangent), wheel.force_x, wheel.force_y,
                       wheel.load, float(speed))
            for wheel, speed in zip(self._engine.shown(self._index), speeds, strict=True)))

    def diagnostics(self) -> VehicleDiagnostics:
        """Return the motion of the centre of gravity, mean slip and summed force per axle."""
        pose, twist = self.body_state()
        ahead = -self._spec.vehicle.odometry_offset
        yaw = quaternion_to_yaw(*pose[3:])
        vy = twist.vy + ahead * twist.wz
        left_front, right_front, left_rear, right_rear = self.wheels()
        left, right = map(float, self._engine.data.qpos[self._places.body.joints[_HINGES]])
        lateral = sum(
            wheel.lateral_force * math.cos(angle) + wheel.longitudinal_force * math.sin(angle)
            for wheel, angle in ((left_front, left), (right_front, right), (left_rear, 0.0),
                                 (right_rear, 0.0)))
        return VehicleDiagnostics(
            pose.x + ahead * math.cos(yaw), pose.y + ahead * math.sin(yaw), yaw, twist.vx, vy,
            twist.wz, math.atan2(math.copysign(1.0, twist.vx) * vy, abs(twist.vx)),
            lateral / self._spec.vehicle.mass,
            0.5 * (left_front.slip_angle + right_front.slip_angle),
            0.5 * (left_rear.slip_angle + right_rear.slip_angle),
            left_front.lateral_force + right_front.lateral_force,
            left_rear.lateral_force + right_rear.lateral_force, *self._command)
