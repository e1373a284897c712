# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectory generator and PID tracker (report section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Unpack

from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Odometry as OdometryMessage
from nav_msgs.msg import Path
from rclpy.parameter import Parameter as RosParameter
from std_srvs.srv import SetBool

from racecar.base.compiled import announce_compilation
from racecar.base.errors import excerpt, ParameterError, RacecarError
from racecar.base.frames import MAP, REFERENCE
from racecar.base.types import NANOSECONDS, Odometry, yaw_to_quaternion
from racecar.catalogue import node_names
from racecar.catalogue.tables.tracking import TRAJECTORY_TRACKER
from racecar.control.custom_controller import load_controller, read_settings
from racecar.control.path_following import AT_REST, path_from, tracker_of_path
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories import sample_path
from racecar.control.trajectories.waypoints import WayPointPath
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.nodes.shared.answers import Answers, CommandAnswers, Reference, VelocityAnswers
from racecar.nodes.shared.scan_feed import ScanFeed
from racecar.ros import qos, topics
from racecar.ros.codecs.odometry import reference_template
from racecar.ros.conversions import set_stamp
from racecar.ros.diagnostics import Report, Share
from racecar.ros.freshness import wrong_age
from racecar.ros.listeners import Listeners
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.odometry import follow_odometry
from racecar.ros.raw_subscription import THROTTLE


class TrajectoryTrackerNode(TableNode):
    """Tracks a trajectory with the point P ahead of the car.

    Subscribes: vesc/odom (nav_msgs/Odometry); with a controller that reads scans, such as a policy
    that sees them, scan (sensor_msgs/LaserScan), which in lockstep are awaited with the odometry.
    Publishes: virtual_velocities (geometry_msgs/TwistStamped, velocity of P in map [m/s], stamped
    with the odometry it answers), reference_trajectory (nav_msgs/Odometry, reference pose with
    the tangent as yaw, twist along it, negative in reverse), reference_path (nav_msgs/Path,
    latched, with the heading of the car along it), tracked_point (geometry_msgs/PointStamped,
    latched: the point in the frame base_link that follows the reference; linearizers refuse one
    that they are not exact for, and analyses move the odometry to it), point_ahead
    (geometry_msgs/PointStamped, latched: P of a car that goes straight, PL_distance ahead of that
    point; linearizers compare it with their epsilon).
    With the parameter controller, in the place of virtual_velocities:
    vesc/ackermann_cmd_mux/input/navigation (ackermann_msgs/AckermannDriveStamped, what that
    controller commands, stamped likewise); if it fails, the car is stopped and the node ends.
    With the parameter follow_path it also subscribes path (nav_msgs/Path in map, such as a plan
    of Nav2) and follows the newest one from where the car is, in place of the trajectory; an empty
    one stops the car.
    Services: ~/activate (std_srvs/SetBool), the same as the parameter active.
    Parameters: racecar.catalogue.tables.tracking.TRAJECTORY_TRACKER. Gains act at once, a changed
    trajectory with the next activation.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.TRAJECTORY_TRACKER, TRAJECTORY_TRACKER, **options)
        lockstep = self.values['lockstep']
        # The path that is followed in place of the trajectory.
        self._path: WayPointPath | None = None
        self._tracker = TrajectoryTracker(self.values)
        self._odometry: Odometry | None = None
        self._cut = Share()

        self._answers = self._make_answers()
        self._scans = ScanFeed(self, self._on_scan) if self._answers.reads_scans else None
        # In lockstep: whether the odometry waits for a scan that is due with it.
        self._is_due = False
        self._reference = reference_template(MAP, REFERENCE)
        self._reference_publisher = self.create_publisher(
            OdometryMessage, topics.REFERENCE_TRAJECTORY, qos.STATE)
        self._reference_listeners = Listeners(self._reference_publisher)
        self._path_publisher = self.create_publisher(Path, topics.REFERENCE_PATH, qos.LATCHED)
        tracked_point = PointStamped()
        tracked_point.header.frame_id = self.base_link
        tracked_point.point.x = self._tracker.tracked_ahead
        self._point_publisher = self.create_publisher(
            PointStamped, topics.TRACKED_POINT, qos.LATCHED)
        self._point_publisher.publish(tracked_point)
        self._ahead_publisher = self.create_publisher(
            PointStamped, topics.POINT_AHEAD, qos.LATCHED)
        self._publish_point_ahead()
        if self.values['follow_path']:
            self.create_subscription(Path, topics.PATH, self._on_path, qos.STATE)
        follow_odometry(self, self._on_odometry, lockstep=lockstep)
        self.create_service(SetBool, '~/activate', self._on_activate)
        if not lockstep:
            self.create_timer(1.0 / self.values['rate'], self._on_control_timer)

    def _make_answers(self) -> Answers:
        where = self.values['controller']
        if not where:
            return VelocityAnswers(self, self._tracker)
        vehicle = VehicleParameters.from_values(self.values)
        settings = read_settings(self.values['controller_settings'])
        return CommandAnswers(
            self, self._tracker, partial(load_controller, where, vehicle, settings),
            f'controller {where}', vehicle)

    def check_values(self, values: Mapping[str, object]) -> None:
        """Raise ParameterError if the trajectory's parameters contradict each other.

        What the trajectory calls is compiled here, so that it does not hold up the first answer.
        """
        announce_compilation(self.get_logger().info)
        TrajectoryTracker(values).warm_up()
        if values['follow_path']:
            tracker_of_path(path_from([(0.0, 0.0), (1.0, 0.0)], AT_REST, values), values).warm_up()

    def on_values_changed(self, changed: set[str]) -> None:
        """Apply gains at once; start or stop on a change of active."""
        self._tracker.tune(self.values)
        if 'PL_distance' in changed:
            self._publish_point_ahead()
        if 'active' not in changed:
            return
        if self.values['active']:
            self._start_anew()
        elif self._odometry is not None:
            self._answers.send_stop(self._odometry.time_ns)

    def waits_for(self) -> str:
        """How to activate the tracker, or which topic is silent."""
        if not self.values['active']:
            name = self.get_fully_qualified_name()
            return (f'inactive; activate it by `ros2 param set {name} active true` or by the'
                    f' service {name}/activate')
        if self._odometry is None:
            return f'waiting for odometry on {self.resolve_topic_name(topics.ODOMETRY)}'
        if self._awaits_path:
            return f'waiting for a path on {self.resolve_topic_name(topics.PATH)}'
        return '' if self._scans is None else self._scans.waits_for()

    def diagnose(self, report: Report) -> None:
        """How many of its answers go to limits."""
        report.add_share('answers cut by limits', self._cut)

    @property
    def _awaits_path(self) -> bool:
        return bool(self.values['follow_path']) and self._path is None

    def _on_activate(
            self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        result = self.set_parameters([RosParameter('active', value=request.data)])[0]
        response.success = result.successful
        response.message = result.reason or ('active' if request.data else 'inactive')
        return response

    def _on_odometry(self, odometry: Odometry) -> None:
        if self._odometry is not None and odometry.time_ns < self._odometry.time_ns:
            self.get_logger().warning(
                'the time went back: the trajectory starts anew', throttle_duration_sec=THROTTLE)
            self._start_anew()
        self._odometry = odometry
        if self.values['lockstep']:
            self._is_due = True
            self._answer()

    def _on_scan(self) -> None:
        if self.values['lockstep']:
            self._answer()

    def _answer(self) -> None:
        """In lockstep answer the odometry, once the scan that is due with it has come."""
        odometry = self._odometry
        if not self._is_due or odometry is None or (
                self._scans is not None and not self._must_stop
                and not self._scans.has_come(odometry.time_ns)):
            return
        self._is_due = False
        self._control(odometry.time_ns)

    @property
    def _must_stop(self) -> bool:
        """Whether the controller is not asked."""
        return not self.values['active'] or self._awaits_path or self.done.done()

    def _on_control_timer(self) -> None:
        if self._odometry is None or not self.values['active']:
            return
        now_ns = self.now_ns()
        wrong = wrong_age(self._odometry.time_ns, now_ns, self.values['odometry_timeout'])
        if wrong is not None:
            self.diagnostics.count('odometry dropped')
            self.get_logger().error(
                f'odometry not used: {wrong}', throttle_duration_sec=THROTTLE)
            self._answers.send_stop(now_ns)
            return
        if self._scans is not None and not self._scans.is_young(now_ns):
            self._answers.send_stop(now_ns)
            return
        # The clock topic may lag a little behind the odometry.
        self._control(max(now_ns, self._odometry.time_ns))

    def _control(self, now_ns: int) -> None:
        assert self._odometry is not None
        stamp_ns = self._odometry.time_ns
        if self._must_stop:
            if self._scans is not None:
                self._scans.pass_over()
            # In lockstep every odometry message must be answered.
            self._answers.send_stop(stamp_ns)
            return
        starting = not self._tracker.started
        try:
            if self._scans is not None:
                self._scans.show(self._answers.see, stamp_ns)
            reference = self._answers.update(self._odometry, now_ns)
        except RacecarError as error:
            self._answers.send_stop(stamp_ns)
            self.fail(error)
            return
        self._cut.note(self._answers.is_cut)
        if starting:
            self._publish_path(now_ns)
        self._publish_reference(reference, now_ns)
        self._answers.send(stamp_ns)

    def _on_path(self, message: Path) -> None:
        """Follow a path from where the car is."""
        try:
            if message.header.frame_id not in ('', MAP):
                raise ParameterError(
                    f'frame_id is {excerpt(message.header.frame_id)}, expected {MAP!r}')
            if self._odometry is None:
                raise ParameterError('there is no odometry yet, expected to know where the car is')
            points = [(pose.pose.position.x, pose.pose.position.y) for pose in message.poses]
            self._path = path_from(points, self._odometry, self.values) if points else None
        except ParameterError as error:
            self.get_logger().error(
                f'path not followed: {error}', throttle_duration_sec=THROTTLE)
            return
        if self._path is not None:
            self._start_anew()

    def _start_anew(self) -> None:
        self._tracker = TrajectoryTracker(self.values) if self._path is None \
            else tracker_of_path(self._path, self.values)
        if self._scans is not None:
            self._scans.pass_over()
        try:
            self._answers.start_anew(self._tracker)
        except RacecarError as error:
            self.fail(error)

    def _publish_point_ahead(self) -> None:
        message = PointStamped()
        message.header.frame_id = self.base_link
        message.point.x = self._tracker.tracked_ahead + self.values['PL_distance']
        self._ahead_publisher.publish(message)

    def _publish_reference(self, reference: Reference, now_ns: int) -> None:
        if self._reference_listeners.heard():
            point, attitude = reference
            time_ns, x, y, qz, qw, speed, _, yaw_rate = point.as_odometry(
                now_ns, attitude.heading if attitude else None)
            self._reference_publisher.publish(self._reference.fill(
                *divmod(time_ns, NANOSECONDS), x, y, qz, qw, speed, yaw_rate))

    def _publish_path(self, now_ns: int) -> None:
        path = Path()
        path.header.frame_id = MAP
        set_stamp(path.header.stamp, now_ns)
        x0, y0 = self._tracker.origin
        for x, y, yaw in sample_path(self._tracker.trajectory):
            pose = PoseStamped()
            pose.header = path.header
            pose.pose.position.x, pose.pose.position.y = x0 + x, y0 + y
            pose.pose.orientation.z, pose.pose.orientation.w = yaw_to_quaternion(yaw)
            path.poses.append(pose)
        self._path_publisher.publish(path)
