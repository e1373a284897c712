# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outputs whose period is no whole number of steps."""

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ConfigurationError
from racecar.simulation.ports import nearest_steps, Output

MILLISECOND = 1_000_000


def output(rate, step_ns=MILLISECOND):
    steps, spread = nearest_steps('rate of it', rate, step_ns)
    return Output('it', float, float, steps, '', spread)


def test_thirty_hertz_on_milliseconds():
    camera = output(30.0)
    assert [step for step in range(201) if camera.is_due(step)] == [0, 33, 67, 100, 133, 167, 200]


def test_a_rate_that_steps_give_is_that_of_whole_steps():
    assert nearest_steps('it', 40.0, MILLISECOND) == (25, 1)


@given(st.floats(0.1, 999.0), st.integers(0, 5000))
def test_readings_are_within_half_a_step_of_their_times(rate, step):
    port = output(rate)
    period = port.steps / port.spread
    assert period == pytest.approx(1000.0 / rate, rel=1e-2)
    nearest = round(step / period) * period
    if port.is_due(step):
        assert abs(step - nearest) <= 0.5 + 1e-9
    elif abs(step - nearest) < 0.5 - 1e-9:
        raise AssertionError('a reading is missing')


@given(st.floats(0.1, 999.0), st.integers(0, 5000))
def test_the_next_one_is_the_first_that_is_due(rate, step):
    port = output(rate)
    ahead = port.steps_ahead(step)
    assert ahead >= 1
    assert port.is_due(step + ahead)
    assert not any(port.is_due(between) for between in range(step + 1, step + ahead))


@pytest.mark.parametrize('rate', [float('nan'), 0.0, -1.0, 1001.0])
def test_rates_that_make_no_sense_are_refused(rate):
    with pytest.raises(ConfigurationError, match='rate of it is'):
        output(rate)
