# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a server: their states, their files, and what is refused."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('aiohttp', reason='the server of the cockpit needs aiohttp')

from fake_child import FakeChild
from own_event_loop import run_async
from served import served

import racecar
from racecar.analysis.run_csv import read_run_csv
from racecar.base.errors import RunError
from racecar.base.run_file import CSV_NAME
from racecar.cockpit import link
from racecar.cockpit.live_feed import CockpitFeed
from racecar.cockpit.recordings import Recordings
from racecar.facade.fleet_run import FleetRun
from racecar.metrics.run_table import COLUMNS, RunTable

LONGEST_ANALYSIS = 120.0  # [s]


class TableRecorder:
    """Writes a drive straight ahead as the table of a run."""

    def __init__(self):
        self.folder: Path | None = None
        self.may_start = asyncio.Event()
        self.may_start.set()

    async def start(self, folder):
        await self.may_start.wait()
        if folder.exists():
            raise RunError('it exists')
        folder.mkdir(parents=True)
        self.folder = folder

    async def stop(self):
        rows = np.zeros((100, len(COLUMNS)))
        rows[:, 0] = rows[:, 1] = 0.01 * np.arange(100)
        rows[:, 4] = 1.0
        assert self.folder is not None
        RunTable(rows).write_csv(self.folder / CSV_NAME)


class Recording(CockpitFeed):
    """A feed whose recordings are tables."""

    def make_recorder(self):
        self.recorder = TableRecorder()
        return self.recorder


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a scenario with a server, a page and what it has started, in an empty folder."""
    monkeypatch.setattr(link, 'Child', FakeChild)
    monkeypatch.chdir(tmp_path)

    def start(scenario):
        async def whole():
            FakeChild.started = asyncio.Queue()
            feed = Recording(with_nodes=True)
            async with served(feed) as server:
                page = await server.page()
                await page.send('start', configuration='kinematic_ode',
                                options={'world': 'racetrack'})
                child = await FakeChild.started.get()
                await child.connect()
                await page.get('session', state='running')
                await scenario(server, feed, page, child)

        run_async(whole())

    return start


async def analysed(found):
    """Wait for the report of the first recording, which takes a while on a busy machine."""
    async with asyncio.timeout(LONGEST_ANALYSIS):
        while not len(found) or not found.describe(1)['is_ready']:
            await asyncio.sleep(0.02)


async def get(server, number, kind):
    """Return status, headers and body of what a browser fetches."""
    async with server.session.get(f'{server.url}/recordings/{number}/{kind}',
                                  allow_redirects=False) as response:
        return response.status, response.headers, await response.read()


def test_a_run_is_recorded_analysed_and_its_files_are_given(run):
    async def scenario(server, feed, page, child):
        assert (await get(server, 1, 'csv'))[0] == 404
        await page.send('record', on=True)
        await page.get('recordings', state='on')
        await page.send('record', on=True)
        assert 'already' in (await page.get('error'))['text']
        await page.send('record', on=False)
        await analysed(feed.recordings)
        other = await server.page()
        assert (await other.get('recordings'))['list'][0]['is_ready']
        status, headers, report = await get(server, 1, 'report')
        assert status == 200
        assert b'<html' in report
        assert 'sandbox' in headers['Content-Security-Policy']
        status, headers, table = await get(server, 1, 'csv')
        assert table == (feed.recorder.folder / CSV_NAME).read_bytes()
        assert f'attachment; filename="{feed.recorder.folder.name}.csv"' == headers[
            'Content-Disposition']
        # The table of samples is no bag.
        assert (await get(server, 1, 'bag'))[0] == 404
        status, headers, _ = await get(server, 1, 'replay')
        assert status == 302
        async with server.session.get(headers['Location']) as response:
            assert response.status == 200
        for number, kind in ((0, 'csv'), (2, 'report'), (2, 'replay'), (1, 'run.yaml')):
            assert (await get(server, number, kind))[0] == 404

    run(scenario)


def test_the_end_of_a_run_ends_its_recording_and_offers_it_as_result(run):
    async def scenario(server, feed, page, child):
        await page.send('record', on=True)
        await page.get('recordings', state='on')
        await page.send('stop')
        ended = await page.until(lambda found: isinstance(found, dict) and found[
            'type'] == 'session' and found['state'] == 'ended' and 'result' in found)
        assert 'recorded' in ended['result']['text']
        assert ended['result']['files'] == [str(feed.recorder.folder)]
        # The next run has no result yet.
        await page.send('start', configuration='teleop')
        assert 'result' not in await page.get('session', state='starting')
        other = await server.page()
        assert len((await other.get('recordings'))['list']) == 1

    run(scenario)


def test_a_driver_is_heard_while_a_recording_begins(run):
    async def scenario(server, feed, page, child):
        feed.recorder.may_start.clear()
        await page.send('record', on=True)
        await page.get('recordings', state='starting')
        await page.send('pause')
        await child.hear_of('pause')
        feed.recorder.may_start.set()
        await page.get('recordings', state='on')

    run(scenario)


def test_what_cannot_be_recorded_is_told(run, monkeypatch):
    async def scenario(server, feed, page, child):
        async def fails(folder):
            raise RunError('the disk is full')

        monkeypatch.setattr(feed.recorder, 'start', fails)
        await page.send('record', on=True)
        await page.get('recordings', state='off')
        assert 'the disk is full' in (await page.get('error'))['text']

    run(scenario)


def test_a_run_without_ros_is_recorded_as_simulate_computes_it(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    async def whole():
        async with served(CockpitFeed(with_nodes=False)) as server:
            page = await server.page()
            await page.send('start', configuration='kinematic_ode', options={'end_time': 4.0})
            await page.get('session', state='running')
            await page.send('record', on=True)
            await page.until(lambda found: isinstance(found, dict) and found['type'] == 'session'
                             and found['state'] == 'ended' and 'result' in found)

    run_async(whole())
    folder, = (tmp_path / 'runs').iterdir()
    recorded = read_run_csv(folder / CSV_NAME)
    computed = racecar.simulate('kinematic_ode', duration=4.0).table
    first = int(np.searchsorted(computed['time'], recorded['time'][0]))
    assert len(recorded) > 100
    assert recorded['time'][-1] > 3.9
    np.testing.assert_array_equal(recorded.rows, computed.rows[first:first + len(recorded)])


def test_several_cars_are_shown_and_recorded_as_simulate_computes_them(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    options = {'cars': 2, 'world': 'racetrack', 'end_time': 3.0}

    async def whole():
        feed = CockpitFeed(with_nodes=False)
        async with served(feed) as server:
            page = await server.page()
            await page.send('start', configuration='gap_ode', options={**options, 'cars': 101})
            assert 'expected a whole number from 1 to 100' in (await page.get('error'))['text']
            await page.send('start', configuration='gap_ode', options=options)
            robots = [await page.get('robot') for _ in range(2)]
            assert [(row['robot'], row['car']) for row in robots] == [(0, 'car1'), (1, 'car2')]
            await page.get('session', state='running')
            await page.send('record', on=True)
            await page.until(lambda found: isinstance(found, dict) and found['type'] == 'session'
                             and found['state'] == 'ended' and 'result' in found)
            await analysed(feed.recordings)
            described: dict[str, Any] = dict(feed.recordings.describe(1))
            assert [row['text'] for row in described['links']] == ['Report', 'Replay']
            _, _, report = await get(server, 1, 'report')
            assert b'car2' in report

    run_async(whole())
    folder, = (tmp_path / 'runs').iterdir()
    computed = racecar.simulate('gap_ode', cars=2, world='racetrack', duration=3.0)
    assert isinstance(computed, FleetRun)
    for name, run in computed.cars.items():
        recorded = read_run_csv(folder / name / CSV_NAME)
        first = int(np.searchsorted(run.table['time'], recorded['time'][0]))
        assert recorded['time'][-1] > 2.9
        np.testing.assert_array_equal(
            recorded.rows, run.table.rows[first:first + len(recorded)])


def test_a_recording_without_a_run_in_it_has_no_report_but_says_why(tmp_path):
    class Empty(TableRecorder):
        async def stop(self):
            assert self.folder is not None
            (self.folder / CSV_NAME).write_text('nothing')

    async def whole():
        changed = asyncio.Event()
        async with Recordings(Empty(), changed.set, folder=tmp_path) as found:
            await found.begin()
            await found.end()
            await analysed(found)
            assert changed.is_set()
            described: dict[str, Any] = dict(found.describe(1))
            assert 'columns of a run' in described['problem']
            assert 'Report' not in [row['text'] for row in described['links']]

    run_async(whole())
