# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tyre models against the properties that define them."""

import math
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ParameterError
from racecar.dynamics.tyres import find_tyre_model, tyre_model_choices, TYRE_MODELS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS

STIFFNESS, FRICTION, LOAD = 120.0, 0.385, 6.3
SLIDING = math.atan(3.0 * FRICTION * LOAD / STIFFNESS)


def force(name, slip_angle, stiffness=STIFFNESS, friction=FRICTION, load=LOAD):
    return TYRE_MODELS[name].lateral_force(slip_angle, stiffness, friction, load)


def slope(name, slip_angle, width=1e-6):
    return (force(name, slip_angle + width) - force(name, slip_angle - width)) / (2.0 * width)


@pytest.mark.parametrize('name', TYRE_MODELS)
def test_slope_at_zero_slip_is_the_cornering_stiffness(name):
    assert slope(name, 0.0) == pytest.approx(-STIFFNESS, rel=1e-4)
    assert force(name, 0.0) == 0.0


@pytest.mark.parametrize('name', ['fiala', 'fiala_unsaturated'])
def test_fiala_reaches_friction_with_zero_slope_at_full_sliding(name):
    just_before = SLIDING * (1.0 - 1e-9)
    assert force(name, just_before) == pytest.approx(-FRICTION * LOAD, rel=1e-12)
    assert slope(name, SLIDING * (1.0 - 1e-3)) == pytest.approx(0.0, abs=1e-3 * STIFFNESS)


def test_fiala_stays_at_friction_beyond_full_sliding():
    for slip_angle in (SLIDING, 0.5, 1.0, 1.57, 1.58, 2.5, 3.1):
        assert force('fiala', slip_angle) == -FRICTION * LOAD
        assert force('fiala', -slip_angle) == FRICTION * LOAD


def test_fiala_gives_no_force_without_load():
    assert force('fiala', 0.1, load=0.0) == 0.0


def test_unsaturated_fiala_is_the_cubic_beyond_full_sliding():
    # C z (-1 + 2 - 4/3) with z = 2 z_sl is -2 mu Fz.
    slip_angle = math.atan(2.0 * math.tan(SLIDING))
    assert force('fiala_unsaturated', slip_angle) == pytest.approx(-2.0 * FRICTION * LOAD)


@pytest.mark.parametrize('side', [-1.0, 1.0])
@pytest.mark.parametrize('times', [2.0, 2.5, 4.0])
def test_unsaturated_fiala_is_straight_from_twice_full_sliding_on(times, side):
    tangent = math.tan(SLIDING)
    expected = -2.0 * FRICTION * LOAD - STIFFNESS * (times - 2.0) * tangent
    assert force('fiala_unsaturated', side * math.atan(times * tangent)) == pytest.approx(
        side * expected)


def test_every_table_says_that_unsaturated_fiala_is_not_the_cubic_for_all_slip():
    root = Path(__file__).parents[2]
    assert 'straight line beyond' in SIMULATOR_PARAMETERS['tyre_model'].description
    for table in ('docs/nodes/single_track_simulator.md', 'docs/models/README.md',
                  'docs/originals.md', 'docs/ros2_usage.md'):
        lines = [line for line in (root / table).read_text().splitlines()
                 if 'fiala_unsaturated' in line and line.startswith('|')]
        assert lines, table
        assert all('straight' in line for line in lines), table
    assert 'straight' in (root / 'docs' / 'models' / 'fiala_tyre.md').read_text()


@given(
    slip_angle=st.floats(-1.5, 1.5), stiffness=st.floats(1.0, 1e3),
    friction=st.floats(0.05, 2.0), load=st.floats(0.1, 100.0))
def test_force_is_odd_and_opposes_the_slip(slip_angle, stiffness, friction, load):
    for name in TYRE_MODELS:
        value = force(name, slip_angle, stiffness, friction, load)
        assert value == -force(name, -slip_angle, stiffness, friction, load)
        assert value * slip_angle <= 0.0


@given(slip_angle=st.floats(-3.1, 3.1), friction=st.floats(0.05, 2.0), load=st.floats(0.0, 100.0))
def test_fiala_never_exceeds_friction(slip_angle, friction, load):
    assert abs(force('fiala', slip_angle, 120.0, friction, load)) <= friction * load * (1 + 1e-12)


@given(slip_angle=st.floats(-0.999, 0.999))
def test_both_fiala_models_agree_up_to_full_sliding(slip_angle):
    assert force('fiala', slip_angle * SLIDING) == force('fiala_unsaturated', slip_angle * SLIDING)


@pytest.mark.parametrize(
    ('selector', 'name'),
    [('linear', 'linear'), (0, 'linear'), ('0', 'linear'), (1, 'fiala'), ('1', 'fiala'),
     ('2', 'fiala_unsaturated'), ('fiala_unsaturated', 'fiala_unsaturated')])
def test_model_is_selected_by_name_or_number(selector, name):
    assert find_tyre_model(selector).name == name


def test_unknown_model_is_refused():
    with pytest.raises(ParameterError, match=r"'tyre_model' is 'magic', expected one of linear"):
        find_tyre_model('magic')


def test_names_and_numbers_are_unique():
    assert len(set(tyre_model_choices())) == 2 * len(TYRE_MODELS)
