#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lockstep with many controllers as processes of their own: turns a second, and of bare messages.

    ./run python benchmarks/fleet_lockstep.py --cars 20
    ./run python benchmarks/fleet_lockstep.py --set vehicle_model=double_track tyre_model=fiala

A turn is an odometry message to each controller and a command from each. `bare` sends the same
messages over the same topics without a plant; it is what the middleware and Python allow. Both are
measured in turns with the same controllers, which answer by a fixed law. Processor time is that of
the node that makes the time, the simulator or `bare`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
import contextlib
from functools import partial
import os
import statistics
import subprocess
import sys
import time
from typing import Any, NamedTuple

from measuring import machine, print_table
import yaml

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.ros.domains import claim_domain

COMMANDS = 'vesc/low_level/ackermann_cmd_mux/output'
PERIOD_NS = 10_000_000
WARM_UP = 50
"""Turns before those that are counted."""


def answer(car: str) -> None:
    """Be the controller of a car until the process is ended."""
    from ackermann_msgs.msg import AckermannDriveStamped
    from nav_msgs.msg import Odometry
    import rclpy

    from racecar.ros import qos
    from racecar.ros.codecs.ackermann_command import command_template
    from racecar.ros.codecs.odometry import read_odometry
    from racecar.ros.run_node import make_executor, spin

    rclpy.init()
    node = rclpy.create_node('controller', namespace=car, enable_rosout=False,
                             start_parameter_services=False)
    publisher = node.create_publisher(AckermannDriveStamped, COMMANDS, qos.COMMAND)
    template = command_template()

    def on_odometry(data: bytes) -> None:
        odometry = read_odometry(data)
        publisher.publish(template.fill(
            *divmod(odometry.time_ns, 1_000_000_000), 0.1 * odometry.y, 1.0))

    node.create_subscription(Odometry, 'vesc/odom', on_odometry,
                             qos.ODOMETRY_LOCKSTEP_SUBSCRIPTION, raw=True)
    executor = make_executor()
    executor.add_node(node)
    spin(executor)


class _Clocks(NamedTuple):
    """Wall clock and processor time of this process [s]."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> _Clocks:
        return cls(time.perf_counter(), time.process_time())


class Speed(NamedTuple):
    """Turns a second by the wall clock, and processor time of this process for each [ms]."""

    turns: float
    processor: float


class Counter:
    """Turns that were done, and the time of those after the warm-up."""

    def __init__(self, turns: int) -> None:
        self.turns, self.done = turns, 0
        self.begun = self.ended = _Clocks(0.0, 0.0)

    def note(self) -> None:
        """Note a turn."""
        self.done += 1
        if self.done == WARM_UP:
            self.begun = _Clocks.now()
        if self.done == WARM_UP + self.turns:
            self.ended = _Clocks.now()

    @property
    def is_over(self) -> bool:
        """Whether all were done."""
        return self.done >= WARM_UP + self.turns

    @property
    def speed(self) -> Speed:
        """Of the turns after the warm-up."""
        wall, processor = (
            after - before for after, before in zip(self.ended, self.begun, strict=True))
        return Speed(self.turns / wall, 1e3 * processor / self.turns)


def bare(names: list[str], counter: Counter) -> Any:
    """Node that sends odometry to all, and the next once all have answered."""
    import rclpy

    node = rclpy.create_node('bare')
    _Bare(node, names, counter)
    return node


class _Bare:
    """What `bare` does on a node."""

    def __init__(self, node: Any, names: list[str], counter: Counter) -> None:
        from ackermann_msgs.msg import AckermannDriveStamped
        from nav_msgs.msg import Odometry

        from racecar.ros import qos
        from racecar.ros.wire import MessageTemplate

        self.names, self.counter, self.now_ns = names, counter, 0
        self.missing: set[str] = set()
        self.odometry = MessageTemplate(Odometry(), ('header.stamp',))
        self.senders = [node.create_publisher(
            Odometry, f'{name}/vesc/odom', qos.ODOMETRY_LOCKSTEP) for name in names]
        for name in names:
            node.create_subscription(
                AckermannDriveStamped, f'{name}/{COMMANDS}', partial(self.hear, name),
                qos.COMMAND, raw=True)
        # As the simulator at its start, it sends again until all have answered once.
        self.start = node.create_timer(0.5, self.begin)

    def begin(self) -> None:
        """Begin once all controllers are there."""
        if self.now_ns:
            self.start.cancel()
        elif all(sender.get_subscription_count() for sender in self.senders):
            self.send()

    def send(self) -> None:
        """Send odometry to all."""
        self.missing = set(self.names)
        data = self.odometry.fill(*divmod(self.now_ns, 1_000_000_000))
        for sender in self.senders:
            sender.publish(data)

    def hear(self, name: str, data: bytes) -> None:
        """Take an answer."""
        from racecar.ros.wire import read_header

        if read_header(data, 1)[0] != self.now_ns or name not in self.missing:
            return
        self.missing.discard(name)
        if not self.missing:
            self.counter.note()
            self.now_ns += PERIOD_NS
            self.send()


def with_plant(more: Mapping[str, object], names: list[str], counter: Counter) -> Any:
    """Simulator of the cars, in lockstep with its controllers; more: its other parameters."""
    from rclpy.parameter import Parameter

    from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode

    values = {
        **load_parameter_file(find_config('vehicles/racecar'), 'any_node'), 'lockstep': True,
        'real_time_factor': 0.0, 'cars': names, 'grid_spacing': 5.0, 'lockstep_deadline': 60.0,
        'diagnostics_rate': 0.0, 'wait_for_subscribers': 1,
        'wait_for_publishers': [f'{name}/{COMMANDS}' for name in names], **more}
    node = SingleTrackSimulatorNode(parameter_overrides=[
        Parameter(name, value=value) for name, value in values.items()])
    node.on_advanced = lambda _: counter.note()
    return node


def speed_of(make: Any, names: list[str], turns: int) -> Speed:
    """Speed of a node that makes the time."""
    from racecar.ros.run_node import make_executor

    counter = Counter(turns)
    node = make(names, counter)
    executor = make_executor()
    executor.add_node(node)
    deadline = time.monotonic() + 300.0
    while not counter.is_over:
        executor.spin_once(timeout_sec=0.2)
        if time.monotonic() > deadline:
            raise SystemExit(f'{counter.done} turns within 300 s; is a controller missing?')
    executor.remove_node(node)
    executor.shutdown()
    node.destroy_node()
    return counter.speed


def main() -> int:
    """Measure in turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--cars', type=int, nargs='+', default=[20])
    parser.add_argument('--turns', type=int, default=1000, help='that are counted')
    parser.add_argument('--repeats', type=int, default=3, help='of which the median counts')
    parser.add_argument('--set', nargs='+', default=[], metavar='NAME=VALUE',
                        help='parameters of the simulator, such as rate=1000.0')
    parser.add_argument('--answer', help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    more = {name: yaml.safe_load(value) for name, _, value in (
        text.partition('=') for text in arguments.set)}
    if arguments.answer:
        answer(arguments.answer)
        return 0
    import rclpy

    rows = []
    with contextlib.ExitStack() as stack:
        os.environ['ROS_DOMAIN_ID'] = str(claim_domain(stack))
        os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        for cars in arguments.cars:
            names = [f'car{number}' for number in range(1, cars + 1)]
            controllers = [subprocess.Popen([sys.executable, __file__, '--answer', name])
                           for name in names]
            rclpy.init()
            try:
                found: dict[str, list[Speed]] = {'bare': [], 'plant': []}
                for _ in range(arguments.repeats):
                    found['bare'].append(speed_of(bare, names, arguments.turns))
                    found['plant'].append(speed_of(
                        partial(with_plant, more), names, arguments.turns))
            finally:
                for controller in controllers:
                    controller.kill()
                    controller.wait()
                rclpy.shutdown()
            alone, plant = (Speed(*map(statistics.median, zip(*found[name], strict=True)))
                            for name in ('bare', 'plant'))
            rows.append([str(cars), f'{alone.turns:.0f}', f'{plant.turns:.0f}',
                         f'{100.0 * plant.turns / alone.turns:.0f} %',
                         f'{alone.processor:.2f}', f'{plant.processor:.2f}'])
    print(machine())
    print_table(['cars', 'bare [turns/s]', 'with plant [turns/s]', 'share',
                 'processor, bare [ms/turn]', 'with plant [ms/turn]'], rows)
    return 0


if __name__ == '__main__':
    sys.exit(main())
