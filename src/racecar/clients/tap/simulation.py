# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator for pages: its time, and pause, step, reset and factor by its services."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import time
from typing import Any

from std_srvs.srv import SetBool, Trigger

from racecar.base.errors import RunError
from racecar.base.types import NANOSECONDS
from racecar.clients.tap.parameters import ParameterWatch
from racecar.clients.tap.services import OnFailure, Services
from racecar.cockpit.frames import json_frame
from racecar.ros.interfaces import Reset

FACTOR = 'real_time_factor'
_ACTIVE = 'active'

# Over so long the factor is measured [s].
_SPAN = 1.0


class Simulation:
    """One simulator, whose name is found later, and the trackers that drive in it."""

    def __init__(
        self, services: Services, parameters: ParameterWatch,
        send: Callable[[bytes, str], object],
    ) -> None:
        """send: a frame with its key."""
        self._services = services
        self._parameters = parameters
        self._send = send
        self.name: str | None = None
        self.trackers: tuple[str, ...] = ()
        self.paused = False
        self._marks: list[tuple[float, int]] = []
        # Trackers that were active before a page switched them off.
        self._switched_off: tuple[str, ...] = ()
        self._knows_pause = False

    def describe(self) -> None:
        """Take over whether the simulator started paused, once its parameters are known."""
        if self.name is not None and not self._knows_pause:
            values = self._parameters.values(self.name)
            self.paused = bool(values.get('paused', False))
            self._knows_pause = bool(values)

    def tell_time(self, time_ns: int) -> None:
        """Tell pages the simulated time [ns]; to be called some times a second."""
        now = time.monotonic()
        if self._marks and time_ns < self._marks[-1][1]:
            self._marks.clear()
        self._marks = [*(mark for mark in self._marks if now - mark[0] <= _SPAN), (now, time_ns)]
        wall, simulated = self._marks[0]
        factor = (time_ns - simulated) / NANOSECONDS / (now - wall) if now > wall else 0.0
        wanted = self._parameters.values(self.name).get(FACTOR) if self.name else None
        self._send(json_frame(
            'clock', time=max(time_ns, 0) / NANOSECONDS, factor=round(factor, 4),
            wanted_factor=wanted, paused=self.paused), 'clock')

    def pause(self, paused: bool, on_failure: OnFailure) -> None:
        """Let the time stand still, or go on. Raises RunError without a simulator."""
        def on_response(response: SetBool.Response) -> None:
            if response.success:
                self.paused = paused
            else:
                on_failure(response.message)

        self._services.call(SetBool, f'{self._simulator}/pause', SetBool.Request(data=paused),
                            on_response, on_failure)

    def step(self, count: int, on_failure: OnFailure) -> None:
        """Let the time go on to the next odometry, so many times. Raises RunError as pause()."""
        name = f'{self._simulator}/step'

        def on_response(response: Trigger.Response) -> None:
            if not response.success:
                on_failure(response.message)
            elif count > 1:
                self.step(count - 1, on_failure)

        self._services.call(Trigger, name, Trigger.Request(), on_response, on_failure)

    def reset(self, on_failure: OnFailure) -> None:
        """Put the car back to its start, and let active trackers begin anew. Raises RunError."""
        def on_response(response: Reset.Response) -> None:
            if not response.success:
                on_failure(response.message)
                return
            for tracker in self._active_trackers():
                self._activate(tracker, False, on_failure, partial(
                    self._activate, tracker, True, on_failure))

        self._services.call(
            Reset, f'{self._simulator}/reset', Reset.Request(), on_response, on_failure)

    def set_factor(self, value: float, on_failure: OnFailure) -> None:
        """Set the wanted real-time factor. Raises RunError without a simulator."""
        self._parameters.set(self._simulator, FACTOR, value, on_failure)

    def switch_off_trackers(self, on_failure: OnFailure) -> None:
        """Let a person drive alone."""
        self._switched_off = tuple({*self._switched_off, *self._active_trackers()})
        for tracker in self._switched_off:
            self._activate(tracker, False, on_failure)

    def switch_on_trackers(self, on_failure: OnFailure) -> None:
        """Let those drive again that were switched off."""
        trackers, self._switched_off = self._switched_off, ()
        for tracker in trackers:
            self._activate(tracker, True, on_failure)

    @property
    def _simulator(self) -> str:
        if self.name is None:
            raise RunError('no simulator is there whose time could be changed')
        return self.name

    def _active_trackers(self) -> list[str]:
        return [tracker for tracker in self.trackers
                if self._parameters.values(tracker).get(_ACTIVE)]

    def _activate(
        self, tracker: str, active: bool, on_failure: OnFailure,
        then: Callable[[], Any] = lambda: None,
    ) -> None:
        def on_response(response: SetBool.Response) -> None:
            if response.success:
                then()
            else:
                on_failure(response.message)

        self._services.call(SetBool, f'{tracker}/activate', SetBool.Request(data=active),
                            on_response, on_failure)
