# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Depth pictures: sensor_msgs/Image in metres (REP 118), and sensor_msgs/CameraInfo beside it."""

from __future__ import annotations

from racecar.base.readings import DepthImage
from racecar.ros.codecs.camera_image import CameraImageCodec


class DepthImageCodec(CameraImageCodec):
    """Distances as 32-bit numbers."""

    value_type = DepthImage
    kind = 'depth'
    encoding = '32FC1'
    pixel_bytes = 4

    @staticmethod
    def data(value: DepthImage) -> bytes:
        """Bytes of a picture, drawn now. Raises RenderingError."""
        return value.depths().astype('<f4').tobytes()


CODECS = (DepthImageCodec(),)
