# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Waiting for what a page shows and for what a server is told."""

import time

DEADLINE = 20.0  # [s]


def wait_for(page, condition, *, what=''):
    """Wait until a function without arguments gives something true, while the browser goes on."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        page.wait_for_timeout(20)
    raise AssertionError(f'{what or condition} did not become true; last: {found!r}')


def numbers(page):
    """Return what the page says of its car, by column; empty if it knows nothing."""
    return page.evaluate('window.racecarCockpit && window.racecarCockpit.state') or {}


def wait_for_car(page):
    """Wait until the page knows of a car that moves, and its scene, if it has one, shows it."""
    wait_for(page, lambda: page.evaluate("""() => {
      const cockpit = window.racecarCockpit;
      return cockpit && cockpit.samples > 5
        && (cockpit.frames > 1 || !document.getElementById('no-webgl').hidden);
    }"""), what='a car')


def sent(feed, kind):
    """Return the messages of a type that a feed was sent, without their time."""
    return [{key: value for key, value in message.items() if key != 'sent'}
            for message in [*feed.received] if message['type'] == kind]
