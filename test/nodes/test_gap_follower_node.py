# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gap follower: scans in, commands out; and whole drives by the laser."""

import math

from ackermann_msgs.msg import AckermannDriveStamped
from bag_samples import messages_in
from node_bench import command, RACECAR, stamp
import pytest
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import LaserScan

from racecar.bags.laser_log import read_laser_log
from racecar.cli.main import main
from racecar.nodes.gap_follower import GapFollowerNode

pytestmark = pytest.mark.ros

OUTPUT = '/vesc/ackermann_cmd_mux/input/navigation'


def scan(at, ranges, **more):
    message = LaserScan(
        angle_min=-1.5, angle_max=1.5, angle_increment=3.0 / (len(ranges) - 1), range_min=0.1,
        range_max=10.0, ranges=ranges, **more)
    message.header.frame_id = 'laser'
    message.header.stamp = stamp(at)
    return message


def test_each_scan_is_answered_by_a_command_with_its_stamp(bench):
    commands = bench.listen(OUTPUT, AckermannDriveStamped)
    bench.start(GapFollowerNode, **RACECAR, speed=1.5)
    bench.set_clock(2.0)
    bench.send('/scan', scan(2.0, [math.inf] * 61))
    sent = bench.count(commands, 1)
    assert sent == command(2.0, 1.5, sent.drive.steering_angle)
    assert abs(sent.drive.steering_angle) < 1e-6
    bench.send('/scan', scan(2.0, [math.nan] * 61))
    assert bench.count(commands, 2).drive.speed == 0.0


@pytest.mark.parametrize('at', [1.0, 3.0], ids=['old', 'of the future'])
def test_a_scan_of_another_time_is_dropped(bench, at):
    commands = bench.listen(OUTPUT, AckermannDriveStamped)
    bench.start(GapFollowerNode, **RACECAR)
    bench.set_clock(2.0)
    bench.send('/scan', scan(at, [5.0] * 61))
    assert 'scan dropped' in bench.logged('its stamp is 1.000 s')
    bench.send('/scan', scan(2.0, [5.0] * 61))
    assert bench.count(commands, 1).header.stamp == stamp(2.0)


def test_the_law_can_be_tuned_while_it_drives(bench):
    commands = bench.listen(OUTPUT, AckermannDriveStamped)
    node = bench.start(GapFollowerNode, **RACECAR)
    bench.set_parameter(node, 'speed', 0.75)
    bench.set_clock(2.0)
    bench.send('/scan', scan(2.0, [math.inf] * 61))
    assert bench.count(commands, 1).drive.speed == 0.75


def test_without_scans_it_says_what_it_waits_for(bench):
    node = bench.start(GapFollowerNode, **RACECAR)
    assert node.waits_for() == (
        'waiting for scans on /scan; does the simulator have a laser (its parameter sensors)?')


def test_a_laser_that_publishes_best_effort_is_heard(bench):
    """As drivers of lasers do (SensorDataQoS)."""
    commands = bench.listen(OUTPUT, AckermannDriveStamped)
    bench.start(GapFollowerNode, use_sim_time=False, **RACECAR)
    laser = bench.probe.create_publisher(LaserScan, '/scan', qos_profile_sensor_data)

    def answers():
        message = scan(0.0, [5.0] * 61)
        message.header.stamp = bench.probe.get_clock().now().to_msg()
        laser.publish(message)
        return commands

    bench.until(answers, 'a command')


def test_in_lockstep_a_laser_that_cannot_be_heard_is_named(bench):
    bench.start(GapFollowerNode, lockstep=True, **RACECAR)
    bench.probe.create_publisher(LaserScan, '/scan', qos_profile_sensor_data)
    assert bench.logged('waiting for scans').endswith(
        '; /scan of /probe (best effort publisher and reliable subscription) cannot be heard')


@pytest.mark.parametrize(
    ('stack', 'world'), [('gap_ode', 'racetrack'), ('gap_world', 'tunnel')])
def test_a_drive_by_the_laser_is_the_same_to_the_byte_each_time(tmp_path, stack, world):
    def drive(name, *more):
        bag = tmp_path / name
        assert main(['up', stack, '--world', world, '--lockstep', '--real-time-factor', '0',
                     '--duration', '8', '--record', str(bag), *more]) == 0
        return bag

    def recorded(bag):
        # Until it is answered the first one comes again and again.
        return {(row.topic, repr(row.message.header.stamp)): repr(row.message)
                for row in messages_in(bag, ['/scan', '/vesc/odom'])}

    first = drive('first')
    assert recorded(drive('second')) == recorded(first)
    assert recorded(drive('third', '--set', f'{simulator_of(stack)}.laser.seed=1')) \
        != recorded(first)
    log = read_laser_log(first)
    assert log.distance == pytest.approx(16.0, rel=0.1)
    assert log.collisions == 0
    assert log.scene.grid is not None
    assert len(log.scans) > 10


def simulator_of(stack):
    return 'world_simulator' if stack.endswith('world') else 'single_track_simulator'


@pytest.mark.parametrize(('more', 'said'), [
    (['--sensors', 'imu'], "are ['imu'], expected laser among them"),
    (['--lockstep', '--set', 'single_track_simulator.laser.sweep_time=0.01'],
     'laser.sweep_time of single_track_simulator is 0.01 s'),
    (['--trajectory', 'circle'], "trajectory is 'circle', but the configuration gap_ode"),
], ids=['no laser', 'sweep', 'trajectory'])
def test_what_does_not_fit_is_refused_before_anything_starts(capfd, more, said):
    assert main(['up', 'gap_ode', '--duration', '1', *more]) == 1
    lines = capfd.readouterr().err.splitlines()
    assert said in lines[-1]


def test_the_demo_of_the_world_draws_both_drives(tmp_path, capfd):
    output = tmp_path / 'run'
    assert main(['demo', 'world', '--duration', '10', '--output', str(output)]) == 0
    said = capfd.readouterr().out
    assert 'Tunnel, by the laser alone:' in said
    for name in ('figure_eight/path.png', 'figure_eight/report.html', 'tunnel/drive.png',
                 'tunnel/scan.png'):
        assert (output / name).stat().st_size > 5000
        assert str(output / name) in said
