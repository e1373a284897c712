# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services that other nodes offer, called without waiting."""

from __future__ import annotations

from dataclasses import dataclass
import time
from typing import Any, NamedTuple, Protocol, TypeVar

from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

from racecar.base.errors import RunError
from racecar.clients.graph.answer import Answer

Response_co = TypeVar('Response_co', covariant=True)


class ServiceType(Protocol[Response_co]):
    """A class of services, of which that of the responses is known."""

    def Response(self) -> Response_co: ...  # noqa: N802


class Patience(NamedTuple):
    """How long a call waits [s].

    offer: for somebody who offers the service. response: for the response, from the request on;
    None for what is left of `offer`.
    """

    offer: float
    response: float | None = None


class Outcome(Protocol):
    """Response of a service that says whether it succeeded."""

    success: bool
    message: str


@dataclass(eq=False)
class _Call:
    name: str
    client: Client
    request: object
    answer: Answer[Any]
    until: float
    is_kept: bool


class ServiceCalls:
    """Calls in progress on behalf of a node; all methods are for the thread of its executor.

    poll() has to be called some times a second while an answer is awaited: a timer of its own
    would wake the node also without any call.
    """

    def __init__(self, node: Node, patience: Patience) -> None:
        """node: spun by somebody else."""
        self._node = node
        self._patience = patience
        self._kept: dict[str, Client] = {}
        self._waiting: list[_Call] = []
        self._sent: dict[Future, _Call] = {}

    def call(
        self, service_type: ServiceType[Response_co], name: str, request: object, *,
        keep: bool = False,
    ) -> Answer[Response_co]:
        """Call a service of a full name; the answer is its response.

        It is RunError if nobody offers the service, nobody responds or the request cannot be sent.
        keep: whether the client is kept for later calls of this service, which are faster then.
        """
        client = self._kept.get(name)
        if client is None:
            client = self._node.create_client(service_type, name)
            if keep:
                self._kept[name] = client
        answer: Answer[Response_co] = Answer()
        self._waiting.append(_Call(
            name, client, request, answer, time.monotonic() + self._patience.offer,
            name in self._kept))
        self.poll()
        return answer

    async def act(self, service_type: ServiceType[Outcome], name: str, request: object) -> None:
        """Call a service that says whether it succeeded, such as SetBool; keeps its client.

        Raises RunError as the answer of call(), and with the service's message if it did not.
        """
        response = await self.call(service_type, name, request, keep=True)
        if not response.success:
            raise RunError(response.message)

    def poll(self) -> None:
        """Send what can be sent, and give up what takes too long."""
        now = time.monotonic()
        # Whoever gets an answer may call again.
        for call in [*self._waiting]:
            if call not in self._waiting:
                continue
            if call.client.service_is_ready():
                self._waiting.remove(call)
                self._send(call)
            elif now > call.until:
                self._waiting.remove(call)
                self._fail(call, f'service {call.name} is not offered; does its node still run?')
        for future, call in [*self._sent.items()]:
            if now > call.until and self._sent.pop(future, None) is not None:
                call.client.remove_pending_request(future)
                patience = self._patience.response or self._patience.offer
                self._fail(call, f'service {call.name} has not answered for {patience:g} s')

    def _send(self, call: _Call) -> None:
        try:
            future = call.client.call_async(call.request)
        except RuntimeError as error:  # of rcl, in one or more lines
            self._fail(call, _failed(call, ' '.join(str(error).split())))
            return
        except Exception as error:  # of whoever made the request
            self._release(call)
            call.answer.set_exception(error)
            return
        if self._patience.response is not None:
            call.until = time.monotonic() + self._patience.response
        self._sent[future] = call
        future.add_done_callback(self._on_response)

    def _on_response(self, future: Future) -> None:
        call = self._sent.pop(future, None)
        if call is None:
            return
        error = future.exception()
        if error is not None or future.cancelled():
            self._fail(call, _failed(call, error))
            return
        self._release(call)
        call.answer.set_result(future.result())

    def _fail(self, call: _Call, text: str) -> None:
        self._release(call)
        call.answer.set_exception(RunError(text))

    def _release(self, call: _Call) -> None:
        if not call.is_kept:
            self._node.destroy_client(call.client)


def _failed(call: _Call, reason: object) -> str:
    return f'the call of service {call.name} failed: {reason}'
