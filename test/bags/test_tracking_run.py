# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace
from pathlib import Path

from bag_samples import ACKERMANN, COUNT, ODOMETRY, START_NS
import numpy as np
from presence import present
import pytest

from racecar.analysis.html_report import tracking_report
from racecar.bags.drive_log import read_drive_log
from racecar.bags.summary import BagSummary, find_topic, TopicSummary
from racecar.bags.tracking_run import read_tracking_run
from racecar.base.errors import BagError
from racecar.metrics.tracking_error import compute_metrics

SECOND = 10**9
DATE = 1_700_000_000 * SECOND


def test_run_from_every_kind_of_bag(bag):
    run = read_tracking_run(bag).run
    assert (run.odometry_name, run.reference_name) == ('/vesc/odom', '/reference_trajectory')
    assert run.name == 'run'
    assert run.origin_ns == START_NS
    assert run.t == pytest.approx(np.arange(40) / 20, abs=1e-12)
    assert run.reference_t == pytest.approx(np.arange(200) / 100, abs=1e-12)
    assert run.yaw == pytest.approx(np.full(40, 0.25))
    assert run.warnings == ()
    # The odometry runs 0.1 m beside the reference; equal stamps are met exactly.
    metrics = compute_metrics(run.merged())
    assert metrics.rmse == pytest.approx(0.1, rel=1e-12)
    assert metrics.max_error == pytest.approx(0.1, rel=1e-12)
    assert metrics.sum_squared_error == pytest.approx(0.4)
    assert metrics.ise == pytest.approx(0.01 * 1.95)
    assert metrics.samples == 40
    assert metrics.duration == pytest.approx(1.95)
    assert compute_metrics(run.merged(1.0)).samples == 20


@pytest.mark.parametrize(('counts', 'collisions'), [
    ([], None), ([0], 0), ([0, 1, 2], 2),
    # A reset, after which it counts anew.
    ([0, 1, 2, 0, 1], 3), ([2, 0, 3], 5)])
def test_collisions_are_summed_over_resets(counts, collisions, write_bag, messages):
    rows = [(topic, ODOMETRY, tick * SECOND // 10,
             messages.odometry(tick * SECOND // 10, 0.1 * tick, 0.0))
            for tick in range(5) for topic in ('/reference_trajectory', '/vesc/odom')]
    rows += [('/collisions', COUNT, 2 * SECOND + i, messages.count(count))
             for i, count in enumerate(counts)]
    run = read_tracking_run(write_bag(rows)).run
    assert run.collisions == collisions
    metrics = replace(compute_metrics(run.merged()), collisions=run.collisions)
    page = tracking_report(run, run.merged(), metrics, 0.0, ()).text()
    assert ('>collisions<' in page) == (collisions is not None)


@pytest.mark.parametrize('namespace', ['', '/car1'])
def test_relayed_odometry_does_not_count_twice(namespace, write_bag, rows):
    """As in a bag of all topics: the simulators send theirs on pf/pose/odom, too."""
    relayed = [('/pf/pose/odom', *row[1:]) for row in rows if row[0] == '/vesc/odom']
    bag = write_bag([(namespace + topic, *rest) for topic, *rest in relayed + rows])
    assert len(read_tracking_run(bag).run.t) == 40
    assert len(read_drive_log(bag).drive.t) == 40


def test_header_stamps_are_the_time_base(write_bag, messages):
    rows = []
    for tick in range(20):
        stamp = tick * SECOND // 10
        # Recorded late and out of step with the stamps.
        rows.append(('/reference_trajectory', ODOMETRY, 100 * SECOND + tick,
                     messages.odometry(stamp, 0.1 * tick, 0.0)))
        rows.append(('/vesc/odom', ODOMETRY, 300 * SECOND + 3 * tick,
                     messages.odometry(stamp + SECOND // 20, 0.1 * tick + 0.05, 0.0)))
    run = read_tracking_run(write_bag(rows)).run
    metrics = compute_metrics(run.merged())
    assert run.origin_ns == 0
    assert metrics.samples == 19  # the last lies behind the reference
    assert metrics.rmse == pytest.approx(0.0, abs=1e-15)


def summary(**topics):
    return BagSummary(
        path=Path('run'), files=(), storage='mcap', size=0, topics=tuple(
            TopicSummary(name.replace('__', '/'), kind, 3) for name, kind in topics.items()))


@pytest.mark.parametrize(('topics', 'names', 'expected'), [
    (['/vesc/odom', '/odom'], ('/vesc/odom', '/odom'), '/vesc/odom'),
    (['/odom', '/car1/vesc/odom'], ('/vesc/odom', '/odom'), '/odom'),
    (['/car1/vesc/odom', '/car1/pf/pose/odom'], ('/vesc/odom', '/odom'), '/car1/vesc/odom'),
    (['/car1/odom'], ('/vesc/odom', '/odom'), '/car1/odom'),
    (['/a/state', '/b/other'], ('state',), '/a/state'),
])
def test_topic_is_found(topics, names, expected):
    assert find_topic(summary(**dict.fromkeys(topics, ODOMETRY)), names, ODOMETRY) == expected


def test_ambiguous_topic_lists_the_candidates():
    bag = summary(**dict.fromkeys(['/car1/vesc/odom', '/car2/vesc/odom'], ODOMETRY))
    with pytest.raises(BagError, match='/car1/vesc/odom or /car2/vesc/odom'):
        find_topic(bag, ('/vesc/odom', '/odom'), ODOMETRY)
    assert find_topic(bag, ('/car2/vesc/odom',), ODOMETRY) == '/car2/vesc/odom'


def test_only_odometry_is_a_candidate():
    bag = summary(**{'/car1/vesc/odom': ACKERMANN})
    with pytest.raises(BagError, match=r'/vesc/odom is missing; it has /car1/vesc/odom \(acker'):
        find_topic(bag, ('/vesc/odom',), ODOMETRY)
    with pytest.raises(BagError, match='/car1/vesc/odom is ackermann_msgs.*expected nav_msgs'):
        find_topic(bag, ('/car1/vesc/odom',), ODOMETRY)


def test_part_of_a_name_is_no_candidate():
    with pytest.raises(BagError, match='/odom is missing'):
        find_topic(summary(**{'/wheelodom': ODOMETRY}), ('/odom',), ODOMETRY)


def test_missing_topics_are_named(write_bag, rows):
    path = write_bag([row for row in rows if row[0] != '/vesc/odom'])
    with pytest.raises(BagError, match=r'/vesc/odom and /odom .* are missing; it has /command'):
        read_tracking_run(path)
    with pytest.raises(BagError, match='/other is missing'):
        read_tracking_run(path, odometry_topic='other')


def odometry_rows(messages, topic, stamps):
    return [(topic, ODOMETRY, index, messages.odometry(stamp, 1.0, 2.0))
            for index, stamp in enumerate(stamps)]


def test_unset_stamps(write_bag, messages):
    path = write_bag(odometry_rows(messages, '/vesc/odom', [0, 0, 0])
                     + odometry_rows(messages, '/reference_trajectory', [0, 1, 2]))
    with pytest.raises(BagError, match='all 3 messages on /vesc/odom carry the stamp 0 ns'):
        read_tracking_run(path)


def test_restart_and_pause_are_mentioned(write_bag, messages):
    stamps = [tick * SECOND // 10 for tick in range(10)]
    path = write_bag(
        odometry_rows(messages, '/vesc/odom', stamps + stamps[:3])
        + odometry_rows(messages, '/reference_trajectory', [*stamps, 30 * SECOND]))
    run = read_tracking_run(path).run
    back, pause = run.warnings
    assert '/vesc/odom step back 1 times' in back
    assert '/reference_trajectory pauses for 29.1 s at 0.9 s' in pause


def test_progress(bag):
    seen = []
    read_tracking_run(bag, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (240, 240)


def rolling_rows(messages, topic, stamps, speed=0.0):
    return [(topic, ODOMETRY, stamp, messages.odometry(stamp, 1.0, 2.0, speed=speed))
            for stamp in stamps]


@pytest.mark.parametrize(('origin', 'speed', 'expected'), [
    (0, 0.5, ()), (2 * 10**9, 0.0, ()), (DATE, 0.0, ()),
    (2 * 10**9, 0.5, (
        'the recording begins late, up to 2 s after the start of /reference_trajectory; the errors'
        ' before are not in the numbers. Begin to record before the tracker is active',)),
    (DATE, -0.5, (
        'the recording begins late, when /reference_trajectory was under way; the errors before'
        ' are not in the numbers. Begin to record before the tracker is active',))])
def test_what_the_start_of_a_bag_says(write_bag, messages, origin, speed, expected):
    stamps = [origin + tick * 10**7 for tick in range(50)]
    run = read_tracking_run(write_bag([
        row for topic in ('/vesc/odom', '/reference_trajectory')
        for row in rolling_rows(messages, topic, stamps, speed)])).run
    assert run.warnings == expected


def test_the_path_of_the_namespace_counts(write_bag, messages):
    stamps = [DATE + tick * 10**7 for tick in range(50)]
    path = 'nav_msgs/msg/Path'
    run = read_tracking_run(write_bag([
        ('/reference_path', path, DATE, messages.path(DATE - 7 * 10**9)),
        ('/car1/reference_path', path, DATE, messages.path(DATE - 3 * 10**9)),
        *rolling_rows(messages, '/car1/vesc/odom', stamps),
        *rolling_rows(messages, '/car1/reference_trajectory', stamps)])).run
    delay, is_certain = present(run.late)
    assert delay == pytest.approx(3.0)
    assert is_certain is False


def test_report_of_a_bag_says_where_it_came_from(bag):
    run, _ = recorded = read_tracking_run(bag)
    track = run.merged()
    text = tracking_report(
        run, track, compute_metrics(track), source=recorded.source).text()
    for fact in (str(bag), '/vesc/odom, 40 samples, 20.0 Hz',
                 '/reference_trajectory, 200 samples, 100.0 Hz', '280 messages on 3 topics',
                 '2023-11-14 22:13:20 UTC'):
        assert fact in text
