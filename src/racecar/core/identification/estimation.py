# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Least squares over open-loop windows, and how sure its result is.

    minimise sum over residuals of rho(r^2),  rho(z) = 2 (sqrt(1 + z) - 1)        (soft L1)

r: error of the predicted x, y and yaw of the rear axle over SIGMA sqrt(tau / 0.5 s), tau the time
since the window began, as errors of an open loop grow. Minimised by scipy.optimize.least_squares
within bounds.

Residuals of one stretch of a drive are alike, so the covariance is that of a jackknife over blocks
of 5 s, each left out in one step of Newton: with psi = r/sqrt(1 + r^2) and
psi' = (1 + r^2)^(-3/2), J the Jacobian, A = sum psi' J J', and A_b and s_b = sum psi J of block b,

    d_b = (A - A_b)^-1 s_b    P = (B - 1)/B sum d_b d_b'

over B blocks. Intervals are those of Student's t. Blocks that tell more of an unknown than others
make its degrees of freedom fewer than B less the unknowns: those of a sum of squares whose terms
have the covariance G that independent residuals would give to d_b of unknown k (Satterthwaite),

    nu = (tr G)^2/tr(G G)    G_bc = delta_bc f_b' A_b f_b - f_b' A_b A^-1 A_c f_c
    f_b = (A - A_b)^-1 e_k

Source: Bell, McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
samples", 2002 (the estimator CR3 and its degrees of freedom), with the weights of the robust loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
import functools
import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import t as student

from racecar.core.errors import RunError
from racecar.core.identification.drive import Array, Drive
from racecar.core.identification.prediction import (
    cut_windows,
    FROM_SPEED,
    predict,
    steering_angles,
    wheel_speeds,
    Windows,
    without_run_in,
)
from racecar.core.identification.unknowns import (
    bounds,
    make_model,
    scale,
    Stage,
    steering_of,
    Values,
)
from racecar.core.vehicles import VehicleParameters
from racecar.core.vehicles.parameters import GRAVITY

WINDOW = 1.0
"""Length of a window [s]."""
EVERY = 0.5
HORIZONS = 5
RUN_IN = 0.6
"""Time before a window in which the velocities of a model become its own [s]."""
SIGMA = 0.05
"""Error that counts as one, at 0.5 s [m, rad]."""
CONFIDENCE = 0.9
CALM = 0.4
"""Share of gravity up to which lateral acceleration is calm."""
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

    def residuals(self, values: Values) -> Array:
        """Return the scaled residuals, those of a window in succession."""
        model = make_model(self.stage.kind, self.vehicle, values)
        steering = steering_of(values)
        rows = []
        for part in self.parts:
            speeds = wheel_speeds(
                part.drive, values[f'wheel_scale:{part.drive.name}'],
                values['wheel_lag'] if self.stage.kind == 'combined' else 0.0)
            error = predict(
                model, part.windows, speeds, steering_angles(part.drive, steering),
                part.drive.period) - part.windows.measured
            rows.append((error / _sigmas(part)).ravel())
        return np.concatenate(rows)

    def cost(self, values: Values) -> float:
        """Return what is minimised, halved as scipy does."""
        return float(np.sum(np.sqrt(1.0 + self.residuals(values)**2) - 1.0))

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


def _sigmas(part: Part) -> Array:
    times = part.windows.horizons * part.drive.period
    sigmas: Array = SIGMA * np.sqrt(times / 0.5)
    return sigmas[None, :, None]


@dataclass(frozen=True)
class Fit:
    """Where the search ended, and the numbers of its surroundings.

    values: all; names: those estimated, in the order of jacobian (residuals by unknowns, scaled),
    covariance and correlation; scales: of them; degrees (unknowns,): of freedom of Student's t.
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

    def deviation(self, name: str) -> float:
        """Return the standard error of an unknown in its unit."""
        at = self.names.index(name)
        return float(math.sqrt(max(self.covariance[at, at], 0.0)) * self.scales[at])

    def interval(self, name: str) -> tuple[float, float]:
        """Return the confidence interval of an unknown in its unit."""
        degrees = float(self.degrees[self.names.index(name)])
        half = float(student.ppf(0.5 + 0.5 * CONFIDENCE, degrees))
        value, reach = self.values[name], half * self.deviation(name)
        return value - reach, value + reach

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
    drives: Iterable[Drive], *, calm: bool = False, every: float = EVERY, run_in: float = 0.0,
) -> list[Part]:
    """Return the drives that have windows to fit, with these.

    calm: see Stage; every: from one window to the next [s]; run_in: see cut_windows(). Raises
    RunError if no drive has any.
    """
    parts = []
    counts = []
    for drive in drives:
        windows = cut_windows(
            drive, length=WINDOW, every=every, horizons=HORIZONS, run_in=run_in)
        if calm:
            windows = _calm(drive, windows)
        counts.append(f'{drive.name} {len(windows.starts)}')
        if len(windows.starts) >= _LEAST_WINDOWS:
            parts.append(Part(drive, windows))
    if not parts:
        kind = f'calm windows (below {CALM:g} g, without wheelspin)' if calm else 'windows'
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


def _calm(drive: Drive, windows: Windows) -> Windows:
    rough = (np.abs(drive.vx * drive.yaw_rate) > CALM * GRAVITY) | (
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
    count = 0

    def named(x: Array) -> Values:
        return {**values, **dict(zip(names, (x * scales).tolist(), strict=True))}

    def residuals(x: Array) -> Array:
        nonlocal count
        count += 1
        return problem.residuals(named(x))

    def jacobian(x: Array) -> Array:
        return _jacobian(residuals, x, low, high)

    found: Any = least_squares(
        residuals, x0, jac=jacobian, bounds=(low, high), loss='soft_l1', method='trf',
        ftol=tolerance, xtol=tolerance, gtol=1e-8, max_nfev=60)
    r, j = residuals(found.x), jacobian(found.x)
    curvature, covariance, degrees = _covariance(r, j, problem.blocks)
    return Fit(problem, named(found.x), names, scales, float(found.cost), j, curvature,
               covariance, degrees, count)


def _jacobian(residuals: Any, x: Array, low: Array, high: Array) -> Array:
    centre = residuals(x)
    columns = []
    for index in range(x.size):
        step = _STEP * max(1.0, abs(x[index]))
        step = -step if x[index] + step > high[index] else step
        moved = x.copy()
        moved[index] += step
        columns.append((residuals(moved) - centre) / step)
    return np.column_stack(columns)


def _covariance(
    r: Array, j: Array, blocks: NDArray[np.int64],
) -> tuple[Array, Array, Array]:
    """Return curvature A, covariance P and degrees of freedom (unknowns,); see the module."""
    z = 1.0 + r * r
    weights = z**-1.5
    curvature = j.T @ (j * weights[:, None])
    # Where most residuals are large the soft L1 is flat; the weights of Gauss and Newton are not.
    if np.linalg.eigvalsh(curvature)[0] <= 0.0:
        curvature = j.T @ (j * (z**-0.5)[:, None])
        weights = z**-0.5
    count = int(blocks.max()) + 1
    shares, changes, reaches = [], [], []
    for block in range(count):
        own = blocks == block
        share = j[own].T @ (j[own] * weights[own][:, None])
        reach = np.linalg.pinv(curvature - share)
        shares.append(share)
        reaches.append(reach)
        changes.append(reach @ (j[own].T @ (r[own] / np.sqrt(z[own]))))
    change = np.array(changes)
    covariance = change.T @ change * (count - 1) / count
    return curvature, covariance, degrees_of_freedom(
        curvature, np.array(shares), np.array(reaches))


def degrees_of_freedom(curvature: Array, shares: Array, reaches: Array) -> Array:
    """Return the degrees of freedom (unknowns,) of the variances; see the module.

    shares (B, p, p): A_b; reaches (B, p, p): (A - A_b)^-1.
    """
    moved = shares @ reaches
    inverse = np.linalg.pinv(curvature)
    found = []
    for column in range(len(curvature)):
        own = moved[:, :, column]
        spread = -own @ inverse @ own.T
        np.fill_diagonal(spread, spread.diagonal() + np.einsum(
            'bp,bp->b', reaches[:, :, column], own))
        found.append(np.trace(spread)**2 / max(float(np.sum(spread * spread)), 1e-300))
    return np.array([max(degrees, 1.0) for degrees in found])
