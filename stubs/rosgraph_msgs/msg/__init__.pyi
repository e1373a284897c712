# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

import builtin_interfaces.msg

class Clock:
    def __init__(
        self,
        *,
        clock: builtin_interfaces.msg.Time = ...,
    ) -> None: ...
    clock: builtin_interfaces.msg.Time
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
