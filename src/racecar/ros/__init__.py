# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every node needs of ROS: parameters, QoS, conversions, clock, start and stop."""
