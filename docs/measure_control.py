#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measure both control laws; write the table and the pictures of docs/control.md.

Run it with `./run python docs/measure_control.py`; the runs are those of `racecar simulate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
import re
from typing import Any

from matplotlib.figure import Figure
import numpy as np

from racecar.control.trajectories import make_trajectory, TRAJECTORY_PARAMETERS
from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.metrics.run_table import RunTable
from racecar.simulation.closed_loop import run_closed_loop
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop

DOCS = Path(__file__).resolve().parent
_BLOCK = re.compile(r'(<!-- (\w+): measured -->\n).*?(<!-- end -->)', re.DOTALL)
_SPEEDS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)

# Where the grip ends: a circle of 5 m on ground with friction 0.5, for a car that is fast enough.
_RADIUS, _FRICTION = 5.0, 0.5
_FAST = {'vehicle.speed_max': 20.0}
_SLIPPERY = {**_FAST, 'vehicle.friction_coefficient': _FRICTION}
_RATES = (0.7, 0.8, 0.85, 0.9, 0.92, 0.93, 0.94, 0.96)
_LAWS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ('kinematic', 'kinematic_ode', _SLIPPERY),
    ('dynamic', 'dynamic_ode', _SLIPPERY),
    ('dynamic, takes the friction for 1', 'dynamic_ode', _FAST),
    ('dynamic without the bounds', 'dynamic_ode',
     {**_SLIPPERY, 'slip_share': 1000.0, 'steering_rate': 1e6}),
)


def run(name: str, trajectory: str, duration: float, tracker: Mapping[str, Any],
        tyre_model: str = 'linear', *, law: Mapping[str, Any] | None = None,
        simulator: Mapping[str, Any] | None = None) -> RunTable:
    """Return the table of a run of a configuration with parameters of its nodes."""
    stack = find_stack(name)
    assert stack.linearizer is not None
    values = {d.executable: d.resolve() for d in describe_stack(name, StackOptions(
        trajectory=trajectory, tyre_model=tyre_model, overrides={
            'trajectory_tracker': tracker, stack.linearizer: law or {},
            stack.simulator: simulator or {}}))}
    return run_closed_loop(*make_loop(stack, values), duration)


def comparison() -> str:
    """Return the table of the errors on a circle in Markdown."""
    lines = ['| speed | linear tyres: kinematic | dynamic | ratio'
             ' | Fiala: kinematic | dynamic | ratio |',
             '|---|---|---|---|---|---|---|']
    for speed in _SPEEDS:
        cells = [f'{speed:g} m/s']
        for tyre_model in ('linear', 'fiala'):
            kinematic, dynamic = (
                run(stack, 'circle', 20.0, {'W': speed / 5.0}, tyre_model).metrics(2.0).rmse
                for stack in ('kinematic_ode', 'dynamic_ode'))
            cells += [f'{1e3 * kinematic:.2f} mm', f'{1e3 * dynamic:.2f} mm',
                      f'{dynamic / kinematic:.3f}']
        lines.append(f'| {" | ".join(cells)} |')
    return '\n'.join(lines)


def slippery_circle(stack: str, law: Mapping[str, Any], rate: float) -> RunTable:
    """Return the table of a circle on slippery ground at an angular velocity [rad/s]."""
    return run(stack, 'circle', 20.0, {'R': _RADIUS, 'W': rate}, 'fiala', law=law,
               simulator=_SLIPPERY)


def limit_of_grip() -> str:
    """Return the table of the largest errors near the limit of grip in Markdown."""
    lines = [f"| speed | share of the grip | {' | '.join(name for name, _, _ in _LAWS)} |",
             f"|---|---|{'---|' * len(_LAWS)}"]
    for rate in _RATES:
        share = rate * rate * _RADIUS / (_FRICTION * GRAVITY)
        cells = [f'{rate * _RADIUS:g} m/s', f'{share:.2f}']
        for _, stack, law in _LAWS:
            error = slippery_circle(stack, law, rate).metrics(2.0).max_error
            cells.append(f'{error:.1f} m' if error > 1.0 else f'{1e3 * error:.0f} mm')
        lines.append(f'| {" | ".join(cells)} |')
    return '\n'.join(lines)


def draw_limit_of_grip(path: Path) -> None:
    """Draw path and steering of the laws on slippery ground at 4.5 m/s, from rest."""
    figure = Figure(figsize=(11.0, 4.2), layout='constrained')
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.35))
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    left.plot(_RADIUS * np.sin(turn), _RADIUS * (1.0 - np.cos(turn)), color='lightgray',
              linewidth=6.0, label='reference')
    for (name, stack, law), style in zip(_LAWS, ('--', '-', '-.', ':'), strict=True):
        table = slippery_circle(stack, law, 0.9)
        time, yaw = table.column('time'), table.column('yaw')
        # The start of the reference is under the tracked point.
        x = table.column('x') + table.tracked_ahead * (np.cos(yaw) - 1.0)
        y = table.column('y') + table.tracked_ahead * np.sin(yaw)
        shown = time <= 7.0
        left.plot(x[shown], y[shown], linestyle=style, label=name)
        shown = time <= 1.5
        right.plot(time[shown], table.column('steering_command')[shown], linestyle=style,
                   drawstyle='steps-post', label=name)
    left.set(title='path in 7 s', xlabel='x [m]', ylabel='y [m]')
    left.set_aspect('equal', adjustable='datalim')
    right.set(title='steering from rest', xlabel='t [s]', ylabel='steering [rad]')
    right.legend()
    for axis in (left, right):
        axis.grid(True, alpha=0.3)
    figure.savefig(path, dpi=110, metadata={'Software': None})


def draw_tracks(path: Path) -> None:
    """Draw the sample tracks with the speed of the reference."""
    figure = Figure(figsize=(11.0, 4.2), layout='constrained')
    axes = figure.subplots(1, 2)
    for axis, name in zip(axes, ('hall', 'slalom'), strict=True):
        track = make_trajectory(TRAJECTORY_PARAMETERS.resolve(
            {'trajectory': 'waypoints', 'waypoints_file': name}))
        assert track.duration is not None, f'the track {name!r} has no end'
        rows = np.array([track.at(t) for t in np.linspace(0.0, track.duration, 1500)])
        drawn = axis.scatter(rows[:, 0], rows[:, 1], c=np.hypot(rows[:, 2], rows[:, 3]), s=4,
                             cmap='viridis', vmin=0.0, vmax=1.5)
        axis.plot(*rows[0, :2], 'k>', markersize=9)
        end = 'round and round' if track.period else 'open'
        axis.set(title=f'{name} ({end}, {track.duration:.0f} s)', xlabel='x [m]', ylabel='y [m]')
        axis.set_aspect('equal', adjustable='datalim')
        axis.grid(True, alpha=0.3)
    figure.colorbar(drawn, ax=axes, label='speed [m/s]')
    figure.savefig(path, dpi=110, metadata={'Software': None})


def draw_parking(path: Path) -> None:
    """Draw path, speed and steering of the car that parks."""
    table = run('kinematic_ode', 'parking', 30.0, {})
    figure = Figure(figsize=(11.0, 3.6), layout='constrained')
    left, right = figure.subplots(1, 2)
    speed = table.column('speed_command')
    for name, chosen in (('forwards', speed > 0.0), ('backwards', speed < 0.0)):
        left.scatter(table.column('x')[chosen], table.column('y')[chosen], s=4, label=name)
    left.set(title='rear axle', xlabel='x [m]', ylabel='y [m]')
    left.set_aspect('equal', adjustable='datalim')
    left.legend()
    right.plot(table.column('time'), speed, label='speed [m/s]')
    right.plot(table.column('time'), table.column('steering_command'), label='steering [rad]')
    right.set(title='commands', xlabel='t [s]')
    right.legend()
    for axis in (left, right):
        axis.grid(True, alpha=0.3)
    figure.savefig(path, dpi=110, metadata={'Software': None})


def main() -> None:
    """Write table and pictures."""
    page = DOCS / 'control.md'
    tables = {'circle': comparison(), 'grip': limit_of_grip()}
    print('\n\n'.join(tables.values()))
    page.write_text(_BLOCK.sub(
        lambda match: f'{match[1]}\n{tables[match[2]]}\n\n{match[3]}',
        page.read_text(encoding='utf-8')), encoding='utf-8')
    draw_limit_of_grip(DOCS / 'pictures' / 'grip_limit.png')
    draw_tracks(DOCS / 'pictures' / 'tracks.png')
    draw_parking(DOCS / 'pictures' / 'parking.png')


if __name__ == '__main__':
    main()
