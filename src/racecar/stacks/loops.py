# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a configuration without ROS, from the values of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from racecar.core.control.linearizer import LINEARIZERS, make_linearizer
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.simulation.batch import ClosedLoop
from racecar.core.simulation.simulator import make_simulator, Simulator

Values = Mapping[str, Mapping[str, Any]]
"""Value of every parameter of every node: {executable: {parameter: value}}."""


def make_loop(values: Values, simulator: Simulator | None = None) -> ClosedLoop:
    """Build tracker, linearizer and simulator, or take a simulator that is built already.

    Raises RacecarError if values contradict each other.
    """
    executable = next(name for name in values if name in LINEARIZERS)
    return ClosedLoop(
        TrajectoryTracker(dict(values['trajectory_tracker'])),
        make_linearizer(executable, values[executable]),
        simulator or make_simulator(values['single_track_simulator']))
