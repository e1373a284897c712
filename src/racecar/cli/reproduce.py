# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar reproduce`: the report's results table, run again."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
import json
from typing import Any

from racecar.cli.output import ProgressBar
from racecar.core.analysis.metrics import Metrics
from racecar.core.simulation.closed_loop import run_loop
from racecar.core.world.world_parameters import COULOMB, PACEJKA, SERVOS
from racecar.stacks import describe_stack, find_tracking_stack, StackOptions
from racecar.stacks.loops import make_held_loop

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

# The original's law took the distance of its hinges for that of its axles [m].
_REPORTS_LAW = {'vehicle.cog_to_front_axle': 0.1, 'vehicle.cog_to_rear_axle': 0.1}

# The report feeds forward the velocity of the reference itself. It catches up at any speed: what
# half the speed leaves to the feedback is as fast as the reference.
_REPORTS_TRACKER = {'catch_up_speed': 100.0, 'exact_feed_forward': False}


# Of tracker and law, and of the odometry of the original under Gazebo [Hz].
_CONTROL_RATE, _GAZEBO_RATE = 100.0, 20.0


@dataclass(frozen=True)
class Experiment:
    """A row of the report's table, or its counterpart with the exact speed.

    odometry_rate: of odometry [Hz], the last of which tracker and law use at their own rate, as
    those of the original did with Gazebo's 20 Hz. rmse, sum_squared_error: the report's figures
    [m], [m^2], None where it has none; bounds: within which the RMSE of this run must lie [m];
    simulator, law: parameters that are not the defaults.
    """

    name: str
    vehicle: str
    trajectory: str
    duration: float
    odometry_rate: float
    simulator: Mapping[str, Any] = field(default_factory=dict)
    rmse: float | None = None
    sum_squared_error: float | None = None
    bounds: tuple[float, float] = (0.0, float('inf'))
    stack: str = 'kinematic_ode'
    law: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> Metrics:
        """Run it from the origin with heading 0 and compare at each odometry message."""
        stack = find_tracking_stack(self.stack)
        assert stack.tracker is not None
        assert stack.linearizer is not None
        descriptions = describe_stack(stack.name, StackOptions(
            vehicle=self.vehicle, trajectory=self.trajectory,
            overrides={stack.simulator: {**self.simulator, 'rate': self.odometry_rate},
                       stack.tracker: _REPORTS_TRACKER, stack.linearizer: self.law}))
        loop = make_held_loop(
            stack, {description.executable: description.resolve() for description in descriptions},
            _CONTROL_RATE)
        # The trajectory clock starts with the first odometry, so nothing is left out.
        return run_loop(loop, self.duration).metrics(0.0)


def _in_world(
    name: str, trajectory: str, duration: float, contact_model: str,
    reported: tuple[float, float] | None, low: float, high: float, exact_high: float,
) -> tuple[Experiment, Experiment]:
    """Return a run in the 3-D world and its counterpart with the exact speed.

    reported: the report's RMSE and sum; low, high: bounds of the first, exact_high: of the second.
    """
    rmse, total = reported or (None, None)
    original, exact = (
        Experiment(
            title, 'racecar', trajectory, duration, _GAZEBO_RATE,
            {**wheels, 'contact_model': contact_model}, *figures, bounds, 'kinematic_world',
            _REPORTS_LAW)
        for title, wheels, figures, bounds in (
            (name, _ORIGINAL_WHEELS, (rmse, total), (low, high)),
            (f'{name}, exact speed', _EXACT_WHEELS, (None, None), (0.0, exact_high))))
    return original, exact


EXPERIMENTS = (
    Experiment('eight, ODE simulator', 'report', 'figure_eight', 80.0, _CONTROL_RATE,
               {'formulation': 'report'}, 0.0072, 4.1942, (0.0045, 0.0072)),
    Experiment('eight, Gazebo', 'racecar', 'figure_eight', 80.0, _GAZEBO_RATE, _HALF_SPEED,
               0.0919, 13.5161, (0.086, 0.096)),
    Experiment('eight, Gazebo, exact speed', 'racecar', 'figure_eight', 80.0, _GAZEBO_RATE,
               _EXACT_SPEED, bounds=(0.0, 0.0919 / 5.0)),
    Experiment('line (1, 1), Gazebo', 'racecar', 'line', 60.0, _GAZEBO_RATE, _HALF_SPEED,
               0.2643, 83.7069, (0.24, 0.28)),
    Experiment('line (1, 1), Gazebo, exact speed', 'racecar', 'line', 60.0, _GAZEBO_RATE,
               _EXACT_SPEED, bounds=(0.0, 0.2643 / 5.0)),
    *_in_world('eight, 3-D world', 'figure_eight', 80.0, COULOMB, (0.0919, 13.5161),
               0.086, 0.098, 0.02),
    *_in_world('eight, 3-D world, Pacejka', 'figure_eight', 60.0, PACEJKA, (0.0774, 7.1684),
               0.086, 0.098, 0.02),
    *_in_world('line (1, 1), 3-D world', 'line', 60.0, COULOMB, None, 0.24, 0.28, 0.045),
    *_in_world('line (1, 1), 3-D world, Pacejka', 'line', 60.0, PACEJKA, (0.2643, 83.7069),
               0.24, 0.28, 0.045),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar reproduce`."""
    parser.description = (
        "Run the experiments of the report's results table from the origin with heading 0, and the"
        ' Gazebo ones once more with the exact wheel speed. docs/reproduction.md explains the'
        ' figures.')
    parser.add_argument('--json', action='store_true',
                        help='print one JSON object, metrics by experiment, SI units')


def run(arguments: argparse.Namespace) -> int:
    """Run all experiments and print the table; returns 1 if one misses its bounds, else 0."""
    results = {}
    with ProgressBar(len(EXPERIMENTS), 'reproducing', 'runs') as show:
        for experiment in EXPERIMENTS:
            results[experiment.name] = experiment.run()
            show(len(results))
    if arguments.json:
        print(json.dumps({name: metrics.as_dict() for name, metrics in results.items()}))
    else:
        print(markdown_table(results), end='')
    return int(any(not e.bounds[0] <= results[e.name].rmse <= e.bounds[1] for e in EXPERIMENTS))


def markdown_table(results: Mapping[str, Metrics]) -> str:
    """Return the report's figures and ours side by side."""
    lines = ['| run | report: RMSE, sum | here: RMSE, sum | largest error |', '|---|---|---|---|']
    for experiment in EXPERIMENTS:
        metrics = results[experiment.name]
        theirs = '-' if experiment.rmse is None else (
            f'{experiment.rmse:.4f} m, {experiment.sum_squared_error:.2f} m^2')
        lines.append(
            f'| {experiment.name} | {theirs} | {metrics.rmse:.4f} m,'
            f' {metrics.sum_squared_error:.2f} m^2 | {metrics.max_error:.4f} m |')
    return '\n'.join(lines) + '\n'
