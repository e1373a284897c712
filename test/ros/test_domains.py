# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain that is free."""

import contextlib
import os
import socket
import subprocess
import sys

import pytest

from racecar.cli.main import main
from racecar.core.errors import ConfigurationError
from racecar.ros.domains import claim_domain


@pytest.fixture
def stack():
    with contextlib.ExitStack() as found:
        yield found


@pytest.fixture(scope='module')
def pair():
    """Return two domains that were free a moment ago."""
    with contextlib.ExitStack() as found:
        return claim_domain(found), claim_domain(found)


def test_claimed_domains_differ_until_they_are_given_back(stack, pair):
    with contextlib.ExitStack() as first:
        assert {claim_domain(first, pair), claim_domain(stack, pair)} == set(pair)
        with pytest.raises(ConfigurationError, match=f'from {pair[0]} to {pair[1]} are in use'):
            claim_domain(stack, pair)
    claim_domain(stack, pair)


def test_other_processes_see_the_claim(stack, pair):
    mine = claim_domain(stack, pair)
    theirs = subprocess.run(
        [sys.executable, '-c', 'import contextlib; from racecar.ros.domains import claim_domain\n'
         f'print(claim_domain(contextlib.ExitStack(), {pair}))'],
        capture_output=True, text=True, timeout=60,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert int(theirs.stdout) == sum(pair) - mine


@pytest.mark.parametrize('offset', [0, 10])
def test_domain_in_which_somebody_listens_is_not_free(stack, pair, offset):
    listener = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('127.0.0.1', 7400 + 250 * pair[0] + offset))
    assert claim_domain(stack, pair) == pair[1]


@pytest.mark.parametrize('given', ['233', '-1', 'none'])
def test_demo_refuses_what_is_no_domain(given, capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        main(['demo', f'--domain={given}', '--output', str(tmp_path / 'run')])
    assert ended.value.code == 2
    assert 'expected a whole number from 0 to 232' in capsys.readouterr().err
