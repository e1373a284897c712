# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar animate`: runs from above as a GIF or MP4."""

from __future__ import annotations

import argparse
import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING

from racecar.base.errors import ParameterError
from racecar.cli.analyze import naming, progress_bar
from racecar.cli.choices import add_car_argument, add_robot_argument, add_world_argument
from racecar.cli.filming import write_film
from racecar.cli.picture_arguments import add_video_arguments, check_start, video_times

if TYPE_CHECKING:
    from racecar.bags.runs import Run
    from racecar.dynamics.vehicles.parameters import Footprint
    from racecar.scene.scene import Scene

_LENGTH = 10.0
"""Length of a video of a longer run, if nothing else is asked for [s]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar animate`."""
    parser.description = (
        'Draw runs from above over time: the desired path dotted, each robot with its trail, the'
        ' time and the speed. The trail of a single robot is coloured by speed. Small robots are'
        ' drawn larger than they are. `racecar render` draws the same in three dimensions.')
    parser.add_argument(
        'runs', type=Path, nargs='+', metavar='RUN',
        help='folder of a run, bag or CSV file; several are drawn into one picture, as are all'
             ' cars of one world')
    add_car_argument(parser, 'all')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FILE',
        help='.gif, .mp4, or .png and .jpg for one picture, not there yet (default: <name>.gif,'
             ' here)')
    add_video_arguments(
        parser, size=(720, 540), fps=20.0, speed=None,
        speed_help=f'1, of longer runs what makes the video {_LENGTH:g} s long')
    add_world_argument(parser, 'what stood around (default: that of run.yaml)')
    add_robot_argument(parser, 'size of the robots (default: that of run.yaml, else racecar)')


def run(arguments: argparse.Namespace) -> int:
    """Draw, and say where the result lies; returns 0. Raises RacecarError."""
    # Imported here, so that `racecar --help` does not wait for them.
    from racecar.analysis.animation import AnimatedRun, TopView
    from racecar.bags.runs import chosen_runs, names_of, read_run, with_one_time
    from racecar.rendering.film import check_file, VIDEOS, write_still

    names = names_of(arguments.runs)
    path = arguments.output or Path(f"{'-'.join(names).replace('/', '_')}.gif")
    width, height = arguments.size
    check_file(path, width, height, arguments.fps)
    chosen = chosen_runs(arguments.runs, arguments.car)
    shown: list[AnimatedRun] = []
    read: list[Run] = []
    for file, alike in itertools.groupby(chosen, lambda one: one.path):
        # Those of the cars of one world.
        names_of_cars, runs = [], []
        for one in alike:
            with naming(file), progress_bar() as progress:
                runs.append(read_run(file, car=one.car, progress=progress))
            names_of_cars.append(one.name)
        for found, name in zip(with_one_time(runs), names_of_cars, strict=True):
            with naming(file):
                track = None if found.tracking is None else found.tracking.merged()
            read.append(found)
            shown.append(AnimatedRun(
                name, found.motion, track, _footprint(found, arguments.vehicle)))
    end = max(float(one.motion.t[-1]) for one in shown)
    check_start(arguments.start, end)
    is_video = path.suffix.lower() in VIDEOS
    start = arguments.start or 0.0
    length = end - start if arguments.duration is None else min(end - start, arguments.duration)
    speed = arguments.speed or float(max(1, math.ceil(length / _LENGTH)))
    times = video_times(start, length, speed, arguments.fps) if is_video else [
        end if arguments.start is None else start]
    view = TopView(shown, width, height, rate=speed if is_video else 1.0,
                   scene=_scene(read, arguments.world), start=start if is_video else 0.0)
    if is_video:
        write_film(path, arguments.fps, len(times), lambda index: view.picture(times[index]))
    else:
        write_still(path, view.picture(times[0]))
    what = f'Video, {len(times) / arguments.fps:.1f} s' if is_video else 'Picture'
    print(f'{what}, {width}x{height}: {path}')
    return 0


def _footprint(found: Run, name: str | None) -> Footprint:
    from racecar.analysis.robot_profile import profile_of_file, profile_of_run, usual_profile

    if name is not None:
        return profile_of_file(name).footprint
    try:
        return (profile_of_run(found.file, found.car) or usual_profile()).footprint
    except ParameterError:
        return usual_profile().footprint  # Of another version.


def _scene(read: list[Run], world: str | None) -> Scene:
    """Scene of the runs: as asked for, else that of the first run that has a run.yaml."""
    from racecar.scene.scene import EMPTY_SCENE
    from racecar.scene.world_file import load_world

    for found in read:
        world = world or (None if found.file is None else found.file.world)
    return load_world(world) if world else EMPTY_SCENE
