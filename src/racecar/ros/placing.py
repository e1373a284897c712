# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots of a simulator that are put to another place: by ~/reset, initialpose and pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from geometry_msgs.msg import Pose, PoseWithCovarianceStamped

from racecar.base.errors import RacecarError
from racecar.base.frames import MAP, ODOM
from racecar.base.types import Pose3
from racecar.ros import qos, topics
from racecar.ros.conversions import pose_from_message, yaw_of
from racecar.ros.interfaces import Reset
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import Complaints
from racecar.ros.robot_link import RobotLink
from racecar.simulation.ports import Entity


class OnPlaced(Protocol):
    """Called once robots were put somewhere; is_shown: whether that is to be published at once."""

    def __call__(self, *, is_shown: bool) -> None:
        """See the class."""


class Placing:
    """The service ~/reset, and initialpose and (with take_pose) pose of each robot.

    start_of: where a robot starts, None where its plant lets it.
    """

    def __init__(
        self, node: TableNode, links: Sequence[RobotLink], on_placed: OnPlaced,
    ) -> None:
        """Create service and subscriptions on the node."""
        self._node, self._links, self._on_placed = node, links, on_placed
        self.start_of: Callable[[Entity], Pose3 | None] = lambda _: None
        node.create_service(Reset, '~/reset', self._on_reset)
        for link in links:
            topic = link.place.topic(topics.INITIAL_POSE)
            node.create_subscription(
                PoseWithCovarianceStamped, topic,
                partial(self._on_initial_pose, link, Complaints(node, topic)), qos.COMMAND)
            if node.values['take_pose']:
                topic = link.place.topic(topics.POSE)
                node.create_subscription(
                    Pose, topic, partial(self._on_pose, link, Complaints(node, topic)),
                    qos.COMMAND)

    def _on_reset(self, request: Reset.Request, response: Reset.Response) -> Reset.Response:
        try:
            pose = pose_from_message(request.pose[0]) if request.pose else None
            if pose is not None and len(self._links) > 1:
                raise ValueError(
                    'a pose for one of several robots, expected none: all return to their initial'
                    ' poses; move one of them by its topic initialpose')
            placed = self.move_all(pose)
        except (ValueError, RacecarError) as error:
            response.success = False
            response.message = f'not reset: {error}'
            return response
        response.success = True
        response.message = '; '.join(
            f'{link.entity.name} reset to x {there.x:g} m, y {there.y:g} m,'
            f' yaw {yaw_of(there):g} rad'.lstrip()
            for link, there in zip(self._links, placed, strict=True))
        return response

    def _on_initial_pose(
        self, link: RobotLink, complaints: Complaints, message: PoseWithCovarianceStamped,
    ) -> None:
        if not self._node.values['take_initialpose']:
            return
        frame = message.header.frame_id
        try:
            if frame not in (MAP, ODOM, link.place.odometry, ''):
                raise ValueError(
                    f'frame_id is {frame!r}, expected {MAP!r} or {link.place.odometry!r}')
            self._move([link], pose_from_message(message.pose.pose))
        except (ValueError, RacecarError) as error:
            complaints.refused(error)

    def _on_pose(self, link: RobotLink, complaints: Complaints, message: Pose) -> None:
        try:
            self._move([link], pose_from_message(message))
        except (ValueError, RacecarError) as error:
            complaints.refused(error)

    def move_all(self, pose: Pose3 | None) -> list[Pose3]:
        """As _move(), and let those that were retired take part again."""
        placed = self._move(self._links, pose)
        for link in self._links:
            link.attendance.begin()
        return placed

    def _move(self, links: Sequence[RobotLink], pose: Pose3 | None) -> list[Pose3]:
        """Reset robots, all or none, show that, and return where they then are."""
        placed = self._place(links, pose)
        self._on_placed(is_shown=True)
        return placed

    def place(self, link: RobotLink, pose: Pose3) -> None:
        """Put a robot to a pose, without showing it."""
        self._place([link], pose)
        self._on_placed(is_shown=False)

    def _place(self, links: Sequence[RobotLink], pose: Pose3 | None) -> list[Pose3]:
        """Reset robots, all or none, and return where they then are."""
        poses = [self.start_of(link.entity) if pose is None else pose for link in links]
        for link, place in zip(links, poses, strict=True):
            link.entity.check_reset(place)
        placed = [link.entity.reset(place) for link, place in zip(links, poses, strict=True)]
        for link in links:
            link.forget_commands()
        return placed
