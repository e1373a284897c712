# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report's results table, within the bounds that its causes allow."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from racecar.cli import reproduce
from racecar.cli.main import main
from racecar.cli.reproduce import EXPERIMENTS, EXPLANATIONS, markdown_table, within

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'reproduction.md'
ALL = (*EXPERIMENTS, *EXPLANATIONS)
KP, HOLD, EPSILON = 5.0, 0.04, 0.1
ON_LINE = math.sqrt(2.0)  # [m/s]
ON_EIGHT = 0.5  # RMS of a w (cos wt, cos 2wt) with a = 5, w = 0.1 [m/s]


@pytest.fixture(scope='module')
def results():
    with pytest.MonkeyPatch.context() as patch:
        # It is not for these runs.
        patch.setenv('PACEJKA', '1')
        return {experiment.name: experiment.run() for experiment in ALL}


@pytest.mark.parametrize('name', [e.name for e in ALL if e.grips])
def test_a_car_that_grips_settles_at_the_error_of_its_causes(name, results):
    assert within(results[name])


@pytest.mark.parametrize('name', [e.name for e in ALL if not e.grips])
def test_a_car_that_slides_does_not(name, results):
    assert results[name].settled.rmse > results[name].expected[1]


@pytest.mark.parametrize(('name', 'speed', 'gain'), [
    ('line (1, 1), kinematic bicycle', ON_LINE, 0.5),
    ("line (1, 1), 3-D world, Pacejka, vehicle's tyre, exact speed", ON_LINE, 1.0),
    ('eight, kinematic bicycle', ON_EIGHT, 0.5),
    ('eight, kinematic bicycle, exact speed', ON_EIGHT, 1.0)])
def test_the_expected_error_is_that_of_a_car_that_keeps_up(name, speed, gain, results):
    low, high = results[name].expected
    lags = [abs(speed * ((1.0 - gain) / (gain * KP) - age)) for age in (0.0, HOLD)]
    # Of the eight the law adds a part across the path, at most 0.1 m * 0.18 rad/s / (g Kp).
    across = 0.02 / gain / KP if speed == ON_EIGHT else 0.0
    assert low / 0.95 == pytest.approx(min(lags), abs=across + 0.01 * speed * HOLD)
    assert high / 1.05 == pytest.approx(max(lags), abs=across + 0.01 * speed * HOLD)


def test_a_reference_one_tick_late_gives_the_reports_figures_of_its_own_simulator(results):
    late = results['eight, ODE simulator, reference a tick late'].metrics
    assert f'{late.rmse:.4f}' == '0.0072'
    # The report has ten times the samples.
    assert 10.0 * late.sum_squared_error == pytest.approx(4.1942, rel=0.02)


def test_no_tyre_that_only_brakes_gives_the_reports_eight_with_pacejka():
    time = np.arange(0.0, 60.0, 0.01)
    squared = [np.mean(0.25 * (np.cos(0.1 * t)**2 + np.cos(0.2 * t)**2))
               for t in (time + start for start in np.arange(0.0, 20.0 * math.pi, 0.5))]
    assert math.sqrt(min(squared)) * (1.0 / KP - HOLD) > 0.0774


def test_both_tyres_are_run_and_each_row_names_the_run_that_it_is_held_against():
    pacejka = [e for e in EXPERIMENTS if e.simulator.get('contact_model') == 'pacejka']
    tables = [e for e in pacejka if e.simulator.get('tyre_parameters') == 'given']
    assert len(pacejka) == 2 * len(tables) == 8
    assert all("report's table" in e.name for e in tables)
    assert all("vehicle's tyre" in e.name for e in pacejka if e not in tables)
    nothing: Any = _Nothing()
    for experiment in EXPERIMENTS:
        if experiment.reported is not None:
            assert experiment.reported.name in markdown_table(
                [experiment], {experiment.name: nothing})


class _Nothing:
    """A result of zeros."""

    expected = (0.0, 0.0)
    rmse = sum_squared_error = max_error = 0.0

    @property
    def metrics(self):
        return self

    settled = metrics


@pytest.mark.parametrize('name', ['eight, kinematic bicycle', 'line (1, 1), kinematic bicycle'])
def test_the_exact_speed_is_at_least_five_times_better(name, results):
    assert results[f'{name}, exact speed'].metrics.rmse <= results[name].metrics.rmse / 5.0


def test_forces_of_the_reports_table_reach_its_peak_and_no_more(results):
    data = results["line (1, 1), 3-D world, Pacejka, report's table"].tyre_data
    largest = max(np.max(np.abs(curve.force)) for curve in data.fy.values())
    assert 1.25 < largest < 1.5


def test_the_page_shows_the_figures_of_this_version(results):
    text = PAGE.read_text()
    assert markdown_table(EXPERIMENTS, results) in text
    assert markdown_table(EXPLANATIONS, results) in text


def test_json_and_figures_of_a_few(capsys, monkeypatch, tmp_path):
    few = [e for e in EXPERIMENTS if e.figure in ('7.2', '7.4')]
    monkeypatch.setattr(reproduce, 'EXPERIMENTS', few)
    monkeypatch.setattr(reproduce, 'EXPLANATIONS', ())
    assert main(['reproduce', '--json', '-o', str(tmp_path / 'out')]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {e.name for e in few}
    assert printed['eight, ODE simulator']['settled_rmse'] == pytest.approx(0.0036, abs=1e-4)
    assert {path.name for path in (tmp_path / 'out').iterdir()} == {
        'figure_7_2.png', 'figure_7_4.png'}
