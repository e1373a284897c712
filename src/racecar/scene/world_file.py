# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""World files: scenes in YAML. A map of the ROS map_server is one, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
import math
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.frames import is_part_name, PART_NAME_RULE
from racecar.base.parameters import Parameter, ParameterTable, suggest
from racecar.base.share import find_world
from racecar.base.types import Pose2
from racecar.base.values import numbers_of
from racecar.base.yaml_file import describe_error, load_yaml, parse_yaml
from racecar.scene.friction_zones import FrictionZone
from racecar.scene.grid_map import MAP_MODES, OccupancyGrid, OCCUPIED, read_image
from racecar.scene.marker import DICTIONARIES, ORIGINAL
from racecar.scene.motions import Motion, random_walk, scripted_motion
from racecar.scene.scene import (
    Board,
    Box,
    Colour,
    CONCRETE,
    Cone,
    GREY,
    Ground,
    ICE,
    MovingThing,
    ORANGE,
    painted,
    Patch,
    Scene,
    WALL_THICKNESS,
    WHITE,
    WOOD,
)

Settings: TypeAlias = dict[str, Any]
"""Values of an object of a world file by their names, each checked by the row of its table."""

_LIMIT = 1e5
"""Largest coordinate and length in a world [m]."""

_MOST_OBJECTS = 20_000
_MOST_MOVERS = 200
# Of a script [s].
_SHORTEST_LEG = 0.001


def _number(name: str, default: float | None, description: str, unit: str = 'm', *,
            minimum: float | None = None, above: float | None = None,
            maximum: float = _LIMIT) -> Parameter:
    return Parameter(name, float, default, description, unit, minimum=minimum, above=above,
                     maximum=maximum)


def _length(name: str, default: float | None, description: str) -> Parameter:
    return _number(name, default, description, above=0.0)


def _colour(default: tuple[float, float, float]) -> Parameter:
    return Parameter('colour', list, list(default), 'Red, green and blue, each from 0 to 1',
                     item=float)


_PLACE = (
    _number('x', None, 'Position', minimum=-_LIMIT),
    _number('y', None, 'Position', minimum=-_LIMIT),
)
_YAW = _number('yaw', 0.0, 'Heading, counter-clockwise', 'rad', minimum=-7.0, maximum=7.0)

_POINTS = Parameter('points', object, None, 'List of points [x, y] along it [m]')
_CLOSED = Parameter('closed', bool, False, 'Whether the last point is joined with the first')
_WALL = ParameterTable([
    _POINTS, _CLOSED,
    _length('thickness', WALL_THICKNESS, 'Thickness, half to each side of the points'),
    _length('height', 1.0, 'Height above the ground'), _colour(GREY)])
_BOX = ParameterTable([
    *_PLACE, _YAW, _length('length', None, 'Length along its own x axis'),
    _length('width', None, 'Width'), _length('height', 1.0, 'Height above the ground'),
    _colour(WOOD)])
_CONE = ParameterTable([
    *_PLACE, _length('base', Cone._field_defaults['base'], 'Diameter on the ground'),
    _length('height', Cone._field_defaults['height'], 'Height above the ground'),
    _number('mass', Cone._field_defaults['mass'], 'Mass', 'kg', above=0.0), _colour(ORANGE)])
_BOARD = ParameterTable([
    *_PLACE, _YAW, _length('width', 0.3, 'Width'), _length('height', 0.3, 'Height'),
    Parameter('marker', int, None, 'Number of its ArUco marker', minimum=0),
    Parameter('dictionary', str, ORIGINAL, 'Dictionary of the marker',
              choices=tuple(DICTIONARIES)),
    _length('size', 0.2, 'Edge of the marker with its black border'),
    _length('thickness', Board._field_defaults['thickness'], 'Thickness'), _colour(WHITE)])
_PATCH = ParameterTable([
    *_PLACE, _YAW, _length('length', None, 'Length along its own x axis'),
    _length('width', None, 'Width'), _colour(WHITE)])
_STRIP = ParameterTable([
    _POINTS, _CLOSED, _length('width', 0.05, 'Width, half to each side of the points'),
    _colour(WHITE)])
FACTOR_RANGE = (1e-3, 10.0)
"""Factors that a friction zone may have."""
_FACTOR = _number('factor', None, 'Factor of the friction of tyres', '-', minimum=FACTOR_RANGE[0],
                  maximum=FACTOR_RANGE[1])
_ZONE = ParameterTable([_POINTS, _FACTOR, _colour(ICE)])
_ROUND_ZONE = ParameterTable([*_PLACE, _length('radius', None, 'Radius'), _FACTOR, _colour(ICE)])
_NAME = Parameter('name', str, '', 'Name, of letters, digits and _; moving_0 and so on without')
_SHAPES = (
    (_length('length', None, 'Length along its heading'), _length('width', None, 'Width')),
    (_length('radius', None, 'Radius of a cylinder'),))
_FASTEST = 100.0
_MOTIONS = (
    (Parameter('path', object, None, 'Points [t, x, y] or [t, x, y, yaw] [s, m, rad]'),
     Parameter('repeat', bool, False, 'Whether it begins anew at the last time')),
    (Parameter('area', list, None, 'Lowest x, y, highest x, y of its middle [m]', item=float),
     Parameter('speed', object, None, 'Speed, or lowest and highest [m/s]'),
     Parameter('seed', int, 0, 'Seed of its walk', minimum=0),
     Parameter('start', list, [], 'x, y where it begins; drawn if not given [m]', item=float)))
# By whether a thing is a cylinder, and whether it walks at random.
_MOVING = [[ParameterTable([
    _NAME, *shape, _length('height', 1.0, 'Height above the ground'), _colour(WOOD), *motion])
    for motion in _MOTIONS] for shape in _SHAPES]
_START = ParameterTable([*_PLACE, _YAW])
_GROUND = ParameterTable([
    _length('length', Ground._field_defaults['length'], 'Length along x that pictures show'),
    _length('width', Ground._field_defaults['width'], 'Width that pictures show'),
    _colour(CONCRETE),
    *(_number(name, 0.0, 'Position of its middle', minimum=-_LIMIT) for name in ('x', 'y'))])

_MAP = ParameterTable([
    Parameter('image', str, None, 'PGM, PNG or BMP file, as seen from the file of the map'),
    _number('resolution', None, 'Edge of a cell', minimum=1e-4, maximum=1000.0),
    Parameter('origin', list, None, 'x, y [m] and yaw [rad] of the lower left corner',
              item=float),
    Parameter('negate', object, False, 'Whether white stands for walls'),
    _number('occupied_thresh', 0.65, 'Darkness above which a cell is a wall', '', minimum=0.0,
            maximum=1.0),
    _number('free_thresh', 0.196, 'Darkness below which a cell is free', '', minimum=0.0,
            maximum=1.0),
    Parameter('mode', str, MAP_MODES[0], 'What the pixels mean', choices=MAP_MODES),
])
_TOP = ParameterTable([
    Parameter('description', str, '', 'What it is, for people'),
    _length('height', 1.0, 'Height of the walls of the map'),
])
_LISTS: dict[str, ParameterTable] = {
    'walls': _WALL, 'boxes': _BOX, 'cones': _CONE, 'boards': _BOARD, 'patches': _PATCH,
    'strips': _STRIP, 'friction_zones': _ZONE, 'starts': _START}
_MOVERS = 'moving'
_KEYS = (*_TOP.names, 'ground', *_LISTS, _MOVERS, *_MAP.names)


def load_world(name: str | Path) -> Scene:
    """Scene of a world file by its path, or by its name in worlds/.

    Raises ConfigurationError, in one line with the file, for what is no world.
    """
    path = find_world(name)
    return _world(Path(path), f'world file {excerpt(str(path))}', load_yaml('world file', path))


def world_of_text(text: str) -> Scene:
    """Scene of the text of a world file; images of maps are found by their whole paths only.

    Raises ConfigurationError, in one line, for what is no world.
    """
    label = 'text of a world'
    try:
        content = parse_yaml(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(f'{label}: {describe_error(error)}') from error
    return _world(Path('text'), label, content)


def world_of_content(label: str, content: Mapping[str, object]) -> Scene:
    """Scene of the content of a world file; label: for messages.

    Raises ConfigurationError, in one line, for what is no world.
    """
    return _world(Path('content'), label, dict(content))


def _world(path: Path, label: str, content: object) -> Scene:
    if content is None:
        content = {}
    if not isinstance(content, dict):
        raise ConfigurationError(
            f'{label} is a {type(content).__name__}, expected a mapping with keys of'
            f" {', '.join(_KEYS)}")
    try:
        return _scene(path, content)
    except ParameterError as error:
        raise ConfigurationError(f'{label}: {error}') from error


def image_of_world(path: Path | str) -> Path | None:
    """Where the image of the map in a world file lies; None if it names none.

    Raises ConfigurationError for a file that cannot be read.
    """
    content = load_yaml('world file', path)
    image = content.get('image') if isinstance(content, dict) else None
    return Path(path).parent / image if isinstance(image, str) else None


def _scene(path: Path, content: Mapping[str, object]) -> Scene:
    for key in content:
        if key not in _KEYS:
            raise ParameterError(f'key {excerpt(key)} is unknown; {suggest(key, _KEYS)}')
    top = _resolved('', _TOP, {key: content[key] for key in content if key in _TOP})
    ground = _resolved('ground', _GROUND, content.get('ground', {}))
    given = {key: content[key] for key in content if key in _MAP}
    grid = _grid(path, given) if given else None
    boxes = [Box(**values) for _, values in _objects(content, 'boxes')]
    for place, values in _objects(content, 'walls'):
        boxes += _wall_boxes(place, values)
    if len(boxes) > _MOST_OBJECTS:
        raise ParameterError(
            f'{len(boxes)} walls and boxes, expected at most {_MOST_OBJECTS}')
    zones = [*_friction_zones(content)]
    scene = Scene(
        name=path.stem, boxes=tuple(boxes),
        cones=tuple(Cone(**values) for _, values in _objects(content, 'cones')),
        boards=tuple(_board(place, values) for place, values in _objects(content, 'boards')),
        patches=(*(Patch(**values) for _, values in _objects(content, 'patches')),
                 *_strip_patches(content),
                 *(patch for zone, colour in zones for patch in painted(zone, colour))),
        friction_zones=tuple(zone for zone, _ in zones), moving=_moving_things(content),
        grid=grid, grid_height=float(top['height']), ground=Ground(**ground))
    starts = tuple(Pose2(**values) for _, values in _objects(content, 'starts'))
    return replace(scene, starts=starts) if starts else scene


def _objects(content: Mapping[str, object], key: str) -> Iterator[tuple[str, Settings]]:
    """Yield where each object of a list stands, and its values."""
    for place, item in _items(content, key):
        is_round = key == 'friction_zones' and isinstance(item, dict) and 'points' not in item
        yield place, _resolved(place, _ROUND_ZONE if is_round else _LISTS[key], item)


def _items(content: Mapping[str, object], key: str) -> Iterator[tuple[str, object]]:
    """Yield where each item of a list stands, and the item."""
    items = content.get(key)
    if items is None:
        return
    if not isinstance(items, list):
        raise ParameterError(f'{key} is {excerpt(items)}, expected a list of mappings')
    for index, item in enumerate(items, start=1):
        yield f'{key}, number {index}', item


def _friction_zones(content: Mapping[str, object]) -> Iterator[tuple[FrictionZone, Colour]]:
    """Yield zones with the colours of the paint that shows them."""
    for place, values in _objects(content, 'friction_zones'):
        colour = values.pop('colour')
        if 'points' in values:
            points = _points(place, values['points'])
            if len(points) < 3:
                raise ParameterError(
                    f'{place}: points is {excerpt(points)}, expected at least three corners')
            values['points'] = tuple(points)
        yield FrictionZone(**values), colour


def _moving_things(content: Mapping[str, object]) -> tuple[MovingThing, ...]:
    found: dict[str, MovingThing] = {}
    for place, item in _items(content, _MOVERS):
        keys = item if isinstance(item, dict) else {}
        if keys and ('path' in keys) == ('area' in keys):
            raise ParameterError(
                f"{place}: {excerpt(item)} has {'both' if 'path' in keys else 'neither'} of path"
                ' and area, expected one: path for a script, area for a walk at random')
        values = _resolved(place, _MOVING['radius' in keys]['area' in keys], item)
        name = values.pop('name') or f'{_MOVERS}_{len(found)}'
        if not is_part_name(name):
            raise ParameterError(
                f'{place}: name is {excerpt(name)}, expected one that {PART_NAME_RULE}')
        if name in found:
            raise ParameterError(
                f'{place}: name is {excerpt(name)}, which another one has, expected each once')
        motion = _walk(place, values) if 'area' in keys else _script(place, values)
        found[name] = MovingThing(name, motion, **values)
    if len(found) > _MOST_MOVERS:
        raise ParameterError(
            f'{len(found)} moving things, expected at most {_MOST_MOVERS}')
    return tuple(found.values())


def _script(place: str, values: Settings) -> Motion:
    """Motion of a script, whose values are taken out."""
    path, repeats = values.pop('path'), values.pop('repeat')
    if not isinstance(path, list) or len(path) < 2:
        raise ParameterError(
            f'{place}: path is {excerpt(path)}, expected a list of at least two points [t, x, y]'
            ' or [t, x, y, yaw]; what stands still is one of boxes')
    points = [_numbers(place, 'path', point) for point in path]
    sizes = {len(point) for point in points}
    for point, given in zip(points, path, strict=True):
        if len(point) not in (3, 4) or max(map(abs, point)) > _LIMIT or len(sizes) > 1:
            raise ParameterError(
                f'{place}: path has the point {excerpt(given)}, expected [t, x, y] of all points'
                f' or [t, x, y, yaw] of all, each number within {_LIMIT:g}')
    times = [point[0] for point in points]
    for before, time in zip([-1.0, *times], times, strict=False):
        if time < 0.0 or time < before + _SHORTEST_LEG:
            raise ParameterError(
                f'{place}: path has the time {time:g} s after'
                f" {'the begin' if before < 0.0 else f'{before:g} s'}, expected times from 0 on"
                f' that increase by at least {_SHORTEST_LEG:g} s')
    if repeats and points[0][1:3] != points[-1][1:3]:
        raise ParameterError(
            f'{place}: path ends at {excerpt(path[-1][1:3])} and begins at'
            f' {excerpt(path[0][1:3])}, expected one place with repeat: add the way back as a last'
            ' point')
    return scripted_motion([(point[0], point[1], point[2]) for point in points],
                           [point[3] for point in points] if sizes == {4} else (),
                           repeats=repeats)


def _walk(place: str, values: Settings) -> Motion:
    """Motion of a walk at random, whose values are taken out."""
    area, speed, seed, start = (
        values.pop(name) for name in ('area', 'speed', 'seed', 'start'))
    numbers = _numbers(place, 'area', area)
    if len(numbers) != 4 or max(map(abs, numbers)) > _LIMIT or not (
            numbers[0] < numbers[2] and numbers[1] < numbers[3]):
        raise ParameterError(
            f'{place}: area is {excerpt(area)}, expected lowest x, lowest y, highest x, highest y'
            f' within {_LIMIT:g} m, the lowest below the highest')
    speeds = _numbers(place, 'speed', speed if isinstance(speed, list) else [speed])
    if len(speeds) not in (1, 2) or not 0.001 <= speeds[0] <= speeds[-1] <= _FASTEST:
        raise ParameterError(
            f'{place}: speed is {excerpt(speed)}, expected a number in [0.001, {_FASTEST:g}] m/s,'
            ' or the lowest and the highest of such')
    at = _numbers(place, 'start', start)
    low_x, low_y, high_x, high_y = numbers
    if at and (len(at) != 2 or not (low_x <= at[0] <= high_x and low_y <= at[1] <= high_y)):
        raise ParameterError(
            f'{place}: start is {excerpt(start)}, expected x, y within the area {excerpt(area)}')
    return random_walk((low_x, low_y, high_x, high_y), (speeds[0], speeds[-1]), seed,
                       (at[0], at[1]) if at else None)


def _numbers(place: str, name: str, value: object) -> tuple[float, ...]:
    """Finite numbers of a list."""
    row = Parameter(name, list, None, '', item=float)
    try:
        numbers = numbers_of({name: row.validate(value)}, name)
    except ParameterError:
        numbers = (math.nan,)
    if not all(map(math.isfinite, numbers)):
        raise ParameterError(
            f'{place}: {name} has {excerpt(value)}, expected a list of finite numbers')
    return numbers


def _resolved(place: str, table: ParameterTable, item: object) -> Settings:
    prefix = f'{place}: ' if place else ''
    if not isinstance(item, dict):
        names = ', '.join(table.names)
        raise ParameterError(f'{prefix}{excerpt(item)}, expected a mapping with keys of {names}')
    try:
        values: Settings = table.resolve(item)
    except ParameterError as error:
        raise ParameterError(f'{prefix}{error}') from error
    if 'colour' in values:
        colour = values['colour']
        if len(colour) != 3 or not all(0.0 <= part <= 1.0 for part in colour):
            raise ParameterError(
                f'{prefix}colour is {excerpt(colour)}, expected red, green and blue, each from 0'
                ' to 1')
        values['colour'] = tuple(colour)
    return values


def _wall_boxes(place: str, values: Settings) -> Iterator[Box]:
    """Yield the pieces of a wall."""
    for piece in _pieces(place, values, values['thickness']):
        yield Box(*piece, values['height'], values['colour'])


def _strip_patches(content: Mapping[str, object]) -> Iterator[Patch]:
    """Yield the pieces of strips of paint."""
    for place, values in _objects(content, 'strips'):
        for piece in _pieces(place, values, values['width']):
            yield Patch(*piece, values['colour'])


def _pieces(
    place: str, values: Settings, width: float,
) -> Iterator[tuple[float, float, float, float, float]]:
    """Yield x, y, yaw, length and width of the rectangles of a wall or a strip."""
    points = _points(place, values['points'])
    ends = points[1:] + points[:1] if values['closed'] else points[1:]
    for start, end in zip(points, ends, strict=False):
        length = math.dist(start, end)
        if length == 0.0:
            raise ParameterError(f'{place}: point {list(start)} stands twice in a row')
        # Each piece goes on by half its width, so that corners are closed.
        yield (0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1]),
               math.atan2(end[1] - start[1], end[0] - start[0]), length + width, width)


def _points(place: str, points: object) -> list[tuple[float, float]]:
    row = Parameter('points', list, None, 'Points along it', item=float)
    if not isinstance(points, list) or len(points) < 2:
        raise ParameterError(
            f'{place}: points is {excerpt(points)}, expected a list of at least two points [x, y]')
    found = []
    for point in points:
        try:
            numbers = numbers_of({row.name: row.validate(point)}, row.name)
        except ParameterError:
            numbers = ()
        if len(numbers) != 2 or max(map(abs, numbers)) > _LIMIT:
            raise ParameterError(
                f'{place}: point {excerpt(point)}, expected [x, y] within {_LIMIT:g} m')
        found.append((numbers[0], numbers[1]))
    return found


def _board(place: str, values: Settings) -> Board:
    if values['size'] > min(values['width'], values['height']):
        raise ParameterError(
            f"{place}: size of the marker is {values['size']:g} m, expected at most width and"
            f" height of the board, {values['width']:g} m and {values['height']:g} m")
    most = len(DICTIONARIES[values['dictionary']].words) - 1
    if values['marker'] > most:
        raise ParameterError(
            f"{place}: marker is {values['marker']}, expected at most {most} in the dictionary"
            f" {values['dictionary']}")
    return Board(**values)


def _grid(path: Path, given: Mapping[str, object]) -> OccupancyGrid:
    """Map that the keys of map_server name."""
    values = _resolved('', _MAP, given)
    occupied, free = values['occupied_thresh'], values['free_thresh']
    if free >= occupied:
        raise ParameterError(
            f'free_thresh is {free:g} and occupied_thresh {occupied:g}, expected the first to be'
            ' smaller')
    origin = values['origin']
    if len(origin) != 3 or max(map(abs, origin)) > _LIMIT:
        raise ParameterError(
            f'origin is {excerpt(origin)}, expected x, y within {_LIMIT:g} m and yaw [rad]')
    if values['negate'] not in (0, 1):
        raise ParameterError(f"negate is {excerpt(values['negate'])}, expected 0 or 1")
    mode = values['mode']
    cells = read_image(
        path.parent / values['image'], mode=mode, negate=bool(values['negate']),
        occupied_threshold=occupied, free_threshold=free)
    if max(cells.shape) * values['resolution'] > _LIMIT:
        raise ParameterError(
            f"the map is {max(cells.shape) * values['resolution']:g} m long, expected at most"
            f' {_LIMIT:g} m')
    # Raw values are the probability itself; other modes have taken the decision.
    limit = math.ceil(occupied * OCCUPIED) if mode == 'raw' else OCCUPIED
    return OccupancyGrid(cells, values['resolution'], Pose2(*origin), limit)
