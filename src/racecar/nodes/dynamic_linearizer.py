# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamic feedback linearizer (report section 5.2), made to work."""

from __future__ import annotations

from collections.abc import Mapping
import sys
from typing import Any

from racecar.base.compiled import announce_compilation
from racecar.catalogue import node_names
from racecar.catalogue.tables import DYNAMIC_LINEARIZER
from racecar.control.dynamic_linearizer import DynamicLinearizer
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.nodes.shared.linearizer_node import LinearizerNode
from racecar.ros.run_node import run_node


class DynamicLinearizerNode(LinearizerNode):
    """Turns the wanted velocity of P into speed and steering by the single track.

    Exact for P ahead of the centre of gravity, so the tracker must track cog. At low speed it
    hands over to the kinematic law.

    Topics: those of racecar.nodes.shared.linearizer_node.LinearizerNode.
    Parameters: racecar.catalogue.tables.DYNAMIC_LINEARIZER.
    """

    def __init__(self, **kwargs: Any) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.DYNAMIC_LINEARIZER, DYNAMIC_LINEARIZER, **kwargs)

    def check_values(self, values: Mapping[str, Any]) -> None:
        """Raise ParameterError if the speeds of the hand-over contradict each other."""
        DynamicLinearizer.mixing_speeds(values, VehicleParameters.from_values(values))

    def make_linearizer(self, values: dict[str, Any]) -> DynamicLinearizer:
        """Return the law of the vehicle."""
        announce_compilation(self.get_logger().info)
        return DynamicLinearizer(values, VehicleParameters.from_values(values))


def main(args: list[str] | None = None) -> int:
    """Run the node as a process."""
    return run_node(DynamicLinearizerNode, args)


if __name__ == '__main__':
    sys.exit(main())
