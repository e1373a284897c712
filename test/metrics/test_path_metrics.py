# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cross-track, heading and speed error: against formulas, plain loops, and in pieces."""

import math
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
from path_by_loops import metrics_by_loops
from presence import present
import pytest

from racecar.base.compiled import has_compiler
from racecar.base.errors import RunError
from racecar.metrics.path_batch import PathMetricsSum
from racecar.metrics.path_metrics import PATH_WINDOW
from racecar.metrics.run_table import COLUMNS, RunMetrics, RunTable
from racecar.metrics.tracking_error import compute_metrics, MergedTrack
from racecar.simulation.closed_loop import run_closed_loop
from racecar.stacks import describe_stack, find_tracking_stack, StackOptions
from racecar.stacks.loops import make_loop

H = 0.01
T = H * np.arange(4001, dtype=np.float64)


def path(x, y, reference_x, reference_y, skip=0.0, t=T):
    track = MergedTrack(t, *(np.broadcast_to(values, t.shape).astype(float)
                             for values in (x, y, reference_x, reference_y)))
    return compute_metrics(track, skip).path


def circle(radius, rate=0.3, late=0.0, t=T):
    return radius * np.cos(rate * (t - late)), radius * np.sin(rate * (t - late))


def drive(trajectory, duration):
    stack = find_tracking_stack('kinematic_ode')
    values = {d.executable: d.resolve()
              for d in describe_stack(stack.name, StackOptions(trajectory=trajectory))}
    return run_closed_loop(*make_loop(stack, values), duration)


def test_line_with_an_offset_and_another_speed():
    # 1.2 m/s against 1 m/s for 5 s: never so far ahead that the path in the window ends.
    t = T[:501]
    found = path(1.2 * t, 0.25, t, 0.0, t=t)
    is_on_path = 1.2 * t <= t[-1]
    beyond = np.where(is_on_path, 0.0, 1.2 * t - t[-1])
    assert found.cross_track_rmse == pytest.approx(
        math.sqrt(np.mean(0.25**2 + beyond**2)), rel=1e-12)
    assert found.heading_rmse == pytest.approx(0.0, abs=1e-12)
    assert found.speed_rmse == pytest.approx(0.2, rel=1e-9)


def test_line_at_an_angle():
    t = T[:201]
    angle = 0.1
    found = path(t * math.cos(angle), t * math.sin(angle), t, 0.0, t=t)
    assert found.heading_rmse == pytest.approx(angle, rel=1e-9)
    assert found.cross_track_rmse == pytest.approx(
        math.sin(angle) * math.sqrt(np.mean(t**2)), rel=1e-9)
    assert found.max_cross_track_error == pytest.approx(2.0 * math.sin(angle), rel=1e-9)
    assert found.speed_rmse == pytest.approx(0.0, abs=1e-12)


def test_circle_of_another_radius_and_late():
    metrics = compute_metrics(MergedTrack(T, *circle(5.3, late=2.0), *circle(5.0)), 2.0)
    # The chords of the path lie inside the circle by up to R (1 - cos(w h / 2)).
    sagitta = 5.0 * (1.0 - math.cos(0.3 * H / 2))
    assert present(metrics.path).cross_track_rmse == pytest.approx(0.3, abs=sagitta)
    assert present(metrics.path).max_cross_track_error == pytest.approx(0.3, abs=sagitta)
    # Less one difference to one side, at the last sample.
    assert present(metrics.path).heading_rmse == pytest.approx(0.0, abs=1e-4)
    sampled = math.sin(0.3 * H) / (0.3 * H)
    assert present(metrics.path).speed_rmse == pytest.approx(0.3 * 0.3 * sampled, rel=1e-9)
    assert metrics.rmse > 2.5


def test_late_on_the_same_circle_there_is_no_error_but_that_of_time():
    metrics = compute_metrics(MergedTrack(T, *circle(5.0, late=2.5), *circle(5.0)), 2.5)
    assert present(metrics.path).cross_track_rmse < 1e-9
    assert present(metrics.path).heading_rmse == pytest.approx(0.0, abs=1e-4)
    assert metrics.rmse == pytest.approx(2 * 5.0 * math.sin(0.3 * 2.5 / 2), rel=1e-9)


def test_later_than_the_window_the_end_of_the_window_is_nearest():
    late = PATH_WINDOW + 1.0
    found = path(T - late, 0.0, T, 0.0, late)
    assert 1.0 - 1e-9 < found.cross_track_rmse < 1.0 + H
    assert found.heading_rmse == pytest.approx(0.0, abs=1e-9)


def test_the_other_branch_of_a_crossing_is_not_taken_for_the_path():
    # On the eight the car drives straight on along the other diagonal, 31 s early.
    w = 0.1
    t = H * np.arange(7001)
    x, y = 5.0 * np.sin(w * t), 5.0 * np.sin(w * t) * np.cos(w * t)
    at = np.abs(t - math.pi / w) <= 1.0
    tau = t[at] - math.pi / w
    rows = np.stack([t, x, y, x, y])
    rows[2, at] = -rows[2, at]
    total = PathMetricsSum()
    total.add(rows)
    # Near the crossing the branches are straight and at right angles.
    assert total.result().max_cross_track_error == pytest.approx(
        5.0 * math.sqrt(2.0) * w * abs(tau[0]), rel=0.02)


def test_standing_still_there_is_no_course():
    found = path(0.0, 0.1, 0.0, 0.0)
    assert (found.heading_rmse, found.speed_rmse) == (None, 0.0)
    assert found.cross_track_rmse == pytest.approx(0.1)
    assert [row[1] for row in found.as_rows()] == ['0.1000', '0.1000', '-', '0.000']


def test_one_sample_has_neither_course_nor_speed():
    found = path([3.0], [4.0], [0.0], [0.0], t=np.array([7.0]))
    assert found.as_dict() == {
        'cross_track_rmse': 5.0, 'max_cross_track_error': 5.0, 'heading_rmse': None,
        'speed_rmse': None}


@pytest.mark.parametrize('late', [0.0, 0.3, 1.0])
def test_to_and_fro_on_a_line_is_followed_in_reverse_too(late):
    # Forwards, backwards, ...: the same line, driven 0.1 rad askew about its middle.
    def position(t):
        return 1.5 * np.sin(0.5 * t)
    moved = position(T - late)
    found = path(moved * math.cos(0.1), moved * math.sin(0.1), position(T), 0.0, late)
    assert found.heading_rmse == pytest.approx(0.1, rel=1e-3)


def test_the_wrong_way_round_is_an_error_of_half_a_turn():
    found = path(*circle(5.0, -0.3), *circle(5.0))
    # Within the window both are near only around each half lap; the course is compared anyway.
    assert found.heading_rmse > 0.7
    against = path(-T[:101], 0.0, T[:101], 0.0, t=T[:101])
    assert against.heading_rmse == pytest.approx(math.pi)


def test_parking_is_followed_backwards():
    table = drive('parking', 30.0)
    assert np.min(table.column('vx')) < -0.2
    found = table.metrics().path
    assert found.max_cross_track_error < 0.002
    assert found.heading_rmse < 0.02
    assert found.speed_rmse < 0.02
    # The same car, late: the path is still followed, also where it turns back.
    t, rows = table.column('time'), table.rows.copy()
    for name in ('x', 'y', 'yaw'):
        column = COLUMNS.index(name)
        rows[:, column] = np.interp(t - 0.5, t, rows[:, column])
    late = RunTable(rows).metrics(0.5)
    assert late.max_error > 0.2
    assert present(late.path).max_cross_track_error < 0.01
    assert present(late.path).heading_rmse == pytest.approx(0.0, abs=0.1)


SMALL = st.floats(-10.0, 10.0, width=16)
STEPS = st.sampled_from([0.01, 0.05, 0.2, 1.0, 7.0])


def drawn_run(data, size):
    """Rows of a run at uneven steps, whose path and car may rest, and go to and fro."""
    t = np.cumsum(data.draw(arrays(float, size, elements=STEPS)))
    if data.draw(st.booleans()):
        return np.stack([t, *data.draw(arrays(float, (4, size), elements=SMALL))])
    moves = data.draw(arrays(
        float, (4, size), elements=st.sampled_from([0.0, 0.0, 0.02, -0.02, 0.3, 1.0, -1.0])))
    return np.stack([t, *np.cumsum(moves, axis=1)])


@given(st.data(), st.integers(2, 120), st.sampled_from([0.0, 1.0, 4.0]), st.integers(1, 40))
def test_metrics_are_those_of_plain_loops_over_all_segments(data, size, skip, piece):
    rows = drawn_run(data, size)
    start = min(rows[0, 0] + skip, rows[0, -1])
    total = PathMetricsSum(piece)
    total.add(rows, start)
    found = total.result().as_dict()
    for name, expected in metrics_by_loops(rows, start).items():
        if expected is None:
            assert found[name] is None
        else:
            assert found[name] == pytest.approx(expected, rel=1e-12, abs=1e-12), name


@given(st.data(), st.integers(2, 120), st.lists(st.integers(0, 120), max_size=6),
       st.sampled_from([0.0, 1.0, 4.0]), st.integers(1, 40))
def test_metrics_of_pieces_are_those_of_the_whole(data, size, cuts, skip, piece):
    rows = drawn_run(data, size)
    whole, pieces = PathMetricsSum(1000), PathMetricsSum(piece)
    start = min(rows[0, 0] + skip, rows[0, -1])
    whole.add(rows, start)
    for first, end in zip([0, *sorted(cuts)], [*sorted(cuts), size], strict=True):
        pieces.add(rows[:, first:end], start)
        if first < min(end, size) and rows[0, min(end, size) - 1] >= start:
            # Asking for it changes nothing.
            pieces.result()
    assert pieces.result() == whole.result()
    assert pieces.result() == whole.result()


def test_a_run_whose_rate_rises_has_the_metrics_of_the_whole():
    # 10 Hz, 1 kHz, 10 Hz: the window comes to hold a hundred times as many samples.
    t = np.cumsum(np.concatenate([np.full(n, h) for n, h in [
        (100, 0.1), (9000, 0.001), (100, 0.1)]]))
    rows = np.stack([t, *circle(5.1, late=0.4, t=t), *circle(5.0, t=t)])
    total, whole = PathMetricsSum(16), PathMetricsSum(t.size)
    total.add(rows)
    whole.add(rows)
    assert total.result() == whole.result()
    assert total.result().cross_track_rmse == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize('rows', [np.empty((5, 0)), np.zeros((5, 1))])
def test_a_run_of_which_nothing_counts_is_refused(rows):
    total = PathMetricsSum()
    total.add(rows, 1.0)
    with pytest.raises(ValueError, match='no sample counts, expected at least one at 1 s or'):
        total.result()


@pytest.mark.parametrize('of_path', [0.0, 0.4, 1.0])
@pytest.mark.parametrize('far', [1e160, 1e200, 1e308])
def test_positions_whose_squares_overflow_are_refused(far, of_path):
    t = T[:1000]
    x = np.where(t > 1.0, far, 0.0)
    total = PathMetricsSum()
    total.add(np.stack([t, x, 0.0 * t, np.where(t > 2.0, -far * of_path, t), 0.0 * t]))
    with pytest.raises(RunError, match='positions below 1e150 m; the run diverged'):
        total.result()


@pytest.mark.parametrize('skip', [0.0, 1.0, 60.0])
@pytest.mark.parametrize('size', [1000, 2048, 4097, 30_000])
def test_rows_in_chunks_give_the_digits_of_the_table(size, skip):
    t = H * np.arange(20_000)
    noise = np.random.default_rng(5).normal(0.0, 0.01, (2, t.size))
    rows = np.zeros((t.size, len(COLUMNS)))
    rows[:, 0] = t
    rows[:, 1:3] = (np.stack(circle(5.1, 0.3, 0.4, t)) + noise).T
    rows[:, 3] = 0.3 * t
    rows[:, 7:9] = np.stack(circle(5.0, 0.3, 0.0, t)).T
    found = RunMetrics(0.16, skip)
    for first in range(0, t.size, size):
        found.add(rows[first:first + size])
    assert found.result() == RunTable(rows, 0.16).metrics(skip)


def test_memory_does_not_grow_with_the_run_nor_with_a_reference_at_rest():
    total = PathMetricsSum()
    tracemalloc.start()
    try:
        for first in range(0, 200_000 if has_compiler() else 40_000, 2000):
            t = H * np.arange(first, first + 2000)
            total.add(np.stack([t, 0.1 * np.sin(t), 0.1 * np.cos(t), 0.0 * t, 0.0 * t]))
        size, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 1e6
    assert peak < 50e6
