# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a search for parameters found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import os
from pathlib import Path
import shlex
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np
import yaml

from racecar.base.extras import require
from racecar.base.run_file import RunFile
from racecar.control.custom_controller import CONTROLLER
from racecar.facade.tuning_file import OBJECTIVES, Range, Tuning
from racecar.metrics.quantities import Quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from racecar.analysis.tuning_report import Tuned

COMPLETE, PRUNED, LOST = 'complete', 'pruned', 'lost'
"""How a trial ends: after all cases, before some as it could not become the best any more, or with
a car that diverged, whose controller failed, or that has no such metric."""


_MOST_SHOWN = 10
"""Of a front."""


class Trial(NamedTuple):
    """A trial that has ended: its number, values by node.parameter and of each objective [SI].

    Values of one that was pruned are those of the cases that it drove, of one that was lost they
    are infinite; why: it was lost.
    """

    number: int
    parameters: Mapping[str, Any]
    values: tuple[float, ...]
    state: str = COMPLETE
    why: str = ''

    @property
    def is_complete(self) -> bool:
        """Whether it drove all cases to their end."""
        return self.state == COMPLETE


@dataclass(frozen=True, eq=False, repr=False)
class TuneResult:
    """What a search found.

    tuning: what was sought; trials: all that ended; best: the complete one with the least value,
    of several objectives all to which none is better in each, ordered by the first; importances:
    share of each parameter in the variance of an objective, by objective and name, empty where
    that cannot be told.
    """

    tuning: Tuning
    trials: tuple[Trial, ...]
    best: tuple[Trial, ...]
    importances: Mapping[str, Mapping[str, float]]

    def __len__(self) -> int:
        """Number of trials."""
        return len(self.trials)

    @property
    def spread(self) -> tuple[Trial, ...]:
        """At most ten of the best, from the least first objective to the least last one."""
        count = len(self.best)
        picked = np.linspace(0, count - 1, min(count, _MOST_SHOWN)).round().astype(int)
        return tuple(self.best[number] for number in picked.tolist())

    def plot(self) -> Figure:
        """Draw history and importances, of several objectives also the front of the best."""
        require('plot()', 'matplotlib')
        from racecar.analysis.tuning_figure import tuning_figure

        return tuning_figure(self._tuned())

    def report(
        self, path: str | os.PathLike[str], commands: Sequence[str] = (),
        source: Sequence[tuple[str, str]] = (),
    ) -> Path:
        """Write a report with figures that can be zoomed as one HTML file; its path.

        commands: that drive those of `spread`; source: rows, name and text, that say how it was
        made. Raises ConfigurationError if it cannot be written.
        """
        from racecar.analysis.tuning_report import tuning_report

        file = Path(path)
        tuning_report(
            self._tuned(), self.as_rows(), [trial.number for trial in self.spread], commands,
            source).write(file)
        return file

    def _tuned(self) -> Tuned:
        from racecar.analysis.tuning_report import Tuned

        tuning = self.tuning
        return Tuned(
            f'{tuning.name}: {len(self)} trials', {
                name: OBJECTIVES[name] for name in tuning.objectives},
            np.array([trial.values for trial in self.trials]),
            [trial.state for trial in self.trials], [trial.number for trial in self.best],
            {name: [trial.parameters.get(name) for trial in self.trials]
             for name in tuning.space},
            {name for name, where in tuning.space.items()
             if isinstance(where, Range) and where.log}, self.importances)

    def columns(self) -> dict[str, list[object]]:
        """Number, parameters, objectives and state of all trials by name, SI units.

        Parameters that a trial does not have are None.
        """
        found: dict[str, list[object]] = {'trial': [trial.number for trial in self.trials]}
        found |= {name: [trial.parameters.get(name) for trial in self.trials]
                  for name in self.tuning.space}
        found |= {name: [trial.values[index] for trial in self.trials]
                  for index, name in enumerate(self.tuning.objectives)}
        return found | {'state': [trial.state for trial in self.trials]}

    def parameter_file(self, trial: Trial) -> str:
        """ROS parameter file with the values of a trial, for --params-file and launch files.

        Settings of a custom controller and options are no parameters of a node: they are a
        comment, with the options that give them.
        """
        variant = self.tuning.variant(trial.parameters)
        sweep, nodes = variant.cases[0].sweep, dict[str, dict[str, object]]()
        options = [f'--{name.replace("_", "-")} {shlex.quote(str(trial.parameters[name]))}'
                   for name in self.tuning.options if trial.parameters[name] is not None]
        for name in variant.names:
            for node, parameter in sweep.targets_of(name):
                if node == CONTROLLER:
                    options.append(f'--set {name}={trial.parameters[name]}')
                    continue
                nodes.setdefault(f'/**/{node}', {})[parameter] = trial.parameters[name]
        content = {node: {'ros__parameters': values} for node, values in nodes.items()}
        lines = [f'# Trial {trial.number} of {len(self)} of racecar tune {self.tuning.name}:'
                 f' {self._figures(trial)}\n', *(f'# {option}\n' for option in options)]
        return ''.join(lines) + (yaml.safe_dump(content, sort_keys=False) if content else '')

    def run_file(self, trial: Trial, command: str) -> RunFile:
        """How a run of a trial is made, on the first case; command: as typed."""
        variant = self.tuning.variant(trial.parameters)
        point = tuple(trial.parameters[name] for name in variant.names)
        return variant.cases[0].sweep.at([point]).run_file(command, 0)

    def as_rows(self) -> list[tuple[str, str, str]]:
        """Figures for people: (name, value, unit)."""
        states = [trial.state for trial in self.trials]
        rows = [('trials', str(len(self)), ''),
                ('pruned', str(states.count(PRUNED)), ''),
                ('diverged or failed', str(states.count(LOST)), '')]
        for trial in self.spread:
            described = ', '.join(f'{name}={value:.6g}' if isinstance(value, float)
                                  else f'{name}={value}'
                                  for name, value in trial.parameters.items())
            rows.append(('best', f'trial {trial.number}',
                         f'{self._figures(trial)} with {described}'))
        return rows

    def _figures(self, trial: Trial) -> str:
        """Objectives of a trial for people."""
        rows = (Quantity(name, value, OBJECTIVES[name]).row() for name, value in zip(
            self.tuning.objectives, trial.values, strict=True))
        return ', '.join(' '.join(row) for row in rows)

    def __repr__(self) -> str:
        """Say how many trials there were, and which is the best."""
        best = self.best[0]
        found = f'; best {self._figures(best)} with {dict(best.parameters)}'
        return f'<TuneResult {self.tuning.name}: {len(self)} trials{found}>'
