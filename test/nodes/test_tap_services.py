# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Service calls of the tap that fail: each is told, and none takes another along."""

import pytest
from std_srvs.srv import Trigger

pytest.importorskip('rclpy')

from rclpy.task import Future

from racecar.clients.tap import services
from racecar.clients.tap.services import Services

pytestmark = pytest.mark.ros


class Client:
    """Stands in for a client of rclpy."""

    def __init__(self):
        self.is_ready = False
        self.error = None
        self.futures = []

    def service_is_ready(self):
        return self.is_ready

    def call_async(self, _):
        if self.error is not None:
            raise self.error
        self.futures.append(Future())
        return self.futures[-1]

    def remove_pending_request(self, future):
        self.futures.remove(future)


class ClientMaker:
    """Stands in for a node."""

    def __init__(self):
        self.clients = {}

    def create_client(self, _, name):
        return self.clients.setdefault(name, Client())

    def destroy_client(self, client):
        client.is_ready = False


@pytest.fixture
def told(monkeypatch):
    """Calls of 'first', 'second' and 'third' that wait, and what was answered."""
    node, answers = ClientMaker(), []
    calls = Services(node)
    for name in ('first', 'second', 'third'):
        calls.call(Trigger, name, Trigger.Request(), answers.append, answers.append)
    return calls, node.clients, answers


def test_a_request_that_cannot_be_sent_is_told_and_the_others_are_sent(told):
    calls, clients, answers = told
    for client in clients.values():
        client.is_ready = True
    clients['first'].error = RuntimeError('Failed to send request:\n  no memory')
    calls.poll()
    assert answers == ['service first: Failed to send request: no memory']
    assert [len(client.futures) for client in clients.values()] == [0, 1, 1]
    clients['third'].futures[0].set_result('done')
    assert answers[1:] == ['done']


def test_an_error_of_whoever_called_loses_no_other_call(told):
    calls, clients, answers = told
    clients['second'].is_ready = True
    clients['second'].error = TypeError('not a request')
    with pytest.raises(TypeError):
        calls.poll()
    clients['first'].is_ready = clients['third'].is_ready = True
    calls.poll()
    assert [len(client.futures) for client in clients.values()] == [1, 0, 1]
    assert answers == []


@pytest.mark.parametrize('is_ready', [False, True])
def test_what_takes_too_long_is_given_up_and_a_callback_may_forget_the_others(
        told, monkeypatch, is_ready):
    calls, clients, answers = told
    for client in clients.values():
        client.is_ready = is_ready
    calls.call(Trigger, 'fourth', Trigger.Request(), answers.append,
               lambda _: calls.forget('fifth'))
    calls.call(Trigger, 'fifth', Trigger.Request(), answers.append, answers.append)
    clients['fourth'].is_ready = clients['fifth'].is_ready = is_ready
    calls.poll()
    monkeypatch.setattr(services.time, 'monotonic', lambda now=services.time.monotonic: now() + 9)
    calls.poll()
    calls.poll()
    ends = ['has not answered for 3 s' if is_ready else 'is not offered'] * 3
    assert answers == [f'service {name} {end}'
                       for name, end in zip(('first', 'second', 'third'), ends, strict=True)]
