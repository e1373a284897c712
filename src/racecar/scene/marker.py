# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Square markers that cameras recognise: the original ArUco dictionary.

S. Garrido-Jurado et al., Automatic generation and detection of highly reliable fiducial markers
under occlusion, Pattern Recognition 47 (2014), describes the kind; its first dictionary codes a
number of ten bits in five rows, two bits a row, each pair as a word of a Hamming code.
"""

from __future__ import annotations

MARKERS = 1024
"""How many markers there are."""

_INNER = 5
_WORDS = (0b10000, 0b10111, 0b01001, 0b01110)
_BLACK = False


def marker_cells(number: int) -> tuple[tuple[bool, ...], ...]:
    """7 by 7 cells of a marker with its black border, rows from the top; True: white.

    Raises ValueError unless the number is from 0 to 1023.
    """
    if not 0 <= number < MARKERS:
        raise ValueError(f'marker {number} is unknown, expected 0 to {MARKERS - 1}')
    border = (_BLACK,) * (_INNER + 2)
    rows = []
    for row in range(_INNER):
        word = _WORDS[number >> 2 * (_INNER - 1 - row) & 0b11]
        bits = (bool(word >> (_INNER - 1 - column) & 1) for column in range(_INNER))
        rows.append((_BLACK, *bits, _BLACK))
    return border, *rows, border
