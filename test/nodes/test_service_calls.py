# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of services that fail: who called gets the error, and no other call is lost."""

import time
from typing import Any

import pytest
from std_srvs.srv import SetBool, Trigger

pytest.importorskip('rclpy')

from rclpy.task import Future

from racecar.base.errors import RunError
from racecar.clients.graph.answer import all_of, Answer, start
from racecar.clients.graph.service_calls import Patience, ServiceCalls

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
        self.created = []
        self.destroyed = []

    def create_client(self, _, name):
        self.created.append(name)
        return self.clients.setdefault(name, Client())

    def destroy_client(self, client):
        self.destroyed.append(client)


@pytest.fixture
def node():
    return ClientMaker()


@pytest.fixture
def calls(node):
    return ServiceCalls(node, Patience(3.0))


@pytest.fixture
def answers(calls):
    """Answers of 'first', 'second' and 'third', which are not offered yet."""
    return [calls.call(Trigger, name, Trigger.Request()) for name in ('first', 'second', 'third')]


def later(monkeypatch, seconds):
    """Let time pass."""
    now = time.monotonic
    monkeypatch.setattr(time, 'monotonic', lambda: now() + seconds)


def test_a_request_that_cannot_be_sent_is_an_error_and_the_others_are_sent(calls, node, answers):
    for client in node.clients.values():
        client.is_ready = True
    node.clients['first'].error = RuntimeError('Failed to send request:\n  no memory')
    calls.poll()
    with pytest.raises(
            RunError, match='the call of service first failed: Failed to send request: no memory'):
        answers[0].result(0.0)
    assert [len(client.futures) for client in node.clients.values()] == [0, 1, 1]
    node.clients['third'].futures[0].set_result('done')
    assert answers[2].result(0.0) == 'done'
    assert not answers[1].done()


def test_an_error_of_whoever_called_is_theirs_and_loses_no_other_call(calls, node, answers):
    for client in node.clients.values():
        client.is_ready = True
    node.clients['second'].error = TypeError('not a request')
    calls.poll()
    with pytest.raises(TypeError, match='not a request'):
        answers[1].result(0.0)
    assert [len(client.futures) for client in node.clients.values()] == [1, 0, 1]
    assert not answers[0].done()


@pytest.mark.parametrize('is_ready', [False, True])
def test_what_takes_too_long_is_given_up_and_may_be_called_again(
        calls, node, answers, monkeypatch, is_ready):
    for client in node.clients.values():
        client.is_ready = is_ready
    again = []
    answers[0].add_done_callback(
        lambda _: again.append(calls.call(Trigger, 'first', Trigger.Request())))
    calls.poll()
    later(monkeypatch, 9.0)
    calls.poll()
    end = ('has not answered for 3 s' if is_ready
           else 'is not offered; does its node still run?')
    assert [str(answer.exception(0.0)) for answer in answers] == [
        f'service {name} {end}' for name in ('first', 'second', 'third')]
    if is_ready:
        # The new call is in its place, and a late response is nobody's.
        assert [len(client.futures) for client in node.clients.values()] == [1, 0, 0]
    assert not again[0].done()


def test_the_response_may_have_a_patience_of_its_own(node, monkeypatch):
    calls = ServiceCalls(node, Patience(offer=1.0, response=5.0))
    answer = calls.call(Trigger, 'slow', Trigger.Request())
    node.clients['slow'].is_ready = True
    calls.poll()
    later(monkeypatch, 4.0)
    calls.poll()
    assert not answer.done()
    later(monkeypatch, 2.0)
    calls.poll()
    assert str(answer.exception(0.0)) == 'service slow has not answered for 5 s'


def test_a_client_lives_as_long_as_its_call_or_is_kept_for_the_next(calls, node):
    for name, keep in (('once', False), ('often', True)):
        for _ in range(2):
            answer = calls.call(SetBool, name, SetBool.Request(), keep=keep)
            node.clients[name].is_ready = True
            calls.poll()
            node.clients[name].futures[-1].set_result(name)
            assert answer.result(0.0) == name
    assert node.created == ['once', 'once', 'often']
    assert node.destroyed == [node.clients['once']] * 2


@pytest.mark.parametrize('success', [False, True])
def test_a_refusal_is_an_error_with_the_message_of_the_service(calls, node, success):
    answer = start(calls.act(SetBool, 'switch', SetBool.Request(data=True)))
    node.clients['switch'].is_ready = True
    calls.poll()
    node.clients['switch'].futures[0].set_result(
        SetBool.Response(success=success, message='it is locked'))
    assert (answer.exception(0.0) is None) == success
    assert success or str(answer.exception(0.0)) == 'it is locked'


def test_a_coroutine_goes_on_as_its_answers_come():
    first: Answer[int] = Answer()
    second: Answer[int] = Answer()

    async def add():
        return await first + await second

    total = start(add())
    second.set_result(2)
    assert not total.done()
    first.set_result(1)
    assert total.result(0.0) == 3


def test_all_are_started_and_the_errors_of_all_are_told():
    answers: list[Answer[Any]] = [Answer() for _ in range(3)]
    started = []

    async def wait(index):
        started.append(index)
        await answers[index]

    whole = start(all_of(map(wait, range(3))))
    assert started == [0, 1, 2]
    answers[2].set_exception(RunError('third'))
    answers[0].set_exception(RunError('first'))
    assert not whole.done()
    answers[1].set_result(None)
    assert str(whole.exception(0.0)) == 'first; third'


def test_an_error_that_nobody_expects_is_not_silent(caplog):
    async def fail_at_once():
        raise LookupError('at once')

    with pytest.raises(LookupError, match='at once'):
        start(fail_at_once())
    answer: Answer[None] = Answer()

    async def fail_later():
        await answer
        raise LookupError('later')

    failing = start(fail_later())
    answer.set_result(None)
    assert isinstance(failing.exception(0.0), LookupError)
    assert 'LookupError: later' in caplog.text
