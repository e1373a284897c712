# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixed-step explicit Runge-Kutta methods for equations of motion on NamedTuples.

A method is written once, in stages: one car does them in registers, and cars side by side one
stage of all cars after the other. A step counts x, y and yaw from the pose at its start and turns
the way it went by the yaw there, as nothing depends on where a vehicle is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast, Generic, NamedTuple, TypeAlias, TypeVar

from racecar.base.compiled import importable, pure
from racecar.base.errors import ParameterError
from racecar.base.rows import at_origin, moved, Numbers, plus, zeros_like

S = TypeVar('S', bound=Numbers)
H = TypeVar('H', bound=Numbers)

Rates: TypeAlias = Callable[[S, H], S]
"""Pure function of state and what is held that gives the time derivative of the state."""


class Integrator(NamedTuple):
    """A method: its order, how far it is stable on the negative real axis, and its stages.

    stability_limit: the step [s] times the modulus of a real, negative eigenvalue [1/s] must stay
    below it. Pure functions: begin(start) gives a NamedTuple of states, of which `point` is where
    the rates are asked first; stage(rates, start, work, held, dt, k) gives the next one for the
    stages k = 0 ... stages - 1; end(start, work, dt) the state at the end of the step.
    """

    name: str
    order: int
    stability_limit: float
    stages: int
    begin: Callable[..., Numbers]
    stage: Callable[..., Numbers]
    end: Callable[..., Numbers]


class Slopes(NamedTuple, Generic[S]):
    """Where the rates are asked next, and the weighted sum of those so far."""

    point: S
    total: S


@pure
def _begin(start: S) -> Slopes[S]:
    return Slopes(start, zeros_like(start))


@pure
def _euler_stage(
    rates: Rates[S, H], start: S, work: Slopes[S], held: H, dt: float, k: int,
) -> Slopes[S]:
    return Slopes(work.point, rates(work.point, held))


@pure
def _euler_end(start: S, work: Slopes[S], dt: float) -> S:
    return plus(start, dt, work.total)


@pure
def _rk4_stage(
    rates: Rates[S, H], start: S, work: Slopes[S], held: H, dt: float, k: int,
) -> Slopes[S]:
    slope = rates(work.point, held)
    return Slopes(plus(start, dt if k == 2 else 0.5 * dt, slope),
                  plus(work.total, 1.0 if k == 0 or k == 3 else 2.0, slope))


@pure
def _rk4_end(start: S, work: Slopes[S], dt: float) -> S:
    return plus(start, dt / 6.0, work.total)


# Dormand and Prince 1980, J. Comp. Appl. Math. 6, table 2: RK5(4)7M, the order-5 solution.
_A2 = (1.0 / 5.0,)
_A3 = (3.0 / 40.0, 9.0 / 40.0)
_A4 = (44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0)
_A5 = (19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0)
_A6 = (9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0)
_B = (35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0)


class SixSlopes(NamedTuple, Generic[S]):
    """Where the rates are asked next, those of the stages so far, and their weighted sum."""

    point: S
    k1: S
    k2: S
    k3: S
    k4: S
    total: S


@pure
def _dopri5_begin(start: S) -> SixSlopes[S]:
    none = zeros_like(start)
    return SixSlopes(start, none, none, none, none, none)


@pure
def _dopri5_stage(
    rates: Rates[S, H], start: S, work: SixSlopes[S], held: H, dt: float, k: int,
) -> SixSlopes[S]:
    slope, none = rates(work.point, held), zeros_like(start)
    k1, k2, k3, k4 = work.k1, work.k2, work.k3, work.k4
    total = plus(work.total, _B[k], slope)
    way = none
    if k == 0:
        k1 = slope
        way = plus(none, _A2[0], slope)
    elif k == 1:
        k2 = slope
        way = plus(plus(none, _A3[0], k1), _A3[1], slope)
    elif k == 2:
        k3 = slope
        way = plus(plus(plus(none, _A4[0], k1), _A4[1], k2), _A4[2], slope)
    elif k == 3:
        k4 = slope
        way = plus(plus(plus(plus(none, _A5[0], k1), _A5[1], k2), _A5[2], k3), _A5[3], slope)
    elif k == 4:
        way = plus(plus(plus(plus(plus(
            none, _A6[0], k1), _A6[1], k2), _A6[2], k3), _A6[3], k4), _A6[4], slope)
    return SixSlopes(plus(start, dt, way), k1, k2, k3, k4, total)


@pure
def _dopri5_end(start: S, work: SixSlopes[S], dt: float) -> S:
    return plus(start, dt, work.total)


INTEGRATORS: dict[str, Integrator] = {
    row.name: row
    for row in (
        Integrator('euler', 1, 2.0, 1, _begin, _euler_stage, _euler_end),
        Integrator('rk4', 4, 2.785293563405282, 4, _begin, _rk4_stage, _rk4_end),
        Integrator('dopri5', 5, 3.306567892634947, 6, _dopri5_begin, _dopri5_stage, _dopri5_end),
    )
}

DEFAULT_INTEGRATOR = 'rk4'


def find_integrator(name: str) -> Integrator:
    """Method of a name. Raises ParameterError if there is none."""
    try:
        return INTEGRATORS[name]
    except KeyError:
        raise ParameterError(
            f"parameter 'integrator' is {name!r}, expected one of {', '.join(INTEGRATORS)}"
        ) from None


def step_function(
    rates: Callable[..., S], integrator: str,
) -> Callable[[S, Numbers, float], S]:
    """Pure function step(state, held, dt [s]) that gives the state after a step.

    Raises ParameterError if the method is unknown.
    """
    method = find_integrator(integrator)
    stages, begin, stage = method.stages, method.begin, method.stage
    end = cast(Callable[..., S], method.end)

    @importable
    def step(state: S, held: Numbers, dt: float) -> S:
        start = at_origin(state)
        work = begin(start)
        for k in range(stages):
            work = stage(rates, start, work, held, dt, k)
        return moved(state, end(start, work, dt))

    return step
