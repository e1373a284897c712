# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar neo`: the simulator of the RACECAR Neo course, for its programs with -s."""

from __future__ import annotations

import argparse
from dataclasses import replace
import json
import math
import sys

from racecar.base.errors import ConfigurationError
from racecar.base.parameters import suggestion
from racecar.cli.choices import Suggestions
from racecar.cli.output import ProgressBar
from racecar.cli.page_server import add_server_arguments, serve_feed
from racecar.cli.stack_arguments import add_stack_arguments, stack_options
from racecar.cockpit.access import check_server
from racecar.neo.car import CONFIGURATIONS, neo_options, NeoCar
from racecar.neo.controller import Controller, read_press
from racecar.neo.server import HOST, NeoServer
from racecar.neo.session import NeoSession
from racecar.signals import raising_on_signals
from racecar.stacks.options import COCKPIT, NEO, run_options, StackOptions
from racecar.stacks.stepped.stepped_stack import SteppedStack

WORLD = 'neo_line'
"""In which a car drives that nobody puts elsewhere."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar neo`."""
    parser.description = (
        'Take the place of the simulator that programs of the RACECAR Neo course are made for:'
        ' those that are started with -s, in another terminal, drive the car, one after the other,'
        f' each from its start. Listens to UDP ports of {HOST} only. docs/racecar_neo.md'
        ' says more.')
    parser.add_argument(
        'name', metavar='NAME', nargs='?', default=CONFIGURATIONS[0],
        choices=Suggestions(CONFIGURATIONS),
        help=f"configuration: {' or '.join(CONFIGURATIONS)} (default: {CONFIGURATIONS[0]})")
    add_stack_arguments(parser, NEO, world=WORLD, real_time_factor=1.0)
    parser.add_argument(
        '--press', action='append', default=[], metavar='NAME[=VALUE][@START[-END]]',
        help='hold a button (A B X Y LB RB LJOY RJOY), a trigger (LT RT, from 0 to 1) or an axis'
             ' of a joystick (LX LY RX RY, from -1 to 1) from a time of the program until another'
             ' [s], such as A@1-1.5 or RT=0.5; may be repeated')
    parser.add_argument(
        '--once', action='store_true', help='end with the first program that has driven')
    parser.add_argument('--json', action='store_true', help='print each drive as a line of JSON')
    parser.add_argument(
        '--watch', action='store_true',
        help='show the car on the page of the cockpit; the simulation begins with the first page,'
        ' in real time, and goes on without a program')
    add_server_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C, or with --once one program; returns 0. Raises RacecarError."""
    if arguments.name not in CONFIGURATIONS:
        if arguments.name.endswith('.py'):
            raise ConfigurationError(
                f"'{arguments.name}' is a program, which is started by itself: 'racecar neo' in"
                f" one terminal, then 'python3 {arguments.name} -s' in another one")
        raise ConfigurationError(
            f"configuration '{arguments.name}' is none for programs, expected one of"
            f" {', '.join(CONFIGURATIONS)}{suggestion(arguments.name, CONFIGURATIONS)}")
    controller = Controller([read_press(text) for text in arguments.press])
    options = stack_options(NEO, arguments)
    if arguments.watch:
        _watch(arguments, options)
        return 0
    # Of each program: the simulation goes on for the next one.
    duration = math.inf if options.end_time is None else options.end_time

    def log(level: str, text: str, _: str = '') -> None:
        print(f'{level}: {text}', file=sys.stderr)

    own = neo_options(arguments.name, replace(options, end_time=None))
    car = NeoCar(SteppedStack(arguments.name, own, log))
    with raising_on_signals(), NeoServer(car, controller, log) as server:
        session = NeoSession(car, server, controller)
        print('Ready: start a program with -s', flush=True)
        while True:
            if not session.wait():
                continue
            with ProgressBar(options.end_time, 'driving') as show:
                drive = session.run(duration, options.real_time_factor or 0.0, show)
            if arguments.json:
                print(json.dumps(drive.as_dict()), flush=True)
            else:
                print(f'Drive: {drive.text()}', flush=True)
            if arguments.once:
                return 0


def _watch(arguments: argparse.Namespace, options: StackOptions) -> None:
    """Serve page and programs until Ctrl-C. Raises ConfigurationError for other options."""
    shown = {row.name for row in run_options(COCKPIT)}
    values = {row.name: getattr(options, row.name) for row in run_options(NEO)
              if getattr(options, row.name)}
    wrong = [f"--{name.replace('_', '-')}" for name in ('once', 'json')
             if getattr(arguments, name)]
    wrong += [row.flag for row in run_options(NEO) if row.name in values.keys() - shown]
    if wrong:
        raise ConfigurationError(
            f"{', '.join(wrong)} cannot be had with --watch; leave one or the other out")
    check_server()
    from racecar.cockpit.live_feed import CockpitFeed

    feed = CockpitFeed(arguments.name, with_nodes=False, options=values, presses=arguments.press)
    serve_feed(feed, arguments, 'Programs that are started with -s drive, once a page is open.')
