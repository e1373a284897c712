# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Observations with the picture of a camera."""

import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium', reason='Gymnasium is not installed')
pytest.importorskip('mujoco', reason='MuJoCo, which draws pictures, is not installed')

from gymnasium.utils.env_checker import check_env  # noqa: E402

from racecar.base.errors import ConfigurationError, RenderingError  # noqa: E402
import racecar.gym  # noqa: E402

OPTIONS = {'vehicle': 'f1tenth', 'step': 0.005, 'low_speed_threshold': 0.5, 'contact': 'stop',
           'camera.width': 32, 'camera.height': 24}


def made(**options):
    """An environment that draws, or a skip where there is no OpenGL."""
    env = racecar.make_env('racetrack', **{**OPTIONS, **options})
    try:
        env.reset(seed=5)
    except (ConfigurationError, RenderingError) as error:
        pytest.skip(f'no pictures here: {error}')
    return env


def test_a_picture_stands_beside_the_numbers_and_the_checker_finds_nothing():
    env = made(observation=('velocity', 'camera'))
    check_env(env, skip_render_check=True)
    first, _ = env.reset(seed=5)
    assert env.observation_space.contains(first)
    assert sorted(first) == ['camera', 'numbers']
    assert first['camera'].shape == (24, 32, 3)
    assert first['numbers'].shape == (3,)
    # Walls before the horizon and a sky above it: not one colour.
    assert first['camera'].std() > 5.0
    for _ in range(5):
        seen, *_ = env.step(np.array([0.5, 0.5], np.float32))
    assert (seen['camera'] != first['camera']).any()
    again, _ = env.reset(seed=5)
    assert (again['camera'] == first['camera']).all()
    with pytest.raises(ConfigurationError, match='camera'):
        racecar.gym.save_policy('unused.onnx', env, b'')
    env.close()


def test_worlds_of_a_vector_see_what_single_ones_see():
    worlds = made(observation=('camera',), worlds=3, autoreset_mode='same_step', time_limit=0.1)
    single = made(observation=('camera',))
    seen, _ = worlds.reset(seed=7)
    assert worlds.observation_space.contains(seen)
    alone, _ = single.reset(seed=8)
    assert (seen[1] == alone).all()
    assert (seen[0] != seen[1]).any()
    actions = np.full((3, 2), 0.3, np.float32)
    worlds.step(actions)
    single.step(actions[1])
    seen, *_, info = worlds.step(actions)
    alone, *_ = single.step(actions[1])
    # The last picture of the episode, and the first one of the next.
    assert info['_final_obs'].all()
    assert (info['final_obs'][1] == alone).all()
    assert (seen[1] != alone).any()
    worlds.close()
    single.close()


def test_each_car_looks_ahead_of_itself():
    pytest.importorskip('pettingzoo', reason='PettingZoo is not installed')
    env = made(observation=('camera',), parallel=True, cars=2, start='grid', start_spacing=1.0,
               start_offset=0.0)
    seen, _ = env.reset(seed=1)
    # The car behind sees the one ahead of it, which is bluish on pale walls and ground.
    ahead, behind = (seen[f'car_{k}'].astype(int) for k in range(2))
    blue = [(picture[..., 2] - picture[..., 0]).max() for picture in (ahead, behind)]
    assert blue[1] > blue[0] + 40
    env.close()


def test_unknown_parts_and_sizes_are_refused():
    for observation, text in ((('camera', 'camera'), 'twice'), (('camera', 'scann'), 'scan')):
        with pytest.raises(ConfigurationError, match=text):
            racecar.make_env('racetrack', observation=observation)
