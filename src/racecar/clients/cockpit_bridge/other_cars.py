# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The other cars in the world of the one that the bridge is for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rclpy.node import Node

from racecar.clients.cockpit_bridge.collisions import CollisionTopics
from racecar.clients.cockpit_bridge.local_stack import LocalStack
from racecar.clients.cockpit_bridge.robot_names import RobotNames
from racecar.clients.cockpit_bridge.robot_view import make_samples, RobotView
from racecar.clients.cockpit_bridge.stack_graph import ODOMETRY_TYPE
from racecar.clients.graph.view import GraphView
from racecar.cockpit.pages import Pages
from racecar.ros import topics
from racecar.ros.topics.robots import odometry_beside

# Numbers of robots in frames are bytes, and a page has to draw them all.
_MOST = 64
# Batches of all cars in the time of one of the first car.
_AT_ONCE = 4


class _Car(NamedTuple):
    view: RobotView
    collisions: CollisionTopics


class OtherCars:
    """Shows cars whose namespaces lie beside that of the first, with numbers from 1 on."""

    def __init__(
        self, node: Node, names: RobotNames, pages: Pages, local: LocalStack,
        show_laser: Callable[[RobotView], object],
    ) -> None:
        """names: of the first car; show_laser: lets a view show the laser that cars have."""
        self._node = node
        self._names = names
        self._pages = pages
        # Joints are read of the first car alone.
        self._local = local._replace(read_joints=None)
        self._show_laser = show_laser
        self._cars: dict[str, _Car] = {}
        self._batches = 0

    @property
    def views(self) -> Iterator[RobotView]:
        """Of all of them."""
        return (car.view for car in self._cars.values())

    def look(self, graph: GraphView) -> None:
        """Show who has come; who has gone stays where it was."""
        own = f"/{self._names.namespace.strip('/')}".rstrip('/')
        for beside in odometry_beside(
                self._names.full(topics.ODOMETRY), own, graph.published(ODOMETRY_TYPE)):
            namespace = beside.strip('/')
            if namespace in self._cars or len(self._cars) >= _MOST:
                continue
            number = 1 + len(self._cars)
            names = self._names._replace(namespace=namespace)
            view = RobotView(self._node, names, self._pages, make_samples(), self._local,
                             number=number)
            self._show_laser(view)
            self._cars[namespace] = _Car(view, CollisionTopics(
                self._node, names, self._pages, view.now_ns, number))

    def send_batch(self) -> None:
        """Send what is new, of many cars less often."""
        self._batches += 1
        if self._batches % (1 + len(self._cars) // _AT_ONCE):
            return
        for view, collisions in self._cars.values():
            view.send_batch()
            collisions.send_news()

    def finish(self) -> None:
        """Send all that there is, once the executor does not spin any more."""
        for view in self.views:
            view.finish()
            view.send_rest()
