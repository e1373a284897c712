# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Environments on pictures, in videos and on the page of the cockpit."""

import asyncio
import json
import os
import queue
import subprocess
import sys
import time
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium', reason='Gymnasium is not installed')
aiohttp = pytest.importorskip('aiohttp', reason='aiohttp is not installed')

from racecar.base.errors import ConfigurationError  # noqa: E402
from racecar.base.share import find_vehicle  # noqa: E402
from racecar.cockpit.frames import is_text, read_states, SCAN, STATE  # noqa: E402
from racecar.dynamics.vehicles.parameters import VehicleParameters  # noqa: E402
import racecar.gym  # noqa: E402
from racecar.gym import live_page  # noqa: E402
import racecar.gym.f1tenth  # noqa: E402
from racecar.gym.f1tenth.f110 import make  # noqa: E402
from racecar.gym.live_page import EnvFeed, LivePage, ShownWorld  # noqa: E402
from racecar.scene.scene import EMPTY_SCENE  # noqa: E402

OPTIONS: dict[str, Any] = {
    'vehicle': 'f1tenth', 'step': 0.005, 'low_speed_threshold': 0.5, 'contact': 'stop',
    'end.contact': False, 'end.wrong_way': False}


@pytest.fixture
def address(monkeypatch):
    """Return a function that gives the address of the page, which no browser opens."""
    opened: queue.SimpleQueue[str] = queue.SimpleQueue()
    monkeypatch.setattr('webbrowser.open', opened.put)
    return lambda: opened.get(timeout=20)


async def frames_of(address, enough, act=None):
    """What a page gets until `enough` says so of all of it; act is called in a thread meanwhile.

    act gets a function that sends a message and waits until it is dealt with.
    """
    found: list[bytes] = []
    async with aiohttp.ClientSession() as session, session.ws_connect(
            f'{address}ws', headers={'Origin': address.rstrip('/')}) as socket:
        loop = asyncio.get_running_loop()

        def send(**message):
            # What is refused is answered, and messages are dealt with one after the other.
            before = len(texts(found, 'error'))
            for one in (message, {'type': 'reset'}):
                asyncio.run_coroutine_threadsafe(socket.send_json(one), loop).result(20)
            while len(texts(found, 'error')) == before:
                time.sleep(0.005)

        acting = asyncio.create_task(asyncio.to_thread(act or (lambda send: None), send))
        async with asyncio.timeout(240):
            while not (enough(found) and acting.done()):
                try:
                    message = await asyncio.wait_for(socket.receive(), 0.1)
                except TimeoutError:
                    continue
                found.append(message.data.encode() if isinstance(message.data, str)
                             else message.data)
        await acting
    return found


def texts(frames, kind):
    """Messages of a type."""
    found = [json.loads(frame) for frame in frames if is_text(frame)]
    return [message for message in found if message['type'] == kind]


def states(frames, robot=0):
    """Times and values of a robot."""
    read = [read_states(frame) for frame in frames if not is_text(frame) and frame[0] == STATE]
    rows = [one for one in read if one.robot == robot]
    return (np.concatenate([np.empty(0), *(one.times for one in rows)]),
            np.concatenate([one.values for one in rows]) if rows else np.empty((0, 0)))


def test_a_page_shows_all_cars_of_an_environment_and_sets_its_pace(address):
    env = racecar.make_env('racetrack', cars=2, observation=('scan', 'velocity'), beams=20,
                           scaled=False, start='grid', render_mode='human', **OPTIONS)
    env.reset(seed=3)
    page, waited = address(), []

    def act(send):
        send(type='factor', value=0.0)
        for _ in range(5):
            env.step(np.array([2.0, 0.1], np.float32))
        send(type='pause')
        send(type='step', count=1)
        env.step(np.array([2.0, 0.1], np.float32))
        start = time.monotonic()
        send(type='factor', value=0.5)
        send(type='resume')
        for _ in range(6):
            env.step(np.array([2.0, 0.1], np.float32))
        waited.append(time.monotonic() - start)
        env.reset()

    found = asyncio.run(frames_of(page, lambda found: len(states(found)[0]) >= 14, act))
    assert texts(found, 'welcome')[0]['mode'] == 'program'
    robots = texts(found, 'robot')
    assert [robot['car'] for robot in robots] == ['car_0', 'car_1']
    assert robots[0]['laser_frame'] == 'environment_laser'
    assert len(texts(found, 'path')[0]['points']) > 100
    assert texts(found, 'scene')
    assert 'Python program' in texts(found, 'error')[0]['text']
    assert any(not is_text(frame) and frame[0] == SCAN for frame in found)
    times, values = states(found)
    # The first row is of the reset; the time of the next episode begins anew.
    assert times[:14] == pytest.approx([*np.arange(13) * 0.05, 0.0], abs=1e-9)
    column = robots[0]['columns'].index
    assert values[12, column('steering')] == pytest.approx(0.1, abs=1e-6)
    wheels = values[:13, [column(name) for name in robots[0]['columns'] if 'wheel' in name]]
    assert (np.diff(wheels, axis=0)[2:5] > 0.0).all()
    # 0.3 s of the episode at half the pace, less the first step after the pause.
    assert waited[0] >= 0.45
    env.close()
    env.close()
    with pytest.raises(aiohttp.ClientError):
        asyncio.run(frames_of(page, lambda found: True))


def test_a_page_shows_zones_and_moving_things_of_each_episode(address):
    env = racecar.make_env(
        'racetrack', render_mode='human', start='grid',
        friction_zones=[{'way': (2.0, 20.0), 'offset': 0.0, 'radius': (0.5, 1.5), 'factor': 0.5}],
        moving=[{'radius': 0.3, 'path': [[0, 2.0, 5.0], [10, 4.0, 5.0]]}],
        randomise={'moving.begin': (0.0, 10.0)}, **OPTIONS)
    batch, expected = env.unwrapped.racing.batch, []

    def begin(**given):
        env.reset(**given)
        (x, y, radius, _), = batch.drawn_zones(0).tolist()
        expected.append((x, y, radius, batch.moving_begins(0)[0] * 1e-9))
        # Where the message says that it is, the thing is at the time 0 of the episode.
        assert batch.moving_at(0)[0].x == pytest.approx(2.0 + 0.2 * expected[-1][3])

    def act(send):
        begin()
        # Scenes are not sent faster than five times a second: 0.5 s go by.
        for _ in range(10):
            env.step(np.zeros(2, np.float32))

    begin(seed=1)
    found = asyncio.run(frames_of(
        address(), lambda found: len(texts(found, 'scene')) >= 2, act))
    env.close()
    shown = []
    for message in texts(found, 'scene')[-2:]:
        patches = np.array([[*patch['pose'][:2], *patch['size']] for patch in message['patches']])
        low = (patches[:, :2] - 0.5 * patches[:, 2:]).min(axis=0)
        high = (patches[:, :2] + 0.5 * patches[:, 2:]).max(axis=0)
        shown.append((*(0.5 * (low + high)), 0.5 * (high - low)[1], message['moving'][0]['begin']))
    assert np.array(shown) == pytest.approx(np.array(expected), abs=1e-3)
    assert abs(expected[0][3] - expected[1][3]) > 0.1


class ToldTime:
    """A clock that goes on by what somebody sleeps."""

    now = 7.0

    def monotonic(self):
        return self.now

    def sleep(self, time):
        self.now += time


def test_another_pace_counts_from_when_it_is_set(monkeypatch):
    clock, feed = ToldTime(), EnvFeed('env', [])
    monkeypatch.setattr(live_page, 'time', clock)
    monkeypatch.setattr(LivePage, '_opened', lambda _: feed)
    vehicle = VehicleParameters.from_file(find_vehicle('f1tenth'))
    page = LivePage(ShownWorld('env', EMPTY_SCENE, None, vehicle, 0))
    for at, factor, waits in ((0.0, 1.0, 0.0), (1.0, 1.0, 1.0), (4.0, 1.0, 3.0), (5.0, 0.5, 0.0),
                              (6.0, 0.5, 2.0), (9.0, 0.0, 0.0), (10.0, 1.0, 0.0),
                              (11.0, 1.0, 1.0)):
        feed.factor, before = factor, clock.now
        page.show(at, [])
        assert clock.now - before == pytest.approx(waits, abs=1e-9)


def test_a_program_ends_that_does_not_close_its_environment():
    program = """
import webbrowser
webbrowser.open = lambda address: False
import racecar
racecar.make_env('racetrack', vehicle='f1tenth', render_mode='human').reset(seed=1)
"""
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                          timeout=120, env={**os.environ})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('Cockpit: http://127.0.0.1:')


class Clip:
    """Stands for the clip of moviepy, which the wrapper of Gymnasium writes videos with."""

    made: list['Clip'] = []

    def __init__(self, frames, fps):
        self.frames, self.fps, self.path = list(frames), fps, ''
        Clip.made.append(self)

    def write_videofile(self, path, **_):
        self.path = path


def test_the_wrapper_for_videos_gets_a_picture_of_each_step(monkeypatch, tmp_path):
    for name in ('moviepy', 'moviepy.video', 'moviepy.video.io'):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    module = ModuleType('moviepy.video.io.ImageSequenceClip')
    monkeypatch.setattr(module, 'ImageSequenceClip', Clip, raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    env = gymnasium.wrappers.RecordVideo(
        gymnasium.make('racecar/Race-v0', render_mode='rgb_array', time_limit=0.5, **OPTIONS),
        str(tmp_path), episode_trigger=lambda episode: True)
    env.reset(seed=1)
    over = False
    while not over:
        *_, over, _ = env.step(np.array([0.2, 0.0], np.float32))
    env.close()
    clip, = Clip.made
    assert clip.path.endswith('episode-0.mp4')
    assert clip.fps == 20
    # One of the reset and one of each of 10 steps; encoders want even sizes.
    assert len(clip.frames) == 11
    assert all(size % 2 == 0 for frame in clip.frames for size in frame.shape[:2])
    assert len({frame.tobytes() for frame in clip.frames}) == 11


def test_videos_have_a_picture_of_each_step():
    env = gymnasium.make('racecar/Race-v0', render_mode='rgb_array_list', **OPTIONS)
    env.reset(seed=1)
    for _ in range(4):
        env.step(np.array([0.5, 0.0], np.float32))
    frames = env.render()
    assert len(frames) == 5
    assert len({frame.tobytes() for frame in frames}) == 5


def test_modes_that_there_are_not_are_refused():
    with pytest.raises(ConfigurationError, match='expected None or one of human, rgb_array'):
        racecar.make_env('racetrack', render_mode='ansi')
    with pytest.raises(ConfigurationError, match='human, human_fast, rgb_array'):
        make('f110-v0', map='berlin').render('ansi')


def test_callbacks_of_1_0_0_draw_on_pictures():
    env = racecar.gym.f1tenth.make('f1tenth_gym:f1tenth-v0', config={
        'map': 'berlin', 'num_agents': 1}, render_mode='rgb_array', disable_env_checker=True)
    env.reset(options={'poses': np.array([[0.0, 0.0, 0.1]])})
    inner: Any = env.unwrapped
    plain = inner.render()
    track = inner.track
    assert track.raceline.xs.dtype == np.float32
    inner.add_render_callback(
        lambda e: e.render_points(np.array([[5.0, -8.0]]), color=(255, 0, 0), size=9))
    inner.add_render_callback(lambda e: e.render_lines(
        np.array([[0.0, -2.0], [5.0, -8.0]]), color=(0, 0, 255), size=3))
    with_marks = inner.render()
    red = ((with_marks == (255, 0, 0)).all(axis=2)).sum()
    blue = ((with_marks == (0, 0, 255)).all(axis=2)).sum()
    assert red > 50
    assert blue > 50
    assert not ((plain == (255, 0, 0)).all(axis=2)).any()
    inner.add_render_callback(track.raceline.render_waypoints)
    assert ((inner.render() == (0, 128, 0)).all(axis=2)).sum() > 100


def test_callbacks_of_0_2_1_find_its_window():
    env = make('f110-v0', map='berlin', num_agents=2)
    env.reset(np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.5 * np.pi]]))
    found = SimpleNamespace(added=None, corners=[])

    def callback(e):
        found.corners = [np.reshape(car.vertices, (4, 2)) / 50.0 for car in e.cars]
        e.score_label.x, e.left = max(e.cars[0].vertices[::2]), 0.0
        if found.added is None:
            found.added = e.batch.add(1, 0, None, ('v3f/stream', [250.0, -250.0, 0.0]),
                                      ('c3B/stream', [255, 0, 255]))
        else:
            found.added.vertices = [0.0, -250.0, 0.0]

    env.add_render_callback(callback)
    first, second = np.array(env.render('rgb_array')), np.array(env.render('rgb_array'))
    assert found.corners[0] == pytest.approx(
        np.array([[-0.29, 0.155], [-0.29, -0.155], [0.29, -0.155], [0.29, 0.155]]), abs=1e-9)
    assert found.corners[1] == pytest.approx(
        np.array([[1.845, -0.29], [2.155, -0.29], [2.155, 0.29], [1.845, 0.29]]), abs=1e-9)
    shades = [(picture == (255, 0, 255)).all(axis=2) for picture in (first, second)]
    assert all(shade.any() for shade in shades)
    assert (shades[0] != shades[1]).any()


def test_cars_of_f1tenth_gym_are_shown_by_their_rear_axles(address):
    env = make('f110-v0', map='berlin', num_agents=1)
    env.reset(np.array([[1.0, 2.0, 0.5 * np.pi]]))
    env.render(mode='human_fast')
    found = asyncio.run(frames_of(address(), lambda frames: len(states(frames)[0]) > 0))
    columns = texts(found, 'robot')[0]['columns']
    row = states(found)[1][0]
    assert row[columns.index('x')] == pytest.approx(1.0, abs=1e-6)
    assert row[columns.index('y')] == pytest.approx(2.0 - 0.17145, abs=1e-6)
    env.close()
