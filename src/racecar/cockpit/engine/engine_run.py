# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A configuration that runs in real time, and does what pages ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import queue
import time

from racecar.base.errors import DivergenceError, excerpt, ParameterError, RacecarError, RunError
from racecar.base.run_file import RunFile
from racecar.base.types import NANOSECONDS
from racecar.catalogue.simulators.shared import REAL_TIME_FACTOR
from racecar.cockpit.driver_message import HAZARD, INDICATORS
from racecar.cockpit.engine.person import Person
from racecar.cockpit.engine.table_recording import TableRecording
from racecar.cockpit.engine.view import View
from racecar.cockpit.feed import Message
from racecar.cockpit.frames import json_frame
from racecar.cockpit.pages import Pages
from racecar.cockpit.parameter_rows import is_settable
from racecar.driver.controls import Controls
from racecar.stacks.stepped.local_node import LocalNode
from racecar.stacks.stepped.stepped_stack import SteppedStack

_BATCH_PERIOD = 1.0 / 60.0
_SLOW_PERIOD = 0.2
# Further behind than this [s] it does not catch up with the wall clock.
_LONGEST_LAG = 0.1
_FACTOR = REAL_TIME_FACTOR.name
_ACTIVE = 'active'


class EngineRun:
    """Steps a configuration by the wall clock and its real-time factor."""

    def __init__(
        self, stack: SteppedStack, pages: Pages, requests: queue.Queue[Message],
        made: Callable[[], RunFile], companion: Callable[[], object] | None = None,
    ) -> None:
        """requests: what pages ask for, as the server sends it; made: how the stack was made.

        companion: does what somebody else who drives wants, at each odometry.
        """
        self._companion = companion
        self._stack = stack
        self._recording = TableRecording(
            stack.nodes, [car.robot.name for car in stack.cars], made)
        self._pages = pages
        self._requests = requests
        self._view = View(stack, pages)
        self._person = Person(stack.first)
        self._is_manual = self._paused = False
        self._failure: DivergenceError | None = None
        self._set_pace()
        self._acts: dict[str, Callable[[Message], object]] = {
            'reset': lambda _: self._reset(), 'pause': lambda _: self._pause(True),
            'resume': lambda _: self._pause(False), 'step': self._step_single,
            'factor': lambda fields: self._set(stack.simulator, _FACTOR, fields['value']),
            'set_parameter': self._set_parameter, 'take': self._take,
            'hand_back': lambda _: self._hand_back(),
            # Its page is gone: nobody watches, so no tracker is set going.
            'release': lambda _: self._person.release(), 'halt': lambda _: self._person.halt(),
            'drive': lambda fields: self._person.drive(fields['speed'], fields['steering']),
            'pedals': lambda fields: self._person.press(
                fields['throttle'], fields['brake'], fields['steering']),
            'gear': lambda fields: self._controls.set_gear(fields['value']),
            'indicator': lambda fields: self._indicate(fields['value']),
            'lamp': lambda fields: getattr(self._controls, f"set_{fields['name']}")(fields['on']),
            'record': lambda fields: self._recorded(
                lambda: self._recording.begin(Path(fields['folder']))),
            'end_recording': lambda _: self._recorded(self._recording.end),
            'camera': lambda fields: self._view.want_pictures(fields['wanted'])}

    def begin(self) -> None:
        """Make the first step, which compiles what nothing else has called."""
        self._show(always=True)
        self._step()

    def spin(self) -> None:
        """Run on until end_time."""
        self._set_pace()
        batch_at = slow_at = time.monotonic()
        while not self._stack.simulator.has_ended:
            batch_at = max(batch_at + _BATCH_PERIOD, time.monotonic())
            self._take_requests(batch_at)
            self._person.watch()
            if not self._paused:
                self._go_on(time.monotonic() + _BATCH_PERIOD)
            self._view.send_batch()
            if time.monotonic() >= slow_at:
                slow_at = time.monotonic() + _SLOW_PERIOD
                self._stack.simulator.watch()
                self._view.send_state(paused=self._paused)
        self._view.send_state(paused=self._paused)
        self._recording.end()
        end = self._stack.simulator.values['end_time']
        self._stack.simulator.log('info', f'end_time {end:g} s is reached')

    # Time

    def _set_pace(self) -> None:
        self._origin = time.monotonic(), self._stack.simulator.time_ns

    def _go_on(self, until: float) -> None:
        """Go on to what is due, not longer than to a wall time [s]."""
        factor = self._stack.simulator.values[_FACTOR]
        wall, simulated = self._origin
        due_ns = simulated + (time.monotonic() - wall) * factor * NANOSECONDS
        while not self._paused and not self._stack.simulator.has_ended \
                and (factor == 0.0 or self._stack.next_ns <= due_ns):
            self._step()
            if time.monotonic() >= until:
                break
        if factor > 0.0 and (due_ns - self._stack.simulator.time_ns) / NANOSECONDS / factor \
                > _LONGEST_LAG and self._stack.next_ns <= due_ns:
            self._set_pace()

    def _step(self) -> None:
        try:
            self._stack.advance()
        except DivergenceError as error:
            # The last good state is kept: the user may reset it and go on.
            self._failure = error
            self._paused = True
            self._stack.simulator.log('fatal', f'{error}. The time stands still: reset')
            self._view.send_state(paused=True)
        else:
            self._show()

    def _show(self, *, always: bool = False) -> None:
        """Answer what is due, and note it for pages."""
        instants = self._stack.answer(always=always)
        if instants:
            self._view.add(instants)
            self._recording.add(instants)
            if self._companion is not None:
                self._companion()

    # What pages ask for

    def _take_requests(self, until: float) -> None:
        """Do what is asked for until a wall time [s]."""
        while True:
            left = until - time.monotonic()
            try:
                # All that has come is done, however late it is.
                message = self._requests.get(timeout=left) if left > 0.0 \
                    else self._requests.get_nowait()
            except queue.Empty:
                return
            self._do(message)

    def _do(self, fields: Message) -> None:
        """Do what a message asks; answers its viewer if that fails."""
        kind = str(fields['type'])
        try:
            self._acts[kind](fields)
        except RacecarError as error:
            self._pages.send(json_frame('error', of=kind, text=str(error), **{
                key: fields[key] for key in ('viewer', 'node', 'name') if key in fields}))

    def _pause(self, paused: bool) -> None:
        if not paused and self._failure is not None:
            raise RunError(f'{self._failure}; reset it first')
        self._paused = paused
        self._set_pace()
        self._view.send_state(paused=paused)

    def _step_single(self, fields: Message) -> None:
        if not self._paused:
            raise RunError('the simulation is not paused: pause it first')
        if self._failure is not None:
            raise RunError(f'{self._failure}; reset it first')
        end_ns = self._stack.simulator.time_ns + fields['count'] * self._stack.simulator.period_ns
        while self._failure is None and self._stack.next_ns <= end_ns \
                and not self._stack.simulator.has_ended:
            self._step()
        self._view.send_state(paused=True)

    def _reset(self) -> None:
        self._stack.reset()
        self._failure = None
        self._show(always=True)

    def _set(self, node: LocalNode, name: str, value: object) -> None:
        """Set a parameter, and tell pages."""
        self._view.show_parameter(node.name, name, node.set(name, value))
        if name == _FACTOR:
            self._set_pace()
            self._view.send_state(paused=self._paused)

    def _set_parameter(self, fields: Message) -> None:
        nodes = self._stack.nodes
        name, node = fields['name'], nodes.get(fields['node'])
        if node is None:
            raise ParameterError(f"node {excerpt(fields['node'])} is not there, expected one of"
                                 f" {', '.join(sorted(nodes))}")
        if not is_settable(node.table[name]):
            raise ParameterError(
                f'parameter {excerpt(name)} is none that a page may set: no number, switch or'
                ' choice, or fixed at the start')
        self._set(node, name, fields.get('value'))

    def _recorded(self, act: Callable[[], None]) -> None:
        """Begin or end a recording, and tell the server of it."""
        try:
            act()
        except RacecarError as error:
            self._pages.send(json_frame('recorded', problem=str(error)))
        else:
            self._pages.send(json_frame('recorded'))

    # Driving

    def _take(self, fields: Message) -> None:
        self._person.take()
        tracker = self._stack.first.tracker
        if fields.get('manual') and tracker is not None and tracker.values[_ACTIVE]:
            self._is_manual = True
            self._set(tracker, _ACTIVE, False)

    def _hand_back(self) -> None:
        self._person.release()
        if self._is_manual and self._stack.first.tracker is not None:
            self._is_manual = False
            self._set(self._stack.first.tracker, _ACTIVE, True)

    @property
    def _controls(self) -> Controls:
        driver = self._stack.first.driver
        if driver is None:
            raise RunError('this car has no driver: start driver or driver_world for gears and'
                           ' lamps')
        return driver.controls

    def _indicate(self, indicator: str) -> None:
        """Switch the indicator, or the hazard flashers, which go over it."""
        self._controls.set_hazard_flashers(indicator == HAZARD)
        if indicator != HAZARD:
            self._controls.set_indicator(INDICATORS.index(indicator))
