# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modules of the page one by one, compared with what Python says."""

import json
import math
import re

import numpy as np
import pytest

from racecar.api import describe_vehicle, find_config, VehicleParameters
from racecar.base.types import Pose2
from racecar.cockpit.frames import mesh_frame, read_mesh, scan_frame, state_frame
from racecar.cockpit.page_files import FOLDER, INDEX
from racecar.cockpit.robot_message import robot_frames
from racecar.cockpit.scene_message import scene_frame
from racecar.rendering.contours import outlines
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.world_file import load_world


@pytest.fixture
def page(serve, open_page):
    return open_page(serve(starts=False).address)


def test_links_are_where_the_robot_description_puts_them(page):
    tree = describe_vehicle(VehicleParameters.from_file(find_config('vehicles/racecar'))).tree
    frames = robot_frames(0, tree)
    angles = {joint.name: 0.3 + 0.1 * index
              for index, joint in enumerate(joint for joint in tree.joints if joint.moves)}
    row = [angles.get(name.removeprefix('joint:'), 0.0) for name in frames.columns]
    root = (1.0, -2.0, 0.5)
    turn = (0.0, 0.0, math.sin(0.4), math.cos(0.4))
    row[:7] = [*root, *turn]
    found = page.evaluate("""async ([message, row]) => {
      const {Robot} = await import('/static/robot.js');
      const column = Object.fromEntries(message.columns.map((name, index) => [name, index]));
      const robot = new Robot(message, column);
      robot.placeRow(row);
      return Object.fromEntries([...robot.poses].map(([name, pose]) => [name, [...pose]]));
    }""", [json.loads(frames.frames[-1]), row])
    expected = tree.poses(angles)
    assert set(found) == set(expected) == {link.name for link in tree.links}
    c, s = math.cos(0.8), math.sin(0.8)
    for name, pose in expected.items():
        x, y, z = pose[:3]
        place = [root[0] + c * x - s * y, root[1] + s * x + c * y, root[2] + z]
        assert found[name][12:15] == pytest.approx(place, abs=1e-5), name
        qx, qy, qz, qw = pose[3:]
        axis = (1 - 2 * (qy**2 + qz**2), 2 * (qx * qy + qz * qw), 2 * (qx * qz - qy * qw))
        turned = [c * axis[0] - s * axis[1], s * axis[0] + c * axis[1], axis[2]]
        assert found[name][:3] == pytest.approx(turned, abs=1e-5), name


def test_names_of_parts_are_shown_as_people_write_them(page):
    names = ['imu', 'laser', 'antifog_lights', 'low_level_ackermann_mux', 'constructor']
    found = page.evaluate("""async (names) =>
      names.map((await import('/static/dom.js')).words)""", names)
    assert found == ['IMU', 'lidar', 'fog lights', 'low level ackermann mux', 'constructor']


def test_touch_pads_of_two_thumbs_are_let_go_one_by_one(page):
    answer = page.evaluate("""async () => {
      const {Driving} = await import('/static/driving.js');
      const sent = [];
      const driving = new Driving({mayDrive: () => true, changed: () => {},
        send: (type, fields) => sent.push([type, fields?.speed, fields?.steering])});
      driving.most = {ahead: 1, left: 1};
      const last = () => sent.at(-1);
      const found = [];
      for (const shares of [{ahead: 0.5}, {left: 0.25}, {ahead: null}, {left: null}]) {
        driving.touch(shares);
        found.push(last());
      }
      return found;
    }""")
    assert answer == [['drive', 0.5, 0], ['drive', 0.5, 0.25], ['drive', 0, 0.25],
                      ['release_wheel', None, None]]


def test_frames_are_read_as_python_packs_them(page):
    times = np.array([1.0, 1.01])
    values = np.array([[1.5, -2.25, math.nan], [0.125, 3.0, 4.5]])
    ranges = np.array([1.0, math.inf, 2.5])
    frames = [[*state_frame(3, times, values)], [*scan_frame(1, 7.5, -2.0, 0.25, ranges)]]
    state, scan = page.evaluate("""async (frames) => {
      const {readBinary} = await import('/static/connection.js');
      return frames.map((bytes) => {
        const found = readBinary(new Uint8Array(bytes).buffer);
        for (const name of ['times', 'values', 'ranges']) {
          if (found[name]) { found[name] = [...found[name]].map(String); }
        }
        return found;
      });
    }""", frames)
    assert (state['type'], state['robot'], state['rows'], state['columns']) == ('state', 3, 2, 3)
    assert [float(value) for value in state['times']] == [1.0, 1.01]
    np.testing.assert_array_equal(
        [float(value) for value in state['values']], values.ravel())
    assert (scan['time'], scan['first'], scan['step']) == (7.5, -2.0, 0.25)
    assert scan['ranges'] == ['1', 'Infinity', '2.5']


def test_edges_of_meshes_stay_sharp_and_round_ones_become_smooth(page):
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                      [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    angles = np.linspace(0, 2 * math.pi, 36, endpoint=False)
    ring = np.array([[math.cos(a), math.sin(a), z] for z in (0, 1) for a in angles])
    around = np.arange(36)
    tube = np.concatenate([
        np.column_stack([around, (around + 1) % 36, 36 + (around + 1) % 36]),
        np.column_stack([around, 36 + (around + 1) % 36, 36 + around])])
    bodies = [[*read_mesh(mesh_frame('key', *mesh)).body]
              for mesh in ((cube, faces), (ring, tube))]
    sharp, smooth = page.evaluate("""async (bodies) => {
      const {readMesh} = await import('/static/shapes.js');
      return bodies.map((bytes) => {
        const {positions, normals} = readMesh(new Uint8Array(bytes).buffer);
        return [[...positions], [...normals]];
      });
    }""", bodies)
    normals = np.reshape(sharp[1], (-1, 3))
    np.testing.assert_allclose(np.sort(np.abs(normals)), np.tile([0, 0, 1], (36, 1)), atol=1e-6)
    # A face looks away from the middle.
    assert (np.sum(normals * np.reshape(sharp[0], (-1, 3)), axis=1) > 0).all()
    points, normals = (np.reshape(rows, (-1, 3)) for rows in smooth)
    np.testing.assert_allclose(normals[:, :2], points[:, :2], atol=0.05)


def walls_of(page, occupied, resolution, corner, height):
    """Triangles (n, 3, 3) [m] and normals that the page makes of a map; rows of it from below."""
    rows, columns = occupied.shape
    answer = page.evaluate("""async ([grey, width, height, map, tall]) => {
      const {wallsOf} = await import('/static/walls.js');
      const {positions, normals} = wallsOf(
        {grey, width, height, scaleX: 1, scaleY: 1}, map, tall);
      return [positions, normals];
    }""", [np.where(occupied[::-1], 0, 255).ravel().tolist(), columns, rows,
           {'x': corner[0], 'y': corner[1], 'resolution': resolution}, height])
    return tuple(np.reshape(rows, (-1, 3, 3)) for rows in answer)


def area_of_top(points, facing):
    top = points[facing[:, 0, 2] == 1]
    (ax, ay), (bx, by) = ((top[:, k, :2] - top[:, 0, :2]).T for k in (1, 2))
    return 0.5 * np.abs(ax * by - ay * bx).sum()


def test_walls_of_a_map_have_its_outline(page):
    resolution, radius = 0.05, 1.0
    y, x = np.mgrid[0:80, 0:80] - 39.5
    points, facing = walls_of(
        page, np.hypot(x, y) * resolution < radius, resolution, (10, -5), 0.4)
    assert area_of_top(points, facing) == pytest.approx(math.pi * radius**2, rel=0.01)
    sides = facing[:, 0, 2] == 0
    outwards = points[sides][..., :2] - [12, -3]
    # The cells themselves have steps of 0.05 m.
    np.testing.assert_allclose(np.linalg.norm(outwards, axis=-1), radius, atol=0.013)
    # Sides look outwards, those of both windings of their triangles.
    assert (np.sum(outwards * facing[sides][..., :2], axis=-1) > 0.98 * radius).all()
    across = np.cross(*(points[sides][:, k] - points[sides][:, 0] for k in (1, 2)))
    assert (np.sum(across * facing[sides][:, 0], axis=-1) > 0).all()
    assert set(np.unique(points[..., 2].round(6))) == {0.0, 0.4}


def test_walls_of_a_map_are_those_of_rendered_pictures(page):
    # A slanted wall with a hole, a wall of one cell, and a block at the edge of the map.
    y, x = np.mgrid[0:60, 0:90]
    occupied = (np.abs(y - 0.37 * x - 5) < 4) & ~((np.abs(x - 45) < 2) & (np.abs(y - 21) < 2))
    occupied |= (y == 50) & (x > 10)
    occupied |= (x > 75) & (y < 9)
    grid = OccupancyGrid(np.where(occupied, 100, 0).astype(np.int8), 0.05, Pose2(-1.0, 2.0, 0.0))
    points, facing = walls_of(page, occupied, 0.05, (-1.0, 2.0), 0.4)
    lines = outlines(grid)
    ends = np.concatenate([np.stack([line, np.roll(line, -1, axis=0)], axis=1) for line in lines])
    start, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    sides = np.unique(points[facing[:, 0, 2] == 0][..., :2].reshape(-1, 2).round(6), axis=0)
    off = sides[:, None] - start
    share = np.clip(np.sum(off * along, axis=-1) / np.sum(along**2, axis=-1), 0.0, 1.0)
    distance = np.linalg.norm(off - share[..., None] * along, axis=-1).min(axis=1)
    assert distance.max() < 0.02 * grid.resolution
    # The top ends where the sides do.
    enclosed = abs(sum(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
                       for x, y in (line.T for line in lines)))
    assert area_of_top(points, facing) == pytest.approx(enclosed, rel=0.005)


def test_history_keeps_all_samples_and_begins_anew_when_time_goes_back(page):
    answer = page.evaluate("""async () => {
      const {History} = await import('/static/history.js');
      const history = new History(['x']);
      const add = (...times) => history.add(
        {times, values: times, rows: times.length, columns: 1});
      add(...Array.from({length: 30000}, (_, i) => i / 100));
      const full = [history.length, history.timeOf(history.first), history.from(299),
        history.next];
      add(310.0);
      const gap = [history.value(history.next - 2, 0), history.latestTime].map(String);
      const back = add(5.0);
      return {full, gap, back, length: history.length};
    }""")
    assert answer == {'full': [24000, 60.0, 29900, 30000], 'gap': ['NaN', '310'], 'back': True,
                      'length': 1}


def test_history_gives_columns_across_the_end_of_its_ring_with_null_for_gaps(page):
    answer = page.evaluate("""async () => {
      const {History} = await import('/static/history.js');
      const history = new History(['x', 'y', 'unknown']);
      const times = Array.from({length: 24001}, (_, i) => i / 100);
      history.add({times, values: times.flatMap((time) => [time, -time, NaN]),
        rows: times.length, columns: 3});
      history.add({times: [250], values: [7, NaN, NaN], rows: 1, columns: 3});
      const ends = [history.next - 4, history.next];
      return [history.timesOf(...ends), history.valuesOf('x', ...ends),
        history.valuesOf('y', ...ends, 2), history.valuesOf('unknown', ...ends)];
    }""")
    assert answer == [[239.99, 240, 240, 250], pytest.approx([239.99, 240, None, 7]),
                      pytest.approx([-479.98, -480, None, None]), []]


def test_history_shows_a_time_that_has_been_and_never_a_gap(page):
    answer = page.evaluate("""async () => {
      const {History} = await import('/static/history.js');
      const history = new History(['x', 'y']);
      const add = (...times) => history.add(
        {times, values: times.flatMap((time) => [time, NaN]), rows: times.length, columns: 2});
      add(1, 2, 3);
      add(9, 10);
      const shown = (time) => {
        history.show(time);
        return [history.latest[0], history.last('x'), history.timeOf(history.end - 1)];
      };
      const found = [0, 2, 2.5, 5, 9.5, 20, null].map(shown);
      history.show(2);
      add(11);
      found.push([history.last('x'), history.latestTime]);
      add(0.5);
      found.push([history.last('x'), history.at]);
      return found;
    }""")
    assert answer == [[1] * 3, [2] * 3, [2] * 3, [3] * 3, [9] * 3, [10] * 3, [10] * 3, [2, 11],
                      [0.5, None]]


def test_what_was_seen_is_bounded_and_found_by_its_time(page):
    answer = page.evaluate("""async () => {
      const {Moments} = await import('/static/rewind.js');
      const moments = new Moments(100);
      for (let i = 0; i < 50; i++) { moments.add(i, `at ${i}`, 10); }
      const found = [moments.list.length, moments.bytes, moments.at(39.5), moments.at(45.5),
        moments.at(60), moments.at(60, Infinity)];
      moments.add(3, 'anew', 10);
      return [...found, moments.list.length];
    }""")
    assert answer == [10, 100, None, 'at 45', None, 'at 49', 1]


def test_page_asks_for_all_its_modules_at_once():
    index = (FOLDER / INDEX).read_text()
    asked = set(re.findall(r'<link rel="modulepreload" href="/static/(\w+\.js)">', index))
    assert asked == {path.name for path in FOLDER.glob('*.js')} - {'main.js', 'uPlot.iife.min.js'}


def test_moving_things_are_where_the_simulation_has_them(page):
    scene = load_world('crossing')
    things = json.loads(scene_frame(scene, begin_ns=500_000_000))['moving']
    times = [0.0, 0.7, 5.5, 7.2, 1e4]
    places = page.evaluate("""async ([things, times]) => {
      const {placeAt} = await import('/static/moving.js');
      return things.map((thing) => times.map((time) => placeAt(thing, time)));
    }""", [things, times])
    np.testing.assert_allclose(places, [
        [thing.motion.at(round(1e9 * (time + 0.5)))[:3] for time in times]
        for thing in scene.moving], atol=1e-6)
