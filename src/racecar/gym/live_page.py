# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of the cockpit for render_mode='human': it shows the cars of an environment live.

A thread serves the page; the program that drives the environment goes on, at the pace of the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
import threading
import time
from typing import NamedTuple
import webbrowser

import numpy as np
from numpy.typing import NDArray

from racecar.analysis.robot_profile import car_profile
from racecar.base.errors import ConfigurationError, ParameterError, RunError
from racecar.base.frames import BASE_LINK
from racecar.base.types import NANOSECONDS, Pose3, WHEEL_JOINTS, yaw_to_quaternion
from racecar.cockpit.clock_message import ClockMessage
from racecar.cockpit.columns import COMMAND, joint_column, MOTION, POSE, STEERING
from racecar.cockpit.feed import Feed, Message, Outlet
from racecar.cockpit.frames import json_frame, scan_frame, state_frame
from racecar.cockpit.robot_message import robot_frames
from racecar.cockpit.scene_message import (
    collisions_frame,
    path_frame,
    scene_frame,
    scene_frames,
)
from racecar.cockpit.serving import served
from racecar.description.robot_tree import FIXED, Joint, Link
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene.scene import Scene

# Between two frames by the wall clock: of states, of the time, of scans [s].
_STATE_PERIOD, _CLOCK_PERIOD, _SCAN_PERIOD = 1.0 / 60.0, 0.2, 1.0 / 15.0
# And of surroundings, of which a page builds everything anew [s].
_SCENE_PERIOD = 0.2
# Further behind than this it does not catch up with the wall clock [s].
_LONGEST_LAG = 0.1
_PAUSE_CHECK = 0.05  # [s]
# The server is up, or cannot be, after so long [s].
_LONGEST_START = 20.0
_LASER_LINK, _LASER_HEIGHT = 'environment_laser', 0.1


class ShownCar(NamedTuple):
    """A car on the page: pose of base_link [m, rad], its motion, command and steering [SI]."""

    x: float
    y: float
    yaw: float
    speed: float
    yaw_rate: float
    speed_command: float
    steering_command: float
    steering: float
    contacts: int = 0
    in_contact: bool = False


class ShownScan(NamedTuple):
    """Ranges of the first car [m] from the angle `first` on in steps [rad]."""

    ranges: NDArray[np.float32]
    first: float
    increment: float


class ShownWorld(NamedTuple):
    """What does not move: name, surroundings, line (n, 2) [m] or None, vehicle of all cars.

    cars: how many; laser_ahead: of base_link, where scans are shown [m].
    """

    name: str
    scene: Scene
    line: NDArray[np.float64] | None
    vehicle: VehicleParameters
    cars: int
    laser_ahead: float | None = None


class EnvFeed(Feed):
    """Gives the frames of an environment, and keeps what pages ask of its pace."""

    takes = ('pause', 'resume', 'step', 'factor', 'reset', 'set_parameter', 'take_wheel',
             'release_wheel', 'drive')

    def __init__(self, name: str, opening: Sequence[bytes]) -> None:
        """opening: frames that describe what is shown."""
        self._name, self._opening = name, opening
        self._outlet: Outlet | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.paused, self.factor, self.steps = False, 1.0, 0
        self.has_begun = asyncio.Event()

    @property
    def welcome(self) -> Mapping[str, object]:
        """The mode, and what runs."""
        return {'mode': 'program', 'configurations': [], 'name': self._name}

    async def run(self, outlet: Outlet) -> None:
        """Give what give() is given until cancelled."""
        self._loop, self._outlet = asyncio.get_running_loop(), outlet
        for frame in (*self._opening, json_frame(
                'session', state='running', name=self._name, options={}, text='')):
            outlet.publish(frame)
        self.has_begun.set()
        await asyncio.Event().wait()

    def give(self, *frames: bytes) -> None:
        """Publish frames, from any thread."""
        loop, outlet = self._loop, self._outlet
        if loop is not None and outlet is not None:
            for frame in frames:
                loop.call_soon_threadsafe(outlet.publish, frame)

    async def ask(self, viewer: int, message: Message) -> None:
        """Pause, go on, or change the pace; the rest is for the program that drives."""
        kind = message['type']
        if kind in ('pause', 'resume'):
            self.paused = kind == 'pause'
        elif kind == 'step':
            self.steps += message['count']
        elif kind == 'factor':
            self.factor = message['value']
        elif kind != 'release_wheel':
            raise RunError(
                f"message '{kind}': a Python program drives this environment, and the page only"
                ' shows it; pause and pace can be set here')


class LivePage:
    """A page that opens with the first show().

    is_paced: whether show() waits until simulated time goes as the clock of the page. address: of
    the page, once it is open.
    """

    def __init__(self, world: ShownWorld) -> None:
        self._world, self.is_paced = world, True
        self._feed: EnvFeed | None = None
        self._clock = ClockMessage()
        self._state_at = self._clock_at = self._scan_at = self._scene_at = 0.0
        # What is not shown yet: surroundings and begins of motions [ns].
        self._surroundings: tuple[Scene, Sequence[int]] | None = None
        # Wall and simulated time from which a pace counts [s], and that pace.
        self._origin, self._factor = (0.0, 0.0), 0.0
        self._last = -1.0
        self._ways = np.zeros(world.cars)
        self._rows: list[tuple[float, NDArray[np.float64]]] = []
        self._contacts = [(0, False)] * world.cars
        self.address = ''

    def surround(self, scene: Scene, begins_ns: Sequence[int]) -> None:
        """Show other surroundings with the same map from the next show() on.

        begins_ns: times of the motions of moving things at the time 0 of the episode [ns].
        """
        self._surroundings = scene, begins_ns

    def show(self, now: float, cars: Sequence[ShownCar], scan: ShownScan | None = None) -> None:
        """Show cars at a time of their episode [s]; waits as the pace of the page says.

        Raises ConfigurationError where the page cannot be served.
        """
        feed = self._opened()
        step = now - self._last
        if step < 0.0 or self._last < 0.0:
            self._send(feed)
            self._set_pace(now)
            step = 0.0
        self._ways += step * np.array([car.speed for car in cars])
        if now != self._last:
            self._rows.append((now, np.array([
                self._row(car, way) for car, way in zip(cars, self._ways, strict=True)])))
        self._last = now
        wall = time.monotonic()
        if wall >= self._state_at:
            self._state_at = wall + _STATE_PERIOD
            self._send(feed)
        self._tell_contacts(feed, now, cars)
        if wall >= self._scene_at:
            self._send_surroundings(feed)
        if scan is not None and wall >= self._scan_at:
            self._scan_at = wall + _SCAN_PERIOD
            feed.give(scan_frame(0, now, scan.first, scan.increment, np.where(
                np.isfinite(scan.ranges), scan.ranges, np.inf)))
        if wall >= self._clock_at:
            self._tell_time(feed)
        self._wait(feed, now)

    def close(self) -> None:
        """End the server; the next show() opens another page."""
        if self._feed is None:
            return
        self._send(self._feed)
        self._send_surroundings(self._feed)
        self._feed.give(json_frame(
            'session', state='ended', name=self._world.name, options={},
            text='the environment is closed'))
        self._stop()
        self._thread.join(_LONGEST_START)
        self._feed, self._last = None, -1.0

    def _opened(self) -> EnvFeed:
        if self._feed is None:
            feed = EnvFeed(self._world.name, self._opening())
            started = threading.Event()
            failures: list[ConfigurationError] = []
            self._thread = threading.Thread(
                target=_serve, args=(self, feed, started, failures), name='live page', daemon=True)
            self._thread.start()
            started.wait(_LONGEST_START)
            if failures:
                raise failures[0]
            print(f'Cockpit: {self.address}', flush=True)
            # Some browsers, as those of a terminal, return when they are closed.
            threading.Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()
            self._feed = feed
        return self._feed

    async def serve(self, feed: EnvFeed, started: threading.Event) -> None:
        """Serve the page until close(). Raises ConfigurationError if no port is free."""
        # No thread waits for the end: Python would wait for it at its own.
        end, loop = asyncio.Event(), asyncio.get_running_loop()
        self._stop = partial(loop.call_soon_threadsafe, end.set)
        async with served(feed) as self.address:
            await feed.has_begun.wait()
            started.set()
            await end.wait()
            # What was given before the end still goes out.
            await asyncio.sleep(_PAUSE_CHECK)

    def _opening(self) -> list[bytes]:
        world = self._world
        self._profile = car_profile(world.vehicle)
        tree = self._profile.describe()
        frames: list[bytes] = []
        if world.laser_ahead is not None:
            tree = replace(
                tree, links=(*tree.links, Link(_LASER_LINK)), joints=(*tree.joints, Joint(
                    _LASER_LINK, FIXED, BASE_LINK, _LASER_LINK,
                    Pose3(world.laser_ahead, 0.0, _LASER_HEIGHT, 0.0, 0.0, 0.0, 1.0))))
        for k in range(world.cars):
            robot = robot_frames(
                k, tree, laser_frame=_LASER_LINK, car=f'car_{k}' if world.cars > 1 else '')
            frames += robot.frames
            self._columns = robot.columns
        self._places = {name: k for k, name in enumerate(self._columns)}
        frames += scene_frames(world.scene).values()
        if world.line is not None:
            frames.append(path_frame(world.line))
        return frames

    def _row(self, car: ShownCar, way: float) -> NDArray[np.float64]:
        row = np.full(len(self._columns), np.nan)
        front, rear = self._world.vehicle.wheel_radii
        try:
            joints = self._profile.steered(car.steering)
        except ParameterError:
            joints = {}
        joints |= {name: way / (rear if 'rear' in name else front) for name in WHEEL_JOINTS}
        pose = Pose3(car.x, car.y, 0.0, 0.0, 0.0, *yaw_to_quaternion(car.yaw))
        values = {
            **dict(zip(POSE, pose, strict=True)),
            **dict(zip(MOTION, (car.speed, car.yaw_rate), strict=True)),
            **dict(zip(COMMAND, (car.speed_command, car.steering_command), strict=True)),
            STEERING: car.steering, **{joint_column(name): x for name, x in joints.items()}}
        for name, value in values.items():
            if name in self._places:
                row[self._places[name]] = value
        return row

    def _send(self, feed: EnvFeed) -> None:
        if not self._rows:
            return
        times = np.array([row[0] for row in self._rows])
        values = np.array([row[1] for row in self._rows])
        self._rows = []
        feed.give(*(state_frame(k, times, values[:, k]) for k in range(self._world.cars)))

    def _send_surroundings(self, feed: EnvFeed) -> None:
        if self._surroundings is not None:
            self._scene_at = time.monotonic() + _SCENE_PERIOD
            feed.give(scene_frame(*self._surroundings))
            self._surroundings = None

    def _tell_contacts(self, feed: EnvFeed, now: float, cars: Sequence[ShownCar]) -> None:
        for k, car in enumerate(cars):
            found = car.contacts, car.in_contact
            if found != self._contacts[k]:
                self._contacts[k] = found
                feed.give(collisions_frame(*found, now, k))

    def _tell_time(self, feed: EnvFeed) -> None:
        self._clock_at = time.monotonic() + _CLOCK_PERIOD
        feed.give(self._clock.frame(
            round(self._last * NANOSECONDS), feed.factor if self.is_paced else 0.0,
            paused=feed.paused))

    def _set_pace(self, now: float) -> None:
        self._origin = time.monotonic(), now

    def _wait(self, feed: EnvFeed, now: float) -> None:
        """Wait until a time of the episode [s] is due, and while the page pauses it."""
        if feed.paused:
            self._send(feed)
            self._send_surroundings(feed)
            self._tell_time(feed)
            while feed.paused and not feed.steps:
                time.sleep(_PAUSE_CHECK)
            feed.steps = max(feed.steps - 1, 0)
            self._set_pace(now)
            self._tell_time(feed)
        factor = feed.factor if self.is_paced else 0.0
        if factor != self._factor:
            self._factor = factor
            self._set_pace(now)
        if factor == 0.0:
            return
        wall, simulated = self._origin
        left = wall + (now - simulated) / factor - time.monotonic()
        if left > 0.0:
            time.sleep(left)
        elif left < -_LONGEST_LAG:
            self._set_pace(now)


def _serve(
    page: LivePage, feed: EnvFeed, started: threading.Event,
    failures: list[ConfigurationError],
) -> None:
    """Serve a page in a loop of this thread."""
    try:
        asyncio.run(page.serve(feed, started))
    except ConfigurationError as error:
        failures.append(error)
        started.set()
