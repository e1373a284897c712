# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole fit: stages one after the other, statuses, sessions left out, the baseline table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import contextlib
from dataclasses import dataclass, replace
import math
from typing import NamedTuple

import numpy as np

from racecar.base.errors import RunError
from racecar.dynamics.vehicles import VehicleParameters
from racecar.identification.drive import Drive
from racecar.identification.estimation import best_begun, Fit, fit, Part, parts_of, Problem, WINDOW
from racecar.identification.evaluation import (
    Candidate,
    evaluate,
    Evaluation,
    HORIZON,
    noise_errors,
)
from racecar.identification.identifiability import ASSUMED, classify, Identifiability, Profile
from racecar.identification.prediction import share_of_wheelspin, WheelSensor
from racecar.identification.settling import settle, spreads
from racecar.identification.speed_response import identify_speed_response, SpeedResponse
from racecar.identification.unknowns import (
    check_freed,
    prior,
    search_start,
    Stage,
    STAGES,
    UNKNOWNS,
    Values,
    wheels_of,
)

WHEELSPIN_SEEN = 0.05
"""Share of a drive with wheelspin from which combined slip is fitted."""
_HINT_OF_SLIP = 0.1
"""Slip, lag of the measurement left in, for so much of a drive, from which that is looked at."""
_PROBED = 2.0
"""From one window to the next where wheelspin is looked for [s]."""
_SLIPPING = frozenset((
    'slip_stiffness', 'wheel_lag', 'wheel_delay', 'friction_coefficient'))
_LEAST_RATIO = 3.0
"""Error over what noise explains from which a model lacks something."""
_BENCH = 'not observable in these drives; measure it on the bench'
_LEAST_ERRORS = 0.005, 0.01
"""Errors of heading [rad] and position [m] that logs without visible noise have all the same."""

FITTED = 'fitted'
_TITLES = {'rolling': 'kinematic fit without understeer', 'kinematic': 'kinematic fit',
           'actuators': 'unfitted tyres, fitted actuators'}
"""Baselines by the stage that they come from."""


class Estimate(NamedTuple):
    """One line of the result.

    value [unit]; interval: 90 %, None where it is assumed; spread: standard error between
    sessions, None with one; status; source: where the value is from.
    """

    name: str
    value: float
    unit: str
    interval: tuple[float, float] | None
    spread: float | None
    status: Identifiability
    source: str


class StageReport(NamedTuple):
    """What a stage came to: its fit, and in words."""

    stage: Stage
    fit: Fit
    text: str


@dataclass(frozen=True)
class Identification:
    """The result.

    values, kind: of the model that was adopted; estimates: by name; profiles: of what was
    estimated; evaluations: of the drives fitted; left_out: of each drive by the fit of the others,
    empty with one. baselines: fitted to the same drives, by the name of their stage. wheelspin: by
    drive, share of the moving time in which the wheels slip, lag of the measurement taken out.
    warnings: what the errors of the fit say against it, a sentence each.
    """

    vehicle: VehicleParameters
    drives: tuple[Drive, ...]
    kind: str
    values: Values
    estimates: dict[str, Estimate]
    profiles: dict[str, Profile]
    stages: list[StageReport]
    evaluations: list[Evaluation]
    left_out: list[Evaluation]
    baselines: dict[str, Candidate]
    wheelspin: dict[str, float]
    warnings: list[str]

    @property
    def final(self) -> Fit:
        """The fit of the model that was adopted."""
        return self.stages[-1].fit

    @property
    def candidate(self) -> Candidate:
        """The result as something to evaluate."""
        return Candidate(FITTED, self.kind, self.values)


def identify(
    drives: Sequence[Drive], vehicle: VehicleParameters, *, free: Sequence[str] = (),
    leave_out: bool = True, combined: bool = False,
    progress: Callable[[float, str], None] | None = None,
) -> Identification:
    """Fit a vehicle to drives.

    vehicle: what is assumed of what drives cannot tell: mass, geometry, inertia; and where the
    search starts. free: names of FREEABLE to estimate too. leave_out: whether to fit again without
    each drive in turn. combined: whether to fit combined slip even where hardly a wheel spins.
    progress: called with the share done and what is being done.
    Raises RunError where the drives do not suffice, ConfigurationError for a name in free.
    """
    free = tuple(free)
    check_freed(free)
    names = [drive.name for drive in drives]
    if len(set(names)) != len(names):
        raise RunError(f'two drives are called {max(names, key=names.count)}: rename a file')
    tell = progress or (lambda share, text: None)
    reports, wheelspin = _run_stages(drives, vehicle, free, combined, tell)
    parts = reports[-1].fit.problem.parts
    last, profiles, dropped = settle(reports[-1].fit, _demand(parts), tell)
    reports[-1] = reports[-1]._replace(fit=last, text=_described(last))
    tell(0.6, 'sessions left out')
    others = _leave_out(parts, reports, last, vehicle) if leave_out and len(parts) > 1 else []
    between = spreads([row[reports[-1].stage.name] for row in others], last)
    statuses = {name: classify(last, name, profiles[name], _demand(parts), between.get(name))
                for name in last.names}
    estimates = _estimates(last, statuses, dropped, between, vehicle)
    tell(0.85, 'speed response')
    speed = identify_speed_response(drives, vehicle, leave_out=leave_out)
    estimates |= _speed_estimates(speed, vehicle)
    if speed.fit is not None:
        profiles |= speed.profiles
    tell(0.9, 'baselines')
    fits = {report.stage.name: report.fit for report in reports}
    evaluations = evaluate([part.drive for part in parts], _candidates(fits, vehicle), vehicle)
    left_out = [evaluation for part, row in zip(parts, others, strict=False)
                for evaluation in evaluate([part.drive], _candidates(row, vehicle), vehicle)]
    tell(1.0, 'done')
    return Identification(
        vehicle, tuple(drives), reports[-1].stage.kind, _shared(last.values) | {
            name: estimates[name].value for name in STAGES['speed'].unknowns},
        estimates, profiles, [*_speed_report(speed), *reports], evaluations, left_out,
        _baselines(fits), wheelspin | _wheelspin(last),
        _missed(parts, evaluations, last.problem.stage.kind))


def _wheelspin(found: Fit) -> dict[str, float]:
    return {part.drive.name: share_of_wheelspin(part.drive, wheels_of(
        found.values, found.values[f'wheel_scale:{part.drive.name}']))
        for part in found.problem.parts}


def _missed(
    parts: Sequence[Part], evaluations: Sequence[Evaluation], kind: str,
) -> list[str]:
    """Return a sentence for each drive that the fit misses by more than noise explains."""
    causes = 'slopes, another floor, springs' if kind == 'combined' else (
        'wheelspin, which --combined-slip fits; slopes, another floor')
    said = []
    for part, evaluation in zip(parts, evaluations, strict=True):
        score, explained = evaluation.scores[FITTED], noise_errors(part.drive)
        ratio, text = max((error / max(noise, least), f'{what} {error:.2g} {unit}')
                          for what, unit, error, noise, least in (
            ('heading', 'rad', score.heading, explained[0], _LEAST_ERRORS[0]),
            ('position', 'm', score.position, explained[1], _LEAST_ERRORS[1])))
        if ratio > _LEAST_RATIO:
            said.append(
                f'{part.drive.name}: errors of the fit after {HORIZON:g} s ({text}) are'
                f' {ratio:.1f} times what the noise of the log explains: the drive has something'
                f' that the model lacks ({causes}), and intervals may be too narrow')
    return said


def _speed_report(speed: SpeedResponse) -> list[StageReport]:
    if speed.fit is None:
        return []
    text = _described(speed.fit)
    return [StageReport(STAGES['speed'], speed.fit, f'{text}; {speed.reason}' if speed.reason else
                        text)]


def _speed_estimates(speed: SpeedResponse, vehicle: VehicleParameters) -> dict[str, Estimate]:
    estimates = {}
    for name, status in speed.statuses.items():
        unit = UNKNOWNS[name].unit
        if speed.fit is None or name not in speed.fit.names:
            estimates[name] = Estimate(
                name, prior(vehicle)[name], unit, None, None, status,
                f"vehicle file '{vehicle.name}' or none")
            continue
        source = f'{len(speed.fit.problem.parts)} drives, stage speed'
        estimates[name] = Estimate(
            name, speed.fit.values[name], unit, speed.fit.interval(name), speed.between.get(name),
            status, f'{source}; {speed.reason}' if speed.reason else source)
    return estimates


def _run_stages(
    drives: Sequence[Drive], vehicle: VehicleParameters, free: tuple[str, ...], combined: bool,
    tell: Callable[[float, str], None],
) -> tuple[list[StageReport], dict[str, float]]:
    """Return the stages and the share of wheelspin by drive; combined: see identify()."""
    values = search_start(vehicle)
    reports: list[StageReport] = []
    # What only leads to the result has half the windows.
    apart = parts_of(drives, every=WINDOW)

    def run(stage: Stage) -> Fit:
        tell(0.06 * len(reports), stage.text)
        base = prior(vehicle) | ({'understeer_gradient': 0.0} if stage.name == 'rolling' else {})
        own = parts_of(drives, steady=True) if stage.steady else apart
        found = fit(Problem(own, stage, vehicle, base), {
            key: value for key, value in values.items()
            if key in stage.unknowns or key.startswith('wheel_scale:')}, tolerance=2e-4)
        if stage.name not in ('rolling', 'actuators'):
            values.update((key, found.values[key]) for key in found.names)
        reports.append(StageReport(stage, found, _described(found)))
        return found

    for name in ('rolling', 'kinematic', 'actuators'):
        run(STAGES[name])
    # Without steady windows tyres start at those of the vehicle.
    with contextlib.suppress(RunError):
        run(STAGES['linear'])
    last = run(STAGES['fiala'])
    wheelspin = {drive.name: share_of_wheelspin(drive, WheelSensor()) for drive in drives}
    wheelspin |= _wheelspin(last)
    probed = _probe(last, drives)
    if probed is not None:
        wheelspin |= _wheelspin(probed)
    if combined or (probed is not None and max(wheelspin.values()) > WHEELSPIN_SEEN):
        stage = STAGES['combined']
        last = run(stage._replace(unknowns=(*stage.unknowns, *free)))
    else:
        # Only the model of combined slip has forces along the car.
        own = tuple(name for name in free if name != 'cog_height')
        stage = last.problem.stage
        last = replace(last, problem=replace(
            last.problem, stage=stage._replace(unknowns=(*stage.unknowns, *own))))
    last = fit(replace(last.problem, parts=best_begun(last, drives)), last.values)
    reports[-1] = StageReport(last.problem.stage, last, _described(last))
    return reports, wheelspin


def _probe(found: Fit, drives: Sequence[Drive]) -> Fit | None:
    """Return a rough fit of combined slip that shows how much the wheels of drives slip.

    found: of the stage before, whose stiffnesses and steering are kept; its friction is often far
    off, as it knows no wheelspin. None where the speeds of wheels and car hardly differ.
    """
    if not any(share_of_wheelspin(part.drive, WheelSensor(
            found.values[f'wheel_scale:{part.drive.name}']), _HINT_OF_SLIP) > WHEELSPIN_SEEN
            for part in found.problem.parts):
        return None
    try:
        parts = parts_of(drives, every=_PROBED)
    except RunError:
        parts = list(found.problem.parts)
    stage = STAGES['combined']
    base = {key: value for key, value in found.values.items() if ':' not in key}
    start = search_start(found.problem.vehicle)
    return fit(
        Problem(parts, stage, found.problem.vehicle, base, frozenset(stage.unknowns) - _SLIPPING),
        {name: start[name] for name in _SLIPPING} | {
            name: found.values[name] for name in found.names if ':' in name}, tolerance=1e-2)


def _leave_out(
    parts: Sequence[Part], reports: Sequence[StageReport], last: Fit, vehicle: VehicleParameters,
) -> list[dict[str, Fit]]:
    """Return the fits of the baselines and of the result without each drive in turn."""
    rows = []
    for index in range(len(parts)):
        rest = [*parts[:index], *parts[index + 1:]]
        row = {}
        for report in reports:
            name = report.stage.name
            if name not in _TITLES and report is not reports[-1]:
                continue
            own = last if report is reports[-1] else report.fit
            row[name] = fit(
                Problem(rest, own.problem.stage, vehicle, own.problem.base, own.problem.fixed),
                {key: own.values[key] for key in own.names
                 if key != f'wheel_scale:{parts[index].drive.name}'})
        rows.append(row)
    return rows


def _candidates(fits: Mapping[str, Fit], vehicle: VehicleParameters) -> list[Candidate]:
    *_, last = fits.values()
    return [Candidate(f'unfitted {vehicle.name}, Fiala', 'fiala', prior(vehicle), False),
            *_baselines(fits).values(),
            Candidate(FITTED, last.problem.stage.kind, _shared(last.values))]


def _baselines(fits: Mapping[str, Fit]) -> dict[str, Candidate]:
    return {name: Candidate(title, fits[name].problem.stage.kind, _shared(fits[name].values))
            for name, title in _TITLES.items()}


def _shared(values: Values) -> Values:
    return {name: value for name, value in values.items() if ':' not in name}


def _demand(parts: Sequence[Part]) -> float:
    """Return the acceleration that 1 % of the moving time exceeds [m/s^2]."""
    rows = []
    for part in parts:
        drive = part.drive
        ahead = np.gradient(drive.vx, drive.period) - drive.vy * drive.yaw_rate
        side = np.gradient(drive.vy, drive.period) + drive.vx * drive.yaw_rate
        # Of the steady part: noise of a derivative is no use of friction.
        width = max(round(0.2 / drive.period), 1)
        kernel = np.full(width, 1.0 / width)
        moving = drive.valid & (np.abs(drive.vx) > 0.5)
        rows.append(np.hypot(np.convolve(ahead, kernel, 'same'),
                             np.convolve(side, kernel, 'same'))[moving])
    return float(np.quantile(np.concatenate(rows), 0.99))


def _estimates(
    last: Fit, statuses: Mapping[str, Identifiability], dropped: Mapping[str, Identifiability],
    between: Mapping[str, float], vehicle: VehicleParameters,
) -> dict[str, Estimate]:
    seconds = sum(part.drive.duration for part in last.problem.parts)
    source = (f'{len(last.problem.parts)} drives, {seconds:.0f} s, stage'
              f' {last.problem.stage.name}')
    estimates = {}
    for name in last.names:
        estimates[name] = Estimate(
            name, last.values[name], UNKNOWNS[name.partition(':')[0]].unit, last.interval(name),
            between.get(name), statuses[name], source)
    assumed = f"vehicle file '{vehicle.name}'"
    for name, status in dropped.items():
        estimates[name] = Estimate(name, last.values[name], UNKNOWNS[name].unit, None, None,
                                   status, f'{assumed} or none' if name.startswith(
                                       ('steering', 'wheel')) else assumed)
    spun = 'no wheelspin in the drives; --combined-slip estimates it'
    reasons = {'yaw_inertia': 'from the bench; --free yaw_inertia estimates it',
               'cog_height': 'from the bench; --free cog_height estimates it' if (
                   last.problem.stage.kind == 'combined') else spun,
               'slip_stiffness': spun, 'wheel_lag': spun, 'wheel_delay': spun}
    for name, reason in reasons.items():
        if name not in estimates:
            estimates[name] = Estimate(
                name, prior(vehicle)[name], UNKNOWNS[name].unit, None, None,
                Identifiability(ASSUMED, reason), assumed)
    for name, value, unit in (('mass', vehicle.mass, 'kg'),
                              ('cog_to_front_axle', vehicle.cog_to_front_axle, 'm'),
                              ('cog_to_rear_axle', vehicle.cog_to_rear_axle, 'm')):
        estimates[name] = Estimate(name, value, unit, None, None,
                                   Identifiability(ASSUMED, _BENCH), assumed)
    return estimates


def _described(found: Fit) -> str:
    windows = sum(len(part.windows.starts) for part in found.problem.parts)
    residuals = found.problem.residuals(found.values)
    # Beyond the end of a window that is shorter than others they are exactly 0.
    count = max(int(np.count_nonzero(residuals)), 1)
    rms = math.sqrt(float(np.sum(residuals**2)) / count)
    lead = max(part.windows.lead * part.drive.period for part in found.problem.parts)
    begun = f' after a run-in of {lead:g} s' if lead else ''
    return (f'{windows} windows{begun}, {found.evaluations} evaluations, RMS of the scaled errors'
            f' {rms:.2f}, singular values {found.singular_values[0]:.3g} to'
            f' {found.singular_values[-1]:.3g}')
