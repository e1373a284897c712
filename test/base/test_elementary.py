# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sine, cosine and arctangent against extended precision, and their symmetries."""

import math

from hypothesis import example, given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.compiled import kernel
from racecar.base.elementary import (
    arctangent,
    arctangent2,
    arctangent_of_positive,
    quotient,
    sine_cosine,
    sine_cosine_of_turn,
    sine_to_three_quarters,
)
from racecar.base.elementary_columns import arctangents, cosines, tangents

# Where long double is no wider than double there is nothing to compare with.
EXTENDED = np.finfo(np.longdouble).nmant > 60
needs_extended = pytest.mark.skipif(not EXTENDED, reason='long double has no extra digits')


@kernel
def compiled_quotient(dividend, divisor):
    return quotient(dividend, divisor)
GENERATOR = np.random.default_rng(20261120)


@kernel
def all_sine_cosine(angles, sines, cosines):
    for i in range(angles.size):
        sines[i], cosines[i] = sine_cosine(angles[i])


@kernel
def all_sine_cosine_of_turn(angles, sines, cosines):
    for i in range(angles.size):
        sines[i], cosines[i] = sine_cosine_of_turn(angles[i])


@kernel
def all_arctangents(tangents, angles):
    for i in range(tangents.size):
        angles[i] = arctangent(tangents[i])


@kernel
def all_sines(angles, sines):
    for i in range(angles.size):
        sines[i] = sine_to_three_quarters(angles[i])


def sines_and_cosines(angles):
    sines, cosines = np.empty_like(angles), np.empty_like(angles)
    all_sine_cosine(angles, sines, cosines)
    return sines, cosines


def samples(largest, count=100_000):
    """Return random angles and those next to the multiples of a right angle."""
    anywhere = GENERATOR.uniform(-largest, largest, count)
    right = np.round(anywhere / (0.5 * np.pi)) * (0.5 * np.pi)
    return np.concatenate([anywhere, right, np.nextafter(right, np.inf)])


@needs_extended
@pytest.mark.parametrize('largest', [1.0, 10.0, 1e3, 1e6])
def test_sine_and_cosine_are_within_the_error_stated(largest):
    angles = samples(largest)
    exact = angles.astype(np.longdouble)
    for found, true in zip(
            sines_and_cosines(angles), (np.sin(exact), np.cos(exact)), strict=True):
        assert float(np.abs(found - true).max()) < 2e-16


@needs_extended
def test_small_angles_keep_their_relative_accuracy():
    angles = np.concatenate([
        GENERATOR.uniform(-0.785, 0.785, 100_000), 10.0 ** GENERATOR.uniform(-300, -1, 20_000)])
    exact = angles.astype(np.longdouble)
    for found, true in zip(
            sines_and_cosines(angles), (np.sin(exact), np.cos(exact)), strict=True):
        assert float((np.abs(found - true) / np.spacing(np.abs(found))).max()) < 1.5


@needs_extended
def test_sine_and_cosine_of_a_turn_are_within_the_errors_stated():
    angles = np.concatenate([
        GENERATOR.uniform(-4.0, 4.0, 100_000), GENERATOR.uniform(-0.16, 0.16, 100_000),
        10.0 ** GENERATOR.uniform(-300, -1, 20_000)])
    sines, cosines = np.empty_like(angles), np.empty_like(angles)
    all_sine_cosine_of_turn(angles, sines, cosines)
    exact = angles.astype(np.longdouble)
    allowed = np.maximum(2e-16, np.abs(angles)**11 / 3e7)
    for found, true in ((sines, np.sin(exact)), (cosines, np.cos(exact))):
        assert float((np.abs(found - true) / allowed).max()) < 1.0
    # What a car turns by in a millisecond keeps its relative accuracy.
    small = np.abs(angles) < 0.1
    error = np.abs(sines - np.sin(exact)) / np.spacing(np.abs(sines))
    assert float(error[small].max()) < 1.0


@needs_extended
def test_beyond_a_million_the_error_is_that_of_the_angle():
    angles = samples(1e9)
    exact = angles.astype(np.longdouble)
    for found, true in zip(
            sines_and_cosines(angles), (np.sin(exact), np.cos(exact)), strict=True):
        assert float((np.abs(found - true) / np.spacing(np.abs(angles) + 1.0)).max()) <= 1.0


@needs_extended
def test_arctangent_is_within_two_units_in_the_last_place():
    edges = np.array([0.41421356237309503, 2.414213562373095, 1.0])
    tangents = np.concatenate([
        GENERATOR.uniform(-3.0, 3.0, 100_000), 10.0 ** GENERATOR.uniform(-300, 300, 50_000),
        edges, np.nextafter(edges, 0.0), np.nextafter(edges, 9.0)])
    angles = np.empty_like(tangents)
    all_arctangents(tangents, angles)
    true = np.arctan(tangents.astype(np.longdouble))
    assert float((np.abs(angles - true) / np.spacing(np.abs(angles))).max()) < 2.0


@needs_extended
def test_sine_to_three_quarters_is_within_the_error_stated():
    angles = np.concatenate([
        GENERATOR.uniform(0.0, 1.5 * np.pi, 200_000), 10.0 ** GENERATOR.uniform(-300, -1, 20_000),
        [0.0, 0.5 * np.pi, np.nextafter(0.5 * np.pi, 9.0), np.pi, 1.5 * np.pi]])
    sines = np.empty_like(angles)
    all_sines(angles, sines)
    exact = np.sin(angles.astype(np.longdouble))
    assert float(np.abs(sines - exact).max()) < 3e-16
    small = angles < 1.5
    error = np.abs(sines - exact) / np.spacing(np.abs(sines))
    assert float(error[small].max()) < 2.5
    assert math.isnan(sine_to_three_quarters(math.nan))


@given(st.floats(), st.floats())
@example(math.nan, 0.0)
@example(0.0, -0.0)
@example(-1.0, -0.0)
def test_quotient_is_that_of_the_processor(dividend, divisor):
    with np.errstate(all='ignore'):
        expected = np.float64(dividend) / np.float64(divisor)
    for divide in (quotient, compiled_quotient):
        found = divide(dividend, divisor)
        assert np.array_equal(found, expected, equal_nan=True)
        assert math.isnan(expected) or math.copysign(1.0, found) == math.copysign(1.0, expected)


@given(st.floats(0.0, 1e300))
def test_arctangent_of_a_positive_number_is_the_other_one(tangent):
    assert arctangent_of_positive(tangent) == arctangent(tangent)


@given(st.floats(-1e9, 1e9))
def test_sine_is_odd_and_cosine_even_to_the_bit(angle):
    sine, cosine = sine_cosine(angle)
    assert sine_cosine(-angle) == (-sine, cosine)
    assert arctangent(-angle) == -arctangent(angle)
    sine, cosine = sine_cosine_of_turn(angle * 1e-9)
    assert sine_cosine_of_turn(angle * -1e-9) == (-sine, cosine)


COMPILED_FORMS = [(function, kernel(function)) for function in (
    sine_cosine, sine_cosine_of_turn, arctangent, sine_to_three_quarters)]


@given(st.floats(-1e6, 1e6))
def test_compiled_and_plain_give_the_same_bits(angle):
    for function, compiled_function in COMPILED_FORMS:
        assert compiled_function(angle) == function(angle)


def test_special_values():
    assert sine_cosine(0.0) == (0.0, 1.0)
    assert all(math.isnan(value) for value in sine_cosine(math.inf))
    assert all(math.isnan(value) for value in sine_cosine(math.nan))
    assert arctangent(math.inf) == 0.5 * math.pi
    assert arctangent(-math.inf) == -0.5 * math.pi
    assert math.isnan(arctangent(math.nan))


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_angle_of_a_point_is_that_of_the_library(y, x):
    assert arctangent2(y, x) == pytest.approx(math.atan2(y + 0.0, x + 0.0), rel=1e-15, abs=1e-300)


@pytest.mark.parametrize(
    ('y', 'x', 'angle'),
    [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, math.pi), (1.0, 0.0, math.pi / 2),
     (-1.0, 0.0, -math.pi / 2), (1.0, -1.0, 0.75 * math.pi), (-1.0, -1.0, -0.75 * math.pi)])
def test_angle_along_the_axes_and_diagonals(y, x, angle):
    assert arctangent2(y, x) == angle


def test_arrays_have_the_bits_of_numbers():
    angles = GENERATOR.uniform(-3.0, 3.0, (7, 11))
    pairs = [sine_cosine(angle) for angle in angles.ravel().tolist()]
    expected = {
        cosines: [cosine for _, cosine in pairs],
        tangents: [sine / cosine for sine, cosine in pairs],
        arctangents: [arctangent(angle) for angle in angles.ravel().tolist()]}
    for function, numbers in expected.items():
        # Views of which the numbers do not lie side by side, too.
        for some, of_some in ((angles, np.reshape(numbers, angles.shape)),
                              (angles.T[::2], np.reshape(numbers, angles.shape).T[::2])):
            np.testing.assert_array_equal(function(some), of_some)
    assert float(cosines(np.array(0.5))) == sine_cosine(0.5)[1]
