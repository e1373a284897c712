# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Looking at running nodes: what they publish, offer and are set to."""
