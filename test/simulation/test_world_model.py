# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The engine's model against the robot description, the vehicle's file and the scene."""

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
from world_bench import make_car

from racecar.base.errors import ConfigurationError
from racecar.base.shapes import Mesh
from racecar.base.share import find_config, vehicle_names
from racecar.base.types import HINGE_JOINTS, WHEEL_JOINTS
from racecar.description.car_bodies import car_bodies, Wheel
from racecar.description.robot_tree import REVOLUTE
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles import VehicleParameters
from racecar.scene.scene import Board, Box, Cone, EMPTY_SCENE, Patch, Scene, Wall
from racecar.world.car_model import CarPart, Gains, VISUAL_GROUP
from racecar.world.world_model import pair_wheels, world_spec

GAINS = Gains(0.5, 1.0, 20.0, 0.5)


def vehicle(name='racecar'):
    return VehicleParameters.from_file(find_config(f'vehicles/{name}'))


def bodies(name='racecar'):
    return car_bodies(describe_vehicle(vehicle(name)).tree)


def compiled(name='racecar', scene=EMPTY_SCENE, **more):
    model = world_spec(scene, [CarPart('car', bodies(name), GAINS, 1.0)], **more).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def inertia_about_centre(model, data, root):
    """Return the inertia tensor of all that hangs on a body, from the engine's bodies."""
    tensor, centre = np.zeros((3, 3)), data.subtree_com[root]
    for body in range(model.nbody):
        if model.body_rootid[body] != root:
            continue
        rotation = data.ximat[body].reshape(3, 3)
        arm = data.xipos[body] - centre
        tensor += rotation @ np.diag(model.body_inertia[body]) @ rotation.T
        tensor += model.body_mass[body] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return tensor


@pytest.mark.parametrize('name', vehicle_names())
def test_mass_centre_and_inertia_are_those_of_description_and_file(name):
    model, data = compiled(name)
    root = model.body('car/base_link').id
    described = describe_vehicle(vehicle(name)).tree.mass_properties()
    assert model.body_subtreemass[root] == pytest.approx(described.mass, rel=1e-12)
    assert data.subtree_com[root] == pytest.approx(described.centre, abs=1e-12)
    tensor = inertia_about_centre(model, data, root)
    assert tensor == pytest.approx(described.tensor, rel=1e-9, abs=1e-9 * tensor.max())
    car = vehicle(name)
    assert model.body_subtreemass[root] == pytest.approx(car.mass, rel=1e-9)
    ahead, side, height = data.subtree_com[root]
    assert (ahead, side) == pytest.approx((-car.odometry_offset, 0.0), abs=1e-9)
    assert height == pytest.approx(car.cog_height, abs=1e-9)


def test_the_racecar_is_that_of_the_original():
    model, data = compiled()
    root = model.body('car/base_link').id
    assert model.body_subtreemass[root] == pytest.approx(5.69223)
    assert data.subtree_com[root] == pytest.approx((0.1602, 0.0, 0.0517), abs=1e-4)
    assert inertia_about_centre(model, data, root)[2, 2] == pytest.approx(0.1256, abs=1e-4)
    assert vehicle().yaw_inertia == pytest.approx(0.1256, abs=1e-4)


@pytest.mark.parametrize('name', vehicle_names())
def test_wheelbase_track_and_radius_are_those_of_description_and_file(name):
    model, data = compiled(name)
    car = vehicle(name)
    centres = [data.geom(f'car/{joint.removesuffix("_joint")}').xpos for joint in WHEEL_JOINTS]
    assert centres[0][0] - centres[2][0] == pytest.approx(car.wheelbase)
    assert centres[0][1] - centres[1][1] == pytest.approx(car.track_widths[0])
    assert centres[2][1] - centres[3][1] == pytest.approx(car.track_widths[1])
    found = bodies(name)
    axles = (car.cog_to_front_axle,) * 2 + (-car.cog_to_rear_axle,) * 2
    for wheel, radius, centre, ahead, side in zip(
            found.wheels, (car.wheel_radii[0],) * 2 + (car.wheel_radii[1],) * 2, centres, axles,
            (1.0, -1.0) * 2, strict=True):
        assert Wheel(wheel).radius == pytest.approx(radius)
        assert model.geom(f'car/{wheel.name}').size[0] == pytest.approx(radius)
        # They stand on the ground of base_link.
        track = car.track_widths[0 if ahead > 0.0 else 1]
        assert centre == pytest.approx(
            (ahead - car.odometry_offset, side * 0.5 * track, radius))
    assert found.half_kingpin_track == pytest.approx(0.5 * (car.track_width - car.wheel_width))


def test_joints_turn_as_in_the_description():
    model, data = compiled()
    for name in WHEEL_JOINTS:
        assert data.joint(f'car/{name}').xaxis == pytest.approx((0.0, 1.0, 0.0))
        assert not model.joint(f'car/{name}').limited
    for joint in describe_vehicle(vehicle()).tree.joints:
        if joint.kind == REVOLUTE:
            assert joint.name in HINGE_JOINTS
            assert data.joint(f'car/{joint.name}').xaxis == pytest.approx((0.0, 0.0, 1.0))
            assert model.joint(f'car/{joint.name}').range == pytest.approx(
                (joint.limit.lower, joint.limit.upper))
            assert model.actuator(f'car/{joint.name}/servo').forcerange == pytest.approx(
                (-joint.limit.effort, joint.limit.effort))


@pytest.mark.parametrize('name', vehicle_names())
def test_the_body_collides_where_the_planar_car_does(name):
    length, width, _, ahead = bodies(name).outline
    front, rear, side = vehicle(name).footprint
    assert (length, width, ahead) == pytest.approx(
        (front + rear, 2.0 * side, 0.5 * (front - rear)))


def test_the_body_collides_before_the_wheels():
    length, width, height, ahead = bodies().outline
    half = 0.5 * length
    _, data = compiled()
    for joint in WHEEL_JOINTS:
        x, y, _ = data.geom(f'car/{joint.removesuffix("_joint")}').xpos
        assert ahead - half < x - 0.05
        assert x + 0.05 < ahead + half
        assert abs(y) + 0.0225 <= 0.5 * width + 1e-9
    assert height > 0.0


def test_a_scene_stands_in_the_model():
    scene = Scene(
        'test', walls=(Wall(0.0, 5.0, 3.0, 9.0, 1.5),), boxes=(Box(4.0, 0.0, 0.5, 1.0, 2.0, 0.5),),
        cones=(Cone(1.0, 2.0),), boards=(Board(-3.0, 0.0, 0.0, 0.3, 0.4, 1, 0.2),),
        patches=(Patch(0.0, 0.0, 0.0, 1.0, 1.0),))
    model, data = compiled(scene=scene)
    shapes = {tuple(np.round(2.0 * model.geom_size[i], 6)): data.geom_xpos[i]
              for i in range(model.ngeom) if model.geom_bodyid[i] == 0
              and model.geom_type[i] == mujoco.mjtGeom.mjGEOM_BOX}
    # Middle of each, with its height from the ground.
    assert shapes[(5.0, 0.02, 1.5)] == pytest.approx((1.5, 7.0, 0.75))
    assert shapes[(1.0, 2.0, 0.5)] == pytest.approx((4.0, 0.0, 0.25))
    assert shapes[(0.01, 0.3, 0.4)] == pytest.approx((-3.0, 0.0, 0.2))
    assert len(shapes) == 3
    cone = model.body('cone_0')
    assert cone.mass == pytest.approx(scene.cones[0].mass)
    assert data.body('cone_0').xpos == pytest.approx((1.0, 2.0, 0.0))
    with_visuals, _ = compiled(scene=scene, visuals=True)
    assert sum(with_visuals.geom_bodyid == 0) == len(shapes) + 2


def test_visuals_have_the_meshes_of_the_description_and_weigh_nothing():
    plain, _ = compiled()
    model, _ = compiled(visuals=True)
    shown = [i for i in range(model.ngeom) if model.geom_group[i] == VISUAL_GROUP]
    described = [shape for body in bodies().bodies for shape in body.visuals]
    assert len(shown) == len(described) > 0
    assert sum(model.geom_type[i] == mujoco.mjtGeom.mjGEOM_MESH for i in shown) == sum(
        isinstance(shape.geometry, Mesh) for shape in described) > 0
    assert not model.geom_contype[shown].any()
    assert not model.geom_conaffinity[shown].any()
    assert model.body_mass == pytest.approx(plain.body_mass)


def test_meshes_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert compiled(visuals=True)[0].nmesh > 0
    assert not list(Path(tmp_path).iterdir())


def test_cars_of_several_names_stand_in_one_model():
    model = world_spec(
        EMPTY_SCENE,
        [CarPart(name, bodies(), GAINS, None) for name in ('left', 'right')]).compile()
    assert model.body('left/base_link').id != model.body('right/base_link').id
    assert model.nv == 2 * 12


def test_wheels_that_are_tried_with_the_floor_only_have_the_bits_of_others():
    scene = Scene(boxes=(Box(0.9, 0.1, 0.3, 0.2, 2.0, 0.5),), cones=(Cone(0.5, 0.1),))
    parts = [CarPart(name, bodies(), GAINS, 1.0) for name in ('one', 'other')]
    found = []
    for are_paired in (False, True):
        spec = world_spec(scene, parts)
        for part in parts if are_paired else ():
            pair_wheels(spec, part)
        model = spec.compile()
        data, contacts, paths = mujoco.MjData(model), 0, []
        # Into the cone and the wall, and behind that one into it.
        for part, x, speed in zip(parts, (0.0, -0.6), (2.0, 4.0), strict=True):
            data.joint(f'{part.name}/base_link').qpos[:2] = x, 0.05
            data.joint(f'{part.name}/base_link').qvel[0] = speed
        for _ in range(400):
            mujoco.mj_step(model, data)
            contacts = max(contacts, data.ncon)
            paths.append(data.qpos.tobytes() + data.qvel.tobytes())
        found.append((contacts, paths))
    assert found[0] == found[1]
    assert found[0][0] > 12


def test_a_description_that_is_no_car_is_refused():
    tree = describe_vehicle(vehicle()).tree
    fixed = type(tree)(tree.name, tree.links, tuple(
        type(joint)(joint.name, 'fixed', joint.parent, joint.child, joint.origin)
        if joint.name == WHEEL_JOINTS[0] else joint for joint in tree.joints))
    with pytest.raises(ConfigurationError, match=f"no joint '{WHEEL_JOINTS[0]}' that moves"):
        car_bodies(fixed)


def test_a_slope_is_a_tilt_of_gravity():
    model, _ = compiled(gravity=(-1.0, 0.0, -9.0))
    assert model.opt.gravity == pytest.approx((-1.0, 0.0, -9.0))


def test_wheels_sink_in_by_less_than_a_millimetre():
    for contact in ('coulomb', 'pacejka'):
        assert -1e-3 < make_car(contact_model=contact).pose.z < 0.0
        assert math.isfinite(make_car(contact_model=contact).pose.qw)
