# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The spline of waypoints is that of SciPy."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
import pytest

from racecar.control.spline import spline_through

interpolate = pytest.importorskip('scipy.interpolate', reason='SciPy is not installed')


@given(st.data(), st.integers(1, 40), st.booleans())
def test_parts_and_derivatives_are_those_of_scipy(data, count, closed):
    count = max(count, 3) if closed else count
    widths = data.draw(arrays(float, count, elements=st.floats(0.05, 5.0)))
    points = data.draw(arrays(float, (count + 1, 2), elements=st.floats(-20.0, 20.0)))
    knots = np.concatenate([[0.0], np.cumsum(widths)])
    if closed:
        points[-1] = points[0]
    ours = spline_through(knots, points, closed=closed)
    theirs = interpolate.CubicSpline(knots, points, bc_type='periodic' if closed else 'natural')
    scale = 1.0 + np.abs(theirs.c).max()
    np.testing.assert_allclose(ours.parts[::-1], theirs.c, atol=1e-11 * scale)
    pieces = np.arange(count)
    at = knots[:-1] + 0.3 * widths
    np.testing.assert_allclose(ours.derivative(at, pieces), theirs(at, 1), atol=1e-11 * scale)
    np.testing.assert_allclose(ours.second(at, pieces), theirs(at, 2), atol=1e-10 * scale)
