# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar raceline`: a line round a track for a vehicle, with the speed at each point."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import find_raceline, find_vehicle, raceline_names, vehicle_names
from racecar.cli.choices import completed_as_file
from racecar.cli.number_types import number
from racecar.cli.output import print_rows, ProgressBar
from racecar.control.racelines.names import (
    CURVATURE,
    METHODS,
    MODELS,
    PLAIN_MODEL,
    SLIP_ANGLE,
    TIME,
)
from racecar.metrics.quantities import Quantity

if TYPE_CHECKING:
    from racecar.control.racelines.design import MadeRaceline

# The fields of RacelineDesign that are options: name, unit, least value, default, text.
_NUMBERS = (
    ('margin', 'M', 0.0, 0.3, 'from the line to the borders of the track [m]'),
    ('step', 'M', 0.0, 0.25, 'way between the points of the solvers [m]'),
    ('speed-limit', 'V', 0.0, None, 'maximum speed [m/s] (default: that of the vehicle)'),
    ('steering-rate', 'RATE', 0.0, 3.2, 'maximum rate of steering, method time [rad/s]'),
    ('grip', 'SHARE', 0.0, 1.0, 'share of the friction of the tyres that is used'),
    ('slip-angle', 'ANGLE', 0.0, SLIP_ANGLE,
     'largest slip angle of the tyres, method time [rad]'))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar raceline`."""
    parser.description = (
        'Make a line round a closed track for a vehicle: the centre line, the line of least'
        ' curvature, or that of the least lap time, with the speeds that the tyres and the drive'
        ' train allow; or read a line and show it. docs/racelines.md.')
    completed_as_file(parser.add_argument(
        'track', metavar='TRACK',
        help='track: waypoints with widths or a world, by name or as a file; or, with --show, a'
             f" line ({', '.join(raceline_names())})"))
    completed_as_file(parser.add_argument(
        '--vehicle', metavar='NAME', default='f1tenth',
        help=f"({', '.join(vehicle_names())}; default: f1tenth)"))
    parser.add_argument('--method', choices=METHODS, default=CURVATURE,
                        help=f'(default: {CURVATURE})')
    for name, metavar, least, default, text in _NUMBERS:
        shown = '' if default is None else f' (default: {default:g})'
        parser.add_argument(f'--{name}', type=number(least, above=True), metavar=metavar,
                            default=default, help=text + shown)
    parser.add_argument('--tyre-model', default='pacejka',
                        help='tyre model, by name or number, see docs/models/README.md (default:'
                        ' pacejka)')
    parser.add_argument('--model', choices=MODELS, default=PLAIN_MODEL,
                        help=f'of the least time, method time (default: {PLAIN_MODEL})')
    parser.add_argument('--bound', action='store_true', help='also find the least lap times on the'
                        ' track, of each model, as bounds')
    parser.add_argument('--show', action='store_true',
                        help='read a line, also one of TUM or f1tenth_racetracks, and make none')
    completed_as_file(parser.add_argument(
        '-o', '--output', type=Path, metavar='FILE', help='line to write, .csv'))
    parser.add_argument('--picture', type=Path, metavar='FILE', help='.png to draw the line in')
    parser.add_argument('--json', action='store_true', help='print the figures as JSON, SI units')


def run(arguments: argparse.Namespace) -> int:
    """Make or read a line, print its figures and write its files; returns 0.

    Raises RacecarError with a one-line message.
    """
    from racecar.control.racelines.raceline import bound_note

    for option, file, suffix in (('--output', arguments.output, '.csv'),
                                 ('--picture', arguments.picture, '.png')):
        if file is not None and file.suffix != suffix:
            raise ConfigurationError(
                f'{option} is {excerpt(str(file))}, expected a file that ends with {suffix}')
    made = _read(arguments) if arguments.show else _made(arguments)
    line = made.line
    if arguments.output is not None:
        line.write(arguments.output)
    if arguments.picture is not None:
        _draw(arguments, made)
    noted = line.notes.get('lap_time')
    lap_time = line.lap_time if noted is None else float(noted)
    figures = {
        'length': Quantity('length', line.length, 'm'),
        'lap_time': Quantity('lap time', lap_time, 's'),
        **{bound_note(model): Quantity(
            f"least lap time on the track of a {model.replace('_', ' ')}",
            line.bounds.get(model), 's') for model in MODELS},
        'highest_speed': Quantity('highest speed', float(line.speed.max()), 'm/s'),
        'lowest_speed': Quantity('lowest speed', float(line.speed.min()), 'm/s'),
        'smallest_radius': Quantity(
            'smallest radius', 1.0 / max(float(abs(line.curvature).max()), 1e-9), 'm'),
        'points': Quantity('points', len(line.s)),
        'iterations': Quantity('iterations of the solver', made.iterations),
        'residual': Quantity('residual of the solver', made.residual)}
    if arguments.json:
        print(json.dumps({**line.notes, **{
            key: quantity.value for key, quantity in figures.items()}}))
    else:
        print_rows([quantity.row() for quantity in figures.values()
                    if quantity.value is not None])
        for what, file in (('line', arguments.output), ('picture', arguments.picture)):
            if file is not None:
                print(f'{what}: {file}')
    return 0


def _made(arguments: argparse.Namespace) -> MadeRaceline:
    import math

    from racecar.control.racelines.design import make_raceline, RacelineDesign
    from racecar.control.racelines.track import Track
    from racecar.dynamics.vehicles.parameters import VehicleParameters

    design = RacelineDesign(
        arguments.method, arguments.margin, arguments.step,
        math.inf if arguments.speed_limit is None else arguments.speed_limit,
        arguments.steering_rate, arguments.grip, arguments.tyre_model, arguments.model,
        arguments.slip_angle)
    vehicle = VehicleParameters.from_file(find_vehicle(arguments.vehicle))
    track = Track.load(arguments.track)
    if design.method != TIME and not arguments.bound:
        return make_raceline(track, vehicle, design)
    with ProgressBar(None, 'least lap time', 'iterations') as show:
        return make_raceline(track, vehicle, design, bound=arguments.bound, on_iteration=show)


def _read(arguments: argparse.Namespace) -> MadeRaceline:
    from racecar.control.racelines.design import MadeRaceline
    from racecar.control.racelines.raceline import read_raceline

    return MadeRaceline(read_raceline(find_raceline(arguments.track)), None, None)


def _draw(arguments: argparse.Namespace, made: MadeRaceline) -> None:
    from racecar.analysis.figures import render_figures
    from racecar.analysis.raceline_figure import raceline_figure

    notes = made.line.notes
    title = ', '.join(filter(None, [
        notes.get('track', Path(arguments.track).stem), notes.get('vehicle'),
        notes.get('method')]))
    picture = render_figures({'line': raceline_figure(
        f"{title}: {float(notes.get('lap_time', made.line.lap_time)):.3f} s", made.line)})['line']
    try:
        arguments.picture.write_bytes(picture)
    except OSError as error:
        raise ConfigurationError(
            f'{excerpt(str(arguments.picture))} cannot be written: {error.strerror}') from error
