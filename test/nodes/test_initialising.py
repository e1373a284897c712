# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Initialising ROS 2: what it refuses is said in one line, and the log finds a place."""

import errno
import os
import sys
import tempfile

import pytest
from rclpy.context import Context
from rclpy.node import Node

from racecar.base.errors import ConfigurationError
from racecar.ros.initialising import init

pytestmark = pytest.mark.ros


@pytest.fixture
def context():
    found = Context()
    yield found
    found.try_shutdown()


@pytest.fixture
def refusal(context):
    """Return a function that initialises in vain and returns the only line that is said."""
    def refuse(*words):
        with pytest.raises(ConfigurationError) as refused:
            init([*words], context=context)
        assert not context.ok()
        line = str(refused.value)
        assert '\n' not in line
        assert '.c:' not in line
        return line
    return refuse


@pytest.fixture
def parameter_file(tmp_path):
    path = tmp_path / 'parameters.yaml'

    def write(text):
        path.write_text(text)
        return str(path)
    return write


# Arguments and parameter files


def test_arguments_reach_the_nodes(context, parameter_file):
    path = parameter_file('/**: {ros__parameters: {gain: 2.5}}')
    init(['--ros-args', '--params-file', path, '-r', '__ns:=/car1'], context=context)
    node = Node('tracker', context=context, automatically_declare_parameters_from_overrides=True)
    try:
        assert node.get_parameter('gain').value == 2.5
        assert node.get_fully_qualified_name() == '/car1/tracker'
    finally:
        node.destroy_node()


@pytest.mark.parametrize(
    ('text', 'message'),
    [('tracker:\n  ros__parameters:\n    gain:\n', "line 3: parameter 'gain' has no value"),
     ('tracker: [', 'is not YAML: line 2'), ('tracker: 3', "line 1: 'tracker' is 3, expected"),
     ('tracker: {ros__parameters: {gain: [1, a]}}', r"line 1: parameter 'gain' is [1, 'a'],")])
def test_parameter_file_that_rcl_refuses_is_named_with_the_line(
        refusal, parameter_file, text, message):
    path = parameter_file(text)
    line = refusal('--ros-args', '-r', '__node:=n', '--params-file', path)
    assert line.startswith(f"parameter file '{path}'")
    assert message in line


def test_the_faulty_one_of_several_parameter_files_is_named(refusal, parameter_file, tmp_path):
    right = tmp_path / 'right.yaml'
    right.write_text('/**: {ros__parameters: {gain: 1.0}}')
    wrong = parameter_file('/**: {ros__parameters: {gain: }}')
    line = refusal('--ros-args', '--params-file', str(right), '--params-file', wrong)
    assert line.startswith(f"parameter file '{wrong}', line 1: parameter 'gain' has no value")


def test_absent_parameter_file_is_named(refusal, tmp_path):
    path = str(tmp_path / 'absent.yaml')
    assert refusal('--ros-args', '--params-file', path) == (
        f"parameter file '{path}' cannot be read: No such file or directory; check the path")


def test_what_only_rcl_refuses_is_said_in_its_words(refusal, parameter_file):
    path = parameter_file('/**: {ros__parameters: {ratios: [-1, 2.5]}}')
    line = refusal('--ros-args', '--params-file', path)
    assert line.startswith('ROS 2 cannot be initialised: ')
    assert path in line
    assert 'Sequence should be of same type' in line


def test_arguments_that_ros_does_not_know_are_said(refusal):
    line = refusal('--ros-args', '-p', 'gain=3')
    assert line.startswith('ROS 2 cannot be initialised: ')
    assert 'gain=3' in line


def test_words_of_the_command_line_count_where_none_are_given(
        context, parameter_file, monkeypatch):
    path = parameter_file('/**: {ros__parameters: {gain: }}')
    monkeypatch.setattr(sys, 'argv', ['tracker', '--ros-args', '--params-file', path])
    with pytest.raises(ConfigurationError, match="line 1: parameter 'gain' has no value"):
        init(context=context)


# The log folder


@pytest.fixture
def homes(monkeypatch):
    """Return a function that sets the variables that say where the log lies, and no other."""
    def set_variables(**variables):
        # What init() sets is undone too.
        for name in ('ROS_LOG_DIR', 'ROS_HOME', 'HOME'):
            monkeypatch.setenv(name, '')
            if name not in variables:
                monkeypatch.delenv(name)
        for name, value in variables.items():
            monkeypatch.setenv(name, str(value))
    return set_variables


@pytest.mark.parametrize(
    ('variable', 'place'),
    [('ROS_LOG_DIR', ''), ('ROS_HOME', 'log'), ('HOME', '.ros/log')])
def test_log_folder_is_made_where_ros_wants_it(homes, context, tmp_path, capsys, variable, place):
    homes(**{'HOME': '/proc/nobody', variable: tmp_path / 'new'})
    init([], context=context)
    folder = tmp_path / 'new' / place
    assert folder.is_dir()
    # What has been tried leaves nothing behind.
    assert [path for path in folder.iterdir() if not path.name.endswith('.log')] == []
    assert os.environ.get('ROS_LOG_DIR', '') == (str(folder) if variable == 'ROS_LOG_DIR' else '')
    assert capsys.readouterr().err == ''


@pytest.mark.parametrize(
    ('variables', 'folder', 'problem'),
    [({'HOME': '/proc/nobody'}, '/proc/nobody/.ros/log', 'No such file or directory'),
     ({'HOME': '/dev/null'}, '/dev/null/.ros/log', 'Not a directory'),
     ({'ROS_HOME': '/proc/nobody', 'HOME': '/tmp'}, '/proc/nobody/log', 'No such file'),
     ({'HOME': ''}, '', 'No such file or directory'),
     ({}, '', 'No such file or directory')],
    ids=['no folder', 'no folder at all', 'ROS_HOME', 'empty', 'without HOME'])
def test_log_goes_elsewhere_where_its_own_folder_cannot_be_written(
        homes, context, tmp_path, capsys, monkeypatch, variables, folder, problem):
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    homes(**variables)
    init([], context=context)
    other = os.environ['ROS_LOG_DIR']
    assert os.path.dirname(other) == str(tmp_path)
    assert os.path.isdir(other)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"racecar: log folder '{folder}' cannot be written ({problem}")
    assert line.endswith(f', logging to {other}')
    assert context.ok()


def test_full_disk_is_found_before_rcl_finds_it(homes, context, tmp_path, capsys, monkeypatch):
    def refuse(*_, **options):
        if options.get('dir') == str(tmp_path / '.ros' / 'log'):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, 'TemporaryFile', refuse)
    homes(HOME=tmp_path)
    init([], context=context)
    assert '(No space left on device), logging to ' in capsys.readouterr().err
    assert os.path.isdir(os.environ['ROS_LOG_DIR'])


def test_log_folder_that_was_asked_for_is_not_replaced(homes, refusal):
    homes(ROS_LOG_DIR='/proc/nobody', HOME='/tmp')
    assert refusal() == (
        "ROS_LOG_DIR '/proc/nobody' cannot be written: No such file or directory; name another"
        ' folder, or unset it')
    assert os.environ['ROS_LOG_DIR'] == '/proc/nobody'


def test_no_place_for_the_log_at_all_is_refused_with_the_variable_to_set(
        homes, refusal, monkeypatch):
    monkeypatch.setattr(tempfile, 'tempdir', '/proc/nobody')
    homes(HOME='/proc/nobody')
    assert refusal() == (
        "log folder '/proc/nobody/.ros/log' cannot be written: No such file or directory; name"
        ' another one in ROS_LOG_DIR')
