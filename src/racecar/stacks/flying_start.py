# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car that starts on its reference, in its direction and at its speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import math

from racecar.base.errors import ConfigurationError
from racecar.control.tracker import tracked_ahead
from racecar.control.trajectories import make_trajectory
from racecar.scene.world_choice import scene_of
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.stack import Stack

_SPEED = 'initial_speed'


def started_on_reference(
    stack: Stack, descriptions: Sequence[NodeDescription],
) -> list[NodeDescription]:
    """Nodes whose simulator starts where the reference begins, unless the user says where.

    Raises ConfigurationError for a stack without a reference and for a simulator whose cars start
    at rest, RacecarError as the trajectory.
    """
    tracker = next((d for d in descriptions if d.executable == stack.tracker), None)
    if tracker is None:
        raise ConfigurationError(
            f'flying_start is for configurations with a reference, {stack.name} has none; leave it'
            ' out')
    simulator = next(d for d in descriptions if d.executable == stack.simulator)
    if _SPEED not in simulator.table:
        raise ConfigurationError(
            f'flying_start is for simulators with {_SPEED}, the cars of {stack.name} start at'
            ' rest; leave it out, or take a configuration in the plane')
    values, simulated = tracker.resolve(), simulator.resolve()
    motion = make_trajectory(values).motion(0.0)
    speed = math.hypot(motion.vx, motion.vy)
    heading = motion.heading if motion.direction else math.atan2(motion.vy, motion.vx)
    ahead = tracked_ahead(values)
    # From where the world has its start.
    x, y, yaw = scene_of(simulated).starts[0]
    cosine, sine = math.cos(yaw), math.sin(yaw)
    dx = motion.x - ahead * math.cos(heading) - x
    dy = motion.y - ahead * math.sin(heading) - y
    start = {
        'initial_x': cosine * dx + sine * dy, 'initial_y': cosine * dy - sine * dx,
        'initial_yaw': heading - yaw,
        _SPEED: speed if motion.direction >= 0.0 else -speed}
    chosen = {name: value for name, value in start.items() if not simulator.is_chosen(name)}
    return [replace(d, parameters={**d.parameters, **chosen}) if d is simulator else d
            for d in descriptions]
