# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sine, cosine and arctangent in plain arithmetic, so that loops over vehicles vectorise.

A call of the C library keeps a compiler from vectorising a loop, and its last digit depends on
the library. These take additions, multiplications, one division and selections in a fixed order,
so every path (compiled, vectorised, plain Python) and every machine gives the same bits.
Polynomials: minimax fits of our own in 60 digits. test/base/test_elementary.py checks the errors.
"""

from __future__ import annotations

import math

from racecar.base.compiled import compiled_as, pure

# Adding and subtracting it rounds to the nearest integer, ties to even.
_ROUND = 6755399441055744.0
_TWO_OVER_PI = 0.6366197723675814
# Cody and Waite, Software Manual for the Elementary Functions, 1980: pi/2 in two parts, the first
# of 33 bits, so that its product with an integer below 2^20 is exact.
_HALF_PI_1 = 1.5707963267341256
_HALF_PI_2 = 6.077100506506192e-11

# sin(r) = r + r z S(z), cos(r) = 1 - z/2 + z^2 C(z), z = r^2, |r| <= pi/4.
_S0, _S1, _S2, _S3, _S4, _S5 = (
    -0.16666666666666632, 0.008333333333322418, -0.00019841269829812313,
    2.755731369355535e-06, -2.5050758382251503e-08, 1.5896811697389848e-10)
_C0, _C1, _C2, _C3, _C4, _C5 = (
    0.0416666666666666, -0.0013888888888874131, 2.4801587289487073e-05,
    -2.7557314353806936e-07, 2.0875723481389044e-09, -1.1359658960080918e-11)

# sin(r) = r + r z W(z), |r| <= pi/2.
_W0, _W1, _W2, _W3, _W4, _W5, _W6, _W7 = (
    -0.16666666666666666, 0.008333333333333193, -0.00019841269841208746,
    2.7557319211054037e-06, -2.5052106864990104e-08, 1.6058939304032724e-10,
    -7.642980802916703e-13, 2.721060137753643e-15)

# The same sums after Taylor, exact to the last digit of small angles.
_T0, _T1, _T2, _T3 = -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0
_D0, _D1, _D2, _D3 = 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3628800.0

# atan(x) = x + x z A(z), z = x^2, |x| <= tan(pi/8).
_A0, _A1, _A2, _A3, _A4, _A5, _A6, _A7, _A8, _A9, _A10 = (
    -0.333333333333332, 0.19999999999954043, -0.1428571428024431, 0.11111110785915827,
    -0.09090897829765754, 0.076920615135489, -0.0666311893149502, 0.0584799803136241,
    -0.05039795150146471, 0.0380770103431196, -0.017920812136450144)
_TAN_PI_8 = 0.41421356237309503
_TAN_3_PI_8 = 2.414213562373095
_QUARTER_PI = 0.7853981633974483
_HALF_PI = 1.5707963267948966
# What _QUARTER_PI and _HALF_PI lack.
_QUARTER_PI_TAIL = 3.061616997868383e-17
_HALF_PI_TAIL = 6.123233995736766e-17


NEGLIGIBLE = 1e-30
"""Modulus below which a state or an output of an actuator is at rest, in its SI unit.

A speed of 1e-30 m/s leads less than the diameter of an atom in the age of the universe.
"""


@pure
def settled(number: float) -> float:
    """Number, but 0 for one that is NEGLIGIBLE.

    What decays would else end in denormal numbers, which take a processor many times as long. A
    selection in the place of a branch, so that loops vectorise; NaN stays NaN.
    """
    return 0.0 if abs(number) < NEGLIGIBLE else number


@pure
def sine_cosine(angle: float) -> tuple[float, float]:
    """Sine and cosine of an angle [rad].

    The error is below 2e-16 up to 1e6 rad; beyond, it is at most the spacing of numbers at the
    angle. Below pi/4 both are within 1.5 units in the last place. Odd and even to the bit. NaN
    for NaN and infinity.
    """
    quarter = (angle * _TWO_OVER_PI + _ROUND) - _ROUND
    r = (angle - quarter * _HALF_PI_1) - quarter * _HALF_PI_2
    # In -2 ... 2, with both signs of 2 for a half turn.
    quadrant = quarter - 4.0 * ((quarter * 0.25 + _ROUND) - _ROUND)
    z = r * r
    z2 = z * z
    # Halves side by side shorten the chain of operations that wait for each other.
    s = r + (r * z) * ((_S0 + z * _S1) + z2 * ((_S2 + z * _S3) + z2 * (_S4 + z * _S5)))
    c = 1.0 - (0.5 * z - z2 * (
        (_C0 + z * _C1) + z2 * ((_C2 + z * _C3) + z2 * (_C4 + z * _C5))))
    odd = abs(quadrant) == 1.0
    sine = c if odd else s
    cosine = s if odd else c
    return (
        -sine if abs(quadrant - 0.5) > 1.0 else sine,
        -cosine if abs(quadrant + 0.5) > 1.0 else cosine)


@pure
def sine_cosine_of_turn(angle: float) -> tuple[float, float]:
    """Sine and cosine of the small angle [rad] by which a vehicle turns within a step.

    Twice as fast as sine_cosine(). The error is below 2e-16 up to 0.16 rad; beyond, it stays below
    angle^11/3e7, far below that of a Runge-Kutta step that turns so far. Odd and even to the bit.
    """
    z = angle * angle
    z2 = z * z
    return (
        angle + (angle * z) * ((_T0 + z * _T1) + z2 * (_T2 + z * _T3)),
        1.0 - (0.5 * z - z2 * ((_D0 + z * _D1) + z2 * (_D2 + z * _D3))))


@pure
def sine_to_three_quarters(angle: float) -> float:
    """Sine of an angle [rad] in [0, 3 pi/2], where it costs half of sine_cosine().

    The error is below 3e-16, up to a right angle within 2.5 units in the last place. NaN for NaN.
    """
    r = (2.0 * _HALF_PI - angle) + 2.0 * _HALF_PI_TAIL if angle > _HALF_PI else angle
    z = r * r
    z2 = z * z
    z4 = z2 * z2
    return r + (r * z) * (((_W0 + z * _W1) + z2 * (_W2 + z * _W3)) + z4 * (
        (_W4 + z * _W5) + z2 * (_W6 + z * _W7)))


@pure
def arctangent(tangent: float) -> float:
    """Angle in (-pi/2, pi/2) [rad] of a tangent, within 2 units in the last place.

    Odd to the bit. NaN for NaN; infinity gives the right angle.
    """
    angle = arctangent_of_positive(abs(tangent))
    return -angle if tangent < 0.0 else angle


@pure
def arctangent_of_positive(x: float) -> float:
    """Arctangent of a number of at least 0, as arctangent() computes it."""
    low = x <= _TAN_PI_8
    high = x > _TAN_3_PI_8
    above = -1.0 if high else x - 1.0
    below = x if high else x + 1.0
    y = (x if low else above) / (1.0 if low else below)
    base = _HALF_PI if high else _QUARTER_PI
    tail = _HALF_PI_TAIL if high else _QUARTER_PI_TAIL
    z = y * y
    z2 = z * z
    z4 = z2 * z2
    a = ((_A0 + z * _A1) + z2 * (_A2 + z * _A3)) + z4 * (
        ((_A4 + z * _A5) + z2 * (_A6 + z * _A7)) + z4 * ((_A8 + z * _A9) + z2 * _A10))
    small = (y * z) * a
    return y + small if low else base + (y + (small + tail))


@pure
def arctangent2(y: float, x: float) -> float:
    """Angle in (-pi, pi] [rad] from the x axis to (x, y), 0 for (0, 0).

    The error is that of arctangent() and of one division and one addition.
    """
    steep = abs(y) > abs(x)
    below = y if steep else x
    angle = arctangent((x if steep else y) / (below if below != 0.0 else 1.0))
    right = _HALF_PI if y > 0.0 else -_HALF_PI
    straight = (-2.0 * _HALF_PI if y < 0.0 else 2.0 * _HALF_PI) if x < 0.0 else 0.0
    return right - angle if steep else straight + angle


@pure
def _divided(dividend: float, divisor: float) -> float:
    return dividend / divisor


@compiled_as(_divided)
def quotient(dividend: float, divisor: float) -> float:
    """Quotient as IEEE 754 has it: infinity or NaN by 0, which Python refuses."""
    if divisor != 0.0:
        return dividend / divisor
    if dividend == 0.0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


@pure
def smoothstep(value: float, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high` on, in between 3 s^2 - 2 s^3, flat at both ends."""
    share = max(0.0, min(1.0, (value - low) / (high - low)))
    return share * share * (3.0 - 2.0 * share)
