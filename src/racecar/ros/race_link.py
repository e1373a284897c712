# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Race control as one more participant of lockstep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import time

from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3

from racecar.base.errors import RacecarError
from racecar.base.frames import MAP
from racecar.base.types import BodyState, NANOSECONDS, Pose3
from racecar.ros import qos, topics
from racecar.ros.conversions import pose_from_message, set_stamp, stamp_ns_of
from racecar.ros.interfaces import RaceLook, RaceLooks, RaceOrders
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import THROTTLE
from racecar.ros.robot_link import RobotLink
from racecar.simulation.ports import collisions_of

_REPEAT_PERIOD = 1.0


class RaceLink:
    """Shows race control all robots at each odometry, and does what it orders.

    The time goes on once the orders of the newest looks have come. They take effect after the
    commands of the same time, whichever comes first, so that what follows depends on no message's
    way. A robot that is held is stopped before each part of a step, until other orders come.

    is_awaited: whether the orders of the newest looks have not come.
    """

    def __init__(
        self, node: TableNode, links: Sequence[RobotLink],
        place: Callable[[RobotLink, Pose3], object], on_answer: Callable[[], object],
    ) -> None:
        """place: puts a robot at a pose; on_answer: called once orders have come."""
        self._node, self._links = node, tuple(links)
        self._place, self._on_answer = place, on_answer
        self.is_awaited = True
        self._looks = RaceLooks()
        self._looks.header.frame_id = MAP
        self._asked_at = self._shown_at = 0.0
        # Since when each robot is where it was put [ns], whom race control holds, and where it
        # puts robots next.
        self._put_ns = [0] * len(links)
        self._held: set[RobotLink] = set()
        self._poses: dict[RobotLink, Pose3] = {}
        # Latched, so that who is found late misses nothing.
        self._publisher = node.create_publisher(RaceLooks, topics.RACE_LOOKS, qos.LATCHED)
        self.topic_name = node.create_subscription(
            RaceOrders, topics.RACE_ORDERS, self._on_orders, qos.LATCHED).topic_name

    def begin(self) -> None:
        """Forget what was, as the time begins anew."""
        self._put_ns = [0] * len(self._links)
        self._held.clear()
        self._poses.clear()

    def show(self, stamp_ns: int, index: int | None) -> None:
        """Show all robots if their odometry is due at a step, None: it is; await the orders."""
        if index is not None and not self._links[0].truth.is_due(index):
            return
        set_stamp(self._looks.header.stamp, stamp_ns)
        self._looks.cars = [
            self._look(link, max(stamp_ns - max(link.answered_ns, put_ns), 0))
            for link, put_ns in zip(self._links, self._put_ns, strict=True)]
        self.is_awaited = True
        self._poses.clear()
        self._shown_at = time.monotonic()
        self._send()

    def _send(self) -> None:
        self._asked_at = time.monotonic()
        self._publisher.publish(self._looks)

    @staticmethod
    def _look(link: RobotLink, silence_ns: int) -> RaceLook:
        state: BodyState = link.truth.read()
        (x, y, z, *turn), (vx, vy, vz, *rates) = state
        contacts = collisions_of(link.entity)
        qx, qy, qz, qw = turn
        wx, wy, wz = rates
        return RaceLook(
            name=link.entity.name, silence=silence_ns / NANOSECONDS, retired=link.why_retired,
            contacts=0 if contacts is None else contacts.contacts,
            pose=Pose(position=Point(x=x, y=y, z=z),
                      orientation=Quaternion(x=qx, y=qy, z=qz, w=qw)),
            twist=Twist(linear=Vector3(x=vx, y=vy, z=vz), angular=Vector3(x=wx, y=wy, z=wz)))

    def _on_orders(self, message: RaceOrders) -> None:
        if not self.is_awaited or stamp_ns_of(message.header.stamp) != stamp_ns_of(
                self._looks.header.stamp):
            # Of looks that were shown twice, or of the time before it began anew.
            return
        known = {link.entity.name: link for link in self._links}
        orders = {order.name: order for order in message.cars}
        try:
            if orders.keys() != known.keys():
                raise ValueError(
                    f"orders for {', '.join(orders) or 'nobody'}, expected {', '.join(known)}:"
                    ' give race_control the cars of the simulator')
            poses = {known[name]: pose_from_message(order.pose[0])
                     for name, order in orders.items() if order.pose}
            for link, pose in poses.items():
                link.entity.check_reset(pose)
        except (ValueError, RacecarError) as error:
            self._node.get_logger().error(
                f'{self.topic_name} refused: {error}', throttle_duration_sec=THROTTLE)
            return
        self._poses = poses
        self._held = {known[name] for name, order in orders.items() if order.is_held}
        self.is_awaited = False
        self._on_answer()

    def carry_out(self) -> None:
        """Do what was ordered, before the time goes on."""
        stamp_ns = stamp_ns_of(self._looks.header.stamp)
        for number, link in enumerate(self._links):
            if link in self._poses:
                self._put_ns[number] = stamp_ns
                self._place(link, self._poses[link])
            if link in self._held:
                link.entity.halt()
        self._poses.clear()

    def watch(self, deadline: float) -> None:
        """Show the robots again where no orders come, and say so after a deadline [s]."""
        now = time.monotonic()
        if self.is_awaited and now - self._asked_at > _REPEAT_PERIOD:
            self._send()
        if self.is_awaited and now - self._shown_at > deadline:
            self._node.get_logger().error(
                f'lockstep: no orders stamped {stamp_ns_of(self._looks.header.stamp)} ns came on'
                f' {self.topic_name} within lockstep_deadline ({deadline:g} s of wall time); the'
                ' time stands still until race_control gives them', throttle_duration_sec=THROTTLE)
