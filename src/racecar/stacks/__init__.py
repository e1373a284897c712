# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which nodes make up a configuration; launch files, `up` and `simulate` all read it here."""

from racecar.stacks.describe import (
    commands_of,
    describe_stack,
    find_stack,
    find_tracking_stack,
    STACKS,
    unanswered,
)
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import parse_overrides, StackOptions
from racecar.stacks.stack import Stack

__all__ = ['STACKS', 'NodeDescription', 'Stack', 'StackOptions', 'commands_of',
           'describe_stack', 'find_stack', 'find_tracking_stack', 'parse_overrides', 'unanswered']
