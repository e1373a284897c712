# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar vehicle`: what a vehicle's file describes, as figures, as files, as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Callable
import math
from pathlib import Path

from racecar.base.share import car_and_robot_names, find_robot
from racecar.cli.choices import completed_as_file
from racecar.cli.picture_arguments import add_lamps_argument, add_size_argument

_SAMPLES, _SHADOWS = 4, 2048
_FIELD_OF_VIEW, _NEAR, _FAR = 0.62, 0.02, 300.0

# Where the camera of a picture stands: its heading from the middle of the body [rad].
_VIEWS = {'front': 0.62, 'side': 0.5 * math.pi, 'rear': 2.5}
# How far it looks down over how far along the ground; the part of the picture that the car fills.
_DOWN, _SHARE = 0.22, 0.84


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar vehicle`."""
    parser.description = (
        'Look at a car or a differential-drive robot without driving it: dimensions and what'
        ' follows from them, URDF and MJCF for other programs, a picture. docs/any_vehicle.md'
        ' makes one of your own.')
    names = car_and_robot_names()
    verbs = parser.add_subparsers(dest='verb', required=True, metavar='VERB')

    def add(name: str, run_verb: Callable[[argparse.Namespace], None],
            text: str) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, help=text, description=f'{text[0].upper()}{text[1:]}.')
        completed_as_file(verb.add_argument(
            'vehicle', metavar='VEHICLE',
            help=f"name or parameter file ({', '.join(names)})"))
        verb.set_defaults(run_verb=run_verb)
        return verb

    add('show', _show, 'print dimensions, masses, loads, steering and how the body moves')
    verb = add('export', _export, 'write URDF, MJCF and meshes to a new folder')
    verb.add_argument('-o', '--output', type=Path, metavar='FOLDER',
                      help='not there yet (default: the name of the vehicle, here)')
    verb.add_argument('--package', default='', metavar='NAME',
                      help='ROS package that the folder becomes, for package:// in the URDF'
                           ' (default: relative paths, which RViz does not read)')
    verb = add('render', _render, 'draw the vehicle as a PNG or JPEG picture')
    verb.add_argument('-o', '--output', type=Path, metavar='FILE',
                      help='.png or .jpg, not there yet (default: <name>.png, here)')
    verb.add_argument('--view', choices=tuple(_VIEWS), default='front',
                      help='from where (default: front)')
    verb.add_argument('--steer', type=float, default=0.0, metavar='RAD',
                      help='steering angle of the wheels, positive left (default: 0)')
    add_lamps_argument(verb)
    add_size_argument(verb, (1280, 720))


def run(arguments: argparse.Namespace) -> int:
    """Run a verb; returns 0. Raises RacecarError with a one-line message."""
    arguments.run_verb(arguments)
    return 0


def _show(arguments: argparse.Namespace) -> None:
    from racecar.analysis.robot_profile import profile_of_file

    profile = profile_of_file(arguments.vehicle)
    print(f'{profile.name}: {find_robot(arguments.vehicle)}')
    for title, rows in profile.figures().items():
        print(f'\n{title}')
        width = max(len(row.name) for row in rows)
        for row in rows:
            print(f'  {row.name:{width}}  {row.text}')


def _export(arguments: argparse.Namespace) -> None:
    from racecar.analysis.robot_profile import is_two_wheeled
    from racecar.differential.parameters import RobotParameters
    from racecar.differential.world_model import export_robot
    from racecar.dynamics.vehicles.parameters import VehicleParameters
    from racecar.world.vehicle_export import export_vehicle

    path = find_robot(arguments.vehicle)
    if is_two_wheeled(path):
        robot = RobotParameters.from_file(path)
        exported = export_robot(robot, arguments.output or Path(robot.name), arguments.package)
    else:
        vehicle = VehicleParameters.from_file(path)
        exported = export_vehicle(
            vehicle, arguments.output or Path(vehicle.name), arguments.package)
    print(f'URDF: {exported.urdf}\nMJCF: {exported.mjcf}\n'
          f'Meshes: {exported.urdf.parent / "meshes"} ({len(exported.meshes)} files)')


def _render(arguments: argparse.Namespace) -> None:
    from racecar.analysis.robot_profile import profile_of_file
    from racecar.base.errors import ConfigurationError
    from racecar.base.poses import NO_POSE
    from racecar.base.types import Lamps
    from racecar.description.outline import outline
    from racecar.rendering.film import check_file, STILLS, write_still
    from racecar.rendering.lens import Lens
    from racecar.rendering.renderer import Renderer
    from racecar.rendering.sight import DrawnRobot, Quality, RobotSight, Sight
    from racecar.rendering.viewpoints import framing
    from racecar.scene.scene import EMPTY_SCENE

    profile = profile_of_file(arguments.vehicle)
    width, height = arguments.size
    path = arguments.output or Path(f'{profile.name}.png')
    if path.suffix.lower() not in STILLS:
        raise ConfigurationError(
            f"'{path}' ends with {path.suffix or 'nothing'!r}, expected one of"
            f" {', '.join(STILLS)}")
    check_file(path, width, height, 1.0)
    positions = profile.steered(arguments.steer)
    robot = DrawnRobot(profile.describe(), tuple(positions))
    lens = Lens(width, height, _FIELD_OF_VIEW, _NEAR, _FAR)
    heading = _VIEWS[arguments.view]
    viewpoint = framing(
        outline(robot.tree, positions),
        (-math.cos(heading), math.sin(heading), -_DOWN), lens, _SHARE)
    with Renderer(EMPTY_SCENE, [robot], Quality(width, height, _SAMPLES, _SHADOWS)) as renderer:
        sight = Sight([RobotSight(
            NO_POSE, tuple(positions.values()), arguments.lamps or Lamps())])
        write_still(path, renderer.draw(sight, viewpoint, lens))
    print(f'Picture, {width}x{height}: {path}')
