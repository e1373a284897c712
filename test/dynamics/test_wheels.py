# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slip and forces of the wheels, for every vehicle model, against the tyre law."""

import math
from pathlib import Path

import pytest

from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, WHEEL_NAMES
from racecar.dynamics.vehicles import VEHICLE_MODELS, VEHICLE_PARAMETERS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS


def in_a_bend(vehicle_model, speed=2.0, ticks=60, **values):
    """Return a simulator that speeds up in a left-hand bend."""
    sim = make_simulator(TABLE.resolve({
        **load_parameter_file(FILE, 'any_node'), 'vehicle_model': vehicle_model, **values}))
    sim.set_command(AckermannCommand(speed, 0.2))
    for _ in range(ticks):
        sim.tick()
    return sim


@pytest.mark.parametrize('name', VEHICLE_MODELS)
def test_the_wheels_carry_the_car_and_together_are_the_axles(name):
    sim = in_a_bend(name)
    wheels, axles = sim.wheels(), sim.diagnostics()
    assert len(wheels) == len(WHEEL_NAMES)
    vehicle = sim.model.vehicle
    assert sum(wheel.load for wheel in wheels) == pytest.approx(
        vehicle.front_axle_load + vehicle.rear_axle_load)
    left, right, rear_left, rear_right = (wheel.lateral_force for wheel in wheels)
    assert left + right == pytest.approx(axles.lateral_force_front)
    assert rear_left + rear_right == pytest.approx(axles.lateral_force_rear)
    for wheel in wheels:
        assert wheel.lateral_force * wheel.slip_angle <= 0.0
        assert wheel.longitudinal_force * wheel.slip <= 0.0
        assert wheel.speed * vehicle.wheel_radius == pytest.approx(axles.vx, rel=0.2)


@pytest.mark.parametrize('formulation', ['full', 'report'])
def test_single_track_wheels_have_half_of_a_linear_axle(formulation):
    sim = in_a_bend('single_track', formulation=formulation)
    tyres = sim.model.tyres
    for wheel, stiffness in zip(
            sim.wheels(), [tyres.front_y.stiffness] * 2 + [tyres.rear_y.stiffness] * 2,
            strict=True):
        assert wheel.lateral_force == pytest.approx(-0.5 * stiffness * wheel.slip_angle)
        assert wheel.lateral_force > 0.0
        assert wheel.slip == wheel.longitudinal_force == 0.0


def test_single_track_force_shares_its_drive_force():
    sim = in_a_bend('single_track_force', ticks=10)
    model, wheels = sim.model, sim.wheels()
    force = min(model.vehicle.mass * (2.0 - sim.state[0]) / 0.05, model.vehicle.drive_force_limit)
    assert sum(wheel.longitudinal_force for wheel in wheels) == pytest.approx(force)
    assert force > 0.0
    assert {wheel.slip for wheel in wheels} == {0.0}
    assert wheels[0] == wheels[1]
    assert wheels[2] == wheels[3]


def test_double_track_wheels_differ_and_lean_outwards():
    wheels = in_a_bend('double_track', tyre_model='fiala').wheels()
    assert len({wheel.lateral_force for wheel in wheels}) == 4
    assert wheels[0].load < wheels[1].load
    assert wheels[2].load < wheels[3].load


def test_linear_double_track_follows_the_tyre_law():
    sim = in_a_bend('double_track', speed=0.8, tyre_model='linear')
    tyres = sim.model.tyres
    for index, wheel in enumerate(sim.wheels()):
        along, across = ((tyres.front_x, tyres.front_y) if index < 2
                         else (tyres.rear_x, tyres.rear_y))
        assert wheel.lateral_force == pytest.approx(
            -0.5 * across.stiffness * math.tan(wheel.slip_angle), rel=0.02)
        assert wheel.longitudinal_force == pytest.approx(
            -0.5 * along.stiffness * wheel.slip, rel=0.02, abs=1e-6)


def test_the_kinematic_bicycle_has_neither_slip_nor_force():
    for wheel in in_a_bend('kinematic_bicycle').wheels():
        assert wheel[:4] == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize('formulation', ['full', 'report'])
@pytest.mark.parametrize('name', VEHICLE_MODELS)
def test_every_answer_to_how_fast_a_wheel_turns_is_the_same(name, formulation):
    sim = in_a_bend(name, **{
        'vehicle.rear.wheel_radius': 0.07, 'speed_gain': 0.5, 'formulation': formulation})
    assert sim.wheel_speeds == tuple(wheel.speed for wheel in sim.wheels())
    front, _, rear, _ = sim.wheel_speeds
    assert front * 0.05 == pytest.approx(rear * 0.07, rel=0.2)


@pytest.mark.parametrize('values', [{}, {'actuators.speed_lag': 0.05}])
def test_wheels_of_a_car_with_a_speed_gain_turn_as_far_as_it_drives(values):
    sim = make_simulator(TABLE.resolve({
        **load_parameter_file(FILE, 'any_node'), 'vehicle_model': 'kinematic_bicycle',
        'speed_gain': 0.5, 'vehicle.rear.wheel_radius': 0.07, **values}))
    sim.set_command(AckermannCommand(2.0, 0.0))
    for _ in range(100):
        sim.tick()
    x = sim.odometry().x
    assert 0.5 < x < 1.01
    assert sim.wheel_rotations == pytest.approx((x / 0.05,) * 2 + (x / 0.07,) * 2, rel=1e-9)


@pytest.mark.parametrize('name', VEHICLE_MODELS)
def test_nothing_pushes_a_car_at_rest(name):
    sim = make_simulator(TABLE.resolve({
        **load_parameter_file(FILE, 'any_node'), 'vehicle_model': name}))
    for wheel in sim.wheels():
        assert wheel[:4] == (0.0, 0.0, 0.0, 0.0)
