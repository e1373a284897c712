# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points in the plane as characters: eight dots of Braille in each, in layers of colours."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array

# Dots of a character, 4 rows by 2 columns, as bits of its number (Unicode 2800 to 28FF).
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_FIRST = 0x2800
_DOTS_WIDE, _DOTS_HIGH = 2, 4
# A line has at most so many points.
_MOST_POINTS = 10_000
_END_OF_COLOUR = '\x1b[0m'


class Canvas:
    """A rectangle of the plane on so many columns and rows of characters.

    x goes to the right, y up; the scale is the same both ways, as characters are twice as high as
    wide. What is drawn later goes over what was drawn before.
    """

    def __init__(self, columns: int, rows: int, centre: tuple[float, float], scale: float) -> None:
        """centre: of the picture [m]; scale: dots per metre."""
        self.columns, self.rows = columns, rows
        self._scale = scale
        self._left = centre[0] - 0.5 * columns * _DOTS_WIDE / scale
        self._top = centre[1] + 0.5 * rows * _DOTS_HIGH / scale
        self._dots = np.zeros((rows * _DOTS_HIGH, columns * _DOTS_WIDE), dtype=bool)
        self._colours = np.zeros((rows, columns), dtype=np.intp)
        self._palette = ['']
        self._signs: dict[tuple[int, int], str] = {}

    @staticmethod
    def fitting(
        columns: int, rows: int, low: tuple[float, float], high: tuple[float, float],
    ) -> Canvas:
        """Canvas on which all between two corners [m] has place."""
        wide, high_ = max(high[0] - low[0], 1e-3), max(high[1] - low[1], 1e-3)
        scale = min(columns * _DOTS_WIDE / wide, rows * _DOTS_HIGH / high_)
        return Canvas(columns, rows, (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])), scale)

    @property
    def scale(self) -> float:
        """Dots per metre."""
        return self._scale

    def points(self, x: Array, y: Array, colour: str = '') -> None:
        """Draw points [m] (n,); colour: an escape sequence."""
        column = np.floor((x - self._left) * self._scale)
        row = np.floor((self._top - y) * self._scale)
        height, width = self._dots.shape
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        i, j = row[inside].astype(np.intp), column[inside].astype(np.intp)
        if colour not in self._palette:
            self._palette.append(colour)
        self._dots[i, j] = True
        self._colours[i // _DOTS_HIGH, j // _DOTS_WIDE] = self._palette.index(colour)

    def line(self, x: Array, y: Array, colour: str = '') -> None:
        """Draw a line through points [m] (n,)."""
        if len(x) < 2:
            self.points(x, y, colour)
            return
        along = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))))
        count = min(_MOST_POINTS, max(2, math.ceil(float(along[-1]) * self._scale * 1.5)))
        at = np.linspace(0.0, along[-1], count)
        self.points(np.interp(at, along, x), np.interp(at, along, y), colour)

    def sign(self, x: float, y: float, text: str, colour: str = '') -> None:
        """Put a character at a point [m], over the dots."""
        column = math.floor((x - self._left) * self._scale / _DOTS_WIDE)
        row = math.floor((self._top - y) * self._scale / _DOTS_HIGH)
        self._signs[row, column] = f'{colour}{text}{_END_OF_COLOUR}' if colour else text

    def lines(self) -> list[str]:
        """Picture."""
        cells = self._dots.reshape(self.rows, _DOTS_HIGH, self.columns, _DOTS_WIDE)
        numbers: NDArray[np.intp] = np.einsum('rhcw,hw->rc', cells, _BITS)
        return [self._line(row, numbers[row]) for row in range(self.rows)]

    def _line(self, row: int, numbers: NDArray[np.intp]) -> str:
        parts: list[str] = []
        last = ''
        for column, number in enumerate(numbers.tolist()):
            sign = self._signs.get((row, column))
            colour = self._palette[self._colours[row, column]] if number else ''
            if sign is not None:
                colour = ''
            if colour != last and (number or sign is not None or last):
                parts.append(_END_OF_COLOUR + colour)
                last = colour
            parts.append(sign if sign is not None else chr(_FIRST + number) if number else ' ')
        return ''.join(parts) + (_END_OF_COLOUR if last else '')
