# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots of any set of topic names, found by their odometry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from racecar.ros.topics import (
    GROUND_TRUTH,
    ODOMETRY,
    REFERENCE_TRAJECTORY,
    ROBOT_DESCRIPTION,
)
from racecar.ros.topics.sets import topic_set, topic_sets, TopicSet


class RobotTopics(NamedTuple):
    """A robot found by its odometry.

    odometry: full name of the topic. namespace: of its other topics, as /car1, or empty. names:
    the set of topic names that fits, empty if none does. is_described: whether a reference or a
    robot description lies in the namespace.
    """

    odometry: str
    namespace: str
    names: str
    is_described: bool

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """What goes first among several: described, without namespace, in order of the sets."""
        return not self.is_described, bool(self.namespace), topic_set(self.names).rank


def find_robots(
    odometry: Iterable[str], is_there: Callable[[str], bool], *, namespace: str | None = None,
    names: str | None = None,
) -> list[RobotTopics]:
    """Find robots by the full names of odometry topics; those of the least rank come first.

    One topic may fit several sets: /ego_racecar/odom is f1tenth_gym without namespace, or f1tenth
    in the namespace /ego_racecar. A namespace with a reference or description goes first, then the
    longest name, then the set more of whose topics are there.
    is_there: whether there is a topic of a full name. namespace, names: only robots there or with
    this set, of a name or a file. Raises ConfigurationError for a set that cannot be used.
    """
    found = []
    sets = topic_sets() if names is None else {names: topic_set(names)}
    for topic in sorted(odometry):
        if topic.endswith((f'/{REFERENCE_TRAJECTORY}', f'/{GROUND_TRUTH}')):
            continue
        fitting = [robot for robot in _robots_of(topic, sets, is_there)
                   if namespace in (None, robot.namespace)]
        if fitting:
            found.append(min(fitting, key=lambda robot: (
                not robot.is_described, len(robot.namespace),
                -_present(robot, sets[robot.names], is_there))))
    return sorted(found, key=lambda robot: robot.rank)


def odometry_beside(
    odometry: str, namespace: str, published: Iterable[str],
) -> dict[str, str]:
    """Odometry that is called as that of a robot, by the namespaces beside its own, in order.

    odometry: full name of the robot's topic; namespace: its own, as /car1; published: full names
    of topics. None are beside a robot without a namespace.
    """
    above, _, own = namespace.rpartition('/')
    ending = odometry.removeprefix(namespace)
    found = {topic.removesuffix(ending): topic for topic in published if topic.endswith(ending)}
    return {beside: found[beside] for beside in sorted(found)
            if own and beside not in ('', namespace) and beside.rpartition('/')[0] == above}


def _robots_of(
    odometry: str, sets: Mapping[str, TopicSet], is_there: Callable[[str], bool],
) -> Iterator[RobotTopics]:
    for names, known in sets.items():
        ending = f'/{known.renamed(ODOMETRY)}'
        if odometry.endswith(ending):
            namespace = odometry.removesuffix(ending)
            yield RobotTopics(odometry, namespace, names, any(
                is_there(f'{namespace}/{name}')
                for name in (REFERENCE_TRAJECTORY, ROBOT_DESCRIPTION)))


def _present(robot: RobotTopics, known: TopicSet, is_there: Callable[[str], bool]) -> int:
    """How many of the other topics that its set names are there."""
    return sum(is_there(f'{robot.namespace}/{name}')
               for topic, name in known.topics.items() if topic != ODOMETRY)
