# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that record and read bags; a conftest.py takes those it needs."""

from __future__ import annotations

from collections.abc import Callable
import logging
from pathlib import Path

from bag_samples import (
    ACKERMANN,
    Messages,
    NUMBER,
    ODOMETRY,
    Row,
    START_NS,
    write_ours,
    WRITERS,
)
import pytest

from racecar.base.types import WHEEL_NAMES

STEP_NS = 10_000_000
PAIRS = (('long_pub', 'fx_pub', -100.0), ('lat_pub', 'fy_pub', -50.0))


@pytest.fixture(autouse=True)
def warnings_reach_caplog(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what `launch` does to all loggers; pytest loads it wherever ROS is installed."""
    monkeypatch.setattr(logging.getLogger('racecar.bags.reader'), 'propagate', True)


@pytest.fixture(scope='session')
def messages() -> Messages:
    return Messages()


@pytest.fixture(scope='session')
def rows(messages: Messages) -> list[Row]:
    """Two seconds: reference at 100 Hz, odometry 0.1 m beside it at 20 Hz, commands."""
    found: list[Row] = []
    for tick in range(200):
        now = START_NS + tick * 10_000_000
        x = 0.01 * tick
        found.append(('/reference_trajectory', ODOMETRY, now, messages.odometry(now, x, 1.0)))
        if tick % 5 == 0:
            found.append(('/vesc/odom', ODOMETRY, now, messages.odometry(now, x, 1.1, 0.25)))
            found.append(('/command', ACKERMANN, now, messages.ackermann(now, 0.5, -0.125)))
    return found


@pytest.fixture(params=list(WRITERS))
def bag(
    request: pytest.FixtureRequest, tmp_path: Path, rows: list[Row], messages: Messages,
) -> Path:
    """The run in each kind of bag."""
    return WRITERS[request.param](tmp_path / 'run', rows, messages)


@pytest.fixture
def write_bag(
    tmp_path: Path, messages: Messages,
) -> Callable[[list[Row]], Path]:
    return lambda given: write_ours(tmp_path / 'run', given, messages)


@pytest.fixture
def with_tyres(rows, messages):
    """Return the rows of a run with a slip and a force of each wheel at each tick."""
    def make(left_out=lambda topic, tick: False, namespace='', slip=lambda wheel, tick: None):
        found = [(namespace + row[0], *row[1:]) for row in rows]
        for tick in range(200):
            for slip_topic, force_topic, stiffness in PAIRS:
                for number, wheel in enumerate(WHEEL_NAMES):
                    value = slip(wheel, tick)
                    if value is None:
                        value = 1e-3 * tick + 0.1 * number
                    for topic, content in ((f'{slip_topic}/{wheel}', value),
                                           (f'{force_topic}/{wheel}', stiffness * value)):
                        if not left_out(topic, tick):
                            found.append((f'{namespace}/{topic}', NUMBER,
                                          START_NS + tick * STEP_NS, messages.number(content)))
        return sorted(found, key=lambda row: row[2])
    return make
