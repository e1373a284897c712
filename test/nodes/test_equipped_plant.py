# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car with a sensor of its own rate under SimulatorNode."""

import math

from equipped_car import EquippedCarNode, SENSOR
from nav_msgs.msg import Odometry
from node_bench import command, RACECAR, seconds
import pytest
from sensor_msgs.msg import Range as RangeMessage
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError
from racecar.base.types import AckermannCommand
from racecar.catalogue.simulators.single_track import SINGLE_TRACK_SIMULATOR
from racecar.ros import qos
from racecar.ros.codecs.registry import CODECS
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.ports import ODOMETRY
from racecar.simulation.vehicle_plant import VehiclePlant

pytestmark = pytest.mark.ros

class Run:
    """The car in lockstep, with ears on odometry and, if wanted, on the sensor."""

    def __init__(self, bench, *, hears_sensor=True, **parameters):
        self.bench = bench
        self.odometry = bench.listen('/vesc/odom', Odometry)
        self.ranges = bench.listen('/range', RangeMessage) if hears_sensor else []
        self.node = bench.start(
            EquippedCarNode, use_sim_time=False, lockstep=True, real_time_factor=0.0,
            wait_for_subscribers=1, **{**RACECAR, **SENSOR, **parameters})
        bench.until(lambda: self.odometry, 'the first odometry')
        if hears_sensor:
            bench.until(lambda: self.ranges, 'the first reading')

    def drive(self, ticks):
        for _ in range(ticks):
            self.bench.answer(self.odometry, '/vesc/low_level/ackermann_cmd_mux/output',
                              command(0.0, 1.0, 0.1))
        return self


def test_sensor_and_odometry_have_their_own_rates(bench):
    run = Run(bench).drive(50)
    bench.until(lambda: len(run.ranges) == 21, 'the last reading')
    assert [round(seconds(message) * 1e3) for message in run.odometry] == list(range(0, 501, 10))
    assert [round(seconds(message) * 1e3) for message in run.ranges] == list(range(0, 501, 25))


def test_readings_are_those_of_the_place_where_the_sensor_is_mounted(bench):
    run = Run(bench, **{'bumper.y': 0.1, 'bumper.yaw': 0.2}).drive(50)
    bench.until(lambda: len(run.ranges) == 21, 'the last reading')
    places = {seconds(message): message.pose.pose for message in run.odometry}
    compared = 0
    for message in run.ranges:
        assert message.header.frame_id == 'bumper'
        pose = places.get(seconds(message))
        if pose is None:
            continue
        yaw = 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)
        x = pose.position.x + 0.3 * math.cos(yaw) - 0.1 * math.sin(yaw)
        assert message.range == pytest.approx((5.0 - x) / math.cos(yaw + 0.2), rel=1e-6)
        compared += 1
    assert compared == 11
    assert run.ranges[-1].range < run.ranges[0].range


def test_where_the_sensor_sits_is_a_static_transform(bench):
    transforms = bench.listen('/tf_static', TFMessage, qos.TF_STATIC)
    Run(bench, **{'bumper.frame': 'nose'})
    bench.until(lambda: transforms, 'static transforms')
    place = next(row for message in transforms for row in message.transforms
                 if row.child_frame_id == 'nose')
    assert place.header.frame_id == 'base_link'
    assert place.transform.translation.x == 0.3


def test_motion_and_noise_do_not_depend_on_who_listens(bench):
    heard = Run(bench, **{'bumper.noise': 0.1}).drive(30)
    bench.until(lambda: len(heard.ranges) == 13, 'the last reading')
    alone = VehiclePlant(make_simulator(SINGLE_TRACK_SIMULATOR.resolve(
        {**RACECAR, 'lockstep': True})))
    drive = alone.entities[0].inputs[0]
    for message in heard.odometry:
        pose, _ = alone.entities[0].output(ODOMETRY).read()
        position = message.pose.pose.position
        assert (position.x, position.y) == (pose.x, pose.y)
        drive.apply(AckermannCommand.in_single_precision(1.0, 0.1))
        alone.advance(alone.entities[0].output(ODOMETRY).steps)
    sensor = heard.node.plant.entities[0].output('bumper')
    bench.until(lambda: heard.node.plant.time_ns == 300_000_000)
    assert heard.ranges[-1].range == pytest.approx(sensor.read().distance, rel=1e-6)


def test_a_sensor_without_a_codec_is_refused(bench):
    with pytest.raises(ConfigurationError, match='Range has no codec'):
        bench.start(
            lambda **more: EquippedCarNode(CODECS, **more), use_sim_time=False,
            **{**RACECAR, **SENSOR})
