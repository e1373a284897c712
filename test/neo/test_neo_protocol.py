# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bytes of the protocol, and the controller that programs ask."""

import math
import struct

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, MessageError
from racecar.neo.controller import Controller, Press, read_press
from racecar.neo.protocol import (
    Button,
    colour_fragments,
    depth_datagram,
    lidar_datagram,
    Opcode,
    read_request,
    Side,
)


@given(st.binary(max_size=64))
def test_any_bytes_are_a_request_or_an_error_of_ours(data):
    try:
        request = read_request(data)
    except MessageError as error:
        assert '\n' not in str(error)
    else:
        assert request.opcode == data[0]
        assert all(-1.0 <= number <= 1.0 for number in request.numbers)


@given(st.floats(-1.0, 1.0, width=32), st.floats(-1.0, 1.0, width=32), st.binary(max_size=4))
def test_speed_and_angle_lie_where_c_has_them(speed, angle, behind):
    data = bytes((22, 7, 7, 7)) + struct.pack('=ff', speed, angle) + behind
    assert read_request(data) == (Opcode.SET_SPEED_ANGLE, 0, (speed, angle))


@pytest.mark.parametrize(('data', 'message'), [
    (b'', 'an empty datagram'),
    (b'\x1d', 'opcode 29, expected 0 to 28'),
    (b'\x10', 'IS_DOWN of nothing, expected 0 to 7'),
    (b'\x10\x08', 'IS_DOWN of 8'),
    (b'\x13\x02', 'GET_TRIGGER of 2, expected 0 to 1'),
    (b'\x16\0\0\0' + struct.pack('=f', 0.5), 'of 8 bytes, expected 12'),
    (b'\x16\0\0\0' + struct.pack('=ff', math.nan, 0.0), 'with nan, expected -1 to 1'),
    (b'\x16\0\0\0' + struct.pack('=ff', 0.0, 1.5), 'with 1.5, expected -1 to 1'),
    (b'\x18\0\0\0' + struct.pack('=f', -0.1), 'with -0.1, expected 0 to 1'),
])
def test_what_is_no_request_is_refused(data, message):
    with pytest.raises(MessageError, match=message):
        read_request(data)


def test_a_picture_is_32_datagrams_of_opaque_pixels():
    pixels = np.random.default_rng(3).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    parts = colour_fragments(pixels)
    assert [len(part) for part in parts] == [38_400] * 32
    found = np.frombuffer(b''.join(parts), np.uint8).reshape(480, 640, 4)
    assert (found[..., :3] == pixels).all()
    assert (found[..., 3] == 255).all()


def test_depths_are_distances_along_the_rays_in_centimetres():
    depths = np.full((60, 80), 2.0, np.float32)
    depths[0, 0], depths[0, 1] = np.inf, -np.inf
    found = np.frombuffer(depth_datagram(depths, 75.0), np.float32).reshape(60, 80)
    assert found[0, 0] == found[0, 1] == 0.0
    # A plane 2 m ahead, at the lower right corner: its middle is 39.5 and 29.5 pixels away.
    corner = 200.0 * math.hypot(1.0, 39.5 / 75.0, 29.5 / 75.0)
    assert found[59, 79] == pytest.approx(corner, rel=1e-6)


def test_ranges_without_echo_are_zero():
    data = lidar_datagram(np.array([0.5, np.inf, -np.inf, 3.25], np.float32))
    assert np.frombuffer(data, np.float32).tolist() == [50.0, 0.0, 0.0, 325.0]


def test_a_press_is_a_button_a_trigger_or_an_axis():
    assert read_press('a@1-1.5') == Press('A', 1.0, 1.0, 1.5)
    assert read_press('RT=0.5') == Press('RT', 0.5, 0.0, math.inf)
    assert read_press('LX=-0.3@2') == Press('LX', -0.3, 2.0, math.inf)


@pytest.mark.parametrize(('text', 'message'), [
    ('C@1', "names 'C'"), ('A=0.5', 'has 0.5, expected no value'),
    ('LT=-0.5', 'expected a value from 0 to 1'), ('RX=nan', 'expected a value from -1 to 1'),
    ('A@soon', 'with numbers'), ('A@2-1', 'expected an end after the start'),
    ('A@-1', 'with numbers'), ('A@nan', 'expected an end after the start'),
])
def test_what_is_no_press_is_refused(text, message):
    with pytest.raises(ConfigurationError, match=message):
        read_press(text)


def test_a_button_was_pressed_in_one_frame_and_released_in_another():
    controller = Controller([read_press('B@1-2'), read_press('RT=0.25@1'), read_press('LY=-1@3')])
    seen = {}
    for frame in range(8):
        controller.advance(0.5 * frame)
        seen[0.5 * frame] = (
            controller.is_down(Button.B), controller.was_pressed(Button.B),
            controller.was_released(Button.B))
    held = {time for time, (down, _, _) in seen.items() if down}
    assert held == {1.0, 1.5}
    assert [time for time, (_, pressed, _) in seen.items() if pressed] == [1.0]
    assert [time for time, (_, _, released) in seen.items() if released] == [2.0]
    assert controller.trigger(Side.RIGHT) == 0.25
    assert controller.trigger(Side.LEFT) == 0.0
    assert controller.joystick(Side.LEFT) == (0.0, -1.0)
    controller.start()
    assert not controller.was_released(Button.B)
