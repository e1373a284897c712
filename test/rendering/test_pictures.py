# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of scenes whose pixels are known."""

from concurrent.futures import ThreadPoolExecutor
import math
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, RenderingError
from racecar.base.poses import NO_POSE, pose_of_angles, pose_of_child, rotated
from racecar.base.shapes import Mesh
from racecar.base.share import find_vehicle, resource_file
from racecar.description.outline import outline
from racecar.description.triangles import corners_of
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.rendering.drawing_process import DrawingProcess, DrawingTeam
from racecar.rendering.lens import Lens, LENS_OF_OPTICAL, OPTICAL_AXES
from racecar.rendering.renderer import Renderer
from racecar.rendering.sight import Quality, Sight
from racecar.rendering.viewpoints import framing
from racecar.scene.scene import Box, Scene

LENS = Lens(640, 480, 0.8709216071359963, 0.02, 300.0)
SMALL = Lens(64, 48, 0.87, 0.02, 300.0)
RED = (1.0, 0.0, 0.0)
# Its near face 2 m ahead of an eye at height 0.3, from 0.4 m to the right to 0.5 m to the left.
BLOCK = Scene(boxes=(Box(2.5, 0.05, 0.0, 1.0, 0.9, 0.5, RED),))
EYE = pose_of_angles(0.0, 0.0, 0.3, 0.0, 0.0, 0.0)


def is_red(pixels):
    return (pixels[..., 0] > 60) & (pixels[..., 1] < 30) & (pixels[..., 2] < 30)


def test_axes_of_camera_and_picture_are_each_others_inverse():
    assert pose_of_child(OPTICAL_AXES, LENS_OF_OPTICAL) == pytest.approx(NO_POSE)


def test_the_focal_length_is_that_of_the_original():
    assert LENS.focal_length == pytest.approx(687.8066, abs=1e-3)


def test_a_block_is_where_the_lens_says(gl):
    with Renderer(BLOCK, [], Quality(640, 480)) as renderer:
        rows, columns = np.nonzero(is_red(renderer.draw(Sight(), EYE, LENS)))
    # Left is -x of the optical frame, up is -y.
    left, top = LENS.pixel(-0.5, -0.2, 2.0)
    right, bottom = LENS.pixel(0.4, 0.3, 2.0)
    assert (columns.min(), columns.max()) == pytest.approx((left, right), abs=1.0)
    assert (rows.min(), rows.max()) == pytest.approx((top, bottom), abs=1.0)
    area = (right - left) * (bottom - top)
    assert len(rows) == pytest.approx(area, rel=0.01)


def test_the_picture_turns_with_the_camera(gl):
    with Renderer(BLOCK, [], Quality(640, 480)) as renderer:
        _, ahead = np.nonzero(is_red(renderer.draw(Sight(), EYE, LENS)))
        turned = pose_of_child(EYE, pose_of_angles(0.0, 0.0, 0.0, 0.0, 0.0, 0.1))
        _, columns = np.nonzero(is_red(renderer.draw(Sight(), turned, LENS)))
    # To the left: what is ahead moves to the right.
    assert columns.mean() - ahead.mean() == pytest.approx(
        LENS.focal_length * math.tan(0.1), rel=0.1)


def test_another_process_draws_the_same_bytes(gl):
    with Renderer(BLOCK, [], Quality(64, 48)) as renderer:
        own = renderer.draw(Sight(), EYE, SMALL)
    process = DrawingProcess(BLOCK, [], Quality(64, 48))
    other = process.draw(Sight(), EYE, SMALL)
    process.close()
    assert np.array_equal(own, other)


def test_several_processes_draw_the_same_bytes_and_end(gl):
    with Renderer(BLOCK, [], Quality(64, 48)) as renderer:
        own = renderer.draw(Sight(), EYE, SMALL)
    with (DrawingTeam(BLOCK, [], Quality(64, 48), size=2) as team,
          ThreadPoolExecutor(4) as pool):
        drawn = list(pool.map(lambda _: team.draw(Sight(), EYE, SMALL), range(8)))
    assert all(np.array_equal(own, other) for other in drawn)
    with pytest.raises(RenderingError, match='ended'):
        team.draw(Sight(), EYE, SMALL)


def test_a_process_that_is_killed_is_told(gl):
    process = DrawingProcess(BLOCK, [], Quality(64, 48))
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(RenderingError, match='ended .signal 9.'):
        process.draw(Sight(), EYE, SMALL)


def test_the_process_ends_with_its_parent(gl):
    code = ('from racecar.rendering.drawing_process import *\n'
            'from racecar.scene.scene import EMPTY_SCENE\n'
            'process = DrawingProcess(EMPTY_SCENE, [], Quality(16, 16))\n'
            'print(process.pid, flush=True)\ninput()\n')
    parent = subprocess.Popen([sys.executable, '-c', code], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 30.0
    while is_alive(pid):
        assert time.monotonic() < deadline, 'the process outlives its parent'
        time.sleep(0.02)


def is_alive(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii') as stream:
            # Whoever adopts it may not have asked for its exit code.
            return stream.read().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


@pytest.mark.parametrize(('value', 'message'), [
    ('disable', 'pictures are switched off by MUJOCO_GL=disable'),
    ('opengl9', "MUJOCO_GL is 'opengl9', expected egl or osmesa"),
])
def test_what_the_environment_forbids_is_one_line(monkeypatch, value, message):
    monkeypatch.setenv('MUJOCO_GL', value)
    with pytest.raises(ConfigurationError, match=message) as caught:
        DrawingProcess(BLOCK, [], Quality(64, 48))
    assert '\n' not in str(caught.value)


def test_without_a_library_one_line_says_what_to_install(monkeypatch):
    monkeypatch.delenv('MUJOCO_GL', raising=False)
    monkeypatch.setattr('ctypes.util.find_library', lambda name: None)
    with pytest.raises(ConfigurationError, match='libegl1 libgl1 .or libosmesa6') as caught:
        Renderer(BLOCK, [], Quality(64, 48))
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize('name', ['report', 'course', 'racecar', 'citroen_czero', 'car_2014'])
@pytest.mark.parametrize(('heading', 'size'), [(0.6, (1280, 720)), (2.5, (600, 900))])
def test_a_framed_vehicle_is_whole_and_as_large_as_the_picture_allows(name, heading, size):
    tree = describe_vehicle(VehicleParameters.from_file(find_vehicle(name))).tree
    width, height = size
    lens = Lens(width, height, 0.62, 0.02, 300.0)
    points, poses = outline(tree), tree.poses()
    eye = framing(points, (-math.cos(heading), math.sin(heading), -0.25), lens, 0.8)
    back = (-eye.qx, -eye.qy, -eye.qz, eye.qw)
    # All corners of the meshes, which the boxes about them hold.
    corners = np.concatenate([
        [pose_of_child(pose_of_child(poses[link.name], shape.origin), NO_POSE._replace(
            x=x, y=y, z=z))[:3] for x, y, z in (corners_of(resource_file(
                mesh.uri).read_bytes()).reshape(-1, 3) * mesh.scale)[::5]]
        for link in tree.links for shape in link.visuals
        for mesh in [shape.geometry] if isinstance(mesh, Mesh)])
    reach = []
    for part in (corners, points):
        seen = np.array([rotated(back, tuple(point)) for point in part - eye[:3]])
        columns, rows = zip(*(lens.pixel(-y, -z, x) for x, y, z in seen), strict=True)
        reach.append([
            2.0 * np.abs(np.array(pixels) - middle).max() / length
            for pixels, middle, length in zip((columns, rows), lens.centre, size, strict=True)])
    assert np.max(reach) < 0.8 + 1e-9
    # The boxes fill it exactly, one way or the other.
    assert max(reach[1]) == pytest.approx(0.8)
    assert max(reach[0]) > 0.65
