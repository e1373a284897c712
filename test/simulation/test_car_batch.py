# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Batches of double tracks and of driven cars: each car as if it were alone, to the bit."""

import dataclasses
import itertools
import os
from pathlib import Path
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.types import AckermannCommand, ORIGIN, Pose2, POSITION_LIMIT
from racecar.driver import Controls, DrivenCar
from racecar.driver.driven_batch import DrivenBatch
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.tyres import TYRE_MODELS
from racecar.dynamics.vehicles import DoubleTrack, SingleTrack, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.layout import LANES
from racecar.simulation.rollout_batch import RolloutBatch
from racecar.simulation.simulator import Simulator

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
SOURCES = Path(__file__).parents[2] / 'src'
RACECAR = VehicleParameters.from_file(FOLDER / 'racecar.yaml')
REPORT = VehicleParameters.from_file(FOLDER / 'report.yaml')
MODELS = [DoubleTrack(vehicle, tyre) for vehicle, tyre in itertools.product(
    (RACECAR, REPORT, dataclasses.replace(RACECAR, cog_height=0.3)), TYRE_MODELS)]
# With all that the plain double track does not have.
MODELS.insert(3, DoubleTrack(dataclasses.replace(
    RACECAR, relaxation_length=0.04, roll_stiffness_split=0.6, friction_load_sensitivity=0.1,
    rolling_resistance=0.02, drag_area=0.05), 'fiala'))
NAMES = ('bmw_x5', 'citroen_czero', 'toyota_prius', 'tesla_model3', 'racecar')
KITS = [(CarParameters.from_file(FOLDER / f'{name}.yaml'),
         VehicleParameters.from_file(FOLDER / f'{name}.yaml')) for name in NAMES]
KITS[1:1] = [
    (dataclasses.replace(KITS[0][0], engine_inertia=0.2, shift_time=0.015,
                         engine_braking_coefficients=(20.0, 0.01, 0.0)),
     dataclasses.replace(KITS[0][1], relaxation_length=0.4, rolling_resistance=0.015))]

commands = st.lists(
    st.tuples(st.floats(-3.0, 8.0), st.floats(-1.5, 1.5), st.integers(1, 25)), min_size=1,
    max_size=4)


def bare(batch):
    """Return the states without those that a car does not have."""
    return [[number for number in state if not np.isnan(number)]
            for state in batch.states.tolist()]


@given(plan=commands, count=st.integers(1, 14), threads=st.integers(1, 3),
       first=st.integers(0, len(MODELS) - 1))
@settings(max_examples=25, deadline=None)
def test_cars_in_a_batch_are_those_alone(plan, count, threads, first):
    models = [MODELS[(first + 5 * i) % len(MODELS)] for i in range(count)]
    poses = [Pose2(0.3 * i, -0.1 * i, 0.7 * i) for i in range(count)]
    batch = RolloutBatch(
        models, [model.initial_state(pose) for model, pose in zip(models, poses, strict=True)],
        threads=threads)
    alone = [Simulator(model, start=Start(pose))
             for model, pose in zip(models, poses, strict=True)]
    for speed, angle, steps in plan:
        speeds = speed + 0.2 * np.arange(count)
        batch.command(speeds, angle)
        batch.advance(steps)
        for one, own in zip(alone, speeds, strict=True):
            one.set_command(AckermannCommand(float(own), angle))
            one.advance(steps)
    assert batch.valid.all()
    assert bare(batch) == [list(one.state) for one in alone]


# The stages of a method are the same loops for all models; those of single_track compile sooner.
@pytest.mark.parametrize(('model', 'integrator'), [
    (DoubleTrack(RACECAR, 'fiala', low_speed_threshold=0.5), 'euler'),
    (DoubleTrack(RACECAR, 'fiala', low_speed_threshold=0.5), 'rk4'),
    (SingleTrack(RACECAR, 'fiala', low_speed_threshold=0.5), 'dopri5')])
def test_other_methods_and_full_blocks_give_the_same_bits(model, integrator):
    count = LANES + 13
    batch = RolloutBatch([model] * count, integrator=integrator, step=5e-4, threads=2)
    speeds = np.linspace(-1.0, 4.0, count)
    batch.command(speeds, 0.2)
    batch.advance(40)
    batch.command(0.5 * speeds, -0.1)
    batch.advance(40)
    assert len(batch) == count
    for car in (0, 1, LANES - 1, LANES, count - 1):
        simulator = Simulator(model, integrator=integrator, step=5e-4)
        simulator.set_command(AckermannCommand(float(speeds[car]), 0.2))
        simulator.advance(40)
        simulator.set_command(AckermannCommand(0.5 * float(speeds[car]), -0.1))
        simulator.advance(40)
        assert tuple(batch.states[car].tolist()) == simulator.state


def test_commands_are_clamped_and_nonsense_is_refused():
    batch, far = (RolloutBatch([DoubleTrack(RACECAR)] * 2) for _ in range(2))
    batch.command(np.array([RACECAR.speed_max, 1.0]), RACECAR.steering_limit)
    far.command(np.array([1e6, 1.0]), 9.0)
    with pytest.raises(ParameterError, match='expected finite numbers for 2 cars'):
        far.command(np.array([1.0, np.nan]), 0.0)
    for each in (batch, far):
        each.advance(50)
    np.testing.assert_array_equal(batch.states, far.states)
    with pytest.raises(ConfigurationError, match='there are 1 states, expected one for each of 2'):
        RolloutBatch([DoubleTrack(RACECAR)] * 2, [DoubleTrack(RACECAR).initial_state(ORIGIN)])
    with pytest.raises(ConfigurationError, match='threads is 0'):
        RolloutBatch([DoubleTrack(RACECAR)], threads=0)
    with pytest.raises(ConfigurationError, match='is too long for double_track'):
        RolloutBatch([DoubleTrack(RACECAR)], step=0.01)


@pytest.mark.parametrize('value', [np.nan, np.inf, 1e7])
def test_car_that_diverges_stands_where_it_was_and_the_others_drive_on(value):
    cars = [DoubleTrack(RACECAR)] * 3
    driven = RolloutBatch(cars)
    driven.command(2.0, 0.1)
    driven.advance(100)
    before = driven.states
    before[1, driven.state_names.index('yaw_rate')] = value
    batch = RolloutBatch(cars, before)
    batch.command(2.0, 0.1)
    batch.advance(10)
    after = batch.states
    assert batch.valid.tolist() == [True, False, True]
    np.testing.assert_array_equal(after[1], before[1])
    np.testing.assert_array_equal(after[0], after[2])
    assert (after[0] != before[0]).any()


pedals = st.lists(st.tuples(
    st.sampled_from(['throttle', 'cruise', 'brake', 'free']), st.floats(0.0, 1.0),
    st.floats(-1.0, 1.0), st.integers(-1, 1), st.booleans()), min_size=1, max_size=5)


def press(controls, vehicle, kind, share, side, gear, limited):
    controls.enable_limited_slip_differential(limited)
    controls.set_steering_angle(0.6 * side * vehicle.steering_limit)
    if kind == 'throttle':
        controls.set_throttle(share)
        controls.set_gear(gear)
    elif kind == 'cruise':
        controls.set_cruising_speed(share * vehicle.speed_max)
    else:
        controls.set_brake_intensity(share if kind == 'brake' else 0.0)


@given(plan=pedals, count=st.integers(1, 11))
@settings(max_examples=20, deadline=None)
def test_driven_cars_in_a_batch_are_those_alone(plan, count):
    kits = [KITS[i % len(KITS)] for i in range(count)]
    cars, controls = [DrivenCar(*kit) for kit in kits], [Controls(*kit) for kit in kits]
    # Halfway cars can be packed as well as new ones.
    for car in cars[::2]:
        car.tick()
    batch = DrivenBatch(cars, threads=2)
    for entry in plan:
        for car, own, (_, vehicle) in zip(cars, controls, kits, strict=True):
            press(own, vehicle, *entry)
            car.set_pedals(own.pedals())
            car.tick()
            car.tick()
        batch.set_pedals([own.pedals() for own in controls])
        batch.advance(2 * cars[0].steps_per_tick)
    assert bare(batch) == [list(car.state) for car in cars]
    assert batch.wheel_rotations.tolist() == [list(car.wheel_rotations) for car in cars]


def test_driven_car_that_diverges_keeps_its_wheels_too():
    controls = Controls(*KITS[0])
    controls.set_cruising_speed(9.0)

    def driven(start, ticks):
        car = DrivenCar(*KITS[0], initial_pose=Pose2(start, 0.0, 0.0))
        car.set_pedals(controls.pedals())
        for _ in range(ticks):
            car.tick()
        return car

    def way(ticks):
        car = driven(0.0, ticks)
        return car.state[car.model.state_names.index('x')]

    # The first one comes to where positions end in the middle of the tick after the 50th.
    cars = [driven(POSITION_LIMIT - 0.5 * (way(50) + way(51)), 50), driven(0.0, 50)]
    batch = DrivenBatch(cars)
    batch.advance(cars[0].steps_per_tick)
    with pytest.raises(DivergenceError):
        cars[0].tick()
    cars[1].tick()
    assert batch.valid.tolist() == [False, True]
    assert batch.states.tolist() == [list(car.state) for car in cars]
    assert batch.wheel_rotations.tolist() == [list(car.wheel_rotations) for car in cars]


@given(mask=st.lists(st.booleans(), min_size=1, max_size=8))
@settings(max_examples=10, deadline=None)
def test_driven_cars_of_a_mask_start_anew(mask):
    kits = [KITS[i % len(KITS)] for i in range(len(mask))]
    controls = [Controls(*kit) for kit in kits]
    for own in controls:
        own.set_gear(1)
        own.set_throttle(0.6)
    batch, untouched = (DrivenBatch([DrivenCar(*kit) for kit in kits]) for _ in range(2))
    for each in (batch, untouched):
        each.set_pedals([own.pedals() for own in controls])
    before = batch.states
    for each in (batch, untouched):
        each.advance(60)
    first = batch.states, batch.wheel_rotations
    batch.reset(np.array(mask))
    np.testing.assert_array_equal(batch.states[mask], before[mask])
    for each in (batch, untouched):
        each.advance(60)
    for found, kept, anew in zip((batch.states, batch.wheel_rotations),
                                 (untouched.states, untouched.wheel_rotations), first,
                                 strict=True):
        np.testing.assert_array_equal(
            found, np.where(np.array(mask)[:, np.newaxis], anew, kept))


def test_driven_cars_of_different_steps_and_pedals_of_too_few_are_refused():
    with pytest.raises(ConfigurationError, match='expected one of each'):
        DrivenBatch([DrivenCar(*KITS[-1]), DrivenCar(*KITS[-1], step=5e-4)])
    batch = DrivenBatch([DrivenCar(*KITS[-1])] * 2)
    with pytest.raises(ConfigurationError, match='pedals for 1 cars, expected 2'):
        batch.set_pedals([Controls(*KITS[-1]).pedals()])


# Runs in a process of its own; prints the states as hexadecimal numbers.
PLAIN = """
import sys
if sys.argv[1] == 'plain':
    sys.modules['numba'] = None
sys.path.insert(0, sys.argv[2])
from test_car_batch import *
batch = RolloutBatch(MODELS[:5])
batch.command(np.linspace(-1.0, 3.0, 5), 0.3)
batch.advance(20)
cars = [DrivenCar(*KITS[i]) for i in (0, 1, 4)]
controls = Controls(*KITS[0])
controls.set_gear(1)
controls.set_throttle(0.7)
driven = DrivenBatch(cars)
driven.set_pedals([controls.pedals()] * 3)
driven.advance(20)
assert batch.valid.all() and driven.valid.all()
print([value.hex() for rows in (bare(batch), bare(driven), driven.wheel_rotations.tolist())
       for row in rows for value in row])
"""


def test_batches_without_the_compiler_give_the_same_bits():
    pytest.importorskip('numba')
    answers = [subprocess.run(
        [sys.executable, '-c', PLAIN, mode, str(Path(__file__).parent)], check=True, text=True,
        stdout=subprocess.PIPE, timeout=250,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(SOURCES), *sys.path])}).stdout
        for mode in ('compiled', 'plain')]
    assert answers[0] == answers[1]
    assert 'nan' not in answers[0]
