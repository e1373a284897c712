# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables and progress bars of the commands."""

from __future__ import annotations

from collections.abc import Callable
import sys


def print_rows(rows: list[tuple[str, str, str]]) -> None:
    """Print (name, value, unit) as aligned columns."""
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    for name, value, unit in rows:
        print(f'{name:<{names}}  {value:>{values}}  {unit}'.rstrip())


class ProgressBar:
    """Simulated seconds on stderr; silent where stderr is no terminal."""

    def __init__(self, duration: float | None, description: str) -> None:
        from tqdm import tqdm

        from racecar.core.compiled import announce_compilation

        # Not into the middle of the bar.
        announce_compilation(lambda text: tqdm.write(f'racecar: {text}', file=sys.stderr))
        self._bar = tqdm(
            total=duration, desc=description, file=sys.stderr, disable=None, leave=False,
            bar_format='{desc}: {percentage:3.0f}%|{bar}| {n:.1f}/{total:.1f} s of simulated time'
            if duration is not None else '{desc}: {n:.1f} s of simulated time')

    def update(self, seconds: float) -> None:
        """Show that so much is done."""
        self._bar.update(seconds - self._bar.n)

    def __enter__(self) -> Callable[[float], None]:
        return self.update

    def __exit__(self, *_: object) -> None:
        self._bar.close()
