# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: a YAML file of faults, drawn at random, and what a car has to survive.

A campaign is a sweep whose points are faults.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from racecar.base.errors import ConfigurationError
from racecar.base.fields import Fields
from racecar.base.share import find_campaign
from racecar.base.values import Values
from racecar.base.yaml_file import load_mapping, naming_file
from racecar.control.custom_controller import ControllerClass
from racecar.faults.plant import FAULTS
from racecar.metrics.survival import Limits, limits_of
from racecar.stacks.fault_points import cases_of, FaultPoints
from racecar.stacks.sweep import configured, OPTIONS, Sweep

CONFIGURATION = 'kinematic_ode'
"""That of a file which names none."""

NODES = 'nodes'
"""Key that says whether the runs are drives of nodes."""

KEYS = (*(name for name in OPTIONS if name != FAULTS), 'configuration', 'duration', 'skip', 'set',
        FAULTS, 'runs', 'seed', 'survived', NODES)
"""All keys of a file."""

END_UNITS = {'final_error': 'm', 'final_speed': 'm/s'}
"""Metrics that only campaigns have: at the last tick, distance to the reference and speed."""

EXPECTED = (
    'rmse', 'max_error', 'cross_track_rmse', 'max_cross_track_error', 'heading_rmse', 'speed_rmse',
    *END_UNITS)
"""Metrics that may be among what is expected."""

DEFAULT_SURVIVED = {'max_cross_track_error': Limits(most=0.5)}
"""Of a file that says nothing: a car of a tenth keeps to its half of a corridor of 1 m."""

_MOST_RUNS = 10_000_000
_WHAT = 'campaign file'


def read_campaign(path: Path | str) -> tuple[Path, dict[str, object]]:
    """File of a campaign, by its name in config/campaigns or a path, and its content.

    Raises ConfigurationError for what is none.
    """
    file = find_campaign(path)
    return file, load_mapping(_WHAT, file, f'{FAULTS}: and options')


def load_campaign(path: Path | str) -> tuple[Path, Sweep]:
    """File of a campaign as of read_campaign(), and the sweep that it stands for.

    Raises ConfigurationError or ParameterError naming the file, the key, the value and what is
    expected.
    """
    file, content = read_campaign(path)
    with naming_file(_WHAT, file):
        return file, make_campaign(content)


def make_campaign(content: Values, controller: ControllerClass | None = None) -> Sweep:
    """The sweep that a campaign stands for, from what its file holds or would hold.

    controller: as of make_sweep(). Raises as load_campaign(), without the name of the file.
    """
    fields = Fields('', content)
    fields.know(KEYS)
    cases = cases_of(fields.value(FAULTS))
    runs = fields.whole('runs', 100, 1, _MOST_RUNS)
    seed = fields.whole('seed', 0, 0, 2**31 - 1)
    survived = _survived(fields)
    made = configured(
        fields.text('configuration', CONFIGURATION),
        Fields('', {key: value for key, value in content.items() if key != FAULTS}), controller)
    for number, case in enumerate(cases, start=1):
        for drawn in case:
            if drawn.onset.latest >= made.duration:
                raise ConfigurationError(
                    f'fault {number}: onset is up to {drawn.onset.latest:g} s, expected less than'
                    f' the duration of the run, {made.duration:g} s')
    points = FaultPoints(cases, runs, seed)
    rows = points.rows
    return Sweep(
        made.stack, tuple(row.name for row in rows), rows, points, made.base, made.duration,
        made.skip, seed, None, False, made.controller,
        (((FAULTS, FAULTS),), *((),) * (len(rows) - 1)), options=made.options, survived=survived,
        with_nodes=fields.flag(NODES, False))


def _survived(fields: Fields) -> Mapping[str, Limits]:
    given = fields.inner('survived', needed=False)
    given.know(EXPECTED)
    names = fields.mapping('survived')
    return {name: limits_of(given, name) for name in names} or DEFAULT_SURVIVED
