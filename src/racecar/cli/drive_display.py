# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a running stack shows: a progress bar, or the whole drive where a person is at the keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
from dataclasses import replace
import re
from typing import TYPE_CHECKING

from racecar.catalogue import node_names
from racecar.cli.output import ProgressBar
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.ros.topics.sets import topic_set
from racecar.stacks import NodeDescription
from racecar.terminal.drive_picture import DriveState
from racecar.terminal.screen import Screen

if TYPE_CHECKING:
    from racecar.clients.drive_view import DriveView
    from racecar.stacks.composing import ComposedStack

_LOG_LINE = re.compile(r'\[(?P<level>[A-Z]+)\] (\[[\d.]+\] )?\[(?P<node>[^\]]*)\]: (?P<text>.*)')
_NUMBER = re.compile(r'-?\d+(\.\d+)?')
_BY_HAND = (node_names.KEYBOARD_TELEOP, node_names.JOY_TELEOP)


def shows_drive(descriptions: list[NodeDescription]) -> bool:
    """Whether a person drives, at a terminal."""
    return Screen.is_possible() and any(d.executable in _BY_HAND for d in descriptions)


def for_display(descriptions: list[NodeDescription]) -> list[NodeDescription]:
    """Nodes such that none writes where the drive is shown."""
    if not shows_drive(descriptions):
        return descriptions
    return [replace(d, parameters={**d.parameters, 'status_line': False})
            if d.executable == node_names.KEYBOARD_TELEOP else d for d in descriptions]


@contextlib.contextmanager
def displayed(
    stack: ComposedStack, descriptions: list[NodeDescription], name: str,
    end_time: float | None, topic_names: str,
) -> Iterator[tuple[Callable[[float], object], DriveView | None]]:
    """Yield what is to be called with the simulated time [s], and the view of the drive if it is.

    name: of the stack; end_time [s]; topic_names: name of the set.
    """
    if not shows_drive(descriptions):
        with ProgressBar(end_time, name) as show:
            yield show, None
        return
    from racecar.clients.drive_view import DriveView

    simulator = next(d for d in descriptions if d.spec.is_simulator)
    keyboard = stack.find(node_names.KEYBOARD_TELEOP)
    with Screen(_worth_telling) as screen:
        view = DriveView(
            screen, _state(name, simulator), namespace=simulator.namespace,
            renamed=topic_set(topic_names).topics,
            status=(lambda: keyboard.status) if keyboard else lambda: 'joystick | Ctrl-C ends')
        if keyboard is not None:
            keyboard.on_key = view.on_key
        stack.add_node(view)
        yield view.draw, view


def _worth_telling(lines: list[str]) -> list[str]:
    """Log lines of nodes that are news, each sentence once, without numbers."""
    found: dict[str, str] = {}
    for line in lines:
        match = _LOG_LINE.fullmatch(line)
        if match is None:
            found.setdefault(line, line)
        elif match['level'] != 'INFO':
            text = f"{match['level']} {match['node']}: {match['text']}"
            found.setdefault(_NUMBER.sub('', text), text)
    return [*found.values()]


def _state(name: str, simulator: NodeDescription) -> DriveState:
    values = simulator.resolve()
    vehicle = VehicleParameters.from_values(values)
    front, rear, side = vehicle.footprint
    return DriveState(
        title=f"racecar {name}: {vehicle.name}, world {values['world']}", length=front + rear,
        width=2.0 * side, middle=0.5 * (front - rear),
        steering_range=min(max(map(abs, vehicle.steering_range)), 0.6))
