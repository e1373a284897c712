# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

class Duration:
    def __init__(
        self,
        *,
        sec: int = ...,
        nanosec: int = ...,
    ) -> None: ...
    sec: int
    nanosec: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...

class Time:
    def __init__(
        self,
        *,
        sec: int = ...,
        nanosec: int = ...,
    ) -> None: ...
    sec: int
    nanosec: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
