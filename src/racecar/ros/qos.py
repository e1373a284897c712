# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Named QoS profiles; nodes use these and no bare depths."""

from collections.abc import Sequence

from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    qos_check_compatible,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
)


def _profile(depth: int, durability: DurabilityPolicy = DurabilityPolicy.VOLATILE,
             reliability: ReliabilityPolicy = ReliabilityPolicy.RELIABLE) -> QoSProfile:
    return QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=depth,
                      reliability=reliability, durability=durability)


def best_effort(profile: QoSProfile) -> QoSProfile:
    """Profile that does not send again what is lost, as drivers of sensors have it."""
    return _profile(profile.depth, profile.durability, ReliabilityPolicy.BEST_EFFORT)


def matching(profiles: Sequence[QoSProfile], depth: int) -> QoSProfile:
    """Profile that receives from publishers of all these, as reliably as they allow."""
    reliable = all(p.reliability == ReliabilityPolicy.RELIABLE for p in profiles)
    latched = all(p.durability == DurabilityPolicy.TRANSIENT_LOCAL for p in profiles)
    return _profile(
        depth, DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT)


# Types of which one message may take megabytes.
LARGE_TYPES = frozenset((
    'sensor_msgs/msg/Image', 'sensor_msgs/msg/CompressedImage', 'sensor_msgs/msg/PointCloud2'))


def recording_depth(type_name: str) -> int:
    """How many messages of a type may wait for a recorder.

    A thousand of the camera's pictures took 2.7 GB; these take 0.2 GB.
    """
    return 64 if type_name in LARGE_TYPES else 1000


def incompatible_publishers(node: Node, topic: str, profile: QoSProfile) -> list[str]:
    """Nodes whose publishers a subscription with a profile cannot hear, and why not."""
    found = set()
    for info in node.get_publishers_info_by_topic(topic):
        result, reasons = qos_check_compatible(info.qos_profile, profile)
        if result == QoSCompatibility.ERROR:
            reason = reasons.removeprefix('ERROR: ').partition(';')[0]
            name = f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            found.add(f'{name} ({reason[:1].lower()}{reason[1:]})')
    return sorted(found)


# Only the newest command counts.
COMMAND = _profile(1)

# In lockstep each answer counts, and who sends more than one is to be noticed.
ANSWERS_SUBSCRIPTION = _profile(10)

# Deep enough that a recorder misses nothing while it writes a chunk.
STATE = _profile(100)

# A picture takes a megabyte: of many nobody would keep up with the sender either.
IMAGE = _profile(10)

# In lockstep the newest odometry also reaches those who come late: nobody then misses the first
# tick. At other times a late reader would first get what is a second old.
ODOMETRY = STATE
ODOMETRY_LOCKSTEP = _profile(100, DurabilityPolicy.TRANSIENT_LOCAL)
# From publishers of any reliability, as drivers of sensors publish best effort; the next sample
# makes up for one that is lost. In lockstep the simulator waits for each.
VIEW_SUBSCRIPTION = _profile(1, reliability=ReliabilityPolicy.BEST_EFFORT)
ODOMETRY_SUBSCRIPTION = SCAN_SUBSCRIPTION = VIEW_SUBSCRIPTION
# The same for who sums up, and wants those that came while it was busy.
ODOMETRY_SUM_SUBSCRIPTION = _profile(100, reliability=ReliabilityPolicy.BEST_EFFORT)
ODOMETRY_LOCKSTEP_SUBSCRIPTION = _profile(1, DurabilityPolicy.TRANSIENT_LOCAL)
SCAN_LOCKSTEP_SUBSCRIPTION = _profile(1)
# For who wants each of those that come between two odometries, too.
SCANS_LOCKSTEP_SUBSCRIPTION = _profile(100)

# Descriptions, paths and the name of the active source, for whoever comes late.
LATCHED = _profile(1, DurabilityPolicy.TRANSIENT_LOCAL)

# Once a second by each node; as upstream has it.
DIAGNOSTICS = _profile(10)

# What nodes log, as they publish it.
LOG = _profile(100, DurabilityPolicy.TRANSIENT_LOCAL)

# tf2 listeners ask for reliable; static transforms are latched by every broadcaster.
TF = _profile(100)
TF_STATIC = _profile(1, DurabilityPolicy.TRANSIENT_LOCAL)

# rclpy listens best effort with depth 1; a reliable publisher suits both it and recorders.
CLOCK = _profile(10)
