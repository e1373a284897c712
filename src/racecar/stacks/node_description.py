# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node to be: what a stack wants of an executable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import functools
import json
from pathlib import Path
from typing import Any, TypeAlias

from racecar.base.errors import ParameterError
from racecar.base.parameter_file import ParameterFile, read_parameter_file
from racecar.base.parameters import ParameterTable, USE_SIM_TIME
from racecar.catalogue import NODES, NodeSpec
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS, VehicleParameters

Resolved: TypeAlias = dict[str, Any]
"""Value of every parameter of a node by name."""


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
    parameters: Mapping[str, object] = field(default_factory=dict)
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

    def explicit_parameters(self) -> dict[str, object]:
        """What files and values set, later ones over earlier ones.

        Raises ParameterError, naming the node and the file, for what its table does not allow, and
        for a vehicle that cannot be.
        """
        merged, values = self._merged_and_resolved[0], self.resolve()
        # Lists must be of one type; YAML may mix whole numbers with others.
        return {name: values[name] if isinstance(value, list) else value
                for name, value in merged.items()}

    # As the files were when it was first asked for: many ask for the values of one node.
    @functools.cached_property
    def _merged_and_resolved(self) -> tuple[dict[str, object], Resolved]:
        """What is set, as it is given, and the value of every parameter."""
        files = self._files()
        merged: dict[str, object] = {}
        origins: dict[str, Path] = {}
        try:
            table = self._table(files)
            for file in files:
                # What it says of sensors that others have replaced is of no use.
                unused = self.table_of(file).names - table.names
                found = {name: value for name, value
                         in file.of_node(self.full_name, table).items() if name not in unused}
                merged.update(found)
                origins.update(dict.fromkeys(found, file.path))
            merged.update(self.parameters)
            merged.pop(USE_SIM_TIME, None)
            values = table.resolve(merged)
            if all(row.name in values for row in VEHICLE_FILE_PARAMETERS):
                VehicleParameters.from_values(values)
        except ParameterError as error:
            raise ParameterError(
                f'node {self.full_name}: {error}{self._origin(str(error), origins)}') from error
        return merged, values

    def _origin(self, message: str, origins: Mapping[str, Path]) -> str:
        """End of a message: the file that sets the parameter that it names, if any."""
        return next((f'; it is in {path}' for name, path in origins.items()
                     if f"'{name}'" in message and name not in self.parameters), '')

    def is_chosen(self, name: str) -> bool:
        """Whether the user's file, or a value over it, sets a parameter."""
        return name in self.parameters or (
            self.user_file is not None
            and name in read_parameter_file(self.user_file).of_node(
                self.full_name, self.spec.table))

    def ros_arguments(self) -> list[str]:
        """Words of `ros2 run racecar EXECUTABLE --ros-args ...` that start the node."""
        words = ['-r', f'__node:={self.name}', '-r', f'__ns:=/{self.namespace}']
        for path in self._paths:
            words += ['--params-file', str(path)]
        for name, value in {**self.parameters, USE_SIM_TIME: self.use_sim_time}.items():
            # Which is YAML too; without quotes a text might be read as a number or as nothing.
            words += ['-p', f'{name}:={json.dumps(value)}']
        for source, target in self.remappings:
            words += ['-r', f'{source}:={target}']
        return words

    @property
    def table(self) -> ParameterTable:
        """Parameters of the node, those of the sensors that its own values name among them.

        Raises ParameterError for sensors that cannot be.
        """
        table = self.spec.table
        return self._table(self._files()) if table.extensions else table

    def table_of(self, file: ParameterFile) -> ParameterTable:
        """Parameters that the node would have if this file alone were for it.

        Raises ParameterError for sensors that cannot be.
        """
        known = self.spec.table
        return known.expanded(file.of_node(self.full_name, known))

    def _table(self, files: list[ParameterFile]) -> ParameterTable:
        table = self.spec.table
        known: dict[str, object] = {}
        for file in files:
            known.update(file.of_node(self.full_name, table))
        return table.expanded({**known, **self.parameters})

    @property
    def _paths(self) -> tuple[Path, ...]:
        return (*self.parameter_files, *([self.user_file] if self.user_file else []))

    def _files(self) -> list[ParameterFile]:
        return [read_parameter_file(path) for path in self._paths]

    def resolve(self) -> Resolved:
        """Value of every parameter of the node."""
        return {name: [*value] if isinstance(value, list) else value
                for name, value in self._merged_and_resolved[1].items()}

    def usable_values(self) -> Resolved | None:
        """What resolve() gives; None where it raises ParameterError, as whoever makes the node."""
        try:
            return self.resolve()
        except ParameterError:
            return None
