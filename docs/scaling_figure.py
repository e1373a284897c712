#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw how a sweep scales with the cores, by the model of docs/clusters.md.

Run it with `./run python docs/scaling_figure.py`; it writes docs/pictures/scaling.png.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
import numpy as np

FILE = Path(__file__).resolve().parent / 'pictures' / 'scaling.png'

# Measured, see the table of docs/clusters.md [s].
START, PART, HAND_OUT, WRITE, RECEIVE = 10.0, 5.0, 5e-3, 3e-6, 0.9e-6
POINTS = {'5 s of a car': 0.45e-3, '80 s of a car': 16 * 0.45e-3}
"""Core time of a point [s]."""


def wall_time(points: float, each: float, cores: np.ndarray) -> np.ndarray:
    """Time of a sweep on some cores, without the start of the workers [s]."""
    client = points * (WRITE + each / PART * HAND_OUT)
    return np.maximum(points * each / cores, max(client, points * RECEIVE))


def main() -> None:
    """Draw and write."""
    figure = Figure(figsize=(9.0, 3.6), layout='constrained')
    strong, weak = figure.subplots(1, 2)
    cores = np.geomspace(1.0, 1000.0, 200)
    for name, each in POINTS.items():
        strong.plot(cores, START + wall_time(1e7, each, cores), label=name)
        weak.plot(cores, [START + float(wall_time(1e5 * count, each, np.array(count)))
                          for count in cores], label=name)
    strong.set(title='ten million points (strong scaling)', ylabel='time [s]')
    weak.set(title='100 000 points for each core (weak scaling)', ylabel='time [s]')
    for axes in (strong, weak):
        axes.set(xlabel='cores', xscale='log', yscale='log')
        axes.grid(visible=True, which='both', color='0.9')
        axes.axvspan(2.0, 1000.0, color='0.5', alpha=0.08)
        axes.text(45.0, 0.96, 'model', transform=axes.get_xaxis_transform(), va='top',
                  ha='center', color='0.4')
        axes.legend(fontsize=8, loc='best')
    figure.savefig(FILE, dpi=110)
    print(FILE)


if __name__ == '__main__':
    main()
