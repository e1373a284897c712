# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller that drives slower where it is seen not to hold its line."""

import math

import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_vehicle
from racecar.base.types import CarMotion
from racecar.control.custom_controller import find_controller
from racecar.control.progress import car_numbers, LineSight, look, progress_part
from racecar.control.racelines.line_numbers import line_at
from racecar.control.racing.speed import checked_caution, slower
from racecar.control.trajectories.race_line import RaceLine
from racecar.dynamics.vehicles.parameters import VehicleParameters

CAR = VehicleParameters.from_file(find_vehicle('f1tenth'))
LINE = RaceLine('racetrack_f1tenth_curvature', 1.0)


def test_it_grows_with_the_error_to_where_growth_and_memory_are_even():
    caution = checked_caution(0.5, 0.05, 0.3, 2.0)
    share, dt = 0.0, 0.001
    for _ in range(1000):
        share = slower(caution, share, -0.15, dt)
    # x' = gain (|e| - allowed) - x/memory from 0 on.
    assert share == pytest.approx(0.5 * 0.1 * 2.0 * (1.0 - math.exp(-0.5)), rel=1e-3)
    for _ in range(20000):
        share = slower(caution, share, 0.15, dt)
    assert share == pytest.approx(0.1, rel=1e-3)
    for _ in range(2000):
        share = slower(caution, share, 0.04, dt)
    assert share == pytest.approx(0.1 * math.exp(-1.0), rel=1e-3)
    assert slower(caution, 0.0, 0.05, dt) == 0.0
    assert slower(caution, 0.29, 100.0, 1.0) == 0.3


def test_a_cautious_car_is_asked_for_the_speeds_of_a_slower_line():
    controller = find_controller('lqr').make(CAR, {
        'caution': 1.0, 'slip_feed_forward': 1.0, 'preview': 0.1})
    other = find_controller('lqr').make(CAR, {'slip_feed_forward': 1.0, 'preview': 0.1})

    def speed(made, line, slowing, error):
        part = progress_part(made)
        assert part is not None
        numbers = car_numbers(part, line, 0.0)
        point = line_at(numbers, 3, 20.0)
        car = CarMotion(point.x - error * math.sin(point.heading),
                        point.y + error * math.cos(point.heading), point.heading, 5.0, 0.0, 0.0)
        path = look(LineSight(0.0, 0.0, numbers, 0), car, made.point_ahead, 20.0)
        state, found, _ = made.step(
            made.state._replace(slowing=slowing), made.parameters, car, path, 0.01)
        return state.slowing, found

    slower_line = RaceLine('racetrack_f1tenth_curvature', 0.8)
    slowing, found = speed(controller, LINE, 0.2, 0.0)
    assert slowing == pytest.approx(0.2 * (1.0 - 0.01 / 60.0))
    assert found == pytest.approx(speed(other, slower_line, 0.0, 0.0)[1], rel=1e-3)
    assert speed(controller, LINE, 0.0, 0.5)[0] > 0.0
    assert speed(other, LINE, 0.0, 0.5) == (0.0, speed(other, LINE, 0.0, 0.5)[1])


@pytest.mark.parametrize(('settings', 'message'), [
    ({'caution': -1.0}, 'caution is -1, expected a number of at least 0'),
    ({'allowed_error': -0.1}, 'allowed_error is -0.1, expected a number of at least 0'),
    ({'most_caution': 1.0}, 'most_caution is 1, expected a share of at least 0 and below 1'),
    ({'caution_time': 0.0}, 'caution_time is 0, expected a number above 0')])
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        find_controller('lqr').make(CAR, settings)
