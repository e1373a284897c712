# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hand-over from the kinematic to the dynamic law: cars of all sizes, slow and from far off."""

import math
from pathlib import Path

from closed_loops import make, run
import numpy as np
import pytest

from racecar.control.dynamic_linearizer import DynamicLaw
from racecar.control.hand_over import hand_over_speeds
from racecar.control.step_clock import StepClock
from racecar.control.tracker_step import TrackerParameters
from racecar.dynamics.vehicles.parameters import VehicleParameters

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
FULL_SIZE = ('bmw_x5', 'car_2014', 'citroen_czero', 'tesla_model3', 'toyota_prius')


def test_speeds_go_with_the_wheelbase():
    assert hand_over_speeds(VehicleParameters.from_file(FOLDER / 'racecar.yaml')) == pytest.approx(
        (0.25, 0.5))
    assert hand_over_speeds(
        VehicleParameters.from_file(FOLDER / 'tesla_model3.yaml')) == pytest.approx(
            (2.94 / 1.3, 2.94 / 0.65))


@pytest.mark.parametrize('vehicle', ['racecar', 'citroen_czero'])
def test_tracker_and_law_hand_over_between_the_same_speeds(vehicle):
    loop = make('dynamic_ode', 'circle', vehicle=vehicle)
    tracker = TrackerParameters(*loop.tracker.parameters)
    law = DynamicLaw(*loop.linearizer.parameters)
    assert (tracker.axis_speed, tracker.course_speed) == (law.kinematic_speed, law.dynamic_speed)
    assert tracker.axis_speed > 0.0


def test_speeds_of_ones_own_go_before_those_of_the_vehicle():
    loop = make('dynamic_ode', 'circle', linearizer={'dynamic_speed': 0.7})
    law = DynamicLaw(*loop.linearizer.parameters)
    assert (law.kinematic_speed, law.dynamic_speed) == pytest.approx((0.25, 0.7))


@pytest.mark.parametrize('tyre_model', ['linear', 'fiala'])
@pytest.mark.parametrize('speed', [0.5, 1.0, 2.0, 3.0, 4.0, 5.0])
def test_dynamic_law_is_nowhere_worse_than_the_kinematic_one(speed, tyre_model):
    dynamic, kinematic = (
        run(stack, 'circle', 20.0, R=5.0, W=speed / 5.0,
            simulator={'tyre_model': tyre_model})[1].metrics(2.0).rmse
        for stack in ('dynamic_ode', 'kinematic_ode'))
    assert dynamic < 0.5 * kinematic


@pytest.mark.parametrize('epsilon', [0.1, 1.0, 2.0])
@pytest.mark.parametrize('vehicle', FULL_SIZE)
def test_full_size_cars_come_onto_a_circle_from_far_off(vehicle, epsilon):
    generator = np.random.default_rng(5)
    for speed in (1.0, 2.0, 4.0, 8.0):
        x, y = generator.uniform(-20.0, 20.0, 2)
        _, table = run(
            'dynamic_ode', 'circle', 90.0, vehicle=vehicle, R=30.0, W=speed / 30.0,
            reference_origin='map', PL_distance=epsilon, linearizer={'epsilon': epsilon},
            simulator={'initial_x': x, 'initial_y': y, 'tyre_model': 'fiala',
                       'initial_yaw': generator.uniform(-math.pi, math.pi)})
        assert table.metrics(80.0).max_error < 0.03


def test_clock_tells_the_time_since_the_step_before():
    clock = StepClock()
    assert [clock.step(t) for t in (5_000, 10_005_000, 10_005_000, 5_000, 6_000)] == [
        0.0, 0.01, 0.0, 0.0, 1e-6]
    clock.restart()
    assert clock.step(7_000) == 0.0
