# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a bag holds, and the topic of it that somebody means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from racecar.bags import message_types
from racecar.base.errors import BagError, excerpt
from racecar.base.parameters import suggestion
from racecar.ros import topics
from racecar.ros.topics.robots import find_robots, RobotTopics
from racecar.ros.topics.sets import names_in_all_sets, topic_sets

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

    def first(
        self, type_name: str, topics: Iterable[str], *, may_be_empty: bool = False,
    ) -> str:
        """First of some topics that the bag has with a type and messages, or ''.

        may_be_empty: also one without messages.
        """
        there = self.having(type_name, may_be_empty=may_be_empty)
        return next((topic for topic in topics if topic in there), '')

    def having(self, type_name: str, *, may_be_empty: bool = False) -> list[str]:
        """Topics of a type with messages, sorted; may_be_empty: also those without."""
        return [row.name for row in self.topics
                if row.type_name == type_name and (row.message_count or may_be_empty)]

    @property
    def name(self) -> str:
        """Name of the bag, for titles."""
        return self.path.resolve().name

    def describe_topics(self) -> str:
        """Topics with types and counts for a message."""
        if not self.topics:
            return 'no topics at all'
        rows = [f'{row.name} ({row.type_name}, {row.message_count})' for row in self.topics]
        more = len(rows) - _LISTED_TOPICS
        return ', '.join(rows[:_LISTED_TOPICS]) + (f' and {more} more' if more > 0 else '')


def find_topic(
    summary: BagSummary, names: Sequence[str], type_name: str,
) -> str:
    """Topic of a bag that one of the names stands for.

    The first name that is in the bag, else the only topic of the type that ends with the first
    name that any topic ends with. Raises BagError naming what is missing, has another type or
    is ambiguous, and what the bag has.
    """
    wanted = [*dict.fromkeys(
        name if name.startswith('/') else f'/{name}' for name in names)]
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


def find_scans(summary: BagSummary, robot: RobotTopics) -> str:
    """Topic of the scans of a robot: `scan`, else that of the first of its lasers by name.

    Raises BagError as find_topic() does.
    """
    scan = f'{robot.namespace}/{topics.SCAN}'
    others = {other.namespace for other in robots_of(
        summary, summary.having(message_types.ODOMETRY, may_be_empty=True))}
    lasers = [topic for topic in summary.having(message_types.SCAN)
              if topic.startswith(f'{robot.namespace}/')
              and topic.removesuffix(f'/{topics.SCAN}') not in {topic, *others}]
    if lasers and scan not in [row.name for row in summary.topics]:
        return lasers[0]
    name = robot.namespace.rpartition('/')[2]
    if name not in (cars := cars_in(summary)) or len(cars) < 2:
        return find_topic(summary, (scan, topics.SCAN), message_types.SCAN)
    # Not that of another car; some sets have one outside of its namespace.
    of_sets = [f'/{known.cars[name][topics.SCAN]}' for known in topic_sets().values()
               if topics.SCAN in known.cars.get(name, {})]
    return find_topic(summary, (scan, *of_sets), message_types.SCAN)


def cars_in(summary: BagSummary) -> dict[str, RobotTopics]:
    """Cars of one world in a bag by their names: the robots that go first and have a namespace.

    The name is the end of the namespace, or all of it where cars in several have the same.
    """
    robots = robots_of(summary, summary.having(message_types.ODOMETRY, may_be_empty=True))
    cars = [robot for robot in robots if robot.rank == robots[0].rank and robot.namespace]
    names = [car.namespace.rpartition('/')[2] for car in cars]
    if len({*names}) < len(names):
        names = [car.namespace.removeprefix('/') for car in cars]
    return dict(zip(names, cars, strict=True))


def find_robot(
    summary: BagSummary, odometry: str | None = None, car: str | None = None,
) -> RobotTopics:
    """Robot of a bag.

    odometry: its topic, as for find_topic(), car: its name as of cars_in(), if somebody named one
    of the two. Raises BagError naming what is missing or ambiguous, and what the bag has.
    """
    if car is not None:
        cars = cars_in(summary)
        if car not in cars:
            raise BagError(
                f"bag '{summary.path}': car is {excerpt(car)}, expected"
                + (f" one of {', '.join(cars)}{suggestion(car, cars)}" if cars
                   else ' none, as it has a single robot: leave it out'))
        return cars[car]
    if odometry is not None:
        named = find_topic(summary, (odometry,), message_types.ODOMETRY)
        return next(iter(robots_of(summary, [named])), RobotTopics(named, '', '', False))
    robots = robots_of(summary, summary.having(message_types.ODOMETRY, may_be_empty=True))
    if not robots:
        # It says what is missing.
        find_topic(summary, names_in_all_sets(topics.ODOMETRY), message_types.ODOMETRY)
    others = [robot.odometry for robot in robots if robot.rank == robots[0].rank]
    if len(others) > 1:
        raise BagError(
            f"bag '{summary.path}': the odometry may be {' or '.join(others)}; name the one to"
            f" use, or its car: {', '.join(cars_in(summary))}")
    return robots[0]


def robots_of(summary: BagSummary, odometry: Iterable[str]) -> list[RobotTopics]:
    """Robots with some topics of odometry, the best first, as find_robots() of ros.topics."""
    there = {row.name for row in summary.topics}
    return find_robots(odometry, there.__contains__)
