#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scans per second of one core, and steps of a car with a laser, in turns in one run.

Run it with `./run python benchmarks/laser.py`; benchmarks/README.md says what is measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
import json
import math
import statistics
import sys
import time

from measuring import machine, print_table
import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel
from racecar.base.parameters import ParameterTable
from racecar.base.poses import NO_POSE, pose_of_angles
from racecar.base.share import find_config
from racecar.base.types import (
    Acceleration3,
    AckermannCommand,
    Pose2,
    Pose3,
    quaternion_to_yaw,
    Twist3,
)
from racecar.dynamics.vehicles import SingleTrack, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.scene import Box, load_world, Objects, OccupancyGrid, Scene
from racecar.sensors import View
from racecar.sensors.laser import Laser, PARAMETERS
from racecar.sensors.mounting import EquippedPlant, MountedSensor, NoiseSource
from racecar.simulation.ports import Entity, Output, SensorPlatform
from racecar.simulation.simulator import Simulator
from racecar.simulation.vehicle_plant import VehiclePlant

Work = Callable[[], int]
"""Does some work and returns how much it was."""

CELLS, RESOLUTION = 2000, 0.058
"""Of the map, as of Spielberg in the collection of the F1TENTH gym."""
_HALF = 0.5 * CELLS * RESOLUTION
_HEIGHT = 0.1374
_STILL = Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_POSES = 200


def centre_line(count: int) -> NDArray[np.float64]:
    """Return points of a closed course about the origin (n, 2) [m]."""
    t = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
    radius = 40.0 + 8.0 * np.sin(3.0 * t) + 4.0 * np.sin(5.0 * t + 1.0) + 2.0 * np.sin(9.0 * t)
    return np.column_stack((radius * np.cos(t), radius * np.sin(t)))


def course() -> Scene:
    """Return a map of a course of 300 m that is 6 m wide, between walls of 0.3 m."""
    from scipy.ndimage import distance_transform_edt

    line = np.zeros((CELLS, CELLS), dtype=bool)
    points = ((centre_line(200_000) + _HALF) / RESOLUTION).astype(int)
    line[points[:, 1], points[:, 0]] = True
    distance = distance_transform_edt(~line) * RESOLUTION
    values = np.where((distance > 3.0) & (distance < 3.3), 100, 0).astype(np.int8)
    return Scene(grid=OccupancyGrid(values, RESOLUTION, Pose2(-_HALF, -_HALF, 0.0)))


def poses() -> list[Pose3]:
    """Return poses along the course."""
    points = centre_line(_POSES * 20)
    ahead = np.roll(points, -1, axis=0) - points
    return [pose_of_angles(x, y, _HEIGHT, 0.0, 0.0, math.atan2(dy, dx))
            for (x, y), (dx, dy) in zip(points[::20], ahead[::20], strict=True)]


def laser(**values: float) -> Laser:
    """Return a laser of 1080 rays."""
    table = ParameterTable(PARAMETERS)
    return Laser({**table.resolve({'rays': 1080, **values}), 'rate': 40.0})


def scans(sensor: Laser, scene: Scene, places: list[Pose3], objects: Objects) -> Work:
    """Return work that measures from some places."""
    noise = NoiseSource(1, 2)

    def work() -> int:
        for index, pose in enumerate(places):
            sensor.measure(
                View(scene, pose, index, lambda: _STILL, _no_acceleration, lambda: objects),
                noise.at(index))
        return len(places)

    return work


def _no_acceleration() -> Acceleration3:
    raise NotImplementedError


@kernel
def _one_by_one(
    distances: NDArray[np.float64], pose: tuple[float, float, float],
    angles: NDArray[np.float64], limit: float, ranges: NDArray[np.float64],
) -> None:
    x, y, yaw = pose
    for i in range(len(angles)):
        dx, dy = math.cos(yaw + angles[i]), math.sin(yaw + angles[i])
        way, free = 0.0, 1.0
        while free > 0.5 and way < limit:
            row, column = int(y + way * dy), int(x + way * dx)
            free = distances[row, column]
            way += free
        ranges[i] = way


def one_by_one(scene: Scene, places: list[Pose3], reach: float) -> Work:
    """Return what others do: ray after ray by leaps of the distance field, to half a cell."""
    from scipy.ndimage import distance_transform_edt

    assert scene.grid is not None
    distances = distance_transform_edt(~scene.grid.occupied)
    angles = np.linspace(-2.3561944902, 2.3561944902, 1080)
    ranges = np.empty(1080)

    def work() -> int:
        for pose in places:
            _one_by_one(
                distances, ((pose.x + _HALF) / RESOLUTION, (pose.y + _HALF) / RESOLUTION,
                            quaternion_to_yaw(*pose[3:])), angles, reach / RESOLUTION, ranges)
        return len(places)

    return work


def _simulator(scene: Scene, pose: Pose2) -> Simulator:
    vehicle = VehicleParameters.from_file(find_config('vehicles/racecar'))
    return Simulator(SingleTrack(vehicle), start=Start(pose), scene=scene)


def _sensor() -> MountedSensor:
    values = {f'laser.{row.name}': row.default for row in PARAMETERS}
    return MountedSensor.from_values('laser', {
        **values, 'laser.kind': 'laser', 'laser.rays': 1080, 'laser.rate': 100.0,
        'laser.x': 0.265, 'laser.z': _HEIGHT})


class _Seen(VehiclePlant):
    """A car that others see, and that sees them."""

    def __init__(self, simulator: Simulator, others: Callable[[], Objects]) -> None:
        super().__init__(simulator)
        entity, = super().entities
        platform = entity.platform
        assert platform is not None
        self._own = (Entity(
            entity.name, entity.inputs, entity.outputs, entity.reset, entity.halt,
            platform=SensorPlatform(
                platform.frame, platform.state, platform.acceleration, others)),)

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self._own


def drive(scene: Scene, gap: float | None) -> Work:
    """Return work that drives one car, or two in sight of each other, with a scan every 10 ms.

    gap: between the cars along the course [m].
    """
    points = centre_line(3000)
    ahead = points[1] - points[0]
    start = Pose2(points[0, 0], points[0, 1], math.atan2(ahead[1], ahead[0]))
    simulators = [_simulator(scene, start)]
    if gap is not None:
        index = round(gap / float(np.hypot(*ahead)))
        there = points[index + 1] - points[index]
        simulators.append(_simulator(
            scene, Pose2(points[index, 0], points[index, 1], math.atan2(there[1], there[0]))))

    def box(simulator: Simulator) -> Box:
        odometry = simulator.odometry()
        return Box(odometry.x, odometry.y, odometry.yaw, 0.5, 0.3, 0.2)

    plants = []
    for own in simulators:
        others = [other for other in simulators if other is not own]
        plant = _Seen(own, lambda others=others: Objects(  # type: ignore[misc]
            boxes=tuple(map(box, others))))
        plants.append(EquippedPlant(plant, {'': (_sensor(),)}, scene))
    ports: list[tuple[EquippedPlant, Output, Callable[[AckermannCommand], None]]] = [
        (plant, plant.entities[0].output('laser'), plant.entities[0].inputs[0].apply)
        for plant in plants]
    command = AckermannCommand(0.5, 0.02)

    def work() -> int:
        for simulator in simulators:
            simulator.reset()
        for _ in range(200):
            for plant, _, apply in ports:
                apply(command)
                plant.advance(10)
            for _, output, _ in ports:
                output.read()
        return 200

    return work


def cases() -> dict[str, Work]:
    """Return what is measured, by its name."""
    scene, places = course(), poses()
    tunnel, walker = load_world('tunnel'), load_world('walker')
    car = Objects(boxes=(Box(NO_POSE.x + 3.0, 0.5, 0.3, 0.5, 0.3, 0.2),))
    corridor = [pose_of_angles(0.05 * i, 0.0, _HEIGHT, 0.0, 0.0, 0.1 * i) for i in range(60)]
    nothing = Objects()
    return {
        'map of 2000 x 2000, range 10 m, scans': scans(
            laser(noise=0.0), scene, places, nothing),
        'the same with noise': scans(laser(), scene, places, nothing),
        'range 30 m': scans(laser(noise=0.0, range_max=30.0), scene, places, nothing),
        'range 30 m, ray after ray by a distance field': one_by_one(scene, places, 30.0),
        'world tunnel with noise': scans(laser(), tunnel, corridor, nothing),
        'the same with another car in sight': scans(laser(), tunnel, corridor, car),
        'world walker (600 walls) with noise': scans(laser(), walker, corridor, nothing),
        'world tunnel, skewed by a sweep': scans(
            laser(sweep_time=0.02), tunnel, corridor[:20], nothing),
        'car, laser, noise, collisions; steps of 10 ms': drive(scene, None),
        'two cars 4.8 m apart, the same': drive(scene, 4.8),
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=5, help='default: 5')
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    arguments = parser.parse_args()
    print(machine(), file=sys.stderr)
    works = cases()
    for work in works.values():
        work()
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(arguments.rounds):
        for name, work in works.items():
            start, done = time.process_time(), 0
            while time.process_time() - start < 0.2:
                done += work()
            found[name].append(done / (time.process_time() - start))
    if arguments.json:
        print(json.dumps({name: {
            'median': statistics.median(rates), 'lowest': min(rates), 'highest': max(rates)}
            for name, rates in found.items()}))
        return 0
    print_table(('what', '1/s', 'lowest', 'highest'), [
        (name, f'{statistics.median(rates):.0f}', f'{min(rates):.0f}', f'{max(rates):.0f}')
        for name, rates in found.items()])
    return 0


if __name__ == '__main__':
    sys.exit(main())
