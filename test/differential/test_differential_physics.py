# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mode physics: torque limit, Coulomb friction and slip, against kinematics and closed forms."""

from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from racecar.base.types import WheelSpeeds
from racecar.differential.motion import PHYSICS, PlanarMotion
from racecar.differential.parameters import RobotParameters
from racecar.differential.physics import Physics, solve_step, Velocities
from racecar.dynamics.vehicles.parameters import GRAVITY

ROBOT = RobotParameters.from_values({
    'robot.slip_noise': 0.0, 'robot.max_acceleration': 1e6, 'robot.max_force': 5.0,
    'robot.friction_coefficient': 1.0, 'robot.encoder_noise': 0.0,
    'robot.encoder_resolution': 100.0})
STEP = 0.001


def driven(robot, left, right, steps, mode=PHYSICS):
    motion = PlanarMotion(robot, mode)
    motion.set_speeds(WheelSpeeds(left, right))
    motion.advance(steps)
    return motion


@given(left=st.floats(-10.0, 10.0), right=st.floats(-10.0, 10.0))
def test_high_friction_and_strong_motors_match_kinematics(left, right):
    robot = replace(ROBOT, friction_coefficient=10.0, max_force=1000.0, mass=0.01,
                    yaw_inertia=1e-6, wheel_mass=0.001)
    with_forces = driven(robot, left, right, 500).state
    told = driven(robot, left, right, 500, 'kinematics').state
    # The wheels may slip in the first step, from rest to full speed in 1 ms.
    assert with_forces[:3] == pytest.approx(told[:3], abs=2e-4)
    assert with_forces[3:8] == pytest.approx(told[3:8], abs=1e-12)


def test_a_robot_on_ice_speeds_up_by_its_friction_while_its_wheels_spin():
    robot = replace(ROBOT, friction_coefficient=0.02)
    motion = driven(robot, 10.0, 10.0, 300)
    state = motion.state
    assert state.left_speed == pytest.approx(10.0)
    assert state.vx == pytest.approx(0.02 * GRAVITY * 0.3, rel=1e-6)
    assert state.vx < 0.7 * state.left_speed * robot.wheel_radius
    # What the wheels say and where the robot is are two things now.
    assert state.left_count / 100.0 * robot.wheel_radius > 2.0 * state.x
    motion.advance(1000)
    assert motion.state.vx == pytest.approx(0.1, rel=1e-9)


def test_the_weight_on_a_caster_gives_no_friction():
    robot = replace(ROBOT, friction_coefficient=0.02, cog_ahead=-0.02, caster_ahead=-0.05)
    assert driven(robot, 10.0, 10.0, 200).state.vx == pytest.approx(
        0.6 * 0.02 * GRAVITY * 0.2, rel=1e-6)


def test_the_torque_limits_the_acceleration_also_where_the_wheels_roll():
    robot = replace(ROBOT, max_force=1e-3)
    state = driven(robot, 10.0, 10.0, 100).state
    # Both wheels push by T/R, against the mass and what of the wheels turns.
    mass = robot.mass + 2.0 * robot.wheel_inertia / robot.wheel_radius**2
    expected = 2.0 * robot.max_force / robot.wheel_radius / mass * 0.1
    assert state.vx == pytest.approx(expected, rel=1e-6)
    assert state.left_speed * robot.wheel_radius == pytest.approx(state.vx, rel=1e-6)


def test_a_sliding_robot_is_braked_sideways_by_its_friction():
    robot = replace(ROBOT, friction_coefficient=0.5)
    numbers = Physics.of(robot)
    velocities = Velocities(0.0, 0.3, 0.0, 0.0, 0.0)
    lateral = [0.3]
    for _ in range(100):
        velocities = Velocities(*solve_step(velocities, numbers, 0.0, 0.0, STEP))
        lateral.append(velocities.vy)
    time = STEP * np.arange(101)
    assert lateral == pytest.approx(np.maximum(0.3 - 0.5 * GRAVITY * time, 0.0), abs=1e-9)


def smooth_model(robot, left, right, sharpness):
    """Return the rates of body velocities with friction that is smooth near zero slip.

    vx, vy of the centre of gravity, yaw rate; wheels keep their speeds.
    """
    half, ahead = 0.5 * robot.axle_length, robot.cog_ahead
    limit = robot.friction_coefficient * robot.wheel_load

    def rates(_, state):
        vx, vy, rate = state
        force_x = force_y = torque = 0.0
        for side, speed in ((1.0, left), (-1.0, right)):
            slip_x = vx - side * half * rate - robot.wheel_radius * speed
            slip_y = vy - ahead * rate
            scale = -limit / math.hypot(slip_x, slip_y, sharpness)
            force_x += scale * slip_x
            force_y += scale * slip_y
            torque += -side * half * scale * slip_x - ahead * scale * slip_y
        return (force_x / robot.mass + rate * vy, force_y / robot.mass - rate * vx,
                torque / robot.yaw_inertia)

    return rates


@pytest.mark.parametrize(('left', 'right'), [(10.0, 4.0), (-6.0, 9.0), (10.0, 10.0)])
def test_slip_in_a_turn_agrees_with_smooth_friction_integrated_closely(left, right):
    robot = replace(ROBOT, friction_coefficient=0.03, cog_ahead=-0.01, caster_ahead=-0.05)
    motion = PlanarMotion(robot, PHYSICS, step=0.0002)
    motion.set_speeds(WheelSpeeds(left, right))
    motion.advance(1500)
    state = motion.state
    found = (state.vx, state.vy + robot.cog_ahead * state.yaw_rate, state.yaw_rate)
    reference = solve_ivp(smooth_model(robot, left, right, 1e-5), (0.0, 0.3), (0.0, 0.0, 0.0),
                          method='LSODA', rtol=1e-8, atol=1e-10).y[:, -1]
    assert found[:2] == pytest.approx(reference[:2], abs=4e-4)
    assert found[2] == pytest.approx(reference[2], rel=0.01, abs=0.01)


@given(vx=st.floats(-1.0, 1.0), vy=st.floats(-1.0, 1.0), rate=st.floats(-10.0, 10.0),
       speeds=st.tuples(*(st.floats(-100.0, 100.0),) * 2), ahead=st.floats(-0.03, 0.0),
       friction=st.floats(0.0, 1.0), torque=st.floats(1e-4, 1.0))
def test_the_ground_never_pushes_harder_than_friction_allows(
        vx, vy, rate, speeds, ahead, friction, torque):
    robot = replace(ROBOT, friction_coefficient=friction, max_force=torque, cog_ahead=ahead,
                    caster_ahead=-0.05)
    before = Velocities(vx, vy, rate, *speeds)
    after = Velocities(*solve_step(before, Physics.of(robot), 5.0, -3.0, STEP))
    assert all(map(math.isfinite, after))
    # Change of the momentum, without what the turning axes do.
    impulse = robot.mass * math.hypot(after.vx - vx - STEP * rate * vy,
                                      after.vy - vy + STEP * rate * vx)
    assert impulse <= 2.0 * friction * robot.wheel_load * STEP * (1.0 + 1e-9) + 1e-15
    for speed, target, then in ((speeds[0], 5.0, after.left), (speeds[1], -3.0, after.right)):
        push = friction * robot.wheel_load * robot.wheel_radius
        most = (torque + push) * STEP / robot.wheel_inertia
        assert abs(then - speed) <= most * (1.0 + 1e-9) + 1e-12
        assert min(speed, target) - push * STEP / robot.wheel_inertia - 1e-9 <= then
        assert then <= max(speed, target) + push * STEP / robot.wheel_inertia + 1e-9


@given(vx=st.floats(-0.5, 0.5), vy=st.floats(-0.5, 0.5), rate=st.floats(-5.0, 5.0))
def test_friction_with_wheels_that_stand_takes_energy_and_gives_none(vx, vy, rate):
    robot = replace(ROBOT, friction_coefficient=0.3)
    numbers, velocities = Physics.of(robot), Velocities(vx, vy, rate, 0.0, 0.0)

    def energy(v):
        return 0.5 * robot.mass * (v.vx**2 + v.vy**2) + 0.5 * robot.yaw_inertia * v.yaw_rate**2

    last = energy(velocities)
    for _ in range(50):
        velocities = Velocities(*solve_step(velocities, numbers, 0.0, 0.0, STEP))
        # The turn of the axes within a step is of second order in the step.
        assert energy(velocities) <= last * (1.0 + 1e-4) + 1e-12
        last = energy(velocities)
