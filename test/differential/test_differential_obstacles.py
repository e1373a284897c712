# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What blocks a differential-drive robot: its encoders stand, and it can turn away."""

from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.types import Pose2, WheelSpeeds
from racecar.differential.motion import KINEMATICS, PHYSICS, PlanarMotion
from racecar.differential.parameters import RobotParameters
from racecar.scene.grid_map import NO_GRID, OccupancyGrid
from racecar.scene.overlaps import disc_overlaps
from racecar.scene.scene import Box, Cone, foot_rows, Scene, Wall

ROBOT = RobotParameters.from_values({
    'robot.slip_noise': 0.0, 'robot.encoder_noise': 0.0, 'robot.encoder_resolution': 100.0,
    'robot.max_acceleration': 1e6})
SCENE = Scene(name='wall', walls=(Wall(0.2, -1.0, 0.2, 1.0),))


def blocked(robot, mode, speed=10.0, steps=3000):
    motion = PlanarMotion(robot, mode, scene=SCENE)
    motion.set_speeds(WheelSpeeds(speed, speed))
    motion.advance(steps)
    return motion


def test_encoders_of_a_blocked_robot_stand():
    motion = blocked(ROBOT, KINEMATICS)
    state = motion.state
    # The front of a disc of 5.5 cm is at the wall, to within one step.
    assert 0.2 - 0.055 - 1e-4 <= state.x <= 0.2 - 0.055
    assert motion.collisions.contacts == 1
    assert motion.collisions.in_contact
    assert motion.collisions.speed == pytest.approx(0.1)
    motion.advance(1000)
    assert motion.state == state
    assert (state.vx, state.left_speed, state.right_speed) == (0.0, 0.0, 0.0)


def test_a_blocked_robot_backs_away_and_the_contact_ends():
    motion = blocked(ROBOT, KINEMATICS)
    motion.set_speeds(WheelSpeeds(-10.0, -10.0))
    motion.advance(500)
    assert motion.state.x == pytest.approx(0.145 - 0.05, abs=2e-4)
    assert not motion.collisions.in_contact
    assert motion.collisions.contacts == 1


def test_a_round_robot_at_a_wall_turns_on_the_spot():
    motion = blocked(ROBOT, KINEMATICS)
    motion.set_speeds(WheelSpeeds(-10.0, 10.0))
    motion.advance(500)
    assert motion.state.yaw == pytest.approx(1.0, abs=1e-9)


def test_a_box_at_a_wall_does_not():
    box = replace(ROBOT, body_radius=0.0, front=0.055, rear=0.055, width=0.11)
    motion = blocked(box, KINEMATICS)
    motion.set_speeds(WheelSpeeds(-10.0, 10.0))
    motion.advance(500)
    assert abs(motion.state.yaw) < 0.01


def test_wheels_of_a_blocked_robot_with_strong_motors_spin():
    strong = replace(ROBOT, max_force=1.0, friction_coefficient=0.2)
    motion = blocked(strong, PHYSICS)
    before = motion.state
    motion.advance(1000)
    state = motion.state
    assert state.x == before.x
    assert state.left_angle - before.left_angle == pytest.approx(10.0, rel=1e-3)


def test_wheels_of_a_blocked_robot_with_weak_motors_stall():
    # Less than friction times load times radius, 0.025 N m.
    weak = replace(ROBOT, max_force=0.01)
    motion = blocked(weak, PHYSICS)
    before = motion.state
    motion.advance(1000)
    assert motion.state.left_angle - before.left_angle == pytest.approx(0.0, abs=1e-6)


def test_a_robot_that_was_put_into_a_wall_may_leave():
    motion = PlanarMotion(ROBOT, scene=SCENE, pose=Pose2(0.2, 0.0, 0.0))
    motion.set_speeds(WheelSpeeds(10.0, 10.0))
    motion.advance(1000)
    assert motion.state.x == pytest.approx(0.3)


def test_a_reset_forgets_contacts_wheels_and_encoders():
    motion = blocked(ROBOT, KINEMATICS)
    motion.reset(Pose2(-1.0, 0.5, 0.1))
    assert motion.collisions.contacts == 0
    assert motion.state == (-1.0, 0.5, 0.1, *(0.0,) * 10)
    assert motion.command == WheelSpeeds(0.0, 0.0)


def sampled(scene, x, y, radius):
    """Return how near the nearest thing of a scene is to a point, by many points of it."""
    points = []
    for wall in scene.walls:
        share = np.linspace(0.0, 1.0, 2001)[:, np.newaxis]
        ends = np.array([(wall.x1, wall.y1), (wall.x2, wall.y2)])
        points.append(ends[0] + share * (ends[1] - ends[0]))
    for box in scene.boxes:
        along, across = np.meshgrid(np.linspace(-0.5, 0.5, 201) * box.length,
                                    np.linspace(-0.5, 0.5, 201) * box.width)
        c, s = math.cos(box.yaw), math.sin(box.yaw)
        points.append(np.stack([box.x + c * along - s * across, box.y + s * along + c * across],
                               axis=-1).reshape(-1, 2))
    nearest = min(np.hypot(*(part - (x, y)).T).min() for part in points)
    return min([nearest, *(math.hypot(cone.x - x, cone.y - y) - 0.5 * cone.base
                           for cone in scene.cones)])


@given(x=st.floats(-1.0, 1.0), y=st.floats(-1.0, 1.0), radius=st.floats(0.01, 0.4))
def test_a_disc_overlaps_with_what_is_nearer_than_its_radius(x, y, radius):
    scene = Scene(
        name='things', walls=(Wall(-0.8, -0.5, 0.3, -0.9),),
        boxes=(Box(0.4, 0.3, 0.7, 0.5, 0.2, 1.0),), cones=(Cone(-0.5, 0.5),))
    nearest = sampled(scene, x, y, radius)
    found = disc_overlaps(
        scene.wall_rows, scene.box_rows, foot_rows(scene.cones), NO_GRID[:],
        (x, y, radius))
    if abs(nearest - radius) > 2e-3:
        assert found == (nearest < radius)


@given(x=st.floats(-0.3, 1.3), y=st.floats(-0.3, 1.3), radius=st.floats(0.01, 0.3))
def test_a_disc_overlaps_with_cells_of_a_map(x, y, radius):
    values = np.zeros((10, 10), dtype=np.int8)
    cells = [(2, 3), (7, 7), (9, 0)]
    for row, column in cells:
        values[row, column] = 100
    grid = OccupancyGrid(values, 0.1)
    nearest = min(math.hypot(
        max(0.1 * column - x, x - 0.1 * (column + 1), 0.0),
        max(0.1 * row - y, y - 0.1 * (row + 1), 0.0)) for row, column in cells)
    nothing = np.empty((0, 7))
    found = disc_overlaps(nothing, nothing, nothing, grid.numbers[:], (x, y, radius))
    if abs(nearest - radius) > 1e-9:
        assert found == (nearest < radius)
