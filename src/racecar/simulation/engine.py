# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Loops over cars side by side: odometry, control, metrics and integration, tick by tick.

A block holds up to LANES cars of one kind as rows of LANES numbers in one flat array, see
racecar.base.rows: all distances between rows are constants, which a compiler must know to
vectorise a loop over the cars, and one array overlaps with no other. Each loop does one thing to
all cars of the block. The functions are those of a car alone, so that it gives the same bits
whether alone, in a block or driven by the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import math
from typing import cast, NamedTuple

from racecar.base.compiled import by_type, compiled, importable
from racecar.base.elementary import sine_cosine
from racecar.base.random_numbers import four_normals, philox
from racecar.base.rows import (
    at_origin,
    count_numbers,
    first_row,
    load,
    moved,
    Numbers,
    Part,
    store,
    within,
    zeros_of,
)
from racecar.base.types import BodyTwist, CarMotion, quaternion_to_yaw
from racecar.base.vectors import Flat
from racecar.control.progress import LineReference, located, sight_for
from racecar.control.reference_sampler import placed
from racecar.dynamics.integrators import find_integrator, step_function
from racecar.dynamics.vehicles.interface import Command, Equations
from racecar.metrics.path_kernels import POINT_NUMBERS
from racecar.simulation.lanes import (
    Before,
    DrivenTick,
    LaneControl,
    LaneMotion,
    MovingParts,
    Status,
)
from racecar.simulation.layout import LANES, Layout, Loop

# Fewer do not fill a vector of the processor.
_MIN_VECTOR_CARS = 8

COLUMN_COUNT = 11
"""Numbers of a row of RunTable."""

NOISE_CHANNELS = 8
"""Deviations of noise: x, y, yaw, vx, vy, yaw rate as measured; two of the motion."""


class MotionParts(NamedTuple):
    """Where a block has what its cars need to move; work: what stages leave to the next."""

    state: Part[tuple[float, ...]]
    held: Part[Numbers]
    work: Part[Numbers]


def motion_parts(layout: Layout, equations: Equations, integrator: str) -> MotionParts:
    """Place what cars need to move. Raises ParameterError if the method is unknown."""
    work = find_integrator(integrator).begin(equations.state)
    at, fields = first_row(work, 'point'), getattr(equations.state, '_fields', ())
    # Rates do not depend on where the car is.
    unread = tuple(at + first_row(equations.state, field)
                   for field in ('x', 'y') if field in fields)
    return MotionParts(
        layout.part(equations.state), layout.part(equations.held), layout.part(work, unread))


def _stage_loops(
    equations: Equations, integrator: str, parts: MotionParts, k: int = 0,
) -> Callable[..., None]:
    """Pure function (rows, count, dt) that does the stages from k on, all cars in each."""
    method = find_integrator(integrator)
    begin, stage, end, rates = method.begin, method.stage, method.end, equations.rates
    state_part, held_part, work_part = parts
    is_first, is_last = k == 0, k == method.stages - 1

    if is_last:
        @importable
        def last_stage(rows: Flat, count: int, dt: float) -> None:
            for i in range(count):
                state = load(rows, state_part, i)
                start = at_origin(state)
                work = begin(start) if is_first else load(rows, work_part, i)
                work = stage(rates, start, work, load(rows, held_part, i), dt, k)
                store(rows, state_part, i, moved(state, end(start, work, dt)))

        return last_stage

    following = _stage_loops(equations, integrator, parts, k + 1)

    @importable
    def stages(rows: Flat, count: int, dt: float) -> None:
        for i in range(count):
            start = at_origin(load(rows, state_part, i))
            work = begin(start) if is_first else load(rows, work_part, i)
            store(rows, work_part, i,
                  stage(rates, start, work, load(rows, held_part, i), dt, k))
        following(rows, count, dt)

    return stages


def integration(
    equations: Equations, integrator: str, parts: MotionParts,
) -> Callable[[Flat, int, float, int], None]:
    """Pure function (rows, count, dt [s], steps) that moves the first `count` cars on.

    The operations of a step wait for each other; so few fit into a stage that the processor works
    on those of several cars at a time. Few cars are faster in registers.
    """
    step = step_function(equations.rates, integrator)
    stages = _stage_loops(equations, integrator, parts)
    state_part, held_part, _ = parts

    @importable
    def integrate(rows: Flat, count: int, dt: float, steps: int) -> None:
        if count < _MIN_VECTOR_CARS:
            for i in range(count):
                state, held = load(rows, state_part, i), load(rows, held_part, i)
                for _ in range(steps):
                    state = step(state, held, dt)
                store(rows, state_part, i, state)
        else:
            for _ in range(steps):
                stages(rows, count, dt)

    return integrate


class CommandLimits(NamedTuple):
    """Limits of a vehicle [m/s, rad]."""

    speed_min: float
    speed_max: float
    steering_min: float
    steering_max: float


class Path(NamedTuple):
    """Which reference a car follows, where its origin is, how far ahead the tracked point [m]."""

    reference: float
    origin_x: float
    origin_y: float
    tracked_ahead: float


class Score(NamedTuple):
    """Sums of MetricsSum."""

    samples: float
    sum_squared: float
    ise: float
    max_squared: float
    last_squared: float


class Answered(NamedTuple):
    """Of a control that may fail: tick at which it was asked last, and at which it failed, or -1.

    speed, steering_angle: what it commanded then.
    """

    asked: float
    failed: float
    speed: float
    steering_angle: float


class Key(NamedTuple):
    """What the random numbers of a car are made of besides the tick: two words."""

    first: float
    second: float


class Draws(NamedTuple):
    """By how much noise pushes a car after a tick [SI]."""

    lateral: float
    turning: float


class Plan(NamedTuple):
    """What a call of a block kernel is to do.

    depth: of Lines; cars: how many; first, ticks: the first tick and how many;
    last: the one that is not driven; skip: time from which metrics count [s]; period: of a tick
    [s]; dt: step [s], steps in a tick; every: one of so many ticks is recorded, 0 for none;
    samples: of each car; noisy, shown: 1 or 0; deviations: of the noise.
    """

    depth: float
    cars: float
    first: float
    ticks: float
    last: float
    skip: float
    period: float
    dt: float
    steps: float
    every: float
    samples: float
    noisy: float
    shown: float
    deviations: tuple[float, ...]


NO_PLAN = Plan(*(0.0,) * 13, deviations=(0.0,) * NOISE_CHANNELS)
_PLAN = Part(NO_PLAN)


class BlockParts(NamedTuple):
    """Where a block of driven cars has its numbers; rows: how many in all.

    seen: the car as its control sees it; quaternion: z and w; point: the tracked one [m];
    key: of the noise; lateral, turning: rows of the state that noise pushes, None if the state has
    none.
    """

    rows: int
    moving: MovingParts
    score: Part[Score]
    answered: Part[Answered]
    control_state: Part[Numbers]
    limits: Part[Numbers]
    path: Part[Path]
    control: Part[Numbers]
    seen: Part[CarMotion]
    quaternion: Part[tuple[float, float]]
    point: Part[tuple[float, float]]
    target: Part[Numbers]
    key: Part[Key]
    draws: Part[Draws]
    lateral: Part[tuple[float]] | None
    turning: Part[tuple[float]] | None


def block_parts(motion: LaneMotion, control: LaneControl) -> BlockParts:
    """Place the numbers of a block. Raises ParameterError if the method is unknown."""
    layout = Layout()
    part = layout.part
    state, own = motion.place(layout)
    moving = MovingParts(
        state, own, part(motion.inputs), part(motion.parameters), part(motion.command),
        part(Before(motion.state, motion.inputs)), part(Status(0.0, 0.0)), part(motion.line))
    lateral, turning = (None if row is None else Part((0.0,), state.first + row, LANES)
                        for row in motion.pushed)
    return BlockParts(
        0, moving, part(zeros_of(Score)), part(zeros_of(Answered)), part(control.state),
        part(motion.state), part(zeros_of(Path)), part(control.parameters),
        part(zeros_of(CarMotion)), part((0.0, 0.0)), part((0.0, 0.0)), part(control.reference),
        part(Key(0.0, 0.0)), part(Draws(0.0, 0.0)), lateral, turning)._replace(rows=layout.rows)


def _observation(motion: LaneMotion, parts: BlockParts) -> Loop:
    observe, moving = motion.observe, parts.moving
    state_part, inputs_part, parameters_part = moving.state, moving.inputs, moving.parameters
    seen_part, quaternion_part = parts.seen, parts.quaternion

    @importable
    def observe_all(rows: Flat, count: int) -> None:
        for i in range(count):
            x, y, qz, qw, vx, vy, yaw_rate = observe(
                load(rows, state_part, i), load(rows, inputs_part, i),
                load(rows, parameters_part, i))
            store(rows, seen_part, i, CarMotion(x, y, 0.0, vx, vy, yaw_rate))
            store(rows, quaternion_part, i, (qz, qw))
        # The heading as a listener computes it; apart, as few operations wait for each other then.
        for i in range(count):
            qz, qw = load(rows, quaternion_part, i)
            car = load(rows, seen_part, i)
            store(rows, seen_part, i, CarMotion(
                car.x, car.y, quaternion_to_yaw(0.0, 0.0, qz, qw), car.vx, car.vy, car.yaw_rate))

    return observe_all


def _placement(parts: BlockParts) -> Loop:
    path_part, target_part = parts.path, parts.target
    one = Part(target_part.example)
    size = count_numbers(target_part.example)

    @importable
    def place_all(rows: Flat, count: int, references: Flat, first: int) -> None:
        for i in range(count):
            path = load(rows, path_part, i)
            store(rows, target_part, i, placed(
                load(references, one, first + size * int(path.reference)),
                path.origin_x, path.origin_y))

    return place_all


def _locating(control: LaneControl, parts: BlockParts) -> Loop:
    """Pure function that moves the references of cars by progress to the nearest points."""
    row, seen_part = control.way_row, parts.seen
    target_part = cast('Part[LineReference]', parts.target)
    if row is None:
        @importable
        def locate_none(rows: Flat, count: int, numbers: Flat) -> None:
            pass

        return locate_none
    way_part = Part((0.0,), parts.control_state.first + row, LANES)

    @importable
    def locate_all(rows: Flat, count: int, numbers: Flat) -> None:
        for i in range(count):
            store(rows, target_part, i, located(
                load(rows, target_part, i), load(rows, way_part, i)[0], load(rows, seen_part, i),
                numbers, i))

    return locate_all


def _tracking(parts: BlockParts) -> Loop:
    path_part = parts.path

    @importable
    def is_ahead(rows: Flat, count: int) -> bool:
        """Whether the tracked point of a car is not base_link."""
        ahead = False
        for i in range(count):
            ahead = ahead or load(rows, path_part, i).tracked_ahead != 0.0
        return ahead

    return is_ahead


def _scoring(parts: BlockParts) -> Loop:
    path_part, seen_part, point_part = parts.path, parts.seen, parts.point
    status_part, score_part = parts.moving.status, parts.score
    target_part = Part((0.0, 0.0), parts.target.first, parts.target.lanes)

    @importable
    def score_all(rows: Flat, count: int, ahead: bool, elapsed: float, counts: bool) -> None:
        if ahead:
            # As RunTable does it.
            for i in range(count):
                car, distance = load(rows, seen_part, i), load(rows, path_part, i).tracked_ahead
                sine, cosine = sine_cosine(car.yaw)
                store(rows, point_part, i, (
                    car.x + distance * cosine, car.y + distance * sine))
        else:
            for i in range(count):
                car = load(rows, seen_part, i)
                store(rows, point_part, i, (car.x, car.y))
        # What MetricsSum adds.
        for i in range(count):
            x, y = load(rows, point_part, i)
            target_x, target_y = load(rows, target_part, i)
            error_x, error_y = x - target_x, y - target_y
            squared = error_x * error_x + error_y * error_y
            scores = counts and load(rows, status_part, i).diverged < 0.0
            s = load(rows, score_part, i)
            area = 0.5 * (squared + s.last_squared) * elapsed
            store(rows, score_part, i, Score(
                s.samples + (1.0 if scores else 0.0),
                s.sum_squared + (squared if scores else 0.0),
                s.ise + (area if scores and s.samples > 0.0 else 0.0),
                squared if scores and squared > s.max_squared else s.max_squared, squared))

    return score_all


def _showing(parts: BlockParts) -> Loop:
    point_part = parts.point
    target_part = Part((0.0, 0.0), parts.target.first, parts.target.lanes)

    @importable
    def show_all(rows: Flat, count: int, points: Flat, first: int) -> None:
        for i in range(count):
            at = first * LANES + i
            x, y = load(rows, point_part, i)
            target_x, target_y = load(rows, target_part, i)
            points[at], points[at + LANES] = x, y
            points[at + 2 * LANES], points[at + 3 * LANES] = target_x, target_y

    return show_all


def _measuring(parts: BlockParts) -> Loop:
    seen_part, key_part = parts.seen, parts.key
    draws_part = parts.draws

    @importable
    def disturb_all(rows: Flat, count: int, tick: int, d: Sequence[float], root: float) -> None:
        for i in range(count):
            key, car = load(rows, key_part, i), load(rows, seen_part, i)
            words = int(key.first), int(key.second)
            x, y, yaw, vx = four_normals(philox((tick, 0, 0, 0), words))
            vy, yaw_rate, lateral, turning = four_normals(philox((tick, 1, 0, 0), words))
            store(rows, draws_part, i, Draws(root * d[6] * lateral, root * d[7] * turning))
            store(rows, seen_part, i, CarMotion(
                car.x + d[0] * x, car.y + d[1] * y, car.yaw + d[2] * yaw, car.vx + d[3] * vx,
                car.vy + d[4] * vy, car.yaw_rate + d[5] * yaw_rate))

    return disturb_all


def _pushing(parts: BlockParts) -> Loop:
    lateral_part, turning_part, draws_part = parts.lateral, parts.turning, parts.draws
    if lateral_part is None or turning_part is None:
        @importable
        def push_none(rows: Flat, count: int) -> None:
            pass

        return push_none
    lateral_at, turning_at = lateral_part, turning_part

    @importable
    def push_all(rows: Flat, count: int) -> None:
        for i in range(count):
            lateral, turning = load(rows, lateral_at, i)[0], load(rows, turning_at, i)[0]
            draws = load(rows, draws_part, i)
            store(rows, lateral_at, i, (lateral + draws.lateral,))
            store(rows, turning_at, i, (turning + draws.turning,))

    return push_all


def _rolling(motion: LaneMotion, control: LaneControl, parts: BlockParts) -> Loop:
    """Pure function that tells a control that looks how fast the rear wheels roll."""
    rolling, row = motion.rolling, control.rolling_row
    state_part, parameters_part, seen_part = (
        parts.moving.state, parts.moving.parameters, parts.seen)
    if row is None:
        @importable
        def tell_none(rows: Flat, count: int) -> None:
            pass

        return tell_none
    speed_part = Part((0.0,), parts.control_state.first + row, LANES)

    @importable
    def tell_all(rows: Flat, count: int) -> None:
        for i in range(count):
            store(rows, speed_part, i, (rolling(
                load(rows, state_part, i), load(rows, parameters_part, i),
                load(rows, seen_part, i).vx),))

    return tell_all


def _control(control: LaneControl, parts: BlockParts) -> Loop:
    answer = control.answer
    status_part, command_part = parts.moving.status, parts.moving.command
    state_part, control_part = parts.control_state, parts.control
    seen_part, target_part = parts.seen, parts.target
    answered_part = parts.answered
    sight = sight_for(control.way_row)

    if not control.is_foreign:
        @importable
        def control_all(
            rows: Flat, count: int, period: float, tick: int, numbers: Flat,
        ) -> None:
            for i in range(count):
                status = load(rows, status_part, i)
                after, command = answer(
                    load(rows, state_part, i), load(rows, control_part, i),
                    load(rows, seen_part, i), sight(load(rows, target_part, i), numbers, i),
                    period if status.started > 0.0 else 0.0)
                store(rows, state_part, i, after)
                store(rows, status_part, i, Status(status.diverged, 1.0))
                store(rows, command_part, i, command)

        return control_all

    @importable
    def ask_all(rows: Flat, count: int, period: float, tick: int, numbers: Flat) -> None:
        for i in range(count):
            status = load(rows, status_part, i)
            # Alone, a car that has diverged or failed is not asked any more.
            if status.diverged >= 0.0:
                continue
            before = load(rows, answered_part, i)
            store(rows, answered_part, i, Answered(
                float(tick), before.failed, before.speed, before.steering_angle))
            store(rows, status_part, i, Status(status.diverged, 1.0))
            after, command = answer(
                load(rows, state_part, i), load(rows, control_part, i), load(rows, seen_part, i),
                sight(load(rows, target_part, i), numbers, i),
                period if status.started > 0.0 else 0.0)
            store(rows, state_part, i, after)
            store(rows, command_part, i, command)
            if not (math.isfinite(command.speed) and math.isfinite(command.steering_angle)):
                store(rows, status_part, i, Status(float(tick), 1.0))
                store(rows, answered_part, i, Answered(
                    float(tick), float(tick), command.speed, command.steering_angle))

    return ask_all


def _recording(parts: BlockParts) -> Loop:
    status_part, command_part = parts.moving.status, parts.moving.command
    seen_part = parts.seen
    target_part = Part((0.0, 0.0), parts.target.first, parts.target.lanes)

    @importable
    def record_all(
        rows: Flat, count: int, records: Flat, sample: int, samples: int, time: float,
    ) -> None:
        for i in range(count):
            # A car that has diverged leaves its rows as they are.
            if load(rows, status_part, i).diverged >= 0.0:
                continue
            at = COLUMN_COUNT * (i * samples + sample)
            car, command = load(rows, seen_part, i), load(rows, command_part, i)
            x, y = load(rows, target_part, i)
            records[at], records[at + 1], records[at + 2] = time, car.x, car.y
            records[at + 3], records[at + 4], records[at + 5] = car.yaw, car.vx, car.vy
            records[at + 6], records[at + 7], records[at + 8] = car.yaw_rate, x, y
            records[at + 9], records[at + 10] = recorded(command)

    return record_all


@by_type
def recorded(command: Numbers) -> tuple[float, float]:
    """Speed [m/s] and steering angle [rad] of a command, NaN for what it has none of."""
    raise NotImplementedError


@recorded.register(Command)
def _recorded(command: Command) -> tuple[float, float]:
    return command.speed, command.steering_angle


@recorded.register(BodyTwist)
def _recorded_twist(command: BodyTwist) -> tuple[float, float]:
    return command.speed, math.nan


@importable
def limited(command: Command, most: CommandLimits) -> Command:
    """Command within the limits of a vehicle."""
    return Command(min(max(command.speed, most.speed_min), most.speed_max),
                   min(max(command.steering_angle, most.steering_min), most.steering_max))


def _checking(parts: BlockParts) -> Loop:
    """Pure function that puts a car whose state leaves its limits back, for good."""
    moving, limits_part = parts.moving, parts.limits
    state_part, status_part = moving.state, moving.status
    inputs_part, before_part = moving.inputs, moving.before

    @importable
    def check_all(rows: Flat, count: int, tick: int) -> None:
        invalid = 0
        for i in range(count):
            stands = within(load(rows, state_part, i), load(rows, limits_part, i))
            invalid += 0 if stands & (load(rows, status_part, i).diverged < 0.0) else 1
        # Rare, and apart, so that the loop above vectorises.
        if invalid > 0:
            for i in range(count):
                status = load(rows, status_part, i)
                if status.diverged >= 0.0 or not within(
                        load(rows, state_part, i), load(rows, limits_part, i)):
                    before = load(rows, before_part, i)
                    store(rows, state_part, i, before.state)
                    store(rows, inputs_part, i, before.inputs)
                    store(rows, status_part, i, Status(
                        status.diverged if status.diverged >= 0.0 else float(tick),
                        status.started))

    return check_all


RunBlock = Callable[[tuple[Flat, Flat], Flat, Flat, Flat, Flat, Flat], None]
"""run(cars, lines, references, records, points, plan): see block_kernel()."""


@functools.cache
def block_kernel(motion: LaneMotion, control: LaneControl) -> RunBlock:
    """Compiled function that runs some ticks of a block, all its arguments flat.

    cars: rows, see block_parts(), and lane_numbers() of cars by progress, of which it writes the
    memories; lines: numbers of the Lines of the motion; references: (ticks,
    references, their size); records: (count, samples, COLUMN_COUNT); points: (ticks,
    POINT_NUMBERS, LANES), filled if shown; plan: numbers of a Plan, then the times since the start
    [s] of the tick before, any for the first one, and of these. Raises ParameterError if the
    method is unknown.
    """
    parts = block_parts(motion, control)
    observe_all, place_all, is_ahead, score_all = (
        _observation(motion, parts), _placement(parts), _tracking(parts), _scoring(parts))
    show_all, disturb_all, push_all = _showing(parts), _measuring(parts), _pushing(parts)
    roll_all = _rolling(motion, control, parts)
    control_all, record_all, check_all = (
        _control(control, parts), _recording(parts), _checking(parts))
    locate_all = _locating(control, parts)
    drive_all, plan_numbers = motion.drive(parts.moving), _PLAN.after

    def run_block(
        cars: tuple[Flat, Flat], lines: Flat, references: Flat, records: Flat, points: Flat,
        plan: Flat,
    ) -> None:
        rows, numbers = cars
        p, times = load(plan, _PLAN, 0), plan[plan_numbers:]
        count, first, ticks, last = int(p.cars), int(p.first), int(p.ticks), int(p.last)
        every, depth, steps = int(p.every), int(p.depth), int(p.steps)
        root, ahead = math.sqrt(p.period), is_ahead(rows, count)
        for k in range(ticks):
            tick, time = first + k, times[k + 1]
            observe_all(rows, count)
            place_all(rows, count, references, k * (len(references) // ticks))
            locate_all(rows, count, numbers)
            # Metrics are of where the car is, not of where it believes to be.
            score_all(
                rows, count, ahead, time - times[k] if tick else 0.0, time >= p.skip)
            if p.shown > 0.0:
                show_all(rows, count, points, POINT_NUMBERS * k)
            roll_all(rows, count)
            if p.noisy > 0.0:
                disturb_all(rows, count, tick, p.deviations, root)
            control_all(rows, count, p.period, tick, numbers)
            if every > 0 and tick % every == 0:
                record_all(rows, count, records, tick // every, int(p.samples), time)
            if tick < last:
                drive_all(rows, lines, count, DrivenTick(tick, depth, p.dt, steps))
                if p.noisy > 0.0:
                    push_all(rows, count)
                check_all(rows, count, tick)

    return compiled(run_block, f"(UniTuple(float64[::1], 2), {', '.join(['float64[::1]'] * 5)})")
