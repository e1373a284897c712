# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lamps from the driver to camera and RViz, over DDS."""

from gl import gl  # noqa: F401
from nav_msgs.msg import Odometry
from node_bench import command, RACECAR, seconds
import numpy as np
import pytest
from sensor_msgs.msg import Image
from std_srvs.srv import SetBool
from visualization_msgs.msg import Marker, MarkerArray

from racecar.base.errors import ConfigurationError
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.ros.interfaces import LampSwitches
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import make_node

pytestmark = pytest.mark.ros

COMMANDS = '/vesc/low_level/ackermann_cmd_mux/output'


def start(bench, **parameters):
    return bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, **{**RACECAR, **parameters})


def bright(markers):
    """Return what is lit."""
    return {m.ns for m in markers.markers if max(m.color.r, m.color.g, m.color.b) > 0.5}


def test_markers_are_the_lamps_of_the_description_and_follow_the_switches(bench):
    start(bench)
    markers = bench.listen('/lamp_markers', MarkerArray, qos.LATCHED)
    bench.until(lambda: markers, 'markers')
    assert bright(markers[-1]) == set()
    tree = describe_vehicle(VehicleParameters.from_values(RACECAR)).tree
    assert len({m.id for m in markers[-1].markers}) == len(markers[-1].markers) == 14
    for marker, lamp in zip(markers[-1].markers, tree.lamps, strict=True):
        shape = tree.lamp_shape(lamp)
        place, turn = marker.pose.position, marker.pose.orientation
        assert (place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w) == pytest.approx(
            shape.origin)
        assert (marker.ns, marker.header.frame_id) == (lamp.function, 'chassis')
        assert marker.frame_locked
    # Round headlamps; the brake lamps are blocks.
    kinds = {m.ns: m.type for m in markers[-1].markers}
    assert (kinds['front'], kinds['brake']) == (Marker.CYLINDER, Marker.CUBE)
    bench.send('/driver/lamps', LampSwitches(brake=True, front=True, indicator_period=0.34))
    bench.until(lambda: bright(markers[-1]) == {'brake', 'front'}, 'lit markers')
    color = next(m.color for m in markers[-1].markers if m.ns == 'brake')
    assert (color.r, color.g, color.b, color.a) == pytest.approx((0.7, 0.12, 0.12, 1.0))


def test_faulty_switches_are_dropped_and_the_car_drives_on(bench):
    node = start(bench)
    bench.send('/driver/lamps', LampSwitches(brake=True, indicator_period=0.0))
    bench.logged('command dropped: indicator_period of the lamps is 0.0 s, expected')
    assert not node.plant.entities[0].lamps().brake
    # No command has come yet.
    assert not node.is_commanded


def test_in_lockstep_a_tick_has_its_lamps_before_the_next_comes(bench):
    odometry = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
    node = start(bench, lockstep=True, real_time_factor=0.0, lockstep_inputs=['lamps'])
    bench.until(lambda: odometry, 'the first odometry')

    def lamps(at, **switched):
        message = LampSwitches(indicator_period=0.34, **switched)
        message.header.stamp = at
        return message

    for tick in range(3):
        stamp = odometry[-1].header.stamp
        answer = command(0.0, 1.0)
        answer.header.stamp = stamp
        bench.send(COMMANDS, answer)
        # Those of another time are switched, but are no answer.
        bench.send('/driver/lamps', lamps(command(99.0, 0.0).header.stamp, front=tick % 2 == 0))
        bench.until(lambda tick=tick: node.plant.entities[0].lamps().front == (tick % 2 == 0))
        assert bench.call('/single_track_simulator/pause', SetBool, data=False).success
        bench.count(odometry, tick + 1)
        bench.send('/driver/lamps', lamps(stamp, brake=True))
        bench.until(lambda tick=tick: len(odometry) > tick + 1, 'the next odometry')
        assert node.plant.entities[0].lamps().brake


def test_an_input_that_lockstep_cannot_await_is_refused(bench):
    with pytest.raises(ConfigurationError, match="'lampz' of lockstep_inputs is unknown, expected"
                                                 ' one of lamps'):
        start(bench, lockstep_inputs=['lampz'])


def test_in_lockstep_each_picture_shows_the_lamps_of_its_time(bench, gl):  # noqa: F811
    """From the service of the driver to the camera, which stands behind the car."""
    lamps = bench.listen('/driver/lamps', LampSwitches, qos.LATCHED)
    images = bench.listen('/camera/zed/rgb/image_rect_color', Image, qos.IMAGE)
    camera = {'x': -1.0, 'z': 0.1, 'frame': 'behind', 'width': 96, 'height': 60, 'noise': 0.0,
              'field_of_view': 0.35, 'rate': 20.0}
    nodes = [bench.add(make_node(d)) for d in describe_stack('driver', StackOptions(
        vehicle='racecar', lockstep=True, real_time_factor=0.0, sensors=('camera',),
        overrides={'single_track_simulator': {
            f'camera.{name}': value for name, value in camera.items()}}))]
    bench.connect()
    plant = next(n for n in nodes if isinstance(n, SingleTrackSimulatorNode)).plant
    bench.until(lambda: len(images) > 2, 'pictures')
    assert bench.call('/driver/set_hazard_flashers', SetBool, data=True).success
    bench.until(lambda: lamps[-1].left_indicator, 'switched lamps')
    end = plant.time_ns + 900_000_000
    bench.until(lambda: seconds(images[-1]) * 1e9 >= end, 'more pictures')
    switched = seconds(next(m for m in lamps if m.left_indicator))

    def is_amber(image):
        blue, green, red = np.moveaxis(
            np.array(image.data, dtype=int).reshape(image.height, image.width, 3), 2, 0)
        # The top of the laser is orange, which has less green.
        return np.count_nonzero((red > 240) & (green > 150) & (blue < 80)) > 3

    seen = [(seconds(image), is_amber(image)) for image in images]
    assert [lit for _, lit in seen] == [
        at > switched and round(at * 1e9) // 340_000_000 % 2 == 0 for at, _ in seen]
    assert {lit for at, lit in seen if at > switched} == {True, False}
