# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shows a driving car in the terminal, from what the nodes say on their topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import contextlib
import math
import time

from ackermann_msgs.msg import AckermannDriveStamped
from nav_msgs.msg import OccupancyGrid as OccupancyGridMessage
from nav_msgs.msg import Odometry as OdometryMessage
from nav_msgs.msg import Path as PathMessage
import numpy as np
from rclpy.node import Node
from std_msgs.msg import Bool, String, UInt32

from racecar.base.columns import Array
from racecar.base.errors import MessageError
from racecar.base.types import AckermannCommand, Odometry, Pose2
from racecar.control.teleop.key_driver import HELP_KEYS, KEY_HELP, VIEW_KEY
from racecar.control.teleop.key_events import KeyAction, KeyEvent
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import read_command
from racecar.ros.codecs.occupancy_grid import read_grid
from racecar.ros.codecs.odometry import read_finite_odometry
from racecar.ros.raw_subscription import subscribe_raw
from racecar.scene.grid_map import OccupancyGrid
from racecar.terminal.drive_picture import draw_drive, DriveState
from racecar.terminal.screen import Screen

_PERIOD = 0.08        # [s]
_TRAIL_STEP = 0.05    # [m]
_LONGEST_TRAIL = 5000
# Gauges reach to the next of these speeds [m/s].
_SCALES = (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)

_VIEW_HELP = ((VIEW_KEY, 'the whole map, or the car from near'),)


class DriveView(Node):
    """Draws map, reference, path and car, speed and steering, and who holds the last mux.

    Subscribes: vesc/odom, map, reference_path, collisions, in_collision, and of the low-level mux
    active and output.
    """

    def __init__(
        self, screen: Screen, state: DriveState, *, namespace: str = '',
        renamed: Mapping[str, str] | None = None, status: Callable[[], str] = lambda: '',
    ) -> None:
        """state: title, measures of the car and scales; renamed: relative names of topics.

        status: gives a line of what the keys are set to.
        """
        super().__init__(
            'drive_view', namespace=namespace, start_parameter_services=False)
        self._screen = screen
        self._state = state
        self._status = status
        self._due = 0.0
        self._trail: list[tuple[float, float]] = []
        self.distance = 0.0
        self.top_speed = 0.0
        self._last: tuple[float, float] | None = None
        names = renamed or {}

        def hear(kind: type, topic: str, callback: Callable[..., None]) -> None:
            self.create_subscription(kind, names.get(topic, topic), callback, qos.LATCHED)

        subscribe_raw(
            self, AckermannDriveStamped, topics.COMMAND, read_command, self._on_command,
            qos.COMMAND)
        subscribe_raw(
            self, OdometryMessage, names.get(topics.ODOMETRY, topics.ODOMETRY),
            read_finite_odometry, self._on_odometry, qos.ODOMETRY_SUBSCRIPTION)
        hear(String, topics.MUX_ACTIVE, self._on_active)
        hear(OccupancyGridMessage, topics.MAP, self._on_map)
        hear(PathMessage, topics.REFERENCE_PATH, self._on_path)
        hear(UInt32, topics.COLLISIONS, self._on_collisions)
        hear(Bool, topics.IN_COLLISION, self._on_contact)

    @property
    def collisions(self) -> int | None:
        """How often the car ran into something; None if nobody counts."""
        return self._state.collisions

    def on_key(self, event: KeyEvent) -> None:
        """Switch view or help."""
        state = self._state
        if event.action is not KeyAction.PRESS:
            return
        if event.key == VIEW_KEY:
            state.is_near = not state.is_near
        elif event.key in HELP_KEYS:
            state.keys = () if state.keys else (*KEY_HELP, *_VIEW_HELP)
        elif state.keys:
            # Whoever drives wants to see where.
            state.keys = ()

    def draw(self, simulated_time: float) -> None:
        """Show the state, some times a second of wall time; simulated_time [s]."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _PERIOD
        state = self._state
        state.time = simulated_time
        state.status = [f' {self._status()}']
        state.message = self._screen.last_error_line
        if self._trail:
            trail = np.array(self._trail)
            state.trail = trail[:, 0], trail[:, 1]
        self._screen.show(draw_drive(state, self._screen.size))

    def _on_odometry(self, odometry: Odometry) -> None:
        state, place = self._state, (odometry.x, odometry.y)
        state.pose = Pose2(*place, odometry.yaw)
        state.speed = odometry.vx
        self.top_speed = max(self.top_speed, abs(odometry.vx))
        state.speed_range = max(state.speed_range, _scale(abs(odometry.vx)))
        if not self._trail or math.dist(place, self._trail[-1]) >= _TRAIL_STEP:
            self._trail = [*self._trail[-_LONGEST_TRAIL:], place]
        self.distance += math.dist(place, self._last or place)
        self._last = place

    def _on_command(self, message: tuple[AckermannCommand, int]) -> None:
        angle = message[0].steering_angle
        if math.isfinite(angle):
            self._state.steering_angle = angle

    def _on_active(self, message: String) -> None:
        self._state.driver = message.data

    def _on_map(self, message: OccupancyGridMessage) -> None:
        # What cannot be read is not drawn.
        with contextlib.suppress(MessageError):
            self._state.walls = _outline(read_grid(message))

    def _on_path(self, message: PathMessage) -> None:
        points = np.array([(p.pose.position.x, p.pose.position.y) for p in message.poses])
        if len(points) and np.isfinite(points).all():
            self._state.reference = points[:, 0], points[:, 1]

    def _on_collisions(self, message: UInt32) -> None:
        self._state.collisions = message.data

    def _on_contact(self, message: Bool) -> None:
        self._state.in_collision = message.data


def _scale(speed: float) -> float:
    return next((scale for scale in _SCALES if speed <= scale), _SCALES[-1])


def _outline(grid: OccupancyGrid) -> tuple[Array, Array]:
    """x, y [m] of the middles of the occupied cells that have a free one beside them."""
    occupied = np.pad(grid.occupied, 1, constant_values=True)
    inner = (occupied[:-2, 1:-1] & occupied[2:, 1:-1] & occupied[1:-1, :-2] & occupied[1:-1, 2:])
    rows, columns = np.nonzero(grid.occupied & ~inner)
    along, across = (columns + 0.5) * grid.resolution, (rows + 0.5) * grid.resolution
    cosine, sine = math.cos(grid.origin.yaw), math.sin(grid.origin.yaw)
    return (grid.origin.x + along * cosine - across * sine,
            grid.origin.y + along * sine + across * cosine)
