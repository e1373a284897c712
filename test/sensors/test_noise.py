# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Normal numbers: their distribution, their independence, and what they are made of."""

import math

from compilation import plain
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy import stats

from racecar.base.compiled import has_compiler
from racecar.base.random_numbers import halved_logarithm
from racecar.sensors import noise
from racecar.sensors.mounting import NoiseSource
from racecar.sensors.noise import fill_normal, seed_at, seed_of


def normal_numbers(generator, count):
    """Return what a sensor with so many numbers of noise takes."""
    numbers = np.empty(count + count % 2)
    fill_normal(seed_of(generator), numbers)
    return numbers[:count]


def drawn(count, draws, seed=1):
    generator = np.random.default_rng(seed)
    return np.concatenate([normal_numbers(generator, count) for _ in range(draws)])


@settings(max_examples=50)
@given(st.integers(0, 2**31 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**63 - 1))
def test_the_seed_of_an_instant_is_that_of_the_generator_of_numpy(seed, stream, time_ns):
    source = NoiseSource(seed, stream)
    key = np.uint64(source.key[0]), np.uint64(source.key[1])
    assert seed_at(key, np.uint64(time_ns)) == seed_of(source.at(time_ns))


def test_numbers_are_normal():
    numbers = drawn(1081, 300)
    assert stats.kstest(numbers, 'norm').pvalue > 0.01
    assert abs(numbers.mean()) < 4.0 / math.sqrt(len(numbers))
    assert numbers.var() == pytest.approx(1.0, abs=4.0 * math.sqrt(2.0 / len(numbers)))
    assert stats.kurtosis(numbers) == pytest.approx(0.0, abs=4.0 * math.sqrt(24.0 / len(numbers)))
    # Beyond 3 and 4 deviations.
    for limit in (3.0, 4.0):
        expected = len(numbers) * 2.0 * stats.norm.sf(limit)
        assert np.count_nonzero(np.abs(numbers) > limit) == pytest.approx(
            expected, abs=4.0 * math.sqrt(expected) + 1.0)


@pytest.mark.parametrize('lag', [1, 2, 541, 1081])
def test_numbers_do_not_depend_on_those_before(lag):
    numbers = drawn(1081, 100)
    for power in (1, 2):
        one = numbers**power - (power == 2)
        spread = 1.0 if power == 1 else 2.0
        assert abs(np.mean(one[lag:] * one[:-lag])) < 4.0 * spread / math.sqrt(len(one))


def test_one_number_of_the_generator_is_used():
    one, other = np.random.default_rng(4), np.random.default_rng(4)
    normal_numbers(one, 1000)
    other.bit_generator.random_raw()
    assert one.random() == other.random()


def test_logarithm_and_turn_are_those_of_the_library():
    logarithm, turned = plain(halved_logarithm), plain(noise.cosine_and_sine)
    for share in [2.0**-33, 2.0**-17, 0.25, 0.5, 1.0, *np.random.default_rng(1).random(200)]:
        part, exponent = math.frexp(share)
        assert logarithm(part, -exponent) == pytest.approx(math.log(share), abs=1e-12)
    for angle in np.linspace(-math.pi / 4.0, math.pi / 4.0, 99):
        assert turned(angle) == pytest.approx((math.cos(angle), math.sin(angle)), abs=2e-9)


@pytest.mark.skipif(not has_compiler(), reason='Numba is not installed')
def test_compiled_and_plain_give_the_same_bits():
    compiled, interpreted = np.empty(40), np.empty(40)
    fill_normal(np.uint64(7), compiled)
    with np.errstate(over='ignore'):
        plain(fill_normal)(np.uint64(7), interpreted)
    assert compiled.tobytes() == interpreted.tobytes()
