# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What wheels and steering hinges are to do for an Ackermann command.

With speed V of the rear axle, steering angle d of the virtual middle wheel, wheelbase L and
k = tan d/L, the curvature of the path of the rear axle's middle:

    hinges     tan(left) = tan d/(1 - h k)     tan(right) = tan d/(1 + h k)
    rear       V (1 -+ t k/2)
    front      V (sqrt((1 -+ h k)^2 + (L k)^2) -+ w k)

-+ for left and right; h half the distance between the hinges, t rear track, w from a hinge out to
the middle of its wheel: no wheel slips. As in the original, which knew neither, all wheels may
turn alike, and both hinges; it also took 10 rad/s for 1 m/s where its wheels of 0.05 m need 20.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import AckermannCommand, HINGE_JOINTS, JointSetpoints, WHEEL_JOINTS
from racecar.base.values import number_of, text_of, Values
from racecar.dynamics.vehicles.ackermann import ackermann_angles
from racecar.dynamics.vehicles.command_limits import cut_notice, within_limits
from racecar.dynamics.vehicles.hinge_stops import half_kingpin_track, reachable_steering
from racecar.dynamics.vehicles.parameters import VehicleParameters

SERVO_NAMES = (
    *(joint.replace('_joint', '_velocity') for joint in WHEEL_JOINTS),
    *(joint.replace('_joint', '_position') for joint in HINGE_JOINTS))
"""Names of the joints' controllers in the original, in the order of JointSetpoints."""

ACKERMANN, EQUAL = 'ackermann', 'equal'

SERVO_PARAMETERS = ParameterTable([
    Parameter('speed_to_wheel_rate', float, 0.0,
              'Rotation of a rear wheel for the speed; 0: the exact one, 1 over its radius; 10 is'
              " the original's, half of it", 'rad/m', minimum=0.0, maximum=1e4, read_only=True),
    Parameter('hinge_angles', str, ACKERMANN,
              'Angle of each front wheel by its own distance from the centre of the turn, or equal'
              ' ones as in the original', choices=(ACKERMANN, EQUAL), read_only=True),
    Parameter('wheel_rates', str, ACKERMANN,
              'Rotation of each wheel by its own distance from the centre of the turn, or equal'
              ' ones as in the original', choices=(ACKERMANN, EQUAL), read_only=True),
])


@dataclass(frozen=True)
class ServoCommands:
    """Turns Ackermann commands, within the limits of the vehicle, into set-points of joints.

    wheel_rate: rotation of a rear wheel for 1 m/s [rad/m].
    """

    vehicle: VehicleParameters
    wheel_rate: float
    hinge_angles: str = ACKERMANN
    wheel_rates: str = ACKERMANN

    @classmethod
    def from_values(
        cls, vehicle: VehicleParameters, values: Values,
    ) -> ServoCommands:
        """Build from resolved rows of SERVO_PARAMETERS."""
        wheel_rate = number_of(values, 'speed_to_wheel_rate') or 1.0 / vehicle.wheel_radii[1]
        return cls(vehicle, wheel_rate, text_of(values, 'hinge_angles'),
                   text_of(values, 'wheel_rates'))

    @property
    def steering_range(self) -> tuple[float, float]:
        """Angles of the virtual wheel between which no hinge goes beyond its stop [rad]."""
        if self.hinge_angles == EQUAL:
            return self.vehicle.steering_range
        return reachable_steering(self.vehicle)

    def limited(self, command: AckermannCommand) -> AckermannCommand:
        """Command within the limits of the vehicle."""
        return within_limits(command, self.vehicle, self.steering_range)

    def cuts(self, command: AckermannCommand) -> bool:
        """Whether a command goes beyond these limits, by more than single precision rounds."""
        return bool(cut_notice(command, self.limited(command)))

    def setpoints(self, command: AckermannCommand) -> JointSetpoints:
        """Return the set-points for a command of finite numbers, clamped to the vehicle's."""
        vehicle, (speed, angle) = self.vehicle, self.limited(command)
        half, wheelbase = half_kingpin_track(vehicle), vehicle.wheelbase
        left, right = (angle, angle) if self.hinge_angles == EQUAL else ackermann_angles(
            angle, half, wheelbase)
        front_radius, rear_radius = vehicle.wheel_radii
        rear = speed * self.wheel_rate
        front = rear * (rear_radius / front_radius)
        if self.wheel_rates == EQUAL:
            return JointSetpoints(front, front, rear, rear, left, right)
        curvature = math.tan(angle) / wheelbase
        out = 0.5 * vehicle.wheel_width * curvature
        turn = 0.5 * vehicle.track_widths[1] * curvature
        along = wheelbase * curvature
        return JointSetpoints(
            front * (math.hypot(1.0 - half * curvature, along) - out),
            front * (math.hypot(1.0 + half * curvature, along) + out),
            rear * (1.0 - turn), rear * (1.0 + turn), left, right)
