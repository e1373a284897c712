# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the frames (REP-105), and what cars and sensors may be called."""

import re

MAP = 'map'
ODOM = 'odom'
BASE_LINK = 'base_link'
"""Ground point below the rear axle of a car."""

COG = 'cog'
"""Centre of gravity."""

REFERENCE = 'reference'
"""The pose that the tracker aims at."""

_PART_NAME = re.compile('[A-Za-z](_?[A-Za-z0-9])*')
_LONGEST_NAME = 60

PART_NAME_RULE = (
    f'begins with a letter and has at most {_LONGEST_NAME} letters, digits and single _ between'
    ' them')
"""What is_part_name() asks for."""


def is_part_name(name: str) -> bool:
    """Whether a name can be that of a parameter, a namespace, a topic and a frame at once."""
    return _PART_NAME.fullmatch(name) is not None and len(name) <= _LONGEST_NAME
