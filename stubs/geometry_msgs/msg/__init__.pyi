# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
import std_msgs.msg

class Accel:
    def __init__(
        self,
        *,
        linear: Vector3 = ...,
        angular: Vector3 = ...,
    ) -> None: ...
    linear: Vector3
    angular: Vector3
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Point:
    def __init__(
        self,
        *,
        x: float = ...,
        y: float = ...,
        z: float = ...,
    ) -> None: ...
    x: float
    y: float
    z: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class PointStamped:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        point: Point = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    point: Point
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Pose:
    def __init__(
        self,
        *,
        position: Point = ...,
        orientation: Quaternion = ...,
    ) -> None: ...
    position: Point
    orientation: Quaternion
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class PoseArray:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        poses: Sequence[Pose] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    @property
    def poses(self) -> list[Pose]: ...
    @poses.setter
    def poses(self, value: Sequence[Pose]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class PoseStamped:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        pose: Pose = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    pose: Pose
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class PoseWithCovariance:
    def __init__(
        self,
        *,
        pose: Pose = ...,
        covariance: Sequence[float] | NDArray[np.float64] = ...,
    ) -> None: ...
    pose: Pose
    @property
    def covariance(self) -> NDArray[np.float64]: ...
    @covariance.setter
    def covariance(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class PoseWithCovarianceStamped:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        pose: PoseWithCovariance = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    pose: PoseWithCovariance
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Quaternion:
    X__DEFAULT: ClassVar[float]
    Y__DEFAULT: ClassVar[float]
    Z__DEFAULT: ClassVar[float]
    W__DEFAULT: ClassVar[float]
    def __init__(
        self,
        *,
        x: float = ...,
        y: float = ...,
        z: float = ...,
        w: float = ...,
    ) -> None: ...
    x: float
    y: float
    z: float
    w: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Transform:
    def __init__(
        self,
        *,
        translation: Vector3 = ...,
        rotation: Quaternion = ...,
    ) -> None: ...
    translation: Vector3
    rotation: Quaternion
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class TransformStamped:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        child_frame_id: str = ...,
        transform: Transform = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    child_frame_id: str
    transform: Transform
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Twist:
    def __init__(
        self,
        *,
        linear: Vector3 = ...,
        angular: Vector3 = ...,
    ) -> None: ...
    linear: Vector3
    angular: Vector3
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class TwistStamped:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        twist: Twist = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    twist: Twist
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class TwistWithCovariance:
    def __init__(
        self,
        *,
        twist: Twist = ...,
        covariance: Sequence[float] | NDArray[np.float64] = ...,
    ) -> None: ...
    twist: Twist
    @property
    def covariance(self) -> NDArray[np.float64]: ...
    @covariance.setter
    def covariance(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Vector3:
    def __init__(
        self,
        *,
        x: float = ...,
        y: float = ...,
        z: float = ...,
    ) -> None: ...
    x: float
    y: float
    z: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Wrench:
    def __init__(
        self,
        *,
        force: Vector3 = ...,
        torque: Vector3 = ...,
    ) -> None: ...
    force: Vector3
    torque: Vector3
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class WrenchStamped:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        wrench: Wrench = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    wrench: Wrench
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
