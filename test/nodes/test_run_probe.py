# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the metrics of `up` come from: every message of a lockstep run, or an error."""

import csv
import json
from typing import Any

from bag_samples import messages_in
from node_bench import command, odometry
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, RunError
from racecar.cli.main import main
from racecar.clients.run_probe import RunProbe
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode

pytestmark = pytest.mark.ros

ODOMETRY, REFERENCE = '/vesc/odom', '/reference_trajectory'
COMMAND = '/vesc/ackermann_cmd_mux/input/navigation'
PERIOD_NS = 10_000_000
UP = ('up', 'dynamic_ode', '--lockstep', '--trajectory', 'circle', '--real-time-factor', '0')


class Run:
    """A probe, and the messages of a lockstep run."""

    def __init__(self, bench, period_ns=PERIOD_NS, on_rows=None):
        self.bench = bench
        self.rows: list[Any] = []
        self.probe = bench.add(RunProbe(on_rows or self.rows.append, period_ns=period_ns))

    def send(self, ticks, *topics):
        messages = {ODOMETRY: odometry, REFERENCE: odometry, COMMAND: command}
        for tick in ticks:
            for topic in topics or messages:
                self.bench.send(topic, messages[topic](0.01 * tick, 1.0))

    def finish(self, end=None, **more):
        """End the node while messages wait for it; return the stamps of the rows."""
        self.bench.remove(self.probe)
        self.probe.finish(None if end is None else end * PERIOD_NS, **more)
        return np.vstack(self.rows)[:, 0]


def test_messages_that_still_wait_are_part_of_the_run(bench):
    run = Run(bench)
    run.send(range(20))
    assert not run.probe.has_heard(40 * PERIOD_NS)
    assert run.finish(19).tolist() == [round(0.01 * tick, 9) for tick in range(20)]
    assert run.probe.has_heard(19 * PERIOD_NS)
    assert run.probe.unreferenced == 0


@pytest.mark.parametrize(('topic', 'missing', 'message'), [
    (ODOMETRY, {3, 4}, '2 of 10 messages did not come'),
    (ODOMETRY, {0}, 'the first 1 messages did not come'),
    (ODOMETRY, {9}, 'the end at 0.09 s did not come, the last was 0.08 s'),
    (COMMAND, {5}, '1 of 10 messages did not come'),
    (COMMAND, {8, 9}, 'the end at 0.09 s did not come, the last was 0.07 s'),
    (REFERENCE, {0, 1}, 'the first 2 messages did not come')])
def test_message_that_did_not_come_is_an_error_that_says_so(bench, topic, missing, message):
    run = Run(bench)
    for tick in range(10):
        run.send([tick], *(t for t in (ODOMETRY, REFERENCE, COMMAND)
                           if t != topic or tick not in missing))
    with pytest.raises(RunError, match=f'the tracking error is not known: on {topic} {message}'):
        run.finish(9)


@pytest.mark.parametrize('topic', [ODOMETRY, REFERENCE])
def test_topic_that_is_silent_is_named(bench, topic):
    run = Run(bench)
    run.send(range(3), *(t for t in (ODOMETRY, REFERENCE, COMMAND) if t != topic))
    with pytest.raises(RunError, match=f'nothing came on {topic}'):
        run.finish(2)


def test_reference_of_a_tracker_that_is_activated_late_counts_from_there(bench):
    run = Run(bench)
    run.send(range(5), ODOMETRY, COMMAND)
    run.send(range(5, 10))
    assert run.finish(9, from_the_start=False).tolist() == [0.05, 0.06, 0.07, 0.08, 0.09]
    assert run.probe.unreferenced == 5


def test_run_that_was_broken_off_counts_as_far_as_it_went(bench):
    run = Run(bench)
    run.send(range(5))
    run.send([5], ODOMETRY, REFERENCE)
    assert len(run.finish()) == 6


def test_without_lockstep_only_the_end_is_known(bench):
    run = Run(bench, period_ns=None)
    run.send(range(0, 10, 3))
    assert len(run.finish(9)) == 4
    with pytest.raises(RunError, match=r'the end at 0\.1 s did not come, the last was 0\.09 s'):
        run.probe.finish(10 * PERIOD_NS)


def test_failure_of_who_takes_the_rows_is_told_at_the_end(bench):
    def refuse(rows):
        raise ConfigurationError('the disk is full')

    run = Run(bench, on_rows=refuse)
    run.send(range(3))
    with pytest.raises(ConfigurationError, match='the disk is full'):
        run.finish(2)


# The command


def test_tracked_point_is_known_even_if_its_message_never_comes(capfd, monkeypatch):
    publishing = TrajectoryTrackerNode.create_publisher

    def create_publisher(node, message_type, topic, *more, **options):
        lost = 'lost' if topic == 'tracked_point' else topic
        return publishing(node, message_type, lost, *more, **options)

    monkeypatch.setattr(TrajectoryTrackerNode, 'create_publisher', create_publisher)
    results = []
    for start in (UP, ('simulate', 'dynamic_ode', '--trajectory', 'circle')):
        assert main([*start, '--duration', '1', '--json']) == 0
        results.append(json.loads(capfd.readouterr().out))
        del results[-1]['real_time_factor']
    assert results[0] == results[1]
    assert results[0]['max_error'] < 0.01


def test_metrics_and_csv_of_a_run_longer_than_what_is_held(tmp_path, capfd):
    arguments = ['--duration', '50', '--skip', '1', '--json']
    results = []
    for start in (UP, ('simulate', 'dynamic_ode', '--trajectory', 'circle')):
        path = tmp_path / f'{start[0]}.csv'
        assert main([*start, *arguments, '--csv', str(path)]) == 0
        results.append(json.loads(capfd.readouterr().out))
        del results[-1]['real_time_factor']
        with path.open() as stream:
            results.append(list(csv.reader(stream)))
    assert results[:2] == results[2:]
    assert len(results[1]) == 5002


@pytest.mark.parametrize('parameter', [
    'trajectory_tracker.Kp=-1', 'trajectory_tracker.waypoints_file=absent.csv'])
def test_value_that_is_refused_leaves_no_bag(tmp_path, capsys, parameter):
    bag = tmp_path / 'bag'
    assert main([*UP, '--trajectory', 'waypoints', '--set', parameter, '--record', str(bag)]) == 1
    assert f"parameter '{parameter.split('.')[1].split('=')[0]}'" in capsys.readouterr().err
    assert not bag.exists()


def test_tracked_point_is_in_the_bag_of_the_shortest_run(tmp_path):
    for run in range(3):
        bag = tmp_path / str(run)
        assert main([*UP, '--duration', '0.05', '--record', str(bag)]) == 0
        point, = messages_in(bag, ['/tracked_point'])
        assert point.message.point.x > 0.1
        assert len(messages_in(bag, ['/vesc/odom'])) == 6
