# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What callbacks of add_render_callback() draw on, as the renderers of f1tenth_gym."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.gym.pictures import Mark

Array = NDArray[np.float64]
Colour = tuple[int, int, int]

_BLUE = (0, 0, 255)
# Of 0.2.1: pixels of a metre, numbers of OpenGL for points, and its vertices of points.
_SCALE, _POINTS, _PLACE, _SHADE = 50.0, 0, 'v3f', 'c3B'
_SIZES = {'v2': 2, 'v3': 3}
# Points and lines are this much wider than theirs, whose windows are larger [px].
_WIDER = 1.0


class VertexList:
    """Vertices [px] that a callback of 0.2.1 has added, and may move."""

    def __init__(self, vertices: Sequence[float], size: int, colour: Colour) -> None:
        self.vertices, self.size, self.colour = list(vertices), size, colour


class Batch:
    """What callbacks of 0.2.1 have added; it stays until the end."""

    def __init__(self) -> None:
        self.added: list[tuple[int, VertexList]] = []

    def add(self, count: int, mode: int, group: object, *data: tuple[str, Sequence[float]]) -> \
            VertexList:
        """Add vertices: rows as ('v3f/stream', numbers) [px] and ('c3B/stream', colours)."""
        rows = {name[:2]: numbers for name, numbers in data}
        size, vertices = next(
            (_SIZES[name], numbers) for name, numbers in rows.items() if name in _SIZES)
        red, green, blue = (int(x) for x in rows.get('c3', _BLUE)[:3])
        made = VertexList(vertices, size, (red, green, blue))
        self.added.append((mode, made))
        return made


class Label:
    """The text of 0.2.1: x, y [px]."""

    def __init__(self) -> None:
        self.text, self.x, self.y = '', 0.0, 0.0


class CallbackCanvas:
    """Points and lines of callbacks, for the next picture.

    The methods are those of 1.0.0. cars, batch, score_label and the edges left, right, top, bottom
    [px] are those of 0.2.1, of whose added vertices points are shown; a picture shows the whole
    track, so edges that a callback sets change nothing.
    """

    def __init__(self) -> None:
        self.batch, self.score_label = Batch(), Label()
        self.cars: list[VertexList] = []
        self.left = self.right = self.top = self.bottom = 0.0
        self._marks: list[Mark] = []

    def drawn(
        self, callbacks: Sequence[Callable[[CallbackCanvas], object]],
        poses: Array, length: float, width: float,
    ) -> list[Mark]:
        """What callbacks draw, for cars at poses (n, 3) of their middles [m, rad]."""
        self._marks = []
        if len(self.cars) != len(poses):
            self.cars = [VertexList([], 2, _BLUE) for _ in range(len(poses))]
        for car, (x, y, yaw) in zip(self.cars, poses.tolist(), strict=True):
            cosine, sine = math.cos(yaw), math.sin(yaw)
            car.vertices = [_SCALE * value for along, left in (
                (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5), (0.5, 0.5)) for value in (
                    x + along * length * cosine - left * width * sine,
                    y + along * length * sine + left * width * cosine)]
        for callback in callbacks:
            callback(self)
        return [*self._marks, *self._added()]

    def render_points(self, points: ArrayLike, color: Colour = _BLUE, size: int = 1) -> None:
        """Draw points (n, 2) [m]; size [px]."""
        self._mark(points, color, 2 * size, joined=False)

    def render_lines(self, points: ArrayLike, color: Colour = _BLUE, size: int = 1) -> None:
        """Draw a line through points (n, 2) [m]; size [px]."""
        self._mark(points, color, size, joined=True)

    def render_closed_lines(self, points: ArrayLike, color: Colour = _BLUE, size: int = 1) -> None:
        """Draw a line through points (n, 2) [m] and back to the first; size [px]."""
        found = np.asarray(points, dtype=float)
        self._mark(np.concatenate([found, found[:1]]), color, size, joined=True)

    def _mark(self, points: ArrayLike, color: Colour, size: float, *, joined: bool) -> None:
        red, green, blue = (channel / 255.0 for channel in color[:3])
        self._marks.append(Mark(
            np.asarray(points, dtype=float).reshape(-1, 2), (red, green, blue), size + _WIDER,
            joined))

    def _added(self) -> list[Mark]:
        """Points of the batch, those of one colour together."""
        found: dict[Colour, list[list[float]]] = {}
        for mode, made in self.batch.added:
            if mode == _POINTS:
                found.setdefault(made.colour, []).extend(
                    np.reshape(made.vertices, (-1, made.size))[:, :2].tolist())
        return [Mark(np.array(points) / _SCALE, (
            red / 255.0, green / 255.0, blue / 255.0), 1.0 + _WIDER, False)
            for (red, green, blue), points in found.items()]
