# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from array import array
from collections.abc import Iterable, Sequence
from typing import ClassVar

import geometry_msgs.msg
import numpy as np
from numpy.typing import NDArray
import std_msgs.msg

class CameraInfo:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        height: int = ...,
        width: int = ...,
        distortion_model: str = ...,
        d: Iterable[float] = ...,
        k: Sequence[float] | NDArray[np.float64] = ...,
        r: Sequence[float] | NDArray[np.float64] = ...,
        p: Sequence[float] | NDArray[np.float64] = ...,
        binning_x: int = ...,
        binning_y: int = ...,
        roi: RegionOfInterest = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    height: int
    width: int
    distortion_model: str
    @property
    def d(self) -> array[float]: ...
    @d.setter
    def d(self, value: Iterable[float]) -> None: ...
    @property
    def k(self) -> NDArray[np.float64]: ...
    @k.setter
    def k(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @property
    def r(self) -> NDArray[np.float64]: ...
    @r.setter
    def r(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @property
    def p(self) -> NDArray[np.float64]: ...
    @p.setter
    def p(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    binning_x: int
    binning_y: int
    roi: RegionOfInterest
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class CompressedImage:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        format: str = ...,
        data: Iterable[int] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    format: str
    @property
    def data(self) -> array[int]: ...
    @data.setter
    def data(self, value: Iterable[int]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Image:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        height: int = ...,
        width: int = ...,
        encoding: str = ...,
        is_bigendian: int = ...,
        step: int = ...,
        data: Iterable[int] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    height: int
    width: int
    encoding: str
    is_bigendian: int
    step: int
    @property
    def data(self) -> array[int]: ...
    @data.setter
    def data(self, value: Iterable[int]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Imu:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        orientation: geometry_msgs.msg.Quaternion = ...,
        orientation_covariance: Sequence[float] | NDArray[np.float64] = ...,
        angular_velocity: geometry_msgs.msg.Vector3 = ...,
        angular_velocity_covariance: Sequence[float] | NDArray[np.float64] = ...,
        linear_acceleration: geometry_msgs.msg.Vector3 = ...,
        linear_acceleration_covariance: Sequence[float] | NDArray[np.float64] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    orientation: geometry_msgs.msg.Quaternion
    @property
    def orientation_covariance(self) -> NDArray[np.float64]: ...
    @orientation_covariance.setter
    def orientation_covariance(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    angular_velocity: geometry_msgs.msg.Vector3
    @property
    def angular_velocity_covariance(self) -> NDArray[np.float64]: ...
    @angular_velocity_covariance.setter
    def angular_velocity_covariance(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    linear_acceleration: geometry_msgs.msg.Vector3
    @property
    def linear_acceleration_covariance(self) -> NDArray[np.float64]: ...
    @linear_acceleration_covariance.setter
    def linear_acceleration_covariance(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class JointState:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        name: Sequence[str] = ...,
        position: Iterable[float] = ...,
        velocity: Iterable[float] = ...,
        effort: Iterable[float] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    @property
    def name(self) -> list[str]: ...
    @name.setter
    def name(self, value: Sequence[str]) -> None: ...
    @property
    def position(self) -> array[float]: ...
    @position.setter
    def position(self, value: Iterable[float]) -> None: ...
    @property
    def velocity(self) -> array[float]: ...
    @velocity.setter
    def velocity(self, value: Iterable[float]) -> None: ...
    @property
    def effort(self) -> array[float]: ...
    @effort.setter
    def effort(self, value: Iterable[float]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Joy:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        axes: Iterable[float] = ...,
        buttons: Iterable[int] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    @property
    def axes(self) -> array[float]: ...
    @axes.setter
    def axes(self, value: Iterable[float]) -> None: ...
    @property
    def buttons(self) -> array[int]: ...
    @buttons.setter
    def buttons(self, value: Iterable[int]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class LaserScan:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        angle_min: float = ...,
        angle_max: float = ...,
        angle_increment: float = ...,
        time_increment: float = ...,
        scan_time: float = ...,
        range_min: float = ...,
        range_max: float = ...,
        ranges: Iterable[float] = ...,
        intensities: Iterable[float] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    angle_min: float
    angle_max: float
    angle_increment: float
    time_increment: float
    scan_time: float
    range_min: float
    range_max: float
    @property
    def ranges(self) -> array[float]: ...
    @ranges.setter
    def ranges(self, value: Iterable[float]) -> None: ...
    @property
    def intensities(self) -> array[float]: ...
    @intensities.setter
    def intensities(self, value: Iterable[float]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Range:
    ULTRASOUND: ClassVar[int]
    INFRARED: ClassVar[int]
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        radiation_type: int = ...,
        field_of_view: float = ...,
        min_range: float = ...,
        max_range: float = ...,
        range: float = ...,
        variance: float = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    radiation_type: int
    field_of_view: float
    min_range: float
    max_range: float
    range: float
    variance: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class RegionOfInterest:
    def __init__(
        self,
        *,
        x_offset: int = ...,
        y_offset: int = ...,
        height: int = ...,
        width: int = ...,
        do_rectify: bool = ...,
    ) -> None: ...
    x_offset: int
    y_offset: int
    height: int
    width: int
    do_rectify: bool
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
