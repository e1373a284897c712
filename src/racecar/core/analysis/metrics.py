# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tracking error between odometry and reference: merging by stamp, RMSE, ISE and the rest."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.core.errors import BagError, ConfigurationError

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
        if not 0.0 <= skip < np.inf:
            raise ConfigurationError(f'skip is {skip:g} s, expected at least 0 s')
        keep = self.t >= self.t[0] + skip
        if not keep.any():
            raise ConfigurationError(
                f'skip is {skip:g} s, but odometry and reference overlap for'
                f' {self.t[-1] - self.t[0]:g} s only; skip less')
        return MergedTrack(
            self.t[keep], self.x[keep], self.y[keep], self.reference_x[keep],
            self.reference_y[keep])


@dataclass(frozen=True)
class Metrics:
    """Tracking error over a run, e being the vector from desired to actual position.

    rmse: sqrt(mean(e'e)) over the samples [m]. ise: integral of e'e over time by the trapezoid
    rule on the stamps [m^2 s]. sum_squared_error: plain sum of e'e [m^2], which the report's
    scripts print as "ISE". max_error: largest |e| [m]. samples: number of odometry samples.
    duration: from the first to the last of them [s].
    """

    rmse: float
    ise: float
    sum_squared_error: float
    max_error: float
    samples: int
    duration: float

    def as_dict(self) -> dict[str, float | int]:
        """Return the values by name."""
        return asdict(self)

    def as_rows(self) -> list[tuple[str, str, str]]:
        """Return (name, value, unit) for people, in a fixed order."""
        return [
            ('RMSE', f'{self.rmse:.4f}', 'm'),
            ('ISE', f'{self.ise:.4f}', 'm^2 s'),
            ('sum of squared errors', f'{self.sum_squared_error:.4f}', 'm^2'),
            ('maximum error', f'{self.max_error:.4f}', 'm'),
            ('samples', f'{self.samples}', ''),
            ('duration', f'{self.duration:.3f}', 's'),
        ]


def merge_by_stamp(
    t: ArrayLike, x: ArrayLike, y: ArrayLike,
    reference_t: ArrayLike, reference_x: ArrayLike, reference_y: ArrayLike,
    *, origin: float = 0.0,
) -> MergedTrack:
    """Give each odometry sample the reference at its stamp.

    t, x, y: (n,) odometry, [s] and [m]. reference_*: (m,) likewise.
    origin: added to times in messages [s].
    Between two reference samples x and y are interpolated linearly in time; a reference sample
    with the very stamp is taken as it is. Odometry before the first or after the last reference
    sample is dropped, nothing is extrapolated. Samples may come unsorted; of several with one
    stamp the last given counts, on either side.
    Raises BagError if a value is not finite, a side is empty or the spans do not overlap;
    ValueError if the shapes differ.
    """
    times, xs, ys = _prepared('odometry', t, x, y, origin)
    nodes, node_x, node_y = _prepared(
        'reference', reference_t, reference_x, reference_y, origin)
    inside = (times >= nodes[0]) & (times <= nodes[-1])
    if not inside.any():
        raise BagError(
            'no odometry sample lies within the span of the reference: odometry'
            f' {_span(times, origin)}, reference {_span(nodes, origin)}; do both stamp with the'
            ' same clock, and was the tracker active?')
    times = times[inside]
    return MergedTrack(
        times, xs[inside], ys[inside],
        np.interp(times, nodes, node_x), np.interp(times, nodes, node_y))


def compute_metrics(track: MergedTrack) -> Metrics:
    """Compute all metrics of a merged track; a single sample has ISE and duration 0."""
    squared = track.squared_error
    total = float(np.sum(squared))
    return Metrics(
        rmse=float(np.sqrt(total / squared.size)),
        ise=float(0.5 * np.dot(squared[1:] + squared[:-1], np.diff(track.t))),
        sum_squared_error=total,
        max_error=float(np.max(track.error)),
        samples=int(squared.size),
        duration=float(track.t[-1] - track.t[0]),
    )


def _prepared(
    side: str, t: ArrayLike, x: ArrayLike, y: ArrayLike, origin: float,
) -> tuple[Array, Array, Array]:
    """Return the samples sorted by time, the last of each stamp."""
    times, xs, ys = (np.asarray(values, dtype=np.float64) for values in (t, x, y))
    if times.ndim != 1 or times.shape != xs.shape or times.shape != ys.shape:
        raise ValueError(
            f'{side}: t, x, y have shapes {times.shape}, {xs.shape}, {ys.shape}, expected (n,)')
    if times.size == 0:
        raise BagError(f'{side}: there are no samples')
    finite = np.isfinite(times) & np.isfinite(xs) & np.isfinite(ys)
    if not finite.all():
        first = int(np.argmin(finite))
        raise BagError(
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
