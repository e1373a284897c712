# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fits of cars that an integrator without code of the package has driven (benchmarks)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from presence import present
import pytest
from scripts import load_script

from racecar.dynamics.vehicles import VehicleParameters
from racecar.identification import identify as identify_module
from racecar.identification.drive import Channel, RawLog
from racecar.identification.estimation import fit, parts_of, Problem
from racecar.identification.identifiability import classify
from racecar.identification.identify import identify
from racecar.identification.prediction import share_of_wheelspin, WheelSensor
from racecar.identification.preparing import prepare
from racecar.identification.settling import settle
from racecar.identification.unknowns import prior, search_start, Stage, STAGES

ROOT = Path(__file__).parents[2]
F1TENTH = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'f1tenth.yaml')


CARS = load_script('benchmarks/independent_car.py')
CAR = {
    'steering_gain': 1.07, 'steering_offset': 0.013, 'steering_delay': 0.0537,
    'steering_lag': 0.0, 'front_cornering_stiffness': 82.0, 'rear_cornering_stiffness': 97.0,
    'friction_coefficient': 0.83, 'speed_delay': 0.031, 'speed_lag': 0.15, 'wheel_scale': 0.96}
SPINNING = {**CAR, 'slip_stiffness': 85.0, 'wheel_lag': 0.14, 'wheel_delay': 0.023,
            'speed_lag': 0.07}


def driven(truth, *, seed, duration, noise):
    """Drive of a car, and the share of its moving time in which the wheels really slip."""
    generator = np.random.default_rng(seed)
    columns = CARS.simulate(truth, *CARS.random_commands(
        generator, duration, slip='slip_stiffness' in truth))
    log = CARS.with_noise(columns, generator, noise)
    t = CARS.PERIOD * np.arange(columns['x'].size)
    return prepare(RawLog('car', {
        name: Channel(t, values) for name, values in log.items()}, 'car')), CARS.wheelspin(
            columns)


def fitted(drive, stage, free=None, **start):
    """Fit of a stage, from what is assumed of the car or, where only some are free, from CAR."""
    base = prior(F1TENTH) if free is None else {**prior(F1TENTH), **SPINNING}
    values = {name: search_start(F1TENTH)[name] for name in stage.unknowns}
    fixed = frozenset() if free is None else frozenset(stage.unknowns) - set(free)
    return fit(Problem(parts_of([drive]), stage, F1TENTH, base, fixed), {
        **{name: value for name, value in values.items() if name not in fixed}, **start},
        tolerance=1e-8)


@pytest.mark.parametrize(('delay', 'lag'), [(0.0537, 0.0), (0.0449, 0.0), (0.0312, 0.035)])
def test_delays_off_the_grid_and_steps_of_the_steering_bias_nothing(delay, lag):
    truth = {**CAR, 'steering_delay': delay, 'steering_lag': lag}
    drive, _ = driven(truth, seed=1, duration=16.0, noise=0.0)
    found = fitted(drive, STAGES['fiala']).values
    # Averaged over steps of 10 ms, commands came 0.4 to 0.9 ms too late, friction 1 % too small.
    assert found['steering_delay'] == pytest.approx(delay, abs=1e-4)
    assert found['steering_lag'] == pytest.approx(lag, abs=1e-4)
    for name in ('steering_gain', 'steering_offset', 'front_cornering_stiffness',
                 'rear_cornering_stiffness', 'friction_coefficient'):
        assert found[name] == pytest.approx(truth[name], rel=2e-3), name
    assert found['wheel_scale:car'] == pytest.approx(CAR['wheel_scale'], rel=2e-4)


def test_a_lag_beside_a_delay_is_kept_where_the_drive_refuses_to_go_without():
    truth = {**CAR, 'steering_delay': 0.0312, 'steering_lag': 0.045}
    drive, _ = driven(truth, seed=2, duration=24.0, noise=1.0)
    found = identify([drive], F1TENTH, leave_out=False)
    assert found.warnings == []
    for name in ('steering_delay', 'steering_lag', 'front_cornering_stiffness',
                 'rear_cornering_stiffness'):
        estimate = found.estimates[name]
        assert estimate.status.word == 'identified', name
        low, high = present(estimate.interval)
        # Three half widths: what is tested is not the luck of this noise.
        assert abs(truth[name] - estimate.value) < 1.5 * (high - low), name


def test_lag_and_delay_of_the_wheel_speed_are_exact_without_noise():
    drive, _ = driven(SPINNING, seed=3, duration=16.0, noise=0.0)
    sensor = 'slip_stiffness', 'wheel_lag', 'wheel_delay'
    found = fitted(drive, STAGES['combined'], sensor).values
    # A derivative that was smoothed beside a speed that was not: 6 to 13 ms too long.
    assert found['wheel_lag'] == pytest.approx(SPINNING['wheel_lag'], abs=0.002)
    assert found['wheel_delay'] == pytest.approx(SPINNING['wheel_delay'], abs=0.002)
    assert found['slip_stiffness'] == pytest.approx(SPINNING['slip_stiffness'], rel=0.01)


@pytest.fixture(scope='module')
def spinning():
    return driven(SPINNING, seed=4, duration=24.0, noise=1.0)


def test_wheelspin_is_seen_behind_the_lag_of_the_measured_speed(spinning):
    drive, share = spinning
    assert 0.08 < share < 0.16
    sensor = WheelSensor(*(SPINNING[f'wheel_{name}'] for name in ('scale', 'lag', 'delay')))
    assert share_of_wheelspin(drive, sensor) == pytest.approx(share, abs=0.03)
    assert share_of_wheelspin(drive, WheelSensor(SPINNING['wheel_scale'])) < 0.06
    found = identify([drive], F1TENTH, leave_out=False)
    assert found.kind == 'combined'
    assert found.wheelspin['car'] == pytest.approx(share, abs=0.03)
    assert found.warnings == []
    for name, near in (('friction_coefficient', 0.05), ('rear_cornering_stiffness', 0.05),
                       ('slip_stiffness', 0.1), ('wheel_lag', 0.05)):
        assert found.estimates[name].value == pytest.approx(SPINNING[name], rel=near), name


def test_errors_far_above_the_noise_are_a_warning(spinning, monkeypatch):
    drive, _ = spinning
    monkeypatch.setattr(identify_module, 'WHEELSPIN_SEEN', 1.0)
    missed = identify([drive], F1TENTH, leave_out=False)
    assert missed.kind == 'fiala'
    sentence, = missed.warnings
    assert 'times what the noise of the log explains' in sentence
    assert '--combined-slip' in sentence
    assert identify([drive], F1TENTH, leave_out=False, combined=True).kind == 'combined'


class Linear(Problem):
    """Residuals that are linear in two stiffnesses, of which drives tell little but the sum."""

    best = np.array([80.0, 90.0])
    generator = np.random.default_rng(0)
    design = generator.standard_normal((400, 2)) @ np.array([[1.0, 1.0], [0.0, 0.12]])
    noise = 0.2 * generator.standard_normal(400)
    blocks = np.repeat(np.arange(20), 20)

    def residuals(self, values, parts=None):
        at = np.array([values[name] for name in (
            'front_cornering_stiffness', 'rear_cornering_stiffness')])
        return self.design @ (at - self.best) / 37.4 + self.noise


def settled(front):
    """Fit of Linear with this assumed front stiffness, before and after settling."""
    car = replace(F1TENTH, front_cornering_stiffness=front, rear_cornering_stiffness=front * 1.1)
    stage = Stage('linear', 'linear', (
        'front_cornering_stiffness', 'rear_cornering_stiffness'), False, '')
    problem = Linear([], stage, car, prior(car))
    before = fit(problem, {'front_cornering_stiffness': 85.0, 'rear_cornering_stiffness': 85.0})
    return before, *settle(before, 10.0, lambda share, text: None)


def test_what_goes_together_with_something_held_inherits_its_doubt():
    before, after, _, dropped = settled(86.0)
    name, = dropped
    assert 'correlation' in dropped[name].reason
    other, = after.names
    # Alone it would seem to be known ten times as well.
    low, high = before.interval(other)
    assert after.interval(other)[0] <= low
    assert after.interval(other)[1] >= high
    assert after.deviation(other) < 0.3 * before.deviation(other)
    status = classify(after, other, None, 10.0, None)
    assert status.word == 'uncertain'
    assert name in status.reason


def test_what_the_drives_refuse_is_not_held():
    before, after, _, dropped = settled(110.0)
    assert dropped == {}
    assert after.names == before.names
    for name, best in zip(after.names, Linear.best, strict=True):
        assert after.values[name] == pytest.approx(best, abs=10.0)
        assert classify(after, name, None, 10.0, None).word != 'unidentifiable'
