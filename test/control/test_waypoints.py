# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Waypoint paths: through the points, within the limits, smooth, and faulty files refused."""

import math
from pathlib import Path
import tempfile

from closed_loops import run
from hypothesis import assume, given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import share_folder
from racecar.control.trajectories import make_trajectory, sample_path, TRAJECTORY_PARAMETERS
from racecar.control.trajectories.waypoint_file import read_way_points, write_centre_line

TRACKS = sorted(path.stem for path in (share_folder() / 'config' / 'tracks').glob('*.csv'))
SQUARE = 'x,y\n0,0\n4,0\n4,4\n0,4\n0,0\n'


def waypoints(file, **values):
    return make_trajectory(TRAJECTORY_PARAMETERS.resolve(
        {'trajectory': 'waypoints', 'waypoints_file': str(file),
         **{f'waypoints_{name}': value for name, value in values.items()}}))


@pytest.fixture
def written(tmp_path):
    """Write a waypoint file and return its path."""
    def write(text):
        path = tmp_path / 'track.csv'
        path.write_text(text, encoding='utf-8')
        return path
    return write


def rows(trajectory, times):
    return np.array([trajectory.at(time) for time in times])


@st.composite
def paths(draw):
    """Return waypoints round the origin that never lie close together, and the limits."""
    count = draw(st.integers(5, 12))
    radii = [draw(st.floats(2.0, 6.0)) for _ in range(count)]
    closed = draw(st.booleans())
    turn = (2.0 if closed else 1.7) * math.pi / count
    points = [(r * math.cos(i * turn), r * math.sin(i * turn)) for i, r in enumerate(radii)]
    speeds = [draw(st.sampled_from(['', '0.5', '1.0', '2.5'])) for _ in range(count)]
    limits = {'speed_limit': draw(st.floats(0.3, 4.0)),
              'lateral_acceleration': draw(st.floats(0.5, 6.0)),
              'longitudinal_acceleration': draw(st.floats(0.3, 4.0))}
    return points, speeds, 'closed' if closed else 'open', limits


def make(path):
    points, speeds, kind, limits = path
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'track.csv'
        file.write_text('x,y,speed\n' + ''.join(
            f'{x!r},{y!r},{v}\n' for (x, y), v in zip(points, speeds, strict=True)))
        return waypoints(file, path=kind, **limits)


@settings(max_examples=15, deadline=None)
@given(paths())
def test_path_passes_through_every_way_point(path):
    trajectory = make(path)
    table = trajectory.plan
    nodes = table.cells[:, [0, 4]]
    last = trajectory.at(trajectory.duration)
    nodes = np.vstack([nodes, [last[:2]]])
    for point in path[0]:
        assert np.hypot(*(nodes - point).T).min() < 1e-9
    # The nodes are where the reference is at their times.
    some = range(0, len(table.cells), 17)
    assert rows(trajectory, [table.times[i] for i in some])[:, :2] == pytest.approx(
        nodes[list(some)], abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(paths())
def test_limits_hold_up_to_the_grid(path):
    trajectory, limits = make(path), path[3]
    times = np.linspace(0.0, trajectory.duration + (trajectory.period or 0.0), 2000)
    x, y, vx, vy, ax, ay = rows(trajectory, times).T
    speed = np.hypot(vx, vy)
    moving = speed > 1e-3
    lateral = np.abs(vx * ay - vy * ax)[moving] / speed[moving]
    along = np.abs(vx * ax + vy * ay)[moving] / speed[moving]
    assert speed.max() <= limits['speed_limit'] * (1.0 + 1e-9)
    assert lateral.max() <= limits['lateral_acceleration'] * 1.05
    assert along.max() <= limits['longitudinal_acceleration'] * (1.0 + 1e-6)
    for (px, py), text in zip(path[0], path[1], strict=True):
        near = np.hypot(x - px, y - py) < 1e-2
        if text and near.any():
            assert speed[near].max() <= float(text) + 0.05


@settings(max_examples=15, deadline=None)
@given(paths(), st.floats(0.01, 1.99))
def test_position_and_velocity_are_continuous_and_fit_each_other(path, share):
    trajectory = make(path)
    end = trajectory.duration
    time = share * end
    assume(trajectory.period is not None or time < end)
    step = 1e-5
    before, at, after = rows(trajectory, [time - step, time, time + step])
    assert at[2:4] == pytest.approx((after[:2] - before[:2]) / (2 * step), abs=1e-3)
    bound = 2.0 * step * (np.hypot(*at[4:]) + path[3]['longitudinal_acceleration']) + 1e-4
    assert np.abs(after[2:4] - before[2:4]).max() < bound


@settings(max_examples=10, deadline=None)
@given(paths())
def test_attitude_is_the_tangent_and_its_rate(path):
    trajectory = make(path)
    for time in np.linspace(0.1, 0.9, 7) * trajectory.duration:
        point, attitude = trajectory.at(time), trajectory.attitude(time)
        assert math.atan2(point.vy, point.vx) == pytest.approx(attitude.heading, abs=1e-9)
        assert point.as_odometry(0).yaw_rate == pytest.approx(attitude.rate, abs=1e-9)
        assert attitude.direction == 1.0


def test_closed_path_starts_from_rest_and_then_laps_for_ever():
    trajectory = waypoints('hall')
    assert trajectory.at(0.0)[:4] == pytest.approx((0.0, 0.0, 0.0, 0.0))
    lap, first = trajectory.period, trajectory.duration
    assert lap < first
    for time in (first, first + 1.0, first + 0.999 * lap):
        for laps in (1, 7, 100):
            assert trajectory.at(time + laps * lap) == pytest.approx(trajectory.at(time), abs=1e-6)
    # Over the line without a jump.
    line = rows(trajectory, [first - 1e-9, first, first + lap - 1e-9, first + lap + 1e-9])
    assert np.abs(np.diff(line[:, :4], axis=0)).max() < 1e-6


def test_open_path_begins_and_ends_at_rest():
    trajectory = waypoints('slalom')
    assert trajectory.period is None
    assert trajectory.at(0.0)[2:4] == (0.0, 0.0)
    for time in (trajectory.duration, trajectory.duration + 1e6):
        assert trajectory.at(time) == pytest.approx((19.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        assert trajectory.attitude(time).rate == 0.0


@pytest.mark.parametrize(('kind', 'closed'), [('auto', True), ('open', False), ('closed', True)])
def test_path_whose_last_point_repeats_the_first(kind, closed, written):
    assert (waypoints(written(SQUARE), path=kind).period is not None) == closed


@pytest.mark.parametrize(('kind', 'closed'), [('auto', False), ('closed', True)])
def test_path_whose_last_point_is_another(kind, closed, written):
    trajectory = waypoints(written('0,0\n4,0\n4,4\n0,4\n'), path=kind)
    assert (trajectory.period is not None) == closed


def test_circle_of_way_points_has_its_lap_time(written):
    angles = np.linspace(0.0, 2.0 * math.pi, 25)
    text = ''.join(f'{3 * math.sin(a)},{3 - 3 * math.cos(a)}\n' for a in angles[:-1])
    trajectory = waypoints(written(text), path='closed', speed_limit=10.0,
                           lateral_acceleration=3.0)
    # v^2/3 m = 3 m/s^2 and 2 pi 3 m round.
    assert trajectory.period == pytest.approx(2.0 * math.pi, rel=1e-3)


def test_straight_line_is_the_textbook_trapezoid(written):
    trajectory = waypoints(written('0,0\n5,0\n10,0\n'), speed_limit=2.0,
                           longitudinal_acceleration=1.0)
    # 2 s up, 2 s down over 2 m each, the 6 m between at 2 m/s.
    assert trajectory.duration == pytest.approx(7.0, rel=1e-6)
    assert trajectory.at(1.0)[:3] == pytest.approx((0.5, 0.0, 1.0), abs=1e-4)
    assert trajectory.at(3.5)[:3] == pytest.approx((5.0, 0.0, 2.0), abs=1e-4)


def test_columns_may_be_named_in_any_order_and_speed_may_be_empty(written):
    found = read_way_points(written('# mine\n\nspeed,y,x\n1.5,2,1\n,4,3\n2,6,5\n'))
    assert found.points.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert found.speeds.tolist() == [1.5, math.inf, 2.0]
    assert found.lines == (4, 5, 6)


@pytest.mark.parametrize(('text', 'message'), [
    ('x,y\n0,0\n1,zero\n2,0\n', r'line 3: y is no finite number'),
    ('0,0\n1,nan\n2,0\n', r'line 2: y is no finite number'),
    ('0,0\n1\n2,0\n', r'line 2: 1 values, expected x,y,speed'),
    ('x,y\n0,0,3\n', r'line 2: 3 values, expected x,y'),
    ('x,z\n0,0\n', r'line 1: the names of the columns are not x,y or x,y,speed'),
    ('0,0,1\n1,0,0\n2,0,1\n', r'line 2: speed is 0 m/s, expected more than 0'),
    ('0,0\n1,0\n\n1,0\n2,0\n', r'line 4: \(1, 0\) m repeats the waypoint of line 2'),
    ('# nothing\n', r'has 0 waypoints, expected at least 3'),
    ('0,0\n1,0\n', r'has 2 waypoints, expected at least 3')])
def test_faulty_file_is_refused_with_file_line_and_value(text, message, written):
    path = written(text)
    with pytest.raises(ConfigurationError, match=rf"waypoint file '{path}'.*{message}"):
        read_way_points(path)
    with pytest.raises(ParameterError, match=rf"parameter 'waypoints_file': .*{message}"):
        waypoints(path)


@pytest.mark.parametrize('text', ['secret\n', 'secret=1,2,3,4\n', '0,0\n1,secret\n'])
def test_no_message_tells_what_a_file_of_something_else_has(text, written):
    with pytest.raises(ConfigurationError) as caught:
        read_way_points(written(text))
    assert 'secret' not in str(caught.value)


@pytest.mark.parametrize(('text', 'kind', 'message'), [
    ('0,0\n1,0\n0,0\n', 'auto', 'has 2 different waypoints, expected at least 3'),
    ('0,0\n9000,0\n18000,0\n', 'open', r'is 18000 m long, expected at most 4000 m'),
    ('0,0\n1,0\n0,0\n', 'open', r'line 2: the path turns back on itself')])
def test_path_that_cannot_be_driven_is_refused(text, kind, message, written):
    with pytest.raises(ParameterError, match=message):
        waypoints(written(text), path=kind)


def test_missing_file_is_refused_with_the_tracks_there_are():
    with pytest.raises(ParameterError, match=(
            r"'nowhere' is neither a file nor one of aut, berlin,")):
        waypoints('nowhere')


def test_changed_file_is_read_again(written):
    before = waypoints(written(SQUARE)).period
    assert waypoints(written(SQUARE.replace('4', '14'))).period > before


def test_two_evaluations_are_equal():
    times = np.linspace(0.0, 60.0, 501)
    assert rows(waypoints('hall'), times).tolist() == rows(
        waypoints('hall'), times).tolist()


@pytest.mark.parametrize('track', TRACKS)
def test_path_shown_covers_the_track(track):
    trajectory = waypoints(track)
    shown = np.array(sample_path(trajectory))[:, :2]
    points = read_way_points(share_folder() / 'config' / 'tracks' / f'{track}.csv').points
    # No further from one that is shown than half of the way to the next.
    gap = np.hypot(*np.diff(shown, axis=0).T).max()
    assert gap < 0.2
    assert all(np.hypot(*(shown - point).T).min() < 0.5 * gap + 1e-3 for point in points)


@pytest.mark.parametrize('track', TRACKS)
@pytest.mark.parametrize('stack', ['kinematic_ode', 'dynamic_ode'])
def test_car_drives_the_sample_tracks(stack, track):
    _, table = run(stack, 'waypoints', 30.0, waypoints_file=track)
    assert table.metrics(2.0).rmse < 0.01
    start = waypoints(track).motion(0.0)
    # A car that begins across the path has to turn first.
    assert table.metrics().max_error < (0.03 if abs(start.heading) < 0.3 else 0.05)


def test_map_as_origin_leaves_the_coordinates_of_the_file(written):
    path = written('2,1\n4,1\n6,1\n')
    for origin, start in (('map', (2.0, 1.0)), ('car', (0.0, 0.0))):
        _, table = run('kinematic_ode', 'waypoints', 0.1, waypoints_file=str(path),
                       reference_origin=origin)
        assert (table.column('x_reference')[0], table.column('y_reference')[0]) == start


# Centre lines

@pytest.mark.parametrize('header', [
    '# x_m, y_m, w_tr_right_m, w_tr_left_m\n', 'x,y,w_right,w_left\n',
    'x_m,y_m,w_tr_right_m,w_tr_left_m\n', ''])
def test_a_centre_line_has_widths_and_is_closed_where_its_ends_are_neighbours(written, header):
    rows = [(math.cos(a), math.sin(a), 0.5, 0.25) for a in np.arange(0.0, 2.0 * math.pi, 0.1)]
    path = written(header + ''.join(f'{",".join(map(str, row))}\n' for row in rows))
    found = read_way_points(path)
    assert found.points[-1].tolist() == found.points[0].tolist() == [1.0, 0.0]
    assert len(found.points) == len(rows) + 1
    assert np.all(found.widths == [0.5, 0.25])
    assert np.all(np.isinf(found.speeds))
    course = waypoints(path).course
    assert (course.right[0], course.left[0], course.is_closed) == (0.5, 0.25, True)


@pytest.mark.parametrize(('text', 'named'), [
    ('x,y,w_right,w_left\n0,0,1,1\n1,0,-1,1\n2,2,1,1\n', 'line 3: the widths are -1 m and 1 m'),
    ('x,y,w_right,w_left\n0,0,1,1\n1,0,1\n2,2,1,1\n', 'line 3: 3 values'),
    ('x,y,w_right,w_right\n0,0,1,1\n', 'line 1: the names of the columns')])
def test_a_centre_line_that_is_none_is_refused_by_its_line(written, text, named):
    with pytest.raises(ConfigurationError, match=named):
        read_way_points(written(text))


def test_a_centre_line_that_is_written_is_read_again(tmp_path):
    points = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)])
    widths = np.linspace(0.5, 1.0, 10).reshape(5, 2)
    write_centre_line(tmp_path / 'line.csv', points, widths, 'a square')
    found = read_way_points(tmp_path / 'line.csv')
    np.testing.assert_allclose(found.points, points)
    np.testing.assert_allclose(present(found.widths), widths, atol=5e-4)
