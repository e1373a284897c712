# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain that is free."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile

import pytest

from racecar.base.errors import ConfigurationError
from racecar.cli import demo
from racecar.cli.main import main
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


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can be another user')
def test_files_of_another_user_can_be_locked(stack, pair):
    """And those that are locked are not free."""
    mine = claim_domain(stack, pair)
    # Not a program: the other user may not read the one of this.
    child = os.fork()
    if not child:
        code = 255
        try:
            os.umask(0o077)
            os.setgid(65534)
            os.setuid(65534)
            with contextlib.ExitStack() as other:
                code = claim_domain(other, pair)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == sum(pair) - mine


@pytest.mark.parametrize('mask', [0o000, 0o077])
def test_a_new_file_can_be_read_by_all_and_written_by_nobody(stack, tmp_path, monkeypatch, mask):
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    before = os.umask(mask)
    try:
        domain = claim_domain(stack)
    finally:
        os.umask(before)
    assert (tmp_path / f'racecar_domain_{domain}').stat().st_mode & 0o777 == 0o444


@pytest.mark.parametrize('offset', [0, 10])
def test_domain_in_which_somebody_listens_is_not_free(stack, pair, offset):
    listener = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('127.0.0.1', 7400 + 250 * pair[0] + offset))
    assert claim_domain(stack, pair) == pair[1]


@pytest.fixture
def drives(monkeypatch):
    """Return the domains in which the demo drives; the drives end at once."""
    found = []

    def drive(*_):
        found.append(os.environ['ROS_DOMAIN_ID'])
        return []

    monkeypatch.setattr(demo, '_drive_figure_eight', drive)
    # What the demo sets is undone too.
    monkeypatch.setenv('ROS_DOMAIN_ID', '')
    return found


def test_demo_drives_in_a_free_domain_and_holds_it_until_it_ends(
        drives, stack, pair, monkeypatch, tmp_path):
    monkeypatch.setattr(demo, 'claim_domain', lambda held: claim_domain(held, pair))
    taken = claim_domain(stack, pair)

    def drive(*_):
        drives.append(os.environ['ROS_DOMAIN_ID'])
        with pytest.raises(ConfigurationError, match='are in use'):
            claim_domain(stack, pair)
        return []

    monkeypatch.setattr(demo, '_drive_figure_eight', drive)
    assert main(['demo', '--output', str(tmp_path / 'run')]) == 0
    assert drives == [str(sum(pair) - taken)]
    assert claim_domain(stack, pair) == sum(pair) - taken


@pytest.mark.parametrize(
    ('variable', 'option', 'domain'), [('7', [], '7'), ('7', ['--domain=9'], '9')])
def test_demo_takes_the_domain_that_was_asked_for(
        drives, monkeypatch, tmp_path, variable, option, domain):
    monkeypatch.setenv('ROS_DOMAIN_ID', variable)
    assert main(['demo', *option, '--output', str(tmp_path / 'run')]) == 0
    assert drives == [domain]


@pytest.mark.parametrize('given', ['233', '-1', 'none'])
def test_demo_refuses_what_is_no_domain(given, capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        main(['demo', f'--domain={given}', '--output', str(tmp_path / 'run')])
    assert ended.value.code == 2
    assert 'expected a whole number from 0 to 232' in capsys.readouterr().err
