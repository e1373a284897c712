# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Optimal control over a horizon by Gauss-Newton steps, for two inputs within bounds.

    min sum_k l(x_k, u_k) + l_N(x_N),  x_(k+1) = x_k + h f(x_k + h/2 f(x_k, u_k), u_k),  u in box

An iterative linear quadratic regulator: the costs are sums of squares, of which only first
derivatives are taken; a backward pass gives feed-forward and gains of each step, of an input at
its bound only the feed-forward, and a forward pass with line search drives the model by them. A
weight on the change of the inputs grows while no length of step lowers the cost. All loops have
fixed limits, no time is looked at, and no BLAS is called, so the bits are the same everywhere.

Sources: Li, Todorov, "Iterative linear quadratic regulator design for nonlinear biological
movement systems", ICINCO 2004; Tassa, Mansard, Todorov, "Control-limited differential dynamic
programming", ICRA 2014.

A model is a NamedTuple; its type chooses rates(), slopes(), cost(), expand(), bounds() and
state_count(). All arrays lie in one flat one, in which the functions get places.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import by_type, pure, routine
from racecar.base.rows import Numbers
from racecar.base.types import CarMotion
from racecar.base.vectors import Flat
from racecar.control.progress import Path

INPUTS = 2
MOST_STEPS = 1000
"""Largest number of steps of a horizon, and of iterations."""

LINE_SEARCH = 5
"""Lengths of step that are tried, each half of the one before."""

UNUSABLE = 1e12
"""Cost from which on a plan counts as lost."""

# Weight on the change of the inputs: the least, and the factors by which it grows and falls.
_LEAST, _GROWTH, _DECAY = 1e-9, 30.0, 0.1
# A step that lowers the cost by less than this share of it is the last.
_SETTLED = 1e-5


class Horizon(NamedTuple):
    """steps: how many; interval: of one [s]; iterations: at most so many."""

    steps: float
    interval: float
    iterations: float


class Memory(NamedTuple):
    """Numbers of a controller; line: where that of its path begins, work: (3 n,) to be used."""

    numbers: Flat
    line: int
    work: int


class Places(NamedTuple):
    """Where arrays of a plan begin: (steps + 1, n) states, (steps, 2) inputs, tried ones, work.

    feed (steps, 2) and gains (steps, 2, n): of the backward pass. The rest is of one step.
    """

    states: int
    inputs: int
    tried_states: int
    tried_inputs: int
    feed: int
    gains: int
    slope_x: int
    slope_u: int
    middle_x: int
    middle_u: int
    a: int
    b: int
    gradient: int
    hessian: int
    value: int
    curve: int
    product: int
    work: int
    end: int


@by_type
def state_count(model: object) -> int:
    """How many states a model has."""
    raise NotImplementedError


@by_type
def rates(model: object, memory: Memory, x: int, u: int, to: int) -> None:
    """Write the rates (n,) of the state at x under the input at u to `to`."""
    raise NotImplementedError


@by_type
def slopes(model: object, memory: Memory, x: int, u: int, by_x: int, by_u: int) -> None:
    """Write the derivatives of the rates by the state (n, n) and by the input (n, 2)."""
    raise NotImplementedError


@by_type
def cost(model: object, memory: Memory, x: int, u: int) -> float:
    """Cost of a step; u: -1 at the end of the horizon, which has no input."""
    raise NotImplementedError


@by_type
def expand(
    model: object, memory: Memory, x: int, u: int, gradient: int, hessian: int,
) -> None:
    """Write gradient (n + 2,) and Gauss-Newton Hessian (n, n) and (2,) of cost().

    The last two of either are of the inputs, which have no products in the cost.
    """
    raise NotImplementedError


@by_type
def bounds(model: object, memory: Memory, x: int) -> tuple[float, float, float, float]:
    """Least and largest first input, least and largest second one, in a state."""
    raise NotImplementedError


@pure
def places(n: int, steps: int, at: int) -> Places:
    """Places of the arrays for n states, from `at` on; end: after them."""
    states = at
    inputs = states + (steps + 1) * n
    tried_states = inputs + steps * INPUTS
    tried_inputs = tried_states + (steps + 1) * n
    feed = tried_inputs + steps * INPUTS
    gains = feed + steps * INPUTS
    slope_x = gains + steps * INPUTS * n
    slope_u = slope_x + n * n
    middle_x = slope_u + n * INPUTS
    middle_u = middle_x + n * n
    a = middle_u + n * INPUTS
    b = a + n * n
    gradient = b + n * INPUTS
    hessian = gradient + n + INPUTS
    value = hessian + n * n + INPUTS
    curve = value + n
    product = curve + n * n
    work = product + n * (n + INPUTS)
    return Places(states, inputs, tried_states, tried_inputs, feed, gains, slope_x, slope_u,
                  middle_x, middle_u, a, b, gradient, hessian, value, curve, product, work,
                  work + 3 * n)


def plan_size(n: int, steps: int) -> int:
    """How many numbers a plan takes."""
    return places(n, steps, 0).end


@routine
def advance(
    model: Numbers, memory: Memory, x: int, u: int, to: int, h: float,
) -> None:
    """Write the state a step of length h later, by the midpoint rule."""
    n, numbers, work = state_count(model), memory.numbers, memory.work
    rates(model, memory, x, u, work)
    for i in range(n):
        numbers[work + n + i] = numbers[x + i] + 0.5 * h * numbers[work + i]
    rates(model, memory, work + n, u, work)
    for i in range(n):
        numbers[to + i] = numbers[x + i] + h * numbers[work + i]


@routine
def linearise(
    model: Numbers, memory: Memory, x: int, u: int, at: Places, h: float,
) -> None:
    """Write derivatives of advance() by state and input to at.a and at.b."""
    n, numbers, work = state_count(model), memory.numbers, memory.work
    rates(model, memory, x, u, work)
    slopes(model, memory, x, u, at.slope_x, at.slope_u)
    for i in range(n):
        numbers[work + n + i] = numbers[x + i] + 0.5 * h * numbers[work + i]
    slopes(model, memory, work + n, u, at.middle_x, at.middle_u)
    for i in range(n):
        row = at.middle_x + n * i
        for j in range(n):
            total = numbers[row + j]
            for k in range(n):
                total += 0.5 * h * numbers[row + k] * numbers[at.slope_x + n * k + j]
            numbers[at.a + n * i + j] = h * total + (1.0 if i == j else 0.0)
        for j in range(INPUTS):
            total = numbers[at.middle_u + INPUTS * i + j]
            for k in range(n):
                total += 0.5 * h * numbers[row + k] * numbers[at.slope_u + INPUTS * k + j]
            numbers[at.b + INPUTS * i + j] = h * total


class Quadratic(NamedTuple):
    """Function of two numbers d: g0 d0 + g1 d1 + (h00 d0^2 + 2 h01 d0 d1 + h11 d1^2)/2."""

    g0: float
    g1: float
    h00: float
    h01: float
    h11: float


class Best(NamedTuple):
    """Place of the least value, and which of its numbers are within their bounds."""

    d0: float
    d1: float
    free0: bool
    free1: bool


@pure
def within(value: float, low: float, high: float) -> float:
    """Value in the range; NaN stays NaN."""
    return low if value < low else (high if value > high else value)


@pure
def least_in_box(
    q: Quadratic, low0: float, high0: float, low1: float, high1: float,
) -> Best:
    """Place of the least value in a box; h positive definite."""
    determinant = q.h00 * q.h11 - q.h01 * q.h01
    d0 = (q.h01 * q.g1 - q.h11 * q.g0) / determinant
    d1 = (q.h01 * q.g0 - q.h00 * q.g1) / determinant
    free0, free1 = True, True
    if not (low0 <= d0 <= high0 and low1 <= d1 <= high1):
        least = math.inf
        for edge in range(4):
            if edge < 2:
                t0 = low0 if edge == 0 else high0
                inner = -(q.g1 + q.h01 * t0) / q.h11
                t1 = within(inner, low1, high1)
            else:
                t1 = low1 if edge == 2 else high1
                inner = -(q.g0 + q.h01 * t1) / q.h00
                t0 = within(inner, low0, high0)
            value = (q.g0 * t0 + q.g1 * t1 + 0.5 * (q.h00 * t0 * t0 + q.h11 * t1 * t1)
                     + q.h01 * t0 * t1)
            if value < least:
                least, d0, d1 = value, t0, t1
                free0 = edge >= 2 and inner == t0
                free1 = edge < 2 and inner == t1
    return Best(d0, d1, free0, free1)


@routine
def _multiply(n: int, numbers: Flat, at: Places) -> None:
    """Write the Hessian of the value function times both derivatives of advance()."""
    pa, pb = at.product, at.product + n * n
    for i in range(n):
        for j in range(n):
            total = 0.0
            for m in range(n):
                total += numbers[at.curve + n * i + m] * numbers[at.a + n * m + j]
            numbers[pa + n * i + j] = total
        for j in range(INPUTS):
            total = 0.0
            for m in range(n):
                total += numbers[at.curve + n * i + m] * numbers[at.b + INPUTS * m + j]
            numbers[pb + INPUTS * i + j] = total


@pure
def _by_inputs(n: int, numbers: Flat, at: Places, weight: float) -> Quadratic:
    """Cost from a step on over the change of its inputs."""
    pb = at.product + n * n
    g0, g1 = numbers[at.gradient + n], numbers[at.gradient + n + 1]
    h00, h01 = numbers[at.hessian + n * n] + weight, 0.0
    h11 = numbers[at.hessian + n * n + 1] + weight
    for m in range(n):
        b0, b1 = numbers[at.b + INPUTS * m], numbers[at.b + INPUTS * m + 1]
        g0 += b0 * numbers[at.value + m]
        g1 += b1 * numbers[at.value + m]
        h00 += b0 * numbers[pb + INPUTS * m]
        h01 += b0 * numbers[pb + INPUTS * m + 1]
        h11 += b1 * numbers[pb + INPUTS * m + 1]
    return Quadratic(g0, g1, h00, h01, h11)


@routine
def _write_gains(n: int, numbers: Flat, at: Places, k: int, q: Quadratic, best: Best) -> None:
    """Write gains of step k, the products of inputs and states, and the gradient of the value."""
    determinant = q.h00 * q.h11 - q.h01 * q.h01
    gains, cross = at.gains + INPUTS * n * k, at.slope_x
    for j in range(n):
        c0, c1, slope = 0.0, 0.0, numbers[at.gradient + j]
        for m in range(n):
            c0 += numbers[at.b + INPUTS * m] * numbers[at.product + n * m + j]
            c1 += numbers[at.b + INPUTS * m + 1] * numbers[at.product + n * m + j]
            slope += numbers[at.a + n * m + j] * numbers[at.value + m]
        k0, k1 = 0.0, 0.0
        if best.free0 and best.free1:
            k0 = (q.h01 * c1 - q.h11 * c0) / determinant
            k1 = (q.h01 * c0 - q.h00 * c1) / determinant
        elif best.free0:
            k0 = -c0 / q.h00
        elif best.free1:
            k1 = -c1 / q.h11
        numbers[gains + j], numbers[gains + n + j] = k0, k1
        numbers[cross + j], numbers[cross + n + j] = c0, c1
        numbers[at.gradient + j] = (
            slope + k0 * (q.h00 * best.d0 + q.h01 * best.d1 + q.g0)
            + k1 * (q.h01 * best.d0 + q.h11 * best.d1 + q.g1) + c0 * best.d0 + c1 * best.d1)


@routine
def _write_value(n: int, numbers: Flat, at: Places, k: int, q: Quadratic) -> None:
    """Write gradient and Hessian of the value function before step k."""
    gains, cross = at.gains + INPUTS * n * k, at.slope_x
    for i in range(n):
        k0, k1 = numbers[gains + i], numbers[gains + n + i]
        c0, c1 = numbers[cross + i], numbers[cross + n + i]
        for j in range(i, n):
            m0, m1 = numbers[gains + j], numbers[gains + n + j]
            total = numbers[at.hessian + n * i + j]
            for m in range(n):
                total += numbers[at.a + n * m + i] * numbers[at.product + n * m + j]
            total += (k0 * (q.h00 * m0 + q.h01 * m1) + k1 * (q.h01 * m0 + q.h11 * m1)
                      + k0 * numbers[cross + j] + k1 * numbers[cross + n + j]
                      + c0 * m0 + c1 * m1)
            numbers[at.curve + n * i + j] = total
            numbers[at.curve + n * j + i] = total
        numbers[at.value + i] = numbers[at.gradient + i]


@routine
def backward(
    model: Numbers, memory: Memory, at: Places, horizon: Horizon, weight: float,
) -> None:
    """Write feed-forward and gains of all steps; weight: on the change of the inputs."""
    n, numbers, steps = state_count(model), memory.numbers, int(horizon.steps)
    expand(model, memory, at.states + n * steps, -1, at.gradient, at.hessian)
    for i in range(n):
        numbers[at.value + i] = numbers[at.gradient + i]
    for i in range(n * n):
        numbers[at.curve + i] = numbers[at.hessian + i]
    for k in range(steps - 1, -1, -1):
        x, u = at.states + n * k, at.inputs + INPUTS * k
        linearise(model, memory, x, u, at, horizon.interval)
        expand(model, memory, x, u, at.gradient, at.hessian)
        _multiply(n, numbers, at)
        q = _by_inputs(n, numbers, at, weight)
        low0, high0, low1, high1 = bounds(model, memory, x)
        u0, u1 = numbers[u], numbers[u + 1]
        best = least_in_box(q, low0 - u0, high0 - u0, low1 - u1, high1 - u1)
        numbers[at.feed + INPUTS * k] = best.d0
        numbers[at.feed + INPUTS * k + 1] = best.d1
        _write_gains(n, numbers, at, k, q, best)
        _write_value(n, numbers, at, k, q)


@routine
def drive(
    model: Numbers, memory: Memory, at: Places, horizon: Horizon, share: float,
) -> float:
    """Drive the model by the gains and a share of the feed-forward; the cost of what is tried.

    It writes the tried states and inputs. A share of 0 drives the inputs of the plan alone.
    """
    n, numbers, steps = state_count(model), memory.numbers, int(horizon.steps)
    for i in range(n):
        numbers[at.tried_states + i] = numbers[at.states + i]
    total = 0.0
    for k in range(steps):
        x, u = at.tried_states + n * k, at.tried_inputs + INPUTS * k
        low0, high0, low1, high1 = bounds(model, memory, x)
        u0, u1 = numbers[at.inputs + INPUTS * k], numbers[at.inputs + INPUTS * k + 1]
        if share > 0.0:
            u0 += share * numbers[at.feed + INPUTS * k]
            u1 += share * numbers[at.feed + INPUTS * k + 1]
            gains = at.gains + INPUTS * n * k
            for i in range(n):
                change = numbers[x + i] - numbers[at.states + n * k + i]
                u0 += numbers[gains + i] * change
                u1 += numbers[gains + n + i] * change
        numbers[u] = within(u0, low0, high0)
        numbers[u + 1] = within(u1, low1, high1)
        total += cost(model, memory, x, u)
        if not total < UNUSABLE:
            return math.inf
        advance(model, memory, x, u, x + n, horizon.interval)
    total += cost(model, memory, at.tried_states + n * steps, -1)
    return total if total < UNUSABLE else math.inf


@pure
def _take(numbers: Flat, at: Places) -> None:
    """Make what was tried the plan."""
    for i in range(at.tried_states - at.states):
        numbers[at.states + i] = numbers[at.tried_states + i]


@routine
def solve(model: Numbers, memory: Memory, at: Places, horizon: Horizon) -> float:
    """Improve the plan whose first state and inputs stand there; its cost, infinite if lost.

    A plan that drives the model away is first replaced by one without inputs. It is never made
    worse: what no step improves stays.
    """
    numbers = memory.numbers
    best = drive(model, memory, at, horizon, 0.0)
    if not best < math.inf:
        for i in range(INPUTS * int(horizon.steps)):
            numbers[at.inputs + i] = 0.0
        best = drive(model, memory, at, horizon, 0.0)
    _take(numbers, at)
    weight = _LEAST
    for _ in range(int(horizon.iterations)):
        backward(model, memory, at, horizon, weight)
        share, found = 1.0, math.inf
        for _ in range(LINE_SEARCH):
            found = drive(model, memory, at, horizon, share)
            if found < best:
                break
            share *= 0.5
        if found < best:
            gained = best - found
            best = found
            _take(numbers, at)
            weight = max(weight * _DECAY, _LEAST)
            if gained < _SETTLED * best:
                break
        else:
            weight = max(weight, 1e-6) * _GROWTH
    return best


@pure
def is_known(path: Path, car: CarMotion) -> bool:
    """Whether all that a plan begins with is finite; no plan is made from anything else."""
    total = path.s + path.lateral_error + path.heading_error + car.vx + car.vy + car.yaw_rate
    return abs(total) < UNUSABLE


@routine
def shift(numbers: Flat, inputs: int, horizon: Horizon, by: float) -> None:
    """Take the inputs of a plan, (steps, 2), so much later [s]; the last ones again at the end."""
    steps = int(horizon.steps)
    way = min(by / horizon.interval, float(steps))
    whole = int(way)
    part = way - whole
    for k in range(steps):
        first, second = min(k + whole, steps - 1), min(k + whole + 1, steps - 1)
        for i in range(INPUTS):
            numbers[inputs + INPUTS * k + i] = (
                (1.0 - part) * numbers[inputs + INPUTS * first + i]
                + part * numbers[inputs + INPUTS * second + i])
