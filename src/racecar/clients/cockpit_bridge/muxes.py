# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Command muxes: which source holds each, and which ones publish."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from rclpy.node import Node
from std_msgs.msg import String

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_config
from racecar.clients.cockpit_bridge.robot_names import RobotNames
from racecar.clients.graph.view import GraphView
from racecar.cockpit.frames import json_frame
from racecar.cockpit.pages import Pages
from racecar.control.mux_file import load_mux_configuration
from racecar.ros import qos
from racecar.ros.topics import MUX_INPUTS

_FILE = 'config_file'


class Muxes:
    """Follows the muxes of a stack."""

    def __init__(self, node: Node, names: RobotNames, pages: Pages) -> None:
        self._node = node
        self._graph = GraphView(node)
        self._robot = names
        self._pages = pages
        self._active: dict[str, str] = {}
        # Of each mux: name, priority and topics of its sources.
        self._inputs: dict[str, list[tuple[str, int, tuple[str, ...]]]] = {}
        self._shown: object = None
        self.names = {names.full(name): name for name in MUX_INPUTS}
        for name in self.names:
            node.create_subscription(
                String, f'{name}/active', partial(self._on_active, name), qos.LATCHED)

    def describe(self, mux: str, values: Mapping[str, object]) -> None:
        """Take over the parameters of one of names, of which one names the file of its sources."""
        name = self.names[mux]
        try:
            sources = load_mux_configuration(find_config(str(values.get(_FILE)))).sources
        except ConfigurationError as error:
            self._node.get_logger().warning(f'sources of {mux} are not shown: {error}')
            return
        self._inputs[mux] = [
            (source.name, source.priority, tuple(
                self._robot.full(MUX_INPUTS[name].get(topic, f'{name}/{topic}'))
                for topic in source.inputs)) for source in sources]
        self.look()

    def look(self) -> None:
        """Report to pages if anything is new."""
        muxes = [{
            'name': name, 'active': self._active[name], 'inputs': [
                {'name': source, 'priority': priority,
                 'alive': source == self._active[name]
                 or any(map(self._graph.is_published, topics))}
                for source, priority, topics in self._inputs.get(name, ())]}
            for name in self.names if name in self._active]
        if muxes != self._shown:
            self._shown = muxes
            self._pages.send(json_frame('muxes', muxes=muxes), 'muxes')

    def _on_active(self, mux: str, message: String) -> None:
        self._active[mux] = message.data
        self.look()
