# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar topic`: list, echo, measure and publish topics, as `ros2 topic` does."""

from __future__ import annotations

import argparse
import csv
import sys
from typing import TYPE_CHECKING

from racecar.cli.inspecting import named, print_found, run, say, valued, Verbs
from racecar.cli.number_types import number, whole

if TYPE_CHECKING:
    from racecar.clients.inspection.inspector import Inspector

__all__ = ['add_arguments', 'run']

_COUNT = whole(range(1, 10**9))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar topic`."""
    parser.description = (
        'Look at the topics of running nodes, with the words of `ros2 topic`; needs no ros2cli.')
    verbs = Verbs(parser)
    topic = named('topic')
    verbs.add_list('topics', _list)
    verb = verbs.add('echo', _echo, 'print the messages of a topic', topic)
    verb.add_argument('type', metavar='TYPE', nargs='?', help='for a topic that is not there yet')
    verb.add_argument('--once', action='store_true', help='end after the first message')
    verb.add_argument('--field', metavar='PATH', help='only this part, as pose.pose.position')
    verb.add_argument('--csv', action='store_true', help='numbers and texts with commas between')
    verb.add_argument('--no-arr', action='store_true', help='only the lengths of arrays')
    verb.add_argument('-f', '--full-length', action='store_true',
                      help='arrays and texts in full')
    verb.add_argument('-l', '--truncate-length', type=_COUNT, default=128, metavar='N',
                      help='elements of arrays, characters of texts (default: 128)')
    verb = verbs.add('hz', _hz, 'measure the rate of a topic', topic)
    verb.add_argument('-w', '--window', type=_COUNT, default=10000, metavar='N',
                      help='how many messages count (default: 10000)')
    verb.add_argument('--times', type=_COUNT, metavar='N',
                      help='end after so many results, one a second (default: Ctrl-C ends)')
    verb = verbs.add('info', _info, 'tell type, publishers and subscriptions of a topic', topic)
    verb.add_argument('-v', '--verbose', action='store_true', help='with nodes and QoS')
    verbs.add('type', _type, 'print the type of a topic', topic)
    verb = verbs.add('pub', _pub, 'publish a message', topic, valued('std_msgs/msg/Bool'))
    verb.add_argument('-r', '--rate', type=number(0.0, 1e6, above=True), default=1.0, metavar='HZ',
                      help='default: 1 Hz')
    verb.add_argument('-1', '--once', action='store_true', help='publish once')
    verb.add_argument('-t', '--times', type=_COUNT, metavar='N', help='publish so many times')
    verb.add_argument('-w', '--wait-matching-subscriptions', type=int, metavar='N',
                      help='subscriptions to wait for (default: 1 with --once or --times, else 0)')


def _list(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import is_hidden

    inspector.settle()
    found = inspector.graph.topics()
    print_found([(name, types) for name, types in found.items()
                 if not _is_own(inspector, name)
                 and (arguments.with_hidden or not is_hidden(name))], 'topics', arguments)


def _is_own(inspector: Inspector, topic: str) -> bool:
    """Whether only this command subscribes to a topic, and nobody publishes there."""
    graph, own = inspector.graph, inspector.node.get_name()
    return not graph.is_published(topic) and all(
        info.node_name == own for info in graph.subscriptions(topic))


def _echo(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.base.errors import RacecarError
    from racecar.clients.graph.view import absolute
    from racecar.clients.inspection.topics import listen
    from racecar.ros.message_values import flat, plain, select_field, yaml_text

    longest = None if arguments.full_length else arguments.truncate_length
    writer = csv.writer(sys.stdout, lineterminator='\n')
    errors: list[RacecarError] = []
    shown = 0

    def on_message(message: object) -> None:
        nonlocal shown
        if errors or (shown and arguments.once):
            return
        try:
            value = select_field(message, arguments.field) if arguments.field else message
        except RacecarError as error:
            # A callback must not raise it.
            errors.append(error)
            return
        shown += 1
        values = plain(value, longest, with_lists=not arguments.no_arr)
        if arguments.csv:
            writer.writerow(flat(values))
            sys.stdout.flush()
        else:
            say(f'{yaml_text(values)}---')

    listen(inspector, absolute(arguments.topic), arguments.type, on_message)
    inspector.spin(lambda: bool(errors) or (arguments.once and shown > 0))
    if errors:
        raise errors[0]


def _hz(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import absolute
    from racecar.clients.inspection.topics import measure_rate

    measure_rate(inspector, absolute(arguments.topic), arguments.window, say, arguments.times)


def _info(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import absolute

    topic = absolute(arguments.topic)
    name = inspector.topic_type(topic)
    # Whoever told of it tells the rest at once.
    inspector.settle(0.0)
    between = '\n\n' if arguments.verbose else '\n'
    print(f'Type: {name}', end=between)
    for what, infos in (('Publisher', inspector.graph.publishers(topic)),
                        ('Subscription', inspector.graph.subscriptions(topic))):
        print(f'{what} count: {len(infos)}', end=between)
        if arguments.verbose:
            for info in infos:
                print(info, end=between)


def _type(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import absolute

    print(inspector.topic_type(absolute(arguments.topic)))


def _pub(inspector: Inspector, arguments: argparse.Namespace) -> None:
    from racecar.clients.graph.view import absolute
    from racecar.clients.inspection.topics import publish, Schedule
    from racecar.ros.message_values import load_type, parse_message

    times = 1 if arguments.once else arguments.times
    subscribers = arguments.wait_matching_subscriptions
    if subscribers is None:
        subscribers = 0 if times is None else 1
    message = parse_message(load_type(arguments.type, 'msg'), arguments.values,
                            inspector.node.get_clock().now().to_msg())
    publish(inspector, message, absolute(arguments.topic),
            Schedule(arguments.rate, times, subscribers), say)
