# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar reproduce`: the report's results table, run again."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
import json
from pathlib import Path
import sys
from typing import cast, NamedTuple

import numpy as np

from racecar.analysis.tyre_data import TyreCurve, TyreData
from racecar.base.columns import Array
from racecar.base.types import WHEEL_NAMES, WheelStates
from racecar.cli.output import ProgressBar
from racecar.metrics.tracking_error import compute_metrics, MergedTrack, Metrics
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.plant_car import PlantCar
from racecar.stacks import describe_stack, find_tracking_stack, StackOptions
from racecar.stacks.loops import make_held_loop
from racecar.world.world_parameters import COULOMB, PACEJKA, SERVOS

# What Gazebo drove: wheels that roll, at half the commanded speed, because the original's
# servo_commands assumes a wheel radius of 0.1 m where the URDF has 0.05 m.
_HALF_SPEED = {'vehicle_model': 'kinematic_bicycle', 'speed_gain': 0.5}
_EXACT_SPEED = {'vehicle_model': 'kinematic_bicycle', 'speed_gain': 1.0}

# The same in the 3-D world, by the wheels themselves: rad/s for each m/s, equal for all wheels and
# both hinges, as the original had it. The hinges are stiff: at the original's gain of 1 the loop
# with the exact speed diverges, for the tyres turn them back.
_ORIGINAL_WHEELS = {
    'wheel_drive': SERVOS, 'speed_to_wheel_rate': 10.0, 'wheel_rates': 'equal',
    'hinge_angles': 'equal'}
_EXACT_WHEELS = {'wheel_drive': SERVOS, 'speed_to_wheel_rate': 20.0}

# The table of B, C, D, E in the report, in place of the stiffness and friction of the vehicle.
_REPORTS_TYRE = {'tyre_parameters': 'given'}

# The original's law took the distance of its hinges for that of its axles [m].
_REPORTS_LAW = {'vehicle.cog_to_front_axle': 0.1, 'vehicle.cog_to_rear_axle': 0.1}

# The report feeds forward the velocity of the reference itself. It catches up at any speed: what
# half the speed leaves to the feedback is as fast as the reference.
_REPORTS_TRACKER = {'catch_up_speed': 100.0, 'exact_feed_forward': False}


# Of tracker and law, and of the odometry of the original under Gazebo [Hz].
_CONTROL_RATE, _GAZEBO_RATE = 100.0, 20.0

# The start, at rest and 45 degrees off the path, is over by then [s].
_SETTLED = 10.0

# What the formula of expected_error() leaves out: the changes along the eight.
_MARGIN = 0.05

# A car with a larger error has left its path [m]: how far it gets hangs on rounding.
_LOST = 0.5


class Reported(NamedTuple):
    """A run of the report: its name, RMSE [m], and sum of squared errors [m^2]."""

    name: str
    rmse: float
    sum_squared_error: float


ODE_EIGHT = Reported('eight, ODE simulator', 0.0072, 4.1942)
GAZEBO_EIGHT = Reported('eight, Gazebo', 0.0919, 13.5161)
PACEJKA_EIGHT = Reported('eight, Gazebo with Pacejka', 0.0774, 7.1684)
PACEJKA_LINE = Reported('line, Gazebo with Pacejka', 0.2643, 83.7069)


@dataclass(frozen=True)
class Result:
    """metrics: of the whole run; settled: without its first 10 s; tyre_data: None without tyres.

    expected: between which the settled RMSE of a car that grips must lie [m].
    """

    track: MergedTrack
    metrics: Metrics
    settled: Metrics
    expected: tuple[float, float]
    tyre_data: TyreData | None = None


@dataclass(frozen=True)
class Experiment:
    """A run of the report, its counterpart with the exact speed, or one that explains another.

    odometry_rate: of odometry [Hz], the last of which tracker and law use at their own rate, as
    those of the original did with Gazebo's 20 Hz. reported: the run of the report that it is held
    against, None if there is none; simulator, law, tracker: parameters that are not the defaults;
    late_ticks: control ticks by which the reference is late in the comparison; grips: whether the
    tyres stay below their peak, so that the expected error must be met; figure: number of the
    report's figure.
    """

    name: str
    vehicle: str
    trajectory: str
    duration: float
    odometry_rate: float
    simulator: Mapping[str, object] = field(default_factory=dict)
    reported: Reported | None = None
    stack: str = 'kinematic_ode'
    law: Mapping[str, object] = field(default_factory=dict)
    tracker: Mapping[str, object] = field(default_factory=dict)
    late_ticks: int = 0
    grips: bool = True
    figure: str = ''

    def run(self) -> Result:
        """Run it from the origin with heading 0 and compare at each odometry message."""
        stack = find_tracking_stack(self.stack)
        assert stack.tracker is not None
        assert stack.linearizer is not None
        descriptions = describe_stack(stack.name, StackOptions(
            vehicle=self.vehicle, trajectory=self.trajectory,
            overrides={stack.simulator: {**self.simulator, 'rate': self.odometry_rate},
                       stack.tracker: {**_REPORTS_TRACKER, **self.tracker},
                       stack.linearizer: self.law}))
        values = {description.executable: description.resolve() for description in descriptions}
        loop = make_held_loop(stack, values, _CONTROL_RATE)
        wheels = _Wheels(loop.simulator) if isinstance(loop.simulator, PlantCar) else None
        table = run_loop(loop, self.duration, wheels)
        track = _with_late_reference(table.track(), self.late_ticks)
        # The trajectory clock starts with the first odometry, so nothing is left out.
        return Result(
            track, compute_metrics(track, 0.0), compute_metrics(track, _SETTLED),
            expected_error(
                track.without_start(_SETTLED), values[stack.tracker], values[stack.simulator],
                values[stack.linearizer], self.late_ticks / _CONTROL_RATE,
                1.0 / self.odometry_rate - 1.0 / _CONTROL_RATE),
            None if wheels is None else wheels.data(track.t))

    @property
    def exact(self) -> Experiment:
        """The same with the exact speed, of which the report has nothing."""
        others = {key: value for key, value in self.simulator.items()
                  if key not in (*_ORIGINAL_WHEELS, *_HALF_SPEED)}
        exact = _EXACT_SPEED if 'speed_gain' in self.simulator else _EXACT_WHEELS
        return replace(self, name=f'{self.name}, exact speed', reported=None, figure='',
                       simulator={**others, **exact})


def expected_error(
    track: MergedTrack, tracker: Mapping[str, float], simulator: Mapping[str, float],
    law: Mapping[str, float], late: float, hold: float,
) -> tuple[float, float]:
    """RMSE between which a car that rolls without sliding must settle [m], low and high.

    track: whose reference counts; tracker, simulator, law: parameters; late: of the reference in
    the comparison [s]; hold: largest age of the odometry that the tracker uses [s].
    A car of gain g (speed over commanded speed) that keeps up with a reference of speed v needs
    g (v + Kp (e + v age)) = v, as the error that the tracker sees is that of an odometry so old:
    e = v ((1 - g)/(g Kp) - age) along the path. Across it the law turns the car by g L_law/L of
    the yaw rate r it asks for, at a point epsilon ahead whose lateral velocity the report's
    feed-forward leaves out: e = epsilon r L/(g L_law Kp). The age lies between 0 and hold.
    """
    seconds = np.gradient(track.t)
    vx, vy = np.gradient(track.reference_x) / seconds, np.gradient(track.reference_y) / seconds
    turned = np.unwrap(np.arctan2(vy, vx))
    speed = float(np.sqrt(np.mean(vx**2 + vy**2)))
    yaw_rate = float(np.sqrt(np.mean((np.gradient(turned) / seconds) ** 2)))
    gain = (float(simulator['speed_to_wheel_rate']) * float(simulator['vehicle.wheel_radius'])
            if 'speed_to_wheel_rate' in simulator else float(simulator['speed_gain']))
    ratio = _wheelbase(simulator) / _wheelbase(law)
    across = float(tracker['PL_distance']) * yaw_rate * ratio / (gain * float(tracker['Kp']))
    lags = [speed * ((1.0 - gain) / (gain * float(tracker['Kp'])) - age - late)
            for age in (0.0, hold)]
    errors = sorted(float(np.hypot(lag, across)) for lag in lags)
    return (1.0 - _MARGIN) * errors[0], (1.0 + _MARGIN) * errors[1]


def _wheelbase(values: Mapping[str, float]) -> float:
    return float(values['vehicle.cog_to_front_axle']) + float(values['vehicle.cog_to_rear_axle'])


def _with_late_reference(track: MergedTrack, ticks: int) -> MergedTrack:
    """Track whose odometry is compared with the reference some samples before."""
    if not ticks:
        return track
    return MergedTrack(track.t[ticks:], track.x[ticks:], track.y[ticks:],
                       track.reference_x[:-ticks], track.reference_y[:-ticks])


class _Wheels:
    """Keeps slip and forces of the wheels whenever a loop calls it."""

    def __init__(self, car: PlantCar) -> None:
        (entity,) = car.plant.entities
        self._read = cast(Callable[[], WheelStates], entity.output('wheels').read)
        self._rows: list[WheelStates] = []

    def __call__(self, tick: int) -> None:
        self._rows.append(self._read())

    def data(self, t: Array) -> TyreData:
        """Curves of all wheels at the times of the calls [s]."""
        curves: dict[str, dict[str, TyreCurve]] = {'fx': {}, 'fy': {}}
        for index, wheel in enumerate(WHEEL_NAMES):
            states = [row[index] for row in self._rows]
            for key, slip, force in (('fx', 'slip', 'longitudinal_force'),
                                     ('fy', 'slip_angle', 'lateral_force')):
                curves[key][wheel] = TyreCurve(
                    t, *(np.array([getattr(state, name) for state in states])
                         for name in (slip, force)))
        return TyreData(curves['fx'], curves['fy'])


def _in_world(
    name: str, trajectory: str, duration: float, contact_model: str, reported: Reported | None,
    figure: str = '', **tyre: object,
) -> Experiment:
    """Run in the 3-D world; tyre: parameters of the tyres."""
    return Experiment(
        name, 'racecar', trajectory, duration, _GAZEBO_RATE,
        {**_ORIGINAL_WHEELS, 'contact_model': contact_model, **tyre}, reported,
        'kinematic_world', _REPORTS_LAW, figure=figure)


_EIGHT_ODE = Experiment(
    'eight, ODE simulator', 'report', 'figure_eight', 80.0, _CONTROL_RATE,
    {'formulation': 'report'}, ODE_EIGHT, figure='7.2')
_EIGHT_BICYCLE, _LINE_BICYCLE = (
    Experiment(f'{name}, kinematic bicycle', 'racecar', trajectory, duration, _GAZEBO_RATE,
               _HALF_SPEED, reported)
    for name, trajectory, duration, reported in (
        ('eight', 'figure_eight', 80.0, GAZEBO_EIGHT),
        ('line (1, 1)', 'line', 60.0, PACEJKA_LINE)))
_EIGHT_WORLD = _in_world(
    'eight, 3-D world', 'figure_eight', 80.0, COULOMB, GAZEBO_EIGHT, '7.1')
_EIGHT_PACEJKA = _in_world(
    "eight, 3-D world, Pacejka, vehicle's tyre", 'figure_eight', 60.0, PACEJKA, PACEJKA_EIGHT)
_EIGHT_TABLE = replace(
    _in_world("eight, 3-D world, Pacejka, report's table", 'figure_eight', 60.0, PACEJKA,
              PACEJKA_EIGHT, '7.3', **_REPORTS_TYRE), grips=False)
_LINE_WORLD = _in_world('line (1, 1), 3-D world', 'line', 60.0, COULOMB, None)
_LINE_PACEJKA = _in_world(
    "line (1, 1), 3-D world, Pacejka, vehicle's tyre", 'line', 60.0, PACEJKA, PACEJKA_LINE)
_LINE_TABLE = _in_world("line (1, 1), 3-D world, Pacejka, report's table", 'line', 60.0, PACEJKA,
                        PACEJKA_LINE, '7.4', **_REPORTS_TYRE)

EXPERIMENTS = (
    _EIGHT_ODE,
    replace(_EIGHT_ODE, name='eight, ODE simulator, reference a tick late', late_ticks=1,
            figure=''),
    *(row for base in (_EIGHT_BICYCLE, _LINE_BICYCLE, _EIGHT_WORLD, _EIGHT_PACEJKA)
      for row in (base, base.exact)),
    _EIGHT_TABLE, _EIGHT_TABLE.exact,
    *(row for base in (_LINE_WORLD, _LINE_PACEJKA) for row in (base, base.exact)),
    _LINE_TABLE, replace(_LINE_TABLE.exact, grips=False),
)
"""The runs of the report, and each again with the exact speed."""

_EXACT_TABLE_LINE = _LINE_TABLE.exact


def _changed(
    base: Experiment, name: str, tracker: Mapping[str, object] | None = None, *,
    grips: bool = True, **lateral: float,
) -> Experiment:
    return replace(base, name=name, grips=grips, tracker=tracker or {}, simulator={
        **base.simulator, **{f'pacejka.lateral.{key}': value for key, value in lateral.items()}})


EXPLANATIONS = (
    _changed(_EXACT_TABLE_LINE, 'line, same slope, ten times the peak',
             stiffness_factor=1.0, friction=1.0),
    _changed(_EXACT_TABLE_LINE, 'line, four times the slope, same peak', grips=False,
             stiffness_factor=40.0),
    _changed(_EXACT_TABLE_LINE, 'line straight ahead', {'a_coeff': 2.0**0.5, 'b_coeff': 0.0}),
    _changed(_EIGHT_TABLE.exact, 'eight, same slope, ten times the peak',
             stiffness_factor=1.0, friction=1.0),
    replace(_EIGHT_TABLE, name='eight at half the speed, wheels turn at the rates of the bend',
            reported=None, figure='', grips=True,
            simulator={key: value for key, value in _EIGHT_TABLE.simulator.items()
                       if key != 'wheel_rates'}),
)
"""Runs with the report's table of which one thing is changed, at the exact speed but the last."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar reproduce`."""
    parser.description = (
        "Run the experiments of the report's results table from the origin with heading 0, the"
        " Pacejka ones with the vehicle's tyre and with the report's own table of coefficients,"
        ' and the Gazebo ones once more with the exact wheel speed. docs/reproduction.md explains'
        ' every row.')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help="where to draw the report's figures 7.1 to 7.4: path, x(t), y(t), and with Pacejka"
             ' tyres Fx and Fy against slip')
    parser.add_argument('--json', action='store_true',
                        help='print one JSON object, metrics by experiment, SI units')


def run(arguments: argparse.Namespace) -> int:
    """Run all experiments and print the tables; returns 1 if one misses its bounds, else 0."""
    results = {}
    experiments = (*EXPERIMENTS, *EXPLANATIONS)
    with ProgressBar(len(experiments), 'reproducing', 'runs') as show:
        for experiment in experiments:
            results[experiment.name] = experiment.run()
            show(len(results))
    if arguments.json:
        print(json.dumps({
            name: {**result.metrics.as_dict(), 'settled_rmse': result.settled.rmse,
                   'expected_settled_rmse': result.expected}
            for name, result in results.items()}))
    else:
        print(markdown_table(EXPERIMENTS, results))
        print(markdown_table(EXPLANATIONS, results), end='')
    if arguments.output is not None:
        places = _draw(experiments, results, arguments.output)
        print('\n'.join(places), file=sys.stderr if arguments.json else sys.stdout)
    return int(any(e.grips and not within(results[e.name]) for e in experiments))


def within(result: Result) -> bool:
    """Whether the error of a run settles where that of a car that grips must."""
    low, high = result.expected
    return low <= result.settled.rmse <= high


def markdown_table(experiments: Sequence[Experiment], results: Mapping[str, Result]) -> str:
    """Report's figures and ours side by side."""
    lines = ["| run | report's run: RMSE, sum | here: RMSE, sum | largest error | after 10 s:"
             ' RMSE | expected |', '|---|---|---|---|---|---|']
    for experiment in experiments:
        result = results[experiment.name]
        metrics, reported = result.metrics, experiment.reported
        theirs = '-' if reported is None else (
            f'{reported.name}: {reported.rmse:.4f} m, {reported.sum_squared_error:.2f} m^2')
        low, high = result.expected
        bounds = f'{low:.4f} to {high:.4f} m' if experiment.grips else 'tyres slide'
        ours = (
            f'{metrics.rmse:.4f} m, {metrics.sum_squared_error:.2f} m^2 |'
            f' {metrics.max_error:.4f} m | {result.settled.rmse:.4f} m')
        if result.settled.rmse > _LOST:
            ours = ' | '.join([f'lost: over {_LOST} m'] * 3)
        lines.append(f'| {experiment.name} | {theirs} | {ours} | {bounds} |')
    return '\n'.join(lines) + '\n'


def _draw(
    experiments: Sequence[Experiment], results: Mapping[str, Result], folder: Path,
) -> list[str]:
    """Draw the figures of the report and return their paths; raises ConfigurationError."""
    # Imported here, so that the table does not wait for matplotlib.
    from racecar.analysis.figures import overview_figure, render_figures, write_figures

    shown = sorted((e for e in experiments if e.figure), key=lambda e: e.figure)
    return [str(path) for path in write_figures(render_figures({
        f"figure_{e.figure.replace('.', '_')}": overview_figure(
            f'Figure {e.figure} of the report again: {e.name}', results[e.name].track,
            results[e.name].metrics,
            results[e.name].tyre_data if e.simulator.get('contact_model') == PACEJKA else None)
        for e in shown}), folder)]
