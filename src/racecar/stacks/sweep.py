# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps: a YAML file that varies parameters of a configuration, and the loops it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np

from racecar.core.errors import ConfigurationError, RacecarError
from racecar.core.parameters import Parameter
from racecar.core.simulation.batch import Noise
from racecar.core.simulation.block import kind_of
from racecar.core.simulation.closed_loop import ClosedLoop
from racecar.core.vehicles.parameters import VEHICLE_PARAMETERS
from racecar.core.yaml_file import load_yaml
from racecar.stacks import (
    describe_stack,
    find_tracking_stack,
    NodeDescription,
    Stack,
    StackOptions,
)
from racecar.stacks.loops import make_loop
from racecar.stacks.options import run_options, SWEEP

OPTIONS = tuple(row.name for row in run_options(SWEEP) if row.option.type is not dict)
"""Run options that are keys of a file; settings node.parameter have the key set."""

_KEYS = (*OPTIONS, 'duration', 'skip', 'set', 'grid', 'sample', 'count', 'seed', 'noise')
_DISTRIBUTIONS = {'uniform': '[lowest, highest]', 'normal': '[mean, standard deviation]'}
_MOST_POINTS = 10_000_000
VEHICLE = 'vehicle'
"""Stands for all nodes that know the vehicle: vehicle.mass is set in each of them."""


@dataclass(frozen=True)
class Sweep:
    """Points to simulate and what they have in common.

    stack: what the points are of. names: of the varied parameters, as the file has them; units:
    theirs, or ''. points: one tuple of values each.
    base: {node: value of each parameter}. duration, skip [s]. noise: None without.
    is_grid: whether the points are all combinations of some values.
    """

    stack: Stack
    names: tuple[str, ...]
    units: tuple[str, ...]
    points: tuple[tuple[Any, ...], ...]
    base: Mapping[str, Mapping[str, Any]]
    duration: float
    skip: float
    seed: int
    noise: Noise | None
    is_grid: bool
    _targets: tuple[tuple[tuple[str, str], ...], ...] = field(repr=False)

    def loops(self) -> Iterator[ClosedLoop]:
        """Build the loops of all points in order.

        Raises RacecarError, naming the point, for values that contradict each other.
        """
        # Neighbours often differ in the control law only; a block copies from a shared simulator.
        last: tuple[Any, ClosedLoop] | None = None
        for number, point in enumerate(self.points, start=1):
            changes: dict[str, dict[str, Any]] = {}
            for targets, value in zip(self._targets, point, strict=True):
                for node, parameter in targets:
                    changes.setdefault(node, {})[parameter] = value
            values = {node: {**self.base[node], **changes.get(node, {})} for node in self.base}
            simulated = tuple(sorted(changes.get(self.stack.simulator, {}).items()))
            try:
                shares = last is not None and last[0] == simulated and kind_of(last[1]) is not None
                loop = make_loop(
                    self.stack, values, last[1].simulator if last and shares else None)
            except RacecarError as error:
                raise type(error)(
                    f'point {number} of {len(self.points)} ({self.describe(number - 1)}):'
                    f' {error}') from error
            last = (simulated, loop)
            yield loop

    def describe(self, point: int) -> str:
        """Return the parameters of a point for people."""
        return ', '.join(
            f'{name}={value:.6g}' if isinstance(value, float) else f'{name}={value}'
            for name, value in zip(self.names, self.points[point], strict=True))


def load_sweep(name: str, path: Path | str) -> Sweep:
    """Read a sweep file for a configuration.

    Raises ConfigurationError or ParameterError naming the key, the value and what is expected.
    """
    stack = find_tracking_stack(name)
    content = _read(path)
    try:
        return _make_sweep(stack, content)
    except RacecarError as error:
        raise type(error)(f"sweep file '{path}': {error}") from error


def _read(path: Path | str) -> dict[str, Any]:
    content = load_yaml('sweep file', path)
    if not isinstance(content, dict):
        raise ConfigurationError(
            f"sweep file '{path}' holds {type(content).__name__}, expected a mapping with grid:"
            ' or sample: and options')
    return content


def _make_sweep(stack: Stack, content: dict[str, Any]) -> Sweep:
    for key in content:
        if key not in _KEYS:
            raise ConfigurationError(
                f"'{key}' is unknown, expected some of {', '.join(_KEYS)}")
    grid, sample = _mapping(content, 'grid'), _mapping(content, 'sample')
    if bool(grid) == bool(sample):
        raise ConfigurationError('expected either grid: or sample: with at least one parameter')
    for key in ('count', 'seed'):
        if grid and key in content and not (key == 'seed' and content.get('noise')):
            raise ConfigurationError(f"'{key}' is for sample:, a grid has none")

    overrides: dict[str, dict[str, Any]] = {}
    descriptions = _describe(stack, content, {})
    for key, value in _mapping(content, 'set').items():
        for node, row in _targets(key, descriptions):
            overrides.setdefault(node, {})[row.name] = row.validate(value)
    descriptions = _describe(stack, content, overrides)
    base = {d.executable: d.resolve() for d in descriptions}

    varied = grid or sample
    rows = {key: _targets(key, descriptions) for key in varied}
    seen: dict[tuple[str, str], str] = {}
    for key, targets in rows.items():
        for node, row in targets:
            other = seen.setdefault((node, row.name), key)
            if other != key:
                raise ConfigurationError(f"'{key}' and '{other}' vary the same parameter")
    seed = _integer(content, 'seed', 0, 0)
    if grid:
        points = _grid_points(grid, rows)
    else:
        points = _sample_points(sample, rows, _integer(content, 'count', None, 1), seed)
    return Sweep(
        stack, tuple(varied), tuple(rows[key][0][1].unit for key in varied), points, base,
        _seconds(content, 'duration', 80.0, positive=True),
        _seconds(content, 'skip', 0.0), seed, _noise(content), bool(grid),
        tuple(tuple((node, row.name) for node, row in rows[key]) for key in varied))


def _describe(
    stack: Stack, content: dict[str, Any], overrides: dict[str, dict[str, Any]],
) -> list[NodeDescription]:
    """Return the nodes of the loop that take part without ROS."""
    options: dict[str, Any] = {
        key: str(content[key]) for key in OPTIONS if content.get(key) is not None}
    parts = (stack.tracker, stack.linearizer, stack.simulator)
    return [d for d in describe_stack(stack.name, StackOptions(**options, overrides=overrides))
            if d.executable in parts]


def _targets(key: Any, descriptions: list[NodeDescription]) -> list[tuple[str, Parameter]]:
    """Return (node, parameter) for each place that a dotted name stands for."""
    node, dot, parameter = str(key).partition('.')
    tables = {d.name: d.spec.table for d in descriptions}
    if not (dot and parameter) or node not in (*tables, VEHICLE):
        raise ConfigurationError(
            f"'{key}' is not a parameter of the loop, expected node.parameter with a node among"
            f" {', '.join(tables)}, or {VEHICLE}.parameter for all that know the vehicle")
    if node == VEHICLE:
        found = [(name, table[str(key)]) for name, table in tables.items() if str(key) in table]
        if found:
            return found
        # Raises the error that suggests a name.
        return [('', VEHICLE_PARAMETERS[str(key)])]
    return [(node, tables[node][parameter])]


def _grid_points(
    grid: dict[Any, Any], rows: Mapping[Any, list[tuple[str, Parameter]]],
) -> tuple[tuple[Any, ...], ...]:
    axes = []
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ConfigurationError(f"grid '{key}' is {values!r}, expected a list of values")
        axes.append([rows[key][0][1].validate(value) for value in values])
    count = math.prod(len(axis) for axis in axes)
    if count > _MOST_POINTS:
        raise ConfigurationError(
            f'the grid has {count} points, expected at most {_MOST_POINTS}; vary less')
    return tuple(itertools.product(*axes))


def _sample_points(
    sample: dict[Any, Any], rows: Mapping[Any, list[tuple[str, Parameter]]], count: int,
    seed: int,
) -> tuple[tuple[Any, ...], ...]:
    generator = np.random.default_rng(seed)
    columns = []
    for key, given in sample.items():
        row = rows[key][0][1]
        kind, numbers = next(iter(given.items())) if isinstance(given, dict) and len(given) == 1 \
            else (None, None)
        if kind not in _DISTRIBUTIONS or not isinstance(numbers, list) or len(numbers) != 2 \
                or not all(isinstance(n, int | float) and math.isfinite(n) for n in numbers):
            forms = ' or '.join(f'{{{kind}: {form}}}' for kind, form in _DISTRIBUTIONS.items())
            raise ConfigurationError(f"sample '{key}' is {given!r}, expected {forms}")
        if row.type is not float:
            raise ConfigurationError(
                f"sample '{key}': only numbers can be drawn, this is {row.type.__name__};"
                ' use grid:')
        low, high = numbers
        if (kind == 'uniform' and low > high) or (kind == 'normal' and high < 0.0):
            raise ConfigurationError(
                f"sample '{key}' is {given!r}, expected {_DISTRIBUTIONS[str(kind)]} with"
                f" {'lowest <= highest' if kind == 'uniform' else 'a deviation of at least 0'}")
        draw = generator.uniform if kind == 'uniform' else generator.normal
        columns.append([row.validate(value) for value in draw(low, high, count).tolist()])
    return tuple(zip(*columns, strict=True))


def _mapping(content: dict[str, Any], key: str) -> dict[Any, Any]:
    value = content.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigurationError(f"'{key}' is {value!r}, expected a mapping of node.parameter")
    return value


def _integer(content: dict[str, Any], key: str, default: int | None, least: int) -> int:
    value = content.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST_POINTS:
        raise ConfigurationError(
            f"'{key}' is {value!r}, expected a whole number from {least} to {_MOST_POINTS}")
    return value


def _seconds(
    content: dict[str, Any], key: str, default: float, *, positive: bool = False,
) -> float:
    value = content.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) \
            or not 0.0 <= value <= 1e7 or (positive and value == 0.0):
        raise ConfigurationError(
            f"'{key}' is {value!r}, expected seconds {'above' if positive else 'of at least'} 0"
            ' and up to 1e7')
    return float(value)


def _noise(content: dict[str, Any]) -> Noise | None:
    given = _mapping(content, 'noise')
    if not given:
        return None
    known = Noise.__dataclass_fields__
    for key, value in given.items():
        if key not in known:
            raise ConfigurationError(
                f"noise '{key}' is unknown, expected some of {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigurationError(f"noise '{key}' is {value!r}, expected a number")
    return Noise(**{key: float(value) for key, value in given.items()})
