# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar scenario`: drives with nodes whose end is held against what their files expect."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
import contextlib
import json
import os
from pathlib import Path
import sys

from racecar.base.share import scenario_names
from racecar.cli.choices import completed_as_file
from racecar.cli.output import ProgressBar
from racecar.facade.datasets import is_dataset, open_dataset
from racecar.scenarios.outcome import Outcome, write_junit
from racecar.scenarios.scenario import load_scenario, Scenario, scenario_of_run
from racecar.stacks import unanswered
from racecar.stacks.address_space import check_address_space

_DOMAIN = 'ROS_DOMAIN_ID'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar scenario`."""
    parser.description = (
        'Run the nodes of scenarios, in lockstep and in one process, and hold how each ends'
        ' against what its file expects: one line for each expectation. The exit status is 0 if'
        ' all came as expected, else 1. docs/scenarios.md.')
    completed_as_file(parser.add_argument(
        'files', metavar='FILE', nargs='+',
        help=f"scenario, by name or as a file ({', '.join(scenario_names())}), or the folder of a"
             ' campaign with nodes'))
    parser.add_argument(
        '--fault', metavar='FAULT', action='append',
        help="fault in the place of those of the file, 'kind: friction, onset: 5.0, size: 0.3';"
             ' may be repeated')
    parser.add_argument(
        '--record', type=Path, metavar='FOLDER',
        help='folder of a new bag; of several scenarios each has its own in it')
    completed_as_file(parser.add_argument(
        '--junit', type=Path, metavar='FILE', help='write the outcome as JUnit XML'))
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the outcomes on stdout, everything else on stderr')


def run(arguments: argparse.Namespace) -> int:
    """Run all; returns 0 if all came as expected, else 1.

    Raises RacecarError with a one-line message for what cannot be run, and Interruption.
    """
    check_address_space()
    scenarios = [_scenario(file, arguments.fault) for file in arguments.files]
    outcomes = []
    for scenario in _recorded(scenarios, arguments.record):
        outcomes.append(_run(scenario))
        if not arguments.json:
            print('\n'.join(outcomes[-1].lines()))
            if outcomes[-1].bag:
                print(f'Bag: {outcomes[-1].bag}')
    if arguments.junit is not None:
        write_junit(arguments.junit, outcomes)
        print(f'JUnit: {arguments.junit}', file=sys.stderr if arguments.json else sys.stdout)
    if arguments.json:
        print(json.dumps({'holds': all(one.holds for one in outcomes),
                          'scenarios': [one.as_dict() for one in outcomes]}))
    return 0 if all(one.holds for one in outcomes) else 1


def _scenario(file: str, faults: Sequence[str] | None) -> Scenario:
    """Scenario of a file, or of a run of a campaign with nodes."""
    if is_dataset(Path(file)):
        dataset = open_dataset(file)
        found = scenario_of_run(Path(file).name, dataset.file, dataset.survived)
    else:
        _, found = load_scenario(file)
    return found if faults is None else found.with_faults(faults)


def _recorded(scenarios: Sequence[Scenario], folder: Path | None) -> Iterator[Scenario]:
    if folder is None or len(scenarios) == 1:
        yield from (scenario.recorded(folder) for scenario in scenarios)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for scenario in scenarios:
        yield scenario.recorded(folder / scenario.name)


def _run(scenario: Scenario) -> Outcome:
    """Run the nodes of one."""
    # It raises ImportError without rclpy.
    from racecar.scenarios.driving import drive

    with _own_domain(scenario), ProgressBar(scenario.duration, scenario.name) as show:
        found = drive(scenario.stack, scenario.driven(), [*scenario.expected.topics], show)
    return Outcome(scenario, found.observed(scenario.expected, scenario.skip),
                   found.record.digest, found.wall_time, scenario.options.record or '')


@contextlib.contextmanager
def _own_domain(scenario: Scenario) -> Iterator[None]:
    """Be in a ROS domain that nobody else uses, unless nodes of the user's are awaited."""
    from racecar.ros.domains import claim_domain

    if unanswered(scenario.describe()):
        yield
        return
    before = os.environ.get(_DOMAIN)
    with contextlib.ExitStack() as claimed:
        os.environ[_DOMAIN] = str(claim_domain(claimed))
        try:
            yield
        finally:
            if before is None:
                del os.environ[_DOMAIN]
            else:
                os.environ[_DOMAIN] = before
