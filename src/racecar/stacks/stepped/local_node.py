# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the nodes of a configuration without ROS have in common: names and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from racecar.base.errors import excerpt, ParameterError
from racecar.stacks.node_description import NodeDescription

Log = Callable[[str, str, str], object]
"""Takes level (info, warn, error or fatal), text, and the full name of a node."""


class LocalNode:
    """A node by its description; parameters are set as over ROS.

    name: full, with the leading slash; table: of its parameters; values: of all of them.
    """

    def __init__(self, description: NodeDescription, log: Log) -> None:
        """Raise ParameterError for values that are not allowed."""
        explicit = description.explicit_parameters()
        self.name = f'/{description.full_name}'
        self.table = description.spec.table.expanded(explicit)
        self.values: dict[str, Any] = self.table.resolve(explicit)
        self._log = log

    def set(self, name: str, value: object) -> object:
        """Set a parameter while the node runs; return its value in its type.

        Raises ParameterError, and changes nothing, for an unknown name, one that is fixed at the
        start, and a value that is not allowed.
        """
        row = self.table[name]
        if row.read_only:
            raise ParameterError(
                f'parameter {excerpt(name)} is read-only: choose it before the start')
        values = {**self.values, name: row.validate(value)}
        self.check_values(values)
        if values[name] != self.values[name]:
            self.values = values
            self.on_value_changed(name)
        return values[name]

    def check_values(self, values: Mapping[str, object]) -> None:
        """Raise ParameterError if values contradict each other; for overriding."""

    def on_value_changed(self, name: str) -> None:
        """Take over a value that has changed; for overriding."""

    def log(self, level: str, text: str) -> None:
        """Tell people something."""
        self._log(level, text, self.name.lstrip('/'))
