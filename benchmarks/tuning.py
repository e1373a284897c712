#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What 200 trials of a search find, against a grid of 10 000 points.

Run it with `./run python benchmarks/tuning.py`: the stock tracker and a pure pursuit, with two
settings each, on a car that answers late. A ratio of at most 1 is at least as good as the grid.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
import time
from typing import Any

from measuring import machine, print_table
import numpy as np

import racecar

PURSUIT = Path(__file__).resolve().parents[1] / 'docs/examples/tuned_pursuit.py'
LATE: dict[str, Any] = {
    'vehicle': 'racecar', 'trajectory': 'figure_eight', 'duration': 10.0, 'skip': 4.0, 'set': {
        'single_track_simulator.actuators.steering_delay': 0.05,
        'single_track_simulator.actuators.steering_lag': 0.1}}
SEARCHES: dict[str, tuple[dict[str, Any], dict[str, dict[str, Any]]]] = {
    'stock tracker': ({}, {
        'trajectory_tracker.Kp': {'range': [0.3, 30.0], 'log': True},
        'trajectory_tracker.Ki': {'range': [0.0, 2.0]}}),
    'pure pursuit': ({'controller': f'{PURSUIT}:TunedPursuit'}, {
        'controller.preview': {'range': [0.1, 1.0]},
        'controller.gain': {'range': [0.1, 10.0], 'log': True}})}


def grid_best(options: dict[str, Any], tune: dict[str, dict[str, Any]], count: int) -> float:
    """Least RMSE of a grid with so many values of each parameter [m]."""
    axes = {}
    for name, row in tune.items():
        low, high = row['range']
        axes[name] = (np.geomspace(low, high, count) if row.get('log')
                      else np.linspace(low, high, count)).tolist()
    found: racecar.SweepResult = racecar.sweep('kinematic_ode', grid=axes, **LATE, **options)
    return found.best().metrics.rmse


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--trials', type=int, default=200)
    parser.add_argument('--grid', type=int, default=100, help='values of each parameter')
    parser.add_argument('--seeds', type=int, default=6)
    parser.add_argument('--json', action='store_true')
    arguments = parser.parse_args()
    rows, found = [], {}
    for name, (options, tune) in SEARCHES.items():
        begin = time.process_time()
        grid = grid_best(options, tune, arguments.grid)
        of_grid, begin = time.process_time() - begin, time.process_time()
        ratios = [racecar.tune(
            'kinematic_ode', tune=tune, trials=arguments.trials, seed=seed, **LATE, **options,
        ).best[0].values[0] / grid for seed in range(arguments.seeds)]
        of_search = (time.process_time() - begin) / arguments.seeds
        found[name] = {'grid': grid, 'ratios': ratios, 'grid_seconds': of_grid,
                       'search_seconds': of_search}
        rows.append([name, f'{1e3 * grid:.4f}', f'{min(ratios):.4f}', f'{max(ratios):.4f}',
                     f'{of_grid:.1f}', f'{of_search:.1f}'])
    if arguments.json:
        print(json.dumps({'machine': machine(), 'searches': found}))
        return
    print(machine())
    print_table(['', 'grid [mm]', 'search / grid, best', 'worst seed', 'grid CPU [s]',
                 'search CPU [s]'], rows)


if __name__ == '__main__':
    main()
