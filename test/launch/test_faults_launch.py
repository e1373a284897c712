# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`faults:=` of the launch files: faults of signals, and the end of a process."""

from __future__ import annotations

import contextlib

from domains import claim_domain
from launch_bench import LaunchProcess, Listener, missing, seconds, wait_until
import pytest

pytestmark = [
    pytest.mark.ros, pytest.mark.skipif(bool(missing()), reason=missing() or 'not skipped')]

ONSET, DURATION = 3.0, 2.0
TRACKER = '/trajectory_tracker'


@pytest.fixture(scope='module')
def domain():
    with contextlib.ExitStack() as stack:
        yield claim_domain(stack)


def test_a_tracker_ends_and_is_started_again_and_the_car_stops_meanwhile(domain, tmp_path):
    faults = (f'kind: node_kill, target: {TRACKER}, onset: {ONSET}, duration: {DURATION};'
              ' kind: bias, target: odometry.y, size: 0.5')
    with (LaunchProcess(domain, tmp_path, f'faults:={faults}') as launched,
          Listener(domain) as listener):
        listener.wait_for_speed(lambda speed: speed > 0.2, 'car drives')
        # Of the first message, at rest in the middle.
        assert listener.odometry[0].pose.pose.position.y == pytest.approx(0.5, abs=0.2)
        wait_until(lambda: listener.time > ONSET + DURATION, 'the other tracker')
        listener.wait_for_speed(lambda speed: speed > 0.2, 'car drives again')
        stands = [seconds(m) for m in listener.odometry
                  if m.twist.twist.linear.x == 0.0 and seconds(m) > 1.0]
        assert ONSET < stands[0] < ONSET + DURATION < stands[-1] + 0.1
        assert TRACKER in listener.node_names()
        launched.interrupt()
        assert launched.wait() == 0
    assert launched.text().count('process has finished cleanly') == 6


def test_faults_that_are_none_start_nothing(domain, tmp_path):
    with LaunchProcess(
            domain, tmp_path, 'faults:=kind: node_kill, target: pilot, onset: 1') as launched:
        assert launched.wait() == 1
    assert "fault node_kill has the target 'pilot'" in launched.text()
    assert 'process started' not in launched.text()
