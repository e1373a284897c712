# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What sensors give, in SI units: the values that cross their ports."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.shapes import Shape
from racecar.base.types import BodyState, Pose3


class WheelReading(NamedTuple):
    """What dead reckoning takes of a car.

    speed: at which its rear wheels roll [m/s]; steering_angle: the commanded one of the virtual
    wheel [rad, left positive].
    """

    speed: float
    steering_angle: float


class PlanarVariance(NamedTuple):
    """Covariance of x, y [m], yaw [rad]; variance of vx, vy [m/s], yaw_rate [rad/s]."""

    xx: float
    xy: float
    x_yaw: float
    yy: float
    y_yaw: float
    yaw_yaw: float
    vx: float
    vy: float
    yaw_rate: float


class ReckonedState(NamedTuple):
    """Odometry by dead reckoning, or of some time ago.

    body: its pose in `odom` and twist. variance: of their errors. origin: pose of `odom` in
    `map` for which the car is where it is.
    """

    body: BodyState
    variance: PlanarVariance
    origin: Pose3


class LaserScan(NamedTuple):
    """One sweep; ranges are counter-clockwise from angle_min.

    angle_min, angle_max, angle_increment [rad]; time_increment: between two rays, scan_time:
    between two scans [s]; range_min, range_max [m]; ranges (n,), float32 [m], +inf or -inf where
    nothing is measured (REP 117); sweep_ns: how long before the time at which it is shown the
    first ray went out [ns].
    """

    angle_min: float
    angle_max: float
    angle_increment: float
    time_increment: float
    scan_time: float
    range_min: float
    range_max: float
    ranges: NDArray[np.float32]
    sweep_ns: int = 0

    def in_single_precision(self) -> LaserScan:
        """Round angles, times and limits to float32, as a message has them."""
        numbers: list[float] = np.array(self[:7], np.float32).tolist()
        return LaserScan._make((*numbers, self.ranges, self.sweep_ns))


class Imu(NamedTuple):
    """Attitude, rotation and acceleration of the sensor's frame.

    qx, qy, qz, qw [-]: of the frame in `odom`; wx, wy, wz [rad/s]: angular velocity; ax, ay, az
    [m/s^2]: specific force, so that a sensor at rest shows the acceleration of gravity upwards;
    both in the axes of the sensor. orientation_variance [rad^2], rotation_variance
    [rad^2/s^2], acceleration_variance [m^2/s^4]: of each component.
    """

    qx: float
    qy: float
    qz: float
    qw: float
    wx: float
    wy: float
    wz: float
    ax: float
    ay: float
    az: float
    orientation_variance: float
    rotation_variance: float
    acceleration_variance: float


class CameraImage(NamedTuple):
    """What a camera sees; the axes of its frame are optical (REP 103).

    width, height, focal_length of both axes, centre_x, centre_y [pixels]: a pinhole without
    distortion, whose axis meets the picture at the centre; (0, 0) is the middle of the first
    pixel. pixels: gives the picture (height, width, 3), uint8, rows from the top, red, green,
    blue. It takes some time and may be called later, or never, in any thread; raises
    RenderingError if the picture cannot be drawn.
    """

    width: int
    height: int
    focal_length: float
    centre_x: float
    centre_y: float
    pixels: Callable[[], NDArray[np.uint8]]


class DepthImage(NamedTuple):
    """Distances that a depth camera sees; frame and pinhole as those of CameraImage.

    depths: gives the distances along the optical axis (height, width), float32 [m], rows from the
    top; +inf beyond the longest, -inf below the shortest distance (REP 118). When it may be called
    and what it raises as CameraImage.pixels.
    """

    width: int
    height: int
    focal_length: float
    centre_x: float
    centre_y: float
    depths: Callable[[], NDArray[np.float32]]


class Encoders(NamedTuple):
    """What the encoders of two wheels have counted: real numbers, which noise and slip are in."""

    left: float
    right: float


class LampMarker(NamedTuple):
    """A lamp as it is now: what lights it, a shape in a frame, red, green, blue and opacity."""

    function: str
    frame: str
    shape: Shape
    colour: tuple[float, float, float, float]


class LampMarkers(NamedTuple):
    """All lamps of a robot."""

    markers: tuple[LampMarker, ...]


class Collisions(NamedTuple):
    """How often a robot has run into something since its last reset.

    contacts: their number; in_contact: whether one goes on; x, y [m]: where the base frame was
    when the newest began, speed [m/s]: how fast it was then.
    """

    contacts: int
    in_contact: bool
    x: float
    y: float
    speed: float

    def sentence(self, robot: str) -> str:
        """The newest one for people; robot: who ran into something."""
        return (f'collision {self.contacts}: {robot} ran into something with {self.speed:.2f} m/s,'
                f' at x {self.x:.2f} m, y {self.y:.2f} m')


NO_COLLISION = Collisions(0, False, 0.0, 0.0, 0.0)
