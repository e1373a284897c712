# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What all linearizer nodes share: topics, pairing, age checks, the tracked point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import NamedTuple, Protocol, Unpack

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import PointStamped, TwistStamped

from racecar.base.frames import BASE_LINK, MAP, ODOM
from racecar.base.last_stamp import effective_stamp, LastStamp
from racecar.base.parameters import ParameterTable
from racecar.base.types import NANOSECONDS, Odometry, PlanarVelocity
from racecar.control.linearizer import POINT_TOLERANCE
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.codecs.body_twist import twist_template
from racecar.ros.codecs.planar_velocity import read_velocity
from racecar.ros.freshness import staleness, wrong_age
from racecar.ros.lockstep import AnswerPublisher
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.odometry import follow_odometry
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE
from racecar.ros.wire import MessageTemplate


class CommandType(NamedTuple):
    """A kind of command: its message, topic, template, and numbers in the template's order."""

    message_type: type
    topic: str
    template: Callable[[str], MessageTemplate]
    numbers: Callable[[tuple[float, float]], tuple[float, ...]]


ACKERMANN = CommandType(
    AckermannDriveStamped, topics.NAVIGATION_COMMAND, command_template,
    lambda command: command[::-1])
TWIST = CommandType(TwistStamped, topics.TWIST_COMMAND, twist_template, tuple)


class PlanarLaw(Protocol):
    """What the node asks of a law; see racecar.control.linearizer.Linearizer."""

    @property
    def tracked_ahead(self) -> float:
        """Position ahead of base_link [m] of the point that the law is exact for."""

    def tune(self, values: Mapping[str, object]) -> None:
        """Take over other values."""

    def warm_up(self) -> None:
        """Compile all that a command calls."""

    def command(
        self, odometry: Odometry, velocity: PlanarVelocity, now_ns: int | None = None,
    ) -> tuple[float, float]:
        """Command for the wanted velocity of P, at a time [ns]."""


class LinearizerNode(TableNode):
    """Turns the wanted velocity of the point P into speed and steering.

    Subscribes: virtual_velocities (geometry_msgs/TwistStamped, in map), vesc/odom
    (nav_msgs/Odometry), tracked_point (geometry_msgs/PointStamped, latched: the point in the
    frame base_link that the tracker makes follow the reference), point_ahead
    (geometry_msgs/PointStamped, latched: the tracker's P of a car that goes straight).
    Publishes: vesc/ackermann_cmd_mux/input/navigation (ackermann_msgs/AckermannDriveStamped), one
    command for each velocity, with its stamp; a stop when the velocities fall silent.

    A law is exact for one point of the car. Velocities of a tracker that announces another one
    are refused with an error that names both, and in lockstep answered by a stop; as long as none
    has announced any, or none of those is left, it is trusted.
    commanded: the newest command, None before the first.
    While the tracker's P is another than that of the law's epsilon, which may be for a moment when
    both are changed one after the other, the car is stopped.
    """

    command_type = ACKERMANN
    """What it commands; subclasses may have another."""

    def __init__(self, name: str, table: ParameterTable, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(name, table, **options)
        self._lockstep: bool = self.values['lockstep']
        self._linearizer = self.make_linearizer()
        # Compiled here, it does not hold up the first answer.
        self._linearizer.warm_up()
        self._wrong_point = ''
        # Distance of the tracker's P ahead of the tracked point [m], and what is wrong with it.
        self._distance: float | None = None
        self._wrong_distance = ''
        self._odometry: Odometry | None = None
        self._velocity: tuple[PlanarVelocity, LastStamp] | None = None
        self._has_answered = False
        self.commanded: tuple[float, float] | None = None

        self._command = self.command_type.template(self.base_link)
        self._publisher = AnswerPublisher(
            self, self.command_type.message_type, self.command_type.topic, qos.COMMAND,
            self._lockstep)
        follow_odometry(self, self._on_odometry, lockstep=self._lockstep)
        velocities = subscribe_raw(
            self, TwistStamped, topics.VIRTUAL_VELOCITIES, read_velocity, self._on_velocity,
            qos.COMMAND)
        self.watch_publishers([velocities.topic_name], ' leave ours out (`racecar up --without`),')
        self._announced_by: set[bytes] = set()
        self._hear_points()
        self._watch = None if self._lockstep else self.watch_time(
            self.values['velocity_timeout'] / 4.0, self._stop_if_velocity_is_old)

    def make_linearizer(self) -> PlanarLaw:
        """Law for the values of the parameters; subclasses give it."""
        raise NotImplementedError

    def on_values_changed(self, changed: set[str]) -> None:
        """Apply the parameters of the law and the timeouts at once."""
        self._linearizer.tune(self.values)
        self._check_distance()
        if 'velocity_timeout' in changed and self._watch is not None:
            self._watch.set_period(self.values['velocity_timeout'] / 4.0)

    def waits_for(self) -> str:
        """Which topics are silent."""
        silent = [] if self._odometry else [
            f'odometry on {self.resolve_topic_name(topics.ODOMETRY)}']
        if not self._has_answered and self._velocity is None:
            topic = self.resolve_topic_name(topics.VIRTUAL_VELOCITIES)
            silent.append(f'virtual velocities on {topic}')
        return f"waiting for {' and '.join(silent)}" if silent else ''

    def on_time_went_back(self) -> None:
        """Forget the velocity: it would stay young until the old time comes again."""
        self._velocity = None

    def _on_tracked_point(self, message: PointStamped) -> None:
        point, expected = message.point, self._linearizer.tracked_ahead
        self._wrong_point = ''
        self._announced_by |= self._announcers()
        if message.header.frame_id not in (self.base_link, BASE_LINK) \
                or not math.hypot(point.x - expected, point.y) <= POINT_TOLERANCE:
            self._wrong_point = (
                f'the tracker tracks the point ({point.x:g}, {point.y:g}) m in'
                f' {message.header.frame_id!r}, this law is exact for ({expected:g}, 0) m in'
                f' {self.base_link!r}: give the tracker the same vehicle, set its tracked_point,'
                ' or use the other linearizer')

    def _on_point_ahead(self, message: PointStamped) -> None:
        self._announced_by |= self._announcers()
        self._distance = message.point.x - self._linearizer.tracked_ahead
        self._check_distance()

    def _check_distance(self) -> None:
        distance, epsilon = self._distance, self.values['epsilon']
        self._wrong_distance = ''
        if distance is not None and not abs(distance - epsilon) <= POINT_TOLERANCE:
            self._wrong_distance = (
                f'PL_distance of the tracker is {distance:g} m, epsilon of this law is'
                f' {epsilon:g} m: set both to one value')

    def _on_odometry(self, odometry: Odometry) -> None:
        self._odometry = odometry
        # In lockstep either of the two may come first.
        if self._lockstep:
            self._answer_pair()

    def _on_velocity(self, message: tuple[PlanarVelocity, int, str]) -> None:
        velocity, stamp_ns, frame = message
        wrong_distance = self._wrong_distance
        refusal = self._refusal(velocity, frame)
        if refusal:
            self.diagnostics.count('velocities dropped')
            self.get_logger().error(
                f'virtual velocity dropped: {refusal}', throttle_duration_sec=THROTTLE)
            if not self._lockstep:
                return
        elif wrong_distance:
            self.get_logger().error(
                f'the car is stopped: {wrong_distance}', throttle_duration_sec=THROTTLE)
        if refusal or wrong_distance:
            # In lockstep every velocity must be answered.
            velocity = PlanarVelocity(0.0, 0.0)
        if self._lockstep:
            self._velocity = velocity, LastStamp(stamp_ns)
            self._answer_pair()
            return
        now_ns = self.now_ns()
        stale = staleness(stamp_ns, now_ns, self.values['velocity_timeout'])
        if stale is not None:
            self.diagnostics.count('velocities dropped')
            self.get_logger().error(
                f'virtual velocity dropped: {stale}', throttle_duration_sec=THROTTLE)
            return
        if self._odometry is None:
            self.get_logger().warning(
                f'virtual velocity not used: no odometry yet on'
                f' {self.resolve_topic_name(topics.ODOMETRY)}', throttle_duration_sec=THROTTLE)
            return
        wrong = wrong_age(self._odometry.time_ns, now_ns, self.values['odometry_timeout'])
        if wrong is not None:
            self.diagnostics.count('odometry dropped')
            self.get_logger().error(
                f'odometry not used: {wrong}', throttle_duration_sec=THROTTLE)
            return
        stamp_ns = effective_stamp(stamp_ns, now_ns)
        self._velocity = velocity, LastStamp(stamp_ns)
        self._answer(velocity, stamp_ns)

    def _refusal(self, velocity: PlanarVelocity, frame: str) -> str:
        """Say why a velocity is not used; empty if it is."""
        if not (math.isfinite(velocity.x) and math.isfinite(velocity.y)):
            return f'({velocity.x}, {velocity.y}) m/s, expected finite numbers'
        if frame not in (MAP, ODOM, ''):
            return f'frame_id is {frame!r}, expected {MAP!r}'
        wrong = self._wrong_point
        if wrong or self._wrong_distance:
            self._forget_points_of_the_gone()
        return wrong

    def _forget_points_of_the_gone(self) -> None:
        """Hear the latched points again if one that is wrong may be of a node that has left."""
        announcers = self._announcers()
        if announcers and announcers >= self._announced_by:
            self._announced_by = announcers
            return
        self.get_logger().info(
            'a node that announced its tracked point has left: those of the others are asked for')
        self._wrong_point = self._wrong_distance = ''
        self._distance = None
        for subscription in self._point_subscriptions:
            self.destroy_subscription(subscription)
        self._hear_points()

    def _announcers(self) -> set[bytes]:
        """Publishers of points that there are now."""
        return {bytes(row.endpoint_gid) for subscription in self._point_subscriptions
                for row in self.get_publishers_info_by_topic(subscription.topic_name)}

    def _hear_points(self) -> None:
        self._point_subscriptions = [
            self.create_subscription(
                PointStamped, topics.TRACKED_POINT, self._on_tracked_point, qos.LATCHED),
            self.create_subscription(
                PointStamped, topics.POINT_AHEAD, self._on_point_ahead, qos.LATCHED)]
        self._announced_by = self._announcers()

    def _answer_pair(self) -> None:
        if self._odometry is None or self._velocity is None:
            return
        velocity, heard = self._velocity
        if heard.stamp_ns == self._odometry.time_ns:
            self._velocity = None
            self._answer(velocity, heard.stamp_ns)

    def _answer(self, velocity: PlanarVelocity, stamp_ns: int) -> None:
        assert self._odometry is not None
        self._has_answered = True
        command = self.commanded = self._linearizer.command(self._odometry, velocity, stamp_ns)
        self._publisher.publish(self._command.fill(
            *divmod(stamp_ns, NANOSECONDS), *self.command_type.numbers(command)))

    def _stop_if_velocity_is_old(self) -> None:
        if self._velocity is None:
            return
        now_ns = self.now_ns()
        _, heard = self._velocity
        if heard.age_ns(now_ns) <= self.values['velocity_timeout'] * NANOSECONDS:
            return
        self._velocity = None
        self.diagnostics.count('silences of velocity_timeout')
        self.get_logger().warning(
            f"no virtual velocity for {self.values['velocity_timeout']:g} s; stopping",
            throttle_duration_sec=THROTTLE)
        self._answer(PlanarVelocity(0.0, 0.0), now_ns)
