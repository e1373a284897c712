# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The laser against distances in closed form and against slow formulas of another kind."""

import math
from typing import NoReturn

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ParameterError
from racecar.base.parameters import ParameterTable
from racecar.base.poses import NO_POSE, pose_of_angles, pose_of_child
from racecar.base.types import Pose2, Pose3, Twist3
from racecar.scene import Board, Box, Cone, Objects, OccupancyGrid, Scene, Wall
from racecar.scene.world_file import load_world
from racecar.sensors import SENSOR_KINDS, View
from racecar.sensors.laser import LASER, PARAMETERS

STILL = Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
Z = 0.1374

# A room of 8 m by 6 m, in four ways.
WEST, EAST, SOUTH, NORTH = -3.0, 5.0, -2.0, 4.0
WALLS = Scene(walls=(
    Wall(WEST, SOUTH, EAST, SOUTH), Wall(EAST, SOUTH, EAST, NORTH),
    Wall(EAST, NORTH, WEST, NORTH), Wall(WEST, NORTH, WEST, SOUTH)))
BOXES = Scene(boxes=(
    Box(1.0, SOUTH - 0.5, 0.0, 10.0, 1.0, 1.0), Box(1.0, NORTH + 0.5, math.pi, 10.0, 1.0, 1.0),
    Box(EAST + 0.5, 1.0, math.pi / 2.0, 6.0, 1.0, 1.0), Box(WEST - 0.5, 1.0, 0.0, 1.0, 6.0, 1.0)))


def grid_room(resolution=0.05, turn=0.0):
    """The room as a map, with walls two cells thick, turned about the origin."""
    columns, rows = round(8.0 / resolution), round(6.0 / resolution)
    values = np.full((rows + 4, columns + 4), 100, dtype=np.int8)
    values[2:-2, 2:-2] = 0
    corner = 2.0 * resolution
    x, y = WEST - corner, SOUTH - corner
    return Scene(grid=OccupancyGrid(values, resolution, Pose2(
        x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn), turn)))


SCENES = {'walls': WALLS, 'boxes': BOXES, 'map': grid_room()}


def laser(**values):
    exact = {'noise': 0.0, 'resolution': 0.0, 'range_min': 0.0, 'range_max': 100.0, 'rays': 181}
    rate = values.pop('rate', 40.0)
    return LASER.make(
        {**ParameterTable(PARAMETERS).resolve({**exact, **values}), 'rate': rate})


def unknown() -> NoReturn:
    raise AssertionError('a laser needs no acceleration')


def look(scene, pose=NO_POSE, twist=STILL, objects=None, seed=0, **values):
    """Return the ranges in float64."""
    seen = objects or Objects(scene.cones)
    view = View(scene, pose, 0, lambda: twist, unknown, lambda: seen)
    return laser(**values).measure(view, np.random.default_rng(seed)).ranges.astype(float)


def level(x, y, yaw, z=Z):
    return pose_of_angles(x, y, z, 0.0, 0.0, yaw)


def angles(count=181, low=-2.3561944902, high=2.3561944902):
    return np.linspace(low, high, count)


def to_the_walls(x, y, directions):
    """Return the distance to the walls of the room from within, in closed form."""
    with np.errstate(divide='ignore'):
        across = np.where(np.cos(directions) > 0.0, EAST - x, WEST - x) / np.cos(directions)
        along = np.where(np.sin(directions) > 0.0, NORTH - y, SOUTH - y) / np.sin(directions)
    return np.minimum(np.abs(across), np.abs(along))


@pytest.mark.parametrize('name', SCENES)
@pytest.mark.parametrize(('x', 'y', 'yaw'), [
    (0.0, 0.0, 0.0), (1.3, 2.2, 2.5), (-2.9, 3.9, -1.0), (4.0, -1.99, math.pi / 2.0)])
def test_ranges_in_a_room_are_those_of_the_closed_form(name, x, y, yaw):
    ranges = look(SCENES[name], level(x, y, yaw), rays=1081)
    assert ranges == pytest.approx(to_the_walls(x, y, yaw + angles(1081)), abs=2e-6)


def test_a_map_that_is_turned_gives_the_same_ranges():
    turn = 0.7
    room = pose_of_angles(0.0, 0.0, 0.0, 0.0, 0.0, turn)
    pose = pose_of_child(room, level(1.0, 1.0, 0.3))
    assert look(grid_room(turn=turn), pose) == pytest.approx(
        to_the_walls(1.0, 1.0, 0.3 + angles()), abs=2e-5)


def test_a_map_of_slanted_walls_is_seen_within_a_cell():
    resolution = 0.05
    # A square standing on its corner, and its outline in cells.
    row, column = np.mgrid[0:400, 0:400]
    x, y = (column + 0.5) * resolution - 10.0, (row + 0.5) * resolution - 10.0
    values = np.where(abs(np.abs(x) + np.abs(y) - 5.0) < 0.1, 100, 0).astype(np.int8)
    grid = Scene(grid=OccupancyGrid(values, resolution, Pose2(-10.0, -10.0, 0.0)))
    truth = 4.9 / (np.abs(np.cos(angles())) + np.abs(np.sin(angles())))
    assert look(grid, level(0.0, 0.0, 0.0)) == pytest.approx(truth, abs=1.5 * resolution)


def test_what_is_lower_than_the_laser_is_not_seen():
    scene = Scene(walls=(Wall(2.0, -5.0, 2.0, 5.0, 0.2), Wall(4.0, -5.0, 4.0, 5.0, 0.5)),
                  boxes=(Box(3.1, 0.0, 0.0, 0.2, 9.0, 0.3),))
    ahead = [look(scene, level(0.0, 0.0, 0.0, z), rays=3)[1] for z in (0.1, 0.25, 0.4, 0.6)]
    assert ahead == pytest.approx([2.0, 3.0, 4.0, math.inf])


def test_a_map_is_as_high_as_the_scene_says():
    scene = grid_room()
    assert np.isfinite(look(scene, level(0.0, 0.0, 0.0, 0.99))).all()
    assert np.isinf(look(scene, level(0.0, 0.0, 0.0, 1.01))).all()


def test_a_cone_is_as_wide_as_it_is_at_the_height_of_the_laser():
    scene = Scene(cones=(Cone(2.0, 0.0, base=0.4, height=0.4),))
    wide = look(scene, level(0.0, 0.0, 0.0, 0.1), rays=1081)
    assert wide.min() == pytest.approx(2.0 - 0.09, abs=1e-5)
    half = math.asin(0.09 / 2.0)
    assert np.isfinite(wide).tolist() == (np.abs(angles(1081)) < half).tolist()
    assert np.isinf(look(scene, level(0.0, 0.0, 0.0, 0.41))).all()


def test_cones_are_seen_where_they_have_come_to():
    scene = Scene(cones=(Cone(2.0, 0.0),))
    moved = Objects((Cone(3.0, 0.0),))
    ahead = look(scene, level(0.0, 0.0, 0.0, 0.05), objects=moved, rays=3)[1]
    assert ahead == pytest.approx(3.0 - scene.cones[0].radius_at(0.05))


def test_a_board_hides_what_is_behind_it():
    scene = Scene(boards=(Board(1.0, 0.0, math.pi, 0.3, 0.3, 1, 0.2),),
                  walls=(Wall(4.0, -9.0, 4.0, 9.0),))
    ranges = look(scene, level(0.0, 0.0, 0.0), rays=181)
    assert ranges[90] == pytest.approx(0.995)
    assert ranges[80] == pytest.approx(4.0 / math.cos(angles()[80]))


def test_another_robot_stands_in_the_way():
    robot = Objects(boxes=(Box(2.0, 0.0, math.pi / 2.0, 0.4, 0.2, 0.3),))
    ranges = look(WALLS, level(0.0, 0.0, 0.0), objects=robot)
    assert ranges[90] == pytest.approx(1.9)
    assert ranges[100] == pytest.approx(to_the_walls(0.0, 0.0, angles())[100])


@settings(max_examples=50)
@given(boxes=st.lists(st.builds(
    Box, st.floats(-9.0, 9.0), st.floats(-9.0, 9.0), st.floats(-4.0, 4.0), st.floats(0.1, 2.0),
    st.floats(0.1, 2.0), st.just(0.3)), max_size=12),
       yaw=st.floats(-3.0, 3.0), reach=st.floats(0.5, 8.0))
@example(boxes=[Box(3.0, 0.0, 0.0, 2.0, 0.5, 0.3)], yaw=0.0, reach=2.0)
@example(boxes=[Box(3.0, 0.0, 0.0, 2.0, 0.5, 0.3)], yaw=0.0, reach=math.nextafter(2.0, 0.0))
def test_what_is_out_of_reach_changes_no_bit_of_a_scan(boxes, yaw, reach):
    robots = Objects(boxes=boxes)
    pose = level(0.0, 0.0, yaw, 0.1)
    far = look(Scene(), pose, objects=robots, rays=61, range_max=1000.0)
    near = look(Scene(), pose, objects=robots, rays=61, range_max=reach)
    # Those that single precision may put beyond it are of no matter.
    assume(not np.any(np.abs(far - reach) < 1e-6) or reach in (2.0, math.nextafter(2.0, 0.0)))
    assert near.tolist() == np.where(far <= reach, far, math.inf).tolist()


@pytest.mark.parametrize('counts', [[1, 1, 1, 1], [2, 0, 1, 1], [4]])
def test_each_of_several_robots_is_among_all_others(counts):
    robots = Objects((Cone(1.0, 2.0),), [
        Box(float(k), 1.0, 0.1 * k, 0.4, 0.2, 0.3) for k in range(4)])
    ends = np.cumsum(counts).tolist()
    for around, count, end in zip(robots.around_each(counts), counts, ends, strict=True):
        others = Objects(robots.cones, (*robots.boxes[:end - count], *robots.boxes[end:]))
        assert around == others
        assert around.box_rows.tolist() == others.box_rows.tolist()
        assert around.cone_rows.tolist() == others.cone_rows.tolist()


def test_beyond_the_longest_range_is_plus_and_below_the_shortest_minus_infinity():
    ranges = look(WALLS, level(4.95, 0.0, 0.0), range_min=0.1, range_max=3.0, rays=3)
    # To the right behind, ahead, to the left behind.
    assert ranges[1] == -math.inf
    assert ranges[0] == pytest.approx(2.0 * math.sqrt(2.0))
    assert ranges[2] == math.inf


def test_ranges_that_are_clipped_are_always_numbers():
    ranges = look(
        WALLS, level(4.95, 0.0, 0.0), range_min=0.1, range_max=3.0, rays=3, clip=True)
    assert ranges == pytest.approx([2.0 * math.sqrt(2.0), 0.1, 3.0])


@pytest.mark.parametrize('name', SCENES)
def test_a_sensor_that_touches_a_wall_measures_nothing(name):
    inside = {'walls': (EAST, 0.0), 'boxes': (EAST + 0.4, 0.0), 'map': (EAST + 0.07, 0.0)}
    ranges = look(SCENES[name], level(*inside[name], 0.0), range_min=0.1)
    assert set(ranges.tolist()) == {-math.inf}


def test_a_map_is_seen_from_outside():
    scene = grid_room()
    x = WEST - 3.1
    for pose in (level(x, 0.0, 0.0), pose_of_angles(x, 0.0, Z, 1e-3, 0.0, 0.0)):
        ranges = look(scene, pose, rays=181)
        assert ranges[90] == pytest.approx(3.0, abs=1e-4)
        assert np.isinf(ranges[0])
        # The ray that comes past the corner.
        past = math.atan2(NORTH + 0.1, 3.1)
        assert np.isfinite(ranges[angles() < past - 0.05][-10:]).all()
        assert np.isinf(ranges[angles() > past + 0.05]).all()


def test_rays_go_on_where_rounding_has_them_leave_a_cell_before_they_came_in():
    # From here one of them stood still for ever.
    laser_there = pose_of_child(
        Pose3(5.860303053380345, 5.509334306168423, 0.0, 0.0, 0.0, 0.9906262671609822,
              -0.1366001420595827), level(0.265, 0.0, 0.0))
    ranges = look(load_world('racetrack'), laser_there, rays=1081, range_max=10.0)
    assert np.isfinite(ranges).any()


def test_a_ray_leaves_a_map_without_walls():
    empty = Scene(grid=OccupancyGrid(np.zeros((20, 30), np.int8), 0.1))
    assert np.isinf(look(empty, level(1.0, 1.0, 0.3), rays=1081)).all()


def test_angles_and_times_are_those_of_the_parameters():
    view = View(WALLS, level(0.0, 0.0, 0.0), 0, lambda: STILL, unknown, Objects)
    scan = laser(rays=5, angle_min=-1.0, angle_max=1.0, sweep_time=0.02, rate=40.0).measure(
        view, np.random.default_rng(0))
    assert scan[:7] == (-1.0, 1.0, 0.5, 0.005, 0.025, 0.0, 100.0)
    assert scan.sweep_ns == 20_000_000
    assert scan.ranges.dtype == np.float32


def test_one_ray_looks_along_its_angle():
    assert look(WALLS, level(0.0, 0.0, 0.0), rays=1, angle_min=math.pi / 2.0,
                angle_max=0.0) == pytest.approx([NORTH])


def test_a_full_turn_sees_all_around():
    directions = np.linspace(-math.pi, math.pi, 361)
    assert look(WALLS, level(1.0, 1.0, 0.0), rays=361, angle_min=-math.pi,
                angle_max=math.pi) == pytest.approx(to_the_walls(1.0, 1.0, directions))


# Tilt and motion during the sweep

@pytest.mark.parametrize('name', SCENES)
def test_a_laser_that_leans_sees_the_walls_further_off(name):
    pitch = -0.05  # the nose up
    ranges = look(SCENES[name], pose_of_angles(0.0, 0.0, Z, 0.0, pitch, 0.0), rays=3)
    assert ranges[1] == pytest.approx(EAST / math.cos(pitch), abs=1e-5)


def test_a_laser_that_leans_forward_sees_the_ground():
    ranges = look(WALLS, pose_of_angles(0.0, 0.0, Z, 0.0, 0.1, 0.0), rays=3)
    assert ranges[1] == pytest.approx(Z / math.sin(0.1))


@pytest.mark.parametrize(('scene', 'height'), [
    (Scene(boxes=(Box(2.0, 0.0, 0.0, 1.0, 1.0, 0.3),)), 0.3),
    (Scene(grid=OccupancyGrid(np.full((20, 20), 100, np.int8), 0.05, Pose2(1.5, -0.5, 0.0)),
           grid_height=0.3), 0.3)])
def test_a_laser_from_above_sees_the_top(scene, height):
    pitch = math.atan2(0.5, 2.0)
    ranges = look(scene, pose_of_angles(0.0, 0.0, height + 0.5, 0.0, pitch, 0.0), rays=3)
    assert ranges[1] == pytest.approx(math.hypot(0.5, 2.0), abs=1e-4)


def test_a_laser_that_leans_sees_a_cone_where_its_side_is():
    pitch, cone = 0.02, Cone(3.0, 0.0, base=0.6, height=0.5)
    ranges = look(Scene(cones=(cone,)), pose_of_angles(0.0, 0.0, 0.3, 0.0, pitch, 0.0), rays=3)
    distance = ranges[1]
    x, z = distance * math.cos(pitch), 0.3 - distance * math.sin(pitch)
    assert 3.0 - x == pytest.approx(cone.radius_at(z), abs=1e-6)


@pytest.mark.parametrize('name', SCENES)
@pytest.mark.parametrize('twist', [(2.0, 0.0, 0.0), (0.0, 0.0, 3.0), (1.5, -0.7, -2.0)])
def test_each_ray_of_a_sweep_goes_out_from_where_the_laser_is_by_then(name, twist):
    sweep, count = 0.02, 91
    vx, vy, rate = twist
    ranges = look(SCENES[name], level(0.5, 0.4, 0.2), Twist3(vx, vy, 0.0, 0.0, 0.0, rate),
                  rays=count, sweep_time=sweep)
    truth = []
    for i, angle in enumerate(angles(count)):
        # Back in time, in many small steps.
        x, y, yaw = 0.5, 0.4, 0.2
        steps = 200
        dt = sweep * (1.0 - i / (count - 1)) / steps
        for _ in range(steps):
            middle = yaw - 0.5 * rate * dt
            x -= dt * (vx * math.cos(middle) - vy * math.sin(middle))
            y -= dt * (vx * math.sin(middle) + vy * math.cos(middle))
            yaw -= rate * dt
        truth.append(to_the_walls(x, y, np.array([yaw + angle]))[0])
    assert ranges == pytest.approx(truth, abs=2e-5)
    assert np.abs(ranges - look(SCENES[name], level(0.5, 0.4, 0.2), rays=count)).max() > 0.01


def test_the_slow_way_sees_what_the_fan_sees():
    rng = np.random.default_rng(3)
    scene = Scene(
        walls=tuple(Wall(*rng.uniform(-8.0, 8.0, 4)) for _ in range(30)),
        boxes=tuple(Box(*(*rng.uniform(-8.0, 8.0, 2), rng.uniform(-3.0, 3.0), 0.7, 0.4, 0.5))
                    for _ in range(20)),
        cones=tuple(Cone(*(*rng.uniform(-8.0, 8.0, 2), 0.5, 0.4)) for _ in range(20)))
    for _ in range(20):
        pose = level(*(*rng.uniform(-8.0, 8.0, 2), rng.uniform(-3.0, 3.0)))
        # So small a sweep moves nothing, but takes the other way.
        fan, single = (look(scene, pose, rays=361, sweep_time=time) for time in (0.0, 1e-9))
        differs = np.nan_to_num(fan, posinf=99.0) - np.nan_to_num(single, posinf=99.0)
        # A ray that just grazes an end may miss it in one of the two.
        assert np.count_nonzero(np.abs(differs) > 1e-5) <= 2


# Against slow formulas

lengths = st.floats(-9.0, 9.0)
headings = st.floats(-3.2, 3.2)


def ray_and_segment(x, y, angle, wall):
    """Return how far along a ray a segment is: the two unknowns by Cramer's rule."""
    matrix = np.array([[math.cos(angle), wall.x1 - wall.x2], [math.sin(angle), wall.y1 - wall.y2]])
    if abs(np.linalg.det(matrix)) < 1e-9:
        return None
    way, share = np.linalg.solve(matrix, [wall.x1 - x, wall.y1 - y])
    return (way, share)


@settings(max_examples=200)
@given(st.tuples(lengths, lengths, headings),
       st.lists(st.tuples(lengths, lengths, lengths, lengths), min_size=1, max_size=6))
@example((0.0, -1.0, 0.0), [(0.0, 1.0, 7.62939453125e-06, 0.0)])
def test_any_walls_are_seen_where_rays_cross_them(place, ends):
    walls = [Wall(*end) for end in ends]
    x, y, yaw = place
    ranges = look(Scene(walls=tuple(walls)), level(x, y, yaw), rays=61)
    # At the ends of walls rounding decides.
    assume(min(math.dist(wall[:2], wall[2:4]) for wall in walls) > 0.01)
    for angle, distance in zip(yaw + angles(61), ranges, strict=True):
        crossings = [ray_and_segment(x, y, angle, wall) for wall in walls]
        to_ends = [math.atan2(end[1] - y, end[0] - x) - angle
                   for wall in walls for end in (wall[:2], wall[2:4])]
        if None in crossings or min(abs(math.remainder(a, math.tau)) for a in to_ends) < 1e-6:
            continue
        surely = [way for way, share in crossings if way >= 0.0 and 1e-6 < share < 1.0 - 1e-6]
        perhaps = [way for way, share in crossings if way >= -1e-6 and -1e-6 < share < 1.0 + 1e-6]
        assert distance <= min(surely, default=math.inf) + 1e-4
        assert distance >= min(perhaps, default=math.inf) - 1e-4


def nearest_cell(grid, x, y, direction, growth):
    """Return how far along a ray the nearest occupied cell is, each grown to all sides."""
    row, column = np.nonzero(grid.occupied)
    c, s = math.cos(grid.origin.yaw), math.sin(grid.origin.yaw)
    px, py = x - grid.origin.x, y - grid.origin.y
    px, py = px * c + py * s, py * c - px * s
    begin, end = np.zeros(len(row)), np.full(len(row), math.inf)
    for place, speed, low in ((px, math.cos(direction - grid.origin.yaw), column),
                              (py, math.sin(direction - grid.origin.yaw), row)):
        sides = [(low + side) * grid.resolution + sign * growth - place
                 for side, sign in ((0, -1.0), (1, 1.0))]
        ways = np.sort(np.array(sides) / (speed or 1e-300), axis=0)
        begin, end = np.maximum(begin, ways[0]), np.minimum(end, ways[1])
    return min(begin[begin <= end], default=math.inf)


@settings(max_examples=100)
@given(st.integers(0, 2**32), st.floats(0.02, 0.3), headings, st.floats(0.01, 0.99),
       st.floats(0.01, 0.99), headings)
def test_any_map_is_seen_where_rays_enter_its_cells(seed, share, turn, u, v, yaw):
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((24, 31)) < share, 100, 0).astype(np.int8)
    grid = OccupancyGrid(values, 0.1, Pose2(0.4, -0.7, turn))
    x, y = grid.point(u * grid.size[0], v * grid.size[1])
    ranges = look(Scene(grid=grid), level(x, y, yaw), rays=40)
    for angle, distance in zip(yaw + angles(40), ranges, strict=True):
        # A ray through a corner may count as on either side.
        assert distance <= nearest_cell(grid, x, y, angle, -1e-5) + 1e-4
        assert distance >= nearest_cell(grid, x, y, angle, 1e-5) - 1e-4


def test_walls_that_touch_leave_no_gap():
    # A ring of short walls about the sensor, met by many rays just at the corners.
    count = 720
    corners = [(3.0 * math.cos(i * math.pi / 360.0), 3.0 * math.sin(i * math.pi / 360.0))
               for i in range(count)]
    ring = Scene(walls=tuple(
        Wall(*one, *other)
        for one, other in zip(corners, corners[1:] + corners[:1], strict=True)))
    ranges = look(ring, level(0.0, 0.0, 0.0), rays=721, angle_min=-math.pi, angle_max=math.pi)
    assert ranges.min() > 2.9999
    assert ranges.max() < 3.0001


# Noise

def test_noise_has_mean_zero_and_the_deviation_that_is_asked_for():
    errors = np.concatenate([
        look(WALLS, level(0.0, 0.0, 0.0), seed=seed, noise=0.03, rays=1081)
        - to_the_walls(0.0, 0.0, angles(1081)) for seed in range(40)])
    count = len(errors)
    assert abs(errors.mean()) < 4.0 * 0.03 / math.sqrt(count)
    assert errors.std() == pytest.approx(0.03, rel=4.0 / math.sqrt(2.0 * count))
    # As many beyond one and two deviations as a normal distribution has.
    for limit, share in ((1.0, 0.3173), (2.0, 0.0455)):
        found = np.mean(np.abs(errors) > limit * 0.03)
        assert found == pytest.approx(share, abs=4.0 * math.sqrt(share / count))


def test_ranges_are_whole_multiples_of_the_resolution():
    ranges = look(WALLS, level(0.0, 0.0, 0.0), noise=0.01, resolution=0.01, rays=1081)
    assert np.abs(ranges / 0.01 - np.round(ranges / 0.01)).max() < 1e-3
    assert len(set(ranges.tolist())) > 100


def test_a_seed_gives_its_noise_again_and_another_one_other_noise():
    one, again, other = (
        look(WALLS, level(0.0, 0.0, 0.0), seed=seed, noise=0.01) for seed in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert one.tobytes() != other.tobytes()


@pytest.mark.parametrize(('values', 'message'), [
    ({'angle_min': 1.0, 'angle_max': -1.0}, "'angle_max' is -1 rad and angle_min 1 rad"),
    ({'angle_min': -4.0, 'angle_max': 4.0}, 'larger by at most a full turn'),
    ({'range_min': 5.0, 'range_max': 4.0}, "'range_min' is 5 m and range_max 4 m"),
    ({'sweep_time': 0.03}, r"'sweep_time' is 0\.03 s, expected at most the period of 0\.025 s"),
    ({'rays': 0}, "'rays' is 0, expected"), ({'noise': -0.1}, "'noise' is -0.1, expected")])
def test_settings_that_make_no_sense_are_refused(values, message):
    with pytest.raises(ParameterError, match=message):
        laser(**values)


def test_the_laser_stands_in_the_registry():
    assert SENSOR_KINDS['laser'] is LASER


def test_a_pose_upside_down_sees_mirrored():
    upside = Pose3(0.0, 0.0, Z, 1.0, 0.0, 0.0, 0.0)
    assert look(WALLS, upside) == pytest.approx(to_the_walls(0.0, 0.0, -angles()), abs=1e-5)
