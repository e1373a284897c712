# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What most who use racecar from Python need: `racecar.simulate()` and what belongs to it.

docs/python.md shows these names at work. What they take and return is stable: a change of it is
in the changelog.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from racecar.facade.campaigns import campaign, CampaignResult
    from racecar.facade.environments import make_env
    from racecar.facade.evaluation import evaluate, EvaluationResult
    from racecar.facade.fleet_run import FleetRun
    from racecar.facade.fleet_sweeps import FleetSweepResult
    from racecar.facade.loading import load
    from racecar.facade.rollout import Rollouts, rollouts
    from racecar.facade.run import Run
    from racecar.facade.simulation import simulate
    from racecar.facade.sweeps import sweep, SweepPoint, SweepResult
    from racecar.facade.tuning import tune
    from racecar.facade.tuning_result import TuneResult
    from racecar.facade.vehicle import Vehicle

__all__ = [
    'CampaignResult', 'EvaluationResult', 'FleetRun', 'FleetSweepResult', 'Rollouts', 'Run',
    'SweepPoint', 'SweepResult', 'TuneResult', 'Vehicle', 'campaign', 'evaluate', 'load',
    'make_env', 'rollouts', 'simulate', 'sweep', 'tune',
]

_HOMES = {
    'campaigns': ('CampaignResult', 'campaign'), 'environments': ('make_env',),
    'evaluation': ('EvaluationResult', 'evaluate'), 'fleet_run': ('FleetRun',),
    'fleet_sweeps': ('FleetSweepResult',), 'loading': ('load',),
    'rollout': ('Rollouts', 'rollouts'), 'run': ('Run',), 'simulation': ('simulate',),
    'sweeps': ('SweepPoint', 'SweepResult', 'sweep'), 'tuning': ('tune',),
    'tuning_result': ('TuneResult',), 'vehicle': ('Vehicle',)}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    # At the first use: who drives one car does not wait for environments and schedulers.
    if name not in _HOME_OF:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(importlib.import_module(f'{__name__}.{_HOME_OF[name]}'), name)
