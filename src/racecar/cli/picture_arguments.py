# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the commands that draw pictures and videos, and the times of their pictures."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError
from racecar.cli.number_types import number

if TYPE_CHECKING:
    from racecar.base.types import Lamps

_LONGEST_EDGE = 4096
_MOST_PICTURES = 100_000
_POSITIVE = number(0.0, 1e4, above=True)


def add_video_arguments(
    parser: argparse.ArgumentParser, *, size: tuple[int, int], fps: float, speed: float | None,
    speed_help: str, whole: str = 'all',
) -> None:
    """Declare --size, --fps, --start, --duration and --speed with their defaults.

    speed_help, whole: what the defaults of --speed and --duration are called.
    """
    add_size_argument(parser, size)
    parser.add_argument('--fps', type=_POSITIVE, default=fps, metavar='N',
                        help=f'pictures per second of a video (default: {fps:g})')
    parser.add_argument('--start', type=number(0.0), metavar='S',
                        help='time of the drive at which to begin, or of the picture [s]'
                             ' (default: 0, of a picture the end)')
    parser.add_argument('--duration', type=_POSITIVE, metavar='S',
                        help=f'time of the drive to show [s] (default: {whole})')
    parser.add_argument('--speed', type=_POSITIVE, default=speed, metavar='N',
                        help=f'times as fast as it was (default: {speed_help})')


def add_size_argument(parser: argparse.ArgumentParser, size: tuple[int, int]) -> None:
    """Declare --size with its default."""
    width, height = size
    parser.add_argument('--size', type=_size, default=size, metavar='WxH',
                        help=f'of the picture in pixels (default: {width}x{height})')


def add_lamps_argument(parser: argparse.ArgumentParser, when: str = '') -> None:
    """Declare --lamps; when: for what it is, if not for all."""
    parser.add_argument('--lamps', type=_lamps, metavar='NAMES',
                        help=f'lamps that are lit{when}, as front,brake,left_indicator, or all'
                             ' (default: none)')


def check_start(start: float | None, end: float) -> None:
    """Raise ConfigurationError if a drive is over before the time that is asked for [s]."""
    if start is not None and start > end:
        raise ConfigurationError(f'--start is {start:g} s, expected at most {end:g} s, the end')


def video_times(start: float, length: float, speed: float, fps: float) -> list[float]:
    """Times of a drive that the pictures of a video show [s].

    start, length: of what is shown [s]; speed: times as fast as it was; fps: pictures per second.
    Raises ConfigurationError if there are too many.
    """
    count = max(1, round(length / speed * fps))
    if count > _MOST_PICTURES:
        raise ConfigurationError(
            f'the video would have {count} pictures, expected at most {_MOST_PICTURES}; choose a'
            ' shorter --duration or a lower --fps')
    return [start + index * speed / fps for index in range(count)]


def _lamps(text: str) -> Lamps:
    # Imported here: it brings NumPy, for which `racecar --help` does not wait.
    from racecar.base.types import Lamps

    names = Lamps._fields if text == 'all' else tuple(text.split(','))
    for name in names:
        if name not in Lamps._fields:
            raise argparse.ArgumentTypeError(
                f"{name!r} is no lamp, expected some of {', '.join(Lamps._fields)} joined by"
                ' commas, or all')
    return Lamps(**dict.fromkeys(names, True))


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r'([0-9]{1,5})[xX]([0-9]{1,5})', text)
    width, height = (int(match[1]), int(match[2])) if match else (0, 0)
    if not (1 <= width <= _LONGEST_EDGE and 1 <= height <= _LONGEST_EDGE):
        raise argparse.ArgumentTypeError(
            f'{text!r}, expected width and height as 1280x720, each from 1 to {_LONGEST_EDGE}')
    return width, height
