# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points of a sweep that are made when they are asked for, so that ten million take no room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import Literal, overload

import numpy as np

from racecar.base.parameters import Parameter

Point = tuple[object, ...]
"""A value of each varied parameter."""

_BLOCK = 1 << 16
"""Numbers that are drawn at once."""


class Points(Sequence[Point]):
    """Points of which any stretch can be made; definition: all that they follow from."""

    def __init__(self, count: int, definition: object) -> None:
        self._count = count
        self.definition = definition

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Point: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Point, ...]: ...

    def __getitem__(self, index: int | slice) -> Point | tuple[Point, ...]:
        if isinstance(index, slice):
            first, last, step = index.indices(self._count)
            if step == 1:
                return self._stretch(first, max(last, first))
            return tuple(self[number] for number in range(first, last, step))
        number = index + self._count if index < 0 else index
        if not 0 <= number < self._count:
            raise IndexError(f'point {index} of {self._count}')
        return self._stretch(number, number + 1)[0]

    def _stretch(self, first: int, last: int) -> tuple[Point, ...]:
        raise NotImplementedError


class GridPoints(Points):
    """All combinations of some values, the last parameter changing first."""

    def __init__(self, axes: Sequence[Sequence[object]]) -> None:
        """Take the values of each parameter."""
        super().__init__(math.prod(map(len, axes)), [*map(list, axes)])
        self._axes = axes

    def _stretch(self, first: int, last: int) -> tuple[Point, ...]:
        places = np.unravel_index(np.arange(first, last), [len(axis) for axis in self._axes])
        return tuple(zip(*(
            [axis[place] for place in chosen.tolist()]
            for axis, chosen in zip(self._axes, places, strict=True)), strict=True))


Draw = tuple[Literal['uniform', 'normal'], float, float]
"""Distribution of a parameter: lowest and highest, or mean and standard deviation."""


class SamplePoints(Points):
    """Points drawn at random: all numbers of the first parameter, then those of the next.

    Kept is the state of the generator at each block of numbers, from which it is drawn again.
    """

    def __init__(
        self, draws: Mapping[str, Draw], rows: Mapping[str, Parameter], count: int, seed: int,
    ) -> None:
        """Draw all numbers once. Raises ParameterError for one that its row does not allow."""
        super().__init__(count, [draws, count, seed])
        self._draws = tuple(draws.values())
        generator = np.random.Generator(bits := np.random.PCG64(seed))
        self._states = []
        for name, draw in draws.items():
            states = []
            for first in range(0, count, _BLOCK):
                states.append(bits.state)
                _check(rows[name], _drawn(generator, draw, min(_BLOCK, count - first)))
            self._states.append(states)

    def _stretch(self, first: int, last: int) -> tuple[Point, ...]:
        found: list[Point] = []
        for block in range(first // _BLOCK, -(-last // _BLOCK)):
            start = block * _BLOCK
            some = slice(max(first - start, 0), last - start)
            found += zip(*(
                column[some].tolist() for column in self._block(block)), strict=True)
        return tuple(found)

    def _block(self, number: int) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
        generator = np.random.Generator(bits := np.random.PCG64())
        columns = []
        for draw, states in zip(self._draws, self._states, strict=True):
            bits.state = states[number]
            columns.append(_drawn(generator, draw, min(_BLOCK, len(self) - number * _BLOCK)))
        return columns


def _drawn(
    generator: np.random.Generator, draw: Draw, count: int,
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    kind, low, high = draw
    return generator.uniform(low, high, count) if kind == 'uniform' \
        else generator.normal(low, high, count)


def _check(row: Parameter, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    """Raise ParameterError for a value that is not allowed."""
    # Between the least and the greatest all are, but for the exceptions that a row may have.
    alone = row.also or row.choices or row.nonzero
    for value in values.tolist() if alone else (values.min(), values.max()):
        row.validate(float(value))
