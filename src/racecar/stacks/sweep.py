# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps: a YAML file that varies parameters of a configuration, and the loops it stands for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
import contextlib
from dataclasses import dataclass, field, fields, replace
import functools
import itertools
import math
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from racecar.analysis.motion import steering_range_of
from racecar.base.columns import Array, IS_NO_COLUMN
from racecar.base.errors import ConfigurationError, RacecarError
from racecar.base.fields import Fields
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.run_file import RunFile
from racecar.base.values import Values
from racecar.base.yaml_file import load_mapping, naming_file
from racecar.catalogue import TABLES
from racecar.control.custom_controller import CONTROLLER, ControllerClass, find_controller
from racecar.control.tracker import FEEDBACK
from racecar.control.trajectories import Trajectory
from racecar.dynamics.vehicles.parameters import VEHICLE
from racecar.faults.plant import FAULTS
from racecar.metrics.survival import Limits
from racecar.simulation.batch_result import Noise
from racecar.simulation.block import Fleet, FleetColumns, kind_of
from racecar.simulation.closed_loop import Loop, LoopCar
from racecar.simulation.custom_loop import CustomLoop
from racecar.stacks import (
    describe_stack,
    find_tracking_stack,
    Stack,
    StackOptions,
)
from racecar.stacks.faults import faults_of_values, line_of_faults
from racecar.stacks.fleets import (
    custom_columns,
    may_be_column,
    NodeColumns,
    stack_columns,
    switches_off,
)
from racecar.stacks.loops import make_car, make_custom_loop, make_stack_loop, StackValues
from racecar.stacks.options import (
    DURATION,
    policy_as_controller,
    run_options,
    SIMULATE,
    SWEEP,
)
from racecar.stacks.parts import ROBOT, SHARED
from racecar.stacks.reference_warning import DECIDED_BY, reference_warning
from racecar.stacks.run_files import describe_run, with_whole_paths
from racecar.stacks.sweep_points import Draw, GridPoints, Point, SamplePoints

OPTIONS = tuple(row.name for row in run_options(SWEEP) if row.option.type is not dict)
"""Run options that are keys of a file; settings node.parameter have the key set."""

_FLAGS = {row.name for row in run_options(SWEEP) if row.option.type is bool}

WHAT = 'sweep file'
"""How messages call it."""

DRAWN_KEYS = ('duration', 'skip', 'set', 'grid', 'sample', 'count', 'seed')
"""Keys of the points of a file, how long each takes, and settings of all."""

KEYS = (*OPTIONS, *DRAWN_KEYS, 'noise')
"""All keys of a file."""
_DISTRIBUTIONS = {'uniform': '[lowest, highest]', 'normal': '[mean, standard deviation]'}
_MOST_POINTS = 10_000_000
# Points that are made at once: with matrices for their modes they take some megabytes.
_AT_ONCE = 960

L = TypeVar('L', bound=Loop)


class NamedPoints:
    """Points that vary parameters, in words: what sweeps of one car and of several share.

    names, rows: of the varied parameters, and what they are. points: one tuple of values each.
    first, total: of a part of a sweep, the number of its first point among those of the whole, and
    how many that has; 0 for a whole. with_nodes: whether points are drives of nodes.
    """

    names: tuple[str, ...]
    rows: tuple[Parameter, ...]
    points: Sequence[Point]
    first: int
    total: int
    with_nodes: bool = False

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the varied parameters, or ''."""
        return tuple(row.unit for row in self.rows)

    def row_of(self, name: str) -> Parameter:
        """Parameter behind one of the names."""
        return self.rows[self.names.index(name)]

    def name_of(self, point: int) -> str:
        """Number of a point in the whole, counted from 1, and its parameters."""
        return (f'point {self.first + point + 1} of {self.total or len(self.points)}'
                f' ({self.describe(point)})')

    def describe(self, point: int) -> str:
        """Return the parameters of a point for people, without what only explains them."""
        return ', '.join(
            f'{name}={value:.6g}' if isinstance(value, float) else f'{name}={value}'
            for index, (name, value) in enumerate(
                zip(self.names, self.points[point], strict=True)) if self.acts(index))

    def run_file(self, command: str) -> RunFile:
        """How runs are made, over which the values of a point go; command: as typed."""
        raise NotImplementedError

    def acts(self, index: int) -> bool:
        """Whether one of the names, by its number, changes anything: else it explains others."""
        del index
        return True


@dataclass(frozen=True)
class Sweep(NamedPoints):
    """Points to simulate and what they have in common.

    stack: what the points are of. names: of the varied parameters, as the file has them; rows:
    what they are. points: one tuple of values each.
    base: {node: value of each parameter}, and settings of a controller under its own name.
    duration, skip [s]. noise: None without. is_grid: whether the points are all combinations of
    some values. controller: a custom one in the place of tracker and law, or None.
    outrun: warnings by point, of loops that were made and whose car cannot follow its reference.
    options: with which all points are run. first, total: of a part of a sweep, the number of its
    first point among those of the whole. with_effort: whether the control effort of the cars is
    wanted. survived: what a car of a campaign keeps to; with_nodes: whether points are drives of
    nodes.
    """

    stack: Stack
    names: tuple[str, ...]
    rows: tuple[Parameter, ...]
    points: Sequence[Point]
    base: StackValues
    duration: float
    skip: float
    seed: int
    noise: Noise | None
    is_grid: bool
    controller: ControllerClass | None
    _targets: tuple[tuple[tuple[str, str], ...], ...] = field(repr=False)
    outrun: dict[int, str] = field(default_factory=dict)
    options: StackOptions = field(default_factory=StackOptions, repr=False)
    first: int = 0
    total: int = 0
    with_effort: bool = False
    survived: Mapping[str, Limits] = field(default_factory=dict)
    with_nodes: bool = False

    def __getstate__(self) -> dict[str, object]:
        """What another process makes it of: the name of the stack, and paths from the root."""
        kept = {row.name: getattr(self, row.name) for row in fields(self)}
        return {**kept, 'stack': self.stack.name, 'base': {
            node: with_whole_paths(values) for node, values in self.base.items()}}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        """Take what another process made."""
        for name, value in state.items():
            object.__setattr__(
                self, name, find_tracking_stack(str(value)) if name == 'stack' else value)

    def fleets(self) -> Iterator[Fleet]:
        """Build the cars of all points, with the laws of the stack.

        Raises RacecarError, naming the point, for values that contradict each other.
        """
        stack = self.stack
        vary: Callable[..., FleetColumns] = stack.columns or stack_columns
        return self._fleets(
            functools.partial(make_stack_loop, stack), functools.partial(vary, stack))

    def custom_fleets(
        self, tell: Callable[[str], object] = lambda _: None,
    ) -> Iterator[Fleet]:
        """Build the cars of all points, each with a custom controller.

        tell: gets why a controller runs as plain Python, '' if it runs compiled. Raises
        RacecarError, naming the point, for values that contradict each other and for settings with
        which the controller cannot be made.
        """
        stack, controller = self.stack, self.controller
        assert controller is not None

        def make(values: StackValues, simulator: LoopCar | None) -> CustomLoop:
            loop = make_custom_loop(stack, values, controller, values[CONTROLLER], simulator)
            tell(loop.why_plain)
            return loop

        return self._fleets(make, functools.partial(custom_columns, stack))

    def _fleets(
        self, make: Callable[[StackValues, LoopCar | None], L],
        vary: Callable[[L, StackValues, NodeColumns, int], FleetColumns],
    ) -> Iterator[Fleet]:
        """Make points that differ in columns alone at once, where possible, and others by one."""
        others: list[int] = []
        for alike in self._alike():
            for first in range(0, len(alike), _AT_ONCE):
                points = alike[first:first + _AT_ONCE]
                fleet = None if len(points) < 2 else self._fleet(points, make, vary)
                if fleet is not None:
                    yield fleet
                others.extend(sorted({*points} - {*(() if fleet is None else fleet.cars)}))
        yield from self._singles(sorted(others), make)

    def _alike(self) -> Collection[Sequence[int]]:
        """Points that differ in columns alone."""
        alike: dict[tuple[object, ...], list[int]] = {}
        for number, point in enumerate(self.points):
            kind = tuple(
                any(switches_off(name, value) for _, name in targets)
                if index in self._columns else value
                for index, (value, targets) in enumerate(zip(point, self._targets, strict=True)))
            alike.setdefault(kind, []).append(number)
        return alike.values()

    @functools.cached_property
    def _columns(self) -> frozenset[int]:
        """Which of the varied parameters may be columns."""
        return frozenset(
            index for index, targets in enumerate(self._targets)
            if all(may_be_column(self.stack, node, name) for node, name in targets))

    def _fleet(
        self, points: Sequence[int], make: Callable[[StackValues, LoopCar | None], L],
        vary: Callable[[L, StackValues, NodeColumns, int], FleetColumns],
    ) -> Fleet | None:
        """Cars of points that differ in columns alone; None if they do not differ in numbers."""
        varied: dict[str, dict[str, Array]] = {}
        for index in self._columns:
            column = np.array([self.points[point][index] for point in points])
            for node, name in self._targets[index]:
                varied.setdefault(node, {})[name] = column
        values = self.values_at(points[0])
        try:
            loop = make(values, None)
            columns, are_possible, trajectories = vary(loop, values, varied, len(points))
        except (RacecarError, *IS_NO_COLUMN):
            # Each by itself: then the error, if there is one, says at which point.
            return None
        found = Fleet(loop, points, columns, trajectories).where(are_possible)
        names = {name for node in (self.stack.simulator, self.stack.tracker) if node is not None
                 for name in varied.get(node, {})}
        if trajectories or names & DECIDED_BY:
            for point, trajectory in itertools.zip_longest(found.cars, found.trajectories):
                self._note_outrun(loop, point, [point], trajectory)
        else:
            for point in found.cars[:1]:
                self._note_outrun(loop, point, found.cars)
        return found

    def _note_outrun(
        self, loop: Loop, point: int, alike: Sequence[int], trajectory: Trajectory | None = None,
    ) -> None:
        """Note the warning of a point that some others have, too.

        trajectory: of the point, where it is not that of the loop.
        """
        values = self.values_at(point)
        assert self.stack.tracker is not None
        warning = reference_warning(
            loop.tracker, values[self.stack.simulator], self.duration, trajectory,
            None if self.controller is not None else values[self.stack.tracker])
        if warning is not None:
            self.outrun.update(dict.fromkeys(alike, warning))

    def _singles(
        self, points: Sequence[int], make: Callable[[StackValues, LoopCar | None], L],
    ) -> Iterator[Fleet]:
        """Make the loop of each point from its values and, perhaps, a simulator that has them."""
        last: tuple[object, Callable[[], LoopCar]] | None = None
        for point in points:
            values = self.values_at(point)
            simulated = values[self.stack.simulator]
            # Neighbours often differ in what drives them only, and a simulator takes long to make.
            shared = last[1]() if last is not None and last[0] == simulated else None
            with self._named(point):
                loop = make(values, shared)
            self._note_outrun(loop, point, [point])
            last = simulated, self._another(loop, simulated)
            yield Fleet(loop, [point])

    def _another(self, loop: Loop, simulated: Values) -> Callable[[], LoopCar]:
        """Return what gives a simulator like that of a loop, made from these values."""
        simulator = loop.simulator
        if kind_of(loop) is not None:
            # A block copies from it.
            return lambda: simulator
        return lambda: make_car(self.stack.simulator, simulated, simulator)

    def at(self, points: Sequence[Point]) -> Sweep:
        """The same sweep at other points, each a value for each of the names."""
        return replace(self, points=tuple(points), is_grid=False, outrun={})

    def part(self, first: int, count: int) -> Sweep:
        """Some of the points; cars do there what they do in the whole."""
        return replace(
            self, points=tuple(self.points[first:first + count]), outrun={},
            first=self.first + first, total=self.total or len(self.points))

    def run_file(self, command: str, point: int | None = None) -> RunFile:
        """How a run of a point is made; None: of the base, over which the values of a point go.

        command: as typed. `racecar simulate --from` repeats a point without noise by it.
        """
        overrides = with_settings(self.options.overrides, () if point is None else (
            (node, parameter, value)
            for targets, value in zip(self._targets, self.points[point], strict=True)
            for node, parameter in targets))
        faults = overrides.pop(FAULTS, {}).get(FAULTS, line_of_faults(self.options.faults))
        options = replace(
            self.options, end_time=self.duration, overrides=overrides,
            faults=(str(faults),) if faults else ())
        return describe_run(
            SIMULATE, self.stack.name, options, describe_stack(self.stack.name, options), command,
            self.skip)

    def acts(self, index: int) -> bool:
        """See NamedPoints."""
        return bool(self._targets[index])

    @property
    def effort_within(self) -> Array | None:
        """Lowest and highest steering angle of cars (n, 2) [rad]; None if no effort is wanted."""
        return None if not self.with_effort else np.array([
            steering_range_of(self.values_at(point)[self.stack.simulator])
            for point in range(len(self.points))])

    def targets_of(self, name: str) -> tuple[tuple[str, str], ...]:
        """Pairs of node and parameter that one of the names stands for."""
        return self._targets[self.names.index(name)]

    def values_at(self, number: int) -> dict[str, Values]:
        """Values of all nodes at a point; what does not vary is one object."""
        changes = with_settings({}, (
            (node, parameter, value)
            for targets, value in zip(self._targets, self.points[number], strict=True)
            for node, parameter in targets))
        return {node: {**values, **changes[node]} if node in changes else values
                for node, values in self.base.items()}

    @contextlib.contextmanager
    def _named(self, point: int) -> Iterator[None]:
        """Name the point in the errors of what is done for it."""
        try:
            yield
        except RacecarError as error:
            raise type(error)(f'{self.name_of(point)}: {error}') from error


def with_settings(
    overrides: Mapping[str, Mapping[str, object]], settings: Iterable[tuple[str, str, object]],
) -> dict[str, dict[str, object]]:
    """Overrides by node with settings over them: node, parameter and value."""
    found = {node: dict(values) for node, values in overrides.items()}
    for node, parameter, value in settings:
        found.setdefault(node, {})[parameter] = value
    return found


def load_sweep(name: str, path: Path | str, controller: str | None = None) -> Sweep:
    """Read a sweep file for a configuration.

    controller: goes over the one that the file may name. Raises ConfigurationError or
    ParameterError naming the key, the value and what is expected.
    """
    # What is wrong with the name has nothing to do with the file.
    find_tracking_stack(name)
    content = read_sweep(path)
    if controller is not None:
        content[CONTROLLER] = controller
    with naming_file(WHAT, path):
        return make_sweep(name, content)


def read_sweep(path: Path | str) -> dict[str, object]:
    """Content of a sweep file. Raises ConfigurationError for what is none."""
    return load_mapping(WHAT, path, 'grid: or sample: and options')


def make_sweep(
    name: str, content: Values, controller: ControllerClass | None = None,
) -> Sweep:
    """What a sweep of a configuration stands for, from what its file holds or would hold.

    controller: what makes the controllers, if the text that content has cannot be imported.
    Raises ConfigurationError or ParameterError naming the key, the value and what is expected.
    """
    fields = Fields('', content)
    _check_keys(fields)
    made = configured(name, fields, controller)
    stack, controller = made.stack, made.controller

    grid, sample = fields.mapping('grid'), fields.mapping('sample')
    rows = {key: _targets(key, stack, controller) for key in grid or sample}
    check_distinct(rows)
    return Sweep(
        stack, tuple(rows), tuple(targets[0][1] for targets in rows.values()),
        points_of(fields, rows), made.base, made.duration, made.skip, _seed(fields),
        _noise(fields), bool(grid), controller,
        tuple(tuple((node, row.name) for node, row in targets) for targets in rows.values()),
        options=made.options)


def points_of(
    fields: Fields, rows: Mapping[str, list[tuple[str, Parameter]]],
) -> Sequence[Point]:
    """Points of a grid or a sample; rows: of each parameter, where it is and what it is.

    Raises ConfigurationError or ParameterError naming the key, the value and what is expected.
    """
    _check_points(fields)
    grid, sample = fields.mapping('grid'), fields.mapping('sample')
    return _grid_points(grid, rows) if grid else _sample_points(
        sample, rows, fields.whole('count', None, 1, _MOST_POINTS), _seed(fields))


def times_of(content: Values) -> tuple[float, float]:
    """Duration of each point, and what its metrics leave out at the start [s].

    Raises ConfigurationError for what these cannot be.
    """
    duration = _seconds(content, 'duration', DURATION, positive=True)
    skip = _seconds(content, 'skip', 0.0)
    if skip >= duration:
        raise ConfigurationError(
            f"'skip' is {skip:g} s, expected less than the duration of {duration:g} s: nothing is"
            ' left to compute metrics of')
    return duration, skip


class Configured(NamedTuple):
    """What all runs of a file have in common; base, duration, skip: as of Sweep."""

    stack: Stack
    options: StackOptions
    controller: ControllerClass | None
    base: StackValues
    duration: float
    skip: float


def configured(
    name: str, fields: Fields, controller: ControllerClass | None = None,
) -> Configured:
    """What the options of a file make of a configuration.

    fields: of the file; controller: as of make_sweep(), and raises as that.
    """
    stack = find_tracking_stack(name)
    content = {key: fields.value(key) for key in (*OPTIONS, 'duration', 'skip')
               if fields.has(key)}
    if controller is None:
        controller = controller_in(content)
    overrides = with_settings({}, (
        (node, row.name, row.validate(value)) for key, value in fields.mapping('set').items()
        for node, row in _targets(key, stack, controller)))
    chosen: dict[str, Any] = {
        key: fields.flag(key, False) if key in _FLAGS
        else (str(content[key]),) if key == FAULTS else str(content[key])
        for key in OPTIONS if content.get(key) is not None}
    options = StackOptions(**chosen, overrides=overrides)
    base: dict[str, Values] = {
        d.executable: d.resolve() for d in describe_stack(stack.name, options)
        if d.executable in _tables(stack)}
    base[CONTROLLER] = overrides.get(CONTROLLER, {})
    base[FAULTS] = faults_of_values(base[stack.simulator])
    return Configured(stack, options, controller, base, *times_of(content))


def controller_in(content: Values) -> ControllerClass | None:
    """The custom controller or policy that a file names, or None. Raises ConfigurationError."""
    driver = policy_as_controller(*(
        None if content.get(key) is None else str(content[key]) for key in ('policy', CONTROLLER)))
    return None if driver is None else find_controller(driver)


def _check_keys(fields: Fields) -> None:
    fields.know(KEYS)
    _check_points(fields)


def _seed(fields: Fields) -> int:
    return fields.whole('seed', 0, 0, _MOST_POINTS)


def _check_points(fields: Fields) -> None:
    grid = fields.mapping('grid')
    if bool(grid) == bool(fields.mapping('sample')):
        raise ConfigurationError('expected either grid: or sample: with at least one parameter')
    for key in ('count', 'seed'):
        if grid and fields.has(key) and not (key == 'seed' and fields.mapping('noise')):
            raise ConfigurationError(f"'{key}' is for sample:, a grid has none")


def check_distinct(rows: Mapping[str, Sequence[tuple[str, Parameter]]]) -> None:
    """Raise ConfigurationError if two names stand for the same parameter of a node."""
    seen: dict[tuple[str, str], str] = {}
    for key, targets in rows.items():
        for node, row in targets:
            other = seen.setdefault((node, row.name), key)
            if other != key:
                raise ConfigurationError(f"'{key}' and '{other}' vary the same parameter")


def _tables(stack: Stack) -> dict[str, ParameterTable]:
    """Return the tables of the nodes of the loop by name, that of a law out of work too."""
    parts = (stack.tracker, stack.linearizer, stack.simulator)
    return {name: TABLES[name] for name in parts if name is not None}


def _targets(
    key: object, stack: Stack, controller: ControllerClass | None,
) -> list[tuple[str, Parameter]]:
    """Return (node, parameter) for each place that a dotted name stands for."""
    node, dot, parameter = str(key).partition('.')
    if node == CONTROLLER and parameter:
        if controller is None:
            raise ConfigurationError(
                f"'{key}' is a setting of a custom controller, but none is chosen: give"
                f' {CONTROLLER}: or --{CONTROLLER} with module:Class or file.py:Class')
        return [(CONTROLLER, controller.setting(parameter))]
    tables = _tables(stack)
    if not (dot and parameter) or node not in (*tables, *SHARED):
        raise ConfigurationError(
            f"'{key}' is not a parameter of the loop, expected node.parameter with a node among"
            f" {', '.join(tables)}, or {VEHICLE}.parameter for all that know the vehicle and"
            f' {ROBOT}.parameter for a differential-drive robot')
    if node in SHARED:
        found = [(name, table[str(key)]) for name, table in tables.items() if str(key) in table]
        if found:
            return found
        # Raises the error that suggests a name.
        return [('', SHARED[node][str(key)])]
    return [(node, tables[node][parameter])]


def is_unused(key: str, stack: Stack, controller: ControllerClass | None) -> bool:
    """Whether a parameter changes nothing, as a custom controller drives in the place of its node.

    Raises ConfigurationError or ParameterError for a name that there is not.
    """
    return controller is not None and all(
        node == stack.linearizer or (node == stack.tracker and row.name in FEEDBACK)
        for node, row in _targets(key, stack, controller))


def _grid_points(
    grid: Mapping[str, object], rows: Mapping[str, list[tuple[str, Parameter]]],
) -> GridPoints:
    axes = []
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ConfigurationError(f"grid '{key}' is {values!r}, expected a list of values")
        for value in values:
            if isinstance(value, (list, dict)):
                raise ConfigurationError(
                    f"grid '{key}' has {value!r} among its values, expected single ones")
        axes.append([rows[key][0][1].validate(value) for value in values])
    points = GridPoints(axes)
    if len(points) > _MOST_POINTS:
        raise ConfigurationError(
            f'the grid has {len(points)} points, expected at most {_MOST_POINTS}; vary less')
    return points


def _sample_points(
    sample: Mapping[str, object], rows: Mapping[str, list[tuple[str, Parameter]]], count: int,
    seed: int,
) -> SamplePoints:
    draws: dict[str, Draw] = {}
    for key, given in sample.items():
        row = rows[key][0][1]
        kind, numbers = next(iter(given.items())) if isinstance(given, dict) and len(given) == 1 \
            else (None, None)
        if kind not in _DISTRIBUTIONS or not isinstance(numbers, list) or len(numbers) != 2 \
                or not all(isinstance(n, int | float) and math.isfinite(n) for n in numbers):
            forms = ' or '.join(f'{{{kind}: {form}}}' for kind, form in _DISTRIBUTIONS.items())
            raise ConfigurationError(f"sample '{key}' is {given!r}, expected {forms}")
        if row.type not in (float, object):
            raise ConfigurationError(
                f"sample '{key}': only numbers can be drawn, this is {row.type.__name__};"
                ' use grid:')
        low, high = numbers
        if (kind == 'uniform' and low > high) or (kind == 'normal' and high < 0.0):
            raise ConfigurationError(
                f"sample '{key}' is {given!r}, expected {_DISTRIBUTIONS[str(kind)]} with"
                f" {'lowest <= highest' if kind == 'uniform' else 'a deviation of at least 0'}")
        draws[key] = ('uniform' if kind == 'uniform' else 'normal', low, high)
    return SamplePoints(draws, {key: rows[key][0][1] for key in sample}, count, seed)


def _seconds(
    content: Values, key: str, default: float, *, positive: bool = False,
) -> float:
    value = content.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) \
            or not 0.0 <= value <= 1e7 or (positive and value == 0.0):
        raise ConfigurationError(
            f"'{key}' is {value!r}, expected seconds {'above' if positive else 'of at least'} 0"
            ' and up to 1e7')
    return float(value)


def _noise(fields: Fields) -> Noise | None:
    given = fields.inner('noise', needed=False)
    given.know(Noise.__dataclass_fields__)
    names = fields.mapping('noise')
    return Noise(**{name: given.number(name) for name in names}) if names else None
