# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar cockpit`: watch and drive in a browser."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os

from racecar.base.errors import ConfigurationError
from racecar.base.share import topic_set_names
from racecar.cli.bridge_argument import add_bridge_argument
from racecar.cli.choices import Suggestions
from racecar.cli.page_server import add_server_arguments, serve_feed
from racecar.cockpit.access import check_server
from racecar.cockpit.configurations import configuration_names
from racecar.ros.topics.sets import topic_set
from racecar.stacks.describe import check_namespace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar cockpit`."""
    names = configuration_names()
    parser.description = (
        'Serve a page that shows the car in 3-D, plots its state, sets parameters and drives it by'
        ' keys, gamepad or touch; it also starts and stops configurations. They run in one process'
        ' without ROS, as those of `racecar simulate` and with their bits; with --ros they are'
        ' nodes, as those of `racecar up`. With --attach it shows what somebody else has started,'
        ' by `ros2 launch` too. Only browsers of this computer can open the page, unless --host'
        ' opens it to a network.')
    parser.add_argument(
        'name', metavar='NAME', nargs='?', choices=Suggestions(names),
        help=f"configuration to start at once: {', '.join(names)}; default: what the page asks"
             ' for')
    parser.add_argument(
        '--ros', action='store_true',
        help='run configurations as ROS nodes, which other nodes, bags and RViz can join')
    parser.add_argument(
        '--attach', action='store_true',
        help='show a stack that runs already, in the ROS domain of ROS_DOMAIN_ID')
    parser.add_argument(
        '--namespace', metavar='NAMESPACE',
        help='with --attach: namespace of the robot (default: of the first that is found)')
    parser.add_argument(
        '--topic-names', choices=Suggestions(topic_set_names()), metavar='NAMES',
        help=f"with --attach: set of topic names, {', '.join(topic_set_names())}, or a file"
             ' (default: the one that fits)')
    add_server_arguments(parser)
    add_bridge_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C; returns 0. Raises RacecarError with a one-line message."""
    if arguments.bridge is not None:
        from racecar.clients.cockpit_bridge.attached import run_bridge

        run_bridge(arguments.bridge, arguments.namespace, arguments.topic_names)
    check_server()
    from racecar.cockpit.live_feed import AttachFeed, CockpitFeed, LiveFeed

    with contextlib.ExitStack() as stack:
        feed: LiveFeed
        note = ''
        if arguments.attach:
            if arguments.name is not None:
                raise ConfigurationError(
                    f'{arguments.name} contradicts --attach, which starts nothing; leave one out')
            feed = AttachFeed(*attached(arguments.namespace, arguments.topic_names))
            _check_ros('--attach')
        else:
            for option in ('namespace', 'topic_names'):
                if getattr(arguments, option) is not None:
                    raise ConfigurationError(
                        f"--{option.replace('_', '-')} is only for --attach")
            if arguments.ros:
                _claim_domain(stack)
                note = f"Configurations run as nodes in ROS domain {os.environ['ROS_DOMAIN_ID']}."
            else:
                note = 'Configurations run in one process, without ROS; --ros runs them as nodes.'
            feed = CockpitFeed(arguments.name, with_nodes=arguments.ros)
        serve_feed(feed, arguments, note)
    return 0


def _check_ros(option: str) -> None:
    """Raise ConfigurationError where an option needs ROS, and there is none."""
    if importlib.util.find_spec('rclpy') is None:
        raise ConfigurationError(
            f'{option} needs ROS 2, which this Python does not have: source its setup file, use'
            ' ./run in a clone, or leave the option out')


def _claim_domain(stack: contextlib.ExitStack) -> None:
    """Take a ROS domain in which nothing else that runs here answers, unless one is chosen."""
    _check_ros('--ros')
    if not os.environ.get('ROS_DOMAIN_ID'):
        from racecar.ros.domains import claim_domain

        os.environ['ROS_DOMAIN_ID'] = str(claim_domain(stack))


def attached(namespace: str | None, topic_names: str | None) -> tuple[list[str], str]:
    """Words that run the bridge to a stack that runs already, and what it looks for.

    Raises ConfigurationError for a namespace that is none and an unknown set of topic names.
    """
    words = ['cockpit']
    if namespace is not None:
        check_namespace(namespace)
        words += ['--namespace', namespace]
    if topic_names is not None:
        topic_set(topic_names)
        words += ['--topic-names', topic_names]
    where = '' if namespace is None else f' below /{namespace.strip("/")}'
    domain = os.environ.get('ROS_DOMAIN_ID') or '0'
    return words, f'looking for the odometry of a robot{where} in ROS domain {domain}'
