# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The lamps of a car as markers for RViz."""

from __future__ import annotations

from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from racecar.core.driver import Lamps
from racecar.core.frames import BASE_LINK
from racecar.core.vehicles.parameters import VehicleParameters

_AMBER, _WHITE, _RED, _YELLOW = (1.0, 0.6, 0.0), (1.0, 1.0, 0.9), (1.0, 0.0, 0.0), (1.0, 1.0, 0.3)
_DARK_SHARE, _DARK_ALPHA = 0.25, 0.5

# Lamp, colour, at the front, at the rear, place across and up in shares of half the track and of
# the wheel radius; both sides have one but for the indicators.
_PLACES = (
    ('left_indicator', _AMBER, True, True, 1.0, 1.6, (1.0,)),
    ('right_indicator', _AMBER, True, True, 1.0, 1.6, (-1.0,)),
    ('front', _WHITE, True, False, 0.75, 1.6, (1.0, -1.0)),
    ('antifog', _YELLOW, True, False, 0.75, 0.8, (1.0, -1.0)),
    ('rear', _RED, False, True, 0.8, 1.6, (1.0, -1.0)),
    ('brake', _RED, False, True, 0.6, 1.6, (1.0, -1.0)),
    ('backwards', _WHITE, False, True, 0.4, 1.6, (1.0, -1.0)),
)


class LampMarkers:
    """Spheres at the corners of the car, bright while lit."""

    def __init__(self, vehicle: VehicleParameters) -> None:
        """Place the lamps one wheel radius outside the axles."""
        radius = vehicle.wheel_radius
        rear_axle = -vehicle.cog_to_rear_axle - vehicle.odometry_offset
        front, rear = rear_axle + vehicle.wheelbase + radius, rear_axle - radius
        self._message = MarkerArray()
        self._rows: list[tuple[Marker, str, tuple[float, float, float]]] = []
        for lamp, colour, at_front, at_rear, across, up, sides in _PLACES:
            for along in (front,) * at_front + (rear,) * at_rear:
                for side in sides:
                    marker = Marker(
                        ns=lamp, id=len(self._rows), type=Marker.SPHERE, action=Marker.ADD,
                        scale=Vector3(x=0.4 * radius, y=0.4 * radius, z=0.4 * radius),
                        frame_locked=True)
                    # Without a stamp: the marker stays with the car.
                    marker.header.frame_id = BASE_LINK
                    marker.pose.position = Point(
                        x=along, y=side * across * 0.5 * vehicle.track_width, z=up * radius)
                    self._message.markers.append(marker)
                    self._rows.append((marker, lamp, colour))

    def message(self, lamps: Lamps) -> MarkerArray:
        """Return the markers with their colours; the same object each time."""
        lit = lamps._asdict()
        for marker, lamp, (red, green, blue) in self._rows:
            share = 1.0 if lit[lamp] else _DARK_SHARE
            marker.color = ColorRGBA(
                r=share * red, g=share * green, b=share * blue,
                a=1.0 if lit[lamp] else _DARK_ALPHA)
        return self._message
