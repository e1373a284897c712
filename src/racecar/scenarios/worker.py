# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The process that runs nodes of a campaign: imports and start of DDS once, then run by run."""

from __future__ import annotations

import contextlib
import math
from multiprocessing.connection import Connection
import os

import rclpy

from racecar.base.errors import RacecarError
from racecar.ros.domains import claim_domain
from racecar.ros.initialising import init
from racecar.scenarios.driving import drive
from racecar.stacks import find_stack
from racecar.stacks.node_run import NodeAnswer, NodeRun


def serve(handle: int) -> None:
    """Run what comes over a connection until it ends, in a ROS domain that nobody else uses.

    handle: its file descriptor.
    """
    connection = Connection(handle)
    with contextlib.ExitStack() as claimed:
        os.environ['ROS_DOMAIN_ID'] = str(claim_domain(claimed))
        init([])
        claimed.callback(rclpy.try_shutdown)
        with contextlib.suppress(EOFError, OSError):
            while True:
                connection.send(_answer(connection.recv()))


def _answer(request: NodeRun) -> NodeAnswer:
    try:
        found = drive(find_stack(request.configuration), request.options)
    except RacecarError as error:
        return NodeAnswer({}, '', str(error), math.nan)
    record = found.record
    metrics = record.metrics(request.skip)
    # A run that diverged has no row of its own for what broke it off.
    failure = '' if found.diverged_at is not None else found.failure or '; '.join(
        f'{name} {why}' for name, why in found.gone.items())
    return NodeAnswer(
        {**({} if metrics is None else metrics.as_dict()),
         **({} if found.diverged_at is not None else record.at_the_end()),
         'tracked_ahead': record.tracked_ahead, 'collisions': record.collisions},
        failure, '', math.nan if found.diverged_at is None else found.diverged_at, found.late)
