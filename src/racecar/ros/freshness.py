# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a message is young enough, and of the clock of this node."""

from __future__ import annotations

from racecar.core.types import NANOSECONDS

_HINT = ' (do sender and receiver use the same clock, see use_sim_time?)'


def effective_stamp(stamp_ns: int, now_ns: int) -> int:
    """Return the stamp to reckon with: now for an unstamped or a future message.

    A future stamp means another clock; taken as it is, its sender would never time out. Before
    the first /clock message (now is 0) the stamp is all there is.
    """
    if now_ns == 0:
        return stamp_ns
    return now_ns if stamp_ns == 0 else min(stamp_ns, now_ns)


def staleness(stamp_ns: int, now_ns: int, timeout: float) -> str | None:
    """Return a sentence if the message is older than the timeout [s], else None."""
    age = (now_ns - effective_stamp(stamp_ns, now_ns)) / NANOSECONDS
    if age <= timeout:
        return None
    return f'its stamp is {age:.3f} s old, more than the timeout of {timeout:g} s{_HINT}'


def earliness(stamp_ns: int, now_ns: int, timeout: float) -> str | None:
    """Return a sentence if the message is from further in the future than the timeout [s]."""
    lead = (stamp_ns - now_ns) / NANOSECONDS
    if now_ns == 0 or lead <= timeout:
        return None
    return f'its stamp is {lead:.3f} s in the future{_HINT}'
