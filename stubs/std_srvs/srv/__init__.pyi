# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from collections.abc import Sequence
from typing import TypeAlias

import service_msgs.msg

class Empty_Request:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Empty_Response:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Empty_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[Empty_Request] = ...,
        response: Sequence[Empty_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[Empty_Request]: ...
    @request.setter
    def request(self, value: Sequence[Empty_Request]) -> None: ...
    @property
    def response(self) -> list[Empty_Response]: ...
    @response.setter
    def response(self, value: Sequence[Empty_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Empty:
    Request: TypeAlias = Empty_Request
    Response: TypeAlias = Empty_Response
    Event: TypeAlias = Empty_Event

class SetBool_Request:
    def __init__(
        self,
        *,
        data: bool = ...,
    ) -> None: ...
    data: bool
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetBool_Response:
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

class SetBool_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetBool_Request] = ...,
        response: Sequence[SetBool_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetBool_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetBool_Request]) -> None: ...
    @property
    def response(self) -> list[SetBool_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetBool_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetBool:
    Request: TypeAlias = SetBool_Request
    Response: TypeAlias = SetBool_Response
    Event: TypeAlias = SetBool_Event

class Trigger_Request:
    def __init__(
        self,
    ) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Trigger_Response:
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

class Trigger_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[Trigger_Request] = ...,
        response: Sequence[Trigger_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[Trigger_Request]: ...
    @request.setter
    def request(self, value: Sequence[Trigger_Request]) -> None: ...
    @property
    def response(self) -> list[Trigger_Response]: ...
    @response.setter
    def response(self, value: Sequence[Trigger_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Trigger:
    Request: TypeAlias = Trigger_Request
    Response: TypeAlias = Trigger_Response
    Event: TypeAlias = Trigger_Event
