# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Occupancy grids: two-dimensional maps of cells, read as the ROS map_server reads them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import math
import os
from pathlib import Path
from typing import NamedTuple, TYPE_CHECKING
import warnings

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt, MessageError
from racecar.base.types import ORIGIN, Pose2
from racecar.scene.distance_field import MARGIN, OUTSIDE, room_around

if TYPE_CHECKING:
    from PIL.Image import Image

OCCUPIED, FREE, UNKNOWN = 100, 0, -1
"""Values of cells in nav_msgs/OccupancyGrid; between free and occupied: probability [%]."""

MAP_MODES = ('trinary', 'scale', 'raw')
MOST_CELLS = 25_000_000
"""Cells of a map that is read; what is made of it takes some ten bytes for each."""
_FORMATS = ('PNG', 'PPM', 'BMP')


class GridNumbers(NamedTuple):
    """A grid as numbers for kernels.

    room: as room_around() gives it, flat; stride: its columns; scale: cells in a metre; x, y [m],
    cosine, sine: of the origin's pose; length, width: along its axes [m], 0 without a grid.
    """

    room: NDArray[np.float32]
    stride: int
    scale: float
    x: float
    y: float
    cosine: float
    sine: float
    length: float
    width: float


@dataclass(frozen=True, eq=False)
class OccupancyGrid:
    """Square cells, some of them occupied; two are equal only if they are one and the same.

    values (rows, columns), int8: OCCUPIED, FREE, UNKNOWN or between; the first row is at the
    origin, the first column too. resolution: edge of a cell [m]. origin: pose of the outer corner
    of the first cell in `map`; rows run along its x axis. occupied_value: the lowest value that
    is a wall.
    """

    values: NDArray[np.int8]
    resolution: float
    origin: Pose2 = ORIGIN
    occupied_value: int = OCCUPIED

    def __post_init__(self) -> None:
        # Nobody writes into what others have looked at.
        self.values.flags.writeable = False

    @cached_property
    def occupied(self) -> NDArray[np.bool_]:
        """Which cells are walls (rows, columns); what is unknown is none."""
        cells = self.values >= self.occupied_value
        cells.flags.writeable = False
        return cells

    @cached_property
    def room(self) -> NDArray[np.float32]:
        """How much room there is around each cell, see room_around(); computed once."""
        return room_around(self.occupied)

    @cached_property
    def numbers(self) -> GridNumbers:
        """Room and frame for kernels."""
        x, y, yaw = self.origin
        return GridNumbers(
            self.room.reshape(-1), self.room.shape[1], 1.0 / self.resolution, x, y, math.cos(yaw),
            math.sin(yaw), *self.size)

    @property
    def size(self) -> tuple[float, float]:
        """Length along the x axis of the origin, and along y [m]."""
        rows, columns = self.values.shape
        return columns * self.resolution, rows * self.resolution

    def point(self, along: float, across: float) -> tuple[float, float]:
        """Where a point of the grid's own axes [m] is in `map`."""
        x, y, yaw = self.origin
        cosine, sine = math.cos(yaw), math.sin(yaw)
        return x + along * cosine - across * sine, y + along * sine + across * cosine

    def is_wall(self, x: float, y: float) -> bool:
        """Whether a point in `map` [m] is in an occupied cell or outside the grid."""
        dx, dy = x - self.origin.x, y - self.origin.y
        cosine, sine = math.cos(self.origin.yaw), math.sin(self.origin.yaw)
        column = math.floor((dx * cosine + dy * sine) / self.resolution)
        row = math.floor((dy * cosine - dx * sine) / self.resolution)
        rows, columns = self.values.shape
        return not (0 <= row < rows and 0 <= column < columns) or bool(self.occupied[row, column])

    def rectangles(self) -> NDArray[np.int64]:
        """Rectangles that cover the walls without overlap.

        Rows (n, 4): first row, first column, row behind the last, column behind the last. Runs of
        a row that stand above each other and are equally long become one; of rows and columns
        those are taken that give fewer.
        """
        lying, standing = _merged_runs(self.occupied), _merged_runs(self.occupied.T)
        return lying if len(lying) <= len(standing) else standing[:, [1, 0, 3, 2]]


def grid_of_cells(
    data: NDArray[np.int8], height: int, width: int, resolution: float, origin: Pose2,
    occupied_value: int = OCCUPIED,
) -> OccupancyGrid:
    """Map of a nav_msgs/OccupancyGrid; data (height width,) row by row.

    Raises MessageError if sizes or numbers are those of no map.
    """
    if not height * width or len(data) != height * width or not 0.0 < resolution < math.inf \
            or not all(map(math.isfinite, origin)):
        raise MessageError(
            f'it has {width} x {height} cells of {resolution:g} m at {origin} and {len(data)}'
            ' values, expected as many values as cells, and finite numbers')
    return OccupancyGrid(data.reshape(height, width), resolution, origin, occupied_value)


def _nothing() -> GridNumbers:
    # What room_around() gives for one free cell, without the library that it imports.
    room = np.pad(np.zeros((1, 1), np.float32), MARGIN, constant_values=OUTSIDE)
    room.flags.writeable = False
    return GridNumbers(room.reshape(-1), room.shape[1], 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


NO_GRID = _nothing()
"""The numbers of a grid of no extent."""


def read_image(
    path: Path | str, *, mode: str, negate: bool, occupied_threshold: float,
    free_threshold: float,
) -> NDArray[np.int8]:
    """Values of cells that an image stands for, lowest row first.

    With p the darkness of a pixel from 0 to 1, or its brightness if negate: `trinary` gives
    OCCUPIED above one threshold, FREE below the other, UNKNOWN between; `scale` gives between them
    what lies between, and UNKNOWN where a pixel is transparent; `raw` takes the pixel's number of
    0 to 255 as the value, UNKNOWN beyond 100, and ignores the rest.
    Raises ConfigurationError if it is no PGM, PNG or BMP file or has too many cells.
    """
    brightness, alpha = _pixels(path)
    if mode == 'trinary' and alpha is not None:
        # As map_server does it, for which opacity is one more colour.
        brightness = (3.0 * brightness + alpha) / 4.0
    darkness = brightness if negate else 1.0 - brightness
    values = np.full(brightness.shape, UNKNOWN, dtype=np.int8)
    if mode == 'raw':
        numbers = np.floor(brightness * 255.0 + 0.5)
        inside = numbers <= OCCUPIED
        values[inside] = numbers[inside]
    else:
        values[darkness > occupied_threshold] = OCCUPIED
        values[darkness < free_threshold] = FREE
    if mode == 'scale':
        between = (darkness <= occupied_threshold) & (darkness >= free_threshold)
        span = occupied_threshold - free_threshold
        values[between] = np.rint(
            (darkness[between] - free_threshold) / span * (OCCUPIED - FREE))
        if alpha is not None:
            values[alpha < 1.0] = UNKNOWN
    return np.ascontiguousarray(values[::-1])


def _pixels(path: Path | str) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Brightness and, if there is any, opacity of the pixels from 0 to 1, top row first."""
    from PIL import Image

    name = f'image {excerpt(str(path))}'
    if os.path.exists(path) and not os.path.isfile(path):
        # To open a pipe would wait for somebody who writes to it.
        raise ConfigurationError(f'{name} cannot be read: it is no regular file')
    try:
        with warnings.catch_warnings():
            # Of what is too large we tell ourselves.
            warnings.simplefilter('ignore', Image.DecompressionBombWarning)
            image = Image.open(path, formats=_FORMATS)
        with image:
            if image.width * image.height > MOST_CELLS:
                raise _too_large(name)
            return _brightness(image)
    except Image.DecompressionBombError:
        raise _too_large(name) from None
    except OSError as error:
        reason = error.strerror or 'it is no whole PGM, PNG or BMP file'
        raise ConfigurationError(f'{name} cannot be read: {reason}') from error
    except (ValueError, SyntaxError, EOFError) as error:
        text = ' '.join(str(error).split())
        raise ConfigurationError(f'{name} cannot be read: {text}') from error


def _too_large(name: str) -> ConfigurationError:
    return ConfigurationError(
        f'{name} is too large, expected at most {MOST_CELLS // 1_000_000} million pixels')


def _brightness(
    image: Image,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    if image.mode.startswith('I'):
        # Pillow stretches what has more than 8 bits to 16.
        return np.asarray(image, dtype=np.float64) / 65535.0, None
    if image.mode in ('1', 'L'):
        return np.asarray(image.convert('L'), dtype=np.float64) / 255.0, None
    has_alpha = image.mode in ('LA', 'PA', 'RGBA') or 'transparency' in image.info
    pixels: NDArray[np.float64] = np.asarray(image.convert('RGBA'), dtype=np.float64) / 255.0
    # Not the eye's weights: map_server takes the mean.
    return pixels[..., :3].mean(axis=2), pixels[..., 3] if has_alpha else None


def _merged_runs(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Rows first row, first column, end row, end column of merged runs along rows."""
    padded = np.zeros((cells.shape[0], cells.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = cells
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change == 1)
    _, ends = np.nonzero(change == -1)
    # Equal runs one above the other come next to each other.
    order = np.lexsort((rows, ends, starts))
    rows, starts, ends = rows[order], starts[order], ends[order]
    joins = np.zeros(len(rows), dtype=bool)
    joins[1:] = ((starts[1:] == starts[:-1]) & (ends[1:] == ends[:-1])
                 & (rows[1:] == rows[:-1] + 1))
    first = np.flatnonzero(~joins)
    last = np.append(first[1:], len(rows)) - 1 if len(rows) else first
    return np.column_stack((rows[first], starts[first], rows[last] + 1, ends[first]))
