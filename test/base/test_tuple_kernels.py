# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels written from the fields of a NamedTuple."""

import math
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.rows import count_numbers, flatten
from racecar.base.tuple_kernels import (
    at_origin,
    first_row,
    moving,
    reader,
    summing,
    writer,
)


class Inner(NamedTuple):
    a: float
    pair: tuple[float, float]


class Outer(NamedTuple):
    first: float
    inner: Inner
    last: tuple[float, float, float]


class Place(NamedTuple):
    speed: float
    x: float
    y: float
    yaw: float


EXAMPLE = Outer(1.0, Inner(2.0, (3.0, 4.0)), (5.0, 6.0, 7.0))


def test_numbers_of_nested_tuples_stand_in_rows_in_their_order():
    assert list(flatten(EXAMPLE)) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    assert count_numbers(EXAMPLE) == 7
    room = np.zeros((10, 5))
    writer('Outer', EXAMPLE, 5)(room.reshape(-1), 2, 3, EXAMPLE)
    assert room[:, 3].tolist() == [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0]
    assert room[:, [0, 1, 2, 4]].max() == 0.0
    found = reader('Outer', EXAMPLE, 5)(room.reshape(-1), 2, 3)
    assert found == EXAMPLE
    assert type(found) is Outer
    assert type(found.inner) is Inner


def test_part_is_written_where_the_whole_has_it():
    assert [first_row(EXAMPLE, *path) for path in (
        ('first',), ('inner',), ('inner', 'pair'), ('last',))] == [0, 1, 2, 4]
    room = np.array(list(flatten(EXAMPLE)))
    writer('pair', (0.0, 0.0), 1, first_row(EXAMPLE, 'inner', 'pair'))(room, 0, 0, (8.0, 9.0))
    assert reader('Outer', EXAMPLE)(room, 0, 0) == EXAMPLE._replace(inner=Inner(2.0, (8.0, 9.0)))


def test_one_name_is_one_kernel():
    assert reader('Place', Place(0.0, 0.0, 0.0, 0.0)) is reader('Place', Place(1.0, 2.0, 3.0, 4.0))
    with pytest.raises(ValueError, match="'read_Place_1' is already a kernel with another source"):
        reader('Place', (0.0, 0.0))


@given(st.tuples(*(st.floats(-9.0, 9.0),) * 4), st.tuples(*(st.floats(-9.0, 9.0),) * 4),
       st.floats(-1.0, 1.0))
def test_sums_and_moves_are_those_of_the_plane(start, rates, h):
    start, rates = Place(*start), Place(*rates)
    assert summing(Place)(start, h, rates) == Place(
        *(s + h * k for s, k in zip(start, rates, strict=True)))
    assert at_origin(Place)(start) == Place(start.speed, 0.0, 0.0, 0.0)
    end = moving(Place)(start, rates, math.sin(start.yaw), math.cos(start.yaw))
    way = complex(rates.x, rates.y) * complex(math.cos(start.yaw), math.sin(start.yaw))
    # What has decayed is at rest.
    speed = 0.0 if abs(rates.speed) < 1e-30 else rates.speed
    assert (end.speed, end.yaw) == (speed, start.yaw + rates.yaw)
    assert complex(end.x, end.y) == pytest.approx(complex(start.x, start.y) + way)
