# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Point-ahead linearizer of a differential-drive robot."""

from __future__ import annotations

from typing import Unpack

from racecar.base.compiled import announce_compilation
from racecar.catalogue import node_names
from racecar.catalogue.tables.tracking import DIFFERENTIAL_LINEARIZER
from racecar.control.point_ahead import PointAheadLinearizer
from racecar.nodes.shared.linearizer_node import LinearizerNode, TWIST
from racecar.ros.node import NodeOptions


class DifferentialLinearizerNode(LinearizerNode):
    """Turns the wanted velocity of P into speed and yaw rate, exactly and at any speed.

    Exact for P ahead of base_link, so the tracker must track base_link.

    Topics: those of racecar.nodes.shared.linearizer_node.LinearizerNode, but for the command:
    cmd_vel (geometry_msgs/TwistStamped).
    Parameters: racecar.catalogue.tables.tracking.DIFFERENTIAL_LINEARIZER.
    """

    command_type = TWIST

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.DIFFERENTIAL_LINEARIZER, DIFFERENTIAL_LINEARIZER, **options)

    def make_linearizer(self) -> PointAheadLinearizer:
        """Law."""
        announce_compilation(self.get_logger().info)
        return PointAheadLinearizer(self.values)
