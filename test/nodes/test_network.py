# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the nodes open to the network in the environment of ./run with wheels."""

import os
from pathlib import Path
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from std_msgs.msg import String

from bootstrap.environments import DISCOVERY_RANGE, PROFILE_FILES, with_loopback_only
from racecar.base.share import share_folder
from racecar.ros import qos
from racecar.sensors import camera

pytestmark = [
    pytest.mark.ros,
    pytest.mark.skipif(
        os.environ.get('RACECAR_ROS') != 'wheels',
        reason='where ROS 2 is installed, its user decides what DDS opens'),
]

TALKER = """
import sys
import rclpy
from std_msgs.msg import String
from racecar.ros import qos
rclpy.init()
node = rclpy.create_node('talker')
publisher = node.create_publisher(String, '/said', qos.LATCHED)
publisher.publish(String(data='hello'))
sys.stdin.read()
"""
ANY = re.compile(r'0+')


def bound_addresses(pid):
    """Return the hexadecimal local addresses of all network sockets of a process."""
    sockets = set()
    for link in Path(f'/proc/{pid}/fd').iterdir():
        sockets.update(re.findall(r'socket:\[(\d+)\]', os.readlink(link)))
    found = []
    for protocol in ('udp', 'udp6', 'tcp', 'tcp6'):
        for line in Path(f'/proc/{pid}/net/{protocol}').read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in sockets:
                found.append((protocol, words[1].split(':')[0]))
    return found


def talker(environment):
    return subprocess.Popen([sys.executable, '-c', TALKER], stdin=subprocess.PIPE,
                            env={**environment, 'PYTHONPATH': os.pathsep.join(sys.path)})


def test_nodes_find_each_other_and_are_bound_to_the_loopback_interface_only(bench):
    variables = {name: value for name, value in os.environ.items()
                 if name not in (*PROFILE_FILES, DISCOVERY_RANGE)}
    heard = bench.listen('/said', String, qos.LATCHED)
    with talker(with_loopback_only(variables, os.environ['ROS_DISTRO'])) as process:
        bench.until(lambda: heard, 'a message of another process')
        addresses = bound_addresses(process.pid)
        process.stdin.close()
    assert ('udp', '0100007F') in addresses
    assert {address for _, address in addresses} == {'0100007F'}


def test_a_range_of_the_subnet_opens_the_sockets(bench):
    heard = bench.listen('/said', String, qos.LATCHED)
    variables = {**os.environ, DISCOVERY_RANGE: 'SUBNET'}
    with talker(with_loopback_only(variables, os.environ['ROS_DISTRO'])) as process:
        bench.until(lambda: heard, 'a message of another process')
        addresses = bound_addresses(process.pid)
        process.stdin.close()
    assert any(ANY.fullmatch(address) for protocol, address in addresses if protocol == 'udp')


def test_shared_memory_holds_two_pictures_of_the_camera():
    profile = ElementTree.parse(share_folder() / 'config' / 'dds' / 'loopback.xml')
    size, = profile.iterfind('.//{*}segment_size')
    picture = {row.name: row.default for row in camera.PARAMETERS}
    width, height = (int(str(picture[name])) for name in ('width', 'height'))
    assert int(str(size.text)) > 2 * 3 * width * height
