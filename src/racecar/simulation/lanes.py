# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How cars of a block move and are driven: what the loop of one car gives the block it joins."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import RunError
from racecar.base.rows import Numbers, Part
from racecar.base.types import AckermannCommand
from racecar.base.vectors import Flat
from racecar.control.reference_sampler import ReferenceSampler
from racecar.control.trajectories import Trajectory
from racecar.simulation.layout import Layout, Loop


class DrivenTick(NamedTuple):
    """A tick that cars are driven: its number, depth of Lines, step dt [s], how many steps."""

    number: int
    depth: int
    dt: float
    steps: int


class Status(NamedTuple):
    """diverged: tick at which the car did, or -1; started: 1 once its control has answered."""

    diverged: float
    started: float


class Before(NamedTuple):
    """State and inputs before a tick."""

    state: Numbers
    inputs: Numbers


class MovingParts(NamedTuple):
    """Where a block has what its cars need to move: see LaneMotion.

    command: what the control answered; line: what Lines.add() gave; own: parts for the motion
    alone.
    """

    state: Part[Numbers]
    own: Any
    inputs: Part[Numbers]
    parameters: Part[Numbers]
    command: Part[Numbers]
    before: Part[Before]
    status: Part[Status]
    line: Part[Numbers]


class Lines(Protocol):
    """What the cars of one block need besides its rows, such as commands under way."""

    @property
    def depth(self) -> int:
        """Ticks of which the numbers hold something: that of a tick is at tick % depth."""

    def most_ticks(self, steps: int) -> int:
        """Ticks for which numbers() may be asked at a time; steps: in a tick."""

    def add(self, line: Any) -> Numbers:
        """Take in cars: `line` for the rows, of each of them; it may have columns."""

    def numbers(self, first: int, ticks: int, steps: int) -> Flat:
        """Numbers for the next ticks, flat; steps: in a tick.

        Asked after the last car was added, for ticks in succession.
        """


class LaneMotion(Hashable, Protocol):
    """How the cars of a block move; cars of equal motions may share one.

    name: for messages. state, inputs, parameters, command, line: examples of the NamedTuples that
    it takes: command is what a control answers, inputs what is in force, line what Lines.add()
    gives. observe(state, inputs, parameters): as in Equations. pushed: rows of the state that
    noise of the motion pushes, lateral and turning, None for what the state does not have.
    rolling(state, parameters, vx): see racecar.simulation.dead_reckoning.rolling_of().
    """

    @property
    def name(self) -> str:
        """Name of the equations."""

    @property
    def state(self) -> Numbers:
        """Example of the state."""

    @property
    def inputs(self) -> Numbers:
        """Example of the inputs."""

    @property
    def parameters(self) -> Numbers:
        """Example of the parameters."""

    @property
    def command(self) -> Numbers:
        """Example of what a control answers."""

    @property
    def line(self) -> Numbers:
        """Example of what Lines.add() gives."""

    @property
    def observe(self) -> Callable[..., tuple[float, ...]]:
        """Pure function, see the class."""

    @property
    def rolling(self) -> Callable[..., float]:
        """Pure function, see the class."""

    @property
    def pushed(self) -> tuple[int | None, int | None]:
        """Rows of the state, see the class."""

    def place(self, layout: Layout) -> tuple[Part[Numbers], Any]:
        """Place the state and what the motion alone needs."""

    def drive(self, parts: MovingParts) -> Loop:
        """Pure function (rows, lines, count, tick) that advances by a DrivenTick.

        It keeps states and inputs in parts.before; lines: numbers of Lines.
        """

    def lines(self) -> Lines:
        """Lines of a new block."""


class Reference(NamedTuple):
    """A trajectory, and how far ahead in time the controller sees it [s]."""

    trajectory: Trajectory
    preview: float = 0.0


Answer = Callable[..., tuple[Any, Any]]
"""Pure function that gives the next state of a control and its command, see LaneControl."""


class LaneControl(Hashable, Protocol):
    """What drives the cars of a block; cars of equal controls may share one.

    state, parameters, reference: examples of the NamedTuples that it takes; of the reference x and
    y [m] come first. answer(state, parameters, car, reference, dt): pure function that gives the
    next state and the command as the message carries it; car: CarMotion as its odometry says; dt:
    since the answer before [s], 0 at the first. is_foreign: whether code of the user's runs in it,
    which may fail. rolling_row: of its state, in which it finds the speed at which the rear wheels
    roll [m/s]; None if it does not look. way_row: of its state, the way along the line of a
    control by progress, whose reference is a LineReference and whose answer gets a LineSight, see
    racecar.control.progress; None for one by time.
    """

    @property
    def state(self) -> Numbers:
        """Example of its state."""

    @property
    def parameters(self) -> Numbers:
        """Example of its parameters."""

    @property
    def reference(self) -> Numbers:
        """Example of what it follows."""

    @property
    def answer(self) -> Answer:
        """Pure function, see the class."""

    @property
    def is_foreign(self) -> bool:
        """Whether code of the user's runs in it."""

    @property
    def rolling_row(self) -> int | None:
        """See the class."""

    @property
    def way_row(self) -> int | None:
        """See the class."""

    def sampler(self, references: Sequence[Reference]) -> ReferenceSampler:
        """Sampler of references whose trajectories are of one type, at least one."""

    def failure(self, error: Exception, time: float) -> RunError | None:
        """What to raise for what a control raised at a time [s]; None if no car failed."""

    def message(self, command: AckermannCommand, time: float) -> str:
        """What a car says that commanded this, which is not finite, at a time [s]."""


class LaneNumbers(NamedTuple):
    """Numbers of a car: limits are moduli of the states up to which it is valid.

    state, inputs, parameters: like the examples of its motion; line: what Lines.add() takes.
    """

    state: tuple[float, ...]
    inputs: tuple[float, ...]
    parameters: Numbers
    limits: tuple[float, ...]
    line: object


class LaneCar(NamedTuple):
    """How a car moves; step_ns: length of a step [ns]; numbers: gives those at present."""

    motion: LaneMotion
    step_ns: int
    numbers: Callable[[], LaneNumbers]


class LaneChange(NamedTuple):
    """Other numbers of the motion from a tick on; line: what Lines.add() takes."""

    tick: int
    parameters: Numbers
    line: Numbers


class Lane(NamedTuple):
    """One car for a block: how it moves and is driven, what it follows, numbers of its control.

    state, parameters: NamedTuples like the examples of the control; numbers: car_numbers() of a
    control by progress; changes: by their ticks.
    """

    car: LaneCar
    control: LaneControl
    reference: Reference
    state: Numbers
    parameters: Numbers
    numbers: tuple[float, ...] | NDArray[np.float64] = ()
    changes: tuple[LaneChange, ...] = ()
