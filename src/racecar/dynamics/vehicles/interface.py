# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the simulator asks of a vehicle model driven by speed and steering angle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from racecar.base.columns import Array
from racecar.base.rows import Numbers, zeros_like
from racecar.base.types import Pose2, WheelCommand, Wheels, WheelState
from racecar.base.values import Values
from racecar.base.vectors import Vector
from racecar.dynamics.vehicles.parameters import VehicleParameters

Derivative = Callable[[Vector, Vector, Vector], tuple[float, ...]]
"""Function of the numbers of state, inputs and parameters."""

Travel = tuple[float, ...]
"""How far wheels have come since the last reset, in the form that the model integrates."""

SPEED = 0
STEERING_ANGLE = 1


class Command(NamedTuple):
    """Inputs of a vehicle that follows speed [m/s] and steering angle [rad]."""

    speed: float
    steering_angle: float


NO_COMMAND = Command(0.0, 0.0)


class Equations(NamedTuple):
    """Equations of motion as pure functions of NamedTuples of numbers, nested or not, in SI units.

    name: unique among those of all models. state, inputs, parameters, held: examples, all zeros;
    their types may choose equations, see racecar.base.compiled.by_type(). hold(inputs, parameters)
    gives what both fix until the next command; rates(state, held) the time derivative of the
    state. Of a state with x, y and yaw a step counts these from the pose at its start, as nothing
    depends on where a vehicle is: so rates gets x = y = 0 and the small yaw by which the vehicle
    turns within a step. observe(state, inputs, parameters) gives x, y, qz, qw, vx, vy, yaw_rate of
    the odometry point; diagnose(state, inputs, parameters, held) the fields of VehicleDiagnostics.
    """

    name: str
    state: tuple[float, ...]
    inputs: Numbers
    parameters: Numbers
    held: Numbers
    hold: Callable[..., Numbers]
    rates: Callable[..., tuple[float, ...]]
    observe: Callable[..., tuple[float, ...]]
    diagnose: Callable[..., tuple[float, ...]]


S = TypeVar('S', bound=tuple[float, ...])
I_contra = TypeVar('I_contra', bound=Numbers, contravariant=True)
C_contra = TypeVar('C_contra', bound=Numbers, contravariant=True)
H = TypeVar('H', bound=Numbers)


class Laws(NamedTuple, Generic[S, I_contra, C_contra, H]):
    """The functions of Equations, each for the same state, inputs, parameters and held."""

    hold: Callable[[I_contra, C_contra], H]
    rates: Callable[[S, H], S]
    observe: Callable[[S, I_contra, C_contra], tuple[float, ...]]
    diagnose: Callable[[S, I_contra, C_contra, H], tuple[float, ...]]


def equations_of(
    name: str, state: S, inputs: I_contra, parameters: C_contra,
    laws: Laws[S, I_contra, C_contra, H],
) -> Equations:
    """Equations by these functions for tuples like state, inputs and parameters."""
    return Equations(name, zeros_like(state), zeros_like(inputs), zeros_like(parameters),
                     zeros_like(laws.hold(inputs, parameters)), *laws)


class ModelColumns(NamedTuple):
    """Many cars of one model whose vehicles differ; columns are explained in racecar.base.columns.

    parameters: (numbers, cars); limits: VehicleModel.state_limits, (states, cars); modes: matrices
    whose eigenvalues are those of the cars at the admissible speeds, (cars, points, n, n); ahead:
    how far the odometry point lies ahead of that whose pose is in the state [m], a number if it
    does not differ, else a column.
    """

    parameters: Array
    limits: Array
    modes: Array
    ahead: float


class MadeOf(NamedTuple):
    """What a model is made of: a vehicle, whose numbers may be columns, and resolved values."""

    vehicle: VehicleParameters
    values: Values


class VehicleModel(Protocol):
    """A vehicle whose first inputs are speed [m/s] and steering angle [rad], in this order.

    State, inputs and parameters are flat numbers, those of the NamedTuples of its equations in
    order. What inputs and state say about the wheels, only the model knows.
    racecar.dynamics.vehicles.rolling has the answers of models whose wheels have no state.
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
        """Numbers of the parameters."""

    @property
    def equations(self) -> Equations:
        """Equations for commands, which are the first of the inputs; the others are 0 then."""

    @property
    def wheel_equations(self) -> Equations | None:
        """Equations for all inputs where their `mode` is not 0; None if there is one mode only.

        Those for commands differ in inputs, hold and held alone.
        """

    def wheel_inputs(self, command: WheelCommand) -> Sequence[float]:
        """Inputs for steering angles and torques of wheels, within the limits.

        Raises ParameterError for what is out of range, and ConfigurationError naming the remedy
        if the wheels of the model take no torques.
        """

    def wheels(self, state: Vector, inputs: Vector) -> tuple[WheelState, ...]:
        """Slip and forces of the wheels in the order of racecar.base.types.WHEEL_NAMES."""

    def wheel_speeds(self, state: Vector, inputs: Vector) -> Wheels:
        """Speed of rotation of each wheel [rad/s]."""

    def steering_angles(self, inputs: Vector) -> tuple[float, float]:
        """Steering angle of the left and right front wheel [rad]."""

    @property
    def no_travel(self) -> Travel:
        """Travel of wheels that have not turned since the last reset."""

    @property
    def travelled(self) -> Callable[..., Travel]:
        """Pure function of (travel, before, after, parameters, commanded, duration): next travel.

        before, after: states, parameters: as in the equations; commanded: integral of the
        commanded speed over the duration [m, s].
        """

    def wheel_rotations(self, travel: Travel) -> Wheels:
        """Angle through which each wheel has turned [rad], positive forwards."""

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """State at rest with the odometry point at a pose."""

    def on_friction(self, front: float, rear: float) -> Self:
        """Return the model where the friction of front and rear tyres is times these factors.

        Its equations are those of this one. A model without tyres is the same everywhere.
        """

    def parameters_on(
        self, front: float, rear: float, made_of: MadeOf | None = None,
    ) -> Numbers | None:
        """Parameters of on_friction(front, rear), whose factors may be columns.

        None of a model without tyres. made_of: of which the cars are in place of this model. Only
        those parameters count that the factors change.
        """

    def fastest_mode(self) -> float:
        """Largest modulus of an eigenvalue over the admissible speeds [1/s]."""

    def columns(
        self, vehicle: VehicleParameters, values: Values, cars: int,
    ) -> ModelColumns:
        """What cars have that differ from this one in numbers of their vehicles.

        vehicle: with columns, (cars,), in the place of some numbers; values: resolved, those of
        which this one is made. Raises TypeError or ValueError if a number decides more than
        numbers.
        """
