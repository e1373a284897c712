# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar` itself: quick help, version, nearest names, settings of the vehicle, completion."""

import importlib
from pathlib import Path
import subprocess
import sys
import time

import pytest

from racecar.base.share import share_folder
import racecar.cli
from racecar.cli import completion
from racecar.cli.main import COMMANDS, main, make_parsers, with_number_lists
from racecar.stacks import describe_stack, StackOptions


def error_of(capsys, *words):
    """Return what a command with a mistake says on stderr; it must be the last line."""
    try:
        code: object = main(words)
    except SystemExit as end:
        code = end.code
    assert code in (1, 2)
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_the_help_imports_nothing_that_takes_long():
    code = ('import sys\nfrom racecar.cli.main import main\n'
            'try:\n    main(["--help"])\nexcept SystemExit:\n    pass\n'
            'print("loaded:", *({"numpy", "numba", "scipy", "yaml", "rclpy", "matplotlib",'
            ' "racecar.cli.up"} & set(sys.modules)))')
    start = time.monotonic()
    said = subprocess.run(
        [sys.executable, '-c', code], check=True, capture_output=True, text=True).stdout
    assert time.monotonic() - start < 5.0
    assert said.splitlines()[-1] == 'loaded:'
    assert all(f'    {name}' in said for name in COMMANDS)


def test_every_module_of_a_command_is_listed():
    modules = [importlib.import_module(f'racecar.cli.{path.stem}')
               for path in Path(racecar.cli.__file__).parent.glob('*.py')]
    commands = {module.__name__.rpartition('.')[2] for module in modules
                if hasattr(module, 'add_arguments') and hasattr(module, 'run')}
    assert commands == set(COMMANDS)


def test_output_has_one_short_form_in_all_commands():
    for name, parser in make_parsers(COMMANDS).commands.items():
        words = parser.format_help().replace('[', ' ').replace(',', ' ').split()
        assert ('--output' not in words) or '-o' in words, name


def test_the_version_is_that_of_the_manifest(capsys):
    with pytest.raises(SystemExit) as end:
        main(['--version'])
    assert end.value.code == 0
    assert capsys.readouterr().out == f'racecar {racecar.__version__}\n'
    assert f'<version>{racecar.__version__}</version>' in (
        share_folder() / 'package.xml').read_text()
    with pytest.raises(AttributeError, match="'racecar' has no attribute 'Nothing'"):
        racecar.Nothing  # type: ignore[attr-defined] # noqa: B018 - the access fails


@pytest.mark.parametrize(('words', 'nearest'), [
    (['simulat'], 'simulate'),
    (['simulate', 'kinematic_od'], 'kinematic_ode or kinematic_world'),
    (['simulate', 'kinematic_ode', '--vehcle', 'x'], '--vehicle'),
    (['simulate', 'kinematic_ode', '--vehicle', 'racecr'], 'racecar'),
    (['simulate', 'kinematic_ode', '--trajectory', 'figure_eigt'], 'figure_eight'),
    (['simulate', 'kinematic_ode', '--waypoints', 'halll'], 'hall'),
    (['simulate', 'kinematic_ode', '--world', 'tunel'], 'tunnel'),
    (['simulate', 'kinematic_ode', '--tyre-model', 'fialla'], 'fiala'),
    (['simulate', 'kinematic_ode', '--set', 'trajectory_traker.Kp=1'], 'trajectory_tracker'),
    (['simulate', 'kinematic_ode', '--set', 'trajectory_tracker.KP=1'], 'Kp'),
    (['simulate', 'kinematic_ode', '--set', 'vehicle.mas=1'], 'vehicle.mass'),
    (['parameters', 'ackerman_mux'], 'ackermann_mux'),
    (['parameters', '--yml', 'ackermann_mux'], '--yaml'),
    (['demo', 'drivr'], 'driver'),
    (['render', 'wrld', 'cones'], 'world'),
    (['completion', 'bsh'], 'bash'),
])
def test_a_slip_of_the_pen_is_answered_with_the_nearest_name(capsys, words, nearest):
    assert f'did you mean {nearest}' in error_of(capsys, *words)


def test_an_unknown_configuration_is_answered_with_those_that_the_command_takes(capsys):
    said = error_of(capsys, 'simulate', 'nothing_like_it')
    assert 'kinematic_ode' in said
    assert 'driver' not in said


@pytest.mark.parametrize('stack', ['kinematic_ode', 'dynamic_ode', 'kinematic_world', 'driver'])
def test_a_setting_of_the_vehicle_reaches_all_nodes_that_know_it(stack):
    options = StackOptions(overrides={'vehicle': {'mass': 4.5}})
    masses = [values['vehicle.mass'] for values in (d.resolve() for d in describe_stack(
        stack, options)) if 'vehicle.mass' in values]
    assert masses
    assert set(masses) == {4.5}


def test_a_setting_of_a_node_goes_over_that_of_the_vehicle():
    options = StackOptions(overrides={
        'vehicle': {'mass': 4.5}, 'single_track_simulator': {'vehicle.mass': 5.0}})
    masses = {d.name: d.resolve()['vehicle.mass'] for d in describe_stack('kinematic_ode', options)
              if 'vehicle.mass' in d.spec.table}
    assert masses.pop('single_track_simulator') == 5.0
    assert set(masses.values()) == {4.5}


def test_way_points_are_a_reference_by_name_or_as_a_file(tmp_path):
    file = tmp_path / 'mine.csv'
    file.write_text((share_folder() / 'config' / 'tracks' / 'slalom.csv').read_text())
    for given in ('slalom', str(file)):
        tracker = next(d for d in describe_stack('kinematic_ode', StackOptions(waypoints=given))
                       if d.name == 'trajectory_tracker').resolve()
        assert tracker['trajectory'] == 'waypoints'
        assert Path(tracker['waypoints_file']).read_text() == file.read_text()


def test_a_trajectory_and_way_points_at_once_are_refused(capsys):
    said = error_of(capsys, 'simulate', 'kinematic_ode', '--waypoints', 'hall',
                    '--trajectory', 'circle')
    assert "trajectory 'circle' and waypoints 'hall' are both chosen" in said


def test_without_shtab_completion_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'shtab', None)
    assert 'pip install shtab' in error_of(capsys, 'completion', 'bash')


@pytest.mark.parametrize(('typed', 'offered'), [
    ('simu', {'simulate'}),
    ('simulate kinematic_', {'kinematic_ode', 'kinematic_world', 'kinematic_world_pacejka'}),
    ('simulate kinematic_ode --vehicle tes', {'tesla_model3'}),
    ('simulate kinematic_ode --waypoints s', {'skirk', 'slalom'}),
    ('parameters bag', {'bag_recorder'}),
])
def test_bash_completes_commands_options_and_names(typed, offered):
    pytest.importorskip('shtab', reason='shtab is not installed')
    words = ' '.join(f"'{word}'" for word in ['racecar', *typed.split()])
    script = (f'{completion.script("bash")}\nCOMP_WORDS=({words})\n'
              f'COMP_CWORD={len(typed.split())}\n_shtab_racecar\necho "${{COMPREPLY[@]}}"\n')
    said = subprocess.run(['bash', '-c', script], check=True, capture_output=True, text=True)
    assert set(said.stdout.split()) == offered


@pytest.mark.parametrize(('words', 'joined'), [
    (['render', '--from', '-0.6,0.5,0.35'], ['render', '--from=-0.6,0.5,0.35']),
    (['render', '--at', '-1,2'], ['render', '--at=-1,2']),
    (['render', '--at', '-.5,-1e-3', '-o', 'x'], ['render', '--at=-.5,-1e-3', '-o', 'x']),
    # What may be options stays as it is, and so does what argparse reads by itself.
    (['up', '--json', '-1'], ['up', '--json', '-1']),
    (['up', '--at', '-o,1'], ['up', '--at', '-o,1']),
    (['up', '--at=1,2', '-1,2'], ['up', '--at=1,2', '-1,2'])])
def test_a_list_of_numbers_may_begin_with_a_negative_one(words, joined):
    assert with_number_lists(words) == joined


def test_a_camera_may_stand_left_of_and_behind_what_it_sees(capsys):
    assert error_of(capsys, 'render', 'world', 'nowhere', '--from', '-0.6,0.5,0.35').startswith(
        'racecar render: error: ')


def test_a_setting_without_its_equals_sign_is_told_how_to_write_it(capsys):
    assert error_of(capsys, 'simulate', 'kinematic_ode', '--set', 'trajectory_tracker.Kp', '3') \
        == ('racecar simulate: error: --set trajectory_tracker.Kp 3: expected'
            ' trajectory_tracker.Kp=3')


def test_a_setting_of_the_robot_is_for_all_nodes_that_know_it(capsys):
    descriptions = describe_stack('differential_wheels', StackOptions(
        overrides={'robot': {'max_speed': 7.0}}))
    found = [d.resolve()['robot.max_speed'] for d in descriptions
             if 'robot.max_speed' in d.spec.table]
    assert found
    assert set(found) == {7.0}
    assert 'did you mean robot.max_speed?' in error_of(
        capsys, 'simulate', 'differential_wheels', '--set', 'robot.max_sped=7')
    assert error_of(capsys, 'simulate', 'kinematic_ode', '--set', 'robot.max_speed=7') == (
        'racecar simulate: error: --set: no node of kinematic_ode has robot.max_speed')
