# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the simulator asks of a vehicle model driven by speed and steering angle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from racecar.core.compiled import COMPILED
from racecar.core.types import Pose2, Wheels, WheelState
from racecar.core.vehicles.parameters import VehicleParameters

Vector = Sequence[float]
"""Numbers that kernels index: a float64 array where Numba runs, else a list or tuple."""

Derivative = Callable[[Vector, Vector, Vector], tuple[float, ...]]
"""Pure function of state, inputs and packed parameters; returns the state's time derivative."""

Rates = tuple[float, float, float, float, float]
"""Time derivative of a state of five."""

Held = tuple[float, float, float, float, float, float, float, float, float, float, float, float,
             float, float, float, float, float, float, float, float]
"""What inputs and parameters fix until the next command, so that a step need not compute it."""

SPEED = 0
STEERING_ANGLE = 1

FAR = 1e9
"""Beyond this a float64 no longer resolves a step of motion [m, rad]."""


def vector(values: Vector) -> Any:
    """Return numbers in the form that kernels run fastest on."""
    # Plain Python indexes lists several times faster than arrays; the bits are the same.
    return np.array(values, dtype=float) if COMPILED else list(values)


class HeldForm(NamedTuple):
    """A derivative of five states in two parts, for loops over many steps and many vehicles.

    derivative(state, inputs, parameters) = rates(state, hold(inputs, parameters)); both are
    inlined kernels that take and return tuples. The last three states are x, y, yaw; as nothing
    depends on where the vehicle is, a step counts them from the pose at its start, so the yaw that
    rates gets is small (see sine_cosine_of_turn()). name: unique among the forms of all models.
    A model offers it as its attribute held_form; one without is integrated by its derivative.
    """

    name: str
    hold: Callable[[Vector, Vector], Held]
    rates: Callable[[Vector, Held], Rates]


class AxleTyres(NamedTuple):
    """Tyres of an axle as one: slip_angle [rad], longitudinal_force, lateral_force [N]."""

    slip_angle: float
    longitudinal_force: float
    lateral_force: float


def rolling_wheels(vehicle: VehicleParameters, speed: float) -> Wheels:
    """Return the rotation of wheels that roll at a forward velocity [m/s], [rad/s].

    Of a distance [m] it returns the angle [rad].
    """
    front, rear = (speed / radius for radius in vehicle.wheel_radii)
    return front, front, rear, rear


def wheels_of_axles(
    vehicle: VehicleParameters, speed: float, front: AxleTyres, rear: AxleTyres,
) -> tuple[WheelState, ...]:
    """Return the wheels of a single-track vehicle: each has half of what its axle has.

    speed [m/s]: forward velocity, at which the wheels roll; longitudinal slip it has none.
    """
    return tuple(
        WheelState(0.0, axle.slip_angle, 0.5 * axle.longitudinal_force,
                   0.5 * axle.lateral_force, 0.5 * load, rotation)
        for axle, load, rotation in zip(
            (front, front, rear, rear),
            (*(vehicle.front_axle_load,) * 2, *(vehicle.rear_axle_load,) * 2),
            rolling_wheels(vehicle, speed), strict=True))


class VehicleModel(Protocol):
    """A vehicle whose inputs are speed [m/s] and steering angle [rad], in this order.

    Models give kernels, pure functions of (state, inputs, parameters) that Numba can compile:
    derivative, observe (x, y, qz, qw, vx, vy, yaw_rate of the odometry point) and diagnose (the
    fields of racecar.core.types.VehicleDiagnostics). A model with more inputs after these two,
    e.g. wheel torques, gives their number as input_count; all zero, it follows speed and steering.
    """

    @property
    def name(self) -> str:
        """Name in the registry."""

    @property
    def description(self) -> str:
        """Name with the options that make this instance, for messages."""

    @property
    def vehicle(self) -> VehicleParameters:
        """What the model is made of."""

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, in order."""

    @property
    def state_limits(self) -> tuple[float, ...]:
        """Modulus of each state up to which the model holds, finite."""

    @property
    def parameters(self) -> Vector:
        """Packed parameters of the kernels."""

    @property
    def derivative(self) -> Derivative:
        """Kernel: time derivative of the state."""

    @property
    def observe(self) -> Callable[[Vector, Vector, Vector], tuple[float, ...]]:
        """Kernel: pose and twist of the odometry point."""

    @property
    def diagnose(self) -> Callable[[Vector, Vector, Vector], tuple[float, ...]]:
        """Kernel: the fields of VehicleDiagnostics."""

    def rolling_speed(self, state: Vector, inputs: Vector) -> float:
        """Return the forward velocity [m/s] at which wheels roll that have no state."""

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Return slip and forces of the wheels in the order of racecar.core.types.WHEEL_NAMES."""

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """Return the state at rest with the odometry point at a pose."""

    def fastest_mode(self) -> float:
        """Return the largest modulus of an eigenvalue over the admissible speeds [1/s]."""
