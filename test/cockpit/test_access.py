# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Host, Origin and token."""

import pytest

from racecar.base.errors import ConfigurationError
from racecar.cockpit.access import Access

OURS = {'Host': '127.0.0.1:8080', 'Origin': 'http://127.0.0.1:8080'}


@pytest.mark.parametrize('host', ['127.0.0.1', 'localhost', '[::1]'])
def test_requests_of_this_computer_are_let_in(host):
    headers = {'Host': f'{host}:8080', 'Origin': f'http://{host}:8080'}
    assert Access('127.0.0.1', 8080).fault(headers, '', needs_origin=True) == ''


@pytest.mark.parametrize(('headers', 'reason'), [
    ({}, 'Host'),
    ({**OURS, 'Host': 'evil.example:8080'}, 'is not this server'),
    ({**OURS, 'Host': '127.0.0.1:9090'}, 'is not this server'),
    ({**OURS, 'Host': '127.0.0.1'}, 'is not this server'),
    ({**OURS, 'Host': '127.0.0.1.evil.example:8080'}, 'is not this server'),
    ({**OURS, 'Origin': 'http://evil.example'}, 'Origin'),
    ({**OURS, 'Origin': 'https://127.0.0.1:8080'}, 'Origin'),
    ({**OURS, 'Origin': 'null'}, 'Origin'),
    ({**OURS, 'Origin': 'http://localhost:8080'}, 'Origin'),
    ({'Host': '127.0.0.1:8080'}, 'no Origin'),
])
def test_other_hosts_and_origins_are_refused(headers, reason):
    assert reason in Access('127.0.0.1', 8080).fault(headers, '', needs_origin=True)


def test_a_page_without_origin_is_loaded_but_opens_no_socket():
    assert Access('127.0.0.1', 8080).fault({'Host': '127.0.0.1:8080'}, '') == ''


def test_a_server_that_a_network_reaches_wants_its_token():
    access = Access('0.0.0.0', 8080)
    headers = {'Host': 'car.local:8080', 'Origin': 'http://car.local:8080'}
    assert len(access.token) >= 20
    assert access.token in access.url
    assert access.fault(headers, access.token, needs_origin=True) == ''
    for wrong in ('', 'x', access.token[:-1], 'ä'):
        assert 'token' in access.fault(headers, wrong, needs_origin=True)
    assert Access('0.0.0.0', 8080).token != access.token


@pytest.mark.parametrize('headers', [
    {}, {'Host': 'car.local'}, {'Host': 'car.local:1'}, {'Host': ':8080'},
    {'Host': 'car.local:8080', 'Origin': 'http://evil.example'}, {'Host': 'car.local:8080'}])
@pytest.mark.parametrize('given', ['', 'wrong', '\udcff'])
def test_no_refusal_tells_the_token(headers, given):
    access = Access('0.0.0.0', 8080)
    fault = access.fault(headers, given)
    assert fault != ''
    assert access.token not in fault


def test_loopback_has_no_token():
    access = Access('127.0.0.1', 8080)
    assert (access.token, access.url) == ('', 'http://127.0.0.1:8080/')


def test_a_host_that_is_none_is_refused():
    with pytest.raises(ConfigurationError, match='is no address of this machine'):
        Access('no such host', 8080)
