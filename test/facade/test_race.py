# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Races without ROS: all formats, the same bits from commands alone, controllers that fail."""

import json
from pathlib import Path

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_raceline, find_track, raceline_names
from racecar.cli.main import main
from racecar.control.trajectories.race_line import RaceLine
from racecar.facade.race_file import make_race
from racecar.facade.race_run import drive_again, drive_race, read_inputs, TRACE, write_inputs
from racecar.gym.tracks import named_track
from racecar.metrics.course_places import Places, poses_on
from racecar.metrics.laps import Course
from racecar.race.off_course import farthest_off
from racecar.scene.world_choice import files_of_world
from racecar.simulation.obstacles import GIVE_PARAMETER

CENTRE = {'controller': 'pure_pursuit', 'raceline': 'racetrack_f1tenth_centre', 'speed': 0.6}
GAP = {'settings': {'speed': 3.0}, 'laser': {'rays': 108}}


def race(*cars, **keys):
    return make_race({
        'format': 'head_to_head', 'time_limit': 6.0, 'rules': {'countdown': 0.5},
        'cars': [{'vehicle': 'f1tenth', **car} for car in cars], **keys})


def trace(heat, car, *names):
    return heat.traces[car][:, [TRACE.index(name) for name in names]]


def test_a_race_is_the_same_to_the_bit_from_its_commands_alone(tmp_path):
    # The one that sees nobody runs into the one ahead.
    found = drive_race(race(
        {'name': 'slow', **GAP, 'settings': {'speed': 1.0}, 'start': [3.0, 0.0, 0.0]},
        {'name': 'blind', **CENTRE}, simulator={'laser.noise': 0.01}, heats=2))
    assert [event.kind for event in found.heats[0].result.events].count('crash') >= 1
    write_inputs(found, tmp_path / 'kept', 'racecar race')
    kept = read_inputs(tmp_path / 'kept')
    assert [*map(Path, kept.files)] == [
        *files_of_world('racetrack'), find_track('racetrack')]
    assert kept.digest == found.digest
    again = drive_again(kept.plan, kept.inputs)
    for one, other in zip(found.heats, again.heats, strict=True):
        for here, there in zip(one.traces, other.traces, strict=True):
            np.testing.assert_array_equal(here, there)
    assert again.digest == found.digest
    assert repr(again.standings) == repr(found.standings)


class Tired:
    """Gives up after half a second on the track; before that it drives straight on."""

    def __init__(self, vehicle):
        self.calls = 0

    def command(self, odometry, reference):
        self.calls += 1
        if self.calls > 50:
            raise ValueError('no more')
        return 1.0, 0.0


def test_a_controller_that_fails_retires_its_car_and_changes_no_bit_of_the_others(tmp_path):
    slow = {'name': 'slow', **GAP, 'settings': {'speed': 1.0}}
    tired = {'name': 'tired', 'controller': f'{__name__}:Tired', 'start': [6.0, 0.0, 0.0]}
    found = drive_race(race(slow, tired, time_limit=3.0))
    retired = next(event for event in found.heats[0].result.events if event.kind == 'retired')
    assert retired.car == 'tired'
    assert retired.time == pytest.approx(1.0, abs=0.02)
    assert 'ValueError: no more' in retired.text
    write_inputs(found, tmp_path, '')
    assert drive_again(*read_inputs(tmp_path)[:2]).digest == found.digest
    # As if the other had stood where it is out of sight.
    alone = drive_race(race(slow, {**slow, 'name': 'far', 'start': [*poses_on(
        named_track('racetrack').course, Places(*np.array([[30.0], [0.0], [0.0]])))[0].tolist()]},
                            time_limit=3.0))
    near, far = (trace(one.heats[0], 0, 'x', 'y', 'yaw') for one in (found, alone))
    np.testing.assert_array_equal(near, far)


def test_a_car_that_diverges_is_retired_and_the_race_goes_on(tmp_path):
    # Its rear slides away, faster and faster; no rule ends that before.
    wild = {'name': 'wild', 'vehicle': 'racecar', 'laser': {'rays': 54}, 'start': [8.0, 0.0, 0.0],
            'settings': {'speed': 5.0},
            'simulator': {'tyre_model': 'linear', 'vehicle.rear.cornering_stiffness': 0.5}}
    slow = {'name': 'slow', **GAP, 'settings': {'speed': 0.5}}
    found = drive_race(race(slow, wild, time_limit=6.0, rules={
        'countdown': 0.5, 'touch_depth': 1.0, 'wrong_way': 60.0}))
    retired, = (event for event in found.heats[0].result.events if event.kind == 'retired')
    assert retired.car == 'wild'
    assert 'the car stands still from' in retired.text
    assert trace(found.heats[0], 0, 'time')[-1, 0] == pytest.approx(6.5)
    write_inputs(found, tmp_path, '')
    assert drive_again(*read_inputs(tmp_path)[:2]).digest == found.digest


def test_who_moves_before_the_start_stands_until_it_may_drive():
    found = drive_race(race(
        {'name': 'eager', **CENTRE, 'speed': 0.1}, format='time_trial', heats=1, time_limit=2.0,
        rules={'countdown': 0.53, 'hold': False, 'false_start': 1.0, 'silence': 0.5}))
    assert [event.kind for event in found.heats[0].result.events] == [
        'false_start', 'green', 'end']
    time, speed = trace(found.heats[0], 0, 'time', 'vx').T
    assert not speed[(time > 0.53) & (time < 1.53)].any()
    assert speed[(time > 1.54)].all()


def test_a_time_trial_gives_each_car_the_track_alone():
    found = drive_race(race({'name': 'a', **CENTRE}, {'name': 'b', **CENTRE},
                            format='time_trial', heats=2, time_limit=2.0))
    assert [(heat.number, heat.cars) for heat in found.heats] == [
        (1, (0,)), (1, (1,)), (2, (0,)), (2, (1,))]
    # Whoever drives, alone on the track it is the same drive.
    first = found.heats[0].traces[0]
    for heat in found.heats[1:]:
        np.testing.assert_array_equal(heat.traces[0], first)


def test_a_car_presses_into_the_border_up_to_the_touch_depth():
    def deepest(give):
        found = drive_race(race({'name': 'car', **GAP, 'start': [2.0, -0.2, -1.2]},
                                format='time_trial', heats=1, time_limit=3.0,
                                simulator={GIVE_PARAMETER.name: give}))
        crash = next(event for event in found.heats[0].result.events if event.kind == 'crash')
        return crash.value

    # It is stopped by a step of 1 ms before.
    assert 0.04 < deepest(0.05) <= 0.05
    assert deepest(0.0) == 0.0


def test_obstacles_of_a_seed_stand_on_the_track_with_a_way_past():
    plans = [race({'name': 'a', **GAP}, format='obstacles', obstacles=6, seed=seed).plan
             for seed in (1, 1, 2)]
    assert plans[0].boxes == plans[1].boxes != plans[2].boxes
    assert len(plans[0].boxes) == 6
    course = plans[0].track.course
    for box in plans[0].boxes:
        away = np.hypot(*(course.points - (box.x, box.y)).T)
        nearest = int(away.argmin())
        assert away[nearest] < max(course.right[nearest], course.left[nearest])


def test_a_car_that_meets_an_obstacle_crashes_and_goes_on_behind_it():
    found = drive_race(race({'name': 'blind', **CENTRE}, format='obstacles', time_limit=12.0,
                            obstacles=[[4.0, 0.0, 0.3, 0.3, 0.3]]))
    events = found.heats[0].result.events
    crash, restart = (next(event for event in events if event.kind == kind)
                      for kind in ('crash', 'restart'))
    assert crash.x < 4.0
    assert restart.x < 4.0
    assert restart.time == pytest.approx(crash.time + 5.0, abs=0.02)


def test_the_command_writes_a_folder_and_drives_it_again(tmp_path, capsys):
    file = tmp_path / 'duel.yaml'
    file.write_text(json.dumps({
        'format': 'head_to_head', 'time_limit': 4.0, 'rules': {'countdown': 0.5}, 'cars': [
            {'name': 'red', 'vehicle': 'f1tenth', **GAP},
            {'name': 'blue', 'vehicle': 'f1tenth', 'colour': [0, 0, 1], **CENTRE}]}),
        encoding='utf-8')
    output = tmp_path / 'out'
    assert main(['race', str(file), '--output', str(output), '--json']) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row['place'] for row in shown['standings']] == [1, 2]
    assert shown['digest'] == json.loads((output / 'results.json').read_text())['digest']
    assert {path.name for path in output.iterdir()} == {
        'race.json', 'commands.npz', 'report.html', 'standings.csv', 'events.csv', 'laps.csv',
        'results.json', 'traces.npz'}
    assert '<h2>Standings</h2>' in (output / 'report.html').read_text()
    assert main(['race', '--replay', str(output)]) == 0
    assert 'The race has the same bits.' in capsys.readouterr().out
    assert main(['race', str(file), '--output', str(output)]) == 1
    assert 'exists already' in capsys.readouterr().err
    # Other commands are another race.
    with np.load(output / 'commands.npz') as arrays:
        changed = dict(arrays)
    changed['0_0_command'][50:, 1] += 1e-6
    np.savez(output / 'commands.npz', **changed)
    assert main(['race', '--replay', str(output)]) == 1
    assert 'the race was another one' in capsys.readouterr().err
    whole = (output / 'commands.npz').read_bytes()
    for content in (b'PK', b'', whole[:-30]):
        (output / 'commands.npz').write_bytes(content)
        assert main(['race', '--replay', str(output)]) == 1
        assert 'holds no race that can be driven again' in capsys.readouterr().err


def test_standings_are_shown_before_pages_and_films_are_made(tmp_path, capsys, monkeypatch):
    file = tmp_path / 'duel.yaml'
    file.write_text(json.dumps({
        'format': 'head_to_head', 'time_limit': 1.0, 'rules': {'countdown': 0.5},
        'cars': [GAP, GAP]}), encoding='utf-8')
    shown = []

    def write(*_):
        shown.append(capsys.readouterr().out)
        raise ConfigurationError('the disk is full')

    monkeypatch.setattr('racecar.cli.race.write_results', write)
    output = tmp_path / 'out'
    assert main(['race', str(file), '--output', str(output)]) == 1
    assert shown[0].startswith('Car ')
    assert '\nDigest: ' in shown[0]
    told = capsys.readouterr()
    # What could not be written is not named as a result.
    assert (told.out, 'the disk is full' in told.err) == ('', True)


def test_a_folder_that_cannot_be_made_is_told_before_a_race_and_a_sweep(tmp_path, capsys):
    (tmp_path / 'file').touch()
    sweep = tmp_path / 'sweep.yaml'
    sweep.write_text('{duration: 1e6, grid: {trajectory_tracker.Kp: [1.0]}}')
    for command in (['race', 'head_to_head'], ['sweep', 'kinematic_ode', str(sweep)]):
        assert main([*command, '--output', str(tmp_path / 'file' / 'out')]) == 1
        assert 'cannot be made: Not a directory; name another place' in capsys.readouterr().err
    # A race that cannot begin leaves no folder.
    assert main(['race', str(sweep), '--output', str(tmp_path / 'out')]) == 1
    assert not (tmp_path / 'out').exists()


@pytest.mark.parametrize(('keys', 'error', 'message'), [
    ({'cars': []}, ConfigurationError, r'cars is \[\], expected a list of 1 to 100 cars'),
    ({'cars': [GAP]}, ConfigurationError, 'expected at least two of them for head_to_head'),
    ({'wrold': 'room'}, ConfigurationError, "'wrold' is unknown"),
    ({'cars': [GAP, {**GAP, 'speed': 1.0}]}, ConfigurationError, 'speed is 1.0, expected none'),
    ({'cars': [GAP, {'controller': 'stanlei'}]}, ConfigurationError, 'stanlei'),
    ({'cars': [GAP, {'controller': 'stanley', 'settings': {'gian': 1.0}}]}, ConfigurationError,
     "no setting 'gian'"),
    ({'cars': [GAP, {'controller': 'stanley', 'raceline': 'nowhere'}]}, ParameterError,
     "raceline 'nowhere' is neither"),
    ({'cars': [GAP, {'settings': {'speed': -1.0}}]}, ParameterError, "car car2.*'speed' is -1"),
    ({'format': 'obstacles'}, ConfigurationError, 'obstacles is missing'),
    ({'format': 'obstacles', 'obstacles': [[0, 0, 0, 0, 1]]}, ConfigurationError,
     'expected length and width above 0'),
    ({'world': 'empty'}, ConfigurationError, 'track empty'),
])
def test_what_no_race_can_be(keys, error, message):
    with pytest.raises(error, match=message):
        make_race({'format': 'head_to_head', 'cars': [GAP, GAP], **keys})


def test_a_start_and_a_line_off_the_track_are_told_and_own_lines_are_possible(tmp_path, capsys):
    line = find_raceline('gbr_f1tenth_time')
    found = race({**CENTRE, 'name': 'red', 'raceline': str(line)},
                 {**GAP, 'name': 'blue', 'start': [500.0, 300.0, 0.0]},
                 {**CENTRE, 'name': 'grey'}, {**GAP, 'name': 'near', 'start': [3.0, 0.0, 0.0]})
    assert len(found.warnings) == 2
    assert found.warnings[0].startswith(
        'car blue starts off the track, at (500.00, 300.00) m, 566.21 m from the centre line,'
        ' expected at most 3 m')
    assert found.warnings[1].startswith(
        f'car red follows the raceline {line}, which leaves the track, farthest at (')
    file = tmp_path / 'race.yaml'
    file.write_text(json.dumps({
        'format': 'head_to_head', 'time_limit': 1.0, 'rules': {'countdown': 0.0}, 'cars': [
            {**CENTRE, 'raceline': str(line)}, GAP]}), encoding='utf-8')
    assert main(['race', str(file), '-o', str(tmp_path / 'out')]) == 0
    assert 'warning: car car1 follows the raceline' in capsys.readouterr().err


@pytest.mark.parametrize('name', raceline_names())
def test_no_line_that_comes_with_the_package_leaves_its_track(name):
    world = name.split('_', 1)[0]
    assert farthest_off(named_track(world).course, RaceLine(name, 1.0).course.points) is None


def test_who_is_beyond_a_border_of_a_course_with_widths_is_found():
    angles = np.linspace(0.0, 2.0 * np.pi, 101)
    circle = 10.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    widths = np.tile([1.0, 2.0], (101, 1))
    course = Course.along(circle, widths)
    assert farthest_off(course, circle * 1.14) is None
    assert farthest_off(course, circle * 0.76) is None
    outside, inside = farthest_off(course, circle[:60] * 1.2), farthest_off(course, circle * 0.7)
    assert outside is not None
    assert inside is not None
    assert (outside.border, inside.border) == (1.0, 2.0)
    assert outside.distance == pytest.approx(2.0, abs=0.02)
    assert inside.distance == pytest.approx(3.0, abs=0.02)


def test_cars_that_start_in_each_other_are_refused():
    with pytest.raises(ConfigurationError, match='car b starts in something or in another car'):
        drive_race(race({'name': 'a', **GAP, 'start': [0, 0, 0]},
                        {'name': 'b', **GAP, 'start': [0.3, 0, 0]}))
