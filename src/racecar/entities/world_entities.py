# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is in a simulation by name, as tools that steer simulators see it, without ROS.

Robots, cones, boxes and moving things are entities. What is spawned becomes a part of the scene; a
car that is spawned from the file of a vehicle stands there parked, as a box of its size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
import math
import os
from pathlib import Path
import re
from typing import NamedTuple

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, excerpt, ParameterError, RacecarError
from racecar.base.poses import pose_of_child, rotated
from racecar.base.share import find_vehicle, find_world, resource_file, vehicle_names
from racecar.base.types import (
    Acceleration3,
    BodyState,
    Pose3,
    quaternion_to_yaw,
    Twist3,
    yaw_to_quaternion,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.entities.convex_bodies import corners, hull_distance
from racecar.entities.name_filter import LONGEST_NAME, name_filter
from racecar.entities.refusals import RefusedError
from racecar.scene.grid_map import NO_GRID
from racecar.scene.motions import MotionState
from racecar.scene.overlaps import disc_overlaps
from racecar.scene.scene import Box, Cone, EMPTY_SCENE, foot_rows, Scene
from racecar.scene.world_file import image_of_world, load_world, world_of_text
from racecar.simulation.ports import Bounds, Entity, Plant, Scenery
from racecar.simulation.vehicle_plant import bounds_of_vehicle

WORLD_FRAMES = '', 'world', 'map'
"""Names of the frame in which poses are."""

OBJECTS = tuple(f'package://racecar/worlds/objects/{name}.yaml' for name in ('box', 'cone'))
"""Files of objects that come with the package."""

UNNAMED = 'robot'
"""Name of a robot that its plant gives none."""

# Names of entities, as parts of names of ROS.
_NAME = re.compile('[A-Za-z][A-Za-z0-9_]*')
_NAMESPACE = re.compile('/?[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*')
# Farther away is outside of every world [m].
_FARTHEST = 1e5
# Free room at a start is looked for up to this radius, to this accuracy [m].
_MOST_ROOM, _ROOM_ACCURACY = 10.0, 1e-3

_AT_REST, _STEADY = Twist3(*(0.0,) * 6), Acceleration3(*(0.0,) * 6)


class Category(IntEnum):
    """Major categories of entities."""

    OBJECT = 0
    ROBOT = 1
    HUMAN = 2
    DYNAMIC_OBJECT = 4
    STATIC_OBJECT = 5


class Info(NamedTuple):
    """What is said of an entity."""

    category: int
    description: str = ''
    tags: tuple[str, ...] = ()


class State(NamedTuple):
    """Pose in the world; twist and acceleration of the entity's frame in axes of the world."""

    pose: Pose3
    twist: Twist3
    acceleration: Acceleration3


class NamedPose(NamedTuple):
    """A pose of base_link from which robots start."""

    name: str
    pose: Pose3


class Request(NamedTuple):
    """What shall be spawned: see SpawnEntity of the standard."""

    name: str
    allow_renaming: bool
    uri: str
    text: str
    namespace: str
    pose: Pose3
    frame: str


class Filter(NamedTuple):
    """Which entities are wanted; empty fields let all through.

    pattern: of the name, see name_filter(); categories: of Category; tags, tags_mode: see
    tags_match(); area: whether corners (n, 3) of an entity [m] are within what is asked for.
    """

    pattern: str = ''
    categories: frozenset[int] = frozenset()
    tags: Sequence[str] = ()
    tags_mode: int = 0
    area: Callable[[Array], bool] | None = None


@dataclass
class _Thing:
    """A cone or box of the scene: as it is put now and at first.

    ahead: how far the middle of a box is ahead of the frame of the entity [m].
    """

    now: Box | Cone
    first: Box | Cone
    info: Info
    is_spawned: bool = False
    ahead: float = 0.0

    @property
    def is_cone(self) -> bool:
        """Whether it can be knocked over."""
        return isinstance(self.now, Cone)

    @property
    def pose(self) -> Pose3:
        """Where its frame was put to."""
        x, y = self.now[:2]
        yaw = self.now.yaw if isinstance(self.now, Box) else 0.0
        return _flat(x - self.ahead * math.cos(yaw), y - self.ahead * math.sin(yaw), yaw)

    @property
    def bounds(self) -> Bounds:
        """The box about it in its frame."""
        item = self.now
        length, width = (item.base, item.base) if isinstance(item, Cone) else item[3:5]
        return Bounds((self.ahead - 0.5 * length, -0.5 * width, 0.0),
                      (self.ahead + 0.5 * length, 0.5 * width, item.height))

    def placed(self, pose: Pose3) -> Box | Cone:
        """The same with its frame at a pose, of which x, y and heading count."""
        yaw = quaternion_to_yaw(*pose[3:])
        if isinstance(self.now, Cone):
            return self.now._replace(x=pose.x, y=pose.y)
        return self.now._replace(x=pose.x + self.ahead * math.cos(yaw),
                                 y=pose.y + self.ahead * math.sin(yaw), yaw=yaw)


class World(NamedTuple):
    """The world that is loaded: its name, and its URI or text."""

    name: str
    uri: str
    text: str = ''


class Entities:
    """The entities of a plant whose scenery can be replaced.

    world: that is loaded; None if none is. on_change: called after the scenery was replaced.
    """

    def __init__(self, plant: Plant, world: World, on_change: Callable[[], None]) -> None:
        """Raise ConfigurationError for a plant whose scenery cannot be replaced."""
        if plant.scenery is None:
            raise ConfigurationError('the plant has no scenery that can be replaced')
        self._plant = plant
        self._on_change = on_change
        self.world: World | None = world
        self._robot_infos: dict[str, Info] = {}
        # Poses from which robots start in a world that was loaded later.
        self._starts: dict[str, Pose3] = {}
        self._adopt(plant.scenery.scene())

    def _adopt(self, scene: Scene) -> None:
        """Take over the things of a scene that is there."""
        self._base = scene
        self._things: dict[str, _Thing] = {}
        named: list[tuple[str, Box | Cone]] = [
            *((f'box_{index}', box) for index, box in enumerate(scene.boxes)),
            *((f'cone_{index}', cone) for index, cone in enumerate(scene.cones))]
        for name, item in named:
            self._things[name] = _Thing(item, item, _info_of(item))
        self._first = dict(self._things)
        taken = {*self._robots(), *self._things}
        self._movers = {f'moving_{thing.name}' if thing.name in taken else thing.name: thing
                        for thing in scene.moving}
        self._mover_infos = {
            name: Info(Category.DYNAMIC_OBJECT,
                       f"moving {'cylinder' if thing.is_round else 'box'}", ('moving',))
            for name, thing in self._movers.items()}

    @property
    def _scenery(self) -> Scenery:
        scenery = self._plant.scenery
        assert scenery is not None
        return scenery

    def _robots(self) -> dict[str, Entity]:
        return {entity.name or UNNAMED: entity for entity in self._plant.entities}

    # Queries

    def names(self) -> list[str]:
        """Names of all entities, robots first; none without a world."""
        return [] if self.world is None else [*self._robots(), *self._things, *self._movers]

    def chosen(self, wanted: Filter) -> list[str]:
        """Names of the entities that a filter lets through. Raises RefusedError for a bad one."""
        is_named = name_filter(wanted.pattern)
        # Also where there is no entity, what cannot be used is refused.
        tags_match((), wanted.tags, wanted.tags_mode)
        return [name for name in self.names()
                if is_named(name) and self._fits(name, self.info(name), wanted)]

    def _fits(self, name: str, info: Info, wanted: Filter) -> bool:
        return (not wanted.categories or info.category in wanted.categories) \
            and tags_match(info.tags, wanted.tags, wanted.tags_mode) \
            and (wanted.area is None or wanted.area(corners(
                self.bounds(name), self.state(name).pose)))

    def check(self, name: str) -> None:
        """Raise RefusedError for a name that no entity has."""
        if name not in self.names():
            raise RefusedError('NOT_FOUND', f'entity {excerpt(name)} is unknown, expected one of'
                               f' {excerpt(self.names())}')

    def info(self, name: str) -> Info:
        """Category, description and tags. Raises RefusedError."""
        self.check(name)
        thing = self._things.get(name)
        if thing is not None:
            return thing.info
        if name in self._movers:
            return self._mover_infos[name]
        return self._robot_infos.get(name, Info(Category.ROBOT, 'simulated robot', ('robot',)))

    def set_info(self, name: str, info: Info) -> None:
        """Replace what is said of an entity. Raises RefusedError."""
        self.check(name)
        if info.category not in list(Category):
            raise RefusedError(
                'OPERATION_FAILED', f'category is {info.category}, expected one of'
                f" {', '.join(f'{kind.value} ({kind.name})' for kind in Category)}")
        if name in self._things:
            self._things[name].info = info
        elif name in self._movers:
            self._mover_infos[name] = info
        else:
            self._robot_infos[name] = info

    def state(self, name: str) -> State:
        """Where an entity is and how it moves. Raises RefusedError."""
        self.check(name)
        if name in self._movers:
            return _moving_state(self._movers[name].motion.at(self._plant.time_ns))
        robot = self._robots().get(name)
        if robot is None:
            thing = self._things[name]
            if thing.is_cone:
                cones = [other for other, item in self._things.items() if item.is_cone]
                return _in_world(self._scenery.loose()[cones.index(name)])
            return _in_world(BodyState(thing.pose, _AT_REST))
        platform = robot.platform
        if platform is None:
            raise RefusedError('OPERATION_FAILED', f'nobody knows where {excerpt(name)} is')
        return _in_world(platform.state(), platform.acceleration())

    def bounds(self, name: str) -> Bounds:
        """The box about an entity in its own axes. Raises RefusedError."""
        self.check(name)
        if name in self._movers:
            mover = self._movers[name]
            length, width = mover.size
            return Bounds((-0.5 * length, -0.5 * width, 0.0),
                          (0.5 * length, 0.5 * width, mover.height))
        robot = self._robots().get(name)
        if robot is None:
            return self._things[name].bounds
        if robot.bounds is None:
            raise RefusedError('OPERATION_FAILED', f'nobody knows how big {excerpt(name)} is')
        return robot.bounds

    def named_poses(self) -> list[NamedPose]:
        """Poses of the world from which robots start; none without a world."""
        return [] if self.world is None else [
            NamedPose('start' if not index else f'start_{index}', _flat(*start))
            for index, start in enumerate(self._base.starts)]

    def free_radius(self, name: str) -> float:
        """Radius about a named pose in which nothing stands, at most 10 m. Raises RefusedError."""
        poses = {named.name: named.pose for named in self.named_poses()}
        if name not in poses:
            raise RefusedError('NOT_FOUND', f'pose {excerpt(name)} is unknown, expected one of'
                               f' {excerpt(list(poses))}')
        scene, (x, y, *_) = self._scenery.scene(), poses[name]
        grid = NO_GRID if scene.grid is None else scene.grid.numbers
        rows = scene.wall_rows, scene.box_rows, foot_rows(scene.cones), grid[:]
        free, taken = 0.0, _MOST_ROOM
        if not disc_overlaps(*rows, (x, y, _MOST_ROOM)):
            return _MOST_ROOM
        while taken - free > _ROOM_ACCURACY:
            middle = 0.5 * (free + taken)
            if disc_overlaps(*rows, (x, y, middle)):
                taken = middle
            else:
                free = middle
        return free

    # Changes

    def pose_in_world(self, frame: str, pose: Pose3) -> Pose3:
        """A pose in the world that is given in a frame: the world or an entity.

        Raises RefusedError for an unknown frame and a place outside of the world.
        """
        if frame not in WORLD_FRAMES:
            if frame not in self.names():
                raise RefusedError(
                    'INVALID_POSE', f'frame_id is {excerpt(frame)}, expected the world (one of'
                    f' {WORLD_FRAMES}) or the name of an entity')
            pose = pose_of_child(self.state(frame).pose, pose)
        if max(map(abs, pose[:3])) > _FARTHEST:
            raise RefusedError(
                'INVALID_POSE', f'position is {pose[:3]}, expected within {_FARTHEST:g} m')
        return pose

    def set_state(self, name: str, pose: Pose3, twist: Twist3) -> None:
        """Put an entity to a pose in the world with a twist in axes of the world.

        Everything stands on the ground: x, y and heading count. Raises RefusedError.
        """
        self.check(name)
        self._check_mover(name)
        robot = self._robots().get(name)
        if robot is not None:
            self._put_robot(robot, pose, twist)
            return
        if any(twist):
            raise RefusedError(
                'OPERATION_FAILED', f'twist is {twist[:]}, expected 0: {excerpt(name)} moves only'
                ' if something pushes it')
        thing = self._things[name]
        self._check_free(thing.bounds, pose)
        before, thing.now = thing.now, thing.placed(pose)
        self._rebuild(lambda: setattr(thing, 'now', before))

    def _check_mover(self, name: str) -> None:
        if name in self._movers:
            raise RefusedError(
                'OPERATION_FAILED', f'{excerpt(name)} moves as the world says, expected a robot, a'
                ' cone or a box; load another world to change it')

    def _put_robot(self, robot: Entity, pose: Pose3, twist: Twist3) -> None:
        platform = robot.platform
        before = None if platform is None else platform.state().pose
        try:
            robot.check_reset(pose)
            placed = robot.reset(pose)
        except RacecarError as error:
            raise RefusedError('INVALID_POSE', str(error)) from error
        if not any(twist):
            return
        own = Twist3(*rotated(_inverse(placed), twist[:3]), *rotated(_inverse(placed), twist[3:]))
        try:
            if robot.push is None:
                raise ParameterError('the robot can be given no twist, expected 0')
            robot.push(Twist3(*(0.0 if abs(part) < 1e-12 else part for part in own)))
        except RacecarError as error:
            robot.reset(before)
            raise RefusedError('OPERATION_FAILED', f'{error}; it stands where it was') from error

    def spawn(self, request: Request) -> str:
        """Let something more stand there and return its name. Raises RefusedError."""
        if not request.uri and not request.text:
            raise RefusedError('NO_RESOURCE', 'uri and resource_string are empty, expected one of'
                               f' {excerpt(list(spawnables()))}')
        if request.namespace and not _NAMESPACE.fullmatch(request.namespace):
            raise RefusedError(
                'NAMESPACE_INVALID', f'namespace is {excerpt(request.namespace)}, expected names'
                ' of letters, digits and _ with / between them')
        if self.world is None:
            raise RefusedError('INCORRECT_STATE', 'no world is loaded; call load_world first')
        thing = _thing_of(request)
        name = self._free_name(request, thing.info.tags[0])
        pose = self.pose_in_world(request.frame, request.pose)
        self._check_free(thing.bounds, pose)
        thing.now = thing.first = thing.placed(pose)
        self._things[name] = thing
        self._rebuild(lambda: self._things.pop(name))
        return name

    def _free_name(self, request: Request, fallback: str) -> str:
        wanted, taken = request.name, self.names()
        is_valid = bool(_NAME.fullmatch(wanted)) and len(wanted) <= LONGEST_NAME
        if (wanted and not is_valid) or (not wanted and not request.allow_renaming):
            raise RefusedError(
                'NAME_INVALID', f'name is {excerpt(wanted)}, expected letters, digits and _, a'
                f' letter first, at most {LONGEST_NAME}; or none with allow_renaming')
        if wanted in taken and not request.allow_renaming:
            raise RefusedError('NAME_NOT_UNIQUE', f'name {excerpt(wanted)} is taken, expected'
                               ' another one, or allow_renaming')
        if wanted and wanted not in taken:
            return wanted
        return next(name for name in (f'{wanted or fallback}_{index}' for index in range(
            1, len(taken) + 2)) if name not in taken)

    def _check_free(self, bounds: Bounds, pose: Pose3) -> None:
        """Raise RefusedError if a robot is where something shall stand."""
        place = corners(bounds, _flat(pose.x, pose.y, quaternion_to_yaw(*pose[3:])))
        for name, robot in self._robots().items():
            if robot.bounds is not None and robot.platform is not None and not hull_distance(
                    place, corners(robot.bounds, robot.platform.state().pose)):
                raise RefusedError(
                    'INVALID_POSE', f'the {name} is at x {pose.x:g} m, y {pose.y:g} m; expected a'
                    ' place that is free')

    def delete(self, name: str) -> None:
        """Remove a cone or box. Raises RefusedError."""
        self.check(name)
        self._check_mover(name)
        if name not in self._things:
            raise RefusedError('OPERATION_FAILED', f'{excerpt(name)} is the robot of this'
                               ' simulator and ends with it; expected a cone, a box or a car that'
                               ' was spawned')
        before = dict(self._things)
        del self._things[name]
        self._rebuild(lambda: setattr(self, '_things', before))

    def load(self, uri: str, text: str) -> World:
        """Replace the world and put the robots to its starts. Raises RefusedError."""
        if not uri and not text:
            raise RefusedError(
                'NO_RESOURCE', 'uri and resource_string are empty, expected a world')
        try:
            scene = load_world(_path(uri)) if uri else world_of_text(text)
        except RacecarError as error:
            raise RefusedError(_why_not_loaded(uri), str(error)) from error
        self._replace(scene)
        self.world = World(scene.name, uri, '' if uri else text)
        robots = self._robots()
        for index, (name, robot) in enumerate(robots.items()):
            pose = _flat(*scene.starts[index % len(scene.starts)])
            self._starts[name] = robot.reset(pose)
        self._robot_infos.clear()
        return self.world

    def unload(self) -> None:
        """Remove the world and all that was spawned. Raises RefusedError."""
        if self.world is None:
            raise RefusedError('NO_WORLD_LOADED', 'no world is loaded, expected one to unload')
        self._replace(EMPTY_SCENE)
        self.world = None

    def _replace(self, scene: Scene) -> None:
        try:
            self._scenery.replace(scene)
        except RacecarError as error:
            raise RefusedError('OPERATION_FAILED', str(error)) from error
        self._adopt(scene)
        self._on_change()

    def start_of(self, robot: Entity) -> Pose3 | None:
        """Where a robot starts; None: where its plant has its start."""
        return self._starts.get(robot.name or UNNAMED)

    def reset(self, *, state: bool, spawned: bool) -> None:
        """Go back: state: all to where it was at first; spawned: without what was spawned.

        With both, what was deleted of the world is there again. Robots are for the caller.
        """
        if state and spawned:
            things = dict(self._first)
        else:
            things = {name: thing for name, thing in self._things.items()
                      if not (spawned and thing.is_spawned)}
        self._things = things
        if state:
            for thing in things.values():
                thing.now = thing.first
            if any(thing.is_cone for thing in things.values()):
                # Cones that are there before stay as they have been knocked over.
                self._scenery.replace(replace(self._scene(), cones=()))
        self._rebuild(lambda: None)

    def _scene(self) -> Scene:
        items = [thing.now for thing in self._things.values()]
        return replace(
            self._base, boxes=tuple(item for item in items if isinstance(item, Box)),
            cones=tuple(item for item in items if isinstance(item, Cone)))

    def _rebuild(self, undo: Callable[[], object]) -> None:
        """Let the things stand where they are now; undo what was changed if that cannot be."""
        try:
            self._scenery.replace(self._scene())
        except RacecarError as error:
            undo()
            raise RefusedError('OPERATION_FAILED', str(error)) from error
        self._on_change()


def spawnables() -> Iterator[str]:
    """URIs of what comes with the package and can be spawned."""
    yield from OBJECTS
    for name in vehicle_names():
        yield f'package://racecar/config/vehicles/{name}.yaml'


def spawnable_bounds(uri: str) -> Bounds:
    """The box about what is spawned from a URI. Raises RefusedError."""
    return _thing_of(Request('', True, uri, '', '', _flat(0.0, 0.0, 0.0), '')).bounds


def _thing_of(request: Request) -> _Thing:
    """What a file or text describes, at the origin."""
    try:
        if not request.uri:
            return _object_of(world_of_text(request.text))
        path = _path(request.uri)
        if not os.path.isfile(path):
            path = str(find_vehicle(request.uri))
    except ConfigurationError as error:
        code = 'RESOURCE_PARSE_ERROR' if not request.uri else 'NOT_FOUND'
        raise RefusedError(code, str(error)) from error
    if Path(path).suffix not in ('.yaml', '.yml'):
        raise RefusedError(
            'UNSUPPORTED_FORMAT', f'uri is {excerpt(request.uri)}, expected a YAML file of a'
            ' vehicle, or of a world with one box or cone')
    try:
        return _object_of(load_world(path))
    except ConfigurationError as error:
        try:
            return _parked(VehicleParameters.from_file(path))
        except RacecarError as other:
            raise RefusedError(
                'RESOURCE_PARSE_ERROR', f'neither an object ({error}) nor a vehicle ({other})',
            ) from other


def _why_not_loaded(uri: str) -> str:
    """Code for a world that cannot be loaded."""
    if not uri:
        return 'RESOURCE_PARSE_ERROR'
    try:
        image = image_of_world(find_world(_path(uri)))
    except RefusedError as error:
        return error.code
    except ConfigurationError:
        return 'RESOURCE_PARSE_ERROR' if os.path.isfile(uri) else 'NOT_FOUND'
    return 'MISSING_ASSETS' if image is not None and not os.path.isfile(image) \
        else 'RESOURCE_PARSE_ERROR'


def _object_of(scene: Scene) -> _Thing:
    items: tuple[Box | Cone, ...] = (*scene.boxes, *scene.cones)
    if len(items) != 1 or scene.boards or scene.grid is not None or scene.moving:
        raise RefusedError(
            'RESOURCE_PARSE_ERROR', f'{len(items)} boxes and cones, expected one of either and'
            ' nothing else')
    item, = items
    return _Thing(item, item, _info_of(item), is_spawned=True)


def _parked(vehicle: VehicleParameters) -> _Thing:
    (rear, right, _), (front, left, top) = bounds_of_vehicle(vehicle)
    red, green, blue = vehicle.body.colour
    ahead = 0.5 * (front + rear)
    box = Box(ahead, 0.0, 0.0, front - rear, left - right, top, (red, green, blue))
    return _Thing(
        box, box, Info(Category.STATIC_OBJECT, f'parked car {vehicle.name}', ('car', 'parked')),
        is_spawned=True, ahead=ahead)


def _path(uri: str) -> str:
    """Path or name of what a URI names."""
    if '://' not in uri:
        return uri
    try:
        return str(resource_file(uri))
    except ConfigurationError as error:
        raise RefusedError('NOT_FOUND', str(error)) from error


def _info_of(item: Box | Cone) -> Info:
    if isinstance(item, Cone):
        return Info(Category.DYNAMIC_OBJECT, 'traffic cone', ('cone',))
    return Info(Category.STATIC_OBJECT, 'box', ('box',))


def _flat(x: float, y: float, yaw: float) -> Pose3:
    return Pose3(x, y, 0.0, 0.0, 0.0, *yaw_to_quaternion(yaw))


def _inverse(pose: Pose3) -> tuple[float, float, float, float]:
    return -pose.qx, -pose.qy, -pose.qz, pose.qw


def _moving_state(at: MotionState) -> State:
    """State of a thing that moves; on its way it has no acceleration."""
    return State(_flat(at.x, at.y, at.yaw), Twist3(at.vx, at.vy, 0.0, 0.0, 0.0, at.yaw_rate),
                 _STEADY)


def _in_world(state: BodyState, acceleration: Acceleration3 = _STEADY) -> State:
    """A state with its twist in axes of the world."""
    turn = state.pose[3:]
    return State(
        state.pose,
        Twist3(*rotated(turn, state.twist[:3]), *rotated(turn, state.twist[3:])),
        Acceleration3(*rotated(turn, acceleration[:3]), *rotated(turn, acceleration[3:])))


def tags_match(tags: Sequence[str], wanted: Sequence[str], mode: int) -> bool:
    """Whether tags have any (mode 0) or all (1) of those wanted; none wanted matches all.

    Raises RefusedError for another mode.
    """
    if mode not in (0, 1):
        raise RefusedError(
            'OPERATION_FAILED', f'filter_mode is {mode}, expected 0 (any) or 1 (all)')
    if not wanted:
        return True
    return set(wanted) <= set(tags) if mode else bool(set(wanted) & set(tags))
