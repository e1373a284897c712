# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of other nodes that are set while they run, as `ros2 param set` does."""

from __future__ import annotations

from collections.abc import Mapping
import math

from rcl_interfaces.srv import SetParameters
from rclpy.client import Client
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future


class LiveParameters:
    """Sets parameters of all nodes that are not of this process.

    values: {name: value}; there may be none.
    """

    def __init__(self, node: Node, values: Mapping[str, object]) -> None:
        self._node = node
        self._wanted = [
            Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
        self._clients: list[Client] = []
        self._answers: dict[Client, Future] = {}
        self._asked_at = math.nan

    @property
    def is_done(self) -> bool:
        """Whether all nodes have answered, or there is nothing to set."""
        return not self._wanted or bool(self._clients) and all(
            client in self._answers and self._answers[client].done()
            for client in self._clients)

    def waits(self, now: float) -> float:
        """How long nodes have been asked without all answers [s]; now: a time of ask()."""
        return now - self._asked_at if self._clients and not self.is_done else 0.0

    def ask(self, now: float) -> None:
        """Ask each node once that is there at the first time, as soon as its service is.

        To be called again until it is done. now: [s], of any clock.
        """
        if self._wanted and not self._clients:
            self._asked_at = now
            self._clients = [
                self._node.create_client(SetParameters, f'{name}/set_parameters')
                for name in self._others()]
        for client in self._clients:
            if client not in self._answers and client.service_is_ready():
                self._answers[client] = client.call_async(
                    SetParameters.Request(parameters=self._wanted))

    def _others(self) -> list[str]:
        executor = self._node.executor
        own = [] if executor is None else [
            node.get_fully_qualified_name() for node in executor.get_nodes()]
        found = [f'{space.rstrip("/")}/{name}'
                 for name, space in self._node.get_node_names_and_namespaces()]
        return sorted(set(found) - set(own))

    def refusals(self) -> list[str]:
        """What no node has taken, a line each; once it is done."""
        lines = []
        for number, parameter in enumerate(self._wanted):
            results = [answer.result().results[number] for answer in self._answers.values()
                       if answer.done() and answer.result() is not None]
            if results and not any(result.successful for result in results):
                reasons = ', '.join(dict.fromkeys(
                    result.reason or 'no reason given' for result in results))
                lines.append(f"no node took the parameter '{parameter.name}': {reasons}")
        return lines
