# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A browser without a window, and servers with the page of the cockpit."""

import asyncio
import concurrent.futures
import contextlib
import importlib.util
import shutil
import socket
import subprocess
import threading
from typing import Any

import pytest

# The first is made for this: a page takes it two thirds of the processor time.
BROWSERS = ('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')
# Drawn by the processor, in any container: the scene by WebGL, and what is no scene without it,
# which takes three quarters of the time.
ARGUMENTS = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
             '--disable-gpu-compositing', '--no-sandbox', '--disable-dev-shm-usage']
NO_SCENE = """const original = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind === 'webgl2' ? null : original.call(this, kind, ...more);
};"""
DEADLINE = 20_000  # [ms]
MISSING = ', '.join(
    name for name in ('aiohttp', 'playwright') if importlib.util.find_spec(name) is None)


class ModuleWithoutBrowser(pytest.Module):
    """A test module that cannot even be imported here."""

    def collect(self):
        pytest.skip(f'needs a browser: {MISSING} cannot be imported', allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    return ModuleWithoutBrowser.from_parent(parent, path=module_path) if MISSING else None


def starts(program):
    """Tell whether a browser is more than a hint to install one."""
    return subprocess.run([program, '--version'], capture_output=True).returncode == 0


# Playwright keeps an event loop in this thread, so that asyncio.run() of other tests would fail.
@pytest.fixture(scope='module')
def browser():
    from playwright.sync_api import sync_playwright

    program = next(filter(starts, filter(None, map(shutil.which, BROWSERS))), None)
    if program is None:
        pytest.skip(f"needs a browser that starts, one of {', '.join(BROWSERS)}")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def open_page(browser):
    """Return a function that opens an address, or a blank page, in a window of its own.

    Without a scene, as in a browser without WebGL, it takes a fraction of the time.
    """
    with contextlib.ExitStack() as stack:
        def opened(address=None, script=None, scene=False, **settings):
            context = browser.new_context(
                **{'viewport': {'width': 900, 'height': 600}, **settings})
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(DEADLINE)
            page.faults = []
            page.on('pageerror', lambda error: page.faults.append(str(error)))
            page.on('console', lambda message: page.faults.append(message.text)
                    if message.type == 'error' else None)
            if script:
                page.add_init_script(script)
            if not scene:
                page.add_init_script(NO_SCENE)
            if address:
                page.goto(address)
            return page
        yield opened


class Served:
    """A feed that is served in a thread; `address` is that of its page."""

    def __init__(self, feed, port=0):
        self.feed = feed
        self._ready: concurrent.futures.Future[int] = concurrent.futures.Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(port)))
        self._thread.start()
        self.port = self._ready.result(10)
        self.address = f'http://127.0.0.1:{self.port}/'

    async def _run(self, port):
        from racecar.cockpit.access import Access
        from racecar.cockpit.server import CockpitServer

        listener = socket.create_server(('127.0.0.1', port))
        port = listener.getsockname()[1]
        server = CockpitServer(self.feed, Access('127.0.0.1', port))
        async with server.running(listener, 1.0):
            self._loop = asyncio.get_running_loop()
            self._task = asyncio.create_task(self.feed.run(server.hub))
            self._ready.set_result(port)
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def call(self, function, *arguments, **options):
        """Call something in the server's thread."""
        done: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._loop.call_soon_threadsafe(
            lambda: done.set_result(function(*arguments, **options)))
        return done.result(10)

    def stop(self):
        """End it, as if it were killed."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._task.cancel)
            self._thread.join(10)
            assert not self._thread.is_alive()


@pytest.fixture
def serve():
    """Return a function that serves an ExampleFeed with these settings."""
    from example_feed import ExampleFeed

    with contextlib.ExitStack() as stack:
        def served(port=0, **settings):
            found = Served(ExampleFeed(**settings), port)
            stack.callback(found.stop)
            return found
        yield served
