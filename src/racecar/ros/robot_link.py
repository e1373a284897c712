# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ports of one robot of a plant, bound to topics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
import time

from rclpy.subscription import Subscription
from std_msgs.msg import String

from racecar.base.errors import ConfigurationError, excerpt, RacecarError
from racecar.base.last_stamp import effective_stamp, LastStamp
from racecar.base.types import NANOSECONDS
from racecar.ros import qos, topics
from racecar.ros.attendance import Attendance
from racecar.ros.codecs.codec import Channel, Codec, Place
from racecar.ros.codecs.occupancy_grid import grid_message
from racecar.ros.diagnostics import Report
from racecar.ros.freshness import staleness
from racecar.ros.latched_message import LatchedMessage
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE
from racecar.ros.robot_model import RobotModel
from racecar.simulation.ports import Entity, GROUND_TRUTH, Input, ODOMETRY, Output

Receive = Callable[['RobotLink', Input, Callable[[], None], int], None]
"""Called with the link, the input, what applies the value, and the value's stamp [ns]."""

# Nobody listens to a flood of commands for so long [s].
_DEAF = 1.0

# Stands for all inputs that drive: a value of any of them is a command.
_COMMAND = ''


class RobotLink:
    """Inputs and outputs of an entity on the topics that their codecs name.

    In lockstep one output is awaited: it is published last of those that are due at the same
    time, and each value of it wants an answer: a command, and a value of each further input that
    the stack names.

    input_topics: full names of those that drive. has_obeyed: whether any command was obeyed.
    is_unasked: whether the last value of the awaited output was lost, so that nobody answers it.
    model: what the robot is made of. is_reckoned: whether its odometry is not its true motion.
    attendance: how it answers in lockstep. answered_ns: stamp of the newest command that it obeyed
    in lockstep since it was reset [ns].
    """

    def __init__(
        self, node: TableNode, entity: Entity, codecs: Mapping[type, Codec], awaited: str,
        beside: Collection[str], receive: Receive,
    ) -> None:
        """awaited: name of the output that controllers answer; check_ports() was passed.

        beside: names of inputs of which an answer has a value, too.
        """
        self.entity = entity
        # Of several robots each has a name.
        self.attendance = Attendance(node.values['lockstep_policy'], bool(entity.name))
        self.place = Place(
            entity.name, f"{node.values['frame_prefix']}{entity.frame_prefix}",
            node.values['odometry_frame'])
        self.has_obeyed = False
        self.is_reckoned = is_reckoned(entity)
        self._node = node
        self._receive = receive
        self.answered_ns = 0
        # The newest command; None while the robot is stopped.
        self._commanded: LastStamp | None = None
        self.model = RobotModel(node, entity, self.place)
        self._codecs, self._awaited = codecs, awaited
        # By the names of the outputs; before them, what else they are shown by.
        self._channels: dict[str, list[Channel]] = {}
        self._map: LatchedMessage | None = None
        self.take(entity)
        self.awaited_steps = entity.output(awaited).steps
        self.awaited_channel: Channel = self._rows[-1][1]
        topics_of_inputs = {port: node.resolve_topic_name(self._topic_of(port))
                            for port in entity.inputs}
        self.input_topics = [topic for port, topic in topics_of_inputs.items() if port.drives]
        for port in entity.inputs:
            if not port.drives:
                self._subscribe(port)
        # Those of commands, none while nobody listens to them, and since when [s].
        self._commands: list[Subscription] = []
        self._deaf_since = 0.0
        self._listen()
        # What an answer consists of, and what of it has not come yet, by the topics that bring it.
        self._answer = {_COMMAND: self.commanded_on} | {
            port.name: topic for port, topic in topics_of_inputs.items() if port.name in beside}
        self._missing: dict[str, str] = {}
        self.is_unasked = False
        self._stray: tuple[int, int] | None = None
        self._fault = self._notice = self._retired = ''
        self._retired_publisher = node.create_publisher(
            String, self.place.topic(topics.RETIRED), qos.LATCHED) if entity.name else None
        # The newest since that was told on /diagnostics.
        self._cut = ''

    def take(self, entity: Entity) -> None:
        """Show what the robot shows from now on: its outputs may be others."""
        self.entity = entity
        self._publish_map()
        answered_output = entity.output(self._awaited)
        outputs = sorted(entity.outputs, key=lambda output: output is answered_output)
        self._rows: list[tuple[Output, Channel]] = []
        for output in outputs:
            if output.name not in self._channels:
                moving = self.model.channel(output)
                self._channels[output.name] = [
                    *([] if moving is None else [moving]),
                    self._codecs[output.value_type].encode(self._node, output, self.place)]
            *before, channel = self._channels[output.name]
            self._rows[:0] = [(output, other) for other in before]
            self._rows.append((output, channel))

    def _publish_map(self) -> None:
        """Send what stands around, if anything does or did."""
        if self.entity.surroundings is None or not self._node.values['publish_map']:
            return
        message = grid_message(self.entity.surroundings())
        if self._map is None:
            self._map = LatchedMessage(self._node, self.place.topic(topics.MAP), message)
        else:
            self._map.replace(message)

    def _topic_of(self, port: Input) -> str:
        return self.place.topic(self._codecs[port.value_type].topic_of(port))

    def _subscribe(self, port: Input) -> Subscription:
        codec = self._codecs[port.value_type]
        return subscribe_raw(
            self._node, codec.message_type, self._topic_of(port), codec.decode,
            partial(self._on_value, port),
            qos.ANSWERS_SUBSCRIPTION if port.drives and self._node.values['lockstep']
            else codec.profile)

    def _listen(self) -> None:
        self._commands = [self._subscribe(port) for port in self.entity.inputs if port.drives]

    def go_deaf(self) -> None:
        """Listen to no command for a while: a flood of them would keep others from being heard."""
        if self._commands:
            self._deaf_since = time.monotonic()
            # A subscription does not end in a callback of its own.
            self._node.run_soon(self._end_commands, self._commands)
            self._commands = []

    def _end_commands(self, subscriptions: Sequence[Subscription]) -> None:
        for subscription in subscriptions:
            self._node.destroy_subscription(subscription)

    def watch_flood(self) -> None:
        """Listen to commands again after a while, unless it takes no part any more."""
        if not self._commands and not self.attendance.is_retired \
                and time.monotonic() - self._deaf_since > _DEAF:
            self.attendance.listen_again()
            self._listen()

    @property
    def commanded_on(self) -> str:
        """The topics of the inputs that drive, for messages."""
        return ' or '.join(self.input_topics)

    @property
    def waits_on(self) -> str:
        """The topics on which the answer has not come, for messages."""
        return ' and '.join(self._missing.values())

    @property
    def is_answered(self) -> bool:
        """Whether all of the answer has come."""
        return not self._missing

    @property
    def is_commanded(self) -> bool:
        """Whether the command of the answer has come."""
        return _COMMAND not in self._missing

    @property
    def outputs(self) -> dict[tuple[int, int], Output]:
        """One output for each period that there is, by its steps and spread."""
        return {(output.steps, output.spread): output for output, _ in self._rows}

    def publish(self, sec: int, nanosec: int, index: int | None) -> bool:
        """Send the outputs that are due at a step, all of them for None, to those who listen.

        Returns whether the awaited output was among them, and was sent.
        """
        is_awaited = index is None or index % self.awaited_steps == 0
        if is_awaited:
            self._missing, self.is_unasked = dict(self._answer), False
            self.attendance.note_asked()
        for output, channel in self._rows:
            if (index is None or output.is_due(index)) and channel.is_heard:
                value = output.read()
                if value is not None:
                    channel.publish(sec, nanosec, value)
                elif output.name == self._awaited:
                    self._missing, self.is_unasked = {}, True
        return is_awaited and not self.is_unasked

    def _on_value(self, port: Input, message: tuple[object, int]) -> None:
        value, stamp_ns = message
        self._receive(self, port, partial(port.apply, value), stamp_ns)

    def obey(self, port: Input, apply: Callable[[], None]) -> bool:
        """Apply a value; say why and return False if the plant does not take it."""
        try:
            apply()
        except RacecarError as error:
            self.drop(str(error))
            return False
        if port.drives:
            self.has_obeyed = True
            self._stray = None
        return True

    def note_answer(self, port: Input, stamp_ns: int) -> None:
        """Note that the answer has a value of an input, and its stamp [ns]."""
        if port.drives:
            self._commanded, self.answered_ns = LastStamp(stamp_ns), stamp_ns
            self.attendance.note_answered()
        self._missing.pop(_COMMAND if port.drives else port.name, None)

    def note_stray(self, stamp_ns: int, now_ns: int) -> None:
        """Remember a command that answers no odometry of this time; see stray."""
        self._stray = stamp_ns, now_ns

    @property
    def stray(self) -> str:
        """What was wrong with the stamp of the newest command, if nothing else came since."""
        if self._stray is None:
            return ''
        stamp_ns, now_ns = self._stray
        return (f'. A command stamped {stamp_ns} ns came, expected {now_ns} ns, the stamp of the'
                ' odometry that it answers: copy header.stamp')

    def drop(self, reason: str) -> None:
        """Say why a command is not obeyed."""
        self._node.diagnostics.count('commands dropped')
        self._node.get_logger().error(
            f'command dropped: {reason}', throttle_duration_sec=THROTTLE)

    @property
    def why_retired(self) -> str:
        """Why it takes no part any more; empty if it does."""
        return self.entity.retired() or (
            self.attendance.text if self.attendance.is_retired else '')

    @property
    def truth(self) -> Output:
        """The output of its true motion."""
        return self.entity.output(GROUND_TRUTH if self.is_reckoned else ODOMETRY)

    def watch_fault(self) -> None:
        """Say once that the robot cannot go on as it is, or not as commanded."""
        before, self._fault = self._fault, self.entity.fault()
        if self._fault and not before:
            self._node.get_logger().error(f'{self.entity.name}: {self._fault}'.removeprefix(': '))
        self._tell_retired()
        before, self._notice = self._notice, self.entity.notice()
        self._cut = self._notice or self._cut
        if self._notice and not before:
            self._node.get_logger().warning(self._notice, throttle_duration_sec=THROTTLE)

    def _tell_retired(self) -> None:
        """Publish why one of several robots takes no part any more, or that it does again."""
        found = self.why_retired
        if self._retired_publisher is not None and found != self._retired:
            self._retired = found
            self._retired_publisher.publish(String(data=found))

    def diagnose(self, report: Report) -> None:
        """Tell of a robot that cannot go on, or whose commands are cut by its limits."""
        fault, notice = self.entity.fault(), self._cut
        self._cut = ''
        name = self.entity.name
        report.add(f'command of {name} cut by limits' if name else 'command cut by limits',
                   'yes' if notice else 'no')
        missed = self.attendance.text
        if missed:
            report.warn(f'{name}: {missed}'.lstrip(': '))
        if notice:
            report.warn(notice)
        if fault:
            report.error(fault)

    # Age of the commands

    def obey_if_young(
        self, port: Input, apply: Callable[[], None], stamp_ns: int, now_ns: int, timeout: float,
    ) -> bool:
        """Apply a value unless its stamp is older than the timeout [s]; whether it was."""
        stale = staleness(stamp_ns, now_ns, timeout)
        if stale is not None:
            self.drop(stale)
            return False
        obeyed = self.obey(port, apply)
        if obeyed:
            self._commanded = LastStamp(effective_stamp(stamp_ns, now_ns))
        return obeyed

    def stop_if_silent(self, now_ns: int, timeout: float) -> None:
        """Stop the robot, and say so, once the newest command is older than the timeout [s]."""
        if self._commanded is None:
            return
        age = self._commanded.age_ns(now_ns) / NANOSECONDS
        if age > timeout:
            self._commanded = None
            self.entity.halt()
            self._node.diagnostics.count('silences of command_timeout')
            self._node.get_logger().warning(
                f'no command for {age:.2f} s (command_timeout {timeout:g} s): the car is stopped',
                throttle_duration_sec=THROTTLE)

    def go_on_without(self, time_ns: int) -> None:
        """Wait for it no more from a time [ns], and stop it unless it coasts for a while."""
        self.attendance.leave(time_ns)
        if not self.attendance.coasts:
            self._commanded = None
            self.entity.halt()

    def forget_commands(self) -> None:
        """Begin anew after a reset: the robot stands, so silence is nothing to tell."""
        self._commanded, self.answered_ns = None, 0


def is_reckoned(entity: Entity) -> bool:
    """Whether the odometry of a robot is not its true motion, which is shown beside it."""
    return any(output.name == GROUND_TRUTH for output in entity.outputs)


def check_ports(
    entity: Entity, codecs: Mapping[type, Codec], awaited: str, beside: Collection[str],
) -> None:
    """Raise ConfigurationError if a port's type has no codec, or what is awaited is not there.

    awaited, beside: as of RobotLink. Before anything is created: rclpy keeps what a constructor
    that fails has created.
    """
    others = [port.name for port in entity.inputs if not port.drives]
    for name in beside:
        if name not in others:
            raise ConfigurationError(
                f"input {excerpt(name)} of lockstep_inputs is unknown, expected one of"
                f" {', '.join(others) or 'none'}")
    if entity.output(awaited).spread != 1:
        raise ConfigurationError(
            f"output '{awaited}' comes at the nearest steps only, expected one with a period of"
            ' whole steps to be awaited in lockstep')
    ports: tuple[Input | Output, ...] = (*entity.inputs, *entity.outputs)
    for port in ports:
        if port.value_type not in codecs:
            raise ConfigurationError(
                f'{port.value_type.__name__} has no codec, expected one of'
                f" {', '.join(known.__name__ for known in codecs)}; add one to racecar.ros.codecs")
    shown: dict[str, Output] = {}
    for output in entity.outputs:
        other = shown.setdefault(codecs[output.value_type].topic_of(output), output)
        if other is not output:
            raise ConfigurationError(
                f"outputs '{other.name}' and '{output.name}' are both on the topic"
                f" {codecs[output.value_type].topic_of(output)}, expected a topic each: let the"
                f' codec of {output.value_type.__name__} name it by the port (topic_of)')
