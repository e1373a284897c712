# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robot description and transforms of the links, as a simulator publishes them."""

from dataclasses import replace
import math

from equipped_car import EquippedCarNode, SENSOR
from nav_msgs.msg import Odometry
from node_bench import command, RACECAR, seconds
import numpy as np
import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError
from racecar.base.types import WHEEL_JOINTS
from racecar.catalogue.simulators.single_track import SINGLE_TRACK_SIMULATOR
from racecar.description.urdf import read_urdf
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.world_simulator import WorldSimulatorNode
from racecar.ros import qos
from racecar.ros.simulator_node import SimulatorNode
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.vehicle_plant import VehiclePlant

pytestmark = pytest.mark.ros

VEHICLE = VehicleParameters.from_values(RACECAR)
LOCKSTEP = {**RACECAR, 'lockstep': True, 'real_time_factor': 0.0}
COMMANDS = 'vesc/low_level/ackermann_cmd_mux/output'


class Run:
    """A simulator in lockstep, with ears on everything that says where frames are."""

    def __init__(self, bench, node_class=SingleTrackSimulatorNode, prefix='', **parameters):
        self.bench, self.prefix = bench, prefix
        self.moving = bench.listen('/tf', TFMessage, qos.TF)
        self.joints = bench.listen(f'{prefix}/joint_states', JointState)
        self.odometry = bench.listen(f'{prefix}/vesc/odom', Odometry)
        self.node = bench.start(node_class, use_sim_time=False, **{**LOCKSTEP, **parameters})
        # Latched, so they also come to who is late.
        self.static = bench.listen('/tf_static', TFMessage, qos.TF_STATIC)
        self.descriptions = bench.listen(f'{prefix}/robot_description', String, qos.LATCHED)
        bench.until(lambda: self.odometry and self.static, 'the start')

    def drive(self, ticks, speed, steering):
        for _ in range(ticks):
            self.bench.answer(
                self.odometry, f'{self.prefix}/{COMMANDS}', command(0.0, speed, steering))

    def all_at_the_end(self):
        """Wait for all that was sent with the last odometry."""
        end = seconds(self.odometry[-1])
        self.bench.until(
            lambda: {t.child_frame_id for t in self.at(end)} >= {'base_link', 'left_rear_wheel'},
            'the transforms')
        self.bench.until(lambda: seconds(self.joints[-1]) == end, 'the joint states')

    def at(self, time):
        return [t for message in self.moving for t in message.transforms if seconds(t) == time]

    def frames(self):
        """Return every pair of parent and child that was told, with the number of topics."""
        pairs = [{(t.header.frame_id, t.child_frame_id)
                  for message in messages for t in message.transforms}
                 for messages in (self.moving, self.static)]
        return [pair for topic in pairs for pair in topic]


def matrix(transform):
    """Return a transform as a matrix (4, 4)."""
    t, r = transform.transform.translation, transform.transform.rotation
    x, y, z, w = r.x, r.y, r.z, r.w
    found = np.eye(4)
    found[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    found[:3, 3] = t.x, t.y, t.z
    return found


def chain(transforms, child, root='base_link'):
    """Return the pose (4, 4) of a frame in the root."""
    by_child = {t.child_frame_id: t for t in transforms}
    found = np.eye(4)
    while child != root:
        found = matrix(by_child[child]) @ found
        child = by_child[child].header.frame_id
    return found


def test_the_description_comes_to_who_is_late_and_can_be_read(bench):
    run = Run(bench)
    bench.count(run.descriptions, 1)
    assert run.descriptions[0].data == describe_vehicle(VEHICLE).urdf
    tree = read_urdf(run.descriptions[0].data)
    assert tree.root == 'base_link'
    assert {joint.name for joint in tree.joints if joint.moves} == set(run.joints[0].name)


@pytest.mark.parametrize('steering', [0.3, -0.5])
def test_the_wheels_are_where_their_joints_turn_them(bench, steering):
    run = Run(bench)
    run.drive(30, 1.0, steering)
    run.all_at_the_end()
    angles = dict(zip(run.joints[-1].name, run.joints[-1].position, strict=True))
    assert all(abs(angles[joint]) > 0.05 for joint in WHEEL_JOINTS)
    transforms = [*run.at(seconds(run.odometry[-1])), *run.static[-1].transforms]
    for side, sign in (('left', 1.0), ('right', -1.0)):
        for axle, x in (('front', VEHICLE.wheelbase), ('rear', 0.0)):
            steer = angles[f'{side}_steering_hinge_joint'] if axle == 'front' else 0.0
            wheel = f'{side}_{axle}_wheel'
            roll = angles[f'{wheel}_joint']
            pose = chain(transforms, wheel)
            # The frame lies at the inner face, on the hinge; the tyre around a point outside.
            across = np.array([-math.sin(steer), math.cos(steer), 0.0])
            ahead = np.array([math.cos(steer), math.sin(steer), 0.0])
            inner = np.array([x, sign * 0.1, VEHICLE.wheel_radius])
            assert pose[:3, 3] == pytest.approx(inner, abs=1e-9)
            centre = pose @ [0.0, 0.0, -sign * 0.0225, 1.0]
            assert centre[:3] == pytest.approx(inner + sign * 0.0225 * across, abs=1e-9)
            # A spoke that points ahead at first (the frames of the hinges are turned) goes down
            # as the wheel rolls forward.
            spoke = pose[:3, :3] @ ([0.0, 1.0, 0.0] if axle == 'front' else [1.0, 0.0, 0.0])
            assert spoke == pytest.approx(
                math.cos(roll) * ahead - math.sin(roll) * np.array([0.0, 0.0, 1.0]), abs=1e-9)


@pytest.mark.parametrize('node_class', [SingleTrackSimulatorNode, WorldSimulatorNode])
def test_every_frame_is_told_once(bench, node_class):
    run = Run(bench, node_class)
    # 0.1 s of the world, whose odometry and joint states come at 20 and 50 Hz.
    run.drive(2, 1.0, 0.1)
    run.all_at_the_end()
    children = [child for _, child in run.frames()]
    assert len(children) == len(set(children))
    links = {link.name for link in describe_vehicle(VEHICLE).tree.links}
    assert set(children) == links | {'odom', 'cog'}
    # All in one message: a second one would take the place of the first.
    assert len(run.static) == 1
    # Each time once.
    stamps = [seconds(t) for message in run.moving for t in message.transforms
              if t.child_frame_id == 'left_rear_wheel']
    assert len(stamps) == len(set(stamps))


def test_beside_robot_state_publisher_nothing_of_what_it_sends_is_sent(bench):
    run = Run(bench, publish_robot_description=False)
    run.drive(2, 1.0, 0.1)
    assert set(run.frames()) == {('map', 'odom'), ('odom', 'base_link'), ('base_link', 'cog')}
    assert not run.node.get_publishers_info_by_topic('/robot_description')
    assert len(run.node.get_publishers_info_by_topic('/tf')) == 1


def test_another_publisher_of_the_description_is_told_with_the_remedy(bench):
    run = Run(bench)
    other = bench.add(Node('robot_state_publisher'))
    publisher = other.create_publisher(String, '/robot_description', qos.LATCHED)
    warning = bench.logged('/robot_description has 2 publishers')
    assert '/robot_state_publisher' in warning
    assert 'set publish_robot_description of the simulator to false' in warning
    # It is no reason not to believe the run.
    assert run.node.conflicts == []
    other.destroy_publisher(publisher)


def test_a_sensor_in_a_frame_of_the_description_is_not_told_twice(bench):
    laser = describe_vehicle(VEHICLE).tree.poses()['laser']
    run = Run(bench, EquippedCarNode, **{
        **SENSOR, 'bumper.frame': 'laser', 'bumper.x': laser.x, 'bumper.z': laser.z})
    assert [pair for pair in run.frames() if pair[1] == 'laser'] == [('chassis', 'laser')]
    assert not bench.has_logged('is shown in the wrong place')


def test_a_sensor_elsewhere_than_its_frame_is_complained_about(bench):
    run = Run(bench, EquippedCarNode, **{**SENSOR, 'bumper.frame': 'laser'})
    complaint = bench.logged('is shown in the wrong place')
    assert "frame 'laser' is at (0.265, 0, 0.1374) m of base_link" in complaint
    assert 'at (0.3, 0, 0) m' in complaint
    assert [pair for pair in run.frames() if pair[1] == 'laser'] == [('chassis', 'laser')]


# Other robots


def car_node(**changes):
    """Return the class of a simulator whose entity is changed."""
    class ChangedCar(VehiclePlant):
        @property
        def entities(self):
            return [replace(entity, **changes) for entity in super().entities]

    class ChangedCarNode(SimulatorNode):
        def __init__(self, **kwargs):
            super().__init__('changed_car', SINGLE_TRACK_SIMULATOR,
                             lambda values, log: ChangedCar(make_simulator(values)), **kwargs)

    return ChangedCarNode


def test_a_named_robot_has_topics_and_frames_of_its_own(bench):
    run = Run(bench, car_node(name='car1'), prefix='/car1')
    run.bench.until(lambda: run.descriptions, 'the description')
    run.drive(2, 1.0, 0.1)
    run.bench.until(lambda: ('car1/chassis', 'car1/left_rear_wheel') in run.frames(), 'a wheel')
    assert ('car1/base_link', 'car1/chassis') in run.frames()
    own = [pair for pair in run.frames() if pair != ('map', 'car1/odom')]
    assert all(name.startswith('car1/') for pair in own for name in pair)


def test_a_robot_without_description_has_none(bench):
    run = Run(bench, car_node(describe=None))
    run.drive(2, 1.0, 0.1)
    assert set(run.frames()) == {('map', 'odom'), ('odom', 'base_link'), ('base_link', 'cog')}
    assert not run.node.get_publishers_info_by_topic('/robot_description')


def test_a_description_that_cannot_be_made_is_said_and_does_without(bench):
    def describe():
        raise ConfigurationError('xacro is not installed')

    run = Run(bench, car_node(describe=describe))
    bench.logged('no robot_description, and no transforms of wheels and sensors: xacro is not')
    run.drive(2, 1.0, 0.1)
    assert set(run.frames()) == {('map', 'odom'), ('odom', 'base_link'), ('base_link', 'cog')}
