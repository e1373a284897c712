# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names and files as arguments: errors that name the nearest, and what tab completion offers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from typing import TypeVar

from racecar.base.parameters import suggestion
from racecar.base.share import car_and_robot_names, vehicle_names, world_names

_FILES = {'bash': '_shtab_compgen_files', 'zsh': '_files', 'tcsh': 'f'}
"""As shtab.FILE, without which all but `racecar completion` does."""

A = TypeVar('A', bound=argparse.Action)


class Suggestions(list[str]):
    """Choices that tab completion offers; anything else is allowed too, or refused later."""

    def __contains__(self, _: object) -> bool:
        return True


def completed_as_file(action: A) -> A:
    """Let tab completion offer files for an argument, and return it."""
    action.complete = _FILES  # type: ignore[attr-defined]
    return action


def add_vehicle_argument(
    parser: argparse.ArgumentParser, use: str, default: str | None = None,
) -> None:
    """Declare --vehicle, what find_vehicle() takes; use: what it is for, and the default."""
    _add_named(parser, '--vehicle', vehicle_names(), f'{use}; a name or a parameter file', default)


def add_robot_argument(parser: argparse.ArgumentParser, use: str) -> None:
    """Declare --vehicle, what find_robot() takes; use: what it is for, and the default."""
    _add_named(
        parser, '--vehicle', car_and_robot_names(), f'{use}; a name or a parameter file', None)


def add_world_argument(parser: argparse.ArgumentParser, use: str) -> None:
    """Declare --world, what find_world() takes; use: what it is for, and the default."""
    _add_named(parser, '--world', world_names(), f'{use}; a world or map, a name or a file', None)


def add_car_argument(parser: argparse.ArgumentParser, default: str) -> None:
    """Declare --car; default: which cars are taken without it."""
    parser.add_argument(
        '--car', metavar='NAME',
        help=f'of runs of several cars in one world, the one of this name (default: {default})')


def _add_named(
    parser: argparse.ArgumentParser, flag: str, names: list[str], text: str, default: str | None,
) -> None:
    parser.add_argument(flag, choices=Suggestions(names), default=default, metavar='NAME|FILE',
                        help=f"{text} ({', '.join(names)})")


def one_of(names: Collection[str]) -> Callable[[str], str]:
    """Type for argparse that takes one of the names."""
    def parse(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(
                f"'{text}' is unknown, expected one of {', '.join(names)}"
                f'{suggestion(text, names)}')
        return text

    return parse
