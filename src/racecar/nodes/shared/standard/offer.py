# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a service of the standard is offered, and what it answers where it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from rclpy.service import Service
from rclpy.task import Future
from simulation_interfaces.msg import Result

from racecar.base.errors import RacecarError
from racecar.entities.refusals import RefusedError
from racecar.ros.simulator_node import SimulatorNode


class _Answered(Protocol):
    """Response that says how it went."""

    result: Result


Q = TypeVar('Q')
R = TypeVar('R', bound=_Answered)


class Offer:
    """Creates services on a node; what is refused becomes the result of a response."""

    def __init__(self, node: SimulatorNode, prefix: str) -> None:
        """prefix: before each name, empty or ending with /."""
        self._node = node
        self._prefix = prefix

    def name(self, kind: type) -> str:
        """Name of a service or an action by its type."""
        return f'{self._prefix}{_snake(kind.__name__)}'

    def serve(self, kind: type, handle: Callable[[Q, R], None]) -> None:
        """Create a service; handle: fills the response, raises RacecarError or ValueError."""
        def answer(request: Q, response: R) -> R:
            response.result.result = Result.RESULT_OK
            try:
                handle(request, response)
            except (RacecarError, ValueError) as error:
                refuse(response, response.result, error)
            return response

        self._node.create_service(kind, self.name(kind), answer)


def refuse(response: object, result: Result, error: Exception) -> None:
    """Write the result that belongs to an error; response has the codes of the service."""
    code = error.code if isinstance(error, RefusedError) else 'OPERATION_FAILED'
    number: int | None = getattr(response, code, None)
    if number is None:
        number = getattr(Result, f'RESULT_{code}', Result.RESULT_OPERATION_FAILED)
    result.result = Result.RESULT_OPERATION_FAILED if number is None else number
    result.error_message = str(error)


def answer_later(service: Service) -> None:
    """Let a service answer with the result of the future that its callback gives.

    The EventsExecutor of Jazzy does not await callbacks of services.
    """
    send = service.send_response

    def send_result(future: Future, header: object) -> None:
        future.add_done_callback(lambda done: send(done.result(), header))

    # As the executors look for it.
    vars(service)['send_response'] = send_result


def _snake(name: str) -> str:
    return ''.join(f'_{letter.lower()}' if letter.isupper() else letter for letter in name)[1:]
