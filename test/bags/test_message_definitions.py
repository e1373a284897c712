# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Definition texts and hashes of the distribution in use."""

import pytest
from rosbags.typesys import get_typestore, Stores

from racecar.bags import message_definitions
from racecar.bags.message_definitions import MessageDefinitions


@pytest.mark.parametrize(('distro', 'expected'), [
    ('jazzy', Stores.ROS2_JAZZY), ('kilted', Stores.ROS2_KILTED), ('', Stores.ROS2_JAZZY),
    ('rolling', Stores.LATEST),
])
def test_the_standard_types_are_those_of_the_distribution(monkeypatch, distro, expected):
    asked = []
    monkeypatch.setenv('ROS_DISTRO', distro)
    monkeypatch.setattr(
        message_definitions, 'get_typestore',
        lambda store: asked.append(store) or get_typestore(store))
    text, type_hash = MessageDefinitions().text('nav_msgs/msg/Odometry')
    assert asked == [expected]
    assert 'geometry_msgs/PoseWithCovariance pose' in text
    assert type_hash == get_typestore(expected).hash_rihs01('nav_msgs/msg/Odometry')
