# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A line round a track with the speed at each point, and its file."""

from __future__ import annotations

import contextlib
import csv
from dataclasses import dataclass, field
import io
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.control.racelines.closed_spline import ClosedSpline
from racecar.control.racelines.names import PLAIN_MODEL

Array = NDArray[np.float64]

COLUMNS = ('s', 'x', 'y', 'heading', 'curvature', 'v', 'ax', 'w_right', 'w_left')
"""Of a file [SI]; the last row repeats the first at the end of the lap."""

TITLE = 'racecar raceline 1'

_BOUND, _DECIMALS = 'bound', 6
# Names of other tools for our columns, as in global_racetrajectory_optimization of TUM, whose
# format f1tenth_racetracks and f1tenth_gym have. Its headings begin at the y axis.
_OTHER_NAMES = {
    's_m': 's', 'x_m': 'x', 'y_m': 'y', 'psi_rad': 'psi', 'kappa_radpm': 'curvature',
    'vx_mps': 'v', 'ax_mps2': 'ax', 'w_tr_right_m': 'w_right', 'w_tr_left_m': 'w_left',
    'x_ref_m': 'x_ref', 'y_ref_m': 'y_ref'}
_LARGEST = 10_000_000
# What directions of a file of ours may be apart [rad], and what helps where they are more.
_ASIDE = 0.3
_ANEW = f"without the line '# {TITLE}' all but points, speeds and widths is made anew"


@dataclass(frozen=True)
class Raceline:
    """A closed line with its speeds; arrays (n,) [SI], of which the last repeats the first.

    s: way from the start; heading: unwrapped, of its tangent [rad]; curvature: positive to the
    left; speed; acceleration: along the line; widths: (n, 2) to the borders on the right and on
    the left, None if they are not known. notes: what the head of its file says, by name.
    """

    s: Array
    x: Array
    y: Array
    heading: Array
    curvature: Array
    speed: Array
    acceleration: Array
    widths: Array | None = None
    notes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def through(
        cls, points: Array, speed: Array, step: float, notes: dict[str, str] | None = None,
    ) -> Raceline:
        """Spline through points (m + 1, 2) with speeds there (m,), at even steps [m]."""
        spline = ClosedSpline.through(points)
        count = max(16, math.ceil(spline.length / step))
        s = np.arange(count + 1) * spline.length / count
        places, heading = spline.points(s), np.unwrap(spline.heading(s))
        curvature = spline.curvature(s)
        # Between two points the squared speed changes evenly, as under a constant force.
        squares = np.interp(s, spline.knots, np.append(speed, speed[0]) ** 2)
        squares[-1] = squares[0]
        inner = squares[:-1]
        rate = (np.roll(inner, -1) - np.roll(inner, 1)) / (4.0 * spline.length / count)
        places[-1], curvature[-1] = places[0], curvature[0]
        return cls(s, places[:, 0], places[:, 1], heading, curvature, np.sqrt(squares),
                   np.append(rate, rate[0]), notes=notes or {})

    @property
    def points(self) -> Array:
        """Points (n, 2) [m], of which the last repeats the first."""
        return np.column_stack([self.x, self.y])

    @property
    def length(self) -> float:
        """Way round [m]."""
        return float(self.s[-1])

    @property
    def lap_time(self) -> float:
        """Time of a flying lap at the speeds of the line [s]."""
        return float(np.sum(2.0 * np.diff(self.s) / (self.speed[1:] + self.speed[:-1])))

    @property
    def bounds(self) -> dict[str, float]:
        """Least lap times of models of the vehicle on the track [s], as far as they are noted."""
        found = {}
        for name, text in self.notes.items():
            if name == _BOUND or name.startswith(f'{_BOUND}_'):
                with contextlib.suppress(ValueError):
                    found[name[len(_BOUND) + 1:] or PLAIN_MODEL] = float(text)
        return found

    def bound(self, model: str = PLAIN_MODEL) -> float | None:
        """Least lap time of a model [s], without a note that of the single track, or None."""
        return self.bounds.get(model, self.bounds.get(PLAIN_MODEL))

    def write(self, path: Path | str) -> None:
        """Write the file. Raises ConfigurationError if that is not possible."""
        widths = np.full((len(self.s), 2), np.nan) if self.widths is None else self.widths
        table = np.column_stack([
            self.s, self.x, self.y, self.heading, self.curvature, self.speed, self.acceleration,
            widths])
        head = [f'# {TITLE}', *(f'# {name}: {value}' for name, value in self.notes.items()),
                ','.join(COLUMNS)]
        rows = [','.join('' if math.isnan(number) else f'{number + 0.0:.{_DECIMALS}f}'
                         for number in row) for row in np.round(table, _DECIMALS).tolist()]
        try:
            Path(path).write_text('\n'.join([*head, *rows, '']), encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(
                f'raceline {excerpt(str(path))} cannot be written: {error.strerror}') from error


def bound_note(model: str) -> str:
    """Name of the note with the least lap time of a model."""
    return _BOUND if model == PLAIN_MODEL else f'{_BOUND}_{model}'


def read_raceline(path: Path | str) -> Raceline:
    """Line of a file of ours, or of one of TUM and f1tenth_racetracks.

    Theirs is separated by semicolons or commas, with names in a comment: s_m; x_m; y_m; psi_rad;
    kappa_radpm; vx_mps; ax_mps2; in this order where there are none. Headings and curvatures are
    made anew from the points; in a file of ours they have to be those of the points. Raises
    ConfigurationError naming file and line; it quotes no text of the file.
    """
    name = f'raceline {excerpt(str(path))}'
    try:
        text = Path(path).read_text(encoding='utf-8-sig')
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) else 'it is not UTF-8 text'
        raise ConfigurationError(f'{name} cannot be read: {what}') from error
    if len(text) > _LARGEST:
        raise ConfigurationError(f'{name} has {len(text)} characters, expected {_LARGEST} at most')
    notes, names, lines = _parts(text)
    order = _order(name, names)
    table = np.array([_numbers(name, line, cells, order) for line, cells in lines])
    if len(table) < 4:
        raise ConfigurationError(f'{name} has {len(table)} points, expected at least 4')
    columns = dict(zip(order, table.T, strict=True))
    points, speed = np.column_stack([columns['x'], columns['y']]), columns['v']
    if not bool(np.all(speed > 0.0)):
        line = lines[int(np.argmin(speed > 0.0))][0]
        raise ConfigurationError(f'{name}, line {line}: v is not above 0 m/s')
    widths = (np.column_stack([columns['w_right'], columns['w_left']])
              if {'w_right', 'w_left'} <= set(columns) else None)
    if notes is not None and set(COLUMNS) <= set(order):
        return _checked(name, Raceline(
            columns['s'], columns['x'], columns['y'], np.unwrap(columns['heading']),
            columns['curvature'], speed, columns['ax'],
            None if widths is None or np.isnan(widths).any() else widths, notes))
    return _imported(name, points, speed, widths)


def _parts(text: str) -> tuple[
        dict[str, str] | None, list[str] | None, list[tuple[int, list[str]]]]:
    """Notes of our own file or None, names of columns or None, and cells with line numbers."""
    notes: dict[str, str] | None = None
    names: list[str] | None = None
    lines: list[tuple[int, list[str]]] = []
    for number, line in enumerate(io.StringIO(text), start=1):
        line = line.strip()
        separator = ';' if ';' in line else ','
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
        if line.startswith('#'):
            comment = line.lstrip('# ')
            if comment == TITLE:
                notes = {}
            elif notes is not None:
                key, _, value = comment.partition(':')
                notes[key.strip()] = value.strip()
            elif 'x_m' in comment:
                names = [cell.lstrip('# ') for cell in cells]
        elif line and not lines and names is None and 'x' in cells:
            names = cells
        elif line:
            lines.append((number, cells))
    return notes, names, lines


def _order(name: str, names: list[str] | None) -> list[str]:
    if names is None:
        return ['s', 'x', 'y', 'psi', 'curvature', 'v', 'ax']
    order = [_OTHER_NAMES.get(cell, cell) for cell in names]
    missing = [column for column in ('x', 'y', 'v') if column not in order]
    if missing or len(set(order)) < len(order):
        raise ConfigurationError(
            f"{name} has no column {', '.join(missing) or 'of its own for each name'}, expected"
            f" {','.join(COLUMNS)} or those of TUM")
    return order


def _numbers(name: str, line: int, cells: list[str], order: list[str]) -> list[float]:
    if len(cells) != len(order):
        raise ConfigurationError(
            f'{name}, line {line}: {len(cells)} values, expected {len(order)}')
    try:
        numbers = [float(cell) if cell else math.nan for cell in cells]
    except ValueError:
        numbers = [math.inf]
    needed = [number for number, column in zip(numbers, order, strict=False)
              if not column.startswith('w_')]
    if not all(map(math.isfinite, needed)) or math.inf in map(abs, numbers):
        raise ConfigurationError(f'{name}, line {line}: expected finite numbers')
    return numbers


def _imported(name: str, points: Array, speed: Array, widths: Array | None) -> Raceline:
    if float(np.hypot(*(points[0] - points[-1]))) < 1e-6:
        points, speed = points[:-1], speed[:-1]
        widths = None if widths is None else widths[:-1]
    chords = np.hypot(*np.diff(np.vstack([points, points[:1]]), axis=0).T)
    if float(chords.min()) < 1e-6:
        raise ConfigurationError(f'{name} repeats a point, expected different ones')
    if float(chords[-1]) > 3.0 * float(np.median(chords)) + 1e-9:
        raise ConfigurationError(
            f'{name} ends {chords[-1]:.2f} m from its start, expected a closed line')
    closed = np.vstack([points, points[:1]])
    _check_one_lap(name, closed, chords)
    line = Raceline.through(closed, speed, float(np.median(chords)))
    if widths is None or np.isnan(widths).any():
        return line
    knots = ClosedSpline.through(closed).knots
    return Raceline(
        line.s, line.x, line.y, line.heading, line.curvature, line.speed, line.acceleration,
        np.column_stack([np.interp(line.s, knots, np.append(column, column[0]))
                         for column in widths.T]), line.notes)


def _check_one_lap(name: str, closed: Array, chords: Array) -> None:
    """Raise ConfigurationError if the line passes its start on the way, in the same direction.

    closed: points (n + 1, 2), of which the last repeats the first; chords: lengths between (n,).
    """
    directions = np.diff(closed, axis=0) / chords[:, None]
    to_start = closed[0] - closed[:-1]
    along = np.clip(np.sum(to_start * directions, axis=1), 0.0, chords)
    aside = np.hypot(*(to_start - along[:, None] * directions).T)
    ways = np.cumsum(chords) - chords
    step = float(np.median(chords))
    again = (aside < 0.5 * step) & (directions @ directions[0] > math.cos(_ASIDE))
    # Not where it begins and ends.
    again &= (ways > 2.0 * step) & (ways + chords < float(np.sum(chords)) - 2.0 * step)
    if again.any():
        where = float((ways + along)[again][0])
        raise ConfigurationError(_several_laps(name, where))


def _several_laps(name: str, way: float) -> str:
    return (f'{name} comes back to its start at s = {way:.6g} m already, expected one lap; leave'
            ' out the rows after it')


def _checked(name: str, line: Raceline) -> Raceline:
    steps = np.diff(line.s)
    if float(steps.min()) <= 0.0 or abs(float(line.s[0])) > 1e-9:
        raise ConfigurationError(f'{name}: s does not grow from 0')
    if float(steps.max()) > 1.01 * float(steps.min()) + 1e-5:
        raise ConfigurationError(f'{name}: the steps of s are not even')
    if float(np.hypot(line.x[0] - line.x[-1], line.y[0] - line.y[-1])) > 1e-5:
        raise ConfigurationError(f'{name} is open, expected its last row to repeat the first')
    chords = np.diff(np.column_stack([line.x, line.y]), axis=0)
    lengths = np.hypot(*chords.T)
    # Between two points the path is a little longer than the chord.
    _agree(name, line, 's', (lengths >= 0.8 * steps) & (lengths <= 1.01 * steps + 1e-5))
    off = np.arctan2(chords[:, 1], chords[:, 0]) - 0.5 * (line.heading[1:] + line.heading[:-1])
    _agree(name, line, 'heading', np.cos(off) > math.cos(_ASIDE))
    turned = float(line.heading[-1] - line.heading[0])
    bent = 0.5 * float(steps @ (line.curvature[1:] + line.curvature[:-1]))
    if abs(bent - turned) > _ASIDE:
        raise ConfigurationError(
            f'{name}: curvature turns by {bent:.4g} rad in a lap and heading by {turned:.4g}'
            f' rad, expected the same; {_ANEW}')
    again = np.hypot(line.x[1:-1] - line.x[0], line.y[1:-1] - line.y[0]) < 1e-6
    again &= np.cos(line.heading[1:-1] - line.heading[0]) > math.cos(_ASIDE)
    if again.any():
        raise ConfigurationError(_several_laps(name, float(line.s[1:-1][again][0])))
    return line


def _agree(name: str, line: Raceline, column: str, agrees: NDArray[np.bool_]) -> None:
    """Raise ConfigurationError where a column says something else than the points."""
    if not agrees.all():
        raise ConfigurationError(
            f'{name}: {column} is not that of x and y from s = {line.s[np.argmin(agrees)]:.6g} m'
            f' on; {_ANEW}')
