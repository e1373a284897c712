# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Occupancy grids: how images are read, what covers their walls, and how much room there is."""

import io
import math

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpy_strategies
import numpy as np
from PIL import Image
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.types import Pose2
from racecar.scene import load_world, OccupancyGrid, Scene
from racecar.scene.distance_field import MARGIN, OUTSIDE, room_around, WALL
from racecar.scene.grid_map import NO_GRID, read_image

cells = numpy_strategies.arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 12)))


def read(path, mode='trinary', negate=False, occupied=0.65, free=0.196):
    return read_image(path, mode=mode, negate=negate, occupied_threshold=occupied,
                      free_threshold=free)


def saved(tmp_path, array, name='m.png', **options):
    path = tmp_path / name
    Image.fromarray(np.asarray(array)).save(path, **options)
    return path


def test_no_grid_is_a_free_cell_without_extent():
    room = room_around(np.zeros((1, 1), bool))
    assert NO_GRID.room.tolist() == room.ravel().tolist()
    # Kernels are compiled for each type of array.
    for other in (room, OccupancyGrid(np.zeros((2, 3), np.int8), 0.1).numbers.room):
        assert NO_GRID.room.dtype == other.dtype
        assert NO_GRID.room.flags.writeable == other.flags.writeable
    assert (NO_GRID.stride, NO_GRID.length, NO_GRID.width) == (room.shape[1], 0.0, 0.0)


def test_greys_are_wall_free_or_unknown(tmp_path):
    # As map_saver writes them, and just on either side of the thresholds.
    path = saved(tmp_path, np.array([[0, 254, 205, 89, 90, 206]], np.uint8))
    assert read(path).tolist() == [[100, 0, -1, 100, -1, 0]]


def test_the_lowest_row_of_the_picture_is_the_first(tmp_path):
    path = saved(tmp_path, np.array([[0, 0], [254, 254], [254, 0]], np.uint8))
    assert read(path).tolist() == [[0, 100], [0, 0], [100, 100]]


def test_negated_pictures_have_white_walls(tmp_path):
    path = saved(tmp_path, np.array([[0, 255]], np.uint8))
    assert read(path, negate=True).tolist() == [[0, 100]]


def test_scale_gives_what_is_between_the_thresholds(tmp_path):
    grey = np.array([[0, 255, 128]], np.uint8)
    darkness = 1.0 - 128 / 255
    expected = round((darkness - 0.196) / (0.65 - 0.196) * 100)
    assert read(saved(tmp_path, grey), 'scale').tolist() == [[100, 0, expected]]


def test_scale_takes_what_is_transparent_for_unknown(tmp_path):
    pixels = np.zeros((1, 3, 4), np.uint8)
    pixels[0, :, 3] = (255, 254, 0)
    assert read(saved(tmp_path, pixels), 'scale').tolist() == [[100, -1, -1]]
    # Where opacity is one more colour.
    assert read(saved(tmp_path, pixels), 'trinary').tolist() == [[100, 100, 100]]


def test_raw_numbers_are_the_values(tmp_path):
    path = saved(tmp_path, np.array([[0, 65, 100, 101, 255]], np.uint8))
    assert read(path, 'raw').tolist() == [[0, 65, 100, -1, -1]]


def test_colours_count_as_their_mean(tmp_path):
    pixels = np.array([[[255, 255, 255], [0, 0, 0], [255, 0, 0]]], np.uint8)
    assert read(saved(tmp_path, pixels)).tolist() == [[0, 100, 100]]


@pytest.mark.parametrize('name', ['m.pgm', 'm.png', 'm.bmp'])
def test_any_format_of_map_server_is_read(name, tmp_path):
    assert read(saved(tmp_path, np.array([[0, 254]], np.uint8), name)).tolist() == [[100, 0]]


def test_text_and_sixteen_bits_are_read_too(tmp_path):
    plain = tmp_path / 'plain.pgm'
    plain.write_text('P2\n# a comment\n3 1\n255\n0 254 205\n')
    assert read(plain).tolist() == [[100, 0, -1]]
    wide = tmp_path / 'wide.png'
    Image.fromarray(np.array([[0, 65535]], np.uint16)).save(wide)
    assert read(wide).tolist() == [[100, 0]]


def test_raw_maps_have_walls_from_the_threshold_on(tmp_path):
    saved(tmp_path, np.array([[64, 65, 100, 0]], np.uint8))
    path = tmp_path / 'm.yaml'
    path.write_text('image: m.png\nresolution: 0.1\norigin: [0, 0, 0]\nmode: raw\n')
    grid = load_world(path).grid
    assert grid is not None
    assert grid.occupied.tolist() == [[False, True, True, False]]


@pytest.mark.parametrize('size', [
    b'P5\n100000 100000\n255\n', b'P5\n10000 10000\n255\n', b'P5\n5001 5000\n255\n'])
def test_a_picture_that_is_too_large_is_refused_before_it_is_read(size, tmp_path):
    path = tmp_path / 'huge.pgm'
    path.write_bytes(size)
    with pytest.raises(ConfigurationError, match='is too large, expected at most 25 million'):
        read(path)


@pytest.mark.parametrize('content', [
    b'', b'P5', b'P5\n10 10\n255\nabc', b'\x89PNG\r\n\x1a\n', b'GIF89a', b'P5\n-1 5\n255\n',
    b'P5\n2 2\n70000\nabcdefgh'])
def test_what_is_no_picture_is_refused(content, tmp_path):
    path = tmp_path / 'm.pgm'
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"image '.*m\.pgm' cannot be read"):
        read(path)


def sample(kind):
    stream = io.BytesIO()
    Image.fromarray(np.arange(60, dtype=np.uint8).reshape(6, 10)).save(stream, kind)
    return stream.getvalue()


SAMPLES = {kind: sample(kind) for kind in ('PNG', 'PPM', 'BMP')}


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_damaged_pictures_are_read_or_refused(tmp_path_factory, kind, data):
    content = bytearray(SAMPLES[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place:place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = tmp_path_factory.mktemp('fuzz') / 'm.png'
    path.write_bytes(bytes(content))
    try:
        values = read(path)
    except ConfigurationError as error:
        assert '\n' not in str(error)
    else:
        assert set(np.unique(values)) <= {-1, 0, 100}


# What is made of them

@given(cells)
def test_rectangles_cover_the_walls_once(occupied):
    grid = OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), 0.1)
    covered = np.zeros(occupied.shape, int)
    for row, column, end_row, end_column in grid.rectangles():
        covered[row:end_row, column:end_column] += 1
    assert (covered == occupied).all()


def test_a_straight_wall_is_one_box_whichever_way_it_goes():
    for values in (np.zeros((30, 40), np.int8), np.zeros((40, 30), np.int8).T):
        values = values.copy()
        values[5:8, 3:33] = 100
        box, = Scene(grid=OccupancyGrid(values, 0.1, Pose2(1.0, 2.0, 0.0)),
                     grid_height=0.5).grid_boxes
        assert (box.x, box.y) == pytest.approx((1.0 + 1.8, 2.0 + 0.65))
        assert (box.length, box.width, box.height) == pytest.approx((3.0, 0.3, 0.5))


def test_boxes_of_a_turned_map_are_turned():
    values = np.zeros((4, 4), np.int8)
    values[1, 2] = 100
    box, = Scene(grid=OccupancyGrid(values, 0.5, Pose2(1.0, 2.0, math.pi / 2.0))).grid_boxes
    assert (box.x, box.y, box.yaw) == pytest.approx((1.0 - 0.75, 2.0 + 1.25, math.pi / 2.0))


@given(cells)
def test_room_is_the_distance_between_the_nearest_points_of_cells(occupied):
    room = room_around(occupied)
    ends = np.pad(occupied, MARGIN, constant_values=True)
    rows, columns = np.nonzero(ends)
    for row in range(ends.shape[0]):
        for column in range(ends.shape[1]):
            inside = (MARGIN <= row < ends.shape[0] - MARGIN
                      and MARGIN <= column < ends.shape[1] - MARGIN)
            if ends[row, column]:
                assert room[row, column] == (WALL if inside else OUTSIDE)
            else:
                gaps = np.hypot(np.maximum(np.abs(rows - row) - 1, 0),
                                np.maximum(np.abs(columns - column) - 1, 0))
                assert room[row, column] == pytest.approx(gaps.min(), rel=1e-6)


def test_nobody_writes_into_a_grid():
    grid = OccupancyGrid(np.zeros((2, 2), np.int8), 0.1)
    for array in (grid.values, grid.occupied, grid.room):
        with pytest.raises(ValueError, match='read-only'):
            array[0, 0] = 1
