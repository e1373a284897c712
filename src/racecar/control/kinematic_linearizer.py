# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic feedback linearization of the rear-axle bicycle (report section 5.2)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from racecar.base.columns import number_or_column
from racecar.base.compiled import pure
from racecar.base.elementary import arctangent, sine_cosine
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import CarMotion
from racecar.base.values import flag_of, Values
from racecar.control.linearizer import LawStep, Linearizer, STANDSTILL_PARAMETERS, SteeringState

KINEMATIC_LINEARIZER_PARAMETERS = ParameterTable([
    Parameter('epsilon', float, 0.1,
              'Distance of the point P ahead of the rear axle; equals PL_distance of the tracker',
              'm', above=0.0, maximum=10.0),
    *STANDSTILL_PARAMETERS,
    Parameter('reverse', bool, True,
              'Drive backwards when the wanted velocity points behind the car, with P behind the'
              ' rear axle; false: turn round, as in the report'),
])


class KinematicLaw(NamedTuple):
    """Parameters of the law and the vehicle's limits [SI]; reverse: 1 or 0."""

    epsilon: float
    wheelbase: float
    minimum_speed: float
    fade_speed: float
    reverse: float
    steering_min: float
    steering_max: float
    speed_min: float
    speed_max: float


@pure
def speed_and_steering(
    law: KinematicLaw, distance: float, held_steering: float, yaw: float, vx: float, vy: float,
) -> tuple[float, float]:
    """Rear-axle speed [m/s] and steering angle [rad] that move P at (vx, vy) [m/s] in `map`.

    V = vx cos(yaw) + vy sin(yaw), w = (vy cos(yaw) - vx sin(yaw)) / distance,
    delta = atan(wheelbase w / V); below minimum_speed delta = held_steering [rad]. distance: of P
    ahead of the rear axle [m], negative behind it.
    """
    sine, cosine = sine_cosine(yaw)
    speed = vx * cosine + vy * sine
    slow = abs(speed) < law.minimum_speed
    yaw_rate = (vy * cosine - vx * sine) / distance
    # Selections rather than branches let a loop over vehicles vectorise.
    steering = arctangent(law.wheelbase * yaw_rate / (1.0 if slow else speed))
    return speed, held_steering if slow else steering


@pure
def kinematic_step(
    state: SteeringState, law: KinematicLaw, car: CarMotion, vx: float, vy: float, dt: float,
) -> tuple[SteeringState, float, float]:
    """LawStep of the kinematic law.

    A velocity that points behind the car is driven backwards if the law reverses; P then lies
    epsilon behind the axle, where the motion is stable. Otherwise P stays ahead and the car turns
    round. From fade_speed [m/s] down to minimum_speed the law gives way to held_steering, the last
    one from above fade_speed, so nothing jumps where the speed passes through zero.
    """
    held_steering = state.held_steering
    sine, cosine = sine_cosine(car.yaw)
    backwards = law.reverse > 0.0 and vx * cosine + vy * sine < 0.0
    speed, wanted = speed_and_steering(
        law, -law.epsilon if backwards else law.epsilon, held_steering, car.yaw, vx, vy)
    wanted = max(law.steering_min, min(law.steering_max, wanted))
    fades = abs(speed) < max(law.fade_speed, law.minimum_speed)
    share = max(0.0, abs(speed) - law.minimum_speed) / max(
        1e-9, law.fade_speed - law.minimum_speed)
    steering = held_steering + share * share * (wanted - held_steering) if fades else wanted
    return (
        SteeringState(held_steering if fades else wanted),
        max(law.speed_min, min(law.speed_max, speed)), steering)


class KinematicLinearizer(Linearizer):
    """The law with the vehicle's limits; its values are KINEMATIC_LINEARIZER_PARAMETERS."""

    step: ClassVar[LawStep] = staticmethod(kinematic_step)
    parameter_type = KinematicLaw

    def pack(self, values: Values) -> KinematicLaw:
        """Return values and the vehicle's limits."""
        vehicle = self._vehicle
        return KinematicLaw(
            number_or_column(values, 'epsilon'), vehicle.wheelbase,
            number_or_column(values, 'minimum_speed'), number_or_column(values, 'fade_speed'),
            float(flag_of(values, 'reverse')), *vehicle.steering_range, vehicle.speed_min,
            vehicle.speed_max)

    @property
    def tracked_ahead(self) -> float:
        """The law is exact for base_link, 0 m ahead of itself."""
        return 0.0

    @property
    def reverses(self) -> bool:
        """Whether a velocity that points behind the car is driven backwards."""
        return KinematicLaw(*self.parameters).reverse > 0.0
