# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driver bridge: steering wheel, pedals, gears and lamps of a car as services and topics."""

from __future__ import annotations

from typing import Unpack

from ackermann_msgs.msg import AckermannDriveStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from racecar.base.errors import MessageError, ParameterError
from racecar.base.last_stamp import effective_stamp
from racecar.base.types import LampSwitches, NANOSECONDS, Odometry
from racecar.catalogue import node_names
from racecar.catalogue.tables.driving import DRIVER_BRIDGE
from racecar.driver import ControlMode
from racecar.driver.bridge import DriverBridge, Pedals, WheelReadings
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.nodes.shared.driver_messages import (
    car_info,
    driver_state,
    read_wheels,
    UNKNOWN,
)
from racecar.nodes.shared.driver_services import create_driver_services
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.codecs.lamp_switches import lamp_switches_template
from racecar.ros.codecs.wheel_command import wheel_command_template
from racecar.ros.freshness import staleness
from racecar.ros.interfaces import (
    CarInfo,
    DriverCommand,
    DriverState,
    GetCarInfo,
    GetDriverState,
    WheelCommand,
)
from racecar.ros.interfaces import (
    LampSwitches as LampSwitchesMessage,
)
from racecar.ros.lockstep import AnswerPublisher
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.odometry import follow_odometry
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE
from racecar.ros.wire import check_stamp


class DriverBridgeNode(TableNode):
    """Drives a car by what a driver has at hand, after the ROS interface of Webots, in SI units.

    Services below driver/: set_steering_angle [rad, left positive], set_cruising_speed [m/s],
    set_throttle, set_brake_intensity [0 to 1], set_indicator_period [s] (SetFloat); set_gear
    (SetGear), set_indicator (SetIndicator), set_wiper_mode (SetWiperMode), set_hazard_flashers,
    set_dipped_beams, set_antifog_lights, enable_limited_slip_differential,
    enable_indicator_auto_disabling (std_srvs/SetBool), get_state (GetDriverState), get_car_info
    (GetCarInfo), all of racecar_interfaces. What is out of range is refused and changes nothing.
    Subscribes: driver/command (racecar_interfaces/DriverCommand: pedals for continuous driving),
    vesc/odom (nav_msgs/Odometry), joint_states (sensor_msgs/JointState: the wheels),
    vesc/low_level/ackermann_cmd_mux/active (std_msgs/String, latched: who holds the mux; the mux
    answers each driver_hold with it).
    Publishes: driver/state (racecar_interfaces/DriverState), driver/car_info (CarInfo, latched),
    driver/lamps (LampSwitches, latched, when a switch changes; in lockstep with each odometry),
    and one command for each odometry, with its stamp: vesc/ackermann_cmd_mux/input/driver
    (ackermann_msgs/AckermannDriveStamped) while a cruising speed is held; vesc/wheel_command
    (racecar_interfaces/WheelCommand) under throttle or brake, past the mux. So that teleoperation
    and safety go first all the same, vesc/ackermann_cmd_mux/input/driver_hold then holds the mux,
    and wheels are commanded only while the mux says that the driver holds it, and has said so
    within mux_timeout.
    Before the first throttle or cruising speed nothing is commanded; in lockstep, speed 0.
    Parameters: racecar.catalogue.tables.driving.DRIVER_BRIDGE.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for a car that cannot be driven."""
        super().__init__(node_names.DRIVER_BRIDGE, DRIVER_BRIDGE, **options)
        values = self.values
        self._lockstep: bool = values['lockstep']
        vehicle = VehicleParameters.from_values(values)
        car = CarParameters.from_values(values)
        self._bridge = DriverBridge(car, vehicle, values['mux_source'])
        self._answered = True
        self._waiting: bytes | None = None
        self._lamps: LampSwitches | None = None
        self._state_number = -1

        self._create_publishers()
        self._info = car_info(car, vehicle)
        self._info_publisher.publish(self._info)
        create_driver_services(self, self._bridge)
        self.create_service(GetDriverState, 'driver/get_state', self._on_get_state)
        self.create_service(GetCarInfo, 'driver/get_car_info', self._on_get_car_info)
        self.create_subscription(String, topics.MUX_ACTIVE, self._on_mux_active, qos.LATCHED)
        self.create_subscription(
            DriverCommand, topics.DRIVER_PEDALS, self._on_driver_command, qos.COMMAND)
        # Before the odometry, for which a simulator waits.
        subscribe_raw(
            self, JointState, topics.JOINT_STATES, read_wheels, self._on_wheels, qos.STATE)
        follow_odometry(self, self._on_odometry, lockstep=self._lockstep)
        self._state_watch = None if self._lockstep else self.watch_time(
            1.0 / values['state_rate'], self._on_state_due)

    def waits_for(self) -> str:
        """Which topic is silent, or what the driver may do."""
        if self._bridge.odometry is None:
            return f'waiting for odometry on {self.resolve_topic_name(topics.ODOMETRY)}'
        if self._bridge.controls.mode == ControlMode.UNDEFINED:
            command = self.resolve_topic_name(topics.DRIVER_PEDALS)
            return (f'waiting for the driver: call {self.resolve_service_name("driver/set_gear")}'
                    f' and {self.resolve_service_name("driver/set_throttle")}, or publish on'
                    f' {command}')
        return ''

    def _create_publishers(self) -> None:
        self._drive = command_template(self.base_link)
        self._wheels = wheel_command_template(self.base_link)
        self._drive_publisher = AnswerPublisher(
            self, AckermannDriveStamped, topics.DRIVER_COMMAND, qos.COMMAND, self._lockstep)
        self._hold_publisher = AnswerPublisher(
            self, AckermannDriveStamped, topics.DRIVER_HOLD, qos.COMMAND, self._lockstep)
        self._wheel_publisher = AnswerPublisher(
            self, WheelCommand, topics.WHEEL_COMMAND, qos.COMMAND, self._lockstep)
        self._state_publisher = self.create_publisher(DriverState, topics.DRIVER_STATE, qos.STATE)
        self._switches = lamp_switches_template(self.base_link)
        self._lamp_publisher = AnswerPublisher(
            self, LampSwitchesMessage, topics.DRIVER_LAMPS, qos.LATCHED, self._lockstep)
        self._info_publisher = self.create_publisher(CarInfo, topics.DRIVER_CAR_INFO, qos.LATCHED)

    def on_values_changed(self, changed: set[str]) -> None:
        """Apply another rate of the state at once; timeouts are looked up where they count."""
        if 'state_rate' in changed and self._state_watch is not None:
            self._state_watch.set_period(1.0 / self.values['state_rate'])

    def on_time_went_back(self) -> None:
        """Forget what was heard before; pedals that were pressed come to their timeout."""
        self._bridge.forget_times()

    def _now_ns(self) -> int:
        if self._lockstep:
            odometry = self._bridge.odometry
            return 0 if odometry is None else odometry.time_ns
        return self.now_ns()

    # Services

    def _on_get_state(
            self, _: GetDriverState.Request,
            response: GetDriverState.Response) -> GetDriverState.Response:
        now_ns = self._now_ns()
        response.success = True
        odometry = self._bridge.odometry
        response.message = 'no odometry yet' if odometry is None else (
            f'odometry is {(now_ns - odometry.time_ns) / NANOSECONDS:.3f} s old')
        response.state = self._make_state(now_ns)
        return response

    def _on_get_car_info(
            self, _: GetCarInfo.Request, response: GetCarInfo.Response) -> GetCarInfo.Response:
        response.success = True
        response.message = self._info.name
        response.info = self._info
        return response

    # Pedals

    def _on_driver_command(self, message: DriverCommand) -> None:
        now_ns = self._now_ns()
        stamp = message.header.stamp
        try:
            stamp_ns = check_stamp(stamp.sec, stamp.nanosec)
            reason = staleness(stamp_ns, now_ns, self.values['command_timeout'])
            if reason is None:
                self._bridge.press(
                    Pedals(message.steering_angle, message.throttle, message.brake, message.gear),
                    effective_stamp(stamp_ns, now_ns))
        except (MessageError, ParameterError) as error:
            reason = str(error)
        if reason is not None:
            self.diagnostics.count('driver commands dropped')
            self.get_logger().error(
                f'driver command dropped: {reason}', throttle_duration_sec=THROTTLE)

    def _release_silent_pedals(self, now_ns: int) -> None:
        timeout = self.values['command_timeout']
        if self._bridge.release_silent_pedals(now_ns, timeout):
            self.get_logger().warning(
                f'no driver command for {timeout:g} s: the throttle is released and the car brakes'
                ' until the next, or until driver/set_brake_intensity')

    # What the car does

    def _on_mux_active(self, message: String) -> None:
        self._bridge.hear_mux(message.data)
        if self._waiting is not None and self._may_command_wheels():
            self._wheel_publisher.publish(self._waiting)
            self._waiting = None

    def _on_wheels(self, wheels: WheelReadings | None) -> None:
        if wheels is None:
            return
        self._bridge.wheels = wheels
        if self._lockstep:
            self._answer_pair()

    def _on_odometry(self, odometry: Odometry) -> None:
        self._bridge.odometry = odometry
        if self._lockstep:
            self._answered = False
            self._answer_pair()
            return
        stale = staleness(odometry.time_ns, self._now_ns(), self.values['odometry_timeout'])
        if stale is not None:
            self.diagnostics.count('odometry dropped')
            self.get_logger().error(
                f'odometry not used: {stale}', throttle_duration_sec=THROTTLE)
            return
        self._answer(odometry)

    def _answer_pair(self) -> None:
        """Answer a tick of lockstep once both odometry and wheels are there."""
        odometry = self._bridge.odometry
        if self._answered or odometry is None or not self._bridge.is_paired:
            return
        self._answered = True
        # By simulated time and not by a timer, so that two runs publish the same.
        number = int(odometry.time_ns * self.values['state_rate'] / NANOSECONDS)
        if number != self._state_number:
            self._state_number = number
            self._publish_state(odometry.time_ns)
        self._answer(odometry)

    def _answer(self, odometry: Odometry) -> None:
        """Command what the driver wants."""
        self._release_silent_pedals(odometry.time_ns)
        stamp = divmod(odometry.time_ns, NANOSECONDS)
        self._waiting = None
        self._publish_lamps(odometry.time_ns)
        answer = self._bridge.answer(odometry, self.values['odometry_timeout'])
        if answer is None:
            if self._lockstep:
                self._drive_publisher.publish(self._drive.fill(
                    *stamp, self._bridge.controls.steering_angle, 0.0))
            return
        drive = self._drive.fill(*stamp, answer.drive.steering_angle, answer.drive.speed)
        if answer.wheels is None:
            self._drive_publisher.publish(drive)
            return
        self._hold_publisher.publish(drive)
        self._bridge.ask_mux(self._now_ns())
        wheels = answer.wheels
        data = self._wheels.fill(
            *stamp, wheels.left_angle, wheels.right_angle, *wheels.drive, *wheels.brake,
            *wheels.brake_damping, *wheels.damping)
        waits = self._lockstep and self.values['awaits_mux']
        if not waits and self._may_command_wheels():
            self._wheel_publisher.publish(data)
        elif self._lockstep:
            self._waiting = data

    def _may_command_wheels(self) -> bool:
        now_ns, timeout = self._now_ns(), self.values['mux_timeout']
        topic = self._hold_publisher.publisher.topic_name
        has_mux = self._hold_publisher.publisher.get_subscription_count() > 0
        wrong = ''
        if self._bridge.mux_holder is not None and not has_mux:
            wrong = f'no command mux listens to {topic}'
        elif self._bridge.is_mux_silent(now_ns, timeout):
            wrong = (f'for {timeout:g} s (mux_timeout) the command mux has not answered what it'
                     f' hears on {topic}')
        if wrong:
            self.get_logger().error(
                f'wheels are not commanded: {wrong}, so that teleoperation and safety could not'
                ' reach the car; is it running, and has its file a source'
                f" '{self.values['mux_source']}' with holds?", throttle_duration_sec=THROTTLE)
        return self._bridge.may_command_wheels(now_ns, timeout, has_mux=has_mux)

    # State

    def _on_state_due(self) -> None:
        now_ns = self._now_ns()
        self._release_silent_pedals(now_ns)
        self._publish_state(now_ns)

    def _publish_state(self, now_ns: int) -> None:
        if self._state_publisher.get_subscription_count():
            self._state_publisher.publish(self._make_state(now_ns))
        if not self._lockstep:
            self._publish_lamps(now_ns)

    def _publish_lamps(self, now_ns: int) -> None:
        """Tell how the lamps are switched, if that is news or, in lockstep, awaited."""
        switches = self._bridge.controls.lamp_switches()
        if self._lockstep or switches != self._lamps:
            self._lamps = switches
            self._lamp_publisher.publish(
                self._switches.fill(*divmod(now_ns, NANOSECONDS), *switches))

    def _make_state(self, now_ns: int) -> DriverState:
        bridge = self._bridge
        state = driver_state(
            now_ns, bridge.controls, bridge.powertrain, bridge.wheels,
            bridge.odometry.vx if bridge.odometry else UNKNOWN, bridge.is_overruled)
        state.header.frame_id = self.base_link
        return state
