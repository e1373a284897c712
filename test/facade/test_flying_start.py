# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car that starts on its reference, at its speed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import racecar
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_raceline
from racecar.control.racelines.raceline import read_raceline
from racecar.simulation.closed_loop import run_loop
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop

LINE = 'racetrack_f1tenth_curvature'
ON_LINE: dict[str, Any] = {
    'vehicle': 'f1tenth', 'trajectory': 'raceline', 'controller': 'pure_pursuit',
    'flying_start': True, 'set': {'trajectory_tracker.raceline_speed': 0.7}}


@pytest.mark.parametrize(('model', 'point'), [
    ('single_track', 'cog'), ('double_track', 'base_link'), ('kinematic_bicycle', 'cog')])
def test_tracked_point_is_on_the_line_at_its_speed_and_the_first_lap_counts(model, point):
    line = read_raceline(find_raceline(LINE))
    settings = {**ON_LINE['set'], 'trajectory_tracker.tracked_point': point,
                'single_track_simulator.actuators.speed_lag': 0.2,
                'single_track_simulator.actuators.speed_delay': 0.03}
    run = racecar.simulate(model, **{**ON_LINE, 'set': settings, 'duration': 1.0})
    x, y, yaw, vx = run.table.rows[0, 1:5]
    ahead = run.table.tracked_ahead
    assert (x + ahead * np.cos(yaw), y + ahead * np.sin(yaw)) == pytest.approx(
        (line.x[0], line.y[0]), abs=1e-9)
    assert (yaw, vx) == pytest.approx((line.heading[0], 0.7 * line.speed[0]), abs=1e-9)
    # Nothing between command and wheels begins at rest.
    assert np.abs(run.table.rows[:10, 4] - vx).max() < 0.1 * vx
    laps = run.laps()
    assert laps is not None
    assert laps.progress > 0.05


def test_ticks_loop_and_cars_side_by_side_start_with_the_same_bits():
    options = StackOptions(
        vehicle='f1tenth', trajectory='circle', flying_start=True,
        overrides={'single_track_simulator': {
            'vehicle_model': 'double_track', 'actuators.speed_delay': 0.023,
            'actuators.speed_lag': 0.1, 'actuators.steering_delay': 0.012}})

    def loop():
        descriptions = describe_stack('kinematic_ode', options)
        return make_loop(
            find_stack('kinematic_ode'), {d.executable: d.resolve() for d in descriptions})

    ticks: list[Any] = []
    loop().run_tick_by_tick(60, ticks.append)
    rows = np.array(ticks)
    assert rows[0, 4] > 0.5
    np.testing.assert_array_equal(run_loop(loop(), 0.6).rows, rows)
    batch = racecar.BatchSimulation([loop() for _ in range(3)])
    records = batch.run(0.6, record_every=1).records
    assert records is not None
    for car in records:
        np.testing.assert_array_equal(car, rows)


def test_a_reset_returns_to_the_speed_and_a_pose_is_at_rest():
    descriptions = describe_stack('kinematic_ode', StackOptions(
        vehicle='f1tenth', trajectory='raceline', flying_start=True))
    car = make_loop(find_stack('kinematic_ode'), {
        d.executable: d.resolve() for d in descriptions}).simulator.compiled
    assert car is not None
    start = car.odometry()
    car.tick()
    car.reset()
    assert car.odometry()[1:] == start[1:]
    car.reset(racecar.Pose2(1.0, 2.0, 0.5))
    assert car.odometry().vx == 0.0


def test_sweep_takes_it_too():
    found = racecar.sweep('double_track', grid={'controller.speed_gain': [0.3, 0.6]}, **ON_LINE,
                          duration=17.0)
    assert [times is not None and times.laps[0].begun for times in found.result.laps] == [
        0.0, 0.0]


def test_who_asks_for_what_cannot_be_is_told():
    with pytest.raises(ConfigurationError, match='cars of kinematic_world start at rest'):
        racecar.simulate('kinematic_world', trajectory='circle', flying_start=True, duration=1.0)
    with pytest.raises(ConfigurationError, match='flying_start is 1, expected true or false'):
        racecar.sweep('single_track', {'flying_start': 1, 'grid': {'vehicle.mass': [4.0]}})
    with pytest.raises(ParameterError, match=r"'initial_speed' is 99 m/s, expected .* \[-5, 20\]"):
        racecar.simulate('double_track', **{**ON_LINE, 'set': {
            'single_track_simulator.initial_speed': 99.0}}, duration=1.0)
