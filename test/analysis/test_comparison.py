# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is computed of a run for its figures: motion, cross-track error, tables side by side."""

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.analysis.comparison import compared_quantities, ComparedRun, comparison_report
from racecar.analysis.cross_track import cross_track_error
from racecar.analysis.motion import Motion
from racecar.analysis.run_charts import gg_chart, path_chart, paths_chart, ShownRun, time_chart
from racecar.base.run_file import RecordedNode, RunFile
from racecar.metrics.path_metrics import PATH_WINDOW
from racecar.metrics.tracking_error import compute_metrics, MergedTrack


def circle(speed=2.0, radius=4.0, duration=20.0, rate=50.0):
    t = np.arange(round(duration * rate)) / rate
    angle = speed / radius * t
    zero = np.zeros_like(t)
    return Motion(t, radius * np.sin(angle), radius * (1 - np.cos(angle)), angle, zero + speed,
                  zero, zero + speed / radius, t, zero + speed, zero + 0.1)


def beside(offset, duration=10.0):
    """Return a track `offset` to the left of a straight path."""
    t = np.linspace(0.0, duration, 401)
    return MergedTrack(t, t, np.full_like(t, offset), t, np.zeros_like(t))


def test_on_a_circle_the_lateral_acceleration_is_that_of_the_textbook():
    longitudinal, lateral = circle(2.0, 4.0).accelerations
    assert lateral == pytest.approx(np.full_like(lateral, 2.0**2 / 4.0))
    assert longitudinal == pytest.approx(np.zeros_like(longitudinal), abs=1e-12)


def test_accelerations_are_those_of_the_point_whatever_its_sideslip():
    """A point that moves straight on while its body turns has none."""
    t = np.linspace(0.0, 5.0, 2001)
    yaw = 0.8 * t
    motion = Motion(t, 3.0 * t, 0.0 * t, yaw, 3.0 * np.cos(yaw), -3.0 * np.sin(yaw),
                    np.full_like(t, 0.8))
    for values in motion.accelerations:
        assert np.abs(values[1:-1]).max() < 1e-5


def test_figures_of_a_drive():
    motion = circle(2.0, 4.0, 20.0, 50.0)
    found = motion.as_dict()
    assert found['distance'] == pytest.approx(2.0 * motion.duration, rel=1e-4)
    assert found['max_speed'] == pytest.approx(2.0)
    backwards = motion._replace(vx=-motion.vx)
    assert np.all(backwards.speed == -2.0)
    late = motion.without_start(19.0)
    assert (late.t[0], late.t.size, late.command_t.size) == (19.0, 50, 50)
    assert motion.without_start(1e9).t.size == 1


@pytest.mark.parametrize('offset', [0.3, -0.3])
def test_left_of_the_path_the_cross_track_error_is_positive(offset):
    times, errors = cross_track_error(beside(offset))
    assert errors == pytest.approx(np.full_like(times, offset))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_the_cross_track_error_over_time_has_the_rms_and_maximum_of_the_metrics(seed):
    generator = np.random.default_rng(seed)
    t = np.cumsum(generator.uniform(0.01, 0.2, 150))
    angle = 0.3 * t
    track = MergedTrack(
        t, 5.0 * np.cos(angle) + generator.normal(0.0, 0.2, t.size),
        3.0 * np.sin(2 * angle) + generator.normal(0.0, 0.2, t.size),
        5.0 * np.cos(angle), 3.0 * np.sin(2 * angle))
    _, errors = cross_track_error(track)
    path = compute_metrics(track).path
    assert path is not None
    assert math.sqrt(np.mean(errors**2)) == pytest.approx(path.cross_track_rmse, rel=1e-9)
    assert np.abs(errors).max() == pytest.approx(path.max_cross_track_error, rel=1e-9)


def test_the_nearest_point_is_sought_within_the_window_only():
    """The path passes the same place again after longer than the window."""
    t = np.array([0.0, 1.0, 2.0 + 2.0 * PATH_WINDOW, 3.0 + 2.0 * PATH_WINDOW])
    track = MergedTrack(t, np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 0.0, 2.0, 2.0]),
                        np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, 0.0]))
    _, errors = cross_track_error(track)
    assert errors == pytest.approx([0.0, 0.0, 2.0, 2.0])


def test_of_a_long_run_some_samples_are_looked_at():
    times, errors = cross_track_error(beside(0.1), most=50)
    assert times.size == 50
    assert errors == pytest.approx(np.full(50, 0.1))
    one = MergedTrack(*(np.array([value]) for value in (0.0, 1.0, 2.0, 1.0, 1.0)))
    assert cross_track_error(one)[1] == pytest.approx([1.0])


def shown(name, offset=0.1, **more):
    motion = circle()
    track = MergedTrack(motion.t, motion.x, motion.y, motion.x, motion.y - offset)
    return ShownRun(name, motion._replace(**more), track)


def compared(name, offset=0.1, file=None):
    run = shown(name, offset)
    return ComparedRun(run, compute_metrics(run.track), f'{name}.csv', file=file)


def traces(chart):
    return json.loads(chart.as_json())['data']


def test_figures_of_one_run_show_what_was_desired_and_commanded():
    run = shown('run')
    assert {trace['name'] for trace in traces(time_chart([run], 0.1))} == {
        'commanded', 'desired', 'actual', 'error'}
    path = traces(path_chart(run))
    assert [trace['name'] for trace in path] == ['driven at 2 m/s', 'desired', 'start', 'end']
    faster = run._replace(motion=run.motion._replace(vx=2.0 + 0.1 * run.motion.t))
    path = traces(path_chart(faster))
    assert [trace['name'] for trace in path] == ['driven', 'driven', 'desired', 'start', 'end']
    assert path[1]['marker']['color'][0] == pytest.approx(2.0)
    chart = json.loads(time_chart([run], 0.1).as_json())
    assert [shape['y0'] for shape in chart['layout']['shapes']] == [0.1]


def test_slip_has_a_panel_where_the_run_has_it():
    t = np.array([0.0, 1.0])
    state = {'state_t': t, 'steering': t, 'slip_front': t, 'slip_rear': t}
    assert 'front axle' in {trace['name'] for trace in traces(time_chart([shown('a', **state)]))}
    pair = [shown('a', **state), shown('b')]
    panels = [key for key in json.loads(time_chart(pair).as_json())['layout'] if 'yaxis' in key]
    assert len(panels) == 5


def test_the_paths_of_some_runs_have_their_references_once():
    one, other = shown('a'), shown('b')
    far = shown('c', offset=3.0)
    names = [trace['name'] for trace in traces(paths_chart([one, other, far]))]
    assert names == ['a', 'b', 'c', 'desired', 'desired of c']
    drive = other._replace(track=None)
    assert [trace['name'] for trace in traces(paths_chart([drive]))] == ['b']


def test_a_step_at_the_start_does_not_squeeze_the_g_g_diagram():
    speed = np.concatenate([np.zeros(1), np.full(999, 2.0)])
    chart = gg_chart([ShownRun('a', circle()._replace(vx=speed), None)])
    assert json.loads(chart.as_json())['layout']['xaxis']['range'][1] == pytest.approx(1.2)
    assert max(traces(chart)[0]['y']) > 40.0


def test_runs_side_by_side_share_their_rows_and_miss_what_they_do_not_have():
    without = ComparedRun(ShownRun('b', circle(), None), None, 'b.csv')
    rows = {row.name: row.texts() for row in compared_quantities(
        [compared('a'), without])}
    assert rows['RMSE'] == (['0.1000', '-'], 'm')
    assert rows['maximum speed'] == (['2.000', '2.000'], 'm/s')
    assert compared('a').as_dict()['rmse'] == pytest.approx(0.1)
    assert 'rmse' not in without.as_dict()


def test_the_report_of_a_comparison_marks_the_best_and_says_what_was_different():
    def file(gain, version):
        return RunFile('simulate', 'kinematic_ode', {}, {
            'tracker': RecordedNode('tracker', {'Kp': gain, 'Ki': 0.0, 'lockstep': gain > 1.0})},
            environment={'numpy': version, 'Python': '3.11'})

    text = comparison_report([
        compared('good <1>', 0.1, file(1.0, '2.0')),
        compared('bad', 0.2, file(3.0, '2.1'))]).text()
    assert '<td class="number best">0.1000</td><td class="number">0.2000</td>' in text
    assert '<th scope="row">tracker.Kp</th><td>1.0</td><td>3.0</td>' in text
    assert 'tracker.Ki' not in text.partition('Source</h2>')[0]
    assert 'tracker.lockstep' not in text
    assert '<th scope="row">numpy</th><td>2.0</td><td>2.1</td>' in text
    assert 'good &lt;1&gt;' in text
    assert 'good <1>' not in text
