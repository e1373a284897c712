#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/pictures/differential_wheels.png: what the page on the differential-drive robot shows.

Run it with `./run python docs/differential_figure.py`.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
import runpy
from typing import Any

from matplotlib.figure import Figure
import numpy as np

from racecar.analysis.scene_figure import draw_scene
from racecar.base.share import find_world
from racecar.differential import khepera
from racecar.scene import load_world
from racecar.simulation.closed_loop import run_loop
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_stack_loop

HERE = Path(__file__).resolve().parent
FILE = HERE / 'pictures' / 'differential_wheels.png'
NAME = 'differential_wheels'


def figure_eight(mode: str) -> Any:
    """Return the run of a Pioneer along the figure eight."""
    options = StackOptions(overrides={'differential_wheels_simulator': {'mode': mode}})
    values = {d.executable: d.resolve() for d in describe_stack(NAME, options)}
    return run_loop(make_stack_loop(find_stack(NAME), values), 65.0)


def wandering() -> Any:
    """Return the way of the example controller (n, 2) [m]."""
    way: list[tuple[float, float]] = []
    step = khepera.DifferentialWheels.step

    def watched(robot: khepera.DifferentialWheels, *arguments: int) -> int:
        answer = step(robot, *arguments)
        way.append((robot.state.pose.x, robot.state.pose.y))
        return answer

    khepera.DifferentialWheels.step = watched  # type: ignore[method-assign,assignment]
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(HERE / 'examples' / 'obstacle_avoidance.py'))
    return np.array(way)


def main() -> None:
    """Write the picture."""
    figure = Figure(figsize=(11.0, 4.2), layout='constrained')
    eight, error, table = figure.subplots(1, 3, width_ratios=[1.3, 1.2, 1.0])
    for mode, colour in (('kinematics', 'tab:blue'), ('physics', 'tab:green'),
                         ('world', 'tab:orange')):
        run = figure_eight(mode)
        x, y, wanted_x, wanted_y, time = (run.column(name) for name in (
            'x', 'y', 'x_reference', 'y_reference', 'time'))
        if mode == 'kinematics':
            eight.plot(wanted_x, wanted_y, color='0.6', linewidth=3.0, label='reference')
        eight.plot(x, y, color=colour, linewidth=1.0, label=mode)
        error.semilogy(time, np.maximum(np.hypot(x - wanted_x, y - wanted_y), 1e-9),
                       color=colour, linewidth=1.0)
    eight.set_title('Pioneer, figure eight', fontsize=10)
    eight.legend(frameon=False, fontsize=8, loc='upper center', ncols=4, columnspacing=1.0)
    eight.set(xlabel='x [m]', ylabel='y [m]', aspect='equal', ylim=(-1.2, 1.6))
    error.set_title('distance from the reference', fontsize=10)
    error.set(xlabel='time [s]', ylabel='[m]')
    draw_scene(table, load_world(find_world(khepera.WORLD)))
    way = wandering()
    table.plot(*way.T, color='tab:red', linewidth=0.9)
    table.set_title('Khepera, obstacle avoidance, 60 s', fontsize=10)
    table.set(xlim=(-0.55, 1.55), ylim=(-0.55, 1.55), aspect='equal', xlabel='x [m]',
              ylabel='y [m]')
    figure.savefig(FILE, dpi=90)
    print(FILE)


if __name__ == '__main__':
    main()
