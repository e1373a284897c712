# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Environments held against the checkers of Gymnasium and PettingZoo, and against each other."""

import math
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium', reason='Gymnasium is not installed')

from gymnasium.utils.env_checker import check_env  # noqa: E402

from racecar.base.errors import ParameterError, RacecarError  # noqa: E402
from racecar.base.readings import LaserScan  # noqa: E402
from racecar.control.gap_following import GAP_PARAMETERS, GapFollower  # noqa: E402
import racecar.gym  # noqa: E402

OPTIONS: dict[str, Any] = {'vehicle': 'f1tenth', 'step': 0.005, 'low_speed_threshold': 0.5,
                           'observation': ('scan', 'velocity', 'frenet', 'line'), 'beams': 12,
                           'contact': 'stop'}
ACTIONS = np.random.default_rng(2).uniform(-1.0, 1.0, (80, 64, 2)).astype(np.float32)


def trace(worlds, steps=60, **options):
    """Observations, rewards and ends of a vector that is driven by ACTIONS."""
    env = racecar.make_env(worlds=worlds, **{**OPTIONS, **options})
    seen, _ = env.reset(seed=11)
    found = [seen.copy()]
    for actions in ACTIONS[:steps, np.arange(worlds) % ACTIONS.shape[1]]:
        seen, rewards, ended, truncated, _ = env.step(actions)
        found.append(np.column_stack([seen, rewards, ended, truncated]))
    return found


def same(one, other, worlds):
    """Whether two traces have the same bits in the first worlds."""
    return all((a[:worlds] == b[:worlds]).all() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize('name', ['Race-v0', 'RaceScan-v0'])
def test_checker_of_gymnasium_finds_nothing(name, recwarn):
    env = gymnasium.make(f'racecar/{name}', vehicle='f1tenth', render_mode='rgb_array',
                         disable_env_checker=True)
    check_env(env.unwrapped)
    ours = [str(warning.message) for warning in recwarn if 'gymnasium' in str(
        warning.filename) and 'alternative render modes' not in str(warning.message)]
    assert ours == []
    assert env.unwrapped.render().shape[2] == 3


def test_worlds_have_the_same_bits_however_many_there_are_and_on_any_threads():
    few, more = trace(7, threads=1), trace(4096, threads=2)
    assert same(few, more, 7)
    env = racecar.make_env(**OPTIONS)
    seen, _ = env.reset(seed=13)
    assert (seen == few[0][2]).all()
    for actions, expected in zip(ACTIONS, few[1:], strict=False):
        seen, reward, ended, truncated, _ = env.step(actions[2])
        assert (np.concatenate([seen, [reward, ended, truncated]]).astype(float)
                == expected[2]).all()
        if ended:
            break
    assert ended


def test_worlds_do_not_depend_on_when_others_are_reset():
    plain, env = trace(4, 30), racecar.make_env(worlds=4, **OPTIONS)
    seen, _ = env.reset(seed=11)
    for k, actions in enumerate(ACTIONS[:30, :4]):
        if k in (5, 17):
            seen, _ = env.reset(options={'reset_mask': np.array([True, False, False, True])})
        seen, rewards, ended, truncated, _ = env.step(actions)
        assert (np.column_stack([seen, rewards, ended, truncated])[1:3] == plain[k + 1][1:3]).all()


def test_the_order_of_resets_makes_no_difference():
    def resets(order, threads):
        env = racecar.make_env(worlds=7, threads=threads, autoreset_mode='disabled', **OPTIONS)
        env.reset(seed=11)
        for world in order:
            env.step(ACTIONS[0, :7])
            env.reset(options={'reset_mask': np.arange(7) == world})
        env.reset(options={'reset_mask': np.arange(7) >= 0})
        return [env.step(actions)[0].copy() for actions in ACTIONS[:10, :7]]

    assert same(resets(range(7), 1), resets((4, 0, 6, 2, 5, 1, 3), 2), 7)


def test_autoreset_modes_are_those_of_gymnasium():
    found = {mode: racecar.make_env(worlds=8, autoreset_mode=mode, **OPTIONS)
             for mode in ('next_step', 'same_step', 'disabled')}
    for env in found.values():
        env.reset(seed=11)
    for actions in ACTIONS[:, :8]:
        steps = {mode: env.step(actions) for mode, env in found.items()}
        ended = steps['next_step'][2]
        if ended.any():
            break
    world = int(np.argmax(ended))
    final = steps['same_step'][4]
    assert final['_final_obs'][world]
    assert (final['final_obs'][world] == steps['next_step'][0][world]).all()
    assert final['final_info']['contact'][world] > 0.0
    # The first observation of the next episode: at once, or with the next step.
    seen, rewards, after, _, _ = found['next_step'].step(ACTIONS[0, :8])
    assert (seen[world] == steps['same_step'][0][world]).all()
    assert rewards[world] == 0.0
    assert not after[world]
    with pytest.raises(RacecarError, match=f'world {world} has ended its episode'):
        found['disabled'].step(ACTIONS[0, :8])
    seen, _ = found['disabled'].reset(options={'reset_mask': ended})
    assert (seen[world] == steps['same_step'][0][world]).all()


def test_parallel_environment_passes_the_checks_of_pettingzoo():
    pytest.importorskip('pettingzoo', reason='PettingZoo is not installed')
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    def make():
        return racecar.make_env(parallel=True, **{**OPTIONS, 'cars': 3})

    parallel_api_test(make(), num_cycles=80)
    parallel_seed_test(make, num_cycles=40)


def test_rewards_are_what_their_weights_say():
    weights = {'progress': 2.0, 'speed': 0.5, 'time': -1.0, 'steering': -3.0}
    env = racecar.make_env(**{**OPTIONS, 'reward': weights, 'observation': ('velocity', 'lap')},
                           scaled=False)
    before, _ = env.reset(seed=1)
    steering = 0.0
    for k in range(20):
        angle = 0.2 * math.sin(k)
        after, reward, *_ = env.step(np.array([3.0, angle]))
        angle = float(np.float32(angle))
        expected = (2.0 * (after[4] - before[4]) + 0.5 * 0.05 * 0.5 * (after[0] + before[0])
                    - 0.05 - 3.0 * (angle - steering) ** 2)
        assert reward == pytest.approx(expected, abs=1e-5)
        before, steering = after, angle


def test_functions_of_the_user_take_the_place_of_rewards_and_ends():
    def reward(before, after, guide, weights):
        return after.motion.vx - guide.speed

    def ended(view, rules):
        return view.time > 0.22

    env = racecar.make_env(**{**OPTIONS, 'reward': reward, 'ended': ended,
                              'observation': ('velocity',)}, scaled=False)
    env.reset(seed=1)
    for k in range(5):
        seen, value, over, _, _ = env.step(np.array([2.0, 0.0]))
        # The follower is asked before the period.
        assert 0.5 < seen[0] - value <= 6.0
        assert over == (k == 4)


def test_actions_of_acceleration_and_rate_move_the_command():
    env = racecar.make_env(**{**OPTIONS, 'observation': ('command',)}, scaled=False,
                           longitudinal='acceleration', steering='rate', acceleration_max=4.0)
    env.reset(seed=1)
    for _ in range(4):
        seen, *_ = env.step(np.array([9.0, 1.0]))
    # Four periods of 0.05 s at the largest acceleration.
    assert seen == pytest.approx([0.8, 0.2], abs=1e-6)


def test_randomised_cars_differ_from_episode_to_episode_and_not_from_seed_to_seed():
    options = {**OPTIONS, 'observation': ('velocity',), 'randomise': {
        'vehicle.mass': (2.0, 6.0), 'vehicle.friction_coefficient': ('normal', 0.5, 0.1)}}

    def drive(env, **reset):
        env.reset(options={'poses': [[0.0, 0.0, 0.0]]}, **reset)
        return np.array([env.step(np.array([1.0, 1.0]))[0] for _ in range(8)])

    env = racecar.make_env(**options)
    first, second = drive(env, seed=3), drive(env)
    assert not np.allclose(first, second)
    assert (drive(env, seed=3) == first).all()


@pytest.mark.parametrize('actuators', [{}, {'actuators.speed_lag': 0.3}])
def test_starts_are_drawn_from_distributions(actuators):
    options = {**OPTIONS, **actuators, 'observation': ('velocity', 'frenet', 'lap', 'command'),
               'randomise': {'start.speed': (1.0, 3.0), 'start.way': (5.0, 6.0),
                             'start.offset': ('normal', 0.1, 0.05), 'start.heading': 0.2}}
    env = racecar.make_env(worlds=200, scaled=False, **options)
    seen, _ = env.reset(seed=4)
    speed, _, _, offset, heading, way, _, _, command, _ = seen.T
    assert 1.0 < speed.min() < 1.1
    assert 2.9 < speed.max() < 3.0
    assert (speed == command).all()
    assert offset.mean() == pytest.approx(0.1, abs=0.02)
    assert offset.std() == pytest.approx(0.05, abs=0.01)
    assert heading == pytest.approx(0.2, abs=0.02)
    assert 5.0 <= way.min() < 5.1
    assert 5.9 < way.max() <= 6.0
    assert len(set(speed.tolist())) == 200
    # Under the same command it goes on as fast, without a moment at rest.
    after, *_ = env.step(np.column_stack([speed, np.zeros(200)]))
    assert after[:, 0] == pytest.approx(speed, abs=1e-6)
    assert after[:, 6] == pytest.approx(0.05 * speed, rel=0.1)
    again, _ = racecar.make_env(scaled=False, **options).reset(seed=104)
    assert (again == seen[100]).all()


def test_starts_that_cannot_be_are_refused():
    with pytest.raises(RacecarError, match='draws 0 to 99 m/s'):
        racecar.make_env(**OPTIONS, randomise={'start.speed': (0.0, 99.0)})
    with pytest.raises(RacecarError, match='start.speed'):
        racecar.make_env(**OPTIONS, randomise={'start.sped': 1.0})
    env = racecar.make_env(**{**OPTIONS, 'vehicle_model': 'double_track', 'step': 0.0025},
                           randomise={'start.speed': 1.0})
    with pytest.raises(RacecarError, match='whose speed is its input'):
        env.reset(seed=1)


def test_delays_of_the_actuators_differ_from_episode_to_episode():
    def commands_of(seed, worlds=6):
        env = racecar.make_env(
            'racetrack', worlds=worlds, vehicle='f1tenth', contact='none', start_offset=0.0,
            randomise={'actuators.steering_delay': (0.0, 0.09)})
        env.reset(seed=seed)
        found = []
        for _ in range(3):
            env.step(np.tile([0.0, 1.0], (worlds, 1)))
            found.append(env.racing.batch.readings['steering_angle'][:, 0].copy())
        return np.array(found)

    angles = commands_of(3)
    full = angles[2, 0]
    # With delays of up to 90 ms some have steered after 50 ms, others have not, all after 100 ms.
    assert full > 0.1
    assert set(angles[0]) == {0.0, full}
    assert (angles[1:] == full).all()
    assert (angles[:, 1:] == commands_of(4, 5)).all()
    assert (angles[0] != commands_of(11)[0]).any()


def test_delays_that_cannot_be_are_refused_before_anything_is_made():
    with pytest.raises(ParameterError, match='steering_delay'):
        racecar.make_env(randomise={'actuators.steering_delay': ('normal', 0.01, 0.01)})


def test_opponents_follow_the_line():
    env = racecar.make_env(**{**OPTIONS, 'observation': ('velocity',)}, cars=2, time_limit=30.0,
                           start_spacing=20.0)
    env.reset(seed=1)
    for _ in range(300):
        env.step(np.array([-1.0, 0.0]))
        reading = env.racing.batch.readings
        if reading['hit_cars'][0, 1] > 0.0:
            break
        assert abs(reading['offset'][0, 1]) < 0.5
    assert reading['driven'][0, 1] > 30.0


def test_who_opposes_is_drawn_for_each_episode():
    def driven(worlds, episodes=1):
        env = racecar.make_env(
            worlds=worlds, **{**OPTIONS, 'observation': ('velocity',)}, cars=3, start_spacing=10.0,
            randomise={'opponents': ['follower', 'standing', 'follower']})
        env.reset(seed=5)
        for _ in range(episodes - 1):
            env.reset()
        for _ in range(20):
            env.step(np.tile([-1.0, 0.0], (worlds, 1)))
        return env.racing.batch.readings['driven'][:, 1:].copy()

    found = driven(200)
    # Two of three follow, each car by itself.
    assert (found > 0.5).mean() == pytest.approx(2.0 / 3.0, abs=0.08)
    assert ((found > 0.5) | (found == 0.0)).all()
    assert ((found[:, 0] > 0.5) != (found[:, 1] > 0.5)).mean() == pytest.approx(4 / 9, abs=0.1)
    assert (driven(7) == found[:7]).all()
    assert ((driven(7, 2) > 0.5) != (found[:7] > 0.5)).any()


def test_noise_of_scans_is_drawn_for_each_car_and_episode():
    options = {**OPTIONS, 'observation': ('scan',), 'scaled': False, 'range_max': 30.0}
    drawn = {'scan_noise': (0.01, 0.2)}
    true = racecar.make_env(worlds=100, **options, scan_noise=0.0)
    noisy = racecar.make_env(worlds=100, **options, randomise=drawn)
    ranges, _ = true.reset(seed=2)
    seen, _ = noisy.reset(seed=2)
    deviations = (seen - ranges).std(axis=1)
    assert deviations.min() == pytest.approx(0.01, abs=0.01)
    assert deviations.max() == pytest.approx(0.2, abs=0.03)
    assert deviations.mean() == pytest.approx(0.105, abs=0.02)
    few, _ = racecar.make_env(worlds=3, **options, randomise=drawn).reset(seed=2)
    assert (few == seen[:3]).all()
    again, _ = noisy.reset()
    assert np.abs((again - true.reset()[0]).std(axis=1) - deviations).max() > 0.05


def test_gap_followers_drive_by_their_lasers_as_the_law_says():
    env = racecar.make_env(**{**OPTIONS, 'observation': ('velocity',), 'beams': 109}, cars=2,
                           opponents='gap', scan_noise=0.0, start_spacing=20.0)
    env.reset(seed=1)
    law = GapFollower(GAP_PARAMETERS.resolve({}), env.options.vehicle)
    half = 0.5 * 4.7
    reading = env.racing.batch.readings
    for _ in range(200):
        expected = law.command(LaserScan(
            -half, half, 4.7 / 108, 0.0, 0.05, 0.0, 10.0, reading.scans[0, 1].copy()))
        env.step(np.array([-1.0, 0.0]))
        assert (reading['speed'][0, 1], reading['steering_angle'][0, 1]) == expected
    assert reading['driven'][0, 1] > 12.0
    assert reading['contacts'][0, 1] == 0.0


@pytest.mark.parametrize(('options', 'said'), [
    ({'beems': 3}, 'no option .beems.'), ({'observation': 'scan'}, 'expected a list of parts'),
    ({'reward': 'progres'}, 'no reward'), ({'reward': {'progres': 1.0}}, 'progres'),
    ({'randomise': {'vehicle.mas': (1, 2)}}, 'vehicle.mass'),
    ({'randomise': {'vehicle.mass': (3, 2)}}, 'in this order'),
    ({'randomise': {'vehicle.mass': (0.0, 2.0)}}, 'draws 0: parameter .vehicle.mass. is 0'),
    ({'randomise': {'vehicle.friction_coefficient': ('normal', 0.9, 0.4)}}, 'draws -0.3'),
    ({'worlds': 1.5}, 'is 1.5, expected an integer'), ({'worlds': True}, 'is True'),
    ({'slowest': 9.0}, 'expected a range'), ({'track': 'nowhere'}, 'nowhere'),
    ({'opponents': ['follower']}, 'a list of 0'), ({'render_mode': 'ansi'}, 'RecordVideo'),
    ({'worlds': 0}, 'expected an integer in .1, inf'),
    ({'parallel': True, 'worlds': 2}, 'one of the two'),
    ({'worlds': 2, 'autoreset_mode': 'never'}, 'NEXT_STEP'),
    ({'reward': lambda before: 0.0}, 'a function of 4 arguments'),
    ({'reward': lambda before, after, guide, weights: str(after).title()}, 'be compiled'),
])
def test_errors_name_what_was_expected(options, said):
    with pytest.raises(RacecarError, match=said):
        racecar.make_env(**{**OPTIONS, **options})


@pytest.mark.parametrize('kind', [{'worlds': 2}, {'parallel': True, 'cars': 2}])
def test_resets_refuse_seeds_that_there_are_not(kind):
    env = racecar.make_env(**OPTIONS, **kind)
    for seed in (-1, 1.5, True):
        with pytest.raises(RacecarError, match='seed.* is .*, expected an integer'):
            env.reset(seed=seed)


FURNISHED: dict[str, Any] = {
    'friction_zones': [
        {'way': (0.0, 40.0), 'offset': (-0.5, 0.5), 'radius': (0.5, 2.0),
         'factor': ('normal', 0.4, 0.1)},
        {'points': [[0.0, -9.0], [9.0, -9.0], [9.0, 9.0]], 'factor': 0.7}],
    'moving': [{'radius': 0.2, 'area': [-6.0, -3.0, 6.0, 3.0], 'speed': [0.3, 1.0], 'seed': 2},
               {'length': 0.5, 'width': 0.3, 'path': [[0.0, 0.0, -4.0], [9.0, 0.0, 4.0]]}],
    'randomise': {'moving.begin': (0.0, 200.0), 'vehicle.mass': (3.0, 4.0)}}


def test_zones_and_moving_things_have_the_same_bits_in_any_worlds_threads_and_order():
    few, more, alone = (trace(worlds, **FURNISHED, threads=threads)
                        for worlds, threads in ((7, 1), (64, 2), (1, 1)))
    assert same(few, more, 7)
    assert same(few, alone, 1)
    assert not same(few, trace(7, **{**FURNISHED, 'moving': None, 'randomise': {
        'vehicle.mass': (3.0, 4.0)}}), 7)
    assert not same(few, trace(7, **{**FURNISHED, 'friction_zones': None}), 7)
    # World 3 of a vector, and an environment that begins anew in between.
    env = racecar.make_env(**{**OPTIONS, **FURNISHED})
    env.reset(seed=14)
    zones = env.racing.batch.drawn_zones(0)
    env.step(ACTIONS[0, 0])
    env.reset()
    assert (zones != env.racing.batch.drawn_zones(0)).all()
    seen, _ = env.reset(seed=14)
    assert (env.racing.batch.drawn_zones(0) == zones).all()
    for tick, actions in enumerate(ACTIONS[:20]):
        assert (seen == few[tick][3][:len(seen)]).all()
        seen, _, ended, _, _ = env.step(actions[3])
        if ended:
            break
    assert tick > 3


def test_a_thing_that_moves_ends_an_episode_and_is_seen_in_pictures():
    options = {**OPTIONS, 'track': 'racetrack', 'start': 'grid', 'start_offset': 0.0}
    env = racecar.make_env(**options, render_mode='rgb_array')
    env.reset(seed=1)
    x, y, yaw = (float(env.racing.batch.readings[name][0, 0]) for name in ('x', 'y', 'yaw'))
    plain = env.render()
    ahead = [[x + way * math.cos(yaw), y + way * math.sin(yaw)] for way in (3.0, -1.0)]
    met = racecar.make_env(**options, render_mode='rgb_array', moving=[
        {'radius': 0.15, 'path': [[0.0, *ahead[0]], [2.0, *ahead[1]]]}])
    met.reset(seed=1)
    assert (met.render() != plain).any()
    stand, steps = np.array([-1.0, 0.0], np.float32), 0
    ended = False
    while not ended:
        _, _, ended, truncated, info = met.step(stand)
        steps += 1
        assert not truncated
    assert info['contact'] == 1.0
    assert 10 < steps < 40
    for _ in range(steps):
        assert not env.step(stand)[2]


def test_randomised_friction_is_that_of_a_vehicle_with_it():
    everywhere = {'x': 0.0, 'y': 0.0, 'radius': 1000.0}
    icy = trace(2, 20, friction_zones=[{**everywhere, 'factor': 0.4}])
    half = {'vehicle.friction_coefficient': 0.5}
    both = trace(2, 20, friction_zones=[{**everywhere, 'factor': 0.4}], randomise=half)
    alone = trace(2, 20, randomise={'vehicle.friction_coefficient': 0.2})
    assert not same(icy, both, 2)
    for one, other in zip(both, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-4)


@pytest.mark.parametrize(('options', 'said'), [
    ({'friction_zones': [{'x': 0.0, 'y': 0.0, 'factor': 0.5}]}, 'has no radius, expected x, y'),
    ({'friction_zones': [{'x': 0.0, 'y': 0.0, 'radius': 1.0, 'factor': (0.0, 0.5)}]},
     r'a factor of 0 to 0.5, expected a radius above 0 and a factor in \[0.001, 10\]'),
    ({'friction_zones': [{'way': 'here', 'offset': 0.0, 'radius': 1.0, 'factor': 0.5}]},
     r"friction_zones\[0\], way, is 'here', expected \(low, high\)"),
    ({'friction_zones': 3}, 'friction_zones is 3, expected a list of mappings'),
    ({'moving': [{'radius': 0.2}]}, 'neither of path and area'),
    ({'randomise': {'moving.begin': (0.0, 3.0)}}, 'nothing moves on the tracks'),
    ({'moving': FURNISHED['moving'], 'randomise': {'moving.begin': (-1.0, 3.0)}},
     'draws -1 to 3 s, expected times from 0 on'),
    ({'parallel': True, 'cars': 2, 'opponents': 'gap'},
     "opponents is 'gap', expected none: in a parallel environment each car is an agent"),
    ({'parallel': True, 'randomise': {'opponents': ['gap']}}, 'expected none: in a parallel'),
    ({'cars': 2, 'opponents': 'gap', 'randomise': {'opponents': ['gap']}}, 'expected one of them'),
    ({'randomise': {'opponents': ['gap']}}, 'there is one car, expected cars of at least 2'),
    ({'cars': 2, 'randomise': {'opponents': 'gap'}}, "is 'gap', expected a list of follower"),
    ({'cars': 2, 'randomise': {'opponents': ['gab']}}, "an opponent is 'gab', expected follower"),
    ({'randomise': {'scan_noise': (-0.1, 0.1)}}, 'draws -0.1: parameter')])
def test_zones_things_and_opponents_that_cannot_be_are_refused(options, said):
    with pytest.raises(RacecarError, match=said):
        racecar.make_env(**options)


def test_a_step_before_the_first_reset_is_refused():
    for kind, action in (({}, [0.0, 0.0]), ({'worlds': 2}, np.zeros((2, 2))),
                         ({'parallel': True}, {})):
        with pytest.raises(RacecarError, match=r'world 0 has begun no episode, expected reset'):
            racecar.make_env(**OPTIONS, **kind).step(action)


def test_actions_of_another_shape_or_agent_are_refused():
    for kind, action in (({}, 'ab'), ({'worlds': 2}, 'ab'), ({}, 0.5), ({'worlds': 2}, [0, 0]),
                         ({'parallel': True}, {'car_0': 0.5})):
        env = racecar.make_env(**OPTIONS, **kind)
        env.reset(seed=1)
        with pytest.raises(RacecarError, match='expected .*2'):
            env.step(action)
    with pytest.raises(RacecarError, match=r"no agent 'car_2'; did you mean car_"):
        env.step({'car_2': [0.0, 0.0]})


def test_infos_of_the_same_step_are_those_of_the_new_episode_and_the_final_ones_are_masked():
    env = racecar.make_env(worlds=8, autoreset_mode='same_step', **OPTIONS)
    env.reset(seed=11)
    for actions in ACTIONS[:, :8]:
        _, _, ended, _, info = env.step(actions)
        if ended.any():
            break
    assert ended.any()
    assert not ended.all()
    assert (info['contact'][ended] == 0.0).all()
    assert (info['final_info']['_contact'] == ended).all()
    assert info['_contact'].all()
    # Infos are the caller's own: what is written there changes no later reset.
    info['_contact'][:] = False
    env.reset(seed=3)
    assert (env.racing.episodes == 0).all()


def test_a_world_without_a_seed_in_a_list_goes_on_to_its_next_episode():
    plain, env = (racecar.make_env(worlds=3, **OPTIONS) for _ in range(2))
    plain.reset(seed=11)
    second, _ = plain.reset()
    env.reset(seed=11)
    found, _ = env.reset(seed=[None, 5, None])
    assert (found[[0, 2]] == second[[0, 2]]).all()
    assert (found[1] == racecar.make_env(**OPTIONS).reset(seed=5)[0]).all()


def test_what_is_refused_changes_nothing():
    first, second = (racecar.make_env(worlds=2, **OPTIONS) for _ in range(2))
    for env in (first, second):
        env.reset(seed=2)
    with pytest.raises(RacecarError, match='poses have the shape'):
        first.reset(options={'poses': np.zeros((7, 3))})
    with pytest.raises(RacecarError, match='the pose of car 0 of world 0'):
        first.reset(options={'poses': [[0.0, 0.0, np.inf]]})
    with pytest.raises(RacecarError, match='the action of car 0 of world 1'):
        first.step([[0.0, 0.0], [np.nan, 0.0]])
    for env in (first, second):
        env.step(np.full((2, 2), 0.1))
    assert (first.racing.observations == second.racing.observations).all()
    assert (first.reset()[0] == second.reset()[0]).all()
