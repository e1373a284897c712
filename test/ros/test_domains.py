# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain that is free."""

import contextlib
import socket
import subprocess
import sys

import pytest

from racecar.cli.main import main
from racecar.core.errors import ConfigurationError
from racecar.ros.domains import claim_domain

DOMAINS = (210, 211)


@pytest.fixture
def stack():
    with contextlib.ExitStack() as found:
        yield found


def test_claimed_domains_differ_until_they_are_given_back(stack):
    with contextlib.ExitStack() as first:
        assert {claim_domain(first, DOMAINS), claim_domain(stack, DOMAINS)} == set(DOMAINS)
        with pytest.raises(ConfigurationError, match='from 210 to 211 are in use'):
            claim_domain(stack, DOMAINS)
    claim_domain(stack, DOMAINS)


def test_other_processes_see_the_claim(stack):
    mine = claim_domain(stack, DOMAINS)
    theirs = subprocess.run(
        [sys.executable, '-c', 'import contextlib; from racecar.ros.domains import claim_domain\n'
         f'print(claim_domain(contextlib.ExitStack(), {DOMAINS}))'],
        capture_output=True, text=True, timeout=60)
    assert int(theirs.stdout) == sum(DOMAINS) - mine


@pytest.mark.parametrize('offset', [0, 10])
def test_domain_in_which_somebody_listens_is_not_free(stack, offset):
    listener = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('127.0.0.1', 7400 + 250 * DOMAINS[0] + offset))
    assert claim_domain(stack, DOMAINS) == DOMAINS[1]


@pytest.mark.parametrize('given', ['233', '-1', 'none'])
def test_demo_refuses_what_is_no_domain(given, capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        main(['demo', f'--domain={given}', '--output', str(tmp_path / 'run')])
    assert ended.value.code == 2
    assert 'expected a whole number from 0 to 232' in capsys.readouterr().err
