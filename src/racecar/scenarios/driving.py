# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drives of the real nodes in this process, in lockstep, as `racecar up` has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from racecar.base.errors import DivergenceError, RacecarError
from racecar.base.types import NANOSECONDS
from racecar.base.values import number_of
from racecar.ros.codecs.odometry import read_odometry
from racecar.ros.topics import GROUND_TRUTH, ODOMETRY
from racecar.scenarios.drive_record import DriveRecord
from racecar.scenarios.expected import Expected, Observed
from racecar.scenarios.scenario import tracker_of
from racecar.stacks import describe_stack, Stack, StackOptions
from racecar.stacks.composing import ComposedStack

OnProgress = Callable[[float], object]
"""Is called with the simulated time [s]."""


class Drive(NamedTuple):
    """A drive that is over.

    failure: what broke it off, '' for nothing; late: why it is not to be trusted, as where an
    answer did not come in time, '' if it is; diverged_at: when it diverged [s], None if it did
    not. gone: nodes that are not alive, with the reason.
    """

    record: DriveRecord
    gone: dict[str, str]
    failure: str = ''
    late: str = ''
    diverged_at: float | None = None
    wall_time: float = 0.0

    def observed(self, expected: Expected, skip: float = 0.0) -> Observed:
        """What it came to; skip: time at the start that metrics leave out [s]."""
        return Observed(
            self.record.measures(skip), self.record.position, self.gone,
            {topic: self.record.traffic(topic) for topic in expected.topics},
            self.failure or self.late)


def drive(
    stack: Stack, options: StackOptions, topics: Sequence[str] = (),
    on_progress: OnProgress | None = None,
) -> Drive:
    """Run the nodes of a stack to the end_time of the options.

    topics: of which messages are counted, by relative or full names. Raises RacecarError for nodes
    that cannot be made, and Interruption; what breaks the drive off later is in the result.
    """
    descriptions = describe_stack(stack.name, options)
    simulated = next(d.resolve() for d in descriptions if d.spec.is_simulator)
    record = DriveRecord(
        round(number_of(simulated, 'end_time') * NANOSECONDS), tracker_of(stack, descriptions))
    failure, diverged_at = '', None
    with ComposedStack(descriptions) as composed:
        _observe(composed, record, topics)
        try:
            composed.spin(on_progress)
        except DivergenceError as error:
            failure, diverged_at = str(error), composed.simulator.plant.time_ns / NANOSECONDS
        except RacecarError as error:
            failure = str(error)
        record.note_time(composed.simulator.plant.time_ns)
        record.collisions = composed.collisions
        gone = _gone(composed, [d.full_name for d in descriptions])
        # Who has ended answers nothing.
        late = '' if gone else composed.simulator.unanswered
        return Drive(record, gone, failure, late or '; '.join(composed.conflicts),
                     diverged_at, composed.wall_time)


def _observe(composed: ComposedStack, record: DriveRecord, topics: Sequence[str]) -> None:
    simulator, plant = composed.simulator, composed.simulator.plant

    def full(topic: str) -> str:
        name: str = simulator.resolve_topic_name(topic)
        return name

    composed.observe(full(ODOMETRY), lambda data: record.add_seen(read_odometry(data)))
    # Its stamp is that of a clock which may jump.
    composed.observe(
        full(GROUND_TRUTH if simulator.is_reckoned else ODOMETRY),
        lambda data: record.add_motion(read_odometry(data)._replace(time_ns=plant.time_ns)))
    for topic in topics:
        composed.observe(full(topic), partial(
            record.note_message, topic, is_stamped=composed.has_stamps(full(topic))))


def _gone(composed: ComposedStack, names: Sequence[str]) -> dict[str, str]:
    """Nodes that are not in the graph."""
    alive = {f'{namespace.rstrip("/")}/{name}'.lstrip('/') for name, namespace
             in composed.simulator.get_node_names_and_namespaces()}
    return {name: 'has ended' for name in names if name not in alive}
