# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The metadata.yaml of a rosbag2 folder, in and out; nothing else knows its form.

rosbags writes this file once, when it closes a bag; here it is renewed every second, so that it
stands beside what a killed recorder leaves. Composed as text: a YAML library would take 20 ms
every second for the same.
"""

from __future__ import annotations

from collections.abc import Iterable
import json
from pathlib import Path
import textwrap
from typing import NamedTuple

import yaml

from racecar.base.errors import BagError, ConfigurationError
from racecar.base.yaml_file import compose_yaml, read_yaml

FILE_NAME = 'metadata.yaml'
VERSION = 9  # ROS 2 Jazzy
NO_TIME = 2**63 - 1  # what rosbag2 writes as the start of a bag without messages
_INFINITE = {'sec': 9223372036, 'nsec': 854775807}
_QOS_DEFAULTS: dict[str, object] = {
    'history': 'keep_last',
    'depth': 10,
    'reliability': 'reliable',
    'durability': 'volatile',
    'deadline': _INFINITE,
    'lifespan': _INFINITE,
    'liveliness': 'automatic',
    'liveliness_lease_duration': _INFINITE,
    'avoid_ros_namespace_conventions': False,
}


class TopicMetadata(NamedTuple):
    """A topic; head: its piece of the file up to the message count."""

    name: str
    type_name: str
    head: str


def topic_metadata(name: str, type_name: str, qos: str, type_hash: str) -> TopicMetadata:
    """Topic; qos: as full_qos returns it."""
    profiles = f'\n{textwrap.indent(qos, " " * 8)}' if qos else ' []\n'
    return TopicMetadata(
        name, type_name,
        '  - topic_metadata:\n'
        f'      name: {json.dumps(name)}\n'
        f'      type: {json.dumps(type_name)}\n'
        '      serialization_format: cdr\n'
        f'      offered_qos_profiles:{profiles}'
        f'      type_description_hash: {json.dumps(type_hash)}\n')


def bag_information(
    file_name: str, topics: Iterable[tuple[TopicMetadata, int]], start_ns: int | None,
    end_ns: int, ros_distro: str,
) -> str:
    """What is known of a bag of one MCAP file, as YAML.

    topics: with how many messages each has. start_ns: of the first message [ns], None if there is
    none; end_ns: of the last one.
    """
    duration = 0 if start_ns is None else end_ns - start_ns
    start_ns = NO_TIME if start_ns is None else start_ns
    name = json.dumps(file_name)
    rows = list(topics)
    count = sum(number for _, number in rows)
    listed = ''.join(
        f'{topic.head}    message_count: {number}\n' for topic, number in rows)
    return (
        f'version: {VERSION}\n'
        'storage_identifier: mcap\n'
        f'duration:\n  nanoseconds: {duration}\n'
        f'starting_time:\n  nanoseconds_since_epoch: {start_ns}\n'
        f'message_count: {count}\n'
        f'topics_with_message_count:{" []" if not listed else ""}\n{listed}'
        'compression_format: ""\n'
        'compression_mode: ""\n'
        f'relative_file_paths:\n  - {name}\n'
        'files:\n'
        f'  - path: {name}\n'
        f'    starting_time:\n      nanoseconds_since_epoch: {start_ns}\n'
        f'    duration:\n      nanoseconds: {duration}\n'
        f'    message_count: {count}\n'
        'custom_data: ~\n'
        f'ros_distro: {json.dumps(ros_distro)}\n')


def metadata_file(information: str) -> str:
    """Text of the file with what bag_information returns."""
    return f'rosbag2_bagfile_information:\n{textwrap.indent(information, "  ")}'


def full_qos(topic: str, text: str) -> str:
    """YAML list of QoS profiles with every key that readers need; empty if it is.

    Raises BagError, naming the topic, for a text that is no such list.
    """
    try:
        profiles = yaml.safe_load(text) if text else []
    except yaml.YAMLError as error:
        raise BagError(f"topic '{topic}': the QoS is not YAML: {error}") from error
    if not isinstance(profiles, list) or not all(isinstance(row, dict) for row in profiles):
        raise BagError(f"topic '{topic}': the QoS is {text!r}, expected a YAML list of profiles")
    if not profiles:
        return ''
    # Copies, for YAML would write a value that stands twice as an alias.
    full = [
        {key: dict(value) if isinstance(value, dict) else value
         for key, value in {**_QOS_DEFAULTS, **row}.items()}
        for row in profiles]
    dumped: str = yaml.safe_dump(full, default_flow_style=False, sort_keys=False)
    return dumped


def check_metadata(folder: Path) -> None:
    """Raise BagError for a file that rosbags, which reads it, would take very long for."""
    try:
        read_yaml('metadata', folder / FILE_NAME, compose_yaml)
    except ConfigurationError as error:
        raise BagError(
            f"bag '{folder}' cannot be read: {error}; without this file it is read from what"
            ' it holds') from error
