# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track model whose input is the speed of the wheels: they can spin and lock.

Symbols as in single_track; V speed of the driven wheels' circumference, p share of an axle: 1 if
it is driven, else 0.

    m (vx' - vy r) = Fxr + Fxf cos d - Fyf sin d
    m (vy' + vx r) = Fyr + Fyf cos d + Fxf sin d
    Iz r' = a (Fyf cos d + Fxf sin d) - b Fyr

With wheel-frame velocities (vxf, vyf) and (vx, vy - b r), each axle has the slip

    s = (vx_i - V)/max(|vx_i|, |V|, e) if driven, else 0      t = vy_i/max(|vx_i|, |V|, e)

(no |V| where it is not driven) and the combined forces of its tyres under its load

    Fzf = m g b/L - h X/L    Fzr = m g a/L + h X/L    X = Fxr + Fxf cos d - Fyf sin d

with h the height of the centre of gravity, found by LOAD_PASSES rounds as in double_track; h = 0
has static loads. The wheels have no inertia: whatever turns them holds V, so the friction alone
limits how the car gathers speed. Of the command V follows by actuators.*; a measured wheel speed
may take its place. Below the threshold e slip becomes viscous friction, as in single_track.
Sources: Pacejka, Tire and Vehicle Dynamics, combined slip of the brush model; Rajamani, Vehicle
Dynamics and Control, section 4.3 (loads); combined_slip of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from racecar.base.compiled import inlined, specialise, unbound
from racecar.base.elementary import sine_cosine
from racecar.base.packing import packing, Vector, vector
from racecar.base.types import WheelState
from racecar.dynamics.tyres import DEFAULT_TYRE_MODEL, TyreModel
from racecar.dynamics.tyres.contact import any_form, TyrePair
from racecar.dynamics.vehicles.double_track_equations import LOAD_PASSES
from racecar.dynamics.vehicles.interface import Derivative, HeldRates, SPEED, STEERING_ANGLE
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD, with_stable_threshold
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import fastest_eigenvalue, observed, PlanarSingleTrack
from racecar.dynamics.vehicles.rolling import AxleTyres, wheels_of_axles
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set, TyreDirection


class SlipState(NamedTuple):
    """Velocity of the centre of gravity in the body [m/s, rad/s]; its pose [m, rad]."""

    vx: float
    vy: float
    yaw_rate: float
    x: float
    y: float
    yaw: float


class SlipCar(NamedTuple):
    """Packed parameters [SI]: 1/m, 1/Iz, a, b, e, point of the odometry, share of each axle.

    half_front: static load of a front wheel; half_weight: m g/2; pitch: h/(2 L).
    """

    per_mass: float
    per_inertia: float
    to_front: float
    to_rear: float
    low_speed: float
    odometry_offset: float
    driven_front: float
    driven_rear: float
    half_front: float
    half_weight: float
    pitch: float


class SlipHeld(NamedTuple):
    """What inputs and parameters fix until the next command."""

    speed: float
    sine: float
    cosine: float
    car: SlipCar
    front: Any
    rear: Any


class AxleForces(NamedTuple):
    """Slip [-], tangent of the slip angle [-], force along and across the wheels, load [N]."""

    slip: float
    tangent: float
    along: float
    across: float
    load: float


_CAR_SIZE = len(SlipCar._fields)
_PAIR_SIZE = len(TyrePair._fields)
load_car = packing(SlipCar).load
load_pair = packing(TyrePair).load

prepare = slide = rest = grip = forces = hold = rates = unbound


@inlined
def axle_slip(vx: float, vy: float, speed: float, driven: float,
              threshold: float) -> tuple[float, float]:
    """Return slip and tangent of the slip angle [-] of an axle with its velocity [m/s]."""
    # Selections, not branches: a wheel that is not driven rolls.
    turning = speed if driven > 0.0 else vx
    per_speed = 1.0 / max(max(abs(vx), abs(turning)), threshold)
    return (vx - turning) * per_speed, vy * per_speed


def _forces(state: Any, held: Any) -> tuple[AxleForces, AxleForces]:
    """Return the slips and forces of front and rear axle."""
    car = held.car
    lateral = state.vy + car.to_front * state.yaw_rate
    slip_f, tangent_f = axle_slip(
        state.vx * held.cosine + lateral * held.sine,
        lateral * held.cosine - state.vx * held.sine,
        held.speed, car.driven_front, car.low_speed)
    slip_r, tangent_r = axle_slip(
        state.vx, state.vy - car.to_rear * state.yaw_rate, held.speed, car.driven_rear,
        car.low_speed)
    # Prepared is one wheel of two; its slip does not depend on its load.
    front = slide(slip_f, tangent_f, held.front)
    rear = slide(slip_r, tangent_r, held.rear)
    front_x, front_y = rest(front, held.front)
    rear_x, rear_y = rest(rear, held.rear)
    load = car.half_front
    for _ in range(LOAD_PASSES - 1):
        push = 2.0 * (rear.x * rear_x + front.x * front_x * held.cosine
                      - front.y * front_y * held.sine)
        load = min(max(car.half_front - car.pitch * push, 0.0), car.half_weight)
        front_x, front_y = grip(front, load, held.front)
        rear_x, rear_y = grip(rear, car.half_weight - load, held.rear)
    return (
        AxleForces(slip_f, tangent_f, 2.0 * front.x * front_x, 2.0 * front.y * front_y,
                   2.0 * load),
        AxleForces(slip_r, tangent_r, 2.0 * rear.x * rear_x, 2.0 * rear.y * rear_y,
                   2.0 * (car.half_weight - load)))


def _hold(inputs: Vector, parameters: Vector) -> SlipHeld:
    sine, cosine = sine_cosine(inputs[STEERING_ANGLE])
    return SlipHeld(
        inputs[SPEED], sine, cosine, load_car(parameters, 0, 1),
        prepare(load_pair(parameters, _CAR_SIZE, 1)),
        prepare(load_pair(parameters, _CAR_SIZE + _PAIR_SIZE, 1)))


def _rates(state: Any, held: Any) -> SlipState:
    car = held.car
    front, rear = forces(state, held)
    across = front.across * held.cosine + front.along * held.sine
    along = front.along * held.cosine - front.across * held.sine
    sine, cosine = sine_cosine(state.yaw)
    return SlipState(
        (rear.along + along) * car.per_mass + state.vy * state.yaw_rate,
        (rear.across + across) * car.per_mass - state.vx * state.yaw_rate,
        (car.to_front * across - car.to_rear * rear.across) * car.per_inertia,
        state.vx * cosine - state.vy * sine, state.vx * sine + state.vy * cosine,
        state.yaw_rate)


def _derivative(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the time derivative of (vx, vy, r, x, y, yaw) [SI]."""
    return rates(  # type: ignore[no-any-return]
        SlipState(state[0], state[1], state[2], state[3], state[4], state[5]),
        hold(inputs, parameters))


@inlined
def _observe(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float, float]:
    """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]."""
    return observed(state, load_car(parameters, 0, 1).odometry_offset)


def _diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics."""
    held = hold(inputs, parameters)
    front, rear = forces(
        SlipState(state[0], state[1], state[2], state[3], state[4], state[5]), held)
    across = front.across * held.cosine + front.along * held.sine
    return (
        state[3], state[4], state[5], state[0], state[1], state[2],
        math.atan2(math.copysign(1.0, state[0]) * state[1], abs(state[0])),
        (across + rear.across) * held.car.per_mass, math.atan(front.tangent),
        math.atan(rear.tangent), front.across, rear.across, inputs[SPEED],
        inputs[STEERING_ANGLE])


def _axles(state: Vector, inputs: Vector, parameters: Vector) -> tuple[AxleForces, AxleForces]:
    return forces(  # type: ignore[no-any-return]
        SlipState(state[0], state[1], state[2], state[3], state[4], state[5]),
        hold(inputs, parameters))


class _Kernels(NamedTuple):
    """The kernels of one tyre model."""

    form: HeldRates
    derivative: Derivative
    diagnose: Callable[[Vector, Vector, Vector], tuple[float, ...]]
    axles: Callable[[Vector, Vector, Vector], tuple[AxleForces, AxleForces]]


def _kernels(tyre: TyreModel) -> _Kernels:
    contact = tyre.contact or any_form(tyre.name, tyre.lateral_force, tyre.longitudinal_force)
    name = f'slip_{tyre.name}'
    held = specialise(_hold, f'hold_{name}', inlined, prepare=contact.prepare)
    forces = specialise(_forces, f'forces_{name}', inlined, slide=contact.slide,
                        rest=contact.rest, grip=contact.grip)
    rates = specialise(_rates, f'rates_{name}', inlined, forces=forces)
    both: dict[str, Any] = {'hold': held, 'forces': forces}
    return _Kernels(
        HeldRates(name, held, rates),
        specialise(_derivative, f'derivative_{name}', hold=held, rates=rates),
        specialise(_diagnose, f'diagnose_{name}', **both),
        specialise(_axles, f'axles_{name}', **both))


class SingleTrackSlip(PlanarSingleTrack):
    """Single-track vehicle with the inputs speed of the wheels and steering angle."""

    name: ClassVar[str] = 'single_track_slip'
    state_names = SlipState._fields

    def __init__(
        self, vehicle: VehicleParameters, tyre_model: str | int = DEFAULT_TYRE_MODEL,
        low_speed_threshold: float = LOW_SPEED_THRESHOLD,
        tyre_values: Mapping[str, Any] | None = None,
    ) -> None:
        """Bind a vehicle to a tyre model (name or number).

        low_speed_threshold [m/s]: least speed in the slip's denominator; tyre_values: see
        make_tyre_set(). Raises ParameterError if an option is unknown.
        """
        self.vehicle = vehicle
        self.tyres = make_tyre_set(vehicle, tyre_model, tyre_values)
        self.low_speed_threshold = float(low_speed_threshold)
        tyre = self.tyres.model
        kernels = _kernels(tyre)
        self.held_rates = kernels.form
        self.derivative: Derivative = kernels.derivative
        self.observe: Derivative = _observe
        self.diagnose = kernels.diagnose
        self._axles = kernels.axles
        by_load = float(tyre.stiffness_by_load)

        def pair(x: TyreDirection, y: TyreDirection, load: float) -> TyrePair:
            return TyrePair(*x, *y, load, by_load, *self.tyres.sides)

        self.parameters: Any = vector([
            *SlipCar(
                1.0 / vehicle.mass, 1.0 / vehicle.yaw_inertia, vehicle.cog_to_front_axle,
                vehicle.cog_to_rear_axle, self.low_speed_threshold, vehicle.odometry_offset,
                float(vehicle.driven_axle != 'rear'), float(vehicle.driven_axle != 'front'),
                0.5 * vehicle.front_axle_load,
                0.5 * (vehicle.front_axle_load + vehicle.rear_axle_load),
                0.5 * vehicle.cog_height / vehicle.wheelbase),
            *pair(self.tyres.front_x, self.tyres.front_y, vehicle.front_axle_load),
            *pair(self.tyres.rear_x, self.tyres.rear_y, vehicle.rear_axle_load)])

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Mapping[str, Any],
    ) -> SingleTrackSlip:
        """Build from tyre_model, low_speed_threshold and TYRE_PARAMETERS."""
        return with_stable_threshold(values['low_speed_threshold'], lambda threshold: cls(
            vehicle, values['tyre_model'], threshold, values))

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Return the speed of the wheels [m/s]; those that are not driven turn with the others."""
        return float(inputs[SPEED])

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Return the wheels, each with half the forces of its axle."""
        front, rear = self._axles(vector(state), vector(inputs), self.parameters)
        wheels = wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs),
            *(AxleTyres(math.atan(axle.tangent), axle.along, axle.across)
              for axle in (front, rear)))
        limit = self.tyres.sides.slip_limit
        return tuple(
            wheel._replace(slip=min(max(axle.slip, -limit), limit), load=0.5 * axle.load)
            for wheel, axle in zip(wheels, (front, front, rear, rear), strict=True))

    def fastest_mode(self) -> float:
        """Return the largest modulus of an eigenvalue over the admissible speeds [1/s]."""
        low, high = self.vehicle.speed_min, self.vehicle.speed_max
        speeds = {*np.linspace(low, high, 41).tolist(), 0.0, self.low_speed_threshold}
        return max(fastest_eigenvalue(
            self.derivative, (speed, 0.0, 0.0, 0.0, 0.0, 0.0), (speed, 0.0), self.parameters)
            for speed in speeds)
