# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several cars in one world: topics of each, lockstep with all, whole drives and their errors."""

import math

from bag_samples import messages_in
from geometry_msgs.msg import (
    Point,
    PointStamped,
    Pose,
    PoseWithCovarianceStamped,
    Quaternion,
)
from nav_msgs.msg import Odometry
from node_bench import (
    command,
    kinematic_linearizer,
    RACECAR,
    RACECAR_DRIVER,
    seconds,
    velocity,
)
import numpy as np
import pytest
import rclpy
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Bool, String
from tf2_msgs.msg import TFMessage
import yaml

from racecar.analysis.run_csv import read_run_csv
from racecar.bags.reader import BagReader
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.cli.main import main
from racecar.nodes.driver_bridge import DriverBridgeNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.nodes.world_simulator import WorldSimulatorNode
from racecar.ros import qos
from racecar.ros.conversions import stamp_ns_of
from racecar.ros.interfaces import DriverState, LampSwitches, RaceLooks, RaceOrder, RaceOrders
from racecar.stacks import describe_stack, StackOptions

pytestmark = pytest.mark.ros

COMMANDS = 'vesc/low_level/ackermann_cmd_mux/output'
FAST = ('--lockstep', '--real-time-factor', '0')


class Cars:
    """A simulator of cars in lockstep; the test answers for each of them."""

    def __init__(self, bench, *names, node=SingleTrackSimulatorNode, **parameters):
        self.bench = bench
        self.odometry = {name: bench.listen(f'/{name}/vesc/odom', Odometry, qos.ODOMETRY)
                         for name in names}
        self.node = bench.start(
            node, use_sim_time=False, lockstep=True, real_time_factor=0.0, cars=list(names),
            **{**RACECAR, **parameters})
        bench.until(lambda: all(self.odometry.values()), 'the first odometry')

    def answer(self, **commands):
        """Command cars by name at the time of the newest odometry: speed, steering angle."""
        for name, (speed, angle) in commands.items():
            message = command(0.0, speed, angle)
            message.header.stamp = self.odometry[name][-1].header.stamp
            self.bench.send(f'/{name}/{COMMANDS}', message)

    def drive(self, ticks, **commands):
        """Answer so many odometry messages of all cars."""
        for _ in range(ticks):
            before = {name: len(heard) for name, heard in self.odometry.items()}
            self.answer(**commands)
            self.bench.until(lambda: all(
                len(heard) > before[name] for name, heard in self.odometry.items()),  # noqa: B023
                'the next odometry of all cars')

    def places(self, name):
        return [(row.header.stamp.nanosec, row.pose.pose.position.x, row.pose.pose.position.y)
                for row in self.odometry[name]]


@pytest.mark.parametrize('node', [SingleTrackSimulatorNode, WorldSimulatorNode])
def test_each_car_has_topics_and_frames_below_its_name(bench, node):
    transforms = bench.listen('/tf', TFMessage, qos.TF)
    cars = Cars(bench, 'red', 'blue', node=node, grid_spacing=2.0)
    cars.drive(3, red=(1.0, 0.0), blue=(1.0, 0.0))
    for name, x in (('red', 0.0), ('blue', -2.0)):
        first = cars.odometry[name][0]
        assert (first.header.frame_id, first.child_frame_id) == (
            f'{name}/odom', f'{name}/base_link')
        assert first.pose.pose.position.x == pytest.approx(x, abs=1e-3)
    bench.until(lambda: {'red/odom', 'blue/odom'} <= {
        row.header.frame_id for message in transforms for row in message.transforms},
        'transforms of both cars')


@pytest.mark.parametrize(('names', 'cars', 'prefixes'), [
    ('racecar', 'red,blue', ('red/', 'blue/')), ('f1tenth_gym', None, ('ego_racecar/',))])
def test_every_frame_in_messages_of_cars_is_one_of_tf(tmp_path, names, cars, prefixes):
    assert main(['up', 'gap_ode', *(['--cars', cars] if cars else []), '--topic-names', names,
                 *FAST, '--duration', '0.3', '--record', str(tmp_path / 'bag')]) == 0
    with BagReader(tmp_path / 'bag') as bag:
        recorded = [row.name for row in bag.summary.topics]
    rows = messages_in(tmp_path / 'bag', recorded)
    known = {'map'} | {frame for row in rows if row.topic in ('/tf', '/tf_static')
                       for one in row.message.transforms
                       for frame in (one.header.frame_id, one.child_frame_id)}
    frames = {row.topic: row.message.header.frame_id for row in rows
              if hasattr(row.message, 'header')}
    # Joint states have none.
    assert {*frames.values()} - {''} <= known
    commands = [frame for topic, frame in frames.items() if topic.endswith('output')]
    assert {*commands} == {f'{prefix}base_link' for prefix in prefixes}


def test_nodes_of_a_car_announce_what_they_say_in_its_frames(bench):
    points = bench.listen('/tracked_point', PointStamped, qos.LATCHED)
    states = bench.listen('/driver/state', DriverState, qos.STATE)
    lamps = bench.listen('/driver/lamps', LampSwitches, qos.LATCHED)
    node = bench.start(kinematic_linearizer, frame_prefix='red/', **RACECAR)
    bench.start(TrajectoryTrackerNode, frame_prefix='red/', **RACECAR)
    bench.start(DriverBridgeNode, frame_prefix='red/', **RACECAR_DRIVER)
    bench.set_clock(1.0)
    bench.until(lambda: points and states and lamps, 'all of them')
    assert {message.header.frame_id for message in (*points, *states, *lamps)} == {
        'red/base_link'}
    # Who does not know of the prefix may announce the point of the car, too.
    message = points[-1]
    for frame in ('red/base_link', 'base_link', 'blue/base_link'):
        message.header.frame_id = frame
        bench.deliver(node, '/tracked_point', message)
        bench.deliver(node, '/virtual_velocities', velocity(1.0, 1.0))
    complaint = bench.logged("m in 'blue/base_link', this law is exact for")
    assert "m in 'red/base_link': give the tracker" in complaint
    assert not bench.has_logged("m in 'base_link', this law")


def test_the_time_goes_on_once_all_cars_are_answered(bench):
    cars = Cars(bench, 'red', 'blue')
    cars.drive(2, red=(1.0, 0.0), blue=(2.0, 0.0))
    before = cars.node.plant.time_ns
    cars.bench.deliver(cars.node, f'/red/{COMMANDS}', command(before / 1e9, 1.0))
    assert cars.node.plant.time_ns == before
    cars.bench.deliver(cars.node, f'/blue/{COMMANDS}', command(before / 1e9, 2.0))
    assert cars.node.plant.time_ns > before


def test_a_car_that_falls_silent_is_stopped_and_changes_no_bit_of_another(bench):
    commands = {'red': (2.0, 0.1), 'blue': (1.0, -0.1)}
    cars = Cars(bench, 'red', 'blue', lockstep_deadline=0.3, grid_spacing=3.0)
    cars.drive(20, **commands)
    cars.drive(20, red=commands['red'])
    assert 'came on /blue/vesc/low_level' in bench.logged('no command stamped')
    # Its speed is that of its command, so it stands at once.
    assert cars.odometry['blue'][-1].twist.twist.linear.x == 0.0
    assert cars.odometry['red'][-1].twist.twist.linear.x == pytest.approx(2.0)
    alone = Cars(bench, 'green', 'grey', grid_spacing=3.0)
    alone.drive(40, green=commands['red'], grey=(0.0, 0.0))
    assert alone.places('green')[:40] == cars.places('red')[:40]


def test_who_orders_beside_race_control_is_named(bench):
    cars = Cars(bench, 'red', 'blue', grid_spacing=3.0, lockstep_race=True)
    for name in ('race_control', 'second'):
        bench.add(rclpy.create_node(name)).create_publisher(
            RaceOrders, '/race/orders', qos.LATCHED)
    bench.logged('/race/orders has 2 publishers, expected one: /race_control, /second;')
    assert len(cars.node.conflicts) == 1


def test_a_pose_that_a_car_cannot_have_is_refused_by_the_name_of_its_topic(bench):
    cars = Cars(bench, 'red', 'blue', grid_spacing=3.0)
    for name, number in (('red', math.nan), ('blue', math.inf)):
        message = PoseWithCovarianceStamped()
        message.pose.pose.position.x = number
        # What comes again soon is told once, and that of another car all the same.
        for _ in range(3):
            bench.deliver(cars.node, f'/{name}/initialpose', message)
    for name in ('red', 'blue'):
        assert sum(f'/{name}/initialpose refused: pose holds' in text
                   for _, text in bench.logs) == 1


def test_a_car_that_diverges_is_told_of_and_the_time_goes_on(bench):
    retired = bench.listen('/blue/retired', String, qos.LATCHED)
    cars = Cars(bench, 'red', 'blue', grid_spacing=3.0)
    commands = {'red': (2.0, 0.1), 'blue': (1.0, 0.0)}
    cars.drive(5, **commands)
    blue = cars.node.plant.simulators['blue']
    blue.state = (50.0, *blue.state[1:])
    cars.drive(20, **commands)
    bench.until(lambda: bench.has_logged('blue: the car stands still from'), 'the fault of blue')
    bench.until(lambda: retired, 'the topic')
    assert retired[-1].data.startswith('the car stands still from 0.05 s on: the integration of')
    assert cars.odometry['blue'][-1].twist.twist.linear.x == 0.0
    assert cars.odometry['red'][-1].twist.twist.linear.x == pytest.approx(2.0)


def test_orders_of_a_race_act_at_their_time_whatever_comes_first(bench):
    looks = bench.listen('/race/looks', RaceLooks, qos.LATCHED)
    cars = Cars(bench, 'red', 'blue', grid_spacing=3.0, lockstep_race=True, lockstep_deadline=0.3,
                lockstep_policy='wait')
    drive = {'red': (1.0, 0.0), 'blue': (1.0, 0.0)}
    cars.answer(**drive)
    bench.logged('no orders stamped 0 ns came on /race/orders within lockstep_deadline')
    assert cars.node.plant.time_ns == 0

    def orders(held=False, x=None, names=('red', 'blue')):
        message = RaceOrders(header=looks[-1].header, cars=[
            RaceOrder(name=name) for name in names])
        message.cars[-1].is_held = held
        message.cars[-1].pose = [] if x is None else [Pose(
            position=Point(x=x), orientation=Quaternion(w=1.0))]
        return message

    def turn(first, *others):
        before = cars.node.plant.time_ns
        first()
        assert cars.node.plant.time_ns == before
        for other in others:
            other()
        bench.until(lambda: cars.node.plant.time_ns > before, 'the next time')
        bench.until(lambda: all(
            stamp_ns_of(heard[-1].header.stamp) == cars.node.plant.time_ns
            for heard in (looks, *cars.odometry.values())), 'what is shown at it')

    def order(**which):
        bench.deliver(cars.node, '/race/orders', orders(**which))

    def command_all():
        cars.answer(**drive)

    bench.deliver(cars.node, '/race/orders', orders(names=('red',)))
    bench.logged('/race/orders refused: orders for red, expected red, blue')
    # Said once in a while only.
    turn(lambda: order(x=math.nan), order)
    late = orders(x=7.0)
    places = []
    for sequence in ((command_all, lambda: order(x=7.0)), (lambda: order(x=7.0), command_all)):
        turn(*sequence)
        places.append(cars.odometry['blue'][-1].pose.pose.position.x)
        assert looks[-1].cars[1].contacts == 0
    # At rest there until its next command, though it was commanded at that time, too.
    assert places == [7.0, 7.0]
    turn(lambda: bench.deliver(cars.node, '/race/orders', late), command_all,
         lambda: order(held=True))
    assert cars.odometry['blue'][-1].twist.twist.linear.x == 0.0
    assert cars.odometry['red'][-1].twist.twist.linear.x == 1.0
    turn(command_all, order)
    assert cars.odometry['blue'][-1].twist.twist.linear.x == 1.0


def test_cars_that_touch_are_told_so(bench):
    touches = bench.listen('/red/in_collision', Bool, qos.LATCHED)
    cars = Cars(bench, 'red', 'blue', grid_spacing=1.0)
    cars.drive(80, red=(0.0, 0.0), blue=(2.0, 0.0))
    bench.until(lambda: touches and touches[-1].data, 'a contact of red')
    assert bench.has_logged('red ran into something')


@pytest.mark.parametrize('stack', ['gap_ode', 'gap_world'])
def test_a_drive_of_several_is_the_same_to_the_byte_each_time(tmp_path, capsys, stack):
    def drive(name):
        bag = tmp_path / name
        assert main(['up', stack, '--cars', 'red,blue', *FAST, '--duration', '3', '--set',
                     'red/gap_follower.speed=1.0', '--record', str(bag)]) == 0
        return {(row.topic, repr(row.message.header.stamp)): repr(row.message)
                for row in messages_in(bag, [f'/{name}/{topic}' for name in ('red', 'blue')
                                             for topic in ('scan', 'vesc/odom')])}

    first = drive('first')
    assert {topic for topic, _ in first} == {
        '/red/scan', '/red/vesc/odom', '/blue/scan', '/blue/vesc/odom'}
    assert drive('second') == first
    red, blue = capsys.readouterr().out.splitlines()[:2]
    assert red.startswith('red: ')
    assert blue.startswith('blue: ')


def nodes(stack, **options):
    return {d.full_name: d for d in describe_stack(stack, StackOptions(**options))}


def test_nodes_of_all_cars_and_what_they_are_told():
    found = nodes('gap_ode', cars=('red', 'blue'), namespace='arena', lockstep=True, overrides={
        'gap_follower': {'speed': 1.0}, 'arena/blue/gap_follower': {'speed': 3.0},
        'arena/vesc/low_level/ackermann_cmd_mux': {'config_file': 'mux/low_level_slow'}})
    assert set(found) == {'arena/single_track_simulator', *(
        f'arena/{car}/{name}' for car in ('red', 'blue') for name in (
            'gap_follower', 'vesc/high_level/ackermann_cmd_mux',
            'vesc/low_level/ackermann_cmd_mux'))}
    simulator = found['arena/single_track_simulator'].resolve()
    assert simulator['cars'] == ['red', 'blue']
    # Of each car.
    assert simulator['wait_for_subscribers'] == nodes('gap_ode', lockstep=True)[
        'single_track_simulator'].resolve()['wait_for_subscribers']
    assert found['arena/red/gap_follower'].resolve()['speed'] == 1.0
    assert found['arena/blue/gap_follower'].resolve()['speed'] == 3.0
    for car in ('red', 'blue'):
        mux = found[f'arena/{car}/vesc/low_level/ackermann_cmd_mux']
        assert mux.resolve()['config_file'] == 'mux/low_level_slow'
        assert ('~/input/navigation', f'/arena/{car}/vesc/high_level/ackermann_cmd_mux/output') \
            in mux.remappings


def test_a_number_stands_for_cars_by_number_and_who_is_left_out_is_awaited():
    found = nodes('plant', cars=('2',), lockstep=True, without=('trajectory_tracker',))
    assert 'car1/trajectory_tracker' not in found
    assert found['single_track_simulator'].resolve()['wait_for_publishers'] == [
        f'{car}/vesc/ackermann_cmd_mux/input/navigation' for car in ('car1', 'car2')]


def test_topics_of_a_set_are_renamed_for_each_car():
    found = nodes('gap_ode', cars=('red', 'blue'), topic_names='f1tenth')
    renamed = dict(found['single_track_simulator'].remappings)
    one = dict(nodes('gap_ode', topic_names='f1tenth')['single_track_simulator'].remappings)
    assert one
    for topic, name in one.items():
        assert renamed[f'blue/{topic}'] == f'blue/{name}'


@pytest.mark.parametrize(('stack', 'options', 'message'), [
    ('gap_ode', {'cars': ('0',)}, "cars is '0', expected names, or their number from 1 to 100"),
    ('gap_ode', {'cars': ('101',)}, "cars is '101', expected names"),
    ('kinematic_ode', {'cars': ('a', 'b')}, 'would all follow one reference'),
    ('differential_wheels', {'cars': ('a', 'b')}, 'at the same time: take differential_plant'),
    ('gap_ode', {'cars': ('a', 'b'), 'teleop': 'keyboard'}, 'one person drives by teleop'),
    ('gap_ode', {'cars': ('a', 'b'), 'overrides': {'c/gap_follower': {'speed': 1.0}}},
     "node 'c/gap_follower' is not part of gap_ode"),
])
def test_what_several_cars_cannot_have_is_refused(stack, options, message):
    with pytest.raises(ConfigurationError, match=message):
        nodes(stack, **options)


@pytest.mark.parametrize(('names', 'message'), [
    (('a-b',), "'a-b', expected a name that begins with a letter"),
    (('1st', 'b'), "'1st', expected a name"), (('a', 'a'), "'a' twice"),
    (('a' * 61,), 'expected a name'),
    (tuple(f'c{number}' for number in range(101)), '101 cars, expected at most 100')])
def test_names_that_cannot_be_are_refused(names, message):
    with pytest.raises(ParameterError, match=message):
        nodes('gap_ode', cars=names)


@pytest.mark.parametrize('command_line', [
    ['up', 'plant', '--cars', '2', '--json', '--duration', '1'],
    ['up', 'plant', '--cars', 'red', '--json', '--duration', '1'],
    ['simulate', 'kinematic_ode', '--set', 'single_track_simulator.cars=[a, b]'],
    ['simulate', 'kinematic_world', '--set', 'world_simulator.cars=[a, b]']])
def test_commands_of_one_car_refuse_several(command_line, capsys):
    assert main(command_line) == 1
    assert 'several' in capsys.readouterr().err


@pytest.mark.parametrize('stack', ['gap_ode', 'gap_world'])
def test_simulate_has_the_bits_of_the_nodes_in_lockstep(tmp_path, stack):
    fleet = tmp_path / 'fleet.yaml'
    fleet.write_text("""
- {name: red, laser: {rays: 108, noise: 0.01}, set: {gap_follower: {speed: 2.5}}}
- {name: blue, vehicle: f1tenth, laser: {rays: 60, rate: 20.0}}
""")
    # In a world, and near enough that the one behind sees the one ahead of it.
    options = ['--cars', str(fleet), '--world', 'racetrack', '--duration', '2']
    bag = tmp_path / 'bag'
    assert main(['up', stack, *options, *FAST, '--record', str(bag)]) == 0
    assert main(['simulate', stack, *options, '--csv', str(tmp_path / 'run.csv')]) == 0
    for car in ('red', 'blue'):
        driven = [(
            (message.header.stamp.sec * 10**9 + message.header.stamp.nanosec) / 1e9,
            message.pose.pose.position.x, message.pose.pose.position.y,
            message.twist.twist.linear.x, message.twist.twist.angular.z)
            for message in (row.message for row in messages_in(bag, [f'/{car}/vesc/odom']))]
        rows = read_run_csv(tmp_path / f'run-{car}.csv').rows
        assert len(driven) == len(rows) > 40
        np.testing.assert_array_equal(rows[:, [0, 1, 2, 4, 6]], driven)
    assert rows[-1, 1] != rows[0, 1]


def test_cars_of_the_gym_have_its_topics_and_know_each_other(bench):
    found = {d.full_name: d for d in describe_stack('plant', StackOptions(
        cars=('2',), topic_names='f1tenth_gym', namespace='arena', lockstep=True))}
    for car, drive in (('ego_racecar', 'drive'), ('opp_racecar', 'opp_drive')):
        assert dict(found[f'arena/{car}/vesc/high_level/ackermann_cmd_mux'].remappings)[
            '~/navigation'] == f'/arena/{drive}'
    told = found['arena/single_track_simulator']
    assert (told.resolve()['cars'], told.resolve()['frame_prefix']) == (
        ['ego_racecar', 'opp_racecar'], '')
    names = {topic for car in ('ego_racecar', 'opp_racecar')
             for topic in (f'{car}/odom', f'{car}/opp_odom')} | {'scan', 'opp_scan'}
    heard = {name: bench.listen(f'/{name}', LaserScan if 'scan' in name else Odometry)
             for name in names}
    bench.start(SingleTrackSimulatorNode, use_sim_time=False, remap=dict(told.remappings),
                **{**RACECAR, 'cars': ['ego_racecar', 'opp_racecar'], 'sensors': ['laser'],
                   'opponent_odometry': True, 'odometry_frame': 'map'})
    bench.until(lambda: all(heard.values()), 'all topics of the gym')
    assert heard['scan'][0].header.frame_id == 'ego_racecar/laser'
    assert heard['opp_racecar/opp_odom'][0].child_frame_id == 'ego_racecar/base_link'
    assert heard['ego_racecar/opp_odom'][0].child_frame_id == 'opp_racecar/base_link'


def test_a_recorder_and_a_set_of_names_know_cars_with_topics_of_their_own(tmp_path):
    names = tmp_path / 'names.yaml'
    names.write_text(
        'topics: {vesc/odom: odom}\ncars: {left: {vesc/odom: odom_of_left}}\n', encoding='utf-8')
    found = nodes('gap_ode', cars=('left', 'right'), topic_names=str(names),
                  record=str(tmp_path / 'bag'))
    recorded = found['bag_recorder'].resolve()['topics']
    assert {'odom_of_left', 'right/odom', 'left/scan', 'right/scan'} <= {*recorded}
    assert not {'left/odom', 'left/odom_of_left'} & {*recorded}
    for text, message in (('cars: {left: 3}', 'what is of the car left is 3, expected a mapping'),
                          ('cars: {left: {vesc/odo: a}}', "a topic is 'vesc/odo', expected one")):
        other = tmp_path / f'{len(text)}.yaml'
        other.write_text(text, encoding='utf-8')
        with pytest.raises(ConfigurationError, match=message):
            nodes('gap_ode', cars=('left', 'right'), topic_names=str(other))


def race_in_lockstep(stack, folder, name, rules):
    """Paths, events and last state of a race of 2 s in which blue drives into red, which stands.

    Both are taken off the track and put back.
    """
    file = folder / 'race.yaml'
    file.write_text(yaml.safe_dump({
        'format': 'head_to_head', 'world': 'racetrack', 'laps': 1, 'cars': [],
        'rules': {'countdown': 0.2, 'restart_delay': 0.3, 'standing': 0.5, **rules}}),
        encoding='utf-8')
    assert main(['up', stack, '--cars', 'red,blue', '--race', str(file), '--vehicle', 'f1tenth',
                 *FAST, '--duration', '2', '--set', 'red/gap_follower.speed=0.01',
                 '--record', str(folder / name)]) == 0
    paths = {(row.topic, repr(row.message.header.stamp)): row.message for row in messages_in(
        folder / name, [f'/{car}/vesc/odom' for car in ('red', 'blue')])}
    events = [row.message for row in messages_in(folder / name, ['/race/events'])]
    state = [row.message for row in messages_in(folder / name, ['/race/state'])][-1]
    return paths, events, state


# In 3-D borders are rigid, and a car that is held moves by what its body sinks on its wheels.
@pytest.mark.parametrize(('stack', 'rules', 'settling'), [
    ('gap_ode', {}, 0.0), ('gap_world', {'touch_depth': 0}, 1e-3)])
def test_a_race_in_lockstep_is_the_same_to_the_bit_each_time(
        tmp_path, capsys, stack, rules, settling):
    paths, events, state = race_in_lockstep(stack, tmp_path, 'first', rules)
    assert [(event.car, event.kind) for event in events][:6] == [
        ('', 'green'), ('blue', 'warning'), ('blue', 'crash'), ('red', 'standing'),
        ('blue', 'restart'), ('red', 'restart')]
    assert (state.header.stamp.sec, state.time, len(state.standings)) == (2, 2.0, 2)
    times, places = ({car: np.array([value(message) for (topic, _), message in paths.items()
                                     if topic == f'/{car}/vesc/odom']) for car in ('red', 'blue')}
                     for value in (seconds, lambda message: message.pose.pose.position.x))
    # Held in the countdown, driving after it, and off the track for a while.
    assert np.ptp(places['blue'][times['blue'] <= 0.2]) <= settling
    assert np.ptp(places['blue'][(times['blue'] > 0.2) & (places['blue'] > -999.0)]) > 0.5
    assert places['red'].min() == pytest.approx(-1000.0, abs=1e-6)
    assert places['red'][-1] > -999.0
    assert repr(race_in_lockstep(stack, tmp_path, 'second', rules)) == repr(
        (paths, events, state))
