# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fast double track against the equations as they are written: rates, trajectories, NaN."""

import dataclasses
import math
from pathlib import Path

from double_track_reference import CURVES, derivative, runge_kutta
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.errors import DivergenceError
from racecar.base.types import AckermannCommand
from racecar.base.vectors import vector
from racecar.dynamics.tyres import contact as contact_forms
from racecar.dynamics.tyres import pacejka, TYRE_MODELS
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.vehicles import DoubleTrack, VehicleParameters
from racecar.simulation.simulator import Simulator

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
VEHICLES = {name: VehicleParameters.from_file(FOLDER / f'{name}.yaml')
            for name in ('racecar', 'report', 'f1tenth', 'bmw_x5', 'tesla_model3')}
RACECAR = VEHICLES['racecar']
# A wheel lifts in nearly every bend.
VEHICLES['tall'] = dataclasses.replace(RACECAR, cog_height=0.4)

speeds = st.floats(-6.0, 6.0) | st.sampled_from([0.0, -0.0, 1e-9, 0.05, 30.0])
spins = st.floats(-150.0, 150.0) | st.sampled_from([0.0, 1e-6, 400.0])
states = st.tuples(speeds, st.floats(-4.0, 4.0) | st.just(0.0), st.floats(-10.0, 10.0),
                   st.floats(-9.0, 9.0), st.floats(-9.0, 9.0), st.floats(-4.0, 4.0),
                   spins, spins, spins, spins)
fours = st.tuples(*(st.floats(-2.0, 2.0),) * 4)
positive = st.tuples(*(st.floats(0.0, 2.0) | st.just(0.0),) * 4)
flags = st.tuples(*(st.sampled_from([0.0, 0.0, 1.0]),) * 4)


def compare(model, state, inputs):
    found = np.array(model.derivative(
        np.array(state), np.array(inputs, float), model.parameters))
    expected = np.array(derivative(model, state, inputs))
    # All feel what rounding does to the largest of the forces.
    wheels, vehicle = model.wheels(state, inputs), model.vehicle
    force = sum(wheel.load + abs(wheel.longitudinal_force) + abs(wheel.lateral_force)
                for wheel in wheels)
    scale = np.array([
        *(force / vehicle.mass,) * 2, force * vehicle.wheelbase / vehicle.yaw_inertia, 0.0, 0.0,
        0.0, *(force * max(vehicle.wheel_radii) / vehicle.wheel_inertia,) * 4])
    assert np.all(np.abs(found - expected) <= 1e-11 * (1.0 + scale + np.abs(expected))), (
        found - expected)


@pytest.mark.parametrize('tyre', TYRE_MODELS)
@pytest.mark.parametrize('name', VEHICLES)
@given(state=states, speed=st.floats(-3.0, 9.0), angle=st.floats(-0.5, 0.5))
@settings(max_examples=40, deadline=None)
def test_rates_by_command_are_those_of_the_equations(name, tyre, state, speed, angle):
    model = DoubleTrack(VEHICLES[name], tyre)
    compare(model, state, [speed, angle, *(0.0,) * (model.input_count - 2)])


@pytest.mark.parametrize('tyre', TYRE_MODELS)
@pytest.mark.parametrize('name', ['racecar', 'bmw_x5', 'tall'])
@given(state=states, angle=st.floats(-0.5, 0.5), drive=fours, brake=positive, damping=positive,
       viscous=positive, forced=flags)
@settings(max_examples=40, deadline=None)
def test_rates_by_torques_are_those_of_the_equations(
        name, tyre, state, angle, drive, brake, damping, viscous, forced):
    model = DoubleTrack(VEHICLES[name], tyre)
    # Where a brake just holds, rounding decides.
    spins = (spin if abs(spin) > 1e-3 else 0.0 for spin in state[6:])
    compare(model, (*state[:6], *spins), model.torque_inputs(
        angle, drive, brake, damping, brake_damping=viscous, forced=forced))


@pytest.mark.parametrize('surface', ['dry', 'wet', 'snow', 'ice', 'computed', 'given'])
@given(state=states, angle=st.floats(-0.5, 0.5))
@settings(max_examples=25, deadline=None)
def test_rates_on_all_surfaces_are_those_of_the_equations(surface, state, angle):
    model = DoubleTrack(RACECAR, 'pacejka', tyre_values={'tyre_parameters': surface})
    compare(model, state, model.torque_inputs(angle, (0.1,) * 4))


def test_shape_beyond_the_range_of_the_fast_sine_takes_the_curves_themselves():
    wide = dataclasses.replace(RACECAR, wheel_width=5.0 * RACECAR.wheel_radius)
    model = DoubleTrack(wide, 'pacejka', tyre_values={'tyre_parameters': 'computed'})
    assert model.tyres.front_x.shape > 3.0
    compare(model, (2.0, 1.5, 3.0, 0.0, 0.0, 0.0, 30.0, 50.0, 10.0, -5.0),
            model.torque_inputs(0.2, (0.1,) * 4))


def manoeuvre(tick):
    """Return a command: weaving, braking to a stop, reversing, and a start in a bend."""
    time = 0.01 * tick
    speed = 2.5 + 1.5 * math.sin(2.0 * time) if time < 3.0 else (0.0 if time < 3.6 else -1.0)
    return AckermannCommand(3.0 if time > 4.3 else speed, 0.25 * math.sin(3.1 * time))


@pytest.mark.parametrize('tyre', CURVES)
def test_trajectory_of_five_seconds_is_that_of_the_equations(tyre):
    model = DoubleTrack(RACECAR, tyre)
    simulator = Simulator(model)
    state, none = list(simulator.state), (0.0,) * (model.input_count - 2)
    for tick in range(500):
        simulator.set_command(manoeuvre(tick))
        simulator.tick()
        state = runge_kutta(model, state, [*simulator.command, *none], 0.001, 10)
        np.testing.assert_allclose(simulator.state, state, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(simulator.state[:6], state[:6], rtol=0.0, atol=2e-12)


@pytest.mark.parametrize('tyre', TYRE_MODELS)
@pytest.mark.parametrize('index', [0, 1, 2, 5, 6, 7, 8, 9])
def test_no_nan_is_swallowed(tyre, index):
    model = DoubleTrack(RACECAR, tyre)
    state = [2.0, 0.3, 1.0, 0.0, 0.0, 0.2, 40.0, 41.0, 42.0, 43.0]
    state[index] = math.nan
    for inputs in ([2.0, 0.1, *(0.0,) * 23], model.torque_inputs(0.1, (0.1,) * 4, (0.1,) * 4)):
        rates = np.array(model.derivative(vector(state), vector(inputs), model.parameters))
        # Yaw turns the way only; anything else reaches all forces.
        assert np.isnan(rates[3:5]).all() if index == 5 else np.isnan(rates[:3]).all()
    simulator = Simulator(model)
    simulator.set_command(AckermannCommand(2.0, 0.1))
    simulator.state = state
    with pytest.raises(DivergenceError):
        simulator.tick()


@pytest.mark.parametrize('tyre', TYRE_MODELS)
@given(slip=st.floats(-1.0, 1.0) | st.just(0.0), tangent=st.floats(-20.0, 20.0) | st.just(0.0),
       load=st.floats(0.1, 100.0))
@settings(max_examples=60, deadline=None)
def test_wheel_off_the_ground_has_no_force_and_others_stay_within_their_grip(
        tyre, slip, tangent, load):
    pair = TyrePair(80.0, 0.9, 1.45, 0.97, 60.0, 0.7, 1.3, 0.5, 30.0, float(tyre == 'pacejka'))
    prepared = present(TYRE_MODELS[tyre].contact)(pair)
    contact = contact_forms.slide(prepared, slip, tangent)
    share = contact_forms.grip(prepared, contact, 0.0)
    assert (contact.x * share[0], contact.y * share[1]) == (0.0, 0.0)
    share = contact_forms.grip(prepared, contact, load)
    if tyre in ('fiala', 'pacejka'):
        assert math.hypot(contact.x * share[0] / 0.9, contact.y * share[1] / 0.7) <= (
            load * (1.0 + 1e-12))
    # Four wheels at once are four wheels.
    four = contact_forms.slide_four(
        prepared, prepared, (slip, 0.1, -slip, 0.0), (tangent, 0.2, 0.0, -tangent))
    assert four == tuple(contact_forms.slide(prepared, *each) for each in (
        (slip, tangent), (0.1, 0.2), (-slip, 0.0), (0.0, -tangent)))
    # Under the static load both ways of asking agree.
    assert contact_forms.grip(prepared, contact, 15.0) == pytest.approx(
        contact_forms.rest(prepared, contact), rel=1e-14)


def test_curves_of_the_reference_are_those_of_the_tyres():
    for name, curve in CURVES.items():
        for alpha in np.linspace(-1.3, 1.3, 27):
            arguments = (float(alpha), 60.0, 0.9, 15.0, pacejka.SHAPE, pacejka.CURVATURE)
            assert TYRE_MODELS[name].lateral_force(*arguments) == pytest.approx(
                curve(*arguments), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize('tyre', CURVES)
@given(state=states, angle=st.floats(-0.5, 0.5))
@settings(max_examples=20, deadline=None)
def test_tyre_that_is_given_by_its_curves_alone_gives_the_same_forces(tyre, state, angle):
    row = TYRE_MODELS[tyre]
    given_model, plain = DoubleTrack(RACECAR, tyre), TYRE_MODELS[tyre]._replace(contact=None)
    inputs = given_model.torque_inputs(angle, (0.1,) * 4)
    TYRE_MODELS[tyre] = plain
    try:
        model = DoubleTrack(RACECAR, tyre)
    finally:
        TYRE_MODELS[tyre] = row
    assert model.equations.name != given_model.equations.name
    compare(model, state, inputs)
