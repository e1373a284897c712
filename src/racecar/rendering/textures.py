# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Patterns of ground and walls, computed: nothing is read from files.

They give the eye, and feature trackers, something to hold on to. The colours are those of the
scene, which a pattern only darkens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from racecar.base.columns import Array
from racecar.simulation.world.engine import load_engine

if TYPE_CHECKING:
    from mujoco import MjSpec

TILE = 2.0
"""Length on the ground or a wall after which a pattern repeats [m]."""

_SIZE = 512
_SEED = 11


def add_ground_texture(spec: MjSpec, name: str) -> None:
    """Add slabs of 1 m, mottled, with joints between them."""
    _add(spec, name, _mottled(0.06) * _joints(1.0, 1.0, 0.012, 0.72))


def add_wall_texture(spec: MjSpec, name: str) -> None:
    """Add panels of 1 m by 0.5 m, mottled, with fine joints between them."""
    _add(spec, name, _mottled(0.04) * _joints(1.0, 0.5, 0.008, 0.84))


def add_sky(spec: MjSpec, name: str) -> None:
    """Add the sky, from haze at the horizon to blue above."""
    mujoco = load_engine()
    spec.add_texture(
        name=name, type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT, rgb1=(0.42, 0.60, 0.84),
        rgb2=(0.90, 0.93, 0.95), width=256, height=256 * 6)


def _add(spec: MjSpec, name: str, grey: Array) -> None:
    mujoco = load_engine()
    pixels = np.repeat(np.rint(255.0 * np.clip(grey, 0.0, 1.0)).astype(np.uint8)[..., None], 3, 2)
    texture = spec.add_texture(
        name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=_SIZE, height=_SIZE, nchannel=3)
    texture.data = pixels.tobytes()


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
