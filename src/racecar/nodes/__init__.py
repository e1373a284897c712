# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One module per executable; each joins a part of the rooms without ROS with racecar.ros."""

import sys

from racecar.signals import code_of_node, end_at_once_on_signals

# So Python calls a program that it is about to import: `python -m racecar.nodes.NODE`.
if sys.argv[:1] == ['-m']:
    end_at_once_on_signals(code_of_node)
