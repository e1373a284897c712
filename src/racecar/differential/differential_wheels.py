# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""DifferentialWheels, after the class of Webots (seed 002): a controller runs here unchanged.

Names, units and signs are the original's: speeds in speed units, times in ms. What is out of range
is clamped with a DifferentialWheelsWarning; NaN raises ParameterError, as it cannot be clamped.
docs/differential_wheels.md lists where text and original contradict each other.
"""

from __future__ import annotations

import math
from pathlib import Path
import warnings

import numpy as np

from racecar.base.errors import ParameterError
from racecar.base.poses import pose_of_angles
from racecar.base.share import find_wheeled_robot, find_world
from racecar.base.types import BodyState, Pose2, WheelSpeeds
from racecar.differential.distance_sensor import DistanceSensor, Surroundings
from racecar.differential.motion import KINEMATICS, MODES
from racecar.differential.parameters import RobotParameters
from racecar.differential.plant import make_motion, Start
from racecar.scene.scene import Objects
from racecar.scene.world_file import load_world

BASIC_TIME_STEP = 32
"""Basic time step of a world that names none (seed 002) [ms]."""

# Steps of the modes that integrate forces [ms].
_FINE_STEP = 1

RobotLike = RobotParameters | str | Path | None
"""Parameters, a robot's file or its name in config/robots, or None for the node's defaults."""


class DifferentialWheelsWarning(UserWarning):
    """An argument was out of its range and has been clamped, or a device is not there."""


def robot_of(robot: RobotLike) -> RobotParameters:
    """Return the parameters that a robot stands for.

    Raises ConfigurationError for a file that is none, ParameterError for what it holds.
    """
    if robot is None:
        return RobotParameters.from_values({})
    if isinstance(robot, RobotParameters):
        return robot
    return RobotParameters.from_file(find_wheeled_robot(robot))


class DifferentialWheels:
    """A differential-drive robot and a simulation of its own; step() advances it.

    Every method of the original has its name here, in the spelling of the classes and in that of
    the C functions without wb_differential_wheels_.
    """

    def __init__(
        self, robot: RobotLike = None, *, mode: str = KINEMATICS, world: str = 'empty',
        basic_time_step: int = BASIC_TIME_STEP, pose: Pose2 | None = None, seed: int = 0,
        duration: float = math.inf,
    ) -> None:
        """Put a robot at rest into a world.

        robot: see RobotLike; mode: kinematics, physics or world; world: of worlds/ by name, or a
        file; basic_time_step: of the simulation [ms], which is that of the kinematics, while
        forces are integrated every 1 ms; pose: of the axle at the start, by default that of the
        world; seed: of all noise; duration: simulated time after which step() returns -1 [s].
        Raises ConfigurationError or ParameterError for what cannot be simulated.
        """
        if isinstance(basic_time_step, bool) or not isinstance(basic_time_step, int) \
                or basic_time_step < 1:
            raise ParameterError(
                f'basic_time_step is {basic_time_step!r}, expected a whole number of ms, at least'
                ' 1')
        if mode not in MODES:
            raise ParameterError(f"mode is '{mode}', expected one of {', '.join(MODES)}")
        if not duration > 0.0:
            raise ParameterError(f'duration is {duration!r} s, expected a positive number')
        self._robot = made = robot_of(robot)
        self._scene = scene = load_world(find_world(world))
        self._basic = basic_time_step
        self._end = duration
        fine = _FINE_STEP if mode != KINEMATICS else basic_time_step
        self._steps_per_basic = basic_time_step // fine
        self._motion = make_motion(
            made, mode, step=fine * 1e-3, scene=scene,
            start=Start(pose or scene.starts[0]), seed=seed)
        self._objects = self._motion.objects or (lambda: Objects(scene.cones))
        self._time = 0
        self._speeds = (math.nan, math.nan)
        self._period = 0
        self._counts = (0.0, 0.0)
        # Another stream than that of the wheels.
        generator = np.random.default_rng([seed, 1])
        around = Surroundings(scene, lambda: self.state.pose, self._seen)
        self._sensors = {
            f'ds{index}': DistanceSensor(
                pose_of_angles(x, y, 0.5 * made.height, 0.0, 0.0, heading), made.distance_range,
                around, generator, self._check_period, made.distance_sensor_type)
            for index, (x, y, heading) in enumerate(made.sensor_places)}

    # Time

    def step(self, duration: int | None = None) -> int:
        """Advance by a whole number of basic time steps, in ms, by default one.

        Returns 0, or -1 once the duration is over. Raises DivergenceError.
        """
        duration = self._basic if duration is None else duration
        if isinstance(duration, bool) or not isinstance(duration, int) or duration < 1 \
                or duration % self._basic:
            raise ParameterError(
                f'step is {duration!r} ms, expected a multiple of the basic time step,'
                f' {self._basic} ms')
        if self.getTime() >= self._end:
            return -1
        for _ in range(duration // self._basic):
            self._motion.advance(self._steps_per_basic)
            self._time += self._basic
            if self._period and self._time % self._period == 0:
                self._sample()
            for sensor in self._sensors.values():
                sensor.sample(self._time)
        return 0

    def getTime(self) -> float:
        """Return the simulated time [s]."""
        return self._time * 1e-3

    def getBasicTimeStep(self) -> float:
        """Return the basic time step [ms]."""
        return float(self._basic)

    # Wheels

    def setSpeed(self, left: float, right: float) -> None:
        """Turn the wheels at speeds in speed units from the beginning of the next step on."""
        if math.isnan(left) or math.isnan(right):
            raise ParameterError(
                f'speeds are {left!r} and {right!r}, expected numbers in units of'
                f' {self._robot.speed_unit:g} rad/s')
        top = self._robot.max_speed
        wanted = (left * self._robot.speed_unit, right * self._robot.speed_unit)
        if max(map(abs, wanted)) > top:
            warnings.warn(
                f'speeds {left:g} and {right:g} are {wanted[0]:g} and {wanted[1]:g} rad/s, beyond'
                f' max_speed {top:g} rad/s: clamped', DifferentialWheelsWarning, stacklevel=2)
        self._speeds = (left, right)
        self._motion.set_speeds(WheelSpeeds(
            *(min(max(speed, -top), top) for speed in wanted)))

    def getLeftSpeed(self) -> float:
        """Return the speed that was set last, in speed units; NaN before the first."""
        return self._speeds[0]

    def getRightSpeed(self) -> float:
        """Return the speed that was set last, in speed units; NaN before the first."""
        return self._speeds[1]

    def getMaxSpeed(self) -> float:
        """Return the largest speed of a wheel [rad/s]."""
        return self._robot.max_speed

    def getSpeedUnit(self) -> float:
        """Return the unit of setSpeed() [rad/s]."""
        return self._robot.speed_unit

    # Encoders

    def enableEncoders(self, samplingPeriod: int) -> None:
        """Let both encoders be read every so many ms."""
        if not self._robot.has_encoders:
            warnings.warn(
                'the encoders are not simulated: encoder_noise or encoder_resolution is -1',
                DifferentialWheelsWarning, stacklevel=2)
            return
        self._period = self._check_period(samplingPeriod)
        self._sample()

    def disableEncoders(self) -> None:
        """Let the encoders be read no more."""
        self._period = 0

    def getEncodersSamplingPeriod(self) -> int:
        """Return the time between two counts [ms], 0 while they are disabled."""
        return self._period

    def getLeftEncoder(self) -> float:
        """Return the newest count of the left encoder, the last one if they are disabled."""
        return self._read_encoder(0)

    def getRightEncoder(self) -> float:
        """Return the newest count of the right encoder, the last one if they are disabled."""
        return self._read_encoder(1)

    def setEncoders(self, left: float, right: float) -> None:
        """Let the encoders count on from these numbers; no wheel turns for that."""
        if not (math.isfinite(left) and math.isfinite(right)):
            raise ParameterError(
                f'encoders are set to {left!r} and {right!r}, expected finite numbers')
        self._motion.set_counts(float(left), float(right))
        if self._period:
            self._sample()

    def _sample(self) -> None:
        state = self._motion.state
        self._counts = state.left_count, state.right_count

    def _read_encoder(self, wheel: int) -> float:
        if not self._period:
            warnings.warn(
                'the encoders are not enabled: the count is the last one that was read; call'
                ' enableEncoders()', DifferentialWheelsWarning, stacklevel=3)
        return self._counts[wheel]

    # Devices

    def getDistanceSensor(self, name: str) -> DistanceSensor:
        """Return a distance sensor of the robot. Raises ParameterError naming those there are."""
        if name not in self._sensors:
            known = ', '.join(self._sensors) or 'none'
            raise ParameterError(
                f'the robot {self._robot.name} has no distance sensor {name!r}, expected one of'
                f' {known}')
        return self._sensors[name]

    getDevice = getDistanceSensor

    def _check_period(self, period: int) -> int:
        """Return a sampling period [ms]. Raises ParameterError if it is none."""
        if isinstance(period, bool) or not isinstance(period, int) or period < 0 \
                or period % self._basic:
            raise ParameterError(
                f'sampling period is {period!r} ms, expected a multiple of the basic time step,'
                f' {self._basic} ms')
        return period

    # What the original's supervisor tells

    @property
    def state(self) -> BodyState:
        """Pose of the axle's middle in the world and twist in its own axes."""
        return self._motion.body_state()

    @property
    def contacts(self) -> int:
        """How often the robot has run into something."""
        seen = self._motion.collisions
        return 0 if seen is None else seen.contacts

    def _seen(self) -> Objects:
        return self._objects().joined(self._scene.moving_at(self._motion.time_ns))

    # The names of the C functions without their prefix.
    set_speed, get_left_speed, get_right_speed = setSpeed, getLeftSpeed, getRightSpeed
    get_max_speed, get_speed_unit = getMaxSpeed, getSpeedUnit
    enable_encoders, disable_encoders = enableEncoders, disableEncoders
    get_encoders_sampling_period = getEncodersSamplingPeriod
    get_left_encoder, get_right_encoder = getLeftEncoder, getRightEncoder
    set_encoders = setEncoders
