# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the engine does not look at is nothing that could be touched."""

import mujoco
import numpy as np
import pytest
from world_bench import world_values

from racecar.base.poses import pose_of_angles
from racecar.base.types import AckermannCommand, Pose2
from racecar.scene.motions import scripted_motion
from racecar.scene.scene import Box, Cone, MovingThing, Scene, Wall
from racecar.scene.world_file import load_world
from racecar.world.car_model import CarPart, FIXED_BIT, FLOOR_BIT, Gains
from racecar.world.clearance import FixedThings, try_all, try_near
from racecar.world.make_world import make_world_plant
from racecar.world.world_model import pair_wheels, world_spec
from racecar.world.world_plant import WorldPlant

SOLIDS = Scene('solids', walls=(Wall(-3.0, -2.0, 4.0, -1.0, 1.0),), boxes=(
    Box(1.0, 1.0, 0.4, 1.0, 0.5, 0.3), Box(-1.5, 1.5, 1.2, 0.3, 2.0, 1.0)),
    cones=(Cone(0.0, -0.5),))
SCENES = {'solids': (SOLIDS, 3.0), 'racetrack': (load_world('racetrack'), 12.0)}


def poses(reach, count):
    """Poses near and far, most of them nearly upright and near the ground."""
    numbers = np.random.default_rng(5)
    for _ in range(count):
        x, y = numbers.uniform(-reach, reach, 2)
        tilt = numbers.choice((0.0, 0.02, 0.3, 2.0))
        roll, pitch = numbers.uniform(-tilt, tilt, 2)
        yield pose_of_angles(
            x, y, numbers.choice((0.0, 0.02, 0.2)), roll, pitch, numbers.uniform(-4.0, 4.0))


def whole_model(engine, car):
    """Model and data of the same, of which the engine looks at all."""
    part = CarPart(car.name, car.bodies, Gains(0.5, 1.0, 20.0, 0.5), 1.0)
    spec = world_spec(engine.scene, [part], step=engine.step)
    pair_wheels(spec, part)
    model = spec.compile()
    return model, mujoco.MjData(model)


@pytest.mark.parametrize('name', SCENES)
def test_contacts_are_those_of_an_engine_that_looks_at_everything(name):
    scene, reach = SCENES[name]
    plant = make_world_plant(world_values(), scene)
    engine, car = plant.engine, plant.cars[0].car
    model, data = whole_model(engine, car)
    root = model.body(f'/{car.bodies.root.name}').id
    hits = 0
    for pose in poses(reach, 150):
        engine.place_car(0, pose)
        found = engine.present().contact
        data.qpos[:] = engine.data.qpos
        mujoco.mj_forward(model, data)
        assert (found.geom == data.contact.geom).all()
        assert (found.pos == data.contact.pos).all()
        assert (found.dist == data.contact.dist).all()
        hits += bool((model.geom_bodyid[found.geom] == root).any())
    assert 10 < hits < 140


def test_a_car_that_is_clear_is_not_tried_with_what_is_fixed_until_it_has_come_near():
    engine = make_world_plant(world_values(), SOLIDS).engine
    model, data = engine.model, engine.data
    root = np.array([model.body('/base_link').id])
    place = np.array([engine.places[0].body.pose])
    things = FixedThings(model, SOLIDS, root, place)
    whole = int(model.body_conaffinity[root[0]])

    def left(x, y, z=0.02, roll=0.0):
        engine.place_car(0, pose_of_angles(x, y, z, roll, 0.0, 0.0))
        try_near(things.clearance, data.qpos, root, place)
        return int(model.body_conaffinity[root[0]])

    # Nobody has looked yet.
    assert left(10.0, 10.0) == whole
    things.look(data.qpos)
    assert left(10.0, 10.0) == left(10.5, 10.2) == whole & ~(FLOOR_BIT | FIXED_BIT)
    assert left(10.0, 10.0, roll=3.0) == whole
    assert left(4.0, -0.9) == whole
    things.look(data.qpos)
    assert left(4.0, -0.9) == whole
    left(10.0, 10.0)
    things.look(data.qpos)
    left(10.0, 10.0)
    try_all(things.clearance, root)
    assert model.body_conaffinity[root[0]] == whole


@pytest.mark.parametrize('contact', ['coulomb', 'pacejka'])
def test_cars_that_meet_have_the_bits_of_those_that_the_engine_always_looks_at(contact):
    wall = Scene('wall', boxes=(Box(2.5, 0.0, 0.2, 0.2, 3.0, 0.5),))
    # With something that moves, however far away, the engine looks at each step.
    far = scripted_motion([(0.0, 90.0, 90.0), (1.0, 91.0, 90.0)])
    watched = Scene('watched', boxes=wall.boxes, moving=(MovingThing('far', far, 0.5, 1.0, 1.0),))
    driven, = make_world_plant(world_values(contact_model=contact), wall).cars
    cars = [driven._replace(car=driven.car._replace(name=name, start=Pose2(x, 0.05 * x, 0.0)))
            for name, x in (('one', -1.0), ('other', 1.2))]
    found = []
    for scene in (wall, watched):
        plant = WorldPlant(scene, cars)
        for entity, speed in zip(plant.entities, (1.5, 0.8), strict=True):
            entity.inputs[0].apply(AckermannCommand(speed, 0.0))
        flags, paths = plant.engine.model.opt.disableflags, []
        for _ in range(180):
            plant.advance(10)
            data = plant.engine.data
            paths.append(data.qpos.tobytes() + data.qvel.tobytes() + data.sensordata.tobytes())
        assert plant.engine.model.opt.disableflags == flags
        found.append((paths, [entity.output('collisions').read() for entity in plant.entities]))
    assert found[0] == found[1]
    # The wall, and the other one into that.
    assert [collisions.contacts for collisions in found[0][1]] == [1, 1]
