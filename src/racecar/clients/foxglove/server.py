# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node that serves the Foxglove app, and the WebSocket server that it needs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from foxglove import Context, Parameter, set_log_level, start_server, StatusLevel
from foxglove.websocket import (
    Capability,
    ChannelView,
    Client,
    ClientChannel,
    ServerListener,
    WebSocketServer,
)
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.node import Node

from racecar.bags.message_definitions import MessageDefinitions
from racecar.base.errors import ConfigurationError, RacecarError
from racecar.clients.foxglove.assets import read_asset
from racecar.clients.foxglove.node_thread import NodeThread
from racecar.clients.foxglove.parameter_relay import ParameterRelay
from racecar.clients.foxglove.publication import Publications
from racecar.clients.foxglove.service_relay import ServiceRelay
from racecar.clients.foxglove.simulated_time import SimulatedTime
from racecar.clients.foxglove.topic_relay import ENCODING, TopicRelay
from racecar.clients.graph.view import GraphView, nodes_with_parameters
from racecar.ros.raw_subscription import THROTTLE

# How often to look for what is new among topics, services and nodes [s].
_DISCOVERY_PERIOD = 0.3
# Messages that wait for one slow client before the oldest is lost: at most 120 MB of pictures.
_BACKLOG = 128

_CAPABILITIES = [Capability.ClientPublish, Capability.Parameters, Capability.Services,
                 Capability.Time]


class FoxgloveServer(Node):
    """Shows clients the topics, parameters and services of other nodes.

    Only what a client has subscribed to is listened to, and a slow client loses messages; nobody
    waits for one. Clients may set parameters, call services and publish.

    Most methods of the SDK (0.30) keep the GIL, and its threads wait for the GIL to call the
    listener and to log. Where they do so with a lock that a method needs, both wait for ever:
    publish_parameter_values() is never called, and the SDK does not log.
    """

    def __init__(self, executor: Executor, host: str, port: int) -> None:
        """Begin to serve; executor: the one that the node is in. port: 0 for one that is free.

        Raises ConfigurationError if the address cannot be served.
        """
        # From Kilted on, rclpy also destroys nodes whose constructor ended early.
        self._closing = ExitStack()
        super().__init__('foxglove_server', start_parameter_services=False)
        self._host = host
        context = Context()
        definitions = MessageDefinitions()
        thread = NodeThread(executor)
        self._graph = GraphView(self)
        self._time = SimulatedTime(self, lambda time_ns: self._server.broadcast_time(time_ns))
        self.topic_relay = TopicRelay(self, context, definitions, self._time.now_ns)
        self.parameter_relay = ParameterRelay(self, thread, self.complain)
        self.publications = Publications(self)
        # From here on clients may come, on other threads.
        self._server = _start(_Listener(self, thread), context, host, port)
        self._closing.callback(self._server.stop)
        self._service_relay = ServiceRelay(self, thread, definitions, self._server)
        self.create_timer(
            _DISCOVERY_PERIOD, self.look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        executor.add_node(self)

    @property
    def url(self) -> str:
        """What the app is to be connected to."""
        host = f'[{self._host}]' if ':' in self._host else self._host
        return f'ws://{host}:{self._server.port}'

    def look(self) -> None:
        """Take note of what there is now."""
        self.topic_relay.look()
        self._service_relay.look()
        self.parameter_relay.look(nodes_with_parameters(self._graph.services()))
        self.follow_time()

    def complain(self, text: str) -> None:
        """Log a warning, and show it to the clients."""
        self.get_logger().warning(text)
        self._server.publish_status(text, StatusLevel.Warning)

    def attempt(self, act: Callable[[], object]) -> None:
        """Do what a client wants; complain about what cannot be done."""
        try:
            act()
        except RacecarError as error:
            self.complain(str(error))

    def follow_time(self) -> None:
        """Hear the simulated time if any topic is in use."""
        self._time.follow(self.topic_relay.is_in_use)

    def destroy_node(self) -> None:
        """Let the clients go, then the node."""
        self._closing.close()
        super().destroy_node()


class _Listener(ServerListener):
    """Takes what clients ask for from the threads of the SDK to that of the executor."""

    def __init__(self, node: FoxgloveServer, thread: NodeThread) -> None:
        self._node = node
        self._thread = thread

    def on_subscribe(self, client: Client, channel: ChannelView) -> None:
        self._post(partial(self._node.topic_relay.subscribe, channel.id, client.id))
        self._thread.post(self._node.follow_time)

    def on_unsubscribe(self, client: Client, channel: ChannelView) -> None:
        self._post(partial(self._node.topic_relay.unsubscribe, channel.id, client.id))

    def on_client_advertise(self, client: Client, channel: ClientChannel) -> None:
        self._post(partial(
            self._node.publications.advertise, client.id, channel.id, channel.topic,
            channel.encoding, channel.schema_name))

    def on_client_unadvertise(self, client: Client, client_channel_id: int) -> None:
        self._post(partial(self._node.publications.withdraw, client.id, client_channel_id))

    def on_message_data(self, client: Client, client_channel_id: int, data: bytes) -> None:
        publish = partial(self._node.publications.publish, client.id, client_channel_id, data)
        if not self._thread.offer(publish):
            self._node.get_logger().warning(
                'messages of a client are lost: they come faster than they can be published',
                throttle_duration_sec=THROTTLE)

    def on_get_parameters(
        self, client: Client, param_names: list[str], request_id: str | None = None,
    ) -> list[Parameter]:
        return self._answer(partial(self._node.parameter_relay.get, param_names))

    def on_set_parameters(
        self, client: Client, parameters: list[Parameter], request_id: str | None = None,
    ) -> list[Parameter]:
        return self._answer(partial(self._node.parameter_relay.set, parameters))

    def _answer(self, find: Callable[[], list[Parameter]]) -> list[Parameter]:
        try:
            return find()
        except Exception as error:  # the SDK would be silent about it
            self._node.complain(f'a request for parameters failed: {error!r}')
            return []

    def _post(self, act: Callable[[], object]) -> None:
        self._thread.post(partial(self._node.attempt, act))


def _start(
    listener: ServerListener, context: Context, host: str, port: int,
) -> WebSocketServer:
    # It would log with locks held that Channel.close() and log() need.
    set_log_level('CRITICAL')
    try:
        return start_server(
            name='racecar', host=host, port=port, capabilities=_CAPABILITIES,
            server_listener=listener, supported_encodings=[ENCODING], context=context,
            asset_handler=read_asset, message_backlog_size=_BACKLOG)
    except (OSError, RuntimeError, ValueError, OverflowError) as error:
        raise ConfigurationError(
            f'Foxglove cannot be served at {host}, port {port}:'
            f" {' '.join(str(error).split())}; name another port, or 0 for one that is free",
        ) from error
