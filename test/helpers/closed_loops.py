# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whole loops without ROS, as a configuration describes them."""

from dataclasses import replace

from racecar.metrics.laps import lap_times
from racecar.simulation.closed_loop import run_loop
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop


def make(name, trajectory, *, vehicle='racecar', simulator=None, linearizer=None, **tracker):
    """Return a loop at its start; keywords are parameters of the tracker."""
    stack = find_stack(name)
    values = {d.executable: d.resolve() for d in describe_stack(name, StackOptions(
        vehicle=vehicle, trajectory=trajectory, overrides={
            node: changes for node, changes in (
                (stack.tracker, tracker), (stack.simulator, simulator or {}),
                (stack.linearizer, linearizer or {})) if node}))}
    return make_loop(stack, values)


def run(name, trajectory, duration, **options):
    """Return tracker and table of a run; options as in make()."""
    loop = make(name, trajectory, **options)
    return loop.tracker, run_loop(loop, duration)


def metrics_with_laps(table, tracker, skip=0.0):
    """Return what a batch gives for the rows of a car: the laps of its path are among them.

    tracker: one that has run, so that it knows where its reference began.
    """
    track = table.track()
    laps = lap_times(tracker.course(), track.t, track.x, track.y)
    return replace(table.metrics(skip), laps=laps)
