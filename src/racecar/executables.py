# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the processes of this package begin; signals are handled before the slow imports."""

from __future__ import annotations

import os
import sys

from racecar.base.starting import begin_process
from racecar.signals import (
    code_of_command,
    code_of_node,
    end_at_once_on_signals,
    end_with_launch,
    ending_with_the_reader,
)


def node() -> int:
    """Run the node whose name the executable has."""
    begin_process()
    end_at_once_on_signals(code_of_node)
    end_with_launch()
    from racecar.nodes.shared.entry import run_executable

    with ending_with_the_reader():
        return run_executable(os.path.basename(sys.argv[0]), sys.argv)


def command() -> int:
    """Run the command `racecar`."""
    begin_process()
    end_at_once_on_signals(code_of_command)
    from racecar.cli.main import main

    with ending_with_the_reader():
        return main()
