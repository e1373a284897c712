# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""URDF text: what is read, and one line for what cannot be."""

import math
import re

from hypothesis import example, given
from hypothesis import strategies as st
from presence import present
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.poses import NO_POSE
from racecar.base.shapes import Box, Cylinder, Mesh, Sphere
from racecar.description.robot_tree import JointLimit, RobotTree
from racecar.description.urdf import read_urdf, RobotDescription
from racecar.description.vehicle_description import expand_urdf

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="green"><color rgba="0 1 0 0.5"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="1" iyy="2" izz="2.5" ixy="0.1"/>
    </inertial>
    <visual name="tube">
      <origin xyz="1 2 3"/>
      <geometry><cylinder radius="0.1" length="1"/></geometry>
      <material name="green"/>
    </visual>
    <visual>
      <geometry><mesh filename="package://arm/a.stl" scale="1 2 3"/></geometry>
      <material name="own"><color rgba="1 0 0 1"/></material>
    </visual>
    <visual><geometry><mesh filename="b.obj"/></geometry></visual>
    <collision><geometry><box size="1 2 3"/></geometry></collision>
    <collision><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="slider"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 0 -2"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="upper"/><child link="slider"/>
    <limit upper="0.5" effort="1" velocity="1"/>
  </joint>
  <transmission name="unknown to us"/>
  <ros2_control name="too" type="system"/>
</robot>
"""


def test_everything_is_read():
    arm = read_urdf(ARM)
    assert (arm.name, arm.root) == ('arm', 'base')
    upper = arm.link('upper')
    assert present(upper.inertial)[1:] == (2.0, 1.0, 0.1, 0.0, 2.0, 0.0, 2.5)
    assert present(upper.inertial).origin.z == 0.5
    assert present(upper.inertial).origin.qz == pytest.approx(math.sqrt(0.5))
    tube, mesh, plain = upper.visuals
    assert tuple(tube) == ((1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0), Cylinder(0.1, 1.0), (0, 1, 0, 0.5),
                    'tube')
    assert tuple(mesh) == (NO_POSE, Mesh('package://arm/a.stl', (1, 2, 3)), (1, 0, 0, 1), '')
    assert tuple(plain) == (NO_POSE, Mesh('b.obj'), None, '')
    assert [shape.geometry for shape in upper.collisions] == [Box((1, 2, 3)), Sphere(0.2)]
    shoulder, rail = arm.joints
    assert (shoulder.kind, shoulder.axis, shoulder.origin.z) == ('revolute', (0, 0, -1), 1.0)
    assert shoulder.limit == JointLimit(-1.0, 2.0, 10.0, 3.0)
    assert (rail.axis, rail.limit) == ((1, 0, 0), JointLimit(0.0, 0.5, 1.0, 1.0))
    assert arm.link('base').inertial is None


def test_a_description_keeps_its_text():
    description = RobotDescription.from_urdf(ARM)
    assert description.urdf == ARM
    assert description.tree == read_urdf(ARM)


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('<robot name="arm">', '<robot>', 'robot has no name'),
    ('<link name="base"/>', '<link/>', 'a <link> has no name'),
    ('robot', 'model', 'begins with <model>, expected <robot name="...">'),
    ('</robot>', '', 'no XML, no element found'),
    ('value="2"', 'value="-2"', "link 'upper', <inertial>, <mass> value is -2, expected at least"),
    ('value="2"', 'value="heavy"', "value is 'heavy', expected a finite number"),
    ('value="2"', 'value="nan"', "value is 'nan', expected a finite number"),
    ('<mass value="2"/>', '', "link 'upper', <inertial> has no <mass>"),
    ('ixx="1"', '', '<inertia> has no ixx'),
    ('xyz="1 2 3"', 'xyz="1 2"', "<visual>, <origin> xyz is '1 2', expected 3 finite numbers"),
    ('radius="0.1"', 'radius="0"', '<cylinder> radius is 0, expected more than 0'),
    ('<cylinder radius="0.1" length="1"/>', '<cone/>', 'no shape, expected <box>, <cylinder>'),
    ('<material name="green"/>', '<material name="gren"/>',
     "names the colour 'gren', expected one of green"),
    ('rgba="0 1 0 0.5"', 'rgba="green"', "material 'green', <color> rgba is 'green'"),
    ('type="revolute"', 'type="floating"', "is of type 'floating', expected one of fixed, con"),
    ('type="revolute"', '', "joint 'shoulder' has no type"),
    ('<limit upper="0.5" effort="1" velocity="1"/>', '', "joint 'rail' has no <limit>"),
    ('lower="-1"', 'lower="3"', 'lower 3 above upper 2'),
    ('velocity="3"', '', '<limit> has no velocity'),
    ('0 0 -2', '0 0 0', "joint 'shoulder' has an axis without length"),
    ('<parent link="base"/>', '', "joint 'shoulder' has no <parent>"),
    ('<parent link="base"/>', '<parent link="bas"/>', "the link 'bas', which there is not; did"),
    ('<robot', '<!DOCTYPE a [<!ENTITY a "b">]><robot', 'defines XML entities, expected none')])
def test_what_cannot_be_is_said_in_one_line(old, new, message):
    assert old in ARM
    with pytest.raises(ConfigurationError) as caught:
        read_urdf(ARM.replace(old, new))
    assert message in str(caught.value)
    assert '\n' not in str(caught.value)


@given(st.text(max_size=300))
@example('<robot name="a">' + '<link name="b">' * 2000)
def test_any_text_is_read_or_refused(text):
    try:
        assert isinstance(read_urdf(text), RobotTree)
    except ConfigurationError as error:
        assert '\n' not in str(error)


URDF = expand_urdf()
TOKENS = re.findall(r'[\w.+-]+|\W', URDF)


@given(st.data())
def test_a_damaged_description_is_read_or_refused(data):
    tokens = list(TOKENS)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(tokens) - 1))
        tokens[at] = data.draw(st.sampled_from(
            ['', '0', '-1', '1e400', 'nan', '<', '/>', '"', 'mesh', *TOKENS[at:at + 20]]))
    try:
        tree = read_urdf(''.join(tokens))
    except ConfigurationError as error:
        assert '\n' not in str(error)
    else:
        # What is read can be used.
        assert len(tree.poses()) == len(tree.links)
