# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps as Parquet datasets: a folder with a row for each point, and a run.yaml.

The rows are in files of a stretch of points each, as racecar.sweep() has them in a result; any
reader of Parquet takes the folder. A file is there as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import contextlib
from dataclasses import asdict, dataclass, replace
import fcntl
import hashlib
import importlib
import itertools
import json
import math
import os
from pathlib import Path
import re
import shlex
import time
from types import ModuleType, TracebackType
from typing import Any, NamedTuple, Protocol, Self, TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt, RunError
from racecar.base.extras import not_installed
from racecar.base.parameters import suggestion
from racecar.base.run_file import NAME, read_run_file, RunFile
from racecar.facade.chunks import Chunk, Cores, Lost, Range
from racecar.facade.cluster import check_same_versions, Cluster
from racecar.facade.node_processes import NodeProcesses
from racecar.facade.sweep_parts import joined, Part, SweepTask, units_of
from racecar.faults.plant import FAULTS
from racecar.metrics.survival import Limits
from racecar.stacks.faults import line_of_faults
from racecar.stacks.fleet_sweep import CARS, FleetSweep
from racecar.stacks.sweep import NamedPoints, Sweep

if TYPE_CHECKING:
    import pyarrow

POINT, FAILURE, WARNING = 'point', 'failure', 'warning'
Column: TypeAlias = NDArray[Any]
"""One of a dataset, numbers or texts, (points,)."""

WHOLE = 'samples', 'collisions', 'laps', 'wrong_ways', 'track_exits'

_FILE = re.compile(r'points-(\d{8})-(\d{8})\.parquet')
_ROWS, _WAIT = 100_000, 30.0
"""Rows of a file, and time after which fewer are written too [s]."""
_LOOK = 16
"""Points of which not all may be impossible, or the sweep is."""


class Outcome(NamedTuple):
    """How a sweep into a dataset ended.

    done: points that have a row, unmade: of those that contradict themselves; lost: points without
    a row, with the reason; warning: the first of the unmade, ''.
    """

    done: int
    unmade: int
    lost: tuple[Lost, ...]
    warning: str


class FoundChunk(Chunk, Protocol):
    """What came of some points that become rows; see racecar.facade.sweep_parts.Part."""

    @property
    def unmade(self) -> Mapping[int, str]:
        """Why points cannot be, by their numbers."""

    @property
    def said(self) -> tuple[str, ...]:
        """What to tell once."""


class Rows(Protocol):
    """How the points of a sweep become rows."""

    @property
    def sweep(self) -> NamedPoints:
        """What is swept."""

    @property
    def task(self) -> Any:
        """What runs the points by its own kind of runners; gives a FoundChunk each time."""

    def content(self, made: RunFile) -> dict[str, object]:
        """What the run.yaml says of the sweep; digest: of all that decides its rows."""

    def table(self, arrow: ModuleType, parts: Sequence[Any]) -> pyarrow.Table:
        """Rows of what the task gave, in the order of the points, which leave none out."""


class SweepRows:
    """Rows of a sweep of one car: parameters and metrics, failure and warning."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep

    @property
    def task(self) -> SweepTask:
        """What runs the points."""
        return SweepTask(self.sweep)

    def content(self, made: RunFile) -> dict[str, object]:
        """What the run.yaml says of the sweep; digest: of all that decides its rows."""
        return _content(self.sweep, made)

    def table(self, arrow: ModuleType, parts: Sequence[Part]) -> pyarrow.Table:
        """Rows of parts in the order of their points, which leave none out."""
        part, schema = joined(parts), _schema(arrow, self.sweep)
        numbers = range(part.first, part.first + part.points)
        failures = {**part.failures, **part.unmade}
        texts = {FAILURE: failures, WARNING: part.outrun}
        columns: dict[str, Any] = dict(part.metrics)
        columns |= {name: [of_points.get(number) for number in numbers] if of_points
                    else arrow.nulls(part.points) for name, of_points in texts.items()}
        parameters = {field.name: column for field, column in parameter_columns(
            arrow, self.sweep, numbers)}
        columns[POINT] = np.asarray(numbers)
        return arrow.table([
            parameters[field.name] if field.name in parameters
            else arrow.array(columns[field.name], from_pandas=True).cast(field.type)
            for field in schema], schema=schema)


class DatasetWriter:
    """A dataset that is being made or gone on with.

    A context manager that writes what is left, for one process at a time. rows: how points become
    rows.
    """

    def __init__(
        self, folder: Path, rows: Rows, command: str, *, file: str = '', resume: bool = False,
    ) -> None:
        """folder: of the dataset; command: as typed; file: of the sweep, '' for none.

        Raises ConfigurationError without PyArrow, for a folder that exists without `resume`, and
        with it for one without a dataset, or with that of another sweep or other versions.
        """
        _arrow('parquet')
        import pyarrow

        self._arrow = pyarrow
        self.folder, self.rows = folder, rows
        self._waiting: list[FoundChunk] = []
        self._written = time.monotonic()
        made = rows.sweep.run_file(command)
        kept = rows.content(made)
        if folder.exists() and resume:
            if not is_dataset(folder):
                raise ConfigurationError(
                    f"'{folder}' holds no dataset to go on with; name the folder of one, or a new"
                    ' folder without --resume')
            before = read_run_file(folder)
            if before.sweep.get('digest') != kept['digest']:
                raise ConfigurationError(
                    f"dataset '{folder}' is of another sweep: go on with its file and"
                    ' configuration, or name another folder')
            check_same_versions(f"dataset '{folder}'", before.environment)
        else:
            with _storing(self.folder):
                folder.mkdir(parents=True)
                replace(made, sweep={**kept, 'file': file}).write(folder / NAME)

    @property
    def missing(self) -> list[Range]:
        """Points that have no row yet."""
        found, at = [], 0
        for first, last, _ in files_of(self.folder):
            found.append((at, first - at))
            at = last + 1
        left = len(self.rows.sweep.points) - at
        return [stretch for stretch in (*found, (at, left)) if stretch[1]]

    def add(self, part: FoundChunk) -> None:
        """Take in points; they are written with others.

        Raises ConfigurationError if they cannot be.
        """
        self._waiting.append(part)
        waiting = sum(part.points for part in self._waiting)
        if waiting >= _ROWS or time.monotonic() - self._written > _WAIT:
            self.write()

    def write(self) -> None:
        """Write all that was taken in. Raises ConfigurationError if that fails."""
        parts = sorted(self._waiting, key=lambda part: part.first)
        while parts:
            count = 1
            while count < len(parts) and \
                    parts[count].first == parts[count - 1].first + parts[count - 1].points:
                count += 1
            self._write(parts[:count])
            del parts[:count]
        self._waiting.clear()
        self._written = time.monotonic()

    def _write(self, parts: Sequence[FoundChunk]) -> None:
        from pyarrow import parquet

        first, last = parts[0].first, parts[-1].first + parts[-1].points - 1
        path = self.folder / f'points-{first:08d}-{last:08d}.parquet'
        unfinished = path.with_suffix('.unfinished')
        try:
            with _storing(self.folder):
                parquet.write_table(
                    self.rows.table(self._arrow, parts), unfinished, compression='zstd')
                os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        """Raise ConfigurationError while another process writes the dataset."""
        file = os.open(self.folder / NAME, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise ConfigurationError(
                f"dataset '{self.folder}' is being written by another process; wait until it has"
                ' ended, then go on with --resume') from None
        except OSError:
            # A file system without locks.
            pass
        self._lock = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if not isinstance(error, ConfigurationError):
                self.write()
        finally:
            os.close(self._lock)


@contextlib.contextmanager
def _storing(folder: Path) -> Iterator[None]:
    """Tell by a ConfigurationError what cannot be written to a folder."""
    try:
        yield
    except OSError as error:
        raise ConfigurationError(
            f"dataset '{folder}' cannot be written: {error.strerror or error}; what it has stays,"
            ' and --resume goes on with it') from error


def run_into(
    writer: DatasetWriter, cores: Cores | Cluster | NodeProcesses, sweep: NamedPoints,
    on_progress: Callable[[int], object] | None = None,
    announce: Callable[[str], object] = lambda _: None,
) -> Outcome:
    """Run the points that a dataset lacks; what is done stays in it, however this ends.

    on_progress: gets how many points have a row; announce: how a custom controller runs. Raises
    RacecarError for what keeps all points from it.
    """
    lost: list[Lost] = []
    unmade, warning = 0, ''
    said: set[str] = set()
    with writer:
        missing = writer.missing
        done = len(sweep.points) - sum(count for _, count in missing)
        for found in cores.run(writer.rows.task, missing):
            if isinstance(found, Lost):
                lost.append(found)
                continue
            if found.unmade:
                warning = warning or next(iter(found.unmade.values()))
                unmade += len(found.unmade)
                if unmade == done + found.points >= min(_LOOK, len(sweep.points)):
                    # What is wrong with all of the first is hardly their own.
                    raise ConfigurationError(warning)
            writer.add(found)
            for text in {*found.said} - said:
                announce(text)
            said.update(found.said)
            done += found.points
            if on_progress is not None:
                on_progress(done)
    return Outcome(done, unmade, tuple(lost), warning)


def raise_lost(outcome: Outcome, sweep: NamedPoints) -> None:
    """Raise RunError if points have no row."""
    if outcome.lost:
        first = outcome.lost[0]
        raise RunError(
            f'{len(outcome.lost)} of {len(sweep.points)} points have no row, the first:'
            f' {sweep.name_of(first.first)}: {first.why}; all others have theirs, --resume tries'
            ' again')


@dataclass(frozen=True)
class SweepDataset:
    """A dataset that is there: where, how it was made, and what varies in it."""

    folder: Path
    file: RunFile
    names: tuple[str, ...]
    units: tuple[str, ...]
    count: int
    is_grid: bool

    def __len__(self) -> int:
        """Number of points that have a row."""
        return sum(last + 1 - first for first, last, _ in files_of(self.folder))

    @property
    def survived(self) -> dict[str, Limits]:
        """Least and most of metrics of a car that survives; empty if it is no campaign."""
        return {str(name): Limits(**limits)
                for name, limits in _about(self.file).get('survived', {}).items()}

    def column(self, name: str) -> Column:
        """A column in the order of the points: numbers with NaN for none, or texts and None.

        Raises ConfigurationError for a name that there is not, and for a file that is none.
        """
        found: Column = self.table([name])[name].to_numpy()
        return found

    def table(self, names: Sequence[str] | None = None) -> pyarrow.Table:
        """Columns in the order of the points, by default all. Raises as column()."""
        dataset = _arrow('dataset')
        files = self._paths()
        try:
            found = dataset.dataset(files, format='parquet')
            known = found.schema.names
            for name in names or ():
                if name not in known:
                    raise ConfigurationError(
                        f"dataset '{self.folder}' has no column {excerpt(name)}, expected one of"
                        f" {', '.join(known)}{suggestion(name, known)}")
            return found.to_table(columns=names)
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"dataset '{self.folder}' cannot be read: {str(error).splitlines()[0]}") from error

    def commands_of(self, points: Sequence[int]) -> list[str]:
        """Commands that repeat points, counted from 0.

        With noise it is that of the sweep, and needs its file.
        """
        made, about, source = self.file, _about(self.file), str(self.folder)
        if about['noise']:
            words = ['racecar', 'sweep', made.configuration, about['file'] or 'FILE']
            return [shlex.join([*words, '--point', str(point + 1)]) for point in points]
        dataset = _arrow('dataset')
        command = 'scenario' if about.get('nodes') else 'simulate'
        words = ['racecar', command, *([] if about.get('nodes') else ['--from']), source]
        found = dataset.dataset(self._paths(), format='parquet').to_table(
            columns=[POINT, *self.names], filter=dataset.field(POINT).isin([*points]))
        rows = {row[POINT]: row for row in found.to_pylist()}
        return [shlex.join([*words, *(
            word for name in self.names for target in about['targets'][name]
            for word in _option(target, rows[point][name]))]) for point in points]

    def _paths(self) -> list[str]:
        found = [str(path) for *_, path in files_of(self.folder)]
        if not found:
            raise RunError(f"dataset '{self.folder}' has no points yet; go on with --resume")
        return found


def _option(target: str, value: object) -> tuple[str, str]:
    """Words of a command that give a parameter, or faults, a value."""
    if target == f'{FAULTS}.{FAULTS}':
        return '--fault', str(value)
    return '--set', f'{target}={value}'


def is_dataset(path: Path) -> bool:
    """Whether a folder holds the dataset of a sweep."""
    return path.is_dir() and (path / NAME).is_file() and bool(read_run_file(path).sweep)


def open_dataset(folder: Path | str) -> SweepDataset:
    """Read how a dataset was made; rows are read when they are asked for.

    Raises ConfigurationError for a folder without one, and without PyArrow.
    """
    file = read_run_file(folder)
    about = _about(file)
    if not about:
        raise ConfigurationError(
            f"'{folder}' is a run, expected the dataset of a sweep: a folder of `racecar sweep"
            ' --dataset`')
    if CARS in about:
        raise ConfigurationError(
            f"dataset '{folder}' is of several cars, expected one of one car: its report, table"
            ' and plot lie in it once `racecar sweep --resume` has completed it')
    return SweepDataset(
        Path(folder), file, tuple(about['names']), tuple(about['units']), about['points'],
        about['is_grid'])


def _about(file: RunFile) -> dict[str, Any]:
    return dict(file.sweep)


def files_of(folder: Path) -> list[tuple[int, int, Path]]:
    """First and last point of each file of a dataset, and its path, in the order of the points.

    Raises ConfigurationError for files with the same points, which would count twice.
    """
    files = sorted((int(found[1]), int(found[2]), path) for path in folder.iterdir()
                   if (found := _FILE.fullmatch(path.name)))
    for (_, last, path), (first, _, other) in itertools.pairwise(files):
        if first <= last:
            raise ConfigurationError(
                f"dataset '{folder}' has points from {first} on both in {path.name} and in"
                f' {other.name}; remove one of the two files and go on with --resume')
    return files


def _content(sweep: Sweep, made: RunFile) -> dict[str, object]:
    """What the run.yaml says of a sweep; digest: of all that decides its rows."""
    noise = {} if sweep.noise is None else asdict(sweep.noise)
    points = getattr(sweep.points, 'definition', sweep.points)
    nodes = {name: dict(node.parameters) for name, node in made.nodes.items()}
    decisive = [made.configuration, nodes, made.files, dict(made.controller_settings), sweep.names,
                sweep.duration, sweep.skip, sweep.seed, noise, points]
    if sweep.options.faults:
        decisive.append(line_of_faults(sweep.options.faults))
    if sweep.with_nodes:
        decisive.append('nodes')
    return {
        'points': len(sweep.points), 'names': [*sweep.names], 'units': [*sweep.units],
        'is_grid': sweep.is_grid, 'duration': sweep.duration, 'seed': sweep.seed, 'noise': noise,
        'targets': {name: ['.'.join(target) for target in sweep.targets_of(name)]
                    for name in sweep.names},
        **({'survived': {name: {
            key: value for key, value in limits._asdict().items() if math.isfinite(value)}
            for name, limits in sweep.survived.items()}} if sweep.survived else {}),
        **({'nodes': True} if sweep.with_nodes else {}),
        'digest': _hash(decisive)}


def digest_of(sweep: FleetSweep, made: RunFile) -> str:
    """SHA-256 of all that decides the rows of a sweep of several cars."""
    return _hash([
        made.configuration, {name: dict(node.parameters) for name, node in made.nodes.items()},
        made.files, sweep.names, sweep.duration, sweep.skip,
        getattr(sweep.points, 'definition', sweep.points)])


def _hash(decisive: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(decisive, default=str).encode()).hexdigest()


def _schema(arrow: ModuleType, sweep: Sweep) -> pyarrow.Schema:
    """Columns of a dataset with their types and units."""
    return arrow.schema([
        field_of(arrow, POINT, arrow.int64()), *_parameter_fields(arrow, sweep),
        *(field_of(arrow, name, arrow.int64() if name in WHOLE else arrow.float64(), unit)
          for name, unit in units_of(sweep).items()),
        field_of(arrow, FAILURE, arrow.string()), field_of(arrow, WARNING, arrow.string())])


def field_of(
    arrow: ModuleType, name: str, kind: pyarrow.DataType, unit: str = '', **about: str,
) -> pyarrow.Field:
    """A column with its unit, and what else is said of it."""
    metadata = {**({'unit': unit} if unit else {}), **about}
    return arrow.field(name, kind, metadata=metadata or None)


def _parameter_fields(arrow: ModuleType, sweep: Sweep | FleetSweep) -> list[pyarrow.Field]:
    kinds = {float: arrow.float64(), int: arrow.int64(), bool: arrow.bool_(), str: arrow.string()}
    return [field_of(arrow, name, kinds[_type_of(sweep, index)], unit)
            for index, (name, unit) in enumerate(zip(sweep.names, sweep.units, strict=True))]


def parameter_columns(
    arrow: ModuleType, sweep: Sweep | FleetSweep, numbers: range,
) -> list[tuple[pyarrow.Field, pyarrow.Array]]:
    """Columns of the varied parameters at points that lie side by side."""
    values = zip(*sweep.points[numbers.start:numbers.stop], strict=True)
    return [(field, arrow.array(
        [*map(str, column)] if field.type == arrow.string() else column,
        from_pandas=True).cast(field.type))
        for field, column in zip(_parameter_fields(arrow, sweep), values, strict=True)]


def _type_of(sweep: Sweep | FleetSweep, index: int) -> type:
    """Type of a parameter; text for a setting of a controller with values of several types."""
    declared = sweep.row_of(sweep.names[index]).type
    if declared is not object:
        return declared
    axes = getattr(sweep.points, 'definition', None)
    kinds = {type(value) for value in axes[index]} if sweep.is_grid and axes else {float}
    return kinds.pop() if len(kinds) == 1 else float if kinds == {int, float} else str


def _arrow(module: str) -> ModuleType:
    """A module of PyArrow. Raises ConfigurationError without it."""
    try:
        return importlib.import_module(f'pyarrow.{module}')
    except ImportError as error:
        raise not_installed('a dataset', 'pyarrow') from error
