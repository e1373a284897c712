# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controllers that come back from far beside their line, at a bounded angle to it."""

import math
from typing import Any

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_vehicle
from racecar.base.types import AckermannCommand, CarMotion, Pose2
from racecar.control.custom_controller import find_controller
from racecar.control.progress import car_numbers, LineSight, look, progress_part
from racecar.control.racelines.line_numbers import line_at
from racecar.control.racing.approach import bounded_error
from racecar.control.racing.lqr import error_dynamics, regulator
from racecar.control.racing.steering_table import cornering_steering, steering_table
from racecar.control.trajectories.race_line import RaceLine
from racecar.dynamics.vehicles.double_track import DoubleTrack
from racecar.dynamics.vehicles.grip_map import GripMap
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.simulator import Simulator

CAR = VehicleParameters.from_file(find_vehicle('f1tenth'))
LINE = RaceLine('racetrack_f1tenth_double_track', 0.5)
# Of the leagues, on a car that is commanded by the speed of its wheels.
SETTINGS = {
    'lqr': {'heading_weight': 0.105, 'steering_weight': 0.03, 'slip_feed_forward': 1.0},
    'map': {'look_ahead': 0.336, 'look_ahead_time': 0.0323, 'slip_feed_forward': 1.0}}


@pytest.mark.parametrize('angle', [0.3, 0.8])
@pytest.mark.parametrize('reach', [0.4, 1.2])
def test_it_is_the_error_until_the_angle_is_used_up(angle, reach):
    for error in np.linspace(-3.0, 3.0, 121).tolist():
        expected = float(np.clip(error / reach, -angle, angle)) * reach
        assert bounded_error(angle, error, reach) == pytest.approx(expected, abs=1e-12)
        if abs(error) < 0.99 * angle * reach:
            assert bounded_error(angle, error, reach) == error


def numbers_of(made, line):
    """Numbers of a car with a controller on a line."""
    part = progress_part(made)
    assert part is not None
    return car_numbers(part, line, 0.0)


def answer(kind, error, line=LINE, speed=5.0, **settings):
    """Speed and steering angle for a car beside a nearly straight part of a line, parallel."""
    made: Any = find_controller(kind).make(CAR, {**SETTINGS[kind], **settings})
    numbers = numbers_of(made, line)
    point = line_at(numbers, 3, 0.5)
    car = CarMotion(point.x - error * math.sin(point.heading),
                    point.y + error * math.cos(point.heading), point.heading, speed, 0.0, 0.0)
    path = look(LineSight(0.0, 0.0, numbers, 0), car, 0.0, 0.5)
    return made.step(made.state, made.parameters, car, path, 0.01)[1:]


def test_the_regulator_feeds_the_bounded_error_back():
    speed, error = 5.0, 1.5
    gains = regulator(*error_dynamics(CAR, speed, 0.02), np.diag([1.0, 0.0, 0.105, 0.0]), 0.03)
    reach = (gains[1] * speed + gains[2]) / gains[0]
    for angle in (0.1, 0.8):
        bound = min(angle * reach, error)
        # All else is the same at both places.
        difference = answer('lqr', error, approach_angle=angle)[1] - answer('lqr', 0.1)[1]
        assert difference == pytest.approx(-gains[0] * (bound - 0.1), abs=2e-3)


def test_pursuit_turns_to_the_line_as_at_the_error_that_is_the_bound():
    # On a straight line 2 sin(eta)/l is 2 chi/(d (1 + chi^2)) for each error beyond chi d.
    line, angle, speed = RaceLine('racetrack_f1tenth_centre', 0.5), 0.3, 5.0
    ahead = 0.336 + 0.0323 * speed
    table = steering_table(GripMap.of(CAR, 'pacejka'))
    expected = cornering_steering(table, 0, speed, -2.0 * angle / (ahead * (1.0 + angle**2)))
    for error in (0.16, 0.4, 0.7):
        found = answer('map', error, line, speed, approach_angle=angle)[1]
        assert found == pytest.approx(expected, rel=0.02)
        assert answer('map', -error, line, speed, approach_angle=angle)[1] == pytest.approx(
            -expected, rel=0.02)


@pytest.mark.parametrize(('kind', 'near'), [('lqr', 0.2), ('map', 0.19)])
def test_near_the_line_nothing_is_bounded(kind, near):
    for error in (-near, -0.05, 0.1, near):
        assert answer(kind, error) == answer(kind, error, approach_angle=1.5)
    assert answer(kind, 1.0) != answer(kind, 1.0, approach_angle=0.1)


def errors_of_drive(kind, error, heading, duration):
    """Lateral errors of a car that begins at rest beside the line, every 10 ms."""
    made: Any = find_controller(kind).make(CAR, {**SETTINGS[kind], 'approach_angle': 0.4})
    numbers = numbers_of(made, LINE)
    point = line_at(numbers, 3, 0.0)
    simulator = Simulator(DoubleTrack(CAR, 'pacejka'), step=0.00125, period=0.01, start=Start(
        Pose2(point.x - error * math.sin(point.heading),
              point.y + error * math.cos(point.heading), point.heading + heading)))
    state, way, found = made.state, 0.0, []
    for tick in range(round(duration / 0.01)):
        seen = simulator.odometry()
        car = CarMotion(seen.x, seen.y, 2.0 * math.atan2(seen.qz, seen.qw), seen.vx, seen.vy,
                        seen.yaw_rate)
        path = look(LineSight(0.0, 0.0, numbers, 0), car, made.point_ahead, way)
        way = path.s
        found.append(path.lateral_error)
        state, speed, angle = made.step(
            state, made.parameters, car, path, 0.01 if tick else 0.0)
        simulator.set_command(AckermannCommand(speed, angle))
        simulator.tick()
    return np.array(found)


@pytest.mark.parametrize(('kind', 'over'), [('lqr', 0.12), ('map', 0.4)])
@pytest.mark.parametrize(('error', 'heading', 'duration'), [
    (1.0, 0.0, 3.0), (-2.0, 0.0, 3.5), (2.0, -0.5 * math.pi, 3.0), (-1.0, -0.5 * math.pi, 4.0)])
def test_a_car_at_rest_beside_its_line_comes_to_it(kind, over, error, heading, duration):
    side = math.copysign(1.0, error)
    found = side * errors_of_drive(kind, error, heading, duration)
    # One that stands across the road turns first, while it gains speed.
    assert found.max() < abs(error) + 1.6
    assert found.min() > -over
    assert np.abs(found[-30:]).max() < 0.1
    sides = np.sign(found[np.abs(found) > 0.1])
    assert np.count_nonzero(np.diff(sides)) <= (kind == 'map') * 2


@pytest.mark.parametrize('kind', ['lqr', 'map'])
@pytest.mark.parametrize('angle', [0.0, -0.3, 1.6])
def test_an_angle_out_of_range_is_refused(kind, angle):
    with pytest.raises(ConfigurationError, match='approach_angle is .* rad, expected above 0'):
        find_controller(kind).make(CAR, {'approach_angle': angle})
