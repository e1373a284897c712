# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic feedback linearizer (report section 5.2)."""

from __future__ import annotations

import sys
from typing import Any

from racecar.base.compiled import announce_compilation
from racecar.catalogue import node_names
from racecar.catalogue.tables import KINEMATIC_LINEARIZER
from racecar.control.kinematic_linearizer import KinematicLinearizer
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.nodes.shared.linearizer_node import LinearizerNode
from racecar.ros.run_node import run_node


class KinematicLinearizerNode(LinearizerNode):
    """Turns the wanted velocity of P into speed and steering by the kinematic bicycle.

    Exact for P ahead of base_link, so the tracker must track base_link.

    Topics: those of racecar.nodes.shared.linearizer_node.LinearizerNode.
    Parameters: racecar.catalogue.tables.KINEMATIC_LINEARIZER.
    """

    def __init__(self, **kwargs: Any) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.KINEMATIC_LINEARIZER, KINEMATIC_LINEARIZER, **kwargs)

    def make_linearizer(self, values: dict[str, Any]) -> KinematicLinearizer:
        """Return the law of the vehicle."""
        announce_compilation(self.get_logger().info)
        return KinematicLinearizer(values, VehicleParameters.from_values(values))


def main(args: list[str] | None = None) -> int:
    """Run the node as a process."""
    return run_node(KinematicLinearizerNode, args)


if __name__ == '__main__':
    sys.exit(main())
