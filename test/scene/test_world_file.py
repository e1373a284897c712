# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""World files: those of the repository, what they may hold, and what is refused."""

import math
import os
from pathlib import Path

import numpy as np
from PIL import Image
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_track, find_world, track_names, world_names
from racecar.base.types import Pose2
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.scene import EMPTY_SCENE, load_world
from racecar.scene.marker import marker_cells
from racecar.scene.overlaps import overlaps
from racecar.scene.scene import foot_rows
from racecar.scene.world_choice import scene_of, start_pose


def written(tmp_path, text, name='mine.yaml'):
    path = tmp_path / name
    path.write_text(text, encoding='utf-8')
    return path


# The worlds of the repository

def test_the_worlds_of_the_original_and_the_maps_are_there():
    assert world_names() == [
        'ar', 'arena', 'aut', 'berlin', 'building_31', 'bumpers', 'cones', 'crossing', 'empty',
        'esp', 'gbr', 'ice', 'levine', 'mco', 'neo_cone', 'neo_lights', 'neo_line', 'neo_slalom',
        'parking_1', 'racetrack', 'room', 'skirk', 'stata_basement', 'tunnel', 'vegas', 'walker']


@pytest.mark.parametrize('name', world_names())
def test_every_world_can_be_read_and_leaves_room_at_its_start(name):
    scene = load_world(name)
    assert scene.name == name
    start = scene.starts[0]
    # Those of maps that others made are on the centre line.
    assert math.hypot(start.x, start.y) < (1.0 if name in track_names() else 1e-9)
    assert not is_in_the_way(scene, start.x + 0.17 * math.cos(start.yaw),
                             start.y + 0.17 * math.sin(start.yaw), start.yaw)


def is_in_the_way(scene, x, y, yaw, half_length=0.25, half_width=0.15):
    from racecar.scene.grid_map import NO_GRID
    numbers = NO_GRID if scene.grid is None else scene.grid.numbers
    return overlaps(
        scene.wall_rows, scene.box_rows, foot_rows(scene.cones), numbers[:],
        (x, y, math.cos(yaw), math.sin(yaw), half_length, half_width))


def test_empty_is_the_empty_scene():
    assert load_world('empty').is_empty
    assert EMPTY_SCENE.is_empty


def test_cones_stand_in_a_row():
    assert [(cone.x, cone.y) for cone in load_world('cones').cones] == [
        (float(x), 0.0) for x in range(1, 6)]


def test_the_parking_bay_has_the_gap_of_the_original():
    one, other = load_world('parking_1').boxes[:2]
    gap = abs(one.x - other.x) - 0.5 * (one.length + other.length)
    assert gap == pytest.approx(0.978)
    assert (one.length, one.width, one.height) == (0.6, 0.271, 0.3)


def test_the_board_stands_a_metre_ahead_and_faces_the_car():
    board, = load_world('ar').boards
    assert (board.x, board.y) == (1.0, 0.0)
    assert math.cos(board.yaw) == pytest.approx(-1.0)
    assert len(board.cells) == 7


def test_the_corridor_of_the_tunnel_is_as_wide_as_that_of_the_original():
    sides = [(side.y1, side.y2) for side in load_world('tunnel').surfaces
             if min(side.x1, side.x2) < -5.0 < max(side.x1, side.x2)
             and abs(side.y1 - side.y2) < 1e-9]
    levels = [y for y, _ in sides]
    above, below = min(y for y in levels if y > 0.0), max(y for y in levels if y < 0.0)
    assert above - below == pytest.approx(4.44)


@pytest.mark.parametrize(('name', 'width'), [('racetrack', 2.2)])
def test_the_race_track_is_free_along_its_centre_line(name, width):
    scene = load_world(name)
    points = read_way_points(find_track(name)).points
    assert points[0].tolist() == points[-1].tolist() == [0.0, 0.0]
    ahead = np.roll(points[:-1], -1, axis=0) - points[:-1]
    for (x, y), (dx, dy) in zip(points[:-1], ahead, strict=True):
        yaw = math.atan2(dy, dx)
        # As wide as the track but for two cells, and no wider.
        assert not is_in_the_way(scene, x, y, yaw, 0.01, 0.5 * width - 0.1)
        assert is_in_the_way(scene, x, y, yaw, 0.01, 0.5 * width + 0.1)


def test_the_course_of_the_walker_is_closed_all_around():
    scene = load_world('walker')
    assert {(wall.height, wall.width) for wall in scene.boxes} == {(1.075, 0.25)}
    # Of pieces between the same points, as far as their numbers tell.
    points: dict[float, list[tuple[float, float]]] = {end: [] for end in (-0.5, 0.5)}
    for wall in scene.boxes:
        for end, found in points.items():
            along = end * (wall.length - wall.width)
            found.append((round(wall.x + along * math.cos(wall.yaw), 6) + 0.0,
                          round(wall.y + along * math.sin(wall.yaw), 6) + 0.0))
    assert sorted(points[0.5]) == sorted(points[-0.5])


def test_worlds_are_those_of_their_script():
    import make_worlds

    for path, content in make_worlds.files().items():
        if path.suffix in ('.png', '.pgm'):
            # Compressed otherwise by another version.
            import io
            drawn = np.asarray(Image.open(io.BytesIO(content)))
            assert (drawn == np.asarray(Image.open(path))).all()
        else:
            assert path.read_bytes() == content


def test_markers_are_those_of_the_dictionary():
    # Number 0: each row is the word of 00.
    inner = [row[1:-1] for row in marker_cells(0)[1:-1]]
    assert inner == [(True, False, False, False, False)] * 5
    # 1023: that of 11.
    assert [row[1:-1] for row in marker_cells(1023)[1:-1]] == [
        (False, True, True, True, False)] * 5
    border = {cell for row in marker_cells(5) for cell in (row[0], row[-1])}
    assert border == {False}
    # All differ, however they are turned, in most of the dictionary.
    assert len({marker_cells(number) for number in range(1024)}) == 1024
    with pytest.raises(ValueError, match='marker 1024 is unknown in the dictionary original'):
        marker_cells(1024)


@pytest.mark.parametrize(('name', 'edge'), [('5x5_250', 5), ('6x6_250', 6)])
def test_predefined_markers_cannot_be_mistaken_for_each_other(name, edge):
    """They differ from each other, and from themselves turned, in so many cells as is known."""
    inner = [np.array(marker_cells(number, name))[1:-1, 1:-1] for number in range(250)]
    assert {cells.shape for cells in inner} == {(edge, edge)}
    turned = np.array([[np.rot90(cells, turns).ravel() for turns in range(4)] for cells in inner])
    distances = [
        (turned[number, 0] != turned[other, turns]).sum()
        for number in range(250) for other in range(number, 250) for turns in range(4)
        if (number, 0) != (other, turns)]
    assert min(distances) == {5: 6, 6: 11}[edge]


# What a file may hold

def test_a_strip_is_paint_along_its_points(tmp_path):
    scene = load_world(written(tmp_path, """
strips:
  - {points: [[0, 0], [2, 0], [2, 1]], width: 0.1, colour: [0.0, 0.5, 1.0]}
  - {points: [[5, 0], [6, 0], [5, 1]], closed: true}
"""))
    assert len(scene.patches) == 5
    first, second = scene.patches[:2]
    assert first == (1.0, 0.0, 0.0, 2.1, 0.1, (0.0, 0.5, 1.0))
    assert second[:5] == pytest.approx((2.0, 0.5, math.pi / 2.0, 1.1, 0.1))
    assert {patch.width for patch in scene.patches[2:]} == {0.05}
    assert scene.is_empty


def test_walls_are_boxes_between_their_points(tmp_path):
    scene = load_world(written(tmp_path, """
walls:
  - {points: [[0, 0], [3, 0], [3, 4]], height: 0.5}
  - {points: [[0, 2], [2, 2]], thickness: 0.2, height: 0.7, colour: [1, 0, 0]}
  - {points: [[8, 0], [9, 0], [9, 1]], closed: true}
"""))
    assert scene.walls == ()
    assert len(scene.boxes) == 6
    assert scene.boxes[0][:6] == (1.5, 0.0, 0.0, 3.02, 0.02, 0.5)
    assert scene.boxes[5][:3] == (8.5, 0.5, math.atan2(-1.0, -1.0))
    box = scene.boxes[2]
    assert (box.x, box.y, box.length, box.width, box.height) == (1.0, 2.0, 2.2, 0.2, 0.7)
    assert box.colour == (1.0, 0.0, 0.0)


def test_a_world_may_have_a_map_and_things_in_it(tmp_path):
    Image.fromarray(np.full((4, 6), 254, np.uint8)).save(tmp_path / 'm.png')
    scene = load_world(written(tmp_path, """
image: m.png
resolution: 0.1
origin: [1.0, 2.0, 0.5]
height: 0.3
cones: [{x: 1.0, y: 0.0}]
"""))
    assert scene.grid is not None
    assert scene.grid.values.shape == (4, 6)
    assert scene.grid.origin == Pose2(1.0, 2.0, 0.5)
    assert scene.grid_height == 0.3
    assert len(scene.cones) == 1


def test_a_map_whose_image_has_changed_is_read_anew(tmp_path):
    world = {'world': str(written(
        tmp_path, 'image: m.png\nresolution: 0.1\norigin: [0.0, 0.0, 0.0]\n'))}
    image = tmp_path / 'm.png'
    Image.fromarray(np.full((4, 6), 254, np.uint8)).save(image)
    scene = scene_of(world)
    assert scene.grid is not None
    assert not scene.grid.values.any()
    assert scene_of(world) is scene
    Image.fromarray(np.zeros((4, 6), np.uint8)).save(image)
    # Within one tick of a clock of files, too.
    os.utime(image, ns=(0, os.stat(image).st_mtime_ns + 1))
    grid = scene_of(world).grid
    assert grid is not None
    assert grid.values.all()
    image.unlink()
    with pytest.raises(ConfigurationError, match='cannot be read: No such file'):
        scene_of(world)


def test_an_image_that_is_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / 'm.png')
    with pytest.raises(ConfigurationError, match=r'm\.png. cannot be read: it is no regular file'):
        load_world(written(
            tmp_path, 'image: m.png\nresolution: 0.1\norigin: [0.0, 0.0, 0.0]\n'))


def test_a_file_without_anything_is_an_empty_world(tmp_path):
    assert load_world(written(tmp_path, '# nothing yet\n')).is_empty


def test_paint_and_ground_are_nothing_to_run_into(tmp_path):
    scene = load_world(written(tmp_path, """
ground: {length: 10, width: 5}
patches: [{x: 1, y: 0, length: 1, width: 1}]
"""))
    assert scene.is_empty
    assert (scene.ground.length, len(scene.patches)) == (10.0, 1)


def test_a_robot_starts_where_the_world_says(tmp_path):
    path = written(tmp_path, 'starts: [{x: 1, y: 2, yaw: 1.5707963267948966}, {x: 5, y: 5}]')
    scene = load_world(path)
    values = {'initial_x': 0.0, 'initial_y': 0.0, 'initial_yaw': 0.0}
    assert start_pose(scene, values) == pytest.approx((1.0, 2.0, math.pi / 2.0))
    assert start_pose(scene, {**values, 'initial_x': 0.5, 'initial_yaw': -0.1}) == pytest.approx(
        (1.0, 2.5, math.pi / 2.0 - 0.1))
    assert start_pose(scene, values, 1) == Pose2(5.0, 5.0, 0.0)
    # The third one stands behind the first.
    assert start_pose(scene, values, 2) == pytest.approx((1.0, 1.0, math.pi / 2.0))
    assert start_pose(scene, {**values, 'grid_spacing': 0.5}, 3) == Pose2(4.5, 5.0, 0.0)


def test_a_world_is_read_again_only_when_its_file_has_changed(tmp_path):
    path = written(tmp_path, 'cones: [{x: 1, y: 0}]')
    one, again = (scene_of({'world': str(path)}) for _ in range(2))
    assert one is again
    written(tmp_path, 'cones: [{x: 1, y: 0}, {x: 2, y: 0}]')
    assert len(scene_of({'world': str(path)}).cones) == 2


# What is refused

MAP = 'image: m.png\nresolution: 0.1\norigin: [0, 0, 0]\n'


@pytest.mark.parametrize(('text', 'message'), [
    ('walls: 3', 'walls is 3, expected a list of mappings'),
    ('wals: []', "key 'wals' is unknown; did you mean walls"),
    ('[1, 2]', 'is a list, expected a mapping'),
    ('walls: [{points: [[0, 0]]}]', r'walls, number 1: points is \[\[0, 0\]\], expected a list'),
    ('walls: [{points: [[0, 0], [0, 0]]}]', r'point \[0\.0, 0\.0\] stands twice in a row'),
    ('walls: [{points: [[0, 0], [1, a]]}]', r"point \[1, 'a'\], expected \[x, y\]"),
    ('walls: [{points: [[0, 0], [1, 1e7]]}]', r'expected \[x, y\] within 100000 m'),
    ('walls: [{points: [[0, 0], [1, 1]], higth: 2}]',
     "walls, number 1: parameter 'higth' is unknown here; did you mean height"),
    ('boxes: [{x: 0, y: 0, length: 1}]', "boxes, number 1: parameter 'width' is missing"),
    ('boxes: [{x: 0, y: 0, length: -1, width: 1}]', "'length' is -1, expected a number"),
    ('boxes: [3]', 'boxes, number 1: 3, expected a mapping with keys of x, y, yaw'),
    ('cones: [{x: nan, y: 0}]', "'x' is nan, expected a number"),
    ('cones: [{x: 0, y: 0, colour: [1, 2, 3]}]', 'colour is .*, expected red, green and blue'),
    ('boards: [{x: 0, y: 0, marker: 5000}]', 'marker is 5000, expected at most 1023 in'),
    ('boards: [{x: 0, y: 0, marker: 250, dictionary: 6x6_250}]',
     'marker is 250, expected at most 249 in the dictionary 6x6_250'),
    ('boards: [{x: 0, y: 0, marker: 5, size: 2}]', 'size of the marker is 2 m, expected at most'),
    ('starts: [{x: 0}]', "starts, number 1: parameter 'y' is missing"),
    ('height: 0', "'height' is 0, expected a number in"),
    ('image: a.png', "'resolution' is missing"),
    (f'{MAP}mode: other', "'mode' is 'other', expected one of trinary, scale, raw"),
    (f'{MAP}negate: maybe', "negate is 'maybe', expected 0 or 1"),
    (f'{MAP}occupied_thresh: 0.1', 'free_thresh is 0.196 and occupied_thresh 0.1, expected'),
    ('image: m.png\nresolution: 0.1\norigin: [0, 0]', r'origin is \[0\.0, 0\.0\], expected x, y'),
    ('image: m.png\nresolution: 0\norigin: [0, 0, 0]', "'resolution' is 0, expected a number in"),
    ('image: m.png\nresolution: 900\norigin: [0, 0, 0]', 'the map is 180000 m long, expected at'),
    ('image: nope.png\nresolution: 1\norigin: [0, 0, 0]',
     r"image '.*nope\.png' cannot be read: No such file or directory"),
])
def test_what_makes_no_sense_is_refused_in_one_line(text, message, tmp_path):
    Image.fromarray(np.zeros((200, 6), np.uint8)).save(tmp_path / 'm.png')
    path = written(tmp_path, text)
    with pytest.raises(ConfigurationError, match=message) as raised:
        load_world(path)
    assert '\n' not in str(raised.value)
    assert 'image' in text or str(path) in str(raised.value)


def test_too_many_walls_are_refused(tmp_path):
    points = ', '.join(f'[{i}, {i % 2}]' for i in range(20_100))
    with pytest.raises(ConfigurationError, match='20099 walls and boxes, expected at most 20000'):
        load_world(written(tmp_path, f'walls: [{{points: [{points}]}}]'))


def test_an_unknown_world_is_answered_with_those_there_are():
    with pytest.raises(ConfigurationError, match=r"world 'moon' is neither a file nor one of ar,"):
        load_world('moon')


def test_worlds_lie_beside_the_sources():
    assert find_world('room') == Path(__file__).parents[2] / 'worlds' / 'room.yaml'
