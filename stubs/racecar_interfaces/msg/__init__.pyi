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

class CarInfo:
    TRACTION: ClassVar[int]
    PROPULSION: ClassVar[int]
    FOUR_BY_FOUR: ClassVar[int]
    COMBUSTION: ClassVar[int]
    ELECTRIC: ClassVar[int]
    PARALLEL_HYBRID: ClassVar[int]
    POWER_SPLIT_HYBRID: ClassVar[int]
    VISCOUS: ClassVar[int]
    COULOMB: ClassVar[int]
    def __init__(
        self,
        *,
        name: str = ...,
        type: int = ...,
        engine_type: int = ...,
        gear_count: int = ...,
        gear_ratios: Iterable[float] = ...,
        engine_min_rpm: float = ...,
        engine_max_rpm: float = ...,
        time_0_to_100: float = ...,
        brake_coefficient: float = ...,
        brake_model: int = ...,
        wheel_damping: float = ...,
        wheelbase: float = ...,
        track_front: float = ...,
        track_rear: float = ...,
        front_wheel_radius: float = ...,
        rear_wheel_radius: float = ...,
        steering_angle_limit: float = ...,
        speed_min: float = ...,
        speed_max: float = ...,
    ) -> None: ...
    name: str
    type: int
    engine_type: int
    gear_count: int
    @property
    def gear_ratios(self) -> array[float]: ...
    @gear_ratios.setter
    def gear_ratios(self, value: Iterable[float]) -> None: ...
    engine_min_rpm: float
    engine_max_rpm: float
    time_0_to_100: float
    brake_coefficient: float
    brake_model: int
    wheel_damping: float
    wheelbase: float
    track_front: float
    track_rear: float
    front_wheel_radius: float
    rear_wheel_radius: float
    steering_angle_limit: float
    speed_min: float
    speed_max: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class CarState:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        x: float = ...,
        y: float = ...,
        yaw: float = ...,
        longitudinal_velocity: float = ...,
        lateral_velocity: float = ...,
        yaw_rate: float = ...,
        sideslip_angle: float = ...,
        lateral_acceleration: float = ...,
        slip_angle_front: float = ...,
        slip_angle_rear: float = ...,
        lateral_force_front: float = ...,
        lateral_force_rear: float = ...,
        speed_command: float = ...,
        steering_angle: float = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    x: float
    y: float
    yaw: float
    longitudinal_velocity: float
    lateral_velocity: float
    yaw_rate: float
    sideslip_angle: float
    lateral_acceleration: float
    slip_angle_front: float
    slip_angle_rear: float
    lateral_force_front: float
    lateral_force_rear: float
    speed_command: float
    steering_angle: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DriverCommand:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        steering_angle: float = ...,
        throttle: float = ...,
        brake: float = ...,
        gear: int = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    steering_angle: float
    throttle: float
    brake: float
    gear: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DriverState:
    UNDEFINED: ClassVar[int]
    SPEED: ClassVar[int]
    TORQUE: ClassVar[int]
    INDICATOR_OFF: ClassVar[int]
    INDICATOR_RIGHT: ClassVar[int]
    INDICATOR_LEFT: ClassVar[int]
    WIPER_DOWN: ClassVar[int]
    WIPER_SLOW: ClassVar[int]
    WIPER_NORMAL: ClassVar[int]
    WIPER_FAST: ClassVar[int]
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        control_mode: int = ...,
        overruled: bool = ...,
        target_cruising_speed: float = ...,
        steering_angle: float = ...,
        throttle: float = ...,
        brake_intensity: float = ...,
        gear: int = ...,
        speed: float = ...,
        left_front_angle: float = ...,
        right_front_angle: float = ...,
        rpm: float = ...,
        engine_torque: float = ...,
        wheel_speeds: Sequence[float] | NDArray[np.float64] = ...,
        wheel_encoders: Sequence[float] | NDArray[np.float64] = ...,
        left_indicator_lit: bool = ...,
        right_indicator_lit: bool = ...,
        front_lights_lit: bool = ...,
        rear_lights_lit: bool = ...,
        antifog_lights_lit: bool = ...,
        brake_lights_lit: bool = ...,
        backwards_lights_lit: bool = ...,
        indicator: int = ...,
        indicator_period: float = ...,
        hazard_flashers: bool = ...,
        dipped_beams: bool = ...,
        antifog_lights: bool = ...,
        wiper_mode: int = ...,
        limited_slip_differential: bool = ...,
        indicator_auto_disabling: bool = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    control_mode: int
    overruled: bool
    target_cruising_speed: float
    steering_angle: float
    throttle: float
    brake_intensity: float
    gear: int
    speed: float
    left_front_angle: float
    right_front_angle: float
    rpm: float
    engine_torque: float
    @property
    def wheel_speeds(self) -> NDArray[np.float64]: ...
    @wheel_speeds.setter
    def wheel_speeds(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @property
    def wheel_encoders(self) -> NDArray[np.float64]: ...
    @wheel_encoders.setter
    def wheel_encoders(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    left_indicator_lit: bool
    right_indicator_lit: bool
    front_lights_lit: bool
    rear_lights_lit: bool
    antifog_lights_lit: bool
    brake_lights_lit: bool
    backwards_lights_lit: bool
    indicator: int
    indicator_period: float
    hazard_flashers: bool
    dipped_beams: bool
    antifog_lights: bool
    wiper_mode: int
    limited_slip_differential: bool
    indicator_auto_disabling: bool
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class LampSwitches:
    INDICATOR_PERIOD__DEFAULT: ClassVar[float]
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        left_indicator: bool = ...,
        right_indicator: bool = ...,
        front: bool = ...,
        rear: bool = ...,
        antifog: bool = ...,
        brake: bool = ...,
        backwards: bool = ...,
        indicator_period: float = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    left_indicator: bool
    right_indicator: bool
    front: bool
    rear: bool
    antifog: bool
    brake: bool
    backwards: bool
    indicator_period: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Laps:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        laps: int = ...,
        lap_time: float = ...,
        last_lap: float = ...,
        best_lap: float = ...,
        sector: int = ...,
        last_sector: float = ...,
        progress: float = ...,
        length: float = ...,
        offset: float = ...,
        driven: float = ...,
        wrong_way: bool = ...,
        wrong_ways: int = ...,
        off_track: bool = ...,
        track_exits: int = ...,
        off_track_time: float = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    laps: int
    lap_time: float
    last_lap: float
    best_lap: float
    sector: int
    last_sector: float
    progress: float
    length: float
    offset: float
    driven: float
    wrong_way: bool
    wrong_ways: int
    off_track: bool
    track_exits: int
    off_track_time: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class RaceEvent:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        time: float = ...,
        car: str = ...,
        kind: str = ...,
        text: str = ...,
        value: float = ...,
        x: float = ...,
        y: float = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    time: float
    car: str
    kind: str
    text: str
    value: float
    x: float
    y: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class RaceLook:
    def __init__(
        self,
        *,
        name: str = ...,
        pose: geometry_msgs.msg.Pose = ...,
        twist: geometry_msgs.msg.Twist = ...,
        contacts: int = ...,
        silence: float = ...,
        retired: str = ...,
    ) -> None: ...
    name: str
    pose: geometry_msgs.msg.Pose
    twist: geometry_msgs.msg.Twist
    contacts: int
    silence: float
    retired: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class RaceLooks:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        cars: Sequence[RaceLook] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    @property
    def cars(self) -> list[RaceLook]: ...
    @cars.setter
    def cars(self, value: Sequence[RaceLook]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class RaceOrder:
    def __init__(
        self,
        *,
        name: str = ...,
        is_held: bool = ...,
        pose: Sequence[geometry_msgs.msg.Pose] = ...,
    ) -> None: ...
    name: str
    is_held: bool
    @property
    def pose(self) -> list[geometry_msgs.msg.Pose]: ...
    @pose.setter
    def pose(self, value: Sequence[geometry_msgs.msg.Pose]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class RaceOrders:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        cars: Sequence[RaceOrder] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    @property
    def cars(self) -> list[RaceOrder]: ...
    @cars.setter
    def cars(self, value: Sequence[RaceOrder]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class RaceStanding:
    def __init__(
        self,
        *,
        place: int = ...,
        name: str = ...,
        status: str = ...,
        laps: int = ...,
        distance: float = ...,
        gap: float = ...,
        last_lap: float = ...,
        best_lap: float = ...,
        touches: int = ...,
        crashes: int = ...,
        warnings: int = ...,
    ) -> None: ...
    place: int
    name: str
    status: str
    laps: int
    distance: float
    gap: float
    last_lap: float
    best_lap: float
    touches: int
    crashes: int
    warnings: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class RaceState:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        format: str = ...,
        state: str = ...,
        time: float = ...,
        standings: Sequence[RaceStanding] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    format: str
    state: str
    time: float
    @property
    def standings(self) -> list[RaceStanding]: ...
    @standings.setter
    def standings(self, value: Sequence[RaceStanding]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class WheelCommand:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        left_front_angle: float = ...,
        right_front_angle: float = ...,
        drive_torque: Sequence[float] | NDArray[np.float64] = ...,
        brake_torque: Sequence[float] | NDArray[np.float64] = ...,
        brake_damping: Sequence[float] | NDArray[np.float64] = ...,
        bearing_damping: Sequence[float] | NDArray[np.float64] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    left_front_angle: float
    right_front_angle: float
    @property
    def drive_torque(self) -> NDArray[np.float64]: ...
    @drive_torque.setter
    def drive_torque(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @property
    def brake_torque(self) -> NDArray[np.float64]: ...
    @brake_torque.setter
    def brake_torque(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @property
    def brake_damping(self) -> NDArray[np.float64]: ...
    @brake_damping.setter
    def brake_damping(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @property
    def bearing_damping(self) -> NDArray[np.float64]: ...
    @bearing_damping.setter
    def bearing_damping(self, value: Sequence[float] | NDArray[np.float64]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
