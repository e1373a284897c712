# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One car of five goes wrong in lockstep: it stops, and no bit of the other four changes."""

import contextlib
import math
from pathlib import Path
import signal
import subprocess
import sys

from answering import Answering
from nav_msgs.msg import Odometry as OdometryMessage
from node_bench import Bench, RACECAR
import pytest
import rclpy

from racecar.base.types import NANOSECONDS, Odometry
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.ros.attendance import Attendance, MOST_SURPLUS
from racecar.ros.codecs.odometry import read_odometry
from racecar.ros.interfaces import Reset
from racecar.ros.raw_subscription import subscribe_raw

pytestmark = pytest.mark.ros

OTHERS, FAULTY = ('a', 'b', 'c', 'd'), 'e'
# When it goes wrong, when it has to stand, and how long a run takes [s].
ONSET, STANDS, END = 0.3, 0.8, 1.2
PROGRAM = Path(__file__).parents[1] / 'helpers' / 'answering.py'


class Run:
    """A simulator of five cars; four are answered as they should be, the fifth by the test."""

    def __init__(self, bench, policy, **parameters):
        self.bench = bench
        self.rows: dict[str, list[Odometry]] = {name: [] for name in (*OTHERS, FAULTY)}
        ears = bench.add(rclpy.create_node('ears'))
        for name, rows in self.rows.items():
            subscribe_raw(ears, OdometryMessage, f'/{name}/vesc/odom', read_odometry, rows.append,
                          qos.ODOMETRY)
        self.others = [Answering(ears, name) for name in OTHERS]
        self.node = bench.start(
            SingleTrackSimulatorNode, use_sim_time=False, lockstep=True, real_time_factor=0.0,
            cars=[*OTHERS, FAULTY], grid_spacing=5.0, lockstep_deadline=0.5,
            lockstep_policy=policy, wait_for_subscribers=2,
            wait_for_publishers=[f'{name}/vesc/low_level/ackermann_cmd_mux/output'
                                 for name in (*OTHERS, FAULTY)], **{**RACECAR, **parameters})

    @property
    def time(self):
        return self.node.plant.time_ns / NANOSECONDS

    @property
    def attendance(self):
        return self.node.attendances[-1]

    def team(self):
        """The controller of the fifth car, in a node of its own."""
        return Answering(self.bench.add(rclpy.create_node('team')), FAULTY)

    def until(self, seconds):
        """Let the time go on, and return what odometry said."""
        self.bench.until(lambda: self.rows[FAULTY] and all(
            rows and rows[-1].time_ns >= seconds * NANOSECONDS for rows in self.rows.values()),
            f'{seconds} s')
        return self.rows

    def speeds(self, since=0.0):
        """Speeds of the fifth car from a time on."""
        return [row.vx for row in self.rows[FAULTY] if row.time_ns >= since * NANOSECONDS]


@pytest.fixture(scope='module')
def undisturbed():
    """Odometry of all cars when nothing goes wrong."""
    with Bench() as bench:
        run = Run(bench, 'stop')
        run.team()
        found = run.until(END + 0.5)
        assert [attendance.text for attendance in run.node.attendances] == [''] * 5
        return {name: {row.time_ns: row for row in rows} for name, rows in found.items()}


def check_the_others(run, undisturbed):
    """No bit of the others is another one, nor one of the fifth car before its fault."""
    for name in OTHERS:
        compared = [(row, undisturbed[name].get(row.time_ns)) for row in run.rows[name]]
        assert sum(other is not None for _, other in compared) > 100 * END
        assert all(row == other for row, other in compared if other is not None)
    assert all(row == undisturbed[FAULTY][row.time_ns] for row in run.rows[FAULTY]
               if row.time_ns <= ONSET * NANOSECONDS)
    assert [attendance.text for attendance in run.node.attendances[:-1]] == [''] * 4


def from_onset(team, wrong):
    """Let a controller go wrong at the onset."""
    def answer(odometry):
        (wrong if odometry.time_ns >= ONSET * NANOSECONDS else team.answer_rightly)(odometry)
    team.answer = answer


def shifted(team, seconds):
    return lambda odometry: team.send(
        odometry, max(odometry.time_ns + round(seconds * NANOSECONDS), 0))


@pytest.mark.parametrize(('policy', 'wrong'), [
    ('stop', lambda team: lambda odometry: None),
    ('retire', lambda team: lambda odometry: team.send(odometry, odometry.time_ns, math.nan)),
    ('retire', lambda team: shifted(team, -0.1)),
    ('stop', lambda team: shifted(team, 5.0)),
], ids=['silence', 'nan', 'old_stamps', 'future_stamps'])
def test_a_car_that_is_not_answered_rightly_stops(bench, undisturbed, policy, wrong):
    run = Run(bench, policy)
    team = run.team()
    from_onset(team, wrong(team))
    run.until(END)
    check_the_others(run, undisturbed)
    # Its speed is that of its command, so it stands at once.
    assert set(run.speeds(ONSET + 0.02)) == {0.0}
    assert run.attendance.is_retired == (policy == 'retire')
    if policy == 'retire':
        assert run.attendance.text == (
            '1 odometry message unanswered, retired at 0.3 s (lockstep_policy retire)')
    else:
        missed = run.attendance.missed
        assert missed >= 100 * (END - ONSET)
        assert run.attendance.text == (
            f'{missed} odometry messages unanswered (lockstep_policy stop)')
    assert f'came on /{FAULTY}/vesc/low_level' in bench.logged('no command stamped')


@contextlib.contextmanager
def process(*arguments):
    with subprocess.Popen([sys.executable, PROGRAM, FAULTY, *arguments]) as found:
        try:
            yield found
        finally:
            found.kill()


def check_left_out(run, policy):
    assert set(run.speeds(STANDS)) == {0.0}
    assert run.attendance.is_absent
    assert run.attendance.is_retired == (policy == 'retire')
    assert 'commanded more often than asked' in run.attendance.text
    assert f'(lockstep_policy {policy})' in run.attendance.text


@pytest.mark.parametrize('policy', ['stop', 'retire'])
def test_a_car_that_two_nodes_command_stops(bench, undisturbed, policy):
    run = Run(bench, policy)
    run.team()
    second = Answering(bench.add(rclpy.create_node('second')), FAULTY)
    second.answer = lambda odometry: second.answer_rightly(odometry) \
        if odometry.time_ns >= ONSET * NANOSECONDS else None
    run.until(END)
    check_the_others(run, undisturbed)
    check_left_out(run, policy)
    if policy == 'stop':
        second.answer = lambda odometry: None
        bench.until(lambda: not run.attendance.is_absent, 'the car once one is silent')


@pytest.mark.parametrize('policy', ['stop', 'retire'])
def test_a_car_that_is_flooded_stops(bench, undisturbed, policy):
    with process(str(ONSET)):
        run = Run(bench, policy)
        run.until(END + 0.4)
    check_the_others(run, undisturbed)
    check_left_out(run, policy)


def test_a_car_that_coasts_keeps_its_command_until_the_timeout(bench, undisturbed):
    run = Run(bench, 'coast')
    team = run.team()
    from_onset(team, lambda odometry: None)
    run.until(END)
    check_the_others(run, undisturbed)
    last = undisturbed[FAULTY][round(ONSET * NANOSECONDS)].vx
    assert {row.vx for row in run.rows[FAULTY]
            if ONSET <= row.time_ns / NANOSECONDS < STANDS - 0.02} == {last}
    assert set(run.speeds(STANDS + 0.02)) == {0.0}


def test_a_car_may_be_waited_for(bench, undisturbed):
    run = Run(bench, 'wait')
    team = run.team()
    kept: list[Odometry] = []
    from_onset(team, kept.append)
    bench.logged('it is waited for')
    assert run.time == pytest.approx(ONSET)
    team.answer = team.answer_rightly
    team.answer_rightly(kept[0])
    run.until(END)
    check_the_others(run, undisturbed)
    assert all(row == undisturbed[FAULTY][row.time_ns] for row in run.rows[FAULTY]
               if row.time_ns in undisturbed[FAULTY])
    assert run.attendance.text == ''


def test_a_controller_that_is_killed_retires_its_car(bench, undisturbed):
    with process() as team:
        run = Run(bench, 'retire')
        run.until(ONSET + 0.1)
        assert run.speeds()[-1] > 0.0
        team.kill()
        # The time may have gone on meanwhile, but for the answers that had come.
        end = run.time + 0.5
        run.until(max(END, end + 0.3))
    check_the_others(run, undisturbed)
    assert set(run.speeds(end)) == {0.0}
    assert run.attendance.is_retired


def test_a_controller_that_is_stopped_may_come_back(bench, undisturbed):
    with process() as team:
        run = Run(bench, 'stop')
        run.until(ONSET + 0.1)
        team.send_signal(signal.SIGSTOP)
        end = run.time + 0.5
        run.until(max(END, end + 0.3))
        assert set(run.speeds(end)) == {0.0}
        assert run.attendance.is_absent
        team.send_signal(signal.SIGCONT)
        bench.until(lambda: not run.attendance.is_absent, 'the car')
        back = run.time
        run.until(back + 0.1)
        assert max(run.speeds(back)) > 0.5
    check_the_others(run, undisturbed)


def test_a_reset_lets_a_retired_car_take_part_again(bench):
    run = Run(bench, 'retire')
    team = run.team()
    from_onset(team, lambda odometry: None)
    run.until(ONSET + 0.1)
    assert run.attendance.is_retired
    team.answer = team.answer_rightly
    assert bench.call('/single_track_simulator/reset', Reset).success
    now = run.time
    run.until(now + 0.1)
    assert not run.attendance.is_retired
    assert max(run.speeds(now)) > 0.5


def test_who_is_left_out_comes_back_once_quiet():
    attendance = Attendance('stop', is_one_of_several=True)
    attendance.note_asked()
    assert not any(attendance.exceeds() for _ in range(MOST_SURPLUS))
    assert attendance.exceeds()
    assert attendance.text == 'commanded more often than asked (lockstep_policy stop)'
    attendance.leave(0)
    # A quarter of a command is forgiven with each answer that is the only one.
    for asked in range(4 * MOST_SURPLUS + 5):
        attendance.note_asked()
        attendance.exceeds()
        assert attendance.may_answer() == (asked >= 4 * MOST_SURPLUS - 1), asked
    attendance.note_missed()
    attendance.note_answered()
    assert (attendance.missed, attendance.is_absent) == (0, False)


def test_who_answers_late_is_waited_for_again_more_seldom_each_time_it_was_in_vain():
    attendance = Attendance('stop', is_one_of_several=True)
    needed = []
    for time_ns in range(0, 4_000, 1_000):
        attendance.leave(time_ns)
        attendance.note_late(time_ns + 2_000, time_ns + 1_000)
        attendance.note_late(time_ns, time_ns + 1_000)
        for number in range(1, 100):
            attendance.note_late(time_ns + 1, time_ns + 1_000)
            if not attendance.is_absent:
                needed.append(number)
                break
    assert needed == [5, 10, 20, 40]
    attendance.note_answered()
    attendance.leave(0)
    for _ in range(5):
        assert attendance.is_absent
        attendance.note_late(1, 1_000)
    assert not attendance.is_absent
