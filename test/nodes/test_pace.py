# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The real-time factor of a simulator while it runs: as fast as possible, and back again."""

import re
import time

from node_bench import RACECAR
import pytest

from racecar.base.errors import MessageError, ParameterError
from racecar.cockpit.page_messages import read_page_message
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import pace

pytestmark = pytest.mark.ros


@pytest.fixture
def simulator(bench):
    """Return a simulator that nobody drives."""
    return lambda **more: bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, **RACECAR, **more)


def goes_on(bench, node, ticks):
    """Wait for ticks of 10 ms."""
    end_ns = node.plant.time_ns + ticks * 10_000_000
    bench.until(lambda: node.plant.time_ns >= end_ns, f'{ticks} ticks', 5.0)


@pytest.mark.parametrize('fast', [0.0, 1e6])
def test_time_goes_on_after_it_went_as_fast_as_possible(bench, simulator, fast):
    node = simulator()
    for _ in range(3):
        assert bench.set_parameter(node, 'real_time_factor', fast).successful
        goes_on(bench, node, 2000)
        begin = time.monotonic()
        assert bench.set_parameter(node, 'real_time_factor', 1.0).successful
        goes_on(bench, node, 5)
        # Nothing was queued before: that took seconds.
        assert time.monotonic() - begin < 1.0


def test_a_timer_that_does_not_come_any_more_is_set_again(bench, simulator):
    node = simulator()
    goes_on(bench, node, 2)
    # As if the executor had lost it.
    for timer in node.timers:
        if timer.timer_period_ns < 100_000_000:
            timer.cancel()
    goes_on(bench, node, 2)


def test_a_computer_that_is_too_slow_is_told_once(bench, simulator, monkeypatch):
    monkeypatch.setattr(pace, 'SPELL', 0.5)
    node = simulator(real_time_factor=1e5)
    bench.until(lambda: bench.has_logged('too slow for single_track_simulator'), 'the warning',
                30.0)
    goes_on(bench, node, 2000)
    text, = [text for _, text in bench.logs if 'too slow' in text]
    assert re.search(r'real-time factor [\d.]+ in place of 100000; lower real_time_factor', text)


@pytest.mark.parametrize('factor', [1e-12, 1e-320, 9e-7, -1.0, 2e6])
def test_a_factor_out_of_range_is_refused_at_start_at_run_time_and_from_the_page(
        bench, simulator, factor):
    with pytest.raises(ParameterError, match=r'expected a number in \[1e-06, 1e\+06\] or 0'):
        simulator(real_time_factor=factor)
    node = simulator()
    result = bench.set_parameter(node, 'real_time_factor', factor)
    assert not result.successful
    assert 'expected a number in [1e-06, 1e+06] or 0' in result.reason
    with pytest.raises(MessageError, match='expected a number in .* or 0'):
        read_page_message(f'{{"type": "factor", "value": {factor!r}}}')


def test_the_smallest_factor_holds_the_time_until_it_grows(bench, simulator):
    node = simulator(real_time_factor=1e-6)
    bench.until(lambda: node.waits_for().startswith('waiting for commands'), 'the start')
    assert node.plant.time_ns == 0
    assert bench.set_parameter(node, 'real_time_factor', 1.0).successful
    goes_on(bench, node, 2)
    assert bench.set_parameter(node, 'real_time_factor', 0.0).successful
    goes_on(bench, node, 2)
