# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import rcl_interfaces.msg
import service_msgs.msg

class DescribeParameters_Request:
    def __init__(
        self,
        *,
        names: Sequence[str] = ...,
    ) -> None: ...
    @property
    def names(self) -> list[str]: ...
    @names.setter
    def names(self, value: Sequence[str]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DescribeParameters_Response:
    def __init__(
        self,
        *,
        descriptors: Sequence[rcl_interfaces.msg.ParameterDescriptor] = ...,
    ) -> None: ...
    @property
    def descriptors(self) -> list[rcl_interfaces.msg.ParameterDescriptor]: ...
    @descriptors.setter
    def descriptors(self, value: Sequence[rcl_interfaces.msg.ParameterDescriptor]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DescribeParameters_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[DescribeParameters_Request] = ...,
        response: Sequence[DescribeParameters_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[DescribeParameters_Request]: ...
    @request.setter
    def request(self, value: Sequence[DescribeParameters_Request]) -> None: ...
    @property
    def response(self) -> list[DescribeParameters_Response]: ...
    @response.setter
    def response(self, value: Sequence[DescribeParameters_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DescribeParameters:
    Request: TypeAlias = DescribeParameters_Request
    Response: TypeAlias = DescribeParameters_Response
    Event: TypeAlias = DescribeParameters_Event

class GetParameters_Request:
    def __init__(
        self,
        *,
        names: Sequence[str] = ...,
    ) -> None: ...
    @property
    def names(self) -> list[str]: ...
    @names.setter
    def names(self, value: Sequence[str]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetParameters_Response:
    def __init__(
        self,
        *,
        values: Sequence[rcl_interfaces.msg.ParameterValue] = ...,
    ) -> None: ...
    @property
    def values(self) -> list[rcl_interfaces.msg.ParameterValue]: ...
    @values.setter
    def values(self, value: Sequence[rcl_interfaces.msg.ParameterValue]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetParameters_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[GetParameters_Request] = ...,
        response: Sequence[GetParameters_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[GetParameters_Request]: ...
    @request.setter
    def request(self, value: Sequence[GetParameters_Request]) -> None: ...
    @property
    def response(self) -> list[GetParameters_Response]: ...
    @response.setter
    def response(self, value: Sequence[GetParameters_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class GetParameters:
    Request: TypeAlias = GetParameters_Request
    Response: TypeAlias = GetParameters_Response
    Event: TypeAlias = GetParameters_Event

class ListParameters_Request:
    DEPTH_RECURSIVE: ClassVar[int]
    def __init__(
        self,
        *,
        prefixes: Sequence[str] = ...,
        depth: int = ...,
    ) -> None: ...
    @property
    def prefixes(self) -> list[str]: ...
    @prefixes.setter
    def prefixes(self, value: Sequence[str]) -> None: ...
    depth: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ListParameters_Response:
    def __init__(
        self,
        *,
        result: rcl_interfaces.msg.ListParametersResult = ...,
    ) -> None: ...
    result: rcl_interfaces.msg.ListParametersResult
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ListParameters_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[ListParameters_Request] = ...,
        response: Sequence[ListParameters_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[ListParameters_Request]: ...
    @request.setter
    def request(self, value: Sequence[ListParameters_Request]) -> None: ...
    @property
    def response(self) -> list[ListParameters_Response]: ...
    @response.setter
    def response(self, value: Sequence[ListParameters_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ListParameters:
    Request: TypeAlias = ListParameters_Request
    Response: TypeAlias = ListParameters_Response
    Event: TypeAlias = ListParameters_Event

class SetParameters_Request:
    def __init__(
        self,
        *,
        parameters: Sequence[rcl_interfaces.msg.Parameter] = ...,
    ) -> None: ...
    @property
    def parameters(self) -> list[rcl_interfaces.msg.Parameter]: ...
    @parameters.setter
    def parameters(self, value: Sequence[rcl_interfaces.msg.Parameter]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetParameters_Response:
    def __init__(
        self,
        *,
        results: Sequence[rcl_interfaces.msg.SetParametersResult] = ...,
    ) -> None: ...
    @property
    def results(self) -> list[rcl_interfaces.msg.SetParametersResult]: ...
    @results.setter
    def results(self, value: Sequence[rcl_interfaces.msg.SetParametersResult]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetParameters_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetParameters_Request] = ...,
        response: Sequence[SetParameters_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetParameters_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetParameters_Request]) -> None: ...
    @property
    def response(self) -> list[SetParameters_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetParameters_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetParameters:
    Request: TypeAlias = SetParameters_Request
    Response: TypeAlias = SetParameters_Response
    Event: TypeAlias = SetParameters_Event

class SetParametersAtomically_Request:
    def __init__(
        self,
        *,
        parameters: Sequence[rcl_interfaces.msg.Parameter] = ...,
    ) -> None: ...
    @property
    def parameters(self) -> list[rcl_interfaces.msg.Parameter]: ...
    @parameters.setter
    def parameters(self, value: Sequence[rcl_interfaces.msg.Parameter]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetParametersAtomically_Response:
    def __init__(
        self,
        *,
        result: rcl_interfaces.msg.SetParametersResult = ...,
    ) -> None: ...
    result: rcl_interfaces.msg.SetParametersResult
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetParametersAtomically_Event:
    def __init__(
        self,
        *,
        info: service_msgs.msg.ServiceEventInfo = ...,
        request: Sequence[SetParametersAtomically_Request] = ...,
        response: Sequence[SetParametersAtomically_Response] = ...,
    ) -> None: ...
    info: service_msgs.msg.ServiceEventInfo
    @property
    def request(self) -> list[SetParametersAtomically_Request]: ...
    @request.setter
    def request(self, value: Sequence[SetParametersAtomically_Request]) -> None: ...
    @property
    def response(self) -> list[SetParametersAtomically_Response]: ...
    @response.setter
    def response(self, value: Sequence[SetParametersAtomically_Response]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class SetParametersAtomically:
    Request: TypeAlias = SetParametersAtomically_Request
    Response: TypeAlias = SetParametersAtomically_Response
    Event: TypeAlias = SetParametersAtomically_Event
