# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the user sees of the preparation; stdout belongs to the command."""

import shutil
import sys
import time


def say(text: str) -> None:
    """Print one line of set-up chatter; stdout belongs to the command."""
    print(text, file=sys.stderr, flush=True)


class Progress:
    """Numbered steps on stderr, with a bar where that is a terminal."""

    WIDTH, NARROWEST = 30, 6

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.number = 0
        self.text = ''
        self.started = 0.0
        self.shown = ''
        self.live = sys.stderr.isatty()

    def step(self, text: str) -> None:
        """Announce the next step."""
        self.number += 1
        self.text = f'[{self.number}/{self.steps}] {text}'
        self.started = time.monotonic()
        self.shown = ''
        if self.live:
            self._draw(f'{self.text} ...')
        else:
            say(f'{self.text} ...')

    def update(self, done: int, total: int, detail: str = '') -> None:
        """Show how far the present step is."""
        fraction = min(done / max(total, 1), 1.0)
        if self.live:
            before, after = f'{self.text} [', f'] {fraction:4.0%} {detail}'
            # The bar gives way where the terminal is narrow, not the words.
            left = _columns() - len(before) - len(after)
            width = max(self.NARROWEST, min(self.WIDTH, left))
            self._draw(before + ('#' * int(fraction * width)).ljust(width, '.') + after)
            return
        quarter = f'{int(fraction * 4) * 25} %'
        if quarter not in ('0 %', '100 %', self.shown):
            self.shown = quarter
            say(f'      {quarter}')

    def done(self) -> None:
        """Close the present step with the time it took."""
        line = f'{self.text}: {time.monotonic() - self.started:.0f} s'
        if self.live:
            self._draw(line)
            print(file=sys.stderr)
        else:
            say(line)

    def _draw(self, line: str) -> None:
        print(f'\r{line[:_columns()]}\033[K', end='', file=sys.stderr, flush=True)


def _columns() -> int:
    # In the last column some terminals would go on to the next line.
    return shutil.get_terminal_size().columns - 1
