# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry on pf/pose/odom too, as the original relays it in place of a particle filter."""

from typing import Any

from nav_msgs.msg import Odometry
from node_bench import command, RACECAR
import pytest

from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.ros.topics.sets import topic_sets

pytestmark = pytest.mark.ros

ODOMETRY, RELAYED = '/vesc/odom', '/pf/pose/odom'
COMMAND = '/vesc/low_level/ackermann_cmd_mux/output'


def start(bench, node_class=SingleTrackSimulatorNode, **more):
    return bench.start(node_class, use_sim_time=False, **{**RACECAR, **more})


def test_each_odometry_is_relayed_first_as_it_is(bench):
    order: list[Any] = []
    relayed = bench.listen(RELAYED, Odometry, into=order)
    odometry = bench.listen(ODOMETRY, Odometry)
    start(bench, lockstep=True, real_time_factor=0.0, wait_for_subscribers=1)
    bench.until(lambda: odometry, 'the first odometry')
    for _ in range(20):
        bench.answer(odometry, COMMAND, command(0.0, 1.0, 0.1))
    bench.until(lambda: len(relayed) == len(odometry), 'the last one')
    assert relayed == odometry
    assert odometry[-1].pose.pose.position.x > 0.0


def test_it_lies_in_the_namespace_of_the_car(bench):
    relayed = bench.listen(f'/car1{RELAYED}', Odometry)
    start(bench, namespace='/car1')
    bench.until(lambda: relayed, 'odometry')


@pytest.mark.parametrize('more', [{'relay_odometry': False}, *(
    {'remap': row.topics} for row in topic_sets().values() if row.topics)])
def test_there_is_none_where_it_is_not_wanted_or_odometry_has_another_name(bench, more):
    node = start(bench, **more)
    expected = 1 if 'pf/pose/odom' in more.get('remap', {}).values() else 0
    assert sum(publisher.topic_name == RELAYED for publisher in node.publishers) == expected


def test_it_is_silent_while_a_particle_filter_publishes_there(bench):
    relayed = bench.listen(RELAYED, Odometry)
    node = start(bench)
    bench.until(lambda: relayed, 'odometry')
    own = bench.probe.create_publisher(Odometry, RELAYED, qos.STATE)
    bench.logged(f'odometry is not relayed to {RELAYED} while another node publishes there')
    # What was sent before comes before this.
    last = Odometry()
    last.header.frame_id = 'last'
    odometry = bench.listen(ODOMETRY, Odometry)
    own.publish(last)
    bench.until(lambda: relayed[-1] == last, 'what the filter says')
    bench.until(lambda: len(odometry) >= 10, 'more odometry')
    assert relayed[-1] == last
    bench.probe.destroy_publisher(own)
    bench.until(lambda: relayed[-1] != last, 'odometry again')
    assert node.values['relay_odometry']
