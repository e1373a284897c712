# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle's file adds to a car: extensions, data, wheels of others, logos, materials.

Seed 000: extensionSlot, data and wheelX of 1.2, logoSlot and contactMaterial of 1.1, the MFNode
fields of AutomobileLights of 1.3.
"""

import math
import xml.etree.ElementTree as ElementTree

import numpy as np
from presence import present
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.shapes import Box, Cylinder, Mesh, Sphere
from racecar.base.share import find_vehicle
from racecar.base.types import AckermannCommand
from racecar.description.triangles import stl
from racecar.description.vehicle_description import describe_vehicle
from racecar.description.wheel_files import wheel_files
from racecar.driver import Car
from racecar.dynamics.tyres.pacejka import SURFACES
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS, VehicleParameters
from racecar.sensors.equipment import equip, EQUIPMENT_PARAMETERS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator
from racecar.world.make_world import make_world_plant
from racecar.world.world_parameters import WORLD_PARAMETERS

BOTH_KINDS = pytest.mark.parametrize('name', ['racecar', 'bmw_x5'])
RACK = """<robot name="rack">
  <link name="rack">
    <inertial>
      <origin xyz="0.1 0.05 0.2"/><mass value="0.5"/><inertia ixx="0.001" iyy="0.002" izz="0.003"/>
    </inertial>
    <visual><geometry><mesh filename="plate.stl" scale="2 1 1"/></geometry></visual>
    <visual name="beacon"><geometry><sphere radius="0.03"/></geometry></visual>
    <collision><origin xyz="0 0 3"/><geometry><box size="0.2 0.1 0.01"/></geometry></collision>
  </link>
  <link name="mast"/>
  <joint name="mast_joint" type="fixed">
    <parent link="rack"/><child link="mast"/><origin xyz="0.05 0 0.3"/>
  </joint>
  <lamp function="front" link="rack" visual="beacon" rgb="0.1 0.2 1.0"/>
</robot>"""
TETRAHEDRON = np.array([[(0, 0, 0), (0, 1, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (0, 0, 1)],
                        [(0, 0, 0), (0, 0, 1), (0, 1, 0)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)]])


def values_of(name='bmw_x5', **values):
    return {**load_parameter_file(find_vehicle(name), 'vehicle'),
            **{f"vehicle.{key.replace('__', '.')}": value for key, value in values.items()}}


def vehicle_of(name='bmw_x5', **values):
    return VehicleParameters.from_values(values_of(name, **values))


@pytest.fixture
def rack(tmp_path):
    (tmp_path / 'plate.stl').write_bytes(stl(0.1 * TETRAHEDRON, 'plate'))
    (tmp_path / 'rack.urdf').write_text(RACK)
    return str(tmp_path / 'rack.urdf')


@BOTH_KINDS
def test_links_of_an_extension_are_on_the_car_and_their_mass_is_part_of_it(name, rack):
    vehicle = vehicle_of(name, extensions=[rack])
    tree = describe_vehicle(vehicle).tree
    rear_axle = tree.poses()['chassis']
    mast = tree.poses()['mast']
    assert (mast.x - rear_axle.x, mast.y, mast.z - rear_axle.z) == pytest.approx((0.05, 0.0, 0.3))
    plate, beacon = tree.link('rack').visuals
    assert isinstance(plate.geometry, Mesh)
    assert plate.geometry.uri.startswith('file:///')
    assert plate.geometry.scale == (2.0, 1.0, 1.0)
    assert beacon.geometry == Sphere(0.03)
    assert [lamp.function for lamp in tree.lamps if lamp.visual == 'beacon'] == ['front']
    whole = tree.mass_properties()
    assert whole.mass == pytest.approx(vehicle.mass)
    # The rack is to the left of the middle; that of the whole is in it only where the body is
    # generated.
    if name == 'bmw_x5':
        assert whole.centre == pytest.approx(
            (vehicle.cog_to_rear_axle, 0.0, vehicle.cog_height), abs=1e-9)
        assert whole.tensor == pytest.approx(np.diag(np.diag(whole.tensor)), abs=1e-6)


@BOTH_KINDS
def test_an_extension_collides_in_the_world_and_carries_a_sensor(name, rack):
    plant = equip(make_world_plant((VEHICLE_PARAMETERS + WORLD_PARAMETERS).resolve(
        values_of(name, extensions=[rack]))), {**EQUIPMENT_PARAMETERS.resolve(
        {'sensors': ['laser'], 'laser.slot': 'mast'}), 'world': 'empty'})
    entity, = plant.entities
    tree = present(entity.describe)().tree
    assert tree.link('rack').collisions[0].geometry == Box((0.2, 0.1, 0.01))
    plant.advance(100)
    assert math.isfinite(entity.output('odometry').read().pose.z)
    mount, = (mount for mount in entity.mounts if mount.child == 'mast_laser')
    assert mount.pose[:3] == pytest.approx(tree.poses()['mast'][:3])


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('type="fixed"', 'type="continuous"', "joint 'mast_joint' is continuous, expected fixed"),
    ('plate.stl', 'gone.stl', 'gone.stl'), ('plate.stl', 'rack.urdf', 'not a binary STL'),
    ('"mast"', '"laser"', "'laser' stands twice"), ('</robot>', '', 'no XML'),
    ('<mass value="0.5"/>', '<mass value="1e6"/>', "'vehicle.mass' is 2120 kg, expected more")])
def test_an_extension_that_cannot_be_is_refused_in_one_line(old, new, message, rack, tmp_path):
    (tmp_path / 'rack.urdf').write_text(RACK.replace(old, new))
    with pytest.raises(ConfigurationError) as caught:
        describe_vehicle(vehicle_of(extensions=[rack], data=new))
    assert message in str(caught.value)
    assert '\n' not in str(caught.value)


def test_an_extension_that_is_not_there_is_named():
    with pytest.raises(ConfigurationError, match=r"'vehicle.extensions', file 'gone.urdf'"):
        describe_vehicle(vehicle_of(extensions=['gone.urdf']))


@BOTH_KINDS
def test_data_is_in_the_description_and_in_the_driver_library(name, tmp_path):
    vehicle = vehicle_of(name, data='fleet <7> & more')
    urdf = ElementTree.fromstring(describe_vehicle(vehicle).urdf)
    assert urdf.findtext('data') == 'fleet <7> & more'
    path = tmp_path / 'mine.yaml'
    path.write_text(find_vehicle(name).read_text().replace(
        f'name: {name}', f'name: {name}\n      data: fleet 7'))
    assert Car(str(path)).getData() == 'fleet 7'


def rims(vehicle):
    """Return the mesh of the rim at each corner."""
    tree = describe_vehicle(vehicle).tree
    return [next(shape.geometry for shape in tree.link(f'{side}_{axle}_wheel').visuals
                 if shape.name == 'rim')
            for axle in ('front', 'rear') for side in ('left', 'right')]


@BOTH_KINDS
def test_each_corner_may_have_the_wheel_of_another_vehicle(name, tmp_path):
    donor = tmp_path / 'donor.yaml'
    donor.write_text(find_vehicle('report').read_text().replace(
        'vehicle:\n', 'vehicle:\n      wheel: {rim_beam_number: 9, rim_beam_width: 0.002,'
        ' rim_colour: [1.0, 0.0, 0.0], corners: [donor.yaml, donor.yaml, "", ""]}\n', 1))
    vehicle = vehicle_of(name, wheel__corners=['', str(donor), str(donor), ''])
    own = rims(vehicle_of(name))
    found = rims(vehicle)
    assert (found[0], found[3]) == (own[0], own[3])
    front, rear = vehicle.wheel_designs[1], vehicle.wheel_designs[2]
    assert (front.shape.rim_beam_number, front.look.rim_colour) == (9, (1.0, 0.0, 0.0))
    assert (front.shape.tire_radius, front.shape.thickness) == pytest.approx(
        (vehicle.wheel_radius, vehicle.wheel_width))
    assert (found[1], found[2]) == (wheel_files(front.shape).rim, wheel_files(rear.shape).rim)
    assert isinstance(found[1], Mesh)


@pytest.mark.parametrize(('corners', 'message'), [
    (['racecar'], 'expected four names'), (['', '', '', 'no_such_car'], 'no_such_car')])
def test_corners_that_cannot_be_are_refused_in_one_line(corners, message):
    with pytest.raises(ParameterError) as caught:
        vehicle_of(wheel__corners=corners)
    assert message in str(caught.value)
    assert 'vehicle.wheel.corners' in str(caught.value)
    assert '\n' not in str(caught.value)


@BOTH_KINDS
def test_a_logo_is_in_the_middle_of_the_outer_face_of_each_wheel(name, tmp_path):
    file = tmp_path / 'logo.stl'
    file.write_bytes(stl(0.1 * TETRAHEDRON, 'logo'))
    for more, kind in (({'shape': 'cylinder', 'size': [0.02, 0.03, 0.004]}, Cylinder),
                       ({'shape': 'box'}, Box), ({'shape': 'mesh', 'file': str(file)}, Mesh)):
        vehicle = vehicle_of(name, **{f'wheel__logo__{key}': part for key, part in more.items()})
        tree = describe_vehicle(vehicle).tree
        for axle, width in zip(('front', 'rear'), vehicle.wheel_widths, strict=True):
            for side, sign in (('left', 1.0), ('right', -1.0)):
                logo, = [shape for shape in tree.link(f'{side}_{axle}_wheel').visuals
                         if shape.name == 'logo']
                assert isinstance(logo.geometry, kind)
                # The frame of a wheel is in its inner face, z to the right of the car.
                assert logo.origin[:3] == pytest.approx((0.0, 0.0, -sign * width))


@pytest.mark.parametrize(('values', 'message'), [
    ({'shape': 'mesh'}, "'vehicle.wheel.logo.file' is ''"), ({'file': 'a.stl'}, "is 'a.stl'"),
    ({'size': [1.0]}, "'vehicle.wheel.logo.size' is [1.0]"),
    ({'colour': [2.0, 0.0, 0.0]}, "'vehicle.wheel.logo.colour' is [2.0, 0.0, 0.0]"),
    ({'shape': 'star'}, "'vehicle.wheel.logo.shape' is 'star'")])
def test_a_logo_that_cannot_be_is_refused_in_one_line(values, message):
    with pytest.raises(ParameterError) as caught:
        vehicle_of(**{f'wheel__logo__{key}': value for key, value in values.items()})
    assert message in str(caught.value)
    assert '\n' not in str(caught.value)


@BOTH_KINDS
def test_a_group_of_lamps_may_have_several_shapes(name):
    vehicle = vehicle_of(
        name, lights__front__shapes=['cylinder', 'none', 'box'],
        lights__front__positions=[3.8, 0.6, 0.4, 3.8, 0.4, 0.4, 3.8, 0.0, 0.3],
        lights__front__size=[0.05, 0.2, 0.2, 0.1, 0.1, 0.1, 0.05, 0.4, 0.06])
    tree = describe_vehicle(vehicle).tree
    found = {lamp.visual: tree.lamp_shape(lamp).geometry for lamp in tree.lamps
             if lamp.function == 'front'}
    assert found == {
        'left_front_lamp_0': Cylinder(0.1, 0.05), 'right_front_lamp_0': Cylinder(0.1, 0.05),
        'front_lamp_2': Box((0.05, 0.4, 0.06))}


@pytest.mark.parametrize(('values', 'message'), [
    ({'shapes': ['box', 'box']}, "expected their places, too: 'vehicle.lights.front.positions'"),
    ({'shapes': ['box'], 'positions': [1.0, 0.0, 0.0] * 2}, 'expected one for each of 2'),
    ({'shapes': ['star'], 'positions': [1.0, 0.0, 0.0]}, "has 'star', expected each to be one"),
    ({'size': [0.1] * 6}, "'vehicle.lights.front.size' is for 2 lamps"),
    ({'size': [0.1] * 4}, 'of all lamps or of each')])
def test_shapes_of_lamps_that_cannot_be_are_refused_in_one_line(values, message):
    with pytest.raises(ParameterError) as caught:
        vehicle_of(**{f'lights__front__{key}': value for key, value in values.items()})
    assert message in str(caught.value)
    assert '\n' not in str(caught.value)


def test_a_contact_material_is_the_friction_of_the_tyre_of_its_name():
    assert vehicle_of('racecar').friction_coefficient == 1.0
    for material, tyre in SURFACES.items():
        vehicle = vehicle_of('racecar', contact_material=material)
        assert vehicle.friction_coefficient == tyre.friction
    with pytest.raises(ParameterError, match='contact_material.*expected one of default, dry'):
        vehicle_of(contact_material='gravel')


@pytest.mark.parametrize('world', [False, True])
def test_on_ice_a_car_starts_as_slowly_as_its_friction(world):
    def speed_after_start(material):
        values = values_of('racecar', contact_material=material)
        if world:
            plant = make_world_plant((VEHICLE_PARAMETERS + WORLD_PARAMETERS).resolve(values))
            entity, = plant.entities
            drive = next(port for port in entity.inputs if port.name == 'drive').apply
            drive(AckermannCommand(3.0, 0.0))
            plant.advance(500)
            return entity.output('odometry').read().twist.vx
        simulator = make_simulator((VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS).resolve(
            {**values, 'vehicle_model': 'double_track', 'tyre_model': 'fiala'}))
        simulator.set_command(AckermannCommand(3.0, 0.0))
        for _ in range(50):
            simulator.tick()
        return simulator.odometry().vx

    # From rest, by friction alone: at most mu g t.
    assert speed_after_start('ice') <= 0.1 * 9.81 * 0.5 * 1.05
    assert speed_after_start('dry') > 2.0


def test_rear_wheels_may_have_another_width():
    vehicle = vehicle_of('racecar', rear__wheel_width=0.06)
    for name in ('racecar', 'bmw_x5'):
        vehicle = vehicle_of(name, rear__wheel_width=1.2 * vehicle_of(name).wheel_width)
        tree = describe_vehicle(vehicle).tree
        poses = tree.poses()
        for axle, width, track in zip(('front', 'rear'), vehicle.wheel_widths,
                                      vehicle.track_widths, strict=True):
            shape, = tree.link(f'left_{axle}_wheel').collisions
            assert isinstance(shape.geometry, Cylinder)
            assert shape.geometry.length == pytest.approx(width)
            assert poses[f'left_{axle}_wheel'].y == pytest.approx(0.5 * (track - width))
        assert vehicle.wheel_designs[2].shape.thickness == pytest.approx(vehicle.wheel_widths[1])
    with pytest.raises(ParameterError, match=r"'vehicle.rear.track_width'.* more than the width"):
        vehicle_of('racecar', rear__wheel_width=0.3)
