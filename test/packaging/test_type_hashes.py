# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Our stand-ins talk to the packages that they stand in for.

DDS in Jazzy matches topics by type name and compares the type hash (REP-2016).
The values were computed from the upstream definitions, built by themselves.
"""

import importlib
import json

import pytest

ament_index = pytest.importorskip(
    'ament_index_python', reason='no ROS 2: run the tests by ./run test')

UPSTREAM = {
    'ackermann_msgs/msg/AckermannDrive':
        'RIHS01_acf287a224a947dd1b0b87d6d76cdb73f497b0237b8fc73be2173b2ebbb82c99',
    'ackermann_msgs/msg/AckermannDriveStamped':
        'RIHS01_48ca7612a08d3bb72744fd98b71b7cf2ea24c6ad50fa4e1aa0bbad963c90d8cf',
    'tf2_msgs/action/LookupTransform':
        'RIHS01_0b8adf6bc0b5958879e3265b41a457e03558fe523890a81252c70eba97a82c5d',
    'tf2_msgs/msg/TF2Error':
        'RIHS01_db2485e7d6a0ec75bf087e058ee45df682acc3a621ca7780503d10aac141809a',
    'tf2_msgs/msg/TFMessage':
        'RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087',
    'tf2_msgs/srv/FrameGraph':
        'RIHS01_0d1fbc6222c018ba5f33822904a2fdd4063705289956d3fdde07cd8c50fe8067',
}


@pytest.mark.parametrize('name', UPSTREAM)
def test_the_type_hash_is_that_of_the_upstream_package(name):
    package = name.split('/')[0]
    try:
        share = ament_index.get_package_share_path(package)
    except ament_index.PackageNotFoundError:
        pytest.skip(f'{package} is not built: run the tests by ./run test')
    description = json.loads((share / f'{name.partition("/")[2]}.json').read_text())
    hashes = {entry['type_name']: entry['hash_string'] for entry in description['type_hashes']}
    assert hashes[name] == UPSTREAM[name]
    module, _, kind = name.replace('/', '.').rpartition('.')
    assert getattr(importlib.import_module(module), kind)
