# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry once more, under the name that a particle filter or an opponent gives it."""

from __future__ import annotations

from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile

from racecar.ros import topics
from racecar.ros.codecs.codec import Place
from racecar.ros.listeners import Listeners
from racecar.ros.node import TableNode


class OdometryRelay:
    """Sends odometry on a second topic to whoever listens there.

    The original has a relay from vesc/odom to pf/pose/odom, so that what needs a particle filter
    on the track also runs in simulation. While another node publishes there, this one is silent.
    """

    def __init__(self, node: TableNode, topic: str, profile: QoSProfile) -> None:
        """topic: the second one. profile: of the odometry."""
        self._node = node
        self._publisher = node.create_publisher(Odometry, topic, profile)
        self._listeners = Listeners(self._publisher)
        self._is_alone = True
        node.watch_graph(self._look)

    def publish(self, data: bytes) -> None:
        """Send serialised odometry to those who listen."""
        if self._is_alone and self._listeners.heard():
            self._publisher.publish(data)

    def _look(self) -> None:
        topic = self._publisher.topic_name
        is_alone = self._node.count_publishers(topic) <= 1
        if self._is_alone and not is_alone:
            self._node.get_logger().info(
                f'odometry is not relayed to {topic} while another node publishes there')
        self._is_alone = is_alone


def relays_of(node: TableNode, place: Place, profile: QoSProfile) -> list[OdometryRelay]:
    """Relays that the parameters relay_odometry and opponent_odometry ask for.

    There is none in place of a particle filter where the odometry itself was given another name,
    as by a set of topic names: that is the one that other software expects.
    """
    found = []
    topic: str = node.resolve_topic_name(place.topic(topics.ODOMETRY))
    if node.values['relay_odometry'] and topic.endswith(f'/{topics.ODOMETRY}'):
        found.append(place.topic(topics.FILTERED_ODOMETRY))
    cars = node.values.get('cars', ())
    if node.values['opponent_odometry'] and len(cars) == 2:
        found += [Place(car).topic(topics.OPPONENT_ODOMETRY)
                  for car in cars if car != place.namespace]
    return [OdometryRelay(node, topic, profile) for topic in found]
