# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command muxes of both levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from racecar.base.share import find_config
from racecar.base.types import AckermannCommand
from racecar.control.command_mux import CommandMux
from racecar.control.mux_file import load_mux_configuration
from racecar.ros import topics
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.stepped.local_node import LocalNode, Log


class MuxInput(NamedTuple):
    """A source of a mux for people: its name, its priority, and whether somebody uses it."""

    name: str
    priority: int
    alive: bool


class LocalMux(LocalNode):
    """Forwards the commands of the source that holds the mux."""

    def __init__(
        self, description: NodeDescription, forward: Callable[[AckermannCommand, int], object],
        log: Log,
    ) -> None:
        """forward: takes a command and its time [ns]. Raises ConfigurationError."""
        super().__init__(description, log)
        self._sources = load_mux_configuration(find_config(self.values['config_file'])).sources
        self._mux = CommandMux(self._sources)
        self._forward = forward
        self._last = AckermannCommand(0.0, 0.0)
        self._stands = False
        self._heard: set[str] = set()

    @property
    def active(self) -> str:
        """Name of the source that holds it, or `idle`."""
        return self._mux.active

    @property
    def inputs(self) -> list[MuxInput]:
        """Its sources, the highest first."""
        return [MuxInput(source.name, source.priority, source.name in self._heard)
                for source in self._sources]

    def hear(self, topic: str, command: AckermannCommand, now_ns: int) -> None:
        """Take a command of an input, by its name in the mux file, at a time [ns]."""
        source = next(source for source in self._sources if topic in source.inputs)
        self._heard.add(source.name)
        if self._mux.receive(source.name, now_ns):
            forwards = topic in source.forwarded
            self._last = command
            self._stands = forwards and command.speed == 0.0
            if forwards:
                self._forward(command, now_ns)

    def expire(self, now_ns: int) -> None:
        """Let go of sources that have fallen silent; stop the car if nobody follows."""
        holder = self._mux.active
        if self._mux.expire(now_ns):
            if not self._stands:
                timeout = next(
                    source.timeout for source in self._sources if source.name == holder)
                self.log('warn', f'no commands from {holder} for {timeout:g} s; stopping')
            self._forward(self._last._replace(speed=0.0), now_ns)


class LocalMuxes:
    """Both levels; the commands of autonomy pass both, those of people the lower one."""

    def __init__(
        self, descriptions: Sequence[NodeDescription],
        drive: Callable[[AckermannCommand, int], object], log: Log,
    ) -> None:
        """descriptions: of both; drive: takes what passes the last. Raises ConfigurationError."""
        def called(name: str) -> NodeDescription:
            # Below the name of its car, if there are several.
            return next(d for d in descriptions if f'/{d.full_name}'.endswith(f'/{name}'))

        self._low = LocalMux(called(topics.LOW_LEVEL_MUX), drive, log)
        self._high = LocalMux(
            called(topics.HIGH_LEVEL_MUX),
            lambda command, now_ns: self._low.hear('input/navigation', command, now_ns), log)

    @property
    def muxes(self) -> tuple[LocalMux, ...]:
        """The higher level first."""
        return self._high, self._low

    @property
    def active(self) -> str:
        """Source in control: that which holds the last mux, or `idle`."""
        return self._low.active

    def navigate(self, command: AckermannCommand, now_ns: int) -> None:
        """Take a command of autonomy."""
        self._high.hear('navigation', command, now_ns)

    def hear(self, topic: str, command: AckermannCommand, now_ns: int) -> None:
        """Take a command at the lower level: teleop, driver or driver_hold."""
        self._low.hear(topic, command, now_ns)

    def expire(self, now_ns: int) -> None:
        """Let go of sources that have fallen silent."""
        for mux in self.muxes:
            mux.expire(now_ns)
