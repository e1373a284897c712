# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report's results table, within the bounds that its causes allow."""

import json
from pathlib import Path

import pytest

from racecar.cli import reproduce
from racecar.cli.main import main
from racecar.cli.reproduce import EXPERIMENTS, markdown_table

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'reproduction.md'


@pytest.fixture(scope='module')
def results():
    with pytest.MonkeyPatch.context() as patch:
        # It is not for these runs.
        patch.setenv('PACEJKA', '1')
        return {experiment.name: experiment.run() for experiment in EXPERIMENTS}


@pytest.mark.parametrize(('name', 'low', 'high'), [
    ('eight, ODE simulator', 0.0045, 0.0072),
    ('eight, Gazebo', 0.086, 0.096),
    ('line (1, 1), Gazebo', 0.24, 0.28),
    ('eight, 3-D world', 0.086, 0.098),
    ('eight, 3-D world, Pacejka', 0.086, 0.098),
    ('line (1, 1), 3-D world', 0.24, 0.28),
    ('line (1, 1), 3-D world, Pacejka', 0.24, 0.28),
    ('eight, 3-D world, exact speed', 0.0, 0.02),
    ('eight, 3-D world, Pacejka, exact speed', 0.0, 0.02),
    ('line (1, 1), 3-D world, exact speed', 0.0, 0.045),
    ('line (1, 1), 3-D world, Pacejka, exact speed', 0.0, 0.045)])
def test_a_run_of_the_report_has_its_error(name, low, high, results):
    assert low <= results[name].rmse <= high


@pytest.mark.parametrize('name', ['eight, Gazebo', 'line (1, 1), Gazebo'])
def test_the_exact_speed_is_at_least_five_times_better(name, results):
    assert results[f'{name}, exact speed'].rmse <= results[name].rmse / 5.0


def test_the_page_shows_the_figures_of_this_version(results):
    assert markdown_table(results) in PAGE.read_text()


def test_json_holds_every_experiment(capsys, monkeypatch):
    few = EXPERIMENTS[:3]
    monkeypatch.setattr(reproduce, 'EXPERIMENTS', few)
    assert main(['reproduce', '--json']) == 0
    assert set(json.loads(capsys.readouterr().out)) == {e.name for e in few}
