# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The nodes; each module joins a part of the rooms without ROS with racecar.ros."""

import sys

from racecar.signals import code_of_node, end_at_once_on_signals

# So Python calls a program that it is about to import: `python -m racecar.nodes NODE`.
if sys.argv[:1] == ['-m']:
    end_at_once_on_signals(code_of_node)
    for word in sys.orig_argv:
        if word.startswith(f'{__name__}.'):
            # The module alone would do nothing, without a word.
            sys.exit(f'[node not started] error: {word} is no program, expected `python -m'
                     f' {__name__} {word.removeprefix(f"{__name__}.")}`')
