# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What pictures know of robots: how their wheels roll, and which one a file or a run means."""

import numpy as np
from presence import present
import pytest

from racecar.analysis.robot_profile import profile_of_file, profile_of_run
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.run_file import RecordedNode, RunFile
from racecar.base.share import robot_names, vehicle_names
from racecar.base.types import HINGE_JOINTS, TWO_WHEEL_JOINTS, WHEEL_JOINTS
from racecar.differential.parameters import ROBOT_PARAMETERS

T = np.linspace(0.0, 4.0, 4001)
RATE, RADIUS = -0.4, 0.5


def on_a_circle(profile):
    """Positions of the joints on a circle to the right, by name."""
    yaw = RATE * T
    radius = -RADIUS
    rows = profile.rolling(radius * np.sin(yaw), radius * (1.0 - np.cos(yaw)), yaw,
                         np.full(len(T), -RATE * RADIUS), T)
    assert rows.shape == (len(T), len(profile.joints))
    return dict(zip(profile.joints, rows.T, strict=True))


def test_wheels_of_a_robot_with_two_roll_as_far_as_their_own_circles():
    profile = profile_of_file('khepera')
    angles = on_a_circle(profile)
    assert profile.joints == TWO_WHEEL_JOINTS
    # axle_length 0.052 m, wheel_radius 0.0075 m; the left wheel is the outer one.
    for name, radius in zip(TWO_WHEEL_JOINTS, (0.526, 0.474), strict=True):
        assert angles[name] == pytest.approx(-RATE * T * radius / 0.0075, abs=1e-3)


def test_wheels_of_a_car_roll_and_steer_along_its_circle():
    profile = profile_of_file('racecar')
    angles = on_a_circle(profile)
    assert profile.joints == WHEEL_JOINTS + HINGE_JOINTS
    assert angles[WHEEL_JOINTS[0]][-1] == pytest.approx(4.0 * -RATE * RADIUS / 0.05, rel=1e-6)
    assert angles[HINGE_JOINTS[0]][2000] == pytest.approx(-np.arctan(0.325 / RADIUS), rel=1e-6)


@pytest.mark.parametrize('name', [*vehicle_names(), *robot_names()])
def test_every_robot_has_a_description_with_its_joints_and_figures(name):
    profile = profile_of_file(name)
    tree = profile.describe()
    assert {joint.name for joint in tree.joints if joint.moves} >= set(profile.joints)
    assert profile.length == pytest.approx(profile.footprint.front + profile.footprint.rear)
    text = ' '.join(row.text for rows in profile.figures().values() for row in rows)
    assert 'kg' in text
    assert 'nan' not in text


def run_with(**nodes):
    return RunFile('simulate', 'x', {}, {
        name: RecordedNode(name, values) for name, values in nodes.items()})


def test_the_robot_of_a_run_is_that_of_its_simulator():
    values = {row.name: row.default for row in ROBOT_PARAMETERS} | {'robot.name': 'mine'}
    # The tracker has a table of a vehicle for any robot.
    run = run_with(tracker={'vehicle.name': ''}, simulator=values)
    assert present(profile_of_run(run)).name == 'mine'
    assert profile_of_run(run_with(tracker={'Kp': 1.0})) is None
    assert profile_of_run(None) is None
    with pytest.raises(ParameterError, match='the robot of the run is not known'):
        profile_of_run(run_with(simulator={'vehicle.name': 'x', 'vehicle.mass': -1.0}))


def test_an_unknown_robot_is_told_with_the_nearest():
    with pytest.raises(ConfigurationError, match='did you mean khepera'):
        profile_of_file('kepera')
