# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Spaces of observations and actions, infos, and options of resets."""

from __future__ import annotations

from typing import cast

from gymnasium import spaces
import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.gym.cameras import CAMERA
from racecar.gym.options import EnvOptions

# Checkers of environments warn of infinite bounds; nothing gets so far [m, m/s, ...].
_FAR = 1e6

Info = dict[str, object]
"""What reset() and step() tell besides, and options of reset(), by name."""


def poses_of(options: Info | None) -> NDArray[np.float64] | None:
    """Poses of options of reset(), None without. Raises ConfigurationError for no numbers."""
    given = None if options is None else options.get('poses')
    if given is None:
        return None
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"options['poses'] is {excerpt(given)}, expected numbers x, y [m], yaw [rad] of each"
            ' car') from None


def numbers_of(name: str, given: object, *shape: int) -> NDArray[np.float64]:
    """Numbers of an action or of actions. Raises ConfigurationError for another shape or type."""
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ConfigurationError(
            f'{name} is {excerpt(given)}, expected numbers of the shape {shape}') from None
    if found.shape != shape:
        raise ConfigurationError(
            f'{name} has the shape {found.shape}, expected {shape}: speed or acceleration, then'
            ' steering')
    return found


Seen = NDArray[np.float32] | NDArray[np.uint8] | dict[str, NDArray[np.float32] | NDArray[np.uint8]]
"""An observation: numbers, the picture of a camera, or both by NUMBERS and CAMERA."""

NUMBERS = 'numbers'


def observation_space(options: EnvOptions) -> spaces.Space[Seen]:
    """Flat numbers, in the order of the contract; with a camera a picture, or both by name."""
    numbers = _number_space(options)
    if options.camera is None:
        return cast(spaces.Space[Seen], numbers)
    picture = spaces.Box(
        0, 255, (options.camera.height, options.camera.width, 3), dtype=np.uint8)
    return cast(spaces.Space[Seen], spaces.Dict({NUMBERS: numbers, CAMERA: picture})
                if options.has_numbers else picture)


def _number_space(options: EnvOptions) -> spaces.Box[np.float32]:
    """Numbers of observations; only a scan has bounds."""
    channels = options.observation
    is_range = np.array([channel.name.startswith('range_') for channel in channels])
    most = np.array([options.features.range_max / (
        channel.scale if options.settings.scaled else 1.0) for channel in channels])
    return spaces.Box(
        np.where(is_range, 0.0, -_FAR).astype(np.float32),
        np.where(is_range, most, _FAR).astype(np.float32), dtype=np.float32)


def action_space(options: EnvOptions) -> spaces.Box[np.float32]:
    """Longitudinal and steering: -1 to 1, or their limits in SI units."""
    low, high = ((-1.0, -1.0), (1.0, 1.0)) if options.settings.scaled else (
        [row.low for row in options.action], [row.high for row in options.action])
    return spaces.Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)
