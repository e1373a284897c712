# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether pictures can be drawn here: tests that look at some are skipped elsewhere."""

import functools

import pytest

from racecar.base.errors import ConfigurationError
from racecar.rendering.drawing_process import DrawingProcess
from racecar.rendering.sight import Quality
from racecar.scene.scene import EMPTY_SCENE


@functools.cache
def why_not():
    try:
        # In a process of its own: a broken driver may end it.
        DrawingProcess(EMPTY_SCENE, [], Quality(16, 16)).close()
    except ConfigurationError as error:
        return str(error)
    return ''


@pytest.fixture(scope='session')
def gl():
    if why_not():
        pytest.skip(why_not())
