# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Automatic emergency braking by a laser scan: time to collision of the outline on its arc.

A car that keeps its twist (vx, vy, yaw rate w) turns about the point c = (-vy/w, vx/w) of its own
frame. Seen from the car, what stands still at p turns about c with -w, on the circle of radius
|p - c|; it is touched where this circle first meets the outline, a rectangle. With the angle D
from p to there, the way of base_link is s = D |v|/|w|, and the time to collision s/|v| = D/|w|.
Circles and polygons: K. O. Arras, J. Persson, N. Tomatis, R. Siegwart, "Real-time obstacle
avoidance for polygonal robots with a reduced dynamic window", ICRA 2002, after D. Fox, W. Burgard,
S. Thrun, "The dynamic window approach to collision avoidance", IEEE RAM 4 (1997). The time that
F1TENTH teaches (its lab 2), r/max(0, vx cos(angle)) of each ray, is that of a point without
outline, which also brakes for walls beside the car.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.parameter_fields import made_of, Row, table_of
from racecar.base.readings import LaserScan
from racecar.base.types import Odometry
from racecar.base.values import Values
from racecar.dynamics.vehicles.parameters import Footprint, VehicleParameters

FREE, RELEASED = 'free', 'released'
"""When a brake lets go: once the way is free, or only when somebody says so."""


class BrakeSettings(NamedTuple):
    """Settings of the emergency brake."""

    time_to_collision: Annotated[float, Row(
        'Brakes at a shorter time to collision than this and, beside it, the time v/(2'
        ' deceleration) that braking takes', 's', minimum=0.0, maximum=60.0)] = 0.2
    deceleration: Annotated[float, Row(
        'Deceleration with which the car can brake', 'm/s^2', above=0.0, maximum=100.0)] = 6.0
    margin: Annotated[float, Row(
        'Room around the vehicle that counts as the vehicle', 'm', minimum=0.0,
        maximum=10.0)] = 0.05
    hold: Annotated[str, Row(
        'When it lets go: free, once the way is free; released, only by ~/release',
        choices=(FREE, RELEASED))] = FREE
    resume_distance: Annotated[float, Row(
        'Way that has to be free, beside what braking takes, before it lets go', 'm', minimum=0.0,
        maximum=100.0)] = 0.5
    laser_x: Annotated[float, Row(
        'Position of the laser ahead of base_link; configurations give that of their car', 'm',
        minimum=-100.0, maximum=100.0, name='laser.x')] = 0.0
    laser_y: Annotated[float, Row(
        'Position of the laser to the left', 'm', minimum=-100.0, maximum=100.0,
        name='laser.y')] = 0.0
    laser_yaw: Annotated[float, Row(
        'Direction of the laser, to the left of ahead', 'rad', minimum=-2.0 * math.pi,
        maximum=2.0 * math.pi, name='laser.yaw')] = 0.0


BRAKE_PARAMETERS = table_of(BrakeSettings, '', read_only=False)

# Slower than this [m/s] the car stands, and what it did before is what it may do next.
_STANDING = 0.05
# Curvature [1/m] that stands for none: over 4 m the circle is straight to a micrometre.
_STRAIGHT = 1e-7
# Of the rays of a scan, so many have to tell something.
_KNOWN_SHARE = 0.5
# So far before the vehicle [m] is what a ray may not have seen.
_CLOSE = 0.01


class Motion(NamedTuple):
    """Where a vehicle goes: unit vector along base_link's path [-], curvature of that [1/m]."""

    x: float
    y: float
    curvature: float


AHEAD = Motion(1.0, 0.0, 0.0)


class BrakeState(NamedTuple):
    """What the brake remembers: whether it brakes, and how the car moved when it last did."""

    brakes: bool = False
    motion: Motion = AHEAD


class Verdict(NamedTuple):
    """What is to be done at a scan.

    brakes: whether to brake; way: of base_link until something is touched [m], inf if nothing is;
    time: the same as time to collision [s]; why: words for people, empty if it does not brake.
    """

    brakes: bool
    way: float
    time: float
    why: str


def way_to_contact(points: Array, footprint: Footprint, motion: Motion) -> Array:
    """Way of base_link [m] until each point (2, n) [m] is touched, (n,); inf where none is.

    Points lie outside the footprint, in the frame of base_link.
    """
    front, rear, side = footprint
    curvature = motion.curvature if abs(motion.curvature) > _STRAIGHT else _STRAIGHT
    centre_x, centre_y = -motion.y / curvature, motion.x / curvature
    x, y = points[0] - centre_x, points[1] - centre_y
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    low, high = (-rear - centre_x, -side - centre_y), (front - centre_x, side - centre_y)
    least = np.full(len(radius), math.inf)
    for axis in (0, 1):
        other = 1 - axis
        for edge in (low[axis], high[axis]):
            # A circle meets the line of an edge on either side of its foot, or not at all.
            square = (radius - edge) * (radius + edge)
            reach = np.sqrt(np.maximum(square, 0.0))
            for along in (reach, -reach):
                place = (np.full(len(radius), edge), along)
                turned = math.copysign(1.0, curvature) * (
                    angle - np.arctan2(place[1 - axis], place[axis]))
                meets = (square >= 0.0) & (low[other] <= along) & (along <= high[other])
                least = np.minimum(least, np.where(
                    meets, np.mod(turned, 2.0 * math.pi), math.inf))
    return least / abs(curvature)


def motion_of(odometry: Odometry, before: Motion) -> Motion:
    """How a car moves; as before while it stands."""
    speed = math.hypot(odometry.vx, odometry.vy)
    if speed < _STANDING:
        return before
    return Motion(odometry.vx / speed, odometry.vy / speed, odometry.yaw_rate / speed)


def seen_points(
    scan: LaserScan, settings: BrakeSettings, footprint: Footprint, *, suspects: bool,
) -> Array | None:
    """Points that a scan shows in the frame of base_link (2, n) [m]; None if it tells too little.

    A ray without a return (+inf) shows nothing. One of another value that is no range (NaN, below
    range_min) tells nothing: it shows nothing, or what lies close to the vehicle if it suspects.
    Nearer than the laser can measure (-inf, REP 117) is close to the vehicle.
    """
    ranges = scan.ranges.astype(np.float64)
    measured = np.isfinite(ranges) & (ranges >= scan.range_min) & (ranges > 0.0)
    known = measured | np.isinf(ranges)
    if not len(ranges) or np.count_nonzero(known) < _KNOWN_SHARE * len(ranges):
        return None
    angles = (settings.laser_yaw + scan.angle_min
              + scan.angle_increment * np.arange(len(ranges)))
    directions = np.array([np.cos(angles), np.sin(angles)])
    close = np.isneginf(ranges) | (~known if suspects else False)
    shown = measured | close
    ways = np.where(close, _leaving(directions, settings, footprint) + _CLOSE, ranges)[shown]
    start = np.array([[settings.laser_x], [settings.laser_y]])
    points: Array = start + ways * directions[:, shown]
    return points


def _leaving(directions: Array, settings: BrakeSettings, footprint: Footprint) -> Array:
    """Way of rays (2, n) from the laser until they have left the vehicle [m], 0 from outside."""
    front, rear, side = footprint
    with np.errstate(divide='ignore'):
        along = np.maximum((front - settings.laser_x) / directions[0],
                           (-rear - settings.laser_x) / directions[0])
        across = np.maximum((side - settings.laser_y) / directions[1],
                            (-side - settings.laser_y) / directions[1])
    left: Array = np.maximum(np.minimum(along, across), 0.0)
    return left


def _inside(points: Array, footprint: Footprint) -> NDArray[np.bool_]:
    front, rear, side = footprint
    inside: NDArray[np.bool_] = (
        (-rear <= points[0]) & (points[0] <= front) & (np.abs(points[1]) <= side))
    return inside


def free_way(points: Array, footprint: Footprint, margin: float, motion: Motion) -> float:
    """Way of base_link [m] until the footprint, wider by a margin [m], touches a point (2, n).

    What is within the margin already counts by the footprint itself, so that a car may drive along
    a wall that is so near; what is within the footprint is the vehicle's own. inf for no contact.
    """
    wide = Footprint(*(side + margin for side in footprint))
    near = _inside(points, wide)
    ways = [way_to_contact(points[:, ~near], wide, motion),
            way_to_contact(points[:, near & ~_inside(points, footprint)], footprint, motion)]
    return min(float(np.min(way, initial=math.inf)) for way in ways)


def judged(
    state: BrakeState, scan: LaserScan, odometry: Odometry, settings: BrakeSettings,
    footprint: Footprint,
) -> tuple[BrakeState, Verdict]:
    """State and verdict after a scan, and the odometry of its time.

    A scan that tells nothing brakes.
    """
    motion = motion_of(odometry, state.motion)
    points = seen_points(scan, settings, footprint, suspects=state.brakes)
    if points is None:
        return BrakeState(True, motion), Verdict(
            True, 0.0, 0.0, f'the scan has too few ranges: {len(scan.ranges)} rays, more than'
            ' half of which tell nothing')
    speed = math.hypot(odometry.vx, odometry.vy)
    way = free_way(points, footprint, settings.margin, motion)
    needed = speed * settings.time_to_collision + 0.5 * speed * speed / settings.deceleration
    time = way / speed if speed else math.inf
    if state.brakes and settings.hold == RELEASED:
        return BrakeState(True, motion), Verdict(True, way, time, 'it has to be released')
    brakes = way < needed + (settings.resume_distance if state.brakes else 0.0)
    return BrakeState(brakes, motion), Verdict(
        brakes, way, time, f'contact in {way:.2f} m, at {speed:.2f} m/s' if brakes else '')


class EmergencyBrake:
    """The brake of one car: its settings, vehicle and state.

    stopped: whether somebody has called for a stop, which only release() ends.
    """

    def __init__(self, values: Values, vehicle: VehicleParameters) -> None:
        """values: of BRAKE_PARAMETERS."""
        self.stopped = False
        self._vehicle = vehicle
        self._state = BrakeState()
        self.tune(values)

    def tune(self, values: Values) -> None:
        """Take over other values."""
        self._settings = made_of(BrakeSettings, '', values)

    def release(self) -> None:
        """Let go; the next scan may brake again."""
        self.stopped = False
        self._state = self._state._replace(brakes=False)

    def judge(self, scan: LaserScan, odometry: Odometry) -> Verdict:
        """Verdict on a scan."""
        self._state, verdict = judged(
            self._state, scan, odometry, self._settings, self._vehicle.footprint)
        return verdict._replace(brakes=True, why='an emergency stop was called for') \
            if self.stopped else verdict

    @property
    def steering_angle(self) -> float:
        """Steering angle [rad] that keeps the car on its arc while it brakes."""
        motion = self._state.motion
        # Backwards a left turn is one with a negative yaw rate.
        curvature = math.copysign(1.0, motion.x) * motion.curvature
        lowest, highest = self._vehicle.steering_range
        return max(lowest, min(highest, math.atan(self._vehicle.wheelbase * curvature)))
