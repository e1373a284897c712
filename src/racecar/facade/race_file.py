# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Race files: track, rules, and cars with their controllers; docs/races.md explains the keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from racecar.base.environment import hash_of_file
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.fields import Fields
from racecar.base.readings import LaserScan
from racecar.base.share import find_track, may_be_path, track_names
from racecar.base.types import AckermannCommand, Odometry, Pose2
from racecar.base.values import Values
from racecar.base.yaml_file import load_mapping, naming_file
from racecar.catalogue import node_names
from racecar.control.custom_controller import ControllerClass, find_controller
from racecar.control.custom_driver import CustomDriver
from racecar.control.tracker import TrajectoryTracker
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.facade.driven_cars import Driver, GapDriver
from racecar.gym.tracks import named_track, Track
from racecar.metrics.course_places import Places, poses_on
from racecar.metrics.laps import Course
from racecar.race.off_course import line_warning, start_warning
from racecar.race.rules import HEAD_TO_HEAD, OBSTACLES, read_rules, Rules
from racecar.scene.scene import Box, Colour, Scene
from racecar.scene.world_choice import check_car_names, files_of_world, MOST_CARS
from racecar.sensors.laser import LASER
from racecar.simulation.fleet_file import car_shape, FleetCar, SHAPE_KEYS
from racecar.simulation.obstacles import GIVE_PARAMETER
from racecar.stacks import describe_stack, StackOptions

KEYS = ('format', 'world', 'line', 'cars', 'heats', 'time_limit', 'laps', 'rules', 'obstacles',
        'simulator', 'grid_spacing', 'seed')
"""Of a race file."""

CAR_KEYS = (*SHAPE_KEYS, 'controller', 'settings', 'raceline', 'speed')
"""Of a car in it."""

GAP_FOLLOWER = node_names.GAP_FOLLOWER

_SIMULATOR = node_names.SINGLE_TRACK_SIMULATOR
_TRACKER = node_names.TRAJECTORY_TRACKER
# The first place of the grid is so far behind the line, and both rows so far apart [m].
_TO_LINE, _ROWS = 0.6, 0.3
# Edge and height of an obstacle that a seed places, and the way past it that is left free [m].
_OBSTACLE, _OBSTACLE_HEIGHT, _PASSAGE = 0.3, 0.3, 0.9
_MOST_OBSTACLES, _DRAWS = 100, 1000


@dataclass(frozen=True)
class PlannedCar:
    """A car as the plant has it.

    values: of all parameters of its simulator. start: of base_link in map, None for its place on
    the grid, counted from 0. sees_laser: whether its driver sees scans, and not odometry alone.
    driver: what drives it, for people. colour: in reports, None for any.
    """

    name: str
    values: Values
    place: int
    start: Pose2 | None
    sees_laser: bool
    driver: str
    colour: Colour | None

    @property
    def vehicle(self) -> VehicleParameters:
        """Its vehicle."""
        return VehicleParameters.from_values(self.values)


@dataclass(frozen=True)
class RacePlan:
    """All that plant and referee are made of; a race follows from this and the commands.

    world, line: as for named_track(); boxes: obstacles beside those of the world.
    """

    rules: Rules
    world: str
    line: str
    boxes: tuple[Box, ...]
    grid_spacing: float
    cars: tuple[PlannedCar, ...]

    @property
    def track(self) -> Track:
        """Course of the race and what stands around it. Raises ConfigurationError."""
        return named_track(self.world, self.line)

    def scene(self) -> Scene:
        """What stands around, with the obstacles."""
        scene = self.track.scene
        return replace(scene, boxes=(*scene.boxes, *self.boxes)) if self.boxes else scene

    def starts(self, cars: Sequence[int], heat: int) -> list[Pose2]:
        """Where cars of these numbers start; heat: from 0, in each of which places change."""
        if len(cars) == 1:
            return [self.cars[cars[0]].start or self._on_grid(0)]
        return [one.start or self._on_grid((one.place + heat) % len(cars))
                for one in (self.cars[car] for car in cars)]

    def _on_grid(self, place: int) -> Pose2:
        way = -_TO_LINE - self.grid_spacing * place
        offset = 0.5 * _ROWS * (-1.0) ** place
        row, = poses_on(self.track.course, Places(
            np.array([way]), np.array([offset]), np.zeros(1))).tolist()
        return Pose2(*row)

    @property
    def files(self) -> dict[str, str]:
        """SHA-256 of the files that world and line lie in, by their names."""
        paths = [*files_of_world(self.world)]
        line = self.line or (self.world if self.world in track_names() else '')
        if line:
            paths.append(find_track(line))
        return {str(path): hash_of_file(path) for path in paths}

    def as_dict(self) -> dict[str, object]:
        """What JSON keeps of it."""
        return {
            'rules': self.rules._asdict(), 'world': self.world, 'line': self.line,
            'boxes': [[*box[:6], [*box.colour]] for box in self.boxes],
            'grid_spacing': self.grid_spacing,
            'cars': [{
                'name': car.name, 'place': car.place,
                'start': None if car.start is None else [*car.start],
                'sees_laser': car.sees_laser, 'driver': car.driver,
                'colour': None if car.colour is None else [*car.colour],
                'values': dict(car.values),
            } for car in self.cars]}

    @classmethod
    def from_dict(cls, kept: Mapping[str, object]) -> RacePlan:
        """Plan of as_dict(). Raises ConfigurationError for what is none."""
        fields = Fields('inputs of the race', kept)
        try:
            cars = kept['cars']
            boxes = kept['boxes']
            assert isinstance(cars, list)
            assert isinstance(boxes, list)
            return cls(
                Rules(**fields.mapping('rules')),  # type: ignore[arg-type]
                fields.text('world'), fields.text('line'),
                tuple(Box(*row[:6])._replace(colour=tuple(row[6])) for row in boxes),
                fields.number('grid_spacing'), tuple(PlannedCar(
                    car['name'], car['values'], car['place'],
                    None if car['start'] is None else Pose2(*car['start']), car['sees_laser'],
                    car['driver'], None if car['colour'] is None else tuple(car['colour']))
                    for car in cars))
        except (AssertionError, KeyError, TypeError, IndexError) as error:
            raise ConfigurationError(
                f'inputs of the race are damaged ({error}), expected a folder that `racecar race`'
                ' has written') from error


class Race(NamedTuple):
    """A race that can be driven: its plan, and what makes the drivers of its cars.

    warnings: of starts and lines that are not those of the track.
    """

    plan: RacePlan
    drivers: tuple[Callable[[], Driver], ...]
    warnings: tuple[str, ...] = ()


def read_race(path: Path | str) -> Race:
    """Race of a file. Raises ConfigurationError or ParameterError naming what is wrong."""
    content = load_mapping('race file', path, ', '.join(KEYS))
    with naming_file('race file', path):
        return make_race(content)


def make_race(content: Values) -> Race:
    """Race of what a file holds. Raises ConfigurationError or ParameterError."""
    fields = Fields('', content)
    fields.know(KEYS)
    rules = read_rules(fields)
    world = _whole(fields.text('world', 'racetrack'))
    line = _whole(fields.text('line', ''))
    track = named_track(world, line)
    if not track.course.is_closed:
        raise fields.error('line', line, 'a closed centre line')
    seed = fields.whole('seed', 0, 0, 2**31 - 1)
    rows = fields.value('cars')
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_CARS:
        raise fields.error('cars', rows, f'a list of 1 to {MOST_CARS} cars')
    if rules.format == HEAD_TO_HEAD and len(rows) < 2:
        raise fields.error('cars', rows, f'at least two of them for {HEAD_TO_HEAD}')
    common = fields.mapping('simulator')
    shared = _Shared(rules, world, track.course, common, seed)
    made = [_car(Fields.of(f'car {number}', row), number, shared)
            for number, row in enumerate(rows, start=1)]
    cars = tuple(one.car for one in made)
    try:
        check_car_names([car.name for car in cars])
    except ParameterError as error:
        raise ConfigurationError(str(error)) from error
    plan = RacePlan(
        rules, world, line, _obstacles(fields, rules, track, seed),
        fields.number('grid_spacing', 0.8, 0.1), cars)
    starts = [start_warning(f'car {car.name}', track.course, car.start.x, car.start.y)
              for car in cars if car.start is not None]
    return Race(plan, tuple(one.make_driver for one in made), tuple(
        filter(None, (*starts, *(one.warning for one in made)))))


def _whole(name: str) -> str:
    """A name, or the absolute path of a file."""
    return str(Path(name).resolve()) if may_be_path(name) and Path(name).is_file() else name


class _Shared(NamedTuple):
    """What all cars of a race have in common; simulator: parameters."""

    rules: Rules
    world: str
    course: Course
    simulator: Values
    seed: int


class _Made(NamedTuple):
    """A car, what makes its driver, and what is to be said of its line."""

    car: PlannedCar
    make_driver: Callable[[], Driver]
    warning: str = ''


def _car(fields: Fields, number: int, race: _Shared) -> _Made:
    fields.know(CAR_KEYS)
    shape = car_shape(fields, number)
    where = fields.text('controller', GAP_FOLLOWER)
    settings = fields.mapping('settings')
    make = _gap_following if where == GAP_FOLLOWER else _controlled
    try:
        return make(fields, shape, settings, race)
    except ParameterError as error:
        raise ParameterError(f'car {shape.name}: {error}') from error


def _options(shape: FleetCar, race: _Shared) -> StackOptions:
    return StackOptions(
        vehicle=shape.vehicle or None, world=race.world, overrides_option='race file', overrides={
            _SIMULATOR: {GIVE_PARAMETER.name: race.rules.touch_depth, **race.simulator,
                         **shape.simulator}})


def _planned(
    shape: FleetCar, values: Values, driver: str, *, sees_laser: bool,
) -> PlannedCar:
    return PlannedCar(
        shape.name, values, shape.place, shape.start, sees_laser, driver, shape.colour)


def _gap_following(
    fields: Fields, shape: FleetCar, settings: Values, race: _Shared,
) -> _Made:
    for name in ('raceline', 'speed'):
        if fields.has(name):
            raise fields.error(name, fields.value(name), f'none: {GAP_FOLLOWER} follows no line;'
                               ' its settings have a speed')
    options = _options(shape, race)
    overrides = {**options.overrides, GAP_FOLLOWER: settings}
    overrides[_SIMULATOR] = {'laser.seed': race.seed, **overrides[_SIMULATOR]}
    values = _resolved('gap_ode', replace(options, overrides=overrides))
    return _Made(_planned(shape, values[_SIMULATOR], GAP_FOLLOWER, sees_laser=True),
                 lambda: GapDriver(values[GAP_FOLLOWER]))


def _controlled(
    fields: Fields, shape: FleetCar, settings: Values, race: _Shared,
) -> _Made:
    where = fields.text('controller')
    made_by = find_controller(where)
    for name in settings:
        made_by.setting(name)
    if made_by.takes('noise_seed'):
        settings = {'noise_seed': race.seed + shape.place, **settings}
    options = _options(shape, race)
    tracked: dict[str, object] = {
        'reference_origin': 'map', 'raceline_speed': fields.number('speed', 0.8, 0.0)}
    if fields.has('raceline'):
        tracked['raceline_file'] = fields.text('raceline')
    overrides = {**options.overrides, _TRACKER: tracked}
    options = replace(options, trajectory='raceline', controller=where, overrides=overrides)
    values = _resolved('kinematic_ode', options)
    tracker = values[_TRACKER]
    # Says now what is wrong with its settings.
    driver = ControllerDriver(made_by, settings, tracker)
    if driver.reads_scans:
        overrides[_SIMULATOR] = {
            'sensors': [LASER.name], 'laser.seed': race.seed, **overrides[_SIMULATOR]}
        values = _resolved('kinematic_ode', options)
    line = TrajectoryTracker(dict(tracker)).course()
    return _Made(
        _planned(shape, values[_SIMULATOR], where, sees_laser=driver.reads_scans),
        lambda: ControllerDriver(made_by, settings, tracker),
        line_warning(f'car {shape.name}', f"the raceline {tracker['raceline_file']}",
                     race.course, line))


def _resolved(stack: str, options: StackOptions) -> dict[str, dict[str, object]]:
    return {d.executable: d.resolve() for d in describe_stack(stack, options)
            if d.executable in (_SIMULATOR, _TRACKER, GAP_FOLLOWER)}


class ControllerDriver:
    """Drives by a controller along a race line of the map."""

    def __init__(self, made_by: ControllerClass, settings: Values, tracker: Values) -> None:
        """settings: of the controller; tracker: values of all parameters of the node."""
        self._tracker = tracker
        vehicle = VehicleParameters.from_values(tracker)
        self._driver = CustomDriver(
            lambda: made_by.make(vehicle, settings), TrajectoryTracker(dict(tracker)))

    @property
    def reads_scans(self) -> bool:
        """Whether the controller does."""
        return self._driver.reads_scans

    def see(self, scan: LaserScan, now_ns: int) -> AckermannCommand | None:
        """Command for a scan, if it gives one. Raises RunError if the controller fails."""
        return self._driver.see(scan, now_ns)

    def answer(self, odometry: Odometry) -> AckermannCommand | None:
        """Command for odometry. Raises RunError if the controller fails."""
        return self._driver.update(odometry).command if self._driver.answers_odometry else None

    def restart(self) -> None:
        """Begin the line anew where the car is."""
        self._driver.start_anew(TrajectoryTracker(dict(self._tracker)))


def _obstacles(fields: Fields, rules: Rules, track: Track, seed: int) -> tuple[Box, ...]:
    """Boxes that a file names, or so many that a seed places."""
    if not fields.has('obstacles'):
        if rules.format == OBSTACLES:
            raise ConfigurationError(
                f'obstacles is missing, expected their number, or a list of boxes'
                f' [x, y, yaw, length, width], for {OBSTACLES}')
        return ()
    found = fields.value('obstacles')
    if isinstance(found, list):
        boxes = []
        for number, row in enumerate(found, start=1):
            x, y, yaw, length, width = Fields(
                'obstacles', {f'{number}': row}).numbers(f'{number}', 5)
            if min(length, width) <= 0.0:
                raise fields.error('obstacles', row, 'length and width above 0')
            boxes.append(Box(x, y, yaw, length, width, _OBSTACLE_HEIGHT))
        return tuple(boxes)
    return _drawn(fields.whole('obstacles', 0, 0, _MOST_OBSTACLES), track, seed)


def _drawn(count: int, track: Track, seed: int) -> tuple[Box, ...]:
    """Boxes along a course, one in each of so many equal parts, with a way past each."""
    course, generator = track.course, np.random.Generator(np.random.PCG64(seed))
    ways = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(course.points, axis=0).T))])
    boxes = []
    for part in range(count):
        for _ in range(_DRAWS):
            # Not at the ends, where the grid is.
            way = course.length * (part + generator.uniform(0.25, 0.75)) / count
            right, left = (min(float(np.interp(way, ways, side)), 1.0)
                           for side in (course.right, course.left))
            half = 0.5 * _OBSTACLE
            offset = generator.uniform(half - right, left - half)
            if max(offset - half + right, left - offset - half) >= _PASSAGE:
                break
        else:
            raise ConfigurationError(
                f'obstacles: there is no place for number {part + 1} of {count} that leaves'
                f' {_PASSAGE:g} m free: name their places, or fewer of them')
        (x, y, yaw), = poses_on(course, Places(
            np.array([way]), np.array([offset]), np.array([generator.uniform(0.0, math.pi)])))
        boxes.append(Box(float(x), float(y), float(yaw), _OBSTACLE, _OBSTACLE, _OBSTACLE_HEIGHT))
    return tuple(boxes)
