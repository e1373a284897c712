# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Depths of a scene against what geometry says of them."""

import math

import numpy as np
import pytest

from racecar.base.errors import ParameterError
from racecar.base.poses import pose_of_angles
from racecar.base.readings import DepthImage
from racecar.base.types import Acceleration3, Pose3, Twist3
from racecar.rendering.drawing_process import DrawingProcess
from racecar.rendering.lens import Lens, OPTICAL_AXES
from racecar.rendering.renderer import Renderer
from racecar.rendering.sight import Quality, Sight
from racecar.scene.scene import Box, Objects, Scene
from racecar.sensors.depth_camera import DEPTH_CAMERA, DepthCamera
from racecar.sensors.interface import View

LENS = Lens(80, 60, 1.2, 0.02, 20.0)
# A wall whose face is at x = 3 m, and a box before it to the left, with its face at x = 2 m.
SCENE = Scene('faces', boxes=(
    Box(3.5, 0.0, 0.0, 1.0, 20.0, 4.0), Box(2.2, 0.8, 0.0, 0.4, 0.5, 4.0)))


def rays(lens):
    """Directions of the pixels with 1 along the view, to the left and up (height, width)."""
    column, row = lens.centre
    left = -(np.arange(lens.width) - column) / lens.focal_length
    up = -(np.arange(lens.height) - row) / lens.focal_length
    return np.broadcast_arrays(left, up[:, None])


@pytest.mark.parametrize('pitch', [0.0, 0.3, -0.2])
def test_depths_are_those_of_geometry(pitch, gl):
    height = 0.25
    with Renderer(SCENE, (), Quality(80, 60)) as renderer:
        depths = renderer.measure(
            Sight(), pose_of_angles(0.0, 0.0, height, 0.0, pitch, 0.0), LENS)
    left, up = rays(LENS)
    ahead = math.cos(pitch) + up * math.sin(pitch)
    rise = up * math.cos(pitch) - math.sin(pitch)
    # A pitch is downwards, so a ray that goes up in the picture is ahead by more.
    with np.errstate(divide='ignore'):
        ground = np.where(rise < 0.0, -height / rise, np.inf)
        box = 2.0 / ahead
        is_box = (np.abs(left * box - 0.8) < 0.25) & (height + rise * box < 4.0)
        wall = np.where(height + rise * 3.0 / ahead < 4.0, 3.0 / ahead, np.inf)
    expected = np.minimum(ground, np.where(is_box, box, wall))
    # At edges a pixel may be on either side, and a side of the box is seen.
    near_edge = np.abs(np.abs(left * box - 0.8) - 0.25) < 0.11
    found = depths[~near_edge]
    assert found == pytest.approx(expected[~near_edge], rel=1e-3)


def test_a_process_measures_what_the_renderer_does(gl):
    viewpoint = pose_of_angles(0.0, 0.3, 0.25, 0.0, 0.1, 0.2)
    with Renderer(SCENE, (), Quality(80, 60)) as renderer:
        expected = renderer.measure(Sight(), viewpoint, LENS)
    process = DrawingProcess(SCENE, (), Quality(80, 60))
    try:
        assert (process.measure(Sight(), viewpoint, LENS) == expected).all()
        assert process.draw(Sight(), viewpoint, LENS).shape == (60, 80, 3)
    finally:
        process.close()


def settings(**values):
    from racecar.base.parameters import ParameterTable

    return {**ParameterTable(DEPTH_CAMERA.parameters).resolve(values), 'seed': 0}


def view_of(depths):
    """View of a camera that sees given depths [m]."""
    return View(Scene(), OPTICAL_AXES, 0, lambda: Twist3(*[0.0] * 6),
                lambda: Acceleration3(*[0.0] * 6), Objects,
                depths=lambda _, lens: lambda: np.full((lens.height, lens.width), depths,
                                                       np.float32))


def measured(depths, **values) -> DepthImage:
    camera = DepthCamera(settings(**values))
    return camera.measure(view_of(depths), np.random.default_rng(1))


def test_what_is_out_of_range_is_infinite():
    assert (measured(0.1, noise=0.0).depths() == -np.inf).all()
    assert (measured(10.1, noise=0.0).depths() == np.inf).all()
    assert (measured(2.5, noise=0.0).depths() == 2.5).all()


def test_noise_is_a_share_of_the_distance_and_the_same_when_read_again():
    image = measured(4.0, noise=0.02)
    depths = image.depths()
    assert depths.std() == pytest.approx(0.08, rel=0.02)
    assert depths.mean() == pytest.approx(4.0, abs=0.001)
    assert (image.depths() == depths).all()
    assert (image.width, image.height) == (640, 480)


def test_the_view_of_an_optical_frame_is_along_its_z_axis():
    seen: list[Pose3] = []

    def depths(viewpoint, lens):
        seen.append(viewpoint)
        return lambda: np.ones((lens.height, lens.width), np.float32)

    DepthCamera(settings()).measure(
        view_of(1.0)._replace(depths=depths), np.random.default_rng(1))
    assert seen[0] == pytest.approx(pose_of_angles(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def test_an_empty_range_is_refused():
    with pytest.raises(ParameterError, match='range_min.* is 3 m and range_max 2 m'):
        DepthCamera(settings(range_min=3.0, range_max=2.0))
