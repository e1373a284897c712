# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The class DifferentialWheels of both eras: worked numbers of the seeds, every call, warnings."""

from dataclasses import replace
import math

import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_robot
from racecar.base.types import Pose2
from racecar.differential import (
    DifferentialWheels,
    DifferentialWheels2002,
    DifferentialWheelsWarning,
    RobotParameters,
)

QUIET = RobotParameters.from_values({
    'robot.slip_noise': 0.0, 'robot.encoder_noise': 0.0, 'robot.encoder_resolution': 100.0,
    'robot.max_acceleration': 1e6, 'robot.max_speed': 100.0})
OLD = replace(QUIET, speed_unit=0.1)

# A box 2 cm ahead of the sensor ds2 of the khepera, and a red one behind it.
BOX = """boxes:
- {{x: 0.147, y: 0.0, length: 0.2, width: 1.0, colour: {}}}
- {{x: 0.347, y: 0.0, length: 0.2, width: 1.0, colour: [1, 0, 0]}}
"""


# The numbers of the documents

def test_speed_20_turns_a_wheel_of_2002_at_2_rad_in_a_second():
    robot = DifferentialWheels2002(OLD)
    robot.set_speed(20, 20)
    for _ in range(10):
        assert robot.step(64) == 0
    assert robot.robot.state.twist.vx == pytest.approx(2.0 * 0.01)


def test_400_for_64_ms_counts_25_then_51():
    robot = DifferentialWheels2002(OLD)
    robot.enable_encoders(64)
    robot.set_speed(400, -400)
    robot.step(64)
    assert (robot.get_left_encoder(), robot.get_right_encoder()) == (25, -25)
    robot.step(64)
    assert (robot.get_left_encoder(), robot.get_right_encoder()) == (51, -51)
    assert isinstance(robot.get_left_encoder(), int)
    robot.set_encoders(0, 5)
    assert (robot.get_left_encoder(), robot.get_right_encoder()) == (0, 5)
    robot.step(64)
    assert (robot.get_left_encoder(), robot.get_right_encoder()) == (25, -20)


def test_a_turn_counts_628_with_a_resolution_of_100():
    robot = DifferentialWheels(QUIET, basic_time_step=10)
    robot.enableEncoders(10)
    robot.setSpeed(2.0 * math.pi, 0.0)
    robot.step(1000)
    assert robot.getLeftEncoder() == pytest.approx(628.3, abs=0.1)


def test_a_robot_of_2002_without_a_file_has_the_unit_of_its_time():
    assert DifferentialWheels2002().robot.getSpeedUnit() == 0.1
    assert DifferentialWheels().getSpeedUnit() == 1.0


# Calls

def test_a_speed_takes_effect_with_the_next_step():
    robot = DifferentialWheels(QUIET)
    assert math.isnan(robot.getLeftSpeed())
    assert math.isnan(robot.getRightSpeed())
    robot.setSpeed(3.0, 4.0)
    assert (robot.getLeftSpeed(), robot.getRightSpeed()) == (3.0, 4.0)
    assert robot.state.pose.x == 0.0
    robot.step()
    assert robot.state.twist.vx == pytest.approx(0.035)
    assert robot.getTime() == pytest.approx(0.032)
    assert robot.getBasicTimeStep() == 32.0
    assert robot.getMaxSpeed() == 100.0


def test_every_name_of_the_c_functions_is_there():
    robot = DifferentialWheels(QUIET)
    robot.set_speed(1.0, 2.0)
    robot.enable_encoders(32)
    robot.step()
    assert robot.get_left_speed() == 1.0
    assert robot.get_right_speed() == 2.0
    assert robot.get_left_encoder() == pytest.approx(3.2)
    assert robot.get_right_encoder() == pytest.approx(6.4)
    robot.set_encoders(10.5, -1.0)
    assert robot.get_left_encoder() == 10.5
    assert robot.get_encoders_sampling_period() == 32
    robot.disable_encoders()
    assert robot.get_encoders_sampling_period() == 0
    assert (robot.get_max_speed(), robot.get_speed_unit()) == (100.0, 1.0)


def test_a_speed_beyond_the_largest_is_clamped_and_said_so():
    robot = DifferentialWheels(QUIET)
    with pytest.warns(DifferentialWheelsWarning, match='beyond max_speed 100 rad/s: clamped'):
        robot.setSpeed(-200.0, 50.0)
    robot.step()
    assert robot.state.twist.wz == pytest.approx((50.0 + 100.0) * 0.01 / 0.1)


def test_encoders_are_read_at_their_period():
    robot = DifferentialWheels(QUIET)
    robot.enableEncoders(96)
    robot.setSpeed(1.0, 1.0)
    found = []
    for _ in range(6):
        robot.step()
        found.append(robot.getLeftEncoder())
    assert found == pytest.approx([0.0, 0.0, 9.6, 9.6, 9.6, 19.2])


def test_disabled_encoders_give_the_last_count_with_a_warning():
    robot = DifferentialWheels(QUIET)
    with pytest.warns(DifferentialWheelsWarning, match='not enabled'):
        assert robot.getLeftEncoder() == 0.0
    robot.enableEncoders(32)
    robot.setSpeed(1.0, 1.0)
    robot.step()
    robot.disableEncoders()
    robot.step()
    with pytest.warns(DifferentialWheelsWarning, match='enableEncoders'):
        assert robot.getLeftEncoder() == pytest.approx(3.2)


def test_a_robot_without_encoders_says_why():
    with pytest.warns(DifferentialWheelsWarning, match='encoder_resolution is -1'):
        DifferentialWheels().enableEncoders(32)


def test_step_ends_with_minus_one():
    robot = DifferentialWheels(QUIET, duration=0.1)
    answers = [robot.step() for _ in range(6)]
    assert answers == [0, 0, 0, 0, -1, -1]


@pytest.mark.parametrize(('call', 'expected'), [
    (lambda robot: robot.setSpeed(math.nan, 1.0), 'expected numbers in units of 1 rad/s'),
    (lambda robot: robot.setEncoders(math.inf, 1.0), 'expected finite numbers'),
    (lambda robot: robot.enableEncoders(-32), 'expected a multiple of the basic time step, 32'),
    (lambda robot: robot.enableEncoders(33), 'sampling period is 33 ms'),
    (lambda robot: robot.step(50), 'step is 50 ms, expected a multiple'),
    (lambda robot: robot.step(0), 'step is 0 ms'),
    (lambda robot: robot.getDistanceSensor('ds0'), 'no distance sensor .ds0., expected one'),
    (lambda robot: DifferentialWheels2002(OLD).set_speed(40000, 0), 'from -32768 to 32767'),
    (lambda robot: DifferentialWheels2002(OLD).set_speed(1.5, 0),  # type: ignore[arg-type]
     'left is 1.5, expected a whole'),
    (lambda robot: DifferentialWheels2002(OLD).set_encoders(0, 2**31), 'right is 2147483648'),
    (lambda robot: DifferentialWheels(QUIET, mode='magic'), 'expected one of kinematics, phys'),
    (lambda robot: DifferentialWheels(QUIET, duration=0.0), 'expected a positive number'),
    (lambda robot: DifferentialWheels(QUIET, basic_time_step=0), 'whole number of ms')])
def test_what_cannot_be_is_refused_in_one_line(call, expected):
    with pytest.raises(ParameterError, match=expected) as caught:
        call(DifferentialWheels(QUIET))
    assert '\n' not in str(caught.value)


def test_a_robot_that_is_not_there_is_named():
    with pytest.raises(
            ConfigurationError, match="'tank' is neither a file nor one of khepera, pioneer"):
        DifferentialWheels('tank')


# Sensors

@pytest.mark.parametrize('mode', ['kinematics', 'world'])
def test_a_distance_sensor_sees_a_wall_within_its_range(mode):
    # The wall of the arena is at x = 1.5 m; ds2 looks ahead from 27 mm, 7.5 mm to the left.
    robot = DifferentialWheels('khepera', mode=mode, world='arena', pose=Pose2(1.453, 0.1, 0.0))
    front, back = robot.getDistanceSensor('ds2'), robot.getDevice('ds6')
    assert math.isnan(front.getValue())
    for sensor in (front, back):
        sensor.enable(64)
    assert front.getSamplingPeriod() == 64
    robot.step(32)
    assert math.isnan(front.getValue())
    robot.step(32)
    assert front.distance() == pytest.approx(0.02, abs=1e-4)
    # The wall is grey, with 0.7 of red: 0.2 + 0.8 * 0.7 of the light comes back.
    assert front.getValue() == pytest.approx(1023.0 * (1.0 - 0.02 / 0.76 / 0.05), rel=0.03)
    assert back.getValue() == 0.0
    front.disable()
    assert front.getSamplingPeriod() == 0
    assert (front.getMinValue(), front.getMaxValue()) == (0.0, 1023.0)


@pytest.mark.parametrize(('kind', 'things', 'expected'), [
    # What is 0.02 m ahead counts as 0.02 / (0.2 + 0.8 red), what is behind it as nothing.
    ('infra-red', BOX.format([1, 0, 0]), 0.6),
    ('infra-red', BOX.format([0.5, 1, 1]), 1.0 - 0.4 / 0.6),
    ('infra-red', BOX.format([0, 1, 1]), 0.0),
    ('generic', BOX.format([0, 1, 1]), 0.6),
    ('infra-red', 'walls: [{points: [[0.057, -1], [0.057, 1]], colour: [0.5, 0, 0]}]', 1 / 3),
    ('infra-red', 'cones: [{x: 0.077, y: 0.0075, base: 0.1, height: 9, colour: [0.5, 0, 0]}]',
     1 / 3),
    ('infra-red', 'boards: [{x: 0.052, y: 0, width: 1, marker: 1, colour: [0.5, 0, 0]}]', 1 / 3),
])
def test_infra_red_sensors_see_less_of_what_has_less_red(tmp_path, kind, things, expected):
    robot = replace(RobotParameters.from_file(find_robot('khepera')), distance_sensor_type=kind)
    path = tmp_path / 'world.yaml'
    path.write_text(things)
    wheels = DifferentialWheels(robot, world=str(path), seed=1)
    sensor = wheels.getDistanceSensor('ds2')
    sensor.enable(32)
    wheels.step(32)
    assert sensor.distance() == pytest.approx(0.02, abs=2e-4)
    # The noise is 1 % of the distance's share.
    assert sensor.getValue() == pytest.approx(1023.0 * expected, abs=15.0)


def test_a_wall_stops_a_robot_in_the_plane_and_in_the_world_at_the_same_place(tmp_path):
    path = tmp_path / 'wall.yaml'
    path.write_text('walls:\n  - {points: [[1.5, -1], [1.5, 1]], height: 0.1}\n')
    stopped = []
    for mode in ('kinematics', 'physics', 'world'):
        robot = DifferentialWheels('khepera', mode=mode, world=path, pose=Pose2(1.4, 0.0, 0.0))
        robot.setSpeed(10.0, 10.0)
        robot.step(6400)
        stopped.append(robot.state.pose.x)
    assert stopped == pytest.approx([stopped[0]] * 3, abs=1e-3)


def test_a_robot_at_the_wall_counts_a_contact_and_its_encoders_stand():
    robot = DifferentialWheels('khepera', world='arena', pose=Pose2(1.4, 0.1, 0.0))
    robot.enableEncoders(32)
    robot.setSpeed(30.0, 30.0)
    robot.step(3200)
    stood = robot.getLeftEncoder(), robot.getRightEncoder()
    robot.step(320)
    assert (robot.getLeftEncoder(), robot.getRightEncoder()) == stood
    assert robot.contacts == 1
