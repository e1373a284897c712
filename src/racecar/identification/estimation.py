# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Least squares over open-loop windows, and how sure its result is.

    minimise sum over residuals of rho(r^2),  rho(z) = 2 (sqrt(1 + z) - 1)        (soft L1)

r: error of the predicted x, y and yaw of the rear axle over SIGMA sqrt(tau / 0.5 s), tau the time
since the window began, as errors of an open loop grow. Minimised by scipy.optimize.least_squares
within bounds.

How sure the result is: module jackknife.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
import functools
import math
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import stdtrit

from racecar.base.errors import RunError
from racecar.dynamics.vehicles import VehicleParameters
from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.identification.drive import Array, Drive
from racecar.identification.jackknife import jackknife
from racecar.identification.prediction import (
    cut_windows,
    FROM_SPEED,
    make_steps,
    predict,
    Windows,
    without_run_in,
)
from racecar.identification.unknowns import (
    bounds,
    make_model,
    scale,
    Stage,
    steering_of,
    Values,
    wheels_of,
)

WINDOW = 1.0
"""Length of a window [s]."""
EVERY = 0.5
HORIZONS = 5
RUN_IN = 0.6
"""Time before a window in which the velocities of a model become its own [s]."""
SIGMA = 0.05
"""Error that counts as one, at 0.5 s [m, rad]."""
CONFIDENCE = 0.9
STEADY = 0.4
"""Share of gravity up to which the lateral acceleration of steady driving goes."""
_STEP = 1e-4
"""Change of a scaled unknown for the Jacobian."""
_LEAST_WINDOWS = 10


@dataclass(frozen=True)
class Part:
    """A drive with its windows."""

    drive: Drive
    windows: Windows


@dataclass
class Problem:
    """Windows of drives, a stage, and the values of what it does not estimate.

    of_drive: the unknown that each drive has of its own.
    """

    parts: Sequence[Part]
    stage: Stage
    vehicle: VehicleParameters
    base: Values
    fixed: frozenset[str] = field(default_factory=frozenset)
    of_drive: ClassVar[str] = 'wheel_scale'

    @property
    def names(self) -> list[str]:
        """Unknowns, then those of each drive."""
        shared = [name for name in self.stage.unknowns if name not in self.fixed]
        return [*shared, *(f'{self.of_drive}:{part.drive.name}' for part in self.parts)]

    def residuals(self, values: Values, parts: Sequence[Part] | None = None) -> Array:
        """Return the scaled residuals of parts (all), those of a window in succession."""
        model = make_model(self.stage.kind, self.vehicle, values)
        steering = steering_of(values)
        rows = []
        for part in self.parts if parts is None else parts:
            wheels = wheels_of(values, values[f'wheel_scale:{part.drive.name}'])
            error = predict(model, part.windows, make_steps(
                part.drive, part.windows, steering, wheels)) - part.windows.measured
            rows.append((error / _sigmas(part)).ravel())
        return np.concatenate(rows)

    def cost(self, values: Values) -> float:
        """Half the soft-L1 sum of the residuals, as scipy.optimize.least_squares defines cost."""
        return soft_l1(self.residuals(values))

    def reach(self, name: str) -> tuple[slice, Sequence[Part]]:
        """Return which residuals an unknown acts on, and their parts."""
        kind, _, drive = name.partition(':')
        if kind != self.of_drive:
            return slice(None), self.parts
        at = [part.drive.name for part in self.parts].index(drive)
        ends = np.cumsum([0, *(part.windows.measured.size for part in self.parts)]).tolist()
        return slice(ends[at], ends[at + 1]), self.parts[at:at + 1]

    @functools.cached_property
    def blocks(self) -> NDArray[np.int64]:
        """Number of the block of each residual."""
        numbers, offset = [], 0
        for part in self.parts:
            own = part.windows.blocks - part.windows.blocks.min() + offset
            offset = int(own.max()) + 1
            numbers.append(np.repeat(own, part.windows.measured[0].size))
        return np.unique(np.concatenate(numbers), return_inverse=True)[1]

    def complete(self, values: Values) -> Values:
        """Return all values: those given over the base; what drives have of their own is 1."""
        scales = {f'{self.of_drive}:{part.drive.name}': 1.0 for part in self.parts}
        return {**scales, **self.base, **values}


def soft_l1(r: Array) -> float:
    """Return half the loss, sum of sqrt(1 + r^2) - 1, without the rounding of that difference."""
    return float(np.sum(r * r / (1.0 + np.sqrt(1.0 + r * r))))


def _sigmas(part: Part) -> Array:
    times = part.windows.horizons * part.drive.period
    sigmas: Array = SIGMA * np.sqrt(times / 0.5)
    return sigmas[None, :, None]


class Doubts(NamedTuple):
    """What a fit takes over from those before it, in which unknowns that it holds were free.

    intervals: of the unknowns then; partners: by unknown, one that was correlated with it beyond
    CORRELATED and is held now; kept: those that the data refuse to have held.
    """

    intervals: Mapping[str, tuple[float, float]] = {}
    partners: Mapping[str, str] = {}
    kept: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Fit:
    """Where the search ended, and the numbers of its surroundings.

    values: all; names: those estimated, in the order of jacobian (residuals by unknowns, scaled),
    covariance and correlation; scales: of them; degrees (unknowns,): of freedom of Student's t;
    doubts: see there.
    """

    problem: Problem
    values: Values
    names: list[str]
    scales: Array
    cost: float
    jacobian: Array
    curvature: Array
    covariance: Array
    degrees: Array
    evaluations: int
    doubts: Doubts = Doubts()

    def deviation(self, name: str) -> float:
        """Return the standard error of an unknown in its unit."""
        at = self.names.index(name)
        return float(math.sqrt(max(self.covariance[at, at], 0.0)) * self.scales[at])

    def interval(self, name: str) -> tuple[float, float]:
        """Return the confidence interval of an unknown in its unit, with those of doubts."""
        degrees = float(self.degrees[self.names.index(name)])
        half = float(stdtrit(degrees, 0.5 + 0.5 * CONFIDENCE))
        value, reach = self.values[name], half * self.deviation(name)
        low, high = self.doubts.intervals.get(name, (value, value))
        return min(value - reach, low), max(value + reach, high)

    @property
    def correlation(self) -> Array:
        """Correlations of the unknowns, of the curvature: what the data alone can tell."""
        inverse = np.linalg.pinv(self.curvature)
        deviations = np.sqrt(np.maximum(np.diag(inverse), 1e-300))
        return np.asarray(inverse / np.outer(deviations, deviations))

    @property
    def singular_values(self) -> Array:
        """Singular values of the scaled Jacobian with the weights of the loss, largest first."""
        return np.asarray(np.sqrt(np.maximum(np.linalg.eigvalsh(self.curvature)[::-1], 0.0)))

    @property
    def weakest(self) -> dict[str, float]:
        """Share of each unknown in the direction that the data tell least about."""
        direction = np.linalg.eigh(self.curvature)[1][:, 0]
        return dict(zip(self.names, direction.tolist(), strict=True))


def parts_of(
    drives: Iterable[Drive], *, steady: bool = False, every: float = EVERY, run_in: float = 0.0,
) -> list[Part]:
    """Return the drives that have windows to fit, with these.

    steady: see Stage; every: from one window to the next [s]; run_in: see cut_windows(). Raises
    RunError if no drive has any.
    """
    parts = []
    counts = []
    for drive in drives:
        windows = cut_windows(
            drive, length=WINDOW, every=every, horizons=HORIZONS, run_in=run_in)
        if steady:
            windows = _steady(drive, windows)
        counts.append(f'{drive.name} {len(windows.starts)}')
        if len(windows.starts) >= _LEAST_WINDOWS:
            parts.append(Part(drive, windows))
    if not parts:
        kind = f'steady windows (below {STEADY:g} g, without wheelspin)' if steady else 'windows'
        raise RunError(
            f'too few {kind} of {WINDOW:g} s above {FROM_SPEED:g} m/s: {", ".join(counts)};'
            f' expected at least {_LEAST_WINDOWS} in one drive')
    return parts


def best_begun(found: Fit, drives: Sequence[Drive]) -> list[Part]:
    """Return windows of drives, with or without run-in, whichever a fit predicts better.

    Velocities from a noisy pose are worse than those that a good model has after RUN_IN; those of
    a model that lacks something are worse than measured ones. Raises as parts_of() does.
    """
    parts = parts_of(drives)
    try:
        led = parts_of(drives, run_in=RUN_IN)
    except RunError:
        return parts
    if [part.drive.name for part in led] != [part.drive.name for part in parts]:
        return parts
    measured = [Part(part.drive, without_run_in(part.drive, part.windows)) for part in led]
    of_model, of_log = (
        replace(found.problem, parts=own).cost(found.values) for own in (led, measured))
    return led if of_model < of_log else parts


def _steady(drive: Drive, windows: Windows) -> Windows:
    rough = (np.abs(drive.vx * drive.yaw_rate) > STEADY * GRAVITY) | (
        np.abs(drive.vx - drive.wheel_speed) > 0.3 * np.maximum(np.abs(drive.wheel_speed), 1.0))
    total = np.concatenate([[0], np.cumsum(rough)])
    last = int(windows.horizons[-1])
    keep = total[windows.starts + last + 1] - total[windows.starts] <= 0.1 * last
    return windows._replace(
        starts=windows.starts[keep], initial=windows.initial[keep],
        measured=windows.measured[keep], blocks=windows.blocks[keep])


def fit(problem: Problem, start: Values, *, tolerance: float = 1e-5) -> Fit:
    """Minimise over the unknowns of a problem.

    start: values to begin at; tolerance: relative change of cost and values at the end.
    """
    values = problem.complete(start)
    names = problem.names
    scales = np.array([scale(name, problem.vehicle) for name in names])
    low, high = (np.array(side) / scales for side in zip(
        *(bounds(name, problem.vehicle) for name in names), strict=True))
    x0 = np.array([values[name] for name in names]) / scales
    room = 1e-3 * np.minimum(high - low, 1.0)
    x0 = np.clip(x0, low + room, high - room)
    function = _Function(problem, values, scales, high)
    solution: Array = least_squares(
        function.residuals, x0, jac=function.jacobian, bounds=(low, high), loss='soft_l1',
        method='trf', ftol=tolerance, xtol=tolerance, gtol=1e-8, max_nfev=60).x
    r, j = function.residuals(solution), function.jacobian(solution)
    curvature, covariance, degrees = jackknife(r, j, problem.blocks)
    return Fit(problem, function.named(solution), names, scales, soft_l1(r), j, curvature,
               covariance, degrees, function.evaluations)


class _Function:
    """Residuals of scaled unknowns and their Jacobian, computed once where asked for in turn.

    values: complete; high (unknowns,): upper bounds, scaled, which steps do not cross.
    """

    def __init__(self, problem: Problem, values: Values, scales: Array, high: Array) -> None:
        self.evaluations = 0
        self._problem, self._values, self._scales, self._high = problem, values, scales, high
        self._names = problem.names
        self._last: tuple[Array, Array] | None = None
        self._last_jacobian: tuple[Array, Array] | None = None

    def named(self, x: Array) -> Values:
        """Return all values with those of the unknowns at x."""
        return {**self._values,
                **dict(zip(self._names, (x * self._scales).tolist(), strict=True))}

    def residuals(self, x: Array) -> Array:
        """Return the residuals (n,) at x."""
        if self._last is None or not np.array_equal(self._last[0], x):
            self.evaluations += 1
            self._last = x.copy(), self._problem.residuals(self.named(x))
        # SciPy weights in place what it is given.
        return self._last[1].copy()

    def jacobian(self, x: Array) -> Array:
        """Return the derivatives (n, unknowns) at x, by forward differences."""
        if self._last_jacobian is None or not np.array_equal(self._last_jacobian[0], x):
            self._last_jacobian = x.copy(), self._differences(x)
        return self._last_jacobian[1].copy()

    def _differences(self, x: Array) -> Array:
        centre = self.residuals(x)
        found = np.zeros((centre.size, x.size))
        for index, name in enumerate(self._names):
            step = _STEP * max(1.0, abs(x[index]))
            step = -step if x[index] + step > self._high[index] else step
            moved = x.copy()
            moved[index] += step
            self.evaluations += 1
            rows, parts = self._problem.reach(name)
            found[rows, index] = (
                self._problem.residuals(self.named(moved), parts) - centre[rows]) / step
        return found
