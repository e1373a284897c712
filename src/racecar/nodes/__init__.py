# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One module per executable; each joins a part of racecar.core with racecar.ros."""
