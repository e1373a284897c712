# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures that a command writes beside its numbers and its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError
from racecar.base.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_files(draw: Callable[[], Mapping[str, Figure]], folder: Path) -> tuple[list[Path], str]:
    """Write figures as <key>.png; their files, and a line that says where they lie.

    draw: makes them. Without matplotlib there are none, and the line says how to install it: that
    is no reason to lose what has been simulated.
    """
    try:
        require('a figure', 'matplotlib')
    except ConfigurationError as error:
        return [], f'No figures: {error}'
    # Takes longer to import than all else.
    from racecar.analysis.figures import render_figures, write_figures

    paths = write_figures(render_figures(draw()), folder)
    what = 'Figure' if len(paths) == 1 else 'Figures'
    return paths, f"{what}: {', '.join(map(str, paths))}"
