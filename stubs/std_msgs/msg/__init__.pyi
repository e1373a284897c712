# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from array import array
from collections.abc import Iterable, Sequence

import builtin_interfaces.msg

class Bool:
    def __init__(
        self,
        *,
        data: bool = ...,
    ) -> None: ...
    data: bool
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Byte:
    def __init__(
        self,
        *,
        data: bytes = ...,
    ) -> None: ...
    data: bytes
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class ColorRGBA:
    def __init__(
        self,
        *,
        r: float = ...,
        g: float = ...,
        b: float = ...,
        a: float = ...,
    ) -> None: ...
    r: float
    g: float
    b: float
    a: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Float64:
    def __init__(
        self,
        *,
        data: float = ...,
    ) -> None: ...
    data: float
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Header:
    def __init__(
        self,
        *,
        stamp: builtin_interfaces.msg.Time = ...,
        frame_id: str = ...,
    ) -> None: ...
    stamp: builtin_interfaces.msg.Time
    frame_id: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Int8MultiArray:
    def __init__(
        self,
        *,
        layout: MultiArrayLayout = ...,
        data: Iterable[int] = ...,
    ) -> None: ...
    layout: MultiArrayLayout
    @property
    def data(self) -> array[int]: ...
    @data.setter
    def data(self, value: Iterable[int]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class MultiArrayDimension:
    def __init__(
        self,
        *,
        label: str = ...,
        size: int = ...,
        stride: int = ...,
    ) -> None: ...
    label: str
    size: int
    stride: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class MultiArrayLayout:
    def __init__(
        self,
        *,
        dim: Sequence[MultiArrayDimension] = ...,
        data_offset: int = ...,
    ) -> None: ...
    @property
    def dim(self) -> list[MultiArrayDimension]: ...
    @dim.setter
    def dim(self, value: Sequence[MultiArrayDimension]) -> None: ...
    data_offset: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class String:
    def __init__(
        self,
        *,
        data: str = ...,
    ) -> None: ...
    data: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class UInt32:
    def __init__(
        self,
        *,
        data: int = ...,
    ) -> None: ...
    data: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
