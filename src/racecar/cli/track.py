# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar track`: centre line and widths of the closed track in a map, or made by a seed."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
import shlex
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import find_vehicle, vehicle_names, world_names
from racecar.base.types import Pose2
from racecar.cli.choices import completed_as_file
from racecar.cli.number_types import number, whole
from racecar.cli.output import print_rows, ProgressBar
from racecar.metrics.quantities import Quantity

if TYPE_CHECKING:
    from racecar.scene.grid_map import OccupancyGrid
    from racecar.scene.track import CentreLine

# Of which tracks are fetched.
_TRACK_SOURCE = 'f1tenth_racetracks'
_SHAPE = (('--length', 'length', 80.0, 'way round'),
          ('--width', 'width', 2.2, 'from wall to wall'),
          ('--radius', 'smallest_radius', 1.5, 'of the sharpest bend, on the centre line'))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar track`."""
    parser.description = (
        'Find the centre line of the closed track in a map, and its widths, show and check them,'
        ' and write them as waypoints; or make a track by a seed, or fetch one that others'
        ' publish. docs/tracks.md.')
    completed_as_file(parser.add_argument(
        'map', metavar='MAP', nargs='?',
        help=f"world or map, by name or as a file ({', '.join(world_names())})"))
    parser.add_argument(
        '--fetch', nargs='*', metavar='TRACK',
        help='get tracks that others publish under licences of their own, with maps, centre and'
             ' race lines; without a name, list them')
    completed_as_file(parser.add_argument(
        '--manifest', metavar='FILE',
        help='with --fetch: where from, a manifest by name or as a file'
             f' (default: {_TRACK_SOURCE})'))
    completed_as_file(parser.add_argument(
        '--into', type=Path, metavar='FOLDER',
        help='with --fetch: where each track gets a folder (default: tracks)'))
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
    """Find, make or fetch a track, print its figures and write its files; returns 0.

    Raises RacecarError with a one-line message.
    """
    _check(arguments)
    if arguments.fetch is not None:
        return _fetch(arguments)
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
    if [arguments.map, arguments.generate, arguments.fetch].count(None) != 2:
        raise ConfigurationError('expected either MAP, --generate SEED or --fetch')
    other = [option for option, value in (
        ('--output', arguments.output), ('--picture', arguments.picture),
        ('--vehicle', arguments.vehicle)) if value is not None and arguments.fetch is not None]
    if other:
        raise ConfigurationError(
            f"{', '.join(other)} is for a MAP: fetch it first, then give its *_map.yaml")
    own = [option for option, value in (
        ('--manifest', arguments.manifest), ('--into', arguments.into)) if value is not None]
    if own and arguments.fetch is None:
        raise ConfigurationError(f"{', '.join(own)} is for --fetch; leave it out")
    if shape and arguments.generate is None:
        raise ConfigurationError(f"{', '.join(shape)} is for --generate; leave it out with MAP")
    for option, file, suffix in (('--output', arguments.output, '.csv'),
                                 ('--picture', arguments.picture, '.png')):
        if file is not None and file.suffix != suffix:
            raise ConfigurationError(
                f'{option} is {excerpt(str(file))}, expected a file that ends with {suffix}')


def _fetch(arguments: argparse.Namespace) -> int:
    from racecar.scene.track_source import read_track_source

    source = read_track_source(arguments.manifest or _TRACK_SOURCE)
    if not arguments.fetch:
        if arguments.json:
            print(json.dumps({**source._asdict(), 'tracks': list(source.tracks)}))
        else:
            print(f'{source.name}: {source.summary} ({source.licence})')
            print('\n'.join(source.tracks))
        return 0
    folder, found = arguments.into or Path('tracks'), {}
    for track in arguments.fetch:
        with ProgressBar(len(source.tracks.get(track, ())), track, 'files') as bar:
            found[track] = source.fetch(track, folder, bar)
    if arguments.json:
        print(json.dumps({track: list(map(str, files)) for track, files in found.items()}))
        return 0
    for track, files in found.items():
        print(f'{track}: {folder / track} ({source.licence})')
        uses = [f'--{option} {shlex.quote(str(file))}' for ending, option in (
            ('_map.yaml', 'world'), ('_centerline.csv', 'waypoints'))
            for file in files if file.name.endswith(ending)]
        if uses:
            print(f"drive on it with {' '.join(uses)}")
    return 0


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
