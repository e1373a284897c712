# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Campaigns of faults: what `racecar campaign` and campaign() run, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
import datetime
from functools import cached_property
import itertools
import os
from pathlib import Path
from typing import NamedTuple
import warnings as python_warnings

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError
from racecar.facade.arguments import call_text, plain, suggesting_names, Text
from racecar.facade.datasets import (
    Column,
    DatasetWriter,
    FAILURE,
    open_dataset,
    raise_lost,
    run_into,
    SweepDataset,
    SweepRows,
)
from racecar.facade.node_processes import open_runners
from racecar.facade.simulation import progress_bar
from racecar.facade.sweeps import check_jobs
from racecar.metrics.survival import severities, Share, share_of
from racecar.simulation.faults import KINDS
from racecar.stacks.campaign import load_campaign, make_campaign
from racecar.stacks.fault_points import FIRST

BANDS = 8
"""Bands of equal width into which the sizes of faults of a kind are divided."""
WORST = 10
"""Runs of a list of the worst."""


class Band(NamedTuple):
    """Runs with faults of one kind and target whose sizes are in [low, high], NaN without one.

    over: what the size is; of a kind without one it is the duration.
    """

    fault: str
    over: str
    low: float
    high: float
    share: Share


class WorstRun(NamedTuple):
    """A run that is among the worst: number from 0, its faults, severity, and its command."""

    run: int
    faults: str
    severity: float
    command: str


class CampaignResult:
    """What the cars of a campaign survived; rows are those of its dataset, in order.

    dataset: of the runs. limits: what a car that survives keeps to.
    """

    def __init__(self, dataset: SweepDataset) -> None:
        """Read what is there. Raises ConfigurationError for the dataset of a sweep."""
        self.dataset, self.limits = dataset, dataset.survived
        if not self.limits:
            raise ConfigurationError(
                f"'{dataset.folder}' is the dataset of a sweep, expected that of a campaign")

    def __len__(self) -> int:
        return len(self.severity)

    @cached_property
    def columns(self) -> dict[str, Column]:
        """All columns of the dataset by name."""
        table = self.dataset.table()
        return {name: table[name].to_numpy() for name in table.column_names}

    @cached_property
    def lost(self) -> NDArray[np.bool_]:
        """Whether a car diverged, or its controller or the run failed, (n,)."""
        failed = np.array([text is not None for text in self.columns[FAILURE].tolist()],
                          dtype=bool)
        found: NDArray[np.bool_] = failed | ~np.isnan(self.columns['diverged_at'])
        return found

    @cached_property
    def severity(self) -> Array:
        """Largest share of a limit that a run takes, (n,); infinite for one that is lost."""
        return severities(self.columns, self.limits, self.lost)

    @property
    def survived(self) -> NDArray[np.bool_]:
        """Whether each run survived, (n,)."""
        return self.severity <= 1.0

    @cached_property
    def faults(self) -> list[str]:
        """Kind and target of the faults of each run."""
        columns = self.columns
        kinds = [name for name in columns if name.startswith(FIRST) and name.endswith('_kind')]
        parts = [(columns[name], columns[f"{name.removesuffix('kind')}target"]) for name in kinds]
        return [' + '.join(
            f'{kind} {target}'.strip() for kind, target in zip(row[::2], row[1::2], strict=True)
            if kind) for row in zip(*(column.tolist() for part in parts for column in part),
                                    strict=True)]

    @cached_property
    def _rows_of(self) -> dict[str, NDArray[np.bool_]]:
        """Which rows have which faults, in the order of the file."""
        names = np.array(self.faults)
        known = sorted({*zip(self.columns['case'].tolist(), self.faults, strict=True)})
        return {name: names == name for _, name in known}

    def shares(self) -> dict[str, Share]:
        """Share that survived of each kind and target, in the order of the file."""
        survived = self.survived
        return {name: share_of(survived[rows]) for name, rows in self._rows_of.items()}

    def bands(self) -> Iterator[Band]:
        """Shares by the size of the first fault of a run, or by its duration if it has no size.

        One band for faults that have neither, or one of them.
        """
        survived, kinds = self.survived, self.columns[f'{FIRST}kind']
        for name, rows in self._rows_of.items():
            over = KINDS[str(kinds[rows][0])].size
            sizes = self.columns[f"{FIRST}{'size' if over else 'duration'}"]
            over, known = over or 'duration [s]', sizes[rows & np.isfinite(sizes)]
            if not known.size:
                yield Band(name, '', np.nan, np.nan, share_of(survived[rows]))
                continue
            edges = np.linspace(known.min(), known.max(), BANDS + 1) \
                if np.ptp(known) > 0.0 else np.array([known[0], known[0]])
            places = np.clip(np.searchsorted(edges, sizes, side='right') - 1, 0, len(edges) - 2)
            for place, (low, high) in enumerate(itertools.pairwise(edges.tolist())):
                some = rows & (places == place)
                if some.any():
                    yield Band(name, over, low, high, share_of(survived[some]))

    def worst(self, count: int = WORST) -> list[WorstRun]:
        """The worst runs that did not survive, those that diverged first before all others.

        count: how many at most.
        """
        severity, columns = self.severity, self.columns
        order = np.lexsort((columns['point'], columns['diverged_at'], -severity))
        rows = [int(row) for row in order if severity[row] > 1.0][:count]
        if not rows:
            return []
        numbers = [int(columns['point'][row]) for row in rows]
        commands = self.dataset.commands_of(numbers)
        return [WorstRun(number, str(columns['faults'][row]), float(severity[row]), command)
                for number, row, command in zip(numbers, rows, commands, strict=True)]


@suggesting_names
def campaign(
    file: Text | Mapping[str, object], output: Text | None = None, *, resume: bool = False,
    jobs: int | None = None, scheduler: str | None = None, nodes: bool = False,
    progress: bool = False,
) -> CampaignResult:
    """Simulate a car with faults that are drawn at random, as `racecar campaign` does.

    - file: campaign file, by name or path, or a dictionary like one; docs/campaigns.md.
    - output: folder of the dataset of the runs; default: runs/campaign-DATE-TIME.
    - resume: whether to go on with a dataset that is there.
    - jobs: cores to use; default: all.
    - scheduler: address of a Dask scheduler whose workers run the points, or 'local' for worker
      processes on this machine.
    - nodes: whether each run is a drive of the nodes in lockstep, which needs ROS 2, in place of
      one of the compiled engine; `nodes: true` of a file does the same.
    - progress: whether to show a bar on stderr.

    Returns what was survived. Raises RacecarError with a line that says which value is wrong, what
    was expected, and what to do; RunError for runs that have no row, when all others have theirs.
    """
    check_jobs(jobs)
    path = ''
    if isinstance(file, Mapping):
        content = plain(file)
        assert isinstance(content, dict)
        sweep = make_campaign(content)
    else:
        found, sweep = load_campaign(Path(os.path.expanduser(os.fspath(file))))
        path = str(found.resolve())
    if nodes:
        sweep = replace(sweep, with_nodes=True)
    folder = default_folder() if output is None else Path(os.path.expanduser(os.fspath(output)))
    command = call_text(
        'campaign', path or 'campaign', {'output': str(folder), 'nodes': nodes or None})
    with open_runners(sweep, scheduler, jobs) as cores:
        writer = DatasetWriter(folder, SweepRows(sweep), command, file=path, resume=resume)
        with progress_bar(len(sweep.points), shown=progress, unit='runs') as show:
            outcome = run_into(writer, cores, sweep, show)
    raise_lost(outcome, sweep)
    if outcome.unmade:
        python_warnings.warn(
            f'{outcome.unmade} of {len(sweep.points)} runs cannot be made and count as failed, the'
            f' first: {outcome.warning}', stacklevel=3)
    return CampaignResult(open_dataset(folder))


def default_folder() -> Path:
    """Where a campaign goes for which nobody named a folder."""
    return Path('runs') / f'campaign-{datetime.datetime.now():%Y%m%d-%H%M%S}'
