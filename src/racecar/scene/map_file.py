# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files of a map, as the ROS map_saver writes them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from racecar.base.errors import ConfigurationError, excerpt
from racecar.scene.grid_map import FREE, OccupancyGrid, OCCUPIED

_WALL, _GROUND, _UNKNOWN = 0, 254, 205


def write_map(path: Path, grid: OccupancyGrid, comment: str) -> None:
    """Write a map as a YAML file and a PNG file beside it.

    Raises ConfigurationError if they cannot be written.
    """
    from PIL import Image

    shades = np.full(grid.values.shape, _UNKNOWN, np.uint8)
    shades[grid.values == FREE] = _GROUND
    shades[grid.values >= OCCUPIED] = _WALL
    image = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(shades[::-1])).save(image, 'PNG', optimize=True)
    try:
        path.with_suffix('.png').write_bytes(image.getvalue())
        path.write_text(
            f'# {comment}\nimage: {path.stem}.png\nmode: trinary\nresolution: {grid.resolution}\n'
            f'origin: [{", ".join(map(str, grid.origin))}]\nnegate: 0\noccupied_thresh: 0.65\n'
            'free_thresh: 0.196\n', encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(
            f'map {excerpt(str(path))} cannot be written: {error.strerror}') from error
