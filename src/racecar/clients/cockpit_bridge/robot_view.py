# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot as its topics show it: its description, its state and what its laser sees."""

from __future__ import annotations

from collections.abc import Callable
import math
import time

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import PointStamped, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.node import Node
from sensor_msgs.msg import JointState
from sensor_msgs.msg import LaserScan as LaserScanMessage
from std_msgs.msg import String

from racecar.base.errors import ConfigurationError
from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand, BodyTwist, NANOSECONDS
from racecar.clients.cockpit_bridge.backlog import Backlog
from racecar.clients.cockpit_bridge.local_stack import LocalStack
from racecar.clients.cockpit_bridge.robot_names import RobotNames
from racecar.cockpit.frames import scan_frame, state_frame
from racecar.cockpit.pages import Pages
from racecar.cockpit.robot_message import PLAIN_ROBOT, robot_frames
from racecar.cockpit.samples import Samples
from racecar.description.robot_tree import RobotTree
from racecar.description.urdf import read_urdf
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_rows
from racecar.ros.codecs.body_state import body_state_rows
from racecar.ros.codecs.body_twist import read_stamped_twist
from racecar.ros.codecs.joint_states import read_joint_states
from racecar.ros.codecs.laser_scan import read_scan
from racecar.ros.codecs.odometry import odometry_rows
from racecar.ros.message_rows import MessageRows, Rows

_SCAN_PERIOD = 1.0 / 15.0
# Who describes a robot does it with its first odometry, and has its parameters by then [s].
_PATIENCE = 2.0


def make_samples() -> Samples:
    """Samples of a robot that is not described yet."""
    return Samples(robot_frames(0, PLAIN_ROBOT).columns)


class RobotView:
    """Joins what comes on the topics of a robot, and sends it to the pages in batches."""

    def __init__(
        self, node: Node, names: RobotNames, pages: Pages, samples: Samples, local: LocalStack,
        *, number: int = 0, has_driver: Callable[[], bool] = lambda: False,
    ) -> None:
        """Subscribe; to the odometry last, for which a simulator waits.

        number: of the robot in the frames. has_driver: whether samples also get the numbers of a
        driver.
        """
        self._names = names
        self._pages = pages
        self._samples = samples
        self._number = number
        self._has_driver = has_driver
        self._backlog = Backlog(node, local.observe)
        self._knows_truth = False
        self._tree: RobotTree | None = None
        self._shown: tuple[object, ...] = ()
        self._scan: tuple[LaserScan, int] | None = None
        self._scan_topic = ''
        self._laser_frame: str | None = None
        self._scan_due = 0.0
        self._heard_at: float | None = None
        node.create_subscription(
            String, names.full(topics.ROBOT_DESCRIPTION), self._on_description, qos.LATCHED)
        node.create_subscription(
            PointStamped, names.full(topics.TRACKED_POINT), self._on_tracked_point, qos.LATCHED)
        self._hear_scans(topics.SCAN)
        self._hear_rows(AckermannDriveStamped, topics.COMMAND, command_rows(),
                        samples.extend_commands)
        if topics.TWIST_COMMAND in names.renamed:
            # Of a car it may be a Twist, and comes back as a command.
            self._backlog.hear(TwistStamped, names.full(topics.TWIST_COMMAND),
                               read_stamped_twist, self._on_twist)
        self._hear_rows(OdometryMessage, topics.REFERENCE_TRAJECTORY, odometry_rows(),
                        samples.extend_references)
        if local.read_joints is None or not self._backlog.note(
                names.full(topics.ODOMETRY), local.read_joints, samples.extend_joints):
            for topic in (topics.JOINT_STATES, topics.WORLD_JOINT_STATES):
                self._backlog.hear(JointState, names.full(topic), read_joint_states,
                                   lambda message: samples.add_joints(*message))
        self._hear_rows(OdometryMessage, topics.GROUND_TRUTH, body_state_rows(), self._on_truth)
        self._hear_rows(OdometryMessage, topics.ODOMETRY, body_state_rows(), self._on_odometry)

    def _on_truth(self, rows: Rows) -> None:
        """Show where the robot is, from now on, and not where it believes to be."""
        self._knows_truth = True
        self._samples.extend_odometry(rows)

    def _on_odometry(self, rows: Rows) -> None:
        if not self._knows_truth:
            self._samples.extend_odometry(rows)

    def _hear_rows(
        self, kind: type, topic: str, rows: MessageRows, use: Callable[[Rows], object],
    ) -> None:
        self._backlog.hear_many(kind, self._names.full(topic), rows, use)

    def _hear_scans(self, topic: str) -> None:
        """Show the scans of a topic, of a relative name, from now on."""
        if topic != self._scan_topic:
            self._scan_topic = topic

            def on_scan(message: tuple[LaserScan, int]) -> None:
                if topic == self._scan_topic:
                    self._scan = message

            self._backlog.hear(LaserScanMessage, self._names.full(topic), read_scan, on_scan,
                               qos.VIEW_SUBSCRIPTION, most=1)

    def show_laser(self, topic: str, frame: str) -> None:
        """Show the scans of this laser; topic: relative name, frame: which they are in."""
        self._laser_frame = frame
        self._hear_scans(topic)

    def now_ns(self) -> int:
        """The newest simulated time that is known [ns]."""
        self._backlog.read()
        return max(self._samples.last_ns, 0)

    def ignore_references(self, ignored: bool) -> None:
        """Use the references that come from now on, or not: of a place that the robot has left."""
        self._backlog.read()
        self._samples.ignore_references(ignored)

    @property
    def last_ns(self) -> int:
        """Stamp of the newest odometry [ns]; negative without any."""
        return self._samples.last_ns

    @property
    def waiting(self) -> int:
        """How many messages of a topic wait for the next batch."""
        return self._backlog.waiting

    @property
    def is_heard(self) -> bool:
        """Whether odometry has come."""
        return self._heard_at is not None

    @property
    def is_overdue(self) -> bool:
        """Whether so much time has passed since that nobody will describe the robot any more."""
        return self._heard_at is not None and time.monotonic() - self._heard_at > _PATIENCE

    @property
    def has_shown(self) -> bool:
        """Whether the samples that came can be shown: only with what describes the robot."""
        return bool(self._shown) or not (self._backlog.waiting or self._samples.last_ns >= 0)

    def send_batch(self) -> None:
        """Send what is new."""
        self._backlog.read()
        if self._heard_at is None:
            if self._samples.last_ns < 0:
                return
            self._heard_at = time.monotonic()
        self._describe()
        if not self._shown:
            return
        batch = self._samples.take()
        if batch is not None:
            self._pages.send(state_frame(self._number, *batch))
        now = time.monotonic()
        if self._scan is not None and now >= self._scan_due:
            self._scan_due = now + _SCAN_PERIOD
            scan, time_ns = self._scan
            self._scan = None
            self._pages.send(scan_frame(
                self._number, time_ns / NANOSECONDS, scan.angle_min, scan.angle_increment,
                scan.ranges))

    def finish(self) -> None:
        """Take what the executor, which does not spin any more, has not taken."""
        self._backlog.finish()

    def send_rest(self) -> None:
        """Send all samples that are left, if the robot is described."""
        while self._shown and (batch := self._samples.take(waits=False)) is not None:
            self._pages.send(state_frame(self._number, *batch))

    def _describe(self) -> None:
        """Describe the robot if anything about it is new."""
        if self._tree is None and not self.is_overdue:
            return
        tree = self._tree or PLAIN_ROBOT
        shown = tree, self._has_driver(), self._laser_frame
        if shown == self._shown:
            return
        self._shown = shown
        frames, columns, faults = robot_frames(
            self._number, tree, driver=self._has_driver(), laser_frame=self._laser_frame,
            car=self._names.namespace.strip('/').rpartition('/')[2])
        for fault in faults:
            self._pages.log('warn', fault)
        self._samples.set_columns(columns)
        for index, frame in enumerate(frames):
            # Each has its own key, so that they stay in order.
            self._pages.send(frame, f'robot {self._number}' if frame is frames[-1]
                             else f'mesh {self._number} {index}')

    def _on_description(self, message: String) -> None:
        try:
            self._tree = read_urdf(message.data)
        except ConfigurationError as error:
            self._pages.log('warn', f'robot_description: {error}')
            self._tree = PLAIN_ROBOT

    def _on_tracked_point(self, message: PointStamped) -> None:
        self._samples.tracked_ahead = message.point.x

    def _on_twist(self, message: tuple[BodyTwist, int]) -> None:
        twist, stamp_ns = message
        self._samples.add_command(AckermannCommand(twist.speed, math.nan), stamp_ns)
