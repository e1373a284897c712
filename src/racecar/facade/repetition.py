# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run that is made again many times, with other noise and other starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from racecar.base.errors import ConfigurationError
from racecar.base.run_file import RunFile
from racecar.base.values import number_of
from racecar.control.custom_controller import CONTROLLER
from racecar.facade.chunks import Cores
from racecar.facade.cluster import Cluster
from racecar.facade.sweeps import SweepRun
from racecar.faults.plant import FAULTS
from racecar.stacks.describe import find_tracking_stack
from racecar.stacks.faults import line_of_faults
from racecar.stacks.options import DURATION, SIMULATE
from racecar.stacks.run_files import options_of
from racecar.stacks.sweep import make_sweep, OPTIONS

START = ('x', 'y', 'yaw')
"""Parts of the pose at the start [m, m, rad]."""


class Repetition(NamedTuple):
    """How a run is repeated: so many times, with white noise and a start beside its own.

    noise: standard deviations by the fields of Noise; start: by START; seed: of both. Repetitions
    of one number have the same offset of the start in every run that is repeated so, and the same
    noise, if their odometry has the same rate.
    """

    times: int
    noise: Mapping[str, float]
    start: Mapping[str, float]
    seed: int = 0


def repeated(
    name: str, file: RunFile, repetition: Repetition, skip: float, jobs: int | None = None,
    cluster: Cores | Cluster | None = None,
) -> SweepRun:
    """Cars of a run that is repeated, ready to run on some cores.

    name: for titles; file: how the run was made; skip: time at the start that metrics leave
    out [s]; jobs: cores, by default all; cluster: in their place. Raises ConfigurationError for
    a run that cannot be repeated side by side, and for noise or a start that is none.
    """
    unknown = [key for key in repetition.start if key not in START]
    if unknown:
        raise ConfigurationError(
            f"start '{unknown[0]}' is unknown, expected some of {', '.join(START)}")
    stack, options = find_tracking_stack(file.configuration), options_of(file, SIMULATE)
    if options.control_rate is not None:
        raise ConfigurationError(
            'it has a control rate of its own, with which cars do not run side by side')
    parts = (stack.tracker, stack.linearizer, stack.simulator, CONTROLLER)
    values = {f'{node}.{key}': value for node, given in options.overrides.items()
              if node in parts for key, value in given.items() if value != []}
    simulated = {key: number_of(options.overrides[stack.simulator], f'initial_{key}')
                 for key in START}
    content: dict[str, object] = {
        key: getattr(options, key) for key in OPTIONS
        if key != FAULTS and getattr(options, key) is not None}
    if options.faults:
        content[FAULTS] = line_of_faults(options.faults)
    content |= {
        'set': values, 'duration': options.end_time or DURATION, 'skip': skip,
        'sample': {f'{stack.simulator}.initial_{key}': {
            'normal': [centre, repetition.start.get(key, 0.0)]}
            for key, centre in simulated.items()},
        'count': repetition.times, 'seed': repetition.seed}
    if repetition.noise:
        content['noise'] = dict(repetition.noise)
    return SweepRun(name, make_sweep(stack.name, content), jobs, cluster=cluster)
