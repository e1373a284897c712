# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""--watch: the page of the cockpit beside a stack."""

import argparse
import importlib.util
import re
import socket
from urllib.request import urlopen

import pytest

from racecar.cli.main import main
from racecar.cli.watch_option import watched
from racecar.core.errors import ConfigurationError

pytestmark = pytest.mark.ros


def test_a_missing_package_is_said_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    assert main(['up', 'kinematic_ode', '--watch']) == 1
    assert capsys.readouterr().err.endswith(
        'racecar up: error: the Python package aiohttp, which serves the page, is not installed:'
        ' pip install aiohttp\n')


def test_the_page_is_there_until_the_stack_ends(capfd, monkeypatch):
    pytest.importorskip('aiohttp')
    # No browser on the screen of whoever runs the tests.
    monkeypatch.setenv('BROWSER', 'true')
    with watched(argparse.Namespace(watch=True)):
        port = int(re.search(r'http://127\.0\.0\.1:(\d+)/', capfd.readouterr().err)[1])
        with urlopen(f'http://127.0.0.1:{port}/', timeout=30.0) as page:
            assert '<title>' in page.read().decode()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(('127.0.0.1', port))


def test_names_that_there_are_not_are_refused_by_the_process_beside():
    pytest.importorskip('aiohttp')
    with (pytest.raises(ConfigurationError, match="--topic-names 'f1tent' is unknown.*f1tenth"),
          watched(argparse.Namespace(watch=True), topic_names='f1tent')):
        pytest.fail('something is served')
