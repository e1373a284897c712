# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the wheels follow the commanded speed: delay and lag, where the command is what they follow.

    T w' = g u(t - d) - w

w measured speed of the wheels, u command, d delay, T lag, g gain of the drive (not of the vehicle:
it takes up units and battery). As the equation is linear, the speed in a window is the response to
the whole command, y, plus what was off at its start: w(t) = y(t) + c exp(-t/T). c is that of the
least squared error within SETTING. The first sample alone would do, but the noise of c would make
T too small, as that lets it fade sooner; and c fitted to all of the window would hide that the
command does not explain the speed. Windows follow one another, so that each sample counts once,
and are as long as a block of the jackknife where the drive allows it, as each start costs what its
first part tells. Loss and intervals are those of estimation; an error of SIGMA counts as one.

A limiter, a brake or a hand on another remote control may rule the speed instead of the command.
A drive is used only if g is within GAINS and the prediction takes off LEAST_EXPLAINED of the
squared error of a speed that stays as it is or is the mean, whichever is less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
import math
from typing import ClassVar

import numpy as np
from scipy.linalg import solve_banded
from scipy.ndimage import find_objects, label

from racecar.dynamics.vehicles import VehicleParameters
from racecar.identification.drive import Array, Drive
from racecar.identification.estimation import Fit, fit, Part, Problem, WINDOW
from racecar.identification.identifiability import (
    classify,
    Identifiability,
    Profile,
    UNIDENTIFIABLE,
)
from racecar.identification.prediction import Windows
from racecar.identification.settling import settle, spreads
from racecar.identification.unknowns import prior, search_start, STAGES, Values

SIGMA = 0.2
"""Error of the predicted speed that counts as one [m/s]."""
SETTING = 0.1
"""First part of a window, which tells the speed that it starts with [s]."""
LEAST_EXPLAINED = 0.3
GAINS = (0.6, 1.7)
"""Range of the gain in which the wheels follow the command."""
LONGEST_WINDOW = 5.0
"""Longest window and block of the jackknife [s]; the shortest window is WINDOW."""
_LEAST_WINDOWS = 3
_LEAST_CHANGE = 0.1
"""Change of the speed within a window from which it tells something [m/s]."""
_LEAD = 0.4
"""Time under commands before a window, for the delay [s]."""
_LEAST_LAG = 1e-6
"""What stands for no lag at all [s]."""
_NAMES = STAGES['speed'].unknowns


@dataclass
class SpeedProblem(Problem):
    """Windows of the speed of the wheels: initial (w, 1), measured (w, h, 1), h from the start.

    measured is NaN after the end of windows that are shorter than others; residuals are 0 there.
    """

    of_drive: ClassVar[str] = 'speed_gain'

    def residuals(self, values: Values, parts: Sequence[Part] | None = None) -> Array:
        """Return the scaled residuals of parts (all), those of a window in succession."""
        rows = [((predict_speed(part, values) - part.windows.measured) / SIGMA).ravel()
                for part in (self.parts if parts is None else parts)]
        residuals: Array = np.nan_to_num(np.concatenate(rows))
        return residuals


@dataclass(frozen=True)
class SpeedResponse:
    """What was found: the fit (None without a drive to use), statuses, and what goes with them.

    profiles, statuses, between (standard errors between sessions): by name. reason: why there is
    nothing, or which drives were not used and why; '' if all were.
    """

    fit: Fit | None
    statuses: dict[str, Identifiability]
    profiles: dict[str, Profile]
    between: dict[str, float]
    reason: str


def speed_windows(drive: Drive) -> Windows:
    """Cut windows in which the speed of the wheels changes, forwards and under commands."""
    least, most, lead = (round(time / drive.period) for time in (WINDOW, LONGEST_WINDOW, _LEAD))
    forward = drive.valid & (drive.wheel_speed > -0.05) & (
        np.nan_to_num(drive.speed_command, nan=-1.0) > -0.05)
    begun: list[int] = []
    ends: list[int] = []
    for (stretch,) in find_objects(label(forward)[0]):
        own = range(stretch.start + lead, stretch.stop + 1 - least, most)
        begun += own
        ends += [min(start + most, stretch.stop) for start in own]
    starts, at = np.array(begun, dtype=np.int64), np.arange(most)
    samples = starts[:, None] + at[None, :]
    inside = samples < np.array(ends, dtype=np.int64)[:, None]
    measured = np.where(
        inside, drive.wheel_speed[np.minimum(samples, drive.x.size - 1)], np.nan)
    changes = np.nanmax(np.abs(measured - measured[:, :1]), axis=1, initial=0.0) > _LEAST_CHANGE
    starts = starts[changes]
    return Windows(starts, drive.wheel_speed[starts][:, None], at, measured[changes][:, :, None],
                   (starts * drive.period / LONGEST_WINDOW).astype(np.int64))


def predict_speed(part: Part, values: Values) -> Array:
    """Return the speed of the wheels (w, h, 1) that the command explains [m/s]."""
    drive, windows = part.drive, part.windows
    response = respond_to(
        values[f'speed_gain:{drive.name}'] * np.nan_to_num(drive.speed_command),
        values['speed_delay'], values['speed_lag'], drive.period)
    fading = np.exp(-windows.horizons * drive.period / max(values['speed_lag'], _LEAST_LAG))
    at = np.minimum(windows.starts[:, None] + windows.horizons[None, :], response.size - 1)
    expected = response[at]
    first = round(SETTING / drive.period)
    early = fading[:first]
    off = (windows.measured[:, :first, 0] - expected[:, :first]) @ early / (early @ early)
    speeds: Array = expected + off[:, None] * fading[None, :]
    return speeds[:, :, None]


def respond_to(command: Array, delay: float, lag: float, period: float) -> Array:
    """Return the response at each sample to a command that holds between samples."""
    whole = math.floor(delay / period)
    share = delay / period - whole
    at = np.arange(command.size)
    newer, older = (command[np.maximum(at - steps, 0)] for steps in (whole, whole + 1))
    # Within a sample the older command holds for its share, then the newer one: exact.
    stays = math.exp(-period / max(lag, _LEAST_LAG))
    fades = math.exp(-(1.0 - share) * period / max(lag, _LEAST_LAG))
    # w' = stays w + added from the first sample on, as a system with two diagonals.
    added = (1.0 - fades) * newer + (fades - stays) * older
    diagonals = np.ones((2, command.size))
    diagonals[1] = -stays
    response: Array = solve_banded((1, 0), diagonals, np.concatenate([command[:1], added[:-1]]))
    return response


def identify_speed_response(
    drives: Sequence[Drive], vehicle: VehicleParameters, *, leave_out: bool = True,
) -> SpeedResponse:
    """Return delay and lag of the speed, with statuses; leave_out: whether to tell the spread."""
    parts, remarks = [], []
    for drive in drives:
        part = Part(drive, speed_windows(drive))
        if np.isnan(drive.speed_command).all():
            remarks.append(f'{drive.name} has no speed_command')
        elif len(part.windows.starts) < _LEAST_WINDOWS:
            remarks.append(f'{drive.name} hardly changes its speed under commands')
        else:
            remark = _not_ruled(part, vehicle)
            if remark:
                remarks.append(f'in {drive.name} speed_command does not rule the speed ({remark})')
            else:
                parts.append(part)
    reason = '; '.join(remarks)
    if not parts:
        return SpeedResponse(
            None, dict.fromkeys(_NAMES, Identifiability(UNIDENTIFIABLE, reason)), {}, {}, reason)
    found, profiles, dropped = settle(_fitted(parts, vehicle), math.inf, lambda share, text: None)
    others = [
        fit(replace(found.problem, parts=[*parts[:index], *parts[index + 1:]]), {
            name: found.values[name] for name in found.names
            if name != f'speed_gain:{parts[index].drive.name}'})
        for index in range(len(parts))] if leave_out and len(parts) > 1 else []
    between = spreads(others, found)
    statuses = {name: classify(found, name, profiles[name], math.inf, between.get(name))
                for name in found.names if ':' not in name}
    return SpeedResponse(found, {**statuses, **dropped}, profiles, between, reason)


def _fitted(parts: Sequence[Part], vehicle: VehicleParameters) -> Fit:
    start = search_start(vehicle)
    return fit(SpeedProblem(parts, STAGES['speed'], vehicle, prior(vehicle)),
               {name: start[name] for name in _NAMES})


def _not_ruled(part: Part, vehicle: VehicleParameters) -> str:
    """Evidence that something other than the command governs the speed; '' without any."""
    values = _fitted([part], vehicle).values
    gain = values[f'speed_gain:{part.drive.name}']
    if not GAINS[0] <= gain <= GAINS[1]:
        return f'the wheels reach {gain:.2g} of it'
    windows = part.windows
    error = predict_speed(part, values) - windows.measured
    stays = windows.initial[:, None, :] - windows.measured
    mean = np.nanmean(windows.measured) - windows.measured
    share = 1.0 - float(np.nansum(error**2) / min(np.nansum(stays**2), np.nansum(mean**2)))
    return '' if share >= LEAST_EXPLAINED else f'it explains {max(share, 0.0):.0%} of its changes'
