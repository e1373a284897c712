# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A custom controller in the tracker node: `up --controller`."""

from pathlib import Path
import re

from ackermann_msgs.msg import AckermannDriveStamped
from nav_msgs.msg import Odometry
from node_bench import odometry, RACECAR, stamp
from node_processes import NodeProcess, VEHICLE
import pytest
from sensor_msgs.msg import LaserScan

from racecar.base.errors import ConfigurationError, RunError
from racecar.cli.main import main
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros import qos
from racecar.stacks import describe_stack, StackOptions

pytestmark = pytest.mark.ros

EXAMPLE = Path(__file__).parents[2] / 'docs' / 'examples' / 'pure_pursuit.py'
COMMAND = '/vesc/ackermann_cmd_mux/input/navigation'

FAULTY = """
class Faulty:
    def __init__(self, vehicle):
        pass

    def command(self, odometry, reference):
        if odometry.time_ns >= 500_000_000:
            return 1.0 / 0.0, 0.0
        return 1.0, 0.2


class Counting:
    def __init__(self, vehicle):
        self.count = 0

    def command(self, odometry, reference):
        self.count += 1
        return self.count, 0.0


class Seeing:
    answers = False

    def __init__(self, vehicle):
        self.seen = []

    def see(self, scan):
        self.seen.append(scan.ranges[0])
        return (4.0, 0.0) if self.answers else None

    def command(self, odometry, reference):
        return self.seen[-1] + 0.1 * len(self.seen), 0.0


class Answering(Seeing):
    answers = True
"""


@pytest.fixture
def faulty(tmp_path):
    path = tmp_path / 'mine.py'
    path.write_text(FAULTY)
    return f'{path}:Faulty'


@pytest.mark.parametrize(('stack', 'name'), [
    ('kinematic_ode', 'PurePursuit'), ('kinematic_ode', 'CompiledPurePursuit'),
    ('dynamic_ode', 'PurePursuit')])
def test_up_in_lockstep_gives_the_bytes_of_simulate(stack, name, tmp_path, capfd):
    texts = []
    for command in (('simulate', stack), ('up', stack, '--lockstep', '--real-time-factor', '0')):
        path = tmp_path / f'{command[0]}.csv'
        assert main([*command, '--controller', f'{EXAMPLE}:{name}', '--duration', '5', '--csv',
                     str(path), '--trajectory', 'circle', '--vehicle', 'f1tenth']) == 0
        texts.append(path.read_bytes())
    assert texts[0] == texts[1]
    assert texts[0].count(b'\n') == 502
    assert f'{EXAMPLE}:{name}: ' in capfd.readouterr().err


@pytest.mark.parametrize('name', ['lqr', 'map', 'mpcc'])
def test_a_controller_by_progress_has_the_bytes_of_simulate_in_lockstep(name, tmp_path):
    texts = []
    for command in (('simulate', 'kinematic_ode'),
                    ('up', 'kinematic_ode', '--lockstep', '--real-time-factor', '0')):
        path = tmp_path / f'{command[0]}.csv'
        assert main([
            *command, '--controller', name, '--trajectory', 'raceline', '--duration', '3',
            '--vehicle', 'f1tenth', '--set', 'controller.rate=50', '--csv', str(path)]) == 0
        texts.append(path.read_bytes())
    assert texts[0] == texts[1]
    assert texts[0].count(b'\n') == 302


def test_a_controller_of_scans_has_the_bytes_of_simulate_in_lockstep(tmp_path):
    texts = []
    for command in (('simulate', 'kinematic_ode'),
                    ('up', 'kinematic_ode', '--lockstep', '--real-time-factor', '0')):
        path = tmp_path / f'{command[0]}.csv'
        assert main([
            *command, '--controller', 'gap', '--world', 'racetrack', '--duration', '3',
            '--csv', str(path), '--set=single_track_simulator.sensors=[laser]',
            '--set=single_track_simulator.laser.rate=50',
            '--set=trajectory_tracker.reference_origin=map']) == 0
        texts.append(path.read_bytes())
    assert texts[0] == texts[1]
    assert texts[0].count(b'\n') == 302


def test_settings_reach_the_controller_with_up_too(tmp_path, capfd):
    tuned = EXAMPLE.with_name('tuned_pursuit.py')
    texts = []
    for number, (command, *settings) in enumerate((
            ('simulate', 'gain=3'), ('up --lockstep --real-time-factor 0', 'gain=3'),
            ('simulate',))):
        path = tmp_path / f'{number}.csv'
        name, *options = command.split()
        assert main([name, 'kinematic_ode', *options, '--controller', f'{tuned}:TunedPursuit',
                     '--duration', '2', '--csv', str(path),
                     *(f'--set=controller.{setting}' for setting in settings)]) == 0
        texts.append(path.read_bytes())
    assert texts[0] == texts[1] != texts[2]
    capfd.readouterr()
    assert main(['up', 'kinematic_ode', '--controller', f'{tuned}:TunedPursuit', '--duration', '2',
                 '--set', 'controller.gian=3']) == 1
    assert "has no setting 'gian': it takes preview, gain" in capfd.readouterr().err


def test_settings_that_are_no_mapping_start_no_node(bench):
    with pytest.raises(ConfigurationError, match="settings of the controller are 'gain'"):
        start(bench, f'{EXAMPLE}:PurePursuit', controller_settings='gain')


@pytest.mark.parametrize('options', [(), ('--lockstep', '--real-time-factor', '0')],
                         ids=['real time', 'lockstep'])
def test_a_controller_that_fails_ends_up_with_its_line(faulty, capfd, options):
    assert main(['up', 'kinematic_ode', '--controller', faulty, '--duration', '60', '--json',
                 *options]) == 1
    out, err = capfd.readouterr()
    assert out == ''
    line, = (line for line in err.splitlines() if 'error: ' in line)
    # A busy computer leaves out ticks of real time.
    assert re.match(
        r'racecar up: error: the controller fails at (0\.[5-9]\d*|[1-9]\S*) s: ZeroDivisionError:'
        r' (float )?division by zero \(.*mine\.py, line 8\);', line)


def start(bench, where, **more):
    commands = bench.listen(COMMAND, AckermannDriveStamped, qos.COMMAND)
    node = bench.start(TrajectoryTrackerNode, lockstep=True, active=True, controller=where,
                       **RACECAR, **more)
    return node, commands


def test_it_commands_in_the_place_of_velocities_and_gives_the_reference(bench, tmp_path):
    path = tmp_path / 'mine.py'
    path.write_text(FAULTY)
    references = bench.listen('/reference_trajectory', Odometry)
    node, commands = start(bench, f'{path}:Counting', trajectory='line', a_coeff=2.0, b_coeff=0.0)
    assert [name for name, _ in node.get_publisher_names_and_types_by_node(node.get_name(), '/')
            if 'velocities' in name] == []
    for tick in range(3):
        bench.send('/vesc/odom', odometry(0.01 * tick, x=5.0))
        sent = bench.count(commands, tick + 1)
        assert (sent.header.stamp.nanosec, sent.drive.speed) == (10_000_000 * tick, 1.0 + tick)
        reference = bench.count(references, tick + 1)
        assert reference.pose.pose.position.x == pytest.approx(5.0 + 0.02 * tick)


def test_an_activation_makes_it_anew_and_its_end_stops_the_car(bench, tmp_path):
    path = tmp_path / 'mine.py'
    path.write_text(FAULTY)
    node, commands = start(bench, f'{path}:Counting')
    for tick in range(2):
        bench.send('/vesc/odom', odometry(0.01 * tick))
        bench.count(commands, tick + 1)
    assert bench.set_parameter(node, 'active', False).successful
    assert bench.count(commands, 3).drive.speed == 0.0
    assert bench.set_parameter(node, 'active', True).successful
    bench.send('/vesc/odom', odometry(0.02))
    assert bench.count(commands, 4).drive.speed == 1.0
    bench.send('/vesc/odom', odometry(0.01))
    bench.logged('the time went back: the trajectory starts anew')
    assert bench.count(commands, 5).drive.speed == 1.0


def test_a_failure_stops_the_car_and_ends_the_node(bench, faulty):
    node, commands = start(bench, faulty)
    bench.send('/vesc/odom', odometry(0.49))
    assert bench.count(commands, 1).drive.speed == 1.0
    for tick in (50, 51):
        bench.send('/vesc/odom', odometry(0.01 * tick))
        stop = bench.count(commands, tick - 48)
        assert stop.drive.speed == 0.0
        assert stop.drive.steering_angle == pytest.approx(0.2)
    with pytest.raises(RunError, match=r'at 0\.5 s: ZeroDivisionError: .*mine\.py, line 8\)'):
        node.done.result()


def test_a_process_ends_with_the_error_of_its_controller(bench, faulty):
    with NodeProcess('trajectory_tracker', *VEHICLE, '-p', 'lockstep:=true', '-p', 'active:=true',
                     '-p', f'controller:={faulty}') as process:
        bench.listen(COMMAND, AckermannDriveStamped, qos.COMMAND)
        bench.send('/vesc/odom', odometry(0.6))
        assert process.wait() == 1
        line, = (line for line in process.stderr.splitlines() if 'error: ' in line)
    assert line.startswith('[/trajectory_tracker] error: the controller fails at 0.6 s')


def test_a_controller_that_is_not_there_starts_no_node(bench):
    with pytest.raises(ConfigurationError, match="controller file '/no/file.py' does not exist"):
        start(bench, '/no/file.py:A')


def scan(at, distance, period=0.05):
    message = LaserScan(angle_min=-1.0, angle_max=1.0, angle_increment=0.5, scan_time=period,
                        range_max=10.0, ranges=[distance] * 5)
    message.header.stamp = stamp(at)
    return message


def test_in_lockstep_each_odometry_is_answered_with_the_scans_up_to_its_time(bench, faulty):
    node, commands = start(bench, faulty.replace('Faulty', 'Seeing'))
    bench.deliver(node, '/vesc/odom', odometry(0.0))
    assert commands == []
    assert node.waits_for().startswith('waiting for scans on /scan')
    bench.send('/scan', scan(0.0, 1.0))
    assert bench.count(commands, 1).drive.speed == pytest.approx(1.1)
    assert node.waits_for() == ''
    # No other is due; the next comes before its odometry, the one after that behind it.
    bench.send('/vesc/odom', odometry(0.04))
    assert bench.count(commands, 2).drive.speed == pytest.approx(1.1)
    bench.deliver(node, '/scan', scan(0.05, 2.0))
    assert len(commands) == 2
    bench.send('/vesc/odom', odometry(0.05))
    assert bench.count(commands, 3).drive.speed == pytest.approx(2.2)
    bench.deliver(node, '/vesc/odom', odometry(0.10))
    assert len(commands) == 3
    bench.send('/scan', scan(0.10, 3.0))
    assert bench.count(commands, 4).drive.speed == pytest.approx(3.3)
    # Shown once more at the same time, as after a reset.
    bench.deliver(node, '/scan', scan(0.10, 4.0))
    bench.send('/vesc/odom', odometry(0.10))
    assert bench.count(commands, 5).drive.speed == pytest.approx(4.4)
    # Who drives does not look, and gets the newest scan at the start.
    assert bench.set_parameter(node, 'active', False).successful
    bench.count(commands, 6)
    bench.send('/vesc/odom', odometry(0.15))
    assert bench.count(commands, 7).drive.speed == 0.0
    bench.deliver(node, '/scan', scan(0.15, 5.0))
    assert bench.set_parameter(node, 'active', True).successful
    bench.send('/vesc/odom', odometry(0.16))
    assert bench.count(commands, 8).drive.speed == pytest.approx(5.1)
    # The time goes back: the scan of before is not of now.
    bench.deliver(node, '/vesc/odom', odometry(0.0))
    assert len(commands) == 8
    bench.send('/scan', scan(0.0, 6.0))
    assert bench.count(commands, 9).drive.speed == pytest.approx(6.1)


def test_in_lockstep_no_command_of_a_scan_comes_too_late(bench, faulty):
    node, commands = start(bench, faulty.replace('Faulty', 'Answering'))
    bench.send('/vesc/odom', odometry(0.0))
    bench.send('/scan', scan(0.0, 1.0, 0.025))
    bench.count(commands, 1)
    bench.deliver(node, '/scan', scan(0.025, 1.0, 0.025))
    bench.send('/vesc/odom', odometry(0.03))
    assert bench.count(commands, 2).drive.speed == 0.0
    with pytest.raises(RunError, match=r'returns a command at 0\.025 s, between two odometries'):
        node.done.result()


def test_in_real_time_old_scans_stop_the_car(bench, faulty):
    commands = bench.listen(COMMAND, AckermannDriveStamped, qos.COMMAND)
    node = bench.start(
        TrajectoryTrackerNode, active=True, controller=faulty.replace('Faulty', 'Seeing'),
        scan_timeout=0.2, odometry_timeout=60.0, **RACECAR)
    bench.set_clock(1.0)
    bench.deliver(node, '/vesc/odom', odometry(1.0))
    bench.until(lambda: commands, 'a command')
    assert {message.drive.speed for message in commands} == {0.0}
    bench.deliver(node, '/scan', scan(1.0, 2.0))
    bench.set_clock(1.1)
    bench.until(lambda: commands[-1].drive.speed == pytest.approx(2.1), 'an answer to the scan')
    bench.set_clock(1.5)
    bench.until(lambda: commands[-1].drive.speed == 0.0, 'a stop')
    assert 'scan not used: its stamp is 0.500 s old' in bench.logged('scan not used')


def test_scans_that_lockstep_would_wait_for_in_vain_are_refused():
    def described(*sensors, **simulator):
        return describe_stack('kinematic_ode', StackOptions(
            controller='gap', lockstep=True, world='racetrack', sensors=sensors,
            overrides={'single_track_simulator': simulator}))

    assert described('laser')
    with pytest.raises(ConfigurationError, match="controller 'gap' reads scans, but the car has"):
        described()
    with pytest.raises(ConfigurationError, match=r'laser\.delay of .* is 0\.1 s, but in lockstep'):
        described('laser', **{'laser.delay': 0.1})
    with pytest.raises(ConfigurationError, match='fault drop .* scan, of which the controller'):
        described('laser', faults=['kind: drop, target: scan, size: 0.1'])
