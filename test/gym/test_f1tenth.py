# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The environments of f1tenth_gym: its vehicle to 1e-9, its observations, ends and laps."""

import math

import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium', reason='Gymnasium is not installed')

from gymnasium.utils.env_checker import check_env  # noqa: E402

from racecar.base.errors import ConfigurationError  # noqa: E402
from racecar.gym.f1tenth import trajectory_aided  # noqa: E402
from racecar.gym.f1tenth.env import control_kinds, deep_update, F110Env  # noqa: E402
from racecar.gym.f1tenth.f110 import Integrator, make  # noqa: E402
from racecar.gym.f1tenth.laser import MapLaser  # noqa: E402
from racecar.gym.f1tenth.maps import centre_line, GymTrack  # noqa: E402
from racecar.gym.f1tenth.model import FORMER, PARAMETERS  # noqa: E402
from racecar.gym.f1tenth.simulation import GymOptions, GymSimulation, LapCounter  # noqa: E402
from racecar.scene.scene import EMPTY_SCENE, Scene, Wall  # noqa: E402

# States after 100 and 1000 steps of the RaceCar of f1tenth_gym, branch v1.0.0, commit of
# 2024-02-21, in an empty world, for the actions of actions_of(): x, y, steering angle, speed, yaw,
# yaw rate, slip angle [SI]; 12 digits.
STATES = {
    ('st', 'rk4', 'speed', 'steering_angle'): (
        (-2.13380373478, 0.257274079453, 0.256, 5.0660144756,
         3.71062504315, 2.9662793828, -0.137738120563),
        (-4.32310636507, 2.83174958784, 0.256, 3.43071756198,
         2.98737682548, 2.13862231731, 0.00784466651358),
    ),
    ('st', 'rk4', 'accl', 'steering_speed'): (
        (0.0749198962294, -0.516263297405, -0.401034046893, 0.111259536451,
         2.21566472281, -0.130399685134, -0.199118900961),
        (0.505253798468, -0.894911258859, -0.143590672184, -1.00064374886,
         2.35001652223, 0.44495986107, -0.0803765747587),
    ),
    ('st', 'euler', 'speed', 'steering_angle'): (
        (-2.10279235398, 0.294065205303, 0.256, 5.0660144756,
         3.70036354451, 2.99224743392, -0.138798070835),
        (-4.23757940985, 2.75728726934, 0.256, 3.43071756198,
         2.98153601832, 2.17460176982, 0.00903429927062),
    ),
    ('st', 'euler', 'accl', 'steering_speed'): (
        (0.0757327523489, -0.516096815887, -0.401034046893, 0.111259536451,
         2.21649503954, -0.134693861753, -0.199798637054),
        (0.502106791219, -0.887783211963, -0.143590672184, -1.00064374886,
         2.3482612638, 0.380578354708, -0.079404410665),
    ),
    ('ks', 'rk4', 'speed', 'steering_angle'): (
        (-1.84246707206, -0.855070563216, 0.256, 5.0660144756,
         4.5378732457,),
        (-1.50526441712, -0.97519237753, 0.256, 3.43071756198,
         3.16271910723,),
    ),
    ('ks', 'rk4', 'accl', 'steering_speed'): (
        (0.0978976666806, -0.49628195945, -0.401034046893, 0.111259536451,
         2.21839131727,),
        (0.550549151013, -0.862397003633, -0.143590672184, -1.00064374886,
         2.37190256802,),
    ),
    ('ks', 'euler', 'speed', 'steering_angle'): (
        (-1.8474393476, -0.791179194766, 0.256, 5.0660144756,
         4.51836417221,),
        (-1.49268815076, -0.956748836981, 0.256, 3.43071756198,
         3.14945632954,),
    ),
    ('ks', 'euler', 'accl', 'steering_speed'): (
        (0.0991003125462, -0.496150538734, -0.401034046893, 0.111259536451,
         2.2192059355,),
        (0.548607683028, -0.858398635354, -0.143590672184, -1.00064374886,
         2.36977051797,),
    ),
}


def actions_of(kinds, k):
    """Steering and longitudinal action of step k."""
    if kinds[0] == 'speed':
        return 0.3 * math.sin(0.02 * k), 3.0 + 2.5 * math.sin(0.013 * k)
    return 2.0 * math.cos(0.05 * k), 3.0 * math.cos(0.03 * k)


def simulation(scene=EMPTY_SCENE, agents=1, model='st', integrator='rk4',
               kinds=('speed', 'steering_angle'), seed=1):
    """Cars with the parameters of f1tenth_gym."""
    return GymSimulation(scene, PARAMETERS, GymOptions(
        agents, seed, 0.01, integrator, model, kinds, 0))


@pytest.mark.parametrize('case', list(STATES))
def test_states_are_those_of_f1tenth_gym(case):
    model, integrator, *kinds = case
    sim = simulation(model=model, integrator=integrator, kinds=tuple(kinds))
    sim.reset(np.array([[0.5, -1.0, 2.0]]))
    found = []
    for k in range(1, 1001):
        sim.step(np.array([actions_of(kinds, k)]))
        if k in (100, 1000):
            found.append(sim.agents[0].state)
    for state, expected in zip(found, STATES[case], strict=True):
        assert state == pytest.approx(expected, rel=2e-11, abs=1e-9)


# Ranges of ScanSimulator2D(12, 4.7) of f1tenth_gym 0.2.1 on berlin at poses; 12 digits. The last
# pose is beyond the map.
RANGES = {
    (0.3, -0.1, 0.4): (
        2.318227235, 1.88281703838, 2.03281703838, 3.23695516489, 10.4687848778, 6.36075475144,
        4.28281703838, 2.88281703838, 2.38281703838, 2.33281703838, 2.66063449768, 3.77577347445),
    (7.0, -10.0, 4.5): (
        1.68083489693, 1.61012421881, 1.81627950009, 2.32356090049, 4.27705636587, 7.51863401806,
        15.8066968305, 3.84620743681, 3.17217415399, 3.45247879644, 5.13228858246, 6.57992476867),
    (-30.0, 5.0, 0.0): (0.0,) * 12,
}


def test_ranges_on_a_map_are_those_of_f1tenth_gym():
    grid = GymTrack('berlin').scene.grid
    assert grid is not None
    laser = MapLaser(grid, 12, 4.7, 30.0)
    for pose, expected in RANGES.items():
        assert laser.scan(*pose) == pytest.approx(expected, rel=1e-11, abs=1e-12)
    assert MapLaser(grid, 12, 4.7, 3.0).scan(0.3, -0.1, 0.4).max() == 3.0


def test_lines_are_read_at_each_decimetre_in_single_precision():
    corners = 4.0 * np.array([[np.cos(a), np.sin(a)] for a in np.arange(0.0, 2.0 * np.pi, 0.3)])
    line = centre_line(corners)
    assert np.hypot(line.xs, line.ys) == pytest.approx(4.0, abs=0.01)
    assert np.diff(line.ss) == pytest.approx(0.1, abs=1e-5)
    assert line.ks == pytest.approx(0.25, abs=0.03)
    turn = np.arctan2(np.diff(line.ys), np.diff(line.xs))
    assert np.cos(line.yaws[:-1] - turn) == pytest.approx(1.0, abs=1e-3)
    assert {values.dtype for values in (
        line.ss, line.xs, line.ys, line.yaws, line.ks, line.vxs, line.axs)} == {
            np.dtype(np.float32)}
    assert line.closed[-1].tolist() == line.closed[0].tolist()


def test_walls_stop_a_car_in_time_and_beams_end_at_walls_and_cars():
    sim = simulation(Scene(walls=(Wall(5.0, -50.0, 5.0, 50.0),)), agents=2)
    sim.reset(np.array([[0.0, 0.0, 0.0], [0.0, 3.0, 0.0]]))
    sim.step(np.zeros((2, 2)))
    ahead = len(sim.angles) // 2
    assert sim.agent_scans[0, ahead] == pytest.approx(5.0, abs=0.06)
    to_car = int(np.argmin(np.abs(sim.angles - 0.5 * math.pi)))
    assert sim.agent_scans[0, to_car] == pytest.approx(3.0 - 0.155, abs=0.06)
    # The same noise for all agents, as there.
    assert sim.agent_scans[0, ahead] == sim.agent_scans[1, ahead]
    for _ in range(400):
        sim.step(np.array([[0.0, 4.0], [0.0, 0.0]]))
        if sim.collisions[0]:
            break
    # Half the wheelbase before the wall, less what it goes in 5 ms and the noise.
    assert sim.agents[0].state[0] == pytest.approx(5.0 - 0.165, abs=0.12)
    assert (sim.agents[0].state[3:] == 0.0).all()
    assert not sim.collisions[1]


def test_cars_that_overlap_are_in_collision():
    sim = simulation(agents=3)
    sim.reset(np.array([[0.0, 0.0, 0.0], [0.5, 0.1, 1.0], [5.0, 0.0, 0.0]]))
    sim.step(np.zeros((3, 2)))
    assert sim.collisions.tolist() == [1.0, 1.0, 0.0]
    assert sim.collision_idx.tolist() == [1.0, 0.0, -1.0]


def test_laps_are_counted_by_leaving_and_reaching_the_start_line():
    laps = LapCounter(1, 0)
    laps.begin(np.array([[1.0, 2.0, math.pi / 2]]))
    done = False
    for k in range(200):
        angle = 2.0 * math.pi * k / 80.0
        # Round a circle of 10 m, from its eastern end to the north.
        pose = np.array([[1.0 - 10.0 + 10.0 * math.cos(angle), 2.0 + 10.0 * math.sin(angle),
                          0.0]])
        done = bool(laps.add(pose, 0.1 * k)[0])
        if done:
            break
    assert laps.lap_counts[0] == 2.0
    assert k == 160
    assert laps.lap_times[0] == pytest.approx(15.9)


def test_laps_of_trajectory_aided_learning_last_ten_seconds_at_least():
    laps = LapCounter(1, 0, near=0.01, shortest=10.0)
    laps.begin(np.zeros((1, 3)))
    back = np.zeros((1, 3))
    away = np.array([[3.0, 0.0, 0.0]])
    for time, pose, count in ((1.0, away, 0), (5.0, back, 0), (10.5, back, 1), (11.0, away, 1),
                              (12.0, [[0.2, 0.0, 0.0]], 1), (13.0, [[0.05, 1.9, 0.0]], 2)):
        laps.add(np.asarray(pose), time)
        assert laps.lap_counts[0] == count, time


def test_environment_of_1_0_0_passes_the_checker_and_has_its_keys():
    env = gymnasium.make('racecar.gym.f1tenth:f1tenth-v0', config={
        'num_agents': 1, 'map': 'berlin', 'params': {'mu': 1.0}}, render_mode='rgb_array',
        disable_env_checker=True)
    check_env(env.unwrapped, skip_render_check=True)
    seen, info = env.reset(options={'poses': np.array([[0.0, 0.0, 0.1]])})
    assert sorted(seen) == sorted((
        'ego_idx', 'scans', 'poses_x', 'poses_y', 'poses_theta', 'linear_vels_x',
        'linear_vels_y', 'ang_vels_z', 'collisions', 'lap_times', 'lap_counts'))
    assert env.observation_space.contains(seen)
    assert info['checkpoint_done'].tolist() == [False]
    _, reward, *_ = env.step(np.array([[0.1, 2.0]]))
    assert reward == 0.01
    assert env.unwrapped.params['mu'] == 1.0
    assert env.unwrapped.params['m'] == 3.74
    assert env.render().shape[2] == 3


@pytest.mark.parametrize('kind', [
    'kinematic_state', 'dynamic_state', 'frenet_dynamic_state'])
def test_observations_of_agents_lie_in_their_space(kind):
    env = F110Env({'map': 'berlin', 'observation_config': {'type': kind},
                   'reset_config': {'type': 'cl_random_random'}})
    seen, _ = env.reset(seed=4)
    assert list(seen) == ['agent_0', 'agent_1']
    assert env.observation_space.contains(seen)
    gap = math.dist(*[(seen[agent]['pose_x'], seen[agent]['pose_y']) for agent in seen])
    assert 1.0 < gap < 4.0
    env.configure({'params': {'v_max': 5.0}})
    assert isinstance(env.action_space, gymnasium.spaces.Box)
    assert env.action_space.high[0].tolist() == pytest.approx([0.4189, 5.0])


def test_environment_of_0_2_1_has_its_interface():
    env = make('f110_gym:f110-v0', map='skirk', num_agents=1, integrator=Integrator.Euler)
    seen, reward, done, info = env.reset(np.array([[0.0, 0.0, 1.37]]))
    assert (reward, done, info['checkpoint_done'].tolist()) == (0.01, False, [False])
    seen, *_ = env.step(np.array([[0.0, 2.0]]))
    assert len(seen['scans']) == len(seen['poses_x']) == 1
    assert seen['scans'][0].shape == (1080,)
    assert seen['linear_vels_x'][0] > 0.0


def test_environment_of_trajectory_aided_learning_reads_its_maps(tmp_path, monkeypatch):
    maps = tmp_path / 'maps'
    maps.mkdir()
    (maps / 'own.pgm').write_bytes(b'P5 100 80 255\n' + b'\xff' * 8000)
    (maps / 'own.yaml').write_text(
        'image: own.pgm\nresolution: 0.1\norigin: [-5.0, -4.0, 0.0]\nnegate: 0\n'
        'occupied_thresh: 0.45\nfree_thresh: 0.196\n')
    way = np.linspace(0.0, 2.0 * math.pi, 20)
    rows = np.column_stack([
        2.0 * way, 2.0 * np.cos(way), 2.0 * np.sin(way), way, 0.5 + 0.0 * way, 3.0 + way, way])
    np.savetxt(maps / 'own_raceline.csv', rows, delimiter=',')
    monkeypatch.chdir(tmp_path)
    env = trajectory_aided.F110Env(map='own')
    line = env.track.raceline
    assert line is not None
    assert np.column_stack([line.xs, line.ys, line.vxs]) == pytest.approx(rows[:, [1, 2, 5]])
    first, *_ = env.reset(np.array([[2.0, 0.0, 1.57]]))
    assert len(first['poses_x']) == 1
    for _ in range(5):
        seen, *_ = env.step(np.array([[0.2, 1.0]]))
    assert seen['scans'][0].shape == (20,)
    assert seen['full_states'][0][2] == seen['steering_deltas'][0] > 0.0
    env.close_rendering()
    # Nothing stops it before a wall, and it crashes when its middle is there or off the map.
    env.reset(np.array([[4.0, 0.0, 0.0]]))
    done, last = False, 0.0
    for _ in range(300):
        seen, _, done, _ = env.step(np.array([[0.0, 2.0]]))
        if done:
            break
        last = seen['poses_x'][0]
    assert done
    assert last < 5.0 <= seen['poses_x'][0]
    assert seen['collisions'].tolist() == [1.0]
    assert seen['linear_vels_x'][0] > 1.0
    # The noise of the next episode is another one.
    scans = [env.reset(np.array([[0.0, 0.0, 0.0]]))[0]['scans'][0] for _ in range(2)]
    assert (scans[0] != scans[1]).all()
    # Of f1tenth_gym, with semicolons.
    np.savetxt(maps / 'own_raceline.csv', rows, delimiter=';')
    again = trajectory_aided.F110Env(map='own').track.raceline
    assert again is not None
    assert (again.xs == line.xs).all()


def test_errors_name_what_was_expected():
    with pytest.raises(ConfigurationError, match='num_agents'):
        F110Env({'num_agent': 1})
    with pytest.raises(ConfigurationError, match='C_Sf'):
        F110Env({'params': {'C_SF': 1.0}})
    with pytest.raises(ConfigurationError, match=r"world 'crossing' has moving things, expected"):
        F110Env({'map': 'crossing'})
    with pytest.raises(ConfigurationError, match='download it'):
        F110Env({'map': 'Spielberg'})
    with pytest.raises(ConfigurationError, match='steering_angle'):
        control_kinds(['speed', 'accl'])
    with pytest.raises(ConfigurationError, match='f110-v0'):
        make('f110-v1')
    assert control_kinds('accl') == ('accl', 'steering_speed')
    assert deep_update({'a': {'b': 1, 'c': 2}}, {'a': {'b': 3}}) == {'a': {'b': 3, 'c': 2}}


def test_slow_car_of_the_former_version_moves_as_a_kinematic_one():
    lf, lr = PARAMETERS['lf'], PARAMETERS['lr']
    simulation = GymSimulation(EMPTY_SCENE, PARAMETERS, GymOptions(
        1, 1, 0.01, 'euler', FORMER, ('accl', 'steering_speed'), 0, beams=2))
    simulation.reset(np.array([[1.0, 2.0, 0.5]]))
    x, y, angle, speed, yaw, yaw_rate = 1.0, 2.0, 0.0, 0.0, 0.5, 0.0
    for k in range(20):
        simulation.step(np.array([[2.0, 2.0]]))
        # Two steps of delay of the steering; each right side is of the state before.
        turning = 0.0 if k < 2 else 2.0
        x, y, angle, speed, yaw, yaw_rate = (
            x + 0.01 * speed * math.cos(yaw), y + 0.01 * speed * math.sin(yaw),
            angle + 0.01 * turning, speed + 0.01 * 2.0,
            yaw + 0.01 * speed / (lf + lr) * math.tan(angle),
            yaw_rate + 0.01 * (2.0 * math.tan(angle)
                               + speed * turning / math.cos(angle) ** 2) / (lf + lr))
    assert simulation.agents[0].state == pytest.approx(
        [x, y, angle, speed, yaw, yaw_rate, 0.0], abs=1e-12)
