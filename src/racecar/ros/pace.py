# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the time of a simulator goes on: by wall time and the parameter real_time_factor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import time

from racecar.base.types import NANOSECONDS
from racecar.ros.node import TableNode
from racecar.simulation.ports import Plant

SPELL = 5.0
"""In parts of this length real time is watched [s]."""

# Further behind than this [s] a simulator does not catch up with the wall clock.
_LONGEST_LAG = 0.1
# Waits [s] between two instants: no timer is set for a shorter one, nor at once for a longer one.
_SHORTEST_WAIT, _LONGEST_WAIT = 5e-4, 3600.0
# A timer that is so late [s] does not come any more.
_LOST_AFTER = 1.0
# Slow is a spell below this share of the factor that is wanted; of so many in turn it is told.
_SLOW, _SLOW_SPELLS = 0.95, 2


class Pace:
    """Plans the next instant at which an output is due.

    is_due: whether it has come; begin() and who lets the time go on set it, too.
    """

    def __init__(
        self, node: TableNode, plant: Plant, steps_ahead: Callable[[], int],
        on_due: Callable[[], None],
    ) -> None:
        """steps_ahead: steps of the plant to the next instant; on_due: called once it is due."""
        self._node, self._plant = node, plant
        self._steps_ahead, self._on_due = steps_ahead, on_due
        self.is_due = False
        self._slow_spells = 0
        # When the next instant is due by the steady clock [s], and the number of that plan.
        self._next_at = 0.0
        self._plan = 0
        # Timers are cancelled and reset, never destroyed: the EventsExecutor does not survive a
        # timer that goes away in its own callback.
        self._timer = node.create_timer(1.0, self._on_timer, clock=node.steady_clock)
        self._timer.cancel()
        node.closing.callback(self._drop_plan)
        self.begin_spell()
        self._origin = self._spell

    def begin(self) -> None:
        """Count wall and simulated time from now; at no factor an instant is due at once."""
        self.is_due = self._node.values['real_time_factor'] == 0.0
        self.begin_spell()
        self._origin = self._spell
        self._timer.cancel()
        self._drop_plan()

    def begin_spell(self) -> None:
        """Watch from now on whether the time goes as fast as it is to."""
        self._spell = time.monotonic(), self._plant.time_ns

    def find_lost(self) -> None:
        """Plan anew what has not come in its time."""
        if not self.is_due and time.monotonic() - self._next_at > _LOST_AFTER:
            self.arm()

    def arm(self) -> None:
        """Go on at the wall time of the next instant.

        By a timer only if that takes a while: the EventsExecutor queues the events of one with
        next to no period by the thousand, and then loses its reset.
        """
        factor = self._node.values['real_time_factor']
        now = self._next_at = time.monotonic()
        self._drop_plan()
        if factor > 0.0:
            wall, simulated = self._origin
            next_ns = self._plant.time_ns + self._steps_ahead() * self._plant.step_ns
            due_at = wall + (next_ns - simulated) / NANOSECONDS / factor
            if due_at - now < -_LONGEST_LAG:
                self._origin = (now, next_ns)
            self._next_at = max(due_at, now)
        wait = self._next_at - now
        if wait > _SHORTEST_WAIT:
            self._timer.timer_period_ns = round(min(wait, _LONGEST_WAIT) * NANOSECONDS)
            self._timer.reset()
        elif self._node.executor is not None:
            self._node.executor.create_task(partial(self._on_task, self._plan))

    def _on_timer(self) -> None:
        self._timer.cancel()
        if self._next_at - time.monotonic() > _SHORTEST_WAIT:
            self.arm()
            return
        self.is_due = True
        self._on_due()

    def _drop_plan(self) -> None:
        """Do nothing once a task that waits for its turn has it."""
        self._plan += 1

    def _on_task(self, plan: int) -> None:
        if plan == self._plan:
            self._on_timer()

    def watch(self, *, is_held_up: bool) -> None:
        """Say that this computer is too slow; is_held_up: whether somebody is waited for."""
        factor = self._node.values['real_time_factor']
        wall, simulated = self._spell
        elapsed = time.monotonic() - wall
        if factor == 0.0 or elapsed < SPELL:
            return
        reached = (self._plant.time_ns - simulated) / NANOSECONDS / elapsed
        is_slow = reached < _SLOW * factor and not is_held_up
        self._slow_spells = self._slow_spells + 1 if is_slow else 0
        # Not of one spell, which anybody else may have caused, and not again and again.
        if self._slow_spells == _SLOW_SPELLS:
            self._node.get_logger().warning(
                f'this computer is too slow for {self._node.get_name()}: real-time factor'
                f' {reached:.2f} in place of {factor:g}; lower real_time_factor or the rate'
                + ('' if self._node.values['lockstep'] else ', or use lockstep'))
        self.begin_spell()
