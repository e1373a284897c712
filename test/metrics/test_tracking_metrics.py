# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
import math

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, RunError
from racecar.metrics.tracking_error import compute_metrics, merge_by_stamp, MergedTrack

# Of 32 bits: the squares of smaller ones would not be exact.
NUMBERS = st.floats(-1e3, 1e3, width=32)


def track(t, error_x, error_y):
    zero = np.zeros(len(t))
    return MergedTrack(
        np.array(t, float), np.array(error_x, float), np.array(error_y, float), zero, zero)


@st.composite
def samples(draw, low=0.0, high=100.0):
    """Times in whole milliseconds, unsorted and with repetitions, and positions."""
    ticks = draw(st.lists(
        st.integers(round(low * 1000), round(high * 1000)), min_size=1, max_size=40))
    size = len(ticks)
    return (np.array(ticks) / 1000, draw(arrays(float, size, elements=NUMBERS)),
            draw(arrays(float, size, elements=NUMBERS)))


def test_a_345_triangle():
    metrics = compute_metrics(track([0, 1, 3], [3, 0, 3], [4, 0, 4]))
    assert metrics.rmse == pytest.approx(math.sqrt(50 / 3))
    assert metrics.sum_squared_error == 50
    assert metrics.ise == 25 / 2 * 1 + 25 / 2 * 2
    assert metrics.max_error == 5
    assert (metrics.samples, metrics.duration) == (3, 3)


def test_ise_is_the_integral():
    # e = sin t over 10 s, which the trapezoid rule meets to second order.
    t = np.linspace(0, 10, 2001)
    exact = 5 - math.sin(20) / 4
    assert compute_metrics(track(t, np.sin(t), 0 * t)).ise == pytest.approx(exact, rel=1e-5)
    # Not so the plain sum, which doubles with the rate.
    twice = np.linspace(0, 10, 4001)
    once = compute_metrics(track(t, np.sin(t), 0 * t))
    again = compute_metrics(track(twice, np.sin(twice), 0 * twice))
    assert again.ise == pytest.approx(once.ise, rel=1e-5)
    assert again.sum_squared_error == pytest.approx(2 * once.sum_squared_error, rel=1e-3)


def test_figures_of_the_report_fit_together():
    # facts/mit_racecar 7.6: 1600 samples at 20 Hz, RMSE 0.0919 m, printed "ISE" 13.5161.
    t = np.arange(1600) / 20
    metrics = compute_metrics(track(t, np.full(1600, 0.0919), 0 * t))
    assert metrics.sum_squared_error == pytest.approx(13.5161, rel=1e-3)
    assert metrics.ise == pytest.approx(0.0919**2 * 79.95)


def test_one_sample():
    metrics = compute_metrics(track([4], [3], [4]))
    assert (metrics.rmse, metrics.ise, metrics.duration, metrics.samples) == (5, 0, 0, 1)


@given(samples())
def test_metrics_against_plain_loops(given_samples):
    t, x, y = given_samples
    metrics = compute_metrics(merge_by_stamp(t, x, y, [0.0, 100.0], [0.0, 0.0], [0.0, 0.0]))
    last = {time: (x[index], y[index]) for index, time in enumerate(t)}
    times = sorted(last)
    squares = [last[time][0]**2 + last[time][1]**2 for time in times]
    assert metrics.samples == len(times)
    assert metrics.duration == times[-1] - times[0]
    assert metrics.rmse == pytest.approx(math.sqrt(math.fsum(squares) / len(squares)))
    assert metrics.sum_squared_error == pytest.approx(math.fsum(squares))
    assert metrics.max_error == pytest.approx(math.sqrt(max(squares)))
    pieces = [
        (squares[index] + squares[index + 1]) / 2 * (times[index + 1] - times[index])
        for index in range(len(times) - 1)]
    assert metrics.ise == pytest.approx(math.fsum(pieces))
    assert metrics.rmse <= metrics.max_error * (1 + 1e-12)


@given(samples(), st.randoms(use_true_random=False))
def test_identical_stamps_are_used_exactly(reference, random):
    t, x, y = reference
    merged = merge_by_stamp(t, x, y, t, x, y)
    assert np.all(merged.squared_error == 0.0)
    assert np.array_equal(merged.t, np.unique(t))
    # The order does not count once the stamps differ.
    order = list(range(merged.t.size))
    random.shuffle(order)
    shuffled = merge_by_stamp(
        merged.t[order], merged.x[order], merged.y[order], t, x, y)
    for name in ('t', 'x', 'y', 'reference_x', 'reference_y'):
        assert np.array_equal(getattr(shuffled, name), getattr(merged, name))


@given(samples(-20.0, 120.0), NUMBERS, NUMBERS, st.lists(
    st.integers(0, 100), min_size=2, max_size=20, unique=True))
def test_a_straight_reference_is_interpolated_without_error(odometry, slope, offset, nodes):
    t, x, y = odometry
    nodes = np.array(nodes, float)
    inside = (t >= nodes.min()) & (t <= nodes.max())
    given_reference = (nodes, slope * nodes + offset, offset - slope * nodes)
    if not inside.any():
        with pytest.raises(RunError, match='no odometry sample'):
            merge_by_stamp(t, x, y, *given_reference)
        return
    merged = merge_by_stamp(t, x, y, *given_reference)
    assert np.array_equal(merged.t, np.unique(t[inside]))
    scale = 1e-9 * (1 + abs(slope) * 100 + abs(offset))
    assert merged.reference_x == pytest.approx(slope * merged.t + offset, abs=scale)
    assert merged.reference_y == pytest.approx(offset - slope * merged.t, abs=scale)


@given(samples(), samples())
def test_interpolation_stays_between_its_neighbours(odometry, reference):
    try:
        merged = merge_by_stamp(*odometry, *reference)
    except RunError:
        return
    last = dict(zip(reference[0], reference[1], strict=True))
    for time, value in zip(merged.t, merged.reference_x, strict=True):
        before = last[max(node for node in last if node <= time)]
        after = last[min(node for node in last if node >= time)]
        slack = 1e-9 * (abs(before) + abs(after))
        assert min(before, after) - slack <= value <= max(before, after) + slack


def test_last_of_equal_stamps_counts():
    merged = merge_by_stamp(
        [1, 0, 1], [7, 0, 8], [0, 0, 0], [0, 1, 1, 2], [0, 5, 6, 0], [0, 0, 0, 0])
    assert merged.x.tolist() == [0, 8]
    assert merged.reference_x.tolist() == [0, 6]


def test_no_overlap_names_both_spans():
    with pytest.raises(RunError, match=r'\[105.000, 106.000\] s.*\[100.000, 102.500\] s'):
        merge_by_stamp([5, 6], [0, 0], [0, 0], [0, 2.5], [0, 0], [0, 0], origin=100.0)


def test_empty_sides():
    with pytest.raises(RunError, match='odometry: there are no samples'):
        merge_by_stamp([], [], [], [0], [0], [0])
    with pytest.raises(RunError, match='reference: there are no samples'):
        merge_by_stamp([0], [0], [0], [], [], [])


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite(bad):
    with pytest.raises(RunError, match='odometry: 1 of 3 samples.*at 1 s'):
        merge_by_stamp([0, 1, 2], [0, bad, 0], [0, 0, 0], [0, 2], [0, 0], [0, 0])
    with pytest.raises(RunError, match='reference: 1 of 2 samples'):
        merge_by_stamp([0, 1, 2], [0, 0, 0], [0, 0, 0], [0, bad], [0, 0], [0, 0])


def test_shapes_must_agree():
    with pytest.raises(ValueError, match='odometry'):
        merge_by_stamp([0, 1], [0], [0], [0], [0], [0])


def test_skip():
    whole = track([10, 11, 12, 13], [9, 1, 1, 1], [0, 0, 0, 0])
    assert whole.without_start(0.0).t.tolist() == [10, 11, 12, 13]
    assert compute_metrics(whole.without_start(0.5)).rmse == 1
    assert whole.without_start(3.0).t.tolist() == [13]
    with pytest.raises(ConfigurationError, match='3.1 s.*overlap for 3 s'):
        whole.without_start(3.1)
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(ConfigurationError, match='at least 0'):
            whole.without_start(bad)
