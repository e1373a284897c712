# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node driver_bridge: its services, the pedals, what it commands, the state and the lamps."""

import math
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from node_bench import command, odometry, RACECAR_DRIVER, seconds, stamp
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool

from racecar.base.errors import ParameterError
from racecar.base.types import NANOSECONDS
from racecar.driver import ControlMode
from racecar.driver.controls import Indicator, WiperMode
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.driver_bridge import DriverBridgeNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.ros.interfaces import (
    CarInfo,
    DriverCommand,
    DriverState,
    GetCarInfo,
    GetDriverState,
    LampSwitches,
    SetFloat,
    SetGear,
    SetIndicator,
    SetWiperMode,
    WheelCommand,
)
from racecar.simulation.vehicle_plant import VehiclePlant
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import make_node

pytestmark = pytest.mark.ros

MUX_INPUT = '/vesc/ackermann_cmd_mux/input/driver'
ACTIVE = '/vesc/low_level/ackermann_cmd_mux/active'
JOINTS = ('left_front_wheel_joint', 'right_front_wheel_joint', 'left_rear_wheel_joint',
          'right_rear_wheel_joint', 'left_steering_hinge_joint', 'right_steering_hinge_joint')


class Bridge:
    """The bridge alone; the test is car, clock and mux."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.drives = bench.listen(MUX_INPUT, AckermannDriveStamped)
        self.holds = bench.listen(f'{MUX_INPUT}_hold', AckermannDriveStamped)
        self.wheels = bench.listen('/vesc/wheel_command', WheelCommand)
        self.states = bench.listen('/driver/state', DriverState)
        self.node = bench.start(DriverBridgeNode, **{**RACECAR_DRIVER, **parameters})
        bench.set_clock(1.0)
        self.held_by('Driver')

    def set(self, service, value):
        return self.bench.call(f'/driver/{service}', SetFloat, value=value)

    def switch(self, service, on):
        return self.bench.call(f'/driver/{service}', SetBool, data=on)

    def gear(self, gear):
        return self.bench.call('/driver/set_gear', SetGear, gear=gear)

    def state(self):
        return self.bench.call('/driver/get_state', GetDriverState).state

    def joints(self, at, speed, angle=0.0, steering=(0.0, 0.0)):
        message = JointState(
            name=list(JOINTS), position=[angle] * 4 + list(steering),
            velocity=[speed / 0.05] * 4 + [0.0, 0.0])
        message.header.stamp = stamp(at)
        self.bench.deliver(self.node, '/joint_states', message)

    def drive(self, at, speed=0.0):
        """Let the car report a speed at a time at which the mux still speaks."""
        self.bench.set_clock(at)
        self.held_by(self.holder)
        self.report(at, speed)

    def report(self, at, speed=0.0):
        """Let the car report a speed at the present time."""
        self.joints(at, speed)
        self.bench.deliver(self.node, '/vesc/odom', odometry(at, vx=speed))

    def held_by(self, source):
        """Let the mux say who holds it."""
        self.holder = source
        self.bench.deliver(self.node, ACTIVE, String(data=source))

    def press(self, at, **what):
        message = DriverCommand(**what)
        message.header.stamp = stamp(at)
        self.bench.deliver(self.node, '/driver/command', message)


@pytest.fixture
def bridge(bench):
    return Bridge(bench)


def settings(bridge):
    """All that services may change; a text, since what is not known is not equal to itself."""
    return repr(bridge.state())


# Services

NUMBERS = {
    'set_steering_angle': ('steering_angle', (0.3, -0.3, 0.0, 1.0, -1.0), (1.01, -1.01, 1e9)),
    'set_cruising_speed': (
        'target_cruising_speed', (1.5, -1.5, 0.0, 5.0, -2.0), (5.01, -2.01, 50.0)),
    'set_throttle': ('throttle', (0.5, 0.0, 1.0), (-0.01, 1.01)),
    'set_brake_intensity': ('brake_intensity', (0.5, 0.0, 1.0), (-0.01, 1.01)),
    'set_indicator_period': ('indicator_period', (0.5, 0.01, 10.0), (0.0, -1.0, 11.0)),
}
GOOD = [(name, value) for name, (_, good, _) in NUMBERS.items() for value in good]
BAD = [(name, value) for name, (_, _, bad) in NUMBERS.items()
       for value in (*bad, math.nan, math.inf, -math.inf)]


def test_numbers_within_their_range_are_set(bridge):
    for name, value in GOOD:
        response = bridge.set(name, value)
        assert response.success, response.message
        assert f'{value:g}' in response.message
        assert getattr(bridge.state(), NUMBERS[name][0]) == pytest.approx(value)


def test_numbers_out_of_range_are_refused_and_change_nothing(bridge):
    bridge.set('set_steering_angle', 0.1)
    bridge.set('set_throttle', 0.2)
    before = settings(bridge)
    for name, value in BAD:
        response = bridge.set(name, value)
        assert not response.success
        assert repr(value) in response.message
        assert 'expected a number from' in response.message
        assert settings(bridge) == before


def test_every_gear_of_the_car_is_engaged_and_no_other(bridge):
    for gear in (-1, 0, 1):
        assert bridge.gear(gear).success
        assert bridge.state().gear == gear
    for gear in (2, -2, 2**31 - 1, -2**31):
        response = bridge.gear(gear)
        assert not response.success
        assert f'gear is {gear}, expected an integer from -1 to 1' in response.message
        assert bridge.state().gear == 1


@pytest.mark.parametrize(('service', 'service_type', 'field', 'noun', 'names'), [
    ('set_indicator', SetIndicator, 'indicator', 'indicator', Indicator),
    ('set_wiper_mode', SetWiperMode, 'mode', 'wiper_mode', WiperMode)])
def test_every_position_of_a_switch_is_set_and_no_other(
        bridge, service, service_type, field, noun, names):
    highest = max(names)
    for value in range(highest + 1):
        response = bridge.bench.call(f'/driver/{service}', service_type, **{field: value})
        assert response.success
        assert getattr(bridge.state(), noun) == value
        assert names(value).name in response.message
    for value in (highest + 1, 255):
        response = bridge.bench.call(f'/driver/{service}', service_type, **{field: value})
        assert not response.success
        assert f'{noun} is {value}, expected an integer from 0 to' in response.message
        assert getattr(bridge.state(), noun) == highest


@pytest.mark.parametrize(('service', 'noun'), [
    ('set_hazard_flashers', 'hazard_flashers'), ('set_dipped_beams', 'dipped_beams'),
    ('set_antifog_lights', 'antifog_lights'),
    ('enable_limited_slip_differential', 'limited_slip_differential'),
    ('enable_indicator_auto_disabling', 'indicator_auto_disabling')])
def test_every_switch_goes_on_and_off(bridge, service, noun):
    for on in (True, False, True):
        response = bridge.switch(service, on)
        assert response.success
        assert response.message.endswith('on' if on else 'off')
        assert getattr(bridge.state(), noun) is on


def test_constants_of_the_services_are_those_of_the_driver():
    assert (SetIndicator.Request.OFF, SetIndicator.Request.RIGHT, SetIndicator.Request.LEFT) == (
        DriverState.INDICATOR_OFF, DriverState.INDICATOR_RIGHT, DriverState.INDICATOR_LEFT)
    assert [SetWiperMode.Request.DOWN, SetWiperMode.Request.SLOW, SetWiperMode.Request.NORMAL,
            SetWiperMode.Request.FAST] == [0, 1, 2, 3]
    assert list(ControlMode) == [DriverState.UNDEFINED, DriverState.SPEED, DriverState.TORQUE]


def test_two_clients_at_once_are_both_answered(bench, bridge):
    clients = [bench.probe.create_client(SetFloat, f'/driver/{name}') for name in (
        'set_throttle', 'set_throttle', 'set_brake_intensity')]
    for client in clients:
        bench.until(client.service_is_ready)
    futures = [client.call_async(SetFloat.Request(value=value)) for value in (0.25, 0.75, 2.0)
               for client in clients]
    bench.until(lambda: all(future.done() for future in futures), 'nine answers')
    assert [future.result().success for future in futures] == [True] * 6 + [False] * 3
    assert bridge.state().throttle in (0.25, 0.75)
    assert bridge.state().brake_intensity in (0.25, 0.75)


def test_car_info_tells_what_the_car_is(bench, bridge):
    latched = bench.listen('/driver/car_info', CarInfo, qos.LATCHED)
    response = bench.call('/driver/get_car_info', GetCarInfo)
    assert (response.success, response.message) == (True, 'racecar')
    info = bench.count(latched, 1)
    assert info == response.info
    assert (info.type, info.engine_type) == (CarInfo.FOUR_BY_FOUR, CarInfo.ELECTRIC)
    assert (info.brake_model, info.brake_coefficient) == (CarInfo.COULOMB, 0.6)
    assert info.gear_count == 2
    assert list(info.gear_ratios) == [-10.0, 10.0]
    assert (info.wheelbase, info.track_front, info.track_rear, info.front_wheel_radius) == (
        pytest.approx(0.325), 0.245, 0.245, 0.05)
    assert (info.steering_angle_limit, info.speed_min, info.speed_max) == (1.0, -2.0, 5.0)


# Start

def test_a_car_whose_driven_axles_disagree_is_refused_at_start(bench):
    with pytest.raises(ParameterError, match="'vehicle.driven_axle' is 'all', expected 'front'"):
        bench.start(DriverBridgeNode, **{**RACECAR_DRIVER, 'car.type': 'traction'})


def test_gears_that_make_no_sense_are_refused_at_start(bench):
    with pytest.raises(ParameterError, match=r"'car\.gear_ratio' is \[1\.0, 2\.0\], expected"):
        bench.start(DriverBridgeNode, **{**RACECAR_DRIVER, 'car.gear_ratio': [1.0, 2.0]})


# Speed control

def test_before_the_first_throttle_or_cruising_speed_nothing_is_commanded(bridge):
    bridge.set('set_steering_angle', 0.3)
    bridge.set('set_brake_intensity', 1.0)
    bridge.gear(1)
    bridge.drive(1.0)
    bridge.drive(1.01)
    assert bridge.state().control_mode == DriverState.UNDEFINED
    bridge.set('set_cruising_speed', 0.0)
    bridge.set('set_brake_intensity', 0.0)
    bridge.drive(1.02)
    # The first of all.
    assert seconds(bridge.bench.count(bridge.drives, 1)) == pytest.approx(1.02)
    assert not bridge.wheels


def test_cruising_speed_is_ramped_from_the_speed_of_the_car(bridge):
    bridge.set('set_cruising_speed', 3.0)
    bridge.set('set_steering_angle', 0.25)
    for i in range(6):
        bridge.drive(1.0 + 0.01 * i, 0.5)
    last = bridge.bench.count(bridge.drives, 6)
    # 100 km/h in 7 s.
    ramp = 0.01 * 100.0 / 3.6 / 7.0
    assert [m.drive.speed for m in bridge.drives] == pytest.approx(
        [0.5 + i * ramp for i in range(6)], abs=1e-6)
    assert last.drive.steering_angle == pytest.approx(0.25)
    assert seconds(last) == pytest.approx(1.05)


def test_cruising_speed_is_reached_exactly_also_backwards(bridge):
    bridge.set('set_cruising_speed', -0.05)
    for i in range(6):
        bridge.drive(1.0 + 0.01 * i)
    assert bridge.bench.count(bridge.drives, 6).drive.speed == pytest.approx(-0.05)


def test_braking_suspends_the_cruising_speed_which_resumes_from_what_is_left(bridge):
    bridge.set('set_cruising_speed', 3.0)
    bridge.drive(1.0, 2.0)
    bridge.bench.count(bridge.drives, 1)
    bridge.set('set_brake_intensity', 0.5)
    bridge.drive(1.01, 2.0)
    wheels = bridge.bench.until(lambda: bridge.wheels)[-1]
    assert list(wheels.drive_torque) == [0.0] * 4
    assert list(wheels.brake_torque) == pytest.approx([0.3] * 4)
    bridge.drive(1.02, 1.0)
    bridge.set('set_brake_intensity', 0.0)
    bridge.drive(1.03, 1.0)
    assert bridge.bench.count(bridge.drives, 2).drive.speed == pytest.approx(1.0, abs=0.05)


def test_the_ramp_goes_on_from_the_speed_that_teleoperation_leaves_behind(bridge):
    bridge.set('set_cruising_speed', 3.0)
    bridge.held_by('Teleoperation')
    for i in range(5):
        bridge.drive(1.0 + 0.1 * i, 0.0)
    assert bridge.state().overruled
    bridge.held_by('Driver')
    bridge.drive(1.41, 0.0)
    assert bridge.bench.count(bridge.drives, 6).drive.speed < 0.5
    assert not bridge.state().overruled


# Torque control

def test_throttle_and_gear_give_torque_to_the_wheels(bridge):
    bridge.set('set_throttle', 0.5)
    bridge.drive(1.0)
    # In neutral there is none.
    assert list(bridge.bench.count(bridge.wheels, 1).drive_torque) == [0.0] * 4
    bridge.gear(1)
    bridge.set('set_steering_angle', 0.3)
    bridge.drive(1.01)
    message = bridge.bench.count(bridge.wheels, 2)
    # 0.275 N m * 10 in all.
    assert sum(message.drive_torque) == pytest.approx(0.5 * 2.75)
    assert list(message.bearing_damping) == pytest.approx([0.0005] * 4)
    assert message.left_front_angle > 0.3 > message.right_front_angle > 0.2
    bridge.gear(-1)
    bridge.drive(1.02)
    assert sum(bridge.bench.count(bridge.wheels, 3).drive_torque) == pytest.approx(-0.5 * 2.75)
    assert seconds(bridge.wheels[-1]) == pytest.approx(1.02)
    assert not bridge.drives


def test_viscous_brakes_are_commanded_as_damping(bench):
    bridge = Bridge(bench, **{'car.brake_model': 'viscous', 'car.brake_coefficient': 0.02})
    bridge.set('set_throttle', 0.0)
    bridge.set('set_brake_intensity', 0.5)
    bridge.drive(1.0)
    message = bench.count(bridge.wheels, 1)
    assert list(message.brake_damping) == pytest.approx([0.01] * 4)
    assert list(message.brake_torque) == [0.0] * 4


def test_wheels_are_commanded_only_while_the_driver_holds_the_mux(bridge):
    bridge.set('set_throttle', 0.5)
    for number, source in enumerate(('idle', 'Teleoperation', 'Safety', 'Navigation')):
        bridge.held_by(source)
        bridge.drive(1.0 + 0.01 * number)
        assert seconds(bridge.bench.count(bridge.holds, number + 1)) == pytest.approx(
            1.0 + 0.01 * number)
        assert bridge.state().overruled == (source != 'idle')
    bridge.held_by('Driver')
    bridge.drive(1.1)
    assert seconds(bridge.bench.count(bridge.wheels, 1)) == pytest.approx(1.1)


def test_without_the_mux_that_there_was_wheels_are_not_commanded(bench):
    bench.listened.clear()
    node = bench.start(DriverBridgeNode, **RACECAR_DRIVER)
    bench.set_clock(1.0)
    bench.deliver(node, ACTIVE, String(data='Driver'))
    bench.call('/driver/set_throttle', SetFloat, value=0.5)
    bench.send('/vesc/odom', odometry(1.0))
    bench.logged('wheels are not commanded: no command mux listens to')


def test_a_mux_that_is_silent_for_its_timeout_ends_the_wheel_commands_until_it_speaks(bridge):
    bridge.set('set_throttle', 0.5)
    bridge.drive(1.0)
    bridge.bench.set_clock(1.2)
    bridge.report(1.2)
    assert seconds(bridge.bench.count(bridge.wheels, 2)) == pytest.approx(1.2)
    bridge.bench.set_clock(1.21)
    bridge.report(1.21)
    line = bridge.bench.logged('wheels are not commanded: for 0.2 s (mux_timeout) the command mux')
    assert f'on {MUX_INPUT}_hold' in line
    bridge.drive(1.22)
    assert seconds(bridge.bench.count(bridge.wheels, 3)) == pytest.approx(1.22)
    assert len(bridge.holds) == 4


# Pedals

def test_pedals_drive_the_car(bridge):
    bridge.press(1.0, steering_angle=0.2, throttle=0.5, gear=1)
    assert bridge.state().throttle == 0.5
    bridge.drive(1.0)
    assert sum(bridge.bench.count(bridge.wheels, 1).drive_torque) == pytest.approx(0.5 * 2.75)
    assert bridge.state().control_mode == DriverState.TORQUE


@pytest.mark.parametrize(('what', 'message'), [
    ({'throttle': math.nan}, 'throttle is nan, expected a number from 0 to 1'),
    ({'throttle': 1.5}, 'throttle is 1.5, expected'), ({'brake': -0.1}, 'brake_intensity is -0.1'),
    ({'steering_angle': math.inf}, 'steering_angle is inf'), ({'gear': 7}, 'gear is 7, expected')])
def test_faulty_pedals_are_dropped_as_a_whole(bridge, what, message):
    bridge.set('set_steering_angle', 0.1)
    before = settings(bridge)
    bridge.press(1.0, **{'steering_angle': 0.2, 'throttle': 0.5, 'gear': 1, **what})
    assert message in bridge.bench.logged('driver command dropped')
    assert settings(bridge) == before


def test_old_pedals_are_dropped(bridge):
    bridge.press(0.4, throttle=0.5)
    bridge.bench.logged('driver command dropped: its stamp is 0.600 s old')
    assert bridge.state().throttle == 0.0


def test_silent_pedals_release_the_throttle_and_brake_once(bridge):
    bridge.press(1.0, throttle=0.5, gear=1)
    assert bridge.state().throttle == 0.5
    bridge.drive(1.49)
    assert bridge.state().throttle == 0.5
    bridge.drive(1.51)
    state = bridge.state()
    assert (state.throttle, state.brake_intensity) == (0.0, 1.0)
    message = bridge.bench.until(lambda: len(bridge.wheels) > 1 and bridge.wheels[-1])
    assert list(message.brake_torque) == pytest.approx([0.6] * 4)
    # Services take over; the timeout is over.
    bridge.set('set_brake_intensity', 0.0)
    bridge.set('set_throttle', 0.25)
    bridge.drive(3.0)
    assert bridge.state().throttle == 0.25
    warnings = [text for _, text in bridge.bench.logs if 'no driver command for' in text]
    assert len(warnings) == 1


def test_silent_pedals_leave_a_cruising_speed_alone(bridge):
    bridge.press(1.0, throttle=0.5, gear=1)
    assert bridge.state().throttle == 0.5
    bridge.set('set_cruising_speed', 2.0)
    bridge.drive(1.6)
    assert bridge.state().control_mode == DriverState.SPEED
    assert bridge.state().brake_intensity == 0.0
    assert seconds(bridge.bench.count(bridge.drives, 1)) == pytest.approx(1.6)


def test_unstamped_pedals_count_as_pressed_now(bridge):
    bridge.press(0.0, throttle=0.5)
    assert bridge.state().throttle == 0.5
    bridge.drive(1.4)
    assert bridge.state().throttle == 0.5


def test_a_simulator_that_starts_anew_finds_the_pedals_released(bridge):
    bridge.bench.set_clock(100.0)
    bridge.press(100.0, throttle=0.5)
    assert bridge.state().throttle == 0.5
    bridge.bench.set_clock(0.1)
    bridge.drive(0.7)
    state = bridge.state()
    assert (state.throttle, state.brake_intensity) == (0.0, 1.0)


# Odometry and joints

def test_odometry_that_is_not_finite_is_dropped(bridge):
    bridge.set('set_cruising_speed', 1.0)
    bridge.bench.send('/vesc/odom', odometry(1.0, vx=math.nan))
    bridge.bench.logged('message on /vesc/odom dropped: Odometry(')
    bridge.drive(1.01)
    assert seconds(bridge.bench.count(bridge.drives, 1)) == pytest.approx(1.01)


def test_old_odometry_is_not_answered(bridge):
    bridge.set('set_cruising_speed', 1.0)
    bridge.bench.send('/vesc/odom', odometry(0.4))
    bridge.bench.logged('odometry not used: its stamp is 0.600 s old')
    bridge.drive(1.01)
    assert seconds(bridge.bench.count(bridge.drives, 1)) == pytest.approx(1.01)


def test_joint_states_that_are_not_finite_are_dropped(bridge):
    message = JointState(name=list(JOINTS), position=[math.nan] * 6, velocity=[0.0] * 6)
    bridge.bench.send('/joint_states', message)
    bridge.bench.logged('message on /joint_states dropped')
    assert all(map(math.isnan, bridge.state().wheel_speeds))


def test_old_joint_states_are_not_used(bridge):
    bridge.set('set_throttle', 1.0)
    bridge.gear(1)
    bridge.joints(1.0, 5.0)
    bridge.bench.set_clock(2.0)
    bridge.held_by('Driver')
    bridge.bench.send('/vesc/odom', odometry(2.0, vx=0.5))
    # At 5 m/s the engine would give nothing.
    message = bridge.bench.until(lambda: bridge.wheels)[-1]
    assert sum(message.drive_torque) == pytest.approx(2.75)


def test_joint_states_of_other_joints_are_left_alone(bridge):
    bridge.bench.send('/joint_states', JointState(name=['arm'], position=[1.0]))
    bridge.joints(1.0, 0.5)
    assert list(bridge.state().wheel_speeds) == pytest.approx([10.0] * 4)


# State and lamps

def test_state_tells_what_is_wanted_and_measured(bridge):
    bridge.set('set_throttle', 0.5)
    bridge.gear(1)
    bridge.set('set_steering_angle', 0.2)
    bridge.bench.set_clock(1.01)
    bridge.joints(1.01, 1.0, angle=12.5, steering=(0.22, 0.18))
    bridge.bench.deliver(bridge.node, '/vesc/odom', odometry(1.01, vx=1.0))
    state = bridge.state()
    assert (state.control_mode, state.throttle, state.gear) == (DriverState.TORQUE, 0.5, 1)
    assert state.steering_angle == pytest.approx(0.2)
    assert (state.left_front_angle, state.right_front_angle) == (0.22, 0.18)
    assert state.speed == 1.0
    assert list(state.wheel_speeds) == pytest.approx([20.0] * 4)
    assert list(state.wheel_encoders) == [12.5] * 4
    assert state.rpm == pytest.approx(20.0 * 10.0 * 60.0 / (2.0 * math.pi))
    assert seconds(state) == pytest.approx(1.01)


def test_what_is_not_known_yet_is_nan(bridge):
    response = bridge.bench.call('/driver/get_state', GetDriverState)
    state = response.state
    assert (response.success, response.message) == (True, 'no odometry yet')
    assert all(map(math.isnan, (
        state.speed, state.rpm, state.left_front_angle, state.right_front_angle,
        *state.wheel_speeds, *state.wheel_encoders)))


def test_rpm_is_nan_while_a_cruising_speed_is_held(bridge):
    bridge.set('set_cruising_speed', 1.0)
    bridge.drive(1.01, 1.0)
    assert math.isnan(bridge.state().rpm)


def test_state_comes_fifty_times_a_second(bridge):
    del bridge.states[:]
    for i in range(1, 51):
        bridge.bench.set_clock(1.0 + 0.02 * i)
        bridge.bench.until(lambda i=i: len(bridge.states) >= i, f'state {i}')
    assert len(bridge.states) == 50


def test_lamps_are_told_when_they_are_switched_and_not_when_they_blink(bench, bridge):
    lamps = bench.listen('/driver/lamps', LampSwitches, qos.LATCHED)
    bench.until(lambda: lamps)
    assert not any((lamps[-1].front, lamps[-1].brake, lamps[-1].left_indicator))
    bridge.switch('set_dipped_beams', True)
    bridge.set('set_brake_intensity', 0.1)
    bridge.switch('set_hazard_flashers', True)
    bench.set_clock(1.04)
    bench.until(lambda: lamps[-1].brake)
    last, count = lamps[-1], len(lamps)
    assert all((last.front, last.rear, last.left_indicator, last.right_indicator))
    assert not any((last.antifog, last.backwards))
    assert last.indicator_period == 0.34
    # Over several cycles.
    for at in (1.4, 1.8, 2.2):
        states = len(bridge.states)
        bench.set_clock(at)
        bench.until(lambda states=states: len(bridge.states) > states)
    assert len(lamps) == count


def test_indicators_blink_by_simulated_time(bridge):
    bridge.bench.call('/driver/set_indicator', SetIndicator, indicator=SetIndicator.Request.LEFT)
    bridge.set('set_indicator_period', 0.5)
    for at, is_lit in ((2.1, True), (2.6, False), (3.1, True)):
        bridge.bench.set_clock(at)
        state = bridge.state()
        assert (state.left_indicator_lit, state.right_indicator_lit) == (is_lit, False)
    bridge.switch('set_hazard_flashers', True)
    assert bridge.state().right_indicator_lit


# With the car

class Car:
    """The configuration driver as it stands, in lockstep, as fast as it goes."""

    def __init__(self, bench, vehicle='racecar', **options):
        self.bench = bench
        descriptions = describe_stack('driver', StackOptions(
            vehicle=vehicle, lockstep=True, real_time_factor=0.0, **options))
        self.wheels = bench.listen('/vesc/wheel_command', WheelCommand)
        self.active = bench.listen(
            '/vesc/low_level/ackermann_cmd_mux/active', String, qos.LATCHED)
        nodes = [bench.add(make_node(d)) for d in descriptions]
        self.find(nodes)

    def find(self, nodes):
        self.bench.connect()
        self.bridge = next(n for n in nodes if isinstance(n, DriverBridgeNode))
        self.simulator = next(n for n in nodes if isinstance(n, SingleTrackSimulatorNode))
        self.mux = next(n for n in nodes if isinstance(n, AckermannMuxNode)
                        and 'low_level' in n.get_namespace())

    @property
    def plant(self):
        assert isinstance(self.simulator.plant, VehiclePlant)
        return self.simulator.plant.simulator

    @property
    def speed(self):
        return self.plant.odometry().vx

    def wait(self, seconds_):
        """Let simulated time go by."""
        end = self.plant.time_ns + round(seconds_ * 1e9)
        self.bench.until(lambda: self.plant.time_ns >= end, f'{seconds_} s')

    def set(self, service, value):
        assert self.bench.call(f'/driver/{service}', SetFloat, value=value).success

    def gear(self, gear):
        assert self.bench.call('/driver/set_gear', SetGear, gear=gear).success


@pytest.fixture
def car(bench):
    return Car(bench)


def test_time_runs_and_the_car_stands_before_anybody_drives(car):
    car.wait(1.0)
    assert car.speed == 0.0
    state = car.bench.call('/driver/get_state', GetDriverState).state
    assert state.control_mode == DriverState.UNDEFINED


def test_cruising_speed_is_reached_and_held(car):
    car.set('set_cruising_speed', 2.0)
    car.wait(3.0)
    assert car.speed == pytest.approx(2.0, abs=0.01)
    car.set('set_cruising_speed', -1.0)
    car.wait(3.0)
    assert car.speed == pytest.approx(-1.0, abs=0.01)


def test_throttle_drives_brake_stops_and_reverse_reverses(car):
    car.set('set_throttle', 0.3)
    car.gear(1)
    car.bench.until(lambda: car.speed > 1.0)
    car.set('set_throttle', 0.0)
    car.set('set_brake_intensity', 1.0)
    car.bench.until(lambda: abs(car.speed) < 1e-3)
    car.wait(0.5)
    assert abs(car.speed) < 1e-3
    car.set('set_brake_intensity', 0.0)
    car.gear(-1)
    car.set('set_throttle', 0.3)
    car.bench.until(lambda: car.speed < -0.5)


def test_steering_turns_the_car_to_the_left_in_both_modes(car):
    car.set('set_steering_angle', 0.2)
    car.set('set_cruising_speed', 1.0)
    car.bench.until(lambda: car.plant.odometry().yaw > 0.5)
    car.set('set_steering_angle', -0.2)
    car.gear(1)
    car.set('set_throttle', 0.1)
    car.bench.until(lambda: car.plant.odometry().yaw < 0.0)


def test_braking_goes_before_the_cruising_speed_which_resumes(car):
    car.set('set_cruising_speed', 2.0)
    car.bench.until(lambda: car.speed > 1.9)
    car.set('set_brake_intensity', 1.0)
    car.bench.until(lambda: abs(car.speed) < 1e-3)
    car.wait(0.5)
    assert abs(car.speed) < 1e-3
    car.set('set_brake_intensity', 0.0)
    car.bench.until(lambda: car.speed > 1.9)


def test_state_shows_the_wheels_that_the_simulator_turns(car):
    car.set('set_cruising_speed', 1.0)
    car.wait(2.0)
    state = car.bench.call('/driver/get_state', GetDriverState).state
    assert list(state.wheel_speeds) == pytest.approx([20.0] * 4, rel=0.01)
    assert list(state.wheel_encoders) == pytest.approx(
        [car.plant.odometry().x / 0.05] * 4, rel=0.05)


@pytest.mark.parametrize('source', ['teleop', 'safety'])
def test_teleoperation_and_safety_reach_the_car_past_the_throttle(bench, source):
    car = FreeCar(bench)
    car.set('set_throttle', 0.3)
    car.gear(1)
    bench.until(lambda: car.speed > 0.5)
    stick = car.speak(source, command(0.0, -0.5))
    bench.until(lambda: car.speed < -0.4, 'the car to obey')
    assert bench.call('/driver/get_state', GetDriverState).state.overruled
    number = len(car.wheels)
    car.wait(0.2)
    assert len(car.wheels) == number
    # The driver follows when the other falls silent.
    stick.cancel()
    bench.until(lambda: car.speed > 0.5, 'the driver to go on')
    assert len(car.wheels) > number


def test_navigation_does_not_reach_the_car_past_the_driver(bench):
    car = FreeCar(bench)
    car.set('set_throttle', 0.0)
    car.gear(1)
    bench.until(lambda: car.wheels, 'wheel commands')
    heard = bench.listen('/vesc/high_level/ackermann_cmd_mux/output', AckermannDriveStamped)
    car.speak('navigation', command(0.0, 2.0))
    bench.until(lambda: len(heard) > 10)
    car.wait(0.1)
    assert abs(car.speed) < 1e-3


def test_a_driver_bridge_that_hangs_leaves_a_car_that_stops(bench):
    car = FreeCar(bench)
    car.set('set_throttle', 0.3)
    car.gear(1)
    bench.until(lambda: car.speed > 0.5)
    bench.deafen(car.bridge, '/vesc/odom')
    bench.logged('no commands from Driver for 0.2 s; stopping')
    bench.until(lambda: abs(car.speed) < 1e-3)


def hang_mux(car):
    """Let the mux hang under a car that drives, and wait until the bridge notices."""
    car.set('set_throttle', 0.3)
    car.gear(1)
    car.bench.until(lambda: car.speed > 0.5)
    # Its topics stay in the graph, as those of a process that is stopped or was killed.
    car.bench.executor.remove_node(car.mux)
    car.bench.logged('wheels are not commanded: for 0.2 s (mux_timeout) the command mux')


def test_a_command_mux_that_hangs_leaves_a_car_that_stops(bench):
    car = FreeCar(bench)
    hang_mux(car)
    bench.until(lambda: abs(car.speed) < 1e-3)


def test_in_lockstep_nothing_answers_for_a_command_mux_that_hangs(bench):
    car = Car(bench, overrides={'single_track_simulator': {'lockstep_deadline': 0.5}})
    hang_mux(car)
    number = len(car.wheels)
    bench.logged('lockstep: no command stamped')
    assert len(car.wheels) == number


class FreeCar(Car):
    """The same at half the speed of real time, without lockstep."""

    def __init__(self, bench):
        self.bench = bench
        self.wheels = bench.listen('/vesc/wheel_command', WheelCommand)
        self.active = bench.listen(
            '/vesc/low_level/ackermann_cmd_mux/active', String, qos.LATCHED)
        nodes = [bench.add(make_node(d)) for d in describe_stack('driver', StackOptions(
            real_time_factor=0.5))]
        self.find(nodes)

    def speak(self, source, message):
        """Command by another input of the mux, 20 times a second, until the timer is cancelled."""
        topic = f'/vesc/ackermann_cmd_mux/input/{source}'
        self.bench.send(topic, message)
        publisher = self.bench.publishers[topic, type(message)]
        return self.bench.probe.create_timer(0.05, lambda: publisher.publish(message))


def test_two_runs_in_lockstep_are_the_same_bytes():
    from node_bench import Bench

    runs = []
    for _ in range(2):
        with Bench() as bench:
            wheels: list[Any] = []
            bench.probe.create_subscription(
                WheelCommand, '/vesc/wheel_command', wheels.append, qos.STATE, raw=True)
            states: list[Any] = []
            bench.probe.create_subscription(
                DriverState, '/driver/state', states.append, qos.STATE, raw=True)
            descriptions = describe_stack('driver', StackOptions(
                lockstep=True, real_time_factor=0.0, end_time=1.0))
            nodes = [make_node(d) for d in descriptions]
            # Before the first tick, so that both runs begin alike: nobody else works yet.
            bench.add(next(n for n in nodes if isinstance(n, DriverBridgeNode)))
            for service, value in (('set_throttle', 0.4), ('set_steering_angle', 0.2)):
                assert bench.call(f'/driver/{service}', SetFloat, value=value).success
            assert bench.call('/driver/set_gear', SetGear, gear=1).success
            for node in nodes:
                if node not in bench.nodes:
                    bench.add(node)
            simulator = next(n for n in nodes if isinstance(n, SingleTrackSimulatorNode))
            bench.until(lambda simulator=simulator: simulator.finished, 'the end')
            bench.until(lambda wheels=wheels: len(dict.fromkeys(wheels)) >= 101, 'all commands')
            assert simulator.plant.time_ns == NANOSECONDS
            assert isinstance(simulator.plant, VehiclePlant)
            runs.append((list(dict.fromkeys(wheels)), list(dict.fromkeys(states)),
                         simulator.plant.simulator.state,
                         simulator.plant.simulator.wheel_rotations))
    assert runs[0] == runs[1]
    assert runs[0][2][0] > 0.5
    assert len(runs[0][1]) == 51


@pytest.mark.parametrize('vehicle', ['bmw_x5', 'tesla_model3'])
def test_other_cars_drive_too(bench, vehicle):
    car = Car(bench, vehicle)
    car.gear(1)
    car.set('set_throttle', 0.2)
    car.bench.until(lambda: car.speed > 3.0)
    car.set('set_throttle', 0.0)
    car.set('set_brake_intensity', 0.5)
    car.bench.until(lambda: abs(car.speed) < 0.01)
