# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What all simulator nodes share: time and /clock, lockstep, pause, reset, odometry and TF."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import time
from typing import Any, Protocol, runtime_checkable

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rosgraph_msgs.msg import Clock as ClockMessage
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

from racecar.core.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.core.parameters import ParameterTable
from racecar.core.types import AckermannCommand, NANOSECONDS, Odometry, Pose2, WheelCommand
from racecar.ros import qos
from racecar.ros.conversions import pose_from_message
from racecar.ros.freshness import effective_stamp, staleness
from racecar.ros.interfaces import Reset
from racecar.ros.interfaces import WheelCommand as WheelCommandMessage
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE
from racecar.ros.wire import MessageTemplate, read_command, read_wheel_command

COMMAND_TOPIC = 'vesc/low_level/ackermann_cmd_mux/output'
WHEEL_COMMAND_TOPIC = 'vesc/wheel_command'
ODOMETRY_TOPIC = 'vesc/odom'
MAP, ODOM, BASE_LINK = 'map', 'odom', 'base_link'

# Variance of what a planar car does not do (z, roll, pitch): known to be zero, yet not exactly.
_PLANAR_VARIANCE = 1e-9

_WATCH_PERIOD = 0.25
_START_POLL_PERIOD = 0.01
_REPEAT_PERIOD = 1.0


class Plant(Protocol):
    """What is simulated: it owns the time and moves by whole ticks.

    A plant with torques at its wheels also has the method of WheelPlant.
    """

    @property
    def time_ns(self) -> int:
        """Simulated time [ns]."""

    @property
    def period_ns(self) -> int:
        """Length of a tick [ns]."""

    def set_command(self, command: AckermannCommand) -> None:
        """Drive with this command until the next."""

    def stop(self) -> None:
        """Command zero speed and hold the steering."""

    def tick(self) -> None:
        """Integrate over one tick."""

    def odometry(self) -> Odometry:
        """Return pose and twist of the odometry point."""

    def reset(self, pose: Pose2 | None) -> None:
        """Stand still at the pose, or at the initial one; time goes on."""


@runtime_checkable
class WheelPlant(Protocol):
    """What a plant has in addition if its wheels can be commanded one by one."""

    def set_wheel_command(self, command: WheelCommand) -> None:
        """Drive with this command until the next of either kind.

        The numbers are checked. Raises ConfigurationError, naming the remedy, if the plant as it
        is set up takes no such commands.
        """


class SimulatorNode(TableNode):
    """Runs a plant by ticks and publishes clock, odometry and transforms after each.

    A tick happens when it is due (by wall time and real_time_factor) and, in lockstep, when the
    command stamped with the present time has come. Commands are of two kinds, AckermannDrive
    behind the mux and WheelCommand past it; the one that came last governs.
    """

    def __init__(self, name: str, table: ParameterTable, **kwargs: Any) -> None:
        """Subclasses set up their own publishers in set_up() and the plant in make_plant()."""
        super().__init__(name, table, **kwargs)
        if self.get_parameter('use_sim_time').value:
            raise ParameterError(
                "parameter 'use_sim_time' is true, expected false for a simulator: it makes the"
                ' time that the others use')
        values = self.values
        self.plant: Plant = self.make_plant(values)
        self._lockstep: bool = values['lockstep']
        self._paused: bool = values['paused']
        self._end_ns = round(values['end_time'] * NANOSECONDS) or None
        self.failure: DivergenceError | None = None
        self._started = False
        self._due = False
        self._answered = not self._lockstep
        self._ever_answered = False
        self._stopped_by_timeout = True
        self._has_obeyed = False
        self._command_ns = 0

        self._odometry = MessageTemplate(self._make_odometry_message(values), (
            'header.stamp', 'pose.pose.position.x', 'pose.pose.position.y',
            'pose.pose.orientation.z', 'pose.pose.orientation.w', 'twist.twist.linear.x',
            'twist.twist.linear.y', 'twist.twist.angular.z'))
        transform = TransformStamped(child_frame_id=BASE_LINK)
        transform.header.frame_id = ODOM
        self._transform = MessageTemplate(TFMessage(transforms=[transform]), [
            f'transforms.0.{field}' for field in (
                'header.stamp', 'transform.translation.x', 'transform.translation.y',
                'transform.rotation.z', 'transform.rotation.w')])
        self._clock_template = MessageTemplate(ClockMessage(), ('clock',))
        self._odometry_publisher = self.create_publisher(
            OdometryMessage, ODOMETRY_TOPIC,
            qos.ODOMETRY_LOCKSTEP if self._lockstep else qos.ODOMETRY)
        self._tf_publisher = self.create_publisher(TFMessage, 'tf', qos.TF) \
            if values['publish_tf'] else None
        self._clock_publisher = self.create_publisher(ClockMessage, '/clock', qos.CLOCK) \
            if values['publish_clock'] else None
        self._tf_static_publisher = self.create_publisher(TFMessage, 'tf_static', qos.TF_STATIC)
        self.set_up()
        self._publish_static_transforms()

        subscribe_raw(self, AckermannDriveStamped, COMMAND_TOPIC, read_command, self._on_command,
                      qos.COMMAND)
        subscribe_raw(self, WheelCommandMessage, WHEEL_COMMAND_TOPIC, read_wheel_command,
                      self._on_wheel_command, qos.COMMAND)
        self.create_subscription(
            PoseWithCovarianceStamped, 'initialpose', self._on_initial_pose, qos.COMMAND)
        self.create_service(Reset, '~/reset', self._on_reset)
        self.create_service(SetBool, '~/pause', self._on_pause)
        # Timers are cancelled and reset, never destroyed: the EventsExecutor does not survive a
        # timer that goes away in its own callback.
        self._tick_timer = self.create_timer(
            self.plant.period_ns / NANOSECONDS, self._on_tick_timer, clock=self.steady_clock)
        self._tick_timer.cancel()
        self._start_timer = self.create_timer(
            _START_POLL_PERIOD, self._on_start_timer, clock=self.steady_clock)
        self.create_timer(_WATCH_PERIOD, self._on_watch_timer, clock=self.steady_clock)
        self.watch_rivals(publisher.topic_name for publisher in (
            self._clock_publisher, self._odometry_publisher) if publisher is not None)

    def make_plant(self, values: dict[str, Any]) -> Plant:
        """Build the plant from resolved parameter values; subclasses implement it."""
        raise NotImplementedError

    def set_up(self) -> None:
        """Create further publishers; subclasses override it."""

    def publish_details(self, sec: int, nanosec: int) -> None:
        """Publish what belongs to this plant only, stamped so; the odometry follows."""

    def static_transforms(self) -> list[TransformStamped]:
        """Return further transforms below base_link; subclasses override it."""
        return []

    # Start, pace and end

    @property
    def _time_is_up(self) -> bool:
        return self._end_ns is not None and self.plant.time_ns >= self._end_ns

    @property
    def finished(self) -> bool:
        """Whether end_time is reached and, in lockstep, the last tick is answered."""
        return self._time_is_up and self._answered

    def on_values_changed(self, changed: set[str]) -> None:
        """Take over a new real-time factor."""
        if 'real_time_factor' in changed and self._started:
            self._set_pace()

    def waits_for(self) -> str:
        """Return what keeps the time or the car from going on."""
        if not self._started:
            found = self._odometry_publisher.get_subscription_count()
            return (f"waiting for {self.values['wait_for_subscribers']} subscriptions to"
                    f' {self._odometry_publisher.topic_name} (wait_for_subscribers), there are'
                    f' {found}')
        if self._paused:
            name = self.get_fully_qualified_name()
            return f'paused; go on by the service {name}/pause with data: false'
        # In lockstep _watch_lockstep() says it.
        if not self._lockstep and not self._has_obeyed:
            return f'waiting for commands on {self._command_topic()}; the car stands still'
        return ''

    def _on_start_timer(self) -> None:
        if self._odometry_publisher.get_subscription_count() \
                < self.values['wait_for_subscribers']:
            return
        self._start_timer.cancel()
        self._started = True
        self._publish_state()
        self._set_pace()

    def _set_pace(self) -> None:
        factor = self.values['real_time_factor']
        self._due = factor == 0.0
        self._pace_mark = (time.monotonic(), self.plant.time_ns)
        if self._lockstep and factor == 0.0:
            self._tick_timer.cancel()
            self._advance_when_ready()
        else:
            period = self.plant.period_ns / factor if factor > 0.0 else 0
            self._tick_timer.timer_period_ns = round(period)
            self._tick_timer.reset()

    def _on_tick_timer(self) -> None:
        self._due = True
        self._advance_when_ready()

    def _advance_when_ready(self) -> None:
        if not (self._due and self._answered) or self._paused or not self._started:
            return
        if self._time_is_up:
            return
        if not self._lockstep:
            self._stop_if_commands_are_old()
        self._advance()

    def _advance(self) -> None:
        self._due = self.values['real_time_factor'] == 0.0
        self._answered = not self._lockstep
        try:
            self.plant.tick()
        except DivergenceError as error:
            # The plant keeps its last good state: the user may reset it and go on.
            self.failure = error
            self._paused = True
            self.get_logger().fatal(
                f'{error}. The time stands still; call ~/reset, then ~/pause with data: false')
            return
        self._publish_state()

    def _on_watch_timer(self) -> None:
        if self._time_is_up:
            self._end_once_answered()
        if not self._started or self._paused or self._time_is_up:
            self._pace_mark = (time.monotonic(), self.plant.time_ns)
            return
        if self._lockstep and not self._answered:
            self._watch_lockstep()
        self._watch_pace()

    def _end_once_answered(self) -> None:
        late = time.monotonic() - self._published_at > self.values['lockstep_deadline']
        if (self._answered or late) and not self.done.done():
            self.get_logger().info(f"end_time {self.values['end_time']:g} s is reached")
            self.done.set_result(None)

    def _watch_lockstep(self) -> None:
        waited = time.monotonic() - self._published_at
        if not self._ever_answered:
            if waited > _REPEAT_PERIOD:
                self.get_logger().info(
                    f'lockstep: waiting for the first command on {self._command_topic()};'
                    ' is the controller running and active?', throttle_duration_sec=5.0)
                self._publish_state()
        elif waited > self.values['lockstep_deadline']:
            self.get_logger().error(
                f'lockstep: no command stamped {self.plant.time_ns} ns came on'
                f' {self._command_topic()} within lockstep_deadline'
                f" ({self.values['lockstep_deadline']:g} s of wall time); the car is stopped."
                ' Every node of the chain must stamp its output with the odometry stamp that'
                ' caused it', throttle_duration_sec=THROTTLE)
            self.plant.stop()
            self._advance()

    def _watch_pace(self) -> None:
        factor = self.values['real_time_factor']
        wall, simulated = self._pace_mark
        elapsed = time.monotonic() - wall
        if factor == 0.0 or elapsed < 5.0:
            return
        reached = (self.plant.time_ns - simulated) / NANOSECONDS / elapsed
        if reached < 0.9 * factor and self._answered:
            self.get_logger().warning(
                f'real_time_factor {factor:g} is not reached, only {reached:.2f}: lower it,'
                ' lower the rate, or use lockstep')
        self._pace_mark = (time.monotonic(), self.plant.time_ns)

    # Commands

    def _command_topic(self) -> str:
        return self.resolve_topic_name(COMMAND_TOPIC)

    def _on_command(self, message: tuple[AckermannCommand, int]) -> None:
        command, stamp_ns = message
        if not command.is_finite:
            self._drop(f'speed {command.speed}, steering_angle {command.steering_angle}, expected'
                       ' finite numbers')
            return
        self._obey(partial(self.plant.set_command, command), stamp_ns)

    def _on_wheel_command(self, message: tuple[WheelCommand, int]) -> None:
        command, stamp_ns = message
        if command.fault:
            self._drop(command.fault)
        elif not isinstance(self.plant, WheelPlant):
            self._drop('this simulator has no wheels with torques; drive it by'
                       f' {self._command_topic()}')
        else:
            self._obey(partial(self.plant.set_wheel_command, command), stamp_ns)

    def _drop(self, reason: str) -> None:
        self.get_logger().error(f'command dropped: {reason}', throttle_duration_sec=THROTTLE)

    def _obey(self, apply: Callable[[], None], stamp_ns: int) -> None:
        """Apply a command of either kind unless it comes too late, or too early in lockstep."""
        now_ns = self.plant.time_ns
        if self._lockstep:
            if stamp_ns != now_ns or not self._started:
                return
        else:
            stale = staleness(stamp_ns, now_ns, self.values['command_timeout'])
            if stale is not None:
                self._drop(stale)
                return
        try:
            apply()
        except (ConfigurationError, ParameterError) as error:
            self._drop(str(error))
            return
        if self._lockstep:
            self._answered = self._ever_answered = True
            self._advance_when_ready()
            return
        self._has_obeyed = True
        self._command_ns = effective_stamp(stamp_ns, now_ns)
        self._stopped_by_timeout = False

    def _stop_if_commands_are_old(self) -> None:
        age = (self.plant.time_ns - self._command_ns) / NANOSECONDS
        if age > self.values['command_timeout'] and not self._stopped_by_timeout:
            self._stopped_by_timeout = True
            self.plant.stop()
            self.get_logger().warning(
                f'no command for {age:.2f} s (command_timeout'
                f" {self.values['command_timeout']:g} s): the car is stopped")

    # Reset and pause

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._paused = request.data
        self._pace_mark = (time.monotonic(), self.plant.time_ns)
        self._published_at = time.monotonic()
        response.success = True
        response.message = 'paused' if self._paused else 'running'
        self._advance_when_ready()
        return response

    def _on_reset(self, request: Reset.Request, response: Reset.Response) -> Reset.Response:
        try:
            pose = pose_from_message(request.pose[0]) if request.pose else None
        except ValueError as error:
            response.success = False
            response.message = f'not reset: {error}'
            return response
        self._move_to(pose)
        placed = self.plant.odometry()
        response.success = True
        response.message = f'reset to x {placed.x:g} m, y {placed.y:g} m, yaw {placed.yaw:g} rad'
        return response

    def _on_initial_pose(self, message: PoseWithCovarianceStamped) -> None:
        frame = message.header.frame_id
        try:
            if frame not in (MAP, ODOM, ''):
                raise ValueError(f'frame_id is {frame!r}, expected {MAP!r} or {ODOM!r}')
            pose = pose_from_message(message.pose.pose)
        except ValueError as error:
            self.get_logger().error(f'initialpose refused: {error}')
            return
        self._move_to(pose)

    def _move_to(self, pose: Pose2 | None) -> None:
        self.plant.reset(pose)
        self.failure = None
        self._stopped_by_timeout = True
        if self._paused and self._started:
            self._publish_state()

    # Publishing

    def _make_odometry_message(self, values: dict[str, Any]) -> OdometryMessage:
        message = OdometryMessage()
        message.header.frame_id = ODOM
        message.child_frame_id = BASE_LINK
        for covariance, linear, yaw in (
                (message.pose.covariance, values['odometry_variance.position'],
                 values['odometry_variance.yaw']),
                (message.twist.covariance, values['odometry_variance.velocity'],
                 values['odometry_variance.yaw_rate'])):
            diagonal = (linear, linear, _PLANAR_VARIANCE, _PLANAR_VARIANCE, _PLANAR_VARIANCE, yaw)
            for i, variance in enumerate(diagonal):
                covariance[7 * i] = variance
        return message

    def _publish_static_transforms(self) -> None:
        transforms = self.static_transforms()
        if self.values['publish_map_to_odom']:
            identity = TransformStamped()
            identity.header.frame_id = MAP
            identity.child_frame_id = ODOM
            transforms = [identity, *transforms]
        if transforms:
            self._tf_static_publisher.publish(TFMessage(transforms=transforms))

    def _publish_state(self) -> None:
        time_ns, x, y, qz, qw, vx, vy, yaw_rate = self.plant.odometry()
        sec, nanosec = divmod(time_ns, NANOSECONDS)
        if self._clock_publisher is not None:
            self._clock_publisher.publish(self._clock_template.fill(sec, nanosec))
        if self._tf_publisher is not None and self._tf_publisher.get_subscription_count():
            self._tf_publisher.publish(self._transform.fill(sec, nanosec, x, y, qz, qw))
        self.publish_details(sec, nanosec)
        # Last, because in lockstep it sets off the next tick.
        self._odometry_publisher.publish(
            self._odometry.fill(sec, nanosec, x, y, qz, qw, vx, vy, yaw_rate))
        self._published_at = time.monotonic()
