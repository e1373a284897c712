# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run a configuration's nodes in one process on one executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
import gc
import time
from types import TracebackType
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import PointStamped
from nav_msgs.msg import Odometry as OdometryMessage
import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.task import Future

from racecar.core.analysis.run_table import answered_rows, RunTable
from racecar.core.errors import BagError
from racecar.core.types import AckermannCommand, NANOSECONDS, Odometry
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.bag_recorder import BagRecorderNode
from racecar.nodes.driver_bridge import DriverBridgeNode
from racecar.nodes.dynamic_linearizer import DynamicLinearizerNode
from racecar.nodes.kinematic_linearizer import KinematicLinearizerNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros import qos
from racecar.ros.initialising import init
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import subscribe_raw
from racecar.ros.run_node import end, make_executor, spin
from racecar.ros.shared_clock import SharedClock
from racecar.ros.simulator_node import SimulatorNode
from racecar.ros.wire import read_command, read_odometry
from racecar.stacks import NodeDescription

NODE_CLASSES: dict[str, type[TableNode]] = {
    'trajectory_tracker': TrajectoryTrackerNode,
    'kinematic_linearizer': KinematicLinearizerNode,
    'dynamic_linearizer': DynamicLinearizerNode,
    'single_track_simulator': SingleTrackSimulatorNode,
    'ackermann_mux': AckermannMuxNode,
    'driver_bridge': DriverBridgeNode,
    'bag_recorder': BagRecorderNode,
}

_WATCH_PERIOD = 0.02


def make_node(description: NodeDescription) -> TableNode:
    """Construct a node as its description says; raises what its constructor raises."""
    overrides = [RosParameter(name, value=value)
                 for name, value in description.explicit_parameters().items()
                 if value != []]
    overrides.append(RosParameter('use_sim_time', value=description.use_sim_time))
    remappings = [word for source, target in description.remappings
                  for word in ('-r', f'{source}:={target}')]
    return NODE_CLASSES[description.executable](
        node_name=description.name, namespace=description.namespace,
        parameter_overrides=overrides,
        cli_args=['--ros-args', *remappings] if remappings else None)


class RunProbe(Node):
    """Listens to odometry, reference and commands, for metrics without a bag."""

    def __init__(self, namespace: str, topics: dict[str, str]) -> None:
        """topics: renamed relative topic names."""
        super().__init__('run_probe', namespace=namespace)
        self._odometry: list[tuple[float, ...]] = []
        self._reference: list[tuple[float, ...]] = []
        self._command: list[tuple[float, ...]] = []
        self._tracked_ahead = 0.0
        self.create_subscription(
            PointStamped, 'tracked_point', self._on_tracked_point, qos.LATCHED)
        for topic, message_type, decode, callback in (
                ('vesc/odom', OdometryMessage, read_odometry, self._on_odometry),
                ('reference_trajectory', OdometryMessage, read_odometry, self._on_reference),
                ('vesc/ackermann_cmd_mux/input/navigation', AckermannDriveStamped, read_command,
                 self._on_command)):
            subscribe_raw(
                self, message_type, topics.get(topic, topic), decode, callback, qos.STATE)

    def _on_tracked_point(self, message: PointStamped) -> None:
        self._tracked_ahead = message.point.x

    def _on_odometry(self, o: Odometry) -> None:
        self._odometry.append(
            (o.time_ns / NANOSECONDS, o.x, o.y, o.yaw, o.vx, o.vy, o.yaw_rate))

    def _on_reference(self, reference: Odometry) -> None:
        self._reference.append((reference.time_ns / NANOSECONDS, reference.x, reference.y))

    def _on_command(self, message: tuple[AckermannCommand, int]) -> None:
        command, stamp_ns = message
        self._command.append((stamp_ns / NANOSECONDS, *command))

    def table(self) -> RunTable:
        """Return what was heard. Raises BagError if odometry or reference were silent."""
        if not self._odometry or not self._reference:
            silent = 'odometry' if not self._odometry else 'reference'
            raise BagError(f'there was no {silent} to compute the tracking error from;'
                           ' was the tracker active?')
        return RunTable(answered_rows(
            np.array(self._odometry), np.array(self._reference),
            np.array(self._command).reshape(-1, 3)), self._tracked_ahead)


class ComposedStack:
    """All nodes of a configuration on one executor; a context manager that cleans up."""

    def __init__(self, descriptions: list[NodeDescription]) -> None:
        """Initialise rclpy if nobody did and construct the nodes; on failure nothing remains."""
        self._owns_context = not rclpy.ok()
        if self._owns_context:
            init()
        self.nodes: list[Node] = []
        self._executor: Any = None
        try:
            for description in descriptions:
                self.nodes.append(make_node(description))
            SharedClock(self.nodes)
            self._executor = make_executor()
            for node in self.nodes:
                self._executor.add_node(node)
        except BaseException:
            self.close()
            raise

    def add_node(self, node: Node) -> None:
        """Let one more node take part; it is destroyed with the others."""
        self.nodes.append(node)
        self._executor.add_node(node)

    @property
    def simulator(self) -> SimulatorNode:
        """The node that owns the time."""
        return next(node for node in self.nodes if isinstance(node, SimulatorNode))

    def spin(
        self, on_progress: Callable[[float], object] | None = None,
        until: Callable[[], bool] = lambda: False,
    ) -> float:
        """Run until the simulator's end_time, an interrupt, a shutdown, or until() says so.

        on_progress is called some times a second with the simulated time [s].
        Returns the wall time from the first tick to the end [s]. Raises DivergenceError.
        """
        simulator = self.simulator
        done: Future = Future()
        started: list[float] = []

        def watch() -> None:
            time_ns = simulator.plant.time_ns
            if time_ns and not started:
                started.append(time.monotonic())
            if on_progress is not None:
                on_progress(time_ns / NANOSECONDS)
            if simulator.finished or simulator.failure is not None or until():
                done.set_result(None)

        timer = simulator.create_timer(_WATCH_PERIOD, watch, clock=simulator.steady_clock)
        # What exists by now stays: a collection that looks through it holds up several ticks.
        gc.freeze()
        try:
            spin(self._executor, done)
        finally:
            gc.unfreeze()
            timer.cancel()
        if simulator.failure is not None:
            raise simulator.failure
        return time.monotonic() - started[0] if started else 0.0

    def close(self) -> None:
        """Destroy the nodes; the recorder closes its bag."""
        end(self._executor, self.nodes)
        self.nodes.clear()
        if self._owns_context:
            rclpy.try_shutdown()

    def __enter__(self) -> ComposedStack:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


@contextlib.contextmanager
def interrupts_end_quietly() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the block without a traceback."""
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        yield
