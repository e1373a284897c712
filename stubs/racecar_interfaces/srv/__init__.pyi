# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import geometry_msgs.msg
import racecar_interfaces.msg
import service_msgs.msg

class GetCarInfo_Request:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetCarInfo_Response:
    def __init__(
        self,
        *,
        success: bool = ...,
        message: str = ...,
        info: racecar_interfaces.msg.CarInfo = ...,
    ) -> None: ...
    success: bool
    message: str
    info: racecar_interfaces.msg.CarInfo
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetCarInfo_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetCarInfo_Request] = ...,
        response: Sequence[GetCarInfo_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetCarInfo_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetCarInfo_Request]) -> None: ...
    @property
    def response(self) -> list[GetCarInfo_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetCarInfo_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetCarInfo:
    Request: TypeAlias = GetCarInfo_Request
    Response: TypeAlias = GetCarInfo_Response
    Event: TypeAlias = GetCarInfo_Event

class GetDriverState_Request:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetDriverState_Response:
    def __init__(
        self,
        *,
        success: bool = ...,
        message: str = ...,
        state: racecar_interfaces.msg.DriverState = ...,
    ) -> None: ...
    success: bool
    message: str
    state: racecar_interfaces.msg.DriverState
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetDriverState_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetDriverState_Request] = ...,
        response: Sequence[GetDriverState_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetDriverState_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetDriverState_Request]) -> None: ...
    @property
    def response(self) -> list[GetDriverState_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetDriverState_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetDriverState:
    Request: TypeAlias = GetDriverState_Request
    Response: TypeAlias = GetDriverState_Response
    Event: TypeAlias = GetDriverState_Event

class NamedCar_Request:
    def __init__(
        self,
        *,
        name: str = ...,
    ) -> None: ...
    name: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class NamedCar_Response:
    def __init__(
        self,
        *,
        success: bool = ...,
        message: str = ...,
    ) -> None: ...
    success: bool
    message: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class NamedCar_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[NamedCar_Request] = ...,
        response: Sequence[NamedCar_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[NamedCar_Request]: ...
    @request.setter
    def request(self, value: Sequence[NamedCar_Request]) -> None: ...
    @property
    def response(self) -> list[NamedCar_Response]: ...
    @response.setter
    def response(self, value: Sequence[NamedCar_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class NamedCar:
    Request: TypeAlias = NamedCar_Request
    Response: TypeAlias = NamedCar_Response
    Event: TypeAlias = NamedCar_Event

class Reset_Request:
    def __init__(
        self,
        *,
        pose: Sequence[geometry_msgs.msg.Pose] = ...,
    ) -> None: ...
    @property
    def pose(self) -> list[geometry_msgs.msg.Pose]: ...
    @pose.setter
    def pose(self, value: Sequence[geometry_msgs.msg.Pose]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Reset_Response:
    def __init__(
        self,
        *,
        success: bool = ...,
        message: str = ...,
    ) -> None: ...
    success: bool
    message: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Reset_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[Reset_Request] = ...,
        response: Sequence[Reset_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[Reset_Request]: ...
    @request.setter
    def request(self, value: Sequence[Reset_Request]) -> None: ...
    @property
    def response(self) -> list[Reset_Response]: ...
    @response.setter
    def response(self, value: Sequence[Reset_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Reset:
    Request: TypeAlias = Reset_Request
    Response: TypeAlias = Reset_Response
    Event: TypeAlias = Reset_Event

class SetFloat_Request:
    def __init__(
        self,
        *,
        value: float = ...,
    ) -> None: ...
    value: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetFloat_Response:
    def __init__(
        self,
        *,
        success: bool = ...,
        message: str = ...,
    ) -> None: ...
    success: bool
    message: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetFloat_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetFloat_Request] = ...,
        response: Sequence[SetFloat_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetFloat_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetFloat_Request]) -> None: ...
    @property
    def response(self) -> list[SetFloat_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetFloat_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetFloat:
    Request: TypeAlias = SetFloat_Request
    Response: TypeAlias = SetFloat_Response
    Event: TypeAlias = SetFloat_Event

class SetGear_Request:
    def __init__(
        self,
        *,
        gear: int = ...,
    ) -> None: ...
    gear: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetGear_Response:
    def __init__(
        self,
        *,
        success: bool = ...,
        message: str = ...,
    ) -> None: ...
    success: bool
    message: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetGear_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetGear_Request] = ...,
        response: Sequence[SetGear_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetGear_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetGear_Request]) -> None: ...
    @property
    def response(self) -> list[SetGear_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetGear_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetGear:
    Request: TypeAlias = SetGear_Request
    Response: TypeAlias = SetGear_Response
    Event: TypeAlias = SetGear_Event

class SetIndicator_Request:
    OFF: ClassVar[int]
    RIGHT: ClassVar[int]
    LEFT: ClassVar[int]
    def __init__(
        self,
        *,
        indicator: int = ...,
    ) -> None: ...
    indicator: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetIndicator_Response:
    def __init__(
        self,
        *,
        success: bool = ...,
        message: str = ...,
    ) -> None: ...
    success: bool
    message: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetIndicator_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetIndicator_Request] = ...,
        response: Sequence[SetIndicator_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetIndicator_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetIndicator_Request]) -> None: ...
    @property
    def response(self) -> list[SetIndicator_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetIndicator_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetIndicator:
    Request: TypeAlias = SetIndicator_Request
    Response: TypeAlias = SetIndicator_Response
    Event: TypeAlias = SetIndicator_Event

class SetWiperMode_Request:
    DOWN: ClassVar[int]
    SLOW: ClassVar[int]
    NORMAL: ClassVar[int]
    FAST: ClassVar[int]
    def __init__(
        self,
        *,
        mode: int = ...,
    ) -> None: ...
    mode: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetWiperMode_Response:
    def __init__(
        self,
        *,
        success: bool = ...,
        message: str = ...,
    ) -> None: ...
    success: bool
    message: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetWiperMode_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetWiperMode_Request] = ...,
        response: Sequence[SetWiperMode_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetWiperMode_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetWiperMode_Request]) -> None: ...
    @property
    def response(self) -> list[SetWiperMode_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetWiperMode_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetWiperMode:
    Request: TypeAlias = SetWiperMode_Request
    Response: TypeAlias = SetWiperMode_Response
    Event: TypeAlias = SetWiperMode_Event
