# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a disk without room is stood in for by: files that must not grow."""

import contextlib
import resource
import sys

NO_BYTECODE = 'import sys; sys.dont_write_bytecode = True\n'
"""Before a limit in a process: Python 3.11 would keep halves of the modules that it compiles
there, and end when it reads them."""


@contextlib.contextmanager
def growing_no_further_than(size):
    """Files of this process end at a size [bytes]."""
    limits, writes_none = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = writes_none
