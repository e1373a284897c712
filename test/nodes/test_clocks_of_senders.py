# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages that were stamped by the computer's clock before the first /clock grow old too."""

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from node_bench import (
    command,
    dynamic_linearizer,
    odometry,
    RACECAR,
    RACECAR_DRIVER,
    seconds,
    stamp,
    velocity,
)
import pytest
from std_msgs.msg import Float64, String
from std_srvs.srv import SetBool

from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.driver_bridge import DriverBridgeNode
from racecar.nodes.servo_commands import ServoCommandsNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros import qos
from racecar.ros.interfaces import DriverCommand, GetDriverState

pytestmark = pytest.mark.ros

COMPUTER = 1_795_000_000.0
"""What a computer's clock shows [s]."""


def test_a_command_to_a_paused_simulator_drives_the_car_no_further_than_the_timeout(bench):
    heard = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, paused=True,
                       real_time_factor=5.0, **RACECAR)
    bench.until(lambda: heard)
    bench.send('/vesc/low_level/ackermann_cmd_mux/output', command(COMPUTER, 1.0))
    bench.until(lambda: node.is_commanded)
    bench.call('/single_track_simulator/pause', SetBool, data=False)
    bench.logged('no command for')
    bench.until(lambda: heard[-1].twist.twist.linear.x == 0.0)
    assert 0.3 < heard[-1].pose.pose.position.x < 1.0


def test_a_source_that_spoke_before_the_time_began_loses_the_mux(bench):
    outputs = bench.listen('/ackermann_cmd_mux/output', AckermannDriveStamped)
    active = bench.listen('/ackermann_cmd_mux/active', String, qos.LATCHED)
    bench.start(AckermannMuxNode, config_file='mux/low_level')
    bench.send('/ackermann_cmd_mux/input/safety', command(COMPUTER, 0.5))
    bench.count(outputs, 1)
    bench.until(lambda: active and active[-1].data == 'Safety')
    # It counts from the first time that the node knows.
    bench.set_clock(100.0)
    bench.set_clock(100.19)
    bench.send('/ackermann_cmd_mux/input/navigation', command(100.19, 1.0))
    bench.set_clock(100.21)
    bench.until(lambda: active[-1].data == 'Navigation')
    bench.set_clock(100.4)
    assert bench.count(outputs, 2).drive.speed == 0.0
    assert seconds(outputs[-1]) == pytest.approx(100.39)


def test_pedals_that_were_pressed_before_the_time_began_are_released(bench):
    bench.start(DriverBridgeNode, **RACECAR_DRIVER)
    message = DriverCommand(throttle=0.3, gear=1)
    message.header.stamp = stamp(COMPUTER)
    bench.send('/driver/command', message)
    bench.until(lambda: bench.call('/driver/get_state', GetDriverState).state.throttle)
    bench.set_clock(100.0)
    bench.set_clock(100.4)
    assert not bench.has_logged('no driver command')
    bench.set_clock(100.6)
    bench.logged('no driver command for 0.5 s')
    assert bench.call('/driver/get_state', GetDriverState).state.throttle == 0.0


def test_wheels_that_were_told_before_the_time_began_stop(bench):
    speeds = bench.listen('/racecar/left_rear_wheel_velocity_controller/command', Float64)
    bench.start(ServoCommandsNode, **RACECAR)
    bench.send('/vesc/low_level/ackermann_cmd_mux/output', command(COMPUTER, 1.0))
    assert bench.count(speeds, 1).data > 0.0
    bench.set_clock(100.0)
    bench.set_clock(100.6)
    assert bench.count(speeds, 2).data == 0.0


def test_a_velocity_from_before_the_time_began_ends_in_a_stop(bench):
    commands = bench.listen('/vesc/ackermann_cmd_mux/input/navigation', AckermannDriveStamped)
    node = bench.start(dynamic_linearizer, **RACECAR)
    bench.send('/vesc/odom', odometry(100.0))
    bench.until(lambda: 'odometry' not in node.waits_for())
    bench.send('/virtual_velocities', velocity(COMPUTER, 1.0))
    bench.count(commands, 1)
    bench.set_clock(100.0)
    bench.set_clock(100.3)
    assert bench.count(commands, 2).drive.speed == 0.0


def test_odometry_from_before_the_time_began_is_not_used(bench):
    velocities = bench.listen('/virtual_velocities', TwistStamped)
    node = bench.start(
        TrajectoryTrackerNode, active=True, trajectory='line', a_coeff=1.0, **RACECAR)
    bench.send('/vesc/odom', odometry(COMPUTER))
    bench.until(lambda: not node.waits_for())
    bench.set_clock(100.0)
    bench.logged('odometry not used: its stamp is')
    bench.until(lambda: velocities)
    assert {message.twist.linear.x for message in velocities} == {0.0}


def test_a_linearizer_does_not_use_odometry_from_before_the_time_began(bench):
    commands = bench.listen('/vesc/ackermann_cmd_mux/input/navigation', AckermannDriveStamped)
    node = bench.start(dynamic_linearizer, **RACECAR)
    bench.send('/vesc/odom', odometry(COMPUTER))
    bench.until(lambda: 'odometry' not in node.waits_for())
    bench.set_clock(100.0)
    bench.send('/virtual_velocities', velocity(100.0, 1.0))
    bench.logged('odometry not used: its stamp is')
    assert not commands
