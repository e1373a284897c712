# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Priority multiplexer of drive commands; two of them make the original's two levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias, Unpack

from ackermann_msgs.msg import AckermannDriveStamped
import numpy as np
from rclpy.exceptions import InvalidTopicNameException
from rclpy.validate_full_topic_name import validate_full_topic_name
from rclpy.validate_topic_name import validate_topic_name
from std_msgs.msg import String
from std_srvs.srv import Trigger

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.last_stamp import effective_stamp
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, BodyTwist, NANOSECONDS
from racecar.catalogue.tables.commands import ACKERMANN_MUX, ALL_INPUTS
from racecar.control.command_mux import (
    CommandMux,
    IDLE,
    LONGEST_TIMEOUT,
    Moment,
    Source,
    TWIST,
    with_referee,
)
from racecar.control.mux_file import load_mux_configuration, MuxConfiguration
from racecar.control.twist_commands import command_of_twist
from racecar.ros import qos
from racecar.ros.codecs.ackermann_command import command_template, read_command
from racecar.ros.diagnostics import Report
from racecar.ros.freshness import staleness, wrong_age
from racecar.ros.lockstep import AnswerPublisher
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE
from racecar.ros.twist_subscription import TwistSubscription
from racecar.ros.wire import with_stamp

ACTIVE_TOPIC = '~/active'

_WATCH_PERIOD = 0.02

_Message: TypeAlias = tuple[AckermannCommand, int, bytes]
"""Command, stamp [ns] and serialised AckermannDriveStamped."""

_Take: TypeAlias = Callable[[_Message], object]

# Whoever of the loop commands, beside the sources that judge it.
_LOOP = ''

_SHARED = ('the newest command counts, whoever sends it. A node that is to overrule the others has'
           ' to publish on the input of a higher source of the mux file, such as safety')


class _Input(NamedTuple):
    """A topic that the mux listens to: its full name, and what ends that."""

    topic_name: str
    destroy: Callable[[], object]


class AckermannMuxNode(TableNode):
    """Forwards the commands of the source that holds the mux, but for a missing stamp unchanged.

    Subscribes: the topics of its mux file below ~/ (ackermann_msgs/AckermannDriveStamped; of
    sources of type twist geometry_msgs/Twist or TwistStamped, whichever is published), and ~/race
    with the parameter race.
    Publishes: ~/output (the name stands in the mux file), ~/active (std_msgs/String, latched).
    When the holder falls silent and nobody follows, one stop is published; when another
    configuration is loaded under a holder, too. Commands on topics that the mux file lists under
    `holds` hold the mux and are not forwarded; each that does is answered on ~/active. Those on
    topics under `yields` let the mux go at once; in lockstep, where they are awaited, a command of
    the loop waits for what that source says with the same stamp. In lockstep the newest command of
    a holder without the stamp of an odometry, as of a person, is forwarded with the stamp of each
    command of the loop that it keeps from the car, and only then: the car keeps but the newest
    message, and would lose the one that it waits for. Twists, and commands that are shares of a
    full scale, are forwarded as speed and steering angle.
    Services: ~/reload (std_srvs/Trigger) reads the mux file again; a faulty file is refused and
    the mux goes on as it was.
    Parameters: racecar.catalogue.tables.commands.ACKERMANN_MUX.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError or ConfigurationError for what cannot be used."""
        super().__init__('ackermann_cmd_mux', ACKERMANN_MUX, **options)
        self._inputs: list[_Input] = []
        self._last = AckermannCommand(0.0, 0.0)
        # The newest command of each source that is forwarded and takes no part in lockstep.
        self._beside: dict[str, AckermannCommand] = {}
        self._template = command_template(self.base_link)
        self._stands = False
        self._announced = ''
        self._mux, self._moment = CommandMux(()), Moment(())
        self._output: AnswerPublisher | None = None
        awaited = self.values['awaited']
        # Inputs whose commands carry the time.
        self._awaited = [topic for topic in awaited.split(',') if topic] \
            if self.values['lockstep'] and awaited != ALL_INPUTS else []
        self.follows_stamps = bool(self._awaited)
        self._active_publisher = self.create_publisher(String, ACTIVE_TOPIC, qos.LATCHED)
        self._configure(self._load(self.values))
        self.create_service(Trigger, '~/reload', self._on_reload)
        self.watch_time(_WATCH_PERIOD, self._expire)

    def check_values(self, values: Mapping[str, object]) -> None:
        """Raise ParameterError if the mux file cannot be used."""
        try:
            self._load(values)
        except ConfigurationError as error:
            raise ParameterError(str(error)) from error

    def on_values_changed(self, changed: set[str]) -> None:
        """Load the newly named mux file."""
        try:
            self._configure(self._load(self.values))
        except ConfigurationError as error:
            # It was in order when it was checked.
            self.get_logger().error(f'mux file not loaded, the mux goes on as it was: {error}')

    def _on_reload(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            configuration = self._load(self.values)
            self._configure(configuration)
        except ConfigurationError as error:
            response.success = False
            response.message = f'not reloaded: {error}'
            return response
        response.success = True
        response.message = f"sources: {', '.join(s.name for s in configuration.sources)}"
        return response

    def _load(self, values: Mapping[str, object]) -> MuxConfiguration:
        """Mux file's content; raise ConfigurationError for what cannot be used."""
        path = find_config(str(values['config_file']))
        configuration = load_mux_configuration(path)
        if values['race']:
            configuration = replace(
                configuration, sources=with_referee(configuration.sources))
        found = {self.resolve_topic_name(ACTIVE_TOPIC): ACTIVE_TOPIC}
        for topic in (configuration.output,
                      *(topic for source in configuration.sources for topic in source.inputs)):
            name = self._resolve(path, topic)
            if name in found:
                raise ConfigurationError(
                    f"mux file '{path}': {found[name]!r} and {topic!r} are one topic, {name}; give"
                    ' one of them another name')
            found[name] = topic
        return configuration

    def _resolve(self, path: Path | str, topic: str) -> str:
        """Full name of a topic below ~/; raise ConfigurationError if it has none."""
        try:
            validate_topic_name(f'~/{topic}')
            name: str = self.resolve_topic_name(f'~/{topic}')
            validate_full_topic_name(name)
        except (InvalidTopicNameException, RuntimeError) as error:
            # The first line says it; the others draw an arrow below the name.
            reason = str(error).partition('\n')[0].rstrip(':')
            raise ConfigurationError(
                f"mux file '{path}': topic {topic!r} cannot be used below ~/: {reason}") from error
        return name

    def _configure(self, configuration: MuxConfiguration) -> None:
        """Put the configuration in the place of the present one.

        Raises ConfigurationError, and keeps the present one, if the middleware refuses a topic.
        """
        name = f'~/{configuration.output}'
        before, output = self._output, self._output
        inputs: list[_Input] = []
        judges = tuple(self._judges(configuration))
        try:
            if output is None or output.publisher.topic_name != self.resolve_topic_name(name):
                output = AnswerPublisher(
                    self, AckermannDriveStamped, name, qos.COMMAND, self.values['lockstep'])
            for source in configuration.sources:
                self._listen_to(source, judges, inputs)
        except RuntimeError as error:
            # RCLError, for one because a topic exists with another type.
            for heard in inputs:
                heard.destroy()
            if output is not None and output is not before:
                output.destroy()
            raise ConfigurationError(
                f"mux file '{self.values['config_file']}' cannot be used: {error}") from error
        if self._mux.active != IDLE:
            # The new file may not know the source that drives.
            self._tell_to_stop(self.now_ns())
        for heard in self._inputs:
            heard.destroy()
        if before is not None and before is not output:
            before.destroy()
        self._configuration, self._inputs, self._output = configuration, inputs, output
        # Not anew where the time goes back: what was said of the new time may be there.
        self._moment = Moment((*judges, _LOOP))
        self._begin(configuration)
        self._watch_publishers()
        self._announce()

    def _begin(self, configuration: MuxConfiguration) -> None:
        """Start idle, and with nothing heard.

        Lockstep waits for some sources, or knows that nobody asked them: these do not fall silent.
        """
        self._beside.clear()
        self._mux = CommandMux(tuple(
            replace(source, timeout=LONGEST_TIMEOUT)
            if any(topic in self._awaited for topic in source.inputs) else source
            for source in configuration.sources), self.values['arbitration'])

    def _judges(self, configuration: MuxConfiguration) -> Iterator[str]:
        """Names of the sources that say at each moment of lockstep whether they command."""
        return (source.name for source in configuration.sources
                if any(topic in self._awaited for topic in source.yields))

    def _listen_to(
            self, source: Source, judges: tuple[str, ...], inputs: list[_Input]) -> None:
        """Append the subscriptions of a source, one by one: the next may be refused.

        judges: names of the sources that say at each moment of lockstep whether they command.
        """
        is_judge = source.name in judges
        for topics, act in ((source.forwarded, partial(self._on_command, source, True)),
                            (source.holds, partial(self._on_command, source, False)),
                            (source.yields, partial(self._on_yield, source))):
            for topic in topics:
                is_awaited = topic in self._awaited
                take = partial(act, is_awaited)
                take = partial(self._on_word, source.name if is_judge else _LOOP, take) \
                    if is_awaited and judges else partial(self._on_message, take)
                if source.type == TWIST:
                    twists = TwistSubscription(
                        self, f'~/{topic}', partial(self._on_twist, take))
                    inputs.append(_Input(twists.topic_name, twists.destroy))
                    continue
                subscription = subscribe_raw(
                    self, AckermannDriveStamped, f'~/{topic}', _read_with_bytes,
                    partial(self._on_shares, source.full_scale, take)
                    if source.full_scale else take,
                    qos.ANSWERS_SUBSCRIPTION if is_awaited else qos.COMMAND)
                inputs.append(_Input(subscription.topic_name,
                                     partial(self.destroy_subscription, subscription)))

    def _watch_publishers(self) -> None:
        """Look for those that overrule each other, or that lockstep does not wait for."""
        topics = [heard.topic_name for heard in self._inputs]
        known = [self.resolve_topic_name(f'~/{topic}') for topic in self._awaited] or topics
        shared = {self.resolve_topic_name(f'~/{topic}') for topic in self.values['shared']}
        self.watch_publishers(
            [topic for topic in topics if topic not in shared],
            ' leave ours out (`racecar up plant`, or `--without`),',
            [topic for topic in topics if topic not in known],
            {topic: _SHARED for topic in topics if topic in shared})

    def waits_for(self) -> str:
        """Sources if nobody holds the mux, and which of their topics are published."""
        if self._mux.active != IDLE:
            return ''
        *names, last = (source.name for source in self._configuration.sources)
        anybody = f"{', '.join(names)} or {last}" if names else last
        published = [heard.topic_name for heard in self._inputs
                     if self.count_publishers(heard.topic_name)]
        return f'nobody in control: no command from {anybody} yet; ' + (
            f"connected, but silent: {', '.join(published)}" if published else
            'no node is connected')

    def diagnose(self, report: Report) -> None:
        """Who holds the mux."""
        report.add('holder', self._mux.active)

    def on_time_went_back(self) -> None:
        """Start idle: what was noted would block lower sources until that time comes again."""
        self._begin(self._configuration)
        self._announce()

    def _on_twist(self, take: _Take, message: tuple[BodyTwist, int]) -> None:
        twist, stamp_ns = message
        self._take_converted(take, command_of_twist(twist, self.values), stamp_ns)

    def _on_shares(self, full_scale: AckermannCommand, take: _Take, message: _Message) -> None:
        shares, stamp_ns, _ = message
        self._take_converted(take, AckermannCommand(
            shares.speed * full_scale.speed,
            shares.steering_angle * full_scale.steering_angle), stamp_ns)

    def _take_converted(self, take: _Take, command: AckermannCommand, stamp_ns: int) -> None:
        # What is beyond single precision is refused as what is infinite.
        with np.errstate(over='ignore'):
            command = AckermannCommand.in_single_precision(*command)
        take((command, stamp_ns, self._encoded(stamp_ns, command)))

    def _on_message(self, take: _Take, message: _Message) -> None:
        take(message)
        self._announce()

    def _on_word(self, name: str, take: _Take, message: _Message) -> None:
        """Take a message once all who are awaited have spoken; the mux says once who holds it."""
        if self._moment.note(name, message[1], partial(take, message)):
            self._announce()

    def _on_yield(self, source: Source, is_awaited: bool, message: _Message) -> None:
        stamp_ns = message[1]
        if is_awaited:
            self.take_stamp(stamp_ns)
        now_ns = self.now_ns()
        wrong = None if is_awaited else wrong_age(stamp_ns, now_ns, source.timeout)
        if wrong is not None:
            self.diagnostics.count(f'commands of {source.name} that were too old')
            self.get_logger().error(
                f'{source.name} is not let go: {wrong}', throttle_duration_sec=THROTTLE)
            return
        self._mux.expire(now_ns)
        self._mux.release(source.name)

    def _on_command(
            self, source: Source, forwards: bool, is_awaited: bool, message: _Message) -> None:
        command, stamp_ns, data = message
        if not command.is_finite:
            self.diagnostics.count(f'commands of {source.name} dropped')
            self.get_logger().error(
                f'command of {source.name} dropped: speed {command.speed}, steering_angle'
                f' {command.steering_angle}, expected finite numbers',
                throttle_duration_sec=THROTTLE)
            return
        if is_awaited:
            self.take_stamp(stamp_ns)
        now_ns = self.now_ns()
        # In lockstep: by who does not answer the odometry, such as a person.
        is_beside = bool(self._awaited) and forwards and not is_awaited \
            and not now_ns <= stamp_ns <= now_ns + source.timeout_ns
        if is_beside:
            self._beside[source.name] = command
        else:
            self._beside.pop(source.name, None)
        stale = staleness(stamp_ns, now_ns, source.timeout)
        if stale is not None and not self._mux.holds_last:
            self.diagnostics.count(f'commands of {source.name} that were too old')
            self.get_logger().error(
                f'command of {source.name} dropped: {stale}', throttle_duration_sec=THROTTLE)
            return
        self._mux.expire(now_ns)
        if self._mux.receive(source.name, effective_stamp(stamp_ns, now_ns)):
            self._last = command
            # A command that is not forwarded says nothing of what the car does.
            self._stands = forwards and command.speed == 0.0
            if forwards and not is_beside:
                assert self._output is not None
                # In lockstep a stamp says which odometry is answered.
                self._output.publish(data if stamp_ns or self.values['lockstep']
                                     else with_stamp(data, now_ns))
            elif not forwards:
                # Who commands the car past this mux has to know that it still lives.
                self._announced = ''
        elif is_awaited and not source.yields and self._mux.active in self._beside:
            # The holder does not answer what lockstep waits for.
            self._send(stamp_ns, self._beside[self._mux.active])

    def _expire(self) -> None:
        expired_at = self._mux.expires_at
        if self._mux.expire(self.now_ns()):
            if not self._stands:
                self.diagnostics.count(f'timeouts of {self._announced}')
                timeout = next(source.timeout for source in self._configuration.sources
                               if source.name == self._announced)
                self.get_logger().warning(
                    f'no commands from {self._announced} for {timeout:g} s; stopping',
                    throttle_duration_sec=THROTTLE)
            assert expired_at is not None
            self._tell_to_stop(expired_at)
        self._announce()

    def _tell_to_stop(self, stamp_ns: int) -> None:
        self._send(stamp_ns, self._last._replace(speed=0.0))

    def _send(self, stamp_ns: int, command: AckermannCommand) -> None:
        assert self._output is not None
        self._output.publish(self._encoded(stamp_ns, command))

    def _encoded(self, stamp_ns: int, command: AckermannCommand) -> bytes:
        return self._template.fill(
            *divmod(stamp_ns, NANOSECONDS), command.steering_angle, command.speed)

    def _announce(self) -> None:
        if self._mux.active != self._announced:
            self._announced = self._mux.active
            self._active_publisher.publish(String(data=self._announced))


def _read_with_bytes(data: bytes) -> _Message:
    return (*read_command(data), data)
