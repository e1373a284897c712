# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node of every simulator: it binds a plant to topics and owns the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time
from typing import Unpack

from geometry_msgs.msg import TransformStamped
from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter as RosParameter
from rclpy.task import Future
from rosgraph_msgs.msg import Clock as ClockMessage
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

from racecar.base.errors import (
    ConfigurationError,
    DivergenceError,
    ParameterError,
    RunError,
)
from racecar.base.frames import MAP, ODOM
from racecar.base.parameters import ParameterTable, USE_SIM_TIME
from racecar.base.types import NANOSECONDS, Pose3
from racecar.ros import qos, topics
from racecar.ros.attendance import Attendance
from racecar.ros.awaited_answers import AwaitedAnswers
from racecar.ros.codecs.clock import clock_template
from racecar.ros.codecs.codec import Codec
from racecar.ros.codecs.registry import CODECS
from racecar.ros.conversions import transform_from_pose
from racecar.ros.diagnostics import Report
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.pace import Pace
from racecar.ros.placing import Placing
from racecar.ros.race_link import RaceLink
from racecar.ros.robot_link import check_ports, is_reckoned, RobotLink
from racecar.ros.start_gate import StartGate
from racecar.simulation.ports import (
    Input,
    Output,
    Plant,
)

MakePlant = Callable[[Mapping[str, object], Callable[[str], object]], Plant]
"""Builds a plant from resolved parameter values; the second argument logs what takes long."""

_WATCH_PERIOD = 0.25
_START_POLL_PERIOD = 0.01
# While many steps are done, others have their turn so often [s].
_TURN = 0.05
_DOUBLED = ('set publish_robot_description of the simulator to false, or end the others, as'
            ' robot_state_publisher')

_SIM_TIME = (
    f'parameter {USE_SIM_TIME!r} is true, expected false for a simulator: it makes the time that'
    ' the others use')

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

    placing: puts robots to other places. stamp_of: what clock and stamps
    show at a time of the plant [ns]. on_command, on_obeyed: called
    before a command is obeyed and after it, before the time goes on; not in lockstep. on_advanced:
    called with the time of the plant [ns] once that has gone on.
    """

    def __init__(
        self, name: str, table: ParameterTable, make_plant: MakePlant,
        codecs: Mapping[type, Codec] = CODECS, **options: Unpack[NodeOptions],
    ) -> None:
        """Raise ParameterError or ConfigurationError for what cannot be simulated."""
        super().__init__(name, table, **options)
        if self.get_parameter(USE_SIM_TIME).value:
            raise ParameterError(_SIM_TIME)
        self.add_on_set_parameters_callback(_keep_own_time)
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
        self._lockstep: bool = values['lockstep']
        # Lockstep waits for each message.
        self.best_effort = () if self._lockstep else tuple(values['best_effort'])
        self._paused: bool = values['paused']
        self._end_ns = round(values['end_time'] * NANOSECONDS) or None
        self._started = False
        self._pace = Pace(self, self.plant, self._steps_ahead, self._advance_when_ready)
        # What was told of the time last.
        self._told = (time.monotonic(), 0)

        self._clock_template = clock_template()
        self._clock_publisher = self.create_publisher(ClockMessage, topics.CLOCK, qos.CLOCK) \
            if values['publish_clock'] else None
        self._links = [
            RobotLink(self, entity, codecs, values['lockstep_output'],
                      values['lockstep_inputs'], self._on_value)
            for entity in self.plant.entities]
        self._answers = AwaitedAnswers(
            self, self._links, self.plant, self.now_ns, self._note_answer)
        self.placing = Placing(self, self._links, self._on_placed)
        self._race = RaceLink(
            self, self._links, self.placing.place, self._note_answer,
        ) if self._lockstep and values['lockstep_race'] else None
        self._find_periods()
        self._tf_static_publisher = self.create_publisher(
            TFMessage, topics.TF_STATIC, qos.TF_STATIC)
        self._publish_static_transforms()
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
            *([self._race.topic_name] if self._race is not None else []),
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
        self.create_service(SetBool, '~/pause', self._on_pause)
        self.create_service(Trigger, '~/step', self._on_step)
        self._start_timer = self.create_timer(
            _START_POLL_PERIOD, self._on_start_timer, clock=self.steady_clock)
        self.create_timer(_WATCH_PERIOD, self._on_watch_timer, clock=self.steady_clock)

    def now_ns(self) -> int:
        """What clock and stamps show now [ns]: this node makes the time and hears no /clock."""
        return self.stamp_of(self.plant.time_ns)

    # Start, pace and end

    @property
    def _time_is_up(self) -> bool:
        return self._end_ns is not None and self.plant.time_ns >= self._end_ns

    def _is_waiting(self) -> bool:
        """Whether lockstep waits for anybody."""
        return self._answers.is_waiting or (self._race is not None and self._race.is_awaited)

    @property
    def finished(self) -> bool:
        """Whether end_time is reached and, in lockstep, the last command has come."""
        return self._time_is_up and not self._is_waiting()

    @property
    def unanswered(self) -> str:
        """What lockstep has waited for in vain first, '' for nothing."""
        return self._answers.missed

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
        report.add_spread('wait in lockstep', self._answers.waits)
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
        self._pace.begin()
        if self._lockstep and self._pace.is_due:
            self._advance_when_ready()
        else:
            self._pace.arm()

    def _steps_ahead(self) -> int:
        """Number of steps to the next instant at which an output is due."""
        done = self.plant.time_ns // self.plant.step_ns
        return min(output.steps_ahead(done) for output in self._timed)

    def _advance_when_ready(self) -> None:
        while not self._is_waiting() and self._pace.is_due and self._started and not self._paused \
                and not self._is_held and not self._time_is_up:
            self._watch_silence()
            self._advance()
            if self._lockstep and self._pace.is_due and (
                    not self._is_waiting() or any(link.is_unasked for link in self._links)):
                # Nobody answers, but others are to hear what is published.
                self._pace.is_due = False
                self._pace.arm()

    def _watch_silence(self) -> None:
        for link in self._links:
            # In lockstep a command is waited for, unless nobody was asked or takes part.
            if not self._lockstep or link.is_unasked or link.attendance.is_absent:
                link.stop_if_silent(self.now_ns(), self.values['command_timeout'])

    def _advance(self, most: int | None = None) -> None:
        """Go on to the next instant, by no more than some steps."""
        at_once = self._lockstep and self.values['real_time_factor'] == 0.0
        self._pace.is_due = at_once
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
            self._pace.arm()

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
            self._pace.begin_spell()
            return
        if self._is_waiting():
            self._watch_lockstep()
        else:
            self._pace.find_lost()
        self._pace.watch(is_held_up=self._is_waiting())

    def _end_once_answered(self) -> None:
        if (self._answers.are_late or not self._is_waiting()) and not self.done.done():
            self.get_logger().info(f"end_time {self.values['end_time']:g} s is reached")
            self.done.set_result(None)

    def _watch_lockstep(self) -> None:
        if self._race is not None:
            self._race.watch(self.values['lockstep_deadline'])
        self._answers.watch(self._publish_everything)

    # Commands

    def _on_value(
        self, link: RobotLink, port: Input, apply: Callable[[], None], stamp_ns: int,
    ) -> None:
        now_ns = self.now_ns()
        if not self._lockstep and port.drives:
            self.on_command()
            if link.obey_if_young(
                    port, apply, stamp_ns, now_ns, self.values['command_timeout']):
                self.on_obeyed()
        elif self._lockstep and port.drives and not self._answers.is_one(
                link, stamp_ns, now_ns):
            return
        elif (self._started or not port.drives) and link.obey(port, apply) \
                and self._lockstep and stamp_ns == now_ns:
            self._answers.take(link, port, stamp_ns)

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
        self._pace.begin_spell()
        self._answers.note_shown()
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
        self._answers.forget()
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
        self.placing.move_all(None)

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

    def _on_placed(self, *, is_shown: bool) -> None:
        """Let a simulation that has diverged go on, and show where robots were put."""
        self.failure = None
        if is_shown and self._paused and self._started:
            self._publish_everything()

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
        sec, nanosec = divmod(self.now_ns(), NANOSECONDS)
        if self._clock_publisher is not None:
            self._clock_publisher.publish(self._clock_template.fill(sec, nanosec))
        asked = [link for link in self._links if link.publish(sec, nanosec, index)]
        if self._lockstep:
            self._answers.wait_for(asked)
        if self._race is not None:
            self._race.show(self.now_ns(), index)
        self._answers.note_shown()


def _keep_own_time(parameters: list[RosParameter]) -> SetParametersResult:
    is_other = any(parameter.name == USE_SIM_TIME and parameter.value for parameter in parameters)
    return SetParametersResult(successful=not is_other, reason=_SIM_TIME if is_other else '')
