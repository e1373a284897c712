# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Colours, dashes and hatches of figures that people with colour vision deficiency can read.

Colours after M. Okabe, K. Ito, "Color universal design: how to make figures and presentations
that are friendly to colorblind people", 2002, revised 2008. Nothing is told by colour alone:
lines differ in their dashes, areas in their hatches, too.
"""

from __future__ import annotations

BLUE, ORANGE, GREEN = '#0072B2', '#E69F00', '#009E73'
VERMILION, PURPLE, SKY = '#D55E00', '#CC79A7', '#56B4E9'

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)
DASHES = ('solid', 'dash', 'dot', 'dashdot', 'longdash', 'longdashdot')
HATCHES = ('/', '\\', 'x', '.', '-', '+')
"""Of the first series, the second, and so on; of both plotly.js and, for HATCHES, matplotlib."""

SEQUENTIAL = 'viridis'
"""Scale of colours for a quantity, such as the speed along a path."""

VIRIDIS = ('#440154', '#46327e', '#365c8d', '#277f8e', '#1fa187', '#4ac16d', '#a0da39', '#fde725')
"""The same in equal steps, for plotly.js."""


def colour(series: int) -> str:
    """Colour of a series, counted from 0."""
    return COLOURS[series % len(COLOURS)]


def dash(series: int) -> str:
    """Dashes of a series; with the colours they repeat after 6 * 6 only."""
    return DASHES[(series + series // len(COLOURS)) % len(DASHES)]


def hatch(series: int) -> str:
    """Hatch of a series."""
    return HATCHES[(series + series // len(COLOURS)) % len(HATCHES)]


# Tones of colours that are read on white and on black; white is none.
_NAMED = {
    'red': '#d32f2f', 'orange': ORANGE, 'yellow': '#c9a800', 'green': '#2e8b3d', 'cyan': '#00a0b0',
    'blue': '#1f6fd0', 'purple': '#8e44ad', 'magenta': '#c2189a', 'pink': '#e0659a',
    'brown': '#8d5a3b', 'grey': '#808080', 'gray': '#808080', 'silver': '#a0a4a8',
    'black': '#202020'}


def colour_named(name: str) -> str:
    """Colour that a name such as red is that of, '' if it is none."""
    return _NAMED.get(name.lower(), '')
