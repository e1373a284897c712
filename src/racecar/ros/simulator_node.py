# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node of every simulator: it binds a plant to topics and owns the time.

One class, although long: start, pace, lockstep, pause and reset all decide when time goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
import time
from typing import Unpack

from geometry_msgs.msg import Pose, PoseWithCovarianceStamped, TransformStamped
from rclpy.task import Future
from rosgraph_msgs.msg import Clock as ClockMessage
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

from racecar.base.errors import (
    ConfigurationError,
    DivergenceError,
    ParameterError,
    RacecarError,
    RunError,
)
from racecar.base.frames import MAP, ODOM
from racecar.base.parameters import ParameterTable
from racecar.base.types import NANOSECONDS, Pose3
from racecar.ros import qos, topics
from racecar.ros.attendance import Attendance
from racecar.ros.codecs import Codec, CODECS
from racecar.ros.codecs.clock import clock_template
from racecar.ros.conversions import pose_from_message, transform_from_pose, yaw_of
from racecar.ros.diagnostics import Report, Spread
from racecar.ros.interfaces import Reset
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.race_link import RaceLink
from racecar.ros.raw_subscription import THROTTLE
from racecar.ros.robot_link import check_ports, is_reckoned, RobotLink
from racecar.ros.start_gate import StartGate
from racecar.simulation.ports import (
    COAST,
    Entity,
    Input,
    Output,
    Plant,
    RETIRE,
    STOP,
    WAIT,
)

MakePlant = Callable[[Mapping[str, object], Callable[[str], object]], Plant]
"""Builds a plant from resolved parameter values; the second argument logs what takes long."""

_WATCH_PERIOD = 0.25
_START_POLL_PERIOD = 0.01
_REPEAT_PERIOD = 1.0
# So long at least [s] lockstep waits for the first command of a robot, whose node may just start.
_FIRST_DEADLINE = 5.0
# Further behind than this [s] a simulator does not catch up with the wall clock.
_LONGEST_LAG = 0.1
# Waits [s] between two instants: no timer is set for a shorter one, nor at once for a longer one.
_SHORTEST_WAIT, _LONGEST_WAIT = 5e-4, 3600.0
# A timer that is so late [s] does not come any more.
_LOST_AFTER = 1.0
# While many steps are done, others have their turn so often [s].
_TURN = 0.05
# Real time is watched in spells of so long [s]; slow is one below this share of what is wanted.
_SPELL, _SLOW, _SLOW_SPELLS = 5.0, 0.95, 2

_DOUBLED = ('set publish_robot_description of the simulator to false, or end the others, as'
            ' robot_state_publisher')

_IDENTITY = Pose3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


class SimulatorNode(TableNode):
    """Moves a plant from one instant at which an output is due to the next, and publishes it.

    An instant comes when it is due (by wall time and real_time_factor) and, in lockstep, when
    each robot has been sent the command stamped with the last value of its awaited output
    (parameter lockstep_output), and values of the inputs that lockstep_inputs names. Of a robot's
    commands of several kinds the last one governs. Of several robots a command counts only if it
    is the first with that stamp; who does not answer is treated as lockstep_policy says. With
    lockstep_race race control is awaited, too: it answers race/looks
    (racecar_interfaces/RaceLooks) by race/orders (racecar_interfaces/RaceOrders).
    Subscribes and publishes: what the codecs of the plant's ports name; initialpose of each robot
    (geometry_msgs/PoseWithCovarianceStamped) and, with take_pose, pose (geometry_msgs/Pose), which
    put the robot to another place; /clock, tf_static; robot_description
    (std_msgs/String) and tf of the links of a robot that describes itself.
    Services: ~/reset (racecar_interfaces/Reset), ~/pause (std_srvs/SetBool), ~/step
    (std_srvs/Trigger: while paused, goes on to the next awaited output).

    start_of: where a robot starts, None where its plant lets it. stamp_of: what clock and stamps
    show at a time of the plant [ns]. on_command, on_obeyed: called
    before a command is obeyed and after it, before the time goes on; not in lockstep. on_advanced:
    called with the time of the plant [ns] once that has gone on. unanswered: what lockstep has
    waited for in vain first, '' for nothing.
    """

    def __init__(
        self, name: str, table: ParameterTable, make_plant: MakePlant,
        codecs: Mapping[type, Codec] = CODECS, **options: Unpack[NodeOptions],
    ) -> None:
        """Raise ParameterError or ConfigurationError for what cannot be simulated."""
        super().__init__(name, table, **options)
        if self.get_parameter('use_sim_time').value:
            raise ParameterError(
                "parameter 'use_sim_time' is true, expected false for a simulator: it makes the"
                ' time that the others use')
        values = self.values
        self.plant = make_plant(values, self.get_logger().info)
        for entity in self.plant.entities:
            check_ports(entity, codecs, values['lockstep_output'], values['lockstep_inputs'])
            if values['odometry_frame'] == MAP and is_reckoned(entity):
                raise ConfigurationError(
                    f'odometry_frame is {MAP!r}, expected {ODOM!r} for an odometry that is'
                    ' reckoned, late or faulty: it is not where the car is on the map; --set'
                    f' {name}.odometry_frame={ODOM} goes over a set of topic names')
        # Compiled here, it does not hold up the first step.
        self.plant.warm_up()
        self.failure: DivergenceError | None = None
        self.unanswered = ''
        self._lockstep: bool = values['lockstep']
        # Lockstep waits for each message.
        self.best_effort = () if self._lockstep else tuple(values['best_effort'])
        self._paused: bool = values['paused']
        self._end_ns = round(values['end_time'] * NANOSECONDS) or None
        self._started = False
        self._due = False
        self._published_at = self._asked_again_at = 0.0
        self._slow_spells = 0
        # Wall time for which lockstep waited [s], and what was told of the time last.
        self._waits = Spread()
        self._told = (time.monotonic(), 0)
        # When the next instant is due by the steady clock [s], and the number of that plan.
        self._next_at = 0.0
        self._plan = 0

        self._clock_template = clock_template()
        self._clock_publisher = self.create_publisher(ClockMessage, topics.CLOCK, qos.CLOCK) \
            if values['publish_clock'] else None
        self._links = [
            RobotLink(self, entity, codecs, values['lockstep_output'],
                      values['lockstep_inputs'], self._on_value)
            for entity in self.plant.entities]
        # Robots whose last awaited output has no answer yet; nobody awaits any without lockstep.
        self._unanswered = set(self._links) if self._lockstep else set()
        self._race = RaceLink(
            self, self._links, lambda link, pose: self._place([link], pose), self._note_answer,
        ) if self._lockstep and values['lockstep_race'] else None
        for link in self._links:
            self.create_subscription(
                PoseWithCovarianceStamped, link.place.topic(topics.INITIAL_POSE),
                partial(self._on_initial_pose, link), qos.COMMAND)
            if values['take_pose']:
                self.create_subscription(
                    Pose, link.place.topic(topics.POSE), partial(self._on_pose, link),
                    qos.COMMAND)
        self._find_periods()
        self._tf_static_publisher = self.create_publisher(
            TFMessage, topics.TF_STATIC, qos.TF_STATIC)
        self._publish_static_transforms()
        self.start_of: Callable[[Entity], Pose3 | None] = lambda _: None
        self.stamp_of: Callable[[int], int] = lambda time_ns: time_ns
        self.on_command: Callable[[], None] = lambda: None
        self.on_obeyed: Callable[[], None] = lambda: None
        self.on_advanced: Callable[[int], None] = lambda _: None
        self._is_held = False
        # Why nobody may let the time go on, and what waits for the answers of lockstep.
        self._held = ''
        self._answered: Future | None = None
        self._begin_to_serve()
        own = [link.awaited_channel.publisher for link in self._links]
        self._gate = StartGate(self, own)
        clock = [self._clock_publisher] if self._clock_publisher is not None else []
        self.watch_publishers([
            *(publisher.topic_name for publisher in own + clock),
            *(topic for link in self._links for topic in link.input_topics)],
            doubled={topic: _DOUBLED for link in self._links for topic in link.model.topics})

    def _find_periods(self) -> None:
        """Take one output for each period: of many robots most have the same."""
        timed: dict[tuple[int, int], Output] = {}
        for link in self._links:
            timed |= link.outputs
        self._timed = tuple(timed.values())

    def _begin_to_serve(self) -> None:
        """Create services and timers."""
        self.create_service(Reset, '~/reset', self._on_reset)
        self.create_service(SetBool, '~/pause', self._on_pause)
        self.create_service(Trigger, '~/step', self._on_step)
        # Timers are cancelled and reset, never destroyed: the EventsExecutor does not survive a
        # timer that goes away in its own callback.
        self._pace_timer = self.create_timer(1.0, self._on_pace_timer, clock=self.steady_clock)
        self._pace_timer.cancel()
        self.closing.callback(self._drop_plan)
        self._start_timer = self.create_timer(
            _START_POLL_PERIOD, self._on_start_timer, clock=self.steady_clock)
        self.create_timer(_WATCH_PERIOD, self._on_watch_timer, clock=self.steady_clock)

    @property
    def _stamp_ns(self) -> int:
        """What clock and stamps show now [ns]."""
        return self.stamp_of(self.plant.time_ns)

    # Start, pace and end

    @property
    def _time_is_up(self) -> bool:
        return self._end_ns is not None and self.plant.time_ns >= self._end_ns

    def _is_waiting(self) -> bool:
        """Whether lockstep waits for anybody."""
        return bool(self._unanswered) or (self._race is not None and self._race.is_awaited)

    @property
    def finished(self) -> bool:
        """Whether end_time is reached and, in lockstep, the last command has come."""
        return self._time_is_up and not self._is_waiting()

    @property
    def is_commanded(self) -> bool:
        """Whether any robot has obeyed a command yet."""
        return any(link.has_obeyed for link in self._links)

    @property
    def attendances(self) -> list[Attendance]:
        """How the robots of the plant, in their order, answered in lockstep."""
        return [link.attendance for link in self._links]

    @property
    def is_reckoned(self) -> bool:
        """Whether the odometry of any robot is not its true motion."""
        return any(link.is_reckoned for link in self._links)

    def on_values_changed(self, changed: set[str]) -> None:
        """Take over a new real-time factor."""
        if 'real_time_factor' in changed and self._started:
            self._set_pace()

    @property
    def awaited_period_ns(self) -> int:
        """Period of the output that lockstep awaits an answer to [ns]."""
        return self._links[0].awaited_steps * self.plant.step_ns

    def waits_for(self) -> str:
        """What keeps the time or the robots from going on."""
        if not self._started:
            return self._gate.missing()
        if self._paused:
            name = self.get_fully_qualified_name()
            return f'paused; go on by the service {name}/pause with data: false'
        # In lockstep _watch_lockstep() says it.
        idle = [link.commanded_on for link in self._links if not link.has_obeyed]
        if idle and not self._lockstep:
            return f"waiting for commands on {' and '.join(idle)}; the car stands still"
        return ''

    def diagnose(self, report: Report) -> None:
        """How fast the time goes, how long lockstep waits, and what limits cut off commands."""
        now, (wall, simulated) = time.monotonic(), self._told
        self._told = now, self.plant.time_ns
        report.add('simulated time [s]', self.plant.time_ns / NANOSECONDS)
        report.add('real-time factor', max(self.plant.time_ns - simulated, 0) / NANOSECONDS / (
            now - wall))
        report.add('real-time factor wanted', self.values['real_time_factor'])
        report.add_spread('wait in lockstep', self._waits)
        if self.failure is not None:
            report.error(str(self.failure))
        for link in self._links:
            link.diagnose(report)

    def _on_start_timer(self) -> None:
        try:
            if not self._gate.is_open():
                return
        except RunError as error:
            self._start_timer.cancel()
            self.fail(error)
            return
        self._start_timer.cancel()
        self._started = True
        self._publish_everything()
        self._set_pace()

    def _set_pace(self) -> None:
        self._due = self.values['real_time_factor'] == 0.0
        self._pace_origin = self._pace_mark = (time.monotonic(), self.plant.time_ns)
        self._pace_timer.cancel()
        self._drop_plan()
        if self._lockstep and self._due:
            self._advance_when_ready()
        else:
            self._arm()

    def _steps_ahead(self) -> int:
        """Number of steps to the next instant at which an output is due."""
        done = self.plant.time_ns // self.plant.step_ns
        return min(output.steps_ahead(done) for output in self._timed)

    def _arm(self) -> None:
        """Go on at the wall time of the next instant.

        By a timer only if that takes a while: the EventsExecutor queues the events of one with
        next to no period by the thousand, and then loses its reset.
        """
        factor = self.values['real_time_factor']
        now = self._next_at = time.monotonic()
        self._drop_plan()
        if factor > 0.0:
            wall, simulated = self._pace_origin
            next_ns = self.plant.time_ns + self._steps_ahead() * self.plant.step_ns
            due_at = wall + (next_ns - simulated) / NANOSECONDS / factor
            if due_at - now < -_LONGEST_LAG:
                self._pace_origin = (now, next_ns)
            self._next_at = max(due_at, now)
        wait = self._next_at - now
        if wait > _SHORTEST_WAIT:
            self._pace_timer.timer_period_ns = round(min(wait, _LONGEST_WAIT) * NANOSECONDS)
            self._pace_timer.reset()
        elif self.executor is not None:
            self.executor.create_task(partial(self._on_pace_task, self._plan))

    def _on_pace_timer(self) -> None:
        self._pace_timer.cancel()
        if self._next_at - time.monotonic() > _SHORTEST_WAIT:
            self._arm()
            return
        self._due = True
        self._advance_when_ready()

    def _drop_plan(self) -> None:
        """Do nothing once a task that waits for its turn has it."""
        self._plan += 1

    def _on_pace_task(self, plan: int) -> None:
        if plan == self._plan:
            self._on_pace_timer()

    def _advance_when_ready(self) -> None:
        while not self._is_waiting() and self._due and self._started and not self._paused \
                and not self._is_held and not self._time_is_up:
            self._watch_silence()
            self._advance()
            if self._lockstep and self._due and (
                    not self._is_waiting() or any(link.is_unasked for link in self._links)):
                # Nobody answers, but others are to hear what is published.
                self._due = False
                self._arm()

    def _watch_silence(self) -> None:
        for link in self._links:
            # In lockstep a command is waited for, unless nobody was asked or takes part.
            if not self._lockstep or link.is_unasked or link.attendance.is_absent:
                link.stop_if_silent(self._stamp_ns, self.values['command_timeout'])

    def _advance(self, most: int | None = None) -> None:
        """Go on to the next instant, by no more than some steps."""
        at_once = self._lockstep and self.values['real_time_factor'] == 0.0
        self._due = at_once
        steps = self._steps_ahead() if most is None else min(most, self._steps_ahead())
        if self._race is not None:
            self._race.carry_out()
        try:
            self.plant.advance(steps)
        except DivergenceError as error:
            # The plant keeps its last good state: the user may reset it and go on.
            self.failure = error
            self._paused = True
            self.get_logger().fatal(
                f'{error}. The time stands still; call ~/reset, then ~/pause with data: false')
        else:
            self._publish(self.plant.time_ns // self.plant.step_ns)
            self.on_advanced(self.plant.time_ns)
        if not at_once:
            self._arm()

    def _on_watch_timer(self) -> None:
        for link in self._links:
            link.watch_fault()
            link.watch_flood()
        if self._time_is_up:
            self._end_once_answered()
        if self._answered is not None and self._is_waiting():
            self._watch_lockstep()
            self._look_again()
        if not self._started or self._paused or self._is_held or self._time_is_up:
            self._pace_mark = (time.monotonic(), self.plant.time_ns)
            return
        if self._is_waiting():
            self._watch_lockstep()
        elif not self._due and time.monotonic() - self._next_at > _LOST_AFTER:
            self._arm()
        self._watch_pace()

    def _end_once_answered(self) -> None:
        late = time.monotonic() - self._published_at > self.values['lockstep_deadline']
        if (late or not self._is_waiting()) and not self.done.done():
            self.get_logger().info(f"end_time {self.values['end_time']:g} s is reached")
            self.done.set_result(None)

    def _watch_lockstep(self) -> None:
        if self._race is not None:
            self._race.watch(self.values['lockstep_deadline'])
        if self._unanswered:
            self._watch_robots()

    def _watch_robots(self) -> None:
        waited = time.monotonic() - self._published_at
        silent = [link for link in self._links if link in self._unanswered]
        topics_of_silent = ' and '.join(link.waits_on for link in silent)
        strays = ''.join(link.stray for link in silent)
        if not self.is_commanded:
            if waited > _REPEAT_PERIOD:
                self.get_logger().info(
                    f'lockstep: waiting for the first command on {topics_of_silent};'
                    f' is the controller running and active?{strays}', throttle_duration_sec=5.0)
                self._publish_everything()
        elif waited > self._deadline_of(silent):
            self.get_logger().error(
                f'lockstep: no command stamped {self._stamp_ns} ns came on'
                f' {topics_of_silent} within lockstep_deadline'
                f" ({self.values['lockstep_deadline']:g} s of wall time);"
                f' {self._consequence}.'
                ' Every node of the chain must stamp its output with the odometry stamp that'
                f' caused it{strays}', throttle_duration_sec=THROTTLE)
            if self.values['lockstep_policy'] == WAIT:
                return
            self.unanswered = self.unanswered or (
                f'no command came on {topics_of_silent} at {self.plant.time_ns / NANOSECONDS:g} s'
                f" within lockstep_deadline ({self.values['lockstep_deadline']:g} s of wall time)")
            self.diagnostics.count('deadlines of lockstep missed')
            for link in silent:
                link.attendance.note_missed()
                link.go_on_without(self.plant.time_ns)
            self._unanswered.clear()
            self._note_answer()
        else:
            self._ask_again([link for link in silent if not link.has_obeyed])

    def _ask_again(self, silent: Sequence[RobotLink]) -> None:
        """Publish once more to robots whose first answer may have been sent before we heard it."""
        now = time.monotonic()
        if silent and now - max(self._published_at, self._asked_again_at) > _REPEAT_PERIOD:
            self._asked_again_at = now
            for link in silent:
                link.publish(*divmod(self._stamp_ns, NANOSECONDS), None)

    def _deadline_of(self, silent: Sequence[RobotLink]) -> float:
        """How long robots that have not answered are waited for [s]."""
        deadline: float = self.values['lockstep_deadline']
        has_begun = all(link.has_obeyed or link.attendance.is_absent for link in silent)
        return deadline if has_begun else max(deadline, _FIRST_DEADLINE)

    @property
    def _consequence(self) -> str:
        """What lockstep_policy does with a car, for messages."""
        return {
            WAIT: 'it is waited for', COAST: 'the car coasts',
            STOP: 'the car is stopped', RETIRE: 'the car is stopped and retired',
        }[self.values['lockstep_policy']]

    def _await(self, asked: Sequence[RobotLink]) -> None:
        """Wait for the answers of robots that take part; of the absent if nobody else does."""
        taking_part = [link for link in asked if not link.attendance.is_retired]
        present = [link for link in taking_part if not link.attendance.is_absent]
        self._unanswered.update(present or taking_part)
        if present:
            for link in taking_part:
                if link.attendance.is_absent:
                    link.attendance.note_missed()

    def _watch_pace(self) -> None:
        factor = self.values['real_time_factor']
        wall, simulated = self._pace_mark
        elapsed = time.monotonic() - wall
        if factor == 0.0 or elapsed < _SPELL:
            return
        reached = (self.plant.time_ns - simulated) / NANOSECONDS / elapsed
        is_slow = reached < _SLOW * factor and not self._is_waiting()
        self._slow_spells = self._slow_spells + 1 if is_slow else 0
        # Not of one spell, which anybody else may have caused, and not again and again.
        if self._slow_spells == _SLOW_SPELLS:
            self.get_logger().warning(
                f'this computer is too slow for {self.get_name()}: real-time factor {reached:.2f}'
                f' in place of {factor:g}; lower real_time_factor or the rate'
                + ('' if self._lockstep else ', or use lockstep'))
        self._pace_mark = (time.monotonic(), self.plant.time_ns)

    # Commands

    def _on_value(
        self, link: RobotLink, port: Input, apply: Callable[[], None], stamp_ns: int,
    ) -> None:
        now_ns = self._stamp_ns
        if not self._lockstep and port.drives:
            self.on_command()
            if link.obey_if_young(
                    port, apply, stamp_ns, now_ns, self.values['command_timeout']):
                self.on_obeyed()
        elif self._lockstep and port.drives and not self._is_answer(link, stamp_ns, now_ns):
            return
        elif (self._started or not port.drives) and link.obey(port, apply) \
                and self._lockstep and stamp_ns == now_ns:
            link.note_answer(port, stamp_ns)
            if link.is_answered:
                self._unanswered.discard(link)
                self._waits.note(time.monotonic() - self._published_at)
                self._note_answer()

    def _is_answer(self, link: RobotLink, stamp_ns: int, now_ns: int) -> bool:
        """Whether a command is the answer to the newest value of the awaited output."""
        attendance = link.attendance
        if link.is_unasked:
            # Late, or of a node which has missed the odometry.
            return False
        if attendance.exceeds():
            self._leave_out(link)
            return False
        if stamp_ns != now_ns:
            link.note_stray(stamp_ns, now_ns)
            attendance.note_late(stamp_ns, now_ns)
            return False
        is_first = len(self._links) == 1 or not link.is_commanded
        return is_first and not attendance.is_retired and attendance.may_answer()

    def _leave_out(self, link: RobotLink) -> None:
        """Go on without a robot that is commanded more often than asked."""
        if link.attendance.is_flooded:
            link.go_deaf()
        if not link.attendance.is_absent:
            self.get_logger().error(
                f'lockstep: more commands came on {link.commanded_on} than one for each odometry;'
                f' {self._consequence}. Does somebody else publish there, or a node by a timer?',
                throttle_duration_sec=THROTTLE)
            self.diagnostics.count('cars commanded more often than asked')
            link.go_on_without(self.plant.time_ns)
            self._unanswered.discard(link)
            self._note_answer()

    def _note_answer(self) -> None:
        """Go on if nothing more is waited for."""
        if not self._is_waiting():
            self._look_again()
        self._advance_when_ready()

    def _look_again(self) -> None:
        """Let do_steps(), if it waits, see whether it may go on or is to end."""
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(None)

    # Reset and pause

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        response.success = request.data or not self._held
        if response.success:
            self.set_paused(request.data, self._held)
        response.message = self._held or ('paused' if self._paused else 'running')
        return response

    # For the services of simulation_interfaces

    @property
    def is_paused(self) -> bool:
        """Whether the time stands still until somebody lets it go on."""
        return self._paused

    def set_paused(self, paused: bool, reason: str = '') -> None:
        """Let the time stand or go on; reason: why ~/pause may not let it go on."""
        self._paused, self._held = paused, reason
        self._pace_mark = (time.monotonic(), self.plant.time_ns)
        self._published_at = time.monotonic()
        self._advance_when_ready()

    def hold(self, held: bool) -> None:
        """Let the time stand while somebody else is not ready, without being paused for others."""
        was_held, self._is_held = self._is_held, held
        # Only then, as an observer of what is published may ask for it.
        if was_held and not held:
            self._advance_when_ready()

    def restart(self) -> None:
        """Let the time begin at 0 again."""
        self.plant.restart()
        self._unanswered.clear()
        if self._race is not None:
            self._race.begin()
        for link in self._links:
            link.forget_commands()
            link.attendance.begin()
        if self._started:
            self._publish_everything()
            self._set_pace()

    def return_to_start(self) -> None:
        """Put all robots to their starts. Raises RacecarError, moving none."""
        self._move_all(None)

    def refresh(self) -> None:
        """Show what the robots of the plant show now, whose outputs may have changed."""
        for link, entity in zip(self._links, self.plant.entities, strict=True):
            link.take(entity)
        self._find_periods()
        if self._paused and self._started and not self._is_waiting():
            self._publish_everything()

    async def do_steps(
        self, steps: int, note: Callable[[int], None], is_cancelled: Callable[[], bool],
    ) -> str:
        """Do steps while paused; say what ended them before their time, empty if nothing did.

        note: is told after each part of them how many are done. In lockstep each awaited output
        is answered before the time goes on; others have their turn on the way.
        """
        if not self._started:
            return self._gate.missing() or 'the simulation is about to start; call again'
        done, turn_at = 0, time.monotonic() + _TURN
        while done < steps:
            problem = self._why_stop(is_cancelled)
            if problem:
                return problem
            if self._is_waiting() or time.monotonic() > turn_at:
                await self._give_way()
                turn_at = time.monotonic() + _TURN
                continue
            before = self.plant.time_ns
            self._watch_silence()
            self._advance(steps - done)
            done += (self.plant.time_ns - before) // self.plant.step_ns
            note(done)
        return ''

    def _why_stop(self, is_cancelled: Callable[[], bool]) -> str:
        if is_cancelled():
            return 'cancelled'
        if self.failure is not None:
            return f'{self.failure}; reset the simulation'
        if not self._paused:
            return 'the simulation was let go on'
        return 'end_time is reached' if self._time_is_up else ''

    async def _give_way(self) -> None:
        """Let others have a turn, in lockstep until the answers have come or for a while."""
        self._answered = waiting = Future()
        if not self._is_waiting():
            self.run_soon(waiting.set_result, None)
        await waiting
        self._answered = None

    def _on_step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.message = self._why_no_step()
        response.success = not response.message
        if response.success:
            end_ns = (self.plant.time_ns // self.awaited_period_ns + 1) * self.awaited_period_ns
            while self.plant.time_ns < end_ns and self.failure is None and not self._is_waiting():
                self._watch_silence()
                self._advance()
            response.message = f'{self.plant.time_ns / NANOSECONDS:g} s'
        return response

    def _why_no_step(self) -> str:
        """Say what speaks against a single step; empty if nothing does."""
        if not self._paused:
            return 'the simulation is not paused; call ~/pause with data: true first'
        if not self._started:
            return self._gate.missing() or 'the simulation is about to start; call again'
        if self.failure is not None:
            return f'{self.failure}; call ~/reset first'
        if self._time_is_up:
            return 'end_time is reached'
        if self._is_waiting():
            return 'the last step has not been answered yet; is the controller running?'
        return ''

    def _on_reset(self, request: Reset.Request, response: Reset.Response) -> Reset.Response:
        try:
            pose = pose_from_message(request.pose[0]) if request.pose else None
            if pose is not None and len(self._links) > 1:
                raise ValueError(
                    'a pose for one of several robots, expected none: all return to their initial'
                    ' poses; move one of them by its topic initialpose')
            placed = self._move_all(pose)
        except (ValueError, RacecarError) as error:
            response.success = False
            response.message = f'not reset: {error}'
            return response
        response.success = True
        response.message = '; '.join(
            f'{link.entity.name} reset to x {there.x:g} m, y {there.y:g} m,'
            f' yaw {yaw_of(there):g} rad'.lstrip()
            for link, there in zip(self._links, placed, strict=True))
        return response

    def _on_initial_pose(self, link: RobotLink, message: PoseWithCovarianceStamped) -> None:
        if not self.values['take_initialpose']:
            return
        frame = message.header.frame_id
        try:
            if frame not in (MAP, ODOM, link.place.odometry, ''):
                raise ValueError(
                    f'frame_id is {frame!r}, expected {MAP!r} or {link.place.odometry!r}')
            self._move([link], pose_from_message(message.pose.pose))
        except (ValueError, RacecarError) as error:
            self.get_logger().error(f'initialpose refused: {error}')

    def _on_pose(self, link: RobotLink, message: Pose) -> None:
        try:
            self._move([link], pose_from_message(message))
        except (ValueError, RacecarError) as error:
            self.get_logger().error(f'pose refused: {error}')

    def _move_all(self, pose: Pose3 | None) -> list[Pose3]:
        """As _move(), and let those that were retired take part again."""
        placed = self._move(self._links, pose)
        for attendance in self.attendances:
            attendance.begin()
        return placed

    def _move(self, links: Sequence[RobotLink], pose: Pose3 | None) -> list[Pose3]:
        """Reset robots, all or none, show that, and return where they then are."""
        placed = self._place(links, pose)
        if self._paused and self._started:
            self._publish_everything()
        return placed

    def _place(self, links: Sequence[RobotLink], pose: Pose3 | None) -> list[Pose3]:
        """Reset robots, all or none, and return where they then are."""
        poses = [self.start_of(link.entity) if pose is None else pose for link in links]
        for link, place in zip(links, poses, strict=True):
            link.entity.check_reset(place)
        placed = [link.entity.reset(place) for link, place in zip(links, poses, strict=True)]
        for link in links:
            link.forget_commands()
        self.failure = None
        return placed

    # Publishing

    def _publish_static_transforms(self) -> None:
        transforms: list[TransformStamped] = []
        for link in self._links:
            # One that changes comes with the odometry; the map needs none to itself.
            if self.values['publish_map_to_odom'] and not link.is_reckoned \
                    and link.place.odometry != MAP:
                transforms.append(transform_from_pose(MAP, link.place.odometry, _IDENTITY))
            transforms += link.model.static_transforms()
        if transforms:
            self._tf_static_publisher.publish(TFMessage(transforms=transforms))

    def _publish_everything(self) -> None:
        """Publish all outputs at the present time, due or not."""
        self._publish(None)

    def _publish(self, index: int | None) -> None:
        """Publish clock and outputs that are due at a step, all of them for None."""
        sec, nanosec = divmod(self._stamp_ns, NANOSECONDS)
        if self._clock_publisher is not None:
            self._clock_publisher.publish(self._clock_template.fill(sec, nanosec))
        asked = [link for link in self._links if link.publish(sec, nanosec, index)]
        if self._lockstep:
            self._await(asked)
        if self._race is not None:
            self._race.show(self._stamp_ns, index)
        self._published_at = time.monotonic()
