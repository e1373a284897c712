# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS domains for tests, so that no two of them hear each other."""

import contextlib

from racecar.ros import domains

# Apart from those that the demo takes.
DOMAINS = range(102, 233)


def claim_domain(stack: contextlib.ExitStack) -> int:
    """Return a ROS domain that no other test process of this machine uses until the stack ends."""
    return domains.claim_domain(stack, DOMAINS)
