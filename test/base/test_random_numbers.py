# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of Philox against published ones, and the distribution of the normal ones."""

import math

import numpy as np
import pytest
from scipy import stats

from racecar.base.compiled import compiled
from racecar.base.random_numbers import four_normals, logarithm, normal_pair, philox, WORD
from racecar.base.vectors import vector


# Known answers of Random123, the library of the authors.
@pytest.mark.parametrize(('counter', 'key', 'wanted'), [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((WORD - 1,) * 4, (WORD - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
     (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
])
def test_philox_is_that_of_its_authors(counter, key, wanted):
    assert philox(counter, key) == wanted


def drawn(count, key):
    return np.array([four_normals(philox((tick, 0, 0, 0), key)) for tick in range(count)])


def fill(found, high, low, count):
    for tick in range(count):
        numbers = four_normals(philox((tick, 0, 0, 0), (int(high), int(low))))
        for k in range(4):
            found[4 * tick + k] = numbers[k]


def test_compiled_numbers_are_those_of_plain_python():
    found = vector(4000)
    key = 0xFEDCBA98, 0x89ABCDEF
    high, low = map(float, key)
    compiled(fill, '(float64[::1], float64, float64, int64)')(found, high, low, 1000)
    np.testing.assert_array_equal(np.reshape(found, (1000, 4)), drawn(1000, key))


@pytest.fixture(scope='module')
def numbers():
    found = vector(400_000)
    compiled(fill, '(float64[::1], float64, float64, int64)')(found, 3.0, 5.0, 100_000)
    return np.reshape(found, (-1, 4))


def test_numbers_are_normal(numbers):
    for column in numbers.T:
        assert stats.kstest(column, 'norm').pvalue > 0.001
    every = numbers.ravel()
    assert abs(every.mean()) < 4.0 / math.sqrt(len(every))
    assert every.var() == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / len(every)))
    assert stats.kurtosis(every) == pytest.approx(0.0, abs=4.0 * math.sqrt(24.0 / len(every)))
    for limit in (3.0, 4.0):
        expected = len(every) * 2.0 * stats.norm.sf(limit)
        assert np.count_nonzero(np.abs(every) > limit) == pytest.approx(
            expected, abs=4.0 * math.sqrt(expected) + 1.0)


def test_numbers_of_one_tick_and_of_the_next_are_independent(numbers):
    allowed = 4.0 / math.sqrt(len(numbers))
    for power in (1, 2):
        of_all = numbers**power
        following = np.hstack([of_all[:-1], of_all[1:]])
        correlation = np.corrcoef(following.T)
        assert np.abs(correlation - np.eye(8)).max() < allowed


def test_keys_that_are_neighbours_have_numbers_of_their_own():
    one, other = drawn(5000, (1, 2)).ravel(), drawn(5000, (1, 3)).ravel()
    assert abs(np.corrcoef(one, other)[0, 1]) < 4.0 / math.sqrt(len(one))


def test_logarithm_is_that_of_the_library():
    shares = [2.0**-32, 2.0**-16, 0.25, 0.5, 1.0, *np.random.default_rng(1).random(1000)]
    for share in shares:
        assert logarithm(max(share, 2.0**-32)) == pytest.approx(math.log(share), abs=2e-12)


def test_extreme_words_have_numbers():
    for words in ((0, 0), (WORD - 1, 0), (0, WORD - 1), (WORD - 1, WORD - 1)):
        pair = normal_pair(*words)
        assert all(map(math.isfinite, pair))
    assert normal_pair(0, 0)[0] == pytest.approx(math.sqrt(64.0 * math.log(2.0)))
