# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""--watch of `up` and `demo`: the page of the cockpit beside the stack they start."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
import contextlib
from dataclasses import dataclass
import json
from pathlib import Path
import signal
import sys
import threading
import webbrowser

from racecar.base.errors import RacecarError
from racecar.cli.beside import Beside, served_beside, tell_address, tell_failure
from racecar.cli.cockpit import attached
from racecar.cockpit.access import check_server
from racecar.signals import Interruption, raising_on_signals

_LONGEST_WAIT = 30.0
"""For the first page [s]: a browser takes a while to start on a busy computer."""

_YES, _NO = 'yes', 'no'


def add_watch_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --watch."""
    parser.add_argument(
        '--watch', action='store_true',
        help='show the run on the page of the cockpit, which opens in the browser, where the'
        ' result stays until the page is closed; in real time unless --real-time-factor is given')


@dataclass
class WatchedRun:
    """The result of a run for the page that shows it, as far as the command has it by now.

    text: a sentence; report: the HTML file; recording: bag or folder of the run.
    """

    text: str = 'the run has ended'
    report: Path | None = None
    recording: Path | None = None

    def message(self, state: str) -> str:
        """Line of text with the result; state: of the session."""
        return json.dumps([state, self.text, *(
            str(path.resolve()) if path is not None and path.exists() else None
            for path in (self.report, self.recording))])


@contextlib.contextmanager
def watched(
    arguments: argparse.Namespace, name: str, namespace: str | None = None,
    topic_names: str | None = None, *, longest_wait: float = _LONGEST_WAIT,
) -> Iterator[WatchedRun]:
    """Serve the page meanwhile, if the arguments ask for it; say on stderr where.

    Waits for the first page, up to longest_wait [s], if a browser can be opened, and at the end
    for the last page to be closed or Ctrl-C. Yields where to put the result. name: of what runs;
    namespace, topic_names: of the robot that it shows. It hears the ROS domain of the environment.
    Raises ConfigurationError if the page cannot be served.
    """
    run = WatchedRun()
    if not arguments.watch:
        yield run
        return
    check_server()
    with served_beside(__name__, 'serve_cockpit', name, namespace, topic_names,
                       longest_wait) as server:
        print(f'The run begins when the page is open, after {longest_wait:g} s at the latest',
              file=sys.stderr)
        if server.hear() != _YES:
            print('No page is open: the run begins without one', file=sys.stderr)
        try:
            yield run
        except Interruption:
            server.tell(run.message('ended'))
            server.hear()
            raise
        except RacecarError as error:
            run.text = str(error)
            _show(server, run.message('failed'))
            raise
        _show(server, run.message('ended'))


def _show(server: Beside, result: str) -> None:
    """Let people look at the result; Ctrl-C is the usual end."""
    sys.stdout.flush()
    try:
        with raising_on_signals():
            server.tell(result)
            if server.hear() == _YES:
                print('The page shows the result until it is closed, or Ctrl-C', file=sys.stderr)
                server.hear()
    except Interruption as error:
        if error.number != signal.SIGINT:
            raise


def serve_cockpit(
    name: str, namespace: str | None, topic_names: str | None, longest_wait: float,
) -> None:
    """Serve the page until the parent ends."""
    from racecar.cockpit.serving import serve
    from racecar.cockpit.watch_feed import RunResult, WatchFeed

    lines: asyncio.Queue[RunResult | None] = asyncio.Queue()
    loop: asyncio.AbstractEventLoop | None = None

    def answer(yes: bool) -> None:
        print(_YES if yes else _NO, flush=True)

    def read() -> None:
        assert loop is not None
        for line in sys.stdin:
            state, text, *paths = json.loads(line)
            loop.call_soon_threadsafe(lines.put_nowait, RunResult(
                state, text, *(None if path is None else Path(path) for path in paths)))
        loop.call_soon_threadsafe(lines.put_nowait, None)

    try:
        feed = WatchFeed(
            *attached(namespace, topic_names), name, on_first_page=answer, result=lines.get,
            on_result_shown=answer, longest_wait=longest_wait)

        def announce(text: str) -> None:
            nonlocal loop
            loop = asyncio.get_running_loop()
            tell_address(text)
            threading.Thread(target=read, daemon=True).start()

        def open_page(address: str) -> None:
            assert loop is not None
            if not webbrowser.open(address):
                loop.call_soon_threadsafe(feed.expect_no_page)

        serve(feed, open_page=open_page, announce=announce)
    except Interruption:
        pass
    except RacecarError as error:
        tell_failure(error)
