# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one list of nodes: what composing, launching, sweeping and checking read; needs no ROS.

Tables of parameters, control laws and simulators are imported when they are asked for: a node
waits for its own only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import importlib
from typing import Any, TYPE_CHECKING

from racecar.base.parameters import ParameterTable
from racecar.catalogue import node_names

if TYPE_CHECKING:
    from racecar.catalogue.simulators.shared import SimulatorEntry
    from racecar.control.laws import LawEntry

__all__ = ['NODES', 'NodeSpec', 'TABLES']


@dataclass(frozen=True)
class NodeSpec:
    """A node: its executable, its class, its parameters, and its part in a loop.

    name: of executable and, by default, node. class_name: in the module of this name in
    racecar.nodes; that of control laws in control_law. home: module of this package that has its
    table, by its name in capitals, and, of a simulator, its entry. hears_odometry: a simulator in
    lockstep waits for its subscription to the odometry, or to the output that it awaits in its
    place. is_simulator: it owns the time. law: the control law behind it; None for other nodes.
    makes_controller: it drives by a custom controller if its parameter controller names one.
    needs: modules that not every installation has, see racecar.base.extras.
    """

    name: str
    class_name: str
    home: str
    hears_odometry: bool = False
    is_simulator: bool = False
    law: LawEntry | None = None
    makes_controller: bool = False
    needs: tuple[str, ...] = ()

    @property
    def table(self) -> ParameterTable:
        """Its parameters."""
        home = importlib.import_module(f'{__name__}.{self.home}')
        table: ParameterTable = (
            getattr(home, self.name.upper()) if self.law is None else home.law_table(self.law))
        return table

    @property
    def simulator(self) -> SimulatorEntry:
        """What makes its cars; only where is_simulator."""
        assert self.is_simulator, self.name
        entry: SimulatorEntry = importlib.import_module(f'{__name__}.{self.home}').ENTRY
        return entry

    def load_class(self) -> Any:
        """Class of the node; its module, which needs ROS, is imported."""
        module = self.name if self.law is None else 'control_law'
        return getattr(importlib.import_module(f'racecar.nodes.{module}'), self.class_name)

    def make_node(self, **kwargs: object) -> Any:
        """Node of this kind; kwargs go to rclpy.node.Node.

        Raises ParameterError or ConfigurationError for parameters that cannot be used.
        """
        node_class = self.load_class()
        return node_class(**kwargs) if self.law is None else node_class(self.name, **kwargs)


_TRACKER = NodeSpec(
    node_names.TRAJECTORY_TRACKER, 'TrajectoryTrackerNode', 'tables.tracking',
    hears_odometry=True, makes_controller=True)

_OTHERS = (
    NodeSpec(
        node_names.SINGLE_TRACK_SIMULATOR, 'SingleTrackSimulatorNode', 'simulators.single_track',
        is_simulator=True),
    NodeSpec(
        node_names.WORLD_SIMULATOR, 'WorldSimulatorNode', 'simulators.world', is_simulator=True,
        needs=('mujoco',)),
    NodeSpec(
        node_names.DIFFERENTIAL_WHEELS_SIMULATOR, 'DifferentialWheelsSimulatorNode',
        'simulators.differential_wheels', is_simulator=True),
    NodeSpec(
        node_names.DIFFERENTIAL_LINEARIZER, 'DifferentialLinearizerNode', 'tables.tracking',
        hears_odometry=True),
    NodeSpec(node_names.SERVO_COMMANDS, 'ServoCommandsNode', 'tables.driving'),
    NodeSpec(node_names.ACKERMANN_MUX, 'AckermannMuxNode', 'tables.commands'),
    NodeSpec(node_names.DRIVER_BRIDGE, 'DriverBridgeNode', 'tables.driving', hears_odometry=True),
    NodeSpec(node_names.GAP_FOLLOWER, 'GapFollowerNode', 'tables.driving', hears_odometry=True),
    NodeSpec(
        node_names.EMERGENCY_BRAKE, 'EmergencyBrakeNode', 'tables.driving', hears_odometry=True),
    NodeSpec(node_names.KEYBOARD_TELEOP, 'KeyboardTeleopNode', 'tables.commands'),
    NodeSpec(node_names.JOY_TELEOP, 'JoyTeleopNode', 'tables.commands'),
    NodeSpec(node_names.JOY_NODE, 'JoyNode', 'tables.commands'),
    NodeSpec(node_names.LAP_TIMER, 'LapTimerNode', 'tables.race'),
    NodeSpec(node_names.RACE_CONTROL, 'RaceControlNode', 'tables.race'),
    NodeSpec(node_names.BAG_RECORDER, 'BagRecorderNode', 'tables.recorder'),
)


class _Nodes(Mapping[str, NodeSpec]):
    """Looks nodes up; the control laws are imported for one of them, and for all nodes."""

    def __init__(self, tracker: NodeSpec, others: tuple[NodeSpec, ...]) -> None:
        """Take the nodes that run no control law, which stand behind the tracker."""
        self._tracker = tracker
        self._by_name = {spec.name: spec for spec in (tracker, *others)}

    def __getitem__(self, name: str) -> NodeSpec:
        """Give the node of an executable."""
        return self._by_name[name] if name in self._by_name else self._of_laws()[name]

    def __iter__(self) -> Iterator[str]:
        """Give the executables."""
        return iter({self._tracker.name: None, **self._of_laws(), **self._by_name})

    def __len__(self) -> int:
        """Count the nodes."""
        return len(self._by_name) + len(self._of_laws())

    @staticmethod
    def _of_laws() -> dict[str, NodeSpec]:
        from racecar.control.laws import LAWS

        return {law.executable: NodeSpec(
            law.executable, 'ControlLawNode', 'tables.tracking', hears_odometry=True, law=law)
            for law in LAWS.values()}


class _Tables(Mapping[str, ParameterTable]):
    """Tables of nodes."""

    def __init__(self, nodes: Mapping[str, NodeSpec]) -> None:
        """Take the nodes."""
        self._nodes = nodes

    def __getitem__(self, name: str) -> ParameterTable:
        """Give the table of an executable."""
        return self._nodes[name].table

    def __iter__(self) -> Iterator[str]:
        """Give the executables."""
        return iter(self._nodes)

    def __len__(self) -> int:
        """Count the nodes."""
        return len(self._nodes)


NODES: Mapping[str, NodeSpec] = _Nodes(_TRACKER, _OTHERS)
"""By executable."""

TABLES: Mapping[str, ParameterTable] = _Tables(NODES)
"""Parameter table of each executable."""
