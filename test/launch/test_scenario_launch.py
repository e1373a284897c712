# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scenario as a launch test: two lines, as users have them."""

from __future__ import annotations

import pytest

pytest.importorskip('launch_testing', reason='launch_testing is not installed')

from racecar.scenarios.launch_tests import scenario_test

generate_test_description, TestScenario = scenario_test('figure_eight', record=False)
