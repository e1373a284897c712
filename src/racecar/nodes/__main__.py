# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`python -m racecar.nodes NODE ...`: what `ros2 run racecar NODE ...` does."""

import sys

from racecar.nodes.shared.entry import run_executable
from racecar.signals import ending_with_the_reader

# ROS takes what follows the name of the node from here.
sys.argv = sys.argv[1:] or ['']
with ending_with_the_reader():
    sys.exit(run_executable(sys.argv[0], sys.argv))
