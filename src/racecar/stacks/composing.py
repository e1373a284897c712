# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run a configuration's nodes in one process on one executor."""

from __future__ import annotations

from collections.abc import Callable
import os
import time
from typing import Any, cast

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.task import Future

from racecar.base.errors import RacecarError
from racecar.base.types import NANOSECONDS
from racecar.catalogue import node_names
from racecar.ros.initialising import init
from racecar.ros.interrupted import Interrupted
from racecar.ros.node import TableNode
from racecar.ros.observed_publisher import Observer
from racecar.ros.run_node import end, make_executor, spin
from racecar.ros.shared_clock import SharedClock
from racecar.ros.simulator_node import SimulatorNode
from racecar.signals import code_of_command
from racecar.simulation.ports import collisions_of
from racecar.stacks import NodeDescription
from racecar.stacks.faults import Kill, kills_of

_WATCH_PERIOD = 0.02
# Of watching, after which the executor has let go of a node.
_TURNS_TO_LEAVE = 5

# Messages of the last tick that have not come after so long do not come [s].
_LONGEST_WAY = 5.0


def make_node(description: NodeDescription) -> TableNode:
    """Construct a node as its description says; raises what its constructor raises."""
    overrides = [RosParameter(name, value=value)
                 for name, value in description.explicit_parameters().items()
                 if value != []]
    overrides.append(RosParameter('use_sim_time', value=description.use_sim_time))
    remappings = [word for source, target in description.remappings
                  for word in ('-r', f'{source}:={target}')]
    node: TableNode = description.spec.make_node(
        node_name=description.name, namespace=description.namespace,
        parameter_overrides=overrides,
        cli_args=['--ros-args', *remappings] if remappings else None)
    return node


def _is_recorder(description: NodeDescription) -> bool:
    return description.executable == node_names.BAG_RECORDER


class ComposedStack:
    """All nodes of a configuration on one executor; a context manager that cleans up."""

    def __init__(self, descriptions: list[NodeDescription]) -> None:
        """Construct the nodes; on failure nothing remains.

        If rclpy is not initialised yet, this does it and takes over SIGINT and SIGTERM until
        close(). Raises Interruption if one of them comes meanwhile.
        """
        self._owns_context = not rclpy.ok()
        self._interrupted: Interrupted | None = None
        if self._owns_context:
            self._interrupted = Interrupted(code_of_command)
            # For people, who have no use for the stamp in nanoseconds.
            os.environ.setdefault(
                'RCUTILS_CONSOLE_OUTPUT_FORMAT', '[{severity}] [{name}]: {message}')
            init()
        self.nodes: list[Node] = []
        self._executor: Executor | None = None
        self._described: list[TableNode] = []
        self._by_executable: dict[str, TableNode] = {}
        self._muxes: list[TableNode] = []
        self._kills: list[Kill] = []
        # By full names; those that faults have ended, and those of them that still exist.
        self._by_name: dict[str, TableNode] = {}
        self._gone: set[str] = set()
        self._leaving: list[TableNode] = []
        self._simulator: SimulatorNode | None = None
        self._started: float | None = None
        self._ended: float | None = None
        try:
            # The recorder at the end, as it makes a folder: none for nodes that cannot start.
            for description in sorted(descriptions, key=_is_recorder):
                described = make_node(description)
                # First among those to be closed, so that its bag is.
                place = 0 if _is_recorder(description) else len(self.nodes)
                self.nodes.insert(place, described)
                self._described.insert(place, described)
                self._by_executable[description.executable] = described
                self._by_name[description.full_name] = described
                if description.executable == node_names.ACKERMANN_MUX:
                    self._muxes.append(described)
                if description.spec.is_simulator:
                    self._simulator = cast(SimulatorNode, described)
                if self._interrupted is not None:
                    self._interrupted.check()
            self._clock = SharedClock(self.nodes)
            self._quieten()
            self._kills = kills_of(descriptions)
            if self._kills:
                self.simulator.on_advanced = self._on_time
            self._executor = make_executor()
            for node in self.nodes:
                self._executor.add_node(node)
        except BaseException:
            self.close()
            raise

    def _quieten(self) -> None:
        """Let only the first node of the chain say what it waits for."""
        simulator = self._simulator
        if simulator is None:
            return
        at = self._described.index(simulator)
        # Who drives by hand comes last among the nodes.
        chain = [*self._described[at + 1:], *self._described[:at], simulator]
        # A recorder waits for what the others publish.
        recorders = [node for node in chain if node is self.find(node_names.BAG_RECORDER)]
        chain = [*(node for node in chain if node not in recorders), *recorders]
        for place, node in enumerate(chain):
            node.idle_notice.follow([other.idle_notice for other in chain[:place]])
        # Of two muxes one has no source where a driver or a person drives by the other.
        for mux in self._muxes:
            mux.idle_notice.be_needless_while(lambda: simulator.is_commanded)

    def _on_time(self, time_ns: int) -> None:
        """End nodes, and start them again, as faults say."""
        for description in {kill.node.full_name: kill.node for kill in self._kills}.values():
            name = description.full_name
            is_to_be = not any(kill.fault.acts_at(time_ns) for kill in self._kills
                               if kill.node is description)
            if is_to_be and name in self._gone:
                self._gone.remove(name)
                self.simulator.run_soon(self._start_again, description)
            elif not is_to_be and name not in self._gone:
                self._gone.add(name)
                self.simulator.run_soon(self._end_node, name)

    def _end_node(self, name: str) -> None:
        """Take a node out of the stack; it is destroyed once the executor has let go of it."""
        node = self._by_name.pop(name)
        assert self._executor is not None
        self._executor.remove_node(node)
        self._clock.leave(node)
        for nodes in (self.nodes, self._described, self._muxes):
            if node in nodes:
                nodes.remove(node)
        self._leaving.append(node)
        self.simulator.get_logger().warning(f'fault node_kill: {name} ends')

    def _start_again(self, description: NodeDescription) -> None:
        """Make a node anew that a fault has ended. One that cannot be made ends the stack."""
        name = description.full_name
        try:
            node = make_node(description)
        except RacecarError as error:
            self.simulator.fail(error)
            return
        self._clock.join(node)
        self._by_name[name] = self._by_executable[description.executable] = node
        self._described.append(node)
        if description.executable == node_names.ACKERMANN_MUX:
            self._muxes.append(node)
        self.add_node(node)
        self.simulator.get_logger().warning(f'fault node_kill: {name} is started again')

    def _destroy_leaving(self) -> None:
        """Destroy nodes that faults have ended, which the executor knows no more by now."""
        while self._leaving:
            self._leaving.pop().destroy_node()

    def add_node(self, node: Node) -> None:
        """Let one more node take part; it is destroyed with the others."""
        assert self._executor is not None
        self.nodes.append(node)
        self._executor.add_node(node)

    def observe(self, topic: str, observer: Observer) -> bool:
        """Let an observer have what the nodes publish on a topic of this full name from now on.

        Returns False, and does nothing, if none of the described nodes publishes there.
        """
        found = [node.observe(topic, observer) for node in self._described]
        return any(found)

    def has_stamps(self, topic: str) -> bool:
        """Whether messages that the nodes publish on a topic of this full name have a header."""
        return any(hasattr(publisher.msg_type, 'header') for node in self._described
                   for publisher in node.publishers if publisher.topic_name == topic)

    def find(self, executable: str) -> Any:
        """Node of an executable, the last one of several; None if there is none."""
        return self._by_executable.get(executable)

    @property
    def simulator(self) -> SimulatorNode:
        """The node that owns the time."""
        assert self._simulator is not None
        return self._simulator

    @property
    def _failed(self) -> list[TableNode]:
        return [node for node in self._described
                if node.done.done() and node.done.exception() is not None]

    @property
    def wall_time(self) -> float:
        """From the first tick to the end of spin(), or now [s]."""
        if self._started is None:
            return 0.0
        return (self._ended or time.monotonic()) - self._started

    @property
    def collisions(self) -> int | None:
        """How often the cars ran into something; None where there is nothing."""
        found = [collisions_of(entity) for entity in self.simulator.plant.entities]
        counted = [collisions.contacts for collisions in found if collisions is not None]
        return sum(counted) if counted else None

    @property
    def conflicts(self) -> list[str]:
        """Say who the publishers are of each topic that should have one and had several."""
        return [complaint for node in self._described for complaint in node.conflicts]

    def spin(
        self, on_progress: Callable[[float], object] | None = None,
        until: Callable[[], bool] = lambda: False,
        has_heard: Callable[[int], bool] = lambda _: True,
    ) -> None:
        """Run until the simulator's end_time, a shutdown, or until() says so.

        on_progress is called some times a second with the simulated time [s]. has_heard says
        whether what was published up to a simulated time [ns] has come to those who need it;
        the end waits for that, but not for ever. Raises DivergenceError or what another node
        failed with, or Interruption on SIGINT and SIGTERM.
        """
        done: Future = Future()

        leaving = 0

        def watch() -> None:
            nonlocal leaving
            self._note_time()
            leaving = leaving + 1 if self._leaving else 0
            if leaving > _TURNS_TO_LEAVE:
                self._destroy_leaving()
            if on_progress is not None:
                on_progress(simulator.plant.time_ns / NANOSECONDS)
            if self._all_came(has_heard) or self._has_failed or until():
                done.set_result(None)

        simulator = self.simulator
        timer = simulator.create_timer(_WATCH_PERIOD, watch, clock=simulator.steady_clock)
        if self._interrupted is not None:
            self._interrupted.then_end(done)
        try:
            assert self._executor is not None
            spin(self._executor, done)
        except ExternalShutdownException:
            pass
        finally:
            timer.cancel()
            self._ended = self._ended or time.monotonic()
        for node in self._described:
            node.look_for_conflicts()
        self._raise_failure()

    def _note_time(self) -> None:
        """Note when the first tick and the end of the simulation came."""
        now = time.monotonic()
        if self.simulator.plant.time_ns and self._started is None:
            self._started = now
        if self.simulator.finished and self._ended is None:
            self._ended = now

    def _all_came(self, has_heard: Callable[[int], bool]) -> bool:
        """Whether the simulation has ended, and its last messages have come or been lost."""
        return self._ended is not None and (
            has_heard(self.simulator.plant.time_ns)
            or time.monotonic() - self._ended > _LONGEST_WAY)

    @property
    def _has_failed(self) -> bool:
        return self.simulator.failure is not None or bool(self._failed)

    def _raise_failure(self) -> None:
        """Raise what the simulator or another node failed with, or Interruption."""
        if self.simulator.failure is not None:
            raise self.simulator.failure
        for node in self._failed:
            node.done.result()
        if self._interrupted is not None:
            self._interrupted.check()

    def close(self) -> None:
        """Destroy the nodes; the recorder closes its bag. Raises what a node raises then.

        No bag is left of a run whose time never began.
        """
        if self._started is None and not (
                self._simulator is not None and self.simulator.plant.time_ns):
            for node in self._described:
                node.discard()
        try:
            end(self._executor, [*self.nodes, *self._leaving])
        finally:
            self.nodes.clear()
            self._leaving.clear()
            if self._owns_context:
                rclpy.try_shutdown()
            if self._interrupted is not None:
                self._interrupted.restore()

    def __enter__(self) -> ComposedStack:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
