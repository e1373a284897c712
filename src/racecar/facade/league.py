# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The control league: every cell of a table of controllers, lines, plants and conditions.

The cells are sweeps over the seed, run by the engine of sweeps; a folder keeps what is done, so
that a league goes on where it was stopped. What repeats to the bit stands apart from times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
import csv
from dataclasses import dataclass
import hashlib
import io
import json
import math
from pathlib import Path
import statistics
import time
from typing import NamedTuple

import numpy as np

from racecar.analysis.league_report import ShownCell
from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, RacecarError
from racecar.base.values import number_of, Values
from racecar.base.yaml_file import naming_file
from racecar.control.custom_controller import CONTROLLER
from racecar.control.racelines.line_numbers import line_numbers
from racecar.control.racelines.track_limits import on_line
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.facade.chunks import Cores, Lost
from racecar.facade.cluster import Cluster
from racecar.facade.league_file import Cell, League, Line
from racecar.facade.sweep_parts import batch_of
from racecar.metrics.laps import Lap, LapTimes
from racecar.metrics.run_table import RunTable
from racecar.stacks.loops import make_car, make_custom_loop
from racecar.stacks.sweep import make_sweep, Sweep

OUT = 0.3
"""A car so far beyond the borders is out of the race [m]."""

INSIDE, WALL, LEFT = 'inside', 'wall', 'out'
"""Outcomes: within the borders; over them by up to OUT; farther, spun, or too few laps."""

_KEPT = 'cells.jsonl'
_CPU_TICKS, _CPU_SKIP = 600, 100
# Of the path that is kept of a cell: samples of a lap.
_SHOWN = 300


class RunFigures(NamedTuple):
    """A run of a cell [SI]; NaN where there is none.

    outcome: see OUT. lap: the fastest; lap_over_bound [-]; rmse, max_error: of the centre of
    gravity across the line; beyond: farthest corner of the footprint beyond the borders, negative
    within; effort: RMS rate of the steering command [rad/s]; top_speed.
    """

    seed: int
    outcome: str
    lap: float
    lap_over_bound: float
    rmse: float
    max_error: float
    beyond: float
    effort: float
    top_speed: float


class CellResult(NamedTuple):
    """What a cell came to; failure: why there are no runs, ''; path: t, x, y, v of a lap."""

    cell: Cell
    runs: tuple[RunFigures, ...]
    failure: str
    path: tuple[tuple[float, ...], ...]

    @property
    def inside(self) -> int:
        """How many runs stayed within the borders and completed their laps."""
        return sum(run.outcome == INSIDE for run in self.runs)

    def figure(self, name: str, over: Callable[[Sequence[float]], float]) -> float:
        """A figure over the runs that have it, NaN without."""
        values = [value for run in self.runs
                  if not math.isnan(value := float(getattr(run, name)))]
        return float(over(values)) if values else math.nan


TABLE = ('controller', 'track', 'line', 'role', 'plant', 'condition', 'share',
         *RunFigures._fields, 'failure')
"""Columns of the table of runs."""


class CpuFigures(NamedTuple):
    """Thread CPU time of an answer of a controller on a plant [s]: median, 99th percentile."""

    controller: str
    plant: str
    median: float
    p99: float
    answers: int


@dataclass(frozen=True)
class LeagueResult:
    """Cells in the order of the file."""

    league: League
    cells: tuple[CellResult, ...]

    def table(self) -> list[tuple[object, ...]]:
        """Rows of TABLE, one for each run; a cell that failed has one, too."""
        rows: list[tuple[object, ...]] = []
        for found in self.cells:
            cell = found.cell
            key = (cell.controller, cell.line.track, cell.line.name, cell.line.role, cell.plant,
                   cell.condition, cell.share)
            for run in found.runs:
                rows.append((*key, *run, ''))
            if found.failure:
                rows.append((*key, 0, LEFT, *(math.nan,) * (len(RunFigures._fields) - 2),
                             found.failure))
        return rows

    def csv(self) -> str:
        """The table as CSV in SI units; numbers to the last bit, no value is an empty cell."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator='\n')
        writer.writerow(TABLE)
        writer.writerows([['' if value != value else value for value in row]
                          for row in self.table()])
        return stream.getvalue()

    def shown(self) -> list[ShownCell]:
        """Cells for readers: medians of laps, means of errors, the worst of largest ones."""
        found = []
        for one in self.cells:
            cell = one.cell
            found.append(ShownCell(
                cell.controller, cell.line.name, cell.line.role, cell.plant, cell.condition,
                cell.share, one.inside, max(len(one.runs), 1), (
                    one.figure('lap', statistics.median),
                    one.figure('lap_over_bound', statistics.median),
                    one.figure('rmse', statistics.fmean), one.figure('max_error', max),
                    one.figure('beyond', max), one.figure('effort', statistics.fmean),
                    one.figure('top_speed', max)), one.path))
        return found

    @property
    def digest(self) -> str:
        """SHA-256 of the table: the same for any number of threads."""
        return hashlib.sha256(self.csv().encode()).hexdigest()


class LeagueRun:
    """A league in a folder, which keeps what is done."""

    def __init__(self, league: League, folder: Path) -> None:
        """Make hidden lines and all cells.

        Raises ConfigurationError for what cannot be, before anything runs.
        """
        self._league, self._folder = league, folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(
                f"folder '{folder}' cannot be made: {error.strerror}") from error
        self.lines: list[Line] = league.all_lines(folder / 'lines')
        self.cells = tuple(league.cells(self.lines))
        if not self.cells:
            raise ConfigurationError(
                'the league has no cells: no line is made for the vehicle of a plant')
        # All names and numbers are looked at before hours of driving.
        for cell in {(cell.kind, cell.condition): cell for cell in self.cells}.values():
            _sweep_of(cell)
        for cell in {cell.plant: cell for cell in self.cells}.values():
            sweep = _sweep_of(cell)
            with naming_file('plant', cell.plant):
                make_car(sweep.stack.simulator, sweep.values_at(0)[sweep.stack.simulator])
        # Ends a line that was cut off, so that the next one is whole.
        self._end_of_cut = ''
        self._done = self._read()

    @property
    def total(self) -> int:
        """Number of runs."""
        return sum(cell.seeds for cell in self.cells)

    @property
    def done(self) -> int:
        """Number of runs that are there."""
        return sum(cell.seeds for cell in self.cells if cell.digest in self._done)

    def run(
        self, cores: Cores | Cluster, on_progress: Callable[[int], object] | None = None,
    ) -> LeagueResult:
        """Run what is missing; on_progress gets the number of runs that are done.

        Raises RacecarError for what keeps all cells from it. A cell that was lost has that as its
        failure, and is tried again by who goes on.
        """
        digests = [cell.digest for cell in self.cells]
        missing = [number for number, digest in enumerate(digests) if digest not in self._done]
        lost: dict[str, Mapping[str, object]] = {}
        done = self.done
        for found in cores.run(LeagueTask(self.cells), [(number, 1) for number in missing]):
            if isinstance(found, Lost):
                lost[digests[found.first]] = _failed(found.why)
                continue
            self._keep(digests[found.first], found.kept)
            done += self.cells[found.first].seeds
            if on_progress is not None:
                on_progress(done)
        rows = lost | self._done
        return LeagueResult(self._league, tuple(
            _result_of(cell, rows[digest])
            for cell, digest in zip(self.cells, digests, strict=True)))

    def _keep(self, digest: str, kept: Mapping[str, object]) -> None:
        self._done[digest] = kept
        with (self._folder / _KEPT).open('a', encoding='utf-8') as stream:
            stream.write(self._end_of_cut + json.dumps({'digest': digest, **kept}) + '\n')
        self._end_of_cut = ''

    def cpu(self) -> tuple[CpuFigures, ...]:
        """Time that the answers of each controller take on each plant, one after the other."""
        first: dict[tuple[str, str], Cell] = {}
        for cell in self.cells:
            first.setdefault(cell.kind, cell)
        return tuple(found for cell in first.values() if (found := _cpu_of(cell)) is not None)

    def _read(self) -> dict[str, Mapping[str, object]]:
        file = self._folder / _KEPT
        found: dict[str, Mapping[str, object]] = {}
        if file.exists():
            text = file.read_text(encoding='utf-8', errors='replace')
            self._end_of_cut = '\n' if text and not text.endswith('\n') else ''
            for line in text.splitlines():
                try:
                    row = json.loads(line)
                    found[row['digest']] = row
                except (ValueError, KeyError, TypeError):
                    # The last line of a league that was killed while it wrote.
                    continue
        return found


class RunCell(NamedTuple):
    """A cell that was run: its number, what JSON keeps of its runs, and the time it took [s]."""

    first: int
    kept: Mapping[str, object]
    seconds: float
    points: int = 1


class LeagueTask(NamedTuple):
    """Cells of a league as a task: each is a point."""

    cells: tuple[Cell, ...]

    @property
    def files(self) -> Mapping[str, str]:
        """Files that the cars are made of, with their hashes."""
        kinds = {(cell.kind, cell.line.name): cell for cell in self.cells}
        return {path: digest for cell in kinds.values()
                for path, digest in _sweep_of(cell).run_file('').files.items()}

    @property
    def is_heavy(self) -> bool:
        """Yes: laps of one car, or of its seeds."""
        return True

    def run(self, first: int, count: int, threads: int) -> RunCell:
        """Drive the runs of a cell."""
        del count, threads
        begin = time.perf_counter()
        kept = _run_cell(self.cells[first])
        return RunCell(first, kept, time.perf_counter() - begin)


def _sweep_of(cell: Cell) -> Sweep:
    try:
        return make_sweep(cell.configuration, cell.content)
    except RacecarError as error:
        raise type(error)(f'{cell.name}: {error}') from error


def _run_cell(cell: Cell) -> dict[str, object]:
    """Drive the runs of a cell; what JSON keeps of them."""
    sweep = _sweep_of(cell)
    try:
        result = batch_of(sweep, 1).run(
            sweep.duration, record_every=1, laps=cell.laps + (not cell.is_flying))
    except RacecarError as error:
        return _failed(str(error))
    simulated = sweep.values_at(0)[sweep.stack.simulator]
    runs: list[RunFigures] = []
    path: tuple[tuple[float, ...], ...] = ()
    for seed in range(cell.seeds):
        if seed in result.failures:
            runs.append(_no_run(seed))
            continue
        laps = result.laps[seed]
        figures, shown = _figures(
            cell, seed, result.table(seed), laps, simulated,
            has_diverged=not math.isnan(float(result.diverged_at[seed])))
        runs.append(figures)
        path = path or shown
    failures = list(result.failures.values())
    return {'runs': [[*run] for run in runs],
            'failure': failures[0] if len(failures) == cell.seeds else '', 'path': path}


def _failed(why: str) -> dict[str, object]:
    return {'runs': [], 'failure': why, 'path': []}


def _no_run(seed: int) -> RunFigures:
    return RunFigures(seed, LEFT, *(math.nan,) * (len(RunFigures._fields) - 2))


def _figures(
    cell: Cell, seed: int, table: RunTable, laps: LapTimes | None, simulated: Values, *,
    has_diverged: bool,
) -> tuple[RunFigures, tuple[tuple[float, ...], ...]]:
    line, vehicle = cell.line.line, VehicleParameters.from_values(simulated)
    t, x, y, yaw = (table.column(name) for name in ('time', 'x', 'y', 'yaw'))
    ahead = -vehicle.odometry_offset
    if not cell.is_flying:
        # The line begins where the car stood.
        x = x - (x[0] + ahead * math.cos(yaw[0]) - line.x[0])
        y = y - (y[0] + ahead * math.sin(yaw[0]) - line.y[0])
    found = on_line(line_numbers(line), x, y, yaw, ahead, vehicle.footprint)
    complete = [] if laps is None else [*laps.laps][not cell.is_flying:]
    begun = laps.laps[0].begun + laps.laps[0].time \
        if laps is not None and laps.laps and not cell.is_flying else 0.0
    ends = complete[cell.laps - 1].begun + complete[cell.laps - 1].time \
        if len(complete) >= cell.laps else math.inf
    counts = (t >= begun) & (t <= ends)
    beyond = float(found.beyond[t <= ends].max())
    outcome = LEFT if has_diverged or math.isinf(ends) or beyond > OUT else \
        WALL if beyond > 0.0 else INSIDE
    lap = min((one.time for one in complete[:cell.laps]), default=math.nan)
    bound = line.bound(str(simulated['vehicle_model']))
    error, steering = found.error[counts], table.column('steering_command')
    rates = np.diff(steering) / np.diff(t)
    has_any = bool(counts.any())
    speed = table.column('vx')
    figures = RunFigures(
        seed, outcome, lap, math.nan if bound is None else lap / bound,
        float(np.sqrt(np.mean(error**2))) if has_any else math.nan,
        float(np.abs(error).max()) if has_any else math.nan, beyond,
        float(np.sqrt(np.mean(rates[counts[1:]]**2))) if counts[1:].any() else math.nan,
        float(speed[counts].max()) if has_any else math.nan)
    return figures, _shown(complete[:cell.laps], t, (found.way, x, y, speed))


def _shown(
    complete: Sequence[Lap], t: Array, columns: Sequence[Array],
) -> tuple[tuple[float, ...], ...]:
    """Way, x, y and speed of the fastest lap, or of all that there is, some hundred samples."""
    first, last = float(t[0]), float(t[-1])
    if complete:
        best = min(complete, key=lambda lap: lap.time)
        first, last = best.begun, best.begun + best.time
    kept = np.flatnonzero((t >= first) & (t <= last))
    kept = kept[::max(1, len(kept) // _SHOWN)]
    return tuple(tuple(np.round(column[kept], 3).tolist()) for column in columns)


def _result_of(cell: Cell, kept: Mapping[str, object]) -> CellResult:
    runs = kept['runs']
    path = kept['path']
    assert isinstance(runs, list)
    assert isinstance(path, Iterable)
    return CellResult(cell, tuple(RunFigures(*run) for run in runs), str(kept['failure']),
                      tuple(tuple(column) for column in path))


def _cpu_of(cell: Cell) -> CpuFigures | None:
    sweep = _sweep_of(cell)
    if sweep.controller is None:
        return None
    values = sweep.values_at(0)
    try:
        loop = make_custom_loop(sweep.stack, values, sweep.controller, values[CONTROLLER])
        loop.warm_up()
        times = loop.answer_times(_CPU_TICKS)
    except RacecarError:
        return None
    if times is None:
        return None
    rate = values[CONTROLLER].get('rate')
    if isinstance(rate, int | float) and rate > 0.0:
        # Of the ticks of one answer the one with it.
        every = max(1, round(number_of(values[sweep.stack.simulator], 'rate') / rate))
        times = times[:len(times) // every * every].reshape(-1, every).max(axis=1)
    times = times[min(_CPU_SKIP, len(times) // 2):]
    median, p99 = np.quantile(times, [0.5, 0.99]).tolist()
    return CpuFigures(*cell.kind, median, p99, len(times))
