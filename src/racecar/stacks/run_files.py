# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a run is made, as the file run.yaml, and the options that make it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
import datetime
import os
from pathlib import Path

from racecar.base.environment import differences, hash_of_file, present_environment
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.run_file import RecordedNode, RunFile
from racecar.base.share import (
    find_config,
    find_race,
    find_raceline,
    find_robot,
    find_track,
    may_be_path,
)
from racecar.base.values import Values
from racecar.catalogue import node_names
from racecar.control.custom_controller import CONTROLLER, POLICY_SUFFIX
from racecar.faults.plant import FAULTS
from racecar.scene.world_choice import files_of_world
from racecar.stacks.describe import find_stack
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import from_values, run_options, SIMULATE, StackOptions, UP

# Resolved in the values of the nodes, or not part of what a car does.
_NOT_KEPT = frozenset(('overrides', 'params_file', 'record', 'rviz', 'log_level', FAULTS))

# What the stack itself sets, anew for each run: how its nodes wait for each other.
_SET_BY_THE_STACK = frozenset((
    'awaited', 'lockstep', 'lockstep_race', 'shared', 'wait_for_publishers',
    'wait_for_subscribers'))

_MOST_BYTES = 100_000_000
"""Larger files that parameters name are not looked into."""


def _file_of_controller(where: str) -> Path:
    path = Path(where if where.endswith(POLICY_SUFFIX) else where.rpartition(':')[0])
    if not path.is_file():
        raise ConfigurationError(f'controller {excerpt(where)} is a module')
    return path


def _one(find: Callable[[str], Path]) -> Callable[[str], tuple[Path, ...]]:
    return lambda name: (find(name),)


# Parameters that name files, and how these are found; first the one that is named.
_FILES: dict[str, Callable[[str], tuple[Path, ...]]] = {
    'config_file': _one(find_config), CONTROLLER: _one(_file_of_controller),
    'fleet_file': _one(Path), 'race_file': _one(find_race),
    'raceline_file': _one(find_raceline), 'waypoints_file': _one(find_track),
    'world': files_of_world}


def describe_run(
    way: str, configuration: str, options: StackOptions, descriptions: Sequence[NodeDescription],
    command: str, skip: float = 0.0,
) -> RunFile:
    """How a run of these nodes is made.

    way: of racecar.stacks.options; command: as typed; skip: seconds that its metrics leave
    out at the start. Raises ParameterError if a node has values that are not allowed.
    """
    kept: dict[str, object] = {}
    for row in fields(options):
        value = getattr(options, row.name)
        if 'option' in row.metadata and row.name not in _NOT_KEPT and value != row.default:
            kept[row.name] = list(value) if isinstance(value, tuple) else _whole_path(
                value, row.metadata['option'].is_path)
    nodes = {
        d.full_name: RecordedNode(d.executable, with_whole_paths(d.resolve()))
        for d in descriptions}
    return RunFile(
        way, configuration, kept, nodes, dict(options.controller_settings),
        dict(_hashes(nodes)), command,
        datetime.datetime.now(datetime.UTC).isoformat(timespec='seconds'), present_environment(),
        skip)


def with_provenance(
    descriptions: Sequence[NodeDescription], file: RunFile,
) -> list[NodeDescription]:
    """Nodes, of which the recorder puts the file into its bag."""
    return [
        replace(d, parameters={**d.parameters, 'provenance': file.to_yaml()})
        if d.executable == node_names.BAG_RECORDER else d for d in descriptions]


def options_of(file: RunFile, way: str) -> StackOptions:
    """Options that make a run again, in a way of racecar.stacks.options.

    Whatever `params_file`, vehicle file and single settings gave then is in the overrides; a file
    that a parameter names must still be there. Raises ConfigurationError for a file that does not
    say how a run of this package was made.
    """
    find_stack(file.configuration)
    known = {row.name: row.option for row in run_options(way)}
    of_any = {row.name for row in fields(StackOptions) if 'option' in row.metadata}
    given: dict[str, object] = {}
    for name, value in file.options.items():
        if name not in of_any or name in _NOT_KEPT:
            raise ConfigurationError(
                f'option {excerpt(name)} of the run file is unknown, expected some of'
                f" {', '.join(sorted(of_any - _NOT_KEPT))}")
        if name in known:
            given[name] = _checked(name, value, known[name].type)
    if 'vehicle' in given and not _is_found(str(given['vehicle'])):
        # All that its file said stands in the parameters.
        del given['vehicle']
    # In a way without namespaces the nodes have their plain names.
    prefix = '' if 'namespace' in known else \
        f"{str(file.options.get('namespace', '')).strip('/')}/"
    overrides: dict[str, dict[str, object]] = {
        name.removeprefix(prefix): {key: value for key, value in node.parameters.items()
               if key not in _SET_BY_THE_STACK}
        for name, node in file.nodes.items() if node.executable != node_names.BAG_RECORDER}
    for values in overrides.values():
        # As an option, over which another one goes.
        if texts := values.pop(FAULTS, None):
            given[FAULTS] = _checked(FAULTS, texts, tuple)
    if file.controller_settings:
        overrides[CONTROLLER] = dict(file.controller_settings)
    if way == UP and file.way == SIMULATE:
        given['lockstep'] = True
        given['real_time_factor'] = 0.0
        for values in overrides.values():
            values.pop('real_time_factor', None)
    return from_values({**given, 'overrides': overrides, 'overrides_option': 'run file'})


def cautions(file: RunFile, way: str) -> list[str]:
    """Why making a run again may not give its bits: one sentence each, none if it does."""
    found = [f'{name} is {now} now, was {then}'
             for name, then, now in differences(file.environment, present_environment())]
    now = dict(_hashes(file.nodes))
    for name, then in file.files.items():
        if now.get(name) != then:
            found.append(
                f"file {name} {'has changed' if name in now else 'is not there any more'}")
    if file.way != SIMULATE and not file.options.get('lockstep', False):
        found.append('the run was not in lockstep: its timing was that of the machine')
    if way != SIMULATE and file.options.get('control_rate') is not None:
        found.append('the run had a control rate of its own, which only simulate has')
    return found


def unverified_program(file: RunFile) -> str | None:
    """Say why the program that a run file names is not known to be that of the run.

    None if it is, by its SHA-256, or if there is none; a module is found by its name, without.
    """
    where = file.options.get(CONTROLLER)
    if not isinstance(where, str):
        return None
    try:
        path = _file_of_controller(where)
        same = hash_of_file(path) == file.files.get(where)
    # Of a module, or a file that the run will not find either.
    except (ConfigurationError, OSError):
        return None
    if same:
        return None
    return f'controller {where} ' + (
        'has changed since the run' if where in file.files else 'has no hash in the run file')


def _is_found(vehicle: str) -> bool:
    try:
        find_robot(vehicle)
    except ConfigurationError:
        return False
    return True


def _checked(name: str, value: object, kind: type) -> object:
    """Option in its type. Raises ConfigurationError for what it cannot be."""
    if kind is tuple and isinstance(value, list):
        return tuple(str(item) for item in value)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if kind in (str, bool) and type(value) is kind:
        return value
    raise ConfigurationError(
        f'option {name} of the run file is {excerpt(value)}, expected'
        f" {'names' if kind is tuple else kind.__name__}")


def with_whole_paths(values: Values) -> dict[str, object]:
    """Parameters of a node, of which those that name files do so from the root."""
    return {name: _whole_path(value, name in _FILES) for name, value in values.items()}


def _whole_path(value: object, is_path: bool) -> object:
    """Path from the root in the place of one from here: it may be read elsewhere."""
    if is_path and isinstance(value, str) and may_be_path(value):
        path, colon, name = value.rpartition(':')
        if colon and os.path.isfile(path):
            return f'{os.path.abspath(path)}:{name}'
        if os.path.isfile(value):
            return os.path.abspath(value)
    return value


def _hashes(nodes: Mapping[str, RecordedNode]) -> Iterator[tuple[str, str]]:
    """Yield the name, as a parameter has it, and the hash of each file.

    The image of a map has its path, or beside a world by its name its own one.
    """
    for node in nodes.values():
        for name, find in _FILES.items():
            value = node.parameters.get(name)
            if not isinstance(value, str) or not value:
                continue
            try:
                first, *others = find(value)
                names = {first: value, **{
                    path: str(path) if may_be_path(value) else path.name for path in others}}
                for path, shown in names.items():
                    if path.stat().st_size <= _MOST_BYTES:
                        yield shown, hash_of_file(path)
            # Of a name that stands for no file, or one that the run will not find either.
            except (ConfigurationError, OSError):
                continue
