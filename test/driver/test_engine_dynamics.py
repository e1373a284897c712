# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inertia and braking of the engine and shift time against point-mass formulas."""

import dataclasses
import math
from pathlib import Path

import numpy as np
from presence import present
import pytest

from racecar.base.errors import ParameterError
from racecar.base.types import AT_REST
from racecar.driver import Controls, DrivenCar
from racecar.driver.bridge import DriverBridge
from racecar.dynamics.powertrain import CarParameters, Powertrain
from racecar.dynamics.powertrain.engine import engine_torque
from racecar.dynamics.vehicles import VehicleParameters
from racecar.dynamics.vehicles.double_track_equations import DRIVE

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
BMW, TESLA = (FOLDER / f'{name}.yaml' for name in ('bmw_x5', 'tesla_model3'))
RPM = 30.0 / math.pi


class Rig:
    """A car without friction in its bearings, and its controls."""

    def __init__(self, path, **car):
        car = {'wheels_damping_constant': 0.0, **car}
        self.car = dataclasses.replace(CarParameters.from_file(path), **car)
        self.vehicle = VehicleParameters.from_file(path)
        self.plant = DrivenCar(self.car, self.vehicle)
        self.controls = Controls(self.car, self.vehicle)

    def roll(self, speed):
        """Let car and wheels roll at a speed."""
        front, rear = (speed / radius for radius in self.vehicle.wheel_radii)
        self.plant.state = [speed, *self.plant.state[1:6], front, front, rear, rear]

    def run(self, seconds):
        speeds = []
        for _ in range(round(100 * seconds)):
            self.plant.set_pedals(self.controls.pedals())
            self.plant.tick()
            speeds.append(self.plant.state[0])
        return np.array(speeds)

    def mass(self, gear):
        """Return the mass that the engine moves: car, wheels and, in a gear, the engine."""
        axles = zip((self.car.driven[0], self.car.driven[2]), self.vehicle.wheel_radii,
                    strict=True)
        driven = next(radius for drives, radius in axles if drives)
        return (self.vehicle.mass + sum(
            2.0 * self.vehicle.wheel_inertia / radius ** 2 for radius in self.vehicle.wheel_radii)
            + self.car.engine_inertia * (self.car.ratio(gear) / driven) ** 2), driven


@pytest.mark.parametrize(('path', 'gear'), [
    (BMW, -1), (BMW, 1), (BMW, 2), (BMW, 5), (TESLA, 1)])
def test_engine_in_gear_counts_as_mass_by_the_square_of_the_ratio(path, gear):
    speeds, masses = [], []
    for inertia in (0.0, 0.3):
        rig = Rig(path, engine_inertia=inertia)
        rig.controls.set_gear(gear)
        rig.controls.set_throttle(0.1)
        # Below the lowest speed of the engine its torque is constant.
        gained = np.diff(rig.run(0.5)[[19, 49]])[0] / 0.3
        mass, radius = rig.mass(gear)
        assert gained == pytest.approx(
            0.1 * engine_torque(rig.car, 0.0) * rig.car.ratio(gear) / radius / mass, rel=1e-2)
        speeds.append(gained)
        masses.append(mass)
    assert speeds[0] / speeds[1] == pytest.approx(masses[1] / masses[0], rel=2e-3)
    if gear in (-1, 1):
        assert masses[1] > 1.05 * masses[0]


def test_four_driven_wheels_share_the_inertia_of_the_engine():
    rig = Rig(FOLDER / 'racecar.yaml', engine_inertia=2e-5)
    rig.controls.set_gear(1)
    rig.controls.set_throttle(0.3)
    gained = np.diff(rig.run(0.4)[[9, 39]])[0] / 0.3
    mass, radius = rig.mass(1)
    assert gained == pytest.approx(0.3 * 0.275 * 10.0 / radius / mass, rel=2e-2)


@pytest.mark.parametrize('coefficients', [(20.0, 0.0, 0.0), (8.0, 0.002, 0.0), (0.0, 0.004, 8e-7)])
@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_car_in_gear_coasts_down_by_the_torque_of_its_engine(coefficients, sign):
    rig = Rig(BMW, engine_inertia=0.2, engine_braking_coefficients=coefficients)
    gear = 2 if sign > 0.0 else -1
    start = 18.0
    rig.roll(sign * start)
    rig.controls.set_gear(gear)
    rig.controls.set_throttle(0.0)
    found = sign * rig.run(4.0)[-1]
    mass, radius = rig.mass(gear)
    ratio = abs(rig.car.ratio(gear)) / radius
    a, b, c = coefficients
    per_speed = ratio * RPM
    constant, linear, square = (
        a * ratio / mass, b * per_speed * ratio / mass, c * per_speed ** 2 * ratio / mass)
    if linear == square == 0.0:
        expected = start - constant * 4.0
    elif square == 0.0:
        expected = (start + constant / linear) * math.exp(-4.0 * linear) - constant / linear
    else:
        # Bernoulli's equation, as there is no constant part.
        expected = linear / ((linear / start + square) * math.exp(4.0 * linear) - square)
    assert expected * per_speed > rig.car.engine_min_rpm
    assert expected < 0.98 * start
    # The tyres slip by a hundredth or two, so that the engine turns that much slower.
    assert 0.97 * (start - expected) < start - found < 1.001 * (start - expected)


def test_engine_braking_lets_the_car_come_to_rest_and_never_drives_it_back():
    rig = Rig(BMW, engine_braking_coefficients=(40.0, 0.01, 0.0), engine_inertia=0.2)
    rig.roll(3.0)
    rig.controls.set_gear(1)
    rig.controls.set_throttle(0.0)
    speeds = rig.run(30.0)
    assert np.all(np.diff(speeds) <= 0.0)
    assert 0.0 <= speeds[-1] < 0.02


def test_half_throttle_brakes_half_as_much():
    rig = Rig(BMW, engine_braking_coefficients=(40.0, 0.0, 0.0))
    rig.controls.set_gear(3)
    rig.controls.set_throttle(0.5)
    speeds = (40.0,) * 4
    own = engine_torque(rig.car, 40.0 * 5.35 * RPM)
    assert rig.plant.powertrain.engine_torque(
        rig.controls.pedals(), speeds) == pytest.approx(0.5 * own - 20.0)


def test_while_a_gear_is_shifted_the_engine_has_no_torque():
    rig = Rig(BMW, shift_time=0.25)
    rig.controls.set_gear(1)
    rig.controls.set_throttle(0.3)
    away = rig.run(2.0)
    # From neutral into first gear, too.
    assert away[24] == 0.0
    assert away[25] > 0.0
    rig.controls.set_gear(2)
    gap = rig.run(0.5)
    inputs = rig.plant.inputs
    assert np.ptp(gap[2:25]) < 2e-3 * gap[0]
    assert gap[26] - gap[24] > 0.005
    assert inputs[DRIVE] > 0.0
    mass, radius = rig.mass(2)
    torque = 0.3 * engine_torque(rig.car, gap[40] / radius * 8.0 * RPM)
    assert (gap[45] - gap[35]) / 0.1 == pytest.approx(torque * 8.0 / radius / mass, rel=2e-2)
    # Into the same gear nothing is shifted.
    rig.controls.set_gear(2)
    assert np.all(np.diff(rig.run(0.1)) > 0.0)


def test_a_second_change_within_the_shift_starts_it_anew():
    rig = Rig(BMW, shift_time=0.2)
    rig.controls.set_throttle(0.3)
    for gear, seconds in ((1, 0.15), (2, 0.15)):
        rig.controls.set_gear(gear)
        assert np.all(rig.run(seconds) == 0.0)
    assert rig.run(0.1)[-1] > 0.0


def test_bridge_shifts_by_the_time_of_its_odometry_and_reckons_with_the_engine():
    rig = Rig(BMW, shift_time=0.1, engine_inertia=0.3)
    bridge = DriverBridge(rig.car, rig.vehicle, 'driver')
    bridge.controls.set_gear(1)
    bridge.controls.set_throttle(1.0)
    driven = []
    for tick in range(20):
        answer = bridge.answer(AT_REST._replace(time_ns=tick * 10_000_000), 1.0)
        assert answer is not None
        driven.append(present(answer.wheels).drive[0])
        # What is announced again is answered again, and no time goes by.
        again = bridge.answer(AT_REST._replace(time_ns=tick * 10_000_000), 1.0)
        assert again is not None
        assert (present(again.wheels).drive[0] > 0.0) == (driven[-1] > 0.0)
    assert [torque > 0.0 for torque in driven].index(True) in (10, 11)
    mass, radius = rig.mass(1)
    free, _ = Rig(BMW).mass(1)
    torque = engine_torque(rig.car, 0.0) * 12.5
    assert 2.0 * driven[-1] / radius / free == pytest.approx(torque / radius / mass, rel=1e-9)


def test_powertrain_without_them_is_that_of_the_originals():
    plain = CarParameters.from_file(BMW)
    assert (plain.engine_inertia, plain.shift_time) == (0.0, 0.0)
    powertrain = Powertrain(plain, VehicleParameters.from_file(BMW), 0.01)
    controls = Controls(plain, VehicleParameters.from_file(BMW))
    controls.set_gear(1)
    controls.set_throttle(0.0)
    command = powertrain.command(controls.pedals(), (20.0,) * 4)
    assert (command.drive, command.inertia) == ((0.0,) * 4, (0.0, 0.0))
    assert powertrain.wheel_command(command).drive == (0.0,) * 4


@pytest.mark.parametrize(('values', 'message'), [
    ({'car.engine_inertia': -1.0}, r'\[0, 1000\] \[kg m\^2\]'),
    ({'car.shift_time': 11.0}, r'\[0, 10\] \[s\]'),
    ({'car.engine_braking_coefficients': [1.0, -0.1, 0.0]}, 'three numbers of at least 0'),
    ({'car.engine_braking_coefficients': [1.0]}, 'three numbers of at least 0')])
def test_numbers_out_of_range_are_refused(values, message):
    with pytest.raises(ParameterError, match=message):
        CarParameters.from_values(values)
