# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run as a table, one row per odometry sample; what `simulate` and `up` hand out as CSV."""

from __future__ import annotations

from array import array
from collections.abc import Callable
import csv
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

import numpy as np

from racecar.base.errors import ConfigurationError, excerpt, ParameterError, RunError
from racecar.base.notebook import numbers_table, page_part, value_text
from racecar.base.parameters import suggest
from racecar.metrics.laps import Course, LapTimer, NO_COURSE
from racecar.metrics.path_batch import warm_up_path_metrics
from racecar.metrics.path_kernels import move_ahead
from racecar.metrics.tracking_error import (
    Array,
    compute_metrics,
    merge_by_stamp,
    MergedTrack,
    Metrics,
    MetricsSum,
    nothing_left,
    start_after,
)

# SI units; reference and command are those that answer the odometry of the row.
COLUMNS = ('time', 'x', 'y', 'yaw', 'vx', 'vy', 'yaw_rate', 'x_reference', 'y_reference',
           'speed_command', 'steering_command')

# The reference is interpolated over shorter pauses only [s].
LONGEST_PAUSE = 1.0

# Samples of a kind that RunJoin holds; the older half of them is joined then.
_WINDOW = 4096

# Rows that a notebook shows of the beginning and of the end.
_SHOWN = 5

_NO_ROWS = np.empty((0, len(COLUMNS)))


@dataclass(frozen=True)
class RunTable:
    """rows: (n, len(COLUMNS)), ascending in time; x and y are those of base_link.

    `table['x']` is a column, (n,); reference and command are NaN where there are none.
    tracked_ahead: position ahead of base_link [m] of the point that follows the reference.
    """

    rows: Array
    tracked_ahead: float = 0.0

    def column(self, name: str) -> Array:
        """Return one column, (n,), by its name in COLUMNS. Raises ParameterError for another."""
        if name not in COLUMNS:
            raise ParameterError(
                f'column {excerpt(name)} is unknown; {suggest(str(name), COLUMNS)}')
        return self.rows[:, COLUMNS.index(name)]

    def __getitem__(self, name: str) -> Array:
        """One column, as column() gives it."""
        return self.column(name)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def __repr__(self) -> str:
        """Say how many rows there are, and of which time."""
        span = f', {self.rows[0, 0]:g} to {self.rows[-1, 0]:g} s' if len(self.rows) else ''
        return f"<RunTable: {len(self.rows)} rows of {', '.join(COLUMNS)}{span}>"

    def _repr_html_(self) -> str:
        """The first and the last rows for a notebook."""
        is_long = len(self) > 2 * _SHOWN
        rows = np.concatenate((self.rows[:_SHOWN], self.rows[-_SHOWN:])) if is_long else self.rows
        texts = [[value_text(number) for number in row] for row in rows.tolist()]
        if is_long:
            texts.insert(_SHOWN, ['…'] * len(COLUMNS))
        return page_part(
            f'{len(self)} rows, SI units', numbers_table(COLUMNS, texts, range(len(COLUMNS))))

    def track(self) -> MergedTrack:
        """Return the tracked point and its reference. Raises RunError if there are no rows."""
        t, x, y = (self.column(name) for name in COLUMNS[:3])
        if self.tracked_ahead:
            x, y = x.copy(), y.copy()
            move_ahead(x, y, self.column('yaw').copy(), self.tracked_ahead)
        return merge_by_stamp(
            t, x, y, t, self.column('x_reference'), self.column('y_reference'))

    def metrics(self, skip: float = 0.0, *, with_path: bool = True) -> Metrics:
        """Compute the errors of the tracked point without the first `skip` seconds.

        with_path: as in compute_metrics().
        """
        return compute_metrics(self.track(), skip, with_path=with_path)

    def write_csv(self, path: Path | str) -> None:
        """Write a header and all rows. Raises ConfigurationError as RunCsv does."""
        with RunCsv(path) as file:
            file.add(self.rows)


class RunCsv:
    """A CSV file of a run that comes as rows of COLUMNS; a context manager that closes it.

    Each number is in the shortest form that reads back exactly. Everything raises
    ConfigurationError if the file cannot be written.
    """

    def __init__(self, path: Path | str) -> None:
        """Make the file and write its header."""
        self._path = path
        try:
            self._stream = open(path, 'w', newline='', encoding='utf-8')  # noqa: SIM115
            self._writer = csv.writer(self._stream)
            self._writer.writerow(COLUMNS)
        except OSError as error:
            raise self._error(error) from error

    def add(self, rows: Array) -> None:
        """Write rows, (n, len(COLUMNS))."""
        try:
            self._writer.writerows(rows.tolist())
        except OSError as error:
            raise self._error(error) from error

    def close(self) -> None:
        """Write what is still in memory."""
        try:
            self._stream.close()
        except OSError as error:
            raise self._error(error) from error

    def __enter__(self) -> RunCsv:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def _error(self, error: OSError) -> ConfigurationError:
        return ConfigurationError(
            f"CSV file '{self._path}' cannot be written: {error.strerror or error}")


class RunMetrics:
    """Metrics of a run that comes as rows of COLUMNS; memory does not grow with the run.

    To the last digit what RunTable.metrics() gives for all rows at once.
    """

    def __init__(
        self, tracked_ahead: float = 0.0, skip: float = 0.0,
        course: Callable[[tuple[float, float]], Course] | None = None,
    ) -> None:
        """tracked_ahead: as in RunTable [m]; skip: seconds at the start to leave out.

        course: of laps, by where the reference begins [m]. Compiles what the metrics need, as rows
        may come from nodes that must not wait.
        """
        warm_up_path_metrics()
        self._tracked_ahead = tracked_ahead
        self._skip = skip
        self._sum = MetricsSum()
        self._course, self._laps = course, LapTimer(NO_COURSE)
        self._start: float | None = None
        self._end = 0.0

    @property
    def span(self) -> float:
        """Time from the first to the last row [s]."""
        return 0.0 if self._start is None else self._end - self._start

    def add(self, rows: Array) -> None:
        """Add the next rows, (n, len(COLUMNS)). Raises RunError if they are not finite."""
        if not len(rows):
            return
        track = RunTable(rows, self._tracked_ahead).track()
        if self._start is None:
            self._start = float(track.t[0])
            if self._course is not None:
                self._laps = LapTimer(self._course(
                    (float(track.reference_x[0]), float(track.reference_y[0]))))
        self._end = float(track.t[-1])
        self._laps.add(track.t, track.x, track.y)
        self._sum.add(track, start_after(self._skip, self._start))

    def result(self) -> Metrics:
        """Return the metrics.

        Raises RunError if there were no rows, ConfigurationError if `skip` leaves none.
        """
        if self._start is None:
            raise RunError('there are no rows of odometry and reference to compute an error from')
        if not self._sum.samples:
            raise nothing_left(self._skip, self.span)
        found = self._sum.result()
        return replace(found, laps=self._laps.result())


Row = tuple[float, ...]


class RunJoin:
    """Joins odometry, reference and commands of a run to rows of COLUMNS as they come.

    Memory does not grow with the run: at most _WINDOW samples of each kind wait for what
    belongs to them. on_rows gets the rows, (n, len(COLUMNS)), ascending in time. Of several
    samples with one stamp the last counts. Odometry that is older than rows handed out already
    is left out and counted in `late`.
    """

    def __init__(self, on_rows: Callable[[Array], object]) -> None:
        self._on_rows = on_rows
        self._odometry = _Samples(7)
        self._reference = _Samples(3)
        self._command = _Samples(3)
        self._joined_to = -np.inf
        self.late = 0

    def add_odometry(self, row: Row) -> None:
        """Add time, x, y, yaw, vx, vy, yaw_rate."""
        if row[0] <= self._joined_to:
            self.late += 1
            return
        self._add(self._odometry, row)

    def add_reference(self, row: Row) -> None:
        """Add time, x, y."""
        self._add(self._reference, row)

    def add_command(self, row: Row) -> None:
        """Add time, speed, steering."""
        self._add(self._command, row)

    def finish(self) -> None:
        """Join all that is left."""
        self._join(np.inf)

    def _add(self, samples: _Samples, row: Row) -> None:
        samples.add(row)
        if samples.count >= _WINDOW:
            self._join(np.sort(samples.rows()[:, 0])[_WINDOW // 2])

    def _join(self, end: float) -> None:
        """Join the odometry up to a time [s]; keep what later rows will need."""
        odometry, reference, command = (
            samples.rows() for samples in (self._odometry, self._reference, self._command))
        is_ready = odometry[:, 0] <= end
        self._joined_to = max(self._joined_to, end)
        rows = answered_rows(odometry[is_ready], reference, command)
        self._odometry.keep(odometry[~is_ready])
        self._reference.keep(_from_last_before(reference, end))
        self._command.keep(_from_last_before(command, end))
        if len(rows):
            self._on_rows(rows)


class _Samples:
    """Rows of so many numbers, which may be added fast one by one."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._numbers = array('d')
        self.count = 0

    def add(self, row: Row) -> None:
        self._numbers.extend(row)
        self.count += 1

    def rows(self) -> Array:
        """Return a copy of all rows, (count, width)."""
        return np.array(self._numbers).reshape(-1, self._width)

    def keep(self, rows: Array) -> None:
        """Hold these rows only."""
        self._numbers = array('d', rows.tobytes())
        self.count = len(rows)


def answered_rows(odometry: Array, reference: Array, command: Array) -> Array:
    """Join what came of all three into rows of COLUMNS, maybe none.

    odometry: (n, 7) time, x, y, yaw, vx, vy, yaw_rate; reference: (m, 3) time, x, y, interpolated;
    command: (k, 3) time, speed, steering, the newest counts. Rows outside the reference's span,
    or in a pause of it longer than LONGEST_PAUSE, are left out; before the first command it is
    zero. Raises RunError if a value is not finite.
    """
    if not len(reference):
        return _NO_ROWS
    stamps = np.unique(reference[:, 0])
    odometry = odometry[(odometry[:, 0] >= stamps[0]) & (odometry[:, 0] <= stamps[-1])]
    if not len(odometry):
        return _NO_ROWS
    odometry = odometry[np.argsort(odometry[:, 0], kind='stable')]
    command = command[np.argsort(command[:, 0], kind='stable')]
    merged = merge_by_stamp(odometry[:, 0], odometry[:, 1], odometry[:, 2],
                            reference[:, 0], reference[:, 1], reference[:, 2])
    # Of several with one stamp the last.
    kept = np.searchsorted(odometry[:, 0], merged.t, side='right') - 1
    latest = np.searchsorted(command[:, 0], merged.t, side='right') - 1
    commands = np.where((latest >= 0)[:, None], command[latest, 1:], 0.0) \
        if len(command) else np.zeros((len(merged.t), 2))
    rows = np.column_stack([
        odometry[kept], merged.reference_x, merged.reference_y, commands])
    before = np.searchsorted(stamps, merged.t, side='right') - 1
    after = np.searchsorted(stamps, merged.t)
    return rows[stamps[after] - stamps[before] <= LONGEST_PAUSE]


def _from_last_before(rows: Array, time: float) -> Array:
    """Return the rows after a time [s], and the last of those before it."""
    times = rows[:, 0]
    before = times[times <= time].max(initial=-np.inf)
    kept: Array = rows[(times > time) | (times == before)]
    return kept
