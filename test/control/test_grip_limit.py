# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The dynamic law near the limit of grip: what it asks of the tyres and of the steering."""

import json
import math
import os
from pathlib import Path
import subprocess
import sys
from typing import Any

from closed_loops import make, run
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.types import Odometry, PlanarVelocity, yaw_to_quaternion
from racecar.control.dynamic_linearizer import DYNAMIC_LINEARIZER_PARAMETERS, DynamicLinearizer
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.closed_loop import run_loop

GRAVITY = 9.81
RACECAR = VehicleParameters.from_file(
    Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml')
SLIPPERY = {'vehicle.friction_coefficient': 0.5, 'vehicle.speed_max': 20.0}
# What the law takes the friction of the ground for.
BELIEFS = {'knows': SLIPPERY, 'believes 1': {'vehicle.speed_max': 20.0}}
UNBOUNDED = {'slip_share': 1000.0, 'steering_rate': 1e6}
ROUNDING = 1e-7


def number(low, high):
    return st.floats(low, high, allow_nan=False)


def circle(stack, law, W=0.9, duration=20.0, **simulator):
    """Return the table of a circle of 5 m with Fiala tyres: friction 0.5 ends at 4.95 m/s."""
    _, table = run(
        stack, 'circle', duration, R=5.0, W=W, linearizer=law,
        simulator={'tyre_model': 'fiala', **SLIPPERY, **simulator})
    return table


def largest_slip(vehicle=RACECAR, share=0.6):
    """Return the bound as the documentation states it, from mass and geometry."""
    load = vehicle.mass * GRAVITY * vehicle.cog_to_rear_axle / (
        vehicle.cog_to_front_axle + vehicle.cog_to_rear_axle)
    return math.atan(
        share * 3.0 * vehicle.friction_coefficient * load / vehicle.front_cornering_stiffness)


def front_slip(forward, lateral, yaw_rate, steering, vehicle=RACECAR):
    """Return the slip angle of the front axle for the velocity of the rear axle [rad]."""
    base = vehicle.cog_to_front_axle + vehicle.cog_to_rear_axle
    return np.arctan2(lateral + base * yaw_rate, forward) - steering


def linearizer(**values):
    return DynamicLinearizer(DYNAMIC_LINEARIZER_PARAMETERS.resolve(values), RACECAR)


def car(vx, vy, yaw_rate, yaw=0.0, time_ns=0):
    return Odometry(time_ns, 0.0, 0.0, *yaw_to_quaternion(yaw), vx, vy, yaw_rate)


# The circle at 0.83 of the grip


@pytest.mark.parametrize('belief', BELIEFS)
def test_circle_near_the_limit_of_grip_is_held_ten_times_closer_than_by_the_kinematic_law(belief):
    dynamic = circle('dynamic_ode', BELIEFS[belief])
    kinematic = circle('kinematic_ode', BELIEFS[belief])
    assert dynamic.metrics(2.0).rmse < 0.0115
    assert dynamic.metrics(2.0).max_error < 0.015
    assert dynamic.metrics(2.0).rmse < 0.11 * kinematic.metrics(2.0).rmse
    # And where it starts from rest, too.
    assert dynamic.metrics(0.0).max_error < 0.08


def test_closer_to_the_limit_the_car_stays_where_the_kinematic_law_loses_it():
    assert circle('dynamic_ode', SLIPPERY, 0.93).metrics(4.0).max_error < 0.02
    assert circle('kinematic_ode', SLIPPERY, 0.93).metrics(4.0).max_error > 5.0


@pytest.mark.parametrize('belief', BELIEFS)
def test_without_the_bounds_the_wheels_end_at_their_stop_and_the_car_metres_outside(belief):
    table = circle('dynamic_ode', {**BELIEFS[belief], **UNBOUNDED})
    assert table.metrics(2.0).max_error > 5.0
    assert table.column('steering_command')[-1] == pytest.approx(RACECAR.steering_limit)


@pytest.mark.parametrize('rate', [50.0, 200.0])
def test_circle_near_the_limit_is_held_at_other_control_rates(rate):
    assert circle('dynamic_ode', SLIPPERY, rate=rate).metrics(2.0).rmse < 0.0115


@pytest.mark.parametrize('wanted', [0.9, 1.1, 1.5])
def test_in_the_loop_the_front_tyres_never_slip_beyond_the_bound(wanted):
    table = circle('dynamic_ode', SLIPPERY, wanted, 10.0)
    bound = math.atan(0.5 * math.tan(largest_slip()))
    slip = front_slip(*(table.column(name) for name in (
        'vx', 'vy', 'yaw_rate', 'steering_command')))
    fast = table.column('vx') > 1.0
    assert np.abs(slip[fast]).max() < bound + ROUNDING
    # The bound is reached: it is what limits here.
    assert np.abs(slip[fast]).max() > bound - ROUNDING


# One step of the law


@settings(deadline=None, max_examples=300)
@given(number(-20, 20), number(-20, 20), number(0.6, 20), number(-10, 10), number(-20, 20),
       number(-3.1, 3.1), number(0.05, 3.0))
def test_slip_asked_for_never_exceeds_the_bound_unless_the_wheels_are_at_their_stop(
        vx, vy, forward, lateral, yaw_rate, yaw, share):
    # Along the car it is fast enough for the dynamic law to steer alone.
    sideslip = math.atan2(lateral + RACECAR.cog_to_rear_axle * yaw_rate, forward)
    along = vx * math.cos(yaw + sideslip) + vy * math.sin(yaw + sideslip)
    if along < 0.6:
        return
    _, steering = linearizer(slip_share=share).command(
        car(forward, lateral, yaw_rate, yaw), PlanarVelocity(vx, vy))
    slip = abs(front_slip(forward, lateral, yaw_rate, steering))
    at_stop = abs(steering) >= RACECAR.steering_limit - ROUNDING
    assert slip <= largest_slip(share=share) + 2.0 * ROUNDING or at_stop


@settings(deadline=None, max_examples=300)
@given(number(0.6, 5.0), number(-0.3, 0.3), number(-0.3, 0.3), number(-2.0, 2.0),
       number(-3.1, 3.1))
def test_where_the_tyres_can_do_it_the_law_is_that_of_the_report(
        speed, misalignment, sideslip, yaw_rate, yaw):
    c = RACECAR
    lateral = speed * math.tan(sideslip)
    direction = yaw + sideslip + misalignment
    velocity = PlanarVelocity(speed * math.cos(direction), speed * math.sin(direction))
    along, turning = speed * math.cos(misalignment), speed * math.sin(misalignment) / 0.1
    if along < 0.6:
        return
    front, rear = c.front_cornering_stiffness, c.rear_cornering_stiffness
    expected = (
        c.mass * along * turning / front + (front + rear) / front * sideslip
        - (c.cog_to_rear_axle * rear - c.cog_to_front_axle * front) / front * yaw_rate / along)
    at_rear = lateral - c.cog_to_rear_axle * yaw_rate
    command = linearizer().command(car(speed, at_rear, yaw_rate, yaw), velocity)
    slip = front_slip(speed, at_rear, yaw_rate, expected)
    if abs(slip) < largest_slip() and abs(expected) < c.steering_limit:
        assert command.steering_angle == pytest.approx(expected, abs=1e-6)
    else:
        # Not always the smaller angle: it is against the way the front axle goes.
        bounded = front_slip(speed, at_rear, yaw_rate, command.steering_angle)
        assert abs(bounded) <= largest_slip() + 1e-6 \
            or abs(command.steering_angle) == pytest.approx(c.steering_limit)


@settings(deadline=None, max_examples=200)
@given(number(-5, 5), number(1.0, 5), number(-0.2, 0.2), number(-3, 3), number(-5, 5),
       st.integers(1, 50_000_000), number(0.5, 50.0))
def test_wheels_turn_no_faster_than_asked_but_to_keep_the_slip(
        before, forward, lateral, yaw_rate, after, dt_ns, rate):
    law = linearizer(steering_rate=rate)
    first = law.command(car(forward, lateral, yaw_rate), PlanarVelocity(forward, before))
    second = law.command(
        car(forward, lateral, yaw_rate, time_ns=dt_ns), PlanarVelocity(forward, after))
    # Slower along its course, the kinematic law has its share.
    sideslip = math.atan2(lateral + RACECAR.cog_to_rear_axle * yaw_rate, forward)
    slowest = forward * math.cos(sideslip) + min(
        before * math.sin(sideslip), after * math.sin(sideslip))
    if slowest < 0.6:
        return
    # The car is the same at both commands, so the first one was within the slip already.
    assert abs(second.steering_angle - first.steering_angle) <= rate * dt_ns * 1e-9 + 3 * ROUNDING


def test_first_command_and_one_at_a_repeated_time_turn_the_wheels_at_once():
    law = linearizer(slip_share=1000.0)
    answers = [law.command(car(3.0, 0.0, 0.0, time_ns=t), PlanarVelocity(3.0, vy)).steering_angle
               for t, vy in ((5, 0.1), (5, -0.1), (4, 0.1))]
    assert answers == pytest.approx([0.17077, -0.17077, 0.17077], abs=1e-4)


# From rest


@pytest.mark.parametrize('rate', [50.0, 100.0, 200.0])
def test_from_rest_the_steering_has_no_step(rate):
    table = circle('dynamic_ode', SLIPPERY, rate=rate)
    steering = table.column('steering_command')
    # The kinematic law's, for a car that stands: no slip is asked of a tyre at rest.
    assert steering[0] == pytest.approx(0.0205, abs=1e-4)
    assert np.abs(np.diff(steering)).max() <= 10.0 / rate + ROUNDING
    unbounded = circle('dynamic_ode', {**SLIPPERY, **UNBOUNDED}, rate=rate)
    assert np.abs(np.diff(unbounded.column('steering_command'))).max() > 0.25


def test_below_the_bounds_a_run_has_the_bits_of_the_unbounded_law():
    bounded, unbounded = (
        run('dynamic_ode', 'waypoints', 20.0, waypoints_file='slalom',
            waypoints_speed_limit=3.0, linearizer=law)[1] for law in ({}, UNBOUNDED))
    assert bounded.column('speed_command').max() > 1.2
    np.testing.assert_array_equal(bounded.rows, unbounded.rows)


# One result


@pytest.mark.parametrize('wanted', [0.9, 1.5])
def test_bounded_law_gives_the_same_bits_compiled_tick_by_tick_and_in_a_batch(wanted):
    def parts():
        return make(
            'dynamic_ode', 'circle', R=5.0, W=wanted, linearizer=SLIPPERY,
            simulator={'tyre_model': 'fiala', **SLIPPERY})

    rows: list[Any] = []
    parts().run_tick_by_tick(600, rows.append)
    by_tick = np.array(rows)
    np.testing.assert_array_equal(run_loop(parts(), 6.0).rows, by_tick)
    batch = BatchSimulation([parts(), parts()])
    result = batch.run(6.0, record_every=1)
    for index in range(2):
        np.testing.assert_array_equal(result.table(index).rows, by_tick)


def test_a_run_in_two_parts_goes_on_with_the_bits_of_its_ticks():
    def parts():
        return make('dynamic_ode', 'circle', R=5.0, W=1.5, linearizer=SLIPPERY,
                    simulator={'tyre_model': 'fiala', **SLIPPERY})

    by_tick, compiled = parts(), parts()
    for duration in (0.05, 0.4):
        rows: list[Any] = []
        by_tick.run_tick_by_tick(round(100 * duration), rows.append)
        np.testing.assert_array_equal(run_loop(compiled, duration).rows, np.array(rows))
    # A trajectory that starts anew does not make the law forget when it last steered.
    for loop in (by_tick, compiled):
        loop.tracker.restart()
    rows = []
    by_tick.run_tick_by_tick(40, rows.append)
    np.testing.assert_array_equal(run_loop(compiled, 0.4).rows, np.array(rows))


# Runs in a process of its own, with and without Numba.
SLIDING = """
import json, sys
if sys.argv[1] == 'plain':
    sys.modules['numba'] = None
from closed_loops import run
from racecar.base.compiled import has_compiler
slippery = {'vehicle.friction_coefficient': 0.5, 'vehicle.speed_max': 20.0}
_, table = run('dynamic_ode', 'circle', 1.0, R=5.0, W=1.1, linearizer=slippery,
               simulator={'tyre_model': 'fiala', **slippery})
print(json.dumps({'compiled': has_compiler(), 'rows': table.rows.tolist()}))
"""


def test_without_numba_the_bounded_law_gives_the_same_results():
    pytest.importorskip('numba')
    root = Path(__file__).parents[2]
    paths = os.pathsep.join((str(root / 'src'), str(root / 'test' / 'helpers')))
    compiled, plain = (
        json.loads(subprocess.run(
            [sys.executable, '-c', SLIDING, mode], check=True, text=True, timeout=250,
            stdout=subprocess.PIPE, env={**os.environ, 'PYTHONPATH': paths}).stdout)
        for mode in ('compiled', 'plain'))
    assert (compiled['compiled'], plain['compiled']) == (True, False)
    np.testing.assert_allclose(plain['rows'], compiled['rows'], rtol=1e-12, atol=1e-12)
