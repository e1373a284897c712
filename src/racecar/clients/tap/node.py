# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tap: hears what a stack publishes, gives it to the cockpit, and does what pages ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
import os
import threading
import time
import types
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import PointStamped, TwistStamped
from nav_msgs.msg import OccupancyGrid as OccupancyGridMessage
from nav_msgs.msg import Odometry as OdometryMessage
from nav_msgs.msg import Path as PathMessage
from rcl_interfaces.msg import Log
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState, LaserScan
from std_msgs.msg import String

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.types import AckermannCommand, JointStates, NANOSECONDS
from racecar.clients.tap.backlog import Backlog, nowhere, Observe
from racecar.clients.tap.driver import DriverControls
from racecar.clients.tap.driving import Driving
from racecar.clients.tap.muxes import Muxes
from racecar.clients.tap.parameters import ParameterWatch
from racecar.clients.tap.pictures import Pictures
from racecar.clients.tap.server_link import ServerLink
from racecar.clients.tap.services import Services
from racecar.clients.tap.simulation import Simulation
from racecar.clients.tap.stack_graph import full_name, look_around, StackGraph
from racecar.clients.tap.surroundings import Surroundings
from racecar.clients.tap.wishes import Wishes
from racecar.cockpit.frames import FrameError, json_frame, read_json, scan_frame, state_frame
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
from racecar.sensors.equipment import shown_sensor

ROBOT = 0

ReadJoints = Callable[[], tuple[JointStates, int]]
"""Gives the joints of a robot as they are, and the simulated time [ns]."""

_BATCH_PERIOD = 1.0 / 60.0
_SLOW_PERIOD = 0.2
# The graph is asked for often only at first: to ask takes some milliseconds.
_EAGER_LOOKS, _LOOK_EVERY = 25, 10
_SCAN_PERIOD = 1.0 / 15.0
# Who describes a robot does it with its first odometry, and has its parameters by then.
_PATIENCE = 2.0
_MOST_LOGS = 20
# Messages of the server that wait while the nodes are busy; then those behind wait in its socket.
_MOST_ASKED = 64
# Messages of a topic that wait for a batch, far more than in real time; then so many timers
# make one batch, for a batch less costs less than the rows that wait.
_MANY, _TIMERS = 50, 3
# A robot whose simulator does not stand still says something within this [s].
_LONGEST_SILENCE = 2.0

_LEVELS = {10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal'}
_LEAST_LEVEL = 20


class Tap(Node):
    """Hears one robot by its topics; publishes only what a page at the wheel commands.

    Subscribes: odometry, reference_trajectory, reference_path, tracked_point, the command behind
    the last mux (or cmd_vel), joint states, scan, map, robot_description, driver/state,
    driver/car_info, the active source of both muxes, /rosout and /parameter_events; pictures of
    the camera while a page wants them.
    Publishes: vesc/ackermann_cmd_mux/input/teleop and driver/command while a page drives.
    """

    def __init__(
        self, link: ServerLink, *, namespace: str = '',
        renamed: Mapping[str, str] | None = None, text: str = '',
        on_end: Callable[[], None] = lambda: None, observe: Observe = nowhere,
        read_joints: ReadJoints | None = None,
        neighbours: Mapping[str, Node] = types.MappingProxyType({}),
    ) -> None:
        """renamed: relative names of topics; text: what is looked at, for people.

        on_end: called when the server has gone. observe: how to hear nodes in this process, and
        read_joints: of the simulator in it, both in the place of subscriptions, which would cost
        half a tick in lockstep. neighbours: as ParameterWatch takes them.
        """
        super().__init__(
            f'_cockpit_tap_{os.getpid()}', namespace=namespace, enable_rosout=False,
            start_parameter_services=False)
        self._link = link
        self._names = renamed or {}
        self._place = namespace.strip('/')
        self._on_end = on_end
        self._read_joints = read_joints
        self._tree: RobotTree | None = None
        self._shown: tuple[object, ...] = ()
        self._scan: tuple[Any, int] | None = None
        self._scan_topic = ''
        self._laser_frame: str | None = None
        self._scan_due = 0.0
        self._heard_at: float | None = None
        self._last: tuple[int, float] = (-1, 0.0)
        self._is_lost = False
        self._skipped = 0
        self._looks = 0
        self._logs = 0
        self._room = threading.Semaphore(_MOST_ASKED)
        self._graph: StackGraph | None = None
        self._samples = Samples(robot_frames(ROBOT, PLAIN_ROBOT).columns)
        self._backlog = Backlog(self, observe)

        services = self._calls = Services(self)
        parameters = self._settings = ParameterWatch(
            self, services, link.send, self._on_parameters, neighbours)
        self._simulation = Simulation(services, parameters, link.send)
        self._muxes = Muxes(self, namespace, self._names, link.send)
        self._surroundings = Surroundings(link.send, self._say)
        self._driver = DriverControls(
            self, namespace, services, link.send, self._samples.add_driver)
        self._driving = Driving(
            self, self._full(topics.TELEOP_COMMAND), self._full(topics.DRIVER_PEDALS))
        self._pictures = Pictures(self, self._full(topics.CAMERA_IMAGE), link.send)
        self._wishes = Wishes(
            self._simulation, self._driving, self._driver, parameters, link.send,
            self._pictures.want, self._now_ns)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_BATCH_PERIOD, self._on_batch_timer, clock=steady)
        self.create_timer(_SLOW_PERIOD, self._on_slow_timer, clock=steady)
        self._subscribe()
        self._text = text
        self._tell_state('running', text)
        link.start(self._on_frame, self._on_link_end)

    def _full(self, topic: str) -> str:
        return full_name(self._place, topic, self._names)

    def _now_ns(self) -> int:
        """Return the newest simulated time that is known [ns]."""
        self._backlog.read()
        return max(self._samples.last_ns, 0)

    def _subscribe(self) -> None:
        """Listen to the robot; to the odometry last, for which a simulator waits."""
        samples = self._samples

        def hear(
            kind: type[Any], topic: str, callback: Callable[[Any], None], profile: QoSProfile,
        ) -> None:
            self.create_subscription(kind, self._full(topic), callback, profile)

        def hear_later(
            kind: type[Any], topic: str, decode: Callable[[bytes], Any],
            callback: Callable[[Any], object],
        ) -> None:
            self._backlog.hear(kind, self._full(topic), decode, callback)

        def hear_many(
            kind: type[Any], topic: str, rows: MessageRows, use: Callable[[Rows], object],
        ) -> None:
            self._backlog.hear_many(kind, self._full(topic), rows, use)

        hear(String, topics.ROBOT_DESCRIPTION, self._on_description, qos.LATCHED)
        hear(PathMessage, topics.REFERENCE_PATH, self._surroundings.on_path, qos.LATCHED)
        hear(PointStamped, topics.TRACKED_POINT, self._on_tracked_point, qos.LATCHED)
        hear(OccupancyGridMessage, topics.MAP, self._surroundings.on_map, qos.LATCHED)
        self.create_subscription(Log, '/rosout', self._on_log, qos.LOG)
        self._hear_scans(topics.SCAN)
        hear_many(AckermannDriveStamped, topics.COMMAND, command_rows(), samples.extend_commands)
        hear_later(TwistStamped, topics.TWIST_COMMAND, read_stamped_twist, self._on_twist)
        hear_many(OdometryMessage, topics.REFERENCE_TRAJECTORY, odometry_rows(),
                  samples.extend_references)
        if self._read_joints is None or not self._backlog.note(
                self._full(topics.ODOMETRY), self._read_joints, samples.extend_joints):
            for topic in (topics.JOINT_STATES, topics.WORLD_JOINT_STATES):
                hear_later(JointState, topic, read_joint_states,
                           lambda message: samples.add_joints(*message))
        hear_many(OdometryMessage, topics.ODOMETRY, body_state_rows(), samples.extend_odometry)

    def _hear_scans(self, topic: str) -> None:
        """Show the scans of a topic, of a relative name, from now on."""
        if topic != self._scan_topic:
            self._scan_topic = topic

            def on_scan(message: tuple[Any, int]) -> None:
                if topic == self._scan_topic:
                    self._scan = message

            self._backlog.hear(LaserScan, self._full(topic), read_scan, on_scan,
                               qos.VIEW_SUBSCRIPTION, most=1)

    # What the server says, from its thread to that of the nodes

    def _on_frame(self, frame: bytes) -> None:
        executor = self.executor
        if executor is not None:
            self._room.acquire()
            executor.create_task(self._do, frame)

    def _do(self, frame: bytes) -> None:
        self._room.release()
        try:
            self._wishes.do(read_json(frame))
        except FrameError as error:
            self._link.send(json_frame('error', text=str(error)))

    def _on_link_end(self) -> None:
        executor = self.executor
        if executor is not None:
            executor.create_task(self._end)
        else:
            self._on_end()

    def _end(self) -> None:
        self._driving.release(self._now_ns())
        self._on_end()

    @property
    def has_shown(self) -> bool:
        """Whether the samples that came can be shown: only with what describes the robot."""
        return bool(self._shown) or not (self._backlog.waiting or self._samples.last_ns >= 0)

    def destroy_node(self) -> None:
        """Stop the car if a page drove it, send the last samples, and let the server go."""
        self._backlog.finish()
        # The thread that reads may wait for an executor that does not spin any more.
        self._room.release(_MOST_ASKED)
        self._driving.finish(self._now_ns())
        while self._shown and (batch := self._samples.take(waits=False)) is not None:
            self._link.send(state_frame(ROBOT, *batch))
        self._link.close()
        super().destroy_node()

    # Timers

    def _on_batch_timer(self) -> None:
        self._calls.poll()
        self._link.flush()
        self._logs = 0
        self._skipped += 1
        if self._skipped < _TIMERS and self._backlog.waiting > _MANY:
            return
        self._skipped = 0
        self._driving.watch(self._now_ns())
        if self._heard_at is None:
            if self._samples.last_ns < 0:
                return
            self._heard_at = time.monotonic()
        self._show_robot()
        if not self._shown:
            return
        batch = self._samples.take()
        if batch is not None:
            self._link.send(state_frame(ROBOT, *batch))
        now = time.monotonic()
        if self._scan is not None and now >= self._scan_due:
            self._scan_due = now + _SCAN_PERIOD
            scan, time_ns = self._scan
            self._scan = None
            self._link.send(scan_frame(
                ROBOT, time_ns / NANOSECONDS, scan.angle_min, scan.angle_increment, scan.ranges))

    def _on_slow_timer(self) -> None:
        if self._looks < _EAGER_LOOKS or self._looks % _LOOK_EVERY == 0:
            self._look()
            self._settings.freshen()
        self._looks += 1
        self._muxes.look()
        if self._heard_at is not None:
            self._simulation.tell_time(self._now_ns())
            self._watch_robot()
            if self._is_impatient:
                self._surroundings.give_up()

    @property
    def _is_impatient(self) -> bool:
        return self._heard_at is not None and time.monotonic() - self._heard_at > _PATIENCE

    def _watch_robot(self) -> None:
        """Say that the robot has fallen silent, and that it is back."""
        now, last_ns = time.monotonic(), self._samples.last_ns
        if last_ns != self._last[0] or self._simulation.paused:
            self._last = last_ns, now
        is_lost = now - self._last[1] > _LONGEST_SILENCE
        if is_lost != self._is_lost:
            self._is_lost = is_lost
            if is_lost:
                self._tell_state('lost', f'no odometry on {self._full(topics.ODOMETRY)} for'
                                 f' {_LONGEST_SILENCE:g} s: it has ended, or somebody paused it')
            else:
                self._tell_state('running', self._text)

    def _tell_state(self, state: str, text: str) -> None:
        self._link.send(json_frame('tap', state=state, text=text), 'tap')

    def _look(self) -> None:
        graph = look_around(self, self._place)
        if graph == self._graph:
            return
        self._graph = graph
        self._simulation.name = graph.simulator
        self._simulation.trackers = graph.trackers
        self._settings.look(graph.nodes)

    def _on_parameters(self, node: str) -> None:
        values = self._settings.values(node)
        if node == self._simulation.name:
            self._simulation.describe()
            self._driving.limits = values
            self._surroundings.show(values)
            self._show_sensors(values)
            self._driving.prepare()
        if node in self._muxes.names:
            self._muxes.describe(node, values)
            self._driving.prepare()

    def _show_sensors(self, values: Mapping[str, Any]) -> None:
        """Show the first laser and the first camera that a simulator has."""
        try:
            laser, camera = (shown_sensor(values, kind) for kind in ('laser', 'camera'))
        except ParameterError:
            # Of a simulator of somebody else, whose parameter means something else.
            return
        if laser is not None:
            self._laser_frame = laser.frame
            self._hear_scans(topics.sensor_topics(laser.name, 'laser')[0])
        if camera is not None:
            self._pictures.listen_to(
                self._full(topics.sensor_topics(camera.name, 'camera')[0]))

    # What describes robot and surroundings

    def _show_robot(self) -> None:
        """Describe the robot if anything about it is new."""
        if self._tree is None and not self._is_impatient:
            return
        tree = self._tree or PLAIN_ROBOT
        shown = tree, self._driver.is_there, self._laser_frame
        if shown == self._shown:
            return
        self._shown = shown
        frames, columns, faults = robot_frames(
            ROBOT, tree, driver=self._driver.is_there, laser_frame=self._laser_frame)
        for fault in faults:
            self._say('warn', fault)
        self._samples.set_columns(columns)
        for index, frame in enumerate(frames):
            # Each has its own key, so that they stay in order.
            self._link.send(frame, 'robot' if frame is frames[-1] else f'mesh {index}')

    def _on_description(self, message: String) -> None:
        try:
            self._tree = read_urdf(message.data)
        except ConfigurationError as error:
            self._say('warn', f'robot_description: {error}')
            self._tree = PLAIN_ROBOT

    # Messages

    def _on_tracked_point(self, message: PointStamped) -> None:
        self._samples.tracked_ahead = message.point.x

    def _on_twist(self, message: tuple[Any, int]) -> None:
        twist, stamp_ns = message
        self._samples.add_command(AckermannCommand(twist.speed, math.nan), stamp_ns)

    def _on_log(self, message: Log) -> None:
        if message.level >= _LEAST_LEVEL and self._logs < _MOST_LOGS:
            self._logs += 1
            self._link.send(json_frame(
                'log', level=_LEVELS.get(message.level, 'info'), node=message.name,
                text=message.msg))

    def _say(self, level: str, text: str) -> None:
        self._link.send(json_frame('log', level=level, node='cockpit', text=text))
