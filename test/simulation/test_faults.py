# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults in the closed loop without ROS, against loops written out and against formulas."""

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, ParameterError, RacecarError
from racecar.base.random_numbers import four_normals, philox
from racecar.base.types import AckermannCommand, yaw_to_quaternion
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.facade.simulation import Simulation
from racecar.metrics.run_table import COLUMNS
from racecar.simulation.closed_loop import row_of
from racecar.simulation.faults import Fault, faults_of, KINDS, NO_END, OF_NODES, text_of_faults
from racecar.simulation.faulty_lanes import FaultyControl
from racecar.stacks import describe_stack, find_tracking_stack, StackOptions
from racecar.stacks.loops import make_loop

SIMULATOR = 'single_track_simulator'
T, X, Y, YAW, VX, VY, RATE, REF_X, REF_Y, SPEED, ANGLE = range(len(COLUMNS))
ONSET, PERIOD = 1.0, 0.01
# Numbers of targets, of which random numbers are made: fields of the odometry, then of the
# command, then all of either.
ODOMETRY, COMMAND = 8, 9
FIRST = 100
# That of exact feed-forward reckons with steps of one period, and so do nodes that miss none.
PLAIN = {'trajectory_tracker': {'exact_feed_forward': False}}
EACH = {
    'delay': 'target: odometry, size: 0.05', 'drop': 'target: odometry, size: 0.5, seed: 3',
    'dead': 'target: odometry', 'freeze': 'target: command.steering_angle',
    'bias': 'target: odometry.x, size: 0.3', 'noise': 'target: odometry.x, size: 0.1',
    'stuck': 'target: steering', 'play': 'size: 0.2', 'friction': 'size: 0.02',
    'blow_out': 'target: rear, size: 0.2', 'battery': 'size: 0.05',
    'parameter': 'target: vehicle.mass, size: 12.0'}


def rows_of(faults=None, duration=3.0, configuration='kinematic_ode', overrides=None, **options):
    simulation = Simulation(configuration, StackOptions(
        **{'faults': () if faults is None else (faults,), 'overrides': overrides or {},
           'tyre_model': 'fiala', **options}))
    return simulation.run(duration).table.rows


def values_of(**options):
    return {d.executable: d.resolve() for d in describe_stack(
        'kinematic_ode', StackOptions(**options))}


def loop_of(**options):
    return make_loop(
        find_tracking_stack('kinematic_ode'), values_of(tyre_model='fiala', **options))


def vehicle_of(**options):
    return VehicleParameters.from_values(values_of(**options)[SIMULATOR])


@pytest.fixture(scope='module')
def healthy():
    return rows_of()


def test_each_kind_leaves_the_bits_before_its_onset_and_changes_those_after_it(healthy):
    assert EACH.keys() == KINDS.keys()
    for kind, rest in EACH.items():
        rows = rows_of(f'kind: {kind}, onset: {ONSET}, {rest}')
        assert (rows[:FIRST, :SPEED] == healthy[:FIRST, :SPEED]).all(), kind
        assert (rows[FIRST:] != healthy[FIRST:]).any(), kind
        # Once it has ended the car is as healthy as ever, and finds back.
        over = rows_of(f'kind: {kind}, onset: {ONSET}, duration: 0.2, {rest}', 8.0)
        error = np.hypot(over[-1, X] - over[-1, REF_X], over[-1, Y] - over[-1, REF_Y])
        assert error < 0.05, kind


def test_a_loop_without_faults_is_what_it_was():
    loop = loop_of()
    assert not loop.faults
    assert not isinstance(loop.lane.control, FaultyControl)
    assert loop.lane.changes == ()


def written_out(see, pass_on, duration=3.0, timeout=0.5):
    """Rows of a loop whose signals are those of functions of the tick and of all before.

    see: (tick, odometries) gives what arrives, or None; pass_on: (tick, commands) the same.
    """
    loop, rows = loop_of(overrides=PLAIN), []
    odometries, commands = [], []
    received, silent = AckermannCommand(0.0, 0.0), 0
    command = AckermannCommand(0.0, 0.0)
    ticks = round(duration / PERIOD)
    reference = rows_of(duration=duration)[:, [REF_X, REF_Y]]
    loop.tracker.start(loop.simulator.odometry(), 0)
    for tick in range(ticks + 1):
        odometry = loop.simulator.odometry()
        odometries.append(odometry)
        x, y = reference[tick]
        seen = see(tick, odometries)
        if seen is not None:
            seen = seen._replace(time_ns=odometry.time_ns)
            output = loop.tracker.update(seen)
            command = loop.linearizer.command(seen, output.velocity)
        commands.append((command, seen is not None))
        delivered = pass_on(tick, commands)
        silent += 1
        if delivered is not None:
            received, silent = delivered, 0
        wanted = received
        if silent * PERIOD > timeout + 1e-9:
            wanted = AckermannCommand(0.0, received.steering_angle)
        rows.append(row_of(odometry, float(x), float(y), wanted))
        loop.simulator.set_command(wanted)
        loop.simulator.tick()
    return np.array(rows)


def newest(tick, values):
    return values[-1]


def sent(tick, commands):
    command, is_new = commands[-1]
    return command if is_new else None


def word(tick, seed, target):
    return philox((tick, 0, 0, 2), (seed, target))[0] / 2**32


def late(ticks):
    def see(tick, odometries):
        if tick < FIRST:
            return odometries[-1]
        return None if tick < FIRST + ticks else odometries[-1 - ticks]
    return see


def late_command(ticks):
    def pass_on(tick, commands):
        if tick < FIRST:
            return commands[-1][0]
        return None if tick < FIRST + ticks else commands[-1 - ticks][0]
    return pass_on


def frozen(tick, odometries):
    return odometries[-1] if tick < FIRST else odometries[FIRST - 1]


def lossy(tick, odometries):
    return None if tick >= FIRST and word(tick, 7, ODOMETRY) < 0.6 else odometries[-1]


def lossy_command(tick, commands):
    return None if tick >= FIRST and word(tick, 7, COMMAND) < 0.6 else commands[-1][0]


def biased(tick, odometries):
    return odometries[-1]._replace(y=odometries[-1].y + (0.2 if tick >= FIRST else 0.0))


def noisy(tick, odometries):
    if tick < FIRST:
        return odometries[-1]
    normal = four_normals(philox((tick, 0, 0, 2), (9, 0)))[0]
    return odometries[-1]._replace(x=odometries[-1].x + 0.1 * normal)


def dead(tick, odometries):
    return None if tick >= FIRST else odometries[-1]


def with_play(width):
    held = [0.0]

    def pass_on(tick, commands):
        command = commands[-1][0]
        angle = command.steering_angle
        if tick >= FIRST:
            angle = min(max(held[0], angle - width / 2), angle + width / 2)
        held[0] = angle
        return command._replace(steering_angle=angle)
    return pass_on


@pytest.mark.parametrize(('faults', 'see', 'pass_on'), [
    ('kind: delay, target: odometry, size: 0.05', late(5), sent),
    ('kind: delay, target: command, size: 0.08', newest, late_command(8)),
    ('kind: drop, target: odometry, size: 0.6, seed: 7', lossy, sent),
    ('kind: drop, target: command, size: 0.6, seed: 7', newest, lossy_command),
    ('kind: dead, target: odometry', dead, sent),
    ('kind: freeze, target: odometry', frozen, sent),
    ('kind: bias, target: odometry.y, size: 0.2', biased, sent),
    ('kind: noise, target: odometry.x, size: 0.1, seed: 9', noisy, sent),
    ('kind: play, size: 0.2', newest, with_play(0.2)),
    ('kind: drop, size: 0.6, seed: 7, onset: 1.0; kind: bias, target: odometry.y, size: 0.2',
     lambda tick, all_: lossy(tick, all_) and biased(tick, all_), sent)])
def test_a_signal_fault_equals_the_loop_written_out_to_the_bit(faults, see, pass_on):
    np.testing.assert_array_equal(
        rows_of(f'{faults}, onset: {ONSET}', overrides=PLAIN), written_out(see, pass_on))


def test_a_biased_heading_is_seen_by_the_control():
    def see(tick, odometries):
        qz, qw = yaw_to_quaternion(odometries[-1].yaw + (0.1 if tick >= FIRST else 0.0))
        return odometries[-1]._replace(qz=qz, qw=qw)
    np.testing.assert_allclose(
        rows_of(f'kind: bias, target: odometry.yaw, onset: {ONSET}, size: 0.1', overrides=PLAIN),
        written_out(see, sent), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(('fault', 'changed'), [
    ('kind: friction, size: 0.3', lambda car: {
        'vehicle.friction_coefficient': 0.3 * car.friction_coefficient}),
    ('kind: blow_out, target: front, size: 0.4', lambda car: {
        'vehicle.front.cornering_stiffness': 0.4 * car.front_cornering_stiffness,
        'vehicle.front.slip_stiffness': 0.4 * car.front_slip_stiffness}),
    ('kind: battery, size: 0.2', lambda car: {
        'vehicle.speed_max': 0.2 * car.speed_max, 'vehicle.speed_min': 0.2 * car.speed_min,
        'vehicle.drive_force_limit': 0.2 * car.drive_force_limit}),
    ('kind: parameter, target: vehicle.yaw_inertia, size: 0.5', lambda car: {
        'vehicle.yaw_inertia': 0.5})])
@pytest.mark.parametrize('model', ['single_track', 'double_track'])
def test_a_fault_of_the_vehicle_from_the_start_equals_another_vehicle(fault, changed, model):
    chosen = {SIMULATOR: {'vehicle_model': model}}
    other = {SIMULATOR: {**chosen[SIMULATOR], **changed(vehicle_of())}}
    np.testing.assert_array_equal(
        rows_of(f'{fault}, onset: 0', overrides=chosen), rows_of(overrides=other))


@pytest.mark.parametrize('actuators', [{}, {
    'actuators.steering_lag': 0.05, 'actuators.steering_rate': 5.0}])
def test_a_car_with_stuck_steering_drives_a_circle(actuators):
    rows = rows_of('kind: stuck, target: steering, onset: 1.5', overrides={
        SIMULATOR: {**actuators, 'vehicle_model': 'kinematic_bicycle'}})
    angle = rows[149, ANGLE]
    if actuators:
        # Lag and rate limit in steps of a millisecond, up to the onset.
        angle, share = 0.0, 1.0 - math.exp(-0.001 / 0.05)
        for command in np.repeat(np.clip(rows[:150, ANGLE], *vehicle_of().steering_range), 10):
            angle += min(max((command - angle) * share, -0.005), 0.005)
    assert abs(angle) > 0.01
    # The radius of a bicycle is L / tan(delta).
    np.testing.assert_allclose(
        rows[150:, VX] / rows[150:, RATE], vehicle_of().wheelbase / math.tan(angle), rtol=1e-9)


def test_friction_bounds_the_lateral_acceleration():
    driven = {'trajectory_tracker': {'R': 2.0, 'W': 1.5}}
    rows = rows_of(
        'kind: freeze, target: command, onset: 4; kind: friction, onset: 4, size: 0.3', 12.0,
        trajectory='circle', overrides=driven)
    most = 0.3 * vehicle_of().friction_coefficient * 9.81
    lateral = rows[:, VX] * rows[:, RATE]
    assert lateral[350:400].min() > 1.5 * most
    # A car that is steered and driven on slides outwards: both axles give mu m g, but for the
    # steering angle and the one that is not quite at its limit.
    assert 0.95 * most < lateral[-100:].mean() < most


def test_blown_out_tyres_change_the_understeer_gradient():
    rows = rows_of(
        'kind: freeze, target: command, onset: 4; kind: blow_out, target: front, onset: 4,'
        ' size: 0.5', 12.0, tyre_model='linear', trajectory='circle',
        overrides={'trajectory_tracker': {'R': 2.0, 'W': 0.5}})
    car = vehicle_of()
    front = 0.5 * car.front_cornering_stiffness
    rear, length = car.rear_cornering_stiffness, car.wheelbase
    gradient = car.mass * (car.cog_to_rear_axle * rear - car.cog_to_front_axle * front) / (
        length * front * rear)
    speed, angle = rows[-1, VX], rows[-1, ANGLE]
    assert rows[-1, RATE] == pytest.approx(
        speed * math.tan(angle) / (length + gradient * speed**2), rel=0.01)
    assert rows[-1, RATE] < 0.97 * rows[399, RATE]


def test_a_flat_battery_bounds_the_speed():
    rows = rows_of('kind: battery, onset: 1.0, size: 0.01')
    most = 0.01 * vehicle_of().speed_max
    assert rows[FIRST - 1, VX] > most
    assert rows[FIRST + 1:, VX].max() <= most + 1e-12


def test_a_car_that_starts_faster_than_its_battery_allows_later_can_be_had():
    rows = rows_of('kind: battery, onset: 1.0, size: 0.05', flying_start=True)
    assert rows[0, VX] > 0.05 * vehicle_of().speed_max >= rows[-1, VX]


def test_a_share_of_messages_is_lost():
    lost = np.array([word(tick, 3, ODOMETRY) < 0.3 for tick in range(20_000)])
    assert lost.mean() == pytest.approx(0.3, abs=0.015)


FAULTS = st.sampled_from([kind for kind in KINDS if kind != 'parameter']).flatmap(
    lambda kind: st.builds(
        Fault, st.just(kind), st.sampled_from(KINDS[kind].targets or ('',)),
        st.floats(0.0, 1e6, allow_subnormal=False),
        st.one_of(st.just(NO_END), st.floats(1e-6, 1e6)),
        st.floats(max(KINDS[kind].least, -1e6), min(KINDS[kind].most, 1e6),
                  allow_subnormal=False) if KINDS[kind].size else st.just(0.0),
        st.integers(0, 2**31 - 1) if KINDS[kind].is_random else st.just(0),
        st.sampled_from(['', 'red'])))


@given(st.lists(FAULTS, min_size=1, max_size=3).filter(
    lambda faults: [fault.kind for fault in faults].count('delay') < 2))
def test_a_line_gives_its_faults_back_to_the_bit(faults):
    assert faults_of(text_of_faults(faults), nodes=True) == tuple(faults)


@pytest.mark.parametrize(('line', 'wanted'), [
    ('kind: gremlin', 'one of delay, drop'),
    ('kind: node_kill', 'is of nodes'), ('kind: clock_jump', 'is of nodes'),
    ('kind: drop, target: scan, size: 0.1', 'has no scan'),
    ('kind: friction, size: 0', r'in \[0.001, 10\]'),
    ('kind: friction', 'size is missing'), ('kind: dead, size: 1', 'has no size'),
    ('kind: play, size: 0.1, onset: -1', 'at least 0'),
    ('kind: dead, duration: 0', 'above 0'), ('kind: dead, seed: 1', 'nothing of this kind'),
    ('kind: bias, size: 1', 'odometry.x, odometry.y'),
    ('kind: dead, when: 3', "'when' is unknown"),
    ('kind: friction, target: front, size: 0.1', 'no target'), ('kind: {', 'is not YAML'),
    ('friction 0.3', 'is unknown'), ('', 'kind'),
    ('kind: delay, size: 0.1; kind: delay, size: 0.2', 'at most one')])
def test_a_bad_fault_says_what_is_wrong(line, wanted):
    with pytest.raises(ConfigurationError, match=wanted):
        faults_of(line)


@pytest.mark.parametrize(('line', 'options', 'wanted'), [
    ('kind: delay, size: 0.6', {}, 'at most 50'),
    ('kind: friction, size: 0.3', {'tyre_model': 'linear'}, 'changes nothing'),
    ('kind: parameter, target: vehicle.mas, size: 3', {}, 'vehicle.mass'),
    ('kind: parameter, target: vehicle.mass, size: -3', {}, 'vehicle.mass'),
    ('kind: parameter, target: rate, size: 50', {}, 'expected a number of the vehicle'),
    ('kind: parameter, target: actuators.steering_lag, size: 0.1', {}, 'from the start'),
    ('kind: dead', {'world': 'racetrack'}, 'run compiled'),
    ('kind: dead', {'control_rate': 200.0}, 'control_rate')])
def test_faults_that_a_car_cannot_have_are_refused(line, options, wanted):
    with pytest.raises((ConfigurationError, ParameterError), match=wanted):
        rows_of(line, **options)


def test_robots_and_worlds_have_no_faults():
    for configuration in ('differential_ode', 'kinematic_world'):
        with pytest.raises(RacecarError, match='run compiled|unknown'):
            rows_of('kind: dead', configuration=configuration, tyre_model=None)


def test_kinds_of_nodes_are_no_kinds_of_the_loop():
    assert not OF_NODES.keys() & KINDS.keys()
