# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node to be: what a stack wants of an executable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import json
from pathlib import Path
from typing import Any

from racecar.catalogue import NODES, NodeSpec
from racecar.core.errors import ParameterError
from racecar.core.parameter_file import read_parameter_file
from racecar.core.parameters import USE_SIM_TIME


@dataclass(frozen=True)
class NodeDescription:
    """A node to be: executable, name, namespace, parameters, remappings.

    Of what sets parameters the later goes over the earlier: parameter_files, user_file,
    parameters. Topics by their relative names: hears: of which it answers each message in a loop,
    besides the odometry, empty for none; gives: on which it publishes in a loop.
    """

    executable: str
    name: str
    namespace: str = ''
    parameter_files: tuple[Path, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()
    use_sim_time: bool = True
    user_file: Path | None = None
    hears: str = ''
    gives: tuple[str, ...] = ()

    @property
    def spec(self) -> NodeSpec:
        """What the catalogue says of the executable."""
        return NODES[self.executable]

    @property
    def full_name(self) -> str:
        """Namespace and name, without the leading slash."""
        return f'{self.namespace}/{self.name}' if self.namespace else self.name

    def explicit_parameters(self) -> dict[str, Any]:
        """Return what files and values set, later ones over earlier ones.

        Raises ParameterError, naming the node, for what its table does not allow.
        """
        merged: dict[str, Any] = {}
        for path in self.parameter_files:
            merged.update(self._read(path))
        if self.user_file is not None:
            merged.update(self._read(self.user_file))
        merged.update(self.parameters)
        merged.pop(USE_SIM_TIME, None)
        try:
            values = self.spec.table.resolve(merged)
        except ParameterError as error:
            raise ParameterError(f'node {self.full_name}: {error}') from error
        # Lists must be of one type; YAML may mix whole numbers with others.
        return {name: values[name] if isinstance(value, list) else value
                for name, value in merged.items()}

    def is_chosen(self, name: str) -> bool:
        """Tell whether the user's file, or a value over it, sets a parameter."""
        return name in self.parameters or (
            self.user_file is not None and name in self._read(self.user_file))

    def ros_arguments(self) -> list[str]:
        """Return the words of `ros2 run racecar EXECUTABLE --ros-args ...` that start the node."""
        words = ['-r', f'__node:={self.name}', '-r', f'__ns:=/{self.namespace}']
        files = (*self.parameter_files, *([self.user_file] if self.user_file else []))
        for path in files:
            words += ['--params-file', str(path)]
        for name, value in {**self.parameters, USE_SIM_TIME: self.use_sim_time}.items():
            # Which is YAML too; without quotes a text might be read as a number or as nothing.
            words += ['-p', f'{name}:={json.dumps(value)}']
        for source, target in self.remappings:
            words += ['-r', f'{source}:={target}']
        return words

    def _read(self, path: Path) -> dict[str, Any]:
        return read_parameter_file(path).of_node(self.full_name, self.spec.table)

    def resolve(self) -> dict[str, Any]:
        """Return the value of every parameter of the node."""
        return self.spec.table.resolve(self.explicit_parameters())
