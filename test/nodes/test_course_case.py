# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The grader of a case of a course, with a simulator whose time and readings the test gives."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from node_bench import command, odometry, stamp
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import LaserScan

from racecar.base.types import NANOSECONDS
from racecar.courses.lab import read_lab

pytestmark = pytest.mark.ros

LAB = """
summary: along a wall
topic_names: rss
nodes: [{executables: [mine]}]
check: {kind: wall, side: left, distance: 1.0, end: [50.0, 0.0]}
cases:
  one: {}
"""


class Composed:
    """A stack of which the test is the simulator."""

    def __init__(self):
        self.observers = {}
        self.returns = 0
        self.plant = SimpleNamespace(time_ns=0, entities=[])
        self.simulator = SimpleNamespace(
            plant=self.plant, is_reckoned=False, on_command=None, on_obeyed=None,
            hold=lambda held: None, return_to_start=self._return,
            resolve_topic_name=lambda topic: f'/{topic}')

    def _return(self):
        self.returns += 1

    def observe(self, topic, observer):
        """Note who wants what is published."""
        self.observers[topic] = observer

    def show(self, at, **motion):
        """Let the odometry of a time come [s]."""
        self.plant.time_ns = round(at * NANOSECONDS)
        self.observers['/vesc/odom'](bytes(serialize_message(odometry(at, **motion))))

    def see(self, at, left):
        """Let a scan come that sees a wall so far to the left [m]."""
        scan = LaserScan(angle_min=1.4, angle_max=1.5, angle_increment=0.1, range_max=100.0)
        scan.header.stamp = stamp(at)
        scan.ranges = [left / math.sin(1.4), left / math.sin(1.5)]
        self.observers['/scan'](bytes(serialize_message(scan)))


@pytest.fixture
def case_of(bench, tmp_path):
    """Make the grader of a lab, and the stack that it looks at."""
    from racecar.courses.node_case import CaseNode

    def make(lab):
        path = tmp_path / 'lab.yaml'
        path.write_text(lab)
        case, = read_lab(path).cases
        composed: Any = Composed()
        return bench.add(CaseNode(composed, case, [])), composed
    return make


def test_what_was_seen_before_the_car_was_let_go_does_not_count(bench, case_of):
    node, composed = case_of(LAB)
    # The farthest scan of all, which the wall of the way is not.
    composed.see(0.0, left=4.0)
    composed.show(0.0)
    assert node.samples == []
    bench.send('/drive', command(0.0, 1.0))
    bench.until(lambda: math.isfinite(node.real_time_factor), 'the case to begin')
    composed.show(0.02, x=0.02, vx=1.0)
    composed.see(0.04, left=1.5)
    composed.show(0.04, x=0.04, vx=1.0)
    before, after = node.samples
    assert math.isnan(before.left)
    assert (after.left, after.time) == pytest.approx((1.5, 0.04))


def test_commands_of_the_warm_up_are_obeyed_from_the_start(case_of):
    node, composed = case_of(LAB.replace('one: {}', 'one: {warm_up: 2}'))
    composed.show(0.0)
    for number in (1, 2):
        # Put back before and not after, so that the command is in force.
        composed.simulator.on_command()
        assert composed.returns == number
        assert math.isnan(node.real_time_factor)
        composed.simulator.on_obeyed()
        assert composed.returns == number
    assert math.isfinite(node.real_time_factor)
    composed.show(0.02, x=0.02, vx=1.0)
    composed.simulator.on_command()
    assert composed.returns == 2
    assert len(node.samples) == 1
