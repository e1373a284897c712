# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Base class of the nodes: parameters from a table, checked at start and at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import contextlib
from typing import Any, Protocol

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.task import Future

from racecar.core.errors import ParameterError
from racecar.core.parameters import ParameterTable
from racecar.core.types import NANOSECONDS

# Parameters that rclpy itself declares from the overrides.
_RCLPY_PARAMETERS = ('use_sim_time', 'start_type_description_service')

# Seconds between two lines of the same complaint.
THROTTLE = 2.0


class NodeTime(Protocol):
    """Where nodes take the simulated time from, if not each from a subscription of its own."""

    time_ns: int


class TimeWatch:
    """Calls back about every period of a node's time.

    With simulated time rclpy keeps a thread for each timer, which every /clock message wakes: in
    lockstep a tenth of a tick. So where nodes share a clock, that calls instead.
    """

    def __init__(self, node: Node, period: float, callback: Callable[[], None]) -> None:
        """period: [s]."""
        self._node = node
        self._callback = callback
        self._period_ns = round(period * NANOSECONDS)
        self._due_ns = 0
        self._timer = node.create_timer(period, callback)

    def set_period(self, period: float) -> None:
        """Begin a period of another length [s] now."""
        self._period_ns = round(period * NANOSECONDS)
        self._due_ns = 0
        if self._timer is not None:
            self._timer.timer_period_ns = self._period_ns
            self._timer.reset()

    def follow_shared_clock(self) -> None:
        """Be called by on_time() only; not for a node that is in an executor."""
        self._node.destroy_timer(self._timer)
        self._timer = None

    def follow_timer(self) -> None:
        """Ignore on_time() from now on."""
        if self._timer is None:
            self._timer = self._node.create_timer(
                self._period_ns / NANOSECONDS, self._callback)

    def on_time(self, now_ns: int) -> None:
        """Call back if a period is over, or the time went back."""
        if self._timer is None and not self._due_ns - self._period_ns <= now_ns < self._due_ns:
            self._due_ns = now_ns + self._period_ns
            self._callback()


class TableNode(Node):
    """A node whose parameters come from a ParameterTable.

    Unknown keys and values out of range raise ParameterError at construction and are refused with
    the same message at run time. `values` always holds the current values by name. A node that
    runs as a process ends when it gives `done` a result.
    """

    def __init__(self, name: str, table: ParameterTable, **kwargs: Any) -> None:
        """Declare the table; kwargs go to rclpy.node.Node."""
        # What destroy_node() has to close. From Kilted on, rclpy also destroys nodes whose
        # constructor ended early.
        self.closing = contextlib.ExitStack()
        super().__init__(name, **kwargs)
        self.steady_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self.done: Future = Future()
        self.shared_clock: NodeTime | None = None
        self.time_watches: list[TimeWatch] = []
        self._table = table
        overrides = {
            key: parameter.value for key, parameter in self._parameter_overrides.items()
            if key not in _RCLPY_PARAMETERS and not key.startswith('qos_overrides.')
        }
        self.values: dict[str, Any] = table.resolve(overrides)
        self.check_values(self.values)
        for row in table:
            constraints = f'{row.range} {row.unit}'.strip()
            self.declare_parameter(
                row.name, self.values[row.name],
                # Dynamic typing lets the table's message, with key, value and range, come first.
                ParameterDescriptor(
                    description=row.description, additional_constraints=constraints,
                    read_only=row.read_only, dynamic_typing=True),
                ignore_override=True)
        self.add_pre_set_parameters_callback(self._convert)
        self.add_on_set_parameters_callback(self._validate)
        self.add_post_set_parameters_callback(self._apply)
        # A simulator that is started anew begins at time 0 again.
        time_jump_handle = self.get_clock().create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1),
                          on_clock_change=False),
            post_callback=lambda _: self.on_time_went_back())
        # It would keep the node alive.
        self.closing.callback(time_jump_handle.unregister)

    def now_ns(self) -> int:
        """Return the node's time [ns]."""
        if self.shared_clock is not None:
            return self.shared_clock.time_ns
        now_ns: int = self.get_clock().now().nanoseconds
        return now_ns

    def watch_time(self, period: float, callback: Callable[[], None]) -> TimeWatch:
        """Call back about every period [s] of the node's time."""
        watch = TimeWatch(self, period, callback)
        self.time_watches.append(watch)
        return watch

    def check_values(self, values: Mapping[str, Any]) -> None:
        """Raise ParameterError if values contradict each other; subclasses override it."""

    def on_values_changed(self, changed: set[str]) -> None:
        """React to the parameters that really changed; subclasses override it."""

    def on_time_went_back(self) -> None:
        """Forget what was noted with stamps that now lie ahead; subclasses override it."""

    def destroy_node(self) -> None:
        """Close what the constructor got to open."""
        try:
            self.closing.close()
        finally:
            super().destroy_node()

    def _convert(self, parameters: list[RosParameter]) -> list[RosParameter]:
        # `ros2 param set NODE Kp 5` sends an integer; the table knows that a number is meant.
        converted = []
        for parameter in parameters:
            if parameter.name in self._table:
                try:
                    value = self._table[parameter.name].validate(parameter.value)
                    parameter = RosParameter(parameter.name, value=value)
                except ParameterError:
                    pass  # _validate refuses it with the reason
            converted.append(parameter)
        return converted

    def _validate(self, parameters: list[RosParameter]) -> SetParametersResult:
        values = dict(self.values)
        try:
            for parameter in parameters:
                if parameter.name in self._table:
                    row = self._table[parameter.name]
                    values[row.name] = row.validate(parameter.value)
            self.check_values(values)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply(self, parameters: list[RosParameter]) -> None:
        if any(p.name == 'use_sim_time' for p in parameters):
            # From now on the node has a clock of its own.
            self.shared_clock = None
            for watch in self.time_watches:
                watch.follow_timer()
        changed = {p.name for p in parameters
                   if p.name in self._table and p.value != self.values[p.name]}
        self.values.update({p.name: p.value for p in parameters if p.name in changed})
        if changed:
            self.on_values_changed(changed)
