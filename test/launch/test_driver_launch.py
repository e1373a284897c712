# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`ros2 launch racecar driver.launch.py`: separate processes, driven by services."""

from __future__ import annotations

import contextlib

from domains import claim_domain
from launch_bench import LaunchProcess, Listener, missing, wait_until
import pytest

pytestmark = [
    pytest.mark.ros, pytest.mark.skipif(bool(missing()), reason=missing() or 'not skipped')]

NODES = {'/driver_bridge', '/vesc/high_level/ackermann_cmd_mux',
         '/vesc/low_level/ackermann_cmd_mux', '/single_track_simulator'}


@pytest.fixture(scope='module')
def domain():
    with contextlib.ExitStack() as stack:
        yield claim_domain(stack)


def set_number(listener, name, value):
    from racecar_interfaces.srv import SetFloat

    return listener.call(SetFloat, f'driver/{name}', SetFloat.Request(value=value))


def engage(listener, gear):
    from racecar_interfaces.srv import SetGear

    assert listener.call(SetGear, 'driver/set_gear', SetGear.Request(gear=gear)).success


def test_the_car_drives_brakes_and_reverses_by_services(domain, tmp_path):
    with (LaunchProcess(domain, tmp_path, stack='driver') as launched,
          Listener(domain) as listener):
        wait_until(lambda: listener.node_names() >= NODES, 'all nodes')
        refused = set_number(listener, 'set_throttle', 1.5)
        assert not refused.success
        assert 'throttle is 1.5, expected a number from 0 to 1' in refused.message
        engage(listener, 1)
        assert set_number(listener, 'set_throttle', 0.3).success
        listener.wait_for_speed(lambda speed: speed > 0.5, 'car drives')
        assert set_number(listener, 'set_throttle', 0.0).success
        assert set_number(listener, 'set_brake_intensity', 1.0).success
        listener.wait_for_speed(lambda speed: abs(speed) < 1e-3, 'car stands')
        assert set_number(listener, 'set_brake_intensity', 0.0).success
        engage(listener, -1)
        assert set_number(listener, 'set_throttle', 0.3).success
        listener.wait_for_speed(lambda speed: speed < -0.5, 'car reverses')
        assert set_number(listener, 'set_cruising_speed', 1.0).success
        listener.wait_for_speed(lambda speed: abs(speed - 1.0) < 0.02, 'car cruises')
        launched.interrupt()
        assert launched.wait() == 0
    assert launched.text().count('process has finished cleanly') == 4
    assert 'Traceback' not in launched.text()


def test_another_car_in_a_namespace_in_lockstep(domain, tmp_path):
    bag = tmp_path / 'bag'
    with (LaunchProcess(domain, tmp_path, 'vehicle:=bmw_x5', 'namespace:=car1', 'lockstep:=true',
                        'real_time_factor:=4', 'end_time:=40', f'record:={bag}', stack='driver',
                        ) as launched,
          Listener(domain, namespace='car1') as listener):
        assert set_number(listener, 'set_cruising_speed', 10.0).success
        listener.wait_for_speed(lambda speed: speed > 9.9, 'car cruises')
        assert launched.wait() == 0
    assert 'end_time 40 s is reached' in launched.text()
    assert list(bag.glob('*.mcap'))


def test_a_car_without_engine_and_gears_is_refused_before_anything_starts(domain, tmp_path):
    with LaunchProcess(domain, tmp_path, 'vehicle:=report', stack='driver') as launched:
        assert launched.wait() == 1
    assert 'has no parameters car.*' in launched.text()
    assert 'process started' not in launched.text()
    assert 'Traceback' not in launched.text()
