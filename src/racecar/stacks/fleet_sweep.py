# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps of several cars in one world: what a file varies, and the options of each point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.fields import Fields
from racecar.base.parameters import Parameter
from racecar.base.run_file import RunFile
from racecar.base.values import Values
from racecar.stacks.describe import describe_stack
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import from_values, parse_names, SIMULATE, StackOptions
from racecar.stacks.parts import SHARED
from racecar.stacks.run_files import describe_run
from racecar.stacks.sweep import (
    check_distinct,
    DRAWN_KEYS,
    NamedPoints,
    points_of,
    times_of,
    with_settings,
)
from racecar.stacks.sweep_points import Point

CARS = 'cars'
"""Key of a file that makes it a sweep of several cars."""

_OPTIONS = ('vehicle', 'tyre_model', 'world', 'params_file')
KEYS = (CARS, *_OPTIONS, *DRAWN_KEYS)
"""All keys of a file of several cars."""


@dataclass(frozen=True)
class FleetSweep(NamedPoints):
    """Points to simulate, each a run of all cars.

    configuration: its name. names, rows: of the varied parameters, as --set has them, and what
    they are; points: one tuple of values each. options: of all points. duration, skip [s].
    is_grid: whether the points are all combinations of some values.
    """

    configuration: str
    names: tuple[str, ...]
    rows: tuple[Parameter, ...]
    points: Sequence[Point]
    options: StackOptions
    duration: float
    skip: float
    is_grid: bool
    first: int = 0
    total: int = 0

    @property
    def cars(self) -> tuple[str, ...]:
        """Names of the cars."""
        return tuple(car.name for car in self.options.fleet)

    def options_at(self, number: int) -> StackOptions:
        """Options of the run of a point, counted from 0."""
        return replace(self.options, overrides=with_settings(self.options.overrides, (
            (*_split(name), value)
            for name, value in zip(self.names, self.points[number], strict=True))))

    def part(self, first: int, count: int) -> FleetSweep:
        """Some of the points; cars do there what they do in the whole."""
        return replace(
            self, points=tuple(self.points[first:first + count]), first=self.first + first,
            total=self.total or len(self.points))

    def run_file(self, command: str) -> RunFile:
        """How runs are made, over which the values of a point go; command: as typed."""
        options = replace(self.options, end_time=self.duration)
        return describe_run(
            SIMULATE, self.configuration, options, describe_stack(self.configuration, options),
            command, self.skip)


def make_fleet_sweep(name: str, content: Values) -> FleetSweep:
    """What a sweep of several cars stands for, from what its file holds or would hold.

    name: of the configuration. Raises ConfigurationError or ParameterError naming the key, the
    value and what is expected.
    """
    fields = Fields('', content)
    fields.know(KEYS)
    duration, skip = times_of(content)
    options = from_values({
        CARS: _cars(fields.value(CARS)), 'overrides': with_settings({}, (
            (*_split(key), value) for key, value in fields.mapping('set').items())),
        'overrides_option': 'set',
        **{key: fields.text(key) for key in _OPTIONS if content.get(key) is not None}})
    # What is wrong without the points is told without one.
    nodes = describe_stack(name, replace(options, lockstep=True))
    varied = {key: _targets(key, nodes)
              for key in fields.mapping('grid') or fields.mapping('sample')}
    check_distinct(varied)
    sweep = FleetSweep(
        name, tuple(varied), tuple(targets[0][1] for targets in varied.values()),
        points_of(fields, varied), options, duration, skip, bool(fields.mapping('grid')))
    describe_stack(name, replace(sweep.options_at(0), lockstep=True))
    return sweep


def _cars(given: object) -> tuple[str, ...]:
    items = given if isinstance(given, list) else [given]
    texts = [str(item) for item in items
             if isinstance(item, str | int) and not isinstance(item, bool)]
    found = parse_names(texts)
    if not found or len(texts) < len(items):
        raise ConfigurationError(
            f"'{CARS}' is {excerpt(given)}, expected names, their number, or a fleet file")
    return found


def _split(key: str) -> tuple[str, str]:
    node, dot, parameter = key.partition('.')
    if not (node and dot and parameter):
        raise ConfigurationError(
            f"'{key}' is no parameter, expected node.parameter, or car/node.parameter of one car")
    return node.strip('/'), parameter


def _targets(key: str, nodes: Sequence[NodeDescription]) -> list[tuple[str, Parameter]]:
    """Full name of a node and the parameter, for each place that a name stands for.

    Raises ConfigurationError or ParameterError for a name that there is not.
    """
    node, parameter = _split(key)
    if node in SHARED:
        row = SHARED[node][f'{node}.{parameter}']
        return [(d.full_name, row) for d in nodes if row.name in d.spec.table] or [('', row)]
    found = [d for d in nodes
             if node in (d.name, d.full_name) or d.full_name.endswith(f'/{node}')]
    if not found:
        known = dict.fromkeys([*(d.name for d in nodes), *(d.full_name for d in nodes), *SHARED])
        raise ConfigurationError(
            f"'{key}' is of no node of these cars, expected one of {', '.join(known)}")
    return [(d.full_name, d.spec.table[parameter]) for d in found]
