# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track car beyond its grip: bounded for any command, and unchanged within the grip."""

import itertools
import math
from pathlib import Path

from covering import every_pair
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.share import vehicle_names
from racecar.base.types import AckermannCommand
from racecar.dynamics.tyres import TYRE_MODELS
from racecar.dynamics.vehicles import SingleTrack, VehicleParameters
from racecar.dynamics.vehicles.single_track_equations import (
    limited_coupling,
    limited_sideslip_rate,
)
from racecar.simulation.simulator import Simulator

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
VEHICLES = {
    name: VehicleParameters.from_file(FOLDER / f'{name}.yaml')
    for name in vehicle_names()}
CASES = list(itertools.product(VEHICLES, TYRE_MODELS, ('full', 'report')))


@pytest.mark.parametrize(
    ('name', 'tyre', 'formulation'), every_pair(VEHICLES, TYRE_MODELS, ('full', 'report')))
@given(
    speeds=st.lists(st.floats(-2.0, 5.0), min_size=1, max_size=6),
    start=st.floats(0.0, 3.0), sweep=st.floats(0.0, 3.0), share=st.sampled_from((0.3, 1.0)))
@settings(max_examples=8, deadline=None)
def test_no_speed_and_chirp_up_to_the_stop_leaves_the_range(
        name, tyre, formulation, speeds, start, sweep, share):
    simulator = Simulator(SingleTrack(VEHICLES[name], tyre, formulation))
    lock = share * VEHICLES[name].steering_limit
    for i in range(300):
        time = i * 0.01
        chirp = math.sin(math.tau * (start + 0.5 * sweep * time) * time)
        speed = speeds[i * len(speeds) // 300]
        simulator.set_command(AckermannCommand(speed, lock * chirp))
        simulator.tick()
    # tick() raises DivergenceError otherwise.
    assert all(map(math.isfinite, (*simulator.odometry(), *simulator.diagnostics())))


# The report's small angles and a tyre without saturation do not stop every spin of a long car.
SPINS = [case for case in CASES if case != ('car_2014', 'fiala_unsaturated', 'report')]


# To the other side all is mirrored to the bit, see test_single_track.
@pytest.mark.parametrize(('name', 'tyre', 'formulation'), SPINS)
def test_spin_ends_once_the_speed_is_zero(name, tyre, formulation):
    # With the front wheels square to the car, it would roll about its rear axle for ever.
    lock = min(VEHICLES[name].steering_limit, 1.0)
    simulator = Simulator(SingleTrack(VEHICLES[name], tyre, formulation))
    for speed, seconds in ((-2.0, 3.0), (5.0, 1.0), (0.1, 1.0), (0.0, 8.0)):
        simulator.set_command(AckermannCommand(speed, lock))
        for _ in range(round(seconds * 100)):
            simulator.tick()
    assert simulator.odometry()[5:] == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)


@given(speed=st.floats(-20.0, 20.0), lateral=st.floats(-50.0, 50.0), rate=st.floats(-99.0, 99.0))
def test_drive_holds_the_speed_with_its_weight_at_most(speed, lateral, rate):
    coupling = limited_coupling(speed, lateral, rate)
    if abs(rate * lateral) <= 9.81:
        assert coupling == speed * rate
    # Power per mass that holding the speed brings into the motion.
    assert abs(coupling * lateral) <= 9.81 * abs(speed) * (1.0 + 1e-12)
    assert coupling * speed * rate >= 0.0


@given(rate=st.floats(-1e4, 1e4), beta=st.floats(-3.0, 3.0))
def test_small_angle_sideslip_is_not_turned_beyond_a_right_angle(rate, beta):
    result = limited_sideslip_rate(rate, beta)
    if abs(beta) <= 1.37 or rate * beta <= 0.0:
        assert result == rate
    assert abs(result) <= abs(rate)
    if abs(beta) >= math.pi / 2.0:
        assert result * beta <= 0.0


def test_unsaturated_fiala_is_smooth_and_never_stiffer_than_at_zero_slip():
    force = TYRE_MODELS['fiala_unsaturated'].lateral_force
    stiffness, friction, load = 120.0, 0.385, 6.3
    z = np.linspace(-5.0, 5.0, 4001)
    forces = np.array([force(math.atan(value), stiffness, friction, load) for value in z])
    slopes = np.diff(forces) / np.diff(z)
    assert np.all(slopes >= -stiffness * (1.0 + 1e-9))
    assert np.abs(np.diff(slopes)).max() < 0.1 * stiffness
