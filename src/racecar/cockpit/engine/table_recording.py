# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The samples of a run as tables and a run.yaml, which all commands for runs take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
import math
from pathlib import Path

import numpy as np

from racecar.base.errors import RunError
from racecar.base.run_file import CSV_NAME, NAME, RunFile
from racecar.base.types import AckermannCommand, Odometry
from racecar.metrics.run_table import RunCsv
from racecar.simulation.closed_loop import Row, row_of
from racecar.stacks.stepped.local_node import LocalNode
from racecar.stacks.stepped.stepped_car import Instant


class TableRecording:
    """One recording at a time."""

    def __init__(
        self, nodes: Mapping[str, LocalNode], cars: Sequence[str], made: Callable[[], RunFile],
    ) -> None:
        """nodes: by full name; cars: names, '' of the only one; made: how the run was started."""
        self._nodes = nodes
        self._cars = cars
        self._made = made
        self._files: list[RunCsv] = []
        self._open = ExitStack()
        self._last_ns = -1

    def begin(self, folder: Path) -> None:
        """Begin a table in a new folder, with the parameters as they are.

        Of several cars each has a folder of its name in it.
        Raises RunError if one is written already or the folder cannot be made, ConfigurationError
        if the files cannot be written.
        """
        if self._files:
            raise RunError('a recording runs already')
        places = [folder / car for car in self._cars]
        try:
            folder.mkdir(parents=True)
            for place in places:
                place.mkdir(exist_ok=True)
        except OSError as error:
            raise RunError(f"folder '{folder}' cannot be made: {error.strerror}") from error
        made = self._made()
        now = {name.lstrip('/'): node.values for name, node in self._nodes.items()}
        file = replace(made, nodes={
            name: replace(node, parameters={**node.parameters, **now.get(name, {})})
            for name, node in made.nodes.items()})
        for place in dict.fromkeys([folder, *places]):
            file.write(place / NAME)
        with ExitStack() as opened:
            self._files = [opened.enter_context(RunCsv(place / CSV_NAME)) for place in places]
            self._open = opened.pop_all()
        self._last_ns = -1

    def add(self, instants: Sequence[Instant]) -> None:
        """Add what was at an odometry of each car, unless a reset shows a time once more."""
        if not self._files or instants[0].time_ns <= self._last_ns:
            return
        self._last_ns = instants[0].time_ns
        for file, instant in zip(self._files, instants, strict=True):
            file.add(np.array([_row_of(instant)]))

    def end(self) -> None:
        """Complete the tables; nothing if none is written. Raises ConfigurationError."""
        self._files = []
        self._open.close()


def _row_of(instant: Instant) -> Row:
    reference, command = instant.reference, instant.command
    x, y = (math.nan, math.nan) if reference is None else (reference.x, reference.y)
    return row_of(Odometry.of_body(instant.time_ns, instant.state), x, y,
                  AckermannCommand(math.nan, math.nan) if command is None else command)
