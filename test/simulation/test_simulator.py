# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator: time, commands, limits, divergence, and equal bits with and without Numba."""

import dataclasses
import itertools
import json
import math
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

from compilation import plain
from covering import every_pair
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.vehicles import SingleTrack, VEHICLE_PARAMETERS, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.simulator import Simulator

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / 'src'
FOLDER = ROOT / 'config' / 'vehicles'
NAMES = ('racecar', 'report', 'course', 'f1tenth')
VEHICLES = {name: VehicleParameters.from_file(FOLDER / f'{name}.yaml') for name in NAMES}
TYRES = ('linear', 'fiala', 'fiala_unsaturated')
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS


def simulator(name='racecar', tyre_model='linear', formulation='full', threshold=0.1, **options):
    model = SingleTrack(VEHICLES[name], tyre_model, formulation, threshold)
    return Simulator(model, **options)


def from_file(name, **values):
    return make_simulator(TABLE.resolve(
        {**load_parameter_file(FOLDER / f'{name}.yaml', 'any_node'), **values}))


def ticks(sim, count):
    for _ in range(count):
        sim.tick()
    return sim


def test_time_is_an_integer_multiple_of_the_step():
    sim = simulator(step=0.0005, period=0.02)
    assert (sim.time_ns, sim.steps_per_tick) == (0, 40)
    ticks(sim, 12345)
    assert sim.time_ns == 12345 * 20_000_000
    assert sim.odometry().time_ns == sim.time_ns
    assert isinstance(sim.time_ns, int)


@pytest.mark.parametrize(
    ('step', 'rate', 'message'),
    [(0.001, 30.0, r'rate of 30 Hz: its period of 0\.033333333 s is not a whole number of '
      r'integration steps of 0\.001 s; choose 29\.4117647 or 30\.3030303 Hz, or a step'),
     (0.02, 100.0, r'rate of 100 Hz: its period of 0\.01 s.*steps of 0\.02 s; choose 50 Hz'),
     (1e-10, 100.0, r'step is 1e-10 s, expected a whole number of nanoseconds')])
def test_step_that_does_not_fit_the_rate_is_refused(step, rate, message):
    with pytest.raises(ConfigurationError, match=message):
        from_file('racecar', step=step, rate=rate)


@pytest.mark.parametrize('integrator', ['euler', 'rk4', 'dopri5'])
@pytest.mark.parametrize('name', NAMES)
def test_step_too_long_is_refused_and_the_step_named_would_do(name, integrator):
    options = {'threshold': 0.02, 'integrator': integrator, 'period': 0.1}
    with pytest.raises(ConfigurationError, match=r'fastest mode is .* 1/s') as refused:
        simulator(name, step=0.002, **options)
    step = float(present(re.search(r'a step of (\S+) s would do', str(refused.value))).group(1))
    assert step < 0.002
    sim = simulator(name, step=step, **options)
    sim.set_command(AckermannCommand(0.02, 0.1))
    assert abs(ticks(sim, 20).odometry().yaw_rate) < 0.02


def test_step_check_is_sharp():
    # The fastest mode of the report car at 0.04 m/s is 3304 1/s; RK4 ends at 2.785/3304 s.
    simulator('report', threshold=0.04, step=0.00084, period=0.0084)
    with pytest.raises(ConfigurationError, match=r"step 0\.00085 s is too long .*'report'"):
        simulator('report', threshold=0.04, step=0.00085, period=0.0085)


@pytest.mark.parametrize(
    ('asked', 'applied'),
    [((9.0, 0.1), (5.0, 0.1)), ((-9.0, 0.1), (-2.0, 0.1)), ((1.0, 2.0), (1.0, 1.0)),
     ((1.0, -2.0), (1.0, -1.0)), ((1.5, -0.3), (1.5, -0.3))])
def test_command_is_clamped_to_the_limits_of_the_vehicle(asked, applied):
    sim = simulator()
    sim.set_command(AckermannCommand(*asked))
    assert sim.command == applied
    assert sim.odometry().vx == applied[0]


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
def test_command_that_is_not_finite_is_refused_and_the_last_one_kept(bad):
    sim = simulator()
    sim.set_command(AckermannCommand(1.0, 0.2))
    for command in (AckermannCommand(bad, 0.0), AckermannCommand(0.0, bad)):
        with pytest.raises(ParameterError, match=r'command has speed .* expected finite numbers'):
            sim.set_command(command)
    assert sim.command == (1.0, 0.2)


def test_stop_holds_the_steering_angle():
    sim = simulator()
    sim.set_command(AckermannCommand(2.0, 0.2))
    ticks(sim, 50)
    sim.stop()
    assert sim.command == (0.0, 0.2)
    assert ticks(sim, 100).odometry()[5:] == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_reset_puts_the_car_at_rest_and_time_goes_on():
    sim = simulator(start=Start(Pose2(1.0, 2.0, 0.5)))
    sim.set_command(AckermannCommand(2.0, 0.2))
    ticks(sim, 50)
    sim.reset()
    odometry = sim.odometry()
    assert odometry.time_ns == 500_000_000
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((1.0, 2.0, 0.5))
    assert (*odometry[5:], *sim.command, *sim.wheel_rotations) == (0.0,) * 9
    sim.reset(Pose2(-3.0, 4.0, -2.0))
    odometry = sim.odometry()
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((-3.0, 4.0, -2.0))
    with pytest.raises(ParameterError, match='pose has x nan'):
        sim.reset(Pose2(math.nan, 0.0, 0.0))


def test_run_after_reset_repeats_the_first_to_the_bit():
    sim = simulator('report', 'fiala', 'report')
    runs = []
    for _ in range(2):
        sim.reset()
        sim.set_command(AckermannCommand(2.0, 0.1))
        runs.append(ticks(sim, 100).odometry()[1:])
    assert runs[0] == runs[1]


@pytest.mark.parametrize('actuators', [
    {}, {'actuators.steering_lag': 0.05, 'actuators.speed_delay': 0.007}])
def test_steps_in_one_call_equal_steps_in_several(actuators):
    whole, parts = (simulator(actuators=actuators) for _ in range(2))
    for i in range(20):
        for sim in (whole, parts):
            sim.set_command(AckermannCommand(1.0 + 0.1 * i, 0.02 * i))
        whole.advance(12)
        for steps in (1, 4, 7):
            parts.advance(steps)
    assert (whole.state, whole.inputs, whole.time_ns) == (parts.state, parts.inputs, parts.time_ns)
    assert whole.wheel_rotations == pytest.approx(parts.wheel_rotations, rel=1e-13)


def test_wheels_turn_with_the_distance_driven():
    sim = simulator()
    sim.set_command(AckermannCommand(2.0, 0.0))
    ticks(sim, 100)
    assert sim.wheel_rotations == pytest.approx((2.0 / 0.05,) * 4)
    assert sim.wheel_speeds == pytest.approx((2.0 / 0.05,) * 4)
    sim.set_command(AckermannCommand(-1.0, 0.0))
    assert ticks(sim, 100).wheel_rotations == pytest.approx((1.0 / 0.05,) * 4)


class SoonOutOfRange(SingleTrack):
    @property
    def state_limits(self):
        return (0.3, *super().state_limits[1:])


def test_state_out_of_range_is_an_error_with_the_last_good_one_and_the_simulator_stays_usable():
    sim = Simulator(SoonOutOfRange(VEHICLES['course'], 'fiala'))
    sim.set_command(AckermannCommand(-3.0, 0.6))
    states = []

    def spin():
        for _ in range(1000):
            states.append(sim.state)
            sim.tick()

    with pytest.raises(DivergenceError) as spun:
        spin()
    text = str(spun.value)
    for part in ("vehicle 'course'", 'last good state vy=', 'yaw_rate=', 'command speed=-3 m/s',
                 'steering_angle=0.6 rad', f'between {sim.time_ns * 1e-9:.6g} s', 'steer less'):
        assert part in text
    assert sim.state == states[-1]
    assert sim.time_ns == (len(states) - 1) * 10_000_000
    assert f'last good state vy={states[-1][0]:.6g}' in text
    sim.reset()
    sim.set_command(AckermannCommand(1.0, 0.1))
    assert ticks(sim, 100).odometry().yaw_rate > 0.0


def test_state_beyond_a_limit_or_not_a_number_is_told():
    sim = simulator()
    limit = sim.model.state_limits[1]
    for share in (1.001, -1.001, math.inf, math.nan):
        sim.state = (0.0, share * limit, 0.0, 0.0, 0.0)
        with pytest.raises(DivergenceError):
            sim.advance(0)
    for share in (0.999, -0.999):
        sim.state = (0.0, share * limit, 0.0, 0.0, 0.0)
        sim.advance(0)


def test_factory_follows_the_parameters():
    sim = from_file('report', tyre_model=1, formulation='report', integrator='dopri5',
                    step=0.0005, rate=200.0, initial_x=1.0, initial_y=2.0, initial_yaw=0.5)
    assert (sim.model.vehicle.name, sim.model.tyre.name) == ('report', 'fiala')
    assert (sim.model.formulation, sim.integrator) == ('report', 'dopri5')
    assert (sim.step_ns, sim.period_ns) == (500_000, 5_000_000)
    odometry = sim.odometry()
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((1.0, 2.0, 0.5))


@pytest.mark.parametrize('name', NAMES)
def test_every_vehicle_runs_with_the_defaults(name):
    sim = from_file(name)
    sim.set_command(AckermannCommand(1.0, 0.1))
    odometry = ticks(sim, 100).odometry()
    assert odometry.x > 0.5
    assert odometry.y > 0.0


@pytest.mark.parametrize(
    ('name', 'value', 'message'),
    [('tyre_model', 'rubber', "'tyre_model' is 'rubber', expected one of linear, fiala"),
     ('formulation', 'exact', "'formulation' is 'exact', expected one of full, report"),
     ('integrator', 'rk5', "'integrator' is 'rk5', expected one of euler, rk4, dopri5"),
     ('step', 0.0, r"'step' is 0\.0, expected a number in \(0, 1\] \[s\]"),
     ('vehicle_model', 'boat', "'vehicle_model' is 'boat', expected one of single_track"),
     ('tyre', 'linear', "'tyre' is unknown here; did you mean tyre_model")])
def test_bad_parameters_are_refused(name, value, message):
    with pytest.raises(ParameterError, match=message):
        from_file('racecar', **{name: value})


# Share of the ground's grip that steady cornering asks for; the rest is for the transients.
GRIP = 0.5


@pytest.mark.parametrize(
    ('name', 'tyre', 'formulation'),
    every_pair(NAMES, TYRES, ('full', 'report')))
@given(
    middle=st.floats(-0.5, 3.0), amplitude=st.floats(0.0, 2.0), frequency=st.floats(0.05, 0.5),
    start=st.floats(0.0, 2.0), sweep=st.floats(0.0, 3.0), share=st.floats(0.0, 1.0))
@settings(max_examples=12, deadline=None)
def test_car_stays_on_the_ground_for_speeds_through_zero_and_chirped_steering(
        name, tyre, formulation, middle, amplitude, frequency, start, sweep, share):
    sim = simulator(name, tyre, formulation)
    vehicle = VEHICLES[name]
    for i in range(300):
        time = i * 0.01
        speed = min(max(
            middle + amplitude * math.sin(math.tau * frequency * time), -2.0), 5.0)
        # ay = V^2 delta/(L + K V^2); in reverse K counts negative, so a car turns in more there.
        turn = vehicle.wheelbase + vehicle.understeer_gradient * speed * abs(speed)
        grip = GRIP * vehicle.friction_coefficient * 9.81 * turn / max(speed * speed, 0.01)
        limit = min(grip, 0.34)
        chirp = math.sin(math.tau * (start + 0.5 * sweep * time) * time)
        sim.set_command(AckermannCommand(speed, share * limit * chirp))
        sim.tick()
        assert abs(sim.diagnostics().vy) < 3.0
    assert all(math.isfinite(value) for value in (*sim.odometry(), *sim.diagnostics()))


@given(
    name=st.sampled_from(NAMES), tyre=st.sampled_from(TYRES),
    formulation=st.sampled_from(('full', 'report')),
    commands=st.lists(
        st.tuples(st.floats(-20.0, 20.0), st.floats(-2.0, 2.0)), min_size=1, max_size=30))
@settings(max_examples=150, deadline=None)
def test_any_command_gives_finite_numbers_or_a_divergence_error(name, tyre, formulation, commands):
    sim = simulator(name, tyre, formulation)
    for command in commands:
        sim.set_command(AckermannCommand(*command))
        try:
            ticks(sim, 10)
        except DivergenceError:
            sim.reset()
        assert all(math.isfinite(value) for value in (*sim.odometry(), *sim.diagnostics()))


# Runs in a process of its own; prints the trajectories as hexadecimal numbers.
TRAJECTORIES = """
import json, math, sys
if sys.argv[1] == 'plain':
    sys.modules['numba'] = None
from racecar.base.compiled import has_compiler
from racecar.simulation.simulator import Simulator
from racecar.base.types import AckermannCommand
from racecar.dynamics.vehicles import SingleTrack, VehicleParameters
vehicle = VehicleParameters(**json.loads(sys.argv[2]))
result = {'compiled': has_compiler()}
kernels = []
for tyre, formulation, integrator in json.loads(sys.argv[3]):
    model = SingleTrack(vehicle, tyre, formulation)
    sim = Simulator(model, integrator=integrator)
    numbers = []
    for i in range(40):
        speed = 1.5 * math.sin(0.3 * i)
        sim.set_command(AckermannCommand.in_single_precision(speed, 0.2 * math.cos(0.2 * i)))
        sim.tick()
        numbers += [*sim.state, *sim.odometry()[1:], *sim.diagnostics()]
    result[f'{tyre} {formulation} {integrator}'] = [float(value).hex() for value in numbers]
    own = sim.car.kernels
    kernels += [own.tick, own.observe, own.diagnose, model.derivative, model.diagnose]
if has_compiler():
    result['hits'] = sum(sum(k.stats.cache_hits.values()) for k in kernels)
    result['misses'] = sum(sum(k.stats.cache_misses.values()) for k in kernels)
print(json.dumps(result))
"""


def trajectories(mode, cases, sources=SOURCES, **environment):
    arguments = [json.dumps(dataclasses.asdict(VEHICLES['racecar'])), json.dumps(cases)]
    done = subprocess.run(
        [sys.executable, '-c', TRAJECTORIES, mode, *arguments], check=True, text=True,
        stdout=subprocess.PIPE, timeout=250,
        env={**os.environ, 'PYTHONPATH': str(sources), 'PYTHONDONTWRITEBYTECODE': '1',
             **environment})
    return json.loads(done.stdout)


def test_compiled_and_plain_python_give_the_same_bits():
    pytest.importorskip('numba')
    cases = [
        *itertools.product(TYRES, ('full', 'report'), ('rk4',)), ('linear', 'full', 'euler'),
        ('linear', 'full', 'dopri5')]
    compiled, plain = trajectories('compiled', cases), trajectories('plain', cases)
    assert compiled.pop('compiled')
    assert not plain.pop('compiled')
    for name, numbers in plain.items():
        assert len(numbers) == 40 * 26
        assert compiled[name] == numbers, name


@pytest.mark.parametrize('formulation', ['full', 'report'])
def test_kernels_agree_with_their_python_source_to_the_bit(formulation):
    if not has_compiler():
        pytest.skip('Numba is not installed, or switched off')
    model = SingleTrack(VEHICLES['racecar'], 'fiala', formulation)
    state, inputs = np.asarray(model.parameters[:5]) * 0.1, model.parameters[2:4]
    for kernel in (model.derivative, model.observe, model.diagnose):
        arguments = state, inputs, model.parameters
        assert kernel(*arguments) == tuple(plain(kernel)(*arguments))


def test_second_process_finds_the_kernels_compiled_and_notices_changed_sources(tmp_path):
    pytest.importorskip('numba')
    sources = tmp_path / 'src'
    shutil.copytree(SOURCES / 'racecar', sources / 'racecar',
                    ignore=shutil.ignore_patterns('__pycache__'))
    cases = [('linear', 'full', 'rk4')]
    first, second = (trajectories('compiled', cases, sources) for _ in range(2))
    assert first['misses'] > 0
    assert (second['hits'], second['misses']) == (first['misses'] + first['hits'], 0)
    assert second['linear full rk4'] == first['linear full rk4']
    tyre = sources / 'racecar' / 'dynamics' / 'tyres' / 'linear.py'
    text = tyre.read_text()
    softer = text.replace('return -arctangent', 'return -0.5 * arctangent')
    assert softer != text
    tyre.write_text(softer)
    third = trajectories('compiled', cases, sources)
    assert third['misses'] == first['misses']
    assert third['linear full rk4'] != first['linear full rk4']
