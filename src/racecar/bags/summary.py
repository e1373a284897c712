# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a bag holds, and the topic of it that somebody means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from racecar.core.errors import BagError

_LISTED_TOPICS = 30


class TopicSummary(NamedTuple):
    """A topic of a bag: its name, its type as nav_msgs/msg/Odometry, its message count."""

    name: str
    type_name: str
    message_count: int


@dataclass(frozen=True)
class BagSummary:
    """What a bag holds.

    path: as given. files: its storage files in order. storage: mcap or sqlite3.
    size: of the files [bytes]. topics: sorted by name; a topic recorded with two types stands
    twice. warnings: what had to be worked around, one sentence each.
    """

    path: Path
    files: tuple[Path, ...]
    storage: str
    size: int
    topics: tuple[TopicSummary, ...]
    warnings: tuple[str, ...] = ()

    @property
    def message_count(self) -> int:
        """Number of messages on all topics."""
        return sum(topic.message_count for topic in self.topics)

    def describe_topics(self) -> str:
        """Return the topics with types and counts for a message."""
        if not self.topics:
            return 'no topics at all'
        rows = [f'{row.name} ({row.type_name}, {row.message_count})' for row in self.topics]
        more = len(rows) - _LISTED_TOPICS
        return ', '.join(rows[:_LISTED_TOPICS]) + (f' and {more} more' if more > 0 else '')


def find_topic(
    summary: BagSummary, names: Sequence[str], type_name: str,
) -> str:
    """Return the topic of a bag that one of the names stands for.

    The first name that is in the bag, else the only topic of the type that ends with the first
    name that any topic ends with. Raises BagError naming what is missing, has another type or
    is ambiguous, and what the bag has.
    """
    wanted = [name if name.startswith('/') else f'/{name}' for name in names]
    types = {row.name: row.type_name for row in summary.topics}
    for name in wanted:
        if name in types:
            if types[name] != type_name:
                raise BagError(
                    f"bag '{summary.path}': {name} is {types[name]}, expected {type_name};"
                    ' name another topic')
            return name
    for name in wanted:
        found = [topic for topic, kind in types.items()
                 if topic.endswith(name) and kind == type_name]
        if len(found) > 1:
            raise BagError(
                f"bag '{summary.path}': {name} may be {' or '.join(found)}; name the one to use")
        if found:
            return found[0]
    raise BagError(
        f"bag '{summary.path}': {' and '.join(wanted)}"
        f' {"is" if len(wanted) == 1 else "are"} missing; it has {summary.describe_topics()}')
