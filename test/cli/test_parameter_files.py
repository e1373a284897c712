# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar parameters` and the files in config/ that are made with it."""

from pathlib import Path

import pytest
import yaml

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import vehicle_names
from racecar.catalogue import TABLES
from racecar.cli.main import main
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS

CONFIG = Path(__file__).parents[2] / 'config'
REQUIRED = {'bag_recorder': {'folder': 'bag'}, 'ackermann_mux': {'config_file': 'mux/low_level'}}


@pytest.mark.parametrize('node', TABLES)
def test_parameter_file_of_each_node_is_what_the_command_prints(node, capsys):
    assert main(['parameters', node, '--yaml']) == 0
    assert capsys.readouterr().out == (CONFIG / f'{node}.yaml').read_text(encoding='utf-8')


def test_there_is_a_parameter_file_for_each_node_and_no_other():
    assert {path.stem for path in CONFIG.glob('*.yaml')} == set(TABLES)


@pytest.mark.parametrize('node', TABLES)
def test_parameter_file_of_each_node_holds_every_default(node):
    found = load_parameter_file(CONFIG / f'{node}.yaml', node)
    expected = {row.name: row.default for row in TABLES[node]
                if row.name not in VEHICLE_FILE_PARAMETERS and row.default not in (None, [])}
    assert found == expected
    assert {name: type(value) for name, value in found.items()} == {
        name: type(value) for name, value in expected.items()}


@pytest.mark.parametrize('vehicle', vehicle_names())
def test_vehicle_file_names_itself_and_fits_the_table(vehicle):
    values = VEHICLE_FILE_PARAMETERS.resolve(
        load_parameter_file(CONFIG / 'vehicles' / f'{vehicle}.yaml', 'any_node'))
    assert values['vehicle.name'] == vehicle


@pytest.mark.parametrize('node', [*TABLES, 'vehicle'])
def test_markdown_table_has_a_row_for_each_parameter(node, capsys):
    assert main(['parameters', node, '--markdown']) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    expected = [row.name for row in TABLES.get(node, VEHICLE_FILE_PARAMETERS)
                if node == 'vehicle' or row.name not in VEHICLE_FILE_PARAMETERS]
    assert [row.split('|')[1].strip(' `') for row in rows] == expected


def test_text_names_default_range_unit_and_meaning(capsys):
    assert main(['parameters', 'trajectory_tracker']) == 0
    assert ('Kp (float, default 5.0)\n    Proportional gain; in [0, 1000] 1/s\n'
            in capsys.readouterr().out)


def test_printed_parameter_file_is_read_back_as_yaml(capsys):
    main(['parameters', 'single_track_simulator', '--yaml'])
    content = yaml.safe_load(capsys.readouterr().out)
    parameters = content['/**/single_track_simulator']['ros__parameters']
    assert parameters['odometry_variance']['yaw'] == 1e-6


def test_unknown_node_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as ended:
        main(['parameters', 'tracker'])
    assert ended.value.code == 2
    assert 'trajectory_tracker' in capsys.readouterr().err
