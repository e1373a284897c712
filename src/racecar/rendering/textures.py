# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Patterns of ground and walls, computed: nothing is read from files.

They give the eye, and feature trackers, something to hold on to. The colours are those of the
scene, which a pattern only darkens.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array

TILE = 2.0
"""Length on the ground or a wall after which a pattern repeats [m]."""

_SIZE = 512
_SEED = 11


def ground_pattern() -> NDArray[np.uint8]:
    """Mottled grey (n, n)."""
    return _grey(_mottled(0.016))


def wall_pattern() -> NDArray[np.uint8]:
    """Panels of 1 m by 0.5 m, mottled, with fine joints between them (n, n)."""
    return _grey(_mottled(0.03) * _joints(1.0, 0.5, 0.008, 0.88))


def _grey(pattern: Array) -> NDArray[np.uint8]:
    result: NDArray[np.uint8] = np.rint(255.0 * np.clip(pattern, 0.0, 1.0)).astype(np.uint8)
    return result


def _mottled(depth: float) -> Array:
    """Noise of several sizes about 1 that repeats without a seam."""
    generator = np.random.default_rng(_SEED)
    noise = np.fft.rfft2(generator.standard_normal((_SIZE, _SIZE)))
    rows = np.fft.fftfreq(_SIZE)[:, None] * _SIZE
    columns = np.fft.rfftfreq(_SIZE)[None, :] * _SIZE
    # Amplitude falls with the frequency.
    noise = noise / (1.0 + np.hypot(rows, columns)) ** 1.1
    noise[0, 0] = 0.0
    spots = np.fft.irfft2(noise, s=(_SIZE, _SIZE))
    result: Array = 1.0 - depth + depth * np.tanh(spots / spots.std())
    return result


def _joints(along: float, across: float, width: float, shade: float) -> Array:
    """1, and less on lines that are so far apart and so wide [m]."""
    places = (np.arange(_SIZE) + 0.5) * TILE / _SIZE
    soft = 0.5 * TILE / _SIZE

    def lines(period: float) -> Array:
        distance = np.abs((places + 0.5 * period) % period - 0.5 * period)
        result: Array = np.clip((0.5 * width + soft - distance) / (2.0 * soft), 0.0, 1.0)
        return result

    covered = np.maximum(lines(across)[:, None], lines(along)[None, :])
    result: Array = 1.0 - (1.0 - shade) * covered
    return result
