# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Race lines made for a track and a vehicle."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
import functools
import hashlib
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ParameterError
from racecar.control.racelines.closed_spline import ClosedSpline
from racecar.control.racelines.minimum_curvature import minimum_curvature, MinimumCurvature, STEP
from racecar.control.racelines.minimum_time import (
    minimum_time,
    minimum_times,
    MinimumTime,
    OnIteration,
    TimeProblem,
)
from racecar.control.racelines.names import CURVATURE, METHODS, PLAIN_MODEL, SLIP_ANGLE, TIME
from racecar.control.racelines.raceline import bound_note, Raceline
from racecar.control.racelines.speed_profile import speed_profile
from racecar.control.racelines.time_models import TIME_MODELS
from racecar.control.racelines.track import Stations, Track
from racecar.dynamics.vehicles.design import VehicleDesign
from racecar.dynamics.vehicles.grip_map import GripMap
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set

Array = NDArray[np.float64]

# Steps of the speed profile and of files [m].
_FINE, _FILE = 0.05, 0.2
# Of the speeds of the profile, to start the search for the least time from.
_STARTING_SHARE = 0.95


@dataclass(frozen=True)
class RacelineDesign:
    """How a line is made.

    margin: from the line to the borders, at least half the width of the car [m]; step: of the
    solvers [m]; speed_limit [m/s]; steering_rate: largest, of the least time [rad/s]; grip: share
    of the friction that is used; tyre_model: of make_tyre_set(); model: of the least time, a name
    in TIME_MODELS; slip_angle: largest of the tyres, of the least time [rad].
    """

    method: str = CURVATURE
    margin: float = 0.3
    step: float = STEP
    speed_limit: float = math.inf
    steering_rate: float = 3.2
    grip: float = 1.0
    tyre_model: str = 'pacejka'
    model: str = PLAIN_MODEL
    slip_angle: float = SLIP_ANGLE

    def check(self, vehicle: VehicleParameters) -> None:
        """Raise ParameterError for what cannot be."""
        if self.method not in METHODS:
            raise ParameterError(
                f"method is {self.method!r}, expected one of {', '.join(METHODS)}")
        if self.model not in TIME_MODELS:
            raise ParameterError(
                f"model is {self.model!r}, expected one of {', '.join(TIME_MODELS)}")
        half = _half_width(vehicle)
        if not half <= self.margin <= 100.0:
            raise ParameterError(
                f'margin is {self.margin:g} m, expected at least half the width of the vehicle,'
                f' {half:.3f} m')
        for name, value, least, most in (
                ('step', self.step, 0.01, 10.0),
                ('speed_limit', self.speed_limit, 0.6, math.inf),
                ('steering_rate', self.steering_rate, 1e-3, 1e3),
                ('slip_angle', self.slip_angle, 0.01, 1.0)):
            if not least <= value <= most:
                raise ParameterError(f'{name} is {value:g}, expected {least:g} to {most:g}')


@dataclass(frozen=True)
class MadeRaceline:
    """A line; iterations and residual of its solver, None where none ran."""

    line: Raceline
    iterations: int | None
    residual: float | None


def make_raceline(
    track: Track, vehicle: VehicleParameters, design: RacelineDesign, *, bound: bool = False,
    on_iteration: OnIteration = lambda _: None,
) -> MadeRaceline:
    """Line round a track for a vehicle.

    bound: note the least lap times on the track as well, of all models that know the tyres, by
    their whole friction and default slip angle, and with no larger margin than the default, or
    half the width of a wider car, so that lines that keep something in reserve have the same
    bounds; on_iteration: told how far the search for the least time is. Raises
    ConfigurationError for what is not possible, ParameterError for a design that cannot be.
    """
    design.check(vehicle)
    ideal = replace(design, grip=1.0, slip_angle=SLIP_ANGLE, margin=min(
        design.margin, max(RacelineDesign.margin, _half_width(vehicle))))
    searched: dict[RacelineDesign, set[str]] = {}
    if design.method == TIME:
        searched[design] = {design.model}
    if bound:
        tyres = make_tyre_set(vehicle, design.tyre_model).model.name
        searched.setdefault(ideal, set()).update(
            name for name, model in TIME_MODELS.items() if tyres in model.tyre_models)
    bend_of = functools.cache(lambda margin: minimum_curvature(track, margin, design.step))
    least = {each: _least_times(
        track, vehicle, each, bend_of(each.margin), sorted(models), on_iteration)
        for each, models in searched.items()}
    solved: MinimumCurvature | MinimumTime | None = None
    fastest = least[design].lines[design.model] if design.method == TIME else None
    if fastest is not None:
        solved, points, speed = (
            fastest, least[design].about.at(fastest.offsets), fastest.speed)
    else:
        if design.method == CURVATURE:
            solved = bend = bend_of(design.margin)
            points = bend.stations.at(bend.offsets)
        else:
            points = track.stations(design.step).points
            points = np.vstack([points, points[:1]])
        speed = _profile(
            points, GripMap.of(vehicle, design.tyre_model, grip=design.grip), design.speed_limit)
    line = Raceline.through(points, speed, _FILE)
    widths = track.about(line.points, _FILE).widths
    widths = np.vstack([widths, widths[:1]])[:len(line.s)]
    lap_time = line.lap_time if fastest is None else fastest.lap_time
    notes = {
        'track': track.name, 'track_sha256': track.digest, 'vehicle': vehicle.name,
        'vehicle_sha256': vehicle_digest(vehicle), 'tyre_model': design.tyre_model,
        'method': design.method, 'margin': f'{design.margin:g}', 'step': f'{design.step:g}',
        'speed_limit': f'{design.speed_limit:g}', 'grip': f'{design.grip:g}',
        'lap_time': f'{lap_time:.4f}'}
    if fastest is not None:
        notes['model'] = design.model
    if least:
        notes['steering_rate'] = f'{design.steering_rate:g}'
    if design.slip_angle != SLIP_ANGLE:
        notes['slip_angle'] = f'{design.slip_angle:g}'
    if ideal in least:
        notes |= {bound_note(model): f'{found.lap_time:.4f}'
                  for model, found in least[ideal].lines.items()}
    made = replace(line, widths=widths, notes=notes)
    return MadeRaceline(made, *(None, None) if solved is None else (
        solved.iterations, solved.residual))


def _half_width(vehicle: VehicleParameters) -> float:
    return 0.5 * (vehicle.width or vehicle.width_over_wheels)


class _LeastTimes(NamedTuple):
    """Lines of least time by model, and the stations that their offsets are from."""

    about: Stations
    lines: dict[str, MinimumTime]


def _least_times(
    track: Track, vehicle: VehicleParameters, design: RacelineDesign, bend: MinimumCurvature,
    models: list[str], on_iteration: OnIteration,
) -> _LeastTimes:
    """Lines of least time of some models, sought about the line of least curvature."""
    about = track.about(bend.stations.at(bend.offsets), design.step)
    grip = GripMap.of(vehicle, design.tyre_model, grip=design.grip)
    return _LeastTimes(about, minimum_times(
        _problem(about, vehicle, design, grip, about.offset_limits(design.margin)), models,
        on_iteration))


def time_on(
    track: Track, vehicle: VehicleParameters, design: RacelineDesign, points: Array,
    corridor: float = 0.03,
) -> MinimumTime:
    """Least lap time of the model of least time that stays near a line.

    points: (n + 1, 2) of the line [m]; corridor: to either side, within the margin [m]. With
    it lines of different methods are compared in one model.
    """
    grip = GripMap.of(vehicle, design.tyre_model, grip=design.grip)
    about = track.about(points, design.step)
    low, high = about.offset_limits(design.margin)
    # The line itself may touch the margin.
    return minimum_time(_problem(about, vehicle, design, grip, (
        np.minimum(np.maximum(low, -corridor), 0.0),
        np.maximum(np.minimum(high, corridor), 0.0))), design.model)


def vehicle_digest(vehicle: VehicleParameters) -> str:
    """SHA-256 of the numbers of a vehicle that its motion depends on."""
    known = {row.name: getattr(vehicle, row.name) for row in fields(VehicleDesign)}
    text = ';'.join(f'{name}={value!r}' for name, value in sorted(known.items())
                    if not hasattr(value, '__dict__') and type(value) in (int, float, str))
    return hashlib.sha256(text.encode()).hexdigest()


def _problem(
    about: Stations, vehicle: VehicleParameters, design: RacelineDesign, grip: GripMap,
    limits: tuple[Array, Array],
) -> TimeProblem:
    """Problem of least time about a line, from that line at speeds that it can be driven with."""
    profile = speed_profile(about.curvature, about.step, grip, design.speed_limit)
    start = np.clip(np.zeros(len(about.s)), *limits)
    return TimeProblem(
        about, vehicle, make_tyre_set(vehicle, design.tyre_model), *limits, start,
        _STARTING_SHARE * profile.speed, design.speed_limit, design.steering_rate, design.grip,
        design.slip_angle)


def _profile(points: Array, grip: GripMap, speed_limit: float) -> Array:
    """Speeds of the friction ellipse at points (m + 1, 2) of a closed line, (m,) [m/s]."""
    spline = ClosedSpline.through(points)
    count = math.ceil(spline.length / _FINE)
    s = np.arange(count + 1) * spline.length / count
    speed = speed_profile(
        spline.curvature(s[:-1]), spline.length / count, grip, speed_limit).speed
    return np.asarray(np.interp(spline.knots[:-1], s, np.append(speed, speed[0])))
