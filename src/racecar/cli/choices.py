# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names and files as arguments: errors that name the nearest, and what tab completion offers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from typing import TypeVar

from racecar.core.parameters import suggestion

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


def one_of(names: Collection[str]) -> Callable[[str], str]:
    """Return a type for argparse that takes one of the names."""
    def parse(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(
                f"'{text}' is unknown, expected one of {', '.join(names)}"
                f'{suggestion(text, names)}')
        return text

    return parse
