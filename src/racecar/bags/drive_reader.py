# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One robot's drive in a bag: which topics are its, and one walk over those that are wanted."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
import copy
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from racecar.bags import message_types
from racecar.bags.message_values import stamp_ns
from racecar.bags.reader import BagMessage, BagReader
from racecar.bags.summary import find_robot
from racecar.base.columns import Array
from racecar.base.errors import BagError
from racecar.base.types import NANOSECONDS
from racecar.ros import topics
from racecar.ros.topics.robots import RobotTopics
from racecar.ros.topics.sets import names_in_all_sets

Progress = Callable[[int, int], None]
Stamps = NDArray[np.int64]
T = TypeVar('T')
Message: TypeAlias = Any
"""A message of any type, as its definition in the bag tells."""

_BEYOND = 1e9
"""No position, speed or angle of a robot is so large [SI]."""


class Columns(NamedTuple):
    """Numbers of a message: their names, and what takes them from it; None leaves it out."""

    names: tuple[str, ...]
    of: Callable[[Message], Iterable[float] | None]


class Rows:
    """Stamps and numbers of the messages of one topic, in the order of recording.

    topic: its name, empty where the bag has none. columns: which numbers. count: how many messages
    came, also those that were left out.
    """

    def __init__(
        self, bag: Path, topic: str, columns: Columns, stamp: Callable[[BagMessage], int],
    ) -> None:
        self.topic = topic
        self.columns = columns
        self.count = 0
        self._bag = bag
        self._stamp = stamp
        self._stamps = array('q')
        self._numbers = array('d')

    def add(self, row: BagMessage) -> None:
        """Take a message of the topic."""
        self.count += 1
        numbers = self.columns.of(row.message)
        if numbers is not None:
            self._stamps.append(self._stamp(row))
            self._numbers.extend(numbers)

    @property
    def stamps(self) -> Stamps:
        """Stamps (n,) [ns]."""
        return np.array(self._stamps, dtype=np.int64)

    @property
    def table(self) -> Array:
        """Numbers (n, columns)."""
        return np.array(self._numbers).reshape(-1, len(self.columns.names))

    def ordered(self, at_least: int = 0) -> tuple[Stamps, Array]:
        """Stamps (n,) [ns], strictly ascending, and numbers (n, columns).

        Of several messages with one stamp the last counts; those with values that are not finite
        or beyond all that drives are left out. Raises BagError if fewer remain than are needed.
        """
        table, stamps = self.table, self.stamps
        finite = (np.abs(table) < _BEYOND).all(axis=1)
        table, stamps = table[finite], stamps[finite]
        order = np.argsort(stamps, kind='stable')
        stamps = stamps[order]
        last = np.append(stamps[1:] != stamps[:-1], True) if stamps.size else order.astype(bool)
        if int(last.sum()) < at_least:
            raise BagError(
                f"bag '{self._bag}': {self.topic} has {self.count} messages, of which"
                f' {int(last.sum())} can be used, expected at least {at_least}; was its node'
                ' running?')
        return stamps[last], table[order][last]

    def check(self, remedy: str = 'was its node running?') -> None:
        """Raise BagError, with the remedy, if no message came."""
        if not self.count:
            raise BagError(f"bag '{self._bag}': {self.topic} has no messages; {remedy}")


def header_stamp(row: BagMessage) -> int:
    """The header.stamp of a message [ns]."""
    return stamp_ns(row.message)


def time_of_recording(row: BagMessage) -> int:
    """When a message was recorded [ns], for those without a header."""
    return row.log_time_ns


def seconds(stamps: Stamps, origin_ns: int) -> Array:
    """Times since an origin [s].

    Whole nanoseconds up to 104 days are exact in double precision, and equal stamps become equal
    times.
    """
    return (stamps - origin_ns) / NANOSECONDS


class DriveReader(BagReader):
    """An open bag with the drive of one robot.

    First ask for the content of topics, by rows(), values(), newest() and each(); read() then
    fills what they returned, in one walk over the bag. An empty topic stands for one that the bag
    has not, and gives nothing. car: name of the robot, None for that of the odometry or the only
    one.
    """

    def __init__(
        self, path: Path | str, odometry_topic: str | None = None, car: str | None = None,
    ) -> None:
        """Open the bag; path and errors as for BagReader.

        odometry_topic: of the robot, or car: its name, by default those of find_robot().
        """
        super().__init__(path)
        self._odometry_topic = odometry_topic
        self.car = car
        self._takers: dict[str, list[Callable[[BagMessage], object]]] = {}

    def of_car(self, car: str) -> DriveReader:
        """The drive of another robot in the same open bag; read() of either reads both.

        car: its name.
        """
        other = copy.copy(self)
        other.car = car
        for found in ('robot', 'pose_topic'):
            other.__dict__.pop(found, None)
        return other

    @cached_property
    def robot(self) -> RobotTopics:
        """The robot; raises BagError as find_robot() if it cannot be told."""
        return find_robot(self.summary, self._odometry_topic, self.car)

    @cached_property
    def pose_topic(self) -> str:
        """Topic that says where the robot is: its true motion if that is there, or its odometry.

        The latter alone if somebody named it. Raises BagError as robot does.
        """
        truth = '' if self._odometry_topic is not None else self.beside(
            message_types.ODOMETRY, topics.GROUND_TRUTH)
        return truth or self.robot.odometry

    def beside(
        self, type_name: str, *names: str, namespace: str | None = None, is_shared: bool = False,
        may_be_empty: bool = False,
    ) -> str:
        """First topic of a type with one of the names in the namespace of the robot, or ''.

        names: relative ones of this package, each for what any set of topic names calls it.
        namespace: another one. is_shared: whether robots may have it in common, so that it may
        lie outside of the namespace. may_be_empty: also a topic without messages.
        """
        own = self.robot.namespace if namespace is None else namespace
        return self.summary.first(
            type_name, (f'{place}/{name}' for name in names_in_all_sets(*names)
                        for place in ((own, '') if is_shared else (own,))),
            may_be_empty=may_be_empty)

    def each(self, topic: str, take: Callable[[Message], object]) -> None:
        """Have each message of a topic given to a function."""
        self._ask(topic, lambda row: take(row.message))

    def rows(
        self, topic: str, columns: Columns, stamp: Callable[[BagMessage], int] = header_stamp,
    ) -> Rows:
        """Numbers of the messages of a topic; stamp: what is taken for their stamps."""
        found = Rows(self.path, topic, columns, stamp)
        self._ask(topic, found.add)
        return found

    def values(self, topic: str, make: Callable[[Message], T | None]) -> list[tuple[int, T]]:
        """Header stamp [ns] and value of each message of a topic that has a value."""
        found: list[tuple[int, T]] = []

        def take(message: object) -> None:
            value = make(message)
            if value is not None:
                found.append((stamp_ns(message), value))

        self.each(topic, take)
        return found

    def newest(self, topic: str, make: Callable[[Message], T]) -> list[T]:
        """Value of the last message of a topic, in a list that is empty without one."""
        found: list[T] = []

        def take(message: object) -> None:
            found[:] = [make(message)]

        self.each(topic, take)
        return found

    def read(self, progress: Progress | None = None) -> None:
        """Read all that was asked for; progress and errors as for BagReader.hand_out()."""
        self.hand_out(self._takers, progress)

    def _ask(self, topic: str, take: Callable[[BagMessage], object]) -> None:
        if topic:
            self._takers.setdefault(topic, []).append(take)
