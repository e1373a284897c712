# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures for the cell of a notebook."""

from __future__ import annotations

import base64
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError
from racecar.base.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def drawing(draw: Callable[[], Figure], text: str, width: int = 440) -> str:
    """The figure that `draw` makes or, where none can be drawn, a line that says why.

    text: for who cannot see it; width: at most [CSS pixels].
    """
    try:
        require('a figure', 'matplotlib')
    except ConfigurationError as error:
        return f'<p>No figure: {escape(str(error))}</p>'
    from racecar.analysis.figures import render_figures

    data = base64.b64encode(render_figures({'': draw()})['']).decode('ascii')
    return (f'<img src="data:image/png;base64,{data}" alt="{escape(text)}"'
            f' style="width:{width}px;max-width:100%;height:auto">')
