# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a message is young enough, and of the clock of this node."""

from __future__ import annotations

from racecar.base.last_stamp import effective_stamp
from racecar.base.types import NANOSECONDS

_OTHER_CLOCK = 'does its sender use another clock (see use_sim_time)'


def staleness(stamp_ns: int, now_ns: int, timeout: float) -> str | None:
    """Sentence if the message is older than the timeout [s], else None."""
    age = (now_ns - effective_stamp(stamp_ns, now_ns)) / NANOSECONDS
    if age <= timeout:
        return None
    return (f'its stamp is {age:.3f} s old, more than the timeout of {timeout:g} s: is this'
            f' computer too slow, or {_OTHER_CLOCK}?')


def earliness(stamp_ns: int, now_ns: int, timeout: float) -> str | None:
    """Sentence if the message is from further in the future than the timeout [s]."""
    lead = (stamp_ns - now_ns) / NANOSECONDS
    if now_ns == 0 or lead <= timeout:
        return None
    return f'its stamp is {lead:.3f} s in the future: {_OTHER_CLOCK}?'


def wrong_age(stamp_ns: int, now_ns: int, timeout: float) -> str | None:
    """Sentence on a message that is older than the timeout [s], or as far in the future.

    None if it is neither. For what was kept since before the clock ran, as odometry: its sender
    may use another clock.
    """
    return staleness(stamp_ns, now_ns, timeout) or earliness(stamp_ns, now_ns, timeout)
