# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wheel commands of the simulator: torques, brakes and angles of every wheel."""

import math
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, WHEEL_NAMES, WheelCommand
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
NONE = (0.0,) * 4


def simulator(vehicle_model='double_track', **values):
    return make_simulator(TABLE.resolve({
        **load_parameter_file(FILE, 'any_node'), 'vehicle_model': vehicle_model, **values}))


def wheels(drive=NONE, brake=NONE, brake_damping=NONE, damping=NONE, angles=(0.0, 0.0)):
    left, right = angles
    return WheelCommand(left, right, drive, brake, brake_damping, damping)


def drive(sim, command, ticks):
    sim.set_wheel_command(command)
    for _ in range(ticks):
        sim.tick()
    return sim


def test_torques_drive_and_a_brake_stops_and_holds_the_car():
    sim = drive(simulator(), wheels(drive=(0.05,) * 4), 100)
    # Four wheels of 0.05 m and 0.05 N m on 5.7 kg; their own inertia takes a little.
    assert sim.odometry().vx == pytest.approx(4 * 0.05 / 0.05 / 5.69 * 1.0, rel=0.2)
    drive(sim, wheels(brake=(0.3,) * 4), 200)
    assert sim.odometry().vx == pytest.approx(0.0, abs=1e-6)
    assert sim.wheel_speeds == pytest.approx(NONE, abs=1e-6)


def test_negative_torques_drive_backwards():
    assert drive(simulator(), wheels(drive=(-0.05,) * 4), 100).odometry().vx < -0.5


@pytest.mark.parametrize('kind', ['damping', 'brake_damping'])
def test_damping_slows_the_car_down(kind):
    free = drive(drive(simulator(), wheels(drive=(0.05,) * 4), 100), wheels(), 50)
    damped = drive(drive(simulator(), wheels(drive=(0.05,) * 4), 100),
                   wheels(**{kind: (0.01,) * 4}), 50)
    assert 0.0 < damped.odometry().vx < 0.8 * free.odometry().vx


def test_each_wheel_turns_by_itself_and_its_rotation_is_the_integral_of_its_speed():
    sim = drive(simulator(), wheels(drive=(0.0, 0.0, 0.3, 0.1)), 0)
    before, total = sim.wheel_speeds, [0.0] * 4
    for _ in range(50):
        sim.tick()
        total = [sum_ + 0.005 * (a + b) for sum_, a, b in zip(
            total, before, sim.wheel_speeds, strict=True)]
        before = sim.wheel_speeds
    assert sim.wheel_rotations == pytest.approx(total)
    left_rear, right_rear = sim.wheel_rotations[2:]
    assert left_rear > right_rear > sim.wheel_rotations.right_front > 0.0
    assert sim.wheel_speeds == tuple(state.speed for state in sim.wheels())


def test_rolling_wheels_measure_the_distance():
    sim = simulator()
    sim.set_command(AckermannCommand(1.0, 0.0))
    for _ in range(300):
        sim.tick()
    distance = sim.odometry().x
    assert distance > 2.0
    assert [angle * 0.05 for angle in sim.wheel_rotations] == pytest.approx(
        [distance] * 4, rel=0.01)


def test_steering_angles_are_those_commanded_or_those_of_ackermann():
    sim = simulator()
    sim.set_command(AckermannCommand(0.0, 0.3))
    left, right = sim.steering_angles
    assert left > 0.3 > right
    half = 0.5 * 0.245 / 0.325
    assert 1.0 / math.tan(left) == pytest.approx(1.0 / math.tan(0.3) - half)
    assert 1.0 / math.tan(right) == pytest.approx(1.0 / math.tan(0.3) + half)
    sim.set_wheel_command(wheels(angles=(left, right)))
    assert sim.steering_angles == pytest.approx((left, right))
    assert sim.command.steering_angle == pytest.approx(0.3)
    sim.set_wheel_command(wheels(angles=(-0.2, -0.1)))
    assert sim.steering_angles == (-0.2, -0.1)
    # Stopping holds the steering.
    sim.stop()
    assert sim.command.steering_angle < -0.1
    assert sim.command.speed == 0.0


def test_steering_angles_are_clamped_to_the_limits_of_the_vehicle():
    sim = simulator()
    sim.set_command(AckermannCommand(0.0, 1.0))
    left, right = sim.steering_angles
    sim.set_wheel_command(wheels(angles=(3.0, 3.0)))
    assert sim.steering_angles == pytest.approx((left, right))
    sim.set_wheel_command(wheels(angles=(-3.0, -3.0)))
    assert sim.steering_angles == pytest.approx((-right, -left))


def test_the_last_kind_of_command_governs():
    sim = drive(simulator(), wheels(drive=(0.1,) * 4), 50)
    sim.set_command(AckermannCommand(0.0, 0.0))
    for _ in range(100):
        sim.tick()
    assert sim.odometry().vx == pytest.approx(0.0, abs=0.01)
    assert drive(sim, wheels(drive=(0.1,) * 4), 50).odometry().vx > 0.3


@pytest.mark.parametrize(('command', 'message'), [
    (wheels(drive=(0.0, math.nan, 0.0, 0.0)), r'drive \(0\.0, nan, 0\.0, 0\.0\), expected finite'),
    (wheels(angles=(math.inf, 0.0)), 'left_angle inf, expected finite'),
    (wheels(brake=(0.0, 0.0, 0.0, -1.0)), r'brake \(.*-1\.0\), expected numbers of at least 0'),
    (wheels(brake_damping=(-1.0, 0.0, 0.0, 0.0)), 'brake_damping'),
    (wheels(damping=(-1.0, 0.0, 0.0, 0.0)), 'damping'),
    (wheels(damping=(0.0, 0.0, 0.0, 1.5)),
     r'damping \(.*1\.5\), expected numbers within \[0, 0\.20613\] N m s/rad for wheels of'),
    (wheels(drive=(0.0, -50.0, 0.0, 0.0)),
     r'drive \(.*-50\.0, .*expected torques within \[-41\.226, 41\.226\] N m for wheels of')])
def test_what_cannot_be_is_refused_and_changes_nothing(command, message):
    sim = drive(simulator(), wheels(drive=(0.05,) * 4), 10)
    with pytest.raises(ParameterError, match=message):
        sim.set_wheel_command(command)
    same = drive(simulator(), wheels(drive=(0.05,) * 4), 11)
    sim.tick()
    assert sim.state == same.state


EXTREMES = st.builds(
    wheels,
    **{name: st.tuples(*[st.sampled_from(numbers)] * 4) for name, numbers in {
        'drive': (-41.2, 0.0, 41.2), 'damping': (0.0, 0.001, 0.206), 'brake': (0.0, 0.6, 1e308),
        'brake_damping': (0.0, 0.6, 1e308)}.items()},
    angles=st.tuples(*[st.sampled_from((-1e300, -0.3, 0.0, 0.3, 1e300))] * 2))


@pytest.mark.parametrize('tyre_model', ['fiala', 'linear', 'pacejka'])
@settings(deadline=None, max_examples=30)
@given(commands=st.lists(EXTREMES, min_size=1, max_size=4))
@example(commands=[wheels(drive=(41.2,) * 4)])
@example(commands=[wheels(drive=(-41.2,) * 4, angles=(0.3, 0.3)), wheels()])
@example(commands=[wheels(damping=(0.206,) * 4)])
def test_no_command_within_the_ranges_brings_the_time_to_a_stand(tyre_model, commands):
    sim = simulator(tyre_model=tyre_model)
    sim.set_command(AckermannCommand(5.0, 0.2))
    for _ in range(100):
        sim.tick()
    for command in commands:
        # Far longer than any timeout; a divergence raises.
        drive(sim, command, 600)
    sim.set_command(AckermannCommand(0.0, 0.0))
    for _ in range(200):
        sim.tick()
    assert sim.time_ns == (300 + 600 * len(commands)) * sim.period_ns


def test_torque_drives_no_wheel_beyond_five_times_the_highest_speed():
    sim = drive(simulator(), wheels(drive=(0.0, 0.0, 2.0, 2.0)), 300)
    assert sim.wheel_speeds[2:] == pytest.approx((5.0 * 5.0 / 0.05,) * 2, rel=0.01)
    before = sim.wheel_speeds
    # Backwards it works, and the brake does.
    assert drive(sim, wheels(drive=(0.0, 0.0, -2.0, 0.0)), 5).wheel_speeds[2] < before[2] - 1.0
    assert drive(sim, wheels(brake=(0.0, 0.0, 0.0, 2.0)), 5).wheel_speeds[3] < before[3] - 1.0


@pytest.mark.parametrize('name', ['single_track', 'kinematic_bicycle', 'single_track_force'])
def test_a_model_without_wheels_names_the_remedy(name):
    with pytest.raises(ConfigurationError, match='set vehicle_model to double_track'):
        simulator(name).set_wheel_command(wheels())


def test_actuators_go_with_drive_commands_only():
    sim = simulator(**{'actuators.speed_lag': 0.1})
    with pytest.raises(ConfigurationError, match=r'switch off actuators\.\*'):
        sim.set_wheel_command(wheels())


def test_wheels_of_a_car_with_a_drive_force_roll_at_its_speed():
    sim = simulator('single_track_force')
    sim.set_command(AckermannCommand(2.0, 0.0))
    for _ in range(20):
        sim.tick()
    odometry = sim.odometry()
    assert 0.1 < odometry.vx < 1.99
    assert sim.wheel_speeds == pytest.approx((odometry.vx / 0.05,) * 4)
    assert sim.wheel_rotations == pytest.approx((odometry.x / 0.05,) * 4, rel=1e-3)


def test_reset_turns_the_wheels_back():
    sim = drive(simulator(), wheels(drive=(0.05,) * 4, angles=(0.1, 0.1)), 20)
    sim.reset()
    assert (*sim.wheel_rotations, *sim.wheel_speeds, *sim.steering_angles) == (0.0,) * 10
    assert len(sim.wheel_rotations) == len(WHEEL_NAMES)
