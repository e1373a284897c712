# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar render`: a picture or a video of a world, a bag or a run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
import functools
import math
import os
from pathlib import Path
from typing import NamedTuple, TYPE_CHECKING

from racecar.base.errors import ConfigurationError
from racecar.base.parameters import suggestion
from racecar.base.share import world_names
from racecar.cli.choices import (
    add_robot_argument,
    add_world_argument,
    completed_as_file,
    one_of,
)
from racecar.cli.filming import write_film
from racecar.cli.output import ProgressBar
from racecar.cli.picture_arguments import (
    add_lamps_argument,
    add_video_arguments,
    check_start,
    video_times,
)

if TYPE_CHECKING:
    from racecar.analysis.drive import Drive
    from racecar.base.types import Pose3
    from racecar.description.robot_tree import RobotTree
    from racecar.rendering.lens import Lens
    from racecar.rendering.sight import Sight
    from racecar.rendering.viewpoints import Viewpoint
    from racecar.scene.scene import Scene

WORLD, BAG, RUN = 'world', 'bag', 'run'
CHASE, TOP, AROUND, ONBOARD, FIXED = 'chase', 'top', 'around', 'onboard', 'fixed'

_WIDE, _NARROW = 1.05, 0.5
_NEAR, _FAR = 0.02, 300.0
_SAMPLES, _SHADOWS = 4, 2048
# Lines and dots of pictures that show more than this [m] are larger, beside robots shorter than
# the other smaller.
_USUAL_SPAN, _USUAL_LENGTH = 6.0, 0.5
_ROUND_TIME = 8.0
# That draw a video side by side.
_PROCESSES = min(4, os.cpu_count() or 1)

Triple = tuple[float, float, float]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar render`."""
    parser.description = (
        'Draw off-screen, with OpenGL in software or on a graphics card: a PNG or JPEG'
        ' picture, an MP4 or GIF video. Of a bag and a run the path is blue, the reference'
        ' green. Neither ROS nor a screen is needed.')
    kinds = WORLD, BAG, RUN
    parser.add_argument('kind', type=one_of(kinds), choices=kinds, metavar='KIND',
                        help=f'{WORLD}, {BAG} or {RUN} (a CSV of simulate or up, or the folder of'
                             ' a run)')
    completed_as_file(parser.add_argument(
        'source', metavar='SOURCE',
        help=f"name or file of a world ({', '.join(world_names())}), a bag, a CSV file, or the"
             ' folder of a run; of several cars all are drawn'))
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FILE',
        help='.png, .jpg, .mp4 or .gif, not there yet (default: <name>.png of a world, else'
             ' <name>.mp4, here)')
    views = CHASE, TOP, AROUND, ONBOARD, FIXED
    parser.add_argument(
        '--view', type=one_of(views), choices=views,
        help=f'from where (default: {TOP} for a world, else {CHASE}); {ONBOARD}: from the camera'
             f' of the car; {FIXED}: with --from and --at')
    parser.add_argument('--from', dest='place', type=_triple, metavar='X,Y,Z',
                        help=f'where the camera of --view {FIXED} stands [m]')
    parser.add_argument('--at', type=_triple, metavar='X,Y,Z',
                        help=f'what the camera of --view {FIXED} looks at [m]')
    add_video_arguments(parser, size=(1280, 720), fps=25.0, speed=1.0, speed_help='1',
                        whole=f'all; {_ROUND_TIME:g} of a world')
    parser.add_argument(
        '--car', metavar='NAME',
        help='of a bag or run of several cars, the one that the camera follows (default: the'
             ' first)')
    add_world_argument(
        parser, 'world of a bag or run (default: that of its run.yaml, else the map in the bag,'
                ' else empty)')
    add_robot_argument(
        parser, 'robot (default: that of the bag or of its run.yaml, else racecar)')
    add_lamps_argument(parser, ', of a world')
    parser.add_argument('--laser', action='store_true', help='draw what the laser saw, of a bag')


def run(arguments: argparse.Namespace) -> int:
    """Draw, and say where the result lies; returns 0. Raises RacecarError as draw()."""
    print(draw(arguments))
    return 0


def draw(arguments: argparse.Namespace) -> str:
    """Draw, and return a line that says where the result lies.

    Raises RacecarError with a one-line message.
    """
    # Imported here, so that `racecar --help` does not wait for them.
    from racecar.rendering.drawing_process import DrawingTeam
    from racecar.rendering.film import check_file, VIDEOS, write_still
    from racecar.rendering.renderer import Renderer
    from racecar.rendering.sight import DrawnRobot, Quality

    _check(arguments)
    name = Path(arguments.source).resolve().stem
    path = arguments.output or Path(name + ('.png' if arguments.kind == WORLD else '.mp4'))
    width, height = arguments.size
    check_file(path, width, height, arguments.fps)
    is_video = path.suffix.lower() in VIDEOS
    subject = _subject(arguments, whole_path=not is_video)
    shot = _shot(arguments, subject)
    # The camera of the car sees none.
    shadows = 0 if arguments.view == ONBOARD else _SHADOWS
    scale = max(min(1.0, subject.length / _USUAL_LENGTH), shot.span / _USUAL_SPAN)
    times = _times(arguments, subject, is_video)
    robots = [DrawnRobot(one.tree, one.joints) for one in subject.robots]
    stage = subject.scene, robots, Quality(width, height, _SAMPLES, shadows)

    def seen(index: int) -> tuple[Sight, Pose3, Lens]:
        sight = subject.sight(times[index], scale)
        if arguments.view == ONBOARD:
            # What the camera saw, and nothing that is drawn into it.
            sight = sight._replace(lines=(), dots=())
        return sight, shot.viewpoint(
            sight.robots[subject.followed].pose, index / len(times)), shot.lens

    if is_video:
        with DrawingTeam(*stage, size=min(_PROCESSES, len(times))) as team:
            write_film(path, arguments.fps, len(times), lambda index: team.draw(*seen(index)),
                       team.size)
    else:
        with Renderer(*stage) as renderer:
            write_still(path, renderer.draw(*seen(0)))
    what = f'Video, {len(times) / arguments.fps:.1f} s' if is_video else 'Picture'
    return f'{what}, {width}x{height}: {path}'


class _Robot(NamedTuple):
    """A robot that is drawn; drive: None where it stands."""

    tree: RobotTree
    joints: tuple[str, ...]
    length: float
    drive: Drive | None = None


class _Subject(NamedTuple):
    """What is drawn: a scene and its robots; followed: which of them the camera looks at.

    sight: of a time from 0 to duration [s] and the scale of lines and dots.
    """

    scene: Scene
    robots: list[_Robot]
    duration: float
    sight: Callable[[float, float], Sight]
    followed: int = 0

    @property
    def robot(self) -> _Robot:
        """The robot that the camera looks at."""
        return self.robots[self.followed]

    @property
    def length(self) -> float:
        """Length of the robot that the camera looks at [m]."""
        return self.robot.length

    @property
    def drives(self) -> list[Drive]:
        """Of the robots that drive."""
        return [robot.drive for robot in self.robots if robot.drive is not None]


def _check(arguments: argparse.Namespace) -> None:
    """Raise ConfigurationError for options that contradict each other."""
    has_place = arguments.place is not None or arguments.at is not None
    if arguments.view == FIXED and (arguments.place is None or arguments.at is None):
        raise ConfigurationError(f'--view {FIXED} needs --from X,Y,Z and --at X,Y,Z')
    if has_place and arguments.view != FIXED:
        raise ConfigurationError(f'--from and --at are for --view {FIXED}; add it')
    if arguments.kind == WORLD:
        for option in ('world', 'start', 'laser', 'car'):
            if getattr(arguments, option):
                raise ConfigurationError(f'--{option} is not for a world, but for a bag or run')
    elif arguments.lamps is not None:
        raise ConfigurationError(
            f'--lamps is for a world; a {arguments.kind} has those that were lit')
    elif arguments.laser and arguments.kind != BAG:
        raise ConfigurationError('--laser is for a bag; a run has no scans')


def _subject(arguments: argparse.Namespace, *, whole_path: bool) -> _Subject:
    """Read what is to be drawn. Raises RacecarError."""
    from racecar.analysis.robot_profile import profile_of_file, usual_profile
    from racecar.base.poses import pose_of_angles
    from racecar.base.types import Lamps, NANOSECONDS
    from racecar.rendering.sight import moving_poses, RobotSight, Sight, standing_cones
    from racecar.scene.world_file import load_world

    if arguments.kind == WORLD:
        robot = usual_profile() if arguments.vehicle is None \
            else profile_of_file(arguments.vehicle)
        scene = load_world(arguments.source)
        x, y, yaw = scene.starts[0]
        start = pose_of_angles(x, y, 0.0, 0.0, 0.0, yaw)
        shown = RobotSight(start, lamps=arguments.lamps or Lamps())
        still = Sight([shown], standing_cones(scene))
        return _Subject(scene, [_Robot(robot.describe(), (), robot.length)], _ROUND_TIME,
                        lambda time, _: still._replace(
                            moving=moving_poses(scene, round(time * NANOSECONDS))))
    return _driven(arguments, whole_path=whole_path)


def _driven(arguments: argparse.Namespace, *, whole_path: bool) -> _Subject:
    """Read the drives of a bag or a run, of one robot or of all cars. Raises RacecarError."""
    from racecar.analysis.drive import DRIVEN
    from racecar.analysis.palette import colour, colour_named
    from racecar.bags.runs import cars_of
    from racecar.base.types import NANOSECONDS
    from racecar.rendering.sight import moving_poses, Sight, standing_cones

    path = Path(arguments.source)
    cars = cars_of(path)
    if arguments.car is not None and arguments.car not in cars:
        raise ConfigurationError(
            f"--car '{arguments.car}' is not in '{path}', expected "
            + (f"one of {', '.join(cars)}{suggestion(arguments.car, cars)}" if cars
               else 'none, as it has a single robot: leave it out'))
    read = [_read(arguments, path, car) for car in cars or (None,)]
    scene = next((one.scene for one in read if not one.scene.is_empty), read[0].scene)
    robots = [one.robot for one in read]
    drives = [robot.drive for robot in robots if robot.drive is not None]
    start_ns = min(drive.start_ns for drive in drives)
    begins = [(drive.start_ns - start_ns) / NANOSECONDS for drive in drives]
    colours = [_rgb(colour_named(car) or colour(number)) for number, car in enumerate(cars)] \
        or [DRIVEN]
    cones = standing_cones(scene)

    def sight(time: float, scale: float) -> Sight:
        seen = [drive.sight(time - begin, cones, whole_path=whole_path, scale=scale, colour=of_car)
                for drive, begin, of_car in zip(drives, begins, colours, strict=True)]
        return Sight([one.robots[0] for one in seen], cones,
                     [line for one in seen for line in one.lines],
                     [dots for one in seen for dots in one.dots],
                     moving_poses(scene, start_ns + round(time * NANOSECONDS)))

    return _Subject(
        scene, robots, max(begin + drive.duration for drive, begin in zip(
            drives, begins, strict=True)),
        sight, 0 if arguments.car is None else cars.index(arguments.car))


class _Read(NamedTuple):
    """A robot with its drive, and what stood around."""

    robot: _Robot
    scene: Scene


def _read(arguments: argparse.Namespace, path: Path, car: str | None) -> _Read:
    """Read one drive of a bag or a run; car: of one of several. Raises RacecarError."""
    import numpy as np

    from racecar.analysis.drive import drive_of_table
    from racecar.analysis.robot_profile import profile_of_file, profile_of_run, usual_profile
    from racecar.analysis.run_csv import read_run_csv
    from racecar.bags.drive_log import read_drive_log
    from racecar.bags.runs import locate
    from racecar.base.run_file import read_run_file_beside
    from racecar.description.outline import outline
    from racecar.scene.scene import EMPTY_SCENE, Scene
    from racecar.scene.world_file import load_world

    chosen = None if arguments.vehicle is None else profile_of_file(arguments.vehicle)
    found = locate(path, car) if path.is_dir() else path
    if arguments.kind == RUN and found.suffix != '.csv':
        raise ConfigurationError(
            f"run '{found}' is a bag, expected a CSV file or a folder with one: draw it by"
            f' `racecar render {BAG}`')
    if arguments.kind == BAG and found.suffix == '.csv':
        raise ConfigurationError(
            f"bag '{found}' is a CSV file, expected a bag: draw it by `racecar render {RUN}`")
    file = read_run_file_beside(found)
    robot = chosen or profile_of_run(file, car or '') or usual_profile()
    length = robot.length
    world = arguments.world or (None if file is None else file.world)
    scene = EMPTY_SCENE if world is None else load_world(world)
    if arguments.kind == RUN:
        drive, tree = drive_of_table(read_run_csv(found), robot), None
    else:
        with ProgressBar(None, 'reading', 'messages') as show:
            log = read_drive_log(
                found, car=car, with_scans=arguments.laser, progress=lambda n, _: show(n))
        drive = log.drive
        tree = None if log.description is None or chosen else log.description.tree
        if tree is not None and len(corners := outline(tree)):
            length = float(np.ptp(corners[:, 0]))
        if world is None and log.grid is not None:
            scene = Scene(grid=log.grid)
    return _Read(_Robot(tree or robot.describe(), drive.joints, length, drive), scene)


def _rgb(text: str) -> Triple:
    """Red, green and blue from 0 to 1 of a colour as #0072B2."""
    red, green, blue = bytes.fromhex(text.removeprefix('#'))
    return red / 255.0, green / 255.0, blue / 255.0


class _Shot(NamedTuple):
    """A viewpoint, its lens, and how far what it shows reaches [m]."""

    viewpoint: Viewpoint
    lens: Lens
    span: float


def _shot(arguments: argparse.Namespace, subject: _Subject) -> _Shot:
    from racecar.rendering import viewpoints
    from racecar.rendering.lens import Lens
    from racecar.scene.scene import HIGHEST

    view = arguments.view or (TOP if arguments.kind == WORLD else CHASE)
    width, height = arguments.size
    near, wide = 3.0 * subject.length, Lens(width, height, _WIDE, _NEAR, _FAR)
    if view == CHASE:
        return _Shot(viewpoints.chase(subject.length), wide, near)
    if view == AROUND:
        return _Shot(viewpoints.around(subject.length), wide, near)
    if view == FIXED:
        return _Shot(viewpoints.fixed(arguments.place, arguments.at), wide,
                     math.dist(arguments.place, arguments.at))
    if view == ONBOARD:
        from racecar.sensors.camera import FIELD_OF_VIEW
        lens = wide._replace(field_of_view=FIELD_OF_VIEW)
        return _Shot(viewpoints.onboard(subject.robot.tree), lens, near)
    pose: Pose3 = subject.sight(0.0, 1.0).robots[0].pose
    bounds = (functools.reduce(viewpoints.joined, (drive.bounds for drive in subject.drives))
              if subject.drives else
              (pose.x - 1.0, pose.y - 1.0, pose.x + 1.0, pose.y + 1.0))
    bounds = viewpoints.joined(bounds, viewpoints.scene_bounds(subject.scene))
    above = viewpoints.height_above(bounds, _NARROW, width / height)
    return _Shot(
        viewpoints.top(bounds, above),
        wide._replace(field_of_view=_NARROW, near=max(_NEAR, above - 2.0 * HIGHEST),
                      far=_FAR + 3.0 * above),
        max(bounds[2] - bounds[0], bounds[3] - bounds[1]))


def _times(arguments: argparse.Namespace, subject: _Subject, is_video: bool) -> list[float]:
    """Times of the pictures [s]. Raises ConfigurationError if there are none."""
    start, end = arguments.start, subject.duration
    check_start(start, end)
    if not is_video:
        # A world has no end of its own.
        last = end if subject.drives else 0.0
        return [last if start is None else start]
    start = start or 0.0
    length = end - start
    if arguments.duration is not None:
        length = (arguments.duration if not subject.drives
                  else min(length, arguments.duration))
    return video_times(start, length, arguments.speed, arguments.fps)


def _triple(text: str) -> Triple:
    try:
        x, y, z = map(float, text.split(','))
    except ValueError:
        x = y = z = math.nan
    if not all(map(math.isfinite, (x, y, z))):
        raise argparse.ArgumentTypeError(f'{text!r}, expected three numbers as 1.5,0,2')
    return x, y, z
