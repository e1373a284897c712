# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The referee against scripted cars on a circle, whose laps and distances are known."""

from dataclasses import dataclass, replace
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.fields import Fields
from racecar.base.types import Pose2
from racecar.metrics.laps import Course
from racecar.race.events import CarLook, Meeting
from racecar.race.referee import Referee
from racecar.race.rules import FORMATS, read_rules, Rules
from racecar.race.standings import CarResult, final_standings, HeatResult, LapOfRace

RADIUS = 10.0
TICK = 0.02
ANGLES = np.linspace(0.0, 2.0 * math.pi, 721)
CIRCLE = Course.along(
    np.column_stack([RADIUS * np.cos(ANGLES), RADIUS * np.sin(ANGLES)]), np.ones((721, 2)))
# Of the polygon.
LENGTH = CIRCLE.length


@dataclass
class Car:
    """Drives round the circle at a speed; script: may change it at a time since the countdown."""

    angle: float = -0.05
    speed: float = 2.0
    depth: float = 0.0
    stops: int = 0
    silence: float = 0.0
    script: Any = None
    parked: bool = False

    def move(self, time, drives):
        if self.script:
            self.script(self, time)
        if drives and not self.parked:
            self.angle += self.speed / RADIUS * TICK

    def look(self):
        if self.parked:
            return CarLook(-1e3, 0.0, 0.0, 0.0, 0.0)
        return CarLook(
            RADIUS * math.cos(self.angle), RADIUS * math.sin(self.angle),
            self.angle + 0.5 * math.pi, self.speed, 0.0, self.depth, self.stops, self.silence)

    @property
    def pose(self):
        look = self.look()
        return Pose2(look.x, look.y, look.yaw)

    def put(self, pose):
        self.parked = pose is None
        if pose is not None:
            turns = round((self.angle - math.atan2(pose.y, pose.x)) / (2.0 * math.pi))
            self.angle = math.atan2(pose.y, pose.x) + 2.0 * math.pi * turns
            self.depth, self.stops = 0.0, 0


def race(cars, meetings=lambda cars, time: [], **rules):
    """Run a heat with cars by name; returns the referee and the places at which cars were put."""
    chosen = Rules(**{'format': 'head_to_head', 'heats': 1, 'time_limit': 100.0, 'laps': 3,
                      **rules})
    each = list(cars.values())
    referee = Referee(list(cars), CIRCLE, chosen, [car.pose for car in each])
    placed = []
    for tick in range(20_000):
        for number, car in enumerate(each):
            car.move(tick * TICK, referee.may_drive(number))
        for order in referee.look(round(tick * TICK * 1e9), [car.look() for car in each],
                                  meetings(each, tick * TICK)):
            placed.append((tick * TICK, order))
            each[order.car].put(order.pose)
        if referee.is_over:
            return referee, placed
    raise AssertionError('the heat does not end')


def kinds(referee, name=None):
    return [event.kind for event in referee.events if name in (None, event.car)]


def at(time, **values):
    """Script that sets values of a car from a time on, once."""
    done: list[float] = []

    def script(car, now):
        if now >= time and not done:
            done.append(now)
            for name, value in values.items():
                setattr(car, name, value)

    return script


def in_turn(*scripts):
    def script(car, now):
        for one in scripts:
            one(car, now)

    return script


def test_laps_of_a_time_trial_are_those_of_the_speed():
    referee, _ = race({'red': Car(speed=5.0)}, format='time_trial', time_limit=60.0, laps=0)
    car, = referee.result().cars
    # 0.5 m to the line, then laps of one length until 60 s have passed.
    assert len(car.laps) == int((60.0 - 0.5 / 5.0) / (2.0 * math.pi * RADIUS / 5.0))
    for lap in car.laps:
        assert lap.time == pytest.approx(2.0 * math.pi * RADIUS / 5.0, abs=1e-3)
        assert lap.is_clean
        assert sum(lap.sectors) == pytest.approx(lap.time)
    assert car.lines[0] == pytest.approx(3.0 + 0.5 / 5.0, abs=0.02)
    assert referee.time == pytest.approx(63.0)
    assert car.distance == pytest.approx(60.0 * 5.0 - 0.5, abs=0.1)


def test_head_to_head_the_first_who_completes_the_laps_wins_and_the_others_finish_their_lap():
    referee, _ = race({'slow': Car(speed=4.0), 'fast': Car(angle=-0.1, speed=8.0),
                       'last': Car(angle=-0.15, speed=2.0)})
    result = referee.result()
    assert [car.name for car in result.cars] == ['fast', 'slow', 'last']
    assert [len(car.laps) for car in result.cars] == [3, 2, 1]
    assert {car.status for car in result.cars} == {'finished'}
    fast, slow, _ = result.cars
    assert fast.finished == pytest.approx(3.0 + (3 * LENGTH + 1.0) / 8.0, abs=0.01)
    # At the first line after a lap: 1 m and a lap at 8 m/s against half a metre and one at 4 m/s.
    gap = slow.lines[1] - fast.lines[1]
    assert gap == pytest.approx((LENGTH + 0.5) / 4.0 - (LENGTH + 1.0) / 8.0, abs=0.01)
    assert referee.standings()[1].gap == pytest.approx(slow.lines[2] - fast.lines[2])


@pytest.mark.parametrize(('ahead', 'laps'), [(0.001, 2), (-0.001, 1)])
def test_who_passes_the_line_with_the_winner_finishes_if_it_comes_after_it(ahead, laps):
    # Half as fast from half as far away, both within one look.
    cars = {'slow': Car(angle=-0.025 + ahead, speed=2.0), 'fast': Car(angle=-0.05, speed=4.0)}
    for order in (cars, dict(reversed(cars.items()))):
        referee, _ = race({name: replace(car) for name, car in order.items()}, laps=2)
        first, second = referee.result().cars
        assert abs(second.lines[1] - first.finished) < TICK
        assert (first.name, len(first.laps), len(second.laps)) == ('fast', 2, laps)


def test_where_borders_do_not_give_way_each_touch_is_a_crash():
    touched = at(10.0, depth=0.001)
    referee, _ = race(
        {'red': Car(speed=5.0, script=in_turn(touched, at(10.1, depth=0.0)))},
        format='time_trial', time_limit=20.0, laps=0, touch_depth=0.0)
    car, = referee.result().cars
    assert (car.touches, car.crashes) == (0, 1)


def test_up_to_five_centimetres_are_a_touch_and_more_a_crash():
    touched = in_turn(at(10.0, depth=0.03), at(10.3, depth=0.0))
    crashed = at(20.0, depth=0.06)
    referee, placed = race(
        {'red': Car(speed=5.0, script=in_turn(touched, crashed))}, format='time_trial',
        time_limit=80.0, laps=0)
    car, = referee.result().cars
    assert (car.touches, car.crashes) == (1, 1)
    touch = next(event for event in referee.events if event.kind == 'touch')
    assert touch.value == 0.03
    assert touch.time == pytest.approx(10.3)
    crash = next(event for event in referee.events if event.kind == 'crash')
    assert crash.time == pytest.approx(20.0)
    (off, away), (back, again) = placed
    assert away.pose is None
    assert (off, back) == (pytest.approx(20.0), pytest.approx(25.0))
    # Where it crashed, on the centre line, along it.
    angle = -0.05 + 5.0 / RADIUS * 17.0
    assert (again.pose.x, again.pose.y) == (pytest.approx(RADIUS * math.cos(angle), abs=0.1),
                                            pytest.approx(RADIUS * math.sin(angle), abs=0.1))
    assert [lap.is_clean for lap in car.laps] == [True, False, True, True, True]
    assert car.clean_laps == 3
    assert car.laps[1].time == pytest.approx(2.0 * math.pi * RADIUS / 5.0 + 5.0, abs=0.05)


def test_a_contact_that_lasts_is_a_crash_and_so_many_crashes_are_the_end():
    def clumsy(car, _):
        car.depth = 0.01

    referee, _ = race({'red': Car(script=clumsy)}, format='time_trial', time_limit=60.0, laps=0,
                      crashes=2)
    # A second after each start, and five until it is put back.
    assert [event.time for event in referee.events if event.kind == 'crash'] == pytest.approx(
        [4.0, 10.0], abs=0.02)
    assert kinds(referee, 'red')[-1] == 'retired'
    assert referee.is_over


def meet(after):
    """Two cars side by side from a time on, one behind the other; the first one was stopped."""
    def meetings(cars, time):
        if time < after or any(car.parked for car in cars):
            return []
        look = cars[1].look()
        return [Meeting(0, 1, math.cos(look.yaw), math.sin(look.yaw))]

    return meetings


def test_who_closes_faster_is_to_blame_and_goes_back_by_the_setback():
    cars = {'guilty': Car(angle=-0.5, speed=4.0, script=at(5.0, stops=1)),
            'victim': Car(angle=-0.05, speed=2.0, script=at(5.0, stops=1))}
    referee, placed = race(cars, meet(5.0), setback=2.0, time_limit=40.0)
    warning = next(event for event in referee.events if event.kind == 'warning')
    assert warning.car == 'guilty'
    assert warning.value == pytest.approx(2.0, abs=0.05)
    assert [order.car for _, order in placed[:2]] == [0, 0]
    # Two metres behind where the victim was.
    pose = placed[1][1].pose
    way = RADIUS * math.atan2(pose.y, pose.x)
    assert way == pytest.approx(-0.5 + 2.0 * 2.0 - 2.0, abs=0.1)
    result = {car.name: car for car in referee.result().cars}
    assert (result['guilty'].warnings, result['victim'].crashes) == (1, 0)
    # To be put back is not to go the wrong way.
    assert result['guilty'].wrong_ways == 0


def test_three_warnings_disqualify_and_slow_contacts_are_touches():
    def again(car, time):
        car.stops = int(time % 2.0 >= 1.0)

    def meetings(cars, time):
        return [] if cars[0].parked or time % 2.0 < 1.0 else [Meeting(0, 1, *(
            math.cos(cars[0].look().yaw), math.sin(cars[0].look().yaw)))]

    fast = {'a': Car(angle=-0.1, speed=4.0, script=again), 'b': Car(speed=1.0)}
    referee, _ = race(fast, meetings, restart_delay=1.0, time_limit=30.0)
    assert kinds(referee, 'a').count('warning') == 3
    assert kinds(referee, 'a')[-1] == 'disqualified'
    assert referee.result().cars[-1].name == 'a'
    slow = {'a': Car(angle=-0.1, speed=1.2, script=again), 'b': Car(speed=1.0)}
    referee, _ = race(slow, meetings, time_limit=10.0)
    assert 'contact' in kinds(referee)
    assert 'warning' not in kinds(referee)


def test_wrong_way_standing_and_silence():
    referee, placed = race({
        'back': Car(script=at(10.0, speed=-2.0)), 'still': Car(script=at(10.0, speed=0.0)),
        'mute': Car(script=at(10.0, silence=5.1))}, time_limit=22.0)
    wrong = next(event for event in referee.events if event.kind == 'wrong_way')
    # It has gone back by 1 % of the course, and two seconds more.
    assert wrong.time == pytest.approx(10.0 + 0.01 * LENGTH / 2.0 + 2.0, abs=0.05)
    standing = next(event for event in referee.events if event.kind == 'standing')
    assert standing.time == pytest.approx(20.0, abs=0.1)
    retired = next(event for event in referee.events if event.kind == 'retired')
    assert (retired.car, retired.time) == ('mute', pytest.approx(10.0))
    assert referee.standings()[-1].status in ('retired', 'off')


def test_who_moves_before_the_start_is_put_back_and_held():
    eager, fair = Car(speed=2.0), Car(angle=-0.1, script=at(3.0, speed=2.0), speed=0.0)
    grid = eager.pose
    referee, placed = race({'eager': eager, 'fair': fair}, hold=False, time_limit=20.0)
    false_starts = [event for event in referee.events if event.kind == 'false_start']
    assert [event.car for event in false_starts] == ['eager']
    assert placed[0][1].pose == grid
    result = {car.name: car for car in referee.result().cars}
    assert (result['eager'].has_jumped, result['fair'].has_jumped) == (True, False)
    # Five seconds later than the other, who starts half a metre behind it.
    assert result['eager'].lines[0] - result['fair'].lines[0] == pytest.approx(
        5.0 + 0.5 / 2.0 - 1.0 / 2.0, abs=0.05)


def test_who_retires_in_the_countdown_stays_away():
    referee = Referee(['one', 'other'], CIRCLE, Rules('head_to_head', 1, 9.0, 1, hold=False),
                      [Car().pose, Car(angle=0.2).pose])
    looks = [Car().look(), Car(angle=0.2).look()]
    assert referee.look(0, looks, []) == []
    assert referee.may_drive(0)
    assert referee.retire(0, 'fails') == [(0, None)]
    assert not referee.may_drive(0)
    assert referee.look(10**9, [Car(parked=True).look(), looks[1]], []) == []
    assert kinds(referee) == ['retired']


def test_the_first_lap_of_a_car_on_the_line_begins_with_the_start():
    referee, _ = race({'red': Car(angle=0.001, speed=8.0)}, laps=1, format='obstacles')
    lap, = referee.result().cars[0].laps
    assert lap.begun == 3.0
    assert lap.time == pytest.approx(2.0 * math.pi * RADIUS / 8.0, abs=0.02)


def test_nobody_drives_before_the_start_if_cars_are_held():
    referee, _ = race({'red': Car(), 'blue': Car(angle=-0.1)}, time_limit=2.0)
    assert kinds(referee)[0] == 'green'
    assert referee.events[0].time == 3.0
    assert 'false_start' not in kinds(referee)


def test_qualifying_goes_on_until_a_lap_without_a_touch():
    script = in_turn(at(8.0, depth=0.02), at(8.1, depth=0.0))
    start = Car(speed=5.0, script=script)
    grid = start.pose
    referee, placed = race({'red': start}, format='qualifying', laps=1)
    assert placed[1][1].pose == grid
    car, = referee.result().cars
    assert car.status == 'finished'
    assert len(car.laps) == 1
    assert car.laps[0].is_clean
    assert car.laps[0].begun == pytest.approx(8.1 + 5.0 + 0.1, abs=0.05)


def test_another_try_of_qualifying_is_timed_from_the_line_on():
    def crashes(car, _):
        if car.angle > 0.05 and not tries:
            car.depth = 0.1
            tries.append(car.angle)

    def touches(car, _):
        # Across the line, so that the lap is complete and does not count.
        car.depth = 0.02 if abs(car.angle - 2.0 * math.pi) < 0.03 and not tries else 0.0
        if car.angle > 2.0 * math.pi + 0.03:
            tries.append(car.angle)

    tries: list[float] = []
    for script, laps in ((crashes, 1), (touches, 2)):
        tries.clear()
        referee, placed = race({'car': Car(script=script)}, format='qualifying', laps=1)
        assert len(placed) == 3, script
        car, = referee.result().cars
        assert [lap.time for lap in car.laps] == pytest.approx([LENGTH / 2.0] * laps, abs=TICK)
        assert car.lines == pytest.approx((car.laps[-1].begun, car.finished))
        row, = final_standings('qualifying', ['car'], [referee.result()])
        assert row.time == car.laps[-1].time


def test_a_car_waits_until_there_is_room_for_it():
    room: list[float] = []
    car = Car(speed=5.0, script=at(10.0, depth=0.1))
    rules = Rules('time_trial', 1, 40.0, 0)
    referee = Referee(['red'], CIRCLE, rules, [car.pose], lambda number, pose: bool(room))
    for tick in range(3000):
        time = tick * TICK
        if time >= 20.0:
            room.append(time)
        car.move(time, referee.may_drive(0))
        for order in referee.look(round(time * 1e9), [car.look()], []):
            car.put(order.pose)
    restart = next(event for event in referee.events if event.kind == 'restart')
    assert restart.time == pytest.approx(20.0)


def lap(time, is_clean=True):
    return LapOfRace(0.0, time, (time,), is_clean)


def result(name, laps, status='racing', **more):
    return CarResult(**{
        'name': name, 'place': 1, 'status': status, 'laps': tuple(laps), 'lines': (),
        'finished': math.nan, 'distance': 0.0, 'touches': 0, 'crashes': 0, 'warnings': 0,
        'wrong_ways': 0, 'has_jumped': False, **more})


def test_points_of_a_time_trial():
    # Worked out by hand: the fastest lap gives b 2, a 1; consecutive laps give a 2, c 1.
    a = result('a', [lap(10.0), lap(10.0), lap(9.0)])
    b = result('b', [lap(8.0), lap(20.0, is_clean=False)])
    c = result('c', [lap(11.0), lap(12.0)])
    rows = final_standings('time_trial', 'abc', [HeatResult(1.0, (), (one,))
                                                 for one in (a, b, c)])
    assert [(row.name, row.points, row.clean_laps, row.best) for row in rows] == [
        ('a', 3, 3, 9.0), ('b', 2, 1, 8.0), ('c', 1, 2, 11.0)]


def test_standings_of_heats_and_of_obstacles():
    heats = [HeatResult(1.0, (), tuple(result(name, []) for name in order))
             for order in ('ab', 'ba', 'ba')]
    assert [(row.name, row.wins) for row in final_standings('head_to_head', 'ab', heats)] == [
        ('b', 2), ('a', 1)]
    rows = final_standings('obstacles', 'abc', [HeatResult(1.0, (), (one,)) for one in (
        result('a', [lap(30.0)], 'finished', crashes=1), result('b', [lap(50.0)], 'finished'),
        result('c', [], 'retired'))])
    assert [row.name for row in rows] == ['b', 'a', 'c']


@settings(max_examples=8)
@given(st.lists(st.tuples(st.floats(0.0, 20.0), st.floats(-3.0, 9.0), st.floats(0.0, 0.08)),
                max_size=6), st.sampled_from(FORMATS))
def test_whatever_cars_do_a_heat_ends_and_is_judged_alike_again(changes, kind):
    def once():
        script = in_turn(*(at(time, speed=speed, depth=depth) for time, speed, depth in changes))
        referee, _ = race({'a': Car(script=script), 'b': Car(angle=-0.1, speed=6.0)},
                          format=kind, laps=2, time_limit=20.0)
        return referee.result()

    found = once()
    assert repr(once()) == repr(found)
    assert sorted(car.place for car in found.cars) == [1, 2]
    for car in found.cars:
        assert all(one.time > 0.0 for one in car.laps)
        assert list(car.lines) == sorted(car.lines)
        gone = [event.kind for event in found.events if event.car == car.name]
        # Nothing is said of a car that has left.
        for end in ('finished', 'retired', 'disqualified'):
            assert end not in gone[:-1]


@pytest.mark.parametrize(('content', 'message'), [
    ({}, 'format is missing'),
    ({'format': 'sprint'}, "format is 'sprint', expected one of time_trial, qualifying"),
    ({'format': 'time_trial', 'laps': 3}, 'laps is 3, expected none'),
    ({'format': 'head_to_head', 'laps': 0}, 'laps is 0, expected a whole number from 1'),
    ({'format': 'qualifying', 'time_limit': 1e9}, 'time_limit is 1000000000.0, expected at most'),
    ({'format': 'qualifying', 'rules': {'touch': 1}}, "'touch' is unknown"),
    ({'format': 'qualifying', 'rules': {'touch_depth': -1.0}}, 'touch_depth is -1.0, expected a'),
])
def test_rules_that_cannot_be_are_refused(content, message):
    with pytest.raises(ConfigurationError, match=message):
        read_rules(Fields('', content))


def test_a_course_must_be_closed():
    with pytest.raises(ConfigurationError, match='expected a closed centre line'):
        Referee(['a'], Course.along(CIRCLE.points[:100]), Rules('qualifying', 1, 9.0, 1),
                [Pose2(0.0, 0.0, 0.0)])
