# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Exact linearization of a differential-drive robot by a point ahead of its axle.

The point P lies epsilon ahead of the middle of the axle. With speed v and yaw rate w its velocity
is v (cos yaw, sin yaw) + epsilon w (-sin yaw, cos yaw), which can be solved for v and w whatever
the yaw: there is no singularity at standstill, as a car has one (report section 5.2).
"""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import ClassVar, NamedTuple

from racecar.base.columns import Array, number_or_column, rows_of
from racecar.base.compiled import compiled, pure
from racecar.base.elementary import sine_cosine
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import (
    AT_REST,
    BodyTwist,
    car_motion,
    CarMotion,
    Odometry,
    PlanarVelocity,
)
from racecar.base.values import flag_of, number_of, Values
from racecar.control.linearizer import LawStep, SteeringState

POINT_AHEAD_PARAMETERS = ParameterTable([
    Parameter('epsilon', float, 0.1,
              'Distance of the point P ahead of the axle; equals PL_distance of the tracker', 'm',
              above=0.0, maximum=10.0),
    Parameter('reverse', bool, True,
              'Drive backwards when the wanted velocity points behind the robot, with P behind the'
              ' axle; false: turn round'),
])


@pure
def point_ahead_twist(
    vx: float, vy: float, yaw: float, epsilon: float, reverse: bool,
) -> tuple[float, float]:
    """Speed [m/s] and yaw rate [rad/s] that move P at (vx, vy) [m/s] in map.

    reverse: whether a velocity that points behind the robot is driven backwards; P then lies
    epsilon behind the axle, where the motion is stable.
    """
    sine, cosine = sine_cosine(yaw)
    speed = vx * cosine + vy * sine
    ahead = -epsilon if reverse and speed < 0.0 else epsilon
    return speed, (vy * cosine - vx * sine) / ahead


class PointAheadParameters(NamedTuple):
    """epsilon: distance of P ahead of the axle [m]; reverse: 1 or 0, as in point_ahead_twist()."""

    epsilon: float
    reverse: float


@pure
def point_ahead_step(
    state: SteeringState, p: PointAheadParameters, car: CarMotion, vx: float, vy: float, dt: float,
) -> tuple[SteeringState, float, float]:
    """The law as a LawStep, with the yaw rate [rad/s] in the place of a steering angle."""
    speed, yaw_rate = point_ahead_twist(vx, vy, car.yaw, p.epsilon, p.reverse > 0.0)
    return state, speed, yaw_rate


@functools.cache
def _kernel() -> Callable[..., tuple[float, float]]:
    """point_ahead_twist() of an Odometry without its stamp, compiled."""
    def twist(
        car: tuple[float, ...], vx: float, vy: float, epsilon: float, reverse: bool,
    ) -> tuple[float, float]:
        return point_ahead_twist(vx, vy, car_motion(car).yaw, epsilon, reverse)

    return compiled(
        twist, '(UniTuple(float64, 7), float64, float64, float64, boolean)', nogil=False)


class PointAheadLinearizer:
    """The law as the nodes and loops call it; its values are POINT_AHEAD_PARAMETERS.

    step, parameter_type: as of a Linearizer.
    """

    step: ClassVar[LawStep] = point_ahead_step
    parameter_type: ClassVar[type[tuple[float, ...]]] = PointAheadParameters

    def __init__(self, values: Values) -> None:
        """Take resolved values."""
        self.tune(values)

    def tune(self, values: Values) -> None:
        """Take over other values."""
        self._epsilon = number_of(values, 'epsilon')
        self._reverse = flag_of(values, 'reverse')

    @property
    def parameters(self) -> PointAheadParameters:
        """Numbers of the step."""
        return PointAheadParameters(self._epsilon, float(self._reverse))

    def columns(self, values: Values, cars: int) -> Array:
        """Parameters of laws that differ from this one in epsilon: (numbers, cars).

        values: with a column of racecar.base.columns, (cars,), in the place of the number.
        """
        return rows_of(self.parameters._replace(epsilon=number_or_column(values, 'epsilon')), cars)

    @property
    def tracked_ahead(self) -> float:
        """The law is exact for the middle of the axle, 0 m ahead of base_link."""
        return 0.0

    @property
    def reverses(self) -> bool:
        """Whether a velocity that points behind the robot is driven backwards."""
        return self._reverse

    def warm_up(self) -> None:
        """Compile all that a command calls."""
        self._twist(AT_REST[1:], 0.0, 0.0, self._epsilon, self._reverse)

    @functools.cached_property
    def _twist(self) -> Callable[..., tuple[float, float]]:
        return _kernel()

    def command(
        self, odometry: Odometry, velocity: PlanarVelocity, now_ns: int | None = None,
    ) -> BodyTwist:
        """Return the twist for the wanted velocity of P; the law has no memory of time."""
        return BodyTwist(*self._twist(
            odometry[1:], velocity.x, velocity.y, self._epsilon, self._reverse))
