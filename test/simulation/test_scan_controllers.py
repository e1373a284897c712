# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controllers that read scans, in loops without ROS and in races."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import racecar
from racecar.base.errors import ConfigurationError, RunError
from racecar.facade.race_file import make_race
from racecar.facade.race_run import drive_race
from racecar.stacks.options import StackOptions
from racecar.stacks.stepped.stepped_stack import SteppedStack

LASER = {'single_track_simulator.sensors': ['laser'], 'trajectory_tracker.reference_origin': 'map'}


class Watcher:
    """Notes what it sees, and drives slowly ahead."""

    def __init__(self, vehicle):
        self.seen = SEEN
        self.seen.clear()
        self._scan = None

    def see(self, scan):
        self._scan = scan

    def command(self, odometry, reference):
        self.seen.append((odometry.time_ns, odometry.x, self._scan))
        return 1.0, 0.0


SEEN: list[tuple[int, float, Any]] = []


def driven(controller, duration=2.0, **given):
    return racecar.simulate(
        'kinematic_ode', controller=controller, world='racetrack', duration=duration,
        set={**LASER, **given})


def test_gap_has_the_bits_of_its_node_in_lockstep():
    run = driven('gap', 4.0)
    stack = SteppedStack('gap_ode', StackOptions(world='racetrack'), lambda *_: None)
    rows = []
    while stack.simulator.time_ns <= 4_000_000_000:
        for instant in stack.answer():
            if instant.command is not None:
                pose, twist = instant.state
                rows.append((instant.time_ns * 1e-9, pose.x, pose.y, twist.vx, *instant.command))
        stack.advance()
    found = [run.table[name] for name in (
        'time', 'x', 'y', 'vx', 'speed_command', 'steering_command')]
    assert np.array_equal(np.column_stack(found)[:, 1:], np.array(rows)[:, 1:])
    assert len(np.unique(run.table['steering_command'])) > 20
    assert run.table['x'].max() - run.table['x'].min() > 2.0


def test_scans_come_at_their_rate_and_as_late_as_the_laser_shows_them():
    driven(Watcher, 1.0, **{'single_track_simulator.laser.noise': 0.0})
    scans = [scan for _, _, scan in SEEN]
    assert scans[0] is not None
    # 40 Hz beside odometry of 100 Hz: new ones at 0, 30, 50, 80, 100 ms and so on.
    news = [time for (time, _, scan), before in zip(SEEN, [None, *scans[:-1]], strict=True)
            if scan is not before]
    assert [round(time * 1e-6) for time in news[:5]] == [0, 30, 50, 80, 100]
    assert all(scan.ranges.dtype == np.float32 for scan in scans)
    punctual = [scan.ranges for scan in scans]
    driven(Watcher, 1.0, **{
        'single_track_simulator.laser.noise': 0.0, 'single_track_simulator.laser.delay': 0.1})
    late = [scan.ranges for _, _, scan in SEEN]
    assert np.array_equal(late[-1], punctual[-11])
    assert not np.array_equal(late[-1], punctual[-1])


def test_a_controller_of_scans_drives_in_a_sweep():
    result = racecar.sweep(
        controller='gap', world='racetrack', duration=2.0, set=LASER,
        grid={'controller.speed': [1.0, 2.0]})
    alone = driven('gap', 2.0, **{'controller.speed': 2.0})
    assert result.columns()['rmse'][1] == alone.metrics().rmse
    assert result.columns()['rmse'][0] != result.columns()['rmse'][1]


def test_a_car_of_scans_drives_in_a_race():
    race = make_race({
        'format': 'time_trial', 'world': 'racetrack', 'time_limit': 4.0, 'heats': 1,
        'simulator': {'laser.noise': 0.0},
        'cars': [{'name': 'a', 'controller': 'gap', 'settings': {'speed': 2.0}},
                 {'name': 'b', 'controller': 'gap_follower', 'settings': {'speed': 2.0}}]})
    result = drive_race(race)
    first, second = (heat.traces[0] for heat in result.heats)
    # The controller is the node's law, and each drives alone from the same place.
    assert np.array_equal(first[:, 1:7], second[:, 1:7])
    assert np.ptp(first[:, 1]) > 1.0


def test_what_cannot_see_says_so():
    with pytest.raises(ConfigurationError, match='reads scans, but the car has no laser'):
        racecar.simulate('kinematic_ode', controller='gap', duration=1.0)

    class Wrong(Watcher):
        def see(self, scan):
            return 1.0

    with pytest.raises(RunError, match='the controller returns 1.0 at 0 s'):
        driven(Wrong, 0.5)
