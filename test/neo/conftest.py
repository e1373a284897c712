# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the protocol's two sides have in common."""

from concurrent.futures import ThreadPoolExecutor

import pytest


@pytest.fixture
def beside():
    """Run a function beside the test; its result is waited for at the end."""
    with ThreadPoolExecutor(4) as pool:
        futures = []

        def start(function, *arguments):
            futures.append(pool.submit(function, *arguments))
            return futures[-1]

        yield start
        for future in futures:
            future.result(60.0)
