# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures and what the lens is like, over DDS."""

from gl import gl  # noqa: F401
from nav_msgs.msg import Odometry
from node_bench import command, RACECAR
import numpy as np
import pytest
from sensor_msgs.msg import CameraInfo, Image

from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos

pytestmark = pytest.mark.ros

SMALL = {'world': 'cones', 'sensors': ['camera'], 'camera.width': 64, 'camera.height': 48}
IMAGE, INFO = '/camera/zed/rgb/image_rect_color', '/camera/zed/rgb/camera_info'


def stamp_ns(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


class Run:
    def __init__(self, bench, **parameters):
        self.bench = bench
        self.odometry = bench.listen('/vesc/odom', Odometry)
        self.images = bench.listen(IMAGE, Image, qos.IMAGE)
        self.infos = bench.listen(INFO, CameraInfo, qos.IMAGE)
        self.node = bench.start(
            SingleTrackSimulatorNode, use_sim_time=False, wait_for_subscribers=1,
            **{**RACECAR, **SMALL, **parameters})
        bench.until(lambda: self.odometry, 'the first odometry')

    def drive(self, ticks):
        for _ in range(ticks):
            self.bench.answer(self.odometry, '/vesc/low_level/ackermann_cmd_mux/output',
                              command(0.0, 1.0, 0.1))


def test_in_lockstep_every_picture_is_there(bench, gl):  # noqa: F811
    run = Run(bench, lockstep=True, real_time_factor=0.0, step=0.001)
    run.drive(20)
    times = [stamp_ns(message) // 10**6 for message in run.odometry]
    end = times[-1]
    expected = [ms for ms in (round(k * 100 / 3) for k in range(100)) if ms < end]
    bench.until(lambda: len(run.images) >= len(expected), 'the pictures')
    bench.until(lambda: len(run.infos) >= len(expected), 'what the lens is like')
    assert [stamp_ns(image) // 10**6 for image in run.images][:len(expected)] == expected
    assert [stamp_ns(info) for info in run.infos] == [stamp_ns(image) for image in run.images]


def test_picture_and_lens_are_consistent(bench, gl):  # noqa: F811
    run = Run(bench, lockstep=True, real_time_factor=0.0)
    bench.until(lambda: run.images and run.infos, 'the first picture')
    image, info = run.images[0], run.infos[0]
    assert (image.width, image.height, image.encoding, image.step) == (64, 48, 'bgr8', 192)
    assert len(image.data) == 192 * 48
    assert image.header.frame_id == info.header.frame_id == 'camera_optical_frame'
    assert (info.width, info.height, info.distortion_model) == (64, 48, 'plumb_bob')
    assert list(info.d) == [0.0] * 5
    focal = 32.0 / np.tan(0.5 * 0.8709216071359963)
    assert list(info.k) == pytest.approx([focal, 0, 31.5, 0, focal, 23.5, 0, 0, 1])
    assert list(info.p) == pytest.approx([focal, 0, 31.5, 0, 0, focal, 23.5, 0, 0, 0, 1, 0])
    # The sky, which is blue: of blue, green, red the first is the largest.
    sky = np.array(image.data, dtype=np.uint8).reshape(48, 64, 3)[2].mean(axis=0)
    assert sky[0] > sky[1] > sky[2]


def test_in_real_time_pictures_come_and_time_goes_on(bench, gl):  # noqa: F811
    run = Run(bench)
    bench.until(lambda: len(run.images) >= 5, 'some pictures')
    stamps = [stamp_ns(image) for image in run.images]
    assert stamps == sorted(set(stamps))


def test_a_renderer_that_is_gone_stops_the_pictures_only(bench, gl, monkeypatch):  # noqa: F811
    run = Run(bench, lockstep=True, real_time_factor=0.0)
    bench.until(lambda: run.images, 'the first picture')
    entity = run.node.plant.entities[0]
    stage = entity.output('camera').read().pixels
    # The process that draws, by what asks it.
    drawing = stage.args[0].func.__self__
    drawing.close()
    run.drive(10)
    assert run.bench.has_logged('no more pictures')


def test_depths_are_metres_along_the_view(bench, gl):  # noqa: F811
    topics = '/camera/zed/depth/depth_registered', '/camera/zed/depth/camera_info'
    odometry = bench.listen('/vesc/odom', Odometry)
    images = bench.listen(topics[0], Image, qos.IMAGE)
    infos = bench.listen(topics[1], CameraInfo, qos.IMAGE)
    bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, wait_for_subscribers=1, **{
            **RACECAR, 'world': 'tunnel', 'sensors': ['depth'], 'depth.width': 64,
            'depth.height': 48, 'depth.noise': 0.0, 'lockstep': True, 'real_time_factor': 0.0})
    bench.until(lambda: odometry and images and infos, 'the first picture')
    image, info = images[0], infos[0]
    assert (image.width, image.height, image.encoding, image.step) == (64, 48, '32FC1', 256)
    assert image.header.frame_id == info.header.frame_id == 'camera_optical_frame'
    depths = np.frombuffer(bytes(image.data), '<f4').reshape(48, 64)
    # The lens is 0.09 m above the ground, which the lowest row sees there.
    focal, middle = info.k[0], info.k[5]
    assert depths[47, 32] == pytest.approx(0.09 * focal / (47 - middle), rel=0.01)
    # The sky is farther away than anything.
    assert depths[0, 32] > depths[47, 32]
