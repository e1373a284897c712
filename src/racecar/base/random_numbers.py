# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random numbers as pure functions of a key and a counter, in compiled code and in plain Python.

Nothing is remembered between two of them, so that any car can be asked for the noise of any tick.
The hash is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2,
3, 2011), whose words of 32 bits keep products within 64 bits; Box and Muller's transform (1958)
makes pairs of normal numbers of them, by plain arithmetic: the bits are the same on every machine.
"""

from __future__ import annotations

import math

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine

Words = tuple[int, int, int, int]
"""Four integers of 32 bits."""

WORD = 2**32
"""A word is less."""

_ROUNDS = 10
_LOW = WORD - 1
_FIRST, _SECOND = 0xD2511F53, 0xCD9E8D57
_FIRST_STEP, _SECOND_STEP = 0x9E3779B9, 0xBB67AE85
_UNIT, _TURN = 2.0**-32, math.tau * 2.0**-32
_LN_2, _ROOT_HALF = 0.6931471805599453, 0.7071067811865476


@pure
def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Hash of a counter by a key, both of words: Philox4x32-10."""
    a, b, c, d = counter
    first, second = key
    for _ in range(_ROUNDS):
        # Compiled, the upper half of a product may be taken for a negative number.
        one, other = _FIRST * a, _SECOND * c
        a, b, c, d = (
            ((other >> 32) & _LOW) ^ b ^ first, other & _LOW,
            ((one >> 32) & _LOW) ^ d ^ second, one & _LOW)
        first, second = (first + _FIRST_STEP) & _LOW, (second + _SECOND_STEP) & _LOW
    return a, b, c, d


@pure
def halved_logarithm(u: float, halvings: float) -> float:
    """Natural logarithm of u / 2^halvings for u in [1/2, 1], within 1e-12."""
    # ln(u sqrt 2) by the area hyperbolic tangent.
    s = (u - _ROOT_HALF) / (u + _ROOT_HALF)
    z = s * s
    # Quotients of constants are computed once; those of z would cost more than all the rest.
    series = 1.0 + z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * (1.0 / 7.0 + z * (1.0 / 9.0 + z * (
        1.0 / 11.0 + z * (1.0 / 13.0))))))
    return 2.0 * s * series - (halvings + 0.5) * _LN_2


@pure
def logarithm(u: float) -> float:
    """Natural logarithm of a number in [2^-32, 1], within 2e-12."""
    halvings = 0.0
    # Selections rather than branches let a loop over cars vectorise.
    halvings, u = (halvings + 16.0, u * 65536.0) if u < 2.0**-16 else (halvings, u)
    halvings, u = (halvings + 8.0, u * 256.0) if u < 2.0**-8 else (halvings, u)
    halvings, u = (halvings + 4.0, u * 16.0) if u < 2.0**-4 else (halvings, u)
    halvings, u = (halvings + 2.0, u * 4.0) if u < 2.0**-2 else (halvings, u)
    halvings, u = (halvings + 1.0, u * 2.0) if u < 0.5 else (halvings, u)
    return halved_logarithm(u, halvings)


@pure
def normal_pair(first: int, second: int) -> tuple[float, float]:
    """Two independent normal numbers of mean 0 and deviation 1, none beyond 6.7, of two words."""
    radius = math.sqrt(max(-2.0 * logarithm(float(first + 1) * _UNIT), 0.0))
    sine, cosine = sine_cosine(float(second) * _TURN)
    return radius * cosine, radius * sine


@pure
def four_normals(words: Words) -> tuple[float, float, float, float]:
    """Four independent normal numbers of the words of a hash."""
    a, b = normal_pair(words[0], words[1])
    c, d = normal_pair(words[2], words[3])
    return a, b, c, d
