# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from array import array
from collections.abc import Iterable, Sequence
from typing import ClassVar

import builtin_interfaces.msg
import geometry_msgs.msg
import sensor_msgs.msg
import std_msgs.msg

class Marker:
    ARROW: ClassVar[int]
    CUBE: ClassVar[int]
    SPHERE: ClassVar[int]
    CYLINDER: ClassVar[int]
    LINE_STRIP: ClassVar[int]
    LINE_LIST: ClassVar[int]
    CUBE_LIST: ClassVar[int]
    SPHERE_LIST: ClassVar[int]
    POINTS: ClassVar[int]
    TEXT_VIEW_FACING: ClassVar[int]
    MESH_RESOURCE: ClassVar[int]
    TRIANGLE_LIST: ClassVar[int]
    ARROW_STRIP: ClassVar[int]
    ADD: ClassVar[int]
    MODIFY: ClassVar[int]
    DELETE: ClassVar[int]
    DELETEALL: ClassVar[int]
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        ns: str = ...,
        id: int = ...,
        type: int = ...,
        action: int = ...,
        pose: geometry_msgs.msg.Pose = ...,
        scale: geometry_msgs.msg.Vector3 = ...,
        color: std_msgs.msg.ColorRGBA = ...,
        lifetime: builtin_interfaces.msg.Duration = ...,
        frame_locked: bool = ...,
        points: Sequence[geometry_msgs.msg.Point] = ...,
        colors: Sequence[std_msgs.msg.ColorRGBA] = ...,
        texture_resource: str = ...,
        texture: sensor_msgs.msg.CompressedImage = ...,
        uv_coordinates: Sequence[UVCoordinate] = ...,
        text: str = ...,
        mesh_resource: str = ...,
        mesh_file: MeshFile = ...,
        mesh_use_embedded_materials: bool = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    ns: str
    id: int
    type: int
    action: int
    pose: geometry_msgs.msg.Pose
    scale: geometry_msgs.msg.Vector3
    color: std_msgs.msg.ColorRGBA
    lifetime: builtin_interfaces.msg.Duration
    frame_locked: bool
    @property
    def points(self) -> list[geometry_msgs.msg.Point]: ...
    @points.setter
    def points(self, value: Sequence[geometry_msgs.msg.Point]) -> None: ...
    @property
    def colors(self) -> list[std_msgs.msg.ColorRGBA]: ...
    @colors.setter
    def colors(self, value: Sequence[std_msgs.msg.ColorRGBA]) -> None: ...
    texture_resource: str
    texture: sensor_msgs.msg.CompressedImage
    @property
    def uv_coordinates(self) -> list[UVCoordinate]: ...
    @uv_coordinates.setter
    def uv_coordinates(self, value: Sequence[UVCoordinate]) -> None: ...
    text: str
    mesh_resource: str
    mesh_file: MeshFile
    mesh_use_embedded_materials: bool
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class MarkerArray:
    def __init__(
        self,
        *,
        markers: Sequence[Marker] = ...,
    ) -> None: ...
    @property
    def markers(self) -> list[Marker]: ...
    @markers.setter
    def markers(self, value: Sequence[Marker]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class MeshFile:
    def __init__(
        self,
        *,
        filename: str = ...,
        data: Iterable[int] = ...,
    ) -> None: ...
    filename: str
    @property
    def data(self) -> array[int]: ...
    @data.setter
    def data(self, value: Iterable[int]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class UVCoordinate:
    def __init__(
        self,
        *,
        u: float = ...,
        v: float = ...,
    ) -> None: ...
    u: float
    v: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
