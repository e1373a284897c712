# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A policy commands the same in an environment, in a simulated drive and over ROS."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip('gymnasium', reason='Gymnasium is not installed')

import racecar
from racecar.base.errors import ConfigurationError
from racecar.cli.main import main
from racecar.gym import load_policy, multilayer, save_policy

RATE = 20.0
RULES: dict[str, Any] = {'end.contact': False, 'end.wrong_way': False}


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
    network = load_policy(file).network
    seen, _ = env.reset(seed=0, options={'poses': [[0.0, 0.0, 0.0]]})
    commands = []
    for _ in range(80):
        seen, *_ = env.step(network.answer(seen))
        reading = env.racing.batch.readings
        commands.append([reading['speed'][0, 0], reading['steering_angle'][0, 0]])
    return file, np.array(commands)


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


def test_policy_that_sees_a_laser_is_refused_with_what_it_sees(tmp_path):
    env = racecar.make_env('racetrack', vehicle='f1tenth', observation=('scan',), beams=4)
    file = save_policy(tmp_path / 'scan.onnx', env, multilayer([
        (np.zeros((4, 2)), np.zeros(2))]))
    with pytest.raises(ConfigurationError, match='sees a laser'):
        racecar.simulate('kinematic_ode', controller=str(file), waypoints='racetrack')
