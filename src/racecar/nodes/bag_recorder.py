# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Record topics into an MCAP rosbag2 folder, also where ros2 bag is absent."""

from __future__ import annotations

from functools import partial
import importlib
import time
from typing import Unpack

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo

from racecar.bags.message_definitions import distribution, MessageDefinitions
from racecar.bags.writer import BagWriter
from racecar.base import run_file
from racecar.base.errors import BagError, ParameterError
from racecar.base.values import texts_of, Values
from racecar.catalogue import node_names
from racecar.catalogue.tables.recorder import BAG_RECORDER
from racecar.ros import qos
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.waiting_messages import take_waiting

_DISCOVERY_PERIOD = 0.05
_FLUSH_PERIOD = 0.5
# At the end, for what has come and is not written; launch kills after 5 s [s].
_LONGEST_END = 2.0


class BagRecorderNode(TableNode):
    """Subscribes to topics as they appear and writes what arrives, as it was serialised.

    Subscribes: the topics of the parameter topics, or all there are.
    Parameters: racecar.catalogue.tables.recorder.BAG_RECORDER. Messages are logged with the
    node's clock (simulated time with use_sim_time). After a kill the bag holds all but the last
    second. Nothing is left of a recording to which nothing came, nor of one of a simulation whose
    time never began and which got latched messages only.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for bad parameters, BagError if the folder exists already."""
        super().__init__(node_names.BAG_RECORDER, BAG_RECORDER, **options)
        self._definitions = MessageDefinitions()
        self._writer = BagWriter(
            self.values['folder'], compression=self.values['compression'],
            ros_distro=distribution())
        if self.values['provenance']:
            self._writer.add_file(run_file.NAME, self.values['provenance'])
        self._wanted = [self.resolve_topic_name(topic) for topic in self.values['topics']]
        self._awaited = [self.resolve_topic_name(topic) for topic in self.values['awaited']]
        self._recorded: dict[str, Subscription | None] = {}
        self._latched: set[str] = set()
        self.closing.callback(self._complete)
        self.create_timer(_DISCOVERY_PERIOD, self._on_discovery_timer, clock=self.steady_clock)
        self.create_timer(_FLUSH_PERIOD, self._on_flush_timer, clock=self.steady_clock)
        self.get_logger().info(f'recording to {self._writer.folder}')

    def check_values(self, values: Values) -> None:
        """Raise ParameterError if what is awaited is not recorded."""
        recorded = texts_of(values, 'topics')
        others = [topic for topic in texts_of(values, 'awaited') if topic not in recorded]
        if others:
            raise ParameterError(
                f"parameter 'awaited' has {', '.join(others)}, expected some of 'topics'"
                f" ({', '.join(recorded) or 'empty'})")

    def discard(self) -> None:
        """Leave no bag: what was to be recorded never began."""
        self._discard('nothing was driven')

    @property
    def folder(self) -> str:
        """Where the bag lies."""
        return str(self._writer.folder)

    def count(self, topic: str) -> int:
        """Messages of a topic that were recorded so far."""
        return self._writer.count(topic)

    def _on_discovery_timer(self) -> None:
        for name, types in self.get_topic_names_and_types():
            if name in self._recorded or (self._wanted and name not in self._wanted):
                continue
            if self._awaited and name == self._wanted[-1] and not self._hears_the_awaited():
                continue
            publishers = self.get_publishers_info_by_topic(name)
            if publishers:
                self._recorded[name] = self._record(name, types, publishers)

    def waits_for(self) -> str:
        """Topics that nobody publishes."""
        absent = [name for name in self._wanted if name not in self._recorded]
        if not self._recorded and not self._wanted:
            return 'waiting for topics: there are none'
        return f"waiting for {', '.join(absent)}" if absent else ''

    def _hears_the_awaited(self) -> bool:
        return all(self._hears(name) for name in self._awaited)

    def _hears(self, name: str) -> bool:
        subscription = self._recorded.get(name)
        if subscription is None or not subscription.get_publisher_count():
            return False
        # What is latched was sent before and is on its way.
        return name not in self._latched or self._writer.count(name) > 0

    def _record(
        self, name: str, types: list[str], publishers: list[TopicEndpointInfo],
    ) -> Subscription | None:
        if len(types) > 1:
            self.get_logger().error(
                f"topic {name} is not recorded: it has the types {', '.join(types)},"
                ' expected one')
            return None
        try:
            package, kind, type_name = types[0].split('/')
            message_type = getattr(importlib.import_module(f'{package}.{kind}'), type_name)
        except (ImportError, AttributeError) as error:
            self.get_logger().error(
                f'topic {name} is not recorded: the type {types[0]} is not installed ({error})')
            return None
        if not self._writer.is_open:
            return None
        definition, type_hash = self._definitions.text(types[0])
        profiles = [publisher.qos_profile for publisher in publishers]
        handle = self._writer.add_topic(
            name, types[0], definition, '\n'.join(_to_yaml(p) for p in profiles), type_hash)
        profile = qos.matching(profiles, qos.recording_depth(types[0]))
        if profile.durability == DurabilityPolicy.TRANSIENT_LOCAL:
            self._latched.add(name)
        return self.create_subscription(
            message_type, name, partial(self._on_message, handle), profile, raw=True,
            event_callbacks=SubscriptionEventCallbacks(
                incompatible_qos=partial(self._on_incompatible_qos, name, profile)))

    def _on_incompatible_qos(self, name: str, profile: QoSProfile, _: object) -> None:
        """Say which publishers that came later are not heard: a subscription cannot adapt."""
        others = qos.incompatible_publishers(self, name, profile)
        if others:
            self.get_logger().warning(
                f"{name} of {' and '.join(others)} is not recorded: the subscription fits the"
                ' first publisher; let both use the same QoS, or start the recorder after them')

    def _on_message(self, handle: int, data: bytes) -> None:
        now_ns = self.now_ns()
        if self._writer.is_open:
            try:
                self._writer.write(handle, now_ns, now_ns, data)
            except BagError as error:
                self.fail(error)

    def _on_flush_timer(self) -> None:
        if self._writer.is_open:
            try:
                self._writer.flush()
            except BagError as error:
                self.fail(error)

    def _complete(self) -> None:
        """Write what has come, then close the bag with its index."""
        self._write_waiting()
        if not self._writer.message_count:
            self._discard('nothing was recorded')
        elif not self.now_ns() and self._writer.message_count == sum(
                map(self._writer.count, self._latched)):
            self.discard()
        self._writer.close()

    def _write_waiting(self) -> None:
        """Write what waits, but not for long: who sends faster than it is written goes on."""
        waiting = {name: found for name, found in self._recorded.items() if found is not None}
        until = time.monotonic() + _LONGEST_END
        while waiting and time.monotonic() < until:
            waiting = {name: found for name, found in waiting.items() if take_waiting(found, 1)}
        if waiting and self._writer.is_open:
            self.get_logger().warning(
                f"recording fell behind: the last messages on {', '.join(sorted(waiting))} are not"
                f' in the bag {self._writer.folder}; record fewer topics')

    def _discard(self, reason: str) -> None:
        if self._writer.is_open:
            self._writer.discard()
            self.get_logger().warning(f'{reason}: the bag {self._writer.folder} is removed')


def _to_yaml(profile: QoSProfile) -> str:
    return (f'- history: {profile.history.name.lower()}\n'
            f'  depth: {profile.depth}\n'
            f'  reliability: {profile.reliability.name.lower()}\n'
            f'  durability: {profile.durability.name.lower()}')
