# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of runs, and the errors of a run against its reference and the path of that."""
