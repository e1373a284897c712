#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stack over DDS: ticks in lockstep, in one process and in five; CPU and latency at real time.

Run it with `./run python benchmarks/ros_loop.py`.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
from pathlib import Path
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import machine, print_table

from racecar.ros.domains import claim_domain

STACK = ('-m', 'racecar.cli.main', 'up', 'kinematic_ode')
PERIOD = 0.01
PROCESSES = 5


SILENT = '/**: {ros__parameters: {diagnostics_rate: 0.0}}'
"""Parameter file of nodes that neither count nor tell on /diagnostics."""


def lockstep(duration: float, folder: str | None, *more: str) -> dict[str, float]:
    """Run in lockstep as fast as it goes; return ticks/s and the real-time factor."""
    command = [sys.executable, *STACK, '--lockstep', '--real-time-factor', '0', '--duration',
               f'{duration:g}', '--json', *(['--record', folder] if folder else []), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.splitlines()[-1])
    answer = json.loads(done.stdout)
    return {'ticks_per_second': answer['real_time_factor'] / PERIOD,
            'real_time_factor': answer['real_time_factor']}


def lockstep_in_processes(duration: float) -> float:
    """Run in lockstep with each node in a process of its own; return ticks/s.

    Counted from the first message on /clock to the end of the simulator. Nobody listens in
    between: a sixth process on two cores would be measured too.
    """
    import rclpy
    from rclpy.serialization import deserialize_message
    from rosgraph_msgs.msg import Clock

    from racecar.ros import qos
    from racecar.ros.run_node import end, make_executor
    from racecar.stacks import describe_stack, StackOptions

    heard: list[bytes] = []
    options = StackOptions(lockstep=True, real_time_factor=0.0, end_time=duration)
    descriptions = describe_stack('kinematic_ode', options)
    processes = {d.full_name: subprocess.Popen(
        [sys.executable, '-m', 'racecar.nodes', d.executable, '--ros-args', *d.ros_arguments()],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for d in descriptions}
    simulator = next(processes[d.full_name] for d in descriptions if d.spec.is_simulator)
    try:
        rclpy.init()
        node = rclpy.create_node('loop_benchmark')
        node.create_subscription(Clock, '/clock', heard.append, qos.CLOCK, raw=True)
        executor = make_executor()
        executor.add_node(node)
        # Until the first command the simulator repeats its first message.
        while len(set(heard)) < 2:
            executor.spin_once(timeout_sec=0.1)
            if simulator.poll() is not None:
                raise SystemExit('the simulator ended before anything moved')
        start = time.perf_counter()
        message: Clock = deserialize_message(heard[-1], Clock)
        first = message.clock
        end(executor, [node])
        rclpy.try_shutdown()
        simulator.wait()
        finish = time.perf_counter()
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            process.wait(20.0)
    return (duration - first.sec - 1e-9 * first.nanosec) / (finish - start) / PERIOD


def relay(received: str, sent: str) -> None:
    """Send on what comes, as bytes, until the process is ended: one link of bare_chain()."""
    from nav_msgs.msg import Odometry
    import rclpy

    from racecar.ros import qos
    from racecar.ros.run_node import make_executor, spin

    rclpy.init()
    node = rclpy.create_node(f'relay_{sent}')
    publisher = node.create_publisher(Odometry, sent, qos.COMMAND)
    node.create_subscription(Odometry, received, publisher.publish, qos.COMMAND, raw=True)
    executor = make_executor()
    executor.add_node(node)
    spin(executor)


def bare_chain(seconds: float) -> float:
    """Send a message round five processes that do nothing else; return rounds/s.

    What the middleware, the executor and this machine leave to a stack in five processes.
    """
    from nav_msgs.msg import Odometry
    import rclpy
    from rclpy.serialization import serialize_message

    from racecar.ros import qos
    from racecar.ros.run_node import end, make_executor

    rclpy.init()
    node = rclpy.create_node('loop_benchmark')
    topics = [f'chain_{i}' for i in range(PROCESSES)]
    publisher = node.create_publisher(Odometry, topics[0], qos.COMMAND)
    message = Odometry()
    rounds: list[float] = []
    chosen: list[bytes] = []

    def on_message(data: bytes) -> None:
        # Of those that were sent before all had found each other, one only goes round.
        if data in (chosen or (data,)):
            chosen[:] = [data]
            rounds.append(time.perf_counter())
            publisher.publish(data)

    node.create_subscription(Odometry, topics[-1], on_message, qos.COMMAND, raw=True)
    executor = make_executor()
    executor.add_node(node)
    relays = [subprocess.Popen(
        [sys.executable, __file__, '--relay', *pair], stderr=subprocess.DEVNULL)
        for pair in itertools.pairwise(topics)]
    try:
        deadline = time.perf_counter() + 60.0
        while not rounds:
            message.header.stamp.sec += 1
            publisher.publish(serialize_message(message))
            executor.spin_once(timeout_sec=0.2)
            if time.perf_counter() > deadline:
                raise SystemExit('the chain did not close within 60 s')
        finish = time.perf_counter() + seconds
        while time.perf_counter() < finish:
            executor.spin_once(timeout_sec=0.1)
    finally:
        for process in relays:
            process.terminate()
        for process in relays:
            process.wait(20.0)
        end(executor, [node])
        rclpy.try_shutdown()
    return (len(rounds) - 1) / (rounds[-1] - rounds[0])


def processor_time(pid: int) -> float:
    """Return user and system time of a process [s]."""
    fields = Path(f'/proc/{pid}/stat').read_text(encoding='ascii').rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def real_time(duration: float) -> dict[str, float]:
    """Watch the stack at real time from another process.

    Returns cpu_share of one core, memory [MB], and, median and 99th percentile [ms]: latency from
    the arrival of an odometry message to that of the command that carries its stamp, both at the
    watching process; jitter of the odometry's arrival against the period.
    """
    from ackermann_msgs.msg import AckermannDriveStamped
    from nav_msgs.msg import Odometry
    import rclpy

    from racecar.ros import qos
    from racecar.ros.codecs.ackermann_command import read_command
    from racecar.ros.codecs.odometry import read_odometry
    from racecar.ros.run_node import end, make_executor

    odometry: dict[int, float] = {}
    command: dict[int, float] = {}

    def on_odometry(data: bytes) -> None:
        arrival = time.perf_counter()
        odometry.setdefault(read_odometry(data).time_ns, arrival)

    def on_command(data: bytes) -> None:
        arrival = time.perf_counter()
        command.setdefault(read_command(data)[1], arrival)

    rclpy.init()
    node = rclpy.create_node('loop_benchmark')
    node.create_subscription(
        Odometry, '/vesc/odom', on_odometry, qos.ODOMETRY, raw=True)
    node.create_subscription(
        AckermannDriveStamped, '/vesc/low_level/ackermann_cmd_mux/output', on_command, qos.STATE,
        raw=True)
    executor = make_executor()
    executor.add_node(node)
    stack = subprocess.Popen(
        [sys.executable, *STACK, '--duration', '1e6'], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        deadline = time.perf_counter() + 60.0
        while len(command) < 100:
            executor.spin_once(timeout_sec=0.1)
            if time.perf_counter() > deadline or stack.poll() is not None:
                raise SystemExit('the stack did not start to drive within 60 s')
        odometry.clear()
        command.clear()
        start, cpu = time.perf_counter(), processor_time(stack.pid)
        while time.perf_counter() < start + duration:
            executor.spin_once(timeout_sec=0.1)
        share = (processor_time(stack.pid) - cpu) / (time.perf_counter() - start)
        status = Path(f'/proc/{stack.pid}/status').read_text(encoding='ascii')
        memory = int(status.split('VmRSS:')[1].split()[0]) / 1024.0
    finally:
        stack.terminate()
        stack.wait(20.0)
        end(executor, [node])
        rclpy.try_shutdown()
    latency = sorted(
        1e3 * (command[stamp] - arrival) for stamp, arrival in odometry.items()
        if stamp in command)
    arrivals = [odometry[stamp] for stamp in sorted(odometry)]
    jitter = sorted(
        1e3 * abs(after - before - PERIOD)
        for before, after in zip(arrivals, arrivals[1:], strict=False))
    return {
        'cpu_share': share, 'memory_mb': memory, 'samples': len(latency),
        'latency_median_ms': statistics.median(latency),
        'latency_p99_ms': latency[int(0.99 * len(latency))],
        'jitter_median_ms': statistics.median(jitter),
        'jitter_p99_ms': jitter[int(0.99 * len(jitter))]}


def main() -> int:
    """Measure, print a table; returns 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--json', action='store_true', help='one JSON object on stdout')
    parser.add_argument('--duration', type=float, default=40.0, metavar='SECONDS',
                        help='simulated in lockstep (default: 40)')
    parser.add_argument('--watch', type=float, default=15.0, metavar='SECONDS',
                        help='watched at real time (default: 15)')
    parser.add_argument('--rounds', type=int, default=3, help='lockstep runs (default: 3)')
    parser.add_argument('--relay', nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.relay:
        relay(*arguments.relay)
    runs: dict[str, list[float]] = {
        'lockstep': [], 'lockstep, without /diagnostics': [], 'lockstep, recording': [],
        'lockstep, each node a process': [],
        'nothing but messages round five processes': []}
    with contextlib.ExitStack() as stack:
        # Keeps other stacks on this machine out of the measurement.
        os.environ['ROS_DOMAIN_ID'] = str(claim_domain(stack))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        silent = Path(folder) / 'silent.yaml'
        silent.write_text(SILENT, encoding='utf-8')
        for i in range(arguments.rounds):
            runs['lockstep, without /diagnostics'].append(lockstep(
                arguments.duration, None, '--params-file', str(silent))['ticks_per_second'])
            runs['lockstep'].append(lockstep(arguments.duration, None)['ticks_per_second'])
            runs['lockstep, recording'].append(lockstep(
                arguments.duration, str(Path(folder) / str(i)))['ticks_per_second'])
            runs['lockstep, each node a process'].append(
                lockstep_in_processes(arguments.duration))
            runs['nothing but messages round five processes'].append(bare_chain(5.0))
        watched = real_time(arguments.watch)
    if arguments.json:
        print(json.dumps({'machine': machine(), 'ticks_per_second': runs, 'real_time': watched}))
        return 0
    print(machine())
    print_table(('over DDS', 'ticks/s median', 'low', 'high', 'x real time'), [
        (name, f'{statistics.median(rates):.0f}', f'{min(rates):.0f}', f'{max(rates):.0f}',
         f'{statistics.median(rates) * PERIOD:.1f}') for name, rates in runs.items()])
    print_table(('at real time', 'value'), [
        (name, f'{value:.3f}') for name, value in watched.items()])
    return 0


if __name__ == '__main__':
    sys.exit(main())
