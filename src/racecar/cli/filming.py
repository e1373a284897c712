# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writing a video picture by picture, as the commands do."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from racecar.cli.output import ProgressBar
from racecar.signals import raising_on_signals

if TYPE_CHECKING:
    from racecar.rendering.renderer import Pixels


def write_film(
    path: Path, rate: float, count: int, picture: Callable[[int], Pixels], workers: int = 1,
) -> None:
    """Write a video of `count` pictures, with a progress bar; nothing is left of half of one.

    rate: pictures a second. picture: gives the picture of an index; `workers` threads call it.
    Raises ConfigurationError if the file cannot be written, Interruption on SIGINT and SIGTERM.
    """
    from racecar.rendering.film import Film

    with (raising_on_signals(), Film(path, rate) as film,
          ProgressBar(count, 'drawing', 'pictures') as show):
        for number, pixels in enumerate(_in_order(picture, count, workers)):
            film.add(pixels)
            show(number + 1)


def _in_order(
    picture: Callable[[int], Pixels], count: int, workers: int,
) -> Iterator[Pixels]:
    """Pictures one after the other, the next few of which are already being drawn."""
    with ThreadPoolExecutor(workers) as pool:
        begun: deque[Future[Pixels]] = deque()
        try:
            for index in range(count):
                begun.append(pool.submit(picture, index))
                if len(begun) > workers:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            # Of what is interrupted.
            pool.shutdown(cancel_futures=True)
