# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Definition texts and hashes of the distribution in use."""

import pytest
from rosbags.interfaces import MessageDefinition, MessageDefinitionFormat
from rosbags.typesys import get_typestore, Stores

from racecar.bags import message_definitions
from racecar.bags.message_definitions import defined_types, MessageDefinitions


@pytest.mark.parametrize(('distro', 'expected'), [
    ('jazzy', Stores.ROS2_JAZZY), ('kilted', Stores.ROS2_KILTED), ('', Stores.ROS2_JAZZY),
    ('rolling', Stores.LATEST),
])
def test_the_standard_types_are_those_of_the_distribution(monkeypatch, distro, expected):
    asked = []
    monkeypatch.setenv('ROS_DISTRO', distro)

    def counted(store):
        asked.append(store)
        return get_typestore(store)

    monkeypatch.setattr(message_definitions, 'get_typestore', counted)
    text, type_hash = MessageDefinitions().text('nav_msgs/msg/Odometry')
    assert asked == [expected]
    assert 'geometry_msgs/PoseWithCovariance pose' in text
    assert type_hash == get_typestore(expected).hash_rihs01('nav_msgs/msg/Odometry')


def test_types_within_types_are_found_in_the_share_folders(monkeypatch, tmp_path):
    for package, name, text in (
            ('a_msgs', 'Outer', 'b_msgs/Inner[] rows\nc_msgs/Other[2] pair\nstring text\n'),
            ('b_msgs', 'Inner', 'std_msgs/Header header\nc_msgs/Other other\n'),
            ('c_msgs', 'Other', 'int8 number\n')):
        folder = tmp_path / 'share' / package / 'msg'
        folder.mkdir(parents=True)
        (folder / f'{name}.msg').write_text(text)
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{tmp_path}')
    text, type_hash = MessageDefinitions().text('a_msgs/msg/Outer')
    parts = text.split('=' * 80 + '\n')
    assert {part.splitlines()[0] for part in parts[1:]} == {
        'MSG: b_msgs/Inner', 'MSG: c_msgs/Other', 'MSG: std_msgs/Header',
        'MSG: builtin_interfaces/Time'}
    assert type_hash.startswith('RIHS01_')
    # Whoever reads it needs no more.
    definition = MessageDefinition(MessageDefinitionFormat.MSG, text)
    assert 'c_msgs/msg/Other' in defined_types('a_msgs/msg/Outer', definition).types
    assert MessageDefinitions().text('b_msgs/msg/Absent') == ('', '')
