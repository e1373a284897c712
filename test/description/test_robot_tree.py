# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trees of links: forward kinematics and masses against matrices, and what is no tree."""

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from racecar.base.errors import ConfigurationError
from racecar.base.poses import NO_POSE, pose_of_angles
from racecar.base.types import Pose3
from racecar.description.robot_tree import (
    CONTINUOUS,
    FIXED,
    Inertial,
    Joint,
    Link,
    PRISMATIC,
    REVOLUTE,
    RobotTree,
)

lengths = st.floats(-10.0, 10.0)
angles = st.floats(-7.0, 7.0)
masses = st.floats(0.01, 100.0)


@st.composite
def axes(draw):
    vector = np.array(draw(st.tuples(*[st.floats(-1.0, 1.0)] * 3)))
    if np.linalg.norm(vector) < 0.1:
        vector = np.array([0.0, 0.0, 1.0])
    return tuple(map(float, vector / np.linalg.norm(vector)))


@st.composite
def inertials(draw):
    a, b, c = (draw(st.floats(0.01, 1.0)) for _ in range(3))
    # Moments of a body that can exist.
    return Inertial(draw(poses()), draw(masses), a + b, 0.0, 0.0, b + c, 0.0, a + c)


def poses():
    return st.builds(pose_of_angles, lengths, lengths, lengths, angles, angles, angles)


@st.composite
def trees(draw):
    """Return a tree whose joints hang on any earlier link, told in any order."""
    count = draw(st.integers(1, 8))
    links = [Link(f'link{i}', draw(inertials())) for i in range(count)]
    joints = [
        Joint(f'joint{i}', draw(st.sampled_from([FIXED, CONTINUOUS, REVOLUTE, PRISMATIC])),
              f'link{draw(st.integers(0, i - 1))}', f'link{i}', draw(poses()), draw(axes()))
        for i in range(1, count)]
    return RobotTree('robot', tuple(draw(st.permutations(links))),
                     tuple(draw(st.permutations(joints))))


@st.composite
def positions(draw, tree):
    return {joint.name: draw(angles) for joint in tree.joints if draw(st.booleans())}


def matrix(pose):
    found = np.eye(4)
    found[:3, :3] = Rotation.from_quat(pose[3:]).as_matrix()
    found[:3, 3] = pose[:3]
    return found


def motion(joint, position):
    found = np.eye(4)
    if joint.kind == PRISMATIC:
        found[:3, 3] = position * np.array(joint.axis)
    elif joint.kind != FIXED:
        # Rodrigues' formula.
        x, y, z = joint.axis
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        found[:3, :3] = np.eye(3) + math.sin(position) * cross \
            + (1.0 - math.cos(position)) * cross @ cross
    return found


def expected_poses(tree, given):
    by_child = {joint.child: joint for joint in tree.joints}

    def pose(link):
        if link not in by_child:
            return np.eye(4)
        joint = by_child[link]
        return pose(joint.parent) @ matrix(joint.origin) @ motion(
            joint, given.get(joint.name, 0.0))

    return {link.name: pose(link.name) for link in tree.links}


@given(st.data())
def test_forward_kinematics_is_that_of_matrices(data):
    tree = data.draw(trees())
    given_positions = data.draw(positions(tree))
    found = tree.poses(given_positions)
    expected = expected_poses(tree, given_positions)
    assert found.keys() == expected.keys()
    for name, pose in found.items():
        assert matrix(pose) == pytest.approx(expected[name], abs=1e-9)
        assert math.hypot(*pose[3:]) == pytest.approx(1.0)


@given(st.data())
def test_parents_come_before_their_children(data):
    tree = data.draw(trees())
    known = {tree.root}
    for joint in tree.joints:
        assert joint.parent in known
        known.add(joint.child)
    assert known == {link.name for link in tree.links}


@given(st.data())
def test_masses_are_those_of_all_points(data):
    """Each link is three pairs of points, whose sums are taken without Steiner's theorem."""
    tree = data.draw(trees())
    given_positions = data.draw(positions(tree))
    points = []
    for link in tree.links:
        inertial = link.inertial
        pose = expected_poses(tree, given_positions)[link.name] @ matrix(inertial.origin)
        # Pairs of mass m/3 at +-r along each axis: I_xx = m/3 (r_y^2 + r_z^2), ...
        total = 0.5 * (inertial.ixx + inertial.iyy + inertial.izz)
        for axis, moment in enumerate((inertial.ixx, inertial.iyy, inertial.izz)):
            reach = math.sqrt(3.0 * (total - moment) / inertial.mass)
            for sign in (-1.0, 1.0):
                point = np.zeros(4)
                point[axis], point[3] = sign * reach, 1.0
                points.append((inertial.mass / 6.0, (pose @ point)[:3]))
    mass = sum(m for m, _ in points)
    centre = sum(m * point for m, point in points) / mass
    tensor = sum(m * ((point - centre) @ (point - centre) * np.eye(3)
                      - np.outer(point - centre, point - centre)) for m, point in points)
    found = tree.mass_properties(given_positions)
    assert found.mass == pytest.approx(mass)
    assert found.centre == pytest.approx(centre, abs=1e-8)
    assert found.tensor == pytest.approx(tensor, rel=1e-8, abs=1e-8)


def test_a_joint_that_is_not_there_is_refused_with_the_nearest():
    tree = RobotTree('car', (Link('base'), Link('wheel')),
                     (Joint('wheel_joint', CONTINUOUS, 'base', 'wheel'),))
    with pytest.raises(ConfigurationError, match="no joint 'weel_joint'; did you mean wheel_jo"):
        tree.poses({'weel_joint': 0.0})
    with pytest.raises(ConfigurationError, match="no link 'wheels'; did you mean wheel"):
        tree.link('wheels')
    assert tree.joint('wheel_joint').child == tree.link('wheel').name


def test_a_robot_without_mass_has_no_centre_of_gravity():
    with pytest.raises(ConfigurationError, match='weighs nothing'):
        RobotTree('ghost', (Link('base', Inertial(NO_POSE, *[0.0] * 7)),), ()).mass_properties()


def joint(name, parent, child):
    return Joint(name, FIXED, parent, child)


@pytest.mark.parametrize(('links', 'joints', 'message'), [
    ('ab', [], r'2 links that are no child of a joint \(a, b\), expected one'),
    ('', [], r'0 links that are no child'),
    ('aab', [joint('j', 'a', 'b')], "link 'a' stands twice"),
    ('abc', [joint('j', 'a', 'b'), joint('j', 'a', 'c')], "joint 'j' stands twice"),
    ('ab', [joint('j', 'a', 'x')], "joint 'j' joins the link 'x', which there is not"),
    ('abc', [joint('j', 'a', 'c'), joint('k', 'b', 'c')], "'c' is the child of several joints"),
    ('ab', [joint('j', 'a', 'b'), joint('k', 'b', 'a')], r'0 links .*there is a loop'),
    ('abc', [joint('j', 'b', 'c'), joint('k', 'c', 'b')], "joint 'j' does not hang on 'a'")])
def test_what_is_no_tree_is_refused(links, joints, message):
    with pytest.raises(ConfigurationError, match=message):
        RobotTree('robot', tuple(map(Link, links)), tuple(joints))


def test_a_very_long_chain_is_walked():
    count = 5000
    tree = RobotTree('snake', tuple(Link(f'l{i}') for i in range(count)), tuple(
        Joint(f'j{i}', FIXED, f'l{i}', f'l{i + 1}', Pose3(0.001, 0, 0, 0, 0, 0, 1))
        for i in range(count - 1)))
    assert tree.poses()[f'l{count - 1}'].x == pytest.approx(0.001 * (count - 1))
