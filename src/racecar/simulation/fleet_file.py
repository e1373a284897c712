# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fleet files: the cars of one world, and in what they differ; docs/several_cars.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.fields import Fields
from racecar.base.parameter_file import load_parameter_file
from racecar.base.parameters import ParameterTable, suggest
from racecar.base.share import find_robot, find_vehicle
from racecar.base.types import Pose2
from racecar.base.values import text_of, Values
from racecar.base.yaml_file import load_yaml
from racecar.dynamics.vehicles.body_parameters import BODY_PREFIX, RACECAR
from racecar.dynamics.vehicles.parameters import (
    PREFIX,
    VEHICLE_FILE_PARAMETERS,
    VehicleParameters,
)
from racecar.scene.scene import Colour, Scene
from racecar.scene.world_choice import (
    car_names,
    check_car_names,
    FLEET_FILE,
    MOST_CARS,
    start_pose,
)
from racecar.simulation.contact import CONTACT_PARAMETERS

SUFFIXES = ('.yaml', '.yml')
"""How the names of fleet files end."""

OUTSIDE = 'outside'
"""Value of `stack` of a car that nodes from outside the configuration drive."""

SHAPE_KEYS = ('name', 'vehicle', 'place', 'start', 'colour', 'laser', 'simulator')
"""Of a car in any file: who it is, what it is made of, where it starts."""

_KEYS = (*SHAPE_KEYS, 'stack', 'set')

_COLOUR, _SHAPE = f'{BODY_PREFIX}colour', f'{BODY_PREFIX}shape'
# What all cars of a simulator have in common, or what has a key of its own.
_OF_ALL = ('cars', FLEET_FILE.name, 'grid_spacing', 'world', 'step', 'rate', 'initial_x',
           'initial_y', 'initial_yaw', *(row.name for row in CONTACT_PARAMETERS))


class RobotKind(NamedTuple):
    """What the robots of a simulator are, for the key `vehicle` of a fleet file.

    prefix: of the parameters that such a file has; find: gives the file of a name or path; of_all:
    further parameters that all robots of a simulator have in common.
    """

    prefix: str
    find: Callable[[str], Path]
    of_all: tuple[str, ...] = ()


CARS = RobotKind(PREFIX, find_vehicle)


@dataclass(frozen=True)
class FleetCar:
    """A car of a fleet file.

    vehicle: name or file, '' for that of the configuration. place: among the starts of the world,
    counted from 0; start: pose of base_link in map in its place. simulator: parameters of the
    simulator that this car has otherwise, those of the laser among them. stack: what drives it,
    '' for what the configuration has. settings: parameters of its nodes by their names. colour:
    red, green and blue from 0 to 1, of bodies that take one and in reports, None for any.
    """

    name: str
    vehicle: str = ''
    place: int = 0
    start: Pose2 | None = None
    simulator: Values = field(default_factory=dict)
    stack: str = ''
    settings: Mapping[str, Values] = field(default_factory=dict)
    colour: Colour | None = None

    @property
    def is_outside(self) -> bool:
        """Whether nodes from outside the configuration drive it."""
        return self.stack == OUTSIDE


@dataclass(frozen=True)
class CarValues:
    """A car of a simulator: its name, '' for the only one; values of all its parameters."""

    name: str
    values: Values
    place: int = 0
    start: Pose2 | None = None

    def start_in(self, scene: Scene) -> Pose2:
        """Pose of base_link at which it starts."""
        return self.start or start_pose(scene, self.values, self.place)


def is_fleet_file(text: str) -> bool:
    """Whether a name is that of a fleet file, and not of a car."""
    return text.endswith(SUFFIXES)


def read_fleet(path: Path | str) -> tuple[FleetCar, ...]:
    """Cars of a file. Raises ConfigurationError naming the car, the key and what is expected."""
    content: object = load_yaml('fleet file', path)
    where = f"fleet file '{path}'"
    if isinstance(content, dict):
        fields = Fields(where, content)
        fields.know(('cars',))
        content = fields.value('cars')
    if not isinstance(content, list) or not content:
        raise ConfigurationError(
            f'{where} holds {excerpt(content)}, expected a list of cars, each a mapping with'
            f" {', '.join(_KEYS)}")
    cars = tuple(_car(Fields.of(f'{where}: car {number}', row), number)
                 for number, row in enumerate(content, start=1))
    try:
        check_car_names([car.name for car in cars])
    except ParameterError as error:
        raise ConfigurationError(f'{where}: {error}') from error
    return cars


def _car(fields: Fields, number: int) -> FleetCar:
    fields.know(_KEYS)
    shape = car_shape(fields, number)
    settings = {node: fields.inner('set').mapping(node) for node in fields.mapping('set')}
    return FleetCar(
        shape.name, shape.vehicle, shape.place, shape.start, shape.simulator,
        fields.text('stack', ''), settings, shape.colour)


def car_shape(fields: Fields, number: int) -> FleetCar:
    """Car of SHAPE_KEYS; number: among those of its file, counted from 1.

    Raises ConfigurationError.
    """
    if fields.has('start') and fields.has('place'):
        raise fields.error('place', fields.value('place'), 'no place beside start')
    start = Pose2(*fields.numbers('start', 3)) if fields.has('start') else None
    vehicle = fields.text('vehicle', '')
    if vehicle:
        # Whether it is one of the kind that the simulator has is known only there.
        find_robot(vehicle)
    simulator = dict(fields.mapping('simulator'))
    for name in simulator:
        if name in _OF_ALL or name.startswith('odometry.'):
            raise fields.error(
                'simulator', {name: simulator[name]},
                'parameters that cars may have of their own: this one is of all cars, or'
                ' has a key of its own (vehicle, place, start)')
    laser = fields.mapping('laser')
    simulator |= {f'laser.{name}': value for name, value in laser.items()}
    return FleetCar(
        fields.text('name', f'car{number}'), vehicle,
        fields.whole('place', number, 1, MOST_CARS) - 1, start, simulator,
        colour=_colour(fields) if fields.has('colour') else None)


def _colour(fields: Fields) -> Colour:
    red, green, blue = fields.numbers('colour', 3)
    if not all(0.0 <= part <= 1.0 for part in (red, green, blue)):
        raise fields.error('colour', [red, green, blue], 'red, green and blue from 0 to 1')
    return red, green, blue


def values_of_cars(
    values: Values, table: ParameterTable | None = None, kind: RobotKind = CARS,
) -> list[CarValues]:
    """Cars that resolved values of a simulator ask for, one without a name among them.

    table: of the simulator, which a fleet file needs; kind: of its robots. Raises ParameterError
    or ConfigurationError for what the file or the names cannot be.
    """
    names = car_names(values)
    file = text_of(values, FLEET_FILE.name, '')
    if not file or table is None:
        return [CarValues(name, values, index) for index, name in enumerate(names)]
    cars = read_fleet(file)
    if tuple(car.name for car in cars) != names:
        raise ConfigurationError(
            f"parameter 'cars' names {list(names)}, expected the cars of the fleet file '{file}':"
            f' {[car.name for car in cars]}')
    return [*_each(values, cars, table, file, kind)]


def _each(
    values: Values, cars: Sequence[FleetCar], table: ParameterTable, file: str, kind: RobotKind,
) -> Iterator[CarValues]:
    for car in cars:
        try:
            yield CarValues(
                car.name, values_of_car(values, car, table, kind), car.place, car.start)
        except (ConfigurationError, ParameterError) as error:
            raise type(error)(f"fleet file '{file}': car {car.name}: {error}") from error


def vehicles_of_cars(values: Values) -> dict[str, VehicleParameters]:
    """Vehicles of the cars that values of a node ask for, by their names; see values_of_cars().

    values: with the parameters of a vehicle, which count for cars without one of their own.
    """
    names, file = car_names(values), text_of(values, FLEET_FILE.name, '')
    of_all = {name: value for name, value in values.items() if name.startswith(PREFIX)}
    cars = {car.name: car for car in read_fleet(file)} if file else {}
    found = {}
    for name in names:
        car = cars.get(name, FleetCar(name))
        own = {key: value for key, value in car.simulator.items() if key.startswith(PREFIX)}
        found[name] = VehicleParameters.from_values(values_of_car(
            of_all, FleetCar(name, car.vehicle, simulator=own), VEHICLE_FILE_PARAMETERS))
    return found


def values_of_car(
    values: Values, car: FleetCar, table: ParameterTable, kind: RobotKind = CARS,
) -> Values:
    """Values of all parameters with those that a car has of its own; kind: of what it is.

    Raises ParameterError for what the table does not allow and what is of all robots,
    ConfigurationError for its vehicle.
    """
    own = dict(car.simulator)
    for name in own:
        if name in kind.of_all:
            raise ParameterError(
                f"parameter '{name}' is {excerpt(own[name])} for one robot, expected none: it is"
                ' of all robots of the simulator')
    if car.vehicle:
        # Nothing of another vehicle is left.
        values = {
            name: value for name, value in values.items() if not name.startswith(kind.prefix)}
        own = {**load_parameter_file(kind.find(car.vehicle), 'any_node'), **own}
    shape = own.get(_SHAPE, text_of(values, _SHAPE, RACECAR)) if not car.vehicle \
        else own.get(_SHAPE, RACECAR)
    if car.colour is not None and shape != RACECAR:
        own[_COLOUR] = [*car.colour]
    if not own:
        return values
    explicit = {**values, **own}
    known = table.expanded(explicit)
    for name in own:
        if name not in known:
            raise ParameterError(f'parameter {excerpt(name)} is unknown; '
                                 f'{suggest(name, known.names)}')
    return known.resolve(explicit)
