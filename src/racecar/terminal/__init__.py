# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The terminal that the user sits at: keys in, pictures of characters out; knows no ROS."""
