# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from collections.abc import Sequence
from typing import ClassVar

import std_msgs.msg

class DiagnosticArray:
    def __init__(
        self,
        *,
        header: std_msgs.msg.Header = ...,
        status: Sequence[DiagnosticStatus] = ...,
    ) -> None: ...
    header: std_msgs.msg.Header
    @property
    def status(self) -> list[DiagnosticStatus]: ...
    @status.setter
    def status(self, value: Sequence[DiagnosticStatus]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class DiagnosticStatus:
    OK: ClassVar[bytes]
    WARN: ClassVar[bytes]
    ERROR: ClassVar[bytes]
    STALE: ClassVar[bytes]
    def __init__(
        self,
        *,
        level: bytes = ...,
        name: str = ...,
        message: str = ...,
        hardware_id: str = ...,
        values: Sequence[KeyValue] = ...,
    ) -> None: ...
    level: bytes
    name: str
    message: str
    hardware_id: str
    @property
    def values(self) -> list[KeyValue]: ...
    @values.setter
    def values(self, value: Sequence[KeyValue]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class KeyValue:
    def __init__(
        self,
        *,
        key: str = ...,
        value: str = ...,
    ) -> None: ...
    key: str
    value: str
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
