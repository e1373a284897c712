# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Canvas, the picture of a drive, and the screen that shows it."""

import math
import re

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from pseudo_terminal import PseudoTerminal
import pytest

from racecar.base.types import Pose2
from racecar.terminal.canvas import Canvas
from racecar.terminal.drive_picture import draw_drive, DriveState
from racecar.terminal.screen import Size

ESCAPE = re.compile(r'\x1b\[[0-9;?]*[A-Za-z]')


def plain(lines):
    return [ESCAPE.sub('', line) for line in lines]


def dots(lines):
    """Return the places of the dots, rows from the top, by Unicode's table of Braille."""
    places = {0: (0, 0), 1: (1, 0), 2: (2, 0), 3: (0, 1), 4: (1, 1), 5: (2, 1), 6: (3, 0),
              7: (3, 1)}
    return {(4 * row + places[bit][0], 2 * column + places[bit][1])
            for row, line in enumerate(plain(lines)) for column, sign in enumerate(line)
            if 0x2800 < ord(sign) < 0x2900 for bit in range(8) if (ord(sign) - 0x2800) >> bit & 1}


@given(st.floats(0.01, 9.99), st.floats(0.01, 4.99))
def test_a_point_is_drawn_where_it_lies(x, y):
    # 10 m by 5 m on 20 by 5 characters: 4 dots a metre.
    canvas = Canvas.fitting(20, 5, (0.0, 0.0), (10.0, 5.0))
    canvas.points(np.array([x]), np.array([y]))
    (row, column), = dots(canvas.lines())
    assert column / 4 <= x + 1e-9
    assert x <= (column + 1) / 4 + 1e-9
    assert 5.0 - (row + 1) / 4 <= y + 1e-9
    assert y <= 5.0 - row / 4 + 1e-9


def test_a_line_has_no_gaps():
    canvas = Canvas.fitting(20, 5, (0.0, 0.0), (10.0, 5.0))
    canvas.line(np.array([0.1, 9.9]), np.array([2.6, 2.6]))
    assert sorted(column for _, column in dots(canvas.lines())) == list(range(40))


def test_what_is_drawn_later_gives_the_colour():
    canvas = Canvas.fitting(4, 1, (0.0, 0.0), (4.0, 2.0))
    canvas.line(np.array([0.0, 4.0]), np.array([1.0, 1.0]), '\x1b[31m')
    canvas.points(np.array([0.1]), np.array([0.1]), '\x1b[32m')
    line, = canvas.lines()
    assert line.index('\x1b[32m') < line.index('\x1b[31m')


WALLS = (np.array([-5.0, 20.0, 20.0, -5.0]), np.array([-4.0, -4.0, 8.0, 8.0]))


def state(**changes):
    return DriveState(**{'title': 'racecar', 'pose': Pose2(1.0, 2.0, 0.0), 'walls': WALLS,
                         'driver': 'Teleoperation', 'status': [' keys'], **changes})


@given(st.integers(1, 200), st.integers(1, 60), st.booleans(), st.booleans(),
       st.floats(-20.0, 20.0), st.floats(-10.0, 10.0))
def test_the_picture_fits_any_terminal(columns, rows, near, walls, yaw, speed):
    lines = draw_drive(
        state(is_near=near, pose=Pose2(3.0, 1.0, yaw), speed=speed,
              **({} if walls else {'walls': (np.empty(0), np.empty(0))})),
        Size(columns, rows))
    assert len(lines) <= rows
    assert all(len(line) <= columns for line in plain(lines))


@pytest.mark.parametrize(('eighths', 'arrow'), list(enumerate('→↗↑↖←↙↓↘')))
def test_the_arrow_points_where_the_car_does(eighths, arrow):
    lines = draw_drive(state(pose=Pose2(1.0, 2.0, eighths * math.pi / 4 - 2 * math.pi)),
                       Size(60, 20))
    assert arrow in ''.join(lines)


def gauge(lines, name):
    line = next(line for line in plain(lines) if line.strip().startswith(name))
    found = re.search(r'\[(.*)│(.*)\]', line)
    assert found is not None
    left, right = found.groups()
    return left.count('█'), right.count('█')


@pytest.mark.parametrize(('speed', 'angle', 'expected'), [
    (0.0, 0.0, ((0, 0), (0, 0))), (3.0, 0.4, ((0, 10), (10, 0))),
    (-1.5, -0.2, ((5, 0), (0, 5))), (99.0, -9.0, ((0, 10), (0, 10)))])
def test_gauges_go_left_for_left_and_right_for_ahead(speed, angle, expected):
    lines = draw_drive(state(speed=speed, steering_angle=angle), Size(80, 24))
    assert (gauge(lines, 'speed'), gauge(lines, 'steering')) == expected


def test_who_drives_and_collisions_are_told():
    text = '\n'.join(plain(draw_drive(state(collisions=2), Size(80, 24))))
    assert 'in control: Teleoperation' in text
    assert 'collisions: 2' in text


def test_before_the_odometry_it_says_what_it_waits_for():
    text = '\n'.join(draw_drive(state(pose=None), Size(80, 24)))
    assert 'waiting for the odometry' in text


SCREEN = """
import os, sys
from racecar.terminal.screen import Screen
with Screen(lambda lines: [line for line in lines if 'quiet' not in line]) as screen:
    os.write(2, b'quiet\\nloud\\n')
    screen.show(['first', screen.last_error_line, 'x' * 300])
    sys.stdin.readline()
    screen.show(['second'])
    sys.stdin.readline()
print('after')
"""


def test_the_screen_shows_lines_and_gives_back_what_was_there():
    with PseudoTerminal(40, 5) as terminal:
        process = terminal.start('-c', SCREEN)
        place = terminal.until_seen('\x1b[3;1Hxxx')
        assert b'\x1b[2;1Hloud' in terminal.seen
        assert terminal.seen.startswith(b'\x1b[?1049h')
        terminal.type('\n')
        place = terminal.until_seen('\x1b[1;1Hsecond', place)
        terminal.type('\n')
        assert terminal.wait(process) == 0
        off = terminal.seen.index(b'\x1b[?1049l')
        # What was written meanwhile, as far as it is worth telling, then what comes.
        assert terminal.seen[off:].split(b'\x1b[?1049l')[1].split() == [b'loud', b'after']
