#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write what is made of geometry in worlds/ and config/tracks: courses and maps.

Run it with `./run python tools/make_worlds.py`; with --check it only says what is out of date.
All lengths in metres, in the frame `map`; cars start at the origin, along x.
"""

from __future__ import annotations

from collections.abc import Sequence
import io
from pathlib import Path
import sys

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.interpolate import CubicSpline

ROOT = Path(__file__).resolve().parents[1]

Points = NDArray[np.float64]
"""Points (n, 2) of a closed line; the last is followed by the first."""

WALL, FREE, UNKNOWN = 0, 254, 205
"""Grey of cells as map_saver writes them."""

# Sub-cells in a cell along each axis while a map is drawn.
_FINE = 8

COURSE = (
    (0.0, 0.0), (5.0, 0.0), (10.0, 0.3), (14.3, 2.7), (15.2, 7.6), (12.2, 11.2), (7.6, 11.4),
    (3.9, 13.1), (3.0, 17.1), (5.2, 20.7), (9.6, 21.4), (13.6, 22.8), (15.2, 27.5), (13.2, 32.2),
    (8.6, 33.5), (3.2, 31.6), (-1.8, 32.6), (-6.6, 33.9), (-11.2, 31.6), (-12.9, 26.1),
    (-10.9, 20.9), (-7.2, 17.7), (-7.4, 13.1), (-11.0, 10.1), (-12.9, 5.4), (-11.2, 1.1),
    (-6.0, 0.0))
"""Centre line of the world walker, about 29 m by 35 m."""
COURSE_WIDTH = 2.4
COURSE_HEIGHT = 1.075
# Of the walls, outwards; thick and blue enough to be seen from above.
COURSE_WALL, COURSE_COLOUR = 0.25, '[0.2, 0.35, 0.6]'

TRACK = (
    (0.0, 0.0), (4.0, 0.0), (8.0, 0.0), (11.6, 0.9), (13.4, 3.6), (12.6, 6.6), (9.8, 7.8),
    (7.2, 6.4), (4.6, 5.0), (1.8, 5.6), (0.6, 8.0), (2.0, 10.4), (5.4, 11.0), (9.0, 11.6),
    (10.8, 14.0), (9.2, 16.4), (6.0, 16.8), (1.0, 16.2), (-4.0, 16.8), (-7.8, 15.8), (-9.6, 12.6),
    (-8.8, 9.4), (-7.6, 6.4), (-8.2, 3.2), (-7.0, 0.9), (-4.0, 0.0))
"""Centre line of the map racetrack."""
TRACK_WIDTH = 2.2

LOOP = (
    (0.0, 0.0), (2.5, 0.0), (5.0, 0.3), (6.9, 1.9), (6.9, 4.4), (5.0, 6.0), (2.6, 5.6), (0.6, 4.4),
    (-1.6, 4.6), (-3.4, 6.0), (-5.6, 5.0), (-6.0, 2.4), (-4.4, 0.4), (-2.2, 0.0))
"""Line on the floor of the world neo_line."""
LINE_WIDTH = 0.05
# Of its thirds, as far as programs of the course tell them apart.
LINE_COLOURS = (('blue', '[0.0, 0.25, 1.0]'), ('green', '[0.0, 0.7, 0.1]'),
                ('red', '[0.9, 0.0, 0.0]'))

RESOLUTION = 0.05
_MARGIN = 1.0
_THICKNESS = 0.15


def centre_line(corners: Sequence[tuple[float, float]], spacing: float) -> Points:
    """Return points of a smooth closed line through the corners, about evenly spaced."""
    closed = np.array([*corners, corners[0]])
    knots = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    spline = CubicSpline(knots, closed, bc_type='periodic')
    fine = spline(np.linspace(0.0, knots[-1], 20 * len(closed) * 50))
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(fine, axis=0).T))])
    count = round(way[-1] / spacing)
    places = np.arange(count) * way[-1] / count
    line = np.column_stack([np.interp(places, way, fine[:, axis]) for axis in (0, 1)])
    # The car starts at the origin, along x.
    tangent = line[1] - line[-1]
    turn = -np.arctan2(tangent[1], tangent[0])
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    # To the millimetre, without negative zeros.
    return np.asarray(np.round((line - line[0]) @ rotation, 3) + 0.0)


def offset(line: Points, distance: float) -> Points:
    """Return the closed line that runs beside another, to its left."""
    tangent = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    tangent /= np.hypot(*tangent.T)[:, None]
    return np.asarray(line + distance * np.column_stack((-tangent[:, 1], tangent[:, 0])))


def smallest_radius(line: Points) -> float:
    """Return the smallest radius of a closed line's bends."""
    ahead, behind = np.roll(line, -1, axis=0) - line, line - np.roll(line, 1, axis=0)
    turn = np.arctan2(ahead[:, 0] * behind[:, 1] - ahead[:, 1] * behind[:, 0],
                      np.sum(ahead * behind, axis=1))
    length = 0.5 * (np.hypot(*ahead.T) + np.hypot(*behind.T))
    return float(np.min(length / np.maximum(np.abs(turn), 1e-9)))


def walker() -> str:
    """Return the world file of the race course."""
    line = centre_line(COURSE, 0.45)
    walls = []
    for side in (0.5, -0.5):
        points = offset(line, side * (COURSE_WIDTH + COURSE_WALL))
        walls.append(f'  - points: {_listed(points)}\n    closed: true\n'
                     f'    height: {COURSE_HEIGHT}\n    thickness: {COURSE_WALL}\n'
                     f'    colour: {COURSE_COLOUR}\n')
    length = np.sum(np.hypot(*(np.roll(line, -1, axis=0) - line).T))
    return ('# Made by tools/make_worlds.py.\n'
            f'description: A race course between walls, {length:.0f} m round and'
            f' {COURSE_WIDTH:g} m wide.\nwalls:\n' + ''.join(walls))


def _listed(points: Points) -> str:
    """Return a list of points in lines of a file."""
    lines = ['    ']
    for index, (x, y) in enumerate(points):
        text = f'[{x:.3f}, {y:.3f}]' + (', ' if index < len(points) - 1 else '')
        if len(lines[-1]) + len(text) > 98:
            lines[-1] = lines[-1].rstrip()
            lines.append('    ')
        lines[-1] += text
    return '[\n' + '\n'.join(lines) + ']'


def neo_line() -> str:
    """Return the world file of the line that changes its colour."""
    line = centre_line(LOOP, 0.15)
    length = np.sum(np.hypot(*(np.roll(line, -1, axis=0) - line).T))
    closed = np.concatenate([line, line[:1]])
    ends = np.linspace(0, len(line), len(LINE_COLOURS) + 1).round().astype(int)
    strips = [
        f'  - points: {_listed(closed[start:end + 1])}\n    width: {LINE_WIDTH}\n'
        f'    colour: {colour}\n'
        for start, end, (_, colour) in zip(ends, ends[1:], LINE_COLOURS, strict=False)]
    names = ', '.join(name for name, _ in LINE_COLOURS)
    return ('# Made by tools/make_worlds.py.\n'
            f'description: A line on the floor, {length:.0f} m round, a third each of {names}.\n'
            'ground: {length: 30.0, width: 30.0, colour: [0.75, 0.75, 0.75]}\n'
            'strips:\n' + ''.join(strips))


class Map:
    """An image of cells in which geometry is drawn, fine enough for smooth edges."""

    def __init__(self, low: tuple[float, float], high: tuple[float, float], grey: int) -> None:
        self.low = low
        self.columns, self.rows = (
            round((to - of) / RESOLUTION) for of, to in zip(low, high, strict=True))
        self._image = Image.new('L', (self.columns * _FINE, self.rows * _FINE), grey)
        self._draw = ImageDraw.Draw(self._image)

    def fill(self, points: Points, grey: int) -> None:
        """Fill a polygon."""
        self._draw.polygon([self._pixel(x, y) for x, y in points], fill=grey)

    def box(self, x: float, y: float, length: float, width: float, grey: int,
            yaw: float = 0.0) -> None:
        """Fill a rectangle about a centre."""
        c, s = np.cos(yaw), np.sin(yaw)
        self.fill(np.array([
            (x + u * c - v * s, y + u * s + v * c) for u, v in (
                (0.5 * length, -0.5 * width), (0.5 * length, 0.5 * width),
                (-0.5 * length, 0.5 * width), (-0.5 * length, -0.5 * width))]), grey)

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        # The middle of the first pixel is at 0.
        return ((x - self.low[0]) / RESOLUTION * _FINE - 0.5,
                self.rows * _FINE - (y - self.low[1]) / RESOLUTION * _FINE - 0.5)

    def image(self, kind: str) -> bytes:
        """Return the file: each cell is what its middle is."""
        fine = np.asarray(self._image)
        cells = fine[_FINE // 2::_FINE, _FINE // 2::_FINE]
        stream = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(cells)).save(stream, kind)
        return stream.getvalue()

    def yaml(self, image: str, comment: str) -> str:
        """Return the file of the ROS map_server."""
        return (f'# {comment} Made by tools/make_worlds.py.\nimage: {image}\nmode: trinary\n'
                f'resolution: {RESOLUTION}\norigin: [{self.low[0]}, {self.low[1]}, 0.0]\n'
                'negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n')


def racetrack() -> tuple[Map, str]:
    """Return the map of the race track, and its centre line as waypoints."""
    line = centre_line(TRACK, 0.25)
    outer = np.floor(line.min(axis=0) - 0.5 * TRACK_WIDTH - _MARGIN)
    upper = np.ceil(line.max(axis=0) + 0.5 * TRACK_WIDTH + _MARGIN)
    drawn = Map((float(outer[0]), float(outer[1])), (float(upper[0]), float(upper[1])), UNKNOWN)
    half = 0.5 * TRACK_WIDTH
    # To the left of a line that runs counter-clockwise is its inside.
    for distance, grey in ((-half - _THICKNESS, WALL), (-half, FREE), (half, WALL),
                           (half + _THICKNESS, UNKNOWN)):
        drawn.fill(offset(line, distance), grey)
    length = np.sum(np.hypot(*(np.roll(line, -1, axis=0) - line).T))
    points = '\n'.join(f'{x:.3f},{y:.3f}' for x, y in (*line, line[0]))
    return drawn, (
        f'# Centre line of the map racetrack, {length:.0f} m round, with bends of'
        f' {smallest_radius(line):.1f} m radius and more. The last\n'
        '# waypoint repeats the first, so the path is closed. x, y in metres. Made by'
        f' tools/make_worlds.py.\nx,y\n{points}\n')


def room() -> Map:
    """Return the map of a room of 12 m by 8 m with furniture and an alcove behind a door."""
    drawn = Map((-3.0, -4.0), (10.0, 5.0), UNKNOWN)
    drawn.box(3.5, 0.5, 12.3, 8.3, WALL)
    drawn.box(3.5, 0.5, 12.0, 8.0, FREE)
    # A wall across with a door of 1.2 m.
    drawn.box(6.5, -2.05, 0.15, 2.9, WALL)
    drawn.box(6.5, 2.55, 0.15, 3.9, WALL)
    # A table of four legs, a cupboard, a crate that stands askew, a pillar.
    for x in (2.0, 3.2):
        for y in (2.2, 3.0):
            drawn.box(x, y, 0.1, 0.1, WALL)
    drawn.box(-0.5, -3.2, 1.6, 0.6, WALL)
    drawn.box(4.4, -1.6, 0.6, 0.6, WALL, 0.5)
    drawn.fill(np.array([(8.3 + 0.25 * np.cos(a), 1.5 + 0.25 * np.sin(a))
                         for a in np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)]), WALL)
    return drawn


def files() -> dict[Path, bytes]:
    """Return path and right content of every file."""
    track, line = racetrack()
    room_map = room()
    worlds = ROOT / 'worlds'
    texts = {
        worlds / 'neo_line.yaml': neo_line(),
        worlds / 'walker.yaml': walker(),
        worlds / 'racetrack.yaml': track.yaml(
            'racetrack.png', 'A race track; config/tracks/racetrack.csv is its centre line.'),
        worlds / 'room.yaml': room_map.yaml('room.pgm', 'A room of 12 m by 8 m with furniture.'),
        ROOT / 'config' / 'tracks' / 'racetrack.csv': line,
    }
    return {**{path: text.encode() for path, text in texts.items()},
            worlds / 'racetrack.png': track.image('PNG'),
            worlds / 'room.pgm': room_map.image('PPM')}


def main() -> int:
    """Write the files, or with --check only name the outdated ones and return 1."""
    outdated = [path for path, content in files().items()
                if not path.is_file() or path.read_bytes() != content]
    for path in outdated:
        print(f'{path.relative_to(ROOT)} is out of date' if '--check' in sys.argv
              else f'{path.relative_to(ROOT)} written')
    if '--check' in sys.argv:
        return 1 if outdated else 0
    for path in outdated:
        path.write_bytes(files()[path])
    return 0


if __name__ == '__main__':
    sys.exit(main())
