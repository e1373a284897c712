# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fastest lap of a vehicle with its own tyres, as an optimal control problem.

The models are those of time_models. Speed and force stay within those of the vehicle, |d| and |u|
within those of the steering. Trapezoidal collocation; IPOPT solves it from the line of least
curvature with scaled variables. Source: Perantoni and Limebeer, "Optimal control for a Formula One
car with variable parameters", Vehicle System Dynamics 52 (2014).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
import itertools
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.base.extras import not_installed
from racecar.control.racelines.names import PLAIN_MODEL
from racecar.control.racelines.symbolic_tyres import CasADi, Expression
from racecar.control.racelines.time_models import COMMON, Grip, STATES, TIME_MODELS
from racecar.control.racelines.track import Stations
from racecar.dynamics.vehicles.design import GRAVITY
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import TyreSet

Array = NDArray[np.float64]

RESIDUAL = 1e-6
"""Largest scaled error of the conditions of an optimum that is taken."""

_LOWEST_SPEED = 0.5
_ITERATIONS = 400
# Weights of the squared steering rate and of the change of force, over the time: they make the
# solution unique and smooth, and cost less than a ten-thousandth of it.
_SMOOTH_STEERING, _SMOOTH_FORCE = 1e-5, 1e-5


class TimeProblem(NamedTuple):
    """What is to be driven: stations about which, by which vehicle and tyres, within which limits.

    low, high: limits of the offsets (n,) [m]; start: offsets to start from (n,) [m], with their
    speeds; speed_limit [m/s]; steering_rate: largest [rad/s]; grip: share of the friction;
    slip_angle: largest, of tyres [rad].
    """

    stations: Stations
    vehicle: VehicleParameters
    tyres: TyreSet
    low: Array
    high: Array
    start: Array
    speeds: Array
    speed_limit: float
    steering_rate: float
    grip: float
    slip_angle: float


class MinimumTime(NamedTuple):
    """Fastest lap: offsets to the left (n,) [m], speed (n,) [m/s] and its rate (n,) [m/s^2].

    lap_time [s]; iterations; residual: scaled error of the conditions of an optimum; variables:
    those that all models have (n, COMMON) [SI].
    """

    offsets: Array
    speed: Array
    acceleration: Array
    lap_time: float
    iterations: int
    residual: float
    variables: Array


OnIteration: TypeAlias = Callable[[int], object]
"""Is called with how many iterations are done."""


def minimum_time(problem: TimeProblem, model: str) -> MinimumTime:
    """Fastest lap of a model, see minimum_times()."""
    return minimum_times(problem, [model])[model]


def minimum_times(
    problem: TimeProblem, models: Collection[str], on_iteration: OnIteration = lambda _: None,
) -> dict[str, MinimumTime]:
    """Fastest laps of models within limits: local minima, near the line that it starts from.

    models: names in TIME_MODELS; on_iteration: see OnIteration. Raises ConfigurationError if
    CasADi is missing, a model has no equations of the tyres, or IPOPT finds no optimum.
    """
    tyres = problem.tyres.model.name
    for model in models:
        known = TIME_MODELS[model].tyre_models
        if tyres not in known:
            raise ConfigurationError(
                f'the least time of a {model} has no equations of the tyre model {tyres},'
                f" expected {' or '.join(known)}")
    try:
        import casadi
    except ImportError as error:
        raise not_installed('the line of least time', 'casadi') from error
    done = itertools.count(1)

    def on_each() -> None:
        on_iteration(next(done))

    plain = _Transcription(casadi, problem, PLAIN_MODEL)
    found = plain.solve(plain.start(), 1e-2, on_each)
    # Those of other models are near it.
    return {model: found if model == PLAIN_MODEL else _Transcription(
        casadi, problem, model).solve(found.variables, 1e-4, on_each) for model in models}


class _Transcription:
    """The problem as a nonlinear program; columns are stations, the last the first again."""

    # n, xi, vx, vy, r, d; u, X: orders of magnitude [SI].
    _SCALES = np.array([0.5, 0.3, 5.0, 0.5, 2.0, 0.2, 2.0])

    def __init__(self, casadi: CasADi, problem: TimeProblem, model: str) -> None:
        self._casadi, self._problem = casadi, problem
        self._model = TIME_MODELS[model](
            Grip(problem.vehicle, problem.tyres, problem.grip, problem.slip_angle))
        self._scales = np.concatenate([
            self._SCALES, [problem.vehicle.mass * GRAVITY], self._model.further])
        self._count = len(problem.stations.s)
        self._point = self._make_point()

    def _make_point(self) -> Expression:
        """Function of scaled variables and curvature.

        Rates along the way, t', what is to be 0, and what is to be within -1 and 1.
        """
        ca, p = self._casadi, self._problem
        scaled, curvature = ca.SX.sym('z', len(self._scales)), ca.SX.sym('k')
        variables = ca.vertsplit(scaled * ca.DM(self._scales))
        n, xi, vx, vy = variables[:4]
        found = self._model.point(ca, variables)
        slowness = (1.0 - n * curvature) / (vx * ca.cos(xi) - vy * ca.sin(xi))
        rates = found.rates * slowness
        rates[1] -= curvature
        most = min(p.speed_limit, p.vehicle.speed_max)
        used = ca.vertcat((vx**2 + vy**2) / most**2, found.used)
        return ca.Function('point', [scaled, curvature], [
            rates / ca.DM(self._scales[:STATES]), slowness, found.balance, used])

    def solve(
        self, start: Array, barrier: float, on_each: Callable[[], object],
    ) -> MinimumTime:
        """Run IPOPT from the common variables (n, COMMON) [SI] and a barrier parameter.

        on_each: is called after each iteration.
        """
        ca, p, step = self._casadi, self._problem, self._problem.stations.step
        variables = ca.MX.sym('z', len(self._scales), self._count)
        rates, slowness, balance, used = self._point.map(self._count)(
            variables, ca.DM(p.stations.curvature).T)
        # The last station is followed by the first.
        following = [*range(1, self._count), 0]
        defects = (variables[:STATES, following] - variables[:STATES, :]
                   - 0.5 * step * (rates + rates[:, following])) / step
        time = step * ca.sum2(slowness)
        jump = variables[COMMON - 1, following] - variables[COMMON - 1, :]
        smooth = step * (_SMOOTH_STEERING * ca.sumsqr(variables[STATES, :])
                         + _SMOOTH_FORCE * ca.sumsqr(jump) / step**2)
        low, high = self._limits()
        constraints = ca.vertcat(ca.vec(defects), ca.vec(balance), ca.vec(used))
        watch = _watch(ca, variables.numel(), constraints.numel(), on_each)
        solver = ca.nlpsol('minimum_time', 'ipopt', {
            'x': ca.vec(variables), 'f': time + smooth, 'g': constraints}, {
            'print_time': False, 'iteration_callback': watch, 'ipopt': {
                'print_level': 0, 'sb': 'yes', 'max_iter': _ITERATIONS, 'tol': 0.01 * RESIDUAL,
                'mu_strategy': 'monotone', 'mu_init': barrier, 'linear_solver': 'mumps'}})
        equal = np.zeros((STATES + balance.shape[0]) * self._count)
        inside = np.ones(used.shape[0] * self._count)
        found = solver(
            x0=(np.hstack([start, self._model.start(start)]) / self._scales).ravel(), lbx=low,
            ubx=high, lbg=np.concatenate([equal, -inside]),
            ubg=np.concatenate([equal, inside]))
        stats = solver.stats()
        history = stats['iterations']
        residual = max(float(history[key][-1]) for key in ('inf_pr', 'inf_du'))
        if not stats['success'] or residual > RESIDUAL:
            raise ConfigurationError(
                f"the line of least time is not found: IPOPT ends with {stats['return_status']}"
                f' and a residual of {residual:.1e}, expected at most {RESIDUAL:g}; take another'
                ' margin or step')
        z = np.asarray(found['x']).reshape(self._count, -1) * self._scales
        speed = np.hypot(z[:, 2], z[:, 3])
        lap_time = float(step * np.sum(np.asarray(
            self._point.map(self._count)(
                (z / self._scales).T, p.stations.curvature[None, :])[1])))
        # Along the way of the line, which is not that of the stations.
        points = p.stations.at(z[:, 0])
        ways = np.hypot(*np.diff(points, axis=0).T)
        squares = speed**2
        acceleration = (np.roll(squares, -1) - np.roll(squares, 1)) / (
            2.0 * (ways + np.roll(ways, 1)))
        return MinimumTime(
            z[:, 0], speed, acceleration, lap_time, len(history['inf_pr']) - 1, residual,
            z[:, :COMMON])

    def _limits(self) -> tuple[Array, Array]:
        p, car = self._problem, self._problem.vehicle
        high = np.empty((self._count, len(self._scales)))
        high[:, 1:STATES] = (
            1.2, min(p.speed_limit, car.speed_max), 10.0, 50.0, car.steering_range[1])
        high[:, STATES:COMMON] = p.steering_rate, car.drive_force_limit
        high[:, COMMON:] = self._model.further
        low = -high
        low[:, 0], high[:, 0] = p.low, p.high
        low[:, 2], low[:, 5] = _LOWEST_SPEED, car.steering_range[0]
        return (low / self._scales).ravel(), (high / self._scales).ravel()

    def start(self) -> Array:
        """Common variables (n, COMMON) [SI] of the line to start from, driven without slip."""
        p = self._problem
        points = p.stations.at(p.start)
        steps = np.diff(points, axis=0)
        heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
        error = heading - np.unwrap(p.stations.heading)
        error -= 2.0 * np.pi * np.round(error / (2.0 * np.pi))
        ways = np.hypot(*steps.T)
        turn = np.diff(heading, append=heading[0] + 2.0 * np.pi * np.round(
            (heading[-1] - heading[0]) / (2.0 * np.pi)))
        bend = turn / ways
        squares = p.speeds**2
        force = p.vehicle.mass * (np.roll(squares, -1) - squares) / (2.0 * ways)
        z = np.zeros((self._count, COMMON))
        z[:, 0], z[:, 1], z[:, 2] = p.start, error, p.speeds
        z[:, 4], z[:, 5] = p.speeds * bend, np.arctan(p.vehicle.wheelbase * bend)
        z[:, 7] = np.clip(
            force, -0.9 * p.vehicle.drive_force_limit, 0.9 * p.vehicle.drive_force_limit)
        return z


def _watch(
    casadi: CasADi, variables: int, constraints: int, on_each: Callable[[], object],
) -> Expression:
    """Make what IPOPT calls after each iteration; it has to live as long as the solver."""
    sizes = {'x': variables, 'lam_x': variables, 'f': 1, 'g': constraints, 'lam_g': constraints}

    class Watch(casadi.Callback):  # type: ignore[misc]
        """Takes the iterate and asks to go on."""

        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct('watch', {})

        def get_n_in(self) -> int:
            """Count of what it takes."""
            return int(casadi.nlpsol_n_out())

        def get_n_out(self) -> int:
            """Of what it returns."""
            return 1

        def get_sparsity_in(self, index: int) -> Expression:
            """Shape of what it takes."""
            return casadi.Sparsity.dense(sizes.get(casadi.nlpsol_out(index), 0))

        def eval(self, _: Expression) -> list[int]:
            """Tell that there was one more."""
            on_each()
            return [0]

    return Watch()
