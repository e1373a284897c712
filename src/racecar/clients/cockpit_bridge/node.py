# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cockpit's bridge to ROS as a node: the parts that it is made of, and when they work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import os
import types

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from racecar.base.errors import ParameterError
from racecar.clients.cockpit_bridge.collisions import CollisionTopics
from racecar.clients.cockpit_bridge.driver import DriverControls
from racecar.clients.cockpit_bridge.driving import Driving
from racecar.clients.cockpit_bridge.local_stack import LocalStack
from racecar.clients.cockpit_bridge.log_relay import LogRelay
from racecar.clients.cockpit_bridge.muxes import Muxes
from racecar.clients.cockpit_bridge.other_cars import OtherCars
from racecar.clients.cockpit_bridge.page_requests import Controls, PageRequests
from racecar.clients.cockpit_bridge.parameters import PageParameters
from racecar.clients.cockpit_bridge.pictures import Pictures
from racecar.clients.cockpit_bridge.robot_names import RobotNames
from racecar.clients.cockpit_bridge.robot_view import make_samples, RobotView
from racecar.clients.cockpit_bridge.scene_topics import SceneTopics
from racecar.clients.cockpit_bridge.server_link import ServerLink
from racecar.clients.cockpit_bridge.silence import SilenceWatch
from racecar.clients.cockpit_bridge.simulation import Simulation
from racecar.clients.cockpit_bridge.stack_graph import look_around, StackGraph
from racecar.clients.graph.service_calls import Patience, ServiceCalls
from racecar.clients.graph.view import GraphView
from racecar.cockpit.pages import Pages
from racecar.ros import topics
from racecar.sensors.equipment import shown_sensor

_BATCH_PERIOD = 1.0 / 60.0
_SLOW_PERIOD = 0.2
# The graph is asked for often only at first: to ask takes some milliseconds.
_EAGER_LOOKS, _LOOK_EVERY = 25, 10
# Messages of a topic that wait for a batch, far more than in real time; then so many timers
# make one batch, for a batch less costs less than the rows that wait.
_MANY, _TIMERS = 50, 3
# A service that was found answers within this [s].
_CALL_PATIENCE = Patience(3.0)


class CockpitBridge(Node):
    """Shows a robot by its topics; publishes only what a page at the wheel commands.

    Of several cars in one world it shows all; a page drives the first.

    Subscribes: odometry, reference_trajectory, reference_path, tracked_point, the command behind
    the last mux (or cmd_vel), joint states, scan, map, robot_description, driver/state,
    driver/car_info, collisions, in_collision, the active source of both muxes, /rosout and
    /parameter_events; pictures of the camera while a page wants them.
    Publishes: vesc/ackermann_cmd_mux/input/teleop and driver/command while a page drives.

    What it shows: RobotView, OtherCars, SceneTopics, CollisionTopics, Muxes, PageParameters,
    LogRelay, SilenceWatch, each by topics and parameters of its own. What pages ask for comes from
    the server to PageRequests, and is done by Simulation, Driving, DriverControls, PageParameters
    and Pictures.
    """

    def __init__(
        self, link: ServerLink, *, namespace: str = '',
        renamed: Mapping[str, str] = types.MappingProxyType({}), text: str = '',
        on_end: Callable[[], None] = lambda: None, local: LocalStack | None = None,
    ) -> None:
        """renamed: relative names of topics; text: what is looked at, for people.

        on_end: called when the server has gone. local: what of the stack is in this process.
        """
        super().__init__(
            f'_cockpit_tap_{os.getpid()}', namespace=namespace, enable_rosout=False,
            start_parameter_services=False)
        local = local or LocalStack()
        names = RobotNames(namespace, renamed)
        samples = make_samples()
        self._link = link
        self._on_end = on_end
        self._names = names
        self._view = GraphView(self)
        self._stack: StackGraph | None = None
        self._looks = self._skipped = 0
        pages = Pages(link)
        self._calls = ServiceCalls(self, _CALL_PATIENCE)
        self._parameters_shown = PageParameters(
            self, self._calls, pages, self._on_parameters, local.nodes)
        self._simulation = Simulation(self._calls, self._parameters_shown, pages)
        self._muxes = Muxes(self, names, pages)
        self._scene = SceneTopics(self, names, pages)
        driver = DriverControls(self, names, self._calls, pages, samples)
        self._driving = Driving(
            self, names.full(topics.TELEOP_COMMAND), names.full(topics.DRIVER_PEDALS))
        self._log = LogRelay(self, pages)
        self._pictures = Pictures(self, names.full(topics.CAMERA_IMAGE), pages.send)
        # Last, for it subscribes to the odometry.
        self._robot = RobotView(
            self, names, pages, samples, local, has_driver=lambda: driver.is_there)
        self._others = OtherCars(self, names, pages, local, self._show_laser)
        self._laser: tuple[str, str] | None = None
        self._collisions = CollisionTopics(self, names, pages, self._robot.now_ns)
        self._requests = PageRequests(self, Controls(
            self._simulation, self._driving, driver, self._parameters_shown, self._pictures),
            self._robot, pages)
        self._silence = SilenceWatch(pages, names.full(topics.ODOMETRY), text)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_BATCH_PERIOD, self._on_batch_timer, clock=steady)
        self.create_timer(_SLOW_PERIOD, self._on_slow_timer, clock=steady)
        link.start(self._requests.post, self._on_link_end)

    @property
    def has_shown(self) -> bool:
        """Whether the samples that came can be shown: only with what describes the robot."""
        return self._robot.has_shown

    def destroy_node(self) -> None:
        """Stop the car if a page drove it, send the last samples, and let the server go."""
        self._robot.finish()
        self._requests.close()
        self._driving.finish(self._robot.now_ns())
        self._robot.send_rest()
        self._others.finish()
        self._link.close()
        super().destroy_node()

    def _on_link_end(self) -> None:
        """Be called by the thread that hears the server."""
        executor = self.executor
        if executor is not None:
            executor.create_task(self._end)
        else:
            self._on_end()

    def _end(self) -> None:
        self._driving.release(self._robot.now_ns())
        self._on_end()

    def _on_batch_timer(self) -> None:
        self._calls.poll()
        self._link.flush()
        self._log.begin_batch()
        self._skipped += 1
        if self._skipped < _TIMERS and self._robot.waiting > _MANY:
            return
        self._skipped = 0
        self._driving.watch(self._robot.now_ns())
        self._robot.send_batch()
        self._collisions.send_news()
        self._others.send_batch()

    def _on_slow_timer(self) -> None:
        if self._looks < _EAGER_LOOKS or self._looks % _LOOK_EVERY == 0:
            self._look()
            self._parameters_shown.freshen()
        self._looks += 1
        self._muxes.look()
        if self._robot.is_heard:
            self._simulation.report_time(self._robot.now_ns())
            self._silence.look(self._robot.last_ns, paused=self._simulation.paused)
            if self._robot.is_overdue:
                self._scene.give_up()

    def _look(self) -> None:
        stack = look_around(self._view, self._names.namespace)
        if stack != self._stack:
            self._stack = stack
            self._simulation.name = stack.simulator
            self._simulation.trackers = stack.trackers
        # Also in the same graph: nodes that did not answer are asked again.
        self._parameters_shown.look(stack.nodes)
        own = f"/{self._names.namespace.strip('/')}/"
        if stack.simulator is None or not stack.simulator.startswith(own):
            self._others.look(self._view)

    def _on_parameters(self, node: str) -> None:
        """Give the parameters of a node, which are known now, to who needs them."""
        if node == self._simulation.name:
            values = self._parameters_shown.values(node)
            self._simulation.describe()
            self._driving.limits = values
            self._scene.show(values)
            self._show_sensors(values)
            self._driving.prepare()
        if node in self._muxes.names:
            self._muxes.describe(node, self._parameters_shown.values(node))
            self._driving.prepare()

    def _show_laser(self, view: RobotView) -> None:
        if self._laser is not None:
            view.show_laser(*self._laser)

    def _show_sensors(self, values: Mapping[str, object]) -> None:
        """Show the first laser and the first camera that a simulator has."""
        try:
            laser, camera = (shown_sensor(values, kind) for kind in ('laser', 'camera'))
        except ParameterError:
            # Of a simulator of somebody else, whose parameter means something else.
            return
        if laser is not None:
            self._laser = topics.sensor_topics(laser.name, 'laser')[0], laser.frame
            for view in (self._robot, *self._others.views):
                self._show_laser(view)
        if camera is not None:
            self._pictures.listen_to(
                self._names.full(topics.sensor_topics(camera.name, 'camera')[0]))
