# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lamps as they are now: visualization_msgs/MarkerArray, since URDF knows no light."""

from __future__ import annotations

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from racecar.base.readings import LampMarker, LampMarkers
from racecar.base.shapes import Box, Cylinder, Geometry, Sphere
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Channel, Codec, Place
from racecar.ros.node import TableNode
from racecar.simulation.ports import Output

# So much larger than the lamp in the robot description, which would else shine through.
_LARGER = 1.02


def _set_shape(marker: Marker, geometry: Geometry) -> None:
    """Set type, scale and, of a mesh, the file of a marker."""
    match geometry:
        case Box(size=size):
            kind, scale = Marker.CUBE, size
        case Cylinder(radius=radius, length=length):
            kind, scale = Marker.CYLINDER, (2.0 * radius, 2.0 * radius, length)
        case Sphere(radius=radius):
            kind, scale = Marker.SPHERE, (2.0 * radius,) * 3
        case _:
            kind, scale = Marker.MESH_RESOURCE, geometry.scale
            marker.mesh_resource = geometry.uri
    x, y, z = (_LARGER * part for part in scale)
    marker.type = kind
    marker.scale = Vector3(x=x, y=y, z=z)


def marker_of(lamp: LampMarker, number: int, place: Place) -> Marker:
    """Marker of a lamp; without a stamp, so that it stays with the robot."""
    origin = lamp.shape.origin
    red, green, blue, opacity = lamp.colour
    marker = Marker(
        ns=lamp.function, id=number, action=Marker.ADD, frame_locked=True,
        pose=Pose(position=Point(x=origin.x, y=origin.y, z=origin.z),
                  orientation=Quaternion(x=origin.qx, y=origin.qy, z=origin.qz, w=origin.qw)),
        color=ColorRGBA(r=red, g=green, b=blue, a=opacity))
    _set_shape(marker, lamp.shape.geometry)
    marker.header.frame_id = place.frame(lamp.frame)
    return marker


class LampMarkersCodec(Codec):
    """Latched, and sent when a lamp goes on or off."""

    value_type = LampMarkers
    message_type = MarkerArray
    topic = topics.LAMP_MARKERS
    profile = qos.LATCHED

    def encode(self, node: TableNode, output: Output, place: Place) -> _LampChannel:
        """Create the publisher."""
        return _LampChannel(node, place)


class _LampChannel(Channel):
    """Sends what has changed."""

    def __init__(self, node: TableNode, place: Place) -> None:
        super().__init__(node.create_publisher(
            MarkerArray, place.topic(topics.LAMP_MARKERS), qos.LATCHED))
        self._place = place
        self._sent: LampMarkers | None = None

    def publish(self, sec: int, nanosec: int, value: LampMarkers) -> None:
        """Send a value that differs from the last; these messages have no stamp."""
        if value == self._sent:
            return
        self._sent = value
        self.publisher.publish(MarkerArray(markers=[
            marker_of(lamp, number, self._place) for number, lamp in enumerate(value.markers)]))


CODECS = (LampMarkersCodec(),)
