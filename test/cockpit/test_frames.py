# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames of the cockpit against the layouts of docs/cockpit.md, and bytes that are none."""

import json
import struct

from hypothesis import example, given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.cockpit.frames import (
    FrameError,
    is_text,
    json_frame,
    map_frame,
    mesh_frame,
    picture_frame,
    read_json,
    read_mesh,
    scan_frame,
    state_frame,
)
from racecar.cockpit.link import check_length, LENGTH, packed


def test_a_state_frame_has_header_times_and_rows():
    frame = state_frame(3, np.array([0.5, 1.5]), np.array([[1.0, 2.0, np.nan], [4.0, 5.0, 6.0]]))
    kind, robot, rows, columns, *numbers = struct.unpack('<BBHI2d6f', frame)
    assert (kind, robot, rows, columns) == (1, 3, 2, 3)
    assert numbers[:4] == [0.5, 1.5, 1.0, 2.0]
    assert np.isnan(numbers[4])
    assert numbers[5:] == [4.0, 5.0, 6.0]


def test_a_scan_frame_has_time_angles_and_ranges():
    frame = scan_frame(1, 2.5, -1.0, 0.5, np.array([1.0, np.inf, 3.0]))
    assert struct.unpack('<BBHIdff3f', frame) == (2, 1, 0, 3, 2.5, -1.0, 0.5, 1.0, np.inf, 3.0)


def test_pictures_and_maps_carry_their_files():
    assert picture_frame(0, 1.5, b'jpeg') == struct.pack('<BBHId', 3, 0, 0, 0, 1.5) + b'jpeg'
    assert map_frame(1.0, 2.0, 0.05, b'png') == struct.pack(
        '<BBHIddd', 4, 0, 0, 0, 1.0, 2.0, 0.05) + b'png'


def test_a_mesh_frame_gives_its_key_and_the_body_for_the_page():
    vertices, triangles = np.eye(3), np.array([[0, 1, 2]])
    key, body = read_mesh(mesh_frame('0-7', vertices, triangles))
    assert key == '0-7'
    assert struct.unpack('<II9f3I', body) == (3, 1, *np.eye(3).flatten(), 0, 1, 2)


def test_json_frames_hold_no_number_that_browsers_refuse():
    assert json.loads(json_frame('clock', time=1.5)) == {'type': 'clock', 'time': 1.5}
    with pytest.raises(ValueError, match='not JSON compliant'):
        json_frame('clock', time=float('nan'))


@given(st.binary(max_size=60))
@example('{"type":"log"}'.encode('utf-16-le'))
@example(b'{"type":"\xed\xa0\x80"}')
def test_any_bytes_are_a_frame_or_refused(data):
    try:
        if is_text(data):
            assert isinstance(read_json(data)['type'], str)
            # So it is sent on.
            assert data.decode()
        elif data[0] == 5:
            read_mesh(data)
    except FrameError as error:
        assert '\n' not in str(error)


@given(st.binary(min_size=4, max_size=4))
def test_lengths_beyond_the_longest_frame_are_refused(data):
    length, = LENGTH.unpack(data)
    if 0 < length <= 64 * 2**20:
        assert check_length(data) == length
    else:
        with pytest.raises(FrameError, match='expected 1 to'):
            check_length(data)


def test_a_packed_frame_stands_behind_its_length():
    assert packed(b'{"a"}') == b'\x05\x00\x00\x00{"a"}'
