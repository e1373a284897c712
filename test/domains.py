# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS domains for tests, so that no two of them hear each other."""

import contextlib
import fcntl
import os
from pathlib import Path
import tempfile

DOMAINS = range(101, 233)


def claim_domain(stack: contextlib.ExitStack) -> int:
    """Return a ROS domain that no other test process of this machine uses until the stack ends."""
    offset = os.getpid() % len(DOMAINS)
    for domain in [*DOMAINS[offset:], *DOMAINS[:offset]]:
        path = Path(tempfile.gettempdir()) / f'racecar_test_domain_{domain}'
        with contextlib.suppress(OSError):
            file = stack.enter_context(path.open('a'))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return domain
    raise RuntimeError('all ROS domains from 101 to 232 are in use by other tests')
