# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop of a configuration without ROS, in a thread of the test."""

import queue
import threading
import time
from typing import Any

import pytest

from racecar.base.errors import DivergenceError
from racecar.base.run_file import RunFile
from racecar.cockpit.engine.engine_run import EngineRun
from racecar.cockpit.feed import Message
from racecar.cockpit.frames import is_text, read_json
from racecar.cockpit.pages import Pages
from racecar.stacks.options import from_values
from racecar.stacks.stepped.stepped_stack import SteppedStack

DEADLINE = 30.0


def how_made() -> RunFile:
    """Be asked by nobody, as nothing is recorded."""
    raise NotImplementedError


class Way:
    """Keeps what is sent to pages."""

    def __init__(self):
        self.frames: queue.Queue[dict[str, Any]] = queue.Queue()

    def send(self, frame, key=''):
        if is_text(frame):
            self.frames.put(read_json(frame))

    def get(self, kind, **fields):
        """Next message of a kind with these fields."""
        end = time.monotonic() + DEADLINE
        while True:
            found = self.frames.get(timeout=max(0.0, end - time.monotonic()))
            if found['type'] == kind and fields.items() <= found.items():
                return found


@pytest.fixture
def run():
    """Start a configuration; returns it, what pages get, and where they ask."""
    stacks, threads = [], []

    def start(name, **options):
        way = Way()
        requests: queue.Queue[Message] = queue.Queue()
        pages = Pages(way)
        stack = SteppedStack(
            name, from_values(options), lambda level, text, node: pages.log(level, text, node))
        loop = EngineRun(stack, pages, requests, how_made)
        loop.begin()
        threads.append(threading.Thread(target=loop.spin))
        stacks.append(stack)
        return stack, way, requests, threads[-1].start

    yield start
    for stack, thread in zip(stacks, threads, strict=True):
        stack.simulator.values['end_time'] = 1e-9
        thread.join(DEADLINE)
        assert not thread.is_alive()


def test_a_car_that_diverges_stands_until_it_is_reset(run, monkeypatch):
    stack, way, requests, begin = run('kinematic_ode')
    advance = stack.advance

    def diverge():
        if stack.simulator.time_ns < 50_000_000:
            advance()
        else:
            raise DivergenceError('the car left all bounds')

    monkeypatch.setattr(stack, 'advance', diverge)
    begin()
    assert 'left all bounds' in way.get('log', level='fatal')['text']
    way.get('clock', paused=True)
    for kind in ('resume', 'step'):
        requests.put({'type': kind, 'count': 1, 'viewer': 3})
        error = way.get('error', of=kind)
        assert error['text'].endswith('reset it first')
        assert error['viewer'] == 3
    monkeypatch.undo()
    requests.put({'type': 'reset'})
    requests.put({'type': 'resume'})
    way.get('clock', paused=False)
    wait_until(lambda: stack.simulator.time_ns > 100_000_000)


def wait_until(is_true):
    end = time.monotonic() + DEADLINE
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_time_goes_with_the_wall_clock_and_ends_where_it_is_to(run):
    stack, way, _, begin = run('teleop', end_time=0.5)
    start = time.monotonic()
    begin()
    assert way.get('log', level='info')['text'] == 'end_time 0.5 s is reached'
    assert time.monotonic() - start > 0.45
    assert stack.simulator.time_ns == 500_000_000


def test_a_computer_that_is_too_slow_does_not_catch_up(run, monkeypatch):
    stack, way, requests, begin = run('kinematic_ode')
    advance = stack.advance

    def slow():
        time.sleep(0.03)
        advance()

    monkeypatch.setattr(stack, 'advance', slow)
    begin()
    wait_until(lambda: stack.simulator.time_ns > 200_000_000)
    monkeypatch.undo()
    before, at = stack.simulator.time_ns, time.monotonic()
    wait_until(lambda: time.monotonic() > at + 0.5)
    # Not by the seconds that were lost, but for the lag that is allowed.
    assert (stack.simulator.time_ns - before) * 1e-9 < time.monotonic() - at + 0.2
