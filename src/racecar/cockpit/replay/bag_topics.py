# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which topics of a bag show what; bags of other software have other names for some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from racecar.bags import message_types
from racecar.bags.car_rows import COMMANDS
from racecar.bags.summary import BagSummary, robots_of
from racecar.base.errors import BagError
from racecar.ros import topics
from racecar.ros.topics.robots import odometry_beside, RobotTopics
from racecar.ros.topics.sets import names_in_all_sets

ODOMETRY, REFERENCE, JOINTS, COMMAND, TWIST = (
    'odometry', 'reference', 'joints', 'command', 'twist')
DRIVER, SCAN, IMAGE, COMPRESSED, LOG = 'driver', 'scan', 'image', 'compressed', 'log'
DESCRIPTION, MAP, PATH, POINT, CAR = 'description', 'map', 'path', 'point', 'car'
COLLISIONS, ACTIVE = 'collisions', 'active'

CONTINUOUS = (ODOMETRY, REFERENCE, JOINTS, COMMAND, TWIST, DRIVER, SCAN, LOG)
"""What comes all the time; pictures do too, but are read one by one."""
LATCHED = (DESCRIPTION, MAP, PATH, POINT, CAR, COLLISIONS)
"""What is latched, or nearly so."""

# What is shown of cars beside the first.
_OF_OTHERS = (ODOMETRY, JOINTS, COMMAND, SCAN, DESCRIPTION, POINT, COLLISIONS)
# Of bases the first that there is gives the times of the rows.
_BASES = (ODOMETRY, JOINTS, SCAN, IMAGE, COMPRESSED)


class _Role(NamedTuple):
    """A kind of topic.

    names: in the order in which they are looked for, each for what any set of topic names calls
    it; any: whether another name may do.
    """

    type_name: str
    names: tuple[str, ...]
    any: bool = False
    missed: str = ''


_ROLES = {
    REFERENCE: _Role(message_types.ODOMETRY, (topics.REFERENCE_TRAJECTORY,), missed='reference'),
    JOINTS: _Role(message_types.JOINTS, (topics.JOINT_STATES, topics.WORLD_JOINT_STATES), any=True,
                  missed='joints'),
    COMMAND: _Role(message_types.ACKERMANN, COMMANDS, any=True, missed='commands'),
    TWIST: _Role(message_types.TWIST, (topics.TWIST_COMMAND,), any=True),
    DRIVER: _Role(message_types.DRIVER_STATE, (topics.DRIVER_STATE,)),
    SCAN: _Role(message_types.SCAN, (topics.SCAN,), any=True, missed='laser scans'),
    IMAGE: _Role(message_types.IMAGE, (topics.CAMERA_IMAGE,), any=True),
    COMPRESSED: _Role(message_types.COMPRESSED_IMAGE, (), any=True),
    LOG: _Role(message_types.LOG, ('rosout',), any=True, missed='log'),
    DESCRIPTION: _Role(message_types.TEXT, (topics.ROBOT_DESCRIPTION,),
                       missed='robot description'),
    MAP: _Role(message_types.MAP, (topics.MAP,), any=True),
    PATH: _Role(message_types.PATH, (topics.REFERENCE_PATH,)),
    POINT: _Role(message_types.POINT, (topics.TRACKED_POINT,)),
    CAR: _Role(message_types.CAR_INFO, (topics.DRIVER_CAR_INFO,)),
    COLLISIONS: _Role(message_types.COUNT, (topics.COLLISIONS,)),
}
_MUXES = (topics.HIGH_LEVEL_MUX, topics.LOW_LEVEL_MUX)


class BagTopics(NamedTuple):
    """roles: by topic; base: the topic that gives the rows; notes: what is not there."""

    roles: Mapping[str, str]
    base: str
    notes: tuple[str, ...]

    def having(self, *roles: str) -> list[str]:
        """Topics that have one of the roles."""
        return [topic for topic, role in self.roles.items() if role in roles]


def find_topics(summary: BagSummary) -> BagTopics:
    """Look for what can be shown. Raises BagError if there is nothing."""
    odometry, namespace = _odometry(summary)
    roles, missing = _roles(summary, namespace)
    if odometry:
        roles = {odometry: ODOMETRY, **roles}
    else:
        missing.insert(0, 'odometry')
    for mux in _MUXES:
        if topic := summary.first(message_types.TEXT, (f'{namespace}/{mux}/active',)):
            roles[topic] = ACTIVE
    base = next((topic for role in _BASES for topic, kind in roles.items() if kind == role), None)
    if base is None:
        raise BagError(
            f"bag '{summary.path}' has nothing that the cockpit can show, expected odometry"
            f' (nav_msgs/msg/Odometry), joint states, laser scans or pictures; it has'
            f' {summary.describe_topics()}')
    notes = []
    if missing:
        notes.append(f"not in the bag: {', '.join(missing)}")
    if not odometry:
        notes.append('without odometry the robot stands at the origin')
    return BagTopics(roles, base, tuple(notes))


def find_cars(summary: BagSummary, first: BagTopics) -> dict[str, BagTopics]:
    """Topics of the first robot and of those whose namespaces lie beside its own, by namespace.

    first: as find_topics() gives them; without odometry or a namespace it is alone, and its
    namespace does not count.
    """
    own = _first_robot(summary)
    if own is None:
        return {'': first}
    found = {own.namespace: first}
    for namespace, odometry in odometry_beside(
            own.odometry, own.namespace, summary.having(message_types.ODOMETRY)).items():
        roles, _ = _roles(summary, namespace, by_name=True)
        base = _truth_or_odometry(summary, namespace, odometry)
        found[namespace] = BagTopics({base: ODOMETRY, **{
            topic: role for topic, role in roles.items() if role in _OF_OTHERS}}, base, ())
    return found


def _roles(
    summary: BagSummary, namespace: str, *, by_name: bool = False,
) -> tuple[dict[str, str], list[str]]:
    """Topics of the robot in a namespace by their roles, and what is missing."""
    roles: dict[str, str] = {}
    missing = []
    for role, row in _ROLES.items():
        wanted = [f'{namespace}/{name}' for name in names_in_all_sets(*row.names)]
        if row.any and not by_name:
            wanted += summary.having(row.type_name)
        found = summary.first(row.type_name, wanted)
        if found:
            roles[found] = role
        elif row.missed:
            missing.append(row.missed)
    if TWIST in roles.values() and 'commands' in missing:
        missing.remove('commands')
    if not {IMAGE, COMPRESSED} & {*roles.values()}:
        missing.append('pictures')
    return roles, missing


def _odometry(summary: BagSummary) -> tuple[str, str]:
    """Topic of the odometry, or the truth beside it, and namespace of its robot; may be empty."""
    names = [name for name in summary.having(message_types.ODOMETRY)
             if not name.endswith(f'/{topics.REFERENCE_TRAJECTORY}')]
    robot = _first_robot(summary)
    if robot is None:
        return next(iter(names), ''), ''
    return _truth_or_odometry(summary, robot.namespace, robot.odometry), robot.namespace


def _first_robot(summary: BagSummary) -> RobotTopics | None:
    return next(iter(robots_of(summary, summary.having(message_types.ODOMETRY))), None)


def _truth_or_odometry(summary: BagSummary, namespace: str, odometry: str) -> str:
    truth = f'{namespace}/{topics.GROUND_TRUTH}'
    return truth if truth in summary.having(message_types.ODOMETRY) else odometry
