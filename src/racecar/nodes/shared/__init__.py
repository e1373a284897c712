# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What several nodes share."""
