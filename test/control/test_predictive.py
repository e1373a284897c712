# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Predictive controllers: derivatives, the solver against others, and where they drive."""

import functools
import itertools
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from racecar.base.errors import ConfigurationError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import CarMotion
from racecar.base.vectors import vector
from racecar.catalogue import TABLES
from racecar.control.custom_controller import find_controller
from racecar.control.progress import LineReference, look, sight_of
from racecar.control.racelines.line_numbers import course_at, line_at, line_numbers, nearest_way
from racecar.control.racelines.raceline import Raceline
from racecar.control.racing.contouring_mpc import ContouringCar, ContouringPredictive
from racecar.control.racing.dynamic_mpc import commanded_speed, DynamicPredictive, slip_at
from racecar.control.racing.gauss_newton import (
    advance,
    box_places,
    cost,
    expand,
    Horizon,
    input_count,
    is_free,
    least_in_box,
    linearise,
    Memory,
    places,
    plan_size,
    rates,
    shift,
    slopes,
    solve,
    state_count,
)
from racecar.control.racing.kinematic_mpc import KinematicPredictive
from racecar.control.racing.line_dynamics import (
    axle_force,
    line_rates,
    LineState,
    straight_acceleration,
)
from racecar.control.racing.line_steps import (
    acceleration_at,
    acceleration_table,
    Held,
    state_after,
)
from racecar.control.racing.lqr import regulator
from racecar.control.racing.path_integral import LANES, PathIntegral
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories.race_line import RaceLine
from racecar.dynamics.tyres.combined_slip import combined_forces_of
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.tyres.pacejka import lateral_force, longitudinal_force
from racecar.dynamics.vehicles.grip_map import GripMap
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.make_simulator import make_simulator

VALUES = load_parameter_file(find_config('vehicles/f1tenth'), 'any_node')
CAR = VehicleParameters.from_values(VALUES)
LINE = RaceLine('racetrack_f1tenth_curvature', 0.9)
COURSE = [float(value) for value in LINE.numbers]
CONTOURING = ContouringPredictive(CAR).parameters
MODELS: dict[str, Any] = {
    'dynamic': DynamicPredictive(CAR, sideslip_weight=1.0).parameters.car,
    'kinematic': KinematicPredictive(CAR).parameters.car,
    'contouring': ContouringCar(CONTOURING.plan.car, *CONTOURING[1:]),
}
# Where the steering angle and the way along the line are in the state.
PLACES = {'dynamic': (5, 6), 'kinematic': (3, 4), 'contouring': (5, 6)}


class Desk:
    """A line and room for a plan, in one flat array."""

    def __init__(self, model, steps=1, course=COURSE):
        self.model, self.n, self.m = model, state_count(model), input_count(model)
        first = len(course)
        self.at = places(self.n, self.m, steps, first)
        self.numbers = [*course, *[0.0] * plan_size(self.n, self.m, steps)]
        self.memory = Memory(self.numbers, 0, self.at.work)
        self.horizon = Horizon(float(steps), 0.025, 20.0)

    def put(self, x, u):
        self.numbers[self.at.states:self.at.states + self.n] = map(float, x)
        self.numbers[self.at.inputs:self.at.inputs + self.m] = map(float, u)

    def rates(self, x, u):
        self.put(x, u)
        rates(self.model, self.memory, self.at.states, self.at.inputs, self.at.gains)
        return self.part(self.at.gains, self.n)

    def after(self, x, u):
        self.put(x, u)
        at = self.at
        advance(self.model, self.memory, at.states, at.inputs, at.tried_states, 0.025)
        return self.part(at.tried_states, self.n)

    def cost(self, x, u, last=False):
        self.put(x, u)
        return cost(self.model, self.memory, self.at.states, -1 if last else self.at.inputs)

    def part(self, at, *shape):
        return np.array(self.numbers[at:at + math.prod(shape)]).reshape(shape)


def differences(function, at):
    steps = 1e-6 * np.eye(len(at))
    return np.stack([(function(at + h) - function(at - h)) / 2e-6 for h in steps], axis=-1)


def drawn(kind, seed):
    draw = np.random.default_rng(seed)
    s, speed = draw.uniform(0.0, 80.0), draw.uniform(0.3, 10.0)
    # In the middle of a cell of the line, whose curvature has corners at its rows.
    s = (math.floor(s / COURSE[1]) + draw.uniform(0.1, 0.9)) * COURSE[1]
    error = draw.normal(0.0, [0.3, 0.3])
    if kind == 'kinematic':
        return (np.array([*error, speed, draw.normal(0.0, 0.2), s]),
                np.array([draw.normal(0.0, 5.0), draw.normal(0.0, 2.0)]))
    rest = [speed, draw.normal(0.0, 0.8), draw.normal(0.0, 2.0), draw.normal(0.0, 0.2), s]
    slip, inputs = draw.normal(0.0, 0.15), [draw.normal(0.0, 3.0), draw.normal(0.0, 2.0)]
    if kind == 'contouring':
        point = line_at(COURSE, 0, s)
        # Some of them beyond the borders.
        x, y = point.x + 3.0 * error[0], point.y + 3.0 * error[1]
        return (np.array([x, y, *rest, point.heading + draw.normal(0.0, 0.3), slip]),
                np.array([*inputs, speed]))
    return np.array([*error, *rest, slip]), np.array(inputs)


@pytest.mark.parametrize('kind', MODELS)
@pytest.mark.parametrize('seed', range(12))
def test_derivatives_are_those_of_differences(kind, seed):
    desk, (x, u) = Desk(MODELS[kind]), drawn(kind, seed)
    n, m, at, way = desk.n, desk.m, desk.at, PLACES[kind][1]
    desk.put(x, u)
    slopes(desk.model, desk.memory, at.states, at.inputs, at.slope_x, at.slope_u)
    close = functools.partial(pytest.approx, rel=1e-6, abs=2e-6)
    by_x, by_u = desk.part(at.slope_x, n, n), desk.part(at.slope_u, n, m)
    assert by_x == close(differences(lambda v: desk.rates(v, u), x))
    assert by_u == close(differences(lambda v: desk.rates(x, v), u))
    desk.put(x, u)
    linearise(desk.model, desk.memory, at.states, at.inputs, at, 0.025)
    a, b = desk.part(at.a, n, n), desk.part(at.b, n, m)
    # A step may end in another cell of the line.
    if math.floor(desk.after(x, u)[way] / COURSE[1]) == math.floor(x[way] / COURSE[1]):
        assert a == close(differences(lambda v: desk.after(v, u), x))
        assert b == close(differences(lambda v: desk.after(x, v), u))
    for last in (False, True):
        desk.put(x, u)
        expand(desk.model, desk.memory, at.states, -1 if last else at.inputs, at.gradient,
               at.hessian)
        gradient = desk.part(at.gradient, n + m)
        hessian = desk.part(at.hessian, n, n)
        assert gradient[:n] == close(differences(
            lambda v, last=last: desk.cost(v, u, last), x))
        assert gradient[n:] == close(
            np.zeros(m) if last else differences(lambda v: desk.cost(x, v), u))
        assert np.array_equal(hessian, hessian.T)
        assert np.linalg.eigvalsh(hessian).min() > -1e-9 * np.abs(hessian).max()


@given(st.floats(-0.5, 0.5), st.floats(-0.6, 0.6), st.floats(-9.0, 9.0))
def test_axles_have_the_forces_of_combined_slip(slip, tangent, acceleration):
    axle = MODELS['dynamic'].front
    load = axle.load + axle.transfer * acceleration
    forces = combined_forces_of(lateral_force, longitudinal_force)
    tyres = TyrePair(
        stiffness_x=axle.stiffness_x, stiffness_y=axle.stiffness_y, friction_x=axle.per_load,
        friction_y=axle.per_load, load=load, by_load=0.0, shape_x=axle.shape_x,
        shape_y=axle.shape_y, curvature_x=axle.curvature_x, curvature_y=axle.curvature_y)
    along, across = forces(-slip, tangent, load, tyres, 1.0)
    found = axle_force(axle, slip, tangent, acceleration, 0.0)
    assert (found.x, found.y) == pytest.approx((along, across), rel=1e-6, abs=1e-5)


def test_steady_cornering_is_that_of_the_grip_map():
    car, speed, lateral = MODELS['dynamic'], 6.0, 6.0
    grip = GripMap.of(CAR)
    turning, steering = lateral / speed, float(grip.steer(speed, lateral))
    # The lateral velocity at which the rear axle carries its share.
    low, high = -1.0, 1.0
    for _ in range(60):
        vy = 0.5 * (low + high)
        rear = axle_force(car.rear, 0.0, (vy - car.to_rear * turning) / speed, 0.0, 0.0)
        wanted = CAR.mass * lateral * CAR.cog_to_front_axle / CAR.wheelbase
        low, high = (low, vy) if rear.y < wanted else (vy, high)
    found = line_rates(
        car, LineState(0.0, 0.0, speed, vy, turning, steering, 0.0), turning / speed, 0.0, 0.0)
    assert (found.vy, found.yaw_rate) == pytest.approx((0.0, 0.0), abs=5e-3)
    # A tenth less steering misses it by far.
    other = line_rates(car, LineState(0.0, 0.0, speed, vy, turning, 0.9 * steering, 0.0),
                       turning / speed, 0.0, 0.0)
    assert abs(other.yaw_rate) > 0.5


def test_most_slip_gives_the_limit_of_the_drive():
    car = MODELS['dynamic']
    limit = CAR.drive_force_limit / CAR.mass
    assert straight_acceleration(car, car.driving)[0] == pytest.approx(limit, abs=1e-3)


@settings(max_examples=200)
@given(st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_the_least_in_a_box_is_that_of_a_grid(m, seed):
    draw = np.random.default_rng(seed)
    root = draw.normal(size=(m, m))
    bend, slope = root @ root.T + 0.1 * np.eye(m), draw.normal(0.0, 3.0, m)
    low, high = draw.uniform(-2.0, 0.0, m), draw.uniform(0.0, 2.0, m)
    box = box_places(m, 0)
    numbers = vector([0.0] * box.end)
    for at, values in ((box.low, low), (box.high, high), (box.slope, slope),
                       (box.bend, bend.ravel())):
        numbers[at:at + len(values)] = values
    active = least_in_box(m, numbers, box)
    best = np.array(numbers[box.change:box.change + m])
    assert (low <= best).all()
    assert (best <= high).all()
    grid = np.stack(np.meshgrid(*(
        np.linspace(a, b, 21) for a, b in zip(low, high, strict=True)))).reshape(m, -1)
    values = slope @ grid + 0.5 * np.einsum('ik,ij,jk->k', grid, bend, grid)
    assert slope @ best + 0.5 * best @ bend @ best <= values.min() + 1e-9
    # What is free has no slope there, at a bound it points out of the box.
    found = slope + bend @ best
    for i in range(m):
        if is_free(active, i):
            assert found[i] == pytest.approx(0.0, abs=1e-6)
        else:
            assert best[i] == (low if active // 3**i % 3 == 1 else high)[i]
            assert found[i] * (1.0 if best[i] == low[i] else -1.0) >= -1e-9


def start(desk, x):
    inputs = desk.m * int(desk.horizon.steps)
    desk.numbers[desk.at.inputs:desk.at.inputs + inputs] = [0.0] * inputs
    desk.numbers[desk.at.tried_states:desk.at.tried_states + desk.n] = map(float, x)


def test_near_a_straight_line_the_plan_is_the_linear_regulator():
    points = np.column_stack([np.linspace(0.0, 60.0, 601), np.zeros(601)])
    back = np.column_stack([np.linspace(60.0, 0.0, 601), np.full(601, 20.0)])
    angles = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 100)
    turn = np.column_stack([60.0 + 10.0 * np.cos(angles), 10.0 + 10.0 * np.sin(angles)])
    other = np.column_stack([-10.0 * np.cos(angles), 10.0 - 10.0 * np.sin(angles)])
    loop = np.concatenate([points, turn[1:-1], back, other[1:-1], points[:1]])
    line = Raceline.through(loop, np.full(len(loop) - 1, 5.0), 0.1)
    model = KinematicPredictive(CAR, last_weight=1.0).parameters.car
    steps = 160
    desk = Desk(model, steps, [float(value) for value in line_numbers(line)])
    start(desk, [0.01, 0.0, 5.0, 0.0, 20.0])
    solve(model, desk.memory, desk.at, desk.horizon)
    h, w = 0.025, model.weights
    # Errors, heading and steering angle over a step of the midpoint rule, by hand.
    rate = np.array([[0.0, 5.0, 0.0], [0.0, 0.0, 5.0 / CAR.wheelbase], [0.0, 0.0, 0.0]])
    push = np.array([0.0, 0.0, 1.0])
    a = np.eye(3) + h * rate @ (np.eye(3) + 0.5 * h * rate)
    b = h * (np.eye(3) + 0.5 * h * rate) @ push
    gains = regulator(a, b, np.diag([w.lateral, 25.0 * w.drift, 0.0]), w.steering_rate)
    assert desk.numbers[desk.at.inputs + 1] == pytest.approx(-gains[0] * 0.01, rel=1e-2)
    # Off the line the way along it is a little longer.
    assert desk.numbers[desk.at.inputs] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize('kind', MODELS)
def test_a_plan_never_gets_worse_and_keeps_its_bounds(kind):
    model = MODELS[kind]
    desk = Desk(model, 30)
    x, _ = drawn(kind, 3)
    start(desk, x)
    costs = []
    for _ in range(12):
        desk.horizon = desk.horizon._replace(iterations=1.0)
        costs.append(solve(model, desk.memory, desk.at, desk.horizon))
    assert all(after <= before for before, after in itertools.pairwise(costs))
    assert costs[-1] < 0.9 * abs(costs[0])
    inputs = desk.part(desk.at.inputs, 30, desk.m)
    states = desk.part(desk.at.states, 31, desk.n)
    limits = getattr(model, 'car', model)
    assert np.abs(inputs[:, 1]).max() <= limits.rate
    assert np.abs(states[:, PLACES[kind][0]]).max() <= limits.most_angle + 1e-12


@pytest.mark.parametrize('x', [
    [0.0, 2.0, 8.0, -7.0, 30.0, 0.4, 1.0, 0.1],
    [3.0, -2.5, 0.0, 0.0, 0.0, -0.4, 5.0, -0.3]])
def test_a_lost_or_spinning_car_breaks_nothing(x):
    model = MODELS['dynamic']
    desk = Desk(model, 30)
    start(desk, x)
    desk.numbers[desk.at.inputs] = 1e9
    found = solve(model, desk.memory, desk.at, desk.horizon)
    assert found > 0.0
    assert np.isfinite(desk.part(desk.at.inputs, 30, 2)).all()


def test_a_plan_that_holds_no_numbers_begins_anew():
    model = MODELS['dynamic']
    x = [0.05, 0.0, 5.0, 0.0, 0.0, 0.0, 10.0, 0.0]
    fresh, spoilt = Desk(model, 30), Desk(model, 30)
    start(fresh, x)
    start(spoilt, x)
    plan = slice(spoilt.at.states, spoilt.at.tried_states)
    for part in (plan, slice(spoilt.at.feed, spoilt.at.slope_x)):
        spoilt.numbers[part] = [math.nan] * (part.stop - part.start)
    expected = solve(model, fresh.memory, fresh.at, fresh.horizon)
    assert solve(model, spoilt.memory, spoilt.at, spoilt.horizon) == expected
    assert spoilt.numbers[plan] == fresh.numbers[plan]


def test_a_plan_begins_with_its_gains_but_where_a_state_begins_anew():
    model, line = MODELS['dynamic'], LINE.line
    point = line_at(COURSE, 0, 60.0)
    x = np.array([0.0, 0.0, point.speed, 0.0, point.speed * point.curvature, 0.0, 60.0, 0.0])
    desk = Desk(model, 40)
    start(desk, x)
    desk.horizon = desk.horizon._replace(iterations=30.0)
    solve(model, desk.memory, desk.at, desk.horizon)
    plan, gains = list(desk.numbers), slice(desk.at.gains, desk.at.slope_x)

    def first_cost(x, *, with_gains=True):
        desk.numbers[:] = plan
        if not with_gains:
            desk.numbers[gains] = [0.0] * (gains.stop - gains.start)
        desk.numbers[desk.at.tried_states:desk.at.tried_states + desk.n] = map(float, x)
        return solve(model, desk.memory, desk.at, desk.horizon._replace(iterations=0.0))

    assert first_cost(x) == pytest.approx(first_cost(x, with_gains=False), rel=1e-6)
    pushed = x + [0.0, 0.02, 0.0, 0.2, 0.3, 0.0, 0.0, 0.0]
    assert first_cost(pushed) < 0.5 * first_cost(pushed, with_gains=False)
    # The way is counted from the start of the line again.
    later = pushed - [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, line.length, 0.0]
    assert first_cost(later) == pytest.approx(first_cost(pushed, with_gains=False), rel=1e-6)


def test_a_plan_is_taken_later():
    numbers = vector([float(k) for k in range(8)])
    shift(numbers, 0, 4, 2, 0.5)
    assert list(numbers) == pytest.approx([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0, 7.0])
    shift(numbers, 0, 4, 2, 450.0)
    assert list(numbers) == pytest.approx([6.0, 7.0] * 4)


@pytest.mark.parametrize('seed', [0, 1, 2])
def test_casadi_finds_the_same_optimum(seed):
    ca = pytest.importorskip('casadi')
    model = MODELS['kinematic']
    steps, w = 20, MODELS['kinematic'].weights
    draw = np.random.default_rng(seed)
    x0 = np.array([*draw.normal(0.0, [0.1, 0.1]), draw.uniform(2.0, 5.0), 0.0,
                   draw.uniform(0.0, 80.0)])
    desk = Desk(model, steps)
    start(desk, x0)
    found = solve(model, desk.memory, desk.at, desk.horizon._replace(iterations=60.0))
    rows, step = int(COURSE[0]), COURSE[1]
    grid = np.arange(rows + 400) * step
    table = [course_at(COURSE, 0, float(s)) for s in grid]
    curvature, speed = (
        ca.interpolant(name, 'linear', [grid], [getattr(row, name) for row in table])
        for name in ('curvature', 'speed'))

    def change(x, u):
        way = x[2] * ca.cos(x[1]) / (1.0 - x[0] * curvature(x[4]))
        return ca.vertcat(
            x[2] * ca.sin(x[1]),
            x[2] * ca.tan(x[3]) / CAR.wheelbase - curvature(x[4]) * way, u[0], u[1], way)

    def price(x):
        return (w.lateral * x[0]**2 + w.drift * (x[2] * x[1])**2
                + w.speed * (x[2] - speed(x[4]))**2)

    problem = ca.Opti()
    u = problem.variable(2, steps)
    x, total = ca.DM(x0), 0.0
    for k in range(steps):
        total += price(x) + w.acceleration * u[0, k]**2 + w.steering_rate * u[1, k]**2
        x = x + 0.025 * change(x + 0.0125 * change(x, u[:, k]), u[:, k])
        problem.subject_to(problem.bounded(model.least_angle, x[3], model.most_angle))
    problem.subject_to(problem.bounded(-model.most, ca.vec(u[0, :]), model.most))
    problem.subject_to(problem.bounded(-model.rate, ca.vec(u[1, :]), model.rate))
    problem.minimize(total + w.last * price(x))
    problem.solver('ipopt', {'print_time': False}, {'print_level': 0, 'tol': 1e-8})
    answer = problem.solve()
    assert found == pytest.approx(float(answer.value(total + w.last * price(x))), rel=2e-3)
    first = desk.part(desk.at.inputs, steps, 2)[0]
    assert first == pytest.approx(answer.value(u)[:, 0], abs=0.05)


def _pacejka(ca, axle, slip, tangent, load):
    """Force of an axle by the similarity method, written anew."""
    along, across = (axle.stiffness_x * slip / (axle.per_load * load),
                     axle.stiffness_y * tangent / (axle.per_load * load))
    length = ca.sqrt(along**2 + across**2 + 1e-12)

    def magic(w, shape, curvature):
        return ca.sin(shape * ca.atan(w - curvature * (w - ca.atan(w))))

    pull = magic(length / axle.shape_x, axle.shape_x, axle.curvature_x)
    angle = ca.atan(length * axle.per_load * load / axle.stiffness_y)
    push = magic(axle.stiffness_y / (axle.shape_y * axle.per_load * load) * angle,
                 axle.shape_y, axle.curvature_y)
    return (axle.per_load * load * pull * along / length,
            -axle.per_load * load * push * across / length)


@pytest.mark.parametrize('seed', [0, 1])
def test_casadi_finds_the_same_contouring_plan(seed):
    ca = pytest.importorskip('casadi')
    model, steps, h = MODELS['contouring'], 10, 0.025
    car, w, of_inputs = model.car, model.weights, model.car.weights
    draw = np.random.default_rng(seed)
    s = draw.uniform(0.0, 80.0)
    point = line_at(COURSE, 0, s)
    x0 = np.array([
        point.x + draw.normal(0.0, 0.05), point.y + draw.normal(0.0, 0.05), 0.9 * point.speed,
        0.0, point.speed * point.curvature, CAR.wheelbase * point.curvature, s, point.heading,
        0.0])
    desk = Desk(model, steps)
    start(desk, x0)
    desk.numbers[desk.at.inputs + 2:desk.at.tried_states:3] = [point.speed] * steps
    found = solve(model, desk.memory, desk.at, desk.horizon._replace(iterations=100.0))
    grid = s + np.arange(-100, 1000) * 0.01
    table = [line_at(COURSE, 0, float(way)) for way in grid]
    line = {name: ca.interpolant(name, 'linear', [grid], [
        getattr(row, name) for row in table]) for name in ('x', 'y', 'speed')}
    heading = ca.interpolant('heading', 'linear', [grid], np.unwrap(
        [row.heading for row in table]).tolist())

    def change(x, u):
        _, _, vx, vy, r, delta, _, psi, q = ca.vertsplit(x)
        spin = 1.0 - ca.fmax(q, 0.0)

        def straight(axle):
            return _pacejka(ca, axle, q, 0.0, axle.load)[0]

        push = (straight(car.front) + straight(car.rear)) / car.mass
        side = vy + car.to_front * r
        loads = [axle.load + axle.transfer * push for axle in (car.front, car.rear)]
        fx, fy = _pacejka(ca, car.front, q, spin * (side * ca.cos(delta) - vx * ca.sin(delta))
                          / (vx * ca.cos(delta) + side * ca.sin(delta)), loads[0])
        bx, by = _pacejka(ca, car.rear, q, spin * (vy - car.to_rear * r) / vx, loads[1])
        across = fx * ca.sin(delta) + fy * ca.cos(delta)
        return ca.vertcat(
            vx * ca.cos(psi) - vy * ca.sin(psi), vx * ca.sin(psi) + vy * ca.cos(psi),
            (fx * ca.cos(delta) - fy * ca.sin(delta) + bx) / car.mass + vy * r
            - car.drag * vx**2 - car.rolling,
            (across + by) / car.mass - vx * r,
            (car.to_front * across - car.to_rear * by) / car.inertia, u[1], u[2], r, u[0])

    def price(x):
        dx, dy = x[0] - line['x'](x[6]), x[1] - line['y'](x[6])
        sine, cosine = ca.sin(heading(x[6])), ca.cos(heading(x[6]))
        return (w.contouring * (cosine * dy - sine * dx)**2
                + w.lag * (cosine * dx + sine * dy)**2 + of_inputs.slip * x[8]**2
                + of_inputs.sideslip * (x[3] - car.to_rear * x[4])**2)

    problem = ca.Opti()
    u = problem.variable(3, steps)
    x, total = ca.DM(x0), 0.0
    for k in range(steps):
        total += (price(x) - w.progress * u[2, k] + of_inputs.slip_rate * u[0, k]**2
                  + of_inputs.steering_rate * u[1, k]**2)
        problem.subject_to(problem.bounded(0.0, u[2, k], line['speed'](x[6])))
        x = x + h * change(x + 0.5 * h * change(x, u[:, k]), u[:, k])
        problem.subject_to(problem.bounded(car.least_angle, x[5], car.most_angle))
        problem.subject_to(problem.bounded(-car.braking, x[8], car.driving))
    problem.subject_to(problem.bounded(-car.slip_rate, ca.vec(u[0, :]), car.slip_rate))
    problem.subject_to(problem.bounded(-car.rate, ca.vec(u[1, :]), car.rate))
    problem.minimize(total + of_inputs.last * price(x))
    problem.set_initial(u[2, :], point.speed)
    problem.solver('ipopt', {'print_time': False}, {'print_level': 0, 'tol': 1e-7,
                                                    'max_iter': 300})
    answer = problem.solve()
    least = float(answer.value(total + of_inputs.last * price(x)))
    assert found == pytest.approx(least, rel=5e-3, abs=1e-2)
    assert desk.part(desk.at.inputs, steps, 3)[0] == pytest.approx(
        answer.value(u)[:, 0], abs=0.1)


def tracker(share, **more):
    return TrajectoryTracker(TABLES['trajectory_tracker'].resolve(
        {**VALUES, 'trajectory': 'raceline', 'raceline_file': 'racetrack_f1tenth_curvature',
         'raceline_speed': share, **more}))


LATE: dict[str, Any] = {'actuators.steering_delay': 0.05, 'actuators.speed_lag': 0.1}
KNOWN = {'delay': 0.05, 'command_lag': 0.1}


@pytest.mark.parametrize(('name', 'share', 'rms', 'most', 'settings', 'actuators'), [
    ('nmpc', 0.9, 0.025, 0.06, {}, {}), ('mpcc', 0.9, 0.02, 0.1, {}, {}),
    ('nmpc', 0.9, 0.025, 0.1, KNOWN, LATE), ('mpcc', 0.9, 0.025, 0.12, KNOWN, LATE),
    ('kinematic_nmpc', 0.6, 0.08, 0.2, {}, {}),
    ('mppi', 0.8, 0.04, 0.15, {'rate': 50.0}, {})])
def test_a_double_track_is_kept_to_the_line(name, share, rms, most, settings, actuators):
    controller: Any = find_controller(name).make(CAR, {**settings, 'slip_feed_forward': 1.0})
    car = make_simulator(TABLES['single_track_simulator'].resolve(
        {**VALUES, 'tyre_model': 'pacejka', 'vehicle_model': 'double_track', **actuators}))
    table = run_loop(CustomLoop(controller, tracker(share), car), 20.0)
    line = RaceLine('racetrack_f1tenth_curvature', share)
    begin, ahead, last, errors = line.line.points[0], controller.point_ahead, -1.0, []
    xs, ys, yaws = (table.column(name) for name in ('x', 'y', 'yaw'))
    # One that stands on the line errs by nothing.
    assert np.hypot(np.diff(xs), np.diff(ys)).sum() > 120.0 * share
    for x, y, yaw in zip(xs, ys, yaws, strict=True):
        place = (x + ahead * math.cos(yaw) + begin[0], y + ahead * math.sin(yaw) + begin[1])
        last = nearest_way(line.numbers, 0, *place, last)
        point = line_at(line.numbers, 0, last)
        errors.append(math.hypot(place[0] - point.x, place[1] - point.y))
    settled = np.array(errors[200:])
    assert np.sqrt(np.mean(settled**2)) < rms
    assert settled.max() < most
    assert table.column('vx').max() > 9.5 * share


@pytest.mark.parametrize(('beside', 'yaw'), [(0.5, 0.3), (0.5, 0.0), (-0.5, -0.3), (-0.3, 0.3)])
def test_a_car_that_stands_beside_its_line_drives_off_and_comes_to_it(beside, yaw):
    controller: Any = find_controller('mpcc').make(CAR, {'slip_feed_forward': 1.0})
    line = RaceLine('racetrack_f1tenth_curvature', 0.7)
    begin = line_at(line.numbers, 0, 0.0)
    car = make_simulator(TABLES['single_track_simulator'].resolve({
        **VALUES, 'tyre_model': 'pacejka', 'vehicle_model': 'double_track',
        'initial_x': float(begin.x) - beside * math.sin(begin.heading),
        'initial_y': float(begin.y) + beside * math.cos(begin.heading),
        'initial_yaw': float(begin.heading) + yaw}))
    table = run_loop(CustomLoop(controller, tracker(0.7, reference_origin='map'), car), 6.0)
    xs, ys, yaws = (table.column(name) for name in ('x', 'y', 'yaw'))
    assert np.hypot(np.diff(xs), np.diff(ys)).sum() > 15.0
    x, y = (values[-1] + controller.point_ahead * turned(yaws[-1])
            for values, turned in ((xs, math.cos), (ys, math.sin)))
    point = line_at(line.numbers, 0, nearest_way(line.numbers, 0, x, y, -1.0))
    assert math.hypot(x - point.x, y - point.y) < 0.05


@settings(max_examples=50)
@given(st.floats(1.0, 12.0), st.floats(-0.4, 0.15), st.floats(-0.05, 0.05))
def test_the_slip_of_a_wheel_speed_is_found_again(vx, slip, off):
    p = DynamicPredictive(CAR, slip_feed_forward=1.0).parameters
    speed, slope = commanded_speed(p, vx, slip)
    wheels = vx / (1.0 - slip) if slip > 0.0 else vx * (1.0 + slip)
    assert speed == pytest.approx(wheels + p.lag * straight_acceleration(p.car, slip)[0])
    if abs(slip) > 1e-3:
        low, high = (commanded_speed(p, vx, slip + h)[0] for h in (-1e-6, 1e-6))
        assert slope == pytest.approx((high - low) / 2e-6, rel=1e-4)
    assert slip_at(p, vx, speed, slip + off) == pytest.approx(slip, abs=1e-4)


def test_inputs_under_way_are_driven_before_the_plan_and_the_lag_is_undone():
    given_to_all: dict[str, Any] = {'slip_feed_forward': 1.0, 'steps': 8, 'iterations': 2}
    line, ticks, h, lag = np.asarray(LINE.numbers), 12, 0.01, 0.1
    point = line_at(line, 0, 10.0)
    car = CarMotion(point.x, point.y + 0.1, point.heading, 4.0, 0.0, 0.0)

    def answers(**given):
        controller = DynamicPredictive(CAR, **given_to_all, **given)
        numbers = np.concatenate([
            [1.0, 0.0, 3 + len(line), 3 + len(line)], line, controller.memory])
        path = look(sight_of(LineReference(0.0, 0.0, 0.0, 0.0), numbers, 0), car,
                    controller.point_ahead, 10.0)
        state, found = controller.state, []
        for tick in range(ticks):
            state, *command = controller.step(
                state, controller.parameters, car, path, h if tick else 0.0)
            found.append(command)
        first = path.memory + 8
        return np.array(found), numbers[path.memory:first]

    at_once, now = answers()
    late, then = answers(delay=0.03)
    # Three answers of 10 ms are under way, in which the car goes on.
    assert then[6] - now[6] == pytest.approx(0.03 * 4.0, abs=0.01)
    assert now[7] != 0.0
    # The speed of the first plan comes into force after them.
    assert late[:3, 0] == pytest.approx([4.0] * 3, abs=0.02)
    assert abs(late[4, 0] - 4.0) > 0.05
    slow, _ = answers(command_lag=lag)
    # What the car makes of these commands is what was commanded to the car without a lag.
    reached, taken = 4.0, 1.0 - math.exp(-h / lag)
    reached += taken * (slow[0, 0] - reached)
    assert reached == pytest.approx(at_once[0, 0], abs=1e-9)


def test_random_plans_are_those_of_their_seed():
    def command(**given):
        controller = PathIntegral(CAR, candidates=LANES, steps=8, **given)
        line = np.asarray(LINE.numbers)
        numbers = np.concatenate([
            [1.0, 0.0, 3 + len(line), 3 + len(line)], line, controller.memory])
        point = line_at(line, 0, 10.0)
        car = CarMotion(point.x, point.y + 0.1, point.heading, 4.0, 0.0, 0.0)
        path = look(sight_of(LineReference(0.0, 0.0, 0.0, 0.0), numbers, 0), car,
                    controller.point_ahead, 10.0)
        return controller.step(controller.state, controller.parameters, car, path, 0.0)[1:]

    assert command() == command()
    assert command(seed=1) != command()


@pytest.mark.parametrize(('name', 'values', 'message'), [
    ('nmpc', {'steps': 0}, 'steps is 0, expected from 1 to 1000'),
    ('nmpc', {'interval': 0.0}, 'interval is 0, expected a number above 0'),
    ('nmpc', {'delay': 1.0}, 'delay is 1 s, expected at most 62 answers, 0.62 s'),
    ('mpcc', {'slip_rate': 0.0}, 'slip_rate is 0, expected a number above 0'),
    ('kinematic_nmpc', {'delay': -0.1}, 'delay is -0.1, expected a number of at least 0'),
    ('mppi', {'candidates': 0}, 'candidates is 0, expected from 1 to 128000'),
    ('mppi', {'seed': -1}, 'seed is -1, expected from 0 to 4294967295'),
])
def test_settings_out_of_range_are_refused(name, values, message):
    with pytest.raises(ConfigurationError, match=message):
        find_controller(name).make(CAR, values)


@settings(max_examples=40)
@given(st.floats(4.0, 9.0), st.floats(-0.4, 0.4), st.floats(-1.5, 1.5), st.floats(-0.2, 0.2),
       st.floats(-0.04, 0.03), st.floats(-2.0, 2.0))
def test_a_step_of_a_candidate_is_of_second_order(vx, vy, r, steering, slip, turning):
    car = MODELS['dynamic']
    begin = LineState(0.1, 0.05, vx, vy, r, steering, 10.0)
    curvature, acceleration = 0.2, straight_acceleration(car, slip)[0]
    held = Held(curvature, slip, acceleration, turning)

    def exact(h):
        def rates_of(_, x):
            return line_rates(car, LineState(*x), curvature, slip, turning)

        return solve_ivp(rates_of, (0.0, h), begin, rtol=1e-11, atol=1e-12).y[:, -1]

    errors = [np.abs(np.array(state_after(car, begin, held, h)) - exact(h))
              for h in (4e-3, 2e-3)]
    velocities = [error[2:5].max() for error in errors]
    # The error of a step grows with the third power of its length.
    assert velocities[1] < 0.2 * velocities[0] + 1e-8
    assert errors[0][[0, 1, 6]].max() < 5e-5


def test_a_slow_candidate_comes_to_rest():
    # Four times stiffer than what the midpoint rule takes in steps of this length.
    model = MODELS['dynamic']
    car = model._replace(slowest=model.slowest / 4.0)
    x = LineState(0.0, 0.0, 0.3, 0.02, 0.1, 0.0, 0.0)
    for _ in range(40):
        x = state_after(car, x, Held(0.0, 0.0, 0.0, 0.0), 0.025)
    assert abs(x.vy) < 1e-5
    assert abs(x.yaw_rate) < 1e-4


@given(st.floats(0.0, 1.0))
def test_the_table_of_accelerations_holds_between_its_entries(share):
    car = MODELS['dynamic']
    slip = -car.braking + share * (car.braking + car.driving)
    assert acceleration_at(car, acceleration_table(car), 0, slip) == pytest.approx(
        straight_acceleration(car, slip)[0], abs=1e-3)
