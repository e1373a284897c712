# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of a comparison as files for papers and programs."""

from __future__ import annotations

from collections.abc import Sequence
import csv
from pathlib import Path
import re

from racecar.base.errors import ConfigurationError

_LATEX = {'\\': r'\textbackslash{}', '~': r'\textasciitilde{}', '^': r'\textasciicircum{}',
          '±': r'$\pm$', '²': r'$^2$', 'µ': r'$\mu$', '−': r'$-$',
          **{letter: f'\\{letter}' for letter in '&%$#_{}'}}
_POWER = re.compile(r'\^(\d)')
_NUMBER = re.compile(r'(?<![\w.])-(?=\d)')


def write_csv(
    path: Path, header: Sequence[str], rows: Sequence[Sequence[object]], option: str,
) -> None:
    """Write a table as CSV, numbers in full precision, an empty cell for None.

    Raises ConfigurationError, naming the option, if the file cannot be written.
    """
    try:
        with open(path, 'w', newline='', encoding='utf-8') as stream:
            csv.writer(stream).writerows([header, *rows])
    except OSError as error:
        raise _unwritable(option, path, error) from error


def write_latex(
    path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], option: str,
) -> None:
    """Write a table as a LaTeX tabular with the rules of the package booktabs.

    The first column names the rows, the last has the units. Raises ConfigurationError as
    write_csv().
    """
    lines = [' & '.join(map(latex_text, row)) + r' \\' for row in (header, *rows)]
    text = '\n'.join([
        '% needs \\usepackage{booktabs}', rf'\begin{{tabular}}{{l{"r" * (len(header) - 2)}l}}',
        r'\toprule', lines[0], r'\midrule', *lines[1:], r'\bottomrule', r'\end{tabular}', ''])
    try:
        path.write_text(text, encoding='utf-8')
    except OSError as error:
        raise _unwritable(option, path, error) from error


def latex_text(text: str) -> str:
    """Plain text for LaTeX; a minus before a number and powers of units as mathematics."""
    text = _NUMBER.sub('−', _POWER.sub(lambda power: '²' if power[1] == '2' else power[0], text))
    return ''.join(_LATEX.get(letter, letter) for letter in text)


def _unwritable(option: str, path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"{option} '{path}' cannot be written: {error.strerror}; name another file")
