# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A policy in many episodes of an environment: what evaluate() runs, on any cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import functools
import math
import os
from pathlib import Path
import time
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.environment import hash_of_file, present_environment
from racecar.base.errors import ConfigurationError, excerpt, RunError
from racecar.base.values import Values
from racecar.control.policy.contract import load_policy, Policy, PolicyContract
from racecar.facade.arguments import Text
from racecar.facade.chunks import Lost
from racecar.facade.cluster import open_cores
from racecar.facade.run import data_frame
from racecar.facade.simulation import progress_bar
from racecar.facade.sweeps import check_jobs
from racecar.gym.options import resolve_options
from racecar.gym.racing import Racing
from racecar.gym.randomisation import world_seeds
from racecar.metrics.quantities import Quantity

if TYPE_CHECKING:
    import pandas

MOST_EPISODES = 10_000_000

UNITS = {'return': '', 'duration': 's', 'driven': 'm', 'laps': '', 'best_lap': 's', 'contact': '',
         'truncated': ''}
"""Columns of an evaluation beside the number of the episode, and their units."""

Answer = Callable[[NDArray[np.float32]], Array]
"""Actions (n, 2) to observations (n, numbers)."""


class Episodes(NamedTuple):
    """What came of some episodes: columns (n,) by the names of UNITS; seconds: that it took."""

    first: int
    columns: Mapping[str, Array]
    seconds: float

    @property
    def points(self) -> int:
        """How many there are."""
        return len(self.columns['return'])


class EvaluationTask(NamedTuple):
    """Episodes of an environment as a task; number k has the seed `seed` + k.

    policy: a file, or a function of observations; options: of the environment.
    """

    policy: str | Answer
    options: Values
    seed: int

    @property
    def files(self) -> Mapping[str, str]:
        """The file of the policy, with its hash."""
        return {self.policy: hash_of_file(self.policy)} if isinstance(self.policy, str) else {}

    @property
    def is_heavy(self) -> bool:
        """No: worlds run side by side."""
        return False

    def run(self, first: int, count: int, threads: int) -> Episodes:
        """Drive some episodes to their ends, side by side.

        Raises ConfigurationError for options that cannot be, and for a policy that does not fit.
        """
        begin = time.perf_counter()
        options = resolve_options(self.options)
        # Worlds take the tracks in turn: some are made in vain so that the first has its own.
        before = first % len(options.tracks)
        racing = Racing(options, before + count, threads=threads)
        answer = _answer(self.policy, racing.contract)
        racing.begin(np.ones(racing.worlds, dtype=bool),
                     world_seeds(self.seed + first - before, racing.worlds))
        drives = np.arange(racing.worlds) >= before
        found = {name: np.zeros(racing.worlds) for name in UNITS}
        found['best_lap'][:] = np.nan
        while drives.any():
            actions = np.zeros((racing.worlds, 1, 2))
            actions[drives, 0] = _checked(answer(racing.observations[drives, 0]), drives)
            racing.drive(actions, np.repeat(drives[:, None], racing.cars, axis=1))
            facts = {name: values[:, 0] for name, values in racing.facts().items()}
            found['return'][drives] += racing.rewards[drives, 0]
            found['contact'][drives] += facts['contact'][drives] > 0.0
            found['duration'][drives] += 1.0
            lapped = drives & (facts['last_lap'] > 0.0)
            found['best_lap'][lapped] = np.fmin(
                found['best_lap'][lapped], facts['last_lap'][lapped])
            for name in ('driven', 'laps'):
                found[name][drives] = facts[name][drives]
            ended = racing.ended[:, 0]
            found['truncated'][drives & racing.truncated & ~ended] = 1.0
            drives &= ~(ended | racing.truncated)
        found['duration'] /= options.settings.rate
        return Episodes(first, {name: values[before:] for name, values in found.items()},
                        time.perf_counter() - begin)


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationResult:
    """What a policy did in some episodes.

    policy: file or name of a function. values: by the names of UNITS, (n,): `return`, the sum of
    the rewards; `duration` [s]; `driven` along the line [m]; `laps`; `best_lap` [s], NaN without
    one; `contact`, periods with a contact; `truncated`, whether the time ended it. provenance:
    options, seed, hash of the policy, and versions.
    """

    policy: str
    values: Mapping[str, Array]
    provenance: Mapping[str, object]

    def __len__(self) -> int:
        """Number of episodes."""
        return len(self.values['return'])

    def columns(self) -> dict[str, list[float]]:
        """Number, seed and values of all episodes by name, SI units."""
        seed = self.provenance['seed']
        assert isinstance(seed, int)
        return {'episode': [*range(len(self))], 'seed': [seed + k for k in range(len(self))],
                **{name: values.tolist() for name, values in self.values.items()}}

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a DataFrame. Raises ConfigurationError where pandas is not installed."""
        return data_frame(self.columns())

    def as_rows(self) -> list[tuple[str, str, str]]:
        """Figures for people: (name, value, unit)."""
        values = self.values
        laps = values['best_lap'][~np.isnan(values['best_lap'])]
        return [Quantity('episodes', len(self)).row(), *(
            Quantity(f'mean {name}', float(np.mean(values[name])), UNITS[name]).row()
            for name in ('return', 'duration', 'driven', 'laps')),
            Quantity('episodes with contact', int(np.sum(values['contact'] > 0.0))).row(),
            Quantity('best lap', float(np.min(laps)) if laps.size else None, 's').row()]

    def __repr__(self) -> str:
        """Say how many episodes there are, and what the policy gained."""
        return (f"<EvaluationResult {self.policy}: {len(self)} episodes, mean return"
                f" {np.mean(self.values['return']):.4g},"
                f" {int(np.sum(self.values['contact'] > 0.0))} with contact>")


def evaluate(
    policy: Text | Answer, track: str | Sequence[str] = 'racetrack', *, episodes: int = 100,
    seed: int = 0, jobs: int | None = None, scheduler: str | None = None, progress: bool = False,
    **options: object,
) -> EvaluationResult:
    """Drive a policy through many episodes of an environment, side by side and on all cores.

    - policy: an ONNX file of save_policy(), or a function that gives actions (n, 2) for
      observations (n, numbers), each row by itself.
    - track, options: as of make_env().
    - episodes: how many; number k is the first episode of an environment with the seed `seed` + k.
    - seed: of the first.
    - jobs, scheduler: as of sweep(); functions are sent to workers, files must be there.
    - progress: whether to show a bar on stderr.

    Returns what came of each, the same on any number of cores. Raises RacecarError with a line
    that says which value is wrong, what was expected, and what to do.
    """
    for name, value, least in (('episodes', episodes, 1), ('seed', seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ConfigurationError(
                f'{name} is {excerpt(value)}, expected a whole number of at least {least}')
    if episodes > MOST_EPISODES:
        raise ConfigurationError(f'episodes is {episodes}, expected at most {MOST_EPISODES}')
    check_jobs(jobs)
    if not callable(policy) and not isinstance(policy, (str, os.PathLike)):
        raise ConfigurationError(
            f'policy is {excerpt(policy)}, expected an ONNX file or a function of observations')
    chosen = policy if callable(policy) else str(Path(policy).expanduser().absolute())
    # What is wrong is said before any worker starts.
    given = {'track': track, **options}
    _answer(chosen, Racing(resolve_options(given), 1, threads=1).contract)
    task = EvaluationTask(chosen, given, seed)
    parts: list[Episodes] = []
    with open_cores(scheduler, jobs) as cores, progress_bar(
            episodes, shown=progress, description='evaluating', unit='episodes') as show:
        for found in cores.run(task, [(0, episodes)]):
            if isinstance(found, Lost):
                raise RunError(f'episode {found.first} of {episodes}: {found.why}')
            parts.append(found)
            if show is not None:
                show(sum(part.points for part in parts))
    parts.sort(key=lambda part: part.first)
    name = chosen if isinstance(chosen, str) else getattr(chosen, '__name__', repr(chosen))
    return EvaluationResult(
        name, {key: np.concatenate([part.columns[key] for part in parts]) for key in UNITS},
        {'seed': seed, 'options': given, 'files': dict(task.files),
         'environment': dict(present_environment())})


@functools.lru_cache(maxsize=4)
def _loaded(path: str, modified: float) -> Policy:
    return load_policy(path)


def _answer(policy: str | Answer, contract: PolicyContract) -> Answer:
    """What gives actions. Raises ConfigurationError for a file made for another environment."""
    if not isinstance(policy, str):
        return policy
    try:
        modified = os.stat(policy).st_mtime
    except OSError:
        # The reader says what is wrong with it.
        modified = math.nan
    network, own = _loaded(policy, modified)
    for field in ('parts', 'observation', 'action', 'scaled', 'rate'):
        theirs, ours = getattr(own, field), getattr(contract, field)
        if theirs != ours:
            raise ConfigurationError(
                f'policy {excerpt(policy)} was made for another environment: its {field} is'
                f' {excerpt(theirs)}, here it is {excerpt(ours)}; give the options with which it'
                ' was trained')
    return network.answer


def _checked(actions: object, drives: NDArray[np.bool_]) -> Array:
    """Actions of the worlds that drive. Raises ConfigurationError for another shape."""
    found = np.asarray(actions, dtype=float)
    if found.shape != (expected := (int(drives.sum()), 2)):
        raise ConfigurationError(
            f'the policy gives actions of the shape {found.shape}, expected {expected}: one row'
            ' for each row of observations')
    return found
