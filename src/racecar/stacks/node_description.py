# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node to be: what a stack wants of an executable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import json
from pathlib import Path
from typing import Any

from racecar.base.errors import ParameterError
from racecar.base.parameter_file import read_parameter_file
from racecar.base.parameters import USE_SIM_TIME
from racecar.catalogue import NODES, NodeSpec
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS, VehicleParameters


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

        Raises ParameterError, naming the node and the file, for what its table does not allow, and
        for a vehicle that cannot be.
        """
        merged: dict[str, Any] = {}
        origins: dict[str, Path] = {}
        for path in (*self.parameter_files, *([self.user_file] if self.user_file else [])):
            found = self._read(path)
            merged.update(found)
            origins.update(dict.fromkeys(found, path))
        merged.update(self.parameters)
        merged.pop(USE_SIM_TIME, None)
        try:
            values = self.spec.table.resolve(merged)
            if all(row.name in values for row in VEHICLE_FILE_PARAMETERS):
                VehicleParameters.from_values(values)
        except ParameterError as error:
            raise ParameterError(
                f'node {self.full_name}: {error}{self._origin(str(error), origins)}') from error
        # Lists must be of one type; YAML may mix whole numbers with others.
        return {name: values[name] if isinstance(value, list) else value
                for name, value in merged.items()}

    def _origin(self, message: str, origins: Mapping[str, Path]) -> str:
        """Return the end of a message: the file that sets the parameter that it names, if any."""
        return next((f'; it is in {path}' for name, path in origins.items()
                     if f"'{name}'" in message and name not in self.parameters), '')

    def is_chosen(self, name: str) -> bool:
        """Whether the user's file, or a value over it, sets a parameter."""
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
