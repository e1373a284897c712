# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whole loops without ROS, as a configuration describes them."""

from racecar.core.control.linearizer import LINEARIZERS, make_linearizer
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.simulation.closed_loop import run_closed_loop
from racecar.core.simulation.simulator import make_simulator
from racecar.stacks import describe_stack, StackOptions


def run(stack, trajectory, duration, *, vehicle='racecar', simulator=None, linearizer=None,
        **tracker):
    """Return tracker and table of a run; keywords are parameters of the tracker."""
    law = next(name for name in LINEARIZERS if name.startswith(stack.split('_')[0]))
    values = {d.executable: d.resolve() for d in describe_stack(stack, StackOptions(
        vehicle=vehicle, trajectory=trajectory, overrides={
            'trajectory_tracker': tracker, 'single_track_simulator': simulator or {},
            law: linearizer or {}}))}
    found = TrajectoryTracker(values['trajectory_tracker'])
    return found, run_closed_loop(
        found, make_linearizer(law, values[law]),
        make_simulator(values['single_track_simulator']), duration)
