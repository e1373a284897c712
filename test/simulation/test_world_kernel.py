# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The compiled loop of the 3-D world, apart from what it does: what it costs to call its parts."""

import re

import numpy as np
import pytest

from racecar.base.compiled import has_compiler, types_of
from racecar.dynamics.tyres import find_tyre_model
from racecar.scene.scene import EMPTY_SCENE
from racecar.world.clearance import Clearance
from racecar.world.world_kernel import (
    CAR_SIZE,
    Paving,
    Places,
    plain_world,
    Views,
    World,
    world_kernels,
)

pytestmark = pytest.mark.skipif(not has_compiler(), reason='without Numba nothing is compiled')


def world_of_no_cars():
    """Arrays of the kinds that an engine has, for their types."""
    numbers, table = np.zeros(1), np.zeros((1, 3))
    whole, places = np.zeros(0, dtype=np.int64), np.zeros((0, 1), dtype=np.int64)
    of_tables = 'xfrc_applied cvel subtree_com xpos xmat xanchor xaxis geom_xpos pair_friction'
    return World(
        Views(*(table if name in of_tables.split() else numbers for name in Views._fields)),
        Places(*({'touch': places, 'carriers': np.zeros((0, 3, 3), dtype=np.int64)}.get(
            name, whole) for name in Places._fields)),
        np.zeros(CAR_SIZE), table, Paving(EMPTY_SCENE.friction_rows, table, numbers),
        Clearance(table, table, np.zeros(1, dtype=np.int32), whole))


def arrays_in(value):
    return sum(map(arrays_in, value)) if isinstance(value, tuple) else 1


@pytest.mark.parametrize('has_zones', [False, True])
@pytest.mark.parametrize('tyre', ['fiala', None])
def test_no_part_of_a_step_counts_references_for_each_car(tyre, has_zones):
    """Each car then costs as much again as all that is computed for it."""
    numba = pytest.importorskip('numba')
    world = plain_world(world_of_no_cars())
    prepare = None if tyre is None else find_tyre_model(tyre).contact_tyre()
    types = types_of((0, 0, 0, 0), world, 1e-3, 0, False)
    look = world_kernels(prepare, types, has_zones=has_zones).look
    # The one that is kept on disk has no code to look into.
    made = numba.njit(getattr(look, 'py_func', look))
    made.compile(types[:3])
    code, = made.inspect_llvm().values()
    counted = len(re.findall('call void @NRT_incref', code))
    # Once or twice in a call for all cars; a branch around a World that is not lent has one more
    # for each array.
    assert counted < 2 * arrays_in(world)
