# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Moving frames on tf: tf2_msgs/TFMessage."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

from racecar.ros.wire import MessageTemplate

_FIELDS = ('translation.x', 'translation.y', 'translation.z', 'rotation.x', 'rotation.y',
           'rotation.z', 'rotation.w')


def transforms_template(frames: Sequence[tuple[str, str]]) -> MessageTemplate:
    """Message of these frames, each given as parent and child.

    To be filled, for one after the other, with sec, nanosec and the pose of the child.
    """
    message = TFMessage()
    for parent, child in frames:
        transform = TransformStamped(child_frame_id=child)
        transform.header.frame_id = parent
        message.transforms.append(transform)
    return MessageTemplate(message, [
        f'transforms.{i}.{field}' for i in range(len(frames))
        for field in ('header.stamp', *(f'transform.{field}' for field in _FIELDS))])
