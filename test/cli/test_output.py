# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Progress bars of the commands."""

import io
import sys

import pytest

from racecar.cli.output import ProgressBar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(('total', 'unit', 'done', 'text'), [
    (25, 'pictures', [1, 2, 10], '10/25 pictures, '),
    (80.0, 's of simulated time', [2.5, 40.25], '40.2/80.0 s of simulated time, '),
    (None, 'messages', [7.0], 'doing: 7 messages')])
def test_a_bar_counts_in_its_unit_and_says_what_is_left(monkeypatch, total, unit, done, text):
    stream = Terminal()
    monkeypatch.setattr(sys, 'stderr', stream)
    with ProgressBar(total, 'doing', unit) as show:
        for amount in done:
            show(amount)
    # The last state may be younger than the bar is drawn again.
    shown = stream.getvalue()
    assert (f'/{total} {unit}' if isinstance(total, int) else unit) in shown
    assert ('left' in shown) == (total is not None)
