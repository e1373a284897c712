# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The lamps of a robot of any plant: how they are switched, and what they show."""

from __future__ import annotations

from collections.abc import Callable

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.readings import LampMarker, LampMarkers
from racecar.base.types import INDICATOR_PERIOD_MAX, INDICATOR_PERIOD_MIN, Lamps, LampSwitches
from racecar.description.urdf import RobotDescription
from racecar.simulation.ports import Input, Output

LAMPS = 'lamps'
"""Name of the input that switches the lamps, and of the output that shows them."""

_GREY = 0.4, 0.4, 0.4, 1.0


class LampBoard:
    """Which lamps of a robot are switched on; they stay so until they are switched again."""

    def __init__(
        self, describe: Callable[[], RobotDescription], time_ns: Callable[[], int],
    ) -> None:
        """describe: as of an Entity; time_ns: of the plant [ns]."""
        self._describe = describe
        self._time_ns = time_ns
        self._switches = LampSwitches()
        self._shown: tuple[Lamps, LampMarkers] | None = None

    @property
    def input(self) -> Input:
        """The port that switches the lamps."""
        return Input(LAMPS, LampSwitches, self.switch, drives=False)

    def output(self, steps: int) -> Output:
        """Return the port that shows the lamps with a period of steps."""
        return Output(LAMPS, LampMarkers, self.markers, steps)

    def switch(self, switches: LampSwitches) -> None:
        """Switch the lamps from now on.

        Raises ParameterError, and leaves them, for an indicator_period out of range.
        """
        if not switches.can_blink:
            raise ParameterError(
                f'indicator_period of the lamps is {switches.indicator_period!r} s, expected a'
                f' number from {INDICATOR_PERIOD_MIN:g} to {INDICATOR_PERIOD_MAX:g} s; they stay'
                ' as they are')
        self._switches = switches

    def lit(self) -> Lamps:
        """Return which lamps are lit at the plant's present time."""
        return self._switches.lit(self._time_ns())

    def markers(self) -> LampMarkers:
        """Return the lamps as they are now; none for a robot that nobody can describe."""
        lit = self.lit()
        if self._shown is None or self._shown[0] != lit:
            self._shown = lit, self._markers(lit)
        return self._shown[1]

    def _markers(self, lit: Lamps) -> LampMarkers:
        try:
            tree = self._describe().tree
        except ConfigurationError:
            # Whoever publishes the description says why.
            return LampMarkers(())
        is_lit = lit._asdict()
        markers = []
        for lamp in tree.lamps:
            shape = tree.lamp_shape(lamp)
            colour = (*lamp.colour, 1.0) if is_lit[lamp.function] else shape.colour or _GREY
            markers.append(LampMarker(lamp.function, lamp.link, shape, colour))
        return LampMarkers(tuple(markers))
