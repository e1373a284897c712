# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The file run.yaml of a run: everything that is needed to make the run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import math
from pathlib import Path
from typing import TypeVar

import yaml

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.values import Values
from racecar.base.yaml_file import load_yaml, plain_value

T = TypeVar('T')

NAME = 'run.yaml'
CSV_NAME = 'run.csv'
"""The run itself, beside it in the folder of a run."""
FORMAT = 1
_HEAD = '# How this run was made. `racecar simulate --from FILE` or `up --from FILE` repeats it.\n'


@dataclass(frozen=True)
class RecordedNode:
    """A node of a run: its executable, and the value of every parameter."""

    executable: str
    parameters: Values


@dataclass(frozen=True)
class RunFile:
    """How a run was made.

    way: how it was run (simulate, up, demo, launch); configuration: name of the stack; options:
    of StackOptions that say which nodes there are and how they are joined; nodes: by full name;
    controller_settings: of a custom controller; files: SHA-256 of the files that
    parameters name, by these names; command: as typed; made: date and time; environment: as of
    racecar.base.environment; skip: seconds that its metrics left out at the start; step_time: wall
    times of its controller, empty where nobody took them; sweep: of a dataset, what varies in it.
    """

    way: str
    configuration: str
    options: Values
    nodes: Mapping[str, RecordedNode]
    controller_settings: Values = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    command: str = ''
    made: str = ''
    environment: Mapping[str, str] = field(default_factory=dict)
    skip: float = 0.0
    step_time: Values = field(default_factory=dict)
    sweep: Values = field(default_factory=dict)

    @property
    def seeds(self) -> dict[str, object]:
        """Seeds of all noise by node and parameter."""
        return {f'{name}.{key}': value for name, node in self.nodes.items()
                for key, value in node.parameters.items() if key.rpartition('.')[2] == 'seed'}

    def values_with(self, parameter: str) -> Mapping[str, object] | None:
        """Parameters of the first node that has this one; None if none has it."""
        return next((node.parameters for node in self.nodes.values()
                     if parameter in node.parameters), None)

    @property
    def world(self) -> str | None:
        """What stood around, as a name or a file; None if the run does not say."""
        values = self.values_with('world')
        return None if values is None else str(values['world'])

    def to_yaml(self) -> str:
        """Text of the file."""
        content = {
            'format': FORMAT, 'command': self.command, 'made': self.made, 'way': self.way,
            'configuration': self.configuration, 'skip': self.skip,
            **{name: dict(values) for name, values in (
                ('step_time', self.step_time), ('sweep', self.sweep)) if values},
            'options': dict(self.options), 'environment': dict(self.environment),
            'seeds': self.seeds, 'files': dict(self.files),
            'controller_settings': dict(self.controller_settings),
            'nodes': {name: {'executable': node.executable, 'parameters': dict(node.parameters)}
                      for name, node in self.nodes.items()}}
        text: str = yaml.dump(
            content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=98)
        return _HEAD + text

    def write(self, path: Path | str) -> None:
        """Write the file. Raises ConfigurationError if that fails."""
        try:
            Path(path).write_text(self.to_yaml(), encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(
                f"'{path}' cannot be written: {error.strerror}; give another folder") from error


def run_file_beside(path: Path) -> Path:
    """Where the run.yaml of a CSV file or a bag lies, whether there is one or not."""
    if path.is_dir():
        return path / NAME
    if path.suffix != '.csv' or path.name == CSV_NAME:
        return path.with_name(NAME)
    return path.with_name(f'{path.stem}.{NAME}')


def read_run_file(path: Path | str) -> RunFile:
    """Read a run.yaml; path: of the file, or of the folder of a run or bag that holds it.

    Raises ConfigurationError, naming the file and what is wrong, for what is no such file.
    """
    file = Path(path) / NAME if Path(path).is_dir() else Path(path)
    content = load_yaml('run file', file, f'give a {NAME}, or the folder of a run that holds one')
    where = f'run file {excerpt(str(file))}'
    if not isinstance(content, dict) or 'nodes' not in content:
        raise ConfigurationError(f'{where} tells of no run, expected a {NAME} of racecar')
    if content.get('format') != FORMAT:
        raise ConfigurationError(
            f"{where} has the format {excerpt(content.get('format'))}, expected {FORMAT}; repeat"
            ' the run with the version of racecar that made it')

    def part(name: str, kind: type[T]) -> T:
        value = content.get(name, kind())
        if not isinstance(value, kind):
            raise ConfigurationError(
                f'{where}: {name} is {excerpt(value)}, expected a'
                f" {'mapping' if kind is dict else 'text'}")
        return value

    skip = content.get('skip', 0.0)
    if isinstance(skip, bool) or not isinstance(skip, int | float) or not 0.0 <= skip < math.inf:
        raise ConfigurationError(
            f'{where}: skip is {excerpt(skip)}, expected seconds of at least 0')
    nodes = {}
    for name, node in part('nodes', dict).items():
        if not (isinstance(node, dict) and isinstance(node.get('executable'), str)
                and isinstance(node.get('parameters'), dict)):
            raise ConfigurationError(
                f'{where}: node {excerpt(name)} is {excerpt(node)}, expected executable and'
                ' parameters')
        nodes[name] = RecordedNode(node['executable'], node['parameters'])
    texts = {name: {key: str(value) for key, value in part(name, dict).items()}
             for name in ('files', 'environment')}
    return RunFile(
        part('way', str), part('configuration', str), part('options', dict), nodes,
        part('controller_settings', dict), texts['files'], part('command', str),
        part('made', str), texts['environment'], float(skip), part('step_time', dict),
        part('sweep', dict))


def read_run_file_beside(path: Path) -> RunFile | None:
    """Read the run.yaml of a CSV file or a bag; None if there is none.

    Raises ConfigurationError as read_run_file().
    """
    beside = run_file_beside(path)
    return read_run_file(beside) if beside.is_file() else None


def parameter_differences(files: Mapping[str, RunFile | None]) -> list[tuple[str, list[str]]]:
    """Settings that differ between runs: name, and the value in each run as a text.

    files: by run, None for a run without; such runs have the text ''. Of a node that only some of
    them have there is its name alone. What joins the nodes of one run, or says how fast it runs,
    is left out, as it does not change what a car does.
    """
    known = [file for file in files.values() if file is not None]
    shared = set.intersection(*(set(file.nodes) for file in known)) if known else set()

    def table_of(file: RunFile) -> dict[str, str]:
        table = {'configuration': file.configuration}
        for name, node in file.nodes.items():
            if name in shared:
                table |= {f'{name}.{key}': str(value) for key, value in node.parameters.items()
                          if key not in WIRING}
            else:
                table[name] = node.executable
        return table

    tables = [{} if file is None else table_of(file) for file in files.values()]
    names = dict.fromkeys(name for table in tables for name in table)
    return [(name, [table.get(name, '') for table in tables]) for name in names
            if len({table.get(name) for table in tables if table}) > 1]


WIRING = frozenset((
    'awaited', 'folder', 'lockstep', 'lockstep_race', 'provenance', 'real_time_factor', 'shared',
    'topics', 'wait_for_publishers', 'wait_for_subscribers'))
"""Parameters by which a run joins and paces its nodes: not part of what is compared."""


class _Dumper(yaml.SafeDumper):
    """Writes every mapping out, and every text so that it reads back as one."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    # What PyYAML takes for a text need not be one to others, such as 1e3.
    is_plain = isinstance(plain_value(text), str) and text.lower() not in ('', '~', 'null')
    return dumper.represent_scalar('tag:yaml.org,2002:str', text, None if is_plain else "'")


_Dumper.add_representer(str, _represent_text)
