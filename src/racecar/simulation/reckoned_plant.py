# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants whose cars know by dead reckoning, or late, where they are."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
import zlib

from racecar.base.errors import ConfigurationError
from racecar.base.poses import inverse_pose, pose_of_child
from racecar.base.readings import PlanarVariance, ReckonedState
from racecar.base.types import BodyState, NANOSECONDS, Odometry, Pose3, Twist3
from racecar.base.values import number_of, text_of, Values
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene.scene import Scene
from racecar.simulation.dead_reckoning import (
    DeadReckoning,
    DELAY,
    MOST_LATE,
    OdometryErrors,
    ReckoningCovariance,
    SOURCE,
    TRUTH,
)
from racecar.simulation.plant_car import PlantCar
from racecar.simulation.ports import (
    Entity,
    GROUND_TRUTH,
    ODOMETRY,
    Output,
    Plant,
    whole_periods,
)
from racecar.simulation.simulator import Simulator
from racecar.simulation.wrapped_plant import WrappedPlant

# Errors of an odometry that is true.
_KNOWN = OdometryErrors(
    speed_scale_deviation=0.0, distance_noise=0.0, steering_scale_deviation=0.0,
    steering_offset_deviation=0.0, turn_noise=0.0, gyro_bias_deviation=0.0, gyro_noise=0.0,
    gyro_bias_walk=0.0)


class _ReckonedCar:
    """A car of a plant with its dead reckoning, which goes on once for each odometry."""

    def __init__(self, plant: Plant, entity: Entity, reckoning: DeadReckoning,
                 errors: OdometryErrors) -> None:
        if entity.platform is None or entity.platform.wheels is None:
            raise ConfigurationError(
                f"parameter '{SOURCE}' is {errors.source!r}, expected {TRUTH!r} for a robot"
                f' {entity.name!r} whose wheels and steering angle nobody knows')
        self._plant = plant
        self._wheels = entity.platform.wheels
        self._reckoning = reckoning
        self._covariance = ReckoningCovariance(
            _KNOWN if errors.source == TRUTH else errors, reckoning)
        # Those of the reckonings that are not shown yet, and of the one that is.
        self._variances: deque[PlanarVariance] = deque(maxlen=1 + len(reckoning.past))
        self.take(entity)
        self._start()

    def take(self, entity: Entity) -> None:
        """Show what an entity of this car shows, whose outputs may have changed."""
        self._truth: Output = entity.output(ODOMETRY)
        self._reset = entity.reset
        self.steps = self._truth.steps
        self.entity = replace(
            entity, reset=self._put, outputs=(
                *(output for output in entity.outputs if output is not self._truth),
                replace(self._truth, name=GROUND_TRUTH),
                replace(self._truth, value_type=ReckonedState, read=self._read)))

    def update(self) -> None:
        """Take in what the wheels have turned since the odometry before."""
        before, reading = self._reckoning.state, self._wheels()
        period = self.steps * self._plant.step_ns / NANOSECONDS
        self._reckoning.update(self._odometry(), reading, period)
        self._covariance.update(before, reading, period)
        self._variances.append(self._covariance.now())

    def _odometry(self) -> Odometry:
        return Odometry.of_body(self._plant.time_ns, self._truth.read())

    def _put(self, pose: Pose3 | None) -> Pose3:
        placed = self._reset(pose)
        self._start()
        return placed

    def restart(self) -> None:
        """Begin to reckon anew, after the time began again."""
        self._reckoning.restart()
        self._start()

    def _start(self) -> None:
        self._reckoning.start(self._odometry(), self._wheels())
        self._covariance.start()
        self._variances.clear()
        self._variances.append(self._covariance.now())

    def _read(self) -> ReckonedState:
        _, x, y, qz, qw, vx, vy, yaw_rate = self._reckoning.odometry(self._plant.time_ns)
        pose = Pose3(x, y, 0.0, 0.0, 0.0, qz, qw)
        return ReckonedState(
            BodyState(pose, Twist3(vx, vy, 0.0, 0.0, 0.0, yaw_rate)), self._variances[0],
            pose_of_child(self._truth.read().pose, inverse_pose(pose)))


class ReckonedPlant(WrappedPlant):
    """A plant whose cars show a ReckonedState as their odometry, and their true motion beside it.

    All else is the plant's own; its sensors and the description of its motion are of the truth.
    """

    def __init__(
        self, plant: Plant, errors: OdometryErrors, vehicles: Sequence[VehicleParameters],
    ) -> None:
        """errors: of all cars, whose random numbers differ by their names; vehicles: of each.

        Raises ConfigurationError for robots that cannot be reckoned with, and for a delay that is
        no whole number of periods of their odometry.
        """
        super().__init__(plant)
        self.reckonings = [
            DeadReckoning(errors, vehicle, zlib.crc32(entity.name.encode()), whole_periods(
                DELAY, errors.delay, entity.output(ODOMETRY).steps * plant.step_ns, MOST_LATE))
            for entity, vehicle in zip(plant.entities, vehicles, strict=True)]
        self._cars = [
            _ReckonedCar(plant, entity, reckoning, errors)
            for entity, reckoning in zip(plant.entities, self.reckonings, strict=True)]

    @property
    def entities(self) -> Sequence[Entity]:
        """The cars."""
        return [car.entity for car in self._cars]

    def _take_entities(self, scene: Scene) -> None:
        for car, entity in zip(self._cars, self._plant.entities, strict=True):
            car.take(entity)

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the cars stay."""
        super().restart()
        for car in self._cars:
            car.restart()

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Raises DivergenceError; state and time are then those of the last odometry in between, if
        there is one.
        """
        while steps:
            done = self.time_ns // self.step_ns
            part = min(steps, *(car.steps - done % car.steps for car in self._cars))
            self._plant.advance(part)
            for car in self._cars:
                if (done + part) % car.steps == 0:
                    car.update()
            steps -= part


def is_reckoned(values: Values) -> bool:
    """Whether values of a simulator ask for an odometry that is not the motion of its time.

    Those of robots never do.
    """
    return SOURCE in values and (
        text_of(values, SOURCE) != TRUTH or number_of(values, DELAY) > 0.0)


def _reckoned(
    plant: Plant, values: Values, of_cars: Sequence[Values] | None = None,
) -> ReckonedPlant:
    return ReckonedPlant(plant, OdometryErrors.from_values(values), [
        VehicleParameters.from_values(own) for own in of_cars or [values] * len(plant.entities)])


def with_odometry(
    plant: Plant, values: Values, of_cars: Sequence[Values] | None = None,
) -> Plant:
    """Plant whose cars have the odometry that values of its simulator ask for.

    of_cars: values of each, where their vehicles differ. Raises ConfigurationError for robots that
    cannot be reckoned with.
    """
    return _reckoned(plant, values, of_cars) if is_reckoned(values) else plant


def as_it_is(plant: Plant) -> Plant:
    """The plant, with nothing more."""
    return plant


def car_with_odometry(
    plant: Plant, values: Values, description: str, compiled: Simulator | None = None,
    wrap: Callable[[Plant], Plant] = as_it_is,
) -> PlantCar:
    """The only car of a plant for a loop without ROS, with the odometry of with_odometry().

    description, compiled: as of PlantCar; wrap: gives the plant with what else it carries.
    """
    if not is_reckoned(values):
        return PlantCar(wrap(plant), description, compiled=compiled)
    reckoned = _reckoned(plant, values)
    return PlantCar(
        wrap(reckoned), description, GROUND_TRUTH, reckoning=reckoned.reckonings[0],
        compiled=compiled)
