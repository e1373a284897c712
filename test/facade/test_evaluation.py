# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.evaluate(): episodes of environments on any cores, held against environments by hand."""

from typing import Any

import numpy as np
import pytest

import racecar
from racecar.base.errors import ConfigurationError
from racecar.facade.evaluation import EvaluationTask, UNITS
from racecar.facade.local_workers import local_scheduler

pytest.importorskip('gymnasium', reason='Gymnasium is not installed')

OPTIONS: dict[str, Any] = {'vehicle': 'f1tenth', 'step': 0.005, 'low_speed_threshold': 0.5,
                           'time_limit': 3.0}


def straight(observations):
    """Half the speed, and a steering that depends on where the car is."""
    return np.column_stack([np.full(len(observations), 0.2), observations[:, 5]])


@pytest.fixture(scope='module')
def policy(tmp_path_factory):
    """A file of a network with weights at random."""
    from racecar.gym import multilayer, save_policy

    env = racecar.make_env('racetrack', **OPTIONS)
    numbers = np.random.default_rng(3)
    size = env.observation_space.shape[0]
    return save_policy(tmp_path_factory.mktemp('policy') / 'driver.onnx', env, multilayer(
        [(numbers.normal(0.0, 0.3, (size, 8)), np.zeros(8)),
         (numbers.normal(0.0, 0.3, (8, 2)), np.array([0.1, 0.0]))], 'tanh'))


def test_episodes_are_those_of_environments_with_their_seeds():
    found = racecar.evaluate(straight, ['racetrack', 'berlin'], episodes=5, seed=7, **OPTIONS)
    for episode in range(5):
        env = racecar.make_env(['racetrack', 'berlin'][episode % 2], **OPTIONS)
        seen, _ = env.reset(seed=7 + episode)
        total, steps, hit, over = 0.0, 0, 0, False
        while not over:
            seen, reward, ended, truncated, info = env.step(straight(seen[None])[0])
            total, steps, hit = total + reward, steps + 1, hit + (info['contact'] > 0.0)
            over = ended or truncated
        row = {name: values[episode] for name, values in found.columns().items()}
        assert row['seed'] == 7 + episode
        assert row['return'] == total
        assert row['duration'] == steps / 20.0
        assert row['driven'] == info['driven']
        assert row['contact'] == hit
        assert row['truncated'] == (not ended)


def test_episodes_of_any_chunk_are_those_of_the_whole(policy):
    task = EvaluationTask(str(policy), {'track': 'generated', 'track_count': 3, **OPTIONS}, 2)
    whole = task.run(0, 8, 2)
    for first, count in ((0, 3), (3, 1), (4, 4)):
        part = task.run(first, count, 1)
        for name in UNITS:
            np.testing.assert_array_equal(
                part.columns[name], whole.columns[name][first:first + count])


def test_workers_give_what_this_process_gives(policy):
    pytest.importorskip('distributed')
    here = racecar.evaluate(policy, episodes=40, **OPTIONS)
    with local_scheduler(2) as address:
        there = racecar.evaluate(policy, episodes=40, scheduler=address, **OPTIONS)
    assert repr(there.columns()) == repr(here.columns())
    assert there.provenance == here.provenance
    assert str(policy) in str(here.provenance['files'])
    assert ('episodes', '40', '') in here.as_rows()


@pytest.mark.parametrize(('given', 'message'), [
    ({'episodes': 0}, 'episodes is 0, expected a whole number of at least 1'),
    ({'seed': -1}, 'seed is -1, expected'),
    ({'policy': 3}, 'policy is 3, expected an ONNX file or a function'),
    ({'policy': 'nowhere.onnx'}, 'nowhere.onnx'),
    ({'policy': lambda seen: np.zeros(2)}, r'shape \(2,\), expected \(\d+, 2\)'),
    ({'rate': 10.0}, 'made for another environment: its rate is 20.*here it is 10'),
    ({'trakc': 1}, 'no option .*trakc'),
])
def test_bad_input_is_refused_in_one_line(policy, given, message):
    with pytest.raises(racecar.RacecarError, match=message) as info:
        racecar.evaluate(**{'policy': policy, 'episodes': 2, **OPTIONS, **given})
    assert isinstance(info.value, ConfigurationError)
    assert '\n' not in str(info.value)
