# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tracking error between odometry and reference: merging by stamp, RMSE, ISE and the rest.

path_metrics has the errors against the path of the reference.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.errors import ConfigurationError, RunError
from racecar.metrics.laps import LapTimes
from racecar.metrics.path_batch import PathMetricsSum
from racecar.metrics.path_metrics import PathMetrics
from racecar.metrics.quantities import length_text, Quantity

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MergedTrack:
    """Odometry samples with the reference at the same instants, in ascending time.

    t: (n,) time [s], strictly ascending. x, y: (n,) actual position [m].
    reference_x, reference_y: (n,) desired position [m].
    """

    t: Array
    x: Array
    y: Array
    reference_x: Array
    reference_y: Array

    @property
    def error_x(self) -> Array:
        """Actual minus desired x, (n,) [m]."""
        return self.x - self.reference_x

    @property
    def error_y(self) -> Array:
        """Actual minus desired y, (n,) [m]."""
        return self.y - self.reference_y

    @property
    def squared_error(self) -> Array:
        """Squared distance between actual and desired position, e'e, (n,) [m^2]."""
        return self.error_x**2 + self.error_y**2

    @property
    def error(self) -> Array:
        """Distance between actual and desired position, (n,) [m]."""
        return np.hypot(self.error_x, self.error_y)

    def without_start(self, skip: float) -> MergedTrack:
        """Leave out the samples of the first `skip` seconds.

        Raises ConfigurationError if `skip` is negative or leaves no sample.
        """
        start = start_after(skip, self.t[0])
        if self.t[-1] < start:
            raise nothing_left(skip, self.t[-1] - self.t[0])
        return self.since(start)

    def since(self, start: float) -> MergedTrack:
        """Return the samples from a time [s] on; there may be none."""
        first = int(np.searchsorted(self.t, start))
        return MergedTrack(
            self.t[first:], self.x[first:], self.y[first:], self.reference_x[first:],
            self.reference_y[first:])


@dataclass(frozen=True)
class Metrics:
    """Tracking error over a run, e being the vector from desired to actual position.

    rmse: sqrt(mean(e'e)) over the samples [m]. ise: integral of e'e over time by the trapezoid
    rule on the stamps [m^2 s]. sum_squared_error: plain sum of e'e [m^2], which the report's
    scripts print as "ISE". max_error: largest |e| [m]. samples: number of odometry samples.
    duration: from the first to the last of them [s]. path: errors against the path of the
    reference, None where they were not asked for. collisions: contacts with what stands around,
    None where nothing does. laps: those of the whole run, None where the path is not closed.
    """

    rmse: float
    ise: float
    sum_squared_error: float
    max_error: float
    samples: int
    duration: float
    path: PathMetrics | None = None
    collisions: int | None = None
    laps: LapTimes | None = None

    def as_dict(self) -> dict[str, float | int | None]:
        """Return the values by name, those of `path` and `laps` among them."""
        values = asdict(replace(self, path=None, laps=None))
        for name in ('path', 'laps', *(('collisions',) if self.collisions is None else ())):
            del values[name]
        for part in (self.path, self.laps):
            if part is not None:
                values |= part.as_dict()
        return values

    @property
    def summary(self) -> str:
        """The duration and the RMSE in one sentence."""
        return f'{self.duration:.0f} s driven, RMSE {length_text(self.rmse)}'

    def quantities(self) -> dict[str, Quantity]:
        """The figures for people by the names of as_dict()."""
        return {
            'rmse': Quantity('RMSE', self.rmse, 'm'),
            'ise': Quantity('ISE', self.ise, 'm^2 s'),
            'sum_squared_error': Quantity('sum of squared errors', self.sum_squared_error, 'm^2'),
            'max_error': Quantity('maximum error', self.max_error, 'm'),
            'samples': Quantity('samples', self.samples),
            'duration': Quantity('duration', self.duration, 's'),
            **({} if self.path is None else self.path.quantities()),
            **({} if self.collisions is None else {
                'collisions': Quantity('collisions', self.collisions)}),
            **({} if self.laps is None else self.laps.quantities()),
        }

    def as_rows(self) -> list[tuple[str, str, str]]:
        """(name, value, unit) of the same."""
        return [quantity.row() for quantity in self.quantities().values()]


def merge_by_stamp(
    t: ArrayLike, x: ArrayLike, y: ArrayLike,
    reference_t: ArrayLike, reference_x: ArrayLike, reference_y: ArrayLike,
    *, origin: float = 0.0,
) -> MergedTrack:
    """Give each odometry sample the reference at its stamp.

    t, x, y: (n,) odometry, [s] and [m]. reference_*: (m,) likewise.
    origin: added to times in what errors say [s].
    Between two reference samples x and y are interpolated linearly in time; a reference sample
    with the very stamp is taken as it is. Odometry before the first or after the last reference
    sample is dropped, nothing is extrapolated. Samples may come unsorted; of several with one
    stamp the last given counts, on either side.
    Raises RunError if a value is not finite, a side is empty or the spans do not overlap;
    ValueError if the shapes differ.
    """
    times, xs, ys = _prepared('odometry', t, x, y, origin)
    nodes, node_x, node_y = _prepared(
        'reference', reference_t, reference_x, reference_y, origin)
    inside = (times >= nodes[0]) & (times <= nodes[-1])
    if not inside.any():
        raise RunError(
            'no odometry sample lies within the span of the reference: odometry'
            f' {_span(times, origin)}, reference {_span(nodes, origin)}; do both stamp with the'
            ' same clock, and was the tracker active?')
    times = times[inside]
    return MergedTrack(
        times, xs[inside], ys[inside],
        np.interp(times, nodes, node_x), np.interp(times, nodes, node_y))


def start_after(skip: float, first: float) -> float:
    """Return the time [s] from which samples count if `skip` seconds are left out.

    first: time of the first sample [s]. Raises ConfigurationError if `skip` is negative.
    """
    if not 0.0 <= skip < np.inf:
        raise ConfigurationError(f'skip is {skip:g} s, expected at least 0 s')
    return float(first + skip)


def nothing_left(skip: float, overlap: float) -> ConfigurationError:
    """Return the error for a run from which `skip` leaves no sample."""
    return ConfigurationError(
        f'skip is {skip:g} s, but odometry and reference overlap for {overlap:g} s only;'
        ' skip less')


def compute_metrics(
    track: MergedTrack, skip: float = 0.0, *, with_path: bool = True,
) -> Metrics:
    """Compute all metrics of a merged track without its first `skip` seconds.

    with_path: whether those against the path are wanted, which take the most time. The path of the
    reference includes the seconds left out, where a car that is late may still be. A single sample
    has ISE and duration 0.
    Raises ConfigurationError if `skip` is negative or leaves no sample, RunError if
    the squares of errors against the path overflow.
    """
    start = start_after(skip, track.t[0])
    if track.t[-1] < start:
        raise nothing_left(skip, track.t[-1] - track.t[0])
    total = MetricsSum(with_path=with_path)
    total.add(track, start)
    return total.result()


class MetricsSum:
    """Metrics of a track that comes in pieces; memory does not grow with the run.

    The pieces follow each other in time. However a track is divided, the result is the same to
    the last digit, that of a car in a batch too: samples are added one after the other.
    """

    def __init__(self, *, with_path: bool = True) -> None:
        """with_path: whether the metrics against the path are wanted."""
        self.samples = 0
        self._squared = 0.0
        self._ise = 0.0
        self._largest = 0.0
        self._start = 0.0
        # Time and squared error of the last sample.
        self._last = np.empty((2, 0))
        self._path = PathMetricsSum() if with_path else None

    def add(self, track: MergedTrack, start: float = -np.inf) -> None:
        """Add the next piece, which may be empty.

        start: time from which samples count [s], the same for all pieces.
        """
        if self._path is not None:
            self._path.add(np.stack(
                [track.t, track.x, track.y, track.reference_x, track.reference_y]), start)
        track = track.since(start)
        if not track.t.size:
            return
        if not self.samples:
            self._start = float(track.t[0])
        self.samples += track.t.size
        squared = track.squared_error
        self._largest = max(self._largest, float(np.max(squared)))
        self._squared = _added(self._squared, squared)
        t, both = np.concatenate([self._last, [track.t, squared]], axis=1)
        self._ise = _added(self._ise, 0.5 * (both[1:] + both[:-1]) * np.diff(t))
        self._last = np.array([t[-1:], both[-1:]])

    def result(self) -> Metrics:
        """Return the metrics of what was added, which must not be nothing."""
        return Metrics(
            rmse=float(np.sqrt(self._squared / self.samples)), ise=self._ise,
            sum_squared_error=self._squared, max_error=float(np.sqrt(self._largest)),
            samples=self.samples, duration=float(self._last[0, 0] - self._start),
            path=None if self._path is None else self._path.result())


def _added(total: float, numbers: Array) -> float:
    """Return the total with numbers added one after the other; np.sum() adds them in pairs."""
    return float(np.add.accumulate(np.append(total, numbers))[-1])


def _prepared(
    side: str, t: ArrayLike, x: ArrayLike, y: ArrayLike, origin: float,
) -> tuple[Array, Array, Array]:
    """Return the samples sorted by time, the last of each stamp."""
    times, xs, ys = (np.asarray(values, dtype=np.float64) for values in (t, x, y))
    if times.ndim != 1 or times.shape != xs.shape or times.shape != ys.shape:
        raise ValueError(
            f'{side}: t, x, y have shapes {times.shape}, {xs.shape}, {ys.shape}, expected (n,)')
    if times.size == 0:
        raise RunError(f'{side}: there are no samples')
    finite = np.isfinite(times) & np.isfinite(xs) & np.isfinite(ys)
    if not finite.all():
        first = int(np.argmin(finite))
        raise RunError(
            f'{side}: {int(np.sum(~finite))} of {times.size} samples are not finite, the first'
            f' at {times[first] + origin:.9g} s is ({xs[first]:g}, {ys[first]:g}); the run'
            ' diverged or its source is broken')
    order = np.argsort(times, kind='stable')
    times = times[order]
    last_of_stamp = np.append(times[1:] != times[:-1], True)
    order = order[last_of_stamp]
    return times[last_of_stamp], xs[order], ys[order]


def _span(t: Array, origin: float) -> str:
    return f'[{t[0] + origin:.3f}, {t[-1] + origin:.3f}] s'
