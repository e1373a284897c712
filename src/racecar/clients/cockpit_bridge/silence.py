# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the odometry of a robot still comes."""

from __future__ import annotations

import time

from racecar.cockpit.pages import Pages

# A robot whose simulator is not paused publishes something within this [s].
_LONGEST_SILENCE = 2.0


class SilenceWatch:
    """Reports to pages that the robot is there, has fallen silent, or is back."""

    def __init__(self, pages: Pages, topic: str, text: str) -> None:
        """topic: of the odometry. text: what is looked at, for people."""
        self._pages = pages
        self._topic = topic
        self._text = text
        self._last: tuple[int, float] = (-1, 0.0)
        self._is_lost = False
        pages.report_state('running', text)

    def look(self, last_ns: int, *, paused: bool) -> None:
        """Compare with the stamp of the newest odometry [ns]; to be called now and then."""
        now = time.monotonic()
        if last_ns != self._last[0] or paused:
            self._last = last_ns, now
        is_lost = now - self._last[1] > _LONGEST_SILENCE
        if is_lost == self._is_lost:
            return
        self._is_lost = is_lost
        if is_lost:
            self._pages.report_state(
                'lost', f'no odometry on {self._topic} for {_LONGEST_SILENCE:g} s: it has ended,'
                ' or somebody paused it')
        else:
            self._pages.report_state('running', self._text)
