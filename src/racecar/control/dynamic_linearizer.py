# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamic feedback linearization of the single track with linear tyres (report section 5.2).

Symbols as in racecar.dynamics.vehicles.single_track; beta sideslip and V speed of the centre of
gravity, chi = yaw + beta the direction in which it moves, P the point at epsilon from it in that
direction. P moves at (vPx, vPy) if

    V   =  vPx cos(chi) + vPy sin(chi)
    w   = (vPy cos(chi) - vPx sin(chi)) / epsilon          w = chi'
    d   =  m V w / Cf + (Cf + Cr)/Cf beta - (b Cr - a Cf)/Cf r / V

the last line from m V chi' = Fyf + Fyr with Fyf = -Cf (beta + a r/V - d),
Fyr = -Cr (beta - b r/V). The report prints beta + w in the place of chi and takes beta from the
commanded velocity; its program has a plus before the last term. Here beta and r are measured.

What the law leaves to itself, for w = 0, is beta'' + (L b Cr/(Iz V)) beta' + (L Cr/Iz) beta = 0:
stable forwards, unstable in reverse, where the tyre forces change sign. So it is used forwards
only.

Hand-over. Towards standstill the law becomes singular (r/V), and slower than its sampling: the
tyres then settle within a tick, and what is left of the law turns the wheels by m V w/Cf per
tick. There the kinematic law takes over. It is exact for points on the axis of the car: with P at
b + epsilon ahead of the rear axle, that is epsilon ahead of the same centre of gravity, both laws
have one tracked point, and on a straight line the same P. Between kinematic_speed and
dynamic_speed the commands of both are mixed with a weight that is a smooth function of the slower
of commanded and measured speed; so the command is a continuous function of what goes in.

Limit of grip. The front axle moves at the angle n = atan((vy + a r)/vx) to the axis of the car
and so slips by n - d. Beyond the slip at which it slides, tan(n - d) = 3 mu Fz/Cf for a brush
tyre (racecar.dynamics.tyres.fiala), more steering gives no more force, and turns what there is
backwards: less of it points to the side, the error grows, and the law asks for still more. So d
is kept within n +- atan(slip_share 3 mu Fz/Cf), which is the law itself as long as the tyres can
do what it asks. Where the speed, or the error, comes all at once, d moves by steering_rate at
most; the bound of the slip goes before.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

from racecar.base.columns import each, given, number_or_column
from racecar.base.compiled import pure
from racecar.base.elementary import arctangent, smoothstep
from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import CarMotion
from racecar.base.values import Values
from racecar.control.hand_over import hand_over_speeds, ROLLING_TIME, SLIDING_TIME
from racecar.control.kinematic_linearizer import kinematic_step, KinematicLaw
from racecar.control.linearizer import LawStep, Linearizer, STANDSTILL_PARAMETERS, SteeringState
from racecar.dynamics.tyres.fiala import tangent_scale
from racecar.dynamics.vehicles.parameters import VehicleParameters

DYNAMIC_LINEARIZER_PARAMETERS = ParameterTable([
    Parameter('epsilon', float, 0.1,
              'Distance of the point P from the centre of gravity along its velocity; equals'
              ' PL_distance of the tracker', 'm', above=0.0, maximum=10.0),
    Parameter('kinematic_speed', float, 0.0,
              'Up to this speed the kinematic law steers alone; less than dynamic_speed; 0:'
              f' one wheelbase in {ROLLING_TIME:g} s', 'm/s', minimum=0.0, maximum=100.0),
    Parameter('dynamic_speed', float, 0.0,
              'From this speed on the dynamic law steers alone; in between both are mixed; 0:'
              f' one wheelbase in {SLIDING_TIME:g} s', 'm/s', minimum=0.0, maximum=100.0),
    Parameter('slip_share', float, 0.6,
              'Maximum slip that the dynamic law asks of the front tyres, as a share of the one at'
              ' which brush tyres with stiffness and friction of the vehicle slide', '-',
              above=0.0, maximum=1000.0),
    Parameter('steering_rate', float, 10.0,
              'Maximum rate at which the dynamic law turns the wheels', 'rad/s', above=0.0,
              maximum=1e6),
    *STANDSTILL_PARAMETERS,
])


class DynamicLaw(NamedTuple):
    """Parameters of both laws, the vehicle and its limits [SI].

    tracked_ahead: position of the centre of gravity ahead of base_link; largest_slip: angle to
    which slip_share amounts.
    """

    epsilon: float
    kinematic_speed: float
    dynamic_speed: float
    mass: float
    to_front: float
    to_rear: float
    front_stiffness: float
    rear_stiffness: float
    minimum_speed: float
    fade_speed: float
    steering_min: float
    steering_max: float
    speed_min: float
    speed_max: float
    tracked_ahead: float
    largest_slip: float
    steering_rate: float


@pure
def dynamic_law(
    law: DynamicLaw, vx: float, vy: float, yaw: float, sideslip: float, yaw_rate: float,
) -> tuple[float, float]:
    """Speed of the centre of gravity [m/s] and steering [rad] that move P at (vx, vy).

    vx, vy: wanted velocity of P in `map` [m/s]; yaw [rad]; sideslip [rad] and yaw_rate [rad/s] as
    measured at the centre of gravity; the speed that results must not be 0.
    """
    course = yaw + sideslip
    cosine, sine = math.cos(course), math.sin(course)
    speed = vx * cosine + vy * sine
    turning = (vy * cosine - vx * sine) / law.epsilon
    front, rear = law.front_stiffness, law.rear_stiffness
    return speed, (
        law.mass * speed * turning / front + (front + rear) / front * sideslip
        - (law.to_rear * rear - law.to_front * front) / front * yaw_rate / speed)


@pure
def steering_within_grip(
    law: DynamicLaw, steering: float, front_angle: float, last_steering: float, dt: float,
) -> float:
    """Steering [rad] nearest to the wanted one that the tyres and the servo can use.

    front_angle: in which the front axle moves, from the axis of the car to the left [rad], from
    which the wheels differ by largest_slip at most; last_steering: one command before [rad], from
    which it turns at steering_rate at most, unless the slip would be too large; dt: time since
    then [s], 0 for none. The stops come before all others.
    """
    largest_turn = law.steering_rate * dt if dt > 0.0 else math.inf
    turned = max(last_steering - largest_turn, min(last_steering + largest_turn, steering))
    gripping = max(
        front_angle - law.largest_slip, min(front_angle + law.largest_slip, turned))
    return max(law.steering_min, min(law.steering_max, gripping))


@pure
def dynamic_step(
    state: SteeringState, law: DynamicLaw, car: CarMotion, vx: float, vy: float, dt: float,
) -> tuple[SteeringState, float, float]:
    """LawStep of both laws, mixed by the speed of the rear axle, V cos(beta)."""
    kinematic = KinematicLaw(
        law.to_rear + law.epsilon, law.to_front + law.to_rear, law.minimum_speed, law.fade_speed,
        0.0, law.steering_min, law.steering_max, law.speed_min, law.speed_max)
    after, speed, steering = kinematic_step(state, kinematic, car, vx, vy, dt)
    # Of the centre of gravity.
    forward, lateral = car.vx, car.vy + law.tracked_ahead * car.yaw_rate
    sideslip = math.atan2(lateral, forward)
    course = car.yaw + sideslip
    along = vx * math.cos(course) + vy * math.sin(course)
    share = smoothstep(min(along, forward), law.kinematic_speed, law.dynamic_speed)
    if share > 0.0:
        along, turned = dynamic_law(law, vx, vy, car.yaw, sideslip, car.yaw_rate)
        turned = steering_within_grip(
            law, turned, arctangent((lateral + law.to_front * car.yaw_rate) / forward),
            state.held_steering, dt)
        along = max(law.speed_min, min(law.speed_max, along * math.cos(sideslip)))
        speed += share * (along - speed)
        steering += share * (turned - steering)
        after = SteeringState(steering)
    return after, speed, steering


class DynamicLinearizer(Linearizer):
    """Both laws with the vehicle's limits; its values are DYNAMIC_LINEARIZER_PARAMETERS."""

    step: ClassVar[LawStep] = staticmethod(dynamic_step)
    parameter_type = DynamicLaw

    @staticmethod
    def mixing_speeds(
        values: Values, vehicle: VehicleParameters,
    ) -> tuple[float, float]:
        """Return kinematic_speed and dynamic_speed, where 0 those of the vehicle [m/s].

        Raises ParameterError unless the first is less than the second.
        """
        low, high = (given(number_or_column(values, name), default) for name, default in zip(
            ('kinematic_speed', 'dynamic_speed'), hand_over_speeds(vehicle), strict=True))
        if not low < high:
            raise ParameterError(
                f"parameter 'kinematic_speed' is {low:g} m/s, expected less than dynamic_speed"
                f' ({high:g} m/s): the laws are mixed between the two')
        return low, high

    def pack(self, values: Values) -> DynamicLaw:
        """Return values, vehicle and limits. Raises ParameterError as mixing_speeds() does."""
        vehicle = self._vehicle
        return DynamicLaw(
            number_or_column(values, 'epsilon'), *self.mixing_speeds(values, vehicle),
            vehicle.mass, vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle,
            vehicle.front_cornering_stiffness, vehicle.rear_cornering_stiffness,
            number_or_column(values, 'minimum_speed'), number_or_column(values, 'fade_speed'),
            *vehicle.steering_range, vehicle.speed_min, vehicle.speed_max, self.tracked_ahead,
            each(math.atan, number_or_column(values, 'slip_share') / each(
                tangent_scale, vehicle.front_cornering_stiffness, vehicle.frictions[1],
                vehicle.front_axle_load)), number_or_column(values, 'steering_rate'))

    @property
    def tracked_ahead(self) -> float:
        """Position of the centre of gravity ahead of base_link [m]."""
        return -self._vehicle.odometry_offset

    @property
    def reverses(self) -> bool:
        """The law is unstable in reverse: the car turns round instead."""
        return False
