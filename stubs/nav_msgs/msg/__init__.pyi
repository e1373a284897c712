# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from array import array
from collections.abc import Iterable, Sequence

import builtin_interfaces.msg
import geometry_msgs.msg
import std_msgs.msg

class MapMetaData:
    def __init__(
        self,
        *,
        map_load_time: builtin_interfaces.msg.Time = ...,
        resolution: float = ...,
        width: int = ...,
        height: int = ...,
        origin: geometry_msgs.msg.Pose = ...,
    ) -> None: ...
    map_load_time: builtin_interfaces.msg.Time
    resolution: float
    width: int
    height: int
    origin: geometry_msgs.msg.Pose
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class OccupancyGrid:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        info: MapMetaData = ...,
        data: Iterable[int] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    info: MapMetaData
    @property
    def data(self) -> array[int]: ...
    @data.setter
    def data(self, value: Iterable[int]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Odometry:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        child_frame_id: str = ...,
        pose: geometry_msgs.msg.PoseWithCovariance = ...,
        twist: geometry_msgs.msg.TwistWithCovariance = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    child_frame_id: str
    pose: geometry_msgs.msg.PoseWithCovariance
    twist: geometry_msgs.msg.TwistWithCovariance
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Path:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        poses: Sequence[geometry_msgs.msg.PoseStamped] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    @property
    def poses(self) -> list[geometry_msgs.msg.PoseStamped]: ...
    @poses.setter
    def poses(self, value: Sequence[geometry_msgs.msg.PoseStamped]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
