# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

import std_msgs.msg

class AckermannDrive:
    def __init__(
        self,
        *,
        steering_angle: float = ...,
        steering_angle_velocity: float = ...,
        speed: float = ...,
        acceleration: float = ...,
        jerk: float = ...,
    ) -> None: ...
    steering_angle: float
    steering_angle_velocity: float
    speed: float
    acceleration: float
    jerk: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class AckermannDriveStamped:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        drive: AckermannDrive = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    drive: AckermannDrive
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
