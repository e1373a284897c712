# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot is found by any set of topic names, in any namespace, by all who read bags."""

from pathlib import Path

from bag_samples import ODOMETRY
import numpy as np
import pytest

from racecar.bags.drive_log import read_drive_log
from racecar.bags.reader import BagReader
from racecar.bags.runs import cars_of, read_cars, read_run
from racecar.bags.summary import BagSummary, cars_in, find_robot, find_scans, TopicSummary
from racecar.bags.tracking_run import read_tracking_run
from racecar.base.errors import BagError, RunError
from racecar.base.share import topic_set_names
from racecar.cockpit.replay import bag_topics
from racecar.ros import topics
from racecar.ros.topics.robots import find_robots
from racecar.ros.topics.sets import topic_set

# f1tenth_gym has this name in its odometry, so that it could be taken for a namespace.
NAMESPACES = ('', '/car1', '/ego_racecar')


def odometry_of(names, namespace):
    return f'{namespace}/{topic_set(names).renamed(topics.ODOMETRY)}'


def renamed(rows, names, namespace, reference=True):
    """Return the rows of a run as a robot in a namespace records them."""
    to = {'/vesc/odom': odometry_of(names, namespace)}
    return [(to.get(topic, f'{namespace}{topic}'), *rest) for topic, *rest in rows
            if reference or topic != '/reference_trajectory']


@pytest.mark.parametrize('names', topic_set_names())
@pytest.mark.parametrize('namespace', NAMESPACES)
def test_every_reader_finds_the_robot_of_every_set(write_bag, rows, names, namespace):
    bag = write_bag(renamed(rows, names, namespace))
    odometry, reference = odometry_of(names, namespace), f'{namespace}/reference_trajectory'
    run = read_tracking_run(bag).run
    assert (run.odometry_name, run.reference_name) == (odometry, reference)
    found = bag_topics.find_topics(read_tracking_run(bag).bag)
    assert found.roles[odometry] == bag_topics.ODOMETRY
    assert found.roles[reference] == bag_topics.REFERENCE
    assert len(read_drive_log(bag).drive.t) == 40


@pytest.mark.parametrize('names', topic_set_names())
@pytest.mark.parametrize('namespace', ['', '/car1'])
def test_without_a_reference_the_longest_name_counts(write_bag, rows, names, namespace):
    bag = write_bag(renamed(rows, names, namespace, reference=False))
    assert read_run(bag).motion.t.size == 40
    found = find_robot(read_run_summary(bag))
    assert (found.odometry, found.namespace) == (odometry_of(names, namespace), namespace)


def read_run_summary(bag):
    from racecar.bags.reader import BagReader

    with BagReader(bag) as reader:
        return reader.summary


@pytest.mark.parametrize(('odometry', 'others', 'expected'), [
    (['/ego_racecar/odom'], ['/reference_trajectory'], ('', 'f1tenth_gym')),
    (['/ego_racecar/odom'], ['/ego_racecar/robot_description'], ('/ego_racecar', 'f1tenth')),
    (['/ego_racecar/odom'], [], ('', 'f1tenth_gym')),
    (['/pf/pose/odom'], ['/robot_description'], ('', 'f1tenth_pf')),
    (['/car1/pf/pose/odom'], ['/car1/robot_description'], ('/car1', 'f1tenth_pf')),
    (['/odom'], ['/cmd_vel'], ('', 'cmd_vel')),
    (['/odom'], ['/drive'], ('', 'f1tenth')),
    # The odometry of the wheels and that of a particle filter of one car.
    (['/pf/pose/odom', '/vesc/odom'], ['/robot_description'], ('', 'racecar')),
    (['/car1/vesc/odom', '/car2/vesc/odom'], ['/car2/reference_trajectory'],
     ('/car2', 'racecar')),
    (['/reference_trajectory'], [], None)])
def test_a_description_or_reference_tells_the_namespace(odometry, others, expected):
    robots = find_robots(odometry, {*odometry, *others}.__contains__)
    assert (robots[0].namespace, robots[0].names) == expected if robots else expected is None


def test_a_namespace_or_set_that_is_asked_for_is_taken():
    there = {'/ego_racecar/odom', '/reference_trajectory'}
    for asked, expected in (({'namespace': '/ego_racecar'}, 'f1tenth'),
                            ({'names': 'cmd_vel'}, 'cmd_vel'), ({}, 'f1tenth_gym')):
        robot, = find_robots(['/ego_racecar/odom'], there.__contains__, **asked)
        assert robot.names == expected
    assert find_robots(['/ego_racecar/odom'], there.__contains__, namespace='/car1') == []


def test_of_two_robots_somebody_has_to_name_one(write_bag, rows):
    bag = write_bag([*renamed(rows, 'racecar', '/car1'), *renamed(rows, 'racecar', '/car2')])
    with pytest.raises(BagError, match='may be /car1/vesc/odom or /car2/vesc/odom'):
        read_tracking_run(bag)
    # Its reference is the one beside it.
    run = read_tracking_run(bag, odometry_topic='/car2/vesc/odom').run
    assert run.reference_name == '/car2/reference_trajectory'


def test_odometry_with_a_name_of_nobody_is_named(write_bag, rows):
    bag = write_bag([('/state' if topic == '/vesc/odom' else topic, *rest)
                     for topic, *rest in rows])
    with pytest.raises(BagError, match='/vesc/odom and /odom and .* missing'):
        read_tracking_run(bag)
    assert read_tracking_run(bag, odometry_topic='/state').run.odometry_name == '/state'
    assert find_robot(read_run_summary(bag), '/state')[:2] == ('/state', '')
    assert {row.type_name for row in read_run_summary(bag).topics} >= {ODOMETRY}


def test_cars_of_one_world_are_read_by_their_names_with_one_time(write_bag, rows, monkeypatch):
    red = renamed(rows, 'racecar', '/red', reference=False)
    blue = renamed(rows, 'racecar', '/blue', reference=False)
    start = next(row[2] for row in blue if row[0] == odometry_of('racecar', '/blue'))
    # Its recording begins 10 ticks later.
    late = [row for row in blue if row[2] >= start + 10 * (
        [other[2] for other in blue if other[0] == odometry_of('racecar', '/blue')][1] - start)]
    bag = write_bag(sorted([*red, *late], key=lambda row: row[2]))
    assert cars_of(bag) == ('blue', 'red')
    walks = []
    hand_out = BagReader.hand_out

    def counted(reader, *arguments):
        walks.append(reader)
        hand_out(reader, *arguments)

    monkeypatch.setattr(BagReader, 'hand_out', counted)
    found = read_cars(bag)
    assert len(walks) == 1
    alone = read_run(bag, car='blue')
    assert (alone.car, len(found['red'].motion.t), len(alone.motion.t)) == ('blue', 40, 30)
    assert (alone.motion.t[0], found['red'].motion.t[0]) == (0.0, 0.0)
    np.testing.assert_allclose(found['blue'].motion.t, found['red'].motion.t[10:], atol=1e-9)
    np.testing.assert_array_equal(found['blue'].motion.x, found['red'].motion.x[10:])
    with pytest.raises(BagError, match='or its car: blue, red'):
        read_run(bag)
    with pytest.raises(BagError, match="car is 'green', expected one of blue, red"):
        read_run(bag, car='green')
    with pytest.raises(RunError, match='both car'):
        read_run(bag, car='red', odometry_topic='/red/vesc/odom')


def test_a_bag_of_one_robot_has_no_cars(write_bag, rows):
    bag = write_bag(rows)
    assert (cars_of(bag), read_cars(bag), cars_in(read_run_summary(bag))) == ((), {}, {})
    with pytest.raises(BagError, match='expected none, as it has a single robot'):
        read_run(bag, car='red')


def test_each_car_of_a_bag_has_the_reference_in_its_namespace(write_bag, rows):
    bag = write_bag(sorted([
        *renamed(rows, 'racecar', '/red'), *renamed(rows, 'racecar', '/blue')],
        key=lambda row: row[2]))
    runs = read_cars(bag)
    assert {name: run.tracking.reference_name for name, run in runs.items() if run.tracking} == {
        name: f'/{name}/reference_trajectory' for name in ('blue', 'red')}


def test_scans_of_ego_and_opponent_are_their_own():
    names = {car: topic_set('f1tenth_gym').cars[car] for car in ('ego_racecar', 'opp_racecar')}
    found = [TopicSummary(f'/{car}/robot_description', 'std_msgs/msg/String', 1) for car in names]
    for of_car in names.values():
        found += [TopicSummary(f'/{of_car[topics.ODOMETRY]}', 'nav_msgs/msg/Odometry', 2),
                  TopicSummary(f'/{of_car[topics.SCAN]}', 'sensor_msgs/msg/LaserScan', 2)]
    summary = BagSummary(Path('bag'), (), 'mcap', 0, tuple(found))
    cars = cars_in(summary)
    assert {name: find_scans(summary, car) for name, car in cars.items()} == {
        'ego_racecar': '/scan', 'opp_racecar': '/opp_scan'}
    blind = summary.topics[:-1]
    with pytest.raises(BagError, match=r'/opp_racecar/scan and /opp_scan are missing'):
        find_scans(BagSummary(Path('bag'), (), 'mcap', 0, blind), cars['opp_racecar'])
