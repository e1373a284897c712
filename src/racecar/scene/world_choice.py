# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The world that parameters name, and where a robot starts in it."""

from __future__ import annotations

from collections.abc import Sequence
import functools
import math
import os
from pathlib import Path

from racecar.base.errors import excerpt, ParameterError
from racecar.base.frames import is_part_name, PART_NAME_RULE
from racecar.base.parameters import Parameter
from racecar.base.share import find_world
from racecar.base.types import Pose2
from racecar.base.values import number_of, text_of, texts_of, Values
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.scene.world_file import image_of_world, load_world

WORLD_PARAMETER = Parameter(
    'world', str, EMPTY_SCENE.name, 'What stands around: a world of worlds/ by name, or a file; a'
    ' map of map_server is one, too', read_only=True)
"""A row of every simulator."""

START_PARAMETERS = tuple(
    Parameter(f'initial_{name}', float, 0.0, f'Initial {what} of base_link in odom, from where the'
              ' world has its start: at the origin, along x, if it says nothing', unit,
              read_only=True)
    for name, what, unit in (('x', 'position', 'm'), ('y', 'position', 'm'),
                             ('yaw', 'heading, counter-clockwise,', 'rad')))
"""More rows of every simulator."""

HEIGHT_PARAMETER = Parameter(
    'initial_z', float, 0.0, 'Initial height above where it stands, from which it falls, in the'
    ' 3-D world', 'm', minimum=0.0, maximum=1000.0, read_only=True)
"""A row of simulators of the 3-D world."""


def scene_of(values: Values) -> Scene:
    """Scene of the parameter `world`; one and the same while its files stay the same.

    Raises ConfigurationError as load_world().
    """
    files = files_of_world(text_of(values, WORLD_PARAMETER.name))
    return _loaded(str(files[0]), statuses(files))


def files_of_world(name: str | Path) -> tuple[Path, ...]:
    """File of a world by its name or path, and the image of its map if it has one.

    Raises ConfigurationError as load_world().
    """
    path = find_world(name)
    image = _image(str(path), _status(path))
    return (path,) if image is None else (path, image)


# Between cars that start behind each other [m].
_GRID_SPACING = 1.0

FLEET_FILE = Parameter(
    'fleet_file', str, '', 'File that says in what the cars differ: vehicles, starts, lasers and'
    ' parameters; docs/several_cars.md', read_only=True)

FLEET_PARAMETERS = (
    Parameter('cars', list, [], 'Names of several cars in one world, each with its topics and'
              ' frames below its name; none: one car without a name', read_only=True),
    FLEET_FILE,
    Parameter('grid_spacing', float, _GRID_SPACING, 'Of several cars, those for which the world'
              ' has no start of their own begin so far behind each other', 'm', above=0.0,
              maximum=100.0, read_only=True),
)
"""Rows of simulators of cars."""

MOST_CARS = 100
"""Cars that one world may have."""


def car_names(values: Values) -> tuple[str, ...]:
    """Names of the cars that parameters ask for; one empty name for a single car without any.

    Raises ParameterError for a name that ROS 2 does not allow, for one that stands twice, and for
    more cars than there may be.
    """
    names = tuple(texts_of(values, FLEET_PARAMETERS[0].name)) \
        if FLEET_PARAMETERS[0].name in values else ()
    check_car_names(names)
    return names or ('',)


def check_car_names(names: Sequence[str]) -> None:
    """Raise ParameterError as car_names()."""
    for index, name in enumerate(names):
        if not is_part_name(name):
            raise ParameterError(
                f"parameter 'cars' names {excerpt(name)}, expected a name that {PART_NAME_RULE},"
                ' such as car1')
        if name in names[:index]:
            raise ParameterError(
                f"parameter 'cars' names {excerpt(name)} twice, expected each car once")
    if len(names) > MOST_CARS:
        raise ParameterError(
            f"parameter 'cars' names {len(names)} cars, expected at most {MOST_CARS}")


Status = tuple[int, int] | None
"""Time of the last change [ns] and size of a file; None if there is none."""


def statuses(files: Sequence[Path]) -> tuple[Status, ...]:
    """Of files, by which it is seen that they are the same as before."""
    return tuple(map(_status, files))


def _status(path: Path | str) -> Status:
    try:
        found = os.stat(path)
    except OSError:
        # Whoever reads it says so.
        return None
    return found.st_mtime_ns, found.st_size


# A sweep asks for each of its cars.
@functools.lru_cache(maxsize=8)
def _image(path: str, _: Status) -> Path | None:
    return image_of_world(path)


@functools.lru_cache(maxsize=8)
def _loaded(path: str, _: tuple[Status, ...]) -> Scene:
    return load_world(path)


def start_pose(scene: Scene, values: Values, index: int = 0) -> Pose2:
    """Pose of base_link at the start: initial_x, _y and _yaw from that of the world.

    index: of the robot; where there are more of them than starts, they begin behind each other.
    """
    along, across, turn = (number_of(values, f'initial_{part}') for part in ('x', 'y', 'yaw'))
    row, place = divmod(index, len(scene.starts))
    if row:
        along -= row * number_of(values, 'grid_spacing', _GRID_SPACING)
    x, y, yaw = scene.starts[place]
    if (x, y, yaw) == (0.0, 0.0, 0.0):
        # The bits stay those of the parameters.
        return Pose2(along, across, turn)
    cosine, sine = math.cos(yaw), math.sin(yaw)
    return Pose2(x + along * cosine - across * sine, y + along * sine + across * cosine,
                 yaw + turn)
