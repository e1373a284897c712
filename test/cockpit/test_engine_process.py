# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations that the cockpit runs without ROS, in real processes, for pages of the test.

Python finds no ROS there: modules of its names that cannot be imported go first.
"""

import asyncio
import os
from pathlib import Path
import time

import numpy as np
import pytest

pytest.importorskip('aiohttp', reason='the server of the cockpit needs aiohttp')

from cockpit_frames import read_state
from own_event_loop import run_async
from served import DEADLINE, served

from racecar.cockpit.configurations import configuration_names
from racecar.cockpit.frames import PICTURE, SCAN, STATE
from racecar.cockpit.live_feed import CockpitFeed
from racecar.facade.simulation import Simulation
from racecar.stacks.options import from_values

# With kernels that are not in the cache, on a busy machine.
LONGEST_START = 300.0


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a scenario with a page, and the server that it is connected to."""
    for name in ('rclpy', 'rcl_interfaces', 'racecar_interfaces', 'std_msgs', 'launch'):
        (tmp_path / f'{name}.py').write_text(f"raise ImportError('{name} is not to be used')\n")
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join(
        filter(None, (str(tmp_path), os.environ.get('PYTHONPATH')))))

    def start(scenario):
        async def whole():
            async with served(CockpitFeed(with_nodes=False)) as server:
                await scenario(await server.page(), server)

        run_async(whole())

    return start


async def columns_until(page, fits):
    """Newest numbers of the columns, as soon as they fit."""
    async with asyncio.timeout(DEADLINE):
        while True:
            frame = await page.until(lambda found: isinstance(found, bytes) and found[0] == STATE)
            times, values = read_state([frame], page.robot['columns'])
            newest = {name: float(column[-1]) for name, column in values.items()}
            newest['time'] = float(times[-1])
            if fits(newest):
                return newest


async def described(page, name, **options):
    """Start a configuration; its `robot` message is kept in the page."""
    await page.send('start', configuration=name, options=options)
    async with asyncio.timeout(LONGEST_START):
        while True:
            found = await page.until(lambda found: isinstance(found, dict))
            assert found['type'] != 'error', found
            if found['type'] == 'robot':
                page.robot = found
            if found['type'] == 'session':
                assert found['state'] in ('idle', 'starting', 'running', 'ended'), found
                if found['state'] == 'running' and found['name'] == name:
                    return


async def keep_driving(page, kind, **fields):
    """Hold a key until cancelled."""
    while True:
        await page.send(kind, sent=time.time(), **fields)
        await asyncio.sleep(0.03)


@pytest.mark.parametrize('name', configuration_names())
def test_every_configuration_that_is_offered_starts_moves_and_stops(run, name):
    async def scenario(page, server):
        assert name in [row['name'] for row in page.welcome['configurations']]
        await described(page, name)
        keys = None
        if name.startswith('teleop'):
            await page.send('take_wheel')
            keys = asyncio.create_task(keep_driving(page, 'drive', speed=0.5, steering=0.2))
        elif name.startswith('driver'):
            await page.send('take_wheel')
            await page.send('gear', value=1)
            keys = asyncio.create_task(keep_driving(
                page, 'pedals', throttle=0.5, brake=0, steering=0.1))
        await columns_until(page, lambda row: abs(row['speed']) > 0.2)
        if keys is not None:
            keys.cancel()
            await columns_until(page, lambda row: abs(row['speed']) < 0.02)
        await page.send('stop')
        await page.get('session', state='ended')

    run(scenario)


@pytest.mark.parametrize('name', ['kinematic_ode', 'dynamic_world', 'differential_wheels'])
def test_a_page_gets_the_samples_of_simulate(run, name):
    table = Simulation(name, from_values({})).run(3.0).table

    async def scenario(page, server):
        await page.send('start', configuration=name,
                        options={'end_time': 3, 'real_time_factor': 0})
        frames = []

        def is_end(found):
            if isinstance(found, bytes):
                frames.append(found)
            elif found['type'] == 'robot':
                page.robot = found
            return isinstance(found, dict) and found.get('state') == 'ended'

        async with asyncio.timeout(LONGEST_START):
            while True:
                try:
                    await page.until(is_end)
                    break
                except TimeoutError:
                    continue
        times, values = read_state(frames, page.robot['columns'])
        np.testing.assert_array_equal(times, table['time'])
        for column, shown in (
                ('x', 'x'), ('y', 'y'), ('vx', 'speed'), ('yaw_rate', 'yaw_rate'),
                ('x_reference', 'reference_x'), ('y_reference', 'reference_y'),
                ('speed_command', 'command_speed'), ('steering_command', 'command_steering')):
            np.testing.assert_array_equal(values[shown], np.float32(table[column]), column)

    run(scenario)


def test_time_stands_still_steps_and_goes_faster_as_a_page_asks(run):
    async def scenario(page, server):
        await described(page, 'kinematic_ode')
        await page.send('step', count=1)
        assert 'not paused' in (await page.get('error'))['text']
        await page.send('pause')
        await page.get('session', state='paused')
        before = (await page.get('clock', paused=True))['time']
        await page.send('step', count=3)
        after = await columns_until(page, lambda row: row['time'] > before)
        assert after['time'] == pytest.approx(before + 0.03)
        await page.send('reset')
        back = await columns_until(page, lambda row: row['x'] == 0.0)
        assert back['time'] == pytest.approx(before + 0.03)
        await page.send('factor', value=20)
        await page.get('clock', wanted_factor=20.0, paused=True)
        await page.send('resume')
        await page.get('session', state='running')
        began = time.monotonic()
        await columns_until(page, lambda row: row['time'] > back['time'] + 10.0)
        assert time.monotonic() - began < 8.0

    run(scenario)


def test_parameters_are_shown_set_and_refused_with_the_reason(run):
    async def scenario(page, server):
        await page.send('start', configuration='kinematic_ode', options={})
        async with asyncio.timeout(LONGEST_START):
            while (found := await page.get('parameters'))['again']:
                pass
        nodes = {row['node']: {one['name']: one for one in row['parameters']}
                 for row in found['nodes']}
        assert {'/trajectory_tracker', '/kinematic_linearizer', '/single_track_simulator'} \
            <= set(nodes)
        gain = nodes['/trajectory_tracker']['Kp']
        assert (gain['type'], gain['value'], gain['minimum'], gain['maximum']) == (
            'float', 5.0, 0.0, 1000.0)
        # A name of a file is nothing for a page.
        assert 'waypoints_file' not in nodes['/trajectory_tracker']
        assert nodes['/single_track_simulator']['rate']['read_only']
        await page.send('set_parameter', node='/trajectory_tracker', name='Kp', value=2.5)
        await page.get('parameter', node='/trajectory_tracker', name='Kp', value=2.5)
        for node, name, value, reason in (
                ('/trajectory_tracker', 'Kp', -1, '[0, 1000]'),
                ('/trajectory_tracker', 'Kp', 'high', 'expected a number'),
                ('/trajectory_tracker', 'waypoints_file', '/etc/passwd', 'may set'),
                ('/single_track_simulator', 'rate', 50, 'may set'),
                ('/nobody', 'Kp', 1, "'/nobody' is not there")):
            await page.send('set_parameter', node=node, name=name, value=value)
            error = await page.get('error')
            assert reason in error['text']
            assert (error['node'], error['name']) == (node, name)
        # Who comes later gets it too.
        late = await server.page()
        found = await late.get('parameters')
        assert [one['value'] for row in found['nodes'] for one in row['parameters']
                if one['name'] == 'Kp'] == [2.5]

    run(scenario)


def test_manual_mode_rests_the_tracker_and_the_end_of_it_sets_it_going(run):
    async def scenario(page, server):
        await described(page, 'kinematic_ode')
        await page.send('take_wheel', manual=True)
        await page.get('parameter', name='active', value=False)
        await columns_until(page, lambda row: row['speed'] == 0.0)
        keys = asyncio.create_task(keep_driving(page, 'drive', speed=1, steering=-0.5))
        driven = await columns_until(page, lambda row: row['speed'] > 0.5)
        assert driven['command_speed'] == 3.0
        muxes = (await page.get('muxes'))['muxes']
        assert muxes[-1]['active'] == 'Teleoperation'
        keys.cancel()
        # Its silence is enough.
        await columns_until(page, lambda row: row['speed'] == 0.0)
        await page.send('release_wheel')
        await page.get('parameter', name='active', value=True)
        await columns_until(page, lambda row: row['speed'] > 0.1)

    run(scenario)


def test_gears_lamps_and_a_car_without_a_mux(run):
    async def scenario(page, server):
        await described(page, 'driver')
        # It may have come before the run was said to go on; who joins later gets it, too.
        car = await (await server.page()).get('car')
        assert (car['gears'][:3], car['gear']) == ([-1, 0, 1], 0)
        await page.send('take_wheel')
        await page.send('lamp', name='dipped_beams', on=True)
        assert (await page.get('lamps'))['lamps']['front']
        await page.send('indicator', value='hazard')
        assert (await page.get('car', indicator='hazard'))['dipped_beams']
        await page.send('gear', value=9)
        assert 'gear' in (await page.get('error'))['text']
        await described(page, 'differential_wheels')
        await page.send('take_wheel')
        assert 'no command mux' in (await page.get('error'))['text']
        await page.send('gear', value=1)
        assert 'hold the wheel' in (await page.get('error'))['text']

    run(scenario)


def test_laser_world_and_camera_are_shown_while_somebody_wants_them(run):
    async def scenario(page, server):
        await page.send('start', configuration='kinematic_ode', options={
            'world': 'racetrack', 'sensors': ['laser', 'camera']})
        async with asyncio.timeout(LONGEST_START):
            while (await page.get('session'))['state'] != 'running':
                pass
        scan = await page.until(lambda found: isinstance(found, bytes) and found[0] == SCAN)
        assert np.isfinite(np.frombuffer(scan, '<f4', offset=24)).any()
        await page.send('camera', wanted=True)
        await page.until(lambda found: isinstance(found, bytes) and found[0] == PICTURE)

    run(scenario)


def test_a_collision_is_shown_and_forgotten_with_a_reset(run):
    async def scenario(page, server):
        await described(page, 'teleop', world='tunnel', real_time_factor=5)
        await page.send('take_wheel')
        keys = asyncio.create_task(keep_driving(page, 'drive', speed=1, steering=0.4))
        found = await page.get('collisions')
        assert (found['count'], found['time'] > 0.0) == (1, True)
        assert 'collision 1: the car ran into something' in (await page.get('log'))['text']
        keys.cancel()
        await page.send('reset')
        assert not (await page.get('collisions', count=0))['in_contact']

    run(scenario)


def test_what_cannot_run_is_said_and_another_can_be_started(run):
    async def scenario(page, server):
        await page.send('start', configuration='kinematic_ode', options={'vehicle': 'spaceship'})
        assert 'spaceship' in (await page.get('error'))['text']
        await page.send('start', configuration='kinematic_ode', options={'lockstep': True})
        assert 'lockstep' in (await page.get('error'))['text']
        await described(page, 'teleop')
        # Another one in its place.
        await described(page, 'kinematic_ode', trajectory='circle')
        await columns_until(page, lambda row: row['speed'] > 0.1)

    run(scenario)


def test_the_process_ends_with_the_server(run):
    found: list[int] = []
    others = children_of(os.getpid())

    async def scenario(page, server):
        await described(page, 'kinematic_ode')
        found.extend(set(children_of(os.getpid())) - set(others))
        assert len(found) >= 1

    run(scenario)
    assert not set(found) & set(children_of(os.getpid()))


def children_of(number):
    """Ids of the processes whose parent is this one, whatever thread has started them."""
    return [int(child) for file in Path(f'/proc/{number}/task').glob('*/children')
            for child in file.read_text().split()]
