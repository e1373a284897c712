# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Coroutines in tests."""

import asyncio
import concurrent.futures


def run_async(scenario):
    """Run a coroutine in a thread of its own: Playwright keeps a loop in that of the tests."""
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, scenario).result()
