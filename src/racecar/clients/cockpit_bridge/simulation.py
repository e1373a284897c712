# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator for pages: its time, and pause, step, reset and factor by its services."""

from __future__ import annotations

from std_srvs.srv import SetBool, Trigger

from racecar.base.errors import RunError
from racecar.clients.cockpit_bridge.parameters import PageParameters
from racecar.clients.graph.answer import all_of
from racecar.clients.graph.service_calls import Outcome, ServiceCalls, ServiceType
from racecar.cockpit.clock_message import ClockMessage
from racecar.cockpit.pages import Pages
from racecar.ros.interfaces import Reset

FACTOR = 'real_time_factor'
_ACTIVE = 'active'


class Simulation:
    """One simulator, whose name is found later, and the trackers that drive in it.

    What it asks nodes to do raises RunError without a simulator, and if a node does not answer or
    refuses.
    """

    def __init__(self, calls: ServiceCalls, parameters: PageParameters, pages: Pages) -> None:
        self._calls = calls
        self._parameters = parameters
        self._pages = pages
        self.name: str | None = None
        self.trackers: tuple[str, ...] = ()
        self.paused = False
        self._clock = ClockMessage()
        # Trackers that were active before a page switched them off.
        self._switched_off: tuple[str, ...] = ()
        self._knows_pause = False

    def describe(self) -> None:
        """Take over whether the simulator started paused, once its parameters are known."""
        if self.name is not None and not self._knows_pause:
            values = self._parameters.values(self.name)
            self.paused = bool(values.get('paused', False))
            self._knows_pause = bool(values)

    def report_time(self, time_ns: int) -> None:
        """Report the simulated time [ns] to pages; to be called some times a second."""
        wanted = self._parameters.value(self.name, FACTOR) if self.name else None
        self._pages.send(self._clock.frame(time_ns, wanted, paused=self.paused), 'clock')

    async def pause(self, paused: bool) -> None:
        """Let the time stand still, or go on."""
        await self._act(SetBool, 'pause', SetBool.Request(data=paused))
        self.paused = paused

    async def step(self, count: int) -> None:
        """Let the time go on to the next odometry, so many times."""
        for _ in range(count):
            await self._act(Trigger, 'step', Trigger.Request())

    async def reset(self) -> None:
        """Put the car back to its start, and let active trackers begin anew."""
        await self._act(Reset, 'reset', Reset.Request())
        await all_of(self._restart(tracker) for tracker in self._active_trackers())

    async def set_factor(self, value: float) -> None:
        """Set the wanted real-time factor. Raises ParameterError for one that is refused."""
        await self._parameters.set(self._simulator, FACTOR, value)

    async def switch_off_trackers(self) -> None:
        """Let a person drive alone."""
        self._switched_off = tuple({*self._switched_off, *self._active_trackers()})
        await all_of(self._activate(tracker, False) for tracker in self._switched_off)

    async def switch_on_trackers(self) -> None:
        """Let those drive again that were switched off."""
        trackers, self._switched_off = self._switched_off, ()
        await all_of(self._activate(tracker, True) for tracker in trackers)

    @property
    def _simulator(self) -> str:
        if self.name is None:
            raise RunError('no simulator is there whose time could be changed')
        return self.name

    async def _act(self, kind: ServiceType[Outcome], service: str, request: object) -> None:
        await self._calls.act(kind, f'{self._simulator}/{service}', request)

    def _active_trackers(self) -> list[str]:
        return [tracker for tracker in self.trackers if self._parameters.value(tracker, _ACTIVE)]

    async def _activate(self, tracker: str, active: bool) -> None:
        await self._calls.act(SetBool, f'{tracker}/activate', SetBool.Request(data=active))

    async def _restart(self, tracker: str) -> None:
        await self._activate(tracker, False)
        await self._activate(tracker, True)
