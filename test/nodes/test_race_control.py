# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Race control: odometry of several cars in, the referee's word, poses and stops out."""

from dataclasses import replace
import math

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import PoseWithCovarianceStamped
from node_bench import command, odometry, RACECAR, seconds, stamp
import numpy as np
import pytest
import rclpy
from std_msgs.msg import String, UInt32
from std_srvs.srv import Trigger

from racecar.base.errors import ConfigurationError
from racecar.base.share import find_track, find_world
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.race_control import RaceControlNode
from racecar.ros import qos
from racecar.ros.interfaces import (
    NamedCar,
    RaceEvent,
    RaceLook,
    RaceLooks,
    RaceOrders,
    RaceState,
)
from racecar.stacks import describe_stack, StackOptions

pytestmark = pytest.mark.ros

RADIUS = 10.0
NAVIGATION = 'vesc/ackermann_cmd_mux/input/navigation'
HOLD = 'vesc/ackermann_cmd_mux/input/race'


@pytest.fixture
def race_file(tmp_path):
    line = tmp_path / 'circle.csv'
    angles = np.linspace(0.0, math.tau, 401)
    line.write_text('x,y\n' + '\n'.join(
        f'{RADIUS * math.cos(a)},{RADIUS * math.sin(a)}' for a in angles), encoding='utf-8')
    file = tmp_path / 'race.yaml'
    file.write_text(
        f'format: head_to_head\nworld: empty\nline: {line}\nlaps: 1\n'
        'rules: {countdown: 0.2, restart_delay: 0.2, silence: 0.5}\ncars: []\n', encoding='utf-8')
    return str(file)


class Race:
    """Cars that go round the circle at speeds, as race control tells of them."""

    def __init__(self, bench, race_file, *names, **parameters):
        self.bench, self.names, self.time = bench, names, 0.0
        self.states = bench.listen('/race/state', RaceState, qos.LATCHED)
        self.events = bench.listen('/race/events', RaceEvent, qos.LOG)
        self.poses = {name: bench.listen(
            f'/{name}/initialpose', PoseWithCovarianceStamped, qos.COMMAND) for name in names}
        self.holds = {name: bench.listen(
            f'/{name}/{HOLD}', AckermannDriveStamped, qos.COMMAND) for name in names}
        self.node = bench.start(RaceControlNode, use_sim_time=False, race_file=race_file,
                                cars=list(names), **RACECAR, **parameters)
        self.angles = dict.fromkeys(names, 0.0)
        for number, name in enumerate(names):
            self.angles[name] = -0.1 * (number + 1)

    def drive(self, seconds, commanded=None, **speeds):
        """Send odometry of all cars for so long, and commands of those that are commanded."""
        for _ in range(round(seconds * 20)):
            self.time += 0.05
            for name in self.names:
                self.angles[name] += speeds.get(name, 0.0) / RADIUS * 0.05
                if name in (self.names if commanded is None else commanded):
                    self.bench.deliver(self.node, f'/{name}/{NAVIGATION}',
                                       command(self.time, 1.0))
                a = self.angles[name]
                self.bench.deliver(self.node, f'/{name}/vesc/odom', odometry(
                    self.time, RADIUS * math.cos(a), RADIUS * math.sin(a), a + 0.5 * math.pi,
                    speeds.get(name, 0.0)))

    def call(self, service, kind=Trigger, **fields):
        return self.bench.call(f'/race_control/{service}', kind, **fields)

    def heard(self, kind):
        """Events of a kind, once there is one."""
        self.bench.until(lambda: any(event.kind == kind for event in self.events), kind)
        return [event for event in self.events if event.kind == kind]


def test_a_race_is_started_judged_and_won(bench, race_file):
    race = Race(bench, race_file, 'red', 'blue')
    assert not race.call('start').success
    race.drive(0.2)
    bench.until(lambda: race.holds['red'] and race.holds['red'][-1].drive.speed == 0.0, 'a hold')
    assert {name: rows[-1].header.frame_id for name, rows in race.holds.items() if rows}[
        'red'] == 'red/base_link'
    assert race.states[-1].state == 'grid'
    assert race.call('start').message == 'the countdown of 0.2 s has begun'
    assert not race.call('start').success
    race.drive(0.3)
    race.heard('green')
    race.drive(7.0, red=10.0, blue=5.0)
    finished, = race.heard('finished')
    assert finished.car == 'red'
    lap, = race.heard('lap')
    assert lap.value == pytest.approx(2.0 * math.pi, abs=0.01)
    bench.until(lambda: race.states[-1].standings and race.states[-1].standings[0].laps == 1,
                'the standings')
    first, second = race.states[-1].standings
    assert (first.name, first.status, second.name) == ('red', 'finished', 'blue')
    assert math.isnan(second.best_lap)
    # Who has finished is taken off the track.
    bench.until(lambda: race.poses['red'], 'a pose')
    assert race.poses['red'][-1].pose.pose.position.x == -1000.0
    assert race.call('stop').success
    race.heard('end')
    assert not race.call('stop').success


def test_a_car_that_starts_off_the_track_is_told(bench, race_file):
    race = Race(bench, race_file, 'red', 'blue')
    bench.deliver(race.node, '/red/vesc/odom', odometry(0.05, RADIUS))
    bench.deliver(race.node, '/blue/vesc/odom', odometry(0.05, 60.0, 80.0))
    race.call('start')
    assert bench.logged('starts off the track').startswith(
        'blue starts off the track, at (60.00, 80.00) m, 90.00 m from the centre line, expected'
        ' at most 3 m')
    assert not bench.has_logged('red starts')


def test_a_race_in_another_world_than_that_of_its_file_is_judged_there():
    found = {d.executable: d.resolve() for d in describe_stack('gap_ode', StackOptions(
        cars=('red', 'blue'), race='head_to_head', world='gbr'))}
    assert found['race_control']['world'] == found['single_track_simulator']['world'] == 'gbr'


@pytest.mark.parametrize('way', ['override', 'file', 'option'])
def test_a_world_that_is_chosen_for_the_simulator_is_that_of_the_race(tmp_path, way):
    file = tmp_path / 'mine.yaml'
    file.write_text('single_track_simulator: {ros__parameters: {world: gbr}}')
    options = {
        'override': StackOptions(overrides={'single_track_simulator': {'world': 'gbr'}}),
        'file': StackOptions(params_file=str(file)),
        'option': StackOptions(world='gbr', namespace='paddock')}[way]
    found = {d.executable: d.resolve()['world'] for d in describe_stack(
        'gap_ode', replace(options, cars=('red', 'blue'), race='head_to_head'))
        if 'world' in d.spec.table}
    assert found == {'race_control': 'gbr', 'single_track_simulator': 'gbr'}


def test_a_race_is_judged_nowhere_else_than_it_is_driven():
    def described(**worlds):
        return {d.executable: d.resolve() for d in describe_stack('gap_ode', StackOptions(
            cars=('red', 'blue'), race='head_to_head',
            overrides={node: {'world': world} for node, world in worlds.items()}))}

    with pytest.raises(ConfigurationError, match="world of race_control is 'gbr', but"
                       " single_track_simulator has the cars in 'racetrack': .* by --world"):
        described(race_control='gbr')
    # One and the same by its name and as a file.
    file = str(find_world('gbr'))
    found = described(race_control=file, single_track_simulator='gbr')
    assert found['race_control']['world'] == file


def test_race_control_judges_in_the_world_that_it_is_given(bench):
    race = Race(bench, 'head_to_head', 'red', 'blue', world='gbr')
    course = read_way_points(find_track('gbr'))[0]
    for name, point in (('red', course[0]), ('blue', course[40])):
        bench.deliver(race.node, f'/{name}/vesc/odom', odometry(0.05, *point))
    assert race.call('start').success
    race.call('stop')
    race.heard('end')
    assert not bench.has_logged('starts off the track')


@pytest.mark.parametrize(('topic', 'kind'), [('collisions', UInt32), ('retired', String)])
def test_who_speaks_beside_the_simulator_of_a_car_is_named(bench, race_file, topic, kind):
    race = Race(bench, race_file, 'red', 'blue')
    for name in ('simulator', 'stranger'):
        bench.add(rclpy.create_node(name)).create_publisher(
            kind, f'/blue/{topic}', qos.LATCHED)
    bench.logged(f'/blue/{topic} has 2 publishers, expected one: /simulator, /stranger;')
    assert len(race.node.conflicts) == 1


def test_a_car_that_is_stopped_by_something_is_put_back_where_it_was(bench, race_file):
    race = Race(bench, race_file, 'red', 'blue')
    race.drive(0.1)
    race.call('start')
    race.drive(0.3)
    race.drive(0.5, red=4.0)
    bench.deliver(race.node, '/red/collisions', UInt32(data=1))
    race.drive(0.05, red=0.0)
    assert race.heard('crash')[0].car == 'red'
    race.drive(0.3)
    race.heard('restart')
    bench.until(lambda: len(race.poses['red']) == 2, 'both poses')
    away, back = (message.pose.pose.position for message in race.poses['red'])
    assert away.x == -1000.0
    assert (back.x, back.y) == (
        pytest.approx(RADIUS * math.cos(race.angles['red']), abs=0.1),
        pytest.approx(RADIUS * math.sin(race.angles['red']), abs=0.1))


def test_cars_are_restarted_and_retired_by_service_and_by_silence(bench, race_file):
    race = Race(bench, race_file, 'red', 'blue', 'mute')
    assert not race.call('retire_car', NamedCar, name='red').success
    race.drive(0.1)
    race.call('start')
    race.drive(0.4)
    unknown = race.call('retire_car', NamedCar, name='green')
    assert unknown.message == "name is 'green', expected one of red, blue, mute"
    assert race.call('restart_car', NamedCar, name='blue').success
    assert race.heard('crash')[0].text == 'by race control'
    assert race.call('retire_car', NamedCar, name='red').success
    assert not race.call('retire_car', NamedCar, name='red').success
    assert race.heard('retired')[0].car == 'red'
    race.drive(0.8, commanded=('red', 'blue'))
    bench.until(lambda: [event.car for event in race.events if event.kind == 'retired'] == [
        'red', 'mute'], 'the silent car')


def test_a_car_that_its_simulator_has_retired_is_so_in_the_race_with_the_reason(bench, race_file):
    race = Race(bench, race_file, 'red', 'blue')
    race.drive(0.1)
    race.call('start')
    bench.deliver(race.node, '/blue/retired', String(data='the car stands still from 0.1 s on'))
    race.drive(0.4)
    race.drive(0.2, red=4.0)
    event, = race.heard('retired')
    assert (event.car, event.text) == ('blue', 'the car stands still from 0.1 s on')
    bench.until(lambda: race.poses['blue'], 'a pose')
    bench.until(lambda: race.states[-1].standings and race.states[-1].standings[-1].status
                == 'retired', 'the standings')
    assert race.states[-1].standings[0].status == 'racing'


def test_in_3d_races_have_borders_that_do_not_give_way(race_file, tmp_path):
    cars = 'red', 'blue'
    with pytest.raises(ConfigurationError, match='0.05 m deep before it crashes, but in the 3-D'):
        describe_stack('gap_world', StackOptions(race=race_file, cars=cars))
    rigid = tmp_path / 'rigid.yaml'
    rigid.write_text('format: head_to_head\nrules: {touch_depth: 0}\ncars: []\n')
    assert any(d.executable == 'race_control' for d in describe_stack(
        'gap_world', StackOptions(race=str(rigid), cars=cars)))


def test_it_starts_by_itself_if_it_is_to(bench, race_file):
    race = Race(bench, race_file, 'red', 'blue', auto_start=True)
    race.drive(0.3)
    race.heard('green')


def test_a_configuration_with_a_race_has_race_control(race_file):
    found = {d.full_name: d for d in describe_stack('gap_ode', StackOptions(
        cars=('red', 'blue'), race=race_file, vehicle='f1tenth'))}
    told = found['race_control'].resolve()
    assert (told['cars'], told['auto_start'], told['vehicle.name']) == (
        ['red', 'blue'], True, 'f1tenth')
    simulator = found['single_track_simulator'].resolve()
    assert (simulator['world'], simulator['contact_give']) == ('empty', 0.05)


def test_in_lockstep_the_simulator_waits_for_race_control_and_holds_cars_itself(race_file):
    found = {d.full_name: d for d in describe_stack('gap_ode', StackOptions(
        race=race_file, cars=('a', 'b'), lockstep=True))}
    assert found['race_control'].resolve()['lockstep']
    simulator = found['single_track_simulator'].resolve()
    assert simulator['lockstep_race']
    assert simulator['wait_for_publishers'] == ['race/orders']
    assert not any(d.resolve()['race'] for d in found.values()
                   if d.executable == 'ackermann_cmd_mux')


def looks(at, **cars):
    """What a simulator in lockstep shows: x [m] of cars by name."""
    message = RaceLooks(cars=[
        RaceLook(name=name, pose=odometry(at, x).pose.pose) for name, x in cars.items()])
    message.header.stamp = stamp(at)
    return message


def test_in_lockstep_each_look_is_answered_and_judged_once(bench, race_file):
    orders = bench.listen('/race/orders', RaceOrders, qos.LATCHED)
    node = bench.start(RaceControlNode, use_sim_time=False, race_file=race_file, lockstep=True,
                       auto_start=True, cars=['red', 'blue'], **RACECAR)
    assert 'race/looks' in node.waits_for()

    def answered(at, **cars):
        before = len(orders)
        bench.deliver(node, '/race/looks', looks(at, **cars))
        bench.until(lambda: len(orders) > before, 'orders')
        assert seconds(orders[-1]) == pytest.approx(at)
        return {order.name: (order.is_held, [pose.position.x for pose in order.pose])
                for order in orders[-1].cars}

    assert answered(0.0, red=0.0, blue=-1.0) == {'red': (True, []), 'blue': (True, [])}
    # A false start; shown again it is not put back twice.
    jumped = {'red': (True, [0.0]), 'blue': (True, [])}
    assert answered(0.1, red=0.2, blue=-1.0) == jumped
    assert answered(0.1, red=0.2, blue=-1.0) == jumped
    assert answered(0.2, red=0.0, blue=-1.0) == {'red': (True, []), 'blue': (False, [])}
    # What a service asks for comes with the next orders.
    assert bench.call('/race_control/retire_car', NamedCar, name='blue').success
    assert len(orders) == 4
    assert answered(0.3, red=0.0, blue=-1.0)['blue'] == (True, [-1000.0])
    for wrong in (looks(0.4, red=0.0), looks(0.4, red=math.nan, blue=0.0)):
        bench.deliver(node, '/race/looks', wrong)
    # Said once in a while only.
    bench.logged('message on /race/looks dropped: it shows red, expected red, blue')
    assert len(orders) == 5


def test_a_configuration_without_several_cars_has_no_race(race_file):
    with pytest.raises(ConfigurationError, match='there is one car: name several by cars'):
        describe_stack('gap_ode', StackOptions(race=race_file))


def test_referee_and_emergency_brake_hold_a_car_by_inputs_of_their_own(race_file):
    found = describe_stack('gap_ode', StackOptions(
        cars=('red', 'blue'), race=race_file, safety=True, topic_names='f1tenth_gym'))
    given = [(d.namespace, topic) for d in found for topic in d.gives]
    assert len({*given}) == len(given)
    low = next(d for d in found if d.full_name == 'red/vesc/low_level/ackermann_cmd_mux')
    assert (low.resolve()['race'], low.resolve()['arbitration']) == (True, 'priority')
    assert dict(low.remappings)['~/race'] == f'/red/{HOLD}'
    assert not any(d.resolve()['race'] for d in found if 'high_level' in d.full_name)


def test_the_referee_holds_a_car_that_a_person_drives(bench):
    mux = '/vesc/low_level/ackermann_cmd_mux'
    outputs = bench.listen(f'{mux}/output', AckermannDriveStamped, qos.COMMAND)
    node = bench.start(AckermannMuxNode, namespace='/vesc/low_level', config_file='mux/low_level',
                       use_sim_time=False, race=True)
    bench.send(f'{mux}/teleop', command(0.0, 2.0))
    assert bench.count(outputs, 1).drive.speed == 2.0
    bench.send(f'{mux}/race', command(0.0, 0.0))
    assert bench.count(outputs, 2).drive.speed == 0.0
    bench.deliver(node, f'{mux}/teleop', command(0.0, 2.0))
    bench.until(lambda: bench.send(f'{mux}/teleop', command(0.0, 3.0)) or len(outputs) > 2,
                'a command after the hold')
    assert outputs[2].drive.speed == 3.0


def test_what_race_control_cannot_use_is_refused(bench, tmp_path):
    file = tmp_path / 'bad.yaml'
    file.write_text('format: sprint\n', encoding='utf-8')
    with pytest.raises(ConfigurationError, match="bad.yaml'.*format is 'sprint', expected one"):
        bench.start(RaceControlNode, use_sim_time=False, race_file=str(file), cars=['a'],
                    **RACECAR)
