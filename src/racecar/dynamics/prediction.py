# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a vehicle goes, as pure functions that the compiled step of a controller can call.

The numbers of a vehicle choose the equations: they are the parameters of a model, a NamedTuple
that can be a part of a controller's own. A plain call gives the bits of a compiled one, and those
of Simulator for steps of the same length with its default method, rk4.
"""

from __future__ import annotations

from collections.abc import Callable
import math

from racecar.base.compiled import by_type, importable
from racecar.base.errors import ConfigurationError
from racecar.base.rows import filled, Numbers
from racecar.base.types import car_motion, CarMotion
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR, step_function
from racecar.dynamics.vehicles.double_track_equations import (
    double_observe,
    double_rates,
    DoubleCar,
)
from racecar.dynamics.vehicles.double_track_held import hold_speed as double_hold
from racecar.dynamics.vehicles.interface import Command, VehicleModel
from racecar.dynamics.vehicles.kinematic_bicycle import (
    AxleState,
    kinematic_hold,
    kinematic_observe,
    kinematic_rates,
    KinematicCar,
)
from racecar.dynamics.vehicles.kinematic_understeer import (
    understeer_hold,
    understeer_observe,
    UndersteerCar,
)
from racecar.dynamics.vehicles.planar import PlanarState
from racecar.dynamics.vehicles.single_track_equations import (
    full_hold,
    full_observe,
    full_rates,
    FullState,
    SingleCar,
)
from racecar.dynamics.vehicles.single_track_force import (
    force_observe,
    force_rates,
    ForceCar,
    hold_speed,
)
from racecar.dynamics.vehicles.single_track_slip import (
    slip_hold,
    slip_observe,
    slip_rates,
    SlipCar,
)


@by_type
def predict(
    numbers: Numbers, state: tuple[float, ...], speed: float, steering_angle: float, dt: float,
    steps: int,
) -> tuple[float, ...]:
    """State of a vehicle after some steps under a command.

    numbers: of vehicle_numbers(); state: NamedTuple as of state_at(), in SI units; speed [m/s],
    steering_angle [rad]: held, and not cut to the limits of the vehicle; dt: step [s], which the
    Runge-Kutta method bears if it is less than 2.7 over the fastest mode of the model, see
    VehicleModel.fastest_mode(); steps: how many, a whole number. Raises TypeError for numbers of
    no vehicle.
    """
    raise NotImplementedError


@by_type
def motion_of(
    numbers: Numbers, state: tuple[float, ...], speed: float, steering_angle: float,
) -> CarMotion:
    """Pose and velocity of base_link in a state under a command: what an odometry would say.

    speed [m/s], steering_angle [rad]: the command; others as of predict(). Raises TypeError for
    numbers of no vehicle.
    """
    raise NotImplementedError


@by_type
def state_at(numbers: Numbers, car: CarMotion) -> tuple[float, ...]:
    """State of a vehicle whose base_link moves so, the inverse of motion_of().

    numbers: of vehicle_numbers(). Raises TypeError for those of double_track, whose wheels turn as
    no odometry tells, and of no vehicle.
    """
    raise NotImplementedError


_predicted: dict[type, Callable[..., tuple[float, ...]]] = {}


def _add(
    kind: type, hold: Callable[..., Numbers], rates: Callable[..., tuple[float, ...]],
    observe: Callable[..., tuple[float, ...]],
) -> None:
    """Let the numbers of a kind choose these equations."""
    step = step_function(rates, DEFAULT_INTEGRATOR)

    @importable
    def predicted(
        numbers: Numbers, state: tuple[float, ...], speed: float, steering_angle: float, dt: float,
        steps: int,
    ) -> tuple[float, ...]:
        held = hold(Command(speed, steering_angle), numbers)
        for _ in range(steps):
            state = step(state, held, dt)
        return state

    @importable
    def observed(
        numbers: Numbers, state: tuple[float, ...], speed: float, steering_angle: float,
    ) -> CarMotion:
        return car_motion(observe(state, Command(speed, steering_angle), numbers))

    _predicted[kind] = rates
    predict.register(kind)(predicted)
    motion_of.register(kind)(observed)


_add(KinematicCar, kinematic_hold, kinematic_rates, kinematic_observe)
_add(UndersteerCar, understeer_hold, kinematic_rates, understeer_observe)
_add(SingleCar, full_hold, full_rates, full_observe)
_add(ForceCar, hold_speed, force_rates, force_observe)
_add(SlipCar, slip_hold, slip_rates, slip_observe)
_add(DoubleCar, double_hold, double_rates, double_observe)


@state_at.register(KinematicCar)
def _axle_at(numbers: KinematicCar, car: CarMotion) -> AxleState:
    ahead = numbers.odometry_offset
    return AxleState(
        car.x - ahead * math.cos(car.yaw), car.y - ahead * math.sin(car.yaw), car.yaw)


@state_at.register(UndersteerCar)
def _understeering_axle_at(numbers: UndersteerCar, car: CarMotion) -> AxleState:
    ahead = numbers.odometry_offset
    return AxleState(
        car.x - ahead * math.cos(car.yaw), car.y - ahead * math.sin(car.yaw), car.yaw)


@state_at.register(SingleCar)
def _single_at(numbers: SingleCar, car: CarMotion) -> FullState:
    ahead = numbers.odometry_offset
    return FullState(
        car.vy - ahead * car.yaw_rate, car.yaw_rate, car.x - ahead * math.cos(car.yaw),
        car.y - ahead * math.sin(car.yaw), car.yaw)


@state_at.register(ForceCar)
def _force_at(numbers: ForceCar, car: CarMotion) -> PlanarState:
    ahead = numbers.planar.odometry_offset
    return PlanarState(
        car.vx, car.vy - ahead * car.yaw_rate, car.yaw_rate, car.x - ahead * math.cos(car.yaw),
        car.y - ahead * math.sin(car.yaw), car.yaw)


@state_at.register(SlipCar)
def _slip_at(numbers: SlipCar, car: CarMotion) -> PlanarState:
    ahead = numbers.odometry_offset
    return PlanarState(
        car.vx, car.vy - ahead * car.yaw_rate, car.yaw_rate, car.x - ahead * math.cos(car.yaw),
        car.y - ahead * math.sin(car.yaw), car.yaw)


def vehicle_numbers(model: VehicleModel) -> Numbers:
    """Parameters of a model as a NamedTuple of numbers, for predict().

    Raises ConfigurationError for equations that it does not have: the report's formulation.
    """
    equations = model.equations
    if _predicted.get(type(equations.parameters)) is not equations.rates:
        raise ConfigurationError(
            f'{model.description} cannot be predicted: expected the full formulation of the'
            ' single track, or another model')
    return filled(equations.parameters, model.parameters)
