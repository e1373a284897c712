# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Initial yaw rate and sideslip: the report's r0 and beta0."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from racecar.base.errors import ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.make_simulator import make_simulator
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
STEP = 0.001


def simulator(**values):
    return make_simulator(TABLE.resolve(
        {**load_parameter_file(FOLDER / 'report.yaml', 'any_node'), **values}))


def seed_force(tyre, alpha, stiffness, load, mu=1.0):
    """Return the report's axle force [N]."""
    if tyre == 'linear':
        return -stiffness * alpha
    z, sliding = math.tan(alpha), 3.0 * mu * load / stiffness
    if tyre == 'fiala' and abs(z) >= sliding:
        return -math.copysign(mu * load, alpha)
    return stiffness * z * (-1.0 + abs(z) / sliding - z * z / (3.0 * sliding**2))


def seed_rates(tyre, state, speed, delta):
    """Return the time derivative of the report's r, beta, x, y, psi [SI]."""
    m, a, b, cf, cr, inertia, g = 5.5922, 0.1, 0.1, 100.0, 244.0, 0.030, 9.81
    r, beta, _, _, psi = state
    front = seed_force(tyre, beta + a * r / speed - delta, cf, m * g * b / (a + b))
    rear = seed_force(tyre, beta - b * r / speed, cr, m * g * a / (a + b))
    return np.array([
        (a * front - b * rear) / inertia, (front + rear) * math.cos(beta) / (m * speed) - r,
        speed * math.cos(psi), speed * math.sin(psi), r])


def seed_run(tyre, state, speed, delta, steps):
    """Return the report's state after steps of the classic Runge-Kutta method."""
    state, h = np.array(state), STEP
    for _ in range(steps):
        one = seed_rates(tyre, state, speed, delta)
        two = seed_rates(tyre, state + 0.5 * h * one, speed, delta)
        three = seed_rates(tyre, state + 0.5 * h * two, speed, delta)
        four = seed_rates(tyre, state + h * three, speed, delta)
        state = state + h / 6.0 * (one + 2.0 * two + 2.0 * three + four)
    return state


@pytest.mark.parametrize('tyre', ['linear', 'fiala', 'fiala_unsaturated'])
@pytest.mark.parametrize(('yaw_rate', 'sideslip', 'speed', 'delta'), [
    (0.5, 0.0, 1.5, 0.0), (0.0, 0.1, 2.0, 0.1), (-3.0, -0.2, 1.0, 0.2)])
def test_start_is_that_of_the_equations_of_the_report(tyre, yaw_rate, sideslip, speed, delta):
    car = simulator(
        formulation='report', tyre_model=tyre, initial_x=1.0, initial_y=-2.0, initial_yaw=0.7,
        initial_yaw_rate=yaw_rate, initial_sideslip=sideslip, integrator='rk4')
    x, y = car.state[2:4]
    car.set_command(AckermannCommand(speed, delta))
    # Most of what the start does is over after this.
    car.advance(50)
    beta, r, *pose = car.state
    expected = seed_run(tyre, (yaw_rate, sideslip, x, y, 0.7), speed, delta, 50)
    assert [r, beta, *pose] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    at_rest = seed_run(tyre, (0.0, 0.0, x, y, 0.7), speed, delta, 50)
    assert abs(expected[4] - at_rest[4]) > 1e-3


@pytest.mark.parametrize('model', [
    'single_track', 'single_track_force', 'single_track_slip', 'double_track'])
def test_every_model_with_a_yaw_rate_starts_with_it_and_a_reset_returns_to_it(model):
    car = simulator(vehicle_model=model, initial_yaw_rate=0.5, initial_x=2.0)
    start = car.state
    assert car.odometry()[1:3] == pytest.approx((2.0, 0.0))
    assert car.odometry().yaw_rate == 0.5
    car.set_command(AckermannCommand(1.0, 0.1))
    car.advance(30)
    car.reset()
    assert car.state == start
    car.reset(Pose2(1.0, 1.0, 0.0))
    assert car.odometry().yaw_rate == 0.0


@pytest.mark.parametrize(('values', 'message'), [
    ({'vehicle_model': 'kinematic_bicycle', 'initial_yaw_rate': 0.5},
     r"'initial_yaw_rate' is 0\.5 rad/s, expected 0 for kinematic_bicycle .* use a vehicle_model"
     r' with the yaw rate as a state'),
    ({'vehicle_model': 'kinematic_understeer', 'initial_yaw_rate': 0.5}, 'initial_yaw_rate'),
    ({'initial_sideslip': 0.1}, r"'initial_sideslip' is 0\.1 rad, expected 0 for single_track"
     r' .*full formulation.* use vehicle_model single_track with formulation report'),
    ({'vehicle_model': 'double_track', 'initial_sideslip': 0.1}, 'initial_sideslip'),
    ({'initial_yaw_rate': 1e4}, r"'initial_yaw_rate' is 10000 rad/s, expected a number in \["),
    ({'initial_sideslip': 1.6}, r"'initial_sideslip' is 1\.6, expected a number in \[-1\.5, 1")])
def test_motion_that_the_model_cannot_have_is_refused(values, message):
    with pytest.raises(ParameterError, match=message):
        simulator(**values)


def test_parts_compiled_loop_and_batch_start_with_the_same_bits():
    def loop():
        descriptions = describe_stack('kinematic_ode', StackOptions(
            vehicle='report', trajectory='circle', overrides={'single_track_simulator': {
                'formulation': 'report', 'initial_yaw_rate': 0.8, 'initial_sideslip': -0.1}}))
        return make_loop(
            find_stack('kinematic_ode'), {d.executable: d.resolve() for d in descriptions})

    ticks: list[Any] = []
    loop().run_tick_by_tick(100, ticks.append)
    rows = np.array(ticks)
    assert rows[0][6] == 0.8
    np.testing.assert_array_equal(run_loop(loop(), 1.0).rows, rows)
    records = BatchSimulation([loop(), loop()]).run(1.0, record_every=1).records
    assert records is not None
    np.testing.assert_array_equal(records[0][:, :7], rows[:, :7])
    np.testing.assert_array_equal(records[0], records[1])
