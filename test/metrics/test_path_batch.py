# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Metrics against the path of many cars at once: those of each car alone, to the bit."""

from dataclasses import fields
import functools
import itertools
import os
from pathlib import Path
import subprocess
import sys
import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
from path_by_loops import nearest_by_loops
import pytest

from racecar.base.compiled import compiled
from racecar.base.vectors import vector
from racecar.metrics.path_batch import PathBatch, PathColumns, PathWindows
from racecar.metrics.path_kernels import Corners, nearest_point, POINT_NUMBERS
from racecar.metrics.path_metrics import PATH_WINDOW, PathMetrics
from racecar.metrics.tracking_error import compute_metrics, MergedTrack

STRIDE = 5
ROOT = Path(__file__).parents[2]

coarse = st.integers(-3, 3).map(float)
number = st.one_of(coarse, st.floats(-10.0, 10.0))


def add(batch, points, pieces, ends):
    """Add (ticks, POINT_NUMBERS, cars) in pieces; ends: ticks at which cars diverge."""
    cars = points.shape[2]
    wide = np.zeros((len(points), POINT_NUMBERS, STRIDE))
    wide[:, :, :cars] = points
    first = 0
    for piece in pieces:
        ticks = min(piece, len(points) - first)
        if ticks:
            last = first + ticks - 1
            batch.add(vector(wide[first:last + 1].ravel()), STRIDE, first, ticks, vector(
                [float(end) if 0 <= end <= last else -1.0 for end in ends]))
        first += ticks


def test_columns_are_the_fields_of_the_metrics():
    assert PathColumns._fields == tuple(field.name for field in fields(PathMetrics))


@functools.cache
def nearest_kernels():
    """The function as it is, and compiled."""
    def nearest(x, y, path, count, low, high, guess, longest):
        return nearest_point(x, y, Corners(path, 0, count, low, high, longest), guess)

    return nearest, compiled(
        nearest, '(float64, float64, float64[::1], int64, int64, int64, int64, float64)')


@settings(max_examples=200)
@given(st.data())
def test_nearest_point_is_that_of_a_plain_loop_whatever_the_guess(data):
    # Places that come several times: the path rests, crosses and lies upon itself.
    places = data.draw(arrays(float, (2, data.draw(st.integers(1, 12))), elements=number))
    chosen = data.draw(st.lists(st.integers(0, places.shape[1] - 1), min_size=1, max_size=60))
    path = places[:, chosen]
    count = path.shape[1]
    low = data.draw(st.integers(0, count - 1))
    high = data.draw(st.integers(low, count - 1))
    guess = data.draw(st.integers(low, high))
    x, y = data.draw(number), data.draw(number)
    steps = np.hypot(*np.diff(path))
    way = np.concatenate([[0.0], np.cumsum(steps)])
    rest = np.arange(count)
    for k in range(1, count):
        rest[k] = rest[k - 1] if (path[:, k] == path[:, k - 1]).all() else k
    wanted = nearest_by_loops(x, y, path[0].tolist(), path[1].tolist(), low, high)
    for nearest in nearest_kernels():
        assert tuple(nearest(
            x, y, vector(np.concatenate([*path, way, rest])), count, low, high, guess,
            float(steps.max(initial=0.0)))) == wanted


@settings(max_examples=60)
@given(st.data())
def test_cars_side_by_side_have_the_metrics_of_each_alone(data):
    ticks, cars = data.draw(st.integers(2, 80)), data.draw(st.integers(1, STRIDE))
    # Windows of a few ticks, so that the rows are moved often; also of none.
    period = data.draw(st.sampled_from([0.2, 0.5, 1.0, 4.0]))
    t = period * np.arange(ticks, dtype=np.float64)
    steps = data.draw(arrays(
        float, (ticks, POINT_NUMBERS, cars), elements=st.sampled_from(
            [0.0, 0.0, 0.02, -0.02, 0.3, 1.0, -1.0])))
    points = np.cumsum(steps, axis=0)
    ends = data.draw(st.lists(st.integers(-1, ticks - 1), min_size=cars, max_size=cars))
    skip = data.draw(st.sampled_from([0.0, 0.7, period * ticks / 2, period * ticks]))
    piece = data.draw(st.integers(1, 5))
    pieces = data.draw(st.lists(st.integers(1, piece), max_size=20)) + [piece] * ticks
    batch = PathBatch(PathWindows(vector(t), skip), cars, piece)
    add(batch, points, pieces, ends)
    found = batch.result()
    for car, end in enumerate(ends):
        end = ticks - 1 if end < 0 else end
        track = MergedTrack(t[:end + 1], *points[:end + 1, :, car].T)
        if t[end] < skip:
            assert found.metrics(car) is None
            continue
        assert found.metrics(car) == compute_metrics(track, skip).path


def test_a_car_that_is_late_on_a_line_has_its_window():
    # One second late at 1 m/s: on the path; five: 2 m behind the end of the window.
    t = 0.01 * np.arange(1001, dtype=np.float64)
    points = np.zeros((len(t), POINT_NUMBERS, 2))
    for car, late in enumerate((1.0, 5.0)):
        points[:, 0, car], points[:, 2, car] = t - late, t
    batch = PathBatch(PathWindows(vector(t), 5.0), 2, 64)
    add(batch, points, itertools.repeat(64, 16), (-1, -1))
    found = batch.result()
    assert found.cross_track_rmse == pytest.approx([0.0, 5.0 - PATH_WINDOW], abs=0.011)
    assert found.heading_rmse == pytest.approx([0.0, 0.0], abs=1e-9)
    assert found.speed_rmse == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_car_whose_squares_overflow_does_not_touch_the_others():
    t = 0.01 * np.arange(600, dtype=np.float64)
    points = np.zeros((len(t), POINT_NUMBERS, 3))
    points[:, 0], points[:, 1], points[:, 2] = t[:, None], 0.1, t[:, None]
    points[300:, 0, 1], points[400:, 2, 1] = 1e200, -1e308
    batch = PathBatch(PathWindows(vector(t), 0.0), 3, 64)
    add(batch, points, itertools.repeat(64, 10), (-1, -1, -1))
    found = batch.result()
    assert not np.isfinite(found.cross_track_rmse[1])
    for car in (0, 2):
        assert found.metrics(car) == compute_metrics(
            MergedTrack(t, *points[:, :, car].T)).path


def test_memory_does_not_grow_with_the_run():
    peaks = []
    for ticks in (1_000, 4_000):
        t = 0.01 * np.arange(ticks, dtype=np.float64)
        windows = PathWindows(vector(t), 0.0)
        points = np.stack([t, 0.1 * t, t, 0.0 * t], axis=1)[:, :, None]
        tracemalloc.start()
        batch = PathBatch(windows, 1, 64)
        for first in range(0, ticks, 64):
            chunk = points[first:first + 64]
            batch.add(vector(chunk.ravel()), 1, first, len(chunk), vector([-1.0]))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


# Runs in a process of its own, where nothing is compiled yet; prints whether the kernel is before
# and after what must not wait for a compiler.
FORMS = """
import io, sys
import numpy as np
from racecar.cli import simulate
from racecar.cli.main import main
from racecar.metrics.path_kernels import path_kernel
from racecar.metrics.run_table import COLUMNS, RunMetrics
from racecar.simulation.batch import BatchSimulation
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop
forms = []
def note(*_):
    forms.append(int(path_kernel().is_compiled))
note()
class Bar(simulate.ProgressBar):
    def __enter__(self):
        note()
        return super().__enter__()
def loop(model):
    return make_loop(find_stack('kinematic_ode'), {
        d.executable: d.resolve() for d in describe_stack('kinematic_ode', StackOptions(
            overrides={'single_track_simulator': {'vehicle_model': model}}))})
if sys.argv[1] == 'up':
    metrics = RunMetrics()
    note()
    metrics.add(np.arange(5000)[:, None] * np.ones(len(COLUMNS)))
    metrics.result()
elif sys.argv[1] == 'simulate':
    simulate.ProgressBar, sys.stdout = Bar, io.StringIO()
    assert main(['simulate', 'kinematic_ode', '--duration', '1']) == 0
    sys.stdout = sys.__stdout__
else:
    batch = BatchSimulation([loop(model) for model in sys.argv[2:]])
    note()
    batch.run(0.2, with_path=True)
note()
print(*forms)
"""


# A short run is done before the compiler would be.
@pytest.mark.parametrize(('arguments', 'forms'), [
    (('up',), '0 1 1'), (('simulate',), '0 0 0'), (('batch', 'single_track'), '0 1 1'),
    (('batch', 'single_track', 'kinematic_bicycle'), '0 1 1')])
def test_what_runs_does_not_wait_for_the_compiler(arguments, forms):
    pytest.importorskip('numba')
    done = subprocess.run(
        [sys.executable, '-c', FORMS, *arguments], check=True, text=True, stdout=subprocess.PIPE,
        timeout=240, env={**os.environ, 'PYTHONPATH': str(ROOT / 'src')})
    assert done.stdout.strip() == forms
