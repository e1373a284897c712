#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw the cost of a transition over the number of worlds.

Run it with `./run python docs/gym_figure.py FILE`, FILE: what `benchmarks/gym.py --json` printed;
it writes docs/pictures/gym.png.
"""

from __future__ import annotations

import json
from pathlib import Path
import sys

from matplotlib.figure import Figure

FILE = Path(__file__).resolve().parent / 'pictures' / 'gym.png'


def main() -> None:
    """Draw and write."""
    found = json.loads(Path(sys.argv[1]).read_text(encoding='utf-8'))['transitions_per_second']
    curves: dict[str, list[tuple[int, float]]] = {}
    for row, (median, _, _) in found.items():
        name, _, worlds = row.rpartition(', ')
        if worlds.endswith(' worlds'):
            curves.setdefault(name, []).append((int(worlds.split()[0]), 1e6 / median))
    figure = Figure(figsize=(9.6, 4.4), layout='constrained')
    axes = figure.subplots()
    for name, points in curves.items():
        axes.plot(*zip(*points, strict=True), 'o-', label=name)
    axes.set(xlabel='worlds', ylabel='processor time of a transition [us]',
             xscale='log', yscale='log')
    axes.grid(visible=True, which='both', color='0.9')
    axes.legend(fontsize=8)
    figure.savefig(FILE, dpi=110)
    print(FILE)


if __name__ == '__main__':
    main()
