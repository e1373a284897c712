# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `ros2 run racecar NODE` says before a node starts: usage, strays, what is missing."""

from importlib.metadata import entry_points
import os
import subprocess
import sys

import pytest

from racecar.catalogue import NODES, TABLES
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS
from racecar.nodes.shared.entry import run_executable

pytestmark = pytest.mark.ros

# As the installed scripts do it.
SCRIPT = 'import sys; from racecar.executables import node; sys.exit(node())'

MISSING = """
raise ModuleNotFoundError("No module named 'racecar_interfaces'", name='racecar_interfaces')
"""


def with_path(*folders):
    """Return the environment with folders before all others."""
    return {**os.environ,
            'PYTHONPATH': os.pathsep.join([*map(str, folders), *filter(None, sys.path)])}


def start(executable, *words, path=()):
    """Run an executable to its end; path: folders before all others."""
    return subprocess.run(
        [sys.executable, '-c', f'import sys; sys.argv[0] = {executable!r}; {SCRIPT}', *words],
        capture_output=True, text=True, timeout=120.0, stdin=subprocess.DEVNULL,
        env=with_path(*path))


def test_every_executable_begins_here():
    found = {entry.name: entry.value for entry in entry_points(group='console_scripts')
             if entry.dist is not None and entry.dist.name == 'racecar'}
    assert {name for name, value in found.items() if value == 'racecar.executables:node'} == set(
        TABLES)


@pytest.mark.parametrize(('executable', 'more'), [
    ('joy_node', ['control']), ('bag_recorder', ['bags']),
    ('ackermann_mux', ['control', 'description', 'scene', 'simulation']),
    ('lap_timer', ['control', 'dynamics', 'metrics', 'scene'])])
def test_a_node_imports_only_the_rooms_that_it_needs(executable, more):
    done = subprocess.run(
        [sys.executable, '-c', 'import sys; from racecar.nodes.shared.entry import run_executable;'
         f' run_executable({executable!r}, [{executable!r}, "--help"]);'
         ' print(*{name.split(".")[1] for name in sys.modules if name.startswith("racecar.")})'],
        capture_output=True, text=True, check=True)
    *_, rooms = done.stdout.splitlines()
    # The help knows which parameters come from the file of a vehicle.
    assert set(rooms.split()) == {
        'base', 'catalogue', 'dynamics', 'nodes', 'ros', 'signals', *more}


@pytest.mark.parametrize('executable', TABLES)
@pytest.mark.parametrize('words', [['--help'], ['-h'], ['--ros-args', '--help']])
def test_help_says_what_the_node_does_and_lists_its_parameters(executable, words, capsys):
    assert run_executable(executable, [executable, *words]) == 0
    text = capsys.readouterr().out
    usage, blank, about, *_ = text.splitlines()
    assert usage.startswith(f'usage: ros2 run racecar {executable} [--help] [--ros-args ')
    assert blank == ''
    assert about.endswith('.')
    assert 'racecar.' not in text.replace('racecar.yaml', '')
    assert 'ublishes: ' in text or 'Subscribes' in text
    lines = text.splitlines()
    for row in TABLES[executable]:
        listed = any(line.startswith(f'{row.name} (') for line in lines)
        assert listed == (row.name not in VEHICLE_FILE_PARAMETERS), row.name


def test_python_starts_a_node_by_its_name():
    def run(*words):
        return subprocess.run(
            [sys.executable, '-m', *words], capture_output=True, text=True, timeout=120.0,
            env=with_path())

    done = run('racecar.nodes', 'joy_node', '--help')
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.startswith('usage: ros2 run racecar joy_node ')
    done = run('racecar.nodes', 'joy_nod')
    assert done.returncode == 2
    assert "node 'joy_nod' is unknown, expected one of trajectory_tracker," in done.stderr
    assert done.stderr.endswith('did you mean joy_node?\n')
    assert "node '' is unknown" in run('racecar.nodes').stderr
    # The module alone starts nothing.
    done = run('racecar.nodes.joy_node')
    assert done.returncode == 1
    assert done.stderr == (
        '[node not started] error: racecar.nodes.joy_node is no program, expected'
        ' `python -m racecar.nodes joy_node`\n')


@pytest.mark.parametrize(('words', 'message'), [
    (['Kp:=3'], "argument 'Kp:=3' is unknown here: did you mean --ros-args -p Kp:=3?"),
    (['--ros-args', 'Kp:=3'],
     "argument 'Kp:=3' is unknown here: did you mean --ros-args -p Kp:=3?"),
    (['Kpp=3'], "argument 'Kpp=3' is unknown here: expected --ros-args -p NAME:=VALUE,"
                ' --params-file FILE or -r FROM:=TO; `ros2 run racecar trajectory_tracker --help`'
                ' lists parameters'),
    (['--ros-args', '-p', 'Kp:=3.0', '--', 'stray'], "argument 'stray' is unknown here: expected"),
    (['--ros-args', '-p', 'Kp=3'],
     "Couldn't parse parameter override rule: '-p Kp=3'; expected --ros-args -p NAME:=VALUE"),
    (['--ros-args', '--params-file', 'absent.yaml'],
     "Couldn't parse params file: '--params-file absent.yaml'. Error: Error opening YAML file;"),
])
def test_arguments_that_ros_does_not_take_are_refused_in_one_line(words, message, capsys):
    assert run_executable('trajectory_tracker', ['trajectory_tracker', *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ''
    assert captured.err.startswith(f'[node not started] error: {message}')
    assert captured.err.count('\n') == 1


def test_the_process_ends_with_the_code_and_the_line():
    done = start('trajectory_tracker', 'Kp:=3')
    assert (done.returncode, done.stdout) == (2, '')
    assert done.stderr == (
        "[node not started] error: argument 'Kp:=3' is unknown here: did you mean --ros-args -p"
        ' Kp:=3?\n')


@pytest.mark.parametrize('executable', [
    name for name, table in TABLES.items() if any(row.default is None for row in table)])
def test_what_is_missing_is_named_with_a_command_that_starts_the_node(
        executable, bench, monkeypatch, tmp_path):
    done = start(executable)
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.count('\n') == 1
    said, command = done.stderr.split(f': ros2 run racecar {executable} ')
    assert said.startswith("[node not started] error: parameter '")
    monkeypatch.chdir(tmp_path)
    node = bench.start(lambda **options: NODES[executable].make_node(
        **{**options, 'cli_args': command.split()}), use_sim_time=False)
    assert isinstance(node, NODES[executable].load_class())


@pytest.mark.parametrize(('package', 'remedy'), [
    ('racecar_interfaces', 'racecar_interfaces is not built: run `colcon build --base-paths . '),
    ('ackermann_msgs', "No module named 'ackermann_msgs': run `rosdep install ")])
def test_a_package_that_is_missing_is_named_with_the_command_to_run(package, remedy, tmp_path):
    (tmp_path / package).mkdir()
    (tmp_path / package / '__init__.py').write_text(MISSING.replace('racecar_interfaces', package))
    done = start('single_track_simulator', path=[tmp_path])
    assert done.returncode == 1
    assert done.stderr.startswith(f'[node not started] error: {remedy}')
    assert done.stderr.count('\n') == 1


def test_a_folder_of_sources_is_not_taken_for_the_built_interfaces(tmp_path):
    (tmp_path / 'racecar_interfaces' / 'msg').mkdir(parents=True)
    # As in the repository: the built package is not on the path, the folder is.
    search = [path for path in sys.path if path and not os.path.isdir(
        os.path.join(path, 'racecar_interfaces'))]
    done = subprocess.run(
        [sys.executable, '-c', 'import racecar.ros.interfaces'], capture_output=True, text=True,
        timeout=120.0,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(tmp_path), *search])})
    assert 'ConfigurationError: racecar_interfaces is not built: run' in done.stderr


def test_interfaces_of_another_version_are_told_apart(tmp_path):
    for folder in ('', 'msg', 'srv'):
        (tmp_path / 'racecar_interfaces' / folder).mkdir(exist_ok=True)
        (tmp_path / 'racecar_interfaces' / folder / '__init__.py').write_text('')
    done = start('driver_bridge', path=[tmp_path])
    assert done.returncode == 1
    assert 'racecar_interfaces was built from another version (cannot import name' in done.stderr
    assert 'run `colcon build' in done.stderr
    assert done.stderr.count('\n') == 1


def test_up_names_the_command_to_run_too(tmp_path):
    (tmp_path / 'racecar_interfaces').mkdir()
    (tmp_path / 'racecar_interfaces' / '__init__.py').write_text(MISSING)
    done = subprocess.run(
        [sys.executable, '-m', 'racecar.cli.main', 'up', 'kinematic_ode', '--duration', '1'],
        capture_output=True, text=True, timeout=120.0, env=with_path(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith('racecar up: error: racecar_interfaces is not built: run `')
    assert done.stderr.count('\n') == 1
