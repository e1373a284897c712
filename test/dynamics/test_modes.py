# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modes of many cars at once, against NumPy's eigenvalues and linear theory."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
import numpy as np
import pytest

from racecar.base.columns import rows_of
from racecar.base.share import find_vehicle
from racecar.dynamics.vehicles import make_vehicle_model, VEHICLE_MODELS, VehicleParameters
from racecar.dynamics.vehicles.modes import (
    are_slower,
    jacobians,
    spectral_radii,
    straight_modes,
    straight_speeds,
)
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS

NUMBERS = st.floats(-1e4, 1e4)


def radii(matrices):
    return np.abs(np.linalg.eigvals(matrices)).max(axis=-1)


@pytest.mark.parametrize('size', [2, 3, 7])
@given(data=st.data())
def test_spectral_radii_are_those_of_numpy(size, data):
    matrices = data.draw(arrays(float, (2, 3, size, size), elements=NUMBERS))
    # A double eigenvalue moves with the root of the rounding.
    allowed = 1e-6 * max(1.0, np.abs(matrices).max())
    np.testing.assert_allclose(
        spectral_radii(matrices), radii(matrices), rtol=1e-9, atol=allowed)


@pytest.mark.parametrize('size', [2, 7])
@given(data=st.data(), limit=st.floats(1.0, 1e4))
def test_are_slower_decides_as_the_eigenvalues(size, data, limit):
    matrices = data.draw(arrays(float, (4, 3, size, size), elements=NUMBERS))
    fastest = radii(matrices).max(axis=-1)
    clear = np.abs(fastest - limit) > 1e-6 * np.maximum(limit, np.abs(matrices).max())
    np.testing.assert_array_equal(
        are_slower(matrices, limit)[clear], (fastest < limit)[clear])


def test_a_matrix_without_eigenvalues_is_not_slow():
    matrices = np.zeros((2, 1, 7, 7))
    matrices[1, 0, 3, 3] = np.nan
    np.testing.assert_array_equal(spectral_radii(matrices), [[0.0], [np.inf]])
    np.testing.assert_array_equal(are_slower(matrices, 1.0), [True, False])
    assert spectral_radii(np.full((2, 2), np.nan)) == np.inf


def test_speeds_of_cars_are_those_of_each():
    low, high, more = np.array([-2.0, -1.0]), np.array([5.0, 3.0]), np.array([0.1, 0.2])
    found = straight_speeds(low, high, 5, 0.0, more)
    assert found.shape == (2, 7)
    for car in range(2):
        np.testing.assert_array_equal(
            found[car], straight_speeds(low[car], high[car], 5, 0.0, more[car])[0])
        np.testing.assert_array_equal(found[car, :5], np.linspace(low[car], high[car], 5))


def model_of(name, **changed):
    values = {row.name: row.default for row in SIMULATOR_PARAMETERS}
    vehicle = VehicleParameters.from_file(find_vehicle('racecar'))
    return make_vehicle_model(name, vehicle, values | changed)


def test_jacobian_of_the_linear_single_track_is_that_of_the_textbook():
    model = model_of('single_track')
    vehicle, speed = model.vehicle, 3.0
    a, b = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle
    front, rear = vehicle.front_cornering_stiffness, vehicle.rear_cornering_stiffness
    m, inertia = vehicle.mass, vehicle.yaw_inertia
    # Rajamani, Vehicle Dynamics and Control, equation 2.31.
    wanted = [
        [-(front + rear) / (m * speed), -speed - (a * front - b * rear) / (m * speed)],
        [-(a * front - b * rear) / (inertia * speed),
         -(a * a * front + b * b * rear) / (inertia * speed)]]
    found = jacobians(model.equations, rows_of(tuple(model.parameters), 1), np.zeros((1, 1, 5)),
                      np.array([[[speed, 0.0]]]))
    np.testing.assert_allclose(found[0, 0], wanted, rtol=1e-6)


@pytest.mark.parametrize('name', sorted(set(VEHICLE_MODELS) - {
    'kinematic_bicycle', 'kinematic_understeer'}))
def test_jacobian_is_that_of_the_derivative(name):
    model = model_of(name, tyre_model='fiala')
    states = model.state_names
    rng = np.random.default_rng(3)
    state = rng.uniform(0.05, 0.3, len(states))
    state[[states.index(pose) for pose in ('x', 'y', 'yaw')]] = 0.0
    commands = len(model.equations.inputs)
    inputs = np.zeros(model.input_count)
    inputs[:2] = 1.0, 0.1
    moving = [k for k, state_name in enumerate(states) if state_name not in ('x', 'y', 'yaw')]
    parameters = rows_of(tuple(model.parameters), 1)

    def slope(point):
        return np.array(model.derivative(*map(np.array, (point, inputs, parameters[:, 0]))))

    width = 1e-7
    wanted = np.array([(slope(state + width * axis) - slope(state - width * axis)) / (2 * width)
                       for axis in np.eye(len(states))[moving]]).T[moving]
    found = jacobians(model.equations, parameters, state[None, None],
                      inputs[None, None, :commands])[0, 0]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())


def test_few_cars_and_many_have_the_same_modes_also_where_they_are_not_finite():
    pytest.importorskip('numba')
    model = make_vehicle_model('single_track', VehicleParameters.from_file(
        find_vehicle('racecar')), SIMULATOR_PARAMETERS.resolve({}))
    equations, speeds = model.equations, straight_speeds(-1.0, 3.0, 9, 0.0)
    # Nothing can be divided by the numbers of the second one.
    one = np.array(model.parameters)
    parameters = np.stack([one, 0.0 * one], axis=1)

    def found(cars):
        columns = parameters[:, cars]
        with np.errstate(all='ignore'):
            return straight_modes(equations, columns, np.repeat(speeds, len(cars), axis=0))

    few = [found([car]) for car in (0, 1)]
    many = found([0, 1] * 500)
    assert not np.isfinite(few[1]).all()
    for car in (0, 1):
        np.testing.assert_array_equal(many[car], few[car][0])


@pytest.mark.parametrize('changed', ['parameters', 'speeds', 'radii'])
def test_modes_of_a_car_are_found_once_until_one_of_its_numbers_changes(changed):
    model = model_of('double_track', tyre_model='fiala')
    given: dict[str, Any] = {
        'parameters': rows_of(tuple(model.parameters), 1),
        'speeds': straight_speeds(0.5, 3.0, 5), 'radii': (0.05, 0.05)}
    first = straight_modes(model.equations, **given)
    assert straight_modes(model.equations, **given) is first
    with pytest.raises(ValueError, match='read-only'):
        first[0, 0, 0, 0] = 1.0
    other = straight_modes(model.equations, **given | {changed: 1.01 * np.array(given[changed])})
    assert other.shape == first.shape
    assert not np.array_equal(other, first)
    # As a car among others is.
    many = straight_modes(
        model.equations, np.repeat(given['parameters'], 2, axis=1),
        np.repeat(given['speeds'], 2, axis=0), given['radii'])
    np.testing.assert_array_equal(many, np.repeat(first, 2, axis=0))
