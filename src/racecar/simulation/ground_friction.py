# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction under the axles of a planar car in a world with friction zones.

The factor of an axle is the mean of those under its two wheels: the planar models have the tyres
of an axle in common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel, pure
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene.friction_zones import friction_at, ZoneRows
from racecar.scene.scene import Scene
from racecar.simulation.car_rows import CarRows


class WheelSpots(NamedTuple):
    """Where wheels stand: front and rear axle ahead of base_link, halves of their tracks [m]."""

    front: float
    rear: float
    half_front: float
    half_rear: float

    @property
    def of_wheels(self) -> tuple[tuple[float, float], ...]:
        """How far each wheel is ahead and to the left [m], in the order of WHEEL_NAMES."""
        return ((self.front, self.half_front), (self.front, -self.half_front),
                (self.rear, self.half_rear), (self.rear, -self.half_rear))

    @classmethod
    def of(cls, vehicle: VehicleParameters) -> WheelSpots:
        """Spots of a vehicle."""
        base = vehicle.odometry_offset
        front, rear = vehicle.track_widths
        return cls(vehicle.cog_to_front_axle - base, -vehicle.cog_to_rear_axle - base,
                   0.5 * front, 0.5 * rear)


class WheelPlaces(NamedTuple):
    """Where the wheels of a car are, left and right, front and rear [m]."""

    front_left: tuple[float, float]
    front_right: tuple[float, float]
    rear_left: tuple[float, float]
    rear_right: tuple[float, float]


@pure
def wheel_places(
    x: float, y: float, qz: float, qw: float, spots: tuple[float, float, float, float],
) -> WheelPlaces:
    """Where wheels are while base_link is at a place; spots: fields of WheelSpots."""
    front, rear, half_front, half_rear = spots
    cosine, sine = qw * qw - qz * qz, 2.0 * qz * qw
    fx, fy, rx, ry = x + front * cosine, y + front * sine, x + rear * cosine, y + rear * sine
    return WheelPlaces(
        (fx - half_front * sine, fy + half_front * cosine),
        (fx + half_front * sine, fy - half_front * cosine),
        (rx - half_rear * sine, ry + half_rear * cosine),
        (rx + half_rear * sine, ry - half_rear * cosine))


@pure
def of_both(left: float, right: float) -> float:
    """Factor of the friction of an axle with those under its wheels, numbers or columns."""
    return 0.5 * (left + right)


@kernel
def axle_friction(
    rows: tuple[NDArray[np.float64], NDArray[np.float64]],
    place: tuple[float, float, float, float], spots: tuple[float, float, float, float],
) -> tuple[float, float]:
    """Factors of the friction of front and rear axle of a car.

    rows: fields of ZoneRows; place: x, y, qz, qw of base_link; spots: fields of WheelSpots.
    """
    zones, (x, y, qz, qw) = ZoneRows(rows[0], rows[1]), place
    at = wheel_places(x, y, qz, qw, spots)
    return (
        of_both(friction_at(zones, at.front_left[0], at.front_left[1]),
                friction_at(zones, at.front_right[0], at.front_right[1])),
        of_both(friction_at(zones, at.rear_left[0], at.rear_left[1]),
                friction_at(zones, at.rear_right[0], at.rear_right[1])))


class GroundFriction:
    """A model on the ground of a scene with friction zones: which model it is, and where."""

    def __init__(self, scene: Scene, model: VehicleModel) -> None:
        """Take a scene and the model on ground of factor 1."""
        self._rows = scene.friction_rows[:]
        self._spots = WheelSpots.of(model.vehicle)[:]
        self._models = {(1.0, 1.0): model}

    @classmethod
    def of(cls, scene: Scene, model: VehicleModel) -> GroundFriction | None:
        """That of a scene, None if it has no friction zones."""
        return cls(scene, model) if scene.friction_zones else None

    def model_at(self, x: float, y: float, qz: float, qw: float) -> VehicleModel:
        """The model where base_link is at a place [m, -]."""
        factors = axle_friction(self._rows, (x, y, qz, qw), self._spots)
        if factors not in self._models:
            self._models[factors] = self._models[1.0, 1.0].on_friction(*factors)
        return self._models[factors]

    def model_of(self, car: CarRows) -> VehicleModel:
        """The model where a car is."""
        return self.model_at(*car.kernels.observe(car.rows)[:4])

    def act_on(self, car: CarRows) -> None:
        """Give a car the parameters of the model where it is."""
        car.put(car.parts.parameters, self.model_of(car).parameters)

    def move(self, car: CarRows, steps: int) -> bool:
        """Move a car on with the friction at the begin of each step; see CarRows.tick.

        Raises ValueError and OverflowError as that does; nothing changes then, either.
        """
        before, inputs, valid = car.copies(), car.values(car.parts.inputs), True
        try:
            for _ in range(steps):
                self.act_on(car)
                valid = car.tick(1)
                if not valid:
                    break
        except (ValueError, OverflowError):
            car.put_back(before, inputs)
            raise
        if not valid:
            car.put_back(before, inputs)
        return valid
