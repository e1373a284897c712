# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run that comes message by message: the same rows and digits as at once, in constant memory."""

import math
import tracemalloc
from typing import Any
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from scipy.integrate import trapezoid

from racecar.base.errors import ConfigurationError, RacecarError, RunError
from racecar.metrics.run_table import COLUMNS, RunCsv, RunJoin, RunMetrics, RunTable
from racecar.metrics.tracking_error import compute_metrics, MergedTrack, MetricsSum

PERIOD = 0.01


def messages(count, first=0):
    """Yield odometry, reference and command of a circle, as lockstep gives them."""
    for i in range(first, first + count):
        t = round(i * PERIOD, 9)
        yield (t, np.cos(t), np.sin(t), t, 1.0, 0.0, 1.0), \
            (t, 1.01 * np.cos(t), np.sin(t) - 0.003 * t), (t, 1.0, 0.1 * np.sin(t))


def join(on_rows, steps):
    found = RunJoin(on_rows)
    for odometry, reference, command in steps:
        found.add_odometry(odometry)
        found.add_reference(reference)
        found.add_command(command)
    found.finish()
    return found


@pytest.fixture(scope='module')
def pieces():
    found: list[Any] = []
    join(found.append, messages(20_000))
    return found



def test_a_column_that_is_none_is_refused_with_the_names():
    table = RunTable(np.zeros((3, len(COLUMNS))))
    with pytest.raises(RacecarError, match="column 'yaw_rat' is unknown; did you mean yaw_rate"):
        table.column('yaw_rat')
    with pytest.raises(RacecarError, match="column 'nope' is unknown"):
        table.column('nope')


def test_a_table_shows_its_length_and_time_only():
    rows = np.zeros((3, len(COLUMNS)))
    rows[:, 0] = 1.0, 2.0, 3.5
    assert repr(RunTable(rows)).startswith('<RunTable: 3 rows of time, x, y, yaw')
    assert repr(RunTable(rows)).endswith(', 1 to 3.5 s>')
    assert repr(RunTable(rows[:0])).endswith('steering_command>')


@pytest.mark.parametrize(('count', 'shown'), [
    (0, []), (10, [*range(10)]), (2000, [0, 1, 2, 3, 4, '…', 1995, 1996, 1997, 1998, 1999])])
def test_a_notebook_shows_the_first_and_the_last_rows(count, shown):
    rows = np.full((count, len(COLUMNS)), np.nan)
    rows[:, 0] = np.arange(count)
    html = RunTable(rows)._repr_html_()
    head, *body = [[''.join(cell.itertext()) for cell in row]
                   for row in ElementTree.fromstring(html).iter('tr')]
    assert head == [*COLUMNS]
    assert [row[0] for row in body] == [str(number) for number in shown]
    assert {row[1] for row in body} <= {'nan', '…'}
    assert f'{count} rows' in html


def test_rows_are_those_of_the_messages_however_long_the_run(pieces):
    rows = np.vstack(pieces)
    assert len(pieces) > 5
    assert rows.tolist() == [
        [*odometry, *reference[1:], *command[1:]]
        for odometry, reference, command in messages(20_000)]


@pytest.mark.parametrize('skip', [0.0, 0.005, 50.0, 150.0])
def test_metrics_of_the_pieces_are_those_of_the_whole_to_the_last_digit(pieces, skip):
    found = RunMetrics(0.16, skip)
    for rows in pieces:
        found.add(rows)
    assert found.result() == RunTable(np.vstack(pieces), 0.16).metrics(skip)
    assert found.span == pytest.approx(199.99)


def test_samples_are_added_one_after_the_other():
    random = np.random.default_rng(1)
    t, x, y = np.arange(4096, dtype=np.float64) * PERIOD, *random.normal(size=(2, 4096))
    squared = x**2 + y**2
    found = compute_metrics(MergedTrack(t, x, y, 0.0 * t, 0.0 * t))
    # As the kernels of a batch do, so that a car in it has the figures that it has alone.
    total = area = 0.0
    for number in squared:
        total += number
    for first, second, elapsed in zip(squared, squared[1:], np.diff(t), strict=False):
        area += 0.5 * (first + second) * elapsed
    assert (found.sum_squared_error, found.ise) == (total, area)
    assert total == pytest.approx(math.fsum(squared), rel=1e-13)
    assert area == pytest.approx(
        0.5 * np.dot(squared[1:] + squared[:-1], np.diff(t)), rel=1e-13)


def test_sums_of_a_long_run_are_right_wherever_it_is_divided():
    random = np.random.default_rng(2)
    t, x, y = np.arange(30_000, dtype=np.float64) * PERIOD, *random.normal(size=(2, 30_000))
    whole = MergedTrack(t, x, y, 0.0 * t, 0.0 * t)
    found = MetricsSum()
    start = 0
    for size in (1, 4095, 1, 0, 9000, 12_345, 30_000):
        part = slice(start, start + size)
        found.add(MergedTrack(t[part], x[part], y[part], 0.0 * t[part], 0.0 * t[part]))
        start += size
    squared = x**2 + y**2
    metrics = found.result()
    assert metrics == compute_metrics(whole)
    assert metrics.ise == pytest.approx(trapezoid(squared, t), rel=1e-12)
    assert metrics.sum_squared_error == pytest.approx(np.sum(squared), rel=1e-12)
    assert (metrics.samples, metrics.max_error) == (30_000, whole.error.max())


def test_memory_does_not_grow_with_the_run():
    metrics = RunMetrics()
    found = RunJoin(metrics.add)
    sizes = []
    tracemalloc.start()
    try:
        for first in range(0, 60_000, 20_000):
            for odometry, reference, command in messages(20_000, first):
                found.add_odometry(odometry)
                found.add_reference(reference)
                found.add_command(command)
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(sizes) < 8e6
    assert sizes[2] < 1.3 * max(sizes[:2])


def test_memory_does_not_grow_while_a_topic_is_silent():
    handed_out: list[Any] = []
    found = RunJoin(handed_out.append)
    tracemalloc.start()
    try:
        for odometry, _, command in messages(50_000):
            found.add_odometry(odometry)
            found.add_command(command)
        size = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert size < 8e6
    assert handed_out == []


def test_short_gap_of_the_reference_is_interpolated_and_a_pause_is_left_out():
    found: list[Any] = []
    steps = list(messages(1000))
    joined = RunJoin(found.append)
    for odometry, reference, command in steps:
        joined.add_odometry(odometry)
        joined.add_command(command)
        if not (1.0 < reference[0] < 1.9 or 4.0 < reference[0] < 5.5):
            joined.add_reference(reference)
    joined.finish()
    t = np.vstack(found)[:, 0]
    assert len(t) == 1000 - 149
    assert not ((t > 4.0) & (t < 5.5)).any()


def test_commands_that_come_later_than_the_odometry_answer_it():
    found: list[Any] = []
    steps = list(messages(9000))
    joined = RunJoin(found.append)
    for i in range(len(steps) + 20):
        if i < len(steps):
            joined.add_odometry(steps[i][0])
        if i >= 20:
            joined.add_command(steps[i - 20][2])
            joined.add_reference(steps[i - 20][1])
    joined.finish()
    whole: list[Any] = []
    join(whole.append, steps)
    assert np.vstack(found).tolist() == np.vstack(whole).tolist()


def test_odometry_from_long_ago_is_counted_and_left_out():
    found: list[Any] = []
    joined = join(found.append, [*messages(9000), *messages(3)])
    assert joined.late == 3
    assert len(np.vstack(found)) == 9000


def test_csv_that_is_written_in_pieces_is_that_of_the_whole(pieces, tmp_path):
    with RunCsv(tmp_path / 'pieces.csv') as file:
        for rows in pieces:
            file.add(rows)
    RunTable(np.vstack(pieces)).write_csv(tmp_path / 'whole.csv')
    text = (tmp_path / 'pieces.csv').read_text()
    assert text == (tmp_path / 'whole.csv').read_text()
    assert text.startswith(','.join(COLUMNS))
    assert text.count('\n') == 20_001


def test_csv_on_a_full_disk_is_one_line(pieces):
    with (pytest.raises(ConfigurationError, match="'/dev/full' cannot be written: No space left"),
          RunCsv('/dev/full') as file):
        file.add(pieces[0])


def test_no_rows_and_too_long_a_skip_are_named(pieces):
    with pytest.raises(RunError, match='no rows'):
        RunMetrics().result()
    metrics = RunMetrics(skip=300.0)
    for rows in pieces:
        metrics.add(rows)
    with pytest.raises(ConfigurationError, match=r'skip is 300 s, .* overlap for 199.99 s only'):
        metrics.result()
