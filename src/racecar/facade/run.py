# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run as one object: simulated just now, or loaded from a folder, a bag or a CSV file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
import os
from pathlib import Path
from typing import Any, TYPE_CHECKING

from racecar.analysis.course_of_run import further_quantities, laps_of_drive
from racecar.analysis.motion import Motion
from racecar.analysis.run_csv import motion_of, table_of, tracking_run_of
from racecar.analysis.run_data import TrackingRun
from racecar.base.errors import ConfigurationError, excerpt, RunError
from racecar.base.extras import not_installed, require
from racecar.base.notebook import numbers_table, page_part, warnings_list
from racecar.base.parameters import suggestion
from racecar.base.run_file import CSV_NAME, run_file_beside, RunFile
from racecar.facade.display import drawing
from racecar.metrics.laps import Course, LapRule, LapTimes, WHOLE_LAP
from racecar.metrics.quantities import Quantity
from racecar.metrics.run_table import COLUMNS, RunTable
from racecar.metrics.tracking_error import Metrics

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    import pandas

OVERVIEW, PATH, DRIVE = 'overview', 'path', 'drive'


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run of a car: what it did, how well it followed its reference, and how it was made.

    name: for titles. motion: pose, speed, commands over time of the odometry. tracking: odometry
    and reference with their own stamps, None for a run without a reference. source: rows, name
    and text, of where it is from. warnings: what a reader of the numbers should know. skip:
    seconds at its start that metrics, figures and report leave out unless they are told otherwise.
    collisions: contacts with what stands around and with other cars, None if nobody counted.
    """

    name: str
    motion: Motion
    tracking: TrackingRun | None
    source: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    skip: float
    _describe: Callable[[], RunFile | None]
    _table: RunTable | None = None
    collisions: int | None = None

    @classmethod
    def of_table(
        cls, name: str, table: RunTable, describe: Callable[[], RunFile], *,
        collisions: int | None, warnings: tuple[str, ...], skip: float,
        steering_range: tuple[float, float], course: Course,
    ) -> Run:
        """A run that was simulated.

        name: for messages and figures; table: its rows, a row a tick; describe: gives its
        run.yaml, when it is asked for; warnings: sentences about the run; skip: what metrics leave
        out at the start [s]; collisions: contacts, None where
        nothing stands around; steering_range: of the front wheels [rad]; course: of laps.
        """
        from racecar.analysis.html_report import SIMULATED

        tracking = tracking_run_of(table, name)
        assert tracking is not None
        motion = motion_of(table)._replace(steering_range=steering_range)
        return cls(name, motion, replace(
            tracking, collisions=collisions, motion=motion, course=course),
                   SIMULATED, warnings, skip, describe, table, collisions)

    @classmethod
    def of_drive(
        cls, name: str, table: RunTable, describe: Callable[[], RunFile], *,
        collisions: int | None, warnings: tuple[str, ...], skip: float,
        steering_range: tuple[float, float],
    ) -> Run:
        """A run without a reference that was simulated.

        table, describe and all others as of of_table(); steering_range: of the front wheels [rad].
        """
        from racecar.analysis.html_report import SIMULATED

        return cls(name, motion_of(table)._replace(steering_range=steering_range), None,
                   SIMULATED, warnings, skip, describe, table, collisions)

    @cached_property
    def provenance(self) -> RunFile | None:
        """How it was made, as its run.yaml: every parameter, versions, commit, seeds, command.

        None where it is not known. `run.provenance.to_yaml()` is the text of the file.
        """
        return self._describe()

    @cached_property
    def table(self) -> RunTable:
        """Named columns as NumPy arrays, one row for each odometry: `run.table['speed_command']`.

        SI units; x, y and yaw are those of base_link. The columns are those of the CSV files; NaN
        where a run has no reference or no command.
        """
        from racecar.bags.runs import tracked_ahead_of

        return self._table if self._table is not None else table_of(
            self.motion, self.tracking, tracked_ahead_of(self.provenance))

    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """Value of every parameter by node; empty where it is not known how the run was made."""
        return {} if self.provenance is None else {
            name: node.parameters for name, node in self.provenance.nodes.items()}

    def metrics(self, skip: float | None = None) -> Metrics:
        """Errors against the reference: RMSE, ISE, maximum, cross-track, heading, speed; laps.

        Laps and collisions are those of the whole run.
        skip: seconds at the start to leave out, by default `run.skip`. Raises RunError for a run
        without a reference, ConfigurationError if `skip` is negative or leaves nothing.
        """
        return self._needs_reference().metrics(left_out(skip, self.skip))

    def quantities(self, skip: float | None = None) -> dict[str, Quantity]:
        """All figures of the run by name: errors, if it has a reference, drive, laps, collisions.

        Laps and collisions are those of the whole run. skip: as of metrics().
        """
        driven = self.motion.without_start(left_out(skip, self.skip)).quantities()
        if self.tracking is not None:
            return {**self.metrics(skip).quantities(), **driven}
        return {**driven, **further_quantities(self.collisions, self.laps())}

    def laps(self, completion: float = WHOLE_LAP, sectors: int = 3) -> LapTimes | None:
        """Laps along the path of the reference, with sectors; None if it is not closed.

        Without a reference they are those on the track that has the name of the world.

        completion: share of the length at which a lap is complete: 1 is the start line again,
        0.995 the rule of F1TENTH benchmarks. sectors: equal parts of a lap. Where the waypoints
        have widths, also how often and how long the tracked point was off the track. Raises
        ConfigurationError for values out of range.
        """
        rule = LapRule(completion, sectors)
        return laps_of_drive(self.motion, self.provenance, rule) if self.tracking is None \
            else self.tracking.laps(rule)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a DataFrame. Raises ConfigurationError where pandas is not installed."""
        return data_frame({name: self.table[name] for name in COLUMNS})

    def plot(self, kind: str | None = None, *, skip: float | None = None) -> Figure:
        """Draw the run; a notebook shows the figure, `.savefig('run.png')` writes it.

        kind: 'overview' (the default: path, x and y over time), 'path', 'x', 'y' or 'error'; with
        slip and forces of the wheels also 'fx' and 'fy'. A run without a reference has 'drive',
        path and speed. skip: as of metrics(). Raises ConfigurationError for another kind, and
        where matplotlib is not installed.
        """
        require('plot()', 'matplotlib')
        from racecar.analysis import figures

        skipped = left_out(skip, self.skip)
        if self.tracking is None:
            self._check_kind(kind, (DRIVE,))
            return figures.drive_figure(self.name, self.motion.without_start(skipped))
        track, metrics = self.tracking.merged(skipped), self.metrics(skip)
        tyres = None if self.tracking.tyre_data is None else (
            self.tracking.tyre_data.without_start(skipped))
        drawn = {
            OVERVIEW: lambda: figures.overview_figure(self.name, track, metrics, tyres),
            PATH: lambda: figures.path_figure(self.name, track, metrics),
            'x': lambda: figures.coordinate_figure(self.name, track, metrics, 'x'),
            'y': lambda: figures.coordinate_figure(self.name, track, metrics, 'y'),
            'error': lambda: figures.error_figure(self.name, track, metrics)}
        of_tyres = {} if tyres is None else figures.draw_tyre_figures(self.name, tyres)
        self._check_kind(kind, (*drawn, *of_tyres))
        chosen = kind or OVERVIEW
        return of_tyres[chosen] if chosen in of_tyres else drawn[chosen]()

    def report(self, path: str | os.PathLike[str], *, skip: float | None = None) -> Path:
        """Write a report with figures that can be zoomed as one HTML file; its path.

        skip: as of metrics(). Raises ConfigurationError if it cannot be written.
        """
        from racecar.analysis.html_report import drive_report, tracking_report
        from racecar.analysis.run_charts import ShownRun
        from racecar.analysis.scene_of_run import scene_of_run

        file, skipped = report_file(path), left_out(skip, self.skip)
        if self.tracking is None:
            page = drive_report(
                ShownRun(self.name, self.motion.without_start(skipped), None,
                         scene=scene_of_run(self.provenance)), self.source, self.provenance,
                self.collisions)
        else:
            page = tracking_report(
                self.tracking, self.tracking.merged(skipped), self.metrics(skip), skipped,
                self.source, self.provenance)
        page.write(file)
        return file

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Keep the run, with all that is needed to make it again; `racecar.load()` reads it.

        path: a new folder, which gets run.csv and, where it is known, run.yaml, or a file that
        ends with .csv. Returns it. Raises ConfigurationError if it is there or cannot be written.
        """
        file = place = new_place(path)
        if place.suffix != '.csv':
            try:
                place.mkdir(parents=True)
            except OSError as error:
                raise ConfigurationError(
                    f"folder '{place}' cannot be made: {error.strerror}; give another place"
                ) from error
            file = place / CSV_NAME
        self.write(file)
        return place

    def write(self, file: Path) -> None:
        """Write the table as CSV, SI units, and run.yaml beside it; both are replaced.

        file: of the table, in a folder that exists. Raises ConfigurationError if one cannot be
        written.
        """
        self.table.write_csv(file)
        if self.provenance is not None:
            self.provenance.write(run_file_beside(file))

    def __repr__(self) -> str:
        """Say what it is, how long, and how well it followed."""
        if self.tracking is None:
            return (f'<Run {self.name}: {self.motion.duration:.4g} s driven,'
                    f' {self.motion.distance:.4g} m, no reference, {len(self.motion.t)} samples>')
        metrics = self.metrics()
        skipped = f' without the first {self.skip:g} s' if self.skip else ''
        return f'<Run {self.name}: {metrics.summary}{skipped}, {metrics.samples} samples>'

    def _repr_html_(self) -> str:
        """Metrics and path for a notebook."""
        rows = self.motion.without_start(self.skip).as_rows() if self.tracking is None \
            else self.metrics().as_rows()
        kind = DRIVE if self.tracking is None else PATH
        skipped = f', without the first {self.skip:g} s' if self.skip else ''
        return page_part(
            f'{self.name}{skipped}',
            numbers_table(('', 'value', 'unit'), rows, numbers=[1]) + warnings_list(self.warnings),
            drawing(lambda: self.plot(kind), f'path of {self.name}'))

    def _needs_reference(self) -> TrackingRun:
        if self.tracking is None:
            raise RunError(
                f'run {excerpt(self.name)} has no reference, so there is no error against it;'
                ' run.motion and run.plot() show how it drove')
        return self.tracking

    def _check_kind(self, kind: str | None, known: tuple[str, ...]) -> None:
        if kind is not None and kind not in known:
            raise ConfigurationError(
                f"kind is {excerpt(kind)}, expected one of {', '.join(known)}"
                f'{suggestion(str(kind), known)}')


def left_out(skip: float | None, default: float) -> float:
    """Seconds at the start to leave out. Raises ConfigurationError for a time that is none."""
    if skip is None:
        return default
    if not 0.0 <= skip < float('inf'):
        raise ConfigurationError(f'skip is {skip!r}, expected seconds of at least 0')
    return skip


def report_file(path: str | os.PathLike[str]) -> Path:
    """File for a report. Raises ConfigurationError for a folder."""
    file = Path(path)
    if file.is_dir():
        raise ConfigurationError(
            f"report '{file}' is a folder, expected a file: add a name, as report.html")
    return file


def new_place(path: str | os.PathLike[str]) -> Path:
    """Where a run is to be kept. Raises ConfigurationError if something is there."""
    place = Path(path)
    if place.exists():
        raise ConfigurationError(
            f"'{place}' exists already, not overwriting it; give another name")
    return place


def data_frame(columns: Mapping[str, object]) -> pandas.DataFrame:
    """A DataFrame of columns. Raises ConfigurationError where pandas is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise not_installed('to_pandas()', 'pandas') from error
    return pandas.DataFrame(dict(columns))
