# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scans of a bag are drawn where the laser was, whatever lies between it and the odometry."""

import math

from bag_samples import COUNT, ODOMETRY, START_NS, write_ours
import numpy as np
import pytest

from racecar.bags.drive_log import read_drive_log
from racecar.bags.laser_log import read_laser_log
from racecar.base.errors import BagError

SCAN, TF, STEP_NS = 'sensor_msgs/msg/LaserScan', 'tf2_msgs/msg/TFMessage', 100_000_000
YAW = 0.5
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
# Link by link: a quarter turn to the left on the chassis.
CHAIN = [('base_link', 'chassis', (0.1, 0.2, 0.0), UPRIGHT),
         ('chassis', 'laser', (0.3, 0.0, 0.1), (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))]


def tf_static(messages, links):
    types = messages.store.types
    vector, turn = types['geometry_msgs/msg/Vector3'], types['geometry_msgs/msg/Quaternion']
    header, time = types['std_msgs/msg/Header'], types['builtin_interfaces/msg/Time']
    message = types[TF]([types['geometry_msgs/msg/TransformStamped'](
        header(time(0, 0), parent), child,
        types['geometry_msgs/msg/Transform'](vector(*place), turn(*rotation)))
        for parent, child, place, rotation in links])
    return bytes(messages.store.serialize_cdr(message, TF))


def scan(messages, now):
    """Return a scan with one beam, 2 m to the left of where the laser looks."""
    message = messages.store.types[SCAN](
        messages.store.types['std_msgs/msg/Header'](messages.header(now).stamp, 'laser'),
        math.pi / 2, math.pi / 2, 0.0, 0.0, 0.0, 0.1, 10.0, np.array([2.0], np.float32),
        np.empty(0, np.float32))
    return bytes(messages.store.serialize_cdr(message, SCAN))


@pytest.fixture
def bag_of(tmp_path, messages):
    """Return a function that writes cars: links by namespace; child: frame of the odometry."""
    def write(cars, more=(), child='base_link'):
        rows = [(f'{place}/tf_static', TF, START_NS, tf_static(messages, links))
                for place, links in cars.items() if links]
        for tick in range(5):
            now = START_NS + tick * STEP_NS
            for place in cars:
                data = messages.odometry(now, 1.0, 2.0, YAW)
                rows.append((f'{place}/vesc/odom', ODOMETRY, now,
                             with_child(messages, data, child)))
                rows.append((f'{place}/scan', SCAN, now, scan(messages, now)))
        return write_ours(tmp_path / 'run', sorted([*rows, *more], key=lambda row: row[2]),
                          messages)
    return write


def with_child(messages, data, child):
    message = messages.store.deserialize_cdr(data, ODOMETRY)
    message.child_frame_id = child
    return bytes(messages.store.serialize_cdr(message, ODOMETRY))


def seen(ahead, left):
    """Return where a point on the robot is in the scene."""
    return (1.0 + ahead * math.cos(YAW) - left * math.sin(YAW),
            2.0 + ahead * math.sin(YAW) + left * math.cos(YAW))


# A laser that looks to the left has the rest of a quarter turn behind it.
AT = seen(0.4 - 2.0, 0.2)


def point(bag):
    """Return the one point, which both readers must see at the same place."""
    (x,), (y,) = read_laser_log(bag).scans[0].points
    drawn = read_drive_log(bag, with_scans=True).drive.scans[0]
    assert drawn[0, :2] == pytest.approx([x, y], abs=1e-6)
    return x, y


def test_all_links_between_base_and_laser_count(bag_of):
    assert point(bag_of({'': CHAIN})) == pytest.approx(AT, abs=1e-6)


def test_odometry_of_another_frame_of_the_robot_counts(bag_of):
    below = ('base_footprint', 'base_link', (-0.5, 0.0, 0.05), UPRIGHT)
    assert point(bag_of({'': [*CHAIN, below]}, child='base_footprint')) == pytest.approx(
        seen(0.4 - 2.0 - 0.5, 0.2), abs=1e-6)


def test_base_footprint_below_base_link_counts(bag_of):
    # As a branch of the same tree: 0.5 m ahead of base_link.
    branch = ('base_link', 'base_footprint', (0.5, 0.0, -0.05), UPRIGHT)
    assert point(bag_of({'': [*CHAIN, branch]}, child='base_footprint')) == pytest.approx(
        seen(0.4 - 2.0 - 0.5, 0.2), abs=1e-6)


def test_without_transforms_the_laser_is_where_the_odometry_is(bag_of):
    assert point(bag_of({'': []})) == pytest.approx(seen(0.0, 2.0), abs=1e-6)


def test_links_in_a_circle_and_rotations_that_are_none_are_left_out(bag_of):
    circle = [('laser', 'base', (9.0, 0.0, 0.0), UPRIGHT), ('base', 'laser', *CHAIN[1][2:]),
              ('x', 'y', (math.nan, 0.0, 0.0), UPRIGHT), ('y', 'z', (0.0,) * 3, (0.0,) * 4)]
    assert np.isfinite(point(bag_of({'': circle}))).all()


def test_a_laser_that_hangs_upside_down_sees_the_other_way_round(bag_of):
    hanging = [('base_link', 'laser', (0.4, 0.0, 0.2), (1.0, 0.0, 0.0, 0.0))]
    assert point(bag_of({'': hanging})) == pytest.approx(seen(0.4, -2.0), abs=1e-6)


def test_another_car_moves_no_laser_and_counts_no_collisions(bag_of, messages):
    wrong = [('base_link', 'laser', (5.0, 5.0, 0.0), UPRIGHT)]
    hits = [('/car2/collisions', COUNT, START_NS, messages.count(7)),
            ('/car1/reference_trajectory', ODOMETRY, START_NS, messages.odometry(START_NS, 0, 0))]
    bag = bag_of({'/car1': CHAIN, '/car2': wrong}, hits)
    assert point(bag) == pytest.approx(AT, abs=1e-6)
    assert read_laser_log(bag).collisions is None


def test_scans_are_placed_by_the_odometry_that_can_be_used(bag_of, messages):
    def odometry(now, x):
        return '/vesc/odom', ODOMETRY, now, messages.odometry(now, x, 2.0, YAW)

    # One that is not finite, and later another one with its stamp.
    at = START_NS + STEP_NS // 2
    log = read_laser_log(bag_of({'': []}, [odometry(at, math.nan), odometry(START_NS, 1.0)]))
    assert np.diff(log.t) == pytest.approx(0.1)
    assert log.x.tolist() == [1.0] * 5
    assert np.isfinite([scan.x for scan in log.scans]).all()


def test_odometry_that_cannot_be_used_at_all_is_said(write_bag, messages):
    rows = [('/vesc/odom', ODOMETRY, START_NS, messages.odometry(START_NS, math.nan, 2.0)),
            ('/scan', SCAN, START_NS, scan(messages, START_NS))]
    with pytest.raises(BagError, match='/vesc/odom has 1 messages, of which 0 can be used'):
        read_laser_log(write_bag(rows))
