# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Optimal control over a horizon by Gauss-Newton steps, for a few inputs within bounds.

    min sum_k l(x_k, u_k) + l_N(x_N),  x_(k+1) = x_k + h f(x_k + h/2 f(x_k, u_k), u_k),  u in box

An iterative linear quadratic regulator: the costs are sums of squares, of which only first
derivatives are taken; a backward pass gives feed-forward and gains of each step, of an input at
its bound only the feed-forward, and a forward pass with line search drives the model by them. A
weight on the change of the inputs grows while no length of step lowers the cost. A plan is kept
with its gains: driven by them it holds for a state that is a little another. All loops have
fixed limits, no time is looked at, and no BLAS is called, so the bits are the same everywhere.

Sources: Li, Todorov, "Iterative linear quadratic regulator design for nonlinear biological
movement systems", ICINCO 2004; Tassa, Mansard, Todorov, "Control-limited differential dynamic
programming", ICRA 2014.

A model is a NamedTuple; its type chooses rates(), slopes(), cost(), expand(), bounds(),
state_count() and input_count(). All arrays lie in one flat one, in which the functions get places.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import by_type, pure, subroutine
from racecar.base.rows import Numbers
from racecar.base.types import CarMotion
from racecar.base.vectors import Flat
from racecar.control.progress import Path

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
# Change of a state from answer to answer that is none of the car's.
_FAR = 3.0


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


class Box(NamedTuple):
    """Where the arrays of a quadratic function of m numbers d and of their bounds begin.

    The function is slope d + d bend d/2; low, high, slope, change, tried: (m,), bend, factor:
    (m, m). change: its least place, factor: the factors of its set of bounds, tried: for others.
    """

    low: int
    high: int
    slope: int
    bend: int
    factor: int
    change: int
    tried: int
    end: int


class Places(NamedTuple):
    """Where arrays of a plan begin: (steps + 1, n) states, (steps, m) inputs, tried ones, work.

    feed (steps, m) and gains (steps, m, n): of the backward pass. The rest is of one step.
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
    box: Box
    work: int
    end: int


@by_type
def state_count(model: object) -> int:
    """How many states n a model has, at least as many as inputs."""
    raise NotImplementedError


@by_type
def input_count(model: object) -> int:
    """How many inputs m a model has."""
    raise NotImplementedError


@by_type
def rates(model: object, memory: Memory, x: int, u: int, to: int) -> None:
    """Write the rates (n,) of the state at x under the input at u to `to`."""
    raise NotImplementedError


@by_type
def slopes(model: object, memory: Memory, x: int, u: int, by_x: int, by_u: int) -> None:
    """Write the derivatives of the rates by the state (n, n) and by the input (n, m)."""
    raise NotImplementedError


@by_type
def cost(model: object, memory: Memory, x: int, u: int) -> float:
    """Cost of a step; u: -1 at the end of the horizon, which has no input."""
    raise NotImplementedError


@by_type
def expand(
    model: object, memory: Memory, x: int, u: int, gradient: int, hessian: int,
) -> None:
    """Write gradient (n + m,) and Gauss-Newton Hessian (n, n) and (m,) of cost().

    The last m of either are of the inputs, which have no products in the cost.
    """
    raise NotImplementedError


@by_type
def bounds(model: object, memory: Memory, x: int, low: int, high: int) -> None:
    """Write the least and the largest inputs (m,) in a state."""
    raise NotImplementedError


@pure
def box_places(m: int, at: int) -> Box:
    """Places of the arrays of a box, from `at` on; end: after them."""
    slope, bend = at + 2 * m, at + 3 * m
    factor = bend + m * m
    change = factor + m * m
    return Box(at, at + m, slope, bend, factor, change, change + m, change + 2 * m)


@pure
def places(n: int, m: int, steps: int, at: int) -> Places:
    """Places of the arrays for n states and m inputs, from `at` on; end: after them."""
    states = at
    inputs = states + (steps + 1) * n
    tried_states = inputs + steps * m
    tried_inputs = tried_states + (steps + 1) * n
    feed = tried_inputs + steps * m
    gains = feed + steps * m
    slope_x = gains + steps * m * n
    slope_u = slope_x + n * n
    middle_x = slope_u + n * m
    middle_u = middle_x + n * n
    a = middle_u + n * m
    b = a + n * n
    gradient = b + n * m
    hessian = gradient + n + m
    value = hessian + n * n + m
    curve = value + n
    product = curve + n * n
    box = box_places(m, product + n * (n + m))
    return Places(states, inputs, tried_states, tried_inputs, feed, gains, slope_x, slope_u,
                  middle_x, middle_u, a, b, gradient, hessian, value, curve, product, box,
                  box.end, box.end + 3 * n)


def plan_size(n: int, m: int, steps: int) -> int:
    """How many numbers a plan takes."""
    return places(n, m, steps, 0).end


@subroutine
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


@pure
def _add_row(numbers: Flat, to: int, row: int, share: float, count: int) -> None:
    for j in range(count):
        numbers[to + j] += share * numbers[row + j]


@subroutine
def linearise(
    model: Numbers, memory: Memory, x: int, u: int, at: Places, h: float,
) -> None:
    """Write derivatives of advance() by state and input to at.a and at.b."""
    n, m, numbers, work = state_count(model), input_count(model), memory.numbers, memory.work
    rates(model, memory, x, u, work)
    slopes(model, memory, x, u, at.slope_x, at.slope_u)
    for i in range(n):
        numbers[work + n + i] = numbers[x + i] + 0.5 * h * numbers[work + i]
    slopes(model, memory, work + n, u, at.middle_x, at.middle_u)
    for i in range(n):
        row, a, b = at.middle_x + n * i, at.a + n * i, at.b + m * i
        for j in range(n):
            numbers[a + j] = numbers[row + j]
        for j in range(m):
            numbers[b + j] = numbers[at.middle_u + m * i + j]
        for k in range(n):
            # Most derivatives are 0.
            if numbers[row + k] != 0.0:
                share = 0.5 * h * numbers[row + k]
                _add_row(numbers, a, at.slope_x + n * k, share, n)
                _add_row(numbers, b, at.slope_u + m * k, share, m)
        for j in range(n):
            numbers[a + j] = h * numbers[a + j] + (1.0 if i == j else 0.0)
        for j in range(m):
            numbers[b + j] *= h


@pure
def within(value: float, low: float, high: float) -> float:
    """Value in the range; NaN stays NaN."""
    return low if value < low else (high if value > high else value)


@pure
def is_free(active: int, number: int) -> bool:
    """Whether a number is at none of its bounds, in the set that least_in_box() gives."""
    for _ in range(number):
        active //= 3
    return active % 3 == 0


@pure
def _factorise(m: int, numbers: Flat, box: Box, active: int) -> None:
    """Write the factors of the equations of a set of bounds; those of a bound are one number's."""
    for i in range(m):
        free = is_free(active, i)
        for j in range(m):
            numbers[box.factor + m * i + j] = (
                numbers[box.bend + m * i + j] if free else (1.0 if i == j else 0.0))
    # What is free is positive definite, so that no rows are to be changed.
    for k in range(m):
        lead = 1.0 / numbers[box.factor + m * k + k]
        for i in range(k + 1, m):
            share = numbers[box.factor + m * i + k] * lead
            numbers[box.factor + m * i + k] = share
            for j in range(k + 1, m):
                numbers[box.factor + m * i + j] -= share * numbers[box.factor + m * k + j]


@pure
def _substitute(m: int, numbers: Flat, box: Box) -> None:
    """Solve the factorised equations for the right side at box.tried, in its place."""
    for i in range(m):
        for j in range(i):
            numbers[box.tried + i] -= (
                numbers[box.factor + m * i + j] * numbers[box.tried + j])
    for i in range(m - 1, -1, -1):
        for j in range(i + 1, m):
            numbers[box.tried + i] -= (
                numbers[box.factor + m * i + j] * numbers[box.tried + j])
        numbers[box.tried + i] /= numbers[box.factor + m * i + i]


@pure
def _least_in_set(m: int, numbers: Flat, box: Box, active: int) -> float:
    """Write the least place in a set of bounds to box.tried; its value, infinite outside."""
    _factorise(m, numbers, box, active)
    rest = active
    for i in range(m):
        numbers[box.tried + i] = (
            -numbers[box.slope + i] if rest % 3 == 0
            else numbers[(box.low if rest % 3 == 1 else box.high) + i])
        rest //= 3
    _substitute(m, numbers, box)
    value = 0.0
    for i in range(m):
        d = numbers[box.tried + i]
        if not numbers[box.low + i] <= d <= numbers[box.high + i]:
            return math.inf
        half = 0.0
        for j in range(m):
            half += 0.5 * numbers[box.bend + m * i + j] * numbers[box.tried + j]
        value += d * (numbers[box.slope + i] + half)
    return value


@pure
def _beyond(m: int, numbers: Flat, box: Box) -> int:
    """Set of the bounds that the place at box.tried is beyond."""
    found = 0
    for i in range(m - 1, -1, -1):
        d = numbers[box.tried + i]
        found = 3 * found + (
            1 if d < numbers[box.low + i] else (2 if d > numbers[box.high + i] else 0))
    return found


@pure
def _is_least(m: int, numbers: Flat, box: Box, active: int) -> bool:
    """Whether the least place in a set of bounds, at box.tried, is that of the whole box.

    It is where the function grows from each of the bounds into the box.
    """
    rest, found = active, True
    for i in range(m):
        slope = numbers[box.slope + i]
        for j in range(m):
            slope += numbers[box.bend + m * i + j] * numbers[box.tried + j]
        found = found and (rest % 3 == 0 or (slope > 0.0 if rest % 3 == 1 else slope < 0.0))
        rest //= 3
    return found


@pure
def _take_tried(m: int, numbers: Flat, box: Box) -> None:
    for i in range(m):
        numbers[box.change + i] = numbers[box.tried + i]


@pure
def least_in_box(m: int, numbers: Flat, box: Box) -> int:
    """Write the place of the least value in a box to box.change, and its factors.

    bend: positive definite. Returns the set of bounds at which it lies: a digit to the base of 3
    for each number, 0 where it is free, 1 at its lower and 2 at its upper bound. First the set
    without any is tried, then that of the bounds that its least place is beyond; all sets only if
    neither is it.
    """
    if _least_in_set(m, numbers, box, 0) < math.inf:
        _take_tried(m, numbers, box)
        return 0
    active = _beyond(m, numbers, box)
    if (_least_in_set(m, numbers, box, active) < math.inf
            and _is_least(m, numbers, box, active)):
        _take_tried(m, numbers, box)
        return active
    chosen, least = 0, math.inf
    for i in range(m):
        numbers[box.change + i] = math.nan
    for active in range(1, 3**m):
        value = _least_in_set(m, numbers, box, active)
        if value < least:
            chosen, least = active, value
            _take_tried(m, numbers, box)
    _factorise(m, numbers, box, chosen)
    return chosen


@pure
def _multiply(n: int, m: int, numbers: Flat, at: Places) -> None:
    """Write the Hessian of the value function times both derivatives of advance()."""
    pa, pb = at.product, at.product + n * n
    for i in range(n * (n + m)):
        numbers[pa + i] = 0.0
    for i in range(n):
        for k in range(n):
            share = numbers[at.curve + n * i + k]
            _add_row(numbers, pa + n * i, at.a + n * k, share, n)
            _add_row(numbers, pb + m * i, at.b + m * k, share, m)


@pure
def _write_box(n: int, m: int, numbers: Flat, at: Places, weight: float) -> None:
    """Write the cost from a step on over the change of its inputs, as a quadratic function."""
    pb, box = at.product + n * n, at.box
    for i in range(m):
        slope = numbers[at.gradient + n + i]
        for k in range(n):
            slope += numbers[at.b + m * k + i] * numbers[at.value + k]
        numbers[box.slope + i] = slope
        for j in range(i, m):
            total = numbers[at.hessian + n * n + i] + weight if i == j else 0.0
            for k in range(n):
                total += numbers[at.b + m * k + i] * numbers[pb + m * k + j]
            numbers[box.bend + m * i + j] = total
            numbers[box.bend + m * j + i] = total


@pure
def _write_gains(n: int, m: int, numbers: Flat, at: Places, k: int, active: int) -> None:
    """Write gains of step k, the products of inputs and states, and the gradient of the value.

    The products are at slope_x, (m, n), and with those of the gains at middle_x.
    """
    gains, cross, pushed, box = at.gains + m * n * k, at.slope_x, at.middle_x, at.box
    for j in range(n):
        slope = numbers[at.gradient + j]
        for i in range(n):
            slope += numbers[at.a + n * i + j] * numbers[at.value + i]
        for i in range(m):
            total = 0.0
            for row in range(n):
                total += numbers[at.b + m * row + i] * numbers[at.product + n * row + j]
            numbers[cross + n * i + j] = total
            numbers[box.tried + i] = -total if is_free(active, i) else 0.0
        _substitute(m, numbers, box)
        for i in range(m):
            gain, total, bent = (
                numbers[box.tried + i], numbers[cross + n * i + j], numbers[box.slope + i])
            slope += total * numbers[box.change + i]
            for row in range(m):
                total += numbers[box.bend + m * i + row] * numbers[box.tried + row]
                bent += numbers[box.bend + m * i + row] * numbers[box.change + row]
            numbers[gains + n * i + j], numbers[pushed + n * i + j] = gain, total
            slope += gain * bent
        numbers[at.gradient + j] = slope


@pure
def _write_value(n: int, m: int, numbers: Flat, at: Places, k: int) -> None:
    """Write gradient and Hessian of the value function before step k."""
    gains, cross, pushed = at.gains + m * n * k, at.slope_x, at.middle_x
    for i in range(n):
        for j in range(i, n):
            total = numbers[at.hessian + n * i + j]
            for row in range(n):
                total += numbers[at.a + n * row + i] * numbers[at.product + n * row + j]
            for row in range(m):
                total += (numbers[gains + n * row + i] * numbers[pushed + n * row + j]
                          + numbers[cross + n * row + i] * numbers[gains + n * row + j])
            numbers[at.curve + n * i + j] = total
            numbers[at.curve + n * j + i] = total
        numbers[at.value + i] = numbers[at.gradient + i]


@subroutine
def backward(
    model: Numbers, memory: Memory, at: Places, horizon: Horizon, weight: float,
) -> None:
    """Write feed-forward and gains of all steps; weight: on the change of the inputs."""
    n, m, numbers, steps = (
        state_count(model), input_count(model), memory.numbers, int(horizon.steps))
    box = at.box
    expand(model, memory, at.states + n * steps, -1, at.gradient, at.hessian)
    for i in range(n):
        numbers[at.value + i] = numbers[at.gradient + i]
    for i in range(n * n):
        numbers[at.curve + i] = numbers[at.hessian + i]
    for k in range(steps - 1, -1, -1):
        x, u = at.states + n * k, at.inputs + m * k
        linearise(model, memory, x, u, at, horizon.interval)
        expand(model, memory, x, u, at.gradient, at.hessian)
        _multiply(n, m, numbers, at)
        _write_box(n, m, numbers, at, weight)
        bounds(model, memory, x, box.low, box.high)
        for i in range(m):
            numbers[box.low + i] -= numbers[u + i]
            numbers[box.high + i] -= numbers[u + i]
        active = least_in_box(m, numbers, box)
        for i in range(m):
            numbers[at.feed + m * k + i] = numbers[box.change + i]
        _write_gains(n, m, numbers, at, k, active)
        _write_value(n, m, numbers, at, k)


@subroutine
def drive(
    model: Numbers, memory: Memory, at: Places, horizon: Horizon, share: float,
) -> float:
    """Drive the model by the gains and a share of the feed-forward; the cost of what is tried.

    It writes the tried states and inputs.
    """
    n, m, numbers, steps = (
        state_count(model), input_count(model), memory.numbers, int(horizon.steps))
    for i in range(n):
        numbers[at.tried_states + i] = numbers[at.states + i]
    total = 0.0
    for k in range(steps):
        x, u = at.tried_states + n * k, at.tried_inputs + m * k
        bounds(model, memory, x, at.box.low, at.box.high)
        for j in range(m):
            value = numbers[at.inputs + m * k + j] + share * numbers[at.feed + m * k + j]
            gains = at.gains + n * (m * k + j)
            for i in range(n):
                value += numbers[gains + i] * (numbers[x + i] - numbers[at.states + n * k + i])
            numbers[u + j] = within(
                value, numbers[at.box.low + j], numbers[at.box.high + j])
        total += cost(model, memory, x, u)
        if not abs(total) < UNUSABLE:
            return math.inf
        advance(model, memory, x, u, x + n, horizon.interval)
    total += cost(model, memory, at.tried_states + n * steps, -1)
    return total if abs(total) < UNUSABLE else math.inf


@pure
def _take(numbers: Flat, at: Places) -> None:
    """Make what was tried the plan."""
    for i in range(at.tried_states - at.states):
        numbers[at.states + i] = numbers[at.tried_states + i]


@pure
def _take_first(n: int, numbers: Flat, at: Places) -> None:
    """Make the first tried state that of the plan, without gains where it is another by far.

    As where a way or an angle begins anew after a turn.
    """
    known = True
    for i in range(n):
        known = known and abs(numbers[at.tried_states + i] - numbers[at.states + i]) < _FAR
        numbers[at.states + i] = numbers[at.tried_states + i]
    if not known:
        for i in range(at.gains, at.slope_x):
            numbers[i] = 0.0


@subroutine
def solve(model: Numbers, memory: Memory, at: Places, horizon: Horizon) -> float:
    """Improve the plan there for the first of the tried states; its cost, infinite if lost.

    First the plan is driven with its gains, which keep a model that is not stable by itself to
    it. One that drives the model away is replaced by one without inputs. It is never made worse:
    what no step improves stays.
    """
    numbers = memory.numbers
    _take_first(state_count(model), numbers, at)
    best = drive(model, memory, at, horizon, 0.0)
    if not best < math.inf:
        # All but the first state: what is no number in a plan would stay in it.
        for i in range(at.states + state_count(model), at.slope_x):
            numbers[i] = 0.0
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
            if gained < _SETTLED * abs(best):
                break
        else:
            weight = max(weight, 1e-6) * _GROWTH
    return best


@pure
def is_known(path: Path, car: CarMotion) -> bool:
    """Whether all that a plan begins with is finite; no plan is made from anything else."""
    total = path.s + path.lateral_error + path.heading_error + car.vx + car.vy + car.yaw_rate
    return abs(total) < UNUSABLE


@subroutine
def shift(numbers: Flat, first: int, rows: int, width: int, way: float) -> None:
    """Take rows of numbers, one for each step, so many steps later; the last ones again there."""
    way = min(way, float(rows))
    whole = int(way)
    part = way - whole
    for k in range(rows):
        before, after = min(k + whole, rows - 1), min(k + whole + 1, rows - 1)
        for i in range(width):
            numbers[first + width * k + i] = (
                (1.0 - part) * numbers[first + width * before + i]
                + part * numbers[first + width * after + i])


@pure
def shift_plan(model: Numbers, numbers: Flat, at: Places, horizon: Horizon, by: float) -> None:
    """Take states, inputs and gains of a plan so much later [s]."""
    n, m, steps, way = (
        state_count(model), input_count(model), int(horizon.steps), by / horizon.interval)
    shift(numbers, at.states, steps + 1, n, way)
    shift(numbers, at.inputs, steps, m, way)
    shift(numbers, at.gains, steps, n * m, way)
