# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenario files: a configuration, its start, faults, a duration, and what is expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
import os
from pathlib import Path

from racecar.base.errors import ConfigurationError
from racecar.base.fields import Fields
from racecar.base.run_file import RunFile
from racecar.base.share import find_scenario, may_be_path
from racecar.base.values import flag_of, Values
from racecar.base.yaml_file import load_mapping, naming_file
from racecar.metrics.survival import Limits
from racecar.scenarios.expected import Expected, expected_of, OF_REFERENCE
from racecar.simulation.faults import CLOCK_JUMP, fault_of, faults_of_nodes
from racecar.stacks import describe_stack, find_stack, NodeDescription, Stack, StackOptions
from racecar.stacks.options import (
    DURATION,
    from_values,
    NamedOption,
    parse_overrides,
    run_options,
    UP,
)
from racecar.stacks.run_files import options_of

WHAT = 'scenario file'

_NOT_OF_FILES = ('cars', 'overrides', 'end_time', 'record', 'tyre_data', 'own_clock', 'teleop',
                 'faults')

OPTIONS = {row.name: row for row in run_options(UP) if row.name not in _NOT_OF_FILES}
"""Run options that are keys of a file."""

FAULTS = 'faults'
START = ('x', 'y', 'yaw', 'speed')
"""What the start says: pose [m, m, rad] in the world, and speed [m/s]."""

KEYS = ('configuration', 'description', 'duration', 'skip', 'start', 'set', FAULTS, 'expected',
        *OPTIONS)
"""All keys of a file."""

_LONGEST = 1e5


@dataclass(frozen=True)
class Scenario:
    """A drive with nodes, and what is expected at its end.

    name: for people. options: with which the nodes run, in lockstep and as fast as possible unless
    the file has them otherwise. duration: simulated time of the drive; skip: time at the start
    that metrics leave out [s].
    """

    name: str
    stack: Stack
    options: StackOptions
    duration: float
    skip: float
    expected: Expected

    def recorded(self, folder: Path | str | None) -> Scenario:
        """The same with a bag in a new folder; None for no bag."""
        return replace(self, options=replace(
            self.options, record=None if folder is None else str(folder)))

    @property
    def has_jumps(self) -> bool:
        """Whether the clock of the drive jumps."""
        return any(fault.kind == CLOCK_JUMP for fault in faults_of_nodes(self.options.faults))

    def with_faults(self, texts: Sequence[str]) -> Scenario:
        """The same with other faults, a line each. Raises RacecarError as load_scenario()."""
        found = replace(self, options=replace(self.options, faults=tuple(texts)))
        _check(found)
        return found

    def describe(self) -> list[NodeDescription]:
        """Nodes of the drive. Raises RacecarError for what cannot run."""
        return describe_stack(self.stack.name, self.driven())

    def driven(self, *, ends: bool = True, observers: int = 0) -> StackOptions:
        """Options with which the nodes run.

        ends: whether the simulator ends the drive; observers: subscriptions to the odometry for
        which it waits.
        """
        return replace(self.options, end_time=self.duration if ends else None,
                       observers=observers)


def load_scenario(path: Path | str) -> tuple[Path, Scenario]:
    """File of a scenario, by its name in config/scenarios or a path, and what it says.

    Paths in it are those beside the file, where such a file is there. Raises ConfigurationError or
    ParameterError naming the file, the key, the value and what is expected.
    """
    file = find_scenario(path)
    content = load_mapping(WHAT, file, 'configuration:, duration:, expected: and options')
    with naming_file(WHAT, file):
        return file, make_scenario(file.stem, content, file.parent)


def make_scenario(name: str, content: Values, folder: Path | None = None) -> Scenario:
    """Scenario of what a file holds or would hold; folder: of its paths.

    Raises as load_scenario(), without the name of the file.
    """
    fields = Fields('', content)
    fields.know(KEYS)
    fields.text('description', '')
    stack = find_stack(fields.text('configuration'))
    duration = fields.number('duration', None, 0.0)
    if not 0.0 < duration <= _LONGEST:
        raise fields.error('duration', duration, f'seconds above 0 and up to {_LONGEST:g}')
    skip = fields.number('skip', 0.0, 0.0)
    if skip >= duration:
        raise fields.error('skip', skip, f'less than the duration, {duration:g} s')
    lockstep = fields.flag('lockstep', True)
    chosen: dict[str, object] = {'real_time_factor': 0.0} if lockstep else {}
    chosen |= {key: _option(fields, row, folder) for key, row in OPTIONS.items()
               if fields.has(key)}
    chosen['lockstep'] = lockstep
    overrides = _settings(fields)
    start = _start(fields)
    if start:
        overrides.setdefault(stack.simulator, {}).update(start)
    options = stack.with_names(from_values({
        **chosen, 'overrides': overrides, 'overrides_option': 'set', **_faults(fields, duration)}))
    found = Scenario(
        name, stack, options, duration, skip, expected_of(fields.inner('expected', needed=False)))
    _check(found)
    return found


def tracker_of(stack: Stack, descriptions: Sequence[NodeDescription]) -> dict[str, object] | None:
    """Parameters of the tracker of a stack that is active from the start, None without one."""
    found = next((d for d in descriptions if d.executable == stack.tracker), None)
    values = None if found is None else found.resolve()
    return values if values is not None and flag_of(values, 'active') else None


def scenario_of_run(name: str, file: RunFile, limits: Mapping[str, Limits]) -> Scenario:
    """Scenario of a run of a campaign with nodes.

    file: how it was made; limits: of what it keeps to. Raises RacecarError as load_scenario().
    """
    stack = find_stack(file.configuration)
    options = stack.with_names(options_of(file, UP))
    found = Scenario(
        name, stack, options, options.end_time or DURATION, file.skip, Expected(limits))
    _check(found)
    return found


def _option(fields: Fields, row: NamedOption, folder: Path | None) -> object:
    """Value of a run option in its type."""
    name, _, option = row
    if option.type is bool:
        return fields.flag(name, False)
    if option.type is float:
        return fields.number(name)
    if option.type is tuple:
        return fields.texts(name)
    value = fields.value(name)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise fields.error(name, value, 'a text')
    return _beside(folder, str(value)) if option.is_path else str(value)


def _beside(folder: Path | None, text: str) -> str:
    """Path beside the scenario file, where such a file is there; else the text as it is."""
    if folder is None or not may_be_path(text):
        return text
    # As controllers have it, FILE.py:CLASS.
    file, colon, name = text.rpartition(':')
    for path, rest in ((text, ''), (file, f'{colon}{name}')):
        if path and os.path.isfile(folder / path):
            return f'{folder / path}{rest}'
    return text


def _settings(fields: Fields) -> dict[str, dict[str, object]]:
    """Overrides by node of the mapping `set`, whose keys are node.parameter."""
    found: dict[str, dict[str, object]] = {}
    for key, value in fields.mapping('set').items():
        # A wrong key gets the message of --set.
        for node, rows in parse_overrides([f'{key}=0'], 'set').items():
            found.setdefault(node, {}).update(dict.fromkeys(rows, value))
    return found


def _start(fields: Fields) -> dict[str, object]:
    """Parameters of the simulator for the start."""
    start = fields.inner('start', needed=False)
    start.know(START)
    return {f'initial_{key}': start.number(key) for key in START if start.has(key)}


def _faults(fields: Fields, duration: float) -> dict[str, object]:
    """Faults as an option of a run, none without any."""
    entries = fields.value(FAULTS, [])
    if not isinstance(entries, list):
        raise fields.error(
            FAULTS, entries, 'a list of faults, such as [{kind: friction, onset: 5.0, size: 0.3}]')
    faults = [fault_of(f'fault {number}', entry, nodes=True)
              for number, entry in enumerate(entries, start=1)]
    for number, fault in enumerate(faults, start=1):
        if fault.onset >= duration:
            raise ConfigurationError(
                f'fault {number}: onset is {fault.onset:g} s, expected less than the duration of'
                f' the drive, {duration:g} s')
    return {FAULTS: tuple(fault.text for fault in faults)} if faults else {}


def _check(scenario: Scenario) -> None:
    """Raise RacecarError for nodes that cannot run, and for what nobody can expect of them."""
    descriptions = scenario.describe()
    for description in descriptions:
        description.resolve()
    if not any(d.spec.is_simulator for d in descriptions):
        raise ConfigurationError(
            f'without has {scenario.stack.simulator}, expected others: a scenario ends by the time'
            ' that the simulator makes')
    names = [name for d in descriptions for name in (d.name, d.full_name)]
    for name in scenario.expected.ended:
        if name not in names:
            raise ConfigurationError(
                f"expected: ended has '{name}', expected some of"
                f" {', '.join(d.full_name for d in descriptions)}")
    why = '' if tracker_of(scenario.stack, descriptions) is not None else \
        f'{scenario.stack.name} follows none here'
    if scenario.has_jumps:
        why = 'it begins anew where the clock jumps'
    for name in scenario.expected.limits:
        if name in OF_REFERENCE and why:
            raise ConfigurationError(
                f'expected: {name} is of a reference, and {why}; leave it out')
