# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lamps in pictures: where they are, in their colour, at their time."""

import math

import numpy as np
import pytest

from racecar.base.parameter_file import load_parameter_file
from racecar.base.poses import NO_POSE, pose_of_child
from racecar.base.share import find_config
from racecar.base.types import Lamps, LampSwitches
from racecar.catalogue.simulators.single_track import SINGLE_TRACK_SIMULATOR
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.rendering.lens import Lens, LENS_OF_OPTICAL, OPTICAL_AXES
from racecar.rendering.renderer import Renderer
from racecar.rendering.sight import DrawnRobot, Quality, RobotSight, Sight
from racecar.rendering.viewpoints import looking_at
from racecar.scene.scene import EMPTY_SCENE
from racecar.sensors.equipment import equip
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.vehicle_plant import VehiclePlant

LENS = Lens(320, 200, 0.6, 0.02, 100.0)
QUALITY = Quality(320, 200)
# Beside a car of this length [m].
FRONT, REAR = (1.6, 0.2, 0.4), (-1.2, 0.35, 0.3)
RACECAR = load_parameter_file(find_config('vehicles/racecar'), 'any_node')


class Pictures:
    """A car from ahead and from behind, with lamps lit and dark."""

    def __init__(self, name):
        vehicle = VehicleParameters.from_file(find_config(f'vehicles/{name}'))
        self.tree = describe_vehicle(vehicle).tree
        outline = vehicle.footprint
        self.size = outline.front + outline.rear
        self.renderer = Renderer(EMPTY_SCENE, [DrawnRobot(self.tree)], QUALITY)

    def view(self, place):
        x, y, z = (self.size * part for part in place)
        return looking_at((x, y, z), (0.3 * self.size, 0.0, 0.1 * self.size))

    def draw(self, place, *lit):
        sight = Sight([RobotSight(NO_POSE, (), Lamps(**dict.fromkeys(lit, True)))])
        return self.renderer.draw(sight, self.view(place), LENS).astype(int)

    def pixels_of(self, function, place):
        """Return columns and rows of the middles of the lamps of a function that face the lens."""
        links, eye = self.tree.poses(), pose_of_child(self.view(place), OPTICAL_AXES)
        for lamp in self.tree.lamps:
            middle = pose_of_child(links[lamp.link], self.tree.lamp_shape(lamp).origin)
            if lamp.function == function and (middle.x > 0.3 * self.size) == (place is FRONT):
                yield LENS.pixel(*in_frame(eye, middle))


def in_frame(frame, pose):
    """Return the place of a pose in a frame, both in one parent."""
    inverse = (-frame.qx, -frame.qy, -frame.qz, frame.qw)
    turned = pose_of_child(
        NO_POSE._replace(qx=inverse[0], qy=inverse[1], qz=inverse[2], qw=inverse[3]),
        NO_POSE._replace(x=pose.x - frame.x, y=pose.y - frame.y, z=pose.z - frame.z))
    return turned[:3]


@pytest.fixture(scope='module', params=['racecar', 'tesla_model3'])
def pictures(gl, request):
    made = Pictures(request.param)
    with made.renderer:
        yield made


@pytest.mark.parametrize(('function', 'place', 'colour', 'count'), [
    ('front', FRONT, (204, 204, 204), 2), ('antifog', FRONT, (204, 204, 204), 2),
    ('left_indicator', FRONT, (255, 178, 26), 1), ('right_indicator', FRONT, (255, 178, 26), 1),
    ('left_indicator', REAR, (255, 178, 26), 1), ('right_indicator', REAR, (255, 178, 26), 1),
    ('brake', REAR, (178, 31, 31), 2), ('rear', REAR, (178, 31, 31), 2),
    ('backwards', REAR, (204, 204, 204), 2)])
def test_a_lamp_changes_the_picture_where_it_is_and_to_its_colour(
        pictures, function, place, colour, count):
    dark, lit = pictures.draw(place), pictures.draw(place, function)
    changed = np.abs(lit - dark).max(axis=2) > 0
    rows, columns = np.nonzero(changed)
    assert 4 * count < len(rows) < 0.02 * changed.size
    assert lit[changed].mean(axis=0) == pytest.approx(colour, abs=12)
    middles = list(pictures.pixels_of(function, place))
    assert len(middles) == count
    # All that changes is near one of the lamps, and near each something does.
    apart = np.hypot(columns[:, None] - [x for x, _ in middles],
                     rows[:, None] - [y for _, y in middles])
    assert apart.min(axis=1).max() < 14.0
    assert apart.min(axis=0).max() < 3.0


def test_lamps_that_go_out_leave_nothing(pictures):
    dark = pictures.draw(REAR)
    pictures.draw(REAR, *Lamps._fields)
    assert np.array_equal(pictures.draw(REAR), dark)


# In the camera of a simulator

CAMERA = {'sensors': ['camera'], 'camera.x': -1.0, 'camera.z': 0.1, 'camera.frame': 'behind',
          'camera.width': 128, 'camera.height': 80, 'camera.field_of_view': 0.35,
          'camera.noise': 0.0, 'camera.rate': 15.0}


def in_plane():
    values = SINGLE_TRACK_SIMULATOR.resolve(
        {**RACECAR, **CAMERA, 'vehicle_model': 'kinematic_bicycle', 'step': 0.001})
    return equip(VehiclePlant(make_simulator(values)), values)


class Film:
    """A camera behind a car, and what lights up in its pictures."""

    def __init__(self, plant):
        self.plant = plant
        self.entity, = plant.entities
        self.camera = self.entity.output('camera')
        self.dark = self.picture()

    def picture(self):
        return self.camera.read().pixels().astype(int)

    def switch(self, switches):
        next(port for port in self.entity.inputs if port.name == 'lamps').apply(switches)

    def advance(self):
        """Go on to the next picture."""
        self.plant.advance(self.camera.steps_ahead(self.plant.time_ns // self.plant.step_ns))

    def amber(self):
        """Return the columns of what has lit up in amber."""
        change = self.picture() - self.dark
        return np.nonzero((change[..., 0] > 80) & (change[..., 2] < 40))[1]


def test_each_picture_of_the_camera_has_the_phase_of_its_own_time(gl):
    film = Film(in_plane())
    film.switch(LampSwitches(right_indicator=True))
    seen = []
    while film.plant.time_ns < 1_100_000_000:
        columns = film.amber()
        # To the right, as seen from behind.
        assert not len(columns) or columns.min() > 64
        seen.append((film.plant.time_ns, len(columns) > 3))
        film.advance()
    assert len(seen) == 17
    assert [is_lit for _, is_lit in seen] == [
        math.floor(time_ns / 340_000_000) % 2 == 0 for time_ns, _ in seen]
    assert {is_lit for _, is_lit in seen} == {True, False}


def test_optical_axes_of_the_test_are_those_of_the_lens():
    assert in_frame(pose_of_child(NO_POSE, OPTICAL_AXES), NO_POSE._replace(x=2.0, z=0.5)) \
        == pytest.approx((0.0, -0.5, 2.0))
    assert pose_of_child(OPTICAL_AXES, LENS_OF_OPTICAL) == pytest.approx(NO_POSE)
