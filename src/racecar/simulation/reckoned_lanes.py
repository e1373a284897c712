# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a compiled loop or a block whose control sees what dead reckoning gives."""

from __future__ import annotations

from collections.abc import Sequence
import functools
from typing import NamedTuple

from racecar.base.compiled import importable, pure
from racecar.base.errors import RunError
from racecar.base.readings import WheelReading
from racecar.base.rows import filled, Numbers, zeros_of
from racecar.base.types import AckermannCommand, CarMotion
from racecar.base.vectors import Flat
from racecar.control.reference_sampler import ReferenceSampler
from racecar.dynamics.vehicles.interface import Command
from racecar.simulation.dead_reckoning import (
    DeadReckoning,
    reckon,
    Reckoning,
    ReckoningParameters,
    seen_motion,
)
from racecar.simulation.lanes import Answer, Lane, LaneControl, Reference


class ReckonedMemory(NamedTuple):
    """Reading of the wheels, of which the loop writes the speed, the reckoning, and a control."""

    reading: WheelReading
    reckoning: Reckoning
    control: Numbers


class LateMemory(NamedTuple):
    """A ReckonedMemory with the reckonings before it, of which the oldest is seen."""

    reading: WheelReading
    reckoning: Reckoning
    past: tuple[Reckoning, ...]
    control: Numbers


class ReckonedParameters(NamedTuple):
    """Parameters of dead reckoning and of a control."""

    reckoning: ReckoningParameters
    control: Numbers


_NO_READING, _NO_RECKONING = zeros_of(WheelReading), zeros_of(Reckoning)


@pure
def _read_next(reading: WheelReading, p: ReckoningParameters, command: Command) -> WheelReading:
    """Reading of the wheels under a command, but for their speed."""
    return WheelReading(
        reading.speed, min(max(command.steering_angle, p.steering_min), p.steering_max))


@functools.cache
def _answer(inner: Answer) -> Answer:
    @importable
    def answer(
        state: ReckonedMemory, parameters: ReckonedParameters, car: CarMotion,
        reference: Numbers, dt: float,
    ) -> tuple[ReckonedMemory, Command]:
        p = parameters.reckoning
        reckoning = reckon(state.reckoning, p, state.reading, car, dt)
        after, command = inner(
            state.control, parameters.control, seen_motion(reckoning), reference, dt)
        return ReckonedMemory(
            _read_next(state.reading, p, command), reckoning, after), command

    return answer


@functools.cache
def _late_answer(inner: Answer) -> Answer:
    @importable
    def answer(
        state: LateMemory, parameters: ReckonedParameters, car: CarMotion,
        reference: Numbers, dt: float,
    ) -> tuple[LateMemory, Command]:
        p = parameters.reckoning
        reckoning = reckon(state.reckoning, p, state.reading, car, dt)
        past = state.past
        if dt > 0.0:
            past = past[1:] + (state.reckoning,)
        after, command = inner(
            state.control, parameters.control, seen_motion(past[0]), reference, dt)
        return LateMemory(
            _read_next(state.reading, p, command), reckoning, past, after), command

    return answer


class ReckonedControl(NamedTuple):
    """A control that sees the car by dead reckoning, late by some periods. See LaneControl."""

    control: LaneControl
    late: int = 0

    @property
    def state(self) -> ReckonedMemory | LateMemory:
        """Dead reckoning, and the state of the control."""
        if not self.late:
            return ReckonedMemory(_NO_READING, _NO_RECKONING, self.control.state)
        return LateMemory(
            _NO_READING, _NO_RECKONING, (_NO_RECKONING,) * self.late, self.control.state)

    @property
    def parameters(self) -> ReckonedParameters:
        """Parameters of both."""
        return ReckonedParameters(zeros_of(ReckoningParameters), self.control.parameters)

    @property
    def reference(self) -> Numbers:
        """That of the control."""
        return self.control.reference

    @property
    def answer(self) -> Answer:
        """Dead reckoning, then the answer of the control."""
        inner = self.control.answer
        return _late_answer(inner) if self.late else _answer(inner)

    @property
    def is_foreign(self) -> bool:
        """Whether code of the user's runs in it."""
        return self.control.is_foreign

    @property
    def rolling_row(self) -> int:
        """First row: speed of the reading."""
        return 0

    @property
    def way_row(self) -> int | None:
        """That of the control, behind dead reckoning."""
        row = self.control.way_row
        return None if row is None else _own_rows(self.late) + row

    def sampler(self, references: Sequence[Reference]) -> ReferenceSampler:
        """Sampler of the control."""
        return self.control.sampler(references)

    def failure(self, error: Exception, time: float) -> RunError | None:
        """What the control raises."""
        return self.control.failure(error, time)

    def message(self, command: AckermannCommand, time: float) -> str:
        """What the control says."""
        return self.control.message(command, time)


def _own_rows(late: int) -> int:
    return len(_NO_READING) + len(_NO_RECKONING) * (1 + late)


def reckoned_lane(lane: Lane, reckoning: DeadReckoning | None) -> Lane:
    """Lane whose control sees the car by dead reckoning, as that is at present; None: as it is."""
    if reckoning is None:
        return lane
    past = tuple(reckoning.past)
    return lane._replace(
        control=ReckonedControl(lane.control, len(past)),
        state=(WheelReading(0.0, reckoning.steering_angle), reckoning.state, past, lane.state),
        parameters=(reckoning.parameters, lane.parameters))


def control_memory(memory: Flat, reckoning: DeadReckoning | None) -> Flat:
    """Numbers of the control alone in those of a lane; its dead reckoning takes over its own."""
    if reckoning is None:
        return memory
    first, late = len(_NO_READING), len(reckoning.past)
    own = _own_rows(late)
    reckoning.state, *past = filled((_NO_RECKONING,) * (1 + late), memory[first:own])
    reckoning.past.extend(past)
    reckoning.steering_angle = float(memory[1])
    return memory[own:]
