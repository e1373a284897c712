# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar up`: a configuration's nodes composed in one process, over real DDS."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
import contextlib
from dataclasses import replace
from functools import partial
import os
from pathlib import Path
import sys
from typing import NamedTuple, TYPE_CHECKING

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, RunError
from racecar.base.run_file import RunFile
from racecar.cli.analyze import REPORT_NAME
from racecar.cli.bridge_argument import add_bridge, add_bridge_argument
from racecar.cli.drive_display import displayed, for_display
from racecar.cli.drive_result import (
    observed_drive,
    texts_of_drives,
    warn_of_start,
)
from racecar.cli.foxglove_option import add_foxglove_arguments, foxglove_served
from racecar.cli.run_arguments import (
    add_run_arguments,
    check_run_folder,
    chosen_run,
    csv_files,
    how_made,
    keep_run,
    run_folder,
)
from racecar.cli.stack_arguments import (
    add_name_argument,
    add_result_arguments,
    add_stack_arguments,
    check_conflicts,
    check_result_arguments,
    report_run,
)
from racecar.cli.watch_option import add_watch_argument, watched, WatchedRun
from racecar.control.tracker import course_of, tracked_ahead, TrajectoryTracker
from racecar.faults.plant import FAULTS, faults_in_values
from racecar.metrics.run_table import RunCsv, RunMetrics
from racecar.ros.topics.sets import topic_set
from racecar.signals import Interruption
from racecar.simulation.faults import CLOCK_JUMP
from racecar.stacks import (
    commands_of,
    describe_stack,
    find_stack,
    NodeDescription,
    Stack,
    StackOptions,
    unanswered,
)
from racecar.stacks.address_space import check_address_space
from racecar.stacks.options import UP
from racecar.stacks.reference_warning import reference_warning
from racecar.stacks.run_files import with_provenance
from racecar.stacks.several_cars import namespace_of_car

if TYPE_CHECKING:
    from racecar.stacks.composing import ComposedStack


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar up`."""
    parser.description = (
        'Start the nodes of a configuration in this process, with the same parameter files as'
        ' `ros2 launch racecar NAME.launch.py`. With --duration it ends by itself and prints the'
        ' tracking error; without, Ctrl-C ends it, and --csv, --json or --skip ask for the error.'
        ' Only the newest messages are held: memory does not grow with the run. `plant` and'
        ' --without leave the driving to a node of your own: see docs/own_controller.md.')
    add_name_argument(parser, optional=True)
    add_stack_arguments(parser, UP)
    add_result_arguments(parser)
    add_run_arguments(parser)
    add_watch_argument(parser)
    add_foxglove_arguments(parser)
    add_bridge_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run until --duration, if it is given; returns 0.

    Raises RacecarError with a one-line message, and Interruption on Ctrl-C and SIGTERM after the
    metrics of what was driven until then.
    """
    check_address_space()
    name, options = chosen_run(UP, arguments)
    check_result_arguments(arguments)
    check_run_folder(arguments, UP)
    # Here, as `racecar --help` needs no rclpy, and before a line says what runs: it raises
    # ImportError without rclpy and ConfigurationError if the messages were not built.
    from racecar.stacks.composing import ComposedStack

    stack = find_stack(name)
    descriptions = describe_stack(stack.name, options)
    if not any(d.spec.is_simulator for d in descriptions):
        raise ConfigurationError(
            f'without {stack.simulator} there is nobody who makes the time that `up` runs by and'
            ' ends with; `ros2 launch` takes without:= for it, as for a real car')
    with_metrics = _is_measured(arguments, stack, options, descriptions)
    if with_metrics:
        options = replace(options, observers=1)
        descriptions = describe_stack(stack.name, options)
    made = how_made(UP, stack.name, options, descriptions, arguments.skip)
    descriptions = with_provenance(descriptions, made)
    _announce(stack.name, descriptions, options.end_time)
    warn_of_start(descriptions)
    options = stack.with_names(options)
    with (foxglove_served(arguments),
          watched(arguments, stack.name, _shown_namespace(options), options.topic_names) as watch,
          _telling_the_bag(arguments)):
        watch.recording = arguments.record and Path(arguments.record)
        started = _Run(arguments, stack, options, for_display(descriptions))
        if with_metrics:
            _run_with_metrics(started, made, watch)
        else:
            with ComposedStack(started.descriptions) as composed:
                _run_observed(started, composed, watch)
    return 0


def _shown_namespace(options: StackOptions) -> str | None:
    """Namespace of the car that is shown, the first of several; None for none."""
    return (namespace_of_car(options, options.fleet[0].name) if options.cars
            else options.namespace) or None


def _is_measured(
    arguments: argparse.Namespace, stack: Stack, options: StackOptions,
    descriptions: list[NodeDescription],
) -> bool:
    """Whether the tracking error is told; raises ConfigurationError if it is asked for in vain."""
    jumps = any(fault.kind == CLOCK_JUMP for d in descriptions if d.spec.is_simulator
                for fault in faults_in_values(d.resolve()))
    if not stack.follows_trajectory or options.cars or jumps:
        if arguments.csv is not None or arguments.json or arguments.report:
            why = 'there may be several cars' if options.cars \
                else 'the clock jumps' if jumps else f'{stack.name} follows none'
            raise ConfigurationError(
                f'--csv, --json and --report tell how a trajectory is followed, but {why}; use'
                ' --record and `racecar analyze`')
        return False
    # Without the tracker the reference is that of a node of the user's, if there is any.
    return bool(
        arguments.csv or arguments.json or arguments.skip or arguments.report
        or arguments.end_time and any(d.executable == stack.tracker for d in descriptions))


class _Run(NamedTuple):
    """What runs: the arguments of the command, and what they stand for."""

    arguments: argparse.Namespace
    stack: Stack
    options: StackOptions
    descriptions: list[NodeDescription]


def _spin(
    started: _Run, composed: ComposedStack, until: Callable[[], bool] = lambda: False,
    has_heard: Callable[[int], bool] = lambda _: True,
) -> None:
    """Let the nodes run, and show them; until, has_heard: as for ComposedStack.spin()."""
    is_shown = add_bridge(started.arguments, composed, started.options)
    with displayed(composed, started.descriptions, started.stack.name, started.arguments.end_time,
                   started.options.topic_names) as (show, _):
        composed.spin(show, until, lambda end_ns: has_heard(end_ns) and is_shown(end_ns))


def _announce(name: str, descriptions: list[NodeDescription], end_time: float | None) -> None:
    """Say on stderr which nodes run, where, and what ends them."""
    nodes = ', '.join(description.full_name for description in descriptions)
    domain = os.environ.get('ROS_DOMAIN_ID') or '0'
    end = 'Ctrl-C stops them' if end_time is None else (
        f'they end at {end_time:g} s of simulated time, or with Ctrl-C')
    print(f'{name} in ROS domain {domain}: {nodes}; {end}', file=sys.stderr)


@contextlib.contextmanager
def _telling_the_bag(arguments: argparse.Namespace) -> Iterator[None]:
    """Say where the bag lies once it is closed, however the run ended."""
    folder = arguments.record and Path(arguments.record)
    absent = folder and not os.path.lexists(folder)
    try:
        yield
    finally:
        if absent and folder.exists():
            print(f'Bag: {folder}', file=sys.stderr if arguments.json else sys.stdout)


def _check_driven(composed: ComposedStack, descriptions: list[NodeDescription]) -> None:
    """Raise RunError if the driving was left to nodes of the user's and none did."""
    from racecar.ros.start_gate import described

    missing, simulator = dict.fromkeys(unanswered(descriptions)), composed.simulator
    if missing and not simulator.is_commanded:
        topics = ' and '.join(
            described(simulator, '/'.join(filter(None, (entity.name, topic))))
            for entity in simulator.plant.entities for topic in missing)
        raise RunError(
            f'nobody drove the car: a node of your own is to publish {topics}; see'
            ' docs/own_controller.md')


def _run_observed(started: _Run, composed: ComposedStack, watch: WatchedRun) -> None:
    """Run, and say how far it went."""
    drives = [observed_drive(composed, name)
              for name in [car.name for car in started.options.fleet] or ['']]
    try:
        _spin(started, composed)
    finally:
        lines = texts_of_drives(composed, drives)
        watch.text = '; '.join(lines)
        if any(drive.duration > 0.0 for drive in drives):
            print(*lines, sep='\n')
    check_conflicts(composed.conflicts)
    _check_driven(composed, started.descriptions)


def _run_with_metrics(started: _Run, made: RunFile, watch: WatchedRun) -> None:
    """Run, and report the tracking error; raises Interruption after that."""
    arguments, stack = started.arguments, started.stack
    values = {d.executable: d.resolve() for d in started.descriptions}
    tracker, simulator = values.get(stack.tracker or ''), values[stack.simulator]
    metrics = RunMetrics(tracked_ahead(tracker) if tracker else 0.0, arguments.skip,
                         partial(course_of, tracker) if tracker else None)
    with contextlib.ExitStack() as files:
        files.enter_context(run_folder(arguments))
        kept = csv_files(arguments)
        consumers = [metrics.add, *(files.enter_context(RunCsv(file)).add for file in kept)]

        def on_rows(rows: Array) -> None:
            for consume in consumers:
                consume(rows)

        driven = _probed(started, on_rows, lockstep=bool(simulator['lockstep']),
                         from_the_start=tracker is not None and bool(tracker['active']))
    # That of the message at which a run is interrupted may be under way.
    unreferenced = driven.unreferenced - (driven.interruption is not None)
    if unreferenced > 0:
        print(f'warning: the tracker gave no reference for {unreferenced} odometry'
              ' messages; was it inactive?', file=sys.stderr)
    found = replace(metrics.result(), collisions=driven.collisions)
    watch.text = found.summary
    outrun = None if tracker is None else reference_warning(
        TrajectoryTracker(dict(tracker)), simulator, metrics.span,
        tracked=tracker if stack.linearizer in values else None)
    report_run(arguments, found, metrics.span, driven.wall_time,
               [] if outrun is None else [outrun])
    keep_run(arguments, kept, made, found)
    if arguments.report:
        watch.report = arguments.output / REPORT_NAME
        watch.recording = watch.recording or arguments.output
    if driven.interruption is not None:
        raise driven.interruption


def _tracker_of(started: _Run) -> TrajectoryTracker | None:
    """Tracker like that of the nodes, where faults may keep it from publishing references."""
    values = {d.executable: d.resolve() for d in started.descriptions}
    tracker = values.get(started.stack.tracker or '')
    if tracker is None or not values[started.stack.simulator][FAULTS] or tracker['follow_path']:
        return None
    return TrajectoryTracker(tracker)


class _Driven(NamedTuple):
    """What came of a run: odometry messages without reference, contacts, its time, its end."""

    unreferenced: int
    collisions: int | None
    wall_time: float
    interruption: Interruption | None


def _probed(
    started: _Run, on_rows: Callable[[Array], None], *, lockstep: bool, from_the_start: bool,
) -> _Driven:
    """Run, with each row of the drive given to a function. from_the_start: whether it tracks then.

    Raises RunError for what is missing, and Interruption if it came before there was anything.
    """
    from racecar.clients.run_probe import RunProbe
    from racecar.stacks.composing import ComposedStack

    options, descriptions = started.options, started.descriptions
    interruption = None
    tracker = _tracker_of(started) if lockstep and from_the_start else None
    with ComposedStack(descriptions) as composed:
        probe = RunProbe(
            on_rows, period_ns=composed.simulator.awaited_period_ns if lockstep else None,
            namespace=options.namespace, topics=topic_set(options.topic_names).topics,
            commands=commands_of(descriptions), reckoned=composed.simulator.is_reckoned,
            answered=not composed.simulator.values[FAULTS], tracker=tracker)
        composed.add_node(probe)
        try:
            _spin(started, composed, lambda: probe.failure is not None, probe.has_heard)
        except Interruption as error:
            interruption = error
        end_ns = composed.simulator.plant.time_ns
        collisions = composed.collisions
        check_conflicts(composed.conflicts)
        if interruption is None:
            _check_driven(composed, descriptions)
    try:
        probe.finish(None if interruption else end_ns, from_the_start=from_the_start)
    except RunError:
        # There may be nothing yet.
        if interruption:
            raise interruption from None
        raise
    return _Driven(probe.unreferenced, collisions, composed.wall_time, interruption)
