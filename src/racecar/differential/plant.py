# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A differential-drive robot as a plant: its motion behind ports."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
import math
from typing import NamedTuple

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.frames import BASE_LINK, COG
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.readings import Collisions, Encoders
from racecar.base.types import (
    BodyState,
    BodyTwist,
    JointStates,
    Pose2,
    Pose3,
    TWO_WHEEL_JOINTS,
    WheelSpeeds,
)
from racecar.base.values import integer_of, number_of, text_of, Values
from racecar.differential.description import describe_robot
from racecar.differential.motion import KINEMATICS, MODES, Motion, PlanarMotion, WORLD
from racecar.differential.parameters import ROBOT_PARAMETERS, RobotParameters
from racecar.differential.state import twist_speeds
from racecar.scene.scene import Scene
from racecar.scene.world_choice import (
    HEIGHT_PARAMETER,
    scene_of,
    START_PARAMETERS,
    start_pose,
    WORLD_PARAMETER,
)
from racecar.simulation.one_robot_plant import OneRobotPlant, planar_part
from racecar.simulation.ports import (
    Bounds,
    COLLISIONS,
    DEFAULT_STEP,
    Entity,
    Input,
    Mount,
    ODOMETRY,
    Output,
    period_steps,
    Scenery,
    SensorPlatform,
)

DIFFERENTIAL_PARAMETERS = ROBOT_PARAMETERS + ParameterTable([
    Parameter('mode', str, KINEMATICS, 'How it moves: wheels that roll as they are told; motors,'
              ' inertia and Coulomb friction in the plane; or a body in the 3-D world of MuJoCo',
              choices=MODES, read_only=True),
    Parameter('step', float, DEFAULT_STEP, 'Integration step', 's', above=0.0, maximum=0.1,
              read_only=True),
    Parameter('rate', float, 100.0, 'Frequency of odometry and control; its period is a whole'
              ' number of steps', 'Hz', above=0.001, maximum=10000.0, read_only=True),
    Parameter('noise_seed', int, 0, 'Seed of the noise of slip and encoders', minimum=0,
              maximum=2**31 - 1, read_only=True),
    WORLD_PARAMETER,
    *START_PARAMETERS,
    HEIGHT_PARAMETER,
])


def wheel_speeds(twist: BodyTwist, robot: RobotParameters) -> WheelSpeeds:
    """Return the wheel speeds that give a twist.

    Both are lowered by one factor if one is beyond max_speed, which keeps the curvature.
    Raises ParameterError if the twist is NaN or infinite.
    """
    if not (math.isfinite(twist.speed) and math.isfinite(twist.yaw_rate)):
        raise ParameterError(
            f'velocity has speed {twist.speed!r} and yaw rate {twist.yaw_rate!r}, expected finite'
            ' numbers [m/s, rad/s]')
    return twist_speeds(twist, robot.wheel_base)


class Start(NamedTuple):
    """Where a robot starts; height: above the ground [m], of mode world alone."""

    pose: Pose2
    height: float = 0.0


def make_motion(
    robot: RobotParameters, mode: str, *, step: float, scene: Scene, start: Start, seed: int,
) -> Motion:
    """Motion of a robot in one of MODES; step [s]; seed: of its noise.

    Raises ConfigurationError if mode is world and MuJoCo is not there.
    """
    if mode != WORLD:
        return PlanarMotion(robot, mode, step=step, scene=scene, pose=start.pose, seed=seed)
    # Imports an engine that only this needs.
    from racecar.differential.world_motion import WorldMotion

    return WorldMotion(
        robot, step=step, scene=scene, pose=start.pose, seed=seed, height=start.height)


class RobotPlant(OneRobotPlant):
    """One robot; it shows everything with one period.

    Inputs: velocity (BodyTwist), wheel_speeds (WheelSpeeds). Outputs: joints (JointStates),
    encoders (Encoders, of a robot that has them; NaN while they are disabled), collisions
    (Collisions, where there is something to run into), odometry (BodyState).

    motion: what moves. encoders_enabled: as they are at the start if there are any.
    """

    def __init__(self, motion: Motion, rate: float = 100.0) -> None:
        """Take the rate [Hz]. Raises ConfigurationError if its period is no whole steps."""
        super().__init__(motion)
        self.motion = motion
        self.encoders_enabled = motion.robot.has_encoders
        self._period = period_steps('rate', rate, motion.step_ns)
        self._show_robot()

    def _surround(self, scene: Scene) -> None:
        self.motion.surround(scene)
        self._show_robot()

    def _show_robot(self) -> None:
        """Show the robot with what the scene asks for."""
        motion, robot, steps = self.motion, self.motion.robot, self._period
        outputs = [Output('joints', JointStates, self._joints, steps)]
        if robot.has_encoders:
            outputs.append(Output('encoders', Encoders, self._encoders, steps))
        if motion.collisions is not None:
            outputs.append(Output(
                COLLISIONS, Collisions, lambda: motion.collisions, steps, BASE_LINK))
        outputs.append(Output(ODOMETRY, BodyState, motion.body_state, steps, BASE_LINK))
        cog = Pose3(robot.cog_ahead, 0.0, robot.cog_height, 0.0, 0.0, 0.0, 1.0)
        self._show(Entity(
            name='',
            inputs=(Input('velocity', BodyTwist, self.set_twist),
                    Input('wheel_speeds', WheelSpeeds, motion.set_speeds)),
            outputs=tuple(outputs), reset=self._reset, halt=self.halt,
            mounts=(Mount(BASE_LINK, COG, cog),),
            platform=SensorPlatform(
                BASE_LINK, motion.body_state, motion.acceleration, motion.objects, motion.cones),
            describe=partial(describe_robot, robot), fault=motion.fault,
            bounds=_bounds(robot), push=motion.push),
            Scenery(lambda: motion.scene, self._surround, motion.loose))

    @property
    def robots(self) -> Mapping[str, RobotPlant]:
        """This one, which has no name."""
        return {'': self}

    def set_twist(self, twist: BodyTwist) -> None:
        """Drive so from now on, as wheel_speeds() says; raises ParameterError as that does."""
        self.motion.set_speeds(wheel_speeds(twist, self.motion.robot))

    def halt(self) -> None:
        """Let the wheels come to rest."""
        self.motion.set_speeds(WheelSpeeds(0.0, 0.0))

    def _reset(self, pose: Pose3 | None) -> Pose3:
        # The robot stands on the ground, upright.
        self.motion.reset(planar_part(pose))
        return self.motion.body_state().pose

    def _joints(self) -> JointStates:
        state = self.motion.state
        return JointStates(
            TWO_WHEEL_JOINTS, (state.left_angle, state.right_angle),
            (state.left_speed, state.right_speed))

    def _encoders(self) -> Encoders:
        if not self.encoders_enabled:
            return Encoders(math.nan, math.nan)
        state = self.motion.state
        return Encoders(state.left_count, state.right_count)


def _bounds(robot: RobotParameters) -> Bounds:
    front, rear, side = robot.footprint
    return Bounds((-rear, -side, 0.0), (front, side, robot.height))


def make_robot_plant(values: Values) -> RobotPlant:
    """Build the robot from resolved values of DIFFERENTIAL_PARAMETERS.

    Raises ParameterError or ConfigurationError for what cannot be simulated, ConfigurationError if
    mode is world and MuJoCo is not there.
    """
    scene = scene_of(values)
    motion = make_motion(
        RobotParameters.from_values(values), text_of(values, 'mode'),
        step=number_of(values, 'step'), scene=scene,
        start=Start(start_pose(scene, values), start_height(values)),
        seed=integer_of(values, 'noise_seed'))
    return RobotPlant(motion, number_of(values, 'rate'))


def start_height(values: Values) -> float:
    """Height above the ground at the start [m].

    Raises ConfigurationError for one in a mode that has none.
    """
    mode, height = text_of(values, 'mode'), number_of(values, HEIGHT_PARAMETER.name)
    if height and mode != WORLD:
        raise ConfigurationError(
            f"parameter '{HEIGHT_PARAMETER.name}' is {height:g} m, expected 0 in mode {mode}: only"
            f' mode {WORLD} has a height to fall from')
    return height
