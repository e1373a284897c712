# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The age of what was heard last, by a clock that may not run yet or be set."""

from __future__ import annotations


def effective_stamp(stamp_ns: int, now_ns: int) -> int:
    """Stamp that counts [ns]: now for an unstamped message, and for one from the future.

    A future stamp means another clock; taken as it is, its sender would never time out. Before
    the clock runs (now is 0) the stamp is all there is: keep it in a LastStamp.
    """
    if now_ns == 0:
        return stamp_ns
    return now_ns if stamp_ns == 0 else min(stamp_ns, now_ns)


class LastStamp:
    """Stamp of the newest message of a kind.

    A stamp that lies ahead of the clock is of another one, such as the computer's before the first
    /clock, or the time went back. It becomes the first time that the running clock then shows:
    the message grows old from there on, where it would have stayed young for ever.

    stamp_ns: the stamp, or that time [ns].
    """

    def __init__(self, stamp_ns: int) -> None:
        """stamp_ns: [ns]."""
        self.stamp_ns = stamp_ns

    def age_ns(self, now_ns: int) -> int:
        """Age at a time [ns]; not positive while the clock does not run (0)."""
        if now_ns > 0:
            self.stamp_ns = min(self.stamp_ns, now_ns)
        return now_ns - self.stamp_ns
