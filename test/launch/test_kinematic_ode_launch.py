# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The launch file with separate processes: it comes up, tracks, obeys and ends cleanly."""

from __future__ import annotations

import contextlib
import math
import unittest

import pytest

# Where it is missing, so is the plug-in that knows the marker below.
launch_testing = pytest.importorskip(
    'launch_testing', reason='launch_testing is not installed')

from domains import claim_domain  # noqa: E402
from launch_bench import Listener, missing, seconds, wait_until  # noqa: E402

NODES = {
    '/trajectory_tracker', '/kinematic_linearizer', '/single_track_simulator',
    '/vesc/high_level/ackermann_cmd_mux', '/vesc/low_level/ackermann_cmd_mux',
}
TRACKER = '/trajectory_tracker'
SETTLED = 8.0  # s
LARGEST_ERROR = 0.25  # m, the start from standstill over

# Held until the process ends.
_domain = contextlib.ExitStack()


@pytest.mark.launch_test
def generate_test_description():
    if missing():
        pytest.skip(missing())
    from launch import LaunchDescription
    from launch.actions import (
        GroupAction,
        PopEnvironment,
        PushEnvironment,
        SetEnvironmentVariable,
    )
    from launch_testing.actions import ReadyToTest

    from racecar.stacks.launching import generate

    domain = claim_domain(_domain)
    return LaunchDescription([
        PushEnvironment(),
        SetEnvironmentVariable('ROS_DOMAIN_ID', str(domain)),
        GroupAction([generate('kinematic_ode')], scoped=False),
        PopEnvironment(),
        ReadyToTest(),
    ]), {'domain': domain}


class TestDriving(unittest.TestCase):
    listener: Listener

    # launch_testing fills the arguments in by name.
    @classmethod
    def setUpClass(cls, domain):  # type: ignore[override]
        cls.listener = Listener(domain)

    @classmethod
    def tearDownClass(cls):
        cls.listener.close()

    def activate(self):
        assert self.listener.set_parameter(TRACKER, 'active', True) == (True, '')
        self.listener.wait_for_speed(lambda speed: speed > 0.2, 'car drives')

    def test_all_nodes_come_up(self):
        wait_until(lambda: self.listener.node_names() >= NODES, 'all nodes')

    def test_the_car_tracks_the_reference(self):
        self.activate()
        start = self.listener.time
        wait_until(lambda: self.listener.time > start + SETTLED + 2.0, 'ten simulated seconds')
        positions = {round(seconds(m), 2): m.pose.pose.position for m in self.listener.odometry}
        errors = [
            math.hypot(m.pose.pose.position.x - positions[round(seconds(m), 2)].x,
                       m.pose.pose.position.y - positions[round(seconds(m), 2)].y)
            for m in self.listener.reference
            if seconds(m) > start + SETTLED and round(seconds(m), 2) in positions
        ]
        assert len(errors) > 50
        assert max(errors) < LARGEST_ERROR

    def test_a_refused_parameter_comes_back_with_the_reason(self):
        successful, reason = self.listener.set_parameter(TRACKER, 'Kp', -1.0)
        assert not successful
        assert "parameter 'Kp' is -1.0, expected a number in [0, 1000]" in reason

    def test_a_changed_gain_is_accepted(self):
        assert self.listener.set_parameter(TRACKER, 'Kp', 5.0) == (True, '')

    def test_deactivation_by_the_service_stops_the_car(self):
        from std_srvs.srv import SetBool

        self.activate()
        response = self.listener.call(
            SetBool, f'{TRACKER}/activate', SetBool.Request(data=False))
        assert response.success
        self.listener.wait_for_speed(lambda speed: abs(speed) < 1e-3, 'car stands')

    def test_deactivation_by_the_parameter_stops_the_car(self):
        self.activate()
        assert self.listener.set_parameter(TRACKER, 'active', False) == (True, '')
        self.listener.wait_for_speed(lambda speed: abs(speed) < 1e-3, 'car stands')


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):

    def test_every_process_ends_with_exit_code_0(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
