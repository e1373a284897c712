# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Centre lines found in maps, and tracks made by seeds."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_track
from racecar.base.types import Pose2
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.map_file import write_map
from racecar.scene.track import find_centre_line, generate_centre_line, track_map, TrackShape
from racecar.scene.world_file import load_world

SHIPPED = ('aut', 'berlin', 'esp', 'gbr', 'mco', 'skirk', 'vegas')


def ring(inner, outer, centre=(6.0, 5.0), resolution=0.05, yaw=0.0):
    """A map with a ring of free ground around a centre, of which (0, 0) of `map` is the corner."""
    rows, columns = np.mgrid[0:200, 0:240]
    away = np.hypot((columns + 0.5) * resolution - centre[0],
                    (rows + 0.5) * resolution - centre[1])
    values = np.where((away > inner) & (away < outer), 0, 100).astype(np.int8)
    return OccupancyGrid(values, resolution, Pose2(1.0, 2.0, yaw))


def distance(points, line):
    """From each point to a closed polyline."""
    starts, steps = line[:-1], np.diff(line, axis=0)
    to = points[:, None] - starts
    shares = np.clip(np.sum(to * steps, axis=2) / np.sum(steps**2, axis=1), 0.0, 1.0)
    return np.linalg.norm(to - shares[..., None] * steps, axis=2).min(axis=1)


@settings(deadline=None, max_examples=10)
@given(st.floats(1.5, 2.5), st.floats(3.5, 4.5), st.floats(-3.0, 3.0))
def test_the_centre_line_of_a_ring_is_the_circle_between_its_borders(inner, outer, yaw):
    grid = ring(inner, outer, yaw=yaw)
    middle = grid.point(6.0, 5.0)
    # A Gaussian of half the distance to a border shrinks the circle, as sums of sines.
    radius = 0.5 * (inner + outer)
    radius *= math.exp(-0.5 * (0.25 * (outer - inner) / radius) ** 2)
    start = grid.point(6.0 + radius, 5.0)
    found = find_centre_line(grid, Pose2(start[0], start[1], yaw + 0.5 * math.pi))
    np.testing.assert_allclose(np.hypot(*(found.points - middle).T), radius, atol=0.05)
    np.testing.assert_allclose(found.widths, np.broadcast_to(
        [outer - radius, radius - inner], found.widths.shape), atol=0.06)
    # The sharpest place of a line along cells of 5 cm.
    assert found.smallest_radius == pytest.approx(radius, rel=0.2)
    assert math.dist(found.points[0], start) < 0.15
    assert found.points[0].tolist() == found.points[-1].tolist()
    # Counter-clockwise, as the car looks; the other way round for one that looks back.
    assert np.all(found.curvature > 0.0)
    assert np.all(find_centre_line(
        grid, Pose2(start[0], start[1], yaw - 0.5 * math.pi)).curvature < 0.0)


def test_widths_are_those_to_the_right_and_to_the_left():
    grid = ring(2.0, 4.0)
    line = find_centre_line(grid, Pose2(1.0 + 9.0, 2.0 + 5.0, 0.5 * math.pi))
    back = line.reversed()
    np.testing.assert_array_equal(back.widths, line.widths[::-1, ::-1])
    np.testing.assert_array_equal(back.points, line.points[::-1])


def test_the_centre_line_of_the_race_track_is_that_it_was_drawn_along():
    found = find_centre_line(present(load_world('racetrack').grid))
    drawn = read_way_points(find_track('racetrack')).points
    away = distance(found.points, drawn)
    assert away.mean() < 0.05
    assert away.max() < 0.15
    assert found.narrowest == pytest.approx(2.2, abs=0.15)


@pytest.mark.parametrize('name', SHIPPED)
def test_the_centre_line_of_a_shipped_map_is_what_the_command_finds_in_it(name):
    scene = load_world(name)
    held = read_way_points(find_track(name))
    found = find_centre_line(present(scene.grid), scene.starts[0], spacing=0.4)
    np.testing.assert_allclose(held.points, found.points, atol=2e-3)
    np.testing.assert_allclose(present(held.widths), found.widths, atol=2e-3)


def test_a_grain_on_the_track_does_not_part_it():
    values = ring(1.5, 3.5).values.copy()
    values[95:100, 165:170] = 100
    whole = find_centre_line(ring(1.5, 3.5), Pose2(4.5, 7.0, 0.0))
    found = find_centre_line(
        OccupancyGrid(values, 0.05, Pose2(1.0, 2.0, 0.0)), Pose2(4.5, 7.0, 0.0))
    np.testing.assert_allclose(found.points, whole.points)


@pytest.mark.parametrize(('grid', 'named'), [
    (ring(0.0, 3.5), 'runs round nothing'), (ring(3.0, 3.5), 'is not free')])
def test_what_is_no_closed_track_is_refused(grid, named):
    with pytest.raises(ConfigurationError, match=named):
        find_centre_line(grid, Pose2(5.0, 7.0, 0.0))


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**31 - 1), st.floats(40.0, 150.0), st.floats(0.0, 1.0))
def test_a_track_of_a_seed_keeps_what_was_asked_for(seed, length, roughness):
    shape = TrackShape(length, 2.0, 1.5, roughness)
    line = generate_centre_line(seed, shape)
    assert line.length == pytest.approx(length, rel=0.01)
    assert line.smallest_radius >= 1.5
    assert np.all(line.widths == 1.0)
    np.testing.assert_allclose(line.points[0], 0.0, atol=1e-12)
    ahead = line.points[1] - line.points[-2]
    assert abs(math.atan2(ahead[1], ahead[0])) < 1e-9
    # It turns round once, so it does not cross itself.
    ahead = np.diff(line.points, axis=0)
    headings = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    assert abs(headings[-1] - headings[0]) == pytest.approx(2.0 * math.pi, abs=0.5)
    again = generate_centre_line(seed, shape)
    assert again.points.tobytes() == line.points.tobytes()


def test_other_seeds_make_other_tracks_and_none_makes_a_circle():
    assert generate_centre_line(1).points.shape != generate_centre_line(2).points.shape or (
        np.any(generate_centre_line(1).points != generate_centre_line(2).points))
    circle = generate_centre_line(5, TrackShape(60.0, roughness=0.0))
    assert circle.smallest_radius == pytest.approx(60.0 / (2.0 * math.pi), rel=0.01)


@pytest.mark.parametrize(('shape', 'named'), [
    (TrackShape(length=5.0), 'length of the track is 5 m'),
    (TrackShape(width=0.0), 'width of the track is 0 m'),
    (TrackShape(smallest_radius=0.5), 'smallest radius of the track is 0.5 m'),
    (TrackShape(roughness=2.0), 'roughness of the track is 2'),
    (TrackShape(length=math.nan), 'length of the track is nan m')])
def test_a_shape_that_cannot_be_is_refused(shape, named):
    with pytest.raises(ConfigurationError, match=named):
        generate_centre_line(0, shape)


def test_the_map_of_a_track_has_its_centre_line(tmp_path):
    line = generate_centre_line(3)
    write_map(tmp_path / 'mine.yaml', track_map(line), 'a track')
    found = find_centre_line(present(load_world(tmp_path / 'mine.yaml').grid))
    away = distance(found.points, line.points)
    assert away.mean() < 0.05
    assert found.length == pytest.approx(line.length, rel=0.02)
