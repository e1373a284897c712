# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command `racecar foxglove`, and --foxglove beside a stack."""

import argparse
import importlib.util
import re
import socket

from presence import present
import pytest

from racecar.base.errors import ConfigurationError
from racecar.cli.foxglove_option import foxglove_served
from racecar.cli.main import main

pytestmark = pytest.mark.ros

MISSING = ('error: the server for Foxglove needs foxglove-sdk, which is not installed:'
           ' pip install ')


@pytest.mark.parametrize('words', [['foxglove'], ['up', 'kinematic_ode', '--foxglove']])
def test_a_missing_package_is_said_in_one_line(monkeypatch, capsys, words):
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: None)
    assert main(words) == 1
    assert f'racecar {words[0]}: {MISSING}' in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize('text', ['-1', '65536', 'http', '²'])
def test_a_port_that_is_none_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        main(['up', 'kinematic_ode', f'--foxglove-port={text}'])
    assert f'{text!r} is no TCP port' in capsys.readouterr().err


def test_the_server_of_the_option_ends_with_the_stack(capfd):
    pytest.importorskip('foxglove', reason='needs foxglove-sdk')
    pytest.importorskip('websockets')
    from foxglove_client import FoxgloveClient

    with foxglove_served(argparse.Namespace(foxglove=True, foxglove_port=0)):
        said = capfd.readouterr().err
        port = int(present(re.search(r'ws://127\.0\.0\.1:(\d+)', said))[1])
        with FoxgloveClient(f'ws://127.0.0.1:{port}'):
            pass
        with (pytest.raises(ConfigurationError, match=f'port {port}: .*name another port'),
              foxglove_served(argparse.Namespace(foxglove=True, foxglove_port=port))):
            pytest.fail('there are two servers on one port')
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(('127.0.0.1', port))
    assert capfd.readouterr().err == ''
