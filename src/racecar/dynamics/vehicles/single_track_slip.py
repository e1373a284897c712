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

import math
from typing import ClassVar, NamedTuple

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine, sine_cosine_of_turn
from racecar.base.rows import flatten, Numbers
from racecar.base.types import WheelState
from racecar.base.values import Values
from racecar.base.vectors import Vector, vector
from racecar.dynamics.tyres import DEFAULT_TYRE_MODEL, WheelTyre
from racecar.dynamics.tyres.contact import grip, rest, slide, TyrePair
from racecar.dynamics.vehicles.double_track_equations import LOAD_PASSES
from racecar.dynamics.vehicles.interface import (
    Command,
    equations_of,
    Laws,
    MadeOf,
    NO_COMMAND,
    SPEED,
)
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD, with_stable_threshold
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import (
    observed,
    PlanarSingleTrack,
    PlanarState,
)
from racecar.dynamics.vehicles.point_kernels import point_kernel
from racecar.dynamics.vehicles.rolling import AxleTyres, wheels_of_axles
from racecar.dynamics.vehicles.tyre_sets import (
    make_tyre_set,
    TyreDirection,
    tyres_of,
    TyreSet,
)


class SlipCar(NamedTuple):
    """Parameters [SI]: 1/m, 1/Iz, a, b, e, point of the odometry, share of each axle.

    half_front: static load of a front wheel; half_weight: m g/2; pitch: h/(2 L); front, rear:
    tyres of one of two wheels, see racecar.dynamics.tyres.contact.
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
    front: WheelTyre
    rear: WheelTyre


class SlipHeld(NamedTuple):
    """What inputs and parameters fix until the next command."""

    speed: float
    sine: float
    cosine: float
    car: SlipCar


class AxleForces(NamedTuple):
    """Slip [-], tangent of the slip angle [-], force along and across the wheels, load [N]."""

    slip: float
    tangent: float
    along: float
    across: float
    load: float


@pure
def axle_slip(vx: float, vy: float, speed: float, driven: float,
              threshold: float) -> tuple[float, float]:
    """Slip and tangent of the slip angle [-] of an axle with its velocity [m/s]."""
    # Selections, not branches: a wheel that is not driven rolls.
    turning = speed if driven > 0.0 else vx
    per_speed = 1.0 / max(max(abs(vx), abs(turning)), threshold)
    return (vx - turning) * per_speed, vy * per_speed


@pure
def slip_forces(state: PlanarState, held: SlipHeld) -> tuple[AxleForces, AxleForces]:
    """Slips and forces of front and rear axle."""
    car = held.car
    lateral = state.vy + car.to_front * state.yaw_rate
    slip_f, tangent_f = axle_slip(
        state.vx * held.cosine + lateral * held.sine,
        lateral * held.cosine - state.vx * held.sine,
        held.speed, car.driven_front, car.low_speed)
    slip_r, tangent_r = axle_slip(
        state.vx, state.vy - car.to_rear * state.yaw_rate, held.speed, car.driven_rear,
        car.low_speed)
    # Of one wheel of two; its slip does not depend on its load.
    front = slide(car.front, slip_f, tangent_f)
    rear = slide(car.rear, slip_r, tangent_r)
    front_x, front_y = rest(car.front, front)
    rear_x, rear_y = rest(car.rear, rear)
    load = car.half_front
    for _ in range(LOAD_PASSES - 1):
        push = 2.0 * (rear.x * rear_x + front.x * front_x * held.cosine
                      - front.y * front_y * held.sine)
        load = min(max(car.half_front - car.pitch * push, 0.0), car.half_weight)
        front_x, front_y = grip(car.front, front, load)
        rear_x, rear_y = grip(car.rear, rear, car.half_weight - load)
    return (
        AxleForces(slip_f, tangent_f, 2.0 * front.x * front_x, 2.0 * front.y * front_y,
                   2.0 * load),
        AxleForces(slip_r, tangent_r, 2.0 * rear.x * rear_x, 2.0 * rear.y * rear_y,
                   2.0 * (car.half_weight - load)))


@pure
def slip_hold(inputs: Command, car: SlipCar) -> SlipHeld:
    """What slip_rates() needs."""
    sine, cosine = sine_cosine(inputs.steering_angle)
    return SlipHeld(inputs.speed, sine, cosine, car)


@pure
def slip_rates(state: PlanarState, held: SlipHeld) -> PlanarState:
    """Time derivative of the state [SI]."""
    car = held.car
    front, rear = slip_forces(state, held)
    across = front.across * held.cosine + front.along * held.sine
    along = front.along * held.cosine - front.across * held.sine
    sine, cosine = sine_cosine_of_turn(state.yaw)
    return PlanarState(
        (rear.along + along) * car.per_mass + state.vy * state.yaw_rate,
        (rear.across + across) * car.per_mass - state.vx * state.yaw_rate,
        (car.to_front * across - car.to_rear * rear.across) * car.per_inertia,
        state.vx * cosine - state.vy * sine, state.vx * sine + state.vy * cosine,
        state.yaw_rate)


@pure
def slip_observe(
    state: PlanarState, inputs: Command, car: SlipCar,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]."""
    return observed(state, car.odometry_offset)


@pure
def slip_diagnose(
    state: PlanarState, inputs: Command, car: SlipCar, held: SlipHeld,
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics."""
    front, rear = slip_forces(state, held)
    across = front.across * held.cosine + front.along * held.sine
    return (
        state.x, state.y, state.yaw, state.vx, state.vy, state.yaw_rate,
        math.atan2(math.copysign(1.0, state.vx) * state.vy, abs(state.vx)),
        (across + rear.across) * car.per_mass, math.atan(front.tangent),
        math.atan(rear.tangent), front.across, rear.across, inputs.speed,
        inputs.steering_angle)


@pure
def _axles(
    state: PlanarState, inputs: Command, car: SlipCar, held: SlipHeld,
) -> tuple[AxleForces, AxleForces]:
    return slip_forces(state, held)


_NO_STATE = PlanarState(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def slip_car(
    vehicle: VehicleParameters, tyres: TyreSet, low_speed_threshold: float,
) -> SlipCar:
    """Parameters of a vehicle, of which each number may be a column."""
    prepare, by_load = tyres.contact_tyre(), float(tyres.model.stiffness_by_load)
    front_load, rear_load = vehicle.front_axle_load, vehicle.rear_axle_load

    def tyre(x: TyreDirection, y: TyreDirection, load: float) -> WheelTyre:
        return prepare(TyrePair(*x, *y, load, by_load, *tyres.sides))

    return SlipCar(
        1.0 / vehicle.mass, 1.0 / vehicle.yaw_inertia, vehicle.cog_to_front_axle,
        vehicle.cog_to_rear_axle, low_speed_threshold, vehicle.odometry_offset,
        float(vehicle.driven_axle != 'rear'), float(vehicle.driven_axle != 'front'),
        0.5 * front_load, 0.5 * (front_load + rear_load),
        0.5 * vehicle.cog_height / vehicle.wheelbase,
        tyre(tyres.front_x, tyres.front_y, front_load),
        tyre(tyres.rear_x, tyres.rear_y, rear_load))


class SingleTrackSlip(PlanarSingleTrack):
    """Single-track vehicle with the inputs speed of the wheels and steering angle."""

    name: ClassVar[str] = 'single_track_slip'
    low_speed_row: ClassVar[int] = SlipCar._fields.index('low_speed')

    def __init__(
        self, vehicle: VehicleParameters, tyre_model: str | int = DEFAULT_TYRE_MODEL,
        low_speed_threshold: float = LOW_SPEED_THRESHOLD,
        tyre_values: Values | None = None,
    ) -> None:
        """Bind a vehicle to a tyre model (name or number).

        low_speed_threshold [m/s]: least speed in the slip's denominator; tyre_values: see
        make_tyre_set(). Raises ParameterError if an option is unknown.
        """
        self.vehicle = vehicle
        self.tyres = make_tyre_set(vehicle, tyre_model, tyre_values)
        self.low_speed_threshold = float(low_speed_threshold)
        car = slip_car(vehicle, self.tyres, self.low_speed_threshold)
        self.equations = equations_of(
            f'slip_{type(car.front).__qualname__}', _NO_STATE, NO_COMMAND, car,
            Laws(slip_hold, slip_rates, slip_observe, slip_diagnose))
        self.parameters = vector(tuple(flatten(car)))

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Values,
    ) -> SingleTrackSlip:
        """Build from tyre_model, low_speed_threshold and TYRE_PARAMETERS."""
        return with_stable_threshold(vehicle, values, lambda threshold: cls(
            vehicle, str(values['tyre_model']), threshold, values))

    def parameters_on(
        self, front: float, rear: float, made_of: MadeOf | None = None,
    ) -> Numbers:
        """Parameters on such ground; see VehicleModel."""
        vehicle, tyres = (self.vehicle, self.tyres) if made_of is None else (
            made_of.vehicle, tyres_of(made_of))
        return slip_car(vehicle, tyres.on_friction(front, rear), self.low_speed_threshold)

    def car_of(
        self, vehicle: VehicleParameters, tyres: TyreSet, values: Values,
    ) -> SlipCar:
        """Parameters of a vehicle, of which each number may be a column."""
        return slip_car(vehicle, tyres, self.low_speed_threshold)

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Speed of the wheels [m/s]; those that are not driven turn with the others."""
        return float(inputs[SPEED])

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Wheels, each with half the forces of its axle."""
        front, rear = point_kernel(self.equations, None, _axles)(
            vector(state), vector(inputs), self.parameters)
        wheels = wheels_of_axles(
            self.vehicle, self.rolling_speed(state, inputs),
            *(AxleTyres(math.atan(axle.tangent), axle.along, axle.across)
              for axle in (front, rear)))
        limit = self.tyres.sides.slip_limit
        return tuple(
            wheel._replace(slip=min(max(axle.slip, -limit), limit), load=0.5 * axle.load)
            for wheel, axle in zip(wheels, (front, front, rear, rear), strict=True))
