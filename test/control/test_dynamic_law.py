# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The dynamic law against an independent integration of its plant; limits and hand-over."""

import dataclasses
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from racecar.base.elementary import smoothstep
from racecar.base.errors import ParameterError
from racecar.base.types import Odometry, PlanarVelocity, yaw_to_quaternion
from racecar.control.dynamic_linearizer import (
    dynamic_law,
    DYNAMIC_LINEARIZER_PARAMETERS,
    DynamicLaw,
    DynamicLinearizer,
)
from racecar.control.kinematic_linearizer import (
    KINEMATIC_LINEARIZER_PARAMETERS,
    KinematicLinearizer,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
VEHICLES = {name: VehicleParameters.from_file(FOLDER / f'{name}.yaml')
            for name in ('racecar', 'report', 'course', 'f1tenth')}
RACECAR = VEHICLES['racecar']


def number(low, high):
    return st.floats(low, high, allow_nan=False)


def law_of(vehicle, epsilon):
    return DynamicLaw(*linearizer(vehicle).parameters)._replace(epsilon=epsilon)


def linearizer(vehicle=RACECAR, **values):
    return DynamicLinearizer(DYNAMIC_LINEARIZER_PARAMETERS.resolve(values), vehicle)


def car(yaw=0.0, vx=0.0, vy=0.0, yaw_rate=0.0):
    return Odometry(0, 0.0, 0.0, *yaw_to_quaternion(yaw), vx, vy, yaw_rate)


def drive(vehicle, velocity, epsilon, duration, start):
    """Return P of the linear single track under the law, beside the integral of its command.

    Newton and Euler for m V (beta' + r) = Fyf + Fyr and Iz r' = a Fyf - b Fyr, written out here.
    """
    m, inertia = vehicle.mass, vehicle.yaw_inertia
    a, b = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle
    law = law_of(vehicle, epsilon)

    def motion(t, state):
        _, _, yaw, beta, r, _, _ = state
        vx, vy = velocity(t)
        speed, delta = dynamic_law(law, vx, vy, yaw, beta, r)
        front = vehicle.front_cornering_stiffness * (delta - beta - a * r / speed)
        rear = vehicle.rear_cornering_stiffness * (b * r / speed - beta)
        return [speed * math.cos(yaw + beta), speed * math.sin(yaw + beta), r,
                (front + rear) / (m * speed) - r, (a * front - b * rear) / inertia, vx, vy]

    course = start[0] + start[1]
    state = [0.0, 0.0, *start, epsilon * math.cos(course), epsilon * math.sin(course)]
    result = solve_ivp(motion, (0.0, duration), state, method='DOP853', rtol=1e-11, atol=1e-12)
    assert result.success
    x, y, yaw, beta, r, wanted_x, wanted_y = result.y
    point = np.array([x + epsilon * np.cos(yaw + beta), y + epsilon * np.sin(yaw + beta)])
    return point, np.array([wanted_x, wanted_y]), result.y


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(VEHICLES)), number(-3.0, 3.0), number(-0.5, 0.5),
       number(-0.1, 0.1), number(-1.0, 1.0), number(1.0, 5.0), number(0.05, 0.5))
def test_p_follows_its_velocity_to_numerical_accuracy(
        name, course, misalignment, beta, yaw_rate, speed, epsilon):
    def velocity(t):
        direction = course + 0.3 * math.sin(2.0 * t)
        return speed * math.cos(direction), speed * math.sin(direction)

    point, wanted, _ = drive(
        VEHICLES[name], velocity, epsilon, 1.0, [course + misalignment, beta, yaw_rate])
    assert point == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize('name', VEHICLES)
def test_yaw_left_to_itself_obeys_the_damped_oscillation_that_the_module_states(name):
    vehicle, speed = VEHICLES[name], 3.0
    wheelbase, b = vehicle.wheelbase, vehicle.cog_to_rear_axle
    stiffness = wheelbase * vehicle.rear_cornering_stiffness / vehicle.yaw_inertia
    damping = stiffness * b / speed
    _, _, states = drive(vehicle, lambda t: (speed, 0.0), 1000.0, 0.3, [1e-4, -1e-4, 0.0])
    # chi stays 0, so the yaw is minus beta: an oscillation that starts at rest.
    root = np.sqrt(complex(damping**2 / 4.0 - stiffness))
    slow, fast = -damping / 2.0 + root, -damping / 2.0 - root
    expected = 1e-4 * (slow * np.exp(fast * 0.3) - fast * np.exp(slow * 0.3)) / (slow - fast)
    assert states[2, -1] == pytest.approx(expected.real, abs=1e-8)


def test_steady_circle_needs_the_steering_of_the_understeer_gradient():
    vehicle, speed, radius = RACECAR, 4.0, 20.0
    r = speed / radius
    rear = vehicle.mass * speed * r * vehicle.cog_to_front_axle / vehicle.wheelbase
    beta = vehicle.cog_to_rear_axle / radius - rear / vehicle.rear_cornering_stiffness
    # P turns with the car: its velocity is that of the centre of gravity plus epsilon r sideways.
    velocity = speed * np.exp(1j * beta) * (1.0 + 0.1j / radius)
    _, steering = dynamic_law(
        law_of(vehicle, 0.1), velocity.real, velocity.imag, 0.0, beta, r)
    assert steering == pytest.approx(
        vehicle.wheelbase / radius + vehicle.understeer_gradient * speed**2 / radius, rel=1e-9)


@settings(deadline=None)
@given(number(1.0, 5.0), number(-2.0, 2.0), number(-0.2, 0.2), number(-3.0, 3.0),
       number(-3.0, 3.0))
def test_command_depends_only_on_what_the_car_sees(vx, vy, sideslip, yaw_rate, turn):
    def seen_after(angle):
        cosine, sine = math.cos(angle), math.sin(angle)
        return linearizer().command(
            car(angle, vx, vx * math.tan(sideslip), yaw_rate),
            PlanarVelocity(cosine * vx - sine * vy, sine * vx + cosine * vy))

    assert seen_after(0.0) == pytest.approx(seen_after(turn), abs=1e-5)


@settings(deadline=None)
@given(number(-3, 5), number(-3, 3), number(-1, 5), number(-1, 1), number(-3, 3))
def test_mirrored_motion_gives_the_mirrored_command(vx, vy, forward, lateral, yaw_rate):
    left = linearizer().command(car(0.0, forward, lateral, yaw_rate), PlanarVelocity(vx, vy))
    right = linearizer().command(car(0.0, forward, -lateral, -yaw_rate), PlanarVelocity(vx, -vy))
    assert right == (left.speed, -left.steering_angle)


@settings(deadline=None)
@given(number(-9, 9), number(-9, 9), number(-9, 9), number(-9, 9), number(-20, 20))
def test_command_is_within_limits_and_single_precision(vx, vy, forward, lateral, yaw_rate):
    speed, steering = linearizer().command(
        car(0.3, forward, lateral, yaw_rate), PlanarVelocity(vx, vy))
    assert (speed, steering) == (float(np.float32(speed)), float(np.float32(steering)))
    assert RACECAR.speed_min <= speed <= RACECAR.speed_max
    assert abs(steering) <= float(np.float32(RACECAR.steering_limit))


def test_sideslip_is_that_of_the_centre_of_gravity():
    # Odometry of the rear axle and of the centre of gravity of one motion give one command.
    at_cog = dataclasses.replace(RACECAR, odometry_point='cog')
    b, r, vy = RACECAR.cog_to_rear_axle, 0.8, -0.05
    velocity = PlanarVelocity(3.0, 0.2)
    assert linearizer().command(car(0.1, 3.0, vy - b * r, r), velocity) == pytest.approx(
        linearizer(at_cog).command(car(0.1, 3.0, vy, r), velocity), abs=1e-6)
    assert linearizer().tracked_ahead == b
    assert linearizer(at_cog).tracked_ahead == 0.0


# Hand-over


def test_share_goes_from_one_law_to_the_other_without_a_kink():
    speeds = np.linspace(0.0, 2.0, 2001)
    share = np.array([smoothstep(v, 0.5, 1.0) for v in speeds])
    assert np.all(share[speeds <= 0.5] == 0.0)
    assert np.all(share[speeds >= 1.0] == 1.0)
    assert np.all(np.diff(share) >= 0.0)
    assert np.abs(np.diff(share, 2)).max() < 3e-5


@pytest.mark.parametrize('lateral', [-0.2, 0.0, 0.1])
@pytest.mark.parametrize('yaw_rate', [-1.0, 0.0, 2.0])
def test_command_is_continuous_over_the_speed(lateral, yaw_rate):
    law = linearizer()
    speeds = np.arange(1.6, -0.4, -1e-4)
    commands = np.array([
        law.command(car(0.0, max(v, 0.0), 0.1 * lateral - 0.16015 * yaw_rate, yaw_rate),
                    PlanarVelocity(v, lateral))
        for v in speeds])
    steps = np.abs(np.diff(commands, axis=0))
    # What the law itself turns where it is steepest, d(atan(L w/V))/dV, at 0.1 mm/s a step.
    assert steps[:, 0].max() < 5e-4
    assert steps[:, 1].max() < 0.02


def test_below_the_hand_over_it_is_the_kinematic_law_of_the_same_point():
    b = RACECAR.cog_to_rear_axle
    kinematic = KinematicLinearizer(
        KINEMATIC_LINEARIZER_PARAMETERS.resolve({'epsilon': 0.1 + b}), RACECAR)
    for vx, vy in ((0.2, 0.0), (0.2, 0.1), (0.23, -0.1)):
        velocity = PlanarVelocity(vx, vy)
        assert linearizer().command(car(0.2, 0.4), velocity) == kinematic.command(
            car(0.2, 0.4), velocity)


def test_standing_car_that_is_told_to_go_fast_starts_with_the_kinematic_law():
    command = linearizer().command(car(), PlanarVelocity(4.0, 0.4))
    assert command.steering_angle == pytest.approx(
        math.atan(RACECAR.wheelbase * 0.4 / (0.1 + RACECAR.cog_to_rear_axle) / 4.0), rel=1e-6)


def test_speeds_of_the_hand_over_in_the_wrong_order_are_refused():
    with pytest.raises(ParameterError, match=(
            r"'kinematic_speed' is 2 m/s, expected less than dynamic_speed \(0.5 m/s\)")):
        linearizer(kinematic_speed=2.0)
