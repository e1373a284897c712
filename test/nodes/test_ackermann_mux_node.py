# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node ackermann_mux: priorities, timeouts and files over real topics, and both levels."""

import math
import re

from ackermann_msgs.msg import AckermannDriveStamped
from node_bench import command, RACECAR, seconds
import pytest
from std_msgs.msg import String
from std_srvs.srv import Trigger

from racecar.base.errors import ParameterError
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.simulation.vehicle_plant import VehiclePlant
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import make_node

pytestmark = pytest.mark.ros

OTHER = """
subscribers:
  - {name: Pilot, topic: in/pilot, timeout: 0.5, priority: 3}
  - {name: Copilot, topic: in/copilot, timeout: 0.5, priority: 2}
publisher: out
"""


class Mux:
    """The low-level mux below /ackermann_cmd_mux, what it forwards and who it says holds it."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.outputs = bench.listen('/ackermann_cmd_mux/output', AckermannDriveStamped)
        self.active = bench.listen('/ackermann_cmd_mux/active', String, qos.LATCHED)
        self.node = bench.start(
            AckermannMuxNode, **{'config_file': 'mux/low_level', **parameters})

    def say(self, source, at, speed, steering=0.0):
        """Let a source speak and wait until the mux has heard it."""
        self.bench.deliver(self.node, f'/ackermann_cmd_mux/input/{source}',
                           command(at, speed, steering))

    def forwards(self, source, at, speed, steering=0.0):
        """Let a source speak and wait until the mux forwards exactly that."""
        sent = len(self.outputs)
        self.say(source, at, speed, steering)
        message = self.bench.count(self.outputs, sent + 1)
        assert message == command(at, speed, steering)
        return True

    def holders(self):
        return [message.data for message in self.active]


@pytest.fixture
def mux(bench):
    found = Mux(bench)
    bench.set_clock(1.0)
    return found


def test_command_is_forwarded_unchanged(bench, mux):
    message = command(1.0, 0.5, -0.25)
    message.header.frame_id = 'anything'
    message.drive.acceleration, message.drive.jerk = 1.5, 2.5
    message.drive.steering_angle_velocity = 3.5
    bench.send('/ackermann_cmd_mux/input/teleop', message)
    assert bench.count(mux.outputs, 1) == message


def test_a_command_without_a_stamp_gets_the_time_and_is_else_forwarded_unchanged(bench, mux):
    message = command(0.0, 0.5, -0.25)
    message.header.frame_id, message.drive.jerk = 'anything', 2.5
    bench.send('/ackermann_cmd_mux/input/teleop', message)
    forwarded = bench.count(mux.outputs, 1)
    assert seconds(forwarded) == 1.0
    message.header.stamp = forwarded.header.stamp
    assert forwarded == message


def test_higher_priority_takes_over(mux):
    assert mux.forwards('navigation', 1.0, 1.0)
    assert mux.forwards('safety', 1.0, 2.0)
    assert mux.forwards('teleop', 1.0, 3.0)


@pytest.mark.parametrize(
    ('holder', 'other'),
    [('teleop', 'safety'), ('teleop', 'navigation'), ('safety', 'navigation'),
     ('teleop', 'driver'), ('safety', 'driver'), ('driver', 'navigation')])
def test_lower_priority_is_not_forwarded_while_the_holder_is_fresh(mux, holder, other):
    mux.forwards(holder, 1.0, 1.0)
    mux.say(other, 1.0, 2.0)
    assert not mux.bench.has_logged('dropped')
    assert mux.forwards(holder, 1.0, 3.0)


def hold(mux, at, steering=0.0):
    mux.bench.deliver(mux.node, '/ackermann_cmd_mux/driver_hold', command(at, 1.0, steering))


def test_a_source_may_hold_the_mux_without_being_forwarded(bench, mux):
    mux.forwards('navigation', 1.0, 1.0)
    hold(mux, 1.0)
    bench.until(lambda: mux.holders()[-1] == 'Driver')
    mux.say('navigation', 1.0, 2.0)
    # Both are the first that is forwarded after navigation's first.
    assert mux.forwards('safety', 1.0, 3.0)
    assert mux.forwards('teleop', 1.0, 4.0)


def test_the_mux_answers_each_command_that_holds_it_but_none_that_it_forwards(bench, mux):
    bench.until(lambda: mux.holders() == ['idle'])
    for number in range(1, 4):
        hold(mux, 1.0)
        bench.until(lambda number=number: mux.holders() == ['idle', *['Driver'] * number])
    for _ in range(3):
        mux.forwards('teleop', 1.0, 1.0)
    bench.until(lambda: mux.holders()[-1] == 'Teleoperation')
    hold(mux, 1.0)
    mux.forwards('teleop', 1.0, 2.0)
    assert mux.holders() == ['idle', *['Driver'] * 3, 'Teleoperation']


def test_silence_of_a_source_that_held_the_mux_stops_the_car(bench, mux):
    hold(mux, 1.0, steering=0.25)
    bench.set_clock(1.25)
    stop = bench.count(mux.outputs, 1)
    assert (stop.drive.speed, stop.drive.steering_angle) == (0.0, 0.25)


def test_a_source_that_holds_the_mux_follows_a_silent_teleoperation(bench, mux):
    mux.forwards('teleop', 1.0, 1.0)
    bench.set_clock(1.15)
    hold(mux, 1.15)
    bench.set_clock(1.25)
    bench.until(lambda: mux.holders()[-1] == 'Driver')
    assert len(mux.outputs) == 1


def test_lower_priority_is_forwarded_again_after_the_timeout(bench, mux):
    mux.forwards('teleop', 1.0, 1.0)
    bench.set_clock(1.25)
    assert mux.bench.count(mux.outputs, 2).drive.speed == 0.0
    assert mux.forwards('navigation', 1.25, 2.0)


def test_command_after_the_timeout_does_not_wait_for_the_watch(bench, mux):
    mux.forwards('teleop', 1.0, 1.0)
    mux.node.time_watches[0].follow_timer()
    for timer in mux.node.timers:
        timer.cancel()
    bench.set_clock(1.25)
    assert mux.forwards('navigation', 1.25, 2.0)


def test_silence_stops_the_car_once_and_holds_the_steering(bench, mux):
    mux.forwards('navigation', 1.0, 2.0, 0.25)
    bench.set_clock(1.1)
    bench.set_clock(1.3)
    stop = bench.count(mux.outputs, 2)
    assert (stop.drive.speed, stop.drive.steering_angle) == (0.0, 0.25)
    bench.logged('no commands from Navigation for 0.2 s; stopping')
    bench.set_clock(2.0)
    bench.set_clock(3.0)
    assert mux.forwards('navigation', 3.0, 1.0)
    assert len(mux.outputs) == 3


def test_stop_is_stamped_with_the_moment_of_the_timeout(bench, mux):
    mux.forwards('navigation', 1.0, 2.0)
    bench.set_clock(1.5)
    assert seconds(bench.count(mux.outputs, 2)) == pytest.approx(1.2)


def test_command_that_keeps_coming_does_not_stop_the_car(bench, mux):
    for i in range(20):
        bench.set_clock(1.0 + i / 10)
        assert mux.forwards('navigation', 1.0 + i / 10, 1.0)


def test_timeout_counts_from_the_stamp(bench, mux):
    bench.set_clock(1.15)
    mux.forwards('teleop', 1.0, 1.0)
    bench.set_clock(1.21)
    assert bench.count(mux.outputs, 2).drive.speed == 0.0


def test_source_that_still_speaks_follows_a_silent_holder_without_a_stop(bench, mux):
    mux.forwards('teleop', 1.0, 1.0)
    bench.set_clock(1.15)
    mux.say('navigation', 1.15, 2.0)
    bench.set_clock(1.25)
    bench.until(lambda: mux.holders()[-1] == 'Navigation')
    assert mux.forwards('navigation', 1.25, 2.0)
    assert len(mux.outputs) == 2


def test_unstamped_command_counts_as_said_now(bench, mux):
    mux.say('teleop', 0.0, 1.0)
    assert bench.count(mux.outputs, 1) == command(1.0, 1.0)
    bench.set_clock(1.19)
    mux.say('navigation', 1.0, 2.0)
    bench.set_clock(1.25)
    assert seconds(bench.count(mux.outputs, 2)) == pytest.approx(1.2)
    bench.until(lambda: mux.holders()[-1] == 'idle')


def test_command_from_the_future_times_out_as_if_said_now(bench, mux):
    assert mux.forwards('teleop', 99.0, 1.0)
    bench.set_clock(1.25)
    assert bench.count(mux.outputs, 2).drive.speed == 0.0


def test_old_command_is_dropped(bench, mux):
    bench.set_clock(5.0)
    mux.say('teleop', 4.7, 1.0)
    assert 'its stamp is 0.300 s old' in bench.logged('command of Teleoperation dropped')
    assert mux.forwards('navigation', 5.0, 2.0)


@pytest.mark.parametrize('bad', [math.nan, math.inf])
@pytest.mark.parametrize('field', ['speed', 'steering'])
def test_command_that_is_not_finite_is_dropped(bench, mux, field, bad):
    mux.say('teleop', 1.0, **{'speed': 1.0, field: bad})
    assert 'expected finite numbers' in bench.logged('command of Teleoperation dropped')
    assert mux.forwards('navigation', 1.0, 2.0)


def test_dropped_commands_do_not_keep_the_source_alive(bench, mux):
    mux.forwards('teleop', 1.0, 1.0)
    bench.set_clock(1.15)
    mux.say('teleop', 1.15, math.nan)
    bench.logged('command of Teleoperation dropped')
    bench.set_clock(1.21)
    bench.count(mux.outputs, 2)
    assert mux.forwards('navigation', 1.21, 2.0)


def test_holder_is_announced_when_it_changes_and_only_then(bench, mux):
    bench.count(mux.active, 1)
    mux.forwards('navigation', 1.0, 1.0)
    mux.forwards('navigation', 1.0, 1.0)
    mux.forwards('teleop', 1.0, 1.0)
    bench.set_clock(1.5)
    bench.count(mux.outputs, 4)
    bench.count(mux.active, 4)
    assert mux.holders() == ['idle', 'Navigation', 'Teleoperation', 'idle']


def test_holder_is_latched_for_who_comes_late(bench, mux):
    mux.forwards('safety', 1.0, 1.0)
    late = bench.listen('/ackermann_cmd_mux/active', String, qos.LATCHED)
    assert bench.count(late, 1).data == 'Safety'


def test_missing_file_is_refused_at_start(bench):
    with pytest.raises(ParameterError, match="'config_file' is missing and has no default"):
        bench.start(AckermannMuxNode)


def test_faulty_file_is_refused_at_start(bench, tmp_path):
    path = tmp_path / 'mux.yaml'
    path.write_text(OTHER.replace('timeout: 0.5, priority: 3', 'timeout: 0, priority: 3'))
    with pytest.raises(ParameterError, match=(
            r"timeout of subscriber 0 \('Pilot'\) is 0, expected a number of seconds above 0")):
        bench.start(AckermannMuxNode, config_file=str(path))


@pytest.fixture
def own(bench, tmp_path):
    """Return a mux with a file of its own, and the file."""
    path = tmp_path / 'mux.yaml'
    path.write_text(OTHER.replace('publisher: out', 'publisher: output').replace('in/', 'input/'))
    found = Mux(bench, config_file=str(path))
    bench.set_clock(1.0)
    return found, path


def test_reload_reads_the_file_again(bench, own):
    mux, path = own
    mux.forwards('copilot', 1.0, 1.0)
    path.write_text(path.read_text().replace('input/copilot', 'input/other'))
    response = bench.call('/ackermann_cmd_mux/reload', Trigger)
    assert (response.success, response.message) == (True, 'sources: Pilot, Copilot')
    assert mux.forwards('other', 1.0, 2.0)
    assert bench.probe.count_subscribers('/ackermann_cmd_mux/input/copilot') == 0


def test_reload_of_a_faulty_file_is_refused_and_the_mux_goes_on(bench, own):
    mux, path = own
    path.write_text('subscribers: []')
    response = bench.call('/ackermann_cmd_mux/reload', Trigger)
    assert not response.success
    assert "has no list 'subscribers'" in response.message
    assert mux.forwards('pilot', 1.0, 1.0)


@pytest.mark.parametrize(('before', 'after', 'message'), [
    ('publisher: output', 'publisher: "a b"', "topic 'a b' cannot be used below ~/: Invalid"),
    ('publisher: output', 'publisher: /output', "topic '/output' cannot be used below ~/: "),
    ('publisher: output', 'publisher: "{car}"', "topic '{car}' cannot be used below ~/: "),
    ('publisher: output', f'publisher: {"a" * 300}', "a' cannot be used below ~/: .* length"),
    ('publisher: output', 'publisher: active', "'~/active' and 'active' are one topic, "),
    ('publisher: output', 'publisher: input/pilot', "'input/pilot' and 'input/pilot' are one"),
    ('input/copilot', 'input//copilot', "topic 'input//copilot' cannot be used below ~/: "),
    ('input/copilot', 'input/pilot', 'are one topic, /ackermann_cmd_mux/input/pilot; give one'),
    ('input/copilot', '"\\ud800"', 'is not YAML: .*invalid Unicode character'),
    ('name: Copilot', 'name: "\\ud800"', 'is not YAML: .*invalid Unicode character'),
    ('timeout: 0.5', 'timeout: 1.0e+300', 'at most 3600'),
    ('timeout: 0.5', f'timeout: 1{"0" * 400}', 'at most 3600'),
    ('input/copilot', 'taken', 'cannot be used: '),
])
def test_reload_of_a_file_that_cannot_work_leaves_the_mux_driving(
        bench, own, before, after, message):
    mux, path = own
    bench.probe.create_publisher(String, '/ackermann_cmd_mux/taken', 1)
    sound = path.read_text()
    path.write_text(sound.replace(before, after))
    assert path.read_text() != sound
    mux.forwards('copilot', 1.0, 1.0)
    response = bench.call('/ackermann_cmd_mux/reload', Trigger)
    assert not response.success
    assert re.search(message, response.message)
    assert '\n' not in response.message
    assert mux.forwards('copilot', 1.0, 1.0)
    assert mux.forwards('pilot', 1.0, 1.0)
    # The car was not told to stop either.
    assert [output.drive.speed for output in mux.outputs] == [1.0] * 3
    assert bench.probe.count_subscribers('/ackermann_cmd_mux/input/pilot') == 1


def test_file_that_is_spoilt_after_its_name_was_accepted_leaves_the_mux_driving(
        bench, own, monkeypatch, tmp_path):
    mux, path = own
    other = tmp_path / 'other.yaml'
    other.write_text(path.read_text().replace('input/copilot', 'taken'))
    bench.probe.create_publisher(String, '/ackermann_cmd_mux/taken', 1)
    assert bench.set_parameter(mux.node, 'config_file', str(other)).successful
    bench.logged('mux file not loaded, the mux goes on as it was')
    assert mux.forwards('copilot', 1.0, 1.0)


def test_reload_renames_an_output_that_still_waits_for_somebody(bench, own):
    mux, path = own
    node = bench.start(AckermannMuxNode, name='waiting', config_file=str(path), lockstep=True)
    path.write_text(path.read_text().replace('publisher: output', 'publisher: other'))
    assert bench.call('/waiting/reload', Trigger).success
    found = bench.listen('/waiting/other', AckermannDriveStamped)
    bench.send('/waiting/input/pilot', command(1.0, 1.0))
    assert bench.count(found, 1).drive.speed == 1.0
    assert node.count_publishers('/waiting/output') == 0


def test_reload_while_a_source_holds_the_mux_stops_the_car(bench, own):
    mux, _ = own
    mux.forwards('pilot', 1.0, 1.0, 0.25)
    assert bench.call('/ackermann_cmd_mux/reload', Trigger).success
    stop = bench.count(mux.outputs, 2)
    assert (stop.drive.speed, stop.drive.steering_angle) == (0.0, 0.25)


def test_reload_may_rename_the_output(bench, own):
    mux, path = own
    mux.forwards('pilot', 1.0, 1.0)
    path.write_text(OTHER)
    renamed = bench.listen('/ackermann_cmd_mux/out', AckermannDriveStamped)
    assert bench.call('/ackermann_cmd_mux/reload', Trigger).success
    bench.send('/ackermann_cmd_mux/in/pilot', command(1.0, 2.0))
    bench.until(lambda: renamed)
    assert renamed[-1].drive.speed == 2.0
    assert bench.probe.count_publishers('/ackermann_cmd_mux/output') == 0


def test_another_file_is_loaded_at_run_time(bench, own):
    mux, _ = own
    assert bench.set_parameter(mux.node, 'config_file', 'mux/low_level').successful
    assert mux.forwards('teleop', 1.0, 1.0)
    bench.until(lambda: mux.holders()[-1] == 'Teleoperation')


def test_faulty_file_is_refused_at_run_time_and_the_mux_goes_on(bench, own):
    mux, path = own
    result = bench.set_parameter(mux.node, 'config_file', 'mux/none')
    assert not result.successful
    assert "'mux/none' is neither a file nor one of" in result.reason
    assert mux.node.get_parameter('config_file').value == str(path)
    assert mux.forwards('pilot', 1.0, 1.0)


class Chain:
    """Both levels as the stack composes them, and the car behind them."""

    def __init__(self, bench):
        self.bench = bench
        self.car = bench.start(
            SingleTrackSimulatorNode, use_sim_time=False, lockstep=True,
            real_time_factor=0.0, **RACECAR)
        for description in describe_stack('kinematic_ode', StackOptions()):
            if description.executable == 'ackermann_mux':
                bench.start(
                    AckermannMuxNode, name=description.name, namespace=description.namespace,
                    remap=dict(description.remappings), **description.parameters)
        # Everybody is there, and the muxes know the time before the first command.
        self.at = 0.0

    def drive(self, topic, speed):
        """Command through a topic and wait until the car takes it."""
        at = self.car.plant.time_ns / 1e9
        self.bench.send(topic, command(at, speed))
        self.bench.until(lambda: self.car.plant.simulator.command.speed == speed, f'{speed} m/s')
        return True


@pytest.mark.parametrize('topic', [
    '/vesc/ackermann_cmd_mux/input/navigation', '/vesc/ackermann_cmd_mux/input/teleop',
    '/vesc/ackermann_cmd_mux/input/safety', '/vesc/ackermann_cmd_mux/input/driver',
    '/vesc/high_level/ackermann_cmd_mux/input/nav_0',
    '/vesc/high_level/ackermann_cmd_mux/input/nav_3',
    '/vesc/high_level/ackermann_cmd_mux/input/default',
    '/vesc/low_level/ackermann_cmd_mux/input/teleop',
    '/vesc/low_level/ackermann_cmd_mux/input/safety'])
def test_every_topic_of_the_original_reaches_the_car(bench, topic):
    assert Chain(bench).drive(topic, 1.5)


def test_teleoperation_outranks_navigation_over_both_levels(bench):
    chain = Chain(bench)
    active = bench.listen('/vesc/low_level/ackermann_cmd_mux/active', String, qos.LATCHED)
    chain.drive('/vesc/ackermann_cmd_mux/input/navigation', 1.0)
    chain.drive('/vesc/ackermann_cmd_mux/input/teleop', 0.5)
    upper = bench.listen('/vesc/high_level/ackermann_cmd_mux/output', AckermannDriveStamped)
    bench.send('/vesc/ackermann_cmd_mux/input/navigation',
               command(chain.car.plant.time_ns / 1e9, 2.0))
    bench.until(lambda: upper, 'the command behind the upper level')
    chain.drive('/vesc/ackermann_cmd_mux/input/teleop', 0.75)
    assert [message.data for message in active][-1] == 'Teleoperation'


def test_command_arrives_at_the_car_with_stamp_and_numbers_unchanged(bench):
    chain = Chain(bench)
    last = bench.listen('/vesc/low_level/ackermann_cmd_mux/output', AckermannDriveStamped)
    chain.drive('/vesc/ackermann_cmd_mux/input/navigation', 1.25)
    assert bench.count(last, 1) == command(0.0, 1.25)


def test_in_lockstep_a_person_answers_each_command_of_the_loop_that_is_overruled(bench):
    mux = Mux(bench, lockstep=True, awaited='input/navigation')
    assert mux.forwards('navigation', 1.0, 1.0)
    # Without a stamp, as of `ros2 topic pub`, and of another clock.
    for number, at in enumerate((0.0, 1_795_000_000.0)):
        mux.say('teleop', at, 0.5 + number, 0.25)
        # They wait for the next command of the loop, which could be lost behind them.
        assert len(mux.outputs) == 1 + 2 * number
        for tick in range(2):
            stamp_of_tick = 1.01 + 0.02 * number + 0.01 * tick
            mux.say('navigation', stamp_of_tick, 2.0)
            found = bench.count(mux.outputs, 2 + 2 * number + tick)
            assert found == command(stamp_of_tick, 0.5 + number, 0.25)
    mux.say('navigation', 1.2, 2.0)
    assert bench.count(mux.outputs, 6) == command(1.2, 1.5, 0.25)
    # When the person falls silent the loop goes on by itself.
    assert mux.forwards('navigation', 1.25, 2.0)


def test_in_lockstep_nobody_answers_for_a_source_with_the_stamps_of_the_odometry(bench):
    mux = Mux(bench, lockstep=True, awaited='input/navigation')
    mux.forwards('navigation', 1.0, 1.0)
    mux.say('safety', 0.0, 0.5)
    mux.say('navigation', 1.01, 1.0)
    assert bench.count(mux.outputs, 2) == command(1.01, 0.5)
    mux.forwards('safety', 1.01, 0.25)
    mux.say('navigation', 1.02, 1.0)
    mux.forwards('safety', 1.02, 0.125)
    assert [message.drive.speed for message in mux.outputs] == [1.0, 0.5, 0.25, 0.125]


def test_a_simulator_that_starts_anew_finds_the_mux_idle(mux):
    mux.bench.set_clock(100.0)
    assert mux.forwards('teleop', 100.0, 1.0)
    mux.bench.set_clock(0.01)
    assert mux.forwards('navigation', 0.01, 0.5)


def test_a_person_without_stamps_drives_in_lockstep_and_gives_the_car_back(bench):
    stack = [bench.add(make_node(row)) for row in describe_stack('kinematic_ode', StackOptions(
        lockstep=True, real_time_factor=1.0, trajectory='circle', active=True))]
    bench.connect()
    simulator = next(node for node in stack if isinstance(node, SingleTrackSimulatorNode))
    assert isinstance(simulator.plant, VehiclePlant)
    car = simulator.plant.simulator
    bench.until(lambda: car.odometry().vx > 0.2)
    person = bench.probe.create_publisher(
        AckermannDriveStamped, '/vesc/ackermann_cmd_mux/input/teleop', qos.COMMAND)
    timer = bench.probe.create_timer(0.03, lambda: person.publish(command(0.0, -0.5)))
    bench.until(lambda: car.odometry().vx < -0.4, 'the car to obey')
    timer.cancel()
    bench.until(lambda: car.odometry().vx > 0.2, 'the tracker to go on')
    assert not bench.has_logged('lockstep: no command stamped')
