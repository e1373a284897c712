# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The run script and the modules behind it, as far as they need no set-up."""

import ast
import json
import os
from pathlib import Path
import re
import shutil
import stat
import subprocess
import sys
import time

import pytest

from bootstrap import (
    checks,
    choice,
    commands,
    environments,
    paths,
    processes,
    stamps,
    terminal,
    virtual_environments,
    wheels,
    workspaces,
)
from bootstrap.errors import SetupError, Stopped

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [ROOT / 'run', *sorted((ROOT / 'tools' / 'bootstrap').glob('*.py'))]
PROFILE_FILE = environments.PROFILE_FILES[0]
LOCKS = sorted((ROOT / 'requirements').glob('*.lock'))


@pytest.fixture
def state(tmp_path, monkeypatch):
    folder = tmp_path / '.racecar'
    folder.mkdir()
    monkeypatch.setattr(paths, 'STATE', folder)
    monkeypatch.setattr(paths, 'LOGS', folder / 'logs')
    return folder


# --- the script itself ---


@pytest.mark.parametrize('path', SOURCES, ids=lambda path: path.name)
def test_an_old_python_can_read_it(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 6))
    # Absent from Python 3.6.
    assert not [node for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and node.module == '__future__']


@pytest.mark.parametrize('path', SOURCES, ids=lambda path: path.name)
def test_it_needs_nothing_but_python(path):
    names = [
        name
        for node in ast.walk(ast.parse(path.read_text()))
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import)
                     else [str(node.module)] if isinstance(node, ast.ImportFrom) and not node.level
                     else [])
    ]
    assert {name.split('.')[0] for name in names} <= {*sys.stdlib_module_names, 'bootstrap'}


def test_it_starts_without_site_packages_and_from_a_link(tmp_path):
    (tmp_path / 'go').symlink_to(ROOT / 'run')
    answer = subprocess.run([sys.executable, '-I', '-S', str(tmp_path / 'go'), 'help'],
                            capture_output=True, text=True, check=True)
    assert 'usage: ./run' in answer.stdout


def test_a_reader_of_the_help_may_have_seen_enough():
    process = subprocess.Popen([sys.executable, str(ROOT / 'run'), 'help'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ''
    process.stderr.close()
    assert process.wait() == 0


# --- checks ---


def test_the_platform_of_the_wheels_is_accepted():
    assert checks.platform_problem('Linux', 'x86_64', ('glibc', '2.28'), 'jazzy') == ''
    assert checks.platform_problem('Linux', 'x86_64', ('glibc', '2.100'), 'jazzy') == ''


@pytest.mark.parametrize(('system', 'machine', 'libc', 'named'), [
    ('Darwin', 'arm64', ('', ''), 'Darwin'),
    ('Linux', 'aarch64', ('glibc', '2.36'), 'aarch64'),
    ('Linux', 'x86_64', ('glibc', '2.17'), '2.17'),
    ('Linux', 'x86_64', ('', ''), 'unknown C library'),
    ('Windows', 'AMD64', ('', ''), 'Windows'),
])
def test_another_platform_is_refused_with_its_name(system, machine, libc, named):
    problem = checks.platform_problem(system, machine, libc, 'kilted')
    assert named in problem
    assert 'Install ROS 2 Kilted' in problem


def test_a_path_with_spaces_is_accepted_but_not_one_with_separators():
    assert checks.path_problem('/home/a user/race car') == ''
    assert "':'" in checks.path_problem('/home/a:b')
    assert "';'" in checks.path_problem('/home/a;b')
    assert "'ä' 'ü'" in checks.path_problem('/home/ümläut')


@pytest.mark.parametrize('ros', [
    {'RACECAR_ROS': 'wheels'}, {'ROS_DISTRO': 'jazzy', 'AMENT_PREFIX_PATH': '/opt/ros/jazzy'},
])
def test_a_path_that_cannot_hold_a_build_is_refused_before_anything_is_made(
        sourced, state, monkeypatch, ros):
    monkeypatch.setattr(paths, 'ROOT', state / 'ümläut')
    monkeypatch.setattr(workspaces, 'package_key', lambda: '')
    with pytest.raises(SetupError, match="'ä' 'ü'.*move the clone elsewhere"):
        sourced(**ros).prepare()
    assert [path.name for path in state.iterdir()] == ['lock']


def test_a_missing_compiler_is_named_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv('CC', raising=False)
    monkeypatch.delenv('CXX', raising=False)
    with pytest.raises(SetupError, match='no C compiler.*build-essential'):
        checks.check_compiler()


def test_a_python_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv('RACECAR_PYTHON', '/bin/false')
    with pytest.raises(SetupError, match=r'3\.11 to 3\.14.*/bin/false'):
        checks.choose_python(checks.PYTHON_VERSIONS)


def test_hints_explain_a_log():
    assert 'network' in processes.hint_for('... Temporary failure in NAME resolution')
    assert 'disk' in processes.hint_for('OSError: [Errno 28] No space left on device')
    assert processes.hint_for('all is well') == ''


def test_modules_that_a_python_lacks_are_listed():
    assert checks.missing_modules(sys.executable, ['json', 'no_such_module']) == ['no_such_module']


def test_a_clone_that_may_not_be_written_is_told_with_the_remedy(state, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, 'Permission denied')

    monkeypatch.setattr(os, 'open', refuse)
    with pytest.raises(SetupError, match='cannot be written: Permission denied; use a clone'), \
            processes.exclusive():
        pass


@pytest.mark.parametrize(('word', 'near'), [
    ('dmeo', 'demo'), ('tset', 'test'), ('pythn', 'python')])
def test_a_misspelt_command_is_told_the_nearest(word, near):
    assert str(commands.unknown(word)) == (
        f"unknown command '{word}': did you mean {near}? `./run help` lists the commands.")


def test_clean_leaves_only_the_lock(state):
    (state / 'venv').mkdir()
    (state / 'venv' / 'file').touch()
    (state / 'link').symlink_to('/nowhere')
    commands.clean()
    assert [path.name for path in state.iterdir()] == ['lock']


# --- stamps ---


def test_the_digest_knows_where_each_part_ends():
    assert stamps.digest(['ab', 'c']) != stamps.digest(['a', 'bc'])
    assert stamps.digest(['ab', 'c']) == stamps.digest(['ab', 'c'])
    # A path in a locale that cannot hold it.
    assert stamps.digest(['\udcc3']) != stamps.digest(['\udcc4'])


def test_a_stamp_is_read_back_and_a_damaged_one_is_empty(tmp_path):
    path = tmp_path / 'ready.json'
    assert stamps.read_stamp(path) == {}
    stamps.write_stamp(path, {'key': 'x'})
    assert stamps.read_stamp(path) == {'key': 'x'}
    path.write_text('{"key": ')
    assert stamps.read_stamp(path) == {}
    path.write_text('[1]')
    assert stamps.read_stamp(path) == {}


def test_a_changed_message_changes_the_interface_key(tmp_path):
    package = tmp_path / 'some_msgs'
    package.mkdir()
    message = package / 'A.msg'
    message.write_text('float64 x\n')
    before = stamps.interface_key([package], 'base')
    assert stamps.interface_key([package], 'base') == before
    assert stamps.interface_key([package], 'other base') != before
    message.write_text('float64 y\n')
    assert stamps.interface_key([package], 'base') != before


def test_the_package_key_counts_names_of_data_files_but_not_their_text(tmp_path):
    for name in ('package.xml', 'setup.py', 'setup.cfg'):
        (tmp_path / name).write_text(name)
    (tmp_path / 'config').mkdir()
    (tmp_path / 'config' / 'a.yaml').write_text('a: 1\n')
    before = stamps.package_key(tmp_path)
    (tmp_path / 'config' / 'a.yaml').write_text('a: 2\n')
    assert stamps.package_key(tmp_path) == before
    (tmp_path / 'config' / 'b.yaml').write_text('b: 1\n')
    after = stamps.package_key(tmp_path)
    assert after != before
    (tmp_path / 'setup.py').write_text('other')
    assert stamps.package_key(tmp_path) != after


# --- wheels ---


def test_the_cmake_fix_up_replaces_foreign_include_folders_only():
    text = (
        'set_target_properties(m PROPERTIES\n'
        '  INTERFACE_INCLUDE_DIRECTORIES "/opt/python/cp312-cp312/include/python3.12;'
        '/opt/python/cp312-cp312/lib/python3.12/site-packages/numpy/_core/include;'
        '${_IMPORT_PREFIX}/include/m"\n)\n'
    )
    adapted = wheels.adapted_cmake(
        text, '/usr/include/python3.12', r'/a b\1/numpy/_core/include')
    assert adapted == (
        'set_target_properties(m PROPERTIES\n'
        '  INTERFACE_INCLUDE_DIRECTORIES "/usr/include/python3.12;'
        r'/a b\1/numpy/_core/include;'
        '${_IMPORT_PREFIX}/include/m"\n)\n'
    )


@pytest.mark.parametrize(('line', 'name'), [
    ('Collecting PyYAML==6.0 (from -r jazzy.lock (line 3))', 'pyyaml'),
    ('Processing /a-b/files/ros_std_msgs-5.3-py3-none-any.whl (from -r jazzy.lock)',
     'ros-std-msgs'),
    ("Ignoring colorama: markers 'sys_platform == \"win32\"' don't match", 'colorama'),
    ('Requirement already satisfied: packaging==26.3 in ./venv', 'packaging'),
    ('Installing collected packages: zstandard, aiohttp', ''), ('  Using cached x.whl', '')])
def test_progress_counts_wheels_of_an_index_and_of_a_folder(line, name):
    assert virtual_environments.named_wheel(line) == name


@pytest.mark.parametrize('columns', [60, 80, 200])
def test_the_words_of_the_progress_fit_a_narrow_terminal(columns, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, 'isatty', lambda: True, raising=False)
    monkeypatch.setenv('COLUMNS', str(columns))
    progress = terminal.Progress(4)
    progress.step('installing 235 wheels')
    progress.update(470, 470, '235 fetched, 235 unpacked')
    line = capsys.readouterr().err.rpartition('\r')[2]
    assert len(line.replace('\033[K', '')) < columns
    assert columns < 80 or '#] 100% 235 fetched, 235 unpacked' in line


def test_the_lock_is_split_into_packages():
    text = '# note\na-b==1 ; python_version < "3.12" \\\n  --hash=1\na-b==2\n  --hash=2\nC==3\n'
    assert virtual_environments.requirement_blocks(text) == {
        'a-b': 'a-b==1 ; python_version < "3.12" \\\n  --hash=1\na-b==2\n  --hash=2\n',
        'c': 'C==3\n',
    }


def asked_for(path):
    """Yield the names that a list of requirements asks for, and those that it includes."""
    for line in path.read_text().splitlines():
        line = line.split('#')[0].strip()
        if line.startswith('-r '):
            yield from asked_for(path.parent / line[3:])
        # A constraint asks for nothing.
        elif line and not line.startswith('-c '):
            yield re.split(r'[^\w.-]', line)[0].lower().replace('_', '-')


@pytest.mark.parametrize('lock', LOCKS, ids=lambda path: path.stem)
def test_a_lock_pins_everything_asked_for_and_names_no_place(lock):
    text = lock.read_text()
    blocks = virtual_environments.requirement_blocks(text)
    assert all('--hash=sha256:' in block for block in blocks.values())
    assert '://' not in text
    assert '--find-links' not in text
    names = set(asked_for(lock.with_suffix('.in')))
    assert names <= set(blocks)
    # Bare names of the ROS packages would mix distributions.
    assert not [name for name in names if name.startswith('ros-') and lock.stem not in name]


# --- choice ---


@pytest.fixture
def sourced(monkeypatch):
    """Set what is sourced and asked for; the state of this process does not count."""
    def source(**variables):
        for name in ('ROS_DISTRO', 'AMENT_PREFIX_PATH', 'RACECAR_ROS', 'RACECAR_DISTRO'):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(choice, 'missing_modules', lambda python, names: [])
        return choice.choose()

    return source


def test_every_distribution_has_a_list_a_lock_and_a_folder_of_its_own(sourced):
    found = [sourced(RACECAR_DISTRO=distro) for distro in wheels.DISTRIBUTIONS]
    assert len({workspace.folder for workspace in found}) == len(found)
    assert len({workspace.venv.folder for workspace in found}) == len(found)
    for workspace in found:
        assert workspace.venv.lock_file in LOCKS
        assert f'\nros-{workspace.distro}-rclpy==' in workspace.venv.lock_file.read_text()
        assert workspace.base_environment()['ROS_DISTRO'] == workspace.distro


def test_jazzy_is_the_distribution_of_who_asks_for_none(sourced):
    assert sourced().distro == 'jazzy'


def test_the_sourced_installation_is_taken_unless_another_distribution_is_asked_for(
        sourced, capsys):
    ros = {'ROS_DISTRO': 'jazzy', 'AMENT_PREFIX_PATH': '/opt/ros/jazzy'}
    assert sourced(**ros).name == 'ros-jazzy'
    assert sourced(**ros, RACECAR_DISTRO='jazzy').name == 'ros-jazzy'
    assert sourced(**ros, RACECAR_ROS='wheels').name == 'wheels-jazzy'
    assert capsys.readouterr().err == ''
    assert sourced(**ros, RACECAR_DISTRO='kilted').name == 'wheels-kilted'
    assert 'ROS 2 jazzy is sourced, but RACECAR_DISTRO is kilted' in capsys.readouterr().err
    with pytest.raises(SetupError, match='installed, but ROS 2 jazzy is sourced, but .*kilted'):
        sourced(**ros, RACECAR_DISTRO='kilted', RACECAR_ROS='installed')


def test_run_inside_run_stays_with_the_distribution(sourced):
    assert sourced(**sourced(RACECAR_DISTRO='kilted').base_environment()).distro == 'kilted'


def test_without_ros_there_are_core_command_line_and_the_packages_of_ubuntu(
        sourced, monkeypatch):
    monkeypatch.setattr(virtual_environments.VirtualEnvironment, 'ready', lambda self: True)
    found = sourced(
        RACECAR_ROS='none', ROS_DISTRO='jazzy', AMENT_PREFIX_PATH='/opt/ros/jazzy',
        PATH='/opt/ros/jazzy/bin:/usr/bin', PYTHONPATH='/opt/ros/jazzy/lib')
    environment = found.environment()
    folder = found.venv.folder
    assert environment['PATH'] == f'{folder}/bin:{ROOT}/bin:/usr/bin'
    assert environment['PYTHONPATH'] == f'{ROOT}/src'
    assert not {'ROS_DISTRO', 'AMENT_PREFIX_PATH'} & set(environment)
    assert sourced(**environment).venv.folder == folder
    pinned = re.findall(r'^([\w-]+==[\w.]+)', found.venv.lock_file.read_text(), re.MULTILINE)
    assert {'numpy==1.26.4', 'numba==0.58.1', 'scipy==1.11.4', 'matplotlib==3.6.3',
            'pytest==7.4.4'} <= set(pinned)


def test_an_environment_whose_lock_changed_while_it_was_made_is_not_ready(state, monkeypatch):
    monkeypatch.setattr(paths, 'REQUIREMENTS', state)
    venv = virtual_environments.VirtualEnvironment('some')
    venv.lock_file.write_text('a==1\n')
    (venv.folder / 'bin').mkdir(parents=True)
    Path(venv.python).symlink_to(sys.executable)
    key = venv.key()
    venv.finish(key)
    assert venv.ready()
    venv.lock_file.write_text('a==2\n')
    venv.finish(key)
    assert not venv.ready()


# --- environments ---


def test_the_wheels_see_no_other_ros(tmp_path):
    environment = environments.wheels_environment({
        'PATH': '/opt/ros/humble/bin:/usr/bin',
        'PYTHONPATH': '/opt/ros/humble/lib/python3.10/site-packages',
        'LD_LIBRARY_PATH': '/opt/ros/humble/lib:/usr/local/lib',
        'AMENT_PREFIX_PATH': '/opt/ros/humble',
        'ROS_DISTRO': 'humble',
        'ROS_DOMAIN_ID': '7',
        'PYTHONHOME': '/x',
    }, tmp_path, 'kilted')
    assert 'humble' not in json.dumps(environment)
    assert environment['PATH'] == f'{tmp_path}/bin:/usr/bin'
    assert environment['LD_LIBRARY_PATH'] == f'{tmp_path}/lib:/usr/local/lib'
    assert environment['ROS_DOMAIN_ID'] == '7'
    assert environment['ROS_DISTRO'] == 'kilted'
    assert 'PYTHONHOME' not in environment
    assert 'PYTHONPATH' not in environment


PROFILE = {PROFILE_FILE: environments.LOOPBACK_PROFILE}
RANGE = environments.DISCOVERY_RANGE


@pytest.mark.parametrize(('given', 'expected'), [
    ({}, {**PROFILE, RANGE: 'SYSTEM_DEFAULT'}),
    ({RANGE: 'LOCALHOST'}, {**PROFILE, RANGE: 'SYSTEM_DEFAULT'}),
    ({RANGE: 'SUBNET'}, {RANGE: 'SUBNET'}),
    ({RANGE: 'SYSTEM_DEFAULT'}, {RANGE: 'SYSTEM_DEFAULT'}),
    ({PROFILE_FILE: '/own.xml'}, {PROFILE_FILE: '/own.xml', RANGE: 'LOCALHOST'}),
    ({PROFILE_FILE: '/own.xml', RANGE: 'SUBNET'}, {PROFILE_FILE: '/own.xml', RANGE: 'SUBNET'}),
])
def test_dds_keeps_to_this_machine_unless_the_user_opens_it(given, expected):
    assert environments.with_loopback_only(given, 'jazzy') == expected


def test_run_inside_run_keeps_to_this_machine_and_can_be_opened():
    inner = environments.with_loopback_only({}, 'jazzy')
    assert environments.with_loopback_only(inner, 'jazzy') == inner
    opened = environments.with_loopback_only({**inner, RANGE: 'SUBNET'}, 'jazzy')
    assert opened == {RANGE: 'SUBNET'}
    kilted = environments.with_loopback_only(inner, 'kilted')
    assert kilted == {environments.PROFILE_FILES[1]: environments.LOOPBACK_PROFILE,
                      RANGE: 'SYSTEM_DEFAULT'}


def test_cached_search_paths_come_first_and_once():
    before = {'PATH': '/b:/a', 'HOME': '/h'}
    environment = environments.with_additions(before, {'PATH': ['/a'], 'X': ['/x']})
    assert environment == {'PATH': '/a:/b', 'HOME': '/h', 'X': '/x'}


def test_sourcing_a_script_gives_what_it_adds(tmp_path):
    prefix = tmp_path / 'in stall'
    prefix.mkdir()
    script = prefix / 'local_setup.bash'
    script.write_text(
        f'echo chatter\nexport PATH="{prefix}/racecar/bin:$PATH"\n'
        f'export AMENT_PREFIX_PATH="{prefix}/racecar"\nexport OTHER=1\n'
    )
    assert environments.additions(script, '/python/bin') == {
        'PATH': [f'{prefix}/racecar/bin'], 'AMENT_PREFIX_PATH': [f'{prefix}/racecar'],
    }
    script.write_text('echo broken >&2\n')
    with pytest.raises(SetupError, match='broken'):
        environments.additions(script, '/python/bin')


def test_scripts_that_the_kernel_cannot_start_are_repaired(tmp_path):
    (tmp_path / 'good').write_text('#!/usr/bin/python3\nx\n')
    (tmp_path / 'spaces').write_text('#!"/a b/python3"\nx\n')
    (tmp_path / 'long').write_text(f'#!/{"a" * 200}/python3\nx\n')
    environments.repair_shebangs(tmp_path)
    assert (tmp_path / 'good').read_text() == '#!/usr/bin/python3\nx\n'
    assert (tmp_path / 'spaces').read_text() == '#!/usr/bin/env python3\nx\n'
    assert (tmp_path / 'long').read_text() == '#!/usr/bin/env python3\nx\n'


# --- processes ---


def test_a_failing_step_names_the_log_and_shows_its_end(state):
    with processes.exclusive() as lock, pytest.raises(SetupError) as caught:
        processes.run_logged(
            ['sh', '-c', 'echo no space left; exit 3'], 'x.log', dict(os.environ), lock)
    assert 'code 3: the disk is full' in str(caught.value)
    assert str(state / 'logs' / 'x.log') in str(caught.value)


def test_a_stopped_step_leaves_no_child(state):
    marker = state / 'pid'

    def stop_when_started():
        if marker.exists() and marker.read_text().strip():
            raise Stopped(2)

    with processes.exclusive() as lock, pytest.raises(Stopped):
        processes.run_logged(
            ['sh', '-c', f'sleep 60 & echo $! > "{marker}"; wait'], 'x.log', dict(os.environ),
            lock, on_tick=stop_when_started,
        )
    child = int(marker.read_text())
    deadline = time.monotonic() + 60.0
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(child)


def alive(pid):
    try:
        state = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    # A zombie is dead, only not collected yet.
    return state != 'Z'


# --- the command line ---


def call(*arguments, **variables):
    return subprocess.run(
        [sys.executable, str(ROOT / 'run'), *arguments], capture_output=True, text=True,
        timeout=60, env={**os.environ, **variables},
    )


@pytest.mark.parametrize('arguments', [[], ['help'], ['--help']])
def test_help_goes_to_stdout(arguments):
    answer = call(*arguments)
    assert answer.returncode == 0
    assert 'usage: ./run' in answer.stdout
    assert answer.stderr == ''


def test_an_unknown_command_is_refused_before_any_set_up():
    answer = call('no-such-command-anywhere')
    assert answer.returncode == 127
    assert "unknown command 'no-such-command-anywhere'" in answer.stderr
    assert answer.stdout == ''


@pytest.mark.parametrize(('variable', 'value', 'expected'), [
    ('RACECAR_ROS', 'both', "'wheels', 'installed' or 'none'"),
    ('RACECAR_DISTRO', 'jazy', "'jazzy' or 'kilted'"),
])
def test_a_wrong_choice_is_refused(variable, value, expected):
    answer = call('true', **{variable: value})
    assert answer.returncode == 1
    assert answer.stderr == f"run: {variable}='{value}': expected {expected}\n"


@pytest.mark.parametrize(('arguments', 'expected'), [
    ([], True),
    (['-q', '-x'], True),
    (['-k', 'stamp'], True),
    (['test/packaging'], True),
    (['test/packaging', 'test/helpers/domains.py'], True),
    (['test/packaging/test_lint.py'], False),
    (['test/packaging/test_lint.py::test_yaml', '-q'], False),
    (['test/nowhere'], False),
    (['-n', '3'], False),
    (['-n0'], False),
    (['--pdb'], False),
    (['-p', 'no:xdist'], False),
])
def test_tests_run_in_parallel_unless_files_or_another_way_are_named(arguments, expected):
    assert bool(commands.parallel(arguments)) == expected


def run_in_clone(tmp_path, script, arguments, stub):
    """Exit code of a script of .ci in a folder where ./run is a stub, and what that was asked."""
    (tmp_path / '.ci').mkdir()
    for name in ('run', 'ubuntu_packages'):
        shutil.copy(ROOT / '.ci' / name, tmp_path / '.ci')
    (tmp_path / 'run').write_text(f'#!/bin/sh\necho "$RACECAR_ROS $@" >> calls\n{stub}')
    (tmp_path / 'run').chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != 'RACECAR_ROS'}
    answer = subprocess.run([tmp_path / '.ci' / script, *arguments], env=environment)
    said = (tmp_path / 'calls').read_text().splitlines()
    for word in ' '.join(said).split():
        assert not word.startswith('test/') or (ROOT / word).exists(), word
    return answer.returncode, said


CI_CALLS = [' setup', 'none setup', ' python docs/build.py', 'none test test/analysis', ' test']


@pytest.mark.parametrize(('arguments', 'codes', 'calls', 'code'), [
    ([], (0, 0, 0), CI_CALLS, 0),
    ([], (1, 0, 0), CI_CALLS, 1),
    ([], (0, 1, 0), CI_CALLS, 1),
    ([], (0, 0, 1), CI_CALLS, 1),
    (['-k', 'stamp'], (1, 1, 0), [' test -k stamp'], 0),
])
def test_ci_builds_the_site_runs_both_environments_and_fails_with_any(
        tmp_path, arguments, codes, calls, code):
    found, said = run_in_clone(tmp_path, 'run', arguments, (
        f'[ "$1" = python ] && exit {codes[0]}\n[ "$RACECAR_ROS" = none ] && exit {codes[1]}\n'
        f'exit {codes[2]}\n'))
    assert found == code
    # The second set-up and the site are made side by side.
    said = [*said[:1], *sorted(said[1:3], reverse=True), *said[3:]]
    assert all(map(str.startswith, said, calls))
    assert len(said) == len(calls)


@pytest.mark.parametrize('code', [0, 1])
def test_all_that_packages_of_ubuntu_decide_about_is_more_than_ci_runs_first(tmp_path, code):
    names = []
    for arguments in ([], ['--kernels']):
        folder = tmp_path / str(len(arguments))
        folder.mkdir()
        found, (call,) = run_in_clone(
            folder, 'ubuntu_packages', arguments, f'exit {code}\n')
        assert found == code
        assert call.startswith('none test ')
        names.append([word.removesuffix('.py') for word in call.split()[2:]])
    every, first = names
    assert len(first) > 15
    assert all(any((word + '/').startswith(known + '/') for known in every) for word in first)
    assert {'test/simulation', 'test/control', 'test/cli'} <= {*every} - {*first}


@pytest.mark.parametrize('name', ['run', '.ci/run', '.ci/ubuntu_packages', 'bin/racecar'])
def test_scripts_are_executable(name):
    assert (ROOT / name).stat().st_mode & stat.S_IXUSR
