# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Races without ROS: heats are driven, judged, kept, and driven again from their commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import datetime
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple
import zipfile
import zlib

import numpy as np

from racecar.base.columns import Array
from racecar.base.environment import present_environment
from racecar.base.errors import ConfigurationError, RunError
from racecar.base.types import (
    AckermannCommand,
    NANOSECONDS,
    Odometry,
    Pose2,
    Pose3,
    yaw_to_quaternion,
)
from racecar.facade.driven_cars import Driver, instants, SeenCar
from racecar.facade.race_file import PlannedCar, Race, RacePlan
from racecar.race.events import CarLook, Order, parking_of
from racecar.race.observer import Observer
from racecar.race.referee import Referee
from racecar.race.rules import HEAD_TO_HEAD
from racecar.race.standings import final_standings, HeatResult, Row
from racecar.sensors.equipment import equip
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.ports import COLLISIONS, Entity
from racecar.simulation.vehicle_fleet import VehicleFleet

INPUTS, COMMANDS = 'race.json', 'commands.npz'
"""Files of a race from which it can be driven again."""

FORMAT = 1

TRACE = ('time', 'x', 'y', 'yaw', 'vx', 'vy', 'yaw_rate', 'on_track', 'distance')
"""Columns of the trace of a car [SI]; distance: along the course since the line of the start."""


class Command(NamedTuple):
    """A command at a time since the countdown began [ns]."""

    time_ns: int
    speed: float
    steering_angle: float


class Inputs(NamedTuple):
    """What a driver did in a heat: its commands, and when and why it gave up, if it did."""

    commands: tuple[Command, ...]
    failed_ns: int | None = None
    failure: str = ''


@dataclass(frozen=True)
class Heat:
    """A heat that was driven.

    number: from 1; cars: their numbers among those of the plan. traces: of each car, (samples,
    TRACE); inputs: of each car.
    """

    number: int
    cars: tuple[int, ...]
    result: HeatResult
    traces: tuple[Array, ...]
    inputs: tuple[Inputs, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of all paths and events."""
        found = hashlib.sha256()
        for trace in self.traces:
            found.update(np.ascontiguousarray(trace).tobytes())
        found.update(repr(self.result).encode())
        return found.hexdigest()


@dataclass(frozen=True)
class RaceResult:
    """All heats of a race, and the standings."""

    plan: RacePlan
    heats: tuple[Heat, ...]

    @property
    def standings(self) -> list[Row]:
        """The cars, the first one first."""
        return final_standings(self.plan.rules.format, [car.name for car in self.plan.cars],
                               [heat.result for heat in self.heats])

    @property
    def digest(self) -> str:
        """SHA-256 of all that was driven and judged."""
        return hashlib.sha256(''.join(heat.digest for heat in self.heats).encode()).hexdigest()


class _Recorded:
    """A driver that gives the commands of an earlier race at their times."""

    def __init__(self, inputs: Inputs) -> None:
        self._commands = {command.time_ns: command for command in inputs.commands}
        self._inputs = inputs

    def at(self, time_ns: int) -> AckermannCommand | None:
        """Command of a time. Raises RunError where the driver gave up then."""
        if time_ns == self._inputs.failed_ns:
            raise RunError(self._inputs.failure)
        found = self._commands.get(time_ns)
        return None if found is None else AckermannCommand(found.speed, found.steering_angle)

    def restart(self) -> None:
        """Nothing, as it has no memory."""


class _Asked:
    """A driver that is asked whenever what it looks at is due."""

    def __init__(self, driver: Driver, car: _Car, step_ns: int) -> None:
        self._driver, self._car, self._step_ns = driver, car, step_ns

    def at(self, time_ns: int) -> AckermannCommand | None:
        """Command at a time, None where nothing is due. Raises RunError if the driver fails."""
        return self._car.ask(self._driver, time_ns, time_ns // self._step_ns)

    def restart(self) -> None:
        """Forget what was before."""
        self._driver.restart()


class _Car(SeenCar):
    """A car in a heat: its ports, driver, and what it has been commanded."""

    def __init__(self, car: PlannedCar, entity: Entity, number: int) -> None:
        super().__init__(entity, car.values, sees_laser=car.sees_laser)
        self.name = car.name
        self.contacts = next((output for output in entity.outputs if output.name == COLLISIONS),
                             None)
        self._parked = parking_of(number)
        self.commands: list[Command] = []
        self.failed_ns: int | None = None
        self.failure = ''
        # Since when it may drive, or was commanded last [ns].
        self.heard_ns: int | None = None
        self.rows: list[tuple[float, ...]] = []

    @property
    def inputs(self) -> Inputs:
        """What its driver did."""
        return Inputs(tuple(self.commands), self.failed_ns, self.failure)

    def command(self, time_ns: int, command: AckermannCommand) -> None:
        """Drive so from now on."""
        self.apply(command)
        self.commands.append(Command(time_ns, *command))
        self.heard_ns = time_ns

    def hold(self) -> None:
        """Stop it, if it was commanded, until it may drive again."""
        if self.heard_ns is not None:
            self.heard_ns = None
            self.entity.halt()

    def put(self, pose: Pose2 | None) -> None:
        """Put it at rest at a pose, or off the track."""
        self.heard_ns = None
        where = pose or self._parked
        self.entity.reset(Pose3(
            where.x, where.y, 0.0, 0.0, 0.0, *yaw_to_quaternion(where.yaw)))

    def look(self, time_ns: int) -> CarLook:
        """What a referee sees of it, but for what it presses into."""
        body = self.state()
        odometry = Odometry.of_body(time_ns, body)
        stops = 0 if self.contacts is None else self.contacts.read().contacts
        silence = 0.0 if self.heard_ns is None else (time_ns - self.heard_ns) / NANOSECONDS
        return CarLook(odometry.x, odometry.y, odometry.yaw, odometry.vx, odometry.vy, 0.0,
                       stops, silence)


class _HeatRun:
    """A heat while it is driven."""

    def __init__(self, plan: RacePlan, numbers: Sequence[int], heat: int) -> None:
        """numbers: of the cars; heat: from 0. Raises ConfigurationError for what cannot be."""
        self._plan, self.numbers, self._heat = plan, tuple(numbers), heat
        scene, track = plan.scene(), plan.track
        planned = [plan.cars[number] for number in numbers]
        starts = plan.starts(numbers, heat)
        fleet = VehicleFleet({
            car.name: make_simulator(car.values, start=start)
            for car, start in zip(planned, starts, strict=True)})
        self.plant = equip(fleet, planned[0].values, [car.values for car in planned])
        if plan.boxes:
            assert self.plant.scenery is not None
            self.plant.scenery.replace(scene)
        self.plant.warm_up()
        self.cars = [_Car(car, entity, number) for number, (car, entity) in enumerate(
            zip(planned, self.plant.entities, strict=True))]
        self._observer = Observer(scene, [car.vehicle.footprint for car in planned])
        self.referee = Referee([car.name for car in planned], track.course, plan.rules, starts,
                               self._has_room)
        self._check_grid(starts)

    def _check_grid(self, starts: Sequence[Pose2]) -> None:
        places = [car.look(0) for car in self.cars]
        for number, (car, start) in enumerate(zip(self.cars, starts, strict=True)):
            others = [(other, _placed(look)) for other, look in enumerate(places)
                      if other < number]
            if not self._observer.stands_free(number, start, others):
                raise ConfigurationError(
                    f'car {car.name} starts in something or in another car, at'
                    f' ({start.x:.2f}, {start.y:.2f}): give it another start or place, or a larger'
                    ' grid_spacing')

    def _has_room(self, car: int, pose: Pose2) -> bool:
        others = [(other, Odometry.of_body(0, one.state()))
                  for other, one in enumerate(self.cars)
                  if other != car and self.referee.is_on_track(other)]
        return self._observer.has_room(car, pose, others)

    def drive(
        self, drivers: Sequence[_Asked | _Recorded], on_time: Callable[[float], object],
    ) -> Heat:
        """Drive until the heat is over; on_time gets the time [s]."""
        plant, referee = self.plant, self.referee
        step_ns = plant.step_ns
        sights = [sight for car in self.cars for sight in car.sights] + [self.cars[0].truth]
        for now in instants(plant, sights):
            if self.cars[0].truth.is_due(now // step_ns):
                self._judge(now, drivers)
                on_time(referee.time)
                if referee.is_over:
                    break
            for number, (car, driver) in enumerate(zip(self.cars, drivers, strict=True)):
                if referee.may_drive(number):
                    self._ask(number, car, driver, now)
                else:
                    car.hold()
        return Heat(self._heat + 1, self.numbers, referee.result(),
                    tuple(np.array(car.rows) for car in self.cars),
                    tuple(car.inputs for car in self.cars))

    def _ask(self, number: int, car: _Car, driver: _Asked | _Recorded, now: int) -> None:
        if car.heard_ns is None:
            car.heard_ns = now
        try:
            command = driver.at(now)
        except RunError as error:
            car.failed_ns, car.failure = now, str(error)
            self._obey(self.referee.retire(number, str(error)), None)
            return
        if command is not None:
            car.command(now, command)

    def _judge(self, now: int, drivers: Sequence[_Asked | _Recorded]) -> None:
        for number, car in enumerate(self.cars):
            fault = car.entity.fault()
            if fault:
                self._obey(self.referee.retire(number, fault), None)
        bodies = [car.state() for car in self.cars]
        places = [Odometry.of_body(now, body) for body in bodies]
        looks = [car.look(now)._replace(depth=self._observer.depth(number, place))
                 for number, (car, place) in enumerate(zip(self.cars, places, strict=True))]
        # Of the places that are looked at: orders move the cars later.
        were_there = [self.referee.is_on_track(number) for number in range(len(self.cars))]
        orders = self.referee.look(now, looks, self._observer.meetings(places))
        for car, place, was_there, distance in zip(
                self.cars, places, were_there, self.referee.distances(), strict=True):
            car.rows.append((now / NANOSECONDS, place.x, place.y, place.yaw, place.vx, place.vy,
                             place.yaw_rate, float(was_there), distance))
        self._obey(orders, drivers)

    def _obey(
        self, orders: Sequence[Order], drivers: Sequence[_Asked | _Recorded] | None,
    ) -> None:
        for order in orders:
            self.cars[order.car].put(order.pose)
            if order.pose is not None and drivers is not None:
                drivers[order.car].restart()


def _placed(look: CarLook) -> Odometry:
    return Odometry(0, look.x, look.y, *yaw_to_quaternion(look.yaw), 0.0, 0.0, 0.0)


def sessions(plan: RacePlan) -> list[tuple[int, tuple[int, ...]]]:
    """Heats in their order: number from 0, and the numbers of the cars in it."""
    everybody = tuple(range(len(plan.cars)))
    if plan.rules.format == HEAD_TO_HEAD:
        return [(heat, everybody) for heat in range(plan.rules.heats)]
    return [(heat, (car,)) for heat in range(plan.rules.heats) for car in everybody]


def longest(plan: RacePlan) -> float:
    """Simulated time that a race takes at most [s]."""
    return len(sessions(plan)) * (plan.rules.countdown + plan.rules.time_limit)


def drive_race(
    race: Race, on_time: Callable[[float], object] = lambda _: None,
) -> RaceResult:
    """Drive a race; on_time gets how much of longest() is done [s].

    Raises RacecarError for what cannot be simulated. A controller that fails retires its car.
    """
    def drivers(run: _HeatRun, _: int) -> list[_Asked | _Recorded]:
        return [_Asked(race.drivers[number](), car, run.plant.step_ns)
                for number, car in zip(run.numbers, run.cars, strict=True)]

    return _driven(race.plan, drivers, on_time)


def drive_again(
    plan: RacePlan, inputs: Sequence[Sequence[Inputs]],
    on_time: Callable[[float], object] = lambda _: None,
) -> RaceResult:
    """Drive a race from its commands alone; inputs: of each heat those of each car.

    Raises ConfigurationError if there are not those of all heats.
    """
    if [len(cars) for _, cars in sessions(plan)] != [len(one) for one in inputs]:
        raise ConfigurationError(
            f'commands are those of {len(inputs)} heats, expected those of {len(sessions(plan))}')
    return _driven(plan, lambda _, heat: [_Recorded(one) for one in inputs[heat]], on_time)


def _driven(
    plan: RacePlan, drivers: Callable[[_HeatRun, int], list[_Asked | _Recorded]],
    on_time: Callable[[float], object],
) -> RaceResult:
    heats = []
    each = plan.rules.countdown + plan.rules.time_limit
    for number, (heat, cars) in enumerate(sessions(plan)):
        run = _HeatRun(plan, cars, heat)

        def show(time: float, done: float = number * each) -> None:
            on_time(done + time)

        heats.append(run.drive(drivers(run, number), show))
    return RaceResult(plan, tuple(heats))


# What is kept.


def write_inputs(result: RaceResult, folder: Path, command: str) -> None:
    """Write what a race can be driven again from, into a new folder; command: as typed.

    Raises ConfigurationError if that fails.
    """
    arrays: dict[str, np.ndarray] = {}
    failures: dict[str, object] = {}
    for number, heat in enumerate(result.heats):
        for car, inputs in zip(heat.cars, heat.inputs, strict=True):
            key = f'{number}_{car}'
            arrays[f'{key}_time_ns'] = np.array(
                [one.time_ns for one in inputs.commands], dtype=np.int64)
            arrays[f'{key}_command'] = np.array(
                [one[1:] for one in inputs.commands], dtype=np.float64).reshape(-1, 2)
            if inputs.failed_ns is not None:
                failures[key] = [inputs.failed_ns, inputs.failure]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(folder / COMMANDS, **arrays)  # type: ignore[arg-type]
        (folder / INPUTS).write_text(json.dumps({
            'format': FORMAT, 'command': command,
            'made': datetime.datetime.now(datetime.UTC).isoformat(timespec='seconds'),
            'digest': result.digest, 'environment': present_environment(),
            'files': result.plan.files, 'failures': failures,
            'plan': result.plan.as_dict()}, indent=1) + '\n', encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(
            f"'{folder}' cannot be written: {error.strerror}; give another folder by --output"
        ) from error


class KeptRace(NamedTuple):
    """What the folder of a race holds of its inputs."""

    plan: RacePlan
    inputs: tuple[tuple[Inputs, ...], ...]
    digest: str
    environment: Mapping[str, str]
    files: Mapping[str, str]


def read_inputs(folder: Path) -> KeptRace:
    """Inputs of a race. Raises ConfigurationError, naming the file, for what is none."""
    file = folder / INPUTS
    try:
        kept = json.loads(file.read_text(encoding='utf-8'))
        if kept['format'] != FORMAT:
            raise ConfigurationError(
                f"'{file}' has format {kept['format']!r}, expected {FORMAT}")
        plan = RacePlan.from_dict(kept['plan'])
        with np.load(folder / COMMANDS, allow_pickle=False) as arrays:
            inputs = tuple(
                tuple(_inputs(arrays, f'{number}_{car}', kept['failures']) for car in cars)
                for number, (_, cars) in enumerate(sessions(plan)))
        return KeptRace(plan, inputs, kept['digest'], kept['environment'], kept['files'])
    except ConfigurationError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError,
            zipfile.BadZipFile, zlib.error) as error:
        raise ConfigurationError(
            f"'{folder}' holds no race that can be driven again ({error}), expected a folder that"
            f' `racecar race FILE` has written, with {INPUTS} and {COMMANDS}') from error


def _inputs(
    arrays: Mapping[str, np.ndarray], key: str, failures: Mapping[str, list[Any]],
) -> Inputs:
    times, commands = arrays[f'{key}_time_ns'], arrays[f'{key}_command']
    failed_ns, failure = failures.get(key, [None, ''])
    return Inputs(tuple(
        Command(time, *command) for time, command in zip(
            times.tolist(), commands.tolist(), strict=True)), failed_ns, failure)
