# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mode kinematics of a differential-drive robot: ramp, clamp, noise, midpoint rule, encoders."""

from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.share import find_config, robot_names
from racecar.base.types import Pose2, WheelSpeeds
from racecar.differential.batch import RobotBatch
from racecar.differential.motion import PlanarMotion
from racecar.differential.parameters import RobotParameters

IDEAL = RobotParameters.from_values({
    'robot.slip_noise': 0.0, 'robot.encoder_noise': 0.0, 'robot.encoder_resolution': 100.0,
    'robot.max_acceleration': 1e6})


def driven(robot, left, right, steps=1000, **options):
    motion = PlanarMotion(robot, **options)
    motion.set_speeds(WheelSpeeds(left, right))
    motion.advance(steps)
    return motion.state


def dead_reckoned(counts, robot):
    """Return x, y, yaw from rows of counts (n, 2), by the textbook's formula."""
    x = y = yaw = 0.0
    for left, right in np.diff(counts, axis=0) / robot.encoder_resolution * robot.wheel_radius:
        turn = (right - left) / robot.axle_length
        ahead = 0.5 * (left + right)
        x += ahead * math.cos(yaw + 0.5 * turn)
        y += ahead * math.sin(yaw + 0.5 * turn)
        yaw += turn
    return x, y, yaw


# Wheels

def test_both_wheels_alike_drive_straight_ahead():
    state = driven(IDEAL, 5.0, 5.0)
    assert (state.x, state.y, state.yaw) == pytest.approx((0.05, 0.0, 0.0), abs=1e-12)
    assert (state.vx, state.yaw_rate) == pytest.approx((0.05, 0.0))


def test_opposite_wheels_turn_on_the_spot():
    state = driven(IDEAL, -5.0, 5.0)
    assert (state.x, state.y) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert state.yaw == pytest.approx(2.0 * 5.0 * 0.01 / 0.1)


def test_the_ramp_goes_to_the_target_by_max_acceleration_without_overshoot():
    motion = PlanarMotion(replace(IDEAL, max_acceleration=10.0))
    motion.set_speeds(WheelSpeeds(5.0, -2.0))
    rows = []
    for _ in range(700):
        motion.advance(1)
        rows.append((motion.state.left_speed, motion.state.right_speed))
    speeds = np.array(rows)
    time = 0.001 * np.arange(1, 701)
    assert speeds[:, 0] == pytest.approx(np.minimum(10.0 * time, 5.0))
    assert speeds[:, 1] == pytest.approx(np.maximum(-10.0 * time, -2.0))
    assert speeds[-1].tolist() == [5.0, -2.0]


def test_max_speed_is_enforced_each_wheel_for_itself():
    state = driven(IDEAL, 50.0, -3.0)
    assert (state.left_speed, state.right_speed) == (10.0, -3.0)


@pytest.mark.parametrize('speeds', [(math.nan, 0.0), (0.0, math.inf)])
def test_speeds_that_are_not_finite_are_refused_and_change_nothing(speeds):
    motion = PlanarMotion(IDEAL)
    motion.set_speeds(WheelSpeeds(1.0, 2.0))
    with pytest.raises(ParameterError, match='expected finite numbers'):
        motion.set_speeds(WheelSpeeds(*speeds))
    assert motion.command == WheelSpeeds(1.0, 2.0)


# The midpoint rule

@given(left=st.floats(-10.0, 10.0), right=st.floats(-10.0, 10.0),
       step=st.sampled_from([0.001, 0.008, 0.032, 0.064]))
def test_midpoint_differs_from_the_exact_arc_by_the_square_of_the_turn_over_24(left, right, step):
    steps = 50
    state = driven(IDEAL, left, right, steps, step=step)
    ahead = 0.5 * (left + right) * IDEAL.wheel_radius
    rate = (right - left) * IDEAL.wheel_radius / IDEAL.axle_length
    time = steps * step
    # Of the way to the end of a circle, which sinc gives without a division by a rate of zero.
    chord = ahead * time * np.sinc(0.5 * rate * time / math.pi)
    x, y = chord * math.cos(0.5 * rate * time), chord * math.sin(0.5 * rate * time)
    assert state.yaw == pytest.approx(rate * time, abs=1e-12)
    bound = abs(ahead) * time * (rate * step)**2 / 24.0
    error = math.hypot(state.x - x, state.y - y)
    assert error <= 1.01 * bound + 1e-14
    # The path is the same circle, larger by just that.
    exact = np.sinc(0.5 * rate * step / math.pi)
    assert math.hypot(state.x, state.y) * exact == pytest.approx(abs(chord), rel=1e-9, abs=1e-14)


# Noise

def test_slip_noise_is_uniform_and_the_wheels_are_independent():
    robot = replace(IDEAL, slip_noise=0.1)
    motion = PlanarMotion(robot, seed=3)
    motion.set_speeds(WheelSpeeds(5.0, 5.0))
    angles = []
    for _ in range(20_000):
        motion.advance(1)
        angles.append((motion.state.left_angle, motion.state.right_angle))
    factors = np.diff(np.array([(0.0, 0.0), *angles]), axis=0) / (5.0 * 0.001) - 1.0
    assert np.abs(factors).max() <= 0.1 + 1e-9
    assert np.abs(factors).max() > 0.0999
    assert factors.mean(axis=0) == pytest.approx((0.0, 0.0), abs=4 * 0.1 / math.sqrt(3 * 20_000))
    assert factors.std(axis=0) == pytest.approx((0.1 / math.sqrt(3),) * 2, rel=0.02)
    assert abs(np.corrcoef(factors[:, 0], factors[:, 1])[0, 1]) < 0.03
    # White: no step depends on the one before.
    assert abs(np.corrcoef(factors[1:, 0], factors[:-1, 0])[0, 1]) < 0.03


def test_encoder_noise_comes_on_top_and_leaves_the_motion_alone():
    quiet = replace(IDEAL, slip_noise=0.1)
    noisy = replace(quiet, encoder_noise=0.2)
    one, other = (driven(robot, 5.0, 4.0, 2000, seed=7) for robot in (quiet, noisy))
    assert one[:8] == other[:8]
    assert one.left_count == pytest.approx(100.0 * one.left_angle)
    assert other.left_count != pytest.approx(100.0 * other.left_angle, rel=1e-6)
    assert other.left_count == pytest.approx(
        100.0 * other.left_angle, rel=5 * 0.2 / math.sqrt(3 * 2000))


def test_the_same_seed_gives_the_same_bits_however_the_way_is_parted():
    robot = replace(IDEAL, slip_noise=0.1, encoder_noise=0.1)
    whole = driven(robot, 5.0, 4.0, 300, seed=1)
    parts = PlanarMotion(robot, seed=1)
    parts.set_speeds(WheelSpeeds(5.0, 4.0))
    for steps in (1, 99, 150, 50):
        parts.advance(steps)
    assert parts.state == whole
    assert driven(robot, 5.0, 4.0, 300, seed=2) != whole


# Encoders

def test_a_turn_counts_628_with_a_resolution_of_100():
    state = driven(IDEAL, 2.0 * math.pi, 0.0)
    assert state.left_count == pytest.approx(100.0 * 2.0 * math.pi)
    assert round(state.left_count) == 628
    assert state.right_count == 0.0


@pytest.mark.parametrize('off', [{'encoder_noise': -1.0}, {'encoder_resolution': -1.0}])
def test_minus_one_switches_the_encoders_off_and_does_not_count_backwards(off):
    state = driven(replace(IDEAL, **off), 5.0, 5.0)
    assert (state.left_count, state.right_count) == (0.0, 0.0)
    assert not replace(IDEAL, **off).has_encoders


def test_encoder_and_odometry_agree_slip_noise_included():
    robot = replace(IDEAL, slip_noise=0.1, max_acceleration=20.0)
    motion = PlanarMotion(robot, seed=5)
    counts = [(0.0, 0.0)]
    for step in range(3000):
        if step % 500 == 0:
            motion.set_speeds(WheelSpeeds(8.0 - 0.004 * step, 2.0 + 0.003 * step))
        motion.advance(1)
        counts.append((motion.state.left_count, motion.state.right_count))
    state = motion.state
    assert dead_reckoned(np.array(counts), robot) == pytest.approx(
        (state.x, state.y, state.yaw), abs=1e-10)


def test_set_counts_go_on_and_turn_no_wheel():
    motion = PlanarMotion(IDEAL)
    motion.set_speeds(WheelSpeeds(5.0, 5.0))
    motion.advance(100)
    angle = motion.state.left_angle
    motion.set_counts(-7.0, 1000.0)
    assert motion.state.left_angle == angle
    motion.advance(100)
    assert motion.state.left_count == pytest.approx(-7.0 + 50.0)
    assert motion.state.right_count == pytest.approx(1050.0)


# Energy

def test_motor_consumption_counts_the_mean_of_both_commands():
    state = driven(replace(IDEAL, motor_consumption=2.0), 6.0, -2.0)
    assert state.energy == pytest.approx(2.0 * 0.5 * (6.0 + 2.0) * 1.0)


def test_with_an_empty_battery_the_wheels_stand():
    robot = replace(IDEAL, motor_consumption=2.0, battery=4.0)
    motion = PlanarMotion(robot)
    motion.set_speeds(WheelSpeeds(4.0, 4.0))
    motion.advance(2000)
    # 8 W from 4 J: half a second.
    assert motion.state.x == pytest.approx(0.5 * 0.04, abs=1e-4)
    assert motion.state.vx == 0.0
    assert motion.state.energy == pytest.approx(4.0, abs=0.01)


# Batch

def test_a_robot_of_a_batch_has_the_bits_of_one_alone():
    robots = [replace(IDEAL, axle_length=0.1 + 0.001 * index, max_acceleration=5.0 + index)
              for index in range(250)]
    poses = [Pose2(0.1 * index, -0.2, 0.01 * index) for index in range(250)]
    batch = RobotBatch(robots, poses)
    left, right = np.linspace(-12.0, 12.0, 250), np.linspace(5.0, 1.0, 250)
    batch.command(left, right)
    batch.advance(700)
    for index in (0, 1, 119, 120, 249):
        alone = driven(robots[index], left[index], right[index], 700, pose=poses[index])
        assert tuple(batch.states[index]) == alone


def test_a_robot_of_a_batch_that_diverges_stands_and_the_others_go_on():
    # Its yaw rate is beyond all numbers.
    broken = replace(IDEAL, axle_length=1e-310)
    with pytest.raises(DivergenceError):
        driven(broken, 1.0, 2.0, 100)
    batch = RobotBatch([IDEAL, broken, IDEAL])
    batch.command(1.0, 2.0)
    for _ in range(2):
        batch.advance(50)
    assert batch.valid.tolist() == [True, False, True]
    assert np.isfinite(batch.states).all()
    assert batch.states[1].tolist() == [0.0] * batch.states.shape[1]
    alone = driven(IDEAL, 1.0, 2.0, 100)
    assert tuple(batch.states[0]) == tuple(batch.states[2]) == alone


def test_robots_of_a_batch_start_anew_by_themselves_on_any_number_of_threads():
    robots = [replace(IDEAL, max_acceleration=5.0 + index) for index in range(250)]
    found = []
    for threads in (1, 2):
        batch = RobotBatch(robots, [Pose2(1.0, 2.0, 0.5)] * 250, threads=threads)
        batch.command(3.0, np.linspace(1.0, 5.0, 250))
        batch.advance(200)
        before, mask = batch.states, np.arange(250) % 3 == 0
        batch.reset(mask)
        assert batch.states[mask].tolist() == [[1.0, 2.0, 0.5, *[0.0] * 10]] * mask.sum()
        assert np.array_equal(batch.states[~mask], before[~mask])
        # Under no command until the next one.
        batch.advance(10)
        assert (batch.states[mask][:, 3:] == 0.0).all()
        found.append(batch.states)
    assert np.array_equal(found[0], found[1])


def test_noise_of_a_batch_is_that_of_each_robot_for_itself():
    robot = replace(IDEAL, slip_noise=0.1)
    batch = RobotBatch([robot] * 500, generator=np.random.default_rng(4))
    batch.command(5.0, 5.0)
    batch.advance(400)
    angles = batch.states[:, 8]
    deviation = 0.1 / math.sqrt(3) * 5.0 * 0.001 * math.sqrt(400)
    assert angles.std() == pytest.approx(deviation, rel=0.15)
    assert angles.mean() == pytest.approx(2.0, abs=5 * deviation / math.sqrt(500))


def test_a_batch_refuses_noise_without_a_generator_and_bad_speeds():
    with pytest.raises(ParameterError, match='expected generator='):
        RobotBatch([replace(IDEAL, slip_noise=0.1)])
    with pytest.raises(ParameterError, match='there are 1 poses, expected one for each of 2'):
        RobotBatch([IDEAL] * 2, [Pose2(0.0, 0.0, 0.0)])
    batch = RobotBatch([IDEAL] * 2)
    with pytest.raises(ParameterError, match='expected finite numbers for 2 robots'):
        batch.command([1.0, math.nan], [0.0, 0.0])
    with pytest.raises((ParameterError, ValueError)):
        batch.command([1.0, 2.0, 3.0], 0.0)


# Parameters

@pytest.mark.parametrize(('values', 'expected'), [
    ({'encoder_noise': -0.5}, 'encoder_noise. is -0.5, expected -1 for no encoders'),
    ({'encoder_resolution': -0.1}, 'encoder_resolution. is -0.1, expected -1'),
    ({'axle_length': 0.0}, r'axle_length. is 0.0, expected a number in \(0'),
    ({'slip_noise': 1.5}, r'slip_noise. is 1.5, expected a number in \[0, 1\]'),
    ({'distance_sensors': [1.0, 2.0]}, 'has 2 numbers, expected three for each sensor'),
    ({'wheel_mass': 0.4}, 'less than half of'),
    ({'cog_ahead': 0.02, 'caster_ahead': -0.04}, 'between the axle and the caster'),
    ({'wheel_radios': 0.1}, 'did you mean robot.wheel_radius')])
def test_bad_parameters_are_named_with_what_was_expected(values, expected):
    with pytest.raises(ParameterError, match=expected):
        RobotParameters.from_values({f'robot.{name}': value for name, value in values.items()})


def test_the_defaults_are_those_of_the_node():
    robot = RobotParameters.from_values({})
    assert (robot.motor_consumption, robot.axle_length, robot.wheel_radius, robot.max_speed,
            robot.max_acceleration, robot.speed_unit, robot.slip_noise, robot.encoder_noise,
            robot.encoder_resolution, robot.max_force) == (
                0.0, 0.1, 0.01, 10.0, 10.0, 1.0, 0.1, -1.0, -1.0, 0.3)


@pytest.mark.parametrize('name', robot_names())
def test_every_robot_can_be_read_and_says_where_each_number_is_from(name):
    path = find_config(f'robots/{name}')
    assert RobotParameters.from_file(path).name == name
    for line in path.read_text().splitlines():
        text = line.strip()
        if ':' in text and not text.startswith(('#', '/', 'ros__', 'robot:', 'name:', 'Kp', 'PL',
                                                'epsilon', 'distance_sensors', 'body_radius: 0.0',
                                                'speed_unit')):
            assert '#' in text, line


def test_the_file_of_a_car_is_no_robot():
    with pytest.raises(ConfigurationError, match='expected those of a differential-drive robot'):
        RobotParameters.from_file(find_config('vehicles/racecar'))


def test_a_motion_that_is_not_finite_stays_where_it_was():
    robot = replace(IDEAL, axle_length=1e-9, wheel_radius=10.0, max_speed=1e6,
                    max_acceleration=1e9, encoder_resolution=1e9)
    motion = PlanarMotion(replace(robot, motor_consumption=1e308))
    motion.set_speeds(WheelSpeeds(1e6, -1e6))
    with pytest.raises(DivergenceError, match='is not finite'):
        motion.advance(100)
    assert motion.time_ns == 0
    assert motion.state.x == 0.0
