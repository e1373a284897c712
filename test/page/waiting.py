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
    """Wait until the scene shows a car that has moved."""
    wait_for(page, lambda: page.evaluate(
        'window.racecarCockpit && window.racecarCockpit.samples > 5'
        ' && window.racecarCockpit.frames > 1'), what='a car in the scene')


def sent(feed, kind):
    """Return the messages of a type that a feed was sent."""
    return [message for message in [*feed.received] if message['type'] == kind]
