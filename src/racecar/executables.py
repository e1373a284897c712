# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the processes of this package begin."""

from __future__ import annotations

import os.path
import sys


def node() -> int:
    """Run the node whose name the executable has."""
    from racecar.nodes.shared.entry import run_executable

    return run_executable(os.path.basename(sys.argv[0]), sys.argv)


def command() -> int:
    """Run the command `racecar`."""
    from racecar.cli.main import main

    return main()
