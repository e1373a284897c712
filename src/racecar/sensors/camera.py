# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A colour camera: a pinhole without distortion, with noise.

The picture is drawn when somebody looks at it, in another process: see CameraImage. Its frame is
optical (REP 103): z along the view, x to the right of the picture, y down.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter
from racecar.base.poses import pose_of_child
from racecar.base.readings import CameraImage
from racecar.base.values import integer_of, number_of, Values
from racecar.rendering.lens import Lens, LENS_OF_OPTICAL, OPTICAL_AXES
from racecar.sensors.interface import SensorKind, View

FIELD_OF_VIEW = 0.8709216071359963
"""Of the original [rad]: a focal length of 687.8 pixels."""

_FULL_SCALE = 255.0

# The numbers of the noise are drawn once, so many more than a picture has; each picture takes
# them from another place on. Anew for each they would take longer than the picture itself.
_SPARE = 1 << 20

PICTURE_PARAMETERS = (
    Parameter('width', int, 640, 'Width of the picture in pixels', minimum=1, maximum=4096,
              read_only=True),
    Parameter('height', int, 480, 'Height of the picture in pixels', minimum=1, maximum=4096,
              read_only=True),
    Parameter('field_of_view', float, FIELD_OF_VIEW, 'Angle between the left and the right'
              ' edge of the picture', 'rad', minimum=0.01, maximum=3.0, read_only=True),
)
"""Of every camera: size and field of view."""

PARAMETERS = (
    *PICTURE_PARAMETERS,
    Parameter('near', float, 0.02, 'Distance along the view from which on things are seen', 'm',
              minimum=0.001, maximum=100.0, read_only=True),
    Parameter('far', float, 300.0, 'Distance along the view up to which things are seen', 'm',
              above=0.0, maximum=10_000.0, read_only=True),
    Parameter('noise', float, 0.007, 'Standard deviation of the Gaussian noise of each colour of'
              ' a pixel, as a share of full scale', minimum=0.0, maximum=1.0, read_only=True),
)


class Camera:
    """The camera with its settings."""

    def __init__(self, values: Values) -> None:
        """values: rows of PARAMETERS and the seed.

        Raises ParameterError if nothing is between near and far.
        """
        near, far, noise = (number_of(values, name) for name in ('near', 'far', 'noise'))
        if near >= far:
            raise ParameterError(
                f"parameter 'near' is {near:g} m and far {far:g} m, expected the first to be"
                ' smaller')
        self._lens = Lens(
            integer_of(values, 'width'), integer_of(values, 'height'),
            *(number_of(values, name) for name in Lens._fields[2:]))
        self._facts = (
            self._lens.width, self._lens.height, self._lens.focal_length, *self._lens.centre)
        self._noise: NDArray[np.int16] | None = None
        if noise > 0.0:
            count = self._lens.width * self._lens.height * 3 + _SPARE
            numbers = np.random.default_rng(integer_of(values, 'seed')).standard_normal(
                count, dtype=np.float32)
            # Colours are whole numbers: rounded noise added to them is their noisy value rounded.
            self._noise = np.rint(numbers * (noise * _FULL_SCALE)).astype(np.int16)

    def measure(self, view: View, generator: np.random.Generator) -> CameraImage:
        """Return what is seen; see View.picture for errors."""
        picture = view.picture(pose_of_child(view.pose, LENS_OF_OPTICAL), self._lens)
        start = int(generator.integers(_SPARE))
        return CameraImage(*self._facts, partial(_noisy, picture, self._noise, start))


def _noisy(
    picture: Callable[[], NDArray[np.uint8]], noise: NDArray[np.int16] | None, start: int,
) -> NDArray[np.uint8]:
    pixels = picture()
    if noise is None:
        return pixels
    sums = noise[start:start + pixels.size].reshape(pixels.shape) + pixels
    return np.clip(sums, 0, 255, out=sums).astype(np.uint8)


CAMERA = SensorKind(
    'camera', CameraImage, PARAMETERS, Camera, axes=OPTICAL_AXES, nearest=True, rate=30.0,
    frame='{}_optical_frame')
