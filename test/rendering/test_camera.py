# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The camera on cars of all plants."""

from typing import NoReturn

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.poses import NO_POSE
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, quaternion_to_yaw
from racecar.catalogue.simulators.single_track import SINGLE_TRACK_SIMULATOR
from racecar.catalogue.simulators.world import WORLD_SIMULATOR
from racecar.scene.scene import EMPTY_SCENE
from racecar.sensors import View
from racecar.sensors.camera import Camera
from racecar.sensors.equipment import equip
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.vehicle_plant import VehiclePlant
from racecar.world.make_world import make_world_plant

RACECAR = load_parameter_file(find_config('vehicles/racecar'), 'any_node')


def planar(**values):
    resolved = SINGLE_TRACK_SIMULATOR.resolve(
        {**RACECAR, 'sensors': ['camera'], **values})
    return equip(VehiclePlant(make_simulator(resolved)), resolved)


def in_space(**values):
    resolved = WORLD_SIMULATOR.resolve({**RACECAR, 'sensors': ['camera'], **values})
    return equip(make_world_plant(resolved), resolved)


def picture(plant):
    return plant.entities[0].output('camera').read().pixels()


@pytest.fixture(scope='module')
def noisy(gl):
    return picture(planar(world='cones'))


def test_one_seed_gives_one_picture(noisy):
    assert np.array_equal(noisy, picture(planar(world='cones')))
    assert not np.array_equal(noisy, picture(planar(world='cones', **{'camera.seed': 1})))


def test_noise_has_the_deviation_that_is_asked_for(noisy):
    clean = picture(planar(world='cones', **{'camera.noise': 0.0}))
    middle = (clean > 20) & (clean < 235)
    noise = noisy[middle].astype(int) - clean[middle]
    assert len(noise) > 500_000
    # Rounding to whole colours adds a twelfth.
    assert noise.std() == pytest.approx(np.hypot(0.007 * 255.0, 12.0**-0.5), rel=0.01)
    assert noise.mean() == pytest.approx(0.0, abs=0.01)
    assert np.corrcoef(noise[:-1], noise[1:])[0, 1] == pytest.approx(0.0, abs=0.01)


def test_noise_is_another_one_in_each_picture(gl):
    plant = planar(world='cones')
    first = picture(plant)
    plant.advance(1)
    assert not np.array_equal(first, picture(plant))


def test_a_picture_shows_the_time_at_which_it_was_taken(gl):
    plant = planar(world='cones', **{'camera.noise': 0.0})
    output = plant.entities[0].output('camera')
    reading = output.read()
    before = reading.pixels()
    plant.entities[0].inputs[0].apply(AckermannCommand(1.0, 0.0))
    plant.advance(500)
    assert np.array_equal(reading.pixels(), before)
    assert not np.array_equal(output.read().pixels(), before)


def test_the_world_looks_the_same_to_both_plants(gl):
    flat, space = (picture(make(world='cones', **{'camera.noise': 0.0})).astype(int)
                   for make in (planar, in_space))
    # The car of the second stands on springs.
    assert np.abs(flat - space).mean() < 1.0


def test_cones_are_seen_where_they_have_come_to(gl):
    plant = in_space(world='cones', **{'camera.noise': 0.0})
    entity = plant.entities[0]
    start = [pose.x for pose in entity.platform.cones()]
    entity.inputs[0].apply(AckermannCommand(2.0, 0.0))
    plant.advance(1500)
    assert max(abs(pose.x - x) for pose, x in
               zip(entity.platform.cones(), start, strict=True)) > 0.05
    pose = entity.platform.state().pose
    standing = picture(planar(world='cones', initial_x=pose.x, initial_y=pose.y, **{
        'initial_yaw': quaternion_to_yaw(*pose[3:]), 'camera.noise': 0.0}))
    assert np.abs(picture(plant).astype(int) - standing).max() > 100


def test_the_rate_of_the_original_comes_at_the_nearest_steps():
    output = planar(world='cones').entities[0].output('camera')
    assert (output.steps, output.spread, output.frame) == (100, 3, 'camera_optical_frame')


def test_its_frame_is_that_of_the_robot_description():
    plant = planar(world='cones')
    mount = plant.entities[0].mounts[-1]
    described = plant.entities[0].describe().tree.poses()['camera_optical_frame']
    assert mount.pose == pytest.approx(described)


def test_a_place_of_ones_own_is_given_with_x_along_the_view():
    plant = planar(**{'camera.z': 0.3, 'camera.frame': 'mast'})
    assert plant.entities[0].mounts[-1].pose == pytest.approx(
        (0.0, 0.0, 0.3, -0.5, 0.5, -0.5, 0.5))


def test_nothing_between_near_and_far_is_refused():
    with pytest.raises(ParameterError, match="'near' is 2 m and far 1 m"):
        planar(**{'camera.near': 2.0, 'camera.far': 1.0})


def test_without_opengl_one_line_says_so(monkeypatch):
    monkeypatch.setenv('MUJOCO_GL', 'disable')
    plant = planar(world='cones')
    with pytest.raises(ConfigurationError, match='switched off by MUJOCO_GL=disable'):
        plant.warm_up()


def test_saturated_colours_stay_in_range():
    values = {'width': 8, 'height': 4, 'field_of_view': 1.0, 'near': 0.1, 'far': 1.0,
              'noise': 0.5, 'seed': 0}

    def unknown() -> NoReturn:
        raise AssertionError('a camera needs the pose only')

    def picture(pose, lens):
        return lambda: np.full((lens.height, lens.width, 3), 250, np.uint8)

    view = View(EMPTY_SCENE, NO_POSE, 0, unknown, unknown, unknown, picture)
    pixels = Camera(values).measure(view, np.random.default_rng(0)).pixels()
    assert pixels.max() == 255
    assert pixels.dtype == np.uint8
