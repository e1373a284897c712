# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A race line as a reference: at its speeds from a flying start, lap after lap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
import math
from pathlib import Path
from typing import ClassVar

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameters import Parameter
from racecar.base.share import find_raceline
from racecar.base.vectors import Flat, Vector
from racecar.control.racelines.line_numbers import HEAD, line_at, line_numbers, ROW
from racecar.control.racelines.raceline import Raceline, read_raceline
from racecar.control.trajectories.base import ClosedForm, Motion, Trajectory
from racecar.metrics.laps import Course


@pure
def race_line_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; numbers: those of line_numbers()."""
    rows, step = int(numbers[0]), numbers[1]
    lap = numbers[HEAD + ROW * (rows - 1) + 8]
    time -= math.floor(time / lap) * lap
    # The last row that is not later.
    low, high = 0, rows - 1
    while high - low > 1:
        middle = (low + high) // 2
        if time < numbers[HEAD + ROW * middle + 8]:
            high = middle
        else:
            low = middle
    at = HEAD + ROW * low
    start, end = numbers[at + 4], numbers[at + ROW + 4]
    rate = (end * end - start * start) / (2.0 * step)
    elapsed = time - numbers[at + 8]
    point = line_at(numbers, 0, low * step + min(
        elapsed * (start + 0.5 * rate * elapsed), step))
    speed = start + rate * elapsed
    s, c = sine_cosine(point.heading)
    turning = speed * point.curvature
    return Motion(
        point.x, point.y, speed * c, speed * s, rate * c - speed * turning * s,
        rate * s + speed * turning * c, point.heading, turning, 1.0)


@dataclass(frozen=True)
class RaceLine(Trajectory):
    """A race line at a share of its speeds. Raises ParameterError if the file cannot be used."""

    name: ClassVar[str] = 'raceline'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('raceline_file', str, 'racetrack_f1tenth_curvature',
                  'Race line: CSV file of `racecar raceline`, or one of TUM, a path or a name in'
                  ' config/racelines'),
        Parameter('raceline_speed', float, 0.8, 'Race line: share of its speeds', above=0.0,
                  maximum=2.0),
    )

    file: str
    speed_share: float

    closed_form: ClassVar[ClosedForm | None] = staticmethod(race_line_motion)

    def __post_init__(self) -> None:
        try:
            found = find_raceline(self.file)
            stamp = found.stat()
            line = _read(found, (stamp.st_mtime_ns, stamp.st_size))
        except ConfigurationError as error:
            raise ParameterError(f"parameter 'raceline_file': {error}") from error
        object.__setattr__(self, '_line', line)

    @property
    def line(self) -> Raceline:
        """The line as the file has it."""
        return self._line  # type: ignore[attr-defined,no-any-return]

    @cached_property
    def numbers(self) -> Flat:
        """Numbers of line_numbers()."""
        return line_numbers(self.line, self.speed_share)

    @property
    def period(self) -> float | None:
        """Time of a lap [s]."""
        return self.line.lap_time / self.speed_share

    @cached_property
    def course(self) -> Course:
        """The line with its widths if the file has any."""
        line = self.line
        return Course.along(line.points, line.widths) if line.widths is not None else (
            Course.along(line.points))


@lru_cache(maxsize=8)
def _read(path: Path, _: object) -> Raceline:
    """Line of a file; the second argument tells versions of the file apart."""
    return read_raceline(path)
