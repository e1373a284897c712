# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What feedback linearizers share: what the closed loop asks of them, and standstill."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
import copy
import functools
from typing import ClassVar, NamedTuple

import numpy as np

from racecar.base.columns import Array, rows_of
from racecar.base.compiled import compiled
from racecar.base.parameters import Parameter
from racecar.base.rows import load, Part, store, zeros_of
from racecar.base.types import (
    AckermannCommand,
    AT_REST,
    car_motion,
    Odometry,
    PlanarVelocity,
)
from racecar.base.values import Values
from racecar.base.vectors import Flat, Vector, vector
from racecar.control.step_clock import StepClock
from racecar.dynamics.vehicles.parameters import VehicleParameters

POINT_TOLERANCE = 1e-3
"""How far points may lie apart that must be one, such as P of tracker and law [m].

Two descriptions of one vehicle may differ by rounding, not by more.
"""

STANDSTILL_PARAMETERS = (
    Parameter('minimum_speed', float, 0.01,
              'Below this commanded speed the last steering is held, because the law is'
              ' singular at standstill', 'm/s', above=0.0, maximum=1.0),
    Parameter('fade_speed', float, 0.05,
              'From this commanded speed downwards the steering fades to the last one from above'
              ' it, so that it does not swing where the car stops; 0 does without', 'm/s',
              minimum=0.0, maximum=5.0),
)
"""How the laws go over to standstill."""


class SteeringState(NamedTuple):
    """What a law remembers: the steering angle that it holds at standstill [rad]."""

    held_steering: float


LawStep = Callable[..., tuple[SteeringState, float, float]]
"""step(state, parameters, car, vx, vy, dt): a pure function of a SteeringState and parameter_type.

car: as measured; vx, vy: wanted velocity of P in `map` [m/s]; dt: time since the step before [s],
0 at the first and for a repeated time. Returns the next state, speed [m/s] and steering angle
[rad] within the limits of the vehicle.
"""


class Linearizer(ABC):
    """Turns the wanted velocity of the point P into speed and steering by a pure step.

    step: of the law; parameter_type: NamedTuple of what it takes. state and parameters: the packed
    numbers of both, on which compiled loops run.
    """

    step: ClassVar[LawStep]
    parameter_type: ClassVar[type[tuple[float, ...]]]

    def __init__(self, values: Values, vehicle: VehicleParameters) -> None:
        """Take resolved values of the law's parameters and the vehicle; raises as tune()."""
        self._vehicle = vehicle
        self.state: Flat = vector(len(SteeringState._fields))
        self.parameters: Flat = vector(len(zeros_of(self.parameter_type)))
        self.tune(values)
        self._clock = StepClock()

    def tune(self, values: Values) -> None:
        """Take over other values; the steering stays held.

        Raises ParameterError, and keeps the old ones, if they contradict each other.
        """
        self.parameters[:] = vector(self.pack(values))

    @abstractmethod
    def pack(self, values: Values) -> tuple[float, ...]:
        """Return values as parameter_type. Raises ParameterError if they contradict."""

    def columns(
        self, values: Values, vehicle: VehicleParameters, cars: int,
    ) -> Array:
        """Return parameters of laws that differ from this one in numbers: (numbers, cars).

        values and vehicle: with columns of racecar.base.columns in the place of some numbers.
        Raises TypeError or ValueError if a number decides more than numbers.
        """
        many = copy.copy(self)
        vars(many).update(_vehicle=vehicle)
        return rows_of(many.pack(values), cars)

    @property
    @abstractmethod
    def tracked_ahead(self) -> float:
        """Position ahead of base_link [m] of the point whose error the tracker must feed back."""

    @property
    @abstractmethod
    def reverses(self) -> bool:
        """Whether the car is driven backwards where the wanted velocity points behind it."""

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a command calls; nothing changes."""
        self._kernel(vector(self.state), self.parameters, AT_REST[1:], 0.0, 0.0, 0.0)

    @functools.cached_property
    def _kernel(self) -> Callable[..., tuple[float, float]]:
        return _single_kernel(type(self).step, self.parameter_type)

    @property
    def last_ns(self) -> int | None:
        """Time of the step before [ns], None if there was none."""
        return self._clock.last_ns

    def time_step(self, now_ns: int) -> float:
        """Return the time since the command before [s], and note the present one [ns].

        0 at the first and for a time that is not later.
        """
        return self._clock.step(now_ns)

    def command(
        self, odometry: Odometry, velocity: PlanarVelocity, now_ns: int | None = None,
    ) -> AckermannCommand:
        """Return the command for the wanted velocity of P, within the vehicle's limits.

        now_ns: time of the command [ns], by default the odometry's stamp.
        """
        dt = self.time_step(odometry.time_ns if now_ns is None else now_ns)
        return AckermannCommand(*self._kernel(
            self.state, self.parameters, odometry[1:], velocity.x, velocity.y, dt))


@functools.cache
def _single_kernel(
    step: LawStep, parameter_type: type[tuple[float, ...]],
) -> Callable[..., tuple[float, float]]:
    """Compiled step of a law.

    kernel(state, parameters, car, vx, vy, dt) of flat state, which it changes, and parameters, and
    an Odometry without its stamp, gives speed [m/s] and steering angle [rad] in single precision.
    """
    state_part, parameters_part = Part(SteeringState(0.0)), Part(zeros_of(parameter_type))

    def command(
        state: Flat, parameters: Vector, car: tuple[float, ...], vx: float, vy: float, dt: float,
    ) -> tuple[float, float]:
        after, speed, steering = step(
            load(state, state_part, 0), load(parameters, parameters_part, 0), car_motion(car),
            vx, vy, dt)
        store(state, state_part, 0, after)
        # As a message carries it.
        return float(np.float32(speed)), float(np.float32(steering))

    return compiled(command, '(float64[::1], float64[::1], UniTuple(float64, 7), float64, float64,'
                             ' float64)', nogil=False)
