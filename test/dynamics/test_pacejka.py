# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Magic formula, its coefficients and combined slip against what defines them."""

import math
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.errors import ParameterError
from racecar.base.vectors import vector
from racecar.dynamics.tyres import combined_slip, pacejka, TYRE_MODELS
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.tyres.pacejka import computed, LoadCoefficients, magic_formula, SURFACES
from racecar.dynamics.vehicles import (
    DoubleTrack,
    SingleTrack,
    SingleTrackForce,
    SingleTrackSlip,
    VehicleParameters,
)
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.closed_loop import run_loop
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop
from racecar.world.car_axles import make_axles

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
RACECAR = VehicleParameters.from_file(FOLDER / 'racecar.yaml')
LOAD = 13.71  # N, the report's load of a wheel

positive_formulas = {
    'B': st.floats(1.0, 20.0), 'C': st.floats(1.05, 1.95), 'D': st.floats(0.1, 1e3),
    'E': st.floats(-5.0, 0.99)}


@given(**positive_formulas)
@settings(deadline=None)
def test_slope_at_zero_is_bcd(B, C, D, E):
    width = 1e-6
    slope = (magic_formula(width, B, C, D, E) - magic_formula(-width, B, C, D, E)) / (2.0 * width)
    assert slope == pytest.approx(B * C * D, rel=1e-6)


@given(**positive_formulas)
@settings(deadline=None)
def test_peak_is_d_where_the_argument_of_the_sine_is_a_right_angle(B, C, D, E):
    # Solve y - E (y - atan y) = tan(pi/(2 C)) for y = B s by bisection, apart from the code.
    goal = math.tan(math.pi / (2.0 * C))
    low, high = 0.0, 1e9
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle - E * (middle - math.atan(middle)) < goal:
            low = middle
        else:
            high = middle
    peak = low / B
    assert magic_formula(peak, B, C, D, E) == pytest.approx(D, rel=1e-9)
    slips = np.geomspace(1e-3, 1e3, 200) / B
    assert max(magic_formula(slip, B, C, D, E) for slip in slips) <= D * (1.0 + 1e-12)


def test_the_reports_table_comes_out_of_its_own_formulas():
    for formula, coefficients, peak in (
            (pacejka.LONGITUDINAL, pacejka.LONGITUDINAL_LOAD, 19.0569),
            (pacejka.LATERAL, pacejka.LATERAL_LOAD, 1.371)):
        result = computed(0.045, 0.05, LOAD, coefficients)
        assert result == pytest.approx(formula)
        assert result.friction * LOAD == pytest.approx(peak)


def test_computed_coefficients_follow_load_and_side():
    b = LoadCoefficients(-20.0, 1100.0, 40.0, 200.0, 0.1, -0.02, 0.003, 0.05, 0.2)
    result = computed(0.2, 0.3, 3000.0, b, slip_sign=-1.0)
    # Written out for Fz = 3 kN.
    peak = 3.0 * (-60.0 + 1100.0)
    assert result.friction * 3000.0 == pytest.approx(peak)
    assert result.shape == pytest.approx(0.8 / 0.6)
    assert result.stiffness(3000.0) == pytest.approx((360.0 + 600.0) * math.exp(-0.3))
    assert result.curvature == pytest.approx((-0.18 + 0.009 + 0.05) * 1.2)


def test_single_track_with_pacejka_tyres_has_the_stiffness_of_the_vehicle():
    linear, magic = (SingleTrack(RACECAR, tyre) for tyre in ('linear', 'pacejka'))
    np.testing.assert_allclose(
        magic.lateral_jacobian(2.0), linear.lateral_jacobian(2.0), rtol=1e-5)
    assert SingleTrack(RACECAR, 3).tyre.name == 'pacejka'


@pytest.mark.parametrize('surface', SURFACES)
def test_surface_sets_slope_and_grip_of_every_axle(surface):
    formula = SURFACES[surface]
    tyres = make_tyre_set(RACECAR, 'pacejka', {'tyre_parameters': surface})
    for direction, load in (
            (tyres.front_x, RACECAR.front_axle_load), (tyres.front_y, RACECAR.front_axle_load),
            (tyres.rear_x, RACECAR.rear_axle_load), (tyres.rear_y, RACECAR.rear_axle_load)):
        assert direction.stiffness == pytest.approx(
            formula.stiffness_factor * formula.shape * formula.friction * load)
        assert direction[1:] == (formula.friction, formula.shape, formula.curvature)


def test_given_coefficients_default_to_the_reports_table_and_can_be_changed():
    tyres = make_tyre_set(RACECAR, 'pacejka', {
        'tyre_parameters': 'given', 'pacejka.lateral.friction': 0.7})
    assert tyres.front_x.friction == pytest.approx(19.0569 / LOAD)
    assert tyres.rear_y.friction == 0.7
    assert tyres.rear_y.stiffness == pytest.approx(10.0 * 1.45 * 0.7 * RACECAR.rear_axle_load)


@pytest.mark.parametrize(
    ('tyre', 'values', 'message'),
    [('fiala', {'tyre_parameters': 'dry'}, r"'tyre_parameters' is 'dry', expected vehicle"),
     ('pacejka', {'tyre_parameters': 'mud'}, r"'mud', expected one of vehicle, given, computed"),
     ('pacejka', {'pacejka.lateral.shape': 0.0}, r"'pacejka\.lateral\.shape' is 0\.0")])
def test_bad_coefficients_are_refused(tyre, values, message):
    with pytest.raises(ParameterError, match=message):
        make_tyre_set(RACECAR, tyre, values)


def combined(name, slip, tangent, load, *tyre):
    model = TYRE_MODELS[name]
    return combined_slip.combined_forces_of(
        model.lateral_force, model.longitudinal_force)(
            slip, tangent, load, TyrePair(*(*tyre, load, 0.0)), 1.0)


TYRE = (120.0, 0.9, 1.45, 0.5, 80.0, 0.7, 1.3, 0.2)


@pytest.mark.parametrize('name', TYRE_MODELS)
@given(slip=st.floats(-1.0, 1.0))
@settings(max_examples=30, deadline=None)
def test_one_slip_alone_gives_the_pure_curve(name, slip):
    model = TYRE_MODELS[name]
    fx, fy = combined(name, slip, 0.0, 20.0, *TYRE)
    assert (fx, fy) == (pytest.approx(model.longitudinal_force(
        slip, 120.0, 0.9, 20.0, 1.45, 0.5), rel=1e-9, abs=1e-12), 0.0)
    fx, fy = combined(name, 0.0, slip, 20.0, *TYRE)
    assert (fx, fy) == (0.0, pytest.approx(model.lateral_force(
        math.atan(slip), 80.0, 0.7, 20.0, 1.3, 0.2), rel=1e-9, abs=1e-12))


@pytest.mark.parametrize('name', TYRE_MODELS)
@given(slip=st.floats(-10.0, 10.0), tangent=st.floats(-10.0, 10.0), load=st.floats(0.0, 50.0))
@settings(max_examples=60, deadline=None)
def test_combined_force_opposes_both_slips_within_the_ellipse(name, slip, tangent, load):
    fx, fy = combined(name, slip, tangent, load, *TYRE)
    assert fx * slip <= 0.0
    assert fy * tangent <= 0.0
    if name in ('fiala', 'pacejka') and load > 0.0:
        assert math.hypot(fx / (0.9 * load), fy / (0.7 * load)) <= 1.0 + 1e-9
    mirrored = combined(name, -slip, -tangent, load, *TYRE)
    assert mirrored == (-fx, -fy)


def test_braking_takes_from_the_cornering_force():
    forces = [combined('fiala', slip, 0.3, 20.0, *TYRE)[1] for slip in (0.0, 0.1, 0.3, 1.0)]
    assert np.all(np.diff(np.abs(forces)) < 0.0)


def test_longitudinal_and_lateral_curves_of_isotropic_tyres_agree():
    for name in ('fiala', 'linear'):
        model = TYRE_MODELS[name]
        small = 1e-3
        assert model.longitudinal_force(small, 80.0, 0.7, 20.0, 0.0, 0.0) == pytest.approx(
            model.lateral_force(math.atan(small), 80.0, 0.7, 20.0), rel=1e-5)


def test_every_wheel_has_its_own_slip_and_force():
    # The original plugin took one wheel's slip for all four.
    model = DoubleTrack(RACECAR, 'pacejka')
    state = (2.0, 0.1, 1.0, 0.0, 0.0, 0.0, 39.0, 41.0, 42.0, 44.0)
    wheels = model.wheels(state, model.torque_inputs(0.1, (0.0,) * 4))
    for field in ('slip', 'slip_angle', 'longitudinal_force', 'load'):
        assert len({round(getattr(wheel, field), 6) for wheel in wheels}) == 4


# Other than those of the report in everything, and one sided.
LOADS = {
    'longitudinal': {'b1': 5000.0, 'b2': 900.0, 'b3': 20000.0, 'b4': 4000.0, 'b5': 3.0,
                     'b6': -200.0, 'b7': 4.0, 'b8': 0.3, 'b13': 0.25, 'H': 0.05},
    'lateral': {'b1': -4000.0, 'b2': 800.0, 'b3': 30000.0, 'b4': 7000.0, 'b5': 2.0, 'b6': 150.0,
                'b7': -3.0, 'b8': 0.4, 'b13': -0.3, 'H': -0.04}}
COMPUTED = {'tyre_parameters': 'computed', **{
    f'pacejka.{direction}.{name}': value
    for direction, b in LOADS.items() for name, value in b.items()}}


def report_force(direction, slip, wheel_load, load):
    """Return the report's force of a wheel [N], with its E, and as if D grew with the load."""
    b, kilo = LOADS[direction], 1e-3 * wheel_load
    C = (0.045 + 0.1) / 0.1
    D = kilo * (b['b1'] * kilo + b['b2'])
    B = (b['b3'] * kilo**2 + b['b4'] * kilo) * math.exp(-b['b5'] * kilo) / (C * D)
    side = math.copysign(1.0, slip + b['H'])
    E = (b['b6'] * kilo**2 + b['b7'] * kilo + b['b8']) * (1.0 - b['b13'] * side)
    bent = B * slip - E * (B * slip - math.atan(B * slip))
    return load / wheel_load * D * math.sin(C * math.atan(bent))


@pytest.mark.parametrize('make', [
    lambda values: SingleTrack(RACECAR, 'pacejka', 'full', tyre_values=values),
    lambda values: SingleTrack(RACECAR, 'pacejka', 'report', tyre_values=values),
    lambda values: SingleTrackForce(RACECAR, 'pacejka', tyre_values=values),
    lambda values: SingleTrackSlip(RACECAR, 'pacejka', tyre_values=values),
    lambda values: DoubleTrack(RACECAR, 'pacejka', tyre_values=values)],
    ids=['full', 'report', 'force', 'slip', 'double'])
@pytest.mark.parametrize('vy', [-0.4, -0.03, 0.03, 0.4])
def test_coefficients_by_parameter_give_the_forces_of_the_report_on_either_side(make, vy):
    model, speed = make(COMPUTED), 2.0
    value = vy if model.state_names[0] != 'beta' else math.atan(vy / speed)
    names = {'vx': speed, 'vy': value, 'beta': value}
    state = [names.get(name, 40.0 if name.startswith('wheel') else 0.0)
             for name in model.state_names]
    inputs = [speed, *(0.0,) * (model.input_count - 1)]
    wheels = model.wheels(state, inputs)
    statics = [0.5 * load for load in (
        *(RACECAR.front_axle_load,) * 2, *(RACECAR.rear_axle_load,) * 2)]
    for wheel, static in zip(wheels, statics, strict=True):
        load = wheel.load if isinstance(model, DoubleTrack | SingleTrackSlip) else static
        assert math.tan(wheel.slip_angle) == pytest.approx(
            vy / speed, rel=0.02 if model.name == 'single_track' else 1e-6)
        # The report's slip angle is that to the other side, and its force is that on the tyre.
        assert wheel.lateral_force == pytest.approx(
            report_force('lateral', -wheel.slip_angle, static, load), rel=1e-6)
        assert wheel.longitudinal_force == 0.0
    # What the loops compute is the same.
    assert model.derivative(vector(state), vector(inputs), model.parameters)[
        model.state_names.index('yaw_rate')] == pytest.approx(
            (RACECAR.cog_to_front_axle * (wheels[0].lateral_force + wheels[1].lateral_force)
             - RACECAR.cog_to_rear_axle * (wheels[2].lateral_force + wheels[3].lateral_force))
            / RACECAR.yaw_inertia, rel=1e-5)


@pytest.mark.parametrize('speed', [0.5, 1.9, 2.1, 8.0])
def test_longitudinal_coefficients_by_parameter_give_the_force_of_the_report(speed):
    for model in (SingleTrackSlip(RACECAR, 'pacejka', tyre_values=COMPUTED),
                  DoubleTrack(RACECAR, 'pacejka', tyre_values=COMPUTED)):
        state = [{'vx': 2.0}.get(name, speed / 0.05 if name.startswith('wheel') else 0.0)
                 for name in model.state_names]
        wheels = model.wheels(state, [speed, *(0.0,) * (model.input_count - 1)])
        for wheel, axle in zip(wheels, (
                *(RACECAR.front_axle_load,) * 2, *(RACECAR.rear_axle_load,) * 2), strict=True):
            assert wheel.slip == pytest.approx((2.0 - speed) / max(2.0, speed))
            # Braking has positive slip here and there; here its force points backwards.
            assert wheel.longitudinal_force == pytest.approx(
                -report_force('longitudinal', wheel.slip, 0.5 * axle, wheel.load), rel=1e-6)


@pytest.mark.parametrize('selection', ['given', 'computed', 'vehicle', 'dry'])
@pytest.mark.parametrize('model', [SingleTrackSlip, DoubleTrack])
def test_slip_is_cut_off_at_one_with_the_tyres_of_the_report_only(model, selection):
    car = model(RACECAR, 'pacejka', tyre_values={'tyre_parameters': selection})

    def wheels(speed):
        # Backwards on wheels that turn forwards.
        state = [{'vx': -1.0}.get(name, speed / 0.05 if name.startswith('wheel') else 0.0)
                 for name in car.state_names]
        return car.wheels(state, [speed, *(0.0,) * (car.input_count - 1)])

    slow, fast = wheels(0.2), wheels(0.8)
    forces = [sum(wheel.longitudinal_force for wheel in found) for found in (slow, fast)]
    slips = {round(wheel.slip, 9) for wheel in (*slow, *fast)}
    if selection in ('given', 'computed'):
        assert slips == {-1.0}
        assert forces[0] == pytest.approx(forces[1], rel=1e-12)
    else:
        assert min(slips) < max(slips) < -1.1
        assert forces[0] != pytest.approx(forces[1], rel=1e-4)


@pytest.mark.parametrize(('name', 'value', 'message'), [
    ('lateral.b2', 0.0, r'pacejka\.lateral\.b1 to b13 give D = nan N'),
    ('lateral.b2', -100.0, r'give D = -1\.\d+ N, B = .* expected D and B above 0 and E up to 1'),
    ('longitudinal.b4', -1.0, r'longitudinal\.b1 to b13 give .* B = -'),
    ('longitudinal.b5', -1e6, 'give D = nan'),
    ('lateral.b8', 1.2, r'E up to 1\.2 under'), ('lateral.b13', 0.1, r'E up to 1\.067'),
    ('lateral.H', 1.5, r"'pacejka\.lateral\.H' is 1\.5, expected a number in \[-1, 1\]")])
def test_coefficients_whose_force_would_not_oppose_the_slip_are_refused(name, value, message):
    with pytest.raises(ParameterError, match=message):
        make_tyre_set(RACECAR, 'pacejka', {
            'tyre_parameters': 'computed', f'pacejka.{name}': value})


@pytest.mark.parametrize('formulation', ['full', 'report'])
def test_parts_compiled_loop_and_batch_have_the_same_one_sided_tyres(formulation):
    def loop():
        descriptions = describe_stack('kinematic_ode', StackOptions(
            trajectory='circle', tyre_model='pacejka', overrides={'single_track_simulator': {
                'formulation': formulation, **COMPUTED}}))
        return make_loop(
            find_stack('kinematic_ode'), {d.executable: d.resolve() for d in descriptions})

    rows: list[Any] = []
    loop().run_tick_by_tick(60, rows.append)
    np.testing.assert_array_equal(run_loop(loop(), 0.6).rows, np.array(rows))
    records = present(BatchSimulation([loop()]).run(0.6, record_every=1).records)[0]
    np.testing.assert_array_equal(records[:, :7], np.array(rows)[:, :7])


def test_axles_of_the_world_have_the_same_coefficients():
    tyres = make_tyre_set(RACECAR, 'pacejka', COMPUTED)
    front, rear = make_axles(RACECAR, tyres, 0.001)
    for axle, x, y in ((front, tyres.front_x, tyres.front_y), (rear, tyres.rear_x, tyres.rear_y)):
        assert axle.tyre[:8] == (*x, *y)
        assert axle.tyre[10:] == tyres.sides
    assert tyres.sides == pytest.approx((0.25, 0.05, 0.3, math.tan(0.04), 1.0), rel=1e-12)
