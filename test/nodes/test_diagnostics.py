# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What nodes tell of themselves on /diagnostics."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from node_bench import command, kinematic_linearizer, odometry, RACECAR, velocity
import numpy as np
import pytest

from racecar.catalogue import TABLES
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.emergency_brake import EmergencyBrakeNode
from racecar.nodes.servo_commands import ServoCommandsNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros import qos
from racecar.ros.diagnostics import Report, Share, Spread
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import make_node

pytestmark = pytest.mark.ros

FAST = {'diagnostics_rate': 2.0}
COMMAND = '/vesc/low_level/ackermann_cmd_mux/output'


class Listener:
    """What comes on /diagnostics, as values by name of each report of a node."""

    def __init__(self, bench):
        self.bench = bench
        self.arrays: list[DiagnosticArray] = bench.listen(
            '/diagnostics', DiagnosticArray, qos.DIAGNOSTICS)

    def until(self, name, condition):
        """Wait for a report of a node of which a condition on its status and values holds."""
        def look():
            for array in self.arrays:
                for status in array.status:
                    if status.name == name and condition(
                            status, {row.key: row.value for row in status.values}):
                        return status, {row.key: row.value for row in status.values}
            return None

        return self.bench.until(look, f'a report of {name}')


def test_every_node_has_the_rate_among_its_parameters():
    assert all('diagnostics_rate' in table for table in TABLES.values())


def test_a_mux_tells_rates_latency_who_holds_it_and_what_it_dropped(bench):
    listener = Listener(bench)
    mux = bench.start(AckermannMuxNode, config_file='mux/low_level', **FAST)
    status, _ = listener.until('ackermann_cmd_mux', lambda status, _: True)
    assert status.level == DiagnosticStatus.STALE
    assert status.message.startswith('nobody in control')
    bench.set_clock(10.0)
    for _ in range(3):
        bench.deliver(mux, '/ackermann_cmd_mux/input/navigation', command(9.9, 1.0))
    status, values = listener.until(
        'ackermann_cmd_mux', lambda _, values: values['holder'] == 'Navigation')
    assert status.level == DiagnosticStatus.OK
    assert status.message == 'at work'
    assert float(values['in /ackermann_cmd_mux/input/navigation [Hz]']) > 0.0
    assert float(values['out /ackermann_cmd_mux/output [Hz]']) > 0.0
    assert float(values['latency /ackermann_cmd_mux/input/navigation, largest [s]']) \
        == pytest.approx(0.1)
    bench.deliver(mux, '/ackermann_cmd_mux/input/navigation', command(5.0, 1.0))
    bench.deliver(mux, '/ackermann_cmd_mux/input/navigation', command(10.0, float('nan')))
    status, values = listener.until('ackermann_cmd_mux', lambda _, values: (
        'commands of Navigation dropped' in values))
    assert status.level == DiagnosticStatus.WARN
    assert values['commands of Navigation dropped'] == '1'
    assert values['commands of Navigation that were too old'] == '1'
    bench.set_clock(11.0)
    status, _ = listener.until(
        'ackermann_cmd_mux', lambda _, values: 'timeouts of Navigation' in values)
    assert 'timeouts of Navigation: 1 in the last' in status.message


def test_a_simulator_tells_how_fast_the_time_goes_and_what_its_limits_cut(bench):
    listener = Listener(bench)
    simulator = bench.start(SingleTrackSimulatorNode, use_sim_time=False, lockstep=True,
                            real_time_factor=0.0, lockstep_deadline=1.0, **RACECAR, **FAST)
    ticks = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
    bench.until(lambda: ticks)
    for _ in range(5):
        bench.answer(ticks, COMMAND, command(0.0, 99.0))
    status, values = listener.until(
        'single_track_simulator', lambda _, values: values['command cut by limits'] == 'yes')
    assert status.hardware_id == 'racecar'
    assert 'the limits of the vehicle cut the command' in status.message
    assert float(values['simulated time [s]']) == simulator.plant.time_ns / 1e9
    _, values = listener.until(
        'single_track_simulator', lambda _, values: float(values['real-time factor']) > 0.0)
    assert 0.0 <= float(values['wait in lockstep, mean [s]']) <= float(
        values['wait in lockstep, largest [s]'])
    listener.until('single_track_simulator', lambda _, values: (
        int(values.get('deadlines of lockstep missed', 0)) > 0))


def test_a_simulator_tells_by_the_time_that_it_makes(bench):
    listener = Listener(bench)
    simulator = bench.start(SingleTrackSimulatorNode, use_sim_time=False, **RACECAR, **FAST)
    bench.until(lambda: simulator.plant.time_ns > 0)
    bench.deliver(simulator, COMMAND, command(simulator.plant.time_ns / 1e9, 1.0))
    latency = f'latency {COMMAND}, largest [s]'
    _, values = listener.until('single_track_simulator', lambda _, values: latency in values)
    assert float(values[latency]) < 60.0
    assert all(array.header.stamp.sec < 60 for array in listener.arrays)


def test_servo_commands_and_tracker_tell_how_much_their_limits_cut(bench):
    listener = Listener(bench)
    servo = bench.start(ServoCommandsNode, **RACECAR, **FAST)
    bench.set_clock(1.0)
    tracker = bench.start(
        TrajectoryTrackerNode, active=True, lockstep=True, trajectory='circle',
        velocity_limit=1.0, Kp=50.0, **RACECAR, **FAST)
    # The largest speed as single precision has it is no cut.
    largest = float(np.float32(VehicleParameters.from_values(servo.values).speed_max))
    for speed, angle in ((largest, 0.0), (1.0, 0.0), (99.0, 0.0), (1.0, -2.0)):
        bench.deliver(servo, COMMAND, command(1.0, speed, angle))
    _, values = listener.until('servo_commands', lambda _, values: (
        float(values.get('commands cut by limits [%]', 0.0)) > 0.0))
    assert float(values['commands cut by limits [%]']) <= 100.0
    for tick in range(4):
        bench.deliver(tracker, '/vesc/odom', odometry(1.0 + 0.01 * tick, x=-3.0 * (tick > 0)))
    listener.until('trajectory_tracker', lambda _, values: (
        float(values.get('answers cut by limits [%]', 0.0)) > 0.0))


def test_a_share_is_of_what_was_noted_since():
    share, report = Share(), Report()
    report.add_share('none', share)
    for is_one in (True, False, False, True, False):
        share.note(is_one)
    report.add_share('some', share)
    report.add_share('again', share)
    assert [(row.key, row.value) for row in report.values] == [('some [%]', '40')]


def test_a_law_tells_of_commands_at_their_limits(bench):
    listener = Listener(bench)
    law = bench.start(kinematic_linearizer, **RACECAR, **FAST)
    bench.set_clock(1.0)
    bench.deliver(law, '/vesc/odom', odometry(1.0))
    bench.deliver(law, '/virtual_velocities', velocity(1.0, 50.0))
    status, _ = listener.until('kinematic_linearizer', lambda _, values: (
        values.get('speed at its limit') == 'yes'))
    assert status.level == DiagnosticStatus.WARN
    assert status.message.startswith('speed is at its limit')


def test_a_rate_of_0_has_no_publisher(bench):
    node = bench.start(EmergencyBrakeNode, diagnostics_rate=0.0, **RACECAR)
    assert '/diagnostics' not in [row.topic_name for row in node.publishers]
    assert '/diagnostics' in [row.topic_name for row in bench.start(
        EmergencyBrakeNode, name='other', **RACECAR).publishers]


def test_all_nodes_of_a_drive_report(bench):
    listener = Listener(bench)
    descriptions = describe_stack('kinematic_ode', StackOptions(real_time_factor=0.5))
    for description in descriptions:
        bench.add(make_node(description))
    for description in descriptions:
        status, values = listener.until(
            description.full_name, lambda status, _: status.level == DiagnosticStatus.OK)
        assert any(name.startswith('out /') and float(value) > 0.0
                   for name, value in values.items())


def test_the_worst_that_was_said_stands():
    report = Report()
    assert (report.level, report.message) == (DiagnosticStatus.OK, 'at work')
    report.stale('waits')
    assert (report.level, report.message) == (DiagnosticStatus.STALE, 'waits')
    report.warn('late')
    report.warn('and too much')
    assert (report.level, report.message) == (DiagnosticStatus.WARN, 'late; and too much')
    report.error('broken')
    report.warn('late again')
    assert (report.level, report.message) == (DiagnosticStatus.ERROR, 'broken')
    spread = Spread()
    report.add_spread('nothing', spread)
    assert report.values == []
    for value in (0.1, 0.3):
        spread.note(value)
    report.add_spread('wait', spread)
    assert [(row.key, row.value) for row in report.values] == [
        ('wait, mean [s]', '0.2'), ('wait, largest [s]', '0.3')]
    assert spread.take() is None
