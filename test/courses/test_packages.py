# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Executables in the folders of students."""

import json
import os
import subprocess
import sys

import pytest

from racecar.base.errors import ConfigurationError
from racecar.courses.packages import prepare

SETUP = """
import os
from setuptools import find_packages, setup
setup(name='pkg_one', version='0.0.0', packages=find_packages(),
      data_files=[('share/ament_index/resource_index/packages', ['resource/pkg_one']),
                  ('share/pkg_one', ['package.xml'])],
      entry_points={'console_scripts': ['follower = pkg_one.follow:main',
                                        'Other=pkg_one.follow:other']})
"""
NODE = "import rclpy\nif __name__ == '__main__':\n    pass\n"


@pytest.fixture
def student(tmp_path):
    folder = tmp_path / 'student'
    package = folder / 'src' / 'pkg'
    for name, text in (
            ('package.xml', '<package format="3"><name>pkg_one</name></package>'),
            ('setup.py', SETUP), ('resource/pkg_one', ''), ('pkg_one/__init__.py', ''),
            ('pkg_one/follow.py', 'def main(): print("follow", __file__)\ndef other(): pass\n'),
            ('pkg_one/scratch.py', NODE), ('config/params.yaml', 'a: 1\n')):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / 'lonely_node.py').write_text(NODE)
    (folder / 'plot.py').write_text('print(1)')
    return folder


def prepared(student, tmp_path, **more):
    return prepare(student, tmp_path / 'work', sys.executable, 4000.0, **more)


def test_scripts_of_packages_and_files_with_nodes_are_executables(student, tmp_path):
    found = prepared(student, tmp_path, dynamic_parameters=True)
    assert found.faults == ()
    assert set(found.executables) == {'follower', 'Other', 'scratch', 'lonely_node'}
    name, command = found.find(['nothing*', 'follow*'])
    assert name == 'follower'
    settings = json.loads(command.words[-1])
    assert settings == {'name': 'follower', 'target': 'pkg_one.follow:main',
                        'dynamic_parameters': True}
    prefix, = command.prefixes
    assert prefix == str(tmp_path / 'work' / 'prefix')
    # As ament finds packages.
    assert (tmp_path / 'work/prefix/share/ament_index/resource_index/packages/pkg_one').exists()
    assert (tmp_path / 'work/prefix/share/pkg_one/package.xml').exists()
    assert found.find_file('params.yaml') == tmp_path / 'work/src/src/pkg/config/params.yaml'
    assert found.find_file('nothing.yaml') is None
    # What a student has handed in stays as it is.
    assert not list(student.rglob('*.egg-info'))


def test_programs_start_where_src_is_what_was_handed_in(student, tmp_path):
    home = tmp_path / 'case' / 'home'
    prepared(student, tmp_path).lay_out(home)
    assert (home / 'src/src/pkg/config/params.yaml').read_text() == 'a: 1\n'
    # A single package lies in src by its name, whatever the folder is called.
    single = prepare(student / 'src/pkg', tmp_path / 'single', sys.executable, 4000.0)
    single.lay_out(tmp_path / 'other')
    assert (tmp_path / 'other/src/pkg_one/config/params.yaml').read_text() == 'a: 1\n'


def test_what_is_not_there_is_said_with_what_is(student, tmp_path):
    found = prepared(student, tmp_path)
    with pytest.raises(ConfigurationError) as error:
        found.find(['folower'])
    assert str(error.value) == (
        'no executable is called folower; there are Other, follower, lonely_node, scratch; did you'
        ' mean follower?')


def test_a_setup_that_fails_costs_its_scripts_only(student, tmp_path):
    (student / 'src/pkg/setup.py').write_text('raise RuntimeError("no catkin here")')
    found = prepared(student, tmp_path)
    assert set(found.executables) == {'scratch', 'lonely_node'}
    assert found.faults == (
        'src/pkg: setup.py ended with exit code 1: RuntimeError: no catkin here',)
    with pytest.raises(ConfigurationError, match='no catkin here'):
        found.find(['follower'])


def test_setup_of_a_package_that_cmake_builds_names_no_executables(student, tmp_path):
    # As in the labs of F1TENTH: setup.py names a module that is not there, and CMake installs
    # the script of that name.
    package = student / 'src/pkg'
    (package / 'package.xml').write_text(
        '<package format="3"><name>pkg_one</name>'
        '<export><build_type>ament_cmake</build_type></export></package>')
    (package / 'scripts').mkdir()
    (package / 'scripts/follower.py').write_text(NODE)
    found = prepared(student, tmp_path)
    _, command = found.find(['follower'])
    target = json.loads(command.words[2])['target']
    assert target == str(tmp_path / 'work/src/src/pkg/scripts/follower.py')
    assert 'Other' not in found.executables
    assert not list((tmp_path / 'work').rglob('*.egg-info'))


def test_setup_finds_the_workspace_of_the_course(student, tmp_path, monkeypatch):
    # Particle filters of MIT RSS link a library that lies in the workspace of this variable.
    monkeypatch.setenv('SIM_WS', str(tmp_path / 'workspace'))
    (student / 'src/pkg/setup.py').write_text(
        SETUP.replace("name='pkg_one'", "name='pkg_one', description=os.environ['SIM_WS']"))
    found = prepared(student, tmp_path)
    assert found.faults == ()
    assert 'follower' in found.executables


def test_links_and_builds_are_left_out(student, tmp_path):
    (student / 'loop').symlink_to(student)
    (student / 'secret.py').symlink_to('/etc/hostname')
    (student / 'install').mkdir()
    (student / 'install' / 'old_node.py').write_text(NODE)
    (student / 'src/ignored').mkdir()
    found = prepared(student, tmp_path)
    assert 'old_node' not in found.executables
    assert not (found.folder / 'loop').exists()
    assert not (found.folder / 'secret.py').exists()


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match='cannot be copied'):
        prepare(tmp_path / 'nobody', tmp_path / 'work', sys.executable, 4000.0)


def test_what_a_setup_makes_cannot_hold_up_or_lead_the_grader(student, tmp_path):
    target = tmp_path / 'teachers'
    target.write_text('kept')
    package = student / 'src' / 'pkg'
    (package / 'setup.py').write_text(
        'import os, pathlib\n'
        'os.mkfifo("pipe_node.py")\n'
        'os.symlink("/dev/zero", "zero_node.py")\n'
        'info = pathlib.Path("x.egg-info")\n'
        'info.mkdir()\n'
        f'(info / "entry_points.txt").write_text("[console_scripts]\\n{target} = a:b\\n'
        '../out = a:b\\nfine = a:b\\n")\n'
        f'os.symlink({str(target)!r}, os.path.expanduser("~/setup.py_output.txt"))\n')
    second = student / 'src' / 'second'
    second.mkdir()
    (second / 'package.xml').write_text('<package><name>../../second</name></package>')
    (second / 'setup.py').write_text('print("written by the grader")')
    found = prepared(student, tmp_path)
    assert found.faults == ()
    assert set(found.executables) == {'fine', 'scratch', 'lonely_node'}
    assert target.read_text() == 'kept'


def test_pipes_and_deep_folders_cost_only_the_students_own_mark(student, tmp_path):
    os.mkfifo(student / 'pipe.py')
    assert 'pipe' not in prepared(student, tmp_path).executables
    deep = tmp_path / 'deep'
    deep.mkdir()
    here = os.open(deep, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir('d', dir_fd=here)
        below = os.open('d', os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    try:
        with pytest.raises(ConfigurationError, match='too deep'):
            prepare(deep, tmp_path / 'other', sys.executable, 4000.0)
    finally:
        # shutil.rmtree() of pytest fails here, too.
        subprocess.run(['rm', '-rf', str(deep), str(tmp_path / 'other')], check=True)
