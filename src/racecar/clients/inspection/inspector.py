# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node that looks at others: it waits until it has found them, and for what it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import os
import time
from typing import TypeVar

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest_near
from racecar.clients.graph.answer import Answer
from racecar.clients.graph.parameters import ParameterServices
from racecar.clients.graph.service_calls import Patience, ServiceCalls, ServiceType
from racecar.clients.graph.view import absolute, GraphView, TypesByName
from racecar.ros.initialising import init
from racecar.ros.run_node import end

_POLL = 0.02          # [s]
# Mostly nodes of this computer find each other in some hundredths of a second, at times in two
# seconds: how long to look at least, until nothing new has come, and where there is nobody.
_SHORTEST, _STILL, _LONGEST = 1.2, 0.3, 4.0
_PATIENCE = 5.0
_ANSWER_PATIENCE = 10.0

Value = TypeVar('Value')


class Inspector:
    """A node that looks at those in the ROS domain of the environment, and its executor.

    A context manager that gives itself. graph: what has been found up to now; parameters: the
    parameter services of the others, for wait_for().
    """

    def __init__(self, spin_time: float | None = None) -> None:
        """spin_time: how long to look [s]; None until nothing new is found."""
        init([])
        self._spin_time = spin_time
        # Hidden, as those of ros2.
        self.node = Node(
            f'_racecar_inspector_{os.getpid()}', enable_rosout=False,
            start_parameter_services=False)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.graph = GraphView(self.node)
        self._calls = ServiceCalls(self.node, Patience(self._patience, _ANSWER_PATIENCE))
        self.parameters = ParameterServices(self._calls)

    def __enter__(self) -> Inspector:
        return self

    def __exit__(self, *_: object) -> None:
        end(self._executor, [self.node])
        rclpy.try_shutdown()

    def spin(self, done: Callable[[], bool], patience: float | None = None) -> bool:
        """Spin until done() or out of patience [s], and tell whether it is done."""
        until = None if patience is None else time.monotonic() + patience
        while not done():
            if until is not None and time.monotonic() >= until:
                return False
            self._executor.spin_once(_POLL)
        return True

    def settle(self, shortest: float = _SHORTEST) -> None:
        """Wait until nothing new has been found for a while, but so long at least [s]."""
        start = changed = time.monotonic()
        known: object = None
        while True:
            now = time.monotonic()
            nodes = self.graph.nodes()
            found = nodes, self.graph.topics(), self.graph.services()
            if found != known:
                known, changed = found, now
            if self._spin_time is not None:
                if now - start >= self._spin_time:
                    return
            elif now - start >= _LONGEST or (
                    nodes and now - start >= shortest and now - changed >= _STILL):
                return
            self._executor.spin_once(_POLL)

    def topic_type(self, name: str) -> str:
        """Wait for a topic; return its type. Raises ConfigurationError if it has none or many."""
        return self._one_type('topic', name, self.graph.topics)

    def service_type(self, name: str) -> str:
        """Wait for a service; return its type. Raises ConfigurationError as topic_type()."""
        return self._one_type('service', name, self.graph.services)

    def _one_type(self, what: str, name: str, found: Callable[[], TypesByName]) -> str:
        if not self.spin(lambda: name in found(), self._patience):
            raise self._absent(what, name, found())
        types = found()[name]
        if len(types) > 1:
            raise ConfigurationError(
                f"{what} {name} has the types {', '.join(types)}; name the one that is meant")
        return types[0]

    def find_node(self, name: str) -> str:
        """Wait for a node and return its full name. Raises ConfigurationError if it is absent."""
        full = absolute(name)
        if not self.spin(lambda: full in self.graph.nodes(), self._patience):
            raise self._absent('node', full, self.graph.nodes())
        return full

    @property
    def _patience(self) -> float:
        return _PATIENCE if self._spin_time is None else self._spin_time

    def _absent(self, what: str, name: str, known: Iterable[str]) -> ConfigurationError:
        self.settle()
        names = [*known]
        domain = os.environ.get('ROS_DOMAIN_ID') or '0'
        hint = suggest_near(name, names) or (
            f'`racecar {what} list` lists what there is' if names
            else 'nobody is there; does a stack run, in this domain?')
        return ConfigurationError(
            f'{what} {excerpt(name)} is not there (ROS_DOMAIN_ID {domain}); {hint}')

    def wait_for(self, answer: Answer[Value]) -> Value:
        """Spin until an answer is there, and return it or raise its error."""
        while not answer.done():
            self._executor.spin_once(_POLL)
            self._calls.poll()
        return answer.result()

    def call(
        self, service_type: ServiceType[Value], name: str, request: object,
    ) -> Value:
        """Call a service and return its response. Raises RunError if none comes."""
        return self.wait_for(self._calls.call(service_type, name, request))
