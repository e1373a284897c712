# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Both linearizer nodes, the tracked point that pairs them with the tracker, and dynamic_ode."""

import math
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import PointStamped
from node_bench import (
    dynamic_linearizer,
    kinematic_linearizer,
    odometry,
    RACECAR,
    seconds,
    velocity,
)
import numpy as np
import pytest
import rclpy

from racecar.bags.tracking_run import read_tracking_run
from racecar.base.errors import ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import NANOSECONDS
from racecar.base.values import number_of
from racecar.clients.run_probe import RunProbe
from racecar.control.tracker import tracked_ahead
from racecar.metrics.run_table import RunTable
from racecar.metrics.tracking_error import compute_metrics
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros import qos
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.composing import ComposedStack

pytestmark = pytest.mark.ros

COMMAND = '/vesc/ackermann_cmd_mux/input/navigation'
COG = number_of(RACECAR, 'vehicle.cog_to_rear_axle')
LAWS = pytest.mark.parametrize(
    ('node_class', 'exact'), [(kinematic_linearizer, 0.0), (dynamic_linearizer, COG)])


class Chain:
    """A linearizer in lockstep, and a tracker that only exists as messages."""

    def __init__(self, bench, node_class, **parameters):
        self.bench = bench
        self.commands = bench.listen(COMMAND, AckermannDriveStamped)
        self.node = bench.start(
            node_class, lockstep=True, use_sim_time=False, **{**RACECAR, **parameters})

    def announce(self, ahead, frame='base_link'):
        message = PointStamped()
        message.header.frame_id = frame
        message.point.x = ahead
        self.bench.deliver(self.node, '/tracked_point', message)

    def ask(self, at, x, y=0.0, **seen):
        """Send odometry and velocity of one time."""
        self.bench.send('/vesc/odom', odometry(at, **seen))
        self.bench.send('/virtual_velocities', velocity(at, x, y))

    def speed(self):
        """Ask for 0.8 m/s once more and return the speed of the answer."""
        number = len(self.commands) + 1
        self.ask(float(number), 0.8)
        return self.answer(number)[0]

    def answer(self, number):
        drive = self.bench.count(self.commands, number).drive
        return drive.speed, drive.steering_angle


@LAWS
def test_tracker_of_the_right_point_is_answered(bench, node_class, exact):
    chain = Chain(bench, node_class)
    chain.announce(exact)
    chain.ask(1.0, 0.8)
    assert chain.answer(1) == (pytest.approx(0.8), 0.0)


@LAWS
def test_tracker_that_announces_nothing_is_trusted(bench, node_class, exact):
    chain = Chain(bench, node_class)
    chain.ask(1.0, 0.8)
    assert chain.answer(1) == (pytest.approx(0.8), 0.0)


@LAWS
def test_tracker_of_another_point_is_refused_until_it_is_the_right_one(
        bench, node_class, exact):
    chain = Chain(bench, node_class)
    wrong = COG - exact
    chain.announce(wrong)
    chain.ask(1.0, 0.8)
    line = bench.logged('virtual velocity dropped')
    assert f'({wrong:g}, 0) m' in line
    assert f'({exact:g}, 0) m' in line
    assert chain.answer(1)[0] == 0.0
    chain.announce(exact)
    chain.ask(2.0, 0.8)
    assert chain.answer(2)[0] == pytest.approx(0.8)


@LAWS
@pytest.mark.parametrize(('wrong', 'said'), [
    (velocity(1.0, math.nan), '(nan, 0.0) m/s, expected finite numbers'),
    (velocity(1.0, 0.8, frame='laser'), "frame_id is 'laser', expected 'map'")])
def test_in_lockstep_a_velocity_that_is_not_used_is_answered_by_a_stop(
        bench, node_class, exact, wrong, said):
    chain = Chain(bench, node_class)
    bench.send('/vesc/odom', odometry(1.0, vx=0.5))
    bench.send('/virtual_velocities', wrong)
    assert chain.answer(1)[0] == 0.0
    assert seconds(chain.commands[0]) == 1.0
    bench.logged(f'virtual velocity dropped: {said}')
    chain.ask(2.0, 0.8)
    assert chain.answer(2)[0] == pytest.approx(0.8)


def test_a_point_of_a_node_that_has_left_is_forgotten(bench):
    chain = Chain(bench, kinematic_linearizer)
    tracker, stranger = (bench.add(rclpy.create_node(name)) for name in ('tracker', 'stranger'))
    right = PointStamped()
    right.header.frame_id = 'base_link'
    tracker.create_publisher(PointStamped, '/tracked_point', qos.LATCHED).publish(right)
    stranger.create_publisher(PointStamped, '/tracked_point', qos.LATCHED).publish(PointStamped())
    bench.until(lambda: chain.node.count_publishers('/tracked_point') == 2)
    # Whichever came last, the stranger's is the newest.
    publish_again(stranger)
    bench.until(lambda: chain.speed() == 0.0, 'the point of the stranger')
    bench.remove(stranger)
    bench.until(lambda: chain.node.count_publishers('/tracked_point') == 1)
    chain.speed()
    bench.logged('a node that announced its tracked point has left')
    assert chain.speed() == pytest.approx(0.8)
    # That of the tracker is heard again.
    publish_again(tracker)
    bench.until(lambda: chain.speed() == 0.0, 'the point of the tracker')


def publish_again(node):
    """Let a node announce a point in no frame."""
    publisher, = (row for row in node.publishers if row.topic_name == '/tracked_point')
    publisher.publish(PointStamped())


def test_steering_of_unstamped_velocities_is_limited_like_that_of_stamped_ones(bench):
    commands = bench.listen(COMMAND, AckermannDriveStamped)
    node = bench.start(dynamic_linearizer, steering_rate=1.0, **RACECAR)
    bench.set_clock(1.0)
    bench.send('/vesc/odom', odometry(1.0, vx=3.0))
    bench.until(lambda: 'odometry' not in node.waits_for())
    for count, (at, side) in enumerate(((1.0, 0.0), (1.05, 3.0), (1.1, -3.0)), start=1):
        bench.set_clock(at)
        bench.send('/virtual_velocities', velocity(0.0, 3.0, side))
        bench.count(commands, count)
    first, second, third = (message.drive.steering_angle for message in commands)
    assert second - first == pytest.approx(0.05, abs=1e-6)
    assert third - second == pytest.approx(-0.05, abs=1e-6)
    assert [seconds(message) for message in commands] == pytest.approx([1.0, 1.05, 1.1])


def test_point_in_another_frame_is_refused(bench):
    chain = Chain(bench, kinematic_linearizer)
    chain.announce(0.0, frame='laser')
    chain.ask(1.0, 0.8)
    assert "'laser'" in bench.logged('virtual velocity dropped')


@pytest.mark.parametrize(
    ('parameters', 'ahead'),
    [({}, 0.0), ({'vehicle.cog_to_rear_axle': 0.2, 'tracked_point': 'cog'}, 0.2),
     ({'vehicle.odometry_point': 'cog', 'tracked_point': 'cog'}, 0.0)])
def test_tracker_announces_its_point_also_to_latecomers(bench, parameters, ahead):
    bench.start(TrajectoryTrackerNode, use_sim_time=False, **{**RACECAR, **parameters})
    found = bench.listen('/tracked_point', PointStamped, qos.LATCHED)
    message = bench.count(found, 1)
    assert message.header.frame_id == 'base_link'
    assert (message.point.x, message.point.y) == (ahead, 0.0)


@pytest.mark.parametrize('node_class', [kinematic_linearizer, dynamic_linearizer])
def test_epsilon_changed_at_run_time_acts(bench, node_class):
    chain = Chain(bench, node_class)
    chain.ask(1.0, 0.4, 0.1)
    before = chain.answer(1)[1]
    assert bench.set_parameter(chain.node, 'epsilon', 0.5).successful
    chain.ask(2.0, 0.4, 0.1)
    assert 0.0 < chain.answer(2)[1] < 0.9 * before


@LAWS
def test_car_is_stopped_while_epsilon_differs_from_the_trackers_distance(bench, node_class, exact):
    chain = Chain(bench, node_class)
    assert bench.handled(chain.node, '/point_ahead') == 0
    tracker = bench.start(
        TrajectoryTrackerNode, use_sim_time=False, **RACECAR,
        tracked_point='cog' if exact else 'base_link')
    bench.until(lambda: bench.handled(chain.node, '/point_ahead'))
    assert chain.speed() == pytest.approx(0.8)
    # One after the other, the tracker's first, then the linearizer's first.
    assert bench.set_parameter(tracker, 'PL_distance', 0.2).successful
    bench.until(lambda: chain.speed() == 0.0)
    line = bench.logged('the car is stopped')
    assert 'PL_distance of the tracker is 0.2 m' in line
    assert 'epsilon of this law is 0.1 m' in line
    assert bench.set_parameter(chain.node, 'epsilon', 0.2).successful
    assert chain.speed() == pytest.approx(0.8)
    assert bench.set_parameter(chain.node, 'epsilon', 0.1).successful
    assert chain.speed() == 0.0
    assert bench.set_parameter(tracker, 'PL_distance', 0.1).successful
    bench.until(lambda: chain.speed() == pytest.approx(0.8))


def test_hand_over_speeds_that_contradict_each_other_are_refused(bench):
    with pytest.raises(ParameterError, match='expected less than dynamic_speed'):
        bench.start(dynamic_linearizer, kinematic_speed=3.0, **RACECAR)
    chain = Chain(bench, dynamic_linearizer)
    result = bench.set_parameter(chain.node, 'kinematic_speed', 1.5)
    assert not result.successful
    assert 'expected less than dynamic_speed' in result.reason


def test_dynamic_node_uses_the_measured_sideslip(bench):
    chain = Chain(bench, dynamic_linearizer)
    moving = odometry(1.0, vx=3.0)
    moving.twist.twist.linear.y, moving.twist.twist.angular.z = -0.2, 0.5
    bench.send('/vesc/odom', moving)
    bench.send('/virtual_velocities', velocity(1.0, 3.0))
    speed, steering = chain.answer(1)
    beta = math.atan2(-0.2 + COG * 0.5, 3.0)
    along = 3.0 * math.cos(beta)
    front, rear = (
        number_of(RACECAR, f'vehicle.{end}.cornering_stiffness') for end in ('front', 'rear'))
    a = number_of(RACECAR, 'vehicle.cog_to_front_axle')
    assert speed == pytest.approx(along * math.cos(beta), rel=1e-6)
    assert steering == pytest.approx(
        number_of(RACECAR, 'vehicle.mass') * along / front * (-3.0 * math.sin(beta) / 0.1)
        + (front + rear) / front * beta - (COG * rear - a * front) / front * 0.5 / along,
        rel=1e-5)


# The whole configuration, over DDS in lockstep


def drive(stack, speed, duration, **options):
    descriptions = describe_stack(stack, StackOptions(
        trajectory='circle', lockstep=True, real_time_factor=0.0, end_time=duration, observers=1,
        overrides={'trajectory_tracker': {'W': speed / 5.0}}, **options))
    tracker = next(d for d in descriptions if d.executable == 'trajectory_tracker').resolve()
    rows: list[Any] = []
    with ComposedStack(descriptions) as composed:
        probe = RunProbe(rows.append, period_ns=composed.simulator.awaited_period_ns)
        composed.add_node(probe)
        composed.spin(has_heard=probe.has_heard)
    probe.finish(round(duration * NANOSECONDS))
    return RunTable(np.vstack(rows), tracked_ahead(tracker))


def test_dynamic_law_is_worth_its_while_over_topics():
    for speed, ratio in ((3.0, 0.5), (5.0, 0.25)):
        kinematic, dynamic = (
            drive(stack, speed, 8.0).metrics(2.0) for stack in ('kinematic_ode', 'dynamic_ode'))
        assert kinematic.samples == dynamic.samples == 601
        assert dynamic.rmse <= ratio * kinematic.rmse


def test_simulation_without_ros_gives_the_same_bits():
    from racecar.simulation.closed_loop import run_closed_loop
    from racecar.stacks.loops import make_loop

    over_topics = drive('dynamic_ode', 3.0, 3.0, tyre_model='fiala')
    values = {d.executable: d.resolve() for d in describe_stack('dynamic_ode', StackOptions(
        trajectory='circle', tyre_model='fiala',
        overrides={'trajectory_tracker': {'W': 0.6}}))}
    alone = run_closed_loop(*make_loop(find_stack('dynamic_ode'), values), 3.0)
    assert over_topics.tracked_ahead == alone.tracked_ahead == COG
    assert over_topics.rows.tolist() == alone.rows.tolist()


def test_error_from_a_bag_is_that_of_the_tracked_point(tmp_path):
    bag = tmp_path / 'bag'
    table = drive('dynamic_ode', 3.0, 3.0, record=str(bag))
    found = compute_metrics(read_tracking_run(bag).run.merged(1.0))
    assert found.rmse == pytest.approx(table.metrics(1.0).rmse, rel=1e-9)
    assert found.rmse < 0.05 < COG


def test_tracker_file_of_dynamic_ode_is_all_it_needs_beside_the_vehicle():
    found = load_parameter_file(find_config('stacks/dynamic_ode'), 'trajectory_tracker')
    assert found == {'tracked_point': 'cog'}
