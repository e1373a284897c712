# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Labs: YAML files that say what programs are run, in which cases, and how they are marked."""

from __future__ import annotations

from collections.abc import Mapping
import fnmatch
from pathlib import Path
import re
from typing import NamedTuple

from racecar.base.errors import ConfigurationError, excerpt, RacecarError
from racecar.base.fields import Fields
from racecar.base.parameters import suggest
from racecar.base.share import find_lab, find_world
from racecar.base.yaml_file import load_yaml
from racecar.courses.checks import Check, make_check, PASS_MARK
from racecar.neo.car import CONFIGURATIONS
from racecar.neo.controller import read_press
from racecar.stacks import describe_stack, find_stack
from racecar.stacks.options import from_values, StackOptions

NODES, NEO = 'nodes', 'neo'
"""Kinds of programs: nodes of ROS 2, and scripts of the RACECAR Neo course."""

_OPTIONS = ('vehicle', 'world', 'topic_names', 'waypoints', 'trajectory', 'tyre_model')
_OF_CASES = (*_OPTIONS, 'sensors', 'set', 'start', 'time_limit', 'start_limit', 'answer_limit',
             'warm_up', 'weight', 'parameters', 'set_parameters', 'check', 'drive',
             'collision_cost', 'press')
_MERGED = 'set', 'parameters', 'set_parameters', 'check', 'drive'
_OF_LABS = ('summary', 'programs', 'configuration', 'nodes', 'cases', 'pass_mark', 'memory',
            'use_sim_time', 'dynamic_parameters', *_OF_CASES)
# Beside the folders of the cases there is one of the packages.
PACKAGES = 'package'
_CASE_NAME = re.compile(rf'(?!{PACKAGES}$)\w[\w-]*')
_OF_NODES = 'executables', 'parameters', 'params_file', 'remappings', 'optional'


class NodeChoice(NamedTuple):
    """A node of a student's.

    executables: names, or patterns with * and ?, the first of which that a package has is run.
    parameters: go over those of params_file, a pattern for a file in the student's folder.
    remappings: {topic there: topic here}. optional: whether it may be missing.
    """

    executables: tuple[str, ...]
    parameters: Mapping[str, object]
    params_file: str
    remappings: Mapping[str, str]
    optional: bool


class Driver(NamedTuple):
    """Commands that the grader gives beside the student: a topic, speed [m/s], steering [rad]."""

    topic: str
    speed: float
    steering: float


class Case(NamedTuple):
    """One drive.

    start: x, y [m], yaw [rad]. time_limit: simulated seconds from when the case begins;
    start_limit: seconds of the computer's time until then; answer_limit: for which a scan waits
    for the answer of the programs. warm_up: number of commands, before the case begins, after each
    of which the car is put back to its start. collision_cost: share of the mark that each
    collision takes away; 1 or more ends the case. presses: of the game controller.
    parameters: of all nodes of the student, over those of each node; set_parameters: those that
    are set while the nodes run, before the case begins.
    """

    name: str
    options: StackOptions
    start: tuple[float, float, float]
    time_limit: float
    start_limit: float
    answer_limit: float
    warm_up: int
    weight: float
    collision_cost: float
    check: Fields
    drive: Driver | None
    parameters: Mapping[str, object]
    set_parameters: Mapping[str, object]
    presses: tuple[str, ...]

    def make_check(self) -> Check:
        """Check of a drive that begins."""
        return make_check(self.check)


class Lab(NamedTuple):
    """A lab file.

    programs: NODES or NEO. configuration: what is simulated. pass_mark: from 0 to 1. memory: that
    the programs of a student may take [MB]. use_sim_time: whether their nodes get the simulated
    clock. dynamic_parameters: whether their parameters may take values of any type, as in Foxy.
    """

    name: str
    path: Path
    summary: str
    programs: str
    configuration: str
    nodes: tuple[NodeChoice, ...]
    cases: tuple[Case, ...]
    pass_mark: float
    memory: float
    use_sim_time: bool
    dynamic_parameters: bool

    def with_cases(self, patterns: tuple[str, ...]) -> Lab:
        """The same with the cases of these names or patterns only. Raises ConfigurationError."""
        names = [case.name for case in self.cases]
        for pattern in patterns:
            if not fnmatch.filter(names, pattern):
                raise ConfigurationError(
                    f'case {excerpt(pattern)} is none of {self.name}; {suggest(pattern, names)}')
        chosen = [case for case in self.cases
                  if not patterns or any(fnmatch.fnmatch(case.name, p) for p in patterns)]
        return self._replace(cases=tuple(chosen))


def read_lab(name: str | Path) -> Lab:
    """Lab of a name, or of a file.

    Raises ConfigurationError for a file that cannot be used, naming the place, the value and what
    was expected: all cases are looked through, so that none fails after hours.
    """
    path = find_lab(name)
    where = f"lab '{path}'"
    fields = Fields.of(where, load_yaml('lab', path))
    fields.know(_OF_LABS)
    programs = fields.choice('programs', (NODES, NEO), NODES)
    configuration = fields.text(
        'configuration', CONFIGURATIONS[0] if programs == NEO else 'plant')
    find_stack(configuration)
    if programs == NEO and configuration not in CONFIGURATIONS:
        raise fields.error('configuration', configuration, f"one of {', '.join(CONFIGURATIONS)}")
    found = fields.inner('cases')
    rows = fields.mapping('cases')
    if not rows:
        raise fields.error('cases', dict(rows), 'at least one case')
    defaults = {key: fields.value(key) for key in _OF_CASES if fields.has(key)}
    for name in rows:
        if not isinstance(name, str) or not _CASE_NAME.fullmatch(name):
            raise ConfigurationError(
                f'{where}: cases: name {excerpt(name)}, expected letters, digits, _ and -, as for'
                f' a folder, and not {PACKAGES}')
    cases = tuple(_case(where, name, configuration, defaults, found.inner(name)) for name in rows)
    pass_mark = fields.number('pass_mark', PASS_MARK, least=0.0)
    if pass_mark > 1.0:
        raise fields.error('pass_mark', pass_mark, 'a share from 0 to 1')
    return Lab(
        path.stem, path, fields.text('summary', ''), programs, configuration,
        _nodes(where, fields) if programs == NODES else (), cases, pass_mark,
        fields.number('memory', 4096.0, least=64.0), fields.flag('use_sim_time', True),
        fields.flag('dynamic_parameters', False))


def _nodes(where: str, fields: Fields) -> tuple[NodeChoice, ...]:
    rows = fields.value('nodes')
    if not isinstance(rows, list) or not rows:
        raise fields.error('nodes', rows, 'a list of nodes, each with executables')
    made = []
    for number, row in enumerate(rows, start=1):
        node = Fields.of(f'{where}: node {number}', row)
        node.know(_OF_NODES)
        executables = node.texts('executables')
        if not executables:
            raise node.error('executables', [], 'names of executables')
        remappings = node.mapping('remappings')
        made.append(NodeChoice(
            executables, node.mapping('parameters'), node.text('params_file', ''),
            {source: str(target) for source, target in remappings.items()},
            node.flag('optional', False)))
    return tuple(made)


def _case(
    where: str, name: str, configuration: str, defaults: Mapping[str, object], given: Fields,
) -> Case:
    given.know(_OF_CASES)
    values = dict(defaults)
    for key in _OF_CASES:
        if given.has(key):
            values[key] = {**_mapping(values.get(key)), **given.mapping(key)} \
                if key in _MERGED else given.value(key)
    fields = Fields(f'{where}: case {name}', values)
    start = fields.numbers('start', 3, (0.0, 0.0, 0.0))
    options = _options(fields, configuration, start)
    made = Case(
        name, options, (start[0], start[1], start[2]),
        fields.number('time_limit', 60.0, least=0.1),
        fields.number('start_limit', 30.0, least=1.0),
        fields.number('answer_limit', 1.0, least=0.0), fields.whole('warm_up', 0),
        fields.number('weight', 1.0, least=0.0),
        fields.number('collision_cost', 1.0, least=0.0), fields.inner('check'), _driver(fields),
        fields.mapping('parameters'), fields.mapping('set_parameters'), fields.texts('press'))
    try:
        for press in made.presses:
            read_press(press)
        if made.make_check().begins != 'command' and made.set_parameters:
            raise fields.error('set_parameters', dict(made.set_parameters),
                               'none for a check that does not begin with a command')
        for description in describe_stack(configuration, options):
            description.resolve()
        if options.world:
            find_world(options.world)
    except RacecarError as error:
        text = str(error)
        raise ConfigurationError(
            text if text.startswith(where) else f'{where}: case {name}: {text}') from error
    return made


def _options(
    fields: Fields, configuration: str, start: tuple[float, ...],
) -> StackOptions:
    chosen: dict[str, object] = {
        key: fields.text(key) for key in _OPTIONS if fields.has(key)}
    if fields.has('sensors'):
        chosen['sensors'] = fields.texts('sensors')
    simulator = find_stack(configuration).simulator
    overrides: dict[str, dict[str, object]] = {simulator: dict(zip(
        ('initial_x', 'initial_y', 'initial_yaw'), start, strict=True))}
    for setting, value in fields.mapping('set').items():
        node, dot, parameter = setting.partition('.')
        if not dot or not parameter:
            raise fields.error('set', setting, 'node.parameter, as single_track_simulator.rate')
        overrides.setdefault(node, {})[parameter] = value
    return from_values({**chosen, 'overrides': overrides, 'overrides_option': 'set'})


def _driver(fields: Fields) -> Driver | None:
    if not fields.has('drive'):
        return None
    inner = fields.inner('drive')
    inner.know(('topic', 'speed', 'steering'))
    return Driver(inner.text('topic', '/drive'), inner.number('speed'),
                  inner.number('steering', 0.0))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
