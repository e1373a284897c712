# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenarios as launch tests, for the CI of others.

A whole test file, for `pytest` or `launch_test`::

    from racecar.scenarios.launch_tests import scenario_test

    generate_test_description, TestScenario = scenario_test('my_scenario.yaml')

The module can be imported without launch; what needs it says so then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
import contextlib
import datetime
from functools import partial
import os
from pathlib import Path
import sys
import threading
import time
from typing import Any, TYPE_CHECKING
import unittest

from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS
from racecar.scenarios.expected import Observed
from racecar.scenarios.outcome import Outcome
from racecar.scenarios.scenario import load_scenario, Scenario

if TYPE_CHECKING:
    from launch import Action, LaunchContext, LaunchDescription
    from launch.events.process import ProcessExited, ProcessStarted

    from racecar.scenarios.listening import Listening

PATIENCE = 60.0
"""Time without progress of the simulated time after which a drive counts as stuck [s]."""

NAME = 'scenario'
"""Under which tests have the drive as an argument."""

_LOOK = 0.02
_DOMAIN = 'ROS_DOMAIN_ID'
_ALSO = 'launch and launch_testing of ROS 2'


class LaunchedScenario:
    """A scenario whose nodes run as processes of their own.

    A test waits for the end and looks at what came of it: check() does both.
    """

    def __init__(self, scenario: Scenario, patience: float = PATIENCE) -> None:
        """patience: see PATIENCE."""
        self.scenario = scenario
        self._patience = patience
        self._began = time.monotonic()
        self._ended: dict[str, str] = {}
        self._lock = threading.Lock()
        self._outcome: Outcome | None = None
        self._listening: Listening | None = None
        self._closing = contextlib.ExitStack()

    def open(self, environment: MutableMapping[str, str]) -> None:
        """Claim a ROS domain, and begin to hear the topics, before the nodes start.

        environment: of the processes to be, which has the domain until close().
        """
        from racecar.ros.domains import claim_domain
        from racecar.scenarios.listening import Listening

        before = environment.get(_DOMAIN)
        self._closing.callback(_put_back, environment, before)
        environment[_DOMAIN] = str(claim_domain(self._closing))
        self._began = time.monotonic()
        self._listening = Listening(self.scenario)
        self._closing.callback(self._listening.close)

    def close(self) -> None:
        """Hear no more, and give back the domain."""
        self._closing.close()

    def note_start(self, name: str) -> None:
        """Note that the process of a node has started, perhaps once more; name: as note_end()."""
        self._ended.pop(name, None)

    def note_end(self, name: str, code: int) -> None:
        """Note that the process of a node has ended; name: full, without the leading slash."""
        self._ended.setdefault(name, f'has ended with exit code {code}')

    def outcome(self) -> Outcome:
        """Wait for the end of the drive by simulated time; what came of it.

        It is there sooner where the simulator ends or the time stands still.
        """
        with self._lock:
            if self._outcome is None:
                assert self._listening is not None
                self._outcome = self._awaited(self._listening)
            return self._outcome

    def check(self) -> None:
        """Wait for the end, and raise AssertionError for what did not come as expected.

        The message has a line for each, with value and limit, and says where the bag lies.
        """
        failures = self.outcome().failures()
        if failures:
            raise AssertionError(f'scenario {self.scenario.name}:\n{failures}')

    def _awaited(self, listening: Listening) -> Outcome:
        simulator = listening.simulator
        last, since, failure = -1, time.monotonic(), ''
        while not listening.has_ended:
            now, reached = time.monotonic(), listening.time_ns
            if reached > last:
                last, since = reached, now
            if self.scenario.options.lockstep and not all(
                    map(self.scenario.expected.may_end, [*self._ended])):
                # Each odometry would wait for its answer to the deadline.
                break
            if simulator in self._ended:
                failure = f'{simulator} {self._ended[simulator]}'
            elif now - since > self._patience:
                failure = (f'the time stands at {reached / NANOSECONDS:g} s for'
                           f' {self._patience:g} s: {listening.waits_for()}')
            if failure:
                break
            time.sleep(_LOOK)
        # Nothing more is added to what is looked at.
        listening.close()
        record, scenario = listening.record, self.scenario
        observed = Observed(
            record.measures(scenario.skip), record.position, dict(self._ended),
            {topic: record.traffic(topic) for topic in scenario.expected.topics},
            failure or record.missing(listening.period_ns))
        return Outcome(scenario, observed, record.digest, time.monotonic() - self._began,
                       scenario.options.record or '')


def scenario_launch(
    file: str | os.PathLike[str], actions: Iterable[Action] = (), *, record: bool = True,
    patience: float = PATIENCE,
) -> tuple[LaunchDescription, dict[str, LaunchedScenario]]:
    """What a function generate_test_description returns for a scenario, by name or as a file.

    actions: what else to launch, such as nodes of your own. record: whether to write a bag, into
    runs/scenario-NAME-DATE-TIME; patience: see PATIENCE. Tests have the LaunchedScenario as the
    argument `scenario`. Raises ConfigurationError without launch and for a file that cannot be
    used.
    """
    try:
        from launch import LaunchDescription
        from launch.actions import OpaqueFunction
        from launch_testing.actions import ReadyToTest
    except ImportError as error:
        raise ConfigurationError(
            f'a launch test needs {_ALSO}: {error}; source an installation of ROS 2 with'
            ' launch_testing, or use `racecar scenario`, which needs neither') from error
    _, scenario = load_scenario(Path(file))
    if scenario.has_jumps:
        raise ConfigurationError(
            f"scenario file '{file}': a launch test ends by the clock, which must not jump; use"
            ' `racecar scenario`')
    if record:
        now = datetime.datetime.now()
        scenario = scenario.recorded(
            Path.cwd() / 'runs' / f'scenario-{scenario.name}-{now:%Y%m%d-%H%M%S-%f}')
    launched = LaunchedScenario(scenario, patience)
    return LaunchDescription([
        OpaqueFunction(function=partial(_start, launched)), *actions, ReadyToTest(),
    ]), {NAME: launched}


def _put_back(environment: MutableMapping[str, str], domain: str | None) -> None:
    if domain is None:
        environment.pop(_DOMAIN, None)
    else:
        environment[_DOMAIN] = domain


def _start(launched: LaunchedScenario, context: LaunchContext) -> list[Any]:
    from launch.actions import RegisterEventHandler
    from launch.event_handlers import OnProcessExit, OnProcessStart, OnShutdown
    from launch_ros.actions import Node

    from racecar.stacks.launching import launch_nodes

    def note_start(event: ProcessStarted, _: LaunchContext) -> None:
        if isinstance(event.action, Node):
            launched.note_start(event.action.node_name.lstrip('/'))

    def note_end(event: ProcessExited, _: LaunchContext) -> None:
        if isinstance(event.action, Node):
            launched.note_end(event.action.node_name.lstrip('/'), event.returncode)

    def close(*_: object) -> None:
        launched.close()

    scenario = launched.scenario
    actions = launch_nodes(scenario.stack, scenario.driven(ends=False, observers=1),
                           f'scenario {scenario.name}', ends=False)
    launched.open(context.environment)
    return [RegisterEventHandler(OnProcessStart(on_start=note_start)),
            RegisterEventHandler(OnProcessExit(on_exit=note_end)),
            RegisterEventHandler(OnShutdown(on_shutdown=close)), *actions]


def scenario_test(
    file: str | os.PathLike[str], actions: Iterable[Action] = (), *, record: bool = True,
    patience: float = PATIENCE,
) -> tuple[Callable[[], object], type[unittest.TestCase]]:
    """Launch test of a scenario: generate_test_description, and a case that checks its end.

    Arguments as of scenario_launch(). Nothing is read before the test runs.
    """
    def generate_test_description() -> object:
        return scenario_launch(file, actions, record=record, patience=patience)

    class TestScenario(unittest.TestCase):
        """The drive ends as its file expects."""

        def test_expected_end(self, scenario: LaunchedScenario) -> None:
            """Wait for the end, and look."""
            scenario.check()

    # `launch_test`, which does not import pytest, needs no mark.
    pytest = sys.modules.get('pytest')
    described = generate_test_description if pytest is None \
        else pytest.mark.launch_test(generate_test_description)
    return described, TestScenario
