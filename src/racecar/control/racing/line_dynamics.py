# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamic single track along a line, for predictive control: rates, derivatives, cost, bounds.

State n, xi, vx, vy, r, delta, s, q: lateral and heading error of the centre of gravity, velocity,
yaw rate, steering angle, way along the line, wheel slip, positive when driving. Inputs: the rates
p of the slip and w of the steering angle. With curvature k(s) and speed V(s) of the line:

    s' = (vx cos xi - vy sin xi)/(1 - n k)        n' = vx sin xi + vy cos xi     xi' = r - k s'
    vx' = (Xf cos d - Yf sin d + Xr)/m + vy r - (drag vx^2)/m - rolling
    vy' = (Xf sin d + Yf cos d + Yr)/m - vx r     delta' = w     q' = p
    Iz r' = a (Xf sin d + Yf cos d) - b Yr

Forces of the axles: magic formula with combined slip by the similarity method, as the double
track has it, under loads that follow the acceleration which q gives on a straight line. Slips
divide by the larger of travel and rolling speed, of at least v0, below which the midpoint rule
would not be stable. Cost of a step, besides the weights of the inputs:

    Qn n^2 + Qd (vx xi + vy)^2 + Qv (vx - V)^2 + Qs (vy - b r)^2 + Rq q^2 + Rp p^2 + Rw w^2

The second term is how fast the car leaves the line, the fourth how fast its rear axle slides
sideways: without it plans brake by drifting. Steering angle, slip and their rates have
bounds. Sources: Pacejka, Tire and Vehicle Dynamics, chapters 1 and 4; Rajamani, Vehicle Dynamics
and Control, chapters 2 and 4; the path coordinates are those of Micaelli and Samson, INRIA report
2097, 1993.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure, subroutine
from racecar.base.elementary import arctangent_of_positive, sine_cosine
from racecar.base.vectors import Flat
from racecar.control.racelines.line_numbers import course_at
from racecar.control.racing.gauss_newton import (
    bounds,
    cost,
    expand,
    input_count,
    Memory,
    rates,
    slopes,
    state_count,
    within,
)
from racecar.dynamics.vehicles.design import GRAVITY
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set

STATES, INPUTS = 8, 2
SLIP = 7
"""Where the slip is in the state."""

# Rate times interval up to which the midpoint rule is used.
_STABLE = 1.4
NEAR_CENTRE = 0.2
"""Least of 1 - n k."""

# Of squared scaled slip.
_NO_SLIP = 1e-12
# Share of the slip at the peak that is used at most.
_OF_PEAK = 0.95


class Axle(NamedTuple):
    """Tyres of an axle: stiffnesses [N], shape and curvature factors along and across [-].

    load: at rest [N]; per_load: peak over load [-]; transfer: load per acceleration [N/(m/s^2)].
    """

    stiffness_x: float
    stiffness_y: float
    shape_x: float
    shape_y: float
    curvature_x: float
    curvature_y: float
    load: float
    per_load: float
    transfer: float


class Weights(NamedTuple):
    """Weights of the cost, see the top; last: factor of those of the state at the end."""

    lateral: float
    drift: float
    speed: float
    slip: float
    steering_rate: float
    last: float
    slip_rate: float = 0.0
    sideslip: float = 0.0


class DynamicCar(NamedTuple):
    """Single track along a line; slowest: v0; braking, driving: bounds of q; rate: of w.

    interval: in which steering and slip can come to their bounds [s]; slip_rate: bound of p.
    """

    mass: float
    inertia: float
    to_front: float
    to_rear: float
    drag: float
    rolling: float
    slowest: float
    front: Axle
    rear: Axle
    braking: float
    driving: float
    rate: float
    least_angle: float
    most_angle: float
    interval: float
    weights: Weights
    slip_rate: float = 0.0


class Force(NamedTuple):
    """Force of an axle along and across [N], and its derivatives by slip and by tangent."""

    x: float
    y: float
    x_slip: float
    x_tangent: float
    y_slip: float
    y_tangent: float


@pure
def _bent(w: float, curvature: float) -> tuple[float, float]:
    """Value and derivative of w - E (w - atan w)."""
    return (w - curvature * (w - arctangent_of_positive(w)),
            1.0 - curvature + curvature / (1.0 + w * w))


@pure
def curve(axle: Axle, length: float) -> tuple[float, float]:
    """Longitudinal force over stiffness times slip at a scaled slip, and its derivative."""
    z, bend = _bent(length * (1.0 / axle.shape_x), axle.curvature_x)
    sine, cosine = sine_cosine(axle.shape_x * arctangent_of_positive(z))
    shorter = 1.0 / length
    share = sine * shorter
    return share, (cosine * bend / (1.0 + z * z) - share) * shorter


@pure
def straight_acceleration(car: DynamicCar, slip: float) -> tuple[float, float]:
    """Acceleration [m/s^2] that a slip gives along a straight line, and its derivative."""
    total, slope = 0.0, 0.0
    for axle in (car.front, car.rear):
        scale = axle.stiffness_x / (axle.per_load * axle.load)
        length = math.sqrt(scale * slip * scale * slip + _NO_SLIP)
        share, bend = curve(axle, length)
        total += axle.stiffness_x * slip * share
        slope += axle.stiffness_x * (share + slip * bend * scale * scale * slip / length)
    lighter = 1.0 / car.mass
    return total * lighter, slope * lighter


@pure
def axle_force(
    axle: Axle, slip: float, tangent: float, acceleration: float, jerk: float,
) -> Force:
    """Force of an axle; acceleration of the load transfer [m/s^2], jerk: its slope by slip."""
    peak = axle.per_load * max(axle.load + axle.transfer * acceleration, 0.05 * axle.load)
    peak_slip = axle.per_load * axle.transfer * jerk if (
        axle.load + axle.transfer * acceleration > 0.05 * axle.load) else 0.0
    # Divisions take most of the time: one by what varies, those by constants before the loop.
    weaker = 1.0 / peak
    along, across = axle.stiffness_x * slip * weaker, axle.stiffness_y * tangent * weaker
    squared = along * along + across * across
    length = math.sqrt(squared + _NO_SLIP)
    shorter = 1.0 / length
    by_slip = (along * axle.stiffness_x - squared * peak_slip) * weaker * shorter
    by_tangent = across * axle.stiffness_y * weaker * shorter
    share_x, bend_x = curve(axle, length)
    # Across, the curve is one of the slip angle.
    reach = length * peak * (1.0 / axle.stiffness_y)
    angle = arctangent_of_positive(reach)
    w = axle.stiffness_y / axle.shape_y * weaker * angle
    z, bend = _bent(w, axle.curvature_y)
    sine, cosine = sine_cosine(axle.shape_y * arctangent_of_positive(z))
    steep = axle.shape_y * cosine * bend / (1.0 + z * z)
    flat = 1.0 / (1.0 + reach * reach)
    share_y = sine * shorter
    bend_y = (steep * flat / axle.shape_y - share_y) * shorter
    by_peak = steep * (length * flat / axle.shape_y - w) * weaker * shorter
    kx, ky = axle.stiffness_x, axle.stiffness_y
    return Force(
        kx * slip * share_x, -ky * tangent * share_y,
        kx * (share_x + slip * bend_x * by_slip), kx * slip * bend_x * by_tangent,
        -ky * tangent * (bend_y * by_slip + by_peak * peak_slip),
        -ky * (share_y + tangent * bend_y * by_tangent))


@subroutine
def _called_force(
    axle: Axle, slip: float, tangent: float, acceleration: float, jerk: float,
) -> Force:
    """As axle_force(), compiled once: with its derivatives it is long."""
    return axle_force(axle, slip, tangent, acceleration, jerk)


@state_count.register(DynamicCar)
def _state_count(car: DynamicCar) -> int:
    return STATES


@input_count.register(DynamicCar)
def _input_count(car: DynamicCar) -> int:
    return INPUTS


class LineState(NamedTuple):
    """State along the line but the slip, or its rates, see the top [SI]."""

    n: float
    xi: float
    vx: float
    vy: float
    yaw_rate: float
    steering: float
    s: float


class BodyState(NamedTuple):
    """Velocity [m/s], yaw rate [rad/s] and steering angle [rad] of a car."""

    vx: float
    vy: float
    yaw_rate: float
    steering: float


@pure
def body_rates(car: DynamicCar, state: BodyState, slip: float) -> tuple[float, float, float]:
    """Rates of vx, vy and yaw rate under a slip q."""
    vx, vy, r, steering = state
    turn, ahead = sine_cosine(steering)
    spin = 1.0 - max(slip, 0.0)
    side = vy + car.to_front * r
    acceleration, jerk = straight_acceleration(car, slip)
    f = axle_force(car.front, slip, spin * (side * ahead - vx * turn) / max(
        vx * ahead + side * turn, car.slowest), acceleration, jerk)
    b = axle_force(car.rear, slip, spin * (vy - car.to_rear * r) / max(vx, car.slowest),
                   acceleration, jerk)
    across = f.x * turn + f.y * ahead
    lighter = 1.0 / car.mass
    return ((f.x * ahead - f.y * turn + b.x) * lighter + vy * r
            - car.drag * vx * abs(vx) - car.rolling,
            (across + b.y) * lighter - vx * r,
            (car.to_front * across - car.to_rear * b.y) * (1.0 / car.inertia))


@pure
def line_rates(
    car: DynamicCar, state: LineState, curvature: float, slip: float, turning: float,
) -> LineState:
    """Rates of a state; curvature: of the line there [1/m], slip: q, turning: w [rad/s]."""
    vx, vy, r = state.vx, state.vy, state.yaw_rate
    sine, cosine = sine_cosine(state.xi)
    way = (vx * cosine - vy * sine) / max(1.0 - state.n * curvature, NEAR_CENTRE)
    vx_rate, vy_rate, r_rate = body_rates(car, BodyState(vx, vy, r, state.steering), slip)
    return LineState(vx * sine + vy * cosine, r - curvature * way, vx_rate, vy_rate, r_rate,
                     turning, way)


@pure
def sideslip_cost(car: DynamicCar, vy: float, yaw_rate: float) -> float:
    """Cost of the lateral velocity of the rear axle."""
    side = vy - car.to_rear * yaw_rate
    return car.weights.sideslip * side * side


class Expansion(NamedTuple):
    """Where a state and the derivatives of its cost begin; row: from one row to the next."""

    x: int
    gradient: int
    hessian: int
    row: int


@pure
def add_sideslip(car: DynamicCar, numbers: Flat, to: Expansion, factor: float) -> None:
    """Add factor/2 times the derivatives of sideslip_cost() by a state, whose vy is the fourth."""
    weight, back = factor * car.weights.sideslip, car.to_rear
    side = weight * (numbers[to.x + 3] - back * numbers[to.x + 4])
    numbers[to.gradient + 3] += side
    numbers[to.gradient + 4] -= back * side
    place = to.hessian + 3 * to.row + 3
    numbers[place] += weight
    numbers[place + 1] -= back * weight
    numbers[place + to.row] -= back * weight
    numbers[place + to.row + 1] += back * back * weight


@pure
def state_cost(car: DynamicCar, state: LineState, speed: float) -> float:
    """Cost of a state where the line has a speed [m/s], without that of inputs."""
    w = car.weights
    drift, fast = state.vx * state.xi + state.vy, state.vx - speed
    return (w.lateral * state.n * state.n + w.drift * drift * drift
            + w.speed * fast * fast + sideslip_cost(car, state.vy, state.yaw_rate))


@pure
def _state_at(numbers: Flat, x: int) -> LineState:
    return LineState(
        numbers[x], numbers[x + 1], numbers[x + 2], numbers[x + 3], numbers[x + 4],
        numbers[x + 5], numbers[x + 6])


@rates.register(DynamicCar)
def _rates(car: DynamicCar, memory: Memory, x: int, u: int, to: int) -> None:
    numbers = memory.numbers
    state = _state_at(numbers, x)
    found = line_rates(car, state, course_at(numbers, memory.line, state.s).curvature,
                       numbers[x + SLIP], numbers[u + 1])
    for i, rate in enumerate(found):
        numbers[to + i] = rate
    numbers[to + SLIP] = numbers[u]


@slopes.register(DynamicCar)
def _slopes(car: DynamicCar, memory: Memory, x: int, u: int, by_x: int, by_u: int) -> None:
    numbers = memory.numbers
    for i in range(STATES * STATES):
        numbers[by_x + i] = 0.0
    for i in range(STATES * INPUTS):
        numbers[by_u + i] = 0.0
    state = _state_at(numbers, x)
    _write_path_slopes(memory, state, by_x)
    write_body_slopes(
        car, BodyState(state.vx, state.vy, state.yaw_rate, state.steering), numbers[x + SLIP],
        numbers, Slopes(by_x + 2 * STATES + 2, by_x + 2 * STATES + SLIP, STATES))
    numbers[by_u + 5 * INPUTS + 1] = 1.0
    numbers[by_u + SLIP * INPUTS] = 1.0


@pure
def _write_path_slopes(memory: Memory, state: LineState, by_x: int) -> None:
    """Write the derivatives of the rates of n, xi and s by the state."""
    numbers, (n, xi, vx, vy, _, _, s) = memory.numbers, state
    sine, cosine = sine_cosine(xi)
    course = course_at(numbers, memory.line, s)
    curvature, change = course.curvature, course.curvature_slope
    room = 1.0 - n * curvature
    wide = 1.0 if room > NEAR_CENTRE else 0.0
    room = max(room, NEAR_CENTRE)
    leaving = vx * cosine - vy * sine
    way = leaving / room
    way_n, way_xi = wide * way * curvature / room, -(vx * sine + vy * cosine) / room
    way_vx, way_vy, way_s = cosine / room, -sine / room, wide * way * n * change / room
    row = by_x
    numbers[row + 1], numbers[row + 2], numbers[row + 3] = leaving, sine, cosine
    row = by_x + STATES
    numbers[row], numbers[row + 1] = -curvature * way_n, -curvature * way_xi
    numbers[row + 2], numbers[row + 3] = -curvature * way_vx, -curvature * way_vy
    numbers[row + 4], numbers[row + 6] = 1.0, -curvature * way_s - change * way
    row = by_x + 6 * STATES
    numbers[row], numbers[row + 1], numbers[row + 2] = way_n, way_xi, way_vx
    numbers[row + 3], numbers[row + 6] = way_vy, way_s


class Sliding(NamedTuple):
    """Tangent of a slip angle, and its derivatives.

    By vx, by the lateral velocity of the axle, and by the steering angle.
    """

    tangent: float
    vx: float
    side: float
    angle: float


@pure
def _front_sliding(car: DynamicCar, state: BodyState) -> Sliding:
    """Of the front axle, before its wheels spin."""
    turn, ahead = sine_cosine(state.steering)
    side = state.vy + car.to_front * state.yaw_rate
    forward, sideways = state.vx * ahead + side * turn, side * ahead - state.vx * turn
    moves = 1.0 if forward > car.slowest else 0.0
    travel = max(forward, car.slowest)
    tangent = sideways / travel
    return Sliding(
        tangent, (-turn - moves * tangent * ahead) / travel,
        (ahead - moves * tangent * turn) / travel,
        (-forward - moves * tangent * sideways) / travel)


class Slopes(NamedTuple):
    """Where derivatives of the rates of vx, vy and r are to be: by vx, vy, r, delta, and by q.

    row: from one row to the next.
    """

    by_x: int
    by_slip: int
    row: int


@pure
def write_body_slopes(
    car: DynamicCar, state: BodyState, slip: float, numbers: Flat, to: Slopes,
) -> None:
    """Write the derivatives of body_rates() by state and slip."""
    vx, vy, r, _ = state
    a, b, m, inertia = car.to_front, car.to_rear, car.mass, car.inertia
    turn, ahead = sine_cosine(state.steering)
    spin, spin_slip = 1.0 - max(slip, 0.0), -1.0 if slip > 0.0 else 0.0
    front = _front_sliding(car, state)
    rear_travel = max(vx, car.slowest)
    rear = (vy - b * r) / rear_travel
    acceleration, jerk = straight_acceleration(car, slip)
    f = _called_force(car.front, slip, spin * front.tangent, acceleration, jerk)
    h = _called_force(car.rear, slip, spin * rear, acceleration, jerk)
    # Of the front force in the frame of the body, which the wheel's turns in, too.
    fx_t = spin * (f.x_tangent * ahead - f.y_tangent * turn)
    fy_t = spin * (f.x_tangent * turn + f.y_tangent * ahead)
    along = f.x_slip + f.x_tangent * spin_slip * front.tangent
    across = f.y_slip + f.y_tangent * spin_slip * front.tangent
    rear_along = h.x_slip + h.x_tangent * spin_slip * rear
    rear_across = h.y_slip + h.y_tangent * spin_slip * rear
    h_vx = -spin * rear / rear_travel if vx > car.slowest else 0.0
    h_vy = spin / rear_travel
    row = to.by_x
    numbers[row] = (fx_t * front.vx + h.x_tangent * h_vx) / m - 2.0 * car.drag * abs(vx)
    numbers[row + 1] = (fx_t * front.side + h.x_tangent * h_vy) / m + r
    numbers[row + 2] = (fx_t * front.side * a - h.x_tangent * h_vy * b) / m + vy
    numbers[row + 3] = (fx_t * front.angle - f.x * turn - f.y * ahead) / m
    turned = fy_t * front.angle + f.x * ahead - f.y * turn
    row = to.by_x + to.row
    numbers[row] = (fy_t * front.vx + h.y_tangent * h_vx) / m - r
    numbers[row + 1] = (fy_t * front.side + h.y_tangent * h_vy) / m
    numbers[row + 2] = (fy_t * front.side * a - h.y_tangent * h_vy * b) / m - vx
    numbers[row + 3] = turned / m
    row = to.by_x + 2 * to.row
    numbers[row] = (a * fy_t * front.vx - b * h.y_tangent * h_vx) / inertia
    numbers[row + 1] = (a * fy_t * front.side - b * h.y_tangent * h_vy) / inertia
    numbers[row + 2] = (a * a * fy_t * front.side + b * b * h.y_tangent * h_vy) / inertia
    numbers[row + 3] = a * turned / inertia
    pushed = along * turn + across * ahead
    numbers[to.by_slip] = (along * ahead - across * turn + rear_along) / m
    numbers[to.by_slip + to.row] = (pushed + rear_across) / m
    numbers[to.by_slip + 2 * to.row] = (a * pushed - b * rear_across) / inertia


@cost.register(DynamicCar)
def _cost(car: DynamicCar, memory: Memory, x: int, u: int) -> float:
    w, numbers = car.weights, memory.numbers
    state = _state_at(numbers, x)
    slip = numbers[x + SLIP]
    found = state_cost(car, state, course_at(numbers, memory.line, state.s).speed) + (
        w.slip * slip * slip)
    if u < 0:
        return w.last * found
    slip_rate, rate = numbers[u], numbers[u + 1]
    return found + w.slip_rate * slip_rate * slip_rate + w.steering_rate * rate * rate


@expand.register(DynamicCar)
def _expand(
    car: DynamicCar, memory: Memory, x: int, u: int, gradient: int, hessian: int,
) -> None:
    w, numbers = car.weights, memory.numbers
    factor = 2.0 * (w.last if u < 0 else 1.0)
    xi, vx = numbers[x + 1], numbers[x + 2]
    drift = vx * xi + numbers[x + 3]
    course = course_at(numbers, memory.line, numbers[x + 6])
    fast = vx - course.speed
    for i in range(STATES * STATES):
        numbers[hessian + i] = 0.0
    for i in range(STATES + INPUTS):
        numbers[gradient + i] = 0.0
    q, d, v = factor * w.lateral, factor * w.drift, factor * w.speed
    numbers[gradient] = q * numbers[x]
    numbers[gradient + 1] = d * drift * vx
    numbers[gradient + 2] = d * drift * xi + v * fast
    numbers[gradient + 3] = d * drift
    numbers[gradient + 6] = -v * fast * course.speed_slope
    numbers[gradient + SLIP] = factor * w.slip * numbers[x + SLIP]
    numbers[hessian] = q
    row = hessian + STATES
    numbers[row + 1], numbers[row + 2], numbers[row + 3] = d * vx * vx, d * vx * xi, d * vx
    row += STATES
    numbers[row + 1], numbers[row + 2], numbers[row + 3] = d * vx * xi, d * xi * xi + v, d * xi
    numbers[row + 6] = -v * course.speed_slope
    row += STATES
    numbers[row + 1], numbers[row + 2], numbers[row + 3] = d * vx, d * xi, d
    add_sideslip(car, numbers, Expansion(x, gradient, hessian, STATES), factor)
    row += 3 * STATES
    numbers[row + 2] = -v * course.speed_slope
    numbers[row + 6] = v * course.speed_slope * course.speed_slope
    numbers[row + STATES + SLIP] = factor * w.slip
    if u >= 0:
        numbers[gradient + STATES] = 2.0 * w.slip_rate * numbers[u]
        numbers[gradient + STATES + 1] = 2.0 * w.steering_rate * numbers[u + 1]
        numbers[hessian + STATES * STATES] = 2.0 * w.slip_rate
        numbers[hessian + STATES * STATES + 1] = 2.0 * w.steering_rate


@bounds.register(DynamicCar)
def _bounds(car: DynamicCar, memory: Memory, x: int, low: int, high: int) -> None:
    write_bounds(car, memory.numbers, x + 5, x + SLIP, low, high)


@pure
def write_bounds(
    car: DynamicCar, numbers: Flat, steering: int, slip: int, low: int, high: int,
) -> None:
    """Write the bounds of the rates of slip and steering angle; where both are in a state."""
    angle, q = numbers[steering], numbers[slip]
    most = car.slip_rate
    numbers[low] = within((-car.braking - q) / car.interval, -most, most)
    numbers[high] = within((car.driving - q) / car.interval, -most, most)
    numbers[low + 1] = within((car.least_angle - angle) / car.interval, -car.rate, car.rate)
    numbers[high + 1] = within((car.most_angle - angle) / car.interval, -car.rate, car.rate)


def dynamic_car(
    vehicle: VehicleParameters, weights: Weights, interval: float, steering_rate: float,
    slip_rate: float = 0.0,
) -> DynamicCar:
    """Model of a vehicle with Pacejka tyres; interval: of a step [s].

    steering_rate [rad/s], slip_rate [1/s]: the largest ones.
    """
    tyres = make_tyre_set(vehicle, 'pacejka')
    a, b, height = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle, vehicle.cog_height
    transfer = vehicle.mass * height / vehicle.wheelbase
    front, rear = (
        # An axle that is not driven rolls.
        Axle(along.stiffness if share > 0.0 else 0.0, across.stiffness, along.shape, across.shape,
             along.curvature, across.curvature, load, min(along.friction, across.friction),
             sign * transfer)
        for along, across, load, sign, share in (
            (tyres.front_x, tyres.front_y, vehicle.front_axle_load, -1.0,
             vehicle.front_drive_share),
            (tyres.rear_x, tyres.rear_y, vehicle.rear_axle_load, 1.0,
             1.0 - vehicle.front_drive_share)))
    # Rates of sideslip and of yaw, times the speed.
    stiff = max(
        (front.stiffness_y + rear.stiffness_y) / vehicle.mass,
        (a * a * front.stiffness_y + b * b * rear.stiffness_y) / vehicle.yaw_inertia)
    low, high = vehicle.steering_range
    car = DynamicCar(
        vehicle.mass, vehicle.yaw_inertia, a, b, vehicle.drag_factor / vehicle.mass,
        vehicle.rolling_resistance * GRAVITY, stiff * interval / _STABLE, front, rear, 0.0, 0.0,
        float(steering_rate), low, high, float(interval), weights, float(slip_rate))
    most = _OF_PEAK * _slip_of(car, math.inf)
    limit = vehicle.drive_force_limit / vehicle.mass
    slip = min(most, _slip_of(car, limit))
    return car._replace(braking=slip, driving=slip)


def _slip_of(car: DynamicCar, acceleration: float) -> float:
    """Slip that gives an acceleration [m/s^2] along a straight line, at most that of the peak."""
    slips = np.linspace(0.0, 1.0, 1001)
    found = np.array([straight_acceleration(car, float(slip))[0] for slip in slips])
    peak = int(np.argmax(found))
    return float(np.interp(acceleration, found[:peak + 1], slips[:peak + 1]))
