# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar replay`: watch a recorded bag or run in a browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from racecar.base.errors import ConfigurationError
from racecar.cli.choices import add_robot_argument, add_world_argument, completed_as_file
from racecar.cli.number_types import number
from racecar.cli.page_server import add_server_arguments, serve_feed
from racecar.cockpit.access import check_server


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar replay`."""
    parser.description = (
        'Serve the page of `racecar cockpit` with a recorded drive: play, pause, scrub, faster and'
        ' slower. Needs no ROS. Robot, map and path come from the bag, the world also from the'
        ' run.yaml beside it; what a bag lacks is said in the log of the page.')
    completed_as_file(parser.add_argument(
        'source', type=Path, metavar='BAG|RUN',
        help='a bag, the folder of a run, of several cars or of a demo, or a CSV file of'
        ' `simulate` and `up`'))
    add_world_argument(parser, 'world to show around (default: that of the run)')
    add_robot_argument(
        parser, 'robot of a recording without a robot description (default: that of the run)')
    parser.add_argument('--start', type=number(0.0), default=0.0, metavar='SECONDS',
                        help='where to begin (default: 0)')
    add_server_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C. Raises RacecarError with a one-line message, and Interruption."""
    check_server()
    from racecar.cockpit.replay.feed import ReplayFeed
    from racecar.cockpit.replay.opening import open_recording

    recording = open_recording(arguments.source, arguments.world, arguments.vehicle)
    try:
        if arguments.start > recording.end:
            raise ConfigurationError(
                f'--start is {arguments.start:g} s, but the recording ends at'
                f' {recording.end:.3f} s')
        serve_feed(ReplayFeed(recording, start=arguments.start), arguments)
    finally:
        recording.close()
    return 0
