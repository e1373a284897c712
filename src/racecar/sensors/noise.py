# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaussian noise for readings of a thousand numbers, as fast as the reading itself.

A hash of a counter (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014)
gives uniform numbers, Box and Muller's transform (1958) makes pairs of normal ones of them. Plain
arithmetic in loops that vectorise, so the bits are the same on every machine; the libraries' way
takes five times as long. test/sensors/test_noise.py looks at the distribution.
"""

from __future__ import annotations

import math

import numpy as np

from racecar.base.columns import Array
from racecar.base.compiled import kernel, modular, pure
from racecar.base.random_numbers import halved_logarithm

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
# Of a number of double precision (IEEE 754): where its exponent begins, the exponent of [1/2, 1),
# and all below the exponent.
_EXPONENT, _NEAR_ONE, _FRACTION = np.uint64(52), 1022, np.uint64((1 << 52) - 1)
_HALF = np.uint64(_NEAR_ONE << 52)


# Of Philox4x64-10.
_ROUNDS = 10
_FIRST, _SECOND = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_FIRST_STEP, _SECOND_STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


def seed_of(generator: np.random.Generator) -> np.uint64:
    """Return a seed for fill_normal(); one number of the generator is used."""
    return np.uint64(generator.bit_generator.random_raw())


@kernel
@modular
def seed_at(key: tuple[np.uint64, np.uint64], time_ns: np.uint64) -> np.uint64:
    """Return what seed_of() gives of a NoiseSource of a key at a time [ns].

    That is the first word of Philox4x64-10 (Salmon, Moraes, Dror and Shaw, 2011) as NumPy has it:
    it counts before it hashes.
    """
    a, b, c, d = _ONE, _ZERO, _ZERO, time_ns
    first, second = key
    for _ in range(_ROUNDS):
        a, b, c, d = (
            _upper_half(_SECOND, c) ^ b ^ first, _SECOND * c,
            _upper_half(_FIRST, a) ^ d ^ second, _FIRST * a)
        first, second = first + _FIRST_STEP, second + _SECOND_STEP
    return a


@pure
def _upper_half(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return the upper 64 bits of a product."""
    upper, lower, other_upper, other_lower = a >> _32, a & _LOW, b >> _32, b & _LOW
    one, other = upper * other_lower, lower * other_upper
    middle = (lower * other_lower >> _32) + (one & _LOW) + (other & _LOW)
    return upper * other_upper + (one >> _32) + (other >> _32) + (middle >> _32)


@pure
def cosine_and_sine(angle: float) -> tuple[float, float]:
    """Return cosine and sine of an angle in [-pi/4, pi/4] [rad], within 2e-9."""
    z = angle * angle
    cosine = 1.0 + z * (-1.0 / 2.0 + z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z * (
        1.0 / 40320.0 + z * (-1.0 / 3628800.0)))))
    sine = angle * (1.0 + z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5040.0 + z * (
        1.0 / 362880.0)))))
    return cosine, sine


@kernel
@modular
def fill_normal(seed: np.uint64, numbers: Array) -> None:
    """Write independent numbers of mean 0 and deviation 1 into an array of even length.

    None is beyond 6.8: the tail further out holds 1e-11 of all.
    """
    pairs = len(numbers) // 2
    chance = np.empty(pairs, np.uint64)
    for i in range(pairs):
        chance[i] = np.uint64(i + 1)
    for i in range(pairs):
        x = seed + chance[i] * _STEP
        x = (x ^ (x >> _30)) * _MIX_1
        x = (x ^ (x >> _27)) * _MIX_2
        chance[i] = x ^ (x >> _31)
    # Half of the bits give the distance from the centre, the others the direction.
    for i in range(pairs):
        numbers[i] = np.float64(np.int64(chance[i] >> _32)) + 0.5
        numbers[pairs + i] = np.float64(np.int64(chance[i] & _LOW)) + 0.5
    bits = numbers[:pairs].view(np.uint64)
    for i in range(pairs):
        chance[i] = bits[i] >> _EXPONENT
        bits[i] = (bits[i] & _FRACTION) | _HALF
    for i in range(pairs):
        halvings = 32.0 + _NEAR_ONE - np.float64(np.int64(chance[i]))
        numbers[i] = math.sqrt(-2.0 * halved_logarithm(numbers[i], halvings))
    for i in range(pairs):
        quarters = numbers[pairs + i] * 2.0**-30
        whole = np.floor(quarters)
        cosine, sine = cosine_and_sine((quarters - whole - 0.5) * (0.5 * math.pi))
        back = whole >= 2.0
        radius = -numbers[i] if back else numbers[i]
        odd = whole == 1.0 or whole == 3.0
        numbers[i] = radius * (-sine if odd else cosine)
        numbers[pairs + i] = radius * (cosine if odd else sine)
