# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A depth camera: the distance of each pixel along the optical axis, with noise.

Range and noise are of the size that the data sheet of the Intel RealSense D435 states. Distances
are computed when somebody looks at them, as the pictures of the camera; its frame is optical too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter
from racecar.base.poses import pose_of_child
from racecar.base.readings import DepthImage
from racecar.base.values import integer_of, number_of, Values
from racecar.rendering.lens import Lens, LENS_OF_OPTICAL, OPTICAL_AXES
from racecar.sensors.camera import PICTURE_PARAMETERS
from racecar.sensors.interface import SensorKind, View

# Nearer than this nothing is drawn, as the lens would be inside of it [m].
_NEAR = 0.02

PARAMETERS = (
    *PICTURE_PARAMETERS,
    Parameter('range_min', float, 0.105, 'Shortest distance along the view; what is nearer gives'
              ' -inf', 'm', minimum=_NEAR, maximum=1000.0, read_only=True),
    Parameter('range_max', float, 10.0, 'Longest distance along the view; what is further gives'
              ' +inf', 'm', above=0.0, maximum=1000.0, read_only=True),
    Parameter('noise', float, 0.01, 'Standard deviation of the Gaussian noise as a share of the'
              ' distance', minimum=0.0, maximum=1.0, read_only=True),
)


class DepthCamera:
    """The depth camera with its settings."""

    def __init__(self, values: Values) -> None:
        """values: rows of PARAMETERS.

        Raises ParameterError for a shortest range that is not the smaller one.
        """
        self._nearest, self._farthest, self._noise = (
            number_of(values, name) for name in ('range_min', 'range_max', 'noise'))
        if self._nearest >= self._farthest:
            raise ParameterError(
                f"parameter 'range_min' is {self._nearest:g} m and range_max {self._farthest:g} m,"
                ' expected the first to be smaller')
        # What noise brings within the range is drawn too.
        self._lens = Lens(
            integer_of(values, 'width'), integer_of(values, 'height'),
            number_of(values, 'field_of_view'), _NEAR,
            self._farthest * (1.0 + 5.0 * self._noise))

    def measure(self, view: View, generator: np.random.Generator) -> DepthImage:
        """Return what is measured; see View.depths for errors."""
        lens = self._lens
        depths = view.depths(pose_of_child(view.pose, LENS_OF_OPTICAL), lens)
        # The generator itself is not to be kept.
        seed = int(generator.integers(2**63)) if self._noise else 0
        return DepthImage(lens.width, lens.height, lens.focal_length, *lens.centre,
                          partial(self._read, depths, seed))

    def _read(self, depths: Callable[[], NDArray[np.float32]], seed: int) -> NDArray[np.float32]:
        read = np.array(depths())
        if self._noise:
            factors = np.random.default_rng(seed).standard_normal(read.shape, np.float32)
            read *= np.float32(1.0) + np.float32(self._noise) * factors
        read[read > self._farthest] = np.inf
        read[read < self._nearest] = -np.inf
        return read


DEPTH_CAMERA = SensorKind(
    'depth', DepthImage, PARAMETERS, DepthCamera, axes=OPTICAL_AXES, nearest=True, rate=30.0,
    # Depths are those of the pixels of the camera.
    frame='camera_optical_frame')
