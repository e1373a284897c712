# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures and videos as files; the ending of the name says which."""

from __future__ import annotations

from collections.abc import Callable
import contextlib
from functools import partial
import importlib.util
import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from racecar.base.errors import ConfigurationError
from racecar.base.extras import not_installed
from racecar.rendering.renderer import Pixels

if TYPE_CHECKING:
    from imageio.core.format import Format

T = TypeVar('T')

STILLS = ('.png', '.jpg', '.jpeg')
VIDEOS = ('.mp4', '.gif')

_JPEG_QUALITY = 92
# Of x264, 0 to 10.
_VIDEO_QUALITY = 8
# GIF counts hundredths of a second, and readers take less than two for ten.
_LONGEST_GIF_RATE = 50.0


def check_file(path: Path, width: int, height: int, rate: float) -> None:
    """Raise ConfigurationError if a picture or video could not be written, before it is drawn.

    rate: of the pictures of a video [Hz].
    """
    suffix = path.suffix.lower()
    if suffix not in (*STILLS, *VIDEOS):
        raise ConfigurationError(
            f"'{path}' ends with {path.suffix or 'nothing'!r}, expected one of"
            f" {', '.join((*STILLS, *VIDEOS))}")
    if os.path.lexists(path):
        raise ConfigurationError(f"'{path}' is there already, not overwriting it; name another")
    if not path.parent.is_dir():
        raise ConfigurationError(
            f"'{path}': the folder '{path.parent}' does not exist; make it or name another")
    if suffix == '.mp4':
        if width % 2 or height % 2:
            raise ConfigurationError(
                f'the size of an MP4 is {width}x{height}, expected even numbers')
        if importlib.util.find_spec('imageio_ffmpeg') is None:
            raise not_installed('MP4 (a .gif does not)', 'imageio_ffmpeg')
    if suffix == '.gif' and rate > _LONGEST_GIF_RATE:
        raise ConfigurationError(
            f'the rate of a GIF is {rate:g} Hz, expected at most {_LONGEST_GIF_RATE:g} Hz')


def write_still(path: Path, pixels: Pixels) -> None:
    """Write a picture. Raises ConfigurationError if that is not possible."""
    from PIL import Image

    with _Part(path) as part:
        # PNG has no quality.
        Image.fromarray(pixels).save(part.path, quality=_JPEG_QUALITY)


class Film:
    """A video that comes picture by picture; a context manager that leaves no half of one."""

    def __init__(self, path: Path, rate: float) -> None:
        """rate: pictures a second. Raises ConfigurationError if the file cannot be written."""
        self._part = _Part(path)
        self._rate = rate
        self._writer: Format.Writer | None = None

    def add(self, pixels: Pixels) -> None:
        """Append a picture. Raises ConfigurationError if that is not possible."""
        assert self._writer is not None
        self._part.guard(partial(self._writer.append_data, pixels))

    def __enter__(self) -> Film:
        import imageio.v2

        self._part.__enter__()
        path = self._part.path
        get_writer = partial(
            imageio.v2.get_writer, path, mode='I', duration=1000.0 / self._rate, loop=0,
        ) if path.suffix.lower() == '.gif' else partial(
            imageio.v2.get_writer, path, fps=self._rate, codec='libx264', quality=_VIDEO_QUALITY,
            macro_block_size=2, ffmpeg_log_level='error',
            # Files of the same size in a third of the time.
            ffmpeg_params=['-preset', 'veryfast'])
        self._writer = self._part.guard(get_writer)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._writer is not None:
                self._part.guard(self._writer.close)
        # A signal, too: to close takes as long as to write, for some formats.
        except BaseException as failure:
            self._part.__exit__(type(failure), failure, None)
            raise
        self._part.__exit__(kind, error, trace)


class _Part:
    """A file that has its name only when it is whole."""

    def __init__(self, path: Path) -> None:
        self._final = path
        self.path = path.with_name(f'.{path.stem}.part{path.suffix}')

    def guard(self, action: Callable[[], T]) -> T:
        """Do something with the file; raise ConfigurationError if that fails."""
        try:
            return action()
        # What imageio and what it calls raise where a disk is full or an encoder fails.
        except (OSError, RuntimeError, ValueError) as error:
            raise ConfigurationError(
                f"'{self._final}' cannot be written: {' '.join(str(error).split())}") from error

    def __enter__(self) -> _Part:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.guard(lambda: os.replace(self.path, self._final))
            return
        # A read-only file system refuses to remove even what is not there.
        with contextlib.suppress(OSError):
            self.path.unlink()
        if isinstance(error, OSError):
            raise ConfigurationError(
                f"'{self._final}' cannot be written: {error}") from error
