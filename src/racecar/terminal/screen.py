# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A picture of lines on the whole terminal; what was on it before comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import os
import select
import sys
import tempfile
from typing import NamedTuple

from racecar.terminal.modes import TerminalMode

_ON, _OFF = b'\x1b[?1049h\x1b[?25l\x1b[?7l', b'\x1b[?7h\x1b[?25h\x1b[?1049l'
_USUAL = (80, 24)


class Size(NamedTuple):
    """Of a terminal, in characters."""

    columns: int
    rows: int


class Screen:
    """The terminal of the standard output as a picture, a context manager that gives itself.

    Meanwhile what is written to the standard error goes to a file, and at the end to where it
    belongs: it would tear the picture.
    """

    def __init__(self, worth_telling: Callable[[list[str]], list[str]] = lambda lines: lines,
                 ) -> None:
        """worth_telling: picks, of the lines on the standard error, those that are shown."""
        self._worth_telling = worth_telling
        self._descriptor = sys.stdout.fileno()
        self._shown: list[str] = []
        self._size = Size(0, 0)
        # Without a name, so that nothing is left behind.
        self._held = tempfile.TemporaryFile()  # noqa: SIM115
        self._held_from = 0
        self._error = -1
        self._mode = TerminalMode(self._descriptor, self._switch_on, self._switch_off)

    @staticmethod
    def is_possible() -> bool:
        """Whether the standard output is a terminal."""
        return sys.stdout is not None and sys.stdout.isatty()

    @property
    def size(self) -> Size:
        """Columns and rows of the terminal now."""
        try:
            columns, rows = os.get_terminal_size(self._descriptor)
        except OSError:
            columns, rows = 0, 0
        # A terminal may say that it does not know.
        return Size(columns or _USUAL[0], rows or _USUAL[1])

    @property
    def last_error_line(self) -> str:
        """The last line that was written to the standard error since the screen is on."""
        end = self._held.seek(0, os.SEEK_END)
        self._held.seek(max(0, end - 2000))
        lines = self._worth_telling(self._held.read().decode(errors='replace').splitlines())
        return lines[-1] if lines else ''

    def show(self, lines: Sequence[str]) -> None:
        """Show lines from the top; only those that changed are written.

        One that is longer than the terminal is wide is cut off. A terminal that does not keep up
        misses pictures.
        """
        self._mode.resume()
        if not self._mode.is_on or not select.select([], [self._descriptor], [], 0.0)[1]:
            return
        size = self.size
        text = ''
        if size != self._size:
            self._size, self._shown = size, []
            text = '\x1b[2J'
        rows = [*lines[:size.rows], *[''] * (size.rows - len(lines))]
        for number, line in enumerate(rows):
            if number >= len(self._shown) or self._shown[number] != line:
                text += f'\x1b[{number + 1};1H{line}\x1b[0m\x1b[K'
        self._shown = rows
        data = text.encode()
        try:
            while data:
                data = data[os.write(self._descriptor, data):]
        except OSError:
            # The terminal has gone.
            self._mode.leave()

    def __enter__(self) -> Screen:
        self._mode.enter()
        return self

    def __exit__(self, *_: object) -> None:
        self._mode.leave()
        self._held.close()

    def _switch_on(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(self._descriptor, _ON)
        self._size = Size(0, 0)
        self._error = os.dup(2)
        self._held_from = self._held.seek(0, os.SEEK_END)
        os.dup2(self._held.fileno(), 2)

    def _switch_off(self) -> None:
        sys.stderr.flush()
        os.dup2(self._error, 2)
        os.close(self._error)
        os.write(self._descriptor, _OFF)
        self._held.seek(self._held_from)
        text = self._held.read()
        self._held_from += len(text)
        for line in self._worth_telling(text.decode(errors='replace').splitlines()):
            os.write(2, f'{line}\n'.encode())
