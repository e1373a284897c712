# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the simulator asks of a vehicle model driven by speed and steering angle."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, NamedTuple, Protocol

from racecar.base.packing import Vector
from racecar.base.types import AckermannCommand, Pose2, WheelCommand, Wheels, WheelState
from racecar.dynamics.vehicles.parameters import VehicleParameters

Derivative = Callable[[Vector, Vector, Vector], tuple[float, ...]]
"""Pure function of state, inputs and packed parameters; returns the state's time derivative."""

Rates = tuple[float, float, float, float, float]
"""Time derivative of a state of five."""

Coefficients = tuple[
    float, float, float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float, float, float,
    float, float, float, float]
"""What inputs and parameters fix until the next command, so that a step need not compute it."""

Travel = tuple[float, ...]
"""How far wheels have come since the last reset, in the form that the model integrates."""

SPEED = 0
STEERING_ANGLE = 1

POSITION_LIMIT = 1e9
"""Beyond this a float64 no longer resolves a step of motion [m, rad]."""


class SplitDerivative(NamedTuple):
    """A derivative of five states in two parts, for loops over many steps and many vehicles.

    derivative(state, inputs, parameters) = rates(state, precompute(inputs, parameters)); both are
    inlined kernels that take and return tuples. The last three states are x, y, yaw; as nothing
    depends on where the vehicle is, a step counts them from the pose at its start, so the yaw that
    rates gets is small (see sine_cosine_of_turn()). name: unique among those of all models.
    The wheels of such a model roll at the commanded speed, whose integral is its only travel [m].
    """

    name: str
    precompute: Callable[[Vector, Vector], Coefficients]
    rates: Callable[[Vector, Coefficients], Rates]


class HeldRates(NamedTuple):
    """A derivative in two parts whose state is a NamedTuple, for loops like SplitDerivative.

    derivative(state, inputs, parameters) = rates(state, hold(inputs, parameters)); both are
    inlined kernels, what hold returns is a NamedTuple, nested or not. A step counts the state's
    x, y and yaw from the pose at its start. name: unique among those of all models.
    """

    name: str
    hold: Callable[[Vector, Vector], Any]
    rates: Callable[[Any, Any], Any]


class ModalDerivative(NamedTuple):
    """The derivative of a model whose inputs have two modes, each with rates of its own.

    state: the NamedTuple of the state, in the order of the model's states; command: inputs as
    VehicleModel.follow() leaves them, of which speed and steering angle alone count; torques:
    others; is_commanded(inputs): kernel, which of the two. name: unique, as in HeldRates.
    """

    name: str
    state: Any
    is_commanded: Callable[[Vector], bool]
    command: HeldRates
    torques: HeldRates


class VehicleModel(Protocol):
    """A vehicle whose first inputs are speed [m/s] and steering angle [rad], in this order.

    Models give kernels, pure functions of (state, inputs, parameters) that Numba can compile:
    derivative, observe (x, y, qz, qw, vx, vy, yaw_rate of the odometry point) and diagnose (the
    fields of racecar.base.types.VehicleDiagnostics). What commands do to inputs, and what inputs
    and state say about the wheels, only the model knows. racecar.dynamics.vehicles.rolling has the
    answers of models whose wheels have no state of their own.
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
    def input_count(self) -> int:
        """Number of inputs, at least two; all zero the vehicle is to stop, straight ahead."""

    @property
    def parameters(self) -> Vector:
        """Packed parameters of the kernels."""

    @property
    def derivative(self) -> Derivative:
        """Kernel: time derivative of the state."""

    @property
    def split_derivative(self) -> SplitDerivative | ModalDerivative | None:
        """The derivative in two parts, for loops over many steps; None if there is none."""

    @property
    def observe(self) -> Callable[[Vector, Vector, Vector], tuple[float, ...]]:
        """Kernel: pose and twist of the odometry point."""

    @property
    def diagnose(self) -> Callable[[Vector, Vector, Vector], tuple[float, ...]]:
        """Kernel: the fields of VehicleDiagnostics."""

    def follow(self, command: AckermannCommand, inputs: MutableSequence[float]) -> None:
        """Write inputs for which the vehicle follows speed and steering angle."""

    def wheel_inputs(self, command: WheelCommand) -> Sequence[float]:
        """Return the inputs for steering angles and torques of wheels, within the limits.

        Raises ParameterError for what is out of range, and ConfigurationError naming the remedy
        if the wheels of the model take no torques.
        """

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Return slip and forces of the wheels in the order of racecar.base.types.WHEEL_NAMES."""

    def wheel_speeds(self, state: Vector, inputs: Vector) -> Wheels:
        """Return the speed of rotation of each wheel [rad/s]."""

    def steering_angles(self, inputs: Vector) -> tuple[float, float]:
        """Return the steering angle of the left and right front wheel [rad]."""

    @property
    def no_travel(self) -> Travel:
        """Travel of wheels that have not turned since the last reset."""

    @property
    def travelled(self) -> Callable[[Travel, Vector, Vector, Vector, float, float], Travel]:
        """Kernel of (travel, before, after, parameters, commanded, duration): the next travel.

        before, after: states; commanded: integral of the commanded speed over the duration [m, s].
        """

    def wheel_rotations(self, travel: Travel) -> Wheels:
        """Return the angle through which each wheel has turned [rad], positive forwards."""

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """Return the state at rest with the odometry point at a pose."""

    def fastest_mode(self) -> float:
        """Return the largest modulus of an eigenvalue over the admissible speeds [1/s]."""
