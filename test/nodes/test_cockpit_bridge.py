# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cockpit's bridge over real DDS: what it shows of a car, and driving from a page."""

from __future__ import annotations

import contextlib
import queue
import select
import socket
import sys
import threading
import time
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from cockpit_frames import read_state
from nav_msgs.msg import Odometry
from node_bench import command, polled, RACECAR, RACECAR_DRIVER
import numpy as np
import pytest
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from sensor_msgs.msg import Image, JointState

from racecar.base.errors import ConfigurationError, RunError
from racecar.base.types import Pose3
from racecar.clients.cockpit_bridge.driving import SILENCE
from racecar.clients.cockpit_bridge.node import CockpitBridge
from racecar.clients.cockpit_bridge.parameters import PageParameters
from racecar.clients.cockpit_bridge.pictures import Pictures
from racecar.clients.cockpit_bridge.server_link import ServerLink
from racecar.clients.graph.parameters import ParameterServices
from racecar.clients.graph.service_calls import Patience, ServiceCalls
from racecar.cockpit.frames import is_text, json_frame, read_json, read_states, SCAN, STATE
from racecar.cockpit.link import LENGTH, packed
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.differential_wheels_simulator import DifferentialWheelsSimulatorNode
from racecar.nodes.driver_bridge import DriverBridgeNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros import qos
from racecar.ros.interfaces import DriverCommand

pytestmark = pytest.mark.ros

COMMANDS = '/vesc/low_level/ackermann_cmd_mux/output'
TELEOP = '/vesc/ackermann_cmd_mux/input/teleop'
MUX = 'vesc/low_level'


class Server:
    """The server's end of the socket, and the bridge at the other."""

    def __init__(self, bench, folder, **options):
        self.bench = bench
        self.frames = []
        self.ended: list[Any] = []
        self._arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._listener = socket.socket(socket.AF_UNIX)
        path = str(folder / 'link')
        self._listener.bind(path)
        self._listener.listen()
        self.node = bench.add(CockpitBridge(
            ServerLink(path), on_end=lambda: self.ended.append(True), **options))
        self._socket, _ = self._listener.accept()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with contextlib.suppress(OSError), self._socket.makefile('rb') as stream:
            while len(head := stream.read(LENGTH.size)) == LENGTH.size:
                self._arrived.put(stream.read(LENGTH.unpack(head)[0]))

    def say(self, kind, **fields):
        self._socket.sendall(packed(json_frame(kind, **fields)))

    def send_what_is_taken(self, data, patience):
        """Send bytes until none has been taken for a while [s]; return how many were."""
        sent = 0
        while sent < len(data) and select.select([], [self._socket], [], patience)[1]:
            sent += self._socket.send(data[sent:sent + 2**16], socket.MSG_DONTWAIT)
        return sent

    def found(self, fits):
        while not self._arrived.empty():
            self.frames.append(self._arrived.get())
        return next((frame for frame in reversed(self.frames) if fits(frame)), None)

    def get(self, kind, fits=lambda _: True):
        """Spin until the newest message of a kind fits; return its fields."""
        def look():
            frame = self.found(
                lambda frame: is_text(frame) and read_json(frame)['type'] == kind)
            fields = frame and read_json(frame)
            return fields if fields and fits(fields) else None

        return self.bench.until(look, f'a message {kind!r}')

    def parameters(self, *nodes):
        """Spin until these nodes are known; return the parameters of each."""
        def known(fields):
            return {row['node']: row['parameters'] for row in fields['nodes']}

        return known(self.get('parameters', lambda fields: {*nodes} <= {*known(fields)}))

    def rows(self):
        """Return times and rows of state that came so far, by column."""
        self.found(lambda _: False)
        return read_state(self.frames, self.get('robot')['columns'])

    def close(self):
        for end in (self._socket, self._listener):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@pytest.fixture
def serve(bench, tmp_path):
    """Start bridges with servers."""
    with contextlib.ExitStack() as stack:
        def start(**options):
            server = Server(bench, tmp_path, **options)
            stack.callback(server.close)
            return server

        yield start


@pytest.fixture
def car(bench, serve, request):
    """A car in real time behind its mux, and a server that watches it."""
    bench.start(AckermannMuxNode, name='ackermann_cmd_mux', namespace=MUX,
                remap={'~/teleop': TELEOP}, config_file='mux/low_level')
    bench.start(SingleTrackSimulatorNode, use_sim_time=False, **RACECAR,
                **getattr(request, 'param', {}))
    server = serve()
    bench.until(lambda: len(server.rows()[0]), 'the first rows of state')
    return server


def test_it_describes_robot_surroundings_and_parameters(car):
    robot = car.get('robot')
    assert robot['root'] == 'base_link'
    assert 'left_front_wheel' in [link['name'] for link in robot['links']]
    assert robot['columns'][:9] == ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw', 'speed', 'yaw_rate']
    assert car.get('scene')['name'] == 'empty'
    mux, = car.get('muxes', lambda fields: fields['muxes'][0]['inputs'])['muxes']
    assert (mux['name'], mux['active']) == ('/vesc/low_level/ackermann_cmd_mux', 'idle')
    assert mux['inputs'][0]['name'] == 'Teleoperation'
    nodes = car.parameters('/single_track_simulator', '/vesc/low_level/ackermann_cmd_mux')
    rows = {row['name']: row for row in nodes['/single_track_simulator']}
    timeout = rows['command_timeout']
    assert (timeout['value'], timeout['minimum'], timeout['maximum']) == (0.5, 0.0, 60.0)
    assert (timeout['unit'], timeout['default'], timeout['read_only']) == ('s', 0.5, False)
    assert rows['step']['read_only']
    # A text that names a file is none that pages may know.
    assert 'config_file' not in {row['name'] for row in nodes['/vesc/low_level/ackermann_cmd_mux']}


@pytest.mark.parametrize(('node', 'vehicle'), [
    (SingleTrackSimulatorNode, RACECAR), (DifferentialWheelsSimulatorNode, {})])
def test_all_cars_of_a_world_are_shown_with_the_world_around_them(bench, serve, node, vehicle):
    simulator = bench.start(
        node, use_sim_time=False, cars=['red', 'blue', 'green'],
        **{**vehicle, 'world': 'tunnel', 'sensors': ['laser'], 'laser.rays': 7})
    server = serve(namespace='red')
    wanted = {0: 'red', 1: 'blue', 2: 'green'}

    def found(kind):
        return [read_json(frame) for frame in server.frames
                if is_text(frame) and read_json(frame)['type'] == kind]

    def robots_in(kind):
        return {frame[1] for frame in server.frames if frame[0] == kind}

    bench.until(lambda: (server.found(lambda _: False), robots_in(STATE), robots_in(SCAN))[1:] == (
        {*wanted}, {*wanted}), 'state and scans of all cars')
    assert {row['robot']: row['car'] for row in found('robot')} == wanted
    assert server.get('scene')['name'] == 'tunnel'
    assert f'/{simulator.get_name()}' in server.parameters(f'/{simulator.get_name()}')
    behind = {robot: next(
        states.values[0, 0] for frame in server.frames if frame[0] == STATE
        and (states := read_states(frame)).robot == robot) for robot in wanted}
    assert behind == pytest.approx({0: 0.0, 1: -1.0, 2: -2.0}, abs=1e-3)


def test_of_several_lasers_and_cameras_the_first_are_shown(bench, serve):
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, **{
        **RACECAR, 'world': 'tunnel',
        'sensors': ['laser:front', 'laser:rear', 'camera:left', 'camera:right'],
        'front.x': 0.3, 'front.rays': 7, 'front.z': 0.2, 'rear.rays': 5, 'rear.z': 0.2})
    server = serve()
    robot = server.get('robot', lambda fields: fields['laser_frame'] == 'front')
    joint, = (joint for joint in robot['joints'] if joint['child'] == 'front')
    assert joint['origin'][:3] == [0.3, 0.0, 0.2]
    scan = bench.until(lambda: server.found(lambda frame: frame[0] == SCAN), 'a scan')
    assert len(np.frombuffer(scan, '<f4', offset=24)) == 7
    server.say('camera', wanted=True)
    bench.until(lambda: node.count_subscribers('/left/image_rect_color'), 'the listener')
    assert node.count_subscribers('/right/image_rect_color') == 0
    assert node.count_subscribers('/rear/scan') == 0


def test_a_parameter_of_another_node_may_have_an_infinite_range(bench, serve):
    bench.probe.declare_parameter('gain', 1.5, ParameterDescriptor(floating_point_range=[
        FloatingPointRange(from_value=0.0, to_value=np.inf)]))
    row, = (row for row in serve().parameters('/probe')['/probe'] if row['name'] == 'gain')
    assert (row['value'], row['minimum'], row['maximum']) == (1.5, 0.0, None)


def test_a_node_of_the_process_is_looked_at_as_another_one_is_asked(bench):
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, **RACECAR)
    name = node.get_fully_qualified_name()
    calls = ServiceCalls(bench.probe, Patience(3.0))

    class Pages:
        def __init__(self):
            self.frames = []

        def send(self, frame, key):
            self.frames.append(frame)

    found = []
    for local_nodes in {}, {name: node}:
        pages: Any = Pages()
        known: list[Any] = []
        parameters = PageParameters(bench.probe, calls, pages, known.append, local_nodes)
        parameters.look([name])
        assert bool(known) == bool(local_nodes)
        bench.until(polled(calls, known.copy), 'the parameters')
        found.append((known, [*map(read_json, pages.frames)], parameters.values(name)))
    asked, looked_at = found
    assert asked == looked_at
    assert len(asked[2]) > 50


def test_no_sample_is_missing_and_the_state_is_that_of_the_topics(bench, serve):
    odometry = bench.listen('/vesc/odom', Odometry, qos.STATE)
    joints = bench.listen('/joint_states', JointState, qos.STATE)
    server = serve()
    bench.start(SingleTrackSimulatorNode, use_sim_time=False, lockstep=True,
                real_time_factor=0.0, **RACECAR)
    bench.until(lambda: odometry, 'the first odometry')
    for _ in range(60):
        bench.answer(odometry, COMMANDS, command(0.0, 1.0, 0.2))
    bench.until(lambda: len(server.rows()[0]) >= 60, 'all samples')
    times, rows = server.rows()
    assert times[:60] == pytest.approx(0.01 * np.arange(60))
    assert rows['x'][59] == pytest.approx(odometry[59].pose.pose.position.x, abs=1e-6)
    assert rows['speed'][30] == pytest.approx(1.0)
    assert rows['command_speed'][30] == pytest.approx(1.0)
    assert rows['steering'][30] == pytest.approx(0.2)
    wheel = joints[59].name.index('left_rear_wheel_joint')
    assert rows['joint:left_rear_wheel_joint'][59] == pytest.approx(
        joints[59].position[wheel], rel=1e-5)
    assert np.isnan(rows['reference_x']).all()


def test_a_page_drives_and_the_car_stops_when_it_falls_silent(bench, car):
    commands = bench.listen(COMMANDS, AckermannDriveStamped, qos.COMMAND)
    # Once the limits of the vehicle are known.
    car.get('scene')
    car.say('drive', speed=1.0, steering=0.0)
    car.say('take', viewer=1, manual=False)
    bench.until(lambda: bench.probe.count_publishers(TELEOP), 'the publisher')

    def drives():
        car.say('drive', speed=0.5, steering=-0.5)
        return commands and commands[-1].drive.speed > 0.0

    bench.until(drives, 'a command')
    silent = time.monotonic()
    drive = commands[-1].drive
    assert drive.speed == pytest.approx(1.5)
    assert drive.steering_angle < -0.1
    bench.until(lambda: commands[-1].drive.speed == 0.0, 'the stop')
    assert time.monotonic() - silent < SILENCE + 1.0
    bench.until(lambda: car.rows()[1]['speed'][-1] == 0.0, 'the car to stand')


@pytest.mark.parametrize('car', [{'world': 'arena'}], indirect=True)
def test_pages_are_told_of_collisions(bench, car):
    car.get('scene')
    car.say('take', viewer=1, manual=False)
    bench.until(lambda: bench.probe.count_publishers(TELEOP), 'the publisher')

    said = 0.0

    def crashes():
        nonlocal said
        if time.monotonic() > said + 0.3 * SILENCE:
            said = time.monotonic()
            car.say('drive', speed=1.0, steering=0.0)
        frame = car.found(lambda frame: is_text(frame)
                          and read_json(frame)['type'] == 'collisions')
        return frame and read_json(frame)

    found = bench.until(crashes, 'a collision')
    assert (found['count'], found['in_contact']) == (1, True)
    times, columns = car.rows()
    where = np.searchsorted(times, found['time'])
    # The box ahead begins at 0.8 m, the car ends 0.42 m before base_link.
    assert 0.2 < columns['x'][min(where, len(times) - 1)] < 0.6


def test_the_watchdog_of_the_bridge_stops_the_car_by_itself(bench, car):
    teleop = bench.listen(TELEOP, AckermannDriveStamped, qos.STATE)
    car.say('take', viewer=1, manual=False)
    bench.until(lambda: bench.probe.count_publishers(TELEOP), 'the publisher')
    bench.connect()
    car.say('drive', speed=1.0, steering=0.0)
    begin = time.monotonic()
    bench.until(lambda: len(teleop) == 2, 'the stop')
    assert time.monotonic() - begin > 0.8 * SILENCE
    assert [message.drive.speed for message in teleop] == [3.0, 0.0]


@pytest.mark.parametrize('way', ['release', 'the server goes'])
def test_the_car_stops_at_once_when_its_page_or_the_server_goes(bench, car, way):
    teleop = bench.listen(TELEOP, AckermannDriveStamped, qos.STATE)
    car.say('take', viewer=1, manual=False)
    bench.until(lambda: bench.probe.count_publishers(TELEOP), 'the publisher')
    bench.connect()
    car.say('drive', speed=1.0, steering=0.0)
    bench.until(lambda: teleop, 'the command')
    if way == 'release':
        car.say('release')
    else:
        car.close()
        bench.until(lambda: car.ended, 'the end')
    bench.until(lambda: len(teleop) == 2, 'the stop')
    assert teleop[-1].drive.speed == 0.0


def test_wheels_and_requests_that_cannot_be_had_are_refused(bench, serve):
    server = serve()
    for kind, fields, text in (
            ('take', {'manual': False}, 'nobody listens to /vesc/ackermann_cmd_mux/input/teleop'),
            ('pause', {}, 'no simulator'),
            ('set_parameter', {'node': '/none', 'name': 'x', 'value': 1}, "node '/none'"),
            ('nonsense', {}, 'knows no message'), ('drive', {}, 'cannot be used')):
        server.say(kind, viewer=3, **fields)
        error = server.get('error', lambda fields, kind=kind: fields['of'] == kind)
        assert error['viewer'] == 3
        assert text in error['text']


def test_what_pages_ask_of_busy_nodes_waits_in_the_socket_and_nothing_is_lost(bench, serve):
    server = serve()
    load = packed(json_frame('nonsense', filling=10_000 * ' ')) * 1000
    taken = server.send_what_is_taken(load, 0.2)
    assert taken < len(load) / 2
    rest = load[taken:] + packed(json_frame('last one'))
    threading.Thread(target=server.send_what_is_taken, args=(rest, 10.0), daemon=True).start()
    server.get('error', lambda fields: fields['of'] == 'last one')


def test_in_lockstep_nobody_takes_the_wheel(bench, serve):
    server = serve()
    bench.start(AckermannMuxNode, name='ackermann_cmd_mux', namespace=MUX,
                remap={'~/teleop': TELEOP}, config_file='mux/low_level')
    bench.start(SingleTrackSimulatorNode, use_sim_time=False, lockstep=True, **RACECAR)
    server.get('scene')
    server.say('take', viewer=1, manual=False)
    assert 'runs in lockstep' in server.get('error')['text']


def test_pause_step_factor_and_reset_reach_the_simulator(bench, car):
    car.get('scene')
    car.say('pause')
    car.get('clock', lambda fields: fields['paused'])
    before = bench.nodes[2].plant.time_ns
    car.say('step', viewer=1, count=3)
    bench.until(lambda: bench.nodes[2].plant.time_ns == before + 30_000_000, 'three steps')
    car.say('factor', viewer=1, value=4.0)
    car.get('clock', lambda fields: fields['wanted_factor'] == 4.0)
    car.say('factor', viewer=1, value=1e9)
    assert 'expected a number in [1e-06, 1e+06] or 0' in car.get('error')['text']
    car.say('resume')
    car.get('clock', lambda fields: not fields['paused'])
    car.say('reset', viewer=1)
    bench.until(lambda: car.rows()[1]['x'][-1] == 0.0, 'the car at its start')


def test_way_back_to_the_start_is_no_tracking_error(bench, car):
    simulator = bench.nodes[2]
    tracker = bench.start(TrajectoryTrackerNode, active=False)
    simulator.plant.entities[0].reset(Pose3(20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    bench.until(lambda: car.rows()[1]['x'][-1] == 20.0, 'the car elsewhere')
    bench.set_parameter(tracker, 'active', True)
    car.parameters('/trajectory_tracker')
    bench.until(lambda: car.rows()[1]['reference_x'][-1] > 20.0, 'its reference')
    car.say('reset', viewer=1)
    bench.until(lambda: abs(car.rows()[1]['reference_x'][-1]) < 1.0, 'a reference at the start')
    rows = car.rows()[1]
    assert rows['x'][-1] == 0.0
    assert np.nanmax(rows['error']) < 5.0


def test_a_changed_parameter_is_sent_whoever_changed_it(bench, car):
    car.get('scene')
    car.say('set_parameter', viewer=1, node='/single_track_simulator', name='command_timeout',
            value=2)
    sent = car.get('parameter')
    assert (sent['name'], sent['value']) == ('command_timeout', 2.0)
    simulator = bench.nodes[2]
    assert simulator.values['command_timeout'] == 2.0
    bench.set_parameter(simulator, 'command_timeout', 3.0)
    car.get('parameter', lambda fields: fields['value'] == 3.0)
    for name, value, text in (('step', 0.1, 'none that a client may set'),
                              ('command_timeout', 'x', 'expected a value of type float'),
                              ('command_timeout', -1, 'expected a number in')):
        car.say('set_parameter', viewer=1, node='/single_track_simulator', name=name, value=value)
        error = car.get('error', lambda fields, text=text: text in fields['text'])
        assert error['name'] == name


def test_a_node_that_did_not_answer_is_asked_again(bench, car, monkeypatch):
    ask = ParameterServices.names
    failed: list[str] = []

    async def names(services, node):
        if node == '/trajectory_tracker' and not failed:
            failed.append(node)
            raise RunError('service /trajectory_tracker/list_parameters has not answered for 3 s')
        return await ask(services, node)

    monkeypatch.setattr(ParameterServices, 'names', names)
    bench.start(TrajectoryTrackerNode)
    assert car.parameters('/trajectory_tracker')
    assert failed


def test_manual_mode_switches_the_tracker_off_and_on_again(bench, car):
    tracker = bench.start(TrajectoryTrackerNode, active=True)
    car.parameters('/trajectory_tracker')
    car.say('take', viewer=1, manual=True)
    bench.until(lambda: not tracker.values['active'], 'the tracker to be off')
    car.say('hand_back')
    bench.until(lambda: tracker.values['active'], 'the tracker to be on')
    car.say('take', viewer=1, manual=True)
    bench.until(lambda: not tracker.values['active'], 'the tracker to be off')
    # Nobody is there any more to see it drive.
    car.say('release')
    car.say('factor', viewer=1, value=2.0)
    car.get('clock', lambda fields: fields['wanted_factor'] == 2.0)
    assert not tracker.values['active']


def test_pedals_gears_and_lamps_reach_the_driver_bridge(bench, serve):
    bench.start(DriverBridgeNode, use_sim_time=False, **RACECAR_DRIVER)
    pedals = bench.listen('/driver/command', DriverCommand, qos.STATE)
    server = serve()
    bench.send('/vesc/odom', Odometry())
    server.get('car', lambda fields: fields['gear'] == 0)
    server.say('take', viewer=1, manual=False)
    server.say('gear', viewer=1, value=1)
    server.say('indicator', viewer=1, value='left')
    server.say('lamp', viewer=1, name='dipped_beams', on=True)
    server.get('car', lambda fields: (fields['gear'], fields['indicator'],
                                      fields['dipped_beams']) == (1, 'left', True))
    server.get('lamps', lambda fields: fields['lamps']['front'] and fields['lamps']['rear'])

    def pressed():
        server.say('pedals', viewer=1, throttle=0.5, brake=0.0, steering=0.0)
        return pedals and pedals[-1].throttle == 0.5

    bench.until(pressed, 'the pedals')
    assert pedals[-1].gear == 1
    bench.until(lambda: pedals[-1].brake == 1.0, 'the brake once the page is silent')
    server.say('gear', viewer=1, value=99)
    assert 'gear' in server.get('error')['text']


def test_frames_of_several_threads_arrive_whole(tmp_path):
    """The nodes' thread sends state, another one pictures of the camera."""
    listener = socket.socket(socket.AF_UNIX)
    path = str(tmp_path / 'link')
    listener.bind(path)
    listener.listen()
    link = ServerLink(path)
    server, _ = listener.accept()
    sent = {name: [(name * (1 + 7 * index)).encode() for index in range(1000)] for name in 'ab'}
    failures = []
    start = threading.Barrier(len(sent))
    # All that interrupts a thread shall do so.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def send(name):
        start.wait()
        try:
            for index, frame in enumerate(sent[name]):
                link.send(frame, f'{name}{index}')
        except Exception as error:
            failures.append(error)

    def close():
        for thread in threads:
            thread.join()
        while not link.flush():
            pass
        link.close()

    threads = [threading.Thread(target=send, args=(name,)) for name in sent]
    for thread in (*threads, threading.Thread(target=close)):
        thread.start()
    try:
        with contextlib.closing(listener), server, server.makefile('rb') as stream:
            found = []
            while head := stream.read(LENGTH.size):
                found.append(stream.read(LENGTH.unpack(head)[0]))
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    assert sorted(found) == sorted([*sent['a'], *sent['b']])


def test_a_picture_that_cannot_be_sent_does_not_end_the_others(bench):
    frames = []

    def send(frame):
        frames.append(frame)
        if len(frames) == 1:
            raise ValueError('no room')

    pictures = Pictures(bench.probe, '/camera', send)
    pictures.want(True)
    image = Image(height=1, width=1, encoding='mono8', step=1, data=[0])

    def sends():
        bench.send('/camera', image)
        return len(frames) > 1

    bench.until(sends, 'a second picture')
    assert 'no room' in bench.logged('a picture on /camera is not shown')


def test_a_socket_where_nobody_listens_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match='no cockpit listens on'):
        ServerLink(str(tmp_path / 'none'))
