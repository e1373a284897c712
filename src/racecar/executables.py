# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the processes of this package begin; signals are handled before the slow imports."""

from __future__ import annotations

import os
import sys

from racecar.base.starting import collect_seldom
from racecar.signals import (
    code_of_command,
    code_of_node,
    end_at_once_on_signals,
    end_with_launch,
    ending_with_the_reader,
)


def without_threads_of_blas() -> None:
    """Keep linear algebra in the thread that asks for it, unless the user has said otherwise.

    Matrices are narrow here: further threads of OpenBLAS only wait, with a processor of their own
    at the start and after each call, and the bits of sums can depend on how many they are.
    """
    os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')


def node() -> int:
    """Run the node whose name the executable has."""
    without_threads_of_blas()
    end_at_once_on_signals(code_of_node)
    end_with_launch()
    collect_seldom()
    from racecar.nodes.shared.entry import run_executable

    with ending_with_the_reader():
        return run_executable(os.path.basename(sys.argv[0]), sys.argv)


def command() -> int:
    """Run the command `racecar`."""
    without_threads_of_blas()
    end_at_once_on_signals(code_of_command)
    collect_seldom()
    from racecar.cli.main import main

    with ending_with_the_reader():
        return main()
