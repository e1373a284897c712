# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well a vehicle predicts a drive, beside what is easier to have: the baseline table.

Windows of 0.5 s, every 0.1 s, open loop; errors at their end. Where a drive is long enough the
scale of its wheels is adapted on its first part alone, and the rest is evaluated. Positions are
compared with the path that windows start on, which may be fused with the accelerometer, and with
that of the localisation alone: the error of the latter is in the second figure too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

import numpy as np

from racecar.base.errors import RunError
from racecar.dynamics.vehicles import VehicleParameters
from racecar.identification.drive import Array, Drive
from racecar.identification.estimation import fit, Part, Problem
from racecar.identification.prediction import (
    cut_windows,
    FROM_SPEED,
    make_steps,
    predict,
    seen_from_starts,
    Windows,
)
from racecar.identification.unknowns import (
    make_model,
    prior,
    Stage,
    steering_of,
    Values,
    wheels_of,
)

HORIZON = 0.5
"""Length of the windows that are evaluated [s]."""
ADAPTATION = 40.0
"""Part of a drive on which the scale of its wheels is adapted [s]."""
_EVERY = 0.1
_LEAST_REST = 10.0
_FORGETTING = 0.1
"""Time after which the tyres have made up for wrong velocities at a start [s]."""


class Candidate(NamedTuple):
    """A model to evaluate: its name, its kind as of stages, its values; how its scale comes.

    adapted: whether the scale of the wheels is adapted to each drive, else it is 1.
    """

    name: str
    kind: str
    values: Values
    adapted: bool = True


class Score(NamedTuple):
    """Errors at the end of the windows: RMS of heading [rad] and position [m]; their number.

    path_position: of the position by localisation alone [m]; scale: of the wheels [-]; medians of
    the moduli of heading and position: what a few windows do not move.
    """

    heading: float
    position: float
    path_position: float
    windows: int
    scale: float
    heading_median: float
    position_median: float


class Evaluation(NamedTuple):
    """Scores by candidate, of one drive; adaptation [s]: what was not evaluated."""

    drive: str
    adaptation: float
    scores: dict[str, Score]


def evaluate(
    drives: Sequence[Drive], candidates: Sequence[Candidate], vehicle: VehicleParameters,
    adaptation: float = ADAPTATION,
) -> list[Evaluation]:
    """Return the errors of each candidate on each drive, with constant velocity as the first.

    adaptation [s]: at the start of a drive; in one that is too short for it the scale is that of
    all of it, and all is evaluated. Raises RunError if a drive has no window.
    """
    found = []
    for drive in drives:
        after = adaptation if drive.duration > adaptation + _LEAST_REST else 0.0
        windows = cut_windows(drive, length=HORIZON, every=_EVERY, horizons=1,
                              part=(after, math.inf))
        if not len(windows.starts):
            raise RunError(f'{drive.name}: no window of {HORIZON:g} s in which the car moves')
        scores = {'constant velocity': _score(
            drive, constant_velocity(drive, windows), windows, 1.0)}
        for candidate in candidates:
            scale = adapt_scale(drive, candidate, vehicle, after or math.inf) if (
                candidate.adapted) else 1.0
            scores[candidate.name] = _score(
                drive, predict_windows(drive, candidate, vehicle, windows, scale), windows, scale)
        found.append(Evaluation(drive.name, after, scores))
    return found


def constant_velocity(drive: Drive, windows: Windows) -> Array:
    """Return the poses if each window went on as it began: the least that a model has to beat."""
    vx, vy, rate = (column[:, None] for column in windows.initial.T)
    time = (windows.horizons * drive.period)[None, :]
    yaw = rate * time
    # Along the chord of the arc.
    middle = 0.5 * yaw
    share = np.sinc(middle / math.pi) * time
    return np.stack([share * (vx * np.cos(middle) - vy * np.sin(middle)),
                     share * (vx * np.sin(middle) + vy * np.cos(middle)), yaw], axis=2)


def predict_windows(
    drive: Drive, candidate: Candidate, vehicle: VehicleParameters, windows: Windows,
    scale: float,
) -> Array:
    """Return the poses that a candidate predicts."""
    values = {**prior(vehicle), **candidate.values}
    return predict(
        make_model(candidate.kind, vehicle, values), windows,
        make_steps(drive, windows, steering_of(values), wheels_of(values, scale)))


def adapt_scale(
    drive: Drive, candidate: Candidate, vehicle: VehicleParameters, end: float,
) -> float:
    """Return the scale of the wheels at which a candidate predicts the drive's start best [-].

    end [s]: of that start. Without a window in it the scale is 1.
    """
    windows = cut_windows(drive, length=HORIZON, every=0.5 * HORIZON, horizons=1, part=(0.0, end))
    if not len(windows.starts):
        return 1.0
    stage = Stage('scale', candidate.kind, (), False, '')
    problem = Problem(
        [Part(drive, windows)], stage, vehicle, {**prior(vehicle), **candidate.values})
    name = f'wheel_scale:{drive.name}'
    return fit(problem, {name: 1.0}).values[name]


def _score(drive: Drive, predicted: Array, windows: Windows, scale: float) -> Score:
    path = seen_from_starts(
        drive.path_x, drive.path_y, drive.yaw, windows.starts, windows.horizons)
    error, path_error = (
        (predicted - measured)[:, -1] for measured in (windows.measured, path))
    return Score(
        float(np.sqrt(np.mean(error[:, 2]**2))), _distance(error), _distance(path_error),
        len(error), scale, float(np.median(np.abs(error[:, 2]))),
        float(np.median(np.hypot(error[:, 0], error[:, 1]))))


def noise_errors(drive: Drive) -> tuple[float, float]:
    """Return RMS errors of heading [rad] and position [m] that noise alone makes after HORIZON.

    Of the measured end of a window, and of its start: a wrong heading stays, velocities are those
    of the tyres after _FORGETTING.
    """
    noise = drive.noise
    moving = drive.vx[drive.valid & (drive.vx > FROM_SPEED)]
    speed = float(np.sqrt(np.mean(moving**2))) if moving.size else 0.0
    turned = math.hypot(noise.heading, _FORGETTING * noise.yaw_rate)
    return math.hypot(noise.heading, turned), math.sqrt(
        4.0 * noise.position**2 + 2.0 * (_FORGETTING * noise.velocity)**2
        + (HORIZON * speed * turned)**2)


def _distance(error: Array) -> float:
    return float(np.sqrt(np.mean(error[:, 0]**2 + error[:, 1]**2)))


def ratios(evaluations: Sequence[Evaluation], name: str) -> Mapping[str, float]:
    """Return the heading RMS of a candidate over that of each other, pooled over drives."""
    pooled = {other: math.sqrt(sum(
        row.scores[other].heading**2 * row.scores[other].windows for row in evaluations))
        for other in evaluations[0].scores}
    return {other: pooled[name] / value for other, value in pooled.items() if other != name}
