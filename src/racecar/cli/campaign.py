# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar campaign`: many runs with faults drawn at random, and what was survived."""

from __future__ import annotations

import argparse
from dataclasses import replace
import json
from pathlib import Path
import sys

from racecar.base.errors import ConfigurationError
from racecar.base.share import campaign_names
from racecar.cli.choices import completed_as_file
from racecar.cli.dataset import add_jobs_argument, add_scheduler_arguments, write_dataset
from racecar.cli.output import print_rows, print_table, typed_command
from racecar.facade.campaigns import CampaignResult, default_folder
from racecar.facade.datasets import is_dataset, open_dataset, raise_lost, SweepRows
from racecar.facade.sweep_parts import UNITS
from racecar.simulation.faults import KINDS
from racecar.stacks.campaign import END_UNITS, load_campaign


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar campaign`."""
    parser.description = (
        'Run a car with faults that are drawn at random, on all cores, without ROS or with its'
        ' nodes, and say what was survived: table, page and dataset, the worst runs each with the'
        ' command that repeats it to the bit. Faults: '
        f"{'; '.join(f'{name}, {kind.text}' for name, kind in KINDS.items())}. docs/campaigns.md.")
    completed_as_file(parser.add_argument(
        'file', metavar='FILE',
        help=f"campaign, by name or as a file ({', '.join(campaign_names())})"))
    parser.add_argument(
        '--nodes', action='store_true',
        help='run the nodes in lockstep, as `nodes: true` of the file does, not the compiled'
             ' engine')
    add_jobs_argument(parser)
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where dataset, table and page go; must not exist without --resume (default:'
             ' runs/campaign-DATE-TIME)')
    parser.add_argument(
        '--resume', action='store_true',
        help='go on with a campaign that was interrupted: the same FILE, and --output as then')
    add_scheduler_arguments(parser)
    parser.add_argument(
        '--json', action='store_true',
        help='print one JSON object with the outcome on stdout, everything else on stderr')


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, write table and page; returns 0, whatever was survived.

    Raises RacecarError with a one-line message; RunError for runs without a row, when all others
    have theirs.
    """
    file, sweep = load_campaign(arguments.file)
    if arguments.nodes:
        sweep = replace(sweep, with_nodes=True)
    if arguments.resume and arguments.output is None:
        raise ConfigurationError(
            '--resume needs --output: the folder of the campaign to go on with')
    output = arguments.output or default_folder()
    if output.exists() and not arguments.resume:
        going_on = ', or go on with its campaign by --resume' if is_dataset(output) else ''
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder"
            f'{going_on}')
    outcome = write_dataset(SweepRows(sweep), output, arguments, typed_command(), file, 'runs')
    show_campaign(CampaignResult(open_dataset(output)), file.stem, as_json=arguments.json)
    raise_lost(outcome, sweep)
    return 0


def show_campaign(result: CampaignResult, title: str, *, as_json: bool = False) -> None:
    """Print what was survived, and write table and page to the folder of the dataset."""
    from racecar.analysis.campaign_report import campaign_page, HEADS, row_of, ShownCampaign
    from racecar.analysis.tables import write_csv

    folder, made = result.dataset.folder, result.dataset.file
    report, table = folder / 'report.html', folder / 'survival.csv'
    bands, worst, shares = [*result.bands()], result.worst(), result.shares()
    campaign_page(
        ShownCampaign(f'Campaign {title}', shares, bands, result.limits, UNITS | END_UNITS, worst),
        [('Command', made.command), ('Made', made.made),
         *((name, str(value)) for name, value in made.environment.items())]).write(report)
    write_csv(table, [
        'fault', 'over', 'low', 'high', 'runs', 'survived', 'share', 'share_low', 'share_high',
    ], [[*band[:-1], *band.share] for band in bands], '--output')
    survived = int(result.survived.sum())
    if as_json:
        print(json.dumps({
            'runs': len(result), 'survived': survived,
            'faults': {name: share._asdict() for name, share in shares.items()},
            'worst': [{'run': one.run + 1, 'faults': one.faults, 'command': one.command}
                      for one in worst],
            'report': str(report), 'table': str(table)}))
    else:
        print_rows([('runs', str(len(result)), ''), ('survived', str(survived), ''),
                    ('diverged or failed', str(int(result.lost.sum())), '')])
        print_table(HEADS, [row_of(name, share) for name, share in shares.items()])
        if worst:
            print(f'The worst: {worst[0].command}')
    print(f'Dataset: {folder}\nTable: {table}\nReport: {report}',
          file=sys.stderr if as_json else sys.stdout)
