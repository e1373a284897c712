# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar demo`: a drive with real nodes over real topics, recorded, measured and drawn."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
import contextlib
import datetime
import os
from pathlib import Path

from racecar.base.errors import ConfigurationError
from racecar.catalogue import node_names
from racecar.cli import render
from racecar.cli.analyze import analyse, analyse_drive, analyse_scans, REPORT_NAME
from racecar.cli.choices import one_of
from racecar.cli.drive import drive_by_hand
from racecar.cli.drive_result import observed_drive, warn_of_start
from racecar.cli.foxglove_option import add_foxglove_arguments, foxglove_served
from racecar.cli.number_types import whole
from racecar.cli.output import print_rows, ProgressBar
from racecar.cli.run_arguments import how_made
from racecar.cli.stack_arguments import add_stack_arguments, check_conflicts, stack_options
from racecar.cli.watch_option import add_watch_argument, watched, WatchedRun
from racecar.differential.motion import KINEMATICS
from racecar.differential.motion import WORLD as IN_WORLD
from racecar.ros.domains import claim_domain, DOMAINS
from racecar.stacks import describe_stack, NodeDescription
from racecar.stacks.address_space import check_address_space
from racecar.stacks.options import DEMO
from racecar.stacks.run_files import with_provenance

FIGURE_EIGHT, DRIVER, WORLD, DIFFERENTIAL_WHEELS, DRIVE = _DEMOS = (
    'figure_eight', 'driver', 'world', 'differential_wheels', 'drive')
_VEHICLES = {FIGURE_EIGHT: 'racecar', DRIVER: 'bmw_x5', WORLD: 'racecar',
             DIFFERENTIAL_WHEELS: 'pioneer', DRIVE: 'racecar'}
# A person drives as long as they like.
_DURATIONS = {FIGURE_EIGHT: 80.0, DRIVER: 300.0, WORLD: 80.0, DIFFERENTIAL_WHEELS: 65.0,
              DRIVE: None}
# As fast as possible, but for people who drive or watch.
_REAL_TIME_FACTORS = {DRIVE: 1.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar demo`."""
    parser.description = (
        'figure_eight: start tracker, linearizer, both muxes, simulator and recorder as real nodes'
        " over DDS, drive the report's figure eight in lockstep, then analyse the recorded bag."
        ' driver: start driver_bridge, simulator, mux and recorder, and drive a car by services:'
        ' pull away, shift up, indicate and turn, brake to a stop, reverse, park. world: drive the'
        ' figure eight in the 3-D world, then, by the laser alone, through a tunnel.'
        ' differential_wheels: the same tracker drives a differential-drive robot by cmd_vel, in'
        ' the plane and in the 3-D world. drive: drive yourself round the race track, with the'
        ' keys of this terminal (--teleop joy: with a joystick), until Ctrl-C.'
        f' Unless chosen, vehicle and end of the drive are {_defaults()}.')
    parser.add_argument(
        'demo', nargs='?', type=one_of(_DEMOS), choices=_DEMOS, default=FIGURE_EIGHT,
        metavar='DEMO', help=f"{', '.join(_DEMOS[:-1])} or {_DEMOS[-1]}; default: {FIGURE_EIGHT}")
    add_stack_arguments(parser, DEMO, vehicle=None)
    add_watch_argument(parser)
    add_foxglove_arguments(parser)
    parser.add_argument(
        '--domain', type=whole(DOMAINS, 'ROS domain'), metavar='ID',
        help='ROS domain (default: ROS_DOMAIN_ID if that is set, else one that is free)')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='where bag and pictures go; must not exist (default: runs/demo-DATE-TIME)')


def _defaults() -> str:
    return ', '.join(
        f"{_VEHICLES[demo]} and {f'{end:g} s' if end else 'Ctrl-C'} ({demo})"
        for demo, end in _DURATIONS.items())


def run(arguments: argparse.Namespace) -> int:
    """Drive, record, analyse; returns 0.

    Raises RacecarError with a one-line message, or Interruption.
    """
    check_address_space()
    output = arguments.output or Path('runs') / f'demo-{datetime.datetime.now():%Y%m%d-%H%M%S}'
    if output.exists():
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder")
    arguments.vehicle = arguments.vehicle or _VEHICLES[arguments.demo]
    arguments.end_time = arguments.end_time or _DURATIONS[arguments.demo]
    if arguments.real_time_factor is None:
        arguments.real_time_factor = 1.0 if arguments.foxglove or arguments.watch else (
            _REAL_TIME_FACTORS.get(arguments.demo, 0.0))
    drive = {FIGURE_EIGHT: _drive_figure_eight, DRIVER: _drive_by_services,
             WORLD: _drive_in_the_world, DIFFERENTIAL_WHEELS: _drive_by_velocities,
             DRIVE: drive_by_hand}[arguments.demo]
    with contextlib.ExitStack() as stack:
        # Two demos, or a demo and a running stack, must not answer each other.
        if arguments.domain is not None:
            os.environ['ROS_DOMAIN_ID'] = str(arguments.domain)
        elif not os.environ.get('ROS_DOMAIN_ID'):
            os.environ['ROS_DOMAIN_ID'] = str(claim_domain(stack))
        stack.enter_context(foxglove_served(arguments))
        watch = stack.enter_context(watched(arguments, f'demo {arguments.demo}'))
        print('\n'.join(drive(arguments, output, watch)))
    return 0


def _describe(name: str, arguments: argparse.Namespace, bag: Path) -> list[NodeDescription]:
    options = stack_options(DEMO, arguments, lockstep=True, record=str(bag))
    descriptions = describe_stack(name, options)
    descriptions = with_provenance(descriptions, how_made(DEMO, name, options, descriptions))
    nodes = ', '.join(description.full_name for description in descriptions)
    warn_of_start(descriptions)
    print(f"Nodes: {nodes} (ROS_DOMAIN_ID {os.environ['ROS_DOMAIN_ID']})")
    return descriptions


def _drive(
    name: str, arguments: argparse.Namespace, bag: Path, what: str = 'driving',
) -> tuple[list[NodeDescription], float]:
    """Run a stack in lockstep until its time is up; return its nodes and the wall time [s]."""
    from racecar.stacks.composing import ComposedStack

    descriptions = _describe(name, arguments, bag)
    with (ComposedStack(descriptions) as stack, ProgressBar(arguments.end_time, what) as show):
        stack.spin(show)
        check_conflicts(stack.conflicts)
    return descriptions, stack.wall_time


def _drive_figure_eight(
    arguments: argparse.Namespace, output: Path, watch: WatchedRun, name: str = 'kinematic_ode',
) -> list[str]:
    bag = output / 'bag'
    descriptions, wall_time = _drive(name, arguments, bag)
    trajectory = next(
        d.resolve()['trajectory'] for d in descriptions
        if d.executable == node_names.TRAJECTORY_TRACKER)
    shape = trajectory.replace('_', ' ')
    analysis = analyse(bag, output, title=f'{shape}, vehicle {arguments.vehicle}')
    watch.text = analysis.metrics.summary
    watch.report, watch.recording = output / REPORT_NAME, bag
    print_rows([*analysis.metrics.as_rows(),
                ('real-time factor', f'{arguments.end_time / wall_time:.1f}', '')])
    return [f'Bag: {bag}', *analysis.places]


def _drive_by_velocities(
    arguments: argparse.Namespace, output: Path, watch: WatchedRun,
) -> list[str]:
    lines = []
    for mode in (KINEMATICS, IN_WORLD):
        print(f'mode {mode}:')
        chosen = argparse.Namespace(**vars(arguments))
        # What the user sets goes over it.
        chosen.overrides = [
            f'{node_names.DIFFERENTIAL_WHEELS_SIMULATOR}.mode={mode}', *arguments.overrides]
        lines += _drive_figure_eight(chosen, output / mode, watch, DIFFERENTIAL_WHEELS)
    bag = output / IN_WORLD / 'bag'
    return [*lines, *_pictures(bag, output / IN_WORLD, arguments.world or 'empty',
                               arguments.end_time, _OUTSIDE)]


def _drive_in_the_world(
    arguments: argparse.Namespace, output: Path, watch: WatchedRun,
) -> list[str]:
    lines = _drive_figure_eight(
        arguments, output / 'figure_eight', watch, 'kinematic_world_pacejka')
    bag = output / 'tunnel' / 'bag'
    # What is for the tracker is not for this drive.
    arguments.trajectory = None
    descriptions, wall_time = _drive('gap_world', arguments, bag, 'driving by the laser')
    drive, *places = analyse_scans(
        bag, output / 'tunnel', title=f'tunnel, vehicle {arguments.vehicle}')
    watch.text = f'{watch.text}; tunnel: {drive}'
    print(f'Tunnel, by the laser alone: {drive}, {arguments.end_time / wall_time:.1f} times real'
          ' time')
    world = next(description.resolve()['world'] for description in descriptions
                 if description.executable == node_names.WORLD_SIMULATOR)
    return [*lines, f'Bag: {bag}', *places,
            *_pictures(bag, output / 'tunnel', world, arguments.end_time, _VIEWS)]


# Of pictures: name and what the renderer is to draw, half-way but for that of the whole drive.
_OUTSIDE = {'chase': ('--view', render.CHASE), 'top': ('--view', render.TOP)}
_VIEWS = {'camera': ('--view', render.ONBOARD, '--size', '640x480'),
          'chase': ('--view', render.CHASE, '--laser'), 'top': ('--view', render.TOP)}


def _pictures(
    bag: Path, output: Path, world: str, duration: float, views: Mapping[str, tuple[str, ...]],
) -> list[str]:
    """Draw a robot half-way, and all of the drive from above; say where the pictures are."""
    parser = argparse.ArgumentParser()
    render.add_arguments(parser)
    half = f'{0.5 * duration:g}'
    lines = []
    for name, options in views.items():
        start = () if render.TOP in options else ('--start', half)
        try:
            lines.append(render.draw(parser.parse_args([
                render.BAG, str(bag), '--world', world, *options, *start,
                '--output', str(output / f'{name}.png')])))
        # All else is there without pictures.
        except ConfigurationError as error:
            return [*lines, f'No pictures of it: {error}']
    return lines


def _drive_by_services(
    arguments: argparse.Namespace, output: Path, watch: WatchedRun,
) -> list[str]:
    from racecar.clients.driver_demonstration import (
        DemonstrationError,
        DriverDemonstration,
        PHASES,
    )
    from racecar.stacks.composing import ComposedStack

    bag = output / 'bag'
    descriptions = _describe('driver', arguments, bag)
    with (ComposedStack(descriptions) as stack,
          ProgressBar(len(PHASES), 'driving', 'phases') as show):
        driver = DriverDemonstration(
            lambda time, event: show.write(f'{time:6.2f} s  {event}'))
        stack.add_node(driver)
        drive = observed_drive(stack)
        stack.spin(
            lambda _: show(driver.phase),
            until=lambda: driver.finished or driver.failure is not None)
        check_conflicts(stack.conflicts)
    if driver.failure is not None:
        raise driver.failure
    if not driver.finished:
        raise DemonstrationError(
            f'the drive is at "{PHASES[driver.phase]}" when its {arguments.end_time:g} s are'
            ' over; give it more with --duration')
    watch.text, watch.recording = f'all {len(PHASES)} phases driven: {drive.text()}', bag
    return [watch.text, f'Bag: {bag}', *analyse_drive(
        bag, output, title=f'drive by services, vehicle {arguments.vehicle}')]
