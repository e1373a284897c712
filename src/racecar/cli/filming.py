# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writing a video picture by picture, as the commands do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from racecar.cli.output import ProgressBar
from racecar.signals import raising_on_signals

if TYPE_CHECKING:
    from racecar.rendering.renderer import Pixels


def write_film(path: Path, rate: float, count: int, picture: Callable[[int], Pixels]) -> None:
    """Write a video of `count` pictures, with a progress bar; nothing is left of half of one.

    rate: pictures a second. picture: gives the picture of an index.
    Raises ConfigurationError if the file cannot be written, Interruption on SIGINT and SIGTERM.
    """
    from racecar.rendering.film import Film

    with (raising_on_signals(), Film(path, rate) as film,
          ProgressBar(count, 'drawing', 'pictures') as show):
        for index in range(count):
            film.add(picture(index))
            show(index + 1)
