# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node of each control law of racecar.control.laws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from racecar.base.compiled import announce_compilation
from racecar.catalogue import NODES
from racecar.control.linearizer import Linearizer
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.nodes.shared.linearizer_node import LinearizerNode
from racecar.ros.diagnostics import Report
from racecar.ros.node import NodeOptions

_ROUNDING = 1e-6


class ControlLawNode(LinearizerNode):
    """Runs the control law of an entry in LAWS.

    Topics: those of racecar.nodes.shared.linearizer_node.LinearizerNode.
    Parameters: those of the law, and racecar.catalogue.tables.tracking.law_table.
    """

    def __init__(self, executable: str, **options: Unpack[NodeOptions]) -> None:
        """executable: of the law. Raises ParameterError for parameters that cannot be used."""
        spec = NODES[executable]
        assert spec.law is not None
        self._make = spec.law.make
        self._law: Linearizer | None = None
        super().__init__(executable, spec.table, **options)

    def check_values(self, values: Mapping[str, object]) -> None:
        """Raise ParameterError if values contradict each other; at the start the law does."""
        if self._law is not None:
            self._law.pack(values)

    def diagnose(self, report: Report) -> None:
        """Whether the newest command is at a limit of the vehicle."""
        if self.commanded is None:
            return
        vehicle = VehicleParameters.from_values(self.values)
        for name, value, (lowest, highest) in zip(
                ('speed', 'steering angle'), self.commanded,
                ((vehicle.speed_min, vehicle.speed_max), vehicle.steering_range), strict=True):
            # Single precision rounds the limits.
            is_limited = not lowest + _ROUNDING < value < highest - _ROUNDING
            report.add(f'{name} at its limit', 'yes' if is_limited else 'no')
            if is_limited:
                report.warn(f'{name} is at its limit, {value:.3g}')

    def make_linearizer(self) -> Linearizer:
        """Law of the vehicle."""
        announce_compilation(self.get_logger().info)
        self._law = self._make(self.values, VehicleParameters.from_values(self.values))
        return self._law
