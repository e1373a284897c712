# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track (dynamic bicycle) model with the speed as input, in two formulations.

Symbols: V speed, d steering angle, r yaw rate, a and b distances from the centre of gravity to
the front and rear axle, C cornering stiffness, e low-speed threshold; index f front, r rear.

`full` (default; Rajamani, Vehicle Dynamics and Control, chapter 2, without small angles): V is
the longitudinal velocity vx, the state is vy, r, x, y, yaw.

    alpha_f = atan2(vyf, max(|vxf|, e))    vxf = V cos d + (vy + a r) sin d
                                           vyf = (vy + a r) cos d - V sin d
    alpha_r = atan2(vy - b r, max(|V|, e))
    m (vy' + V r) = Fyf cos d + Fyr        Iz r' = a Fyf cos d - b Fyr
    x' = V cos yaw - vy sin yaw            y' = V sin yaw + vy cos yaw

`report` (report section 5.4): small angles, the state is beta, r, x, y, yaw.

    alpha_f = s (beta - d) + a r / max(|V|, e)     s = V / max(|V|, e)
    alpha_r = s beta - b r / max(|V|, e)
    beta' = (Fyf + Fyr) cos(beta) / (m V_e) - r    V_e = max(|V|, e) with the sign of V
    Iz r' = a Fyf - b Fyr      x' = V cos yaw      y' = V sin yaw

Low speed and reverse. Slip is lateral velocity over longitudinal velocity, so near standstill
the model becomes stiff and then singular. The longitudinal velocity in the denominator is
therefore kept at or above e; from e on, the equations are the original ones. Below e
the tyres turn into viscous lateral dampers: they hold the car on its kinematic path as V -> 0 and
give no force at rest, so the car stands still whatever the steering angle. The modulus makes the
force oppose the lateral velocity when driving backwards as well. The eigenvalues, about
C/(m max(|V|, e)), no longer grow below e: e = 0.1 m/s keeps them below 1700 1/s for the vehicles
shipped, where a Runge-Kutta step of 1 ms is stable up to 2785 1/s, and touches the path only
where the car needs a second for a tenth of a metre. Reversing faster than
VehicleParameters.critical_speed_reverse is unstable, as it is for a real car.

Spins. A prescribed V is a drive of unlimited force: to hold vx = V it pushes with -m r vy, and
in a spin that feeds energy into vy without end. No drive pushes harder than the car weighs, so
from |r vy| = g on it gives m g and no more: the coupling -V r of the full formulation keeps the
value at which the drive reaches that force, and the spin stays bounded. In the report's
formulation nothing keeps beta from winding up; a rate that turns it outwards fades over the last
_EDGE rad before a right angle, where small-angle equations have long lost their meaning. Within
these bounds the equations are exactly those above. To study spins, take a model with vx as a
state: single_track_force or double_track.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import Any, ClassVar, TypeVar

import numpy as np

from racecar.core.compiled import inlined, njit, specialise
from racecar.core.elementary import arctangent, sine_cosine, sine_cosine_of_turn
from racecar.core.errors import ParameterError
from racecar.core.types import Pose2, VehicleDiagnostics, WheelState
from racecar.core.tyres import TyreForm, TyreModel
from racecar.core.tyres.linear import lateral_force, of_angle, of_tangent
from racecar.core.vehicles.interface import (
    AxleTyres,
    Derivative,
    FAR,
    Held,
    HeldForm,
    Rates,
    SPEED,
    STEERING_ANGLE,
    Vector,
    vector,
    VehicleModel,
    wheels_of_axles,
)
from racecar.core.vehicles.parameters import VehicleParameters
from racecar.core.vehicles.tyre_sets import make_tyre_set

# State. LATERAL is vy [m/s] in the full formulation and beta [rad] in the report's.
LATERAL, YAW_RATE, X, Y, YAW = range(5)

# Packed parameters.
(MASS, YAW_INERTIA, TO_FRONT, TO_REAR, STIFFNESS_FRONT, STIFFNESS_REAR, FRICTION, LOAD_FRONT,
 LOAD_REAR, LOW_SPEED, ODOMETRY_OFFSET, SHAPE, CURVATURE, TANGENT_FRONT,
 TANGENT_REAR, FORCE_FRONT, FORCE_REAR) = range(17)

FORMULATIONS = ('full', 'report')
# Acceleration [m/s^2] up to which the drive holds a prescribed speed in a spin: one g.
_DRIVE_LIMIT = 9.81
# Width [rad] over which the rate of the report's beta fades towards a right angle.
_EDGE = 0.2
_PER_EDGE = 1.0 / _EDGE
_HALF_PI = 0.5 * math.pi

_Model = TypeVar('_Model', bound=VehicleModel)

LOW_SPEED_THRESHOLD = 0.1
"""Default of the low-speed threshold [m/s]; the module says why."""

# Fastest mode [1/s] that Runge-Kutta steps of 1 ms follow with a third to spare.
_CALM_MODE = 2000.0
# No car needs its slip regularised up to here [m/s].
_HIGHEST_THRESHOLD = 10.0


@njit
def full_slip_angles(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, float]:
    """Return the slip angles of the front and rear axle [rad], full formulation."""
    speed = inputs[SPEED]
    cosine = math.cos(inputs[STEERING_ANGLE])
    sine = math.sin(inputs[STEERING_ANGLE])
    front = state[LATERAL] + parameters[TO_FRONT] * state[YAW_RATE]
    rear = state[LATERAL] - parameters[TO_REAR] * state[YAW_RATE]
    threshold = parameters[LOW_SPEED]
    return (
        math.atan2(
            front * cosine - speed * sine, max(abs(speed * cosine + front * sine), threshold)),
        math.atan2(rear, max(abs(speed), threshold)),
    )


def heading(yaw: float) -> tuple[float, float]:
    """Stand for the sine and cosine that SingleTrack binds."""
    raise NotImplementedError('SingleTrack binds this name')


@inlined
def held_coupling(speed: float, lateral: float, yaw_rate: float) -> float:
    """Return V r [m/s^2] as far as a drive of _DRIVE_LIMIT can hold V; vy [m/s], r [rad/s]."""
    push = abs(yaw_rate * lateral)
    return speed * yaw_rate * (_DRIVE_LIMIT / max(push, _DRIVE_LIMIT))


@inlined
def within_right_angle(rate: float, beta: float) -> float:
    """Return the rate of beta [rad/s], faded where it leads out towards a right angle [rad]."""
    faded = rate * min(max((_HALF_PI - abs(beta)) * _PER_EDGE, 0.0), 1.0)
    return faded if rate * beta > 0.0 else rate


@inlined
def full_hold(inputs: Vector, parameters: Vector) -> Held:
    """Return what full_rates() needs and inputs and parameters fix, full formulation."""
    speed = inputs[SPEED]
    sine, cosine = sine_cosine(inputs[STEERING_ANGLE])
    front, rear = parameters[FORCE_FRONT], parameters[FORCE_REAR]
    mass, inertia = parameters[MASS], parameters[YAW_INERTIA]
    return (
        speed, speed * cosine, speed * sine * parameters[TANGENT_FRONT], sine,
        cosine * parameters[TANGENT_FRONT], parameters[LOW_SPEED],
        parameters[TANGENT_REAR] / max(abs(speed), parameters[LOW_SPEED]),
        parameters[TO_FRONT], parameters[TO_REAR],
        parameters[STIFFNESS_FRONT], parameters[STIFFNESS_REAR], parameters[FRICTION],
        parameters[LOAD_FRONT], parameters[LOAD_REAR],
        cosine * front / mass, rear / mass,
        parameters[TO_FRONT] * cosine * front / inertia, parameters[TO_REAR] * rear / inertia,
        parameters[SHAPE], parameters[CURVATURE],
    )


def full_rates(state: Vector, held: Held) -> Rates:
    """Return the time derivative of (vy, r, x, y, yaw) [SI], full formulation.

    held: see full_hold(). The slip enters by its tangent, and the forces by what they do to vy
    and r, so that few operations wait for each other. The global name of_tangent is bound to the
    tyre model, heading to sine and cosine.
    """
    (speed, along, across, sin_steering, turned, threshold, per_rear, to_front, to_rear,
     stiffness_front, stiffness_rear, friction, load_front, load_rear, pushes_front, pushes_rear,
     turns_front, turns_rear, shape, curvature) = held
    front = state[LATERAL] + to_front * state[YAW_RATE]
    rear = state[LATERAL] - to_rear * state[YAW_RATE]
    force_front = of_tangent(
        (front * turned - across) / max(abs(along + front * sin_steering), threshold),
        stiffness_front, friction, load_front, shape, curvature)
    force_rear = of_tangent(
        rear * per_rear, stiffness_rear, friction, load_rear, shape, curvature)
    sine, cosine = heading(state[YAW])
    coupling = held_coupling(speed, state[LATERAL], state[YAW_RATE])
    return (
        pushes_front * force_front + (pushes_rear * force_rear - coupling),
        turns_front * force_front - turns_rear * force_rear,
        speed * cosine - state[LATERAL] * sine,
        speed * sine + state[LATERAL] * cosine,
        state[YAW_RATE],
    )


@inlined
def full_observe(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float, float]:
    """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI], full formulation."""
    offset = parameters[ODOMETRY_OFFSET]
    sine, cosine = sine_cosine(state[YAW])
    qz, qw = sine_cosine(0.5 * state[YAW])
    return (
        state[X] + offset * cosine,
        state[Y] + offset * sine,
        qz,
        qw,
        inputs[SPEED],
        state[LATERAL] + offset * state[YAW_RATE],
        state[YAW_RATE],
    )


def full_diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics, full formulation."""
    speed = inputs[SPEED]
    lateral = state[LATERAL]
    alpha_front, alpha_rear = full_slip_angles(state, inputs, parameters)
    force_front = lateral_force(
        alpha_front, parameters[STIFFNESS_FRONT], parameters[FRICTION], parameters[LOAD_FRONT],
        parameters[SHAPE], parameters[CURVATURE])
    force_rear = lateral_force(
        alpha_rear, parameters[STIFFNESS_REAR], parameters[FRICTION], parameters[LOAD_REAR],
        parameters[SHAPE], parameters[CURVATURE])
    total = force_front * math.cos(inputs[STEERING_ANGLE]) + force_rear
    return (
        state[X], state[Y], state[YAW], speed, lateral, state[YAW_RATE],
        math.atan2(math.copysign(1.0, speed) * lateral, abs(speed)), total / parameters[MASS],
        alpha_front, alpha_rear, force_front, force_rear, speed, inputs[STEERING_ANGLE],
    )


@njit
def report_slip_angles(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, float]:
    """Return the slip angles of the front and rear axle [rad], report's formulation."""
    speed = inputs[SPEED]
    scale = max(abs(speed), parameters[LOW_SPEED])
    direction = speed / scale
    yaw_rate = state[YAW_RATE] / scale
    return (
        direction * (state[LATERAL] - inputs[STEERING_ANGLE]) + parameters[TO_FRONT] * yaw_rate,
        direction * state[LATERAL] - parameters[TO_REAR] * yaw_rate,
    )


@inlined
def report_hold(inputs: Vector, parameters: Vector) -> Held:
    """Return what report_rates() needs and inputs and parameters fix, report's formulation."""
    speed = inputs[SPEED]
    scale = max(abs(speed), parameters[LOW_SPEED])
    momentum = math.copysign(parameters[MASS] * scale, speed)
    front, rear = parameters[FORCE_FRONT], parameters[FORCE_REAR]
    inertia = parameters[YAW_INERTIA]
    return (
        speed, speed / scale, inputs[STEERING_ANGLE],
        parameters[TO_FRONT] / scale, parameters[TO_REAR] / scale,
        parameters[TANGENT_FRONT], parameters[TANGENT_REAR],
        parameters[STIFFNESS_FRONT], parameters[STIFFNESS_REAR], parameters[FRICTION],
        parameters[LOAD_FRONT], parameters[LOAD_REAR], front / momentum, rear / momentum,
        parameters[TO_FRONT] * front / inertia, parameters[TO_REAR] * rear / inertia,
        parameters[SHAPE], parameters[CURVATURE], 0.0, 0.0,
    )


def report_rates(state: Vector, held: Held) -> Rates:
    """Return the time derivative of (beta, r, x, y, yaw) [SI], report's formulation.

    held: see report_hold(). The global names of_angle and heading are bound to the tyre model and
    to sine and cosine.
    """
    (speed, direction, steering, per_front, per_rear, tangent_front, tangent_rear,
     stiffness_front, stiffness_rear, friction, load_front, load_rear, pushes_front, pushes_rear,
     turns_front, turns_rear, shape, curvature, _, _) = held
    force_front = of_angle(
        direction * (state[LATERAL] - steering) + per_front * state[YAW_RATE],
        tangent_front, stiffness_front, friction, load_front, shape, curvature)
    force_rear = of_angle(
        direction * state[LATERAL] - per_rear * state[YAW_RATE],
        tangent_rear, stiffness_rear, friction, load_rear, shape, curvature)
    _, cos_sideslip = sine_cosine(state[LATERAL])
    sine, cosine = heading(state[YAW])
    return (
        within_right_angle(
            (pushes_front * force_front + pushes_rear * force_rear) * cos_sideslip
            - state[YAW_RATE], state[LATERAL]),
        turns_front * force_front - turns_rear * force_rear,
        speed * cosine,
        speed * sine,
        state[YAW_RATE],
    )


@inlined
def report_observe(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float, float]:
    """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI], report's formulation.

    The centre of gravity moves along the heading there, whatever beta is.
    """
    offset = parameters[ODOMETRY_OFFSET]
    sine, cosine = sine_cosine(state[YAW])
    qz, qw = sine_cosine(0.5 * state[YAW])
    return (
        state[X] + offset * cosine,
        state[Y] + offset * sine,
        qz,
        qw,
        inputs[SPEED],
        offset * state[YAW_RATE],
        state[YAW_RATE],
    )


def report_diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics, report's formulation.

    V is the modulus of the velocity in its equation of beta, so vx = V cos(beta) and
    vy = V sin(beta); ay = V (beta' + r) as there.
    """
    speed = inputs[SPEED]
    beta = state[LATERAL]
    alpha_front, alpha_rear = report_slip_angles(state, inputs, parameters)
    force_front = lateral_force(
        alpha_front, parameters[STIFFNESS_FRONT], parameters[FRICTION], parameters[LOAD_FRONT],
        parameters[SHAPE], parameters[CURVATURE])
    force_rear = lateral_force(
        alpha_rear, parameters[STIFFNESS_REAR], parameters[FRICTION], parameters[LOAD_REAR],
        parameters[SHAPE], parameters[CURVATURE])
    signed = math.copysign(max(abs(speed), parameters[LOW_SPEED]), speed)
    acceleration = (
        speed * (force_front + force_rear) * math.cos(beta) / (parameters[MASS] * signed))
    return (
        state[X], state[Y], state[YAW], speed * math.cos(beta), speed * math.sin(beta),
        state[YAW_RATE], beta, acceleration,
        alpha_front, alpha_rear, force_front, force_rear, speed, inputs[STEERING_ANGLE],
    )


def hold(inputs: Vector, parameters: Vector) -> Held:
    """Stand for the function of the formulation that SingleTrack binds."""
    raise NotImplementedError('SingleTrack binds this name')


def rates(state: Vector, held: Held) -> Rates:
    """Stand for the function of formulation and tyre that SingleTrack binds."""
    raise NotImplementedError('SingleTrack binds this name')


def _derivative(state: Vector, inputs: Vector, parameters: Vector) -> Rates:
    """Return the time derivative of the state [SI]."""
    return rates(state, hold(inputs, parameters))


def _of_angle(
    slip_angle: float, tangent_scale: float, cornering_stiffness: float, friction: float,
    load: float, shape: float, curvature: float,
) -> float:
    """Return the force [N] of a tyre model without TyreForm."""
    return lateral_force(slip_angle, cornering_stiffness, friction, load, shape, curvature)


def _of_tangent(
    t: float, cornering_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Return the force [N] of a tyre model without TyreForm."""
    return lateral_force(arctangent(t), cornering_stiffness, friction, load, shape, curvature)


def _one(cornering_stiffness: float, friction: float, load: float) -> float:
    return 1.0


_KERNELS: dict[str, tuple[Any, Any, Any, Any, str]] = {
    'full': (full_hold, full_rates, full_observe, full_diagnose, 'of_tangent'),
    'report': (report_hold, report_rates, report_observe, report_diagnose, 'of_angle'),
}


def _tyre_form(tyre: TyreModel) -> TyreForm:
    if tyre.form is not None:
        return tyre.form
    force = tyre.lateral_force
    return TyreForm(
        _one, _one,
        specialise(_of_tangent, f'of_tangent_{tyre.name}', inlined, lateral_force=force),
        specialise(_of_angle, f'of_angle_{tyre.name}', inlined, lateral_force=force))


class SingleTrack:
    """Single-track vehicle with the inputs speed and steering angle."""

    name: ClassVar[str] = 'single_track'

    def __init__(
        self, vehicle: VehicleParameters, tyre_model: str | int = 'linear',
        formulation: str = 'full', low_speed_threshold: float = LOW_SPEED_THRESHOLD,
        tyre_values: Mapping[str, Any] | None = None,
    ) -> None:
        """Bind a vehicle to a tyre model (name or number) and a formulation.

        low_speed_threshold [m/s]: least longitudinal velocity in the slip's denominator;
        tyre_values: rows of TYRE_PARAMETERS, see make_tyre_set().
        Raises ParameterError if an option is unknown or the threshold is not positive.
        """
        if formulation not in FORMULATIONS:
            raise ParameterError(
                f"parameter 'formulation' is {formulation!r}, expected one of"
                f" {', '.join(FORMULATIONS)}")
        if not (math.isfinite(low_speed_threshold) and low_speed_threshold > 0.0):
            raise ParameterError(
                f"parameter 'low_speed_threshold' is {low_speed_threshold!r}, expected a positive"
                ' number [m/s]; it keeps the slip finite at standstill')
        self.tyres = make_tyre_set(vehicle, tyre_model, tyre_values)
        tyre = self.tyres.model
        self.vehicle = vehicle
        self.tyre = tyre
        self.formulation = formulation
        self.low_speed_threshold = float(low_speed_threshold)
        hold, rates, observe, diagnose, slip = _KERNELS[formulation]
        form = _tyre_form(tyre)
        kind = f'{formulation}_{tyre.name}'
        forces = {slip: getattr(form, slip)}
        self.held_form: HeldForm = HeldForm(kind, hold, specialise(
            rates, f'rates_within_step_{kind}', inlined, heading=sine_cosine_of_turn, **forces))
        self.derivative: Derivative = specialise(
            _derivative, f'derivative_{kind}', hold=hold, rates=specialise(
                rates, f'rates_{kind}', inlined, heading=sine_cosine, **forces))
        self.observe: Derivative = observe
        self.diagnose: Callable[[Vector, Vector, Vector], tuple[float, ...]] = specialise(
            diagnose, f'{diagnose.__name__}_{tyre.name}', lateral_force=tyre.lateral_force)
        packed = [0.0] * 17
        packed[MASS] = vehicle.mass
        packed[YAW_INERTIA] = vehicle.yaw_inertia
        packed[TO_FRONT] = vehicle.cog_to_front_axle
        packed[TO_REAR] = vehicle.cog_to_rear_axle
        packed[STIFFNESS_FRONT] = self.tyres.front_y.stiffness
        packed[STIFFNESS_REAR] = self.tyres.rear_y.stiffness
        packed[FRICTION] = self.tyres.front_y.friction
        packed[SHAPE] = self.tyres.front_y.shape
        packed[CURVATURE] = self.tyres.front_y.curvature
        packed[LOAD_FRONT] = vehicle.front_axle_load
        packed[LOAD_REAR] = vehicle.rear_axle_load
        packed[LOW_SPEED] = self.low_speed_threshold
        packed[ODOMETRY_OFFSET] = vehicle.odometry_offset
        front = packed[STIFFNESS_FRONT], packed[FRICTION], packed[LOAD_FRONT]
        rear = packed[STIFFNESS_REAR], packed[FRICTION], packed[LOAD_REAR]
        packed[TANGENT_FRONT], packed[TANGENT_REAR] = (
            form.tangent_scale(*front), form.tangent_scale(*rear))
        packed[FORCE_FRONT], packed[FORCE_REAR] = (
            form.force_scale(*front), form.force_scale(*rear))
        self.parameters: Any = vector(packed)

    @classmethod
    def from_values(cls, vehicle: VehicleParameters, values: Mapping[str, Any]) -> SingleTrack:
        """Build from tyre_model, formulation, low_speed_threshold and TYRE_PARAMETERS."""
        return with_calm_threshold(values['low_speed_threshold'], lambda threshold: cls(
            vehicle, values['tyre_model'], values['formulation'], threshold, values))

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""
        return (f"{self.name} of vehicle '{self.vehicle.name}' ({self.formulation} formulation,"
                f' {self.tyre.name} tyres, low_speed_threshold {self.low_speed_threshold:g} m/s)')

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, in order; all in SI units."""
        return ('vy' if self.formulation == 'full' else 'beta', 'yaw_rate', 'x', 'y', 'yaw')

    @property
    def state_limits(self) -> tuple[float, ...]:
        """Modulus of each state up to which the model holds, in the order of state_names."""
        vehicle = self.vehicle
        fast = 2.0 * max(vehicle.speed_max, -vehicle.speed_min)
        return (
            fast if self.formulation == 'full' else math.pi,
            fast / min(vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle),
            FAR, FAR, FAR)

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """Return the state at rest with the odometry point at a pose."""
        offset = self.vehicle.odometry_offset
        return (0.0, 0.0, pose.x - offset * math.cos(pose.yaw),
                pose.y - offset * math.sin(pose.yaw), float(pose.yaw))

    def odometry(self, state: Vector, inputs: Vector) -> tuple[float, ...]:
        """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI].

        state: 5 numbers in the order of state_names; inputs: speed, steering angle.
        """
        return self.observe(vector(state), vector(inputs), self.parameters)

    def diagnostics(self, state: Vector, inputs: Vector) -> VehicleDiagnostics:
        """Return what VehicleDiagnostics lists, for a state and inputs as in odometry()."""
        return VehicleDiagnostics(
            *self.diagnose(vector(state), vector(inputs), self.parameters))

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Return the speed that is prescribed [m/s]."""
        return float(inputs[SPEED])

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Return the wheels, each with half the force of its axle; none along the wheel.

        A prescribed speed has no drive whose force and slip could be told.
        """
        axles = self.diagnostics(state, inputs)
        return wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs),
            AxleTyres(axles.slip_angle_front, 0.0, axles.lateral_force_front),
            AxleTyres(axles.slip_angle_rear, 0.0, axles.lateral_force_rear))

    def lateral_jacobian(self, speed: float, steering_angle: float = 0.0) -> np.ndarray:
        """Return d(lateral state, yaw rate)'/d(lateral state, yaw rate), 2 by 2, at rest slip.

        By central differences of the derivative; speed [m/s], steering_angle [rad].
        """
        inputs = vector((speed, steering_angle))
        width = 1e-7
        columns = []
        for index in (LATERAL, YAW_RATE):
            ahead, behind = [0.0] * 5, [0.0] * 5
            ahead[index], behind[index] = width, -width
            columns.append([
                (high - low) / (2.0 * width) for high, low in zip(
                    self.derivative(vector(ahead), inputs, self.parameters)[:2],
                    self.derivative(vector(behind), inputs, self.parameters)[:2], strict=True)])
        return np.array(columns).T

    def fastest_mode(self) -> float:
        """Return the largest modulus of a lateral eigenvalue over the admissible speeds [1/s].

        Straight running, where the tyres are stiffest; the threshold is among the speeds.
        """
        low, high = self.vehicle.speed_min, self.vehicle.speed_max
        edges = (-self.low_speed_threshold, 0.0, self.low_speed_threshold)
        speeds = {*np.linspace(low, high, 41).tolist(), *(min(max(v, low), high) for v in edges)}
        return max(
            float(np.abs(np.linalg.eigvals(self.lateral_jacobian(speed))).max())
            for speed in speeds)


def with_calm_threshold(threshold: float, build: Callable[[float], _Model]) -> _Model:
    """Build a model with a low-speed threshold [m/s]; 0 chooses one.

    That is LOW_SPEED_THRESHOLD, or, where the tyres are too stiff there for steps of 1 ms, about
    the lowest one that suits them.
    """
    if threshold > 0.0:
        return build(threshold)
    threshold = LOW_SPEED_THRESHOLD
    while True:
        model = build(threshold)
        excess = model.fastest_mode() / _CALM_MODE
        if excess <= 1.0 or threshold > _HIGHEST_THRESHOLD:
            return model
        # The modes go with the inverse of the threshold.
        threshold *= max(excess, 1.01)
