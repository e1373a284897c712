#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Make the moving picture of the README from a bag.

    ./run racecar up gap_ode --world racetrack --lockstep --real-time-factor 0 --duration 60 \
        --record runs/race
    ./run python docs/make_film.py runs/race

`racecar render` draws it; here its colours are reduced, which halves the file.
"""

from __future__ import annotations

from pathlib import Path
import sys
import tempfile

from PIL import Image

from racecar.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
_COLOURS = 64
_PERIOD = 100  # ms


def make(bag: str) -> Path:
    """Draw a bag of the race track and return where the picture lies."""
    target = ROOT / 'docs' / 'pictures' / 'race.gif'
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / 'race.gif'
        if main(['render', 'bag', bag, '--world', str(ROOT / 'docs/examples/low_racetrack.yaml'),
                 '--laser', '--start', '13', '--duration', '10', '--speed', '1.67', '--fps',
                 str(1000 // _PERIOD), '--size', '480x240', '--output', str(drawn)]):
            sys.exit(1)
        with Image.open(drawn) as film:
            frames = []
            for index in range(film.n_frames):  # type: ignore[attr-defined]
                film.seek(index)
                frames.append(film.convert('RGB'))
    palette = frames[0].quantize(_COLOURS)
    first, *others = (
        frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(target, save_all=True, append_images=others, duration=_PERIOD, loop=0)
    return target


if __name__ == '__main__':
    print(f'Picture: {make(sys.argv[1])}')
