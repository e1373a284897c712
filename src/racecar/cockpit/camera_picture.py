# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a camera, as messages carry them, to the frames of the cockpit."""

from __future__ import annotations

import io
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import excerpt, MessageError
from racecar.cockpit.frames import picture_frame

if TYPE_CHECKING:
    from PIL.Image import Image

_QUALITY = 80
_JPEG_START = b'\xff\xd8'
# Encodings: how many numbers a pixel has, and which of them are red, green and blue.
_ENCODINGS = {'bgr8': (3, (2, 1, 0)), 'rgb8': (3, (0, 1, 2)), 'bgra8': (4, (2, 1, 0)),
              'rgba8': (4, (0, 1, 2)), 'mono8': (1, (0, 0, 0))}


def picture_of(message: object, time: float, robot: int = 0) -> bytes:
    """Frame of a message with the fields of sensor_msgs/Image; time [s].

    Raises MessageError for an encoding that is unknown and for pixels that are not all there.
    """
    encoding, width, height, step, data = attrgetter(
        'encoding', 'width', 'height', 'step', 'data')(message)
    kind = _ENCODINGS.get(encoding)
    if kind is None:
        raise MessageError(f'its encoding is {excerpt(encoding)}, expected one of'
                           f" {', '.join(_ENCODINGS)}")
    channels, order = kind
    if not width or not height or step < width * channels or len(data) != step * height:
        raise MessageError(
            f'it is {width} x {height} pixels in {len(data)} bytes of {step} a row')
    rows = np.frombuffer(data, np.uint8).reshape(height, step)
    pixels = rows[:, :width * channels].reshape(height, width, channels)
    return picture_of_pixels(np.ascontiguousarray(pixels[..., order]), time, robot)


def picture_of_pixels(pixels: NDArray[np.uint8], time: float, robot: int = 0) -> bytes:
    """Frame of a picture (height, width, 3), red, green, blue, rows from the top; time [s]."""
    from PIL import Image

    return picture_frame(robot, time, _jpeg(Image.fromarray(pixels)))


def picture_of_compressed(message: object, time: float, robot: int = 0) -> bytes:
    """Frame of a message with the fields of sensor_msgs/CompressedImage; time [s].

    Raises MessageError for what is no picture.
    """
    from PIL import Image

    data = bytes(attrgetter('data')(message))
    if not data.startswith(_JPEG_START):
        try:
            data = _jpeg(Image.open(io.BytesIO(data)))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise MessageError(
                f'its {len(data)} bytes are no picture: {excerpt(str(error))}') from error
    return picture_frame(robot, time, data)


def _jpeg(picture: Image) -> bytes:
    stream = io.BytesIO()
    picture.convert('RGB').save(stream, 'JPEG', quality=_QUALITY)
    return stream.getvalue()
