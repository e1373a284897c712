# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A policy commands the same in an environment, in a simulated drive and over ROS."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip('gymnasium', reason='Gymnasium is not installed')

import racecar
from racecar.base.errors import RacecarError
from racecar.cli.main import main
from racecar.facade.race_file import make_race
from racecar.facade.race_run import drive_race
from racecar.gym import load_policy, multilayer, save_policy

RATE = 20.0
RULES: dict[str, Any] = {'end.contact': False, 'end.wrong_way': False}


def commands_in(env, file):
    """What a policy commands in an environment: (steps, 2)."""
    network = load_policy(file).network
    seen, _ = env.reset(seed=0, options={'poses': [[0.0, 0.0, 0.0]]})
    commands = []
    for _ in range(80):
        seen, *_ = env.step(network.answer(seen))
        reading = env.racing.batch.readings
        commands.append([reading['speed'][0, 0], reading['steering_angle'][0, 0]])
    return np.array(commands)


@pytest.fixture(scope='module')
def driven(tmp_path_factory):
    """File of a policy, and what it commands in an environment: (steps, 2)."""
    random = np.random.default_rng(0)
    env = racecar.make_env('racetrack', vehicle='f1tenth', fastest=3.0, contact='none',
                           observation=('velocity', 'command', 'frenet', 'line', 'lap'),
                           **RULES)
    inputs = env.observation_space.shape[0]
    file = save_policy(tmp_path_factory.mktemp('policy') / 'any.onnx', env, multilayer([
        (0.5 * random.normal(size=(inputs, 8)), random.normal(size=8)),
        (random.normal(size=(8, 2)), np.array([0.4, 0.0]))], last='tanh'))
    return file, commands_in(env, file)


def commands_of(run):
    return np.column_stack([run.table['speed_command'], run.table['steering_command']])


def test_commands_of_a_simulated_drive_are_those_in_the_environment(driven):
    file, expected = driven
    run = racecar.simulate(
        'kinematic_ode', controller=str(file), vehicle='f1tenth', waypoints='racetrack',
        duration=4.0, tyre_model='fiala', set={'single_track_simulator.rate': RATE})
    assert np.ptp(expected[:, 1]) > 0.05
    assert (commands_of(run)[:len(expected)] == expected).all()


@pytest.mark.ros
def test_commands_of_nodes_in_lockstep_are_those_in_the_environment(driven, tmp_path):
    file, expected = driven
    assert main([
        'up', 'kinematic_ode', '--policy', str(file), '--vehicle', 'f1tenth', '--waypoints',
        'racetrack', '--tyre-model', 'fiala', '--set', f'single_track_simulator.rate={RATE}',
        '--lockstep', '--real-time-factor', '0', '--duration', '4', '--csv',
        str(tmp_path / 'up.csv')]) == 0
    assert (commands_of(racecar.load(tmp_path / 'up.csv'))[:len(expected)] == expected).all()


LASER: dict[str, Any] = {
    'sensors': ['laser'], 'laser.rays': 30, 'laser.angle_min': -2.0, 'laser.angle_max': 2.0,
    'laser.range_min': 0.0, 'laser.range_max': 8.0, 'laser.noise': 0.0, 'laser.x': 0.2,
    'laser.z': 0.1, 'laser.rate': RATE, 'rate': RATE}


@pytest.fixture(scope='module')
def seeing(tmp_path_factory):
    """File of a policy that turns to where there is room, and its commands: (steps, 2)."""
    env = racecar.make_env(
        'racetrack', vehicle='f1tenth', fastest=3.0, contact='none', scan_noise=0.0, beams=30,
        field_of_view=4.0, range_max=8.0, laser_ahead=0.2, observation=('velocity', 'scan'),
        **RULES)
    weights = np.zeros((33, 2))
    weights[3:, 1] = np.linspace(-3.0, 3.0, 30)
    weights[17:20, 0] = 0.3
    file = save_policy(tmp_path_factory.mktemp('policy') / 'scan.onnx', env, multilayer([
        (weights, np.array([-0.6, 0.0]))], last='tanh'))
    return file, commands_in(env, file)


def simulated(file, **changed):
    """A drive by a policy that sees scans."""
    settings = {f'single_track_simulator.{name}': value
                for name, value in {**LASER, **changed}.items()}
    return racecar.simulate(
        'kinematic_ode', controller=str(file), vehicle='f1tenth', world='racetrack',
        duration=4.0, tyre_model='fiala',
        set={**settings, 'trajectory_tracker.reference_origin': 'map'})


def test_a_policy_that_sees_scans_commands_the_same_in_a_simulated_drive(seeing):
    file, expected = seeing
    run = simulated(file)
    assert np.ptp(expected[:, 1]) > 0.05
    assert np.ptp(expected[:, 0]) > 0.05
    found = commands_of(run)[:len(expected)]
    assert (found == expected).all()
    assert run.table['x'].max() > 3.0


def over_ros(file, path, **changed):
    """The same by nodes in lockstep."""
    settings = {f'single_track_simulator.{name}': value
                for name, value in {**LASER, **changed}.items()}
    assert main([
        'up', 'kinematic_ode', '--policy', str(file), '--vehicle', 'f1tenth', '--world',
        'racetrack', '--tyre-model', 'fiala', '--lockstep', '--real-time-factor', '0',
        '--duration', '4', '--csv', str(path), '--set', 'trajectory_tracker.reference_origin=map',
        *(f'--set={name}={"[laser]" if name.endswith("sensors") else value}'
          for name, value in settings.items())]) == 0
    return racecar.load(path)


@pytest.mark.ros
def test_a_policy_that_sees_scans_commands_the_same_by_nodes_in_lockstep(seeing, tmp_path):
    file, expected = seeing
    found = commands_of(over_ros(file, tmp_path / 'up.csv'))
    assert (found[:len(expected)] == expected).all()


@pytest.mark.ros
@pytest.mark.parametrize('changed', [
    {'laser.noise': 0.05, 'laser.seed': 7},
    # Scans come between two odometries, more than one for each, and more seldom.
    {'laser.noise': 0.05, 'rate': 100.0, 'laser.rate': 40.0},
    {'laser.noise': 0.05, 'rate': 20.0, 'laser.rate': 100.0},
    {'rate': 100.0, 'laser.rate': 20.0}], ids=['noise', '40 Hz', '100 Hz', '20 Hz'])
def test_scans_come_by_nodes_in_lockstep_as_in_a_simulated_drive(seeing, tmp_path, changed):
    file, expected = seeing
    run, found = simulated(file, **changed), over_ros(file, tmp_path / 'up.csv', **changed)
    assert (commands_of(found) == commands_of(run)).all()
    assert (found.table['x'] == run.table['x']).all()
    # Other scans than those without noise, or at other times.
    assert changed.get('rate', RATE) != RATE or (
        commands_of(found)[:len(expected)] != expected).any()


def test_a_policy_that_sees_scans_drives_in_sweeps_and_races(seeing):
    file, expected = seeing
    race = make_race({
        'format': 'time_trial', 'world': 'racetrack', 'time_limit': 4.0, 'heats': 1,
        'simulator': {name: value for name, value in LASER.items() if name != 'sensors'},
        'cars': [{'name': 'a', 'controller': str(file), 'vehicle': 'f1tenth'}]})
    trace = drive_race(race).heats[0].traces[0]
    assert np.hypot(*(trace[-1, 1:3] - trace[0, 1:3])) > 1.0


def test_other_scans_than_those_it_learned_with_are_refused(seeing):
    file, _ = seeing
    with pytest.raises(RacecarError, match='gets scans of 31 beams.*expected 30 from -2 to 2'):
        simulated(file, **{'laser.rays': 31})
    with pytest.raises(RacecarError, match='reads scans, but the car has no laser'):
        racecar.simulate('kinematic_ode', controller=str(file), duration=1.0)
