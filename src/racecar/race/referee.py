# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The referee of a heat, who judges by places, contacts and simulated time alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
import math
from typing import NamedTuple

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS, Pose2
from racecar.base.vectors import as_vector, vector
from racecar.metrics.course_places import Places, poses_on
from racecar.metrics.laps import Course, LapBatch, LapState, NO_LAPS, Points
from racecar.race.events import (
    CarLook,
    CONTACT,
    CRASH,
    DISQUALIFIED,
    END,
    FALSE_START,
    FINISHED,
    GREEN,
    LAP,
    Meeting,
    Order,
    RaceEvent,
    RESTART,
    RETIRED,
    STANDING,
    TOUCH,
    WARNING,
    WRONG_WAY,
)
from racecar.race.rules import HEAD_TO_HEAD, QUALIFYING, Rules, TIME_TRIAL
from racecar.race.standings import CarResult, HeatResult, LapOfRace

GRID, COUNTDOWN, RUNNING, OVER = 'grid', 'countdown', 'green', 'finished'
"""States of a heat."""

RACING, OFF = 'racing', 'off'
"""A car that is on the track, and one that waits beside it to be put back; for others FINISHED,
RETIRED and DISQUALIFIED."""

# Who has moved so far from the grid has started, and who has not moved so far stands [m].
_STARTED, _MOVED = 0.05, 0.1
# Places for a car that is put back: this far behind each other, so many [m].
_BACK, _TRIES = 0.25, 40
# Cars closing equally fast are equally to blame [m/s].
_EQUAL = 1e-9
# How much longer a car that was put back may take until it counts as going the right way [s].
_GRACE = 5.0


@dataclass
class _Entry:
    """A car in the heat; times [ns]."""

    name: str
    grid: Pose2
    status: str = RACING
    touches: int = 0
    crashes: int = 0
    warnings: int = 0
    wrong_ways: int = 0
    has_jumped: bool = False
    held_until: int = 0
    laps: list[LapOfRace] = field(default_factory=list)
    # When it passed the line, the begin of its first lap first [s].
    lines: list[float] = field(default_factory=list)
    finished: float = math.nan
    is_clean: bool = True
    is_untouched: bool = True
    # Progress minus what it has driven, since it was first seen to move [m].
    offset: float = math.nan
    touch_since: int | None = None
    deepest: float = 0.0
    stops: int = 0
    is_off_course: bool = False
    anchor: tuple[float, float] = (math.nan, math.nan)
    anchored_at: int = 0
    wrong_since: int | None = None
    was_put_back: bool = False
    # Where it goes back to, when, and whether to its place on the grid.
    way: float = math.nan
    back_at: int = 0


class Standing(NamedTuple):
    """A car at present: its place from 1, and what a list of standings shows.

    gap: behind the first at the last line that it passed [s], NaN if there is none; distance:
    along the course since the line of the start [m]; last, best: laps [s], NaN for none.
    """

    place: int
    name: str
    status: str
    laps: int
    distance: float
    gap: float
    last: float
    best: float
    touches: int
    crashes: int
    warnings: int


class Referee:
    """Judges a heat. state: GRID, COUNTDOWN, RUNNING or OVER; events: so far, in their order."""

    def __init__(
        self, names: Sequence[str], course: Course, rules: Rules, grid: Sequence[Pose2],
        has_room: Callable[[int, Pose2], bool] = lambda _car, _pose: True,
    ) -> None:
        """grid: where the cars start; has_room: whether a car can be put at a pose now.

        Raises ConfigurationError for a course that is not closed.
        """
        if not course.is_closed:
            raise ConfigurationError(
                'the course of the race is open, expected a closed centre line, whose last point'
                ' repeats the first')
        self.rules, self.course, self.state = rules, course, GRID
        self.events: list[RaceEvent] = []
        self._entries = [_Entry(name, pose)
                         for name, pose in zip(names, grid, strict=True)]
        self._has_room = has_room
        self._length = course.length
        self._timer = LapBatch([course] * len(names))
        self._ends = vector(np.full(len(names), -1.0))
        # What the timer knows of each car.
        self._laps: list[LapState] = [NO_LAPS] * len(names)
        self._now = 0
        self._before: Sequence[CarLook] = ()
        self._pairs: set[tuple[int, int]] = set()
        self._orders: list[Order] = []
        self._is_chequered = False

    @property
    def is_over(self) -> bool:
        """Whether the heat has ended."""
        return self.state == OVER

    @property
    def time(self) -> float:
        """Of the last look, since the countdown began [s]."""
        return self._now / NANOSECONDS

    def may_drive(self, car: int) -> bool:
        """Whether the commands of a car reach its wheels."""
        entry = self._entries[car]
        if entry.status != RACING or self.state == OVER:
            return False
        return self._now >= entry.held_until if self.state == RUNNING else not self.rules.hold

    def is_racing(self, car: int) -> bool:
        """Whether a car is in the race, on the track or waiting beside it."""
        return self._entries[car].status in (RACING, OFF)

    def is_on_track(self, car: int) -> bool:
        """Whether a car is where others can meet it."""
        return self._entries[car].status == RACING

    def look(
        self, time_ns: int, looks: Sequence[CarLook], meetings: Sequence[Meeting],
    ) -> list[Order]:
        """Judge what is at a time since the countdown began [ns]; returns what is to be done.

        Times ascend. meetings: of cars that are side by side.
        """
        self._now, self._orders = time_ns, []
        if self.state == OVER:
            return []
        before = self._before or looks
        self._before = tuple(looks)
        if self.state == GRID:
            self.state = COUNTDOWN
        if self.state == COUNTDOWN:
            self._watch_grid(looks)
        if self.state == RUNNING:
            self._time_laps(looks)
            rose = self._rose(looks)
            met = self._judge_meetings(meetings, before, rose)
            for car, look in enumerate(looks):
                if self.is_on_track(car):
                    self._judge(car, look, hit=car in rose and car not in met)
            self._put_back()
            self._end_in_time()
        return self._orders

    def retire(self, car: int, reason: str) -> list[Order]:
        """Take a car out of the race, for a reason that its event tells.

        Returns what is to be done.
        """
        self._orders = []
        self._leave(car, RETIRED, reason)
        return self._orders

    def restart(self, car: int, reason: str) -> list[Order]:
        """Put a car on the track anew, as after a crash. Returns what is to be done."""
        self._orders = []
        if self.state == RUNNING and self.is_on_track(car):
            self._crash(car, CRASH, reason)
        return self._orders

    def stop(self) -> None:
        """End the heat."""
        if self.state != OVER:
            self.state = OVER
            self._tell(None, END, 'end of the heat')

    # What happened.

    def _tell(self, car: int | None, kind: str, text: str, value: float = 0.0,
              time: float | None = None) -> None:
        x = y = math.nan
        if car is not None and self._before:
            x, y = self._before[car].x, self._before[car].y
        self.events.append(RaceEvent(
            self.time if time is None else time,
            '' if car is None else self._entries[car].name, kind, text, value, x, y))

    # The start.

    def _watch_grid(self, looks: Sequence[CarLook]) -> None:
        for car, (entry, look) in enumerate(zip(self._entries, looks, strict=True)):
            if entry.status == RACING \
                    and math.dist((look.x, look.y), entry.grid[:2]) > _STARTED:
                self._orders.append(Order(car, entry.grid))
                if not entry.has_jumped:
                    entry.has_jumped = True
                    self._tell(car, FALSE_START,
                               f'false start, held for {self.rules.false_start:g} s')
        start = _ns(self.rules.countdown)
        if self._now >= start:
            self.state = RUNNING
            self._tell(None, GREEN, 'go')
            for entry, look in zip(self._entries, looks, strict=True):
                entry.held_until = self._now + (
                    _ns(self.rules.false_start) if entry.has_jumped else 0)
                entry.anchor, entry.anchored_at = (look.x, look.y), entry.held_until
                entry.stops = look.stops

    # Laps.

    def _time_laps(self, looks: Sequence[CarLook]) -> None:
        count = len(looks)
        places = np.full(2 * count, math.nan)
        for car, look in enumerate(looks):
            if self.is_on_track(car) or self._tries_again(car):
                places[car], places[count + car] = look.x, look.y
        self._timer.add(vector([self.time]), Points(as_vector(places), 2 * count, count),
                        self._ends)
        seen = [car for car in range(count) if self.is_on_track(car)]
        for car in seen:
            self._laps[car] = self._timer.state(car)
        # With the lap of the winner others finish who pass the line after it.
        for car in sorted(seen, key=self._completed):
            self._note_laps(car, self._laps[car])

    def _completed(self, car: int) -> float:
        """When a car has completed a lap that is not noted yet [s], else no time."""
        clock = self._laps[car].clock
        return clock.sector_begun if int(clock.laps) > len(self._entries[car].laps) else -math.inf

    def _tries_again(self, car: int) -> bool:
        """Whether a car waits beside the track, where the timer sees it, for a lap from anew."""
        return self.rules.format == QUALIFYING and self._entries[car].status == OFF

    def _note_laps(self, car: int, state: LapState) -> None:
        entry = self._entries[car]
        progress, driven, begun = state.place.progress, state.place.driven, state.clock.begun
        if not math.isnan(progress):
            entry.way = progress
            if math.isnan(entry.offset):
                entry.offset = progress - driven
        if int(state.clock.laps) > len(entry.laps):
            result = self._timer.result(car)
            assert result is not None
            lap = result.laps[-1]
            entry.laps.append(LapOfRace(*lap, entry.is_clean))
            entry.lines.append(lap.begun + lap.time)
            self._tell(car, LAP, f'lap {len(entry.laps)} in {lap.time:.3f} s', lap.time,
                       lap.begun + lap.time)
            is_untouched = entry.is_untouched
            entry.is_clean = entry.is_untouched = True
            self._finish(car, is_untouched=is_untouched)
        elif not math.isnan(begun) and (
                not entry.lines or not entry.laps and entry.lines != [begun]):
            # The first lap begins, perhaps anew, or that of another try.
            entry.lines = [begun]
            entry.is_clean = entry.is_untouched = True

    def _finish(self, car: int, *, is_untouched: bool) -> None:
        """Let a car that has completed a lap finish, if that was its last one."""
        entry, rules = self._entries[car], self.rules
        done = rules.format != TIME_TRIAL and len(entry.laps) >= rules.laps
        if rules.format == QUALIFYING:
            done = is_untouched and entry.laps[-1].is_clean
        if done or self._is_chequered:
            entry.finished = entry.lines[-1]
            self._is_chequered |= rules.format == HEAD_TO_HEAD
            self._leave(car, FINISHED, 'finished',
                        time=entry.finished)

    # Contacts.

    def _rose(self, looks: Sequence[CarLook]) -> set[int]:
        """Cars that something has stopped since the last look."""
        found = set()
        for car, (entry, look) in enumerate(zip(self._entries, looks, strict=True)):
            if look.stops > entry.stops and self.is_on_track(car):
                found.add(car)
            entry.stops = look.stops
        return found

    def _judge_meetings(
        self, meetings: Sequence[Meeting], before: Sequence[CarLook], rose: set[int],
    ) -> set[int]:
        """Judge contacts that have begun; returns the cars that are in contact with another."""
        near = {meeting[:2]: meeting for meeting in meetings
                if self.is_on_track(meeting.one) and self.is_on_track(meeting.other)}
        self._pairs &= near.keys()
        met = {car for pair in self._pairs for car in pair}
        for pair, meeting in near.items():
            if pair not in self._pairs and rose & {*pair}:
                self._pairs.add(pair)
                met |= {*pair}
                self._judge_meeting(meeting, before)
        return met

    def _judge_meeting(self, meeting: Meeting, before: Sequence[CarLook]) -> None:
        """Say which of two cars that met is to blame, and what follows."""
        one, other, nx, ny = meeting
        pushed_one = _along(before[one], nx, ny)
        pushed_other = -_along(before[other], nx, ny)
        closing = pushed_one + pushed_other
        names = [self._entries[car].name for car in (one, other)]
        if closing < 0.0:
            # They have room again already.
            return
        if closing < self.rules.nudge_speed:
            for car in (one, other):
                self._entries[car].touches += 1
                self._entries[car].is_untouched = False
            self._tell(one, CONTACT, f'{names[0]} and {names[1]} touch at {closing:.2f} m/s',
                       closing)
            return
        if abs(pushed_one - pushed_other) <= _EQUAL:
            guilty = one if self._distance(one) < self._distance(other) else other
        else:
            guilty = one if pushed_one > pushed_other else other
        victim = other if guilty == one else one
        entry = self._entries[guilty]
        entry.warnings += 1
        self._tell(guilty, WARNING, f'{entry.name} ran into {self._entries[victim].name} at'
                   f' {closing:.2f} m/s, warning {entry.warnings}', closing)
        self._entries[victim].is_untouched = False
        if entry.warnings >= self.rules.warnings:
            self._leave(guilty, DISQUALIFIED, f'{entry.warnings} warnings')
            return
        self._crash(guilty, CRASH, f'into {self._entries[victim].name}', closing)
        entry.way = self._entries[victim].way - self.rules.setback

    def _judge(self, car: int, look: CarLook, *, hit: bool) -> None:
        """Judge what a car on the track does by itself."""
        entry, rules = self._entries[car], self.rules
        state = self._laps[car]
        if look.silence > rules.silence:
            self._leave(car, RETIRED, f'silent for {look.silence:.1f} s')
        elif hit or (look.depth > 0.0 and look.depth >= rules.touch_depth):
            depth = max(look.depth, entry.deepest)
            self._crash(car, CRASH, f'into the border, {100.0 * depth:.1f} cm' if depth
                        else 'into the border', depth)
        elif state.exits.is_off and not entry.is_off_course:
            self._crash(car, CRASH, 'off the track')
        elif self._lasts(car, look.depth):
            self._crash(car, CRASH, f'at the border for {rules.lasting_contact:g} s',
                        entry.deepest)
        elif self._is_wrong(entry, state):
            entry.wrong_ways += 1
            self._crash(car, WRONG_WAY, 'goes the wrong way')
        elif self._stands(entry, look):
            self._crash(car, STANDING, f'stands for {rules.standing:g} s')
        entry.is_off_course = bool(state.exits.is_off)

    def _lasts(self, car: int, depth: float) -> bool:
        """Note a touch of the border; whether it has gone on for too long."""
        entry = self._entries[car]
        if depth > 0.0:
            if entry.touch_since is None:
                entry.touch_since, entry.deepest = self._now, 0.0
                entry.touches += 1
                entry.is_untouched = False
            entry.deepest = max(entry.deepest, depth)
            return self._now - entry.touch_since >= _ns(self.rules.lasting_contact)
        if entry.touch_since is not None:
            length = (self._now - entry.touch_since) / NANOSECONDS
            self._tell(car, TOUCH, f'touched the border, {100.0 * entry.deepest:.1f} cm for'
                       f' {length:.2f} s', entry.deepest)
            entry.touch_since, entry.deepest = None, 0.0
            if self.rules.format == QUALIFYING:
                # Another try.
                self._off(car)
        return False

    def _is_wrong(self, entry: _Entry, state: LapState) -> bool:
        if not state.turns.is_wrong:
            entry.wrong_since, entry.was_put_back = None, False
            return False
        if entry.wrong_since is None:
            entry.wrong_since = self._now
        limit = self.rules.wrong_way + (_GRACE if entry.was_put_back else 0.0)
        return self._now - entry.wrong_since >= _ns(limit)

    def _stands(self, entry: _Entry, look: CarLook) -> bool:
        if math.dist((look.x, look.y), entry.anchor) > _MOVED:
            entry.anchor, entry.anchored_at = (look.x, look.y), self._now
        return self._now - entry.anchored_at >= _ns(self.rules.standing)

    # Off the track, and back.

    def _crash(self, car: int, kind: str, text: str, value: float = 0.0) -> None:
        entry = self._entries[car]
        entry.crashes += 1
        self._tell(car, kind, text, value)
        if self.rules.crashes and entry.crashes >= self.rules.crashes:
            self._leave(car, RETIRED, f'after {entry.crashes} crashes')
            return
        self._off(car)

    def _off(self, car: int) -> None:
        """Take a car off the track until it is put back."""
        entry = self._entries[car]
        entry.is_clean = entry.is_untouched = False
        entry.status, entry.touch_since, entry.deepest = OFF, None, 0.0
        entry.back_at = self._now + _ns(self.rules.restart_delay)
        self._pairs = {pair for pair in self._pairs if car not in pair}
        self._orders.append(Order(car, None))

    def _leave(self, car: int, status: str, text: str, time: float | None = None) -> None:
        """Take a car off the track for good."""
        entry = self._entries[car]
        if entry.status in (FINISHED, RETIRED, DISQUALIFIED):
            return
        entry.status = status
        self._pairs = {pair for pair in self._pairs if car not in pair}
        self._orders.append(Order(car, None))
        self._tell(car, status, text, time=time)

    def _put_back(self) -> None:
        for car, entry in enumerate(self._entries):
            if entry.status != OFF or self._now < entry.back_at:
                continue
            pose = self._free_pose(car)
            if pose is None:
                continue
            entry.status, entry.was_put_back, entry.is_off_course = RACING, True, False
            entry.wrong_since, entry.stops = None, 0
            entry.anchor, entry.anchored_at = (pose.x, pose.y), self._now
            self._orders.append(Order(car, pose))
            self.events.append(RaceEvent(
                self.time, entry.name, RESTART, 'is put back on the track', 0.0, *pose[:2]))
            if self.rules.format == QUALIFYING:
                entry.lines = []
            # The next one when this one is there.
            return

    def _free_pose(self, car: int) -> Pose2 | None:
        """Where a car is put back: on the centre line, where there is room; None for nowhere."""
        entry = self._entries[car]
        if self.rules.format == QUALIFYING or math.isnan(entry.way):
            return entry.grid if self._has_room(car, entry.grid) else None
        ways = entry.way - _BACK * np.arange(_TRIES, dtype=np.float64)
        none = np.zeros(_TRIES)
        for row in poses_on(self.course, Places(ways, none, none)).tolist():
            if self._has_room(car, Pose2(*row)):
                return Pose2(*row)
        return None

    def _end_in_time(self) -> None:
        limit = _ns(self.rules.countdown) + _ns(self.rules.time_limit)
        if self._now >= limit or all(
                entry.status not in (RACING, OFF) for entry in self._entries):
            self.stop()

    # How they stand.

    def _distance(self, car: int) -> float:
        """Way of a car along the course since the line of the start [m]."""
        entry = self._entries[car]
        if math.isnan(entry.offset):
            return -math.inf
        return entry.offset + self._laps[car].place.driven

    def distances(self) -> list[float]:
        """Way of each car along the course since the start line [m], NaN before it moves."""
        return [found if math.isfinite(found) else math.nan
                for found in map(self._distance, range(len(self._entries)))]

    def _ranking(self) -> list[int]:
        """Numbers of the cars, the first one first."""
        def key(car: int) -> tuple[bool, float, int, float]:
            entry = self._entries[car]
            finished = math.inf if math.isnan(entry.finished) else entry.finished
            return (entry.status == DISQUALIFIED, finished if self._is_chequered else 0.0,
                    -len(entry.laps), -self._distance(car))

        return sorted(range(len(self._entries)), key=key)

    def standings(self) -> list[Standing]:
        """The cars, the first one first."""
        ranking = self._ranking()
        first = self._entries[ranking[0]]
        found = []
        for place, car in enumerate(ranking, start=1):
            entry = self._entries[car]
            line = min(len(entry.lines), len(first.lines)) - 1
            times = [lap.time for lap in entry.laps]
            distance = self._distance(car)
            found.append(Standing(
                place, entry.name, entry.status, len(entry.laps),
                distance if math.isfinite(distance) else math.nan,
                entry.lines[line] - first.lines[line] if line >= 0 else math.nan,
                times[-1] if times else math.nan, min(times, default=math.nan), entry.touches,
                entry.crashes, entry.warnings))
        return found

    def result(self) -> HeatResult:
        """Result of the heat so far."""
        ranking = self._ranking()
        distances = self.distances()
        return HeatResult(self.time, tuple(self.events), tuple(
            CarResult(
                entry.name, place, entry.status, tuple(entry.laps), tuple(entry.lines),
                entry.finished, distances[car], entry.touches, entry.crashes, entry.warnings,
                entry.wrong_ways, entry.has_jumped)
            for place, car in enumerate(ranking, start=1)
            for entry in (self._entries[car],)))


def _ns(seconds: float) -> int:
    return round(seconds * NANOSECONDS)


def _along(look: CarLook, nx: float, ny: float) -> float:
    """Velocity of a car along a direction [m/s]."""
    c, s = math.cos(look.yaw), math.sin(look.yaw)
    return (look.vx * c - look.vy * s) * nx + (look.vx * s + look.vy * c) * ny
