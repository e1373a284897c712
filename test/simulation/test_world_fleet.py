# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several cars or robots of the 3-D world, one of which diverges: it stands, the others go on."""

import math
from typing import Any

import numpy as np
import pytest

from racecar.base.errors import DivergenceError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_robot
from racecar.base.types import AckermannCommand, BodyTwist
from racecar.catalogue import NODES
from racecar.catalogue.simulators.differential_wheels import DIFFERENTIAL_WHEELS_SIMULATOR
from racecar.catalogue.simulators.world import WORLD_SIMULATOR
from racecar.simulation.ports import ODOMETRY

pytest.importorskip('mujoco')

STOPPED = 'stands still from 0.2 s on'


class Fleet:
    """Red at the origin and blue so far [m] behind it, driven at a speed each [m/s]."""

    def __init__(self, kind, spacing=2.0, **values):
        is_car = kind != 'robot'
        name, table = ('world_simulator', WORLD_SIMULATOR) if is_car else (
            'differential_wheels_simulator', DIFFERENTIAL_WHEELS_SIMULATOR)
        self.command = (lambda speed: AckermannCommand(speed, 0.0)) if is_car else (
            lambda speed: BodyTwist(speed, 0.0))
        more = {'contact_model': kind} if is_car else {'mode': 'world'}
        file = find_robot('racecar' if is_car else 'pioneer')
        self.plant: Any = NODES[name].simulator.make_plant(table.resolve({
            **load_parameter_file(file, 'any_node'), 'cars': ['red', 'blue'],
            'grid_spacing': spacing, **more, **values}))
        self.entities = dict(zip(('red', 'blue'), self.plant.entities, strict=True))

    def drive(self, seconds, red, blue):
        for _ in range(round(100 * seconds)):
            for entity, speed in zip(self.plant.entities, (red, blue), strict=True):
                entity.inputs[0].apply(self.command(speed))
            self.plant.advance(10)
        return [entity.output(ODOMETRY).read().pose for entity in self.plant.entities]

    @property
    def engine(self):
        return self.plant.engine if hasattr(self.plant, 'engine') \
            else self.plant.robots['red'].motion.engine

    def dof(self, car, joint=''):
        """Number of the first dof of a joint of a car, by default of its free joint."""
        model = self.engine.model
        return next(int(model.joint(i).dofadr[0]) for i in range(model.njnt)
                    if model.joint(i).name.startswith(f'{car}/') and joint in model.joint(i).name)


@pytest.mark.parametrize(('kind', 'joint', 'speed'), [
    ('coulomb', '', 5e4), ('pacejka', 'wheel', math.nan), ('robot', '', 5e4)])
def test_one_that_diverges_stands_and_the_others_go_on(kind, joint, speed):
    fleet, beside = Fleet(kind), Fleet(kind)
    before = fleet.drive(0.2, 0.5, 0.5)
    fleet.engine.data.qvel[fleet.dof('blue', joint)] = speed
    red, blue = fleet.drive(0.5, 0.5, 0.5)
    assert STOPPED in fleet.entities['blue'].fault()
    assert fleet.entities['blue'].retired() == fleet.entities['blue'].fault()
    assert fleet.entities['red'].fault() == fleet.entities['red'].retired() == ''
    assert fleet.plant.time_ns == 700_000_000
    assert np.array(blue) == pytest.approx(np.array(before[1]), abs=1e-6)
    # As beside one that stands there by its brakes.
    beside.drive(0.2, 0.5, 0.5)
    beside.entities['blue'].reset(None)
    assert np.array(red) == pytest.approx(np.array(beside.drive(0.5, 0.5, 0.0)[0]), abs=1e-3)
    fleet.entities['blue'].reset(None)
    assert fleet.entities['blue'].fault() == ''
    assert fleet.drive(1.0, 0.0, 0.5)[1].x > -2.0 + 0.1


@pytest.mark.parametrize('kind', ['coulomb', 'robot'])
def test_who_runs_into_one_that_stands_so_does_not_move_it(kind):
    fleet = Fleet(kind, spacing=1.0)
    before = fleet.drive(0.2, 0.0, 0.0)
    fleet.engine.data.qvel[fleet.dof('blue')] = 5e4
    # Backwards, until the wheels push in vain.
    red, blue = fleet.drive(3.0, -0.5, 0.0)
    assert np.array(blue) == pytest.approx(np.array(before[1]), abs=1e-4)
    assert 0.3 < red.x - blue.x < 0.7
    assert fleet.entities['red'].output('collisions').read().contacts > 0


def test_what_is_nobodys_ends_the_run_as_before():
    fleet = Fleet('coulomb', world='cones')
    fleet.drive(0.1, 0.5, 0.5)
    model, data = fleet.engine.model, fleet.engine.data
    cone = next(model.joint(i) for i in range(model.njnt)
                if not model.joint(i).name.startswith(('red', 'blue')))
    data.qvel[int(cone.dofadr[0])] = math.nan
    with pytest.raises(DivergenceError, match='left the velocities that can be between 0.1 s'):
        fleet.plant.advance(10)
    assert fleet.plant.time_ns == 100_000_000


def test_a_force_that_is_too_large_is_found_in_the_step_in_which_it_acts():
    fleet = Fleet('coulomb')
    fleet.drive(0.2, 0.5, 0.5)
    fleet.engine.data.qfrc_applied[fleet.dof('blue')] = 1e9
    fleet.plant.advance(10)
    assert STOPPED in fleet.entities['blue'].fault()
    assert fleet.entities['red'].fault() == ''
    assert fleet.drive(0.2, 0.5, 0.0)[0].x > 0.1
