#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drive every car with pedals in the plane and in the 3-D world, and compare what they do.

Run it with `./run python docs/measure_vehicles.py [NAME...]`; it prints the table of
docs/any_vehicle.md. Both cars are driven by the same Driver, so that the controller is one.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

from racecar.base.share import find_vehicle
from racecar.cli.output import ProgressBar
from racecar.driver import Car
from racecar.driver.car import TIME_STEP
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.vehicles.parameters import GRAVITY, VehicleParameters

CARS = ('car_2014', 'bmw_x5', 'citroen_czero', 'toyota_prius', 'tesla_model3', 'racecar',
        'f1tenth')

HUNDRED = 100.0 / 3.6
"""100 km/h [m/s]."""

# Of a car that is not as fast: the part of its highest speed that is measured.
_FAST = 0.8
# Radius of the turn over the wheelbase, its lateral acceleration over that which friction holds.
_TURN, _SHARE = 12.0, 0.4
_LONGEST = 90.0
_SHIFT = 0.97


class Measured(NamedTuple):
    """What a car did.

    target: speed [m/s]; time to it [s]; distance from it to a stop [m]; yaw_rate of the steady
    turn [rad/s].
    """

    target: float
    time: float
    distance: float
    yaw_rate: float


def measure(name: str, *, world: bool) -> Measured:
    """Return what a car does in the 3-D world, or in the plane."""
    path = find_vehicle(name)
    vehicle = VehicleParameters.from_file(path)
    target = min(HUNDRED, _FAST * vehicle.speed_max)

    def new() -> Car:
        return Car(name, world='empty' if world else None)

    car = new()
    time = accelerate(car, target, CarParameters.from_file(path).engine_max_rpm)
    return Measured(target, time, stop(car), turn(new(), vehicle))


def accelerate(car: Car, target: float, limit: float) -> float:
    """Drive at full throttle, shifting up near the limit of the engine; return the time [s].

    target: speed [m/s]; limit: speed of the engine at which it ends [rev/min].
    """
    car.setGear(1)
    car.setThrottle(1.0)
    highest = car.getGearNumber() - 1
    before = 0.0
    while car.getTime() < _LONGEST:
        car.step()
        speed = car.odometry.vx
        if speed >= target:
            return car.getTime() - TIME_STEP * (speed - target) / (speed - before)
        before = speed
        if car.getRpm() > _SHIFT * limit and car.getGear() < highest:
            car.setGear(car.getGear() + 1)
    return math.inf


def stop(car: Car) -> float:
    """Brake fully; return the distance to a stop [m]."""
    start, end = car.odometry, car.getTime() + _LONGEST
    car.setThrottle(0.0)
    car.setBrakeIntensity(1.0)
    while car.odometry.vx > 0.02 and car.getTime() < end:
        car.step()
    return math.hypot(car.odometry.x - start.x, car.odometry.y - start.y)


def turn(car: Car, vehicle: VehicleParameters) -> float:
    """Drive a circle; return the yaw rate once it is steady [rad/s]."""
    radius = _TURN * vehicle.wheelbase
    speed = math.sqrt(_SHARE * vehicle.friction_coefficient * GRAVITY * radius)
    car.setCruisingSpeed(3.6 * speed)
    while car.odometry.vx < 0.99 * speed and car.getTime() < _LONGEST:
        car.step()
    # Positive to the right, as in the original.
    car.setSteeringAngle(-math.atan(vehicle.wheelbase / radius))
    end = car.getTime() + 5.0
    while car.getTime() < end:
        car.step()
    return car.odometry.yaw_rate


def main(names: tuple[str, ...]) -> None:
    """Print the table of the cars."""
    rows = []
    with ProgressBar(len(names), 'driving', 'cars') as show:
        for index, name in enumerate(names):
            rows.append((name, measure(name, world=False), measure(name, world=True)))
            show(index + 1)
    print('| car | speed | time to it: plane, world | stopping distance | yaw rate of a turn |')
    print('|---|---|---|---|---|')
    for name, plane, world in rows:
        pairs = [(plane.time, world.time, 's'), (plane.distance, world.distance, 'm'),
                 (plane.yaw_rate, world.yaw_rate, 'rad/s')]
        cells = [f'{a:.3g}, {b:.3g} {unit} ({100.0 * (b / a - 1.0):+.1f} %)'
                 for a, b, unit in pairs]
        print(f'| `{name}` | {3.6 * plane.target:.0f} km/h | {" | ".join(cells)} |')


if __name__ == '__main__':
    main(tuple(sys.argv[1:]) or CARS)
