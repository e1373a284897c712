# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults in nodes: the bits of the compiled loop, faults of sensors, jumps of the clock, ends."""

from contextlib import redirect_stdout
import io
import math

from nav_msgs.msg import Odometry as OdometryMessage
from node_bench import command, RACECAR
import numpy as np
import pytest

import racecar
from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS, Odometry
from racecar.cli.main import main
from racecar.facade.simulation import Simulation
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.ros.codecs.clock import read_clock
from racecar.simulation.ports import GROUND_TRUTH, ODOMETRY
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import ComposedStack

pytestmark = pytest.mark.ros

SIMULATOR = 'single_track_simulator'
DURATION = 3.0
# Who waits for an answer to what was lost waits for ever.
NO_WAIT = {SIMULATOR: {'lockstep_deadline': 3600.0}}


def stamp_of(message):
    return message.header.stamp.sec * NANOSECONDS + message.header.stamp.nanosec


def heading_of(message):
    turn = message.pose.pose.orientation
    return 2.0 * math.atan2(turn.z, turn.w)


def truth_of(plant):
    entity = plant.entities[0]
    shown = [output.name for output in entity.outputs]
    return entity.output(GROUND_TRUTH if GROUND_TRUTH in shown else ODOMETRY).read()


def row_of(plant):
    o = Odometry.of_body(plant.time_ns, truth_of(plant))
    return o.time_ns / NANOSECONDS, o.x, o.y, o.yaw, o.vx, o.vy, o.yaw_rate


def driven(faults, configuration='kinematic_ode', **options):
    """Rows of the true motion of a car that nodes drive in lockstep."""
    descriptions = describe_stack(configuration, StackOptions(
        **{'faults': faults, 'lockstep': True, 'real_time_factor': 0.0, 'end_time': DURATION,
           **options}))
    with ComposedStack(descriptions) as composed:
        plant, rows = composed.simulator.plant, []
        rows.append(row_of(plant))
        composed.simulator.on_advanced = lambda _: rows.append(row_of(plant))
        composed.spin()
    return np.array(rows)


def simulated(faults, configuration='kinematic_ode', **options):
    found = Simulation(configuration, StackOptions(faults=faults, **options)).run(DURATION)
    return found.table.rows[:, :7]


@pytest.mark.parametrize('faults', [
    ('kind: bias, target: odometry.yaw, onset: 0.5, size: 0.2',
     'kind: noise, target: odometry.x, onset: 1.0, size: 0.05, seed: 3',
     'kind: drop, target: command, onset: 1.5, size: 0.4, seed: 5', 'kind: play, size: 0.1'),
    ('kind: delay, target: odometry, onset: 0.5, size: 0.05',
     'kind: freeze, target: command.steering_angle, onset: 1.0, duration: 0.5',
     'kind: friction, onset: 1.5, size: 0.1'),
    ('kind: dead, target: odometry, onset: 0.5, duration: 0.8',
     'kind: blow_out, target: rear, onset: 1.0, size: 0.2',
     'kind: battery, onset: 1.7, size: 0.05'),
    ('kind: delay, target: command, onset: 0.5, size: 0.08',
     'kind: noise, target: command.speed, onset: 1.0, size: 0.1, seed: 2',
     'kind: bias, target: command.steering_angle, onset: 1.0, size: 0.05',
     'kind: stuck, target: steering, onset: 2.0, duration: 0.3'),
    ('kind: drop, target: odometry, onset: 0.3, size: 0.7, seed: 7',
     'kind: freeze, target: odometry.yaw, onset: 1.5, duration: 0.2',
     # As many signals as in the first row: these two share their machine code.
     'kind: noise, target: odometry.vx, onset: 0.5, size: 0.02, seed: 4',
     'kind: parameter, target: vehicle.mass, onset: 1.0, size: 9.0; kind: dead, target: command,'
     ' onset: 2.3')])
def test_nodes_in_lockstep_give_the_path_of_simulate_to_the_bit(faults):
    options = {'tyre_model': 'fiala', 'overrides': NO_WAIT}
    np.testing.assert_array_equal(driven(faults, **options), simulated(faults, **options))


def test_up_tells_the_errors_of_simulate_also_where_no_odometry_arrives(tmp_path):
    faults = ('--fault', 'kind: dead, target: odometry, onset: 1.0',
              '--fault', 'kind: friction, onset: 0.5, size: 0.1')
    more = ('kinematic_ode', '--duration', '2', '--tyre-model', 'fiala', *faults)
    with redirect_stdout(io.StringIO()):
        for name, words in (('up', ('--lockstep', '--real-time-factor', '0')), ('simulate', ())):
            assert main([name, *more, *words, '--csv', str(tmp_path / f'{name}.csv')]) == 0
    up, simulate = (racecar.load(tmp_path / f'{name}.csv') for name in ('up', 'simulate'))
    # The last columns are commands of the law in the one, and what reaches the car in the other.
    assert up.table.rows[:, :-2].tobytes() == simulate.table.rows[:, :-2].tobytes()
    assert up.metrics() == simulate.metrics()


def test_a_reckoned_car_with_actuators_and_another_law_has_these_bits_too():
    faults = (
        'kind: stuck, target: steering, onset: 1.0, duration: 0.5',
        'kind: drop, target: odometry, onset: 0.5, size: 0.5',
        'kind: bias, target: odometry.y, onset: 1.0, size: 0.1',
        'kind: noise, target: command.steering_angle, onset: 1.5, size: 0.05')
    options = {'tyre_model': 'fiala', 'overrides': {SIMULATOR: {
        **NO_WAIT[SIMULATOR], 'vehicle_model': 'double_track', 'actuators.steering_lag': 0.05,
        'odometry.source': 'gyro', 'odometry.speed_scale': 1.1}}}
    np.testing.assert_array_equal(
        driven(faults, 'dynamic_ode', **options), simulated(faults, 'dynamic_ode', **options))


def test_messages_show_the_fault_and_the_truth_beside_it(bench):
    shown = bench.listen('/vesc/odom', OdometryMessage)
    true = bench.listen('/ground_truth/odom', OdometryMessage, qos.ODOMETRY)
    bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, **RACECAR, lockstep=True,
        real_time_factor=0.0, faults=['kind: bias, target: odometry.yaw, onset: 0.03, size: 3.5',
                                      'kind: dead, target: odometry, onset: 0.07, duration: 0.04'])
    bench.until(lambda: shown, 'the first odometry')
    for _ in range(12):
        bench.answer(shown, '/vesc/low_level/ackermann_cmd_mux/output', command(0.0, 1.0, 0.02))
    bench.until(lambda: len(true) >= 16, 'the truth of lost odometry, too')
    headings = {stamp_of(m): heading_of(m) for m in true}
    assert [stamp_of(m) for m in shown[:12]] == [
        tick * 10_000_000 for tick in (0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15)]
    for message in shown[:12]:
        added = 3.5 if stamp_of(message) >= 30_000_000 else 0.0
        error = heading_of(message) - headings[stamp_of(message)] - added
        assert math.remainder(error, math.tau) == pytest.approx(0.0, abs=1e-15 if added else 0.0)


def test_a_laser_that_is_dead_for_a_while_stops_the_car_of_a_gap_follower_and_nobody_waits():
    def speeds(*faults):
        rows = driven(faults, 'gap_ode', overrides=NO_WAIT)
        return {round(float(row[0]), 3): row[4] for row in rows}

    faulty, healthy = speeds('kind: dead, target: scan, onset: 1.0, duration: 1.0'), speeds()
    assert all(faulty[time] == healthy[time] for time in faulty if time <= 1.0)
    last = 0.975  # s, the scan before the onset, at 40 Hz
    assert [time for time, speed in faulty.items() if speed == 0.0 and time > 0.5][0] \
        == pytest.approx(last + 0.5 + 0.025, abs=0.011)
    assert faulty[2.0] == 0.0 < faulty[2.5]


@pytest.mark.parametrize('lockstep', [False, True])
@pytest.mark.parametrize('size', [-1.5, 20.0])
def test_nodes_go_on_after_a_jump_of_the_clock(lockstep, size):
    descriptions = describe_stack('kinematic_ode', StackOptions(
        lockstep=lockstep, real_time_factor=0.0 if lockstep else 2.0, end_time=6.0,
        trajectory='circle',
        faults=(f'kind: clock_jump, onset: 2.0, size: {size}, duration: 1.0',)))
    with ComposedStack(descriptions) as composed:
        plant, rows, stamps = composed.simulator.plant, [], []
        composed.observe('/clock', lambda data: stamps.append(read_clock(data)))
        composed.simulator.on_advanced = lambda _: rows.append(row_of(plant))
        composed.spin()
    jumps = np.diff(stamps) / NANOSECONDS
    assert jumps[np.abs(jumps) > 0.5] == pytest.approx([size, -size], abs=0.02)
    times, speeds = np.array(rows)[:, [0, 4]].T
    assert times[-1] == 6.0
    # It drives before, and again after a while.
    assert speeds[(times > 1.5) & (times < 2.0)].max() > 0.1
    assert speeds[times > 5.0].max() > 0.1


@pytest.mark.parametrize('name', ['trajectory_tracker', 'vesc/low_level/ackermann_cmd_mux'])
def test_a_node_that_ends_stops_the_car_and_another_one_drives_it_again(name):
    descriptions = describe_stack('kinematic_ode', StackOptions(
        real_time_factor=2.0, end_time=9.0, faults=(
            f'kind: node_kill, target: {name}, onset: 2.0, duration: 1.5',)))
    with ComposedStack(descriptions) as composed:
        plant, rows, names = composed.simulator.plant, [], []

        watch = composed.simulator.on_advanced

        def on_advanced(time_ns):
            watch(time_ns)
            rows.append(row_of(plant))
            names.append(name in [node.get_fully_qualified_name().lstrip('/')
                                  for node in composed.nodes])

        composed.simulator.on_advanced = on_advanced
        composed.spin()
    times, speeds = np.array(rows)[:, [0, 4]].T
    assert speeds[(times > 1.5) & (times < 2.0)].max() > 0.1
    # Within the timeout of who comes next.
    assert speeds[(times > 2.9) & (times < 3.5)].max() == 0.0
    assert speeds[times > 3.5].max() > 0.1
    is_there = dict(zip(times.round(3), names, strict=True))
    assert (is_there[1.9], is_there[2.5], is_there[9.0]) == (True, False, True)


@pytest.mark.parametrize(('faults', 'options', 'wanted'), [
    ('kind: node_kill, target: pilot', {}, 'one of trajectory_tracker'),
    ('kind: node_kill, target: ackermann_cmd_mux', {}, 'expected one of'),
    ('kind: node_kill, target: single_track_simulator', {}, 'expected a node'),
    ('kind: node_kill, target: trajectory_tracker', {'lockstep': True}, 'do without lockstep'),
    ('kind: dead, target: scan', {'lockstep': True, 'safety': True, 'sensors': ('laser',)},
     'of which the emergency brake'),
    ('kind: gremlin', {}, 'expected one of delay'),
    ('kind: dead, target: odometry', {'topic_names': 'f1tenth_pf'}, 'odometry_frame')])
def test_faults_that_nodes_cannot_have_are_refused(faults, options, wanted):
    with pytest.raises(ConfigurationError, match=wanted), ComposedStack(describe_stack(
            'kinematic_ode', StackOptions(faults=(faults,), **options))):
        pass
