# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Units and digits of figures for people, the settling of runs, and spreads of repeated ones."""

import math

import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.metrics.quantities import length_text, Quantity, shown
from racecar.metrics.settling import settling
from racecar.metrics.spread import spread
from racecar.metrics.tracking_error import MergedTrack


@pytest.mark.parametrize(('value', 'unit', 'text'), [
    (None, 'm', '- m'), (0.0, 'm', '0.000 m'), (2.0e-9, 'm^2', '2e-09 m^2'),
    (0.0072134, 'm', '7.21 mm'), (0.0999, 'm', '99.9 mm'), (0.1, 'm', '0.1000 m'),
    (0.0999999, 'm', '0.1000 m'), (12.3, 'm', '12.30 m'), (123456.0, 'm', '123456 m'),
    (0.0164, 'm/s', '16.4 mm/s'),
    (math.pi / 180.0, 'rad', '1.00 deg'), (math.tau, 'rad', '360 deg'), (2, '', '2 '),
    (2.4e-6, 's', '2.40 µs'), (0.0123, 's', '12.3 ms'), (80.0, 's', '80.00 s')])
def test_a_figure_has_the_unit_and_the_digits_that_fit_it(value, unit, text):
    assert ' '.join(Quantity('', value, unit).row()[1:]) == text


def test_figures_side_by_side_have_one_unit():
    assert shown([0.0225, 7.3e-5, None], 'm') == (['22.5', '0.0730', '-'], 'mm')
    assert shown([0.3, 0.002], 'm') == (['0.3000', '0.002000'], 'm')
    assert length_text(0.0072) == '7.20 mm'


def track(error, step=0.1):
    t = 5.0 + step * np.arange(len(error))
    zero = np.zeros(len(error))
    return MergedTrack(t, np.array(error, dtype=float), zero, zero, zero)


def test_an_error_that_decays_has_settled_when_it_is_within_the_band():
    # exp(-t) is 5 % at ln 20 s.
    t = 0.01 * np.arange(2001)
    found = settling(track(0.2 * np.exp(-t), 0.01))
    assert found.time is not None
    assert found.time == pytest.approx(math.log(20.0), abs=0.011)
    before = t < found.time - 0.005
    assert found.transient_rmse == pytest.approx(
        math.sqrt(np.mean((0.2 * np.exp(-t[before]))**2)), rel=1e-9)
    assert found.settled_max_error == pytest.approx(0.01, rel=0.011)
    assert found.settled_rmse == pytest.approx(
        math.sqrt(np.mean((0.2 * np.exp(-t[~before]))**2)), rel=1e-9)


@pytest.mark.parametrize('error', [[1.0] * 20, [0.0] * 19 + [1.0], [1.0] * 11 + [0.0] * 9])
def test_a_run_whose_largest_errors_are_not_at_its_start_does_not_settle(error):
    assert settling(track(error)) == (None, None, None, None)


def test_a_run_without_error_has_settled_from_the_start():
    assert settling(track([0.0] * 5)) == (0.0, None, 0.0, 0.0)


def test_the_time_of_settling_can_be_given():
    found = settling(track([1.0, 1.0, 0.5, 0.5]), 0.2)
    assert found == (0.2, 1.0, 0.5, 0.5)
    with pytest.raises(ConfigurationError, match='settled_from is 3 s, expected 0 s to 0.3 s'):
        settling(track([1.0] * 4), 3.0)


def test_an_interval_of_confidence_is_that_of_a_table():
    # t of 4 degrees of freedom at 97.5 %: 2.776.
    found = spread(np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan]))
    assert (found.samples, found.mean) == (5, 3.0)
    assert found.deviation == pytest.approx(math.sqrt(2.5))
    half = 2.776 * math.sqrt(2.5 / 5.0)
    assert (found.low, found.high) == pytest.approx((3.0 - half, 3.0 + half), rel=1e-3)


def test_an_interval_holds_the_mean_as_often_as_it_says():
    generator = np.random.default_rng(1)
    found = [spread(row) for row in generator.normal(7.0, 2.0, (2000, 6))]
    share = np.mean([one.low <= 7.0 <= one.high for one in found])
    # Three deviations of a binomial around 95 %.
    assert share == pytest.approx(0.95, abs=3.0 * math.sqrt(0.95 * 0.05 / 2000))


def test_one_value_has_no_spread():
    found = spread(np.array([4.0, np.inf]))
    assert found[:2] == (1, 4.0)
    assert all(map(math.isnan, found[2:]))
    assert math.isnan(spread(np.array([])).mean)
