#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw how a sweep scales with the cores, as measured and by the model of docs/clusters.md.

Run it with `./run python docs/scaling_figure.py`; it writes docs/pictures/scaling.png.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
import numpy as np

FILE = Path(__file__).resolve().parent / 'pictures' / 'scaling.png'

# Measured by benchmarks/cluster.py, see the tables of docs/clusters.md [s].
PART, HAND_OUT, WRITE, RECEIVE = 5.0, 3e-3, 3.6e-6, 0.9e-6
SHORT = 0.39e-3
LONG = 16 * SHORT
"""Core time of a point: 5 s and 80 s of a car [s]."""

CORES = [1, 2]
STRONG, WEAK = [42.0, 23.4], [10.7, 11.5]
"""Wall time of 100 000 points, and of 25 000 a core, on so many workers with a core each."""


def wall_time(points: float, each: float, cores: np.ndarray) -> np.ndarray:
    """Time of a sweep on some cores, without the start of the workers [s]."""
    client = points * (WRITE + each / PART * HAND_OUT)
    return np.maximum(points * each / cores, max(client, points * RECEIVE))


def main() -> None:
    """Draw and write."""
    figure = Figure(figsize=(9.6, 4.0), layout='constrained')
    strong, weak = figure.subplots(1, 2)
    cores = np.geomspace(1.0, 1000.0, 200)
    for count, each, name in ((1e7, LONG, '10 million points, 80 s of a car'),
                              (1e7, SHORT, '10 million points, 5 s'),
                              (1e5, SHORT, '100 000 points, 5 s')):
        strong.plot(cores, wall_time(count, each, cores), label=name)
    for count, each, name in ((25e3, LONG, '25 000 points a core, 80 s of a car'),
                              (25e3, SHORT, '25 000 points a core, 5 s')):
        weak.plot(cores, [float(wall_time(count * number, each, np.array(number)))
                          for number in cores], label=name, color={LONG: 'C0', SHORT: 'C2'}[each])
    for axes, measured in ((strong, STRONG), (weak, WEAK)):
        axes.plot(CORES, measured, 'o', color='C2', markeredgecolor='k', label='measured')
        axes.axvspan(2.0, 1000.0, color='0.5', alpha=0.08)
        axes.text(45.0, 0.03, 'model', transform=axes.get_xaxis_transform(), ha='center',
                  color='0.4')
        axes.set(xlabel='cores', ylabel='time [s]', xscale='log', yscale='log')
        axes.grid(visible=True, which='both', color='0.9')
        axes.legend(fontsize=8, loc='best')
    strong.set(title='Strong scaling: the same points')
    weak.set(title='Weak scaling: more points with the cores', ylim=(5.0, 1000.0))
    figure.savefig(FILE, dpi=110)
    print(FILE)


if __name__ == '__main__':
    main()
