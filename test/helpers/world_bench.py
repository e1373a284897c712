# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Worlds with a car for tests, driven by their ports."""

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS
from racecar.world.make_world import make_world_plant
from racecar.world.world_parameters import WORLD_PARAMETERS

TABLE = VEHICLE_PARAMETERS + WORLD_PARAMETERS
STEPS_PER_SECOND = 1000


def world_values(vehicle='racecar', **values):
    """Resolve the parameters of a world; two underscores in a keyword stand for a dot."""
    given = {name.replace('__', '.'): value for name, value in values.items()}
    return TABLE.resolve({
        **load_parameter_file(find_config(f'vehicles/{vehicle}'), 'world_simulator'), **given})


class Car:
    """The only car of a plant."""

    def __init__(self, plant):
        self.plant = plant
        self.entity, = plant.entities
        self.inputs = {port.name: port.apply for port in self.entity.inputs}

    def read(self, output):
        return self.entity.output(output).read()

    def run(self, seconds):
        self.plant.advance(round(seconds * STEPS_PER_SECOND))
        return self

    def drive(self, speed, angle, seconds):
        self.inputs['drive'](AckermannCommand(speed, angle))
        return self.run(seconds)

    @property
    def pose(self):
        return self.read('odometry').pose

    @property
    def twist(self):
        return self.read('odometry').twist

    @property
    def radius(self):
        """Of the path of base_link [m], positive to the left."""
        return self.twist.vx / self.twist.wz


def make_car(vehicle='racecar', **values):
    """Return the car of a world of these parameters."""
    return Car(make_world_plant(world_values(vehicle, **values)))
