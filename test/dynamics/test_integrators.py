# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Integrators against exact solutions, SciPy's tableau and their stability polynomials."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.integrate import RK45

from racecar.base.errors import ParameterError
from racecar.dynamics.integrators import find_integrator, INTEGRATORS, step_function


class Point(NamedTuple):
    first: float
    second: float


class Factor(NamedTuple):
    value: float


def decay(state, held):
    return Point(held.value * state.first, 0.0)


def logistic(state, held):
    # p' = p (1 - p), and q' = p as its integral.
    return Point(state.first * (1.0 - state.first), state.first)


def integrate(rates, method, start, dt, steps, value=0.0):
    step, point = step_function(rates, method), Point(*map(float, start))
    for _ in range(steps):
        point = step(point, Factor(value), dt)
    return np.array(point)


@pytest.mark.parametrize('method', INTEGRATORS)
def test_error_falls_with_the_order_of_the_method(method):
    # Logistic growth: p = 1/(1 + 9 exp(-t)), its integral ln((9 + exp(t))/10).
    exact = np.array([1.0 / (1.0 + 9.0 * math.exp(-4.0)), math.log((9.0 + math.exp(4.0)) / 10.0)])
    errors = [
        np.abs(integrate(logistic, method, [0.1, 0.0], 4.0 / n, n) - exact).max()
        for n in (20, 40, 80)]
    orders = [math.log2(errors[i] / errors[i + 1]) for i in range(2)]
    assert orders[-1] == pytest.approx(INTEGRATORS[method].order, abs=0.25)


def amplification(method, z):
    """Return the factor of one step on y' = z y with dt = 1."""
    return integrate(decay, method, [1.0, 0.0], 1.0, 1, z)[0]


@pytest.mark.parametrize('z', [-3.0, -1.0, -0.1, 0.5])
def test_one_step_on_a_linear_equation_gives_the_stability_polynomial(z):
    series = [z ** k / math.factorial(k) for k in range(6)]
    assert amplification('euler', z) == pytest.approx(sum(series[:2]), rel=1e-14)
    assert amplification('rk4', z) == pytest.approx(sum(series[:5]), rel=1e-14)
    assert amplification('dopri5', z) == pytest.approx(sum(series) + z ** 6 / 600.0, rel=1e-12)


@pytest.mark.parametrize('method', INTEGRATORS)
def test_stability_limit_is_where_the_amplification_reaches_one(method):
    limit = INTEGRATORS[method].stability_limit
    assert abs(amplification(method, -limit)) == pytest.approx(1.0, abs=1e-9)
    assert abs(amplification(method, -1.001 * limit)) > 1.0
    for fraction in np.linspace(0.01, 0.999, 200):
        assert abs(amplification(method, -fraction * limit)) < 1.0


def test_dopri5_makes_the_same_step_as_scipy():
    dt, start = 0.3, np.array([0.1, 0.0])

    def f(state):
        return np.array([state[0] * (1.0 - state[0]), state[0]])

    stages: list[Any] = []
    for row in RK45.A:
        stages.append(f(start + dt * sum(
            (a * k for a, k in zip(row, stages, strict=False)), np.zeros(2))))
    expected = start + dt * np.dot(RK45.B, np.array(stages))
    np.testing.assert_allclose(
        integrate(logistic, 'dopri5', start, dt, 1), expected, rtol=1e-14)


def test_unknown_method_is_refused():
    with pytest.raises(ParameterError, match=r"'integrator' is 'rk5', expected one of euler"):
        find_integrator('rk5')
