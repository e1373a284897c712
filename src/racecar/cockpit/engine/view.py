# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What pages see of a configuration: frames of its parts, and batches of samples."""

from __future__ import annotations

from collections.abc import Sequence
import threading
import time

from racecar.base.errors import ConfigurationError, RenderingError
from racecar.base.readings import CameraImage, LaserScan
from racecar.base.types import NANOSECONDS
from racecar.cockpit.camera_picture import picture_of_pixels
from racecar.cockpit.clock_message import ClockMessage
from racecar.cockpit.driver_message import car_of
from racecar.cockpit.frames import json_frame, scan_frame, state_frame
from racecar.cockpit.pages import Pages
from racecar.cockpit.parameter_rows import parameter_rows
from racecar.cockpit.robot_message import PLAIN_ROBOT, robot_frames
from racecar.cockpit.samples import driver_numbers, Samples
from racecar.cockpit.scene_message import collisions_frame, path_frame, scene_frames
from racecar.description.robot_tree import RobotTree
from racecar.scene.world_choice import scene_of
from racecar.stacks.stepped.local_driver import CarView, DriverView
from racecar.stacks.stepped.stepped_car import Instant, SteppedCar
from racecar.stacks.stepped.stepped_stack import SteppedStack

# Number of the car of which pictures are shown.
_FIRST = 0

# Between two of them by the wall clock [s].
_SCAN_PERIOD, _PICTURE_PERIOD = 1.0 / 15.0, 0.1
# Of all cars together, most of which no page follows.
_MOST_SCANS_PER_SECOND = 60.0


class View:
    """Sends what is new."""

    def __init__(self, stack: SteppedStack, pages: Pages) -> None:
        """Describe robot, surroundings and parameters."""
        self._stack = stack
        self._pages = pages
        self._clock = ClockMessage()
        self._newest: dict[str, object] = {}
        self._pictures = _Pictures(pages)
        # Values at the start of the run.
        self._first = {name: dict(node.values) for name, node in stack.nodes.items()}
        scan_period = max(_SCAN_PERIOD, len(stack.cars) / _MOST_SCANS_PER_SECOND)
        self._cars = [_CarView(number, car, pages, scan_period)
                      for number, car in enumerate(stack.cars)]
        for frame in scene_frames(scene_of(stack.simulator.values)).values():
            pages.send(frame)
        self.show_parameters()

    def want_pictures(self, wanted: bool) -> None:
        """Draw pictures of the camera from now on, or none: to draw them is expensive."""
        self._pictures.is_wanted = wanted

    def show_parameters(self, *, again: bool = False) -> None:
        """Send all; again: nothing but values that were sent one by one is new."""
        self._pages.send(json_frame('parameters', again=again, nodes=[
            {'node': name, 'parameters': parameter_rows(
                node.table, node.values, self._first[name])}
            for name, node in sorted(self._stack.nodes.items())]))

    def show_parameter(self, node: str, name: str, value: object) -> None:
        """Send a value that has changed."""
        self._pages.send(json_frame('parameter', node=node, name=name, value=value))
        self.show_parameters(again=True)

    def add(self, instants: Sequence[Instant]) -> None:
        """Take what was at an odometry of each car into the next batch."""
        for number, (car, instant) in enumerate(zip(self._cars, instants, strict=True)):
            found = car.add(instant)
            if found is not None and number == _FIRST:
                driver, view = found
                self._send_news('lamps', {'lamps': view.lamps._asdict()})
                self._send_news('car', car_of(driver, view))

    def send_batch(self) -> None:
        """Send the samples that are new, the path, scans and pictures."""
        now_ns = self._stack.simulator.time_ns
        for car in self._cars:
            car.send_batch(now_ns)
        camera = self._stack.first.robot.camera
        if camera is not None and self._pictures.is_due(now_ns):
            image: CameraImage = camera.read()
            self._pictures.draw(image, now_ns)

    def send_state(self, *, paused: bool) -> None:
        """Send the time, and who drives; to be called some times a second."""
        simulator, muxes = self._stack.simulator, self._stack.first.muxes
        self._pages.send(self._clock.frame(
            simulator.time_ns, simulator.values['real_time_factor'], paused=paused))
        if muxes is not None:
            self._send_news('muxes', {'muxes': [{
                'name': mux.name, 'active': mux.active,
                'inputs': [source._asdict() for source in mux.inputs]} for mux in muxes.muxes]})

    def _send_news(self, kind: str, fields: dict[str, object]) -> None:
        if self._newest.get(kind) != fields:
            self._newest[kind] = fields
            self._pages.send(json_frame(kind, **fields))


class _CarView:
    """A car by its number in the frames."""

    def __init__(self, number: int, car: SteppedCar, pages: Pages, scan_period: float) -> None:
        """Describe it; scan_period: between two scans by the wall clock [s]."""
        self._number, self._car, self._pages = number, car, pages
        self._starts = 0
        self._collisions = 0, False
        self._scan_period = scan_period
        self._scan_due = 0.0
        self._scan_ns = -1
        robot = robot_frames(
            number, self._tree(), driver=car.driver is not None,
            laser_frame=car.robot.laser_frame, car=car.robot.name)
        for fault in robot.faults:
            pages.log('warn', fault)
        for frame in robot.frames:
            pages.send(frame)
        self._samples = Samples(robot.columns)
        if car.tracker is not None:
            self._samples.tracked_ahead = car.tracker.tracked_ahead

    def _tree(self) -> RobotTree:
        try:
            return self._car.robot.describe()
        except ConfigurationError as error:
            self._pages.log('warn', f'the robot is not drawn: {error}')
            return PLAIN_ROBOT

    def add(self, instant: Instant) -> tuple[CarView, DriverView] | None:
        """Take what was at an odometry into the next batch; what its driver shows, if new."""
        samples, time_ns = self._samples, instant.time_ns
        if instant.reference is not None:
            samples.add_reference(instant.reference)
        if instant.command is not None:
            samples.add_command(instant.command, time_ns)
        if instant.joints is not None:
            samples.add_joints(instant.joints, time_ns)
        driver = self._car.driver
        view = None if driver is None else driver.view(time_ns)
        if view is not None:
            samples.add_driver(driver_numbers(view), time_ns)
        samples.add_odometry(time_ns, instant.state)
        return None if driver is None or view is None else (driver.car, view)

    def send_batch(self, now_ns: int) -> None:
        """Send the samples that are new, the path and the scan, at a simulated time [ns]."""
        tracker = self._car.tracker
        if tracker is not None and tracker.starts != self._starts:
            self._starts = tracker.starts
            self._pages.send(path_frame(tracker.path))
        while (batch := self._samples.take(waits=False)) is not None:
            self._pages.send(state_frame(self._number, *batch))
        found = self._car.robot.collisions()
        if found is not None and found[:2] != self._collisions:
            self._collisions = found[:2]
            self._pages.send(collisions_frame(
                *self._collisions, now_ns / NANOSECONDS, self._number))
        self._send_scan(now_ns)

    def _send_scan(self, now_ns: int) -> None:
        laser, now = self._car.robot.laser, time.monotonic()
        if laser is None or now < self._scan_due or now_ns == self._scan_ns:
            return
        self._scan_due, self._scan_ns = now + self._scan_period, now_ns
        scan: LaserScan = laser.read()
        self._pages.send(scan_frame(
            self._number, now_ns / NANOSECONDS, scan.angle_min, scan.angle_increment,
            scan.ranges))


class _Pictures:
    """Draws pictures in a thread of its own, one after the other."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._due = 0.0
        self._drawn_ns = -1
        self._thread: threading.Thread | None = None
        self._is_broken = False
        self.is_wanted = False

    def is_due(self, time_ns: int) -> bool:
        """Whether a picture of a simulated time [ns] is wanted and can be drawn now."""
        return (self.is_wanted and not self._is_broken and time_ns != self._drawn_ns
                and time.monotonic() >= self._due
                and not (self._thread is not None and self._thread.is_alive()))

    def draw(self, image: CameraImage, time_ns: int) -> None:
        """Draw and send it."""
        self._due, self._drawn_ns = time.monotonic() + _PICTURE_PERIOD, time_ns
        self._thread = threading.Thread(
            target=self._run, args=(image, time_ns / NANOSECONDS), name='picture', daemon=True)
        self._thread.start()

    def _run(self, image: CameraImage, seconds: float) -> None:
        try:
            self._pages.send(picture_of_pixels(image.pixels(), seconds, _FIRST))
        except RenderingError as error:
            self._is_broken = True
            self._pages.log('error', f'no more pictures: {error}')
