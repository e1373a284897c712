# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of Hypothesis for all tests."""

from hypothesis import HealthCheck, settings

# The same examples in each run, and no deadline for one: the first compiles, and others may have
# the computer to themselves. `--hypothesis-profile=default` looks for new ones.
settings.register_profile(
    'repeatable', derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('repeatable')
