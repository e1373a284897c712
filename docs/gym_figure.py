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

PEERS = ('f1tenth_gym: ', 'f1tenth_gym_jax: ')
FILE = Path(__file__).resolve().parent / 'pictures' / 'gym.png'


def main() -> None:
    """Draw and write."""
    found = json.loads(Path(sys.argv[1]).read_text(encoding='utf-8'))['transitions_per_second']
    curves: dict[str, list[tuple[int, float]]] = {}
    for row, (median, _, _) in found.items():
        name, _, worlds = row.rpartition(', ')
        if worlds.endswith(' worlds'):
            curves.setdefault(name, []).append((int(worlds.split()[0]), 1e6 / median))
    figure = Figure(figsize=(11.0, 4.6), layout='constrained')
    axes = figure.subplots()
    ours = [name for name in curves if not name.startswith(PEERS)]
    for number, name in enumerate([*ours, *(name for name in curves if name not in ours)]):
        peers = number - len(ours)
        axes.plot(*zip(*curves[name], strict=True), 'o-' if peers < 0 else 's--',
                  color=f'C{number if peers < 0 else peers}', label=name)
    axes.set(xlabel='worlds', ylabel='processor time of a transition [us]',
             xscale='log', yscale='log')
    axes.grid(visible=True, which='both', color='0.9')
    figure.legend(fontsize=8, loc='outside right upper')
    figure.savefig(FILE, dpi=110)
    print(FILE)


if __name__ == '__main__':
    main()
