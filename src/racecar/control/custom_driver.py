# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A custom controller that answers odometry one by one, by its pure step or command()."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import compilation_failure, compiled, has_compiler, NO_NUMBA, pure
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ConfigurationError
from racecar.base.readings import LaserScan
from racecar.base.rows import flatten, Kind, kind_of, load, Numbers, Part, store
from racecar.base.types import AckermannCommand, car_motion, NANOSECONDS, Odometry
from racecar.base.vectors import Flat, Vector, vector
from racecar.control.custom_controller import (
    ask,
    check_command,
    Controller,
    failure_at,
    has_command,
    preview_of,
    pure_part,
    PureController,
    PureStep,
    reads_scans,
    show,
)
from racecar.control.progress import (
    car_numbers,
    lane_numbers,
    LINE_FROM,
    LineReference,
    located,
    NO_PROGRESS,
    parameters_of,
    progress_answer,
    sight_of,
    state_of,
)
from racecar.control.racelines.line_numbers import line_at, nearest_way
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories import Motion

NO_STEP, READS_SCANS = 'it has no pure step', 'it reads scans'
"""Why a controller runs in plain Python."""


def how_it_runs(controller: str, why_plain: str) -> str:
    """Sentence on how a controller runs; why_plain: as CustomDriver and CustomLoop have it."""
    return f'{controller}: ' + (
        f'in plain Python, tick by tick, as {why_plain}' if why_plain else 'compiled')


class CustomAnswer(NamedTuple):
    """Command, and the reference in `map` at the time of the answer."""

    command: AckermannCommand
    reference: Motion


class CustomDriver:
    """Answers odometry by a controller; the tracker only says where the reference is.

    A pure step runs compiled, with the bits of CustomLoop. why_plain: why none does; empty if one
    does. reads_scans: whether it is to see() the scans of a laser.
    """

    def __init__(self, make: Callable[[], Controller], tracker: TrajectoryTracker) -> None:
        """make: gives the controller, and another one for each start after the first.

        Raises what make raises, ConfigurationError for a preview that is none.
        """
        self._make = make
        self._controller = make()
        self._preview = preview_of(self._controller)
        self._tracker = tracker
        self.reads_scans = reads_scans(self._controller)
        self._held = AckermannCommand(0.0, 0.0)
        if self.reads_scans and pure_part(self._controller) is not None:
            raise ConfigurationError(
                'the controller has a pure step and see(scan), expected one of the two: a step'
                ' gets numbers alone; write command(odometry, reference)')
        self._step, self.why_plain = None, ''
        self._by_progress = None
        pure = pure_part(self._controller)
        if pure is not None and pure.progress is not None:
            self.why_plain = why_uncompiled(pure)
            self._by_progress = _ProgressStep(pure, not self.why_plain)
        else:
            self._step, self.why_plain = _step_of(self._controller)

    def start_anew(self, tracker: TrajectoryTracker) -> None:
        """Forget what was before, and take the reference of this tracker.

        Raises what make raises.
        """
        self._tracker = tracker
        self._held = AckermannCommand(0.0, 0.0)
        if self._by_progress is not None:
            self._by_progress.restart()
        elif self._step is None:
            self._controller = self._make()
        else:
            self._step.restart()

    @property
    def answers_odometry(self) -> bool:
        """Whether the controller does, and not scans alone."""
        return not self.reads_scans or has_command(self._controller)

    def see(self, scan: LaserScan, now_ns: int) -> AckermannCommand | None:
        """Show the controller a scan; its command from now on, None if it gives none.

        Raises RunError as update() does.
        """
        command = show(self._controller, scan, now_ns / NANOSECONDS)
        if command is not None:
            self._held = command
        return command

    def update(self, odometry: Odometry, now_ns: int | None = None) -> CustomAnswer:
        """Command for the reference `preview` after now_ns, which defaults to the odometry's time.

        Raises RunError, in one line with the line of the controller, if it fails or commands
        what is no pair of finite numbers.
        """
        tracker = self._tracker
        now_ns = odometry.time_ns if now_ns is None else now_ns
        if not tracker.started:
            tracker.start(odometry, now_ns)
        time, dt = tracker.time_since_start(now_ns), tracker.time_step(now_ns)
        if self._by_progress is not None:
            return self._by_progress.answer(tracker, odometry, dt)
        now, ahead = (_placed(tracker.trajectory.motion(t), *tracker.origin)
                      for t in (time, time + self._preview))
        if not self.answers_odometry:
            return CustomAnswer(self._held, now)
        if self._step is not None:
            self._step.dt = dt
        return CustomAnswer(ask(self._step or self._controller, odometry, ahead), now)


def _placed(motion: Motion, origin_x: float, origin_y: float) -> Motion:
    return motion._replace(x=origin_x + motion.x, y=origin_y + motion.y)


def _step_of(controller: Controller) -> tuple[_CompiledStep | _PlainStep | None, str]:
    """Return the step that stands for command(), if any, and why none is compiled, if none is."""
    pure = pure_part(controller)
    if pure is None:
        return None, NO_STEP
    failure = why_uncompiled(pure)
    if not failure:
        return _CompiledStep(pure), ''
    return (None if has_command(controller) else _PlainStep(pure)), failure


def why_uncompiled(pure: PureController) -> str:
    """Compile a pure step; return why that is not possible, or ''. Once for all that have it."""
    if not has_compiler():
        return NO_NUMBA
    kinds = kind_of(pure.state), kind_of(pure.parameters)
    return uncompiled(_compilation(pure.step, *kinds) if pure.progress is None else (
        _progress_compilation(pure.step, *kinds)))


def uncompiled(failure: str) -> str:
    """Reason of the failure of a kernel with the step of a controller, as why_plain has it."""
    return f'its step cannot be compiled: {failure}' if failure else ''


class _PlainStep:
    """The pure step of a controller as command(); dt: since the step before [s]."""

    def __init__(self, pure: PureController) -> None:
        self._pure = pure
        self.dt = 0.0
        self.restart()

    def restart(self) -> None:
        """Begin with the state that the controller was made with."""
        self._state: Numbers = self._pure.state

    def command(self, odometry: Odometry, reference: Motion) -> AckermannCommand:
        """Return the command and keep the next state."""
        self._state, speed, steering = self._pure.step(
            self._state, self._pure.parameters, car_motion(odometry[1:]), reference, self.dt)
        return AckermannCommand(speed, steering)


class _CompiledStep:
    """Does the same by a kernel."""

    def __init__(self, pure: PureController) -> None:
        self._pure = pure
        self._kernel = _single_kernel(
            pure.step, kind_of(pure.state), kind_of(pure.parameters))
        self._parameters = vector(tuple(flatten(pure.parameters)))
        self.dt = 0.0
        self.restart()

    def restart(self) -> None:
        """Begin with the state that the controller was made with."""
        self._state = vector(tuple(flatten(self._pure.state)))

    def command(self, odometry: Odometry, reference: Motion) -> AckermannCommand:
        """Return the command and keep the next state."""
        return AckermannCommand(*self._kernel(
            self._state, self._parameters, odometry[1:], tuple(reference), self.dt))


@functools.cache
def _single_kernel(
    step: PureStep, state: Kind, parameters: Kind,
) -> Callable[..., tuple[float, float]]:
    """Compiled pure step.

    kernel(state, parameters, car, ahead, dt) of flat state, which it changes, and parameters, an
    Odometry without its stamp and the fields of Motion, gives speed [m/s] and steering angle [rad]
    in single precision.
    """
    # One that its author has compiled is called as it is.
    own_step = step if hasattr(step, 'py_func') else pure(step)
    state_part, parameters_part = Part(state.zeros), Part(parameters.zeros)

    def command(
        state: Flat, parameters: Vector, car: tuple[float, ...], ahead: tuple[float, ...],
        dt: float,
    ) -> tuple[float, float]:
        after, speed, steering = own_step(
            load(state, state_part, 0), load(parameters, parameters_part, 0), car_motion(car),
            Motion(*ahead), dt)
        store(state, state_part, 0, after)
        # As a message carries it.
        return float(np.float32(speed)), float(np.float32(steering))

    return compiled(command, '(float64[::1], float64[::1], UniTuple(float64, 7),'
                             ' UniTuple(float64, 9), float64)', nogil=False)


class _ProgressStep:
    """A controller by progress: where it is on the line of a tracker, and what it remembers."""

    def __init__(self, pure: PureController, compiles: bool) -> None:
        assert pure.progress is not None
        self._pure, self._part = pure, pure.progress
        kinds = kind_of(pure.state), kind_of(pure.parameters)
        self._kernel = (_progress_kernel if compiles else _progress_function)(pure.step, *kinds)
        self._parameters = vector(tuple(flatten(parameters_of(self._part, pure.parameters))))
        self.restart()

    def restart(self) -> None:
        """Begin with the state that the controller was made with."""
        self._state = vector(tuple(flatten(state_of(self._pure.state))))
        self._numbers: Flat | None = None

    def answer(
        self, tracker: TrajectoryTracker, odometry: Odometry, dt: float,
    ) -> CustomAnswer:
        """Command, and the nearest point of the line at its speed.

        Raises RunError as ask() does, ConfigurationError for a trajectory that is no line.
        """
        if self._numbers is None:
            self._numbers = lane_numbers([car_numbers(
                self._part, tracker.trajectory, tracker.tracked_ahead)], 1)
        time = odometry.time_ns / NANOSECONDS
        try:
            speed, steering, *point = self._kernel(
                self._state, self._parameters, odometry[1:], tracker.origin, self._numbers, dt)
        except Exception as error:
            raise failure_at(error, time) from error
        command = AckermannCommand(speed, steering)
        check_command(command, time)
        return CustomAnswer(command, Motion(*point))


def _progress_function(
    step: PureStep, state: Kind, parameters: Kind,
) -> Callable[..., tuple[float, ...]]:
    """Answer of a controller by progress.

    function(state, parameters, car, origin, numbers, dt) of flat state, which it changes, and
    parameters, an Odometry without its stamp, the origin of the line [m] and lane_numbers() gives
    speed, steering angle, and the fields of Motion at the nearest point.
    """
    answer = progress_answer(step)
    state_part = Part(state_of(state.zeros))
    parameters_part = Part(parameters_of(NO_PROGRESS, parameters.zeros))

    def command(
        state: Flat, parameters: Vector, car: tuple[float, ...], origin: tuple[float, float],
        numbers: Flat, dt: float,
    ) -> tuple[float, ...]:
        before = load(state, state_part, 0)
        here = car_motion(car)
        reference = located(
            LineReference(0.0, 0.0, origin[0], origin[1]), before.s, here, numbers, 0)
        after, found = answer(
            before, load(parameters, parameters_part, 0), here, sight_of(reference, numbers, 0),
            dt)
        store(state, state_part, 0, after)
        at = int(numbers[0]) + LINE_FROM
        point = line_at(numbers, at, nearest_way(
            numbers, at, reference.x - origin[0], reference.y - origin[1], before.s))
        sine, cosine = sine_cosine(point.heading)
        turning = point.speed * point.curvature
        return (
            found.speed, found.steering_angle, reference.x, reference.y, point.speed * cosine,
            point.speed * sine,
            point.acceleration * cosine - point.speed * turning * sine,
            point.acceleration * sine + point.speed * turning * cosine, point.heading, turning,
            1.0)

    return command


@functools.cache
def _progress_kernel(
    step: PureStep, state: Kind, parameters: Kind,
) -> Callable[..., tuple[float, ...]]:
    """The same compiled."""
    return compiled(
        _progress_function(step, state, parameters),
        '(float64[::1], float64[::1], UniTuple(float64, 7), UniTuple(float64, 2), float64[::1],'
        ' float64)', nogil=False)


@functools.cache
def _progress_compilation(step: PureStep, state: Kind, parameters: Kind) -> str:
    """Why the step of a controller by progress cannot be compiled, or ''."""
    return compilation_failure(lambda: _progress_kernel(step, state, parameters))


@functools.cache
def _compilation(step: PureStep, state: Kind, parameters: Kind) -> str:
    """Why a step cannot be compiled, or ''; Numba would try anew what it cannot compile."""
    return compilation_failure(lambda: _single_kernel(step, state, parameters))
