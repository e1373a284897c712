# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""--watch: the page of the cockpit beside a stack."""

import argparse
import importlib.util
import json
import os
import re
import signal
import socket
import sys
from urllib.request import urlopen

from presence import present
import pytest

from racecar.base.errors import ConfigurationError, RunError
from racecar.cli.main import main
from racecar.cli.watch_option import watched
from racecar.signals import Interruption

pytestmark = pytest.mark.ros


def test_a_missing_package_is_said_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    assert main(['up', 'kinematic_ode', '--watch']) == 1
    assert capsys.readouterr().err.endswith(
        'racecar up: error: the Python package aiohttp, which serves the page, is not installed:'
        ' pip install aiohttp\n')


PAGE = """
import asyncio, json, os, signal, sys
import aiohttp

async def main(address, command):
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(address + 'ws', headers={'Origin': address[:-1]}) as socket:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    found = json.loads(message.data)
                    print(json.dumps([found['type'], found.get('state'), found.get('text')]),
                          flush=True)
                    if found.get('result') and sys.argv[3] in found['text']:
                        os.kill(int(command), signal.SIGINT)

asyncio.run(main(*sys.argv[1:3]))
"""


@pytest.fixture
def browser(monkeypatch, tmp_path):
    """Let `--watch` open a page without a screen; a press of Ctrl-C follows the result."""
    pytest.importorskip('aiohttp')
    (tmp_path / 'page.py').write_text(PAGE)
    log = tmp_path / 'log'
    monkeypatch.setenv('BROWSER', f'sh -c "exec {sys.executable} {tmp_path}/page.py %s'
                       f' {os.getpid()} drove > {log}"')
    return log


def test_the_run_begins_with_the_page_which_shows_the_result_until_ctrl_c(browser, capfd):
    with watched(argparse.Namespace(watch=True), 'plant') as run:
        before = capfd.readouterr().err
        port = int(present(re.search(r'http://127\.0\.0\.1:(\d+)/', before))[1])
        assert 'begins when the page is open' in before
        assert json.loads(browser.read_text().splitlines()[0])[0] == 'welcome'
        run.text = 'it drove 3 s'
    sessions = [row for row in map(json.loads, browser.read_text().splitlines())
                if row[0] == 'session']
    assert sessions[0][1] == 'starting'
    assert sessions[-1] == ['session', 'ended', 'it drove 3 s']
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(('127.0.0.1', port))


def test_a_run_that_fails_or_is_interrupted_is_said_on_the_page(browser):
    for error, state, text in ((RunError('nobody drove the car'), 'failed', 'nobody drove'),
                               (Interruption(signal.SIGINT), 'ended', 'the run has ended')):
        with pytest.raises(type(error)), watched(argparse.Namespace(watch=True), 'plant'):
            raise error
        last = [row for row in map(json.loads, browser.read_text().splitlines())
                if row[0] == 'session'][-1]
        assert last[1] == state
        assert text in last[2]


def test_nobody_waits_where_no_browser_can_be_opened(monkeypatch, capfd):
    pytest.importorskip('aiohttp')
    monkeypatch.setenv('BROWSER', 'false')
    with watched(argparse.Namespace(watch=True), 'plant', longest_wait=1e6):
        found = capfd.readouterr().err
        assert 'No page is open' in found
        port = int(present(re.search(r'http://127\.0\.0\.1:(\d+)/', found))[1])
        with urlopen(f'http://127.0.0.1:{port}/', timeout=30.0) as page:
            assert '<title>' in page.read().decode()


def test_names_that_there_are_not_are_refused_by_the_process_beside():
    pytest.importorskip('aiohttp')
    with (pytest.raises(ConfigurationError, match="topic names 'f1tent' is neither.*f1tenth"),
          watched(argparse.Namespace(watch=True), 'plant', topic_names='f1tent')):
        pytest.fail('something is served')
