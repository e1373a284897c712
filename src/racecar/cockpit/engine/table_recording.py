# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The samples of a run as a table and a run.yaml, which all commands for runs take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
import math
from pathlib import Path

import numpy as np

from racecar.base.errors import RunError
from racecar.base.run_file import CSV_NAME, NAME, RunFile
from racecar.base.types import NANOSECONDS, Odometry
from racecar.metrics.run_table import RunCsv
from racecar.stacks.stepped.local_node import LocalNode
from racecar.stacks.stepped.stepped_stack import Instant


class TableRecording:
    """One recording at a time."""

    def __init__(self, nodes: Mapping[str, LocalNode], made: Callable[[], RunFile]) -> None:
        """nodes: by full name; made: gives how the run was started."""
        self._nodes = nodes
        self._made = made
        self._file: RunCsv | None = None
        self._last_ns = -1

    def begin(self, folder: Path) -> None:
        """Begin a table in a new folder, with the parameters as they are.

        Raises RunError if one is written already or the folder cannot be made, ConfigurationError
        if the files cannot be written.
        """
        if self._file is not None:
            raise RunError('a recording runs already')
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise RunError(f"folder '{folder}' cannot be made: {error.strerror}") from error
        made = self._made()
        now = {name.lstrip('/'): node.values for name, node in self._nodes.items()}
        replace(made, nodes={
            name: replace(node, parameters={**node.parameters, **now.get(name, {})})
            for name, node in made.nodes.items()}).write(folder / NAME)
        self._file = RunCsv(folder / CSV_NAME)
        self._last_ns = -1

    def add(self, instant: Instant) -> None:
        """Add what was at an odometry, unless a reset shows a time once more."""
        if self._file is None or instant.time_ns <= self._last_ns:
            return
        self._last_ns = instant.time_ns
        at = Odometry.of_body(instant.time_ns, instant.state)
        reference, command = instant.reference, instant.command
        self._file.add(np.array([(
            at.time_ns / NANOSECONDS, at.x, at.y, at.yaw, at.vx, at.vy, at.yaw_rate,
            *((math.nan,) * 2 if reference is None else (reference.x, reference.y)),
            *((math.nan,) * 2 if command is None else command))]))

    def end(self) -> None:
        """Complete the table; nothing if none is written. Raises ConfigurationError."""
        file, self._file = self._file, None
        if file is not None:
            file.close()
