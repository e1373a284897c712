#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw the pictures of docs/models from the models themselves.

Run it with `./run python docs/figures.py`; it writes docs/pictures/models/*.png.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import dataclasses
import math
from pathlib import Path
import sys
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np

from racecar.base.types import AckermannCommand
from racecar.dynamics.actuators import Actuators
from racecar.dynamics.tyres import combined_slip, pacejka, TYRE_MODELS
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.tyres.pacejka import magic_formula, SURFACES
from racecar.dynamics.vehicles import (
    DoubleTrack,
    KinematicBicycle,
    SingleTrack,
    SingleTrackForce,
    VehicleParameters,
)
from racecar.simulation.simulator import Simulator

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / 'docs' / 'pictures' / 'models'
RACECAR = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'racecar.yaml')


def panels(count: int = 2) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels side by side."""
    figure = Figure(figsize=(4.4 * count, 3.4), layout='constrained')
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    for panel in axes:
        panel.grid(visible=True, color='0.9')
        panel.spines[['top', 'right']].set_visible(False)
    return figure, axes


def label(panel: Axes, title: str, x: str, y: str, legend: bool = True) -> None:
    """Write title, axis labels and, if asked for, the legend."""
    panel.set_title(title, fontsize=10)
    panel.set_xlabel(x)
    panel.set_ylabel(y)
    if legend:
        panel.legend(fontsize=8, frameon=False)


def drive(
    model: Any, commands: Sequence[tuple[float, float, float]], **options: Any,
) -> tuple[Simulator, dict[str, np.ndarray]]:
    """Return the simulator and what VehicleDiagnostics lists over (seconds, speed, angle)."""
    simulator = Simulator(model, **options)
    rows = []
    for seconds, speed, angle in commands:
        simulator.set_command(AckermannCommand(speed, angle))
        for _ in range(round(seconds * 100)):
            simulator.tick()
            rows.append(simulator.diagnostics())
    table = np.array(rows)
    columns = {name: table[:, i] for i, name in enumerate(rows[0]._fields)}
    return simulator, {'t': 0.01 * np.arange(1, len(table) + 1), **columns}


def kinematic_bicycle() -> Figure:
    """Paths at three speeds: the kinematic model runs one circle, tyres run wide."""
    figure, (left, right) = panels()
    angle = 0.15
    for model, style in ((KinematicBicycle(RACECAR), '-'), (SingleTrack(RACECAR, 'fiala'), '--')):
        for speed, colour in ((1.0, 'tab:blue'), (3.0, 'tab:orange'), (5.0, 'tab:red')):
            _, run = drive(model, [(12.0 / speed, speed, angle)])
            left.plot(run['x'], run['y'], style, color=colour,
                      label=f'{model.name}, {speed:g} m/s')
    left.set_aspect('equal')
    label(left, f'12 m with a steering angle of {angle:g} rad', 'x [m]', 'y [m]', legend=False)
    speeds = np.linspace(0.2, 5.0, 25)
    kinematic = speeds * math.tan(angle) / RACECAR.wheelbase
    right.plot(speeds, kinematic, color='k', label='kinematic_bicycle')
    rates = [drive(SingleTrack(RACECAR, 'fiala'), [(3.0, v, angle)])[1]['yaw_rate'][-1]
             for v in speeds]
    right.plot(speeds, rates, 'k--', label='single_track, fiala tyres')
    for speed, colour in ((1.0, 'tab:blue'), (3.0, 'tab:orange'), (5.0, 'tab:red')):
        right.axvline(speed, color=colour, linewidth=0.8)
    label(right, 'steady yaw rate', 'speed [m/s]', 'yaw rate [rad/s]')
    return figure


def single_track() -> Figure:
    """Step steer at three speeds; steady yaw gain against the understeer formula."""
    figure, (left, right) = panels()
    for speed in (1.0, 3.0, 5.0):
        _, run = drive(
            SingleTrack(RACECAR), [(0.05, speed, 0.0), (0.55, speed, 0.05)])
        left.plot(run['t'], run['yaw_rate'], label=f'{speed:g} m/s')
    label(left, 'step of the steering angle to 0.05 rad', 'time [s]', 'yaw rate [rad/s]')
    speeds = np.linspace(0.3, 15.0, 30)
    for name, colour in (('racecar', 'tab:blue'), ('course', 'tab:orange'),
                         ('f1tenth', 'tab:green')):
        vehicle = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / f'{name}.yaml')
        gain = speeds / (vehicle.wheelbase + vehicle.understeer_gradient * speeds ** 2)
        right.plot(speeds, gain, color=colour, label=f'{name}, V/(L + K V²)')
        fast = dataclasses.replace(vehicle, speed_max=20.0)
        for speed in (2.0, 5.0, 10.0, 14.0):
            _, run = drive(SingleTrack(fast), [(4.0, speed, 1e-3)])
            right.plot(speed, run['yaw_rate'][-1] / 1e-3, 'o', color=colour, markersize=4)
    label(right, 'yaw gain: simulated (dots) and by formula', 'speed [m/s]',
          'yaw rate / steering angle [1/s]')
    return figure


def single_track_force() -> Figure:
    """Launch with little grip, and power-on oversteer of a rear drive."""
    figure, (left, right) = panels()
    for axle in ('all', 'rear', 'front'):
        vehicle = dataclasses.replace(RACECAR, driven_axle=axle, friction_coefficient=0.4)
        _, run = drive(SingleTrackForce(vehicle, 'fiala'), [(1.5, 4.0, 0.0)])
        left.plot(run['t'], run['vx'], label=f'driven: {axle}')
    left.axhline(4.0, color='k', linestyle=':', linewidth=1.0)
    label(left, 'speed step to 4 m/s, friction 0.4', 'time [s]', 'vx [m/s]')
    for axle in ('all', 'rear', 'front'):
        vehicle = dataclasses.replace(RACECAR, driven_axle=axle, friction_coefficient=0.4)
        _, run = drive(SingleTrackForce(vehicle, 'fiala'), [(1.5, 1.0, 0.2), (0.8, 3.0, 0.2)])
        after = run['t'] > 1.0
        course = np.unwrap(np.arctan2(run['vy'], run['vx']))
        right.plot(run['t'][after], np.degrees(course[after]), label=f'driven: {axle}')
    label(right, 'full drive in a bend from 1.5 s on', 'time [s]', 'sideslip [deg]')
    return figure


def double_track() -> Figure:
    """Braking in a bend: loads, and wheels that lock one after the other."""
    model = DoubleTrack(RACECAR)
    simulator = Simulator(model)
    simulator.set_command(AckermannCommand(3.0, 0.12))
    for _ in range(300):
        simulator.tick()
    times, rows = [], []
    for tick in range(100):
        torque = min(0.015 * max(tick - 10, 0), 0.75)
        inputs = model.torque_inputs(0.12, (0.0,) * 4, (torque,) * 4)
        simulator.set_inputs(inputs)
        simulator.tick()
        times.append(0.01 * tick)
        rows.append([[wheel.load, RACECAR.wheel_radius * wheel.speed]
                     for wheel in model.wheels(simulator.state, inputs)]
                    + [[simulator.state[0]] * 2])
    table = np.array(rows)
    figure, (left, right) = panels()
    names = ('front left', 'front right', 'rear left', 'rear right')
    for i, name in enumerate(names):
        left.plot(times, table[:, i, 0], label=name)
        right.plot(times, table[:, i, 1], label=name)
    right.plot(times, table[:, 4, 0], 'k:', label='car')
    label(left, 'left bend, brake applied from 0.1 s on', 'time [s]', 'wheel load [N]')
    label(right, 'the rear wheels, now light, lock first', 'time [s]',
          'speed, wheel speed × R [m/s]')
    return figure


def double_track_chassis() -> Figure:
    """Understeer by the roll stiffness of the axles; a step of the steering, tyres that lag."""
    bmw = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'bmw_x5.yaml')
    figure, (left, right) = panels()
    for split in (0.4, 0.5, 0.6):
        simulator = Simulator(DoubleTrack(dataclasses.replace(bmw, roll_stiffness_split=split)))
        simulator.set_command(AckermannCommand(20.0, 0.0))
        simulator.advance(10_000)
        accelerations, angles = [], []
        for steering in np.linspace(0.005, 0.12, 24):
            simulator.set_command(AckermannCommand(20.0, float(steering)))
            for _ in range(300):
                simulator.tick()
            data = simulator.diagnostics()
            accelerations.append(data.lateral_acceleration / 9.81)
            angles.append(math.degrees(
                float(steering) - bmw.wheelbase * data.yaw_rate / data.vx))
        left.plot(accelerations, angles, label=f'front axle {split:g}')
    label(left, 'bmw_x5 at 20 m/s, split of the roll stiffness', 'lateral acceleration [g]',
          'understeer angle [deg]')
    for length in (0.0, 0.3, 0.6):
        vehicle = dataclasses.replace(bmw, relaxation_length=length)
        _, run = drive(DoubleTrack(vehicle), [(8.0, 20.0, 0.0), (1.2, 20.0, 0.03)])
        after = run['t'] > 7.9
        right.plot(run['t'][after] - 8.0, run['yaw_rate'][after], label=f'{length:g} m')
    label(right, 'step to 0.03 rad, relaxation length', 'time [s]', 'yaw rate [rad/s]')
    return figure


def linear_and_fiala() -> Figure:
    """Lateral force of the front axle for the report's three tyre models."""
    figure, (left, right) = panels()
    angles = np.radians(np.linspace(-60.0, 60.0, 481))
    for panel, name in ((left, 'racecar'), (right, 'course')):
        vehicle = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / f'{name}.yaml')
        stiffness, load = vehicle.front_cornering_stiffness, vehicle.front_axle_load
        grip = vehicle.friction_coefficient * load
        for tyre, style in (('linear', ':'), ('fiala', '-'), ('fiala_unsaturated', '--')):
            force = [TYRE_MODELS[tyre].lateral_force(
                angle, stiffness, vehicle.friction_coefficient, load) for angle in angles]
            panel.plot(np.degrees(angles), force, style, label=tyre)
        panel.set_ylim(-2.6 * grip, 2.6 * grip)
        sliding = math.degrees(math.atan(3.0 * grip / stiffness))
        for side in (-sliding, sliding):
            panel.axvline(side, color='0.6', linewidth=0.8)
        label(panel, f'front axle of {name}; grey: full sliding', 'slip angle [deg]',
              'lateral force [N]')
    return figure


def pacejka_surfaces() -> Figure:
    """Surfaces, and the report's two curves."""
    figure, (left, right) = panels()
    slips = np.linspace(-1.0, 1.0, 401)
    for name, formula in SURFACES.items():
        left.plot(slips, [-magic_formula(s, *formula) for s in slips], label=name)
    label(left, 'surfaces, force over load', 'slip [-] or slip angle [rad]', 'F / Fz [-]')
    for name, formula in (('longitudinal', pacejka.LONGITUDINAL), ('lateral', pacejka.LATERAL)):
        right.plot(slips, [
            -magic_formula(s, formula.stiffness_factor, formula.shape, formula.friction * 13.71,
                           formula.curvature) for s in slips], label=name)
    label(right, "the report's wheel, 13.71 N of load", 'slip [-] or slip angle [rad]', 'F [N]')
    return figure


def combined() -> Figure:
    """Forces under combined slip fill the friction ellipse."""
    figure, (left, right) = panels()
    for panel, name in ((left, 'fiala'), (right, 'pacejka')):
        model = TYRE_MODELS[name]
        forces = combined_slip.combined_forces_of(
            model.lateral_force, model.longitudinal_force)
        load, formula = 14.0, SURFACES['dry']
        stiffness = 50.0 if name == 'fiala' else formula.stiffness(load)
        direction = (stiffness, 1.0, formula.shape, formula.curvature)
        tyres = TyrePair(*direction, *direction, load, 0.0)
        slips = np.sinh(np.linspace(-4.0, 4.0, 241)) / math.sinh(4.0)
        for degrees in (0.0, 2.0, 5.0, 10.0, 20.0):
            points = np.array([
                forces(s, math.tan(math.radians(-degrees)), load, tyres, 1.0)
                for s in slips])
            panel.plot(points[:, 0], points[:, 1], label=f'slip angle {degrees:g}°')
        turn = np.linspace(0.0, math.pi, 100)
        panel.plot(load * np.cos(turn), load * np.sin(turn), color='0.6', linewidth=0.8)
        panel.set_aspect('equal')
        label(panel, f'{name}, load {load:g} N', 'Fx [N], driving positive', 'Fy [N]',
              legend=panel is right)
    right.legend(fontsize=7, frameon=False, loc='lower center', ncol=2)
    left.set_ylim(-5.5, 15.0)
    right.set_ylim(-5.5, 15.0)
    return figure


def actuators() -> Figure:
    """Answers to a step of the steering command."""
    figure, (left, right) = panels()
    times = 0.001 * np.arange(1, 401)
    for text, values in (
            ('delay 0.05 s', {'steering_delay': 0.05}), ('lag 0.05 s', {'steering_lag': 0.05}),
            ('rate 3.2 rad/s', {'steering_rate': 3.2}),
            ('all three', {'steering_delay': 0.05, 'steering_lag': 0.05, 'steering_rate': 3.2})):
        model = Actuators({f'actuators.{name}': value for name, value in values.items()}, 0.001)
        left.plot(times, [model.step(AckermannCommand(0.0, 0.4)).steering_angle for _ in times],
                  label=text)
    label(left, 'step of the command to 0.4 rad', 'time [s]', 'steering angle [rad]')
    for text, options in (('none', {}),
                          ('lag 0.05 s', {'actuators': {'actuators.steering_lag': 0.05}}),
                          ('lag 0.1 s', {'actuators': {'actuators.steering_lag': 0.1}})):
        _, run = drive(SingleTrack(RACECAR), [(0.1, 3.0, 0.0), (0.9, 3.0, 0.1)], **options)
        right.plot(run['t'], run['yaw_rate'], label=text)
    label(right, 'car at 3 m/s, steering actuator', 'time [s]', 'yaw rate [rad/s]')
    return figure


FIGURES: tuple[Callable[[], Figure], ...] = (
    kinematic_bicycle, single_track, single_track_force, double_track, double_track_chassis,
    linear_and_fiala, pacejka_surfaces, combined, actuators)


def main() -> int:
    """Write all pictures, or those named on the command line."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for draw in FIGURES:
        if len(sys.argv) < 2 or draw.__name__ in sys.argv[1:]:
            path = FOLDER / f'{draw.__name__}.png'
            draw().savefig(path, dpi=110, metadata={'Software': None})
            print(path.relative_to(ROOT))
    return 0


if __name__ == '__main__':
    sys.exit(main())
