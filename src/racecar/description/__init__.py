# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot description: links, joints and shapes of a robot, read from URDF."""
