# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a campaign with nodes and the processes that run them exchange."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from racecar.stacks.options import StackOptions


class NodeRun(NamedTuple):
    """A run that is asked for; skip: time at the start that metrics leave out [s]."""

    configuration: str
    options: StackOptions
    skip: float


class NodeAnswer(NamedTuple):
    """What came of a run.

    metrics: by name, None for what is not known. failure: what broke it off, unmade: why its nodes
    cannot be made, lost: why it is not to be trusted, as where a command did not come in time,
    each '' for nothing. diverged_at: [s], NaN if it did not.
    """

    metrics: Mapping[str, float | None]
    failure: str
    unmade: str
    diverged_at: float
    lost: str = ''
