# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How late messages come that carry the time of another computer's clock."""

from __future__ import annotations

# Of the time that passes: by so much clocks may drift apart, and a way that has become longer for
# good counts as the usual one some time later.
_FORGETTING = 0.01


class Lateness:
    """Delay of messages beyond the least of late, whatever the clock of their sender says.

    A network that was cut hands over at once what was sent in the meantime.
    """

    def __init__(self) -> None:
        self._least: float | None = None
        self._noted_at = 0.0

    def of(self, sent: float, now: float) -> float:
        """How late a message is [s], 0 for the fastest.

        sent: by the clock of the sender; now: by the own one, which never goes back [s].
        """
        delay = now - sent
        if self._least is not None:
            self._least += _FORGETTING * (now - self._noted_at)
        self._noted_at = now
        if self._least is None or delay < self._least:
            self._least = delay
        return delay - self._least
