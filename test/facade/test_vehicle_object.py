# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.Vehicle: by name, file or values; changed; driven."""

from html.parser import HTMLParser
from typing import Any

import pytest

import racecar
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_vehicle, vehicle_names
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS, VehicleParameters


@pytest.mark.parametrize('name', vehicle_names())
def test_a_vehicle_has_the_values_of_its_file(name):
    vehicle = racecar.Vehicle(name)
    assert vehicle.parameters == VehicleParameters.from_file(find_vehicle(name))
    assert vehicle == racecar.Vehicle(find_vehicle(name)) == racecar.Vehicle(dict(vehicle))
    assert hash(vehicle) == hash(racecar.Vehicle(dict(vehicle)))
    assert len(vehicle) == len(VEHICLE_FILE_PARAMETERS.names)


def test_names_are_the_same_with_dots_and_with_underscores():
    vehicle = racecar.Vehicle('racecar')
    for name, value in vehicle.items():
        assert vehicle[name] == vehicle[f'vehicle.{name}'] == value
        alike = [other for other in vehicle if other.replace('.', '_') == name.replace('.', '_')]
        # wheel_width is that of the tyre, wheel.width one of its design.
        assert vehicle[name.replace('.', '_')] == vehicle[min(alike, key=lambda n: n.count('.'))]


def test_a_change_makes_another_vehicle():
    vehicle = racecar.Vehicle('f1tenth')
    heavy = vehicle.replace(mass=4.0, front_cornering_stiffness=90)
    assert (vehicle['mass'], heavy['mass']) == (3.74, 4.0)
    assert heavy.changes == {'mass': 4.0, 'front.cornering_stiffness': 90.0}
    assert heavy == vehicle.replace({'mass': 4, 'front.cornering_stiffness': 90.0})
    assert heavy.replace(mass=5.0).changes == {'mass': 5.0, 'front.cornering_stiffness': 90.0}
    assert heavy != vehicle
    car = heavy.parameters
    # K = m (b Cr - a Cf)/(L Cf Cr), by hand.
    assert car.understeer_gradient == pytest.approx(
        4.0 * (0.17145 * 100.95 - 0.15875 * 90.0) / (0.3302 * 90.0 * 100.95))


def test_it_drives_as_its_settings_do():
    heavy = racecar.Vehicle('f1tenth').replace(mass=4.0)
    options: dict[str, Any] = {'trajectory': 'circle', 'duration': 2.0}
    by_vehicle = racecar.simulate(vehicle=heavy, **options)
    by_settings = racecar.simulate(vehicle='f1tenth', set={'vehicle.mass': 4.0}, **options)
    assert by_vehicle.table.rows.tobytes() == by_settings.table.rows.tobytes()
    assert by_vehicle.parameters == by_settings.parameters
    lighter = racecar.simulate(vehicle=heavy, set={'vehicle.mass': 3.0}, **options)
    assert lighter.parameters['trajectory_tracker']['vehicle.mass'] == 3.0


@pytest.mark.parametrize('configuration', ['kinematic_ode', 'kinematic_world'])
def test_a_vehicle_of_values_drives_as_that_of_the_file(configuration):
    options: dict[str, Any] = {'trajectory': 'circle', 'duration': 1.0}
    of_values = racecar.Vehicle(dict(racecar.Vehicle('bmw_x5')))
    assert of_values.source is None
    rows = [racecar.simulate(configuration, vehicle=vehicle, **options).table.rows.tobytes()
            for vehicle in (of_values, 'bmw_x5')]
    assert rows[0] == rows[1]


def test_parameters_have_units_and_meanings():
    rows = {row.name: row for row in racecar.Vehicle('racecar').rows}
    assert rows['mass'].unit == 'kg'
    assert rows['mass'].description == 'Total mass'
    assert rows['front.cornering_stiffness'].unit == 'N/rad'


def test_it_says_in_one_line_what_it_is():
    assert repr(racecar.Vehicle('f1tenth').replace(mass=4.0)) == (
        "<Vehicle('f1tenth') with mass=4.0: 4 kg, wheelbase 0.3302 m, understeer gradient"
        ' 0.00298 rad s^2/m>')


def test_a_notebook_shows_figures_and_parameters():
    class Texts(HTMLParser):
        def __init__(self):
            super().__init__()
            self.texts = []

        def handle_data(self, data):
            self.texts.append(data)

    vehicle, page = racecar.Vehicle('bmw_x5'), Texts()
    page.feed(vehicle._repr_html_())
    for rows in vehicle.figures().values():
        for row in rows:
            assert {row.name, row.text} <= set(page.texts)
    assert {row.name for row in vehicle.rows} <= set(page.texts)


@pytest.mark.parametrize(('vehicle', 'kind', 'message'), [
    ('f1tent', ConfigurationError, 'did you mean f1tenth'),
    ('khepera', ConfigurationError, "vehicle 'khepera' is neither a file nor one of"),
    (3.0, ConfigurationError, 'vehicle is 3.0, expected a name'),
    ({'name': 'mine'}, ParameterError, "parameter 'vehicle.mass' is missing"),
    ({'name': 'mine', 'mas': 3.0}, ParameterError, "has no parameter 'mas'; did you mean mass"),
])
def test_what_is_no_vehicle_is_refused(vehicle, kind, message):
    with pytest.raises(kind, match=message):
        racecar.Vehicle(vehicle)


@pytest.mark.parametrize(('changes', 'message'), [
    ({'mas': 3.0}, "vehicle has no parameter 'mas'; did you mean mass"),
    ({'mass': -3.0}, "parameter 'vehicle.mass' is -3.0, expected a number in"),
    ({'mass': 'heavy'}, "parameter 'vehicle.mass' is 'heavy', expected a number"),
    ({'wheel_radius': 9.0}, 'wheel'),
])
def test_a_change_that_cannot_be_is_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        racecar.Vehicle('racecar').replace(**changes)
