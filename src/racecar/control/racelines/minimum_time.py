# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fastest lap of a dynamic single track with the vehicle's own tyres, as an optimal control.

Along the way s of a reference line with curvature k, with offset n, heading error xi and
t' = (1 - n k)/(vx cos xi - vy sin xi):

    n'   = (vx sin xi + vy cos xi) t'         xi' = r t' - k
    vx'  = ((X_f cos d - Y_f sin d + X_r - R)/m + vy r) t'
    vy'  = ((Y_f cos d + X_f sin d + Y_r)/m - vx r) t'
    r'   = (a (Y_f cos d + X_f sin d) - b Y_r)/I t'       d' = u t'

X: forces of the drive train, split as the load or by the driven axle; Y: those of the tyres by
their slip angles, under axle loads that move with X; R: drag and rolling resistance. At every
point (X/(mu_x Z))^2 + (Y/(mu_y Z))^2 <= 1 for each axle, |X| <= the force limit, |d| and |u|
within those of the steering; slip angles are at most those that give 95 % of the largest force.
Trapezoidal collocation; IPOPT solves it from the line of least curvature with scaled variables.
Source: Perantoni and Limebeer, "Optimal control for a Formula One car with
variable parameters", Vehicle System Dynamics 52 (2014); Christ et al., ibid. 59 (2021).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.base.extras import not_installed
from racecar.control.racelines.track import Stations
from racecar.dynamics.vehicles.design import GRAVITY
from racecar.dynamics.vehicles.grip_map import AxleCurve
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import TyreDirection, TyreSet

Array = NDArray[np.float64]

RESIDUAL = 1e-6
"""Largest scaled error of the conditions of an optimum that is taken."""

_LOWEST_SPEED = 0.5
_ITERATIONS = 400
# Of the largest force of an axle, at the largest slip angle.
_SLIP_SHARE = 0.95
# Weights of the squared steering rate and of the change of force, over the time: they make the
# solution unique and smooth, and cost less than a ten-thousandth of it.
_SMOOTH_STEERING, _SMOOTH_FORCE = 1e-5, 1e-5


class TimeProblem(NamedTuple):
    """What is to be driven: stations about which, by which vehicle and tyres, within which limits.

    low, high: limits of the offsets (n,) [m]; start: offsets to start from (n,) [m], with their
    speeds; speed_limit [m/s]; steering_rate: largest [rad/s]; grip: share of the friction.
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


class MinimumTime(NamedTuple):
    """Fastest lap: offsets to the left (n,) [m], speed (n,) [m/s] and its rate (n,) [m/s^2].

    lap_time [s]; iterations; residual: scaled error of the conditions of an optimum.
    """

    offsets: Array
    speed: Array
    acceleration: Array
    lap_time: float
    iterations: int
    residual: float


def minimum_time(problem: TimeProblem) -> MinimumTime:
    """Fastest lap within limits: a local minimum, near the line that it starts from.

    Raises ConfigurationError if CasADi is missing, the tyre model has no equations here, or IPOPT
    finds no optimum.
    """
    try:
        import casadi
    except ImportError as error:
        raise not_installed('the line of least time', 'casadi') from error
    transcription = _Transcription(casadi, problem)
    return transcription.solve()


class _Transcription:
    """The problem as a nonlinear program; columns are stations, the last the first again."""

    # n, xi, vx, vy, r, d; u, X: orders of magnitude [SI].
    _SCALES = np.array([0.5, 0.3, 5.0, 0.5, 2.0, 0.2, 2.0])

    def __init__(self, casadi: Any, problem: TimeProblem) -> None:
        self._casadi, self._problem = casadi, problem
        self._scales = np.append(self._SCALES, problem.vehicle.mass * GRAVITY)
        self._count = len(problem.stations.s)
        self._point = self._make_point()

    def _make_point(self) -> Any:
        """Function of scaled variables (8) and curvature: rates, t', and what is to be up to 1."""
        ca, p = self._casadi, self._problem
        car, tyres = p.vehicle, p.tyres
        scaled, curvature = ca.SX.sym('z', 8), ca.SX.sym('k')
        n, xi, vx, vy, r, d, u, force = ca.vertsplit(scaled * ca.DM(self._scales))
        a, b, wheelbase = car.cog_to_front_axle, car.cog_to_rear_axle, car.wheelbase
        moved = car.cog_height * force / wheelbase
        front_load, rear_load = car.front_axle_load - moved, car.rear_axle_load + moved
        front_share = car.front_drive_share
        if car.driven_axle == 'all':
            front_share = front_load / (front_load + rear_load)
        front_x, rear_x = front_share * force, (1.0 - front_share) * force
        slips = ca.atan((vy + a * r) / vx) - d, ca.atan((vy - b * r) / vx)
        axles = ((tyres.front_y, front_load, car.front_axle_load),
                 (tyres.rear_y, rear_load, car.rear_axle_load))
        front_y, rear_y = (
            _lateral_force(ca, tyres, direction, (load, static), angle, p.grip)
            for (direction, load, static), angle in zip(axles, slips, strict=True))
        resistance = car.drag_factor * vx**2 + car.rolling_resistance * car.mass * GRAVITY
        across = front_y * ca.cos(d) + front_x * ca.sin(d)
        slowness = (1.0 - n * curvature) / (vx * ca.cos(xi) - vy * ca.sin(xi))
        rates = ca.vertcat(
            (vx * ca.sin(xi) + vy * ca.cos(xi)) * slowness, r * slowness - curvature,
            ((front_x * ca.cos(d) - front_y * ca.sin(d) + rear_x - resistance) / car.mass
             + vy * r) * slowness,
            ((across + rear_y) / car.mass - vx * r) * slowness,
            (a * across - b * rear_y) / car.yaw_inertia * slowness, u * slowness)
        most = min(p.speed_limit, car.speed_max)
        used = ca.vertcat((vx**2 + vy**2) / most**2, *(
            angle / _largest_slip(tyres, direction, static, p.grip)
            for (direction, _, static), angle in zip(axles, slips, strict=True)), *(
            (along / (p.grip * x.friction * load)) ** 2
            + (side / (p.grip * y.friction * load)) ** 2
            for along, side, load, x, y in (
                (front_x, front_y, front_load, tyres.front_x, tyres.front_y),
                (rear_x, rear_y, rear_load, tyres.rear_x, tyres.rear_y))))
        return ca.Function('point', [scaled, curvature],
                           [rates / ca.DM(self._scales[:6]), slowness, used])

    def solve(self) -> MinimumTime:
        """Run IPOPT from the start."""
        ca, p, step = self._casadi, self._problem, self._problem.stations.step
        variables = ca.MX.sym('z', 8, self._count)
        rates, slowness, used = self._point.map(self._count)(
            variables, ca.DM(p.stations.curvature).T)
        # The last station is followed by the first.
        following = [*range(1, self._count), 0]
        defects = (variables[:6, following] - variables[:6, :]
                   - 0.5 * step * (rates + rates[:, following])) / step
        time = step * ca.sum2(slowness)
        jump = variables[6:, following] - variables[6:, :]
        smooth = step * (_SMOOTH_STEERING * ca.sumsqr(variables[6, :])
                         + _SMOOTH_FORCE * ca.sumsqr(jump[1, :]) / step**2)
        low, high = self._limits()
        solver = ca.nlpsol('minimum_time', 'ipopt', {
            'x': ca.vec(variables), 'f': time + smooth,
            'g': ca.vertcat(ca.vec(defects), ca.vec(used))}, {
            'print_time': False, 'ipopt': {
                'print_level': 0, 'sb': 'yes', 'max_iter': _ITERATIONS, 'tol': 0.01 * RESIDUAL,
                'mu_strategy': 'monotone', 'mu_init': 1e-2, 'linear_solver': 'mumps'}})
        equal, inside = np.zeros(6 * self._count), np.ones(5 * self._count)
        found = solver(
            x0=self._start(), lbx=low, ubx=high, lbg=np.concatenate([equal, -inside]),
            ubg=np.concatenate([equal, inside]))
        stats = solver.stats()
        history = stats['iterations']
        residual = max(float(history[key][-1]) for key in ('inf_pr', 'inf_du'))
        if not stats['success'] or residual > RESIDUAL:
            raise ConfigurationError(
                f"the line of least time is not found: IPOPT ends with {stats['return_status']}"
                f' and a residual of {residual:.1e}, expected at most {RESIDUAL:g}; take another'
                ' margin or step')
        z = np.asarray(found['x']).reshape(self._count, 8) * self._scales
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
            z[:, 0], speed, acceleration, lap_time, len(history['inf_pr']) - 1, residual)

    def _limits(self) -> tuple[Array, Array]:
        p, car = self._problem, self._problem.vehicle
        high = np.empty((self._count, 8))
        high[:, 1:6] = (1.2, min(p.speed_limit, car.speed_max), 10.0, 50.0, car.steering_range[1])
        high[:, 6:] = p.steering_rate, car.drive_force_limit
        low = -high
        low[:, 0], high[:, 0] = p.low, p.high
        low[:, 2], low[:, 5] = _LOWEST_SPEED, car.steering_range[0]
        return (low / self._scales).ravel(), (high / self._scales).ravel()

    def _start(self) -> Array:
        """The line to start from as if it were driven without slip."""
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
        z = np.zeros((self._count, 8))
        z[:, 0], z[:, 1], z[:, 2] = p.start, error, p.speeds
        z[:, 4], z[:, 5] = p.speeds * bend, np.arctan(p.vehicle.wheelbase * bend)
        z[:, 7] = np.clip(
            force, -0.9 * p.vehicle.drive_force_limit, 0.9 * p.vehicle.drive_force_limit)
        return np.asarray((z / self._scales).ravel())


def _largest_slip(tyres: TyreSet, tyre: TyreDirection, load: float, grip: float) -> float:
    """Slip angle beyond which there is hardly more force [rad]."""
    curve = AxleCurve.of(tyres.model, tyre, load, grip)
    return float(curve.angle(np.array(_SLIP_SHARE * curve.peak)))


def _lateral_force(
    casadi: Any, tyres: TyreSet, tyre: TyreDirection, loads: tuple[Any, float], angle: Any,
    grip: float,
) -> Any:
    """Lateral force of an axle [N], of the equations of racecar.dynamics.tyres.

    loads: present and static. Raises ConfigurationError for a model that is not known here.
    """
    load, static = loads
    stiffness = tyre.stiffness * (load / static if tyres.model.stiffness_by_load else 1.0)
    peak = grip * tyre.friction * load
    if tyres.model.name == 'linear':
        return -stiffness * angle
    if tyres.model.name == 'fiala':
        ratio = casadi.fmin(casadi.fmax(
            stiffness * casadi.tan(angle) / (3.0 * peak), -1.0), 1.0)
        return -peak * ratio * (3.0 - 3.0 * casadi.fabs(ratio) + ratio**2)
    if tyres.model.name == 'pacejka':
        scaled = stiffness / (tyre.shape * peak) * angle
        return -peak * casadi.sin(tyre.shape * casadi.atan(
            scaled - tyre.curvature * (scaled - casadi.atan(scaled))))
    raise ConfigurationError(
        f'the line of least time has no equations of the tyre model {tyres.model.name}, expected'
        ' linear, fiala or pacejka')
