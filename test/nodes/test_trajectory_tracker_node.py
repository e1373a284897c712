# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node trajectory_tracker over real topics, parameters and services."""

import math

from geometry_msgs.msg import PoseStamped, TwistStamped
from nav_msgs.msg import Odometry, Path
from node_bench import odometry, RACECAR, seconds
import pytest
from rclpy.qos import qos_profile_sensor_data
from std_srvs.srv import SetBool

from racecar.base.errors import ParameterError
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories.figure_eight import FigureEight
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros import qos

pytestmark = pytest.mark.ros

# By the report's feed-forward, whose velocities are those of the reference.
LINE = {**RACECAR, 'trajectory': 'line', 'a_coeff': 1.0, 'b_coeff': 0.5,
        'exact_feed_forward': False}
STANDING = {**RACECAR, 'trajectory': 'line', 'a_coeff': 0.0, 'b_coeff': 0.0,
            'reference_origin': 'map', 'catch_up_speed': 100.0}


class Tracker:
    """A tracker, what it says, and a car that only exists as odometry."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.velocities = bench.listen('/virtual_velocities', TwistStamped)
        self.node = bench.start(TrajectoryTrackerNode, **parameters)

    def see(self, at, x=0.0, y=0.0, **more):
        """Show it the car and return the velocity that answers; all stand at one time."""
        self.bench.send('/vesc/odom', odometry(at, x, y, **more))
        if not self.node.values['lockstep']:
            self.bench.set_clock(at)
        self.bench.until(lambda: self.velocities and abs(
            seconds(self.velocities[-1]) - at) < 1e-9, f'a velocity stamped {at}')
        return self.last

    @property
    def last(self):
        linear = self.velocities[-1].twist.linear
        return linear.x, linear.y

    def set(self, name, value):
        return self.bench.set_parameter(self.node, name, value)


@pytest.fixture
def tracker(bench):
    """Return a tracker of a given line that is active from the start."""
    return lambda **parameters: Tracker(bench, **{'active': True, **LINE, **parameters})


@pytest.fixture
def lockstep(bench):
    """Return the same in lockstep: each odometry message is answered once, without a clock."""
    return lambda **parameters: Tracker(
        bench, **{'active': True, 'lockstep': True, **LINE, **parameters})


@pytest.mark.parametrize(
    ('parameters', 'message'),
    [({'Kp': -1.0}, r"'Kp' is -1\.0, expected a number in \[0, 1000\] \[1/s\]"),
     ({'Kp': 'high'}, r"'Kp' is 'high', expected a number in \[0, 1000\]"),
     ({'Kpp': 1.0}, r"'Kpp' is unknown here; did you mean Kp"),
     ({'trajectory': 'spiral'}, r"'trajectory' is 'spiral', expected one of line, parabola"),
     ({'rate': 0.0}, r"'rate' is 0\.0, expected a number in \(0, 10000\] \[Hz\]"),
     ({'trajectory': 'cycloid', 'cycloid_distance': 2.0},
      r"'cycloid_distance' is 2 m, expected less than cycloid_radius \(1 m\)")])
def test_bad_parameter_is_refused_at_start_with_key_value_and_range(bench, parameters, message):
    with pytest.raises(ParameterError, match=message):
        bench.start(TrajectoryTrackerNode, **{**RACECAR, **parameters})


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [('Kp', -1.0, "parameter 'Kp' is -1.0, expected a number in [0, 1000]"),
     ('Kp', 'high', "parameter 'Kp' is 'high', expected a number in [0, 1000]"),
     ('Kp', math.nan, "parameter 'Kp' is nan, expected a number"),
     ('active', 2, "parameter 'active' is 2, expected a boolean"),
     ('trajectory', 'spiral', "parameter 'trajectory' is 'spiral', expected one of line")])
def test_bad_parameter_is_refused_at_run_time_and_keeps_its_value(tracker, name, value, reason):
    found = tracker()
    before = found.node.get_parameter(name).value
    result = found.set(name, value)
    assert not result.successful
    assert reason in result.reason
    assert found.node.get_parameter(name).value == before
    assert found.node.values[name] == before


def test_trajectory_that_contradicts_itself_is_refused_at_run_time(tracker):
    found = tracker(trajectory='cycloid')
    result = found.set('cycloid_distance', 2.0)
    assert not result.successful
    assert "'cycloid_distance' is 2 m, expected less than cycloid_radius" in result.reason
    assert found.node.values['cycloid_distance'] == 0.5


def test_a_trajectory_is_compiled_when_it_is_chosen_and_not_when_it_is_activated(
        tracker, monkeypatch):
    found = tracker()
    compiled = []
    monkeypatch.setattr(
        TrajectoryTracker, 'warm_up', lambda self: compiled.append(type(self.trajectory)))
    assert found.set('trajectory', 'figure_eight').successful
    assert compiled == [FigureEight]
    assert found.bench.call('/trajectory_tracker/activate', SetBool, data=True).success
    found.see(1.0)
    # With the values of then: activation is a parameter, too.
    assert set(compiled) == {FigureEight}


@pytest.mark.parametrize('name', ['lockstep', 'rate'])
def test_read_only_parameter_is_refused_at_run_time(tracker, name):
    found = tracker()
    before = found.node.values[name]
    assert not found.set(name, True if name == 'lockstep' else 50.0).successful
    assert found.node.values[name] == before


def test_integer_is_taken_for_a_number_at_start(lockstep):
    assert lockstep(**{**STANDING, 'Kp': 3}).see(1.0, x=-1.0) == (3.0, 0.0)


def test_integer_is_taken_for_a_number_at_run_time(lockstep):
    found = lockstep(**STANDING)
    assert found.set('Kp', 3).successful
    assert found.node.get_parameter('Kp').value == 3.0
    assert isinstance(found.node.get_parameter('Kp').value, float)
    assert found.see(1.0, x=-1.0) == (3.0, 0.0)


def test_feed_forward_is_taken_as_0_or_1_at_start_and_at_run_time(lockstep):
    tracker = lockstep(FFWD=0, Kp=0.0)
    assert tracker.see(0.0) == (0.0, 0.0)
    assert tracker.set('FFWD', 1).successful
    assert tracker.see(0.01) == (1.0, 0.5)
    assert not tracker.set('FFWD', 2).successful
    assert tracker.node.values['FFWD'] is True


def test_name_of_the_report_is_refused_at_run_time_with_ours(tracker):
    result = tracker().set('trajectory_type', 3)
    assert not result.successful
    assert "the report's trajectory_type is trajectory here" in result.reason


def test_number_of_a_trajectory_is_taken_at_run_time(tracker):
    found = tracker()
    assert found.set('trajectory', 2).successful
    assert found.node.values['trajectory'] == '2'


def test_gain_changed_at_run_time_acts_at_once(lockstep):
    found = lockstep(**STANDING, Kp=1.0)
    assert found.see(1.0, x=-1.0) == (1.0, 0.0)
    assert found.set('Kp', 2.5).successful
    assert found.see(1.01, x=-1.0) == (2.5, 0.0)


def test_trajectory_changed_at_run_time_waits_for_the_next_activation(lockstep):
    found = lockstep(Kp=0.0)
    found.see(1.0)
    found.set('a_coeff', 7.0)
    assert found.see(2.0) == (1.0, 0.5)
    found.set('active', False)
    found.set('active', True)
    assert found.see(3.0) == (7.0, 0.5)


def test_refused_parameter_changes_none_of_those_set_with_it(bench, tracker):
    from rcl_interfaces.srv import SetParametersAtomically
    from rclpy.parameter import Parameter

    found = tracker(Kp=1.0)
    result = bench.call(
        '/trajectory_tracker/set_parameters_atomically', SetParametersAtomically, parameters=[
            Parameter(name, value=value).to_parameter_msg()
            for name, value in (('Kp', 2.0), ('Ki', -1.0))]).result
    assert not result.successful
    assert "'Ki' is -1.0" in result.reason
    assert found.node.values['Kp'] == 1.0


def test_inactive_tracker_is_silent_until_the_parameter_activates_it(tracker):
    found = tracker(active=False)
    found.bench.send('/vesc/odom', odometry(1.0))
    found.bench.set_clock(1.0)
    assert found.set('active', True).successful
    found.bench.set_clock(1.01)
    found.bench.count(found.velocities, 1)
    assert found.last == pytest.approx((1.0, 0.5))


def test_service_activates_the_tracker(tracker):
    found = tracker(active=False)
    response = found.bench.call('/trajectory_tracker/activate', SetBool, data=True)
    assert (response.success, response.message) == (True, 'active')
    assert found.node.get_parameter('active').value is True
    assert found.see(1.0) == pytest.approx((1.0, 0.5))


@pytest.mark.parametrize('way', ['parameter', 'service'])
def test_deactivation_publishes_one_zero_velocity(tracker, way):
    found = tracker()
    found.see(1.0)
    sent = len(found.velocities)
    if way == 'parameter':
        assert found.set('active', False).successful
    else:
        response = found.bench.call('/trajectory_tracker/activate', SetBool, data=False)
        assert (response.success, response.message) == (True, 'inactive')
    found.bench.count(found.velocities, sent + 1)
    assert found.last == (0.0, 0.0)
    found.bench.send('/vesc/odom', odometry(1.1))
    found.bench.set_clock(1.1)
    found.bench.set_clock(1.2)
    found.set('active', True)
    found.bench.set_clock(1.21)
    found.bench.count(found.velocities, sent + 2)


def test_activation_starts_the_trajectory_anew_at_the_car(bench, lockstep):
    references = bench.listen('/reference_trajectory', Odometry)
    found = lockstep()
    found.see(1.0)
    found.see(3.0)
    found.set('active', False)
    found.set('active', True)
    found.see(5.0, x=7.0, y=8.0)
    bench.count(references, 3)
    position = references[-1].pose.pose.position
    assert (position.x, position.y) == (7.0, 8.0)


def test_odometry_that_is_published_best_effort_is_heard(bench, tracker):
    found = tracker()
    publisher = bench.probe.create_publisher(Odometry, '/vesc/odom', qos_profile_sensor_data)
    bench.set_clock(1.0)

    def answered():
        publisher.publish(odometry(1.0))
        return found.velocities

    bench.until(answered, 'a velocity')


def test_velocity_is_in_map_and_stamped_with_the_odometry_that_caused_it(bench, tracker):
    found = tracker()
    bench.send('/vesc/odom', odometry(0.97))
    bench.set_clock(1.0)
    bench.until(lambda: found.velocities)
    assert found.velocities[-1].header.frame_id == 'map'
    assert seconds(found.velocities[-1]) == 0.97


def test_reference_moves_with_the_clock(bench, tracker):
    references = bench.listen('/reference_trajectory', Odometry)
    found = tracker()
    found.see(1.0)
    found.see(1.5)
    bench.until(lambda: seconds(references[-1]) == 1.5)
    position = references[-1].pose.pose.position
    assert (position.x, position.y) == pytest.approx((0.5, 0.25))


def test_reference_has_the_tangent_as_yaw_and_the_speed_along_it(bench, lockstep):
    references = bench.listen('/reference_trajectory', Odometry)
    found = lockstep(trajectory='circle', R=2.0, W=0.5)
    found.see(1.0)
    found.see(3.0)
    reference = bench.count(references, 2)
    assert (reference.header.frame_id, reference.child_frame_id) == ('map', 'reference')
    assert seconds(reference) == 3.0
    pose, twist = reference.pose.pose, reference.twist.twist
    assert (pose.position.x, pose.position.y) == pytest.approx(
        (2.0 * math.sin(1.0), 2.0 - 2.0 * math.cos(1.0)))
    assert 2.0 * math.atan2(pose.orientation.z, pose.orientation.w) == pytest.approx(1.0)
    assert (twist.linear.x, twist.linear.y, twist.angular.z) == pytest.approx((1.0, 0.0, 0.5))


def test_old_odometry_gives_zero_velocity_stamped_now(tracker):
    found = tracker(odometry_timeout=0.5)
    found.see(1.0)
    found.bench.set_clock(1.51)
    found.bench.until(lambda: seconds(found.velocities[-1]) == 1.51)
    assert found.last == (0.0, 0.0)
    assert 'its stamp is 0.510 s old, more than the timeout of 0.5 s' in found.bench.logged(
        'odometry not used')


def test_odometry_of_another_clock_is_dropped_and_the_trajectory_goes_on(tracker, bench):
    found = tracker(odometry_timeout=0.5)
    found.see(1.0)
    bench.send('/vesc/odom', odometry(1.7e9, x=100.0))
    message = bench.logged('odometry not used')
    assert 'its stamp is 1699999999.000 s in the future: does its sender use' in message
    assert found.see(1.1, x=0.1, y=0.05) == pytest.approx((1.0, 0.5))
    bench.set_clock(1.7)
    bench.until(lambda: found.last == (0.0, 0.0), 'the stop without odometry of this clock')


def test_odometry_that_comes_back_is_tracked_again(tracker):
    found = tracker()
    found.see(1.0)
    found.bench.set_clock(2.0)
    found.bench.until(lambda: found.last == (0.0, 0.0))
    assert found.see(2.1, x=1.1, y=0.55) == pytest.approx((1.0, 0.5))


@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize('field', ['x', 'yaw', 'vx'])
def test_odometry_that_is_not_finite_is_dropped(lockstep, field, value):
    found = lockstep()
    message = odometry(1.0, **({} if field == 'yaw' else {field: value}))
    if field == 'yaw':
        message.pose.pose.orientation.z = value
    found.bench.send('/vesc/odom', message)
    found.bench.logged('message on /vesc/odom dropped: Odometry(')
    found.see(1.01)
    found.bench.count(found.velocities, 1)


def test_path_is_latched_for_who_comes_late(bench, lockstep):
    lockstep(trajectory='circle', R=2.0).see(1.0, x=5.0, y=6.0)
    path = bench.count(bench.listen('/reference_path', Path, qos.LATCHED), 1)
    points = [(pose.pose.position.x, pose.pose.position.y) for pose in path.poses]
    assert path.header.frame_id == path.poses[0].header.frame_id == 'map'
    assert seconds(path) == 1.0
    assert points[0] == (5.0, 6.0)
    assert points[-1] == pytest.approx((5.0, 6.0))
    assert all(math.dist(point, (5.0, 8.0)) == pytest.approx(2.0) for point in points)
    # At right angles to the radius, to the left.
    for (x, y), pose in zip(points, path.poses, strict=True):
        orientation = pose.pose.orientation
        yaw = 2.0 * math.atan2(orientation.z, orientation.w)
        assert (math.cos(yaw), math.sin(yaw)) == pytest.approx(
            ((8.0 - y) / 2.0, (x - 5.0) / 2.0), abs=1e-9)
        assert (orientation.x, orientation.y) == (0.0, 0.0)


def test_each_activation_publishes_the_path_once(bench, lockstep):
    paths = bench.listen('/reference_path', Path, qos.LATCHED)
    found = lockstep()
    found.see(1.0)
    found.see(1.01)
    bench.count(paths, 1)
    found.set('active', False)
    found.set('active', True)
    found.see(1.02)
    found.see(1.03)
    bench.count(paths, 2)


def test_lockstep_answers_each_odometry_message_once(lockstep):
    found = lockstep()
    for i in range(50):
        found.see(1.0 + 0.01 * i)
    assert [seconds(message) for message in found.velocities] == [
        pytest.approx(1.0 + 0.01 * i) for i in range(50)]


def test_lockstep_answers_with_zero_while_inactive(lockstep):
    found = lockstep(active=False)
    assert [found.see(1.0 + 0.01 * i) for i in range(10)] == [(0.0, 0.0)] * 10
    assert len(found.velocities) == 10


def test_lockstep_holds_the_first_answer_until_somebody_listens(bench):
    node = bench.start(TrajectoryTrackerNode, active=True, lockstep=True, **LINE)
    bench.deliver(node, '/vesc/odom', odometry(1.0))
    late = bench.listen('/virtual_velocities', TwistStamped, qos.COMMAND)
    assert seconds(bench.count(late, 1)) == 1.0


def test_namespace_and_name_move_topics_and_services(bench):
    velocities = bench.listen('/car1/virtual_velocities', TwistStamped)
    bench.start(TrajectoryTrackerNode, namespace='car1', name='pilot', lockstep=True, **LINE)
    bench.send('/car1/vesc/odom', odometry(1.0))
    bench.count(velocities, 1)
    assert bench.call('/car1/pilot/activate', SetBool, data=True).success


def test_a_simulator_that_starts_anew_starts_the_trajectory_anew(lockstep):
    tracker = lockstep(Kp=0.0, reference_origin='car')
    paths = tracker.bench.listen('/reference_path', Path, qos.LATCHED)
    before = tracker.see(100.0)
    tracker.see(101.0)
    assert tracker.see(0.01, x=3.0) == before
    first, last = (
        tracker.bench.until(lambda number=number: paths[number:] and paths[number]).poses[0]
        for number in (0, 1))
    assert last.pose.position.x - first.pose.position.x == pytest.approx(3.0)


def plan(points, frame='map'):
    """A path of poses without headings, as planners give it."""
    path = Path()
    path.header.frame_id = frame
    for x, y in points:
        pose = PoseStamped()
        pose.pose.position.x, pose.pose.position.y = x, y
        path.poses.append(pose)
    return path


def test_a_path_that_comes_is_followed_until_an_empty_one(bench, lockstep):
    north = math.pi / 2
    shown = bench.listen('/reference_path', Path, qos.LATCHED)
    tracker = lockstep(follow_path=True, waypoints_speed_limit=2.0, exact_feed_forward=True)
    assert tracker.see(0.0, 3.0, 1.0, yaw=north) == (0.0, 0.0)
    bench.deliver(tracker.node, '/path', plan([(3.0, 1.0), (3.0, 4.0), (3.0, 9.0)]))
    tracker.see(0.1, 3.0, 1.0, yaw=north)
    # After 1 s at 1 m/s^2 the car is where it should be; the mean of the next second is 1.5 m/s.
    assert tracker.see(1.1, 3.0, 1.5, yaw=north) == pytest.approx((0.0, 1.5), abs=1e-3)
    path = bench.until(lambda: shown and shown[-1], 'the path that is followed')
    first = path.poses[0].pose
    assert (first.position.x, first.position.y) == pytest.approx((3.0, 1.0))
    assert first.orientation.z == pytest.approx(math.sin(math.pi / 4))
    # What cannot be followed changes nothing.
    for wrong in (plan([(0.0, 0.0), (1.0, 0.0)], 'moon'), plan([(0.0, 0.0), (math.nan, 0.0)])):
        bench.deliver(tracker.node, '/path', wrong)
        bench.logged('path not followed')
    assert tracker.see(1.2, 3.0, 1.6, yaw=north)[1] > 0.5
    bench.deliver(tracker.node, '/path', Path())
    assert tracker.see(1.3, 3.0, 1.7, yaw=north) == (0.0, 0.0)
