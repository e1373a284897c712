# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_message_stubs.py.

from collections.abc import Sequence

import geometry_msgs.msg

class TFMessage:
    def __init__(
        self,
        *,
        transforms: Sequence[geometry_msgs.msg.TransformStamped] = ...,
    ) -> None: ...
    @property
    def transforms(self) -> list[geometry_msgs.msg.TransformStamped]: ...
    @transforms.setter
    def transforms(self, value: Sequence[geometry_msgs.msg.TransformStamped]) -> None: ...
    @classmethod
    def get_fields_and_field_types(cls) -> dict[str, str]: ...
