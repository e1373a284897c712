# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Leagues: cells of a table, their figures, what a folder keeps, the page."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import racecar
from racecar.base.errors import ConfigurationError
from racecar.base.share import find_league, find_raceline, find_vehicle, league_names
from racecar.cli.main import main
from racecar.control.policy.contract import ActionChannel, PolicyContract, save_policy
from racecar.control.policy.features import channels_of, FeatureSettings
from racecar.control.policy.network import multilayer
from racecar.control.racelines.line_numbers import line_numbers
from racecar.control.racelines.raceline import Raceline, read_raceline
from racecar.control.racelines.track_limits import on_line
from racecar.dynamics.vehicles.design import Footprint
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.facade.chunks import Cores, Lost
from racecar.facade.cluster import LOCAL, open_cores
from racecar.facade.league import INSIDE, LeagueRun
from racecar.facade.league_file import make_league, read_league

CONTRACT = PolicyContract(
    ('velocity',), FeatureSettings(), channels_of(('velocity',), FeatureSettings(), 8.0, 0.4),
    (ActionChannel('speed', 'm/s', 0.0, 8.0), ActionChannel('angle', 'rad', -0.4, 0.4)), True,
    20.0, 'berlin', 'f1tenth')
LINE = 'berlin_f1tenth_curvature'
FILE = {
    'lines': [LINE], 'training': 'berlin', 'shares': [0.6], 'laps': 1, 'seeds': 2,
    'set': {'trajectory_tracker.tracked_point': 'cog'},
    'plants': {'plane': {'set': {'single_track_simulator.vehicle_model': 'single_track'}}},
    'conditions': {'none': {}, 'noise': {
        'controller': {'estimator': 'ekf', 'pose_noise': 0.01, 'preview': 0.0}}},
    'controllers': {'pursuit': {'controller': 'pure_pursuit'},
                    'lqr': {'controller': 'lqr', 'settings': {'rate': 50.0},
                            'only': {'conditions': ['none']}}}}


@pytest.fixture(scope='module')
def raced(tmp_path_factory):
    run = LeagueRun(make_league(FILE), tmp_path_factory.mktemp('league'))
    return run, run.run(Cores(2))


def test_cells_are_what_the_file_says(raced):
    run, result = raced
    assert [(one.cell.controller, one.cell.condition, len(one.runs)) for one in result.cells] == [
        ('pursuit', 'none', 1), ('pursuit', 'noise', 2), ('lqr', 'none', 1)]
    assert (run.total, run.done) == (4, 4)
    assert {row[3] for row in result.table()} == {'training'}
    assert all(one.outcome == INSIDE for found in result.cells for one in found.runs)
    first, second = result.cells[1].runs
    assert first.rmse != second.rmse


def test_a_controller_that_reads_scans_gets_laser_walls_and_time(tmp_path):
    controllers = {'gap': {'controller': 'gap', 'settings': {'speed': 5.0}},
                   'lqr': {'controller': 'lqr'}}
    file: dict[str, Any] = {**FILE, 'conditions': {'none': {}}, 'controllers': controllers}
    cells = LeagueRun(make_league(file), tmp_path).cells
    gap, lqr = (dict[str, Any](cell.content) for cell in cells)
    given = gap['set']
    assert given['single_track_simulator.world'] == 'berlin'
    assert given['single_track_simulator.sensors'] == ['laser']
    assert not any('sensors' in key or 'world' in key for key in lqr['set'])
    assert gap['duration'] > 2.0 * lqr['duration']
    file['set'] = {**file['set'], 'single_track_simulator.world': 'racetrack'}
    other = dict[str, Any](LeagueRun(make_league(file), tmp_path).cells[0].content)
    assert other['set']['single_track_simulator.world'] == 'racetrack'


def test_figures_are_those_of_the_run_by_itself(raced):
    _, result = raced
    figures = result.cells[2].runs[0]
    run = racecar.simulate('single_track', vehicle='f1tenth', trajectory='raceline',
                           controller='lqr', flying_start=True, duration=17.2, set={
                               'trajectory_tracker.raceline_file': LINE,
                               'trajectory_tracker.raceline_speed': 0.6,
                               'trajectory_tracker.tracked_point': 'cog',
                               'controller.rate': 50.0})
    laps = run.laps()
    assert laps is not None
    lap = laps.laps[0]
    assert figures.lap == pytest.approx(lap.time, abs=1e-9)
    line = read_raceline(find_raceline(LINE))
    assert figures.lap_over_bound == pytest.approx(lap.time / line.bounds['single_track'])
    t, steering = run.table['time'], run.table['steering_command']
    counts = t <= lap.begun + lap.time
    x, y = (run.table[name][counts] for name in ('x', 'y'))
    ahead, yaw = run.table.tracked_ahead, run.table['yaw'][counts]
    away = np.hypot(x + ahead * np.cos(yaw) - run.table['x_reference'][counts],
                    y + ahead * np.sin(yaw) - run.table['y_reference'][counts])
    assert figures.rmse == pytest.approx(np.sqrt(np.mean(away**2)), rel=1e-3)
    assert figures.max_error == pytest.approx(away.max(), rel=1e-3)
    rates = (np.diff(steering) / np.diff(t))[counts[1:]]
    assert figures.effort == pytest.approx(np.sqrt(np.mean(rates**2)), rel=1e-9)


def test_a_folder_goes_on_and_threads_do_not_matter(raced, tmp_path):
    run, result = raced
    kept = (run._folder / 'cells.jsonl').read_text().splitlines()  # noqa: SLF001
    (tmp_path / 'cells.jsonl').write_text('\n'.join([kept[0], kept[1][:40]]))
    again = LeagueRun(make_league(FILE), tmp_path)
    assert again.done == json.loads(kept[0])['runs'].__len__()
    counted: list[int] = []
    assert again.run(Cores(1), counted.append).digest == result.digest
    assert counted[-1] == 4
    assert LeagueRun(make_league(FILE), tmp_path).done == 4
    assert LeagueRun(make_league({**FILE, 'laps': 2}), tmp_path).done == 0


def test_an_edited_vehicle_or_policy_is_driven_anew(tmp_path):
    vehicle, policy = tmp_path / 'vehicle.yaml', tmp_path / 'policy.onnx'
    own = {'plane': {'vehicle': str(vehicle)}}
    shipped = find_vehicle('f1tenth').read_text()
    found = set()
    for mass, weight in (('3.74', 0.1), ('3.75', 0.1), ('3.75', 0.2)):
        vehicle.write_text(shipped.replace('mass: 3.74', f'mass: {mass}'))
        save_policy(policy, multilayer([(np.full((3, 2), weight), np.zeros(2))]), CONTRACT)
        league = make_league({**FILE, 'plants': own, 'controllers': {
            'net': {'controller': str(policy)}}})
        first, *_ = league.cells(league.all_lines(tmp_path))
        found |= {first.digest}
    assert len(found) == 3


def test_a_league_on_workers_is_that_of_threads(raced, tmp_path):
    pytest.importorskip('distributed')
    with open_cores(LOCAL, 2) as cores:
        found = LeagueRun(make_league(FILE), tmp_path).run(cores)
    assert found.digest == raced[1].digest


def test_a_cell_that_is_lost_says_why_and_is_tried_again(raced, tmp_path):
    class Dying(Cores):
        """Cores on which the second cell is lost."""

        def run(self, task, ranges):
            for found in super().run(task, ranges):
                yield found if found.first != 1 else Lost(1, 1, 'it took longer than 600 s')

    run = LeagueRun(make_league(FILE), tmp_path)
    lost = run.run(Dying(1))
    assert [found.failure for found in lost.cells] == ['', 'it took longer than 600 s', '']
    assert run.done == 2
    assert run.run(Cores(1)).digest == raced[1].digest


def test_the_command_says_which_cells_failed(tmp_path, capsys):
    file = tmp_path / 'league.yaml'
    file.write_text(json.dumps({**FILE, 'conditions': {'none': {}}, 'controllers': {
        'lqr': {'controller': 'lqr', 'settings': {'rate': -1.0}}}}))
    assert main(['league', str(file), '--no-cpu', '--output', str(tmp_path / 'out')]) == 0
    out, error = capsys.readouterr()
    assert re.search(r'lqr +0/1 +runs inside', out)
    assert f'1 of 1 cells failed; the first, lqr, {LINE}, plane, none, share 0.6: ' in error
    assert 'rate' in error


def test_answers_are_timed(raced):
    run, _ = raced
    pursuit, lqr = run.cpu()
    assert (pursuit.controller, lqr.controller) == ('pursuit', 'lqr')
    for found in (pursuit, lqr):
        assert 0.0 < found.median <= found.p99 < 0.1
    # At 50 Hz every second tick asks.
    assert pursuit.answers == pytest.approx(2 * lqr.answers, abs=120)


def test_a_corner_beyond_the_border_counts():
    line = read_raceline(find_raceline(LINE))
    car = VehicleParameters.from_file(find_vehicle('f1tenth')).footprint
    assert line.widths is not None
    left = line.widths[0, 1] - car.side
    heading = line.heading[0]
    for moved, beyond in ((left - 0.1, -0.1), (left + 0.05, 0.05)):
        found = on_line(
            line_numbers(line), np.array([line.x[0] - moved * math.sin(heading)]),
            np.array([line.y[0] + moved * math.cos(heading)]), np.array([heading]), 0.0,
            Footprint(0.01, 0.01, car.side))
        assert found.error[0] == pytest.approx(moved, abs=1e-3)
        assert found.beyond[0] == pytest.approx(beyond, abs=5e-3)


def test_scaled_numbers_are_of_the_simulator_alone(tmp_path):
    league = make_league({**FILE, 'conditions': {'slippery': {'scale': {
        'single_track_simulator.vehicle.friction_coefficient': 0.8}}}, 'controllers': {
            'lqr': {'controller': 'lqr'}}})
    cell, = LeagueRun(league, tmp_path).cells
    settings = cell.content['set']
    assert isinstance(settings, dict)
    assert settings['single_track_simulator.vehicle.friction_coefficient'] == pytest.approx(
        0.8 * 1.0489)
    assert 'vehicle.friction_coefficient' not in settings


def test_page_has_tables_and_figures(raced):
    from racecar.analysis.league_report import league_page

    run, result = raced
    lines = {line.name: line.line for line in run.lines}
    text = league_page('<small>', result.shown(), lines.__getitem__, (), [('a', 'b')]).text()
    assert '&lt;small&gt;' in text
    assert text.count('<h2>') == 3
    assert 'pursuit' in text


@pytest.mark.parametrize(('change', 'message'), [
    ({'laps': 0}, 'laps is 0, expected a whole number from 1'),
    ({'shares': [0.0]}, r'shares is \[0.0\], expected numbers above 0'),
    ({'plans': {}}, "'plans' is unknown; did you mean plants"),
    ({'controllers': {'a': {'controller': 'lqr', 'settings': {'gian': 1.0}}}},
     "controller 'lqr' has no setting 'gian'"),
    ({'controllers': {'a': {'controller': 'lqr', 'only': {'plants': ['plain']}}}},
     r"controllers.a.only.plants: 'plain' is unknown.*plane"),
    ({'conditions': {'none': {'scale': {'mass': 2.0}}}},
     "scale 'mass' is no number of the vehicle"),
    ({'controllers': {'a': {'controller': 'lqr', 'only': {'lines': ['berlin_f1tenth_curvatur']}}}},
     f'controllers.a.only.lines: .*did you mean {LINE}'),
    ({'conditions': {'none': {}, 'late': {'controller': {'pose_delai': 0.05}}}},
     "conditions.late.controller: no controller takes 'pose_delai'; did you mean pose_delay"),
    ({'lines': [LINE, LINE]}, f"lines has '{LINE}' twice, expected it once"),
    ({'shares': [0.6, 0.7, 0.6]}, 'shares has 0.6 twice'),
    ({'training': 'berlni'}, "training is 'berlni', expected the track of a line, of berlin"),
    ({'lines': []}, 'lines is empty'), ({'plants': {}}, 'plants is empty'),
    ({'plants': {'a': {'vehicle': 'racecar'}}}, 'no line is made for the vehicle')])
def test_wrong_files_are_told_before_anything_runs(change, message, tmp_path):
    with pytest.raises(ConfigurationError, match=message):
        LeagueRun(make_league({**FILE, **change}), tmp_path)


def test_hidden_lines_of_other_numbers_are_made_anew(tmp_path, monkeypatch):
    made = []

    class Made(NamedTuple):
        line: Raceline

    def make(track, vehicle, design, *, bound):
        del vehicle, bound
        made.append((track.name, design.margin))
        return Made(read_raceline(find_raceline(LINE)))

    monkeypatch.setattr('racecar.control.racelines.design.make_raceline', make)
    for margin in (0.3, 0.4, 0.3):
        hidden = {'seeds': [7], 'margin': margin}
        lines = make_league({**FILE, 'hidden': hidden}).all_lines(tmp_path)
        assert [line.name for line in lines] == [LINE, 'hidden_7_curvature']
    assert made == [('hidden_7', 0.3), ('hidden_7', 0.4)]


@pytest.mark.parametrize('name', league_names())
def test_shipped_leagues_can_be_read(name):
    league = read_league(find_league(name))
    assert league.controllers
    assert all(find_raceline(line) for line in league.lines)
