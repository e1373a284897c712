# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services that others offer, called without waiting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import time
from typing import Any

from rclpy.client import Client
from rclpy.node import Node

# A service that was found answers within this [s].
_PATIENCE = 3.0

OnResponse = Callable[[Any], object]
OnFailure = Callable[[str], object]


@dataclass(frozen=True, eq=False)
class _Call:
    name: str
    client: Client
    request: Any
    on_response: OnResponse
    on_failure: OnFailure
    until: float


class Services:
    """Calls in progress; poll() is to be called some times a second."""

    def __init__(self, node: Node) -> None:
        """node: on whose behalf; it is spun by somebody else."""
        self._node = node
        self._clients: dict[str, Client] = {}
        self._waiting: list[_Call] = []
        self._asked: dict[Any, _Call] = {}

    def call(
        self, service_type: Any, name: str, request: Any, on_response: OnResponse,
        on_failure: OnFailure = lambda _: None,
    ) -> None:
        """Call a service once it is there; calls one of the two back, with a text on failure."""
        if name not in self._clients:
            self._clients[name] = self._node.create_client(service_type, name)
        self._waiting.append(_Call(
            name, self._clients[name], request, on_response, on_failure,
            time.monotonic() + _PATIENCE))
        self.poll()

    def forget(self, name: str) -> None:
        """Destroy the client of a service, which is not called any more."""
        client = self._clients.pop(name, None)
        if client is not None:
            self._waiting = [call for call in self._waiting if call.client is not client]
            self._asked = {future: call for future, call in self._asked.items()
                           if call.client is not client}
            self._node.destroy_client(client)

    def poll(self) -> None:
        """Send what can be sent, and give up what takes too long."""
        now = time.monotonic()
        # A callback may add calls, forget others, or raise: the rest still waits.
        for call in [*self._waiting]:
            if call not in self._waiting:
                continue
            if call.client.service_is_ready():
                self._waiting.remove(call)
                self._send(call)
            elif now > call.until:
                self._waiting.remove(call)
                call.on_failure(f'service {call.name} is not offered')
        for future, call in [*self._asked.items()]:
            if now > call.until and self._asked.pop(future, None) is not None:
                call.client.remove_pending_request(future)
                call.on_failure(f'service {call.name} has not answered for {_PATIENCE:g} s')

    def _send(self, call: _Call) -> None:
        try:
            future = call.client.call_async(call.request)
        except RuntimeError as error:  # of rcl, in one or more lines
            call.on_failure(f"service {call.name}: {' '.join(str(error).split())}")
            return
        self._asked[future] = call
        future.add_done_callback(self._on_answer)

    def _on_answer(self, future: Any) -> None:
        call = self._asked.pop(future, None)
        if call is None:
            return
        if future.exception() is not None:
            call.on_failure(f'service {call.name}: {future.exception()}')
        else:
            call.on_response(future.result())
