# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from collections.abc import Sequence
from typing import ClassVar

import builtin_interfaces.msg
import numpy as np
from numpy.typing import NDArray

class ServiceEventInfo:
    REQUEST_SENT: ClassVar[int]
    REQUEST_RECEIVED: ClassVar[int]
    RESPONSE_SENT: ClassVar[int]
    RESPONSE_RECEIVED: ClassVar[int]
    def __init__(
        self,
        *,
        event_type: int = ...,
        stamp: builtin_interfaces.msg.Time = ...,
        client_gid: Sequence[int] | NDArray[np.uint8] = ...,
        sequence_number: int = ...,
    ) -> None: ...
    event_type: int
    stamp: builtin_interfaces.msg.Time
    @property
    def client_gid(self) -> NDArray[np.uint8]: ...
    @client_gid.setter
    def client_gid(self, value: Sequence[int] | NDArray[np.uint8]) -> None: ...
    sequence_number: int
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
