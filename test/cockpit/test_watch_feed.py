# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The feed of a command that shows its own run; the test plays the command and the bridge."""

import asyncio
from typing import Any

import numpy as np
import pytest

pytest.importorskip('aiohttp', reason='the server of the cockpit needs aiohttp')

from fake_child import FakeChild
from own_event_loop import run_async
from served import DEADLINE, served

from racecar.cockpit import link, watch_feed
from racecar.cockpit.watch_feed import RunResult, WatchFeed
from racecar.metrics.run_table import COLUMNS, RunTable


class Command:
    """The command whose run is watched; `answers` are what the feed told it."""

    def __init__(self, longest_wait=DEADLINE):
        self.results: asyncio.Queue[RunResult] = asyncio.Queue()
        self.answers: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self.feed = WatchFeed(
            ['cockpit'], 'looking for a robot', 'demo figure_eight',
            on_first_page=lambda seen: self.answers.put_nowait(('first', seen)),
            result=self.results.get, longest_wait=longest_wait,
            on_result_shown=lambda seen: self.answers.put_nowait(('shown', seen)))


@pytest.fixture
def watch(monkeypatch):
    """Run a scenario with a served feed, its command and its bridge."""
    monkeypatch.setattr(link, 'Child', FakeChild)
    monkeypatch.setattr(watch_feed, '_RELOADING', 0.1)

    def start(scenario, **settings):
        async def whole():
            FakeChild.started = asyncio.Queue()
            command = Command(**settings)
            async with served(command.feed) as server, asyncio.timeout(DEADLINE):
                await scenario(server, command, await FakeChild.started.get())

        run_async(whole())

    return start


def test_the_run_begins_once_a_page_and_the_bridge_are_there(watch):
    async def scenario(server, command, bridge):
        page = await server.page()
        assert (page.welcome['mode'], page.welcome['name']) == ('watch', 'demo figure_eight')
        await page.get('session', state='starting', name='demo figure_eight')
        assert command.answers.empty()
        await bridge.connect()
        assert await command.answers.get() == ('first', True)

    watch(scenario)


def test_nobody_waits_for_a_page_where_no_browser_can_be_opened(watch):
    async def scenario(server, command, bridge):
        command.feed.expect_no_page()
        assert await command.answers.get() == ('first', False)
        command.results.put_nowait(RunResult('ended', 'done'))
        assert await command.answers.get() == ('shown', False)

    watch(scenario)


def test_the_wait_for_a_page_is_bounded(watch):
    async def scenario(server, command, bridge):
        assert await command.answers.get() == ('first', False)

    watch(scenario, longest_wait=0.05)


def test_silence_between_two_drives_is_no_loss(watch):
    async def scenario(server, command, bridge):
        page = await server.page()
        await bridge.connect()
        await page.get('session', state='running')
        bridge.say('bridge', state='lost', text='no odometry for 2 s')
        states = []
        while 'ended' not in states:
            states.append((await page.get('session'))['state'])
        assert {*states} <= {'running', 'ended'}
        bridge.say('bridge', state='running', text='it drives')
        await page.get('session', state='running')

    watch(scenario)


def test_the_result_is_shown_with_report_and_replay_until_the_page_is_closed(watch, tmp_path):
    async def scenario(server, command, bridge):
        page = await server.page()
        await bridge.connect()
        assert await command.answers.get() == ('first', True)
        async with server.session.get(f'{server.url}/report') as answer:
            assert answer.status == 404
        report, run = tmp_path / 'report.html', tmp_path / 'run.csv'
        report.write_text('<p>a report</p>')
        RunTable(np.arange(2.0)[:, None] * np.ones(len(COLUMNS))).write_csv(run)
        command.results.put_nowait(RunResult('ended', '80 s driven', report, run))
        session = await page.get('session', state='ended', text='80 s driven')
        while not bridge.was_ended:
            await asyncio.sleep(0)
        assert session['result']['files'] == [str(report), str(run)]
        links = {row['text']: row['address'] for row in session['result']['links']}
        async with server.session.get(f"{server.url}{links['Report']}") as answer:
            assert await answer.text() == '<p>a report</p>'
            policy = answer.headers['Content-Security-Policy']
            assert 'sandbox' in policy
            assert 'allow-same-origin' not in policy
            assert answer.headers['X-Content-Type-Options'] == 'nosniff'
        async with server.session.get(links['Replay']) as answer:
            assert '<title>racecar cockpit' in await answer.text()
        assert await command.answers.get() == ('shown', True)
        await page.socket.close()

    watch(scenario)


def test_another_run_can_be_started_from_the_result_and_keeps_the_command(watch):
    async def scenario(server, command, bridge):
        page = await server.page()
        await bridge.connect()
        assert await command.answers.get() == ('first', True)
        command.results.put_nowait(RunResult('ended', '80 s driven'))
        links = (await page.get('session', state='ended', text='80 s driven'))['result']['links']
        assert [row['text'] for row in links] == ['Start another']
        another = await server.page(links[0]['address'].rstrip('/'))
        assert another.welcome['mode'] == 'cockpit'
        names = [row['name'] for row in another.welcome['configurations']]
        assert 'kinematic_ode' in names
        # Longer than a page may take to be loaded anew.
        await page.socket.close()
        await asyncio.sleep(0.3)
        await another.send('stop')
        assert 'nothing runs' in (await another.get('error'))['text']
        assert not server.running.done()
        await another.socket.close()
        await server.running

    watch(scenario)


def test_a_command_that_is_killed_is_said(watch):
    async def scenario(server, command, bridge):
        page = await server.page()
        await bridge.connect()
        command.results.put_nowait(None)
        assert 'killed' in (await page.get('session', state='lost'))['text']

    watch(scenario)
