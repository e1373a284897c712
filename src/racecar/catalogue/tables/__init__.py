# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter tables of the nodes, a file for those that need the same modules."""
