# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""differential_wheels: the report's tracker drives a differential-drive robot, by cmd_vel.

In differential_plant nodes of the user's do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import cast

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import find_config
from racecar.base.values import Values
from racecar.catalogue import node_names
from racecar.control.point_ahead import PointAheadLinearizer
from racecar.control.tracker import TrajectoryTracker
from racecar.differential.loop import make_robot_car, RobotCar, RobotLoop
from racecar.ros import topics
from racecar.simulation.closed_loop import LoopCar
from racecar.stacks.fleets import robot_columns
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions
from racecar.stacks.parts import given, node, robot_file, surroundings
from racecar.stacks.stack import Stack
from racecar.stacks.tracking import check_tracking

NAME, PLANT = 'differential_wheels', 'differential_plant'

_ANSWERS = (topics.REFERENCE_TRAJECTORY, topics.VIRTUAL_VELOCITIES, topics.TWIST_COMMAND)


def _file(options: StackOptions) -> Path:
    return robot_file(options.vehicle)


def _nodes(name: str, options: StackOptions) -> list[NodeDescription]:
    if options.controller is not None:
        raise ConfigurationError(
            f'controller is {excerpt(options.controller)}, which commands a car, but {name} has a'
            f' differential-drive robot: take {PLANT} and publish {topics.TWIST_COMMAND}')
    if options.tyre_model is not None:
        raise ConfigurationError(
            f'tyre_model is {excerpt(options.tyre_model)}, but the wheels of {name} have Coulomb'
            ' friction: choose robot.friction_coefficient of differential_wheels_simulator')
    robot = _file(options)
    lockstep = {'lockstep': options.lockstep}
    laws = [
        node(node_names.DIFFERENTIAL_LINEARIZER, options, robot, parameters=lockstep,
             hears=topics.VIRTUAL_VELOCITIES, gives=(topics.TWIST_COMMAND,)),
    ] if name == NAME else []
    return [
        node(node_names.TRAJECTORY_TRACKER, options, find_config(f'stacks/{NAME}'), robot,
             parameters={**given(trajectory=options.trajectory), 'active': options.active,
                         **lockstep},
             gives=(topics.TRACKED_POINT, topics.REFERENCE_TRAJECTORY,
                    topics.VIRTUAL_VELOCITIES)),
        *laws,
        node(node_names.DIFFERENTIAL_WHEELS_SIMULATOR, options, robot, parameters={
            **given(end_time=options.end_time, real_time_factor=options.real_time_factor),
            **surroundings(options), **lockstep},
            use_sim_time=False, hears=topics.TWIST_COMMAND),
    ]


def _make_loop(values: Mapping[str, Values], car: LoopCar | None) -> RobotLoop:
    return RobotLoop(
        TrajectoryTracker(dict(values[node_names.TRAJECTORY_TRACKER])),
        PointAheadLinearizer(values[node_names.DIFFERENTIAL_LINEARIZER]),
        # The one that its simulator made before.
        cast(RobotCar | None, car)
        or make_robot_car(values[node_names.DIFFERENTIAL_WHEELS_SIMULATOR]))


def _stack(name: str, summary: str, linearizer: str | None) -> Stack:
    """Stack with a linearizer, or None for a node of the user's in its place."""
    return Stack(
        name=name, summary=summary, nodes=partial(_nodes, name),
        check=partial(check_tracking, linearizer, lambda _, values: PointAheadLinearizer(values)),
        simulator=node_names.DIFFERENTIAL_WHEELS_SIMULATOR,
        tracker=node_names.TRAJECTORY_TRACKER, linearizer=linearizer,
        recorded=(
            topics.TF_STATIC, topics.ROBOT_DESCRIPTION, topics.REFERENCE_PATH,
            topics.TRACKED_POINT, topics.TF, topics.JOINT_STATES, *topics.ENCODERS, *_ANSWERS,
            topics.ODOMETRY),
        descriptions=(topics.TRACKED_POINT,), answers=_ANSWERS, described_by=_file,
        topic_names='cmd_vel', make_loop=_make_loop, columns=robot_columns)


STACKS = (
    _stack(
        NAME, 'trajectory tracker, linearizer and a differential-drive robot on cmd_vel',
        node_names.DIFFERENTIAL_LINEARIZER),
    _stack(
        PLANT, 'differential-drive robots on cmd_vel, and the tracker for the reference; nodes of'
        ' your own drive', None))
