# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The server: what it gives, whom it refuses, and viewers that do not read."""

import asyncio
import contextlib
import socket
import threading
from typing import Any
import webbrowser

import numpy as np
import pytest

aiohttp = pytest.importorskip('aiohttp', reason='the server of the cockpit needs aiohttp')

from own_event_loop import run_async  # noqa: E402
from served import served  # noqa: E402

from racecar.base.errors import RunError  # noqa: E402
from racecar.base.share import car_and_robot_names  # noqa: E402
from racecar.cockpit.feed import Feed  # noqa: E402
from racecar.cockpit.frames import json_frame, mesh_frame, state_frame  # noqa: E402
from racecar.cockpit.serving import serve  # noqa: E402


class Plain(Feed):
    """Notes what happens."""

    takes = ('play', 'seek')

    def __init__(self):
        self.heard = []
        self.outlet = None

    @property
    def welcome(self):
        return {'mode': 'replay', 'configurations': []}

    async def run(self, outlet):
        self.outlet = outlet
        await asyncio.Event().wait()

    async def ask(self, viewer, message):
        if message['type'] == 'seek':
            raise RunError('there is no such time')
        self.heard.append((viewer, message['type']))

    def left(self, viewer):
        self.heard.append((viewer, 'left'))

    def want_pictures(self, wanted):
        self.heard.append(('pictures', wanted))


def run(scenario, **options):
    async def whole():
        feed = Plain()
        async with served(feed, **options) as server:
            await scenario(server, feed)

    run_async(whole())


async def raw_page(server):
    """Return reader and writer of a WebSocket that nobody reads."""
    reader, writer = await asyncio.open_connection('127.0.0.1', server.access.port)
    writer.write((
        f'GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{server.access.port}\r\n'
        f'Origin: {server.url}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MTIzNDU2Nzg5MDEyMzQ1Ng==\r\n\r\n'
    ).encode())
    await reader.readuntil(b'\r\n\r\n')
    return reader, writer


def test_it_gives_the_page_and_nothing_else():
    async def scenario(server, feed):
        async with server.session.get(f'{server.url}/') as response:
            assert response.status == 200
            assert 'text/html' in response.headers['Content-Type']
            assert "default-src 'none'" in response.headers['Content-Security-Policy']
            assert "script-src 'self'" in response.headers['Content-Security-Policy']
        for path in ('/static/server.py', '/static/..%2fserver.py', '/static/%2e%2e/server.py',
                     '/static//etc/passwd', '/server.py', '/static/', '/mesh/0-0', '/mesh/..'):
            async with server.session.get(aiohttp.client.URL(
                    server.url + path, encoded=True)) as response:
                assert response.status == 404, path
                assert response.headers['X-Content-Type-Options'] == 'nosniff'

    run(scenario)


@pytest.mark.parametrize('line', [b'GET /\xff HTTP/1.1', b'GET /' + b'a' * 20000, b'\x16\x03\x01'])
def test_what_is_no_http_is_answered_and_not_told_to_the_terminal(line, caplog):
    async def scenario(server, feed):
        reader, writer = await asyncio.open_connection('127.0.0.1', server.access.port)
        writer.write(line + b'\r\n\r\n')
        assert b'400 Bad Request' in await reader.readline()
        writer.close()
        await server.page()

    run(scenario)
    assert not caplog.records


def test_meshes_of_the_feed_are_given_by_their_keys():
    async def scenario(server, feed):
        await server.page()
        feed.outlet.publish(mesh_frame('0-3', np.eye(3), np.array([[0, 1, 2]])))
        async with server.session.get(f'{server.url}/mesh/0-3') as response:
            assert (response.status, len(await response.read())) == (200, 8 + 36 + 12)

    run(scenario)


def test_vehicles_and_pictures_of_what_is_offered_are_given_by_name():
    async def scenario(server, feed):
        await server.page()

        async def status(path):
            async with server.session.get(f'{server.url}{path}') as response:
                return response.status, response.content_type

        assert await status('/picture/vehicle/pioneer') == (200, 'image/png')
        assert await status('/vehicle/racecar') == (200, 'application/json')
        first = f'/mesh/{1000 + car_and_robot_names().index("racecar")}-0'
        assert await status(first) == (200, 'application/octet-stream')
        for path in ('/picture/vehicle/x', '/picture/x/racecar', '/vehicle/x', '/mesh/1006-99'):
            assert (await status(path))[0] == 404

    run(scenario)


def test_other_hosts_and_origins_get_nothing():
    async def scenario(server, feed):
        for path in ('/', '/static/index.html', '/ws'):
            async with server.session.get(
                    server.url + path, headers={'Host': 'evil.example'}) as response:
                assert response.status == 403
        for headers in ({'Origin': 'http://evil.example'}, {'Origin': 'null'}):
            with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                await server.connect(**headers)
            assert caught.value.status == 403
        assert server.hub.viewers == 0

    run(scenario)


def test_a_network_needs_the_token_which_a_cookie_repeats():
    async def scenario(server, feed):
        for query in ('', '?token=wrong'):
            async with server.session.get(f'{server.url}/{query}') as response:
                assert response.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await server.connect()
        async with server.session.get(f'{server.url}/?token={server.access.token}') as response:
            assert response.status == 200
            cookie = response.cookies[server.access.cookie]
            assert (cookie['httponly'], cookie['samesite']) == (True, 'Strict')
        headers = {'Cookie': f'{server.access.cookie}={server.access.token}'}
        async with server.session.get(
                f'{server.url}/static/index.html', headers=headers) as response:
            assert response.status == 200
        socket = await server.connect(**headers)
        assert not socket.closed

    run(scenario, host='0.0.0.0')


def test_messages_go_to_the_feed_and_refusals_back_to_who_asked():
    async def scenario(server, feed):
        page, other = await server.page(), await server.page()
        assert page.welcome['mode'] == 'replay'
        await page.send('play')
        await page.send('seek', time=3)
        assert (await page.get('error'))['text'] == 'there is no such time'
        await page.send('drive', speed=0, steering=0, sent=0)
        assert 'not for the mode replay' in (await page.get('error'))['text']
        await page.socket.send_str('no JSON')
        assert 'is no JSON' in (await page.get('error'))['text']
        await page.socket.send_bytes(b'x')
        assert 'binary' in (await page.get('error'))['text']
        assert feed.heard == [(1, 'play')]
        feed.outlet.publish(json_frame('log', text='last'))
        # The other one has heard nothing of all that.
        assert (await other.until(lambda _: True))['type'] == 'log'

    run(scenario)


def test_a_viewer_that_does_not_read_hinders_nobody():
    async def scenario(server, feed):
        page = await server.page()
        with socket.create_connection(('127.0.0.1', server.access.port)) as stalled:
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stalled.sendall((
                f'GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{server.access.port}\r\n'
                f'Origin: {server.url}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
                'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MTIzNDU2Nzg5MDEyMzQ1Ng==\r\n\r\n'
            ).encode())
            while server.hub.viewers < 2:
                await asyncio.sleep(0.001)
            rows = np.zeros((100, 100))
            for index in range(600):
                # 24 MB, more than any buffer on the way.
                feed.outlet.publish(state_frame(0, np.full(100, float(index)), rows))
                await page.until(lambda found: isinstance(found, bytes))
            assert server.hub.viewers == 2

    run(scenario)


@pytest.mark.parametrize('opcode', [0x1, 0x9], ids=['text', 'ping'])
def test_a_viewer_that_sends_without_end_is_cut_off_and_the_others_are_served(opcode):
    async def scenario(server, feed):
        page = await server.page()
        _, flooding = await raw_page(server)
        # Masked frames that hold nothing.
        frames = bytes([0x80 | opcode, 0x80, 0, 0, 0, 0]) * 1000
        with contextlib.suppress(ConnectionError):
            while not flooding.is_closing():
                flooding.write(frames)
                await flooding.drain()
        while server.hub.viewers > 1:
            await asyncio.sleep(0.001)
        await page.send('play')
        feed.outlet.publish(json_frame('log', text='last'))
        await page.get('log', text='last')

    run(scenario)


def test_connections_that_ask_for_nothing_are_closed_and_too_many_are_not_let_in():
    async def scenario(server, feed):
        async def all_are_closed(count):
            silent = [await asyncio.open_connection('127.0.0.1', server.access.port)
                      for _ in range(count)]
            silent[0][1].write(b'GET / HTTP/1.1\r\nHost: ')
            for reader, writer in silent:
                with contextlib.suppress(ConnectionError):
                    assert await asyncio.wait_for(reader.read(), 10.0) == b''
                writer.close()

        await all_are_closed(12)
        page = await server.page()
        await all_are_closed(2)
        # A page may be silent.
        await page.send('play')
        while not feed.heard:
            await asyncio.sleep(0.001)

    run(scenario, most_connections=8, longest_silence=0.2)


def test_the_feed_hears_who_leaves_and_whether_pictures_are_wanted():
    async def scenario(server, feed):
        page = await server.page()
        await page.send('camera', wanted=True)
        await page.send('play')
        await page.socket.close()
        while (1, 'left') not in feed.heard:
            await asyncio.sleep(0.001)
        assert feed.heard[:3] == [('pictures', True), (1, 'play'), (1, 'left')]
        assert feed.heard[-1] == ('pictures', False)

    run(scenario)


def test_a_browser_that_returns_when_it_is_closed_does_not_hold_up_the_server(monkeypatch):
    class Brief(Feed):
        welcome = {'mode': 'brief'}

        async def run(self, outlet):
            began.set()
            await asyncio.to_thread(closed.wait, 10.0)

    def browse(url):
        seen.append((url, began.wait(10.0)))
        closed.set()

    began, closed = threading.Event(), threading.Event()
    seen: list[Any] = []
    monkeypatch.setattr('webbrowser.open', browse)
    serve(Brief(), open_page=webbrowser.open, announce=lambda text: None)
    (url, was_running), = seen
    assert url.startswith('http://127.0.0.1:')
    assert was_running
