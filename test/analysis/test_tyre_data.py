# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which slip and which force of a wheel belong together."""

import numpy as np
import pytest

from racecar.analysis.tyre_data import pair_samples


@pytest.mark.parametrize(('first', 'second', 'expected'), [
    ([0, 10, 20], [3, 13, 23], [(0, 0), (1, 1), (2, 2)]),
    ([0, 10, 20], [19, 29, 39], [(0, 0), (1, 1), (2, 2)]),
    ([0, 10, 20], [12, 21], [(1, 0), (2, 1)]),
    ([10], [0, 10, 20, 30], [(0, 1)]),
    ([0, 10, 20, 30], [500], []),
    ([0], [0, 0], [(0, 0)]),
])
def test_pairs(first, second, expected):
    pairs = zip(*pair_samples(np.array(first), np.array(second)), strict=True)
    assert [(int(a), int(b)) for a, b in pairs] == expected
