# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar up driver` in lockstep, as fast as it goes, recorded."""

from typing import Any

from bag_samples import messages_in
import pytest

from racecar.cli.main import main

pytestmark = pytest.mark.ros


def test_up_runs_the_driver_for_a_duration_and_records_it(tmp_path, capfd):
    bag = tmp_path / 'bag'
    assert main(['up', 'driver', '--lockstep', '--real-time-factor', '0', '--duration', '2',
                 '--record', str(bag)]) == 0
    assert 'RMSE' not in capfd.readouterr().out
    recorded: dict[Any, Any] = {}
    for row in messages_in(bag, ['/vesc/odom', '/driver/state', '/driver/car_info']):
        recorded.setdefault(row.topic, []).append(row.message)
    # The first one again and again until it is answered.
    stamps = {(m.header.stamp.sec, m.header.stamp.nanosec) for m in recorded['/vesc/odom']}
    assert len(stamps) == 201
    assert recorded['/driver/state'][-1].control_mode == -1
    assert recorded['/driver/car_info'][0].name == 'racecar'
