# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vehicles and pictures of what a page offers."""

import io
import json

import numpy as np
from own_event_loop import run_async
from PIL import Image
import pytest

from racecar.base.share import car_and_robot_names, find_track
from racecar.cockpit.configurations import configurations
from racecar.cockpit.showroom import Showroom
from racecar.cockpit.thumbnails import HEIGHT, path_picture, robot_picture, WIDTH
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.description.robot_tree import Link, RobotTree


def picture(data):
    return np.asarray(Image.open(io.BytesIO(data)), dtype=int)


def test_every_vehicle_world_and_path_that_is_offered_has_a_picture_of_its_own():
    async def scenario():
        room = Showroom()
        offered = {(option['name'], name) for row in configurations(with_nodes=True)
                   for option in row['options'] for name in option.get('choices', ())
                   if option['name'] in ('vehicle', 'world', 'waypoints', 'trajectory')}
        found = {key: await room.picture(*key) for key in offered
                 if key != ('trajectory', 'waypoints')}
        return {key: picture(data) for key, data in found.items()}

    found = run_async(scenario())
    for key, pixels in found.items():
        assert pixels.shape == (HEIGHT, WIDTH, 4), key
        share = (pixels[..., 3] > 0).mean()
        assert 0.002 < share < 0.8, key
    assert len({pixels.tobytes() for pixels in found.values()}) >= len(found) - 2


@pytest.mark.parametrize('key', [
    ('vehicle', 'golf'), ('vehicle', '../../etc/passwd'), ('world', '/etc/passwd'),
    ('waypoints', 'hall.csv'), ('trajectory', 'waypoints'), ('trajectory', '3'),
    ('sensor', 'imu')])
def test_what_is_not_offered_has_none(key):
    assert run_async(Showroom().picture(*key)) is None


def test_a_vehicle_names_meshes_that_are_there():
    async def scenario():
        room = Showroom()
        assert await room.vehicle('golf') is None
        for name in car_and_robot_names():
            body = await room.vehicle(name)
            assert body is not None
            message = json.loads(body)
            assert message['type'] == 'robot'
            keys = {visual['mesh'] for link in message['links'] for visual in link['visuals']
                    if visual['shape'] == 'mesh'}
            assert all(room.mesh(key) for key in keys)

    run_async(scenario())


def test_a_path_keeps_its_proportions():
    points = read_way_points(find_track('racetrack')).points
    rows, columns = np.nonzero(picture(path_picture(points))[..., 3] > 128)
    width, height = np.ptp(points, axis=0)
    assert np.ptp(columns) / np.ptp(rows) == pytest.approx(width / height, rel=0.05)


def test_a_robot_without_shapes_has_an_empty_picture():
    assert not picture(robot_picture(RobotTree('robot', (Link('base_link'),), ()))).any()


def test_what_is_in_front_hides_what_is_behind():
    # Front left looks at the left side of a red car and at its wheels, not through it.
    async def scenario():
        return picture(await Showroom().picture('vehicle', 'tesla_model3'))

    pixels = run_async(scenario())
    solid = pixels[..., 3] > 250
    red = solid & (pixels[..., 0] > 2 * pixels[..., 1]) & (pixels[..., 0] > 90)
    assert red.sum() > 0.35 * solid.sum()
