# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller that never answers where its gain is negative."""

import time


class Hanging:
    def __init__(self, vehicle, gain=1.0):
        self.gain = gain

    def command(self, odometry, reference):
        while self.gain < 0.0:
            # Leaves the core to others.
            time.sleep(0.05)
        return 0.5, 0.0
