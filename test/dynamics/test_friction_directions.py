# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction along and across the wheels: each bounds the force in its own direction."""

from dataclasses import replace
import math
from pathlib import Path

import pytest
from world_bench import make_car

from racecar.base.errors import ConfigurationError
from racecar.base.types import AckermannCommand, WheelCommand
from racecar.dynamics.vehicles import (
    DoubleTrack,
    SingleTrack,
    SingleTrackForce,
    SingleTrackSlip,
    VehicleParameters,
)
from racecar.dynamics.vehicles.parameters import GRAVITY

RACECAR = VehicleParameters.from_file(
    Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml')
ALONG, ACROSS = 0.9, 0.4
ICY = replace(RACECAR, friction_coefficient=ALONG, lateral_friction_coefficient=ACROSS)
WEIGHT = RACECAR.mass * GRAVITY


def forces(model, *inputs, **state):
    """Return the forces of all wheels along and across them [N]."""
    wheels = model.wheels(
        [state.get('wheels' if name.startswith('wheel') else name, 0.0)
         for name in model.state_names],
        [*inputs, *(0.0,) * (model.input_count - len(inputs))])
    return (sum(wheel.longitudinal_force for wheel in wheels),
            sum(wheel.lateral_force for wheel in wheels))


@pytest.mark.parametrize('make', [SingleTrack, SingleTrackForce, SingleTrackSlip, DoubleTrack])
@pytest.mark.parametrize('tyre', ['fiala', 'pacejka'])
def test_a_car_that_slides_sideways_has_the_friction_across(make, tyre):
    across = forces(make(ICY, tyre), 0.5, vx=0.5, vy=2.0, wheels=10.0)[1]
    # Pacejka's curve falls beyond its peak.
    assert across == pytest.approx(-ACROSS * WEIGHT, rel=1e-6 if tyre == 'fiala' else 0.2)
    assert abs(across) <= ACROSS * WEIGHT * (1.0 + 1e-9)


@pytest.mark.parametrize('make', [SingleTrackSlip, DoubleTrack])
def test_wheels_that_lock_have_the_friction_along(make):
    along, across = forces(make(ICY, 'fiala'), 0.0, vx=2.0)
    assert (along, across) == (pytest.approx(-ALONG * WEIGHT), 0.0)


def test_drive_force_is_bounded_by_the_friction_along():
    car = SingleTrackForce(replace(ICY, drive_force_limit=1e3), 'fiala')
    assert forces(car, 9.0, vx=1.0)[0] == pytest.approx(ALONG * WEIGHT)


@pytest.mark.parametrize('make', [SingleTrackSlip, DoubleTrack])
def test_sliding_in_both_directions_stays_within_the_ellipse(make):
    model = make(ICY, 'fiala')
    for vy in (0.1, 0.3, 1.0, 3.0):
        along, across = forces(model, 0.0, vx=1.0, vy=vy)
        assert math.hypot(along / (ALONG * WEIGHT), across / (ACROSS * WEIGHT)) == pytest.approx(
            1.0)
        assert max(along, across) < 0.0


@pytest.mark.parametrize('make', [SingleTrack, SingleTrackForce, SingleTrackSlip, DoubleTrack])
@pytest.mark.parametrize('tyre', ['linear', 'fiala', 'pacejka'])
def test_without_a_friction_across_it_is_that_along_to_the_bit(make, tyre):
    equal = replace(RACECAR, lateral_friction_coefficient=RACECAR.friction_coefficient)
    assert list(make(RACECAR, tyre).parameters) == list(make(equal, tyre).parameters)


WORLD = {'contact_model': 'pacejka', 'tyre_model': 'fiala',
         'command_interface': 'wheel_torques', 'vehicle__friction_coefficient': 0.8,
         'vehicle__lateral_friction_coefficient': 0.25}


def test_tyres_of_the_world_have_a_friction_of_each_direction():
    car = make_car(**WORLD)
    car.inputs['drive'](AckermannCommand(2.0, 0.3))
    # On a circle this would need 0.39 g.
    across = []
    for _ in range(20):
        wheels = car.run(0.05).read('wheels')
        across.append(max(abs(wheel.lateral_force) / wheel.load for wheel in wheels))
    assert max(across) == pytest.approx(0.25, rel=0.01)
    straight = make_car(**WORLD)
    straight.drive(2.0, 0.0, 1.5).inputs['wheels'](WheelCommand(
        0.0, 0.0, (0.0,) * 4, (5.0,) * 4, (0.0,) * 4, (0.0,) * 4))
    wheels = straight.run(0.1).read('wheels')
    assert sum(wheel.longitudinal_force for wheel in wheels) == pytest.approx(
        -0.8 * sum(wheel.load for wheel in wheels), rel=0.01)


def test_friction_of_the_engine_has_no_direction():
    with pytest.raises(ConfigurationError, match=(
            r'lateral_friction_coefficient. is 0\.25, expected 0 or friction_coefficient \(0\.8\)'
            r' for contact_model coulomb: .* use contact_model pacejka')):
        make_car(**{**WORLD, 'contact_model': 'coulomb'})
