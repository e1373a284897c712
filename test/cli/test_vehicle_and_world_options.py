# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""--vehicle and --world take the same things wherever a command has them."""

from pathlib import Path

import pytest

from racecar.base.share import find_config
from racecar.cli.main import COMMANDS, main, make_parsers

LOG = Path(__file__).parents[2] / 'docs' / 'examples' / 'identify_slow.csv'


@pytest.fixture(scope='module')
def made(tmp_path_factory):
    """Return the CSV file of a short run; beside it is the log of a drive."""
    path = tmp_path_factory.mktemp('made') / 'run.csv'
    lines = LOG.read_text().splitlines(keepends=True)
    path.with_name('log.csv').write_text(''.join(lines[:500]))
    assert main(['simulate', 'kinematic_ode', '--duration', '0.2', '--csv', str(path)]) == 0
    return path


WITH_VEHICLE = {
    'simulate': 'simulate kinematic_ode', 'up': 'up kinematic_ode', 'demo': 'demo figure_eight',
    'replay': 'replay {run}', 'animate': 'animate {run}', 'render': 'render run {run}',
    'identify': 'identify {log} --evaluate', 'track': 'track racetrack',
    'raceline': 'raceline racetrack', 'neo': 'neo'}
WITH_WORLD = {name: words for name, words in WITH_VEHICLE.items()
              if name not in ('identify', 'track', 'raceline')}


def having(option):
    """Return the commands with an option."""
    return {name for name, parser in make_parsers(COMMANDS).commands.items()
            if option in parser.format_help().replace('=', ' ').split()}


def error_of(capsys, command, made, *words):
    if command.split()[0] in ('up', 'demo'):
        pytest.importorskip('rclpy')
    capsys.readouterr()
    files = {'run': made, 'log': made.with_name('log.csv')}
    assert main([*(word.format(**files) for word in command.split()), *words]) == 1
    # The nodes may have been announced before.
    return capsys.readouterr().err.splitlines()[-1]


def test_the_tables_of_this_file_are_whole():
    assert (having('--vehicle'), having('--world')) == (WITH_VEHICLE.keys(), WITH_WORLD.keys())


@pytest.mark.parametrize('command', WITH_VEHICLE.values(), ids=WITH_VEHICLE)
def test_a_vehicle_is_a_name_or_the_relative_path_of_a_file(
        command, made, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path('own.yaml').write_text(find_config('vehicles/racecar').read_text().replace(
        ' mass: 5.69223', ' mass: -7.0'))
    # The fault of the file tells that it was read.
    assert "'vehicle.mass' is -7.0" in error_of(capsys, command, made, '--vehicle', 'own.yaml')
    assert 'one of bmw_x5, car_2014,' in error_of(capsys, command, made, '--vehicle', 'moon')


@pytest.mark.parametrize('command', WITH_WORLD.values(), ids=WITH_WORLD)
def test_a_world_is_a_name_or_the_relative_path_of_a_file(
        command, made, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path('own.yaml').write_text('walls: 7\n')
    assert "world file 'own.yaml'" in error_of(capsys, command, made, '--world', 'own.yaml')
    assert "world 'moon' is neither a file nor one of ar, arena" in error_of(
        capsys, command, made, '--world', 'moon')
