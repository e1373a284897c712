# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors on a car and on a ball on a rail: one sensor, two plants that know nothing of it."""

from dataclasses import replace
import math
from pathlib import Path

import pytest
from range_finder import Range, RANGE_FINDER

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.poses import pose_of_angles, pose_of_child, twist_of_child
from racecar.base.types import Acceleration3, AckermannCommand, BodyState, Pose3, Twist3
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS
from racecar.scene import Box, Scene, Wall
from racecar.sensors import SENSOR_KINDS
from racecar.sensors.mounting import EquippedPlant, MountedSensor, sensor_parameters
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.ports import Entity, Input, Mount, ODOMETRY, Output, SensorPlatform
from racecar.simulation.vehicle_plant import VehiclePlant

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
KINDS = {**SENSOR_KINDS, RANGE_FINDER.name: RANGE_FINDER}
WALL = Scene(walls=(Wall(5.0, -50.0, 5.0, 50.0),))


def mounted(name='bumper', **values):
    return MountedSensor.from_values(
        name, {f'{name}.{key}': value for key, value in {
            'kind': 'range_finder', 'rate': 40.0, **values}.items()}, KINDS)


class Ball:
    """A ball on a rail along x at 1 m/s, which has a body to look from."""

    step_ns = 2_500_000
    scenery = None

    def __init__(self, names=('',)):
        self.time_ns = 0
        self.x = 0.0
        self.entities = [
            Entity(name, (Input('push', float, print),),
                   (Output('body', BodyState, self.body, 4, 'ball'),), self.reset, print,
                   platform=SensorPlatform('ball', self.body, self.no_acceleration))
            for name in names]

    def body(self):
        return BodyState(Pose3(self.x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
                         Twist3(1.0, 0.0, 0.0, 0.0, 0.0, 0.0))

    def no_acceleration(self):
        return Acceleration3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def reset(self, pose):
        self.x = 0.0

    def warm_up(self):
        pass

    def restart(self):
        self.time_ns = 0

    def advance(self, steps):
        self.time_ns += steps * self.step_ns
        self.x = self.time_ns * 1e-9


def ball(*sensors, scene=WALL, names=('',)):
    return EquippedPlant(Ball(names), dict.fromkeys(names, sensors), scene)


def car(*sensors, scene=WALL):
    simulator = make_simulator((VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS).resolve(
        load_parameter_file(FILE, 'any_node')))
    simulator.set_command(AckermannCommand(1.0, 0.1))
    return EquippedPlant(VehiclePlant(simulator), {'': sensors}, scene)


def readings(plant, name='bumper', count=20, entity=0, listens=lambda time: True):
    """Return what a listener hears, as a simulator node would read it."""
    output = plant.entities[entity].output(name)
    heard = []
    for _ in range(count):
        if listens(plant.time_ns):
            heard.append((plant.time_ns, output.read()))
        plant.advance(output.steps)
    return heard




def test_a_ball_on_a_rail_sees_the_wall_come_nearer():
    heard = readings(ball(mounted(x=0.2)))
    assert [time for time, _ in heard] == [25_000_000 * i for i in range(20)]
    for time, reading in heard:
        assert tuple(reading) == (pytest.approx(4.8 - time * 1e-9),)


def test_a_car_sees_the_wall_from_where_the_sensor_is_mounted():
    plant = car(mounted(x=0.3, y=0.1, yaw=0.4))
    readings(plant, count=40)
    entity = plant.entities[0]
    pose, _ = entity.output(ODOMETRY).read()
    yaw = 2.0 * math.atan2(pose.qz, pose.qw)
    assert yaw > 0.05
    x = pose.x + 0.3 * math.cos(yaw) - 0.1 * math.sin(yaw)
    assert entity.output('bumper').read().distance == pytest.approx(
        (5.0 - x) / math.cos(yaw + 0.4))


def test_a_sensor_leaves_the_motion_as_it_is():
    bare, equipped = car(), car(mounted(noise=0.1))
    readings(equipped)
    bare.advance(equipped.time_ns // bare.step_ns)
    states = [plant.entities[0].output(ODOMETRY).read() for plant in (bare, equipped)]
    assert states[0] == states[1]


def test_a_sensor_is_an_output_and_a_mount_of_its_robot():
    entity = car(mounted(frame='nose', x=0.3, z=0.1)).entities[0]
    output = entity.output('bumper')
    assert (output.value_type, output.steps, output.frame) == (Range, 25, 'nose')
    assert entity.mounts[-1] == Mount(
        'base_link', 'nose', Pose3(0.3, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0))


def test_frame_is_the_name_where_none_is_given():
    assert mounted('left').frame == 'left'


@pytest.mark.parametrize('make', [ball, car])
def test_noise_is_that_of_the_seed(make):
    runs = [readings(make(mounted(noise=0.1, seed=seed))) for seed in (3, 3, 4)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
    quiet = readings(make(mounted()))
    errors = [noisy.distance - true.distance for (_, noisy), (_, true) in zip(
        runs[0], quiet, strict=True)]
    assert len(set(errors)) == len(errors)
    assert 0.02 < math.sqrt(sum(error * error for error in errors) / len(errors)) < 0.3


def test_noise_does_not_depend_on_who_listened_before():
    late = readings(ball(mounted(noise=0.1)), listens=lambda time: time > 200_000_000)
    assert late == readings(ball(mounted(noise=0.1)))[-len(late):]
    assert len(late) == 11


def test_sensors_of_one_seed_have_noise_of_their_own():
    plant = ball(mounted('a', noise=0.1), mounted('b', noise=0.1))
    one, other = (plant.entities[0].output(name).read() for name in 'ab')
    assert one != other


def test_robots_of_one_plant_have_noise_of_their_own():
    plant = ball(mounted(noise=0.1), names=('left', 'right'))
    one, other = (entity.output('bumper').read() for entity in plant.entities)
    assert one != other


def test_nothing_is_measured_while_nobody_listens(monkeypatch):
    asked = []
    sensor = mounted()
    monkeypatch.setattr(
        type(sensor.sensor), 'measure', lambda *arguments: asked.append(arguments))
    plant = ball(sensor)
    readings(plant, listens=lambda time: False)
    assert asked == []
    readings(plant, count=1)
    assert len(asked) == 1


def test_a_sensor_is_tried_before_the_first_step(monkeypatch):
    asked = []
    sensor = mounted()
    monkeypatch.setattr(
        type(sensor.sensor), 'measure', lambda *arguments: asked.append(arguments))
    ball(sensor).warm_up()
    assert len(asked) == 1


def test_a_box_hides_the_wall_behind_it_up_to_its_height():
    scene = replace(WALL, boxes=(Box(3.0, 0.0, math.pi / 4.0, 1.0, 1.0, 0.5),))
    low, high = (ball(mounted(z=z), scene=scene).entities[0].output('bumper').read()
                 for z in (0.2, 0.7))
    assert low.distance == pytest.approx(3.0 - math.sqrt(0.5))
    assert high.distance == pytest.approx(5.0)


def test_sides_of_a_box_enclose_it():
    sides = Box(1.0, 2.0, 0.3, 4.0, 2.0, 1.0).sides
    area = 0.5 * sum(side.x1 * side.y2 - side.x2 * side.y1 for side in sides)
    assert area == pytest.approx(8.0)
    assert [(side.x2, side.y2) for side in sides] == [
        (side.x1, side.y1) for side in (*sides[1:], sides[0])]


def test_child_frames_move_with_their_body():
    body = pose_of_angles(1.0, 2.0, 0.5, 0.0, 0.0, math.pi / 2.0)
    child = pose_of_angles(0.3, 0.0, 0.1, 0.0, 0.0, math.pi / 2.0)
    assert pose_of_child(body, child) == pytest.approx((1.0, 2.3, 0.6, 0.0, 0.0, 1.0, 0.0))
    # A body that turns moves its child sideways, which is forwards for one that looks there.
    assert twist_of_child(Twist3(1.0, 0.0, 0.0, 0.0, 0.0, 2.0), child) == pytest.approx(
        (0.6, -1.0, 0.0, 0.0, 0.0, 2.0))


def test_pitch_turns_the_nose_down():
    nose = pose_of_child(
        pose_of_angles(0.0, 0.0, 0.0, 0.0, 0.2, 0.0), Pose3(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    assert nose.z == pytest.approx(-math.sin(0.2))


def test_parameters_of_a_sensor_are_its_mounting_and_its_own():
    names = sensor_parameters('laser', 'range_finder', KINDS).names
    assert list(names) == [f'laser.{name}' for name in (
        'kind', 'frame', 'rate', 'seed', 'slot', 'x', 'y', 'z', 'roll', 'pitch', 'yaw', 'range',
        'noise')]


@pytest.mark.parametrize(('values', 'message'), [
    ({'kind': 'sonar'},
     r"'bumper\.kind' is 'sonar', expected one of laser, camera, depth, imu, range_finder"),
    ({'noise': -1.0}, r"'bumper\.noise' is -1\.0, expected a number in"),
    ({'beams': 3}, r"'bumper\.beams' is unknown here")])
def test_what_a_sensor_cannot_be_is_refused(values, message):
    with pytest.raises(ParameterError, match=message):
        mounted(**values)


def test_a_rate_between_the_steps_is_refused_with_the_nearest():
    with pytest.raises(ConfigurationError, match=r"rate of sensor 'bumper' of 30 Hz.* choose"):
        ball(mounted(rate=30.0))


def test_an_output_of_the_same_name_is_refused():
    with pytest.raises(ConfigurationError, match="sensor 'body': the robot has an output of this"):
        ball(mounted('body'))


def test_a_sensor_of_a_robot_that_is_not_there_is_refused():
    with pytest.raises(ConfigurationError, match="robot 'right', expected one of ''"):
        EquippedPlant(Ball(), {'right': (mounted(),)})
