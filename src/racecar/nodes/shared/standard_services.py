# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The services of simulation_interfaces, where that package is there."""

from __future__ import annotations

from racecar.ros.simulator_node import SimulatorNode


def offer_standard_services(node: SimulatorNode) -> None:
    """Let a simulator node offer them as its parameters say; warn if it cannot."""
    values = node.values
    if not values['simulation_interfaces']:
        return
    try:
        # Imports messages that need not be there.
        from racecar.nodes.shared.standard.services import offer_services
    except ImportError as error:
        node.get_logger().warning(
            f'the services of simulation_interfaces are not offered: {error}. Install the'
            ' package, or set simulation_interfaces to false')
        return
    prefix = values['simulation_interfaces_prefix']
    entities = offer_services(node, values['world'], f'{prefix}/' if prefix else '')
    node.placing.start_of = entities.start_of
