#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lap times of planners of others, and of our controllers, by the rules of Evans et al. (2024).

A planner is any object with plan(observation), which gives steering angle [rad] and speed [m/s],
and, if it likes, set_map(name). It drives the car of racecar.gym.f1tenth as in the clone of
github.com/BDEvan5/f1tenth_benchmarks, where maps, centre lines and planners are read from: Euler
steps of 10 ms, an answer every 4 steps, the first lap from the origin and the others from random
places of the centre line, all of them from rest. A lap ends at 99.5 % of the centre line, or when
one of the four corners is in a wall. docs/league.md says how its published table is repeated.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
import importlib
import json
import math
import os
from pathlib import Path
import statistics
import sys
import tempfile
from typing import NamedTuple, Protocol

from measuring import machine, print_table
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import splev, splprep

from racecar.base.errors import ConfigurationError
from racecar.base.types import Odometry
from racecar.base.values import Value
from racecar.catalogue.node_names import TRAJECTORY_TRACKER
from racecar.control.custom_controller import find_controller
from racecar.control.racelines.raceline import Raceline, read_raceline
from racecar.control.spline import spline_through
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.facade.race_file import ControllerDriver
from racecar.gym.f1tenth.maps import GymTrack
from racecar.gym.f1tenth.model import FORMER, PARAMETERS
from racecar.gym.f1tenth.simulation import GymOptions, GymSimulation
from racecar.stacks import describe_stack, StackOptions

Array = NDArray[np.float64]
Observation = Mapping[str, object]

SEED, STEP, STEPS = 12345, 0.01, 4
"""Of starts and noise; of the simulation [s]; of it in a period of the planner."""

END, SHORTEST, LONGEST = 0.995, 5.0, 250.0
"""Share of the centre line at which a lap ends; its time at least, and at most [s]."""

FASTEST, STEEPEST = 8.0, 0.4
"""Of the commands of our controllers, as of the planners there [m/s, rad]."""

# Beyond this share a car counts as at its start again, so that a lap whose end no period sees, as
# on a track of few metres, goes on.
_BEHIND = 0.999
_CM = 100.0
_NANOSECONDS = 1e9


class Planner(Protocol):
    """What drives."""

    def plan(self, obs: Observation) -> Sequence[float] | Array:
        """Steering angle [rad] and speed [m/s] for an observation.

        It has scan (1080,) [m], pose (3,): x, y [m], yaw [rad] of the centre of gravity,
        vehicle_speed [m/s], vehicle_state (7,): x, y, steering angle, speed, yaw, yaw rate, slip
        angle, laptime [s], progress and centre_line_progress: shares, collision, lap_complete.
        """


class Lap(NamedTuple):
    """start and progress: shares of the centre line; time [s]; is_complete: without a contact."""

    start: float
    time: float
    progress: float
    is_complete: bool


class CentreLine:
    """Vertices of a track from one end to the other, whose ends are neighbours."""

    def __init__(self, file: Path) -> None:
        """Read x, y [m] of a file, without its first row, as there. Raises ConfigurationError."""
        try:
            self.points = np.loadtxt(file, delimiter=',', skiprows=1, ndmin=2)[:, :2]
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"centre line '{file}' cannot be read, expected rows x, y, ...: {error}"
            ) from error
        self.way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(self.points, axis=0).T))])
        # As there, the spline of the starts closes at the last vertex.
        closed = np.concatenate([self.points[:-1], self.points[:1]])
        knots = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
        self._spline = spline_through(knots, closed, closed=True)

    def progress(self, x: float, y: float) -> float:
        """Share of the way to the last vertex that a place [m] has passed, in cm as there."""
        distances = np.hypot(self.points[:, 0] - x, self.points[:, 1] - y)
        nearest, count = int(distances.argmin()), len(distances)
        passed = nearest if distances[(nearest + 1) % count] <= distances[nearest - 1] \
            else nearest - 1
        if passed % count == count - 1:
            return 1.0
        return int(_CM * self.way[passed]) / (int(_CM * self.way[-1]) - 1)

    def pose(self, progress: float) -> Array:
        """x, y [m], yaw [rad] at a share of the way."""
        knots = self._spline.knots
        at = np.array([progress * knots[-1]])
        piece = np.searchsorted(knots, at, side='right') - 1
        (x, y), (dx, dy) = self._spline.point(at, piece)[0], self._spline.derivative(at, piece)[0]
        return np.array([x, y, math.atan2(dy, dx)])


class Trial:
    """A map with its car; each lap goes on with the random numbers of the one before."""

    def __init__(self, folder: Path, name: str) -> None:
        """folder: with maps/NAME.yaml and maps/NAME_centerline.csv. Raises ConfigurationError."""
        maps = folder / 'maps'
        self._track = GymTrack(str(maps / f'{name}.yaml'))
        self._line = CentreLine(maps / f'{name}_centerline.csv')
        self._simulation = GymSimulation(self._track.scene, PARAMETERS, GymOptions(
            1, SEED, STEP, 'euler', FORMER, ('speed', 'steering_angle'), 0, stops=False,
            renews=False))
        self._random = np.random.default_rng(SEED)
        self._is_first = True

    def lap(self, planner: Planner) -> Lap:
        """Drive one."""
        start, pose = 0.0, np.zeros(3)
        if not self._is_first:
            start = float(self._random.random())
            pose = self._line.pose(start)
        self._is_first = False
        self._simulation.reset(pose[None])
        action: Sequence[float] | Array = (0.0, 0.0)
        periods = 0
        while True:
            for _ in range(STEPS):
                self._simulation.step(np.array([action], float))
            periods += 1
            time = STEPS * STEP * periods
            state = self._simulation.agents[0].state
            place = self._line.progress(state[0], state[1])
            progress = place - start + (place <= start)
            if progress > _BEHIND:
                progress = 0.0
            hits = self._hits(state)
            is_over = progress > END and time > SHORTEST
            if periods > 1 and (hits or is_over or time > LONGEST):
                return Lap(start, time, progress, is_over and not hits)
            action = planner.plan({
                'scan': self._simulation.agent_scans[0].copy(), 'vehicle_state': state.copy(),
                'pose': state[[0, 1, 4]], 'vehicle_speed': float(state[3]), 'collision': hits,
                'lap_complete': False, 'laptime': time, 'progress': progress,
                'centre_line_progress': place})

    def _hits(self, state: Array) -> bool:
        """Whether a corner is in a wall."""
        grid = self._track.scene.grid
        assert grid is not None
        sine, cosine = math.sin(state[4]), math.cos(state[4])
        ahead, left = 0.5 * PARAMETERS['length'], 0.5 * PARAMETERS['width']
        return any(
            grid.is_wall(float(state[0] + a * cosine - b * sine),
                         float(state[1] + a * sine + b * cosine))
            for a, b in ((ahead, left), (ahead, -left), (-ahead, left), (-ahead, -left)))


def smoothed(line: str, deviation: float, folder: Path) -> str:
    """File in a folder with a line whose points may lie so far beside it, RMS [m].

    The smoothest closed cubic spline for that, with the speeds of the line; source: Dierckx, Curve
    and Surface Fitting with Splines, 1993. Raises ConfigurationError for a file that is no line.
    """
    raw = read_raceline(line)
    tck, _ = splprep(raw.points.T, s=len(raw.points) * deviation**2, per=True)
    places = np.column_stack(splev(np.linspace(0.0, 1.0, len(raw.points)), tck))
    file = folder / Path(line).name
    places[-1] = places[0]
    Raceline.through(places, raw.speed[:-1], float(raw.s[1])).write(file)
    return str(file)


class OwnPlanner:
    """A controller of ours on the race line of a map."""

    def __init__(
        self, controller: str, settings: Mapping[str, Value], line: str, share: float,
        smoothing: float = 0.0,
    ) -> None:
        """line: file, with {map} for the name of the map; share: of its speeds.

        smoothing: see smoothed() [m], 0 for the line as it is.
        """
        self._made_by, self._settings = find_controller(controller), settings
        self._line, self._share, self._smoothing = line, share, smoothing
        # Of smoothed lines, which each lap reads again.
        self._folder = tempfile.TemporaryDirectory()
        self._driver: ControllerDriver | None = None
        self._ahead = 0.0

    def set_map(self, name: str) -> None:
        """Take the line of a map. Raises ConfigurationError for one that cannot be used."""
        line = self._line.format(map=name)
        if self._smoothing > 0.0:
            line = smoothed(line, self._smoothing, Path(self._folder.name))
        values = {d.executable: d.resolve() for d in describe_stack('kinematic_ode', StackOptions(
            vehicle='f1tenth', trajectory='raceline', overrides={
                TRAJECTORY_TRACKER: {
                    'raceline_file': line,
                    'raceline_speed': self._share,
                    'reference_origin': 'map'}}))}[TRAJECTORY_TRACKER]
        self._ahead = VehicleParameters.from_values(values).odometry_offset
        self._driver = ControllerDriver(self._made_by, self._settings, values)

    def plan(self, obs: Observation) -> Sequence[float]:
        """Steering angle [rad] and speed [m/s]; begins anew where a lap does."""
        assert self._driver is not None
        state, time = np.asarray(obs['vehicle_state']), float(str(obs['laptime']))
        if time <= 1.5 * STEPS * STEP:
            self._driver.restart()
        x, y, _, speed, yaw, yaw_rate, slip = state.tolist()
        command = self._driver.answer(Odometry(
            round(time * _NANOSECONDS), x + self._ahead * math.cos(yaw),
            y + self._ahead * math.sin(yaw), math.sin(0.5 * yaw), math.cos(0.5 * yaw),
            speed * math.cos(slip), speed * math.sin(slip) + self._ahead * yaw_rate, yaw_rate))
        assert command is not None
        return (min(max(command.steering_angle, -STEEPEST), STEEPEST),
                min(max(command.speed, 0.0), FASTEST))


def planner_of(where: str, arguments: Mapping[str, object]) -> Planner:
    """Planner MODULE:CLASS with arguments by name. Raises ConfigurationError."""
    module, _, name = where.partition(':')
    try:
        made_by: Callable[..., Planner] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(
            f"planner '{where}' is not found, expected MODULE:CLASS that can be imported from the"
            f' clone: {error}') from error
    return made_by(**arguments)


def laps_of(planner: Planner, folder: Path, name: str, count: int) -> Iterator[Lap]:
    """Laps of a planner on a map, one by one."""
    set_map = getattr(planner, 'set_map', None)
    if set_map is not None:
        set_map(name)
    trial = Trial(folder, name)
    for _ in range(count):
        yield trial.lap(planner)


def mean_time(laps: Sequence[Lap]) -> float:
    """Of the complete ones, as there [s]; NaN if there is none."""
    times = [lap.time for lap in laps if lap.is_complete]
    return statistics.fmean(times) if times else math.nan


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('clone', type=Path, help='folder of f1tenth_benchmarks')
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument('--planner', help='MODULE:CLASS of the clone')
    who.add_argument('--controller', help='controller of ours by progress, by name or FILE:CLASS')
    parser.add_argument('--arguments', type=json.loads, default={}, metavar='JSON',
                        help='of the planner, or settings of the controller')
    parser.add_argument('--raceline', default='Data/racelines/mu90/{map}_raceline.csv',
                        help='of a controller, in the clone (default: %(default)s)')
    parser.add_argument('--smoothing', type=float, default=0.0, metavar='M',
                        help='RMS by which its points may lie beside what is driven [m]')
    parser.add_argument('--share', type=float, default=1.0, help='of the speeds of that line')
    parser.add_argument('--maps', nargs='+', default=['aut', 'esp', 'gbr', 'mco'])
    parser.add_argument('--laps', type=int, default=10)
    parser.add_argument('--json', action='store_true')
    given = parser.parse_args()
    if given.laps < 1:
        parser.error(f'--laps is {given.laps}, expected at least 1')
    if not 0.0 <= given.smoothing < math.inf:
        parser.error(f'--smoothing is {given.smoothing:g} m, expected at least 0')
    return given


def main() -> None:
    """Drive and print."""
    given = _arguments()
    given.clone = given.clone.resolve()
    sys.path.insert(0, str(given.clone))
    # Planners of the clone read and write files by their places in it.
    os.chdir(given.clone)
    planner = planner_of(given.planner, given.arguments) if given.planner else OwnPlanner(
        given.controller, given.arguments, given.raceline, given.share, given.smoothing)
    found: dict[str, list[Lap]] = {}
    for name in given.maps:
        found[name] = []
        for lap in laps_of(planner, given.clone, name, given.laps):
            found[name].append(lap)
            print(f'{name}: {json.dumps(lap._asdict())}', file=sys.stderr, flush=True)
    if given.json:
        print(json.dumps({name: [lap._asdict() for lap in laps] for name, laps in found.items()}))
        return
    print(machine())
    print_table(['map', 'mean lap [s]', 'complete', 'laps [s]'], [
        [name, f'{mean_time(laps):.3f}', f'{sum(lap.is_complete for lap in laps)}/{len(laps)}',
         ' '.join(f'{lap.time:.2f}' + ('' if lap.is_complete else '!') for lap in laps)]
        for name, laps in found.items()])


if __name__ == '__main__':
    try:
        main()
    except ConfigurationError as error:
        sys.exit(str(error))
