# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops packed into the rows that the compiled kernels run on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple
import itertools
from typing import Any, cast, NamedTuple

import numpy as np

from racecar.core.analysis.metrics import Array
from racecar.core.compiled import COMPILED
from racecar.core.control.kinematic_linearizer import KinematicLinearizer
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.simulation import batch_kernels as rows
from racecar.core.simulation.batch_kernels import (
    block_kernel,
    Flat,
    LANES,
    PARAMETER_ROWS,
    sampling_kernel,
    SCRATCH_ROWS,
    STATE_ROWS,
)
from racecar.core.simulation.simulator import Simulator
from racecar.core.trajectories import Trajectory
from racecar.core.types import AckermannCommand, NANOSECONDS, Odometry
from racecar.core.vehicles.interface import SplitDerivative

# Bytes in a line of the cache.
_LINE = 64

# What the kernels know of each part. A part with more to it is run tick by tick by its methods.
_KNOWN_PARTS: dict[type, frozenset[str]] = {
    Simulator: frozenset((
        'model', 'integrator', 'step_ns', 'period_ns', 'steps_per_tick', '_step',
        '_advance', '_observe', '_follow', '_travelled', '_parameters', '_limits', '_inputs',
        '_initial_pose', '_steps', '_actuators', '_command', '_travel', '_state', '_good')),
    TrajectoryTracker: frozenset((
        'trajectory', 'gains', 'tracked_ahead', '_starts_at_car', '_start_ns', '_origin',
        '_last_ns', '_last_error', '_integral', '_derivative')),
    KinematicLinearizer: frozenset((
        '_vehicle', '_held_steering', '_epsilon', '_standstill', '_reverses', '_limits')),
}


class ClosedLoop(NamedTuple):
    """A tracker, a linearizer and a simulator that drive one car, all before their first tick."""

    tracker: TrajectoryTracker
    linearizer: Any
    simulator: Simulator

    @property
    def is_compilable(self) -> bool:
        """Whether the compiled loop does exactly what the parts do tick by tick."""
        return (
            all(vars(part).keys() == _KNOWN_PARTS.get(type(part), ()) for part in self)
            and isinstance(self.simulator.model.split_derivative, SplitDerivative)
            and self.simulator._actuators is None and self.tracker.tracked_ahead == 0.0
            and type(self.tracker.trajectory).attitude is Trajectory.attitude
            and not self.tracker.started and self.simulator.time_ns == 0)

    def answer(self) -> tuple[tuple[float, ...], AckermannCommand]:
        """Return the row of RunTable for now and the command that answers the odometry."""
        odometry: Odometry = self.simulator.odometry()
        output = self.tracker.update(odometry)
        command: AckermannCommand = self.linearizer.command(odometry, output.velocity)
        return (
            odometry.time_ns / NANOSECONDS, odometry.x, odometry.y, odometry.yaw, odometry.vx,
            odometry.vy, odometry.yaw_rate, output.reference.x, output.reference.y,
            command.speed, command.steering_angle), command

    def run(self, ticks: int, on_row: Callable[[tuple[float, ...]], object]) -> None:
        """Answer and advance by so many ticks, and answer once more. Raises DivergenceError."""
        for tick in range(ticks + 1):
            row, command = self.answer()
            on_row(row)
            if tick < ticks:
                self.simulator.set_command(command)
                self.simulator.tick()


class Kind(NamedTuple):
    """What cars of one block have in common: kernels and times."""

    form: SplitDerivative
    observe: Any
    integrator: str
    step_ns: int
    period_ns: int


class _Part(NamedTuple):
    """Rows of references that one kernel samples: first row, parameters; or one trajectory."""

    row: int
    kernel: Callable[..., None] | None
    a: Any
    b: Any
    trajectory: Trajectory


class Block:
    """Up to LANES cars of one kind in packed rows."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._kernel = block_kernel(kind.form, kind.observe, kind.integrator)
        self.cars: list[int] = []
        self.state = lane_rows(STATE_ROWS)
        self.parameters = lane_rows(PARAMETER_ROWS)
        self._trajectories: dict[Any, list[int]] = {}
        self._parts: list[_Part] = []

    @property
    def count(self) -> int:
        """Number of cars."""
        return len(self.cars)

    def add(self, car: int, loop: ClosedLoop) -> None:
        """Pack one car: its number and its parts, which are not kept."""
        lane = self.count
        self.cars.append(car)
        tracker, linearizer, simulator = loop
        vehicle, gains = linearizer._vehicle, tracker.gains
        minimum_speed, fade_speed = linearizer._standstill
        steering_limit, speed_min, speed_max = linearizer._limits
        plant = simulator.model.vehicle
        state = dict(enumerate(simulator.state))
        state |= {
            rows.SPEED_IN: simulator.command.speed,
            rows.STEERING_IN: simulator.command.steering_angle,
            rows.HELD_STEERING: linearizer._held_steering, rows.DIVERGED: -1.0,
            rows.DISTANCE: simulator._travel[0]}
        parameters = dict(enumerate(simulator.model.parameters))
        parameters |= {
            rows.SPEED_MIN: plant.speed_min, rows.SPEED_MAX: plant.speed_max,
            rows.STEERING_LIMIT: plant.steering_limit, rows.WHEELBASE: vehicle.wheelbase,
            rows.EPSILON: linearizer._epsilon, rows.MINIMUM_SPEED: minimum_speed,
            rows.FADE_SPEED: fade_speed, rows.REVERSE: float(linearizer._reverses),
            rows.KP: gains.Kp, rows.KI: gains.Ki, rows.KD: gains.Kd, rows.FFWD: float(gains.FFWD),
            rows.PL_DISTANCE: gains.PL_distance, rows.VELOCITY_LIMIT: gains.velocity_limit,
            rows.CATCH_UP_SPEED: gains.catch_up_speed,
            rows.LAW_SPEED_MIN: speed_min, rows.LAW_SPEED_MAX: speed_max,
            rows.LAW_STEERING_LIMIT: steering_limit,
            rows.FROM_CAR: float(tracker._starts_at_car)}
        parameters |= {
            rows.LIMIT + k: limit for k, limit in enumerate(simulator.model.state_limits)}
        for row, value in state.items():
            self.state[row * LANES + lane] = float(value)
        for row, value in parameters.items():
            self.parameters[row * LANES + lane] = float(value)
        trajectory = tracker.trajectory
        key = trajectory if type(trajectory).kernel is not None else id(trajectory)
        # The trajectory itself stays in the value, so that its identity stays unique.
        self._trajectories.setdefault(key, [trajectory]).append(lane)  # type: ignore[list-item]

    def seal(self) -> None:
        """Group the trajectories by their kernels, after the last car."""
        found: list[tuple[Trajectory, list[int]]] = [
            (cast(Trajectory, entry[0]), entry[1:]) for entry in self._trajectories.values()]
        found.sort(key=lambda entry: type(entry[0]).__name__)
        row = 0
        for _, group in itertools.groupby(found, key=lambda entry: type(entry[0])):
            members = list(group)
            for offset, (_, lanes) in enumerate(members):
                for lane in lanes:
                    self.parameters[rows.REFERENCE * LANES + lane] = float(row + offset)
            kernel = type(members[0][0]).kernel
            if kernel is None:
                self._parts += [
                    _Part(row + offset, None, None, None, trajectory)
                    for offset, (trajectory, _) in enumerate(members)]
            else:
                numbers = [
                    (*astuple(trajectory), 0.0, 0.0)[:2]  # type: ignore[call-overload]
                    for trajectory, _ in members]
                self._parts.append(_Part(
                    row, sampling_kernel(kernel), flat([a for a, _ in numbers]),
                    flat([b for _, b in numbers]), members[0][0]))
            row += len(members)
        self._trajectories.clear()
        self.references = row

    def sample(self, times: Any, first: int, ticks: int) -> Flat:
        """Return x, y, vx, vy of all trajectories at some ticks, flat."""
        references: Flat = flat(self.references * ticks * 4)
        for part in self._parts:
            if part.kernel is not None:
                part.kernel(references, times, first, ticks, part.row, part.a, part.b)
                continue
            for tick in range(ticks):
                at = 4 * (part.row * ticks + tick)
                references[at:at + 4] = part.trajectory.at(float(times[first + tick]))[:4]
        return references

    def run(
        self, times: Any, first: int, ticks: int, last: int, *, skip: float = 0.0,
        records: Any = None, every: int = 0, samples: int = 0, noise: Any = None,
        deviations: Any = None,
    ) -> None:
        """Run ticks; arguments as in the kernel."""
        kind = self.kind
        self._kernel(
            self.state, self.parameters, lane_rows(SCRATCH_ROWS), self.count,
            self.sample(times, first, ticks), times, first, ticks, last, float(skip),
            kind.period_ns / NANOSECONDS, kind.step_ns / NANOSECONDS,
            kind.period_ns // kind.step_ns, flat(0) if records is None else records, every,
            samples, flat(0) if noise is None else noise,
            flat(0) if deviations is None else deviations, noise is not None)

    def row(self, row: int) -> Array:
        """Return one row of the state, (count,)."""
        return np.array(self.state[row * LANES:row * LANES + self.count])


def flat(values: int | Sequence[float]) -> Any:
    """Return so many zeros, or these numbers, in the form that kernels run fastest on."""
    if COMPILED:
        return np.zeros(values) if isinstance(values, int) else np.array(values, dtype=float)
    return [0.0] * values if isinstance(values, int) else [float(value) for value in values]


def lane_rows(count: int) -> Any:
    """Return so many rows of LANES zeros, flat."""
    if not COMPILED:
        return flat(count * LANES)
    room = np.zeros(count * LANES + _LINE // 8)
    # Vectors that start within a line of the cache would take two accesses each.
    first = -room.__array_interface__['data'][0] % _LINE // 8
    return room[first:first + count * LANES]


def kind_of(simulator: Simulator) -> Kind:
    """Return what a simulator must share with others of its block."""
    model: Any = simulator.model
    return Kind(model.split_derivative, model.observe, simulator.integrator, simulator.step_ns,
                 simulator.period_ns)


def tick_times(period_ns: int, ticks: int) -> Any:
    """Return the times of ticks 0 ... ticks [s], as stamps give them."""
    return flat([tick * period_ns / NANOSECONDS for tick in range(ticks + 1)])


def tick_count(duration: float, period_ns: int) -> int:
    """Return how many periods make up a duration [s], rounded up."""
    return -(-round(duration * NANOSECONDS) // period_ns)
