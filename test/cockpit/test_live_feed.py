# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Feeds of running nodes, with a process and a bridge that the test plays."""

import asyncio
import contextlib
import gc
import os
import signal
import time

import pytest

pytest.importorskip('aiohttp', reason='the server of the cockpit needs aiohttp')

from fake_child import FakeChild
from own_event_loop import run_async
from served import DEADLINE, served

from racecar.cockpit import link
from racecar.cockpit.child import Child, how_it_ended
from racecar.cockpit.hub import Hub
from racecar.cockpit.lateness import Lateness
from racecar.cockpit.link import packed
from racecar.cockpit.live_feed import AttachFeed, CockpitFeed
from racecar.cockpit.wheel import HEARTBEAT


@pytest.fixture
def run(monkeypatch):
    """Run a scenario with a feed on a server."""
    monkeypatch.setattr(link, 'Child', FakeChild)

    def start(scenario, feed=lambda: CockpitFeed(with_nodes=True)):
        async def whole():
            FakeChild.started = asyncio.Queue()
            async with served(feed()) as server:
                await scenario(server)

        run_async(whole())

    return start


async def started(page, name='kinematic_ode', **options):
    """Start a configuration and return its child with a bridge."""
    await page.send('start', configuration=name, options=options)
    await page.get('session', state='starting', name=name)
    child = await FakeChild.started.get()
    await child.connect()
    await page.get('session', state='running')
    return child


def test_a_page_starts_and_stops_a_configuration(run):
    async def scenario(server):
        page = await server.page()
        assert 'kinematic_ode' in [row['name'] for row in page.welcome['configurations']]
        child = await started(page, world='tunnel')
        assert child.words[:4] == ['up', 'kinematic_ode', '--world', 'tunnel']
        child.say('clock', time=1.0, paused=True)
        await page.get('session', state='paused')
        await page.send('stop')
        await page.get('session', state='ended')
        assert child.was_ended
        await page.send('stop')
        assert 'nothing runs' in (await page.get('error'))['text']
        await page.send('reset')
        assert 'nothing runs' in (await page.get('error'))['text']

    run(scenario)


def test_another_start_ends_what_runs(run):
    async def scenario(server):
        page = await server.page()
        first = await started(page)
        second = await started(page, 'teleop')
        assert first.was_ended
        assert not second.was_ended

    run(scenario)


def test_of_two_starts_at_the_same_time_one_child_is_left(run):
    async def scenario(server):
        page, other = await server.page(), await server.page()
        first = await started(page)
        await asyncio.gather(
            page.send('start', configuration='teleop'),
            other.send('start', configuration='kinematic_ode'))
        for _ in range(2):
            await page.get('session', state='starting')
        children = [first]
        # The first of the two may have been ended before it had a process.
        while children[-1].was_ended:
            children.append(await FakeChild.started.get())
        await children[-1].connect()
        await page.get('session', state='running')
        assert all(child.was_ended for child in children[:-1])
        assert FakeChild.started.empty()

    run(scenario)


@pytest.mark.parametrize(('code', 'state', 'text'), [
    (0, 'ended', 'has ended'), (1, 'failed', 'the world is flat'), (-9, 'lost', 'SIGKILL'),
    (-11, 'lost', 'SIGSEGV'), (-35, 'lost', 'signal 35')])
def test_the_end_of_the_nodes_is_said(run, capsys, code, state, text):
    async def scenario(server):
        page = await server.page()
        child = await started(page)
        child.error = 'the world is flat'
        child.code.set_result(code)
        assert text in (await page.get('session', state=state))['text']

    run(scenario)
    told = capsys.readouterr().err
    assert told == '' if code == 0 else told.startswith('racecar cockpit: kinematic_ode: ')


def test_one_page_drives_at_a_time(run):
    async def scenario(server):
        page, other = await server.page(), await server.page()
        child = await started(page)
        await page.send('drive', speed=1, steering=0, sent=time.time())
        assert 'take it first' in (await page.get('error'))['text']
        await page.send('take_wheel')
        await page.get('driver', driving=True, by='this page')
        await other.get('driver', driving=False, by='another page')
        await page.send('drive', speed=1, steering=0, sent=time.time())
        drive = await child.hear_of('drive')
        assert (drive['speed'], drive['steering']) == (1.0, 0.0)
        await other.send('take_wheel')
        assert 'another page drives' in (await other.get('error'))['text']
        for kind, fields in (('drive', {'speed': 0, 'steering': 0, 'sent': 0}),
                             ('gear', {'value': 1}),
                             ('indicator', {'value': 'off'}),
                             ('lamp', {'name': 'dipped_beams', 'on': True})):
            await other.send(kind, **fields)
            assert 'another page does' in (await other.get('error'))['text']
        # Once it is silent, another one may.
        assert (await child.hear())['type'] == 'halt'
        await other.send('take_wheel', manual=True)
        await other.get('driver', driving=True)
        assert (await child.hear())['manual'] is True
        await page.get('driver', driving=False, by='another page')

    run(scenario)


def test_a_silent_driver_is_halted_in_time(run):
    async def scenario(server):
        page = await server.page()
        child = await started(page)
        await page.send('take_wheel')
        await page.send('drive', speed=1, steering=0, sent=time.time())
        await child.hear_of('drive')
        begin = time.monotonic()
        assert (await child.hear())['type'] == 'halt'
        assert time.monotonic() - begin > 0.8 * HEARTBEAT

    run(scenario)


def test_what_a_cut_network_hands_over_late_is_not_obeyed(run):
    async def scenario(server):
        page = await server.page()
        child = await started(page)

        async def drive(speed, held_up):
            # The clock of the page is three hours behind.
            await page.send('drive', speed=speed, steering=0,
                            sent=time.time() - 10800.0 - held_up)

        await page.send('take_wheel')
        await drive(0.25, held_up=0.0)
        assert (await child.hear_of('drive'))['speed'] == 0.25
        assert (await child.hear())['type'] == 'halt'
        # The network returns: two seconds of commands at once, and then what is wanted now.
        for index in range(40):
            await drive(1.0, held_up=2.0 - 0.05 * index)
        await drive(0.5, held_up=0.0)
        error = await page.get('error')
        assert '2.0 s late and are not obeyed' in error['text']
        # The last of those that were held up are fresh enough.
        heard = [(await child.hear())['speed']]
        while heard[-1] != 0.5:
            heard.append((await child.hear())['speed'])
        assert 3 <= len(heard) <= 7
        # It is told once.
        await page.send('nonsense')
        assert 'nonsense' in (await page.get('error'))['text']

    run(scenario)


def test_lateness_follows_clocks_that_drift_and_ways_that_stay_longer():
    lateness = Lateness()
    assert lateness.of(1000.0, 5.0) == 0.0
    assert lateness.of(1000.1, 5.2) == pytest.approx(0.1, abs=0.01)
    assert lateness.of(1000.4, 5.35) == 0.0
    # An hour in which the clock of the page falls back by 100 ppm.
    drift = [lateness.of(1000.4 + (1.0 - 1e-4) * t, 5.35 + t) for t in range(1, 3600)]
    assert max(drift) < 1e-3
    # From then on the way takes a second longer.
    late = [lateness.of(4599.04 + t, 3605.35 + t) for t in range(1, 200)]
    assert late[0] == pytest.approx(1.0, abs=0.05)
    assert late[-1] == 0.0


def test_a_driver_that_leaves_lets_go(run):
    async def scenario(server):
        page, other = await server.page(), await server.page()
        child = await started(page)
        await page.send('take_wheel')
        await other.get('driver', by='another page')
        await page.socket.close()
        await other.get('driver', by='nobody')
        assert (await child.hear_of('release'))['type'] == 'release'

    run(scenario)


def test_a_wheel_that_the_bridge_refuses_is_free_again(run):
    async def scenario(server):
        page = await server.page()
        child = await started(page)
        await page.send('take_wheel')
        viewer = (await child.hear_of('take'))['viewer']
        child.say('error', of='take', viewer=viewer, text='nobody listens')
        await page.get('driver', by='nobody')
        assert await page.get('error') == {'type': 'error', 'text': 'nobody listens'}

    run(scenario)


def test_what_the_bridge_refuses_goes_to_who_asked_with_what_it_is_about(run):
    async def scenario(server):
        page, other = await server.page(), await server.page()
        child = await started(page)
        await other.send('set_parameter', node='/a', name='b', value=3)
        wish = await child.hear_of('set_parameter')
        child.say('error', of='set_parameter', viewer=wish['viewer'], text='no', node='/a',
                  name='b')
        assert await other.get('error') == {
            'type': 'error', 'text': 'no', 'node': '/a', 'name': 'b'}
        child.say('log', text='last')
        await page.until(lambda found: found['type'] != 'error' and found['type'] == 'log')

    run(scenario)


def test_changed_parameters_are_sent_whole_only_to_pages_that_come_later(run):
    async def scenario(server):
        page = await server.page()
        child = await started(page)
        child.say('parameters', again=True, nodes=['new'])
        child.say('log', text='last')
        found = await page.until(lambda found: found['type'] in ('parameters', 'log'))
        assert found['type'] == 'log'
        late = await server.page()
        assert (await late.get('parameters'))['nodes'] == ['new']

    run(scenario)


@pytest.mark.parametrize('data', [b'\xff\xff\xff\xff', b'\x00\x00\x00\x00', packed(b'\x09nothing'),
                                  packed(b'{"type":3}'), packed(b'{')])
def test_bytes_that_are_no_frames_end_the_link_and_not_the_server(run, data):
    async def scenario(server):
        page = await server.page()
        child = await started(page)
        child.writer.write(data)
        async with asyncio.timeout(DEADLINE):
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    await child.hear()
        await page.send('reset')
        assert 'nobody to do it' in (await page.get('error'))['text']

    run(scenario)


def test_the_server_ends_after_what_a_page_is_stopping(monkeypatch):
    monkeypatch.setattr(link, 'Child', FakeChild)

    async def whole():
        FakeChild.started = asyncio.Queue()
        feed = CockpitFeed(with_nodes=True)
        running = asyncio.create_task(feed.run(Hub()))
        await asyncio.sleep(0)
        await feed.ask(1, {'type': 'start', 'configuration': 'kinematic_ode'})
        child = await FakeChild.started.get()
        gate = asyncio.Event()
        monkeypatch.setattr(child, 'end', gate.wait)
        stopping = asyncio.create_task(feed.ask(1, {'type': 'stop'}))
        while feed.is_running:
            await asyncio.sleep(0)
        running.cancel()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not running.done()
        gate.set()
        await stopping
        with pytest.raises(asyncio.CancelledError):
            await running

    run_async(whole())


def test_to_start_and_stop_often_leaves_nothing_behind(run):
    async def scenario(server):
        page = await server.page()

        async def restart():
            await started(page)
            await page.send('stop')
            await page.get('session', state='ended')

        def open_things():
            # Processes that have ended hold pipes in circles, in asyncio of Python 3.11.2.
            gc.collect()
            return len(asyncio.all_tasks()), len(os.listdir('/proc/self/fd'))

        for _ in range(5):
            await restart()
        before = open_things()
        for _ in range(15):
            await restart()
        assert open_things() <= before

    run(scenario)


def test_an_attached_cockpit_starts_nothing(run):
    async def scenario(server):
        page = await server.page()
        child = await FakeChild.started.get()
        assert child.words[:3] == ['cockpit', '--namespace', 'car1']
        await child.connect()
        await page.get('session', state='running', text='it runs')
        await page.send('start', configuration='kinematic_ode')
        assert 'not for the mode attach' in (await page.get('error'))['text']
        child.say('bridge', state='lost', text='silent')
        await page.get('session', state='lost', text='silent')

    run(scenario, lambda: AttachFeed(['cockpit', '--namespace', 'car1'], 'looking'))


def test_a_real_child_says_its_error_and_how_it_was_killed():
    async def whole():
        child = await Child.start(['simulate', 'kinematic_od'])
        failed = how_it_ended(await child.wait(), child.error)
        other = await Child.start(['simulate', 'kinematic_ode'])
        os.kill(other.pid, signal.SIGKILL)
        killed = how_it_ended(await other.wait(), other.error)
        await other.end()
        return failed, killed

    (failed, text), (lost, reason) = run_async(whole())
    assert failed == 'failed'
    assert text.startswith("configuration 'kinematic_od' is unknown")
    assert (lost, 'SIGKILL' in reason) == ('lost', True)
