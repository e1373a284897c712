# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar track`: centre line and widths of the closed track in a map, or made by a seed."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import find_vehicle, vehicle_names, world_names
from racecar.base.types import Pose2
from racecar.cli.choices import completed_as_file
from racecar.cli.number_types import number, whole
from racecar.cli.output import print_rows
from racecar.metrics.quantities import Quantity

if TYPE_CHECKING:
    from racecar.scene.grid_map import OccupancyGrid
    from racecar.scene.track import CentreLine

_SHAPE = (('--length', 'length', 80.0, 'way round'),
          ('--width', 'width', 2.2, 'from wall to wall'),
          ('--radius', 'smallest_radius', 1.5, 'of the sharpest bend, on the centre line'))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar track`."""
    parser.description = (
        'Find the centre line of the closed track in a map, and its widths, show and check them,'
        ' and write them as waypoints; or make a track by a seed. docs/tracks.md.')
    completed_as_file(parser.add_argument(
        'map', metavar='MAP', nargs='?',
        help=f"world or map, by name or as a file ({', '.join(world_names())})"))
    parser.add_argument(
        '--generate', type=whole(range(2**31)), metavar='SEED',
        help='make a track instead, the same for the same seed and numbers')
    for option, name, default, text in _SHAPE:
        parser.add_argument(option, dest=name, type=number(0.0, above=True), metavar='M',
                            help=f'with --generate: {text} [m] (default: {default:g})')
    parser.add_argument(
        '--roughness', type=number(0.0, 1.0),
        help='with --generate: how much it winds, 0 to 1 (default: 0.6)')
    parser.add_argument('--at', type=_pose, metavar='X,Y[,YAW]',
                        help='a place on the track, where it is to begin, and which way it goes'
                             ' [m, rad] (default: the start of the world)')
    parser.add_argument('--reverse', action='store_true', help='the other way round')
    parser.add_argument('--spacing', type=number(0.02, 5.0), default=0.2, metavar='M',
                        help='way from waypoint to waypoint [m] (default: 0.2)')
    completed_as_file(parser.add_argument(
        '-o', '--output', type=Path, metavar='FILE',
        help='waypoints to write, .csv; with --generate beside it the map, .yaml and .png; files'
             ' that are there are replaced'))
    parser.add_argument('--picture', type=Path, metavar='FILE', help='.png to draw the track in')
    completed_as_file(parser.add_argument(
        '--vehicle', metavar='NAME',
        help='fail unless this car fits on the track and can follow the centre line'
             f" ({', '.join(vehicle_names())})"))
    parser.add_argument('--json', action='store_true', help='print the figures as JSON, SI units')


def run(arguments: argparse.Namespace) -> int:
    """Find or make a track, print its figures and write its files; returns 0.

    Raises RacecarError with a one-line message.
    """
    _check(arguments)
    name, grid, line = _made(arguments) if arguments.map is None else _found(arguments)
    if arguments.reverse:
        line = line.reversed()
    if arguments.output is not None:
        _write(arguments, name, grid, line)
    if arguments.picture is not None:
        from racecar.analysis.figures import render_figures
        from racecar.analysis.track_figure import track_figure

        _write_bytes(arguments.picture, render_figures(
            {'track': track_figure(name, grid, line)})['track'])
    figures = {
        'length': Quantity('length', line.length, 'm'),
        'narrowest': Quantity('narrowest width', line.narrowest, 'm'),
        'mean_width': Quantity('mean width', float(line.widths.sum(axis=1).mean()), 'm'),
        'smallest_radius': Quantity('smallest radius', line.smallest_radius, 'm'),
        'waypoints': Quantity('waypoints', len(line.points))}
    if arguments.json:
        print(json.dumps({'name': name, **{
            key: quantity.value for key, quantity in figures.items()}}))
    else:
        print_rows([quantity.row() for quantity in figures.values()])
    if arguments.vehicle is not None:
        _check_vehicle(line, arguments.vehicle)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    shape = [option for option, name in (*((row[0], row[1]) for row in _SHAPE),
                                         ('--roughness', 'roughness'))
             if getattr(arguments, name) is not None]
    if (arguments.map is None) == (arguments.generate is None):
        raise ConfigurationError('expected either MAP or --generate SEED')
    if shape and arguments.generate is None:
        raise ConfigurationError(f"{', '.join(shape)} is for --generate; leave it out with MAP")
    for option, file, suffix in (('--output', arguments.output, '.csv'),
                                 ('--picture', arguments.picture, '.png')):
        if file is not None and file.suffix != suffix:
            raise ConfigurationError(
                f'{option} is {excerpt(str(file))}, expected a file that ends with {suffix}')


def _found(arguments: argparse.Namespace) -> tuple[str, OccupancyGrid, CentreLine]:
    from racecar.scene.scene_map import scene_map
    from racecar.scene.track import find_centre_line
    from racecar.scene.world_file import load_world

    scene = load_world(arguments.map)
    grid = scene_map(scene)
    return scene.name, grid, find_centre_line(
        grid, arguments.at or scene.starts[0], arguments.spacing)


def _made(arguments: argparse.Namespace) -> tuple[str, OccupancyGrid, CentreLine]:
    from racecar.scene.track import generate_centre_line, track_map, TrackShape

    given = {name: getattr(arguments, name) for name in TrackShape._fields}
    shape = TrackShape(**{name: value for name, value in given.items() if value is not None})
    line = generate_centre_line(arguments.generate, shape, arguments.spacing)
    name = f'track_{arguments.generate}' if arguments.output is None else arguments.output.stem
    return name, track_map(line), line


def _write(
    arguments: argparse.Namespace, name: str, grid: OccupancyGrid, line: CentreLine,
) -> None:
    from racecar.control.trajectories.waypoint_file import write_centre_line

    file = arguments.output
    what = f'Centre line of {name}, {line.length:.1f} m round, and its widths in metres.'
    if arguments.generate is not None:
        from racecar.scene.map_file import write_map

        write_map(file.with_suffix('.yaml'), grid, what)
    write_centre_line(file, line.points, line.widths, what)


def _write_bytes(file: Path, data: bytes) -> None:
    try:
        file.write_bytes(data)
    except OSError as error:
        raise ConfigurationError(
            f'{excerpt(str(file))} cannot be written: {error.strerror}') from error


def _check_vehicle(line: CentreLine, name: str) -> None:
    """Raise ConfigurationError if a car is too wide for a track or cannot follow its bends."""
    from racecar.dynamics.vehicles.parameters import VehicleParameters

    car = VehicleParameters.from_file(find_vehicle(name))
    radius = car.wheelbase / math.tan(car.steering_limit)
    if line.narrowest <= car.width:
        raise ConfigurationError(
            f'the track is {line.narrowest:.2f} m wide at its narrowest place, expected more than'
            f' the {car.width:.2f} m of the car {name}')
    if line.smallest_radius < radius:
        raise ConfigurationError(
            f'the sharpest bend has a radius of {line.smallest_radius:.2f} m, expected at least'
            f' the {radius:.2f} m that the car {name} can turn with; it has to leave the centre'
            ' line there')


def _pose(text: str) -> Pose2:
    try:
        numbers = [float(part) for part in text.split(',')]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3) or not all(map(math.isfinite, numbers)):
        raise argparse.ArgumentTypeError(
            f'{excerpt(text)} is no place, expected X,Y or X,Y,YAW in m and rad')
    return Pose2(numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else 0.0)
