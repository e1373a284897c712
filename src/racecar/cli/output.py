# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables, progress bars and other text of the commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import contextlib
from pathlib import Path
import shlex
import sys

from racecar.base.errors import ConfigurationError


def typed_command() -> str:
    """The command as the user typed it, but for its quotes."""
    return shlex.join(['racecar', *sys.argv[1:]])


@contextlib.contextmanager
def made_folder(output: Path, *, may_exist: bool = False) -> Iterator[None]:
    """Make the folder of --output before what takes long, whose results would be lost without it.

    If it was made here, it goes again if an error ends this before anything is in it. Raises
    ConfigurationError if it cannot be made.
    """
    is_new = not output.exists()
    try:
        output.mkdir(parents=True, exist_ok=may_exist)
    except OSError as error:
        raise ConfigurationError(
            f"--output '{output}' cannot be made: {error.strerror}; name another place"
        ) from error
    try:
        yield
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):
                output.rmdir()
        raise


def print_rows(rows: list[tuple[str, str, str]]) -> None:
    """Print (name, value, unit) as aligned columns."""
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    for name, value, unit in rows:
        print(f'{name:<{names}}  {value:>{values}}  {unit}'.rstrip())


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows below a header; the columns between the first and the last are numbers."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    last = len(widths) - 1
    for cells in (header, *rows):
        line = '  '.join(
            f'{text:<{width}}' if column in (0, last) else f'{text:>{width}}'
            for column, (text, width) in enumerate(zip(cells, widths, strict=True)))
        print(line.rstrip())


class ProgressBar:
    """How much is done on stderr, simulated seconds by default; silent where that is no terminal.

    A context manager that gives itself; called with how much is done. A whole total is counted in
    whole numbers; None where it is not known.
    """

    def __init__(
        self, total: float | None, description: str, unit: str = 's of simulated time',
    ) -> None:
        from tqdm import tqdm

        from racecar.base.compiled import announce_compilation

        digits = 0 if isinstance(total, int) else 1
        # Not into the middle of the bar.
        announce_compilation(lambda text: tqdm.write(f'racecar: {text}', file=sys.stderr))
        self._bar = tqdm(
            total=total, desc=description, file=sys.stderr, disable=None, leave=False,
            bar_format=f'{{desc}}: {{percentage:3.0f}}%|{{bar}}| {{n:.{digits}f}}'
            f'/{{total:.{digits}f}} {unit}, {{remaining}} left'
            if total is not None else f'{{desc}}: {{n:.0f}} {unit}')

    def __call__(self, done: float) -> None:
        """Show that so much is done."""
        self._bar.update(done - self._bar.n)

    def write(self, line: str) -> None:
        """Print a line on stdout without tearing the bar apart."""
        self._bar.write(line, file=sys.stdout)
        sys.stdout.flush()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
