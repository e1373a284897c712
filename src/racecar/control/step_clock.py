# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The time between the steps of a tracker or a law."""

from __future__ import annotations

from racecar.base.types import NANOSECONDS


class StepClock:
    """Tells how long ago the step before was.

    last_ns: its time [ns], None if there was none.
    """

    def __init__(self) -> None:
        """Start without a step before."""
        self.last_ns: int | None = None

    def restart(self) -> None:
        """Forget the step before."""
        self.last_ns = None

    def step(self, now_ns: int) -> float:
        """Return the time since the step before [s], and note the present one [ns].

        0 at the first step and for a time that is not later.
        """
        last_ns, self.last_ns = self.last_ns, now_ns
        return max(0, now_ns - last_ns) / NANOSECONDS if last_ns is not None else 0.0
