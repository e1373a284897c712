# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parts of the run script that need no set-up."""

import importlib.machinery
import importlib.util
import json
import os
from pathlib import Path
import stat
import subprocess
import sys
import time

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def run():
    loader = importlib.machinery.SourceFileLoader('racecar_run', str(ROOT / 'run'))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    # The script has no suffix, so its byte code would lie beside it.
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


@pytest.fixture
def state(run, tmp_path, monkeypatch):
    folder = tmp_path / '.racecar'
    folder.mkdir()
    monkeypatch.setattr(run, 'STATE', folder)
    monkeypatch.setattr(run, 'LOGS', folder / 'logs')
    return folder


# --- checks ---


def test_the_platform_of_the_wheels_is_accepted(run):
    assert run.platform_problem('Linux', 'x86_64', ('glibc', '2.28')) == ''
    assert run.platform_problem('Linux', 'x86_64', ('glibc', '2.100')) == ''


@pytest.mark.parametrize(('system', 'machine', 'libc', 'named'), [
    ('Darwin', 'arm64', ('', ''), 'Darwin'),
    ('Linux', 'aarch64', ('glibc', '2.36'), 'aarch64'),
    ('Linux', 'x86_64', ('glibc', '2.17'), '2.17'),
    ('Linux', 'x86_64', ('', ''), 'unknown C library'),
    ('Windows', 'AMD64', ('', ''), 'Windows'),
])
def test_another_platform_is_refused_with_its_name(run, system, machine, libc, named):
    problem = run.platform_problem(system, machine, libc)
    assert named in problem
    assert 'Install ROS 2' in problem


def test_a_path_with_spaces_is_accepted_but_not_one_with_separators(run):
    assert run.path_problem('/home/a user/race car') == ''
    assert "':'" in run.path_problem('/home/a:b')
    assert "';'" in run.path_problem('/home/a;b')


def test_a_missing_compiler_is_named_with_the_remedy(run, tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv('CC', raising=False)
    monkeypatch.delenv('CXX', raising=False)
    with pytest.raises(run.SetupError, match='no C compiler.*build-essential'):
        run.check_compiler()


def test_a_python_that_is_none_is_refused(run, monkeypatch):
    monkeypatch.setenv('RACECAR_PYTHON', '/bin/false')
    with pytest.raises(run.SetupError, match=r'3\.11 to 3\.13.*/bin/false'):
        run.choose_python()


def test_hints_explain_a_log(run):
    assert 'network' in run.hint_for('... Temporary failure in NAME resolution')
    assert 'disk' in run.hint_for('OSError: [Errno 28] No space left on device')
    assert run.hint_for('all is well') == ''


def test_modules_that_a_python_lacks_are_listed(run):
    assert run.missing_modules(sys.executable, ['json', 'no_such_module']) == ['no_such_module']


def test_clean_leaves_only_the_lock(run, state):
    (state / 'venv').mkdir()
    (state / 'venv' / 'file').touch()
    (state / 'link').symlink_to('/nowhere')
    run.clean()
    assert [path.name for path in state.iterdir()] == ['lock']


# --- stamps ---


def test_the_digest_knows_where_each_part_ends(run):
    assert run.digest(['ab', 'c']) != run.digest(['a', 'bc'])
    assert run.digest(['ab', 'c']) == run.digest(['ab', 'c'])


def test_a_stamp_is_read_back_and_a_damaged_one_is_empty(run, tmp_path):
    path = tmp_path / 'ready.json'
    assert run.read_stamp(path) == {}
    run.write_stamp(path, {'key': 'x'})
    assert run.read_stamp(path) == {'key': 'x'}
    path.write_text('{"key": ')
    assert run.read_stamp(path) == {}
    path.write_text('[1]')
    assert run.read_stamp(path) == {}


def test_a_changed_message_changes_the_interface_key(run, tmp_path):
    package = tmp_path / 'some_msgs'
    package.mkdir()
    message = package / 'A.msg'
    message.write_text('float64 x\n')
    before = run.interface_key([package], 'base')
    assert run.interface_key([package], 'base') == before
    assert run.interface_key([package], 'other base') != before
    message.write_text('float64 y\n')
    assert run.interface_key([package], 'base') != before


def test_the_package_key_counts_names_of_data_files_but_not_their_text(run, tmp_path):
    for name in ('package.xml', 'setup.py', 'setup.cfg'):
        (tmp_path / name).write_text(name)
    (tmp_path / 'config').mkdir()
    (tmp_path / 'config' / 'a.yaml').write_text('a: 1\n')
    before = run.package_key(tmp_path)
    (tmp_path / 'config' / 'a.yaml').write_text('a: 2\n')
    assert run.package_key(tmp_path) == before
    (tmp_path / 'config' / 'b.yaml').write_text('b: 1\n')
    after = run.package_key(tmp_path)
    assert after != before
    (tmp_path / 'setup.py').write_text('other')
    assert run.package_key(tmp_path) != after


# --- wheels ---


def test_the_cmake_fix_up_replaces_foreign_include_folders_only(run):
    text = (
        'set_target_properties(m PROPERTIES\n'
        '  INTERFACE_INCLUDE_DIRECTORIES "/opt/python/cp312-cp312/include/python3.12;'
        '/opt/python/cp312-cp312/lib/python3.12/site-packages/numpy/_core/include;'
        '${_IMPORT_PREFIX}/include/m"\n)\n'
    )
    assert run.adapted_cmake(text, '/usr/include/python3.12', r'/a b\1/numpy/_core/include') == (
        'set_target_properties(m PROPERTIES\n'
        '  INTERFACE_INCLUDE_DIRECTORIES "/usr/include/python3.12;'
        r'/a b\1/numpy/_core/include;'
        '${_IMPORT_PREFIX}/include/m"\n)\n'
    )


def test_the_lock_is_split_into_packages(run):
    text = '# note\na-b==1 ; python_version < "3.12" \\\n  --hash=1\na-b==2\n  --hash=2\nC==3\n'
    assert run.requirement_blocks(text) == {
        'a-b': 'a-b==1 ; python_version < "3.12" \\\n  --hash=1\na-b==2\n  --hash=2\n',
        'c': 'C==3\n',
    }


def test_the_lock_pins_everything_asked_for_and_names_no_place(run):
    text = run.LOCK_FILE.read_text()
    blocks = run.requirement_blocks(text)
    assert all('--hash=sha256:' in block for block in blocks.values())
    assert '://' not in text
    assert '--find-links' not in text
    asked = {
        line.split('#')[0].strip()
        for line in (ROOT / 'requirements' / 'jazzy.in').read_text().splitlines()
    } - {''}
    names = {line.split('[')[0].split('<')[0].lower().replace('_', '-') for line in asked}
    assert names <= set(blocks)
    # Bare names of the ROS packages would mix distributions.
    assert not [name for name in names if name.startswith('ros-') and 'jazzy' not in name]


# --- environments ---


def test_the_wheels_see_no_other_ros(run, tmp_path):
    environment = run.wheels_environment({
        'PATH': '/opt/ros/humble/bin:/usr/bin',
        'PYTHONPATH': '/opt/ros/humble/lib/python3.10/site-packages',
        'LD_LIBRARY_PATH': '/opt/ros/humble/lib:/usr/local/lib',
        'AMENT_PREFIX_PATH': '/opt/ros/humble',
        'ROS_DISTRO': 'humble',
        'ROS_DOMAIN_ID': '7',
        'PYTHONHOME': '/x',
    }, tmp_path)
    assert 'humble' not in json.dumps(environment)
    assert environment['PATH'] == f'{tmp_path}/bin:/usr/bin'
    assert environment['LD_LIBRARY_PATH'] == f'{tmp_path}/lib:/usr/local/lib'
    assert environment['ROS_DOMAIN_ID'] == '7'
    assert 'PYTHONHOME' not in environment
    assert 'PYTHONPATH' not in environment


def test_cached_search_paths_come_first_and_once(run):
    before = {'PATH': '/b:/a', 'HOME': '/h'}
    environment = run.with_additions(before, {'PATH': ['/a'], 'X': ['/x']})
    assert environment == {'PATH': '/a:/b', 'HOME': '/h', 'X': '/x'}


def test_sourcing_a_script_gives_what_it_adds(run, tmp_path):
    prefix = tmp_path / 'in stall'
    prefix.mkdir()
    script = prefix / 'local_setup.bash'
    script.write_text(
        f'echo chatter\nexport PATH="{prefix}/racecar/bin:$PATH"\n'
        f'export AMENT_PREFIX_PATH="{prefix}/racecar"\nexport OTHER=1\n'
    )
    assert run.additions(script, '/python/bin') == {
        'PATH': [f'{prefix}/racecar/bin'], 'AMENT_PREFIX_PATH': [f'{prefix}/racecar'],
    }
    script.write_text('echo broken >&2\n')
    with pytest.raises(run.SetupError, match='broken'):
        run.additions(script, '/python/bin')


def test_scripts_that_the_kernel_cannot_start_are_repaired(run, tmp_path):
    (tmp_path / 'good').write_text('#!/usr/bin/python3\nx\n')
    (tmp_path / 'spaces').write_text('#!"/a b/python3"\nx\n')
    (tmp_path / 'long').write_text(f'#!/{"a" * 200}/python3\nx\n')
    run.repair_shebangs(tmp_path)
    assert (tmp_path / 'good').read_text() == '#!/usr/bin/python3\nx\n'
    assert (tmp_path / 'spaces').read_text() == '#!/usr/bin/env python3\nx\n'
    assert (tmp_path / 'long').read_text() == '#!/usr/bin/env python3\nx\n'


# --- processes ---


def test_a_failing_step_names_the_log_and_shows_its_end(run, state):
    with run.exclusive() as lock, pytest.raises(run.SetupError) as caught:
        run.run_logged(['sh', '-c', 'echo no space left; exit 3'], 'x.log', dict(os.environ), lock)
    assert 'code 3: the disk is full' in str(caught.value)
    assert str(state / 'logs' / 'x.log') in str(caught.value)


def test_a_stopped_step_leaves_no_child(run, state):
    marker = state / 'pid'

    def stop_when_started():
        if marker.exists() and marker.read_text().strip():
            raise run.Stopped(2)

    with run.exclusive() as lock, pytest.raises(run.Stopped):
        run.run_logged(
            ['sh', '-c', f'sleep 60 & echo $! > "{marker}"; wait'], 'x.log', dict(os.environ),
            lock, on_tick=stop_when_started,
        )
    child = int(marker.read_text())
    deadline = time.monotonic() + 5.0
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


def test_a_wrong_choice_of_ros_is_refused():
    answer = call('true', RACECAR_ROS='both')
    assert answer.returncode == 1
    assert "expected 'wheels' or 'installed'" in answer.stderr


@pytest.mark.parametrize('name', ['run', '.ci/run', 'bin/racecar'])
def test_scripts_are_executable(name):
    assert (ROOT / name).stat().st_mode & stat.S_IXUSR
