# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car on its way as a picture of characters: map, path, car, speed, steering, who drives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
import math
import re

import numpy as np

from racecar.base.columns import Array
from racecar.base.types import Pose2
from racecar.scene.scene import rectangle_corners
from racecar.terminal.canvas import Canvas
from racecar.terminal.screen import Size

# Of the palette of Okabe and Ito, which colour-blind people tell apart; bold where that is not
# there.
_WALL, _TRAIL, _REFERENCE = '\x1b[37m', '\x1b[38;5;74m', '\x1b[38;5;178m'
_CAR, _HIT, _FAINT = '\x1b[1;38;5;208m', '\x1b[1;7m', '\x1b[2m'
_PLAIN = '\x1b[0m'
_ESCAPES = re.compile(r'\x1b\[[0-9;]*m')

_ARROWS = '→↗↑↖←↙↓↘'
# Smaller than this the car is drawn as an arrow [dots].
_SMALLEST = 6.0
_NEAR = 12.0   # [m] across in the view about the car
_MARGIN = 0.5  # [m]
_GAUGE = 21    # characters, odd so that there is a middle
_NOWHERE = np.empty(0)


@dataclass
class DriveState:
    """What there is to see; lengths in m, angles in rad, of the frame map.

    title: first line. walls, reference, trail: x and y (n,). length, width: of the car; middle: of
    it ahead of its pose, base_link. speed_range, steering_range: full scale of the gauges. driver:
    who holds the last mux. collisions: None if nobody counts. status: lines below. message: last
    line. keys: help, in place of the picture if there is any.
    """

    title: str = ''
    time: float = 0.0
    pose: Pose2 | None = None
    speed: float = 0.0
    steering_angle: float = 0.0
    speed_range: float = 3.0
    steering_range: float = 0.4
    driver: str = ''
    collisions: int | None = None
    in_collision: bool = False
    walls: tuple[Array, Array] = (_NOWHERE, _NOWHERE)
    reference: tuple[Array, Array] = (_NOWHERE, _NOWHERE)
    trail: tuple[Array, Array] = (_NOWHERE, _NOWHERE)
    length: float = 0.5
    width: float = 0.3
    middle: float = 0.16
    is_near: bool = False
    status: Sequence[str] = ()
    message: str = ''
    keys: Sequence[tuple[str, str]] = field(default_factory=tuple)


def draw_drive(state: DriveState, size: Size) -> list[str]:
    """Lines of the picture, as many as the terminal has rows."""
    below = [*_gauges(state), *state.status]
    if state.message:
        below.append(f'{_FAINT}{state.message}{_PLAIN}')
    rows = max(1, size.rows - 1 - len(below))
    picture = _help(state.keys, rows) if state.keys else (
        ['waiting for the odometry of the car'.center(size.columns).rstrip()] if state.pose is None
        else _picture(state, size.columns, rows))
    picture += [''] * (rows - len(picture))
    head = f' {state.title}'
    time = f'{state.time:.1f} s '
    head += ' ' * max(1, size.columns - len(head) - len(time)) + time
    return [_cut(line, size.columns)
            for line in (f'\x1b[7m{head[:size.columns]}{_PLAIN}', *picture, *below)][:size.rows]


def _picture(state: DriveState, columns: int, rows: int) -> list[str]:
    pose = state.pose
    assert pose is not None
    canvas = _canvas(state, pose, columns, rows)
    if not len(state.walls[0]):
        canvas.points(*_marks(canvas, pose), _FAINT)
    canvas.points(*state.walls, _WALL)
    canvas.line(*state.reference, _REFERENCE)
    canvas.line(*state.trail, _TRAIL)
    colour = _HIT if state.in_collision else _CAR
    x, y = (pose.x + state.middle * math.cos(pose.yaw), pose.y + state.middle * math.sin(pose.yaw))
    corners = np.array(rectangle_corners(x, y, pose.yaw, state.length, state.width))
    if state.length * canvas.scale < _SMALLEST:
        canvas.sign(x, y, _ARROWS[round(pose.yaw / (math.pi / 4)) % 8], colour)
    else:
        x_along, y_along = np.vstack((corners, corners[:1])).T
        canvas.line(x_along, y_along, colour)
        # Where it is heading, and where the steering points.
        ahead = np.linspace(0.0, 0.8 * state.length, 8)
        turned = pose.yaw + state.steering_angle
        half = 0.5 * state.length
        canvas.points(
            x + half * math.cos(pose.yaw) + ahead * math.cos(turned),
            y + half * math.sin(pose.yaw) + ahead * math.sin(turned), colour)
    return canvas.lines()


def _canvas(state: DriveState, pose: Pose2, columns: int, rows: int) -> Canvas:
    if state.is_near or not len(state.walls[0]):
        half = 0.5 * _NEAR
        high = half * 2.0 * rows / columns
        return Canvas.fitting(
            columns, rows, (pose.x - half, pose.y - high), (pose.x + half, pose.y + high))
    points = [np.concatenate((walls, path, [place])) for walls, path, place in zip(
        state.walls, state.reference, pose[:2], strict=True)]
    low, high_ = (tuple(float(pick(values)) + margin for values in points)
                  for pick, margin in ((np.min, -_MARGIN), (np.max, _MARGIN)))
    return Canvas.fitting(columns, rows, (low[0], low[1]), (high_[0], high_[1]))


def _marks(canvas: Canvas, pose: Pose2) -> tuple[Array, Array]:
    """Corners of a grid of metres about the car, without which nothing would move."""
    reach = math.ceil(canvas.columns / canvas.scale) + 1
    steps = np.arange(-reach, reach + 1)
    x, y = np.meshgrid(round(pose.x) + steps, round(pose.y) + steps)
    return x.ravel().astype(float), y.ravel().astype(float)


def _gauges(state: DriveState) -> list[str]:
    driver = f'in control: {state.driver or "nobody"}'
    hits = '' if state.collisions is None else f'   collisions: {state.collisions}'
    return [
        f' speed    {state.speed:+6.2f} m/s  {_gauge(state.speed / state.speed_range)}   {driver}',
        f' steering {math.degrees(state.steering_angle):+6.1f} deg  '
        f'{_gauge(-state.steering_angle / state.steering_range)}  {hits}']


def _gauge(share: float) -> str:
    """Bar from its middle to a share of its half, from -1 to 1."""
    half = _GAUGE // 2
    filled = round(min(max(share, -1.0), 1.0) * half)
    left = '█' * -filled if filled < 0 else ''
    right = '█' * filled if filled > 0 else ''
    return f'[{left:·>{half}}│{right:·<{half}}]'


def _help(keys: Sequence[tuple[str, str]], rows: int) -> list[str]:
    width = max(len(key) for key, _ in keys)
    return ['', *(f'   {key:<{width}}   {what}' for key, what in keys)][:rows]


def _cut(line: str, columns: int) -> str:
    """Cut a line off at so many characters that are seen."""
    if len(_ESCAPES.sub('', line)) <= columns:
        return line
    seen, out = 0, ''
    for part in re.split(f'({_ESCAPES.pattern})', line):
        if _ESCAPES.fullmatch(part):
            out += part
        else:
            out += part[:columns - seen]
            seen += len(part[:columns - seen])
    return out + _PLAIN
