# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands of a car for velocities as Nav2 and teleop_twist_keyboard send them.

With speed v and yaw rate w the path of the rear axle has the curvature w/v, for which a car of
wheelbase L steers by atan(L w/v). f1tenth_gym_ros steers to one side by a fixed angle instead.
"""

from __future__ import annotations

import math

from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import AckermannCommand, BodyTwist
from racecar.base.values import number_of, text_of, Values

CURVATURE, SIDE = 'curvature', 'side'

TWIST_PARAMETERS = ParameterTable([
    Parameter('twist_steering', str, CURVATURE,
              'How sources of type twist steer: curvature by the wheelbase, or to the side of the'
              ' yaw rate by twist_side_angle, as f1tenth_gym_ros does', choices=(CURVATURE, SIDE)),
    Parameter('twist_side_angle', float, 0.3,
              'Steering angle for any yaw rate with twist_steering side', 'rad', above=0.0,
              maximum=1.5),
    Parameter('wheelbase', float, 0.325,
              'Distance of the axles for twist_steering curvature; configurations give that of'
              ' their vehicle', 'm', above=0.0, maximum=100.0),
])


def command_of_twist(twist: BodyTwist, values: Values) -> AckermannCommand:
    """Speed [m/s] and steering angle [rad] for a velocity.

    A car cannot turn on the spot: without speed it does not steer. values: of TWIST_PARAMETERS.
    """
    if text_of(values, 'twist_steering') == SIDE:
        angle = number_of(values, 'twist_side_angle')
        return AckermannCommand(
            twist.speed, math.copysign(angle, twist.yaw_rate) if twist.yaw_rate else 0.0)
    if twist.speed == 0.0:
        return AckermannCommand(0.0, 0.0)
    return AckermannCommand(
        twist.speed,
        math.atan(number_of(values, 'wheelbase') * twist.yaw_rate / twist.speed))
