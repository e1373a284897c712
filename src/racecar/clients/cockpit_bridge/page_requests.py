# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What pages ask for, done by whoever can; what cannot be done is answered."""

from __future__ import annotations

from collections.abc import Callable
import threading
from typing import NamedTuple

from rclpy.node import Node

from racecar.base.errors import RacecarError
from racecar.clients.cockpit_bridge.driver import DriverControls
from racecar.clients.cockpit_bridge.driving import Driving
from racecar.clients.cockpit_bridge.parameters import PageParameters
from racecar.clients.cockpit_bridge.pictures import Pictures
from racecar.clients.cockpit_bridge.robot_view import RobotView
from racecar.clients.cockpit_bridge.simulation import Simulation
from racecar.clients.graph.answer import start, Steps
from racecar.cockpit.feed import Message
from racecar.cockpit.frames import FrameError, json_frame, read_json
from racecar.cockpit.pages import Pages

# Messages of the server that wait while the nodes are busy; then those behind wait in its socket.
_MOST_WAITING = 64

Work = Steps[None] | None
"""What is left to do once other nodes have answered."""


class Controls(NamedTuple):
    """Who does what pages ask for."""

    simulation: Simulation
    driving: Driving
    driver: DriverControls
    parameters: PageParameters
    pictures: Pictures


class PageRequests:
    """Does what the messages of the server ask for, in the thread of the executor."""

    def __init__(self, node: Node, controls: Controls, robot: RobotView, pages: Pages) -> None:
        """node: whose executor does it. robot: which knows the simulated time."""
        self._node = node
        self._controls = controls
        self._robot = robot
        self._pages = pages
        self._room = threading.Semaphore(_MOST_WAITING)
        self._is_manual = False
        simulation, driving, driver, parameters, pictures = controls
        self._acts: dict[str, Callable[[Message], Work]] = {
            'reset': lambda _: self._reset(),
            'pause': lambda _: simulation.pause(True),
            'resume': lambda _: simulation.pause(False),
            'step': lambda fields: simulation.step(fields['count']),
            'factor': lambda fields: simulation.set_factor(fields['value']),
            'set_parameter': lambda fields: parameters.set(
                fields['node'], fields['name'], fields.get('value')),
            'take': self._take, 'hand_back': self._hand_back,
            # Its page is gone: nobody watches, so no tracker is set going.
            'release': lambda _: driving.release(robot.now_ns()),
            'halt': lambda _: driving.halt(robot.now_ns()),
            'drive': lambda fields: driving.drive(
                fields['speed'], fields['steering'], robot.now_ns()),
            'pedals': self._press,
            'gear': lambda fields: driver.shift(fields['value']),
            'indicator': lambda fields: driver.indicate(fields['value']),
            'lamp': lambda fields: driver.light(fields['name'], fields['on']),
            'camera': lambda fields: pictures.want(fields['wanted'])}

    def post(self, frame: bytes) -> None:
        """Have a message done soon; for the thread that hears the server, which may wait here."""
        executor = self._node.executor
        if executor is not None:
            self._room.acquire()
            executor.create_task(self._take_frame, frame)

    def close(self) -> None:
        """Let a thread in post() go on, which may wait for an executor that spins no more."""
        self._room.release(_MOST_WAITING)

    def _take_frame(self, frame: bytes) -> None:
        self._room.release()
        try:
            fields = read_json(frame)
        except FrameError as error:
            self._pages.send(json_frame('error', text=str(error)))
            return
        start(self._do(fields))

    async def _do(self, fields: Message) -> None:
        """Do what a message asks; answers its viewer if that fails."""
        kind = str(fields['type'])
        named = {key: fields[key] for key in ('viewer', 'node', 'name') if key in fields}

        def refuse(text: str) -> None:
            self._pages.send(json_frame('error', of=kind, text=text, **named))

        act = self._acts.get(kind)
        if act is None:
            refuse(f'the bridge knows no message {kind!r}')
            return
        try:
            work = act(fields)
            if work is not None:
                await work
        except RacecarError as error:
            refuse(str(error))
        except (KeyError, TypeError, ValueError) as error:
            refuse(f'message {kind!r} cannot be used: {error!r}')

    async def _reset(self) -> None:
        """Put the car back; the way from there to where it was is no tracking error."""
        self._robot.ignore_references(True)
        try:
            await self._controls.simulation.reset()
        finally:
            self._robot.ignore_references(False)

    def _take(self, fields: Message) -> Work:
        driving, driver = self._controls.driving, self._controls.driver
        driving.take()
        driving.gear = driver.gear
        if not fields.get('manual'):
            return None
        self._is_manual = True
        return self._controls.simulation.switch_off_trackers()

    def _hand_back(self, _: Message) -> Work:
        self._controls.driving.release(self._robot.now_ns())
        if not self._is_manual:
            return None
        self._is_manual = False
        return self._controls.simulation.switch_on_trackers()

    def _press(self, fields: Message) -> None:
        driving = self._controls.driving
        driving.gear = self._controls.driver.gear
        driving.press(
            fields['throttle'], fields['brake'], fields['steering'], self._robot.now_ns())
