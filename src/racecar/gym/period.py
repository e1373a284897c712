# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What happens around a control period, in loops over all cars: commands, views, rewards, ends."""

from __future__ import annotations

from collections.abc import Callable
import functools
import inspect
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import (
    compilation_failure,
    compiled,
    has_compiler,
    kernel,
    NO_NUMBA,
    pure,
    types_of,
)
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.rows import lent, load, Part, span, store
from racecar.base.types import CarMotion
from racecar.base.vectors import Flat
from racecar.control.policy.features import (
    ActionPlan,
    CarView,
    commanded,
    NO_LINE,
    ObservationPlan,
    write_observation,
)
from racecar.gym.following import follow, FollowedCourses
from racecar.gym.rewards import (
    Ending,
    EndRules,
    Guide,
    Reward,
    RewardWeights,
    rules_end,
    weighted_reward,
)
from racecar.metrics.lap_progress import Courses, line_of, NO_LAP_READING
from racecar.simulation.world_rows import CarReading, NO_READING

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_VIEW = CarView(CarMotion(*(0.0,) * 6), 0.0, 0.0, NO_LAP_READING, 0.0, 0.0, 1.0, 1.0)
_VIEW, _READING = Part(NO_VIEW), Part(NO_READING)
VIEW_SIZE, _READING_SIZE = _VIEW.after, _READING.after

SCENE, CARS, DIVERGED = 1.0, 2.0, 3.0
"""Contact of a CarView: with what stands around, with a car; or its model holds no more."""


class Road(NamedTuple):
    """Courses, speeds of the follower along them, and the course of each car, -1 for none."""

    courses: Courses
    speeds: Array
    where: Indices
    look_ahead: float
    look_ahead_time: float


def road_of(courses: Courses, speeds: FollowedCourses, where: Indices) -> Road:
    """What the loops know of the courses."""
    return Road(courses, speeds.speeds, where, *speeds[1:])


class Cars(NamedTuple):
    """Numbers of all cars: commands in force (cars, 2) [m/s, rad]; limits and wheelbase (cars, 3).

    views: CarView of each, flat.
    """

    commands: Array
    limits: Array
    views: Flat


@pure
def _view_of(readings: Flat, cars: Cars, i: int) -> CarView:
    r: CarReading = load(readings, _READING, _READING_SIZE * i)
    contact = SCENE if r.hit_scene > 0.0 else 0.0
    contact = CARS if r.hit_cars > 0.0 else contact
    contact = contact if r.valid > 0.0 else DIVERGED
    return CarView(
        CarMotion(r.x, r.y, r.yaw, r.vx, r.vy, r.yaw_rate), cars.commands[i, 0],
        cars.commands[i, 1], r.lap, contact, r.time, cars.limits[i, 0], cars.limits[i, 1])


@kernel
def command_all(actions: Array, plan: ActionPlan, chosen: Flags, cars: Cars) -> None:
    """Let the chosen cars have the commands of their actions, (cars, 2)."""
    for i in range(len(actions)):
        if chosen[i]:
            speed, angle = commanded(
                actions[i, 0], actions[i, 1], cars.commands[i, 0], cars.commands[i, 1], plan)
            cars.commands[i, 0], cars.commands[i, 1] = speed, angle


@kernel
def see_all(readings: Flat, chosen: Flags, cars: Cars) -> None:
    """Renew the views of the chosen cars."""
    for i in range(len(chosen)):
        if chosen[i]:
            store(cars.views, _VIEW, VIEW_SIZE * i, _view_of(readings, cars, i))


FACTS = ('contact', 'progress', 'driven', 'laps', 'lap_time', 'last_lap')
"""What infos tell of a car, by name."""


@kernel
def tell_all(readings: Flat, contacts: Array, found: Array) -> None:
    """Fill the FACTS of all cars, (facts, cars), each 0 where there is none."""
    for i in range(len(contacts)):
        lap = load(readings, _READING, _READING_SIZE * i).lap
        facts = contacts[i], lap.progress, lap.driven, lap.laps, lap.lap_time, lap.last_lap
        for k in range(len(facts)):
            found[k, i] = 0.0 if math.isnan(facts[k]) else facts[k]


@kernel
def follow_all(chosen: Flags, road: Road, cars: Cars) -> None:
    """Let the chosen cars, which have a course, have the commands of the follower."""
    for i in range(len(chosen)):
        if chosen[i]:
            guide = _guide(load(cars.views, _VIEW, VIEW_SIZE * i), road, cars.limits[i, 2], i)
            cars.commands[i, 0] = float(np.float32(guide.speed))
            cars.commands[i, 1] = float(np.float32(guide.steering_angle))


@pure
def _guide(view: CarView, road: Road, wheelbase: float, i: int) -> Guide:
    course = road.where[i]
    first = 0 if course == 0 else int(road.courses.ends[course - 1])
    last = int(road.courses.ends[course])
    return follow(view, line_of(road.courses, course), span(road.speeds, first, last), wheelbase,
                  road.look_ahead, road.look_ahead_time)


@kernel
def observe_all(
    plan: ObservationPlan, road: Road, cars: Cars, chosen: Flags, ranges: Floats, found: Floats,
) -> None:
    """Fill the observations of the chosen cars.

    ranges: of the beams of all cars, flat, in the order of the cars [m]; found: numbers, likewise.
    """
    own, own_plan, seen, told = lent(road.courses), lent(plan), lent(ranges), lent(found)
    beams, numbers = len(ranges) // len(chosen), len(found) // len(chosen)
    for i in range(len(chosen)):
        if chosen[i]:
            course = road.where[i]
            line = line_of(own, course) if course >= 0 else lent(NO_LINE)
            write_observation(
                own_plan, load(cars.views, _VIEW, VIEW_SIZE * i), line,
                span(seen, beams * i, beams * (i + 1)), span(told, numbers * i, numbers * (i + 1)))


class Judgement(NamedTuple):
    """Of each car: its reward, whether its episode has ended for good, and its contact."""

    rewards: Array
    ended: Flags
    contacts: Array


def _looping(reward: Reward, ended: Ending) -> Callable[..., None]:
    def judge(
        readings: Flat, road: Road, cars: Cars, rules: tuple[RewardWeights, EndRules],
        is_guided: bool, found: Judgement,
    ) -> None:
        weights, ends = rules
        for i in range(len(found.rewards)):
            before = load(cars.views, _VIEW, VIEW_SIZE * i)
            after = _view_of(readings, cars, i)
            guide = Guide(after.speed, after.steering_angle)
            if is_guided and road.where[i] >= 0:
                guide = _guide(before, road, cars.limits[i, 2], i)
            found.rewards[i] = reward(before, after, guide, weights)
            found.ended[i] = after.contact == DIVERGED or ended(after, ends)
            found.contacts[i] = after.contact
            store(cars.views, _VIEW, VIEW_SIZE * i, after)

    return judge


@functools.cache
def _judging(reward: Reward, ended: Ending, types: tuple[object, ...]) -> Callable[..., None]:
    return compiled(_looping(reward, ended), types)


def judging(
    reward: Reward = weighted_reward, ended: Ending = rules_end, *examples: object,
) -> Callable[..., None]:
    """Loop judge(readings, road, cars, rules, is_guided, found) over all cars.

    rules: weights and rules that the functions get; examples: arguments like those of its calls.
    Functions of the user's are compiled; raises ConfigurationError if that is not possible.
    """
    for name, function, count in (('reward', reward, 4), ('ended', ended, 2)):
        if len(inspect.signature(function).parameters) != count:
            raise ConfigurationError(
                f'{name} is {excerpt(function)}, expected a function of {count} arguments:'
                f' {"before, after, guide, weights" if count == 4 else "view, rules"}')
    made: list[Callable[..., None]] = []
    pure(reward)
    pure(ended)
    failure = compilation_failure(lambda: made.append(
        _judging(reward, ended, types_of(*examples))))
    if failure and failure != NO_NUMBA:
        raise ConfigurationError(
            f'reward or ended cannot be compiled: {failure}; they may use numbers, the fields of'
            ' their arguments and the module math')
    return made[0] if has_compiler() else _looping(reward, ended)
