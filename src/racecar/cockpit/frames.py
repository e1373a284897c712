# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames of the cockpit: bytes of the messages to a page, little endian.

docs/cockpit.md has the layouts.
"""

from __future__ import annotations

import json
import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import excerpt, RacecarError

STATE, SCAN, PICTURE, MAP, MESH = 1, 2, 3, 4, 5
"""First byte of a binary frame. Meshes stay with the server, which gives them by HTTP."""

_KINDS = range(STATE, MESH + 1)
_HEADER = struct.Struct('<BBHI')
_SCAN = struct.Struct('<dff')
_TIME = struct.Struct('<d')
_MAP = struct.Struct('<ddd')
_MESH_COUNTS = struct.Struct('<II')
_BRACE = ord('{')

LARGEST = 64 * 2**20
"""Longest frame [B]."""


class FrameError(RacecarError):
    """Bytes that are no frame."""


class MeshFrame(NamedTuple):
    """A mesh as the server keeps it: its key in messages `robot`, and the body for the page."""

    key: str
    body: bytes


def json_frame(kind: str, **fields: object) -> bytes:
    """JSON message; numbers in it must be finite."""
    return json.dumps({'type': kind, **fields}, separators=(',', ':'), allow_nan=False).encode()


def read_json(frame: bytes) -> dict[str, object]:
    """Fields of a JSON message, `type` among them. Raises FrameError."""
    try:
        # As UTF-8, in which it is sent on; json would guess other encodings, too.
        fields = json.loads(frame.decode())
    except (ValueError, RecursionError) as error:
        raise FrameError(f'{len(frame)} bytes of text are no JSON: {error}') from error
    if not isinstance(fields, dict) or not isinstance(fields.get('type'), str):
        raise FrameError(f'JSON without a type: {excerpt(fields)}')
    return fields


def is_text(frame: bytes) -> bool:
    """Whether a frame is JSON text. Raises FrameError for what is neither."""
    kind = frame[0] if frame else -1
    if kind == _BRACE:
        return True
    if kind in _KINDS and len(frame) >= _HEADER.size:
        return False
    raise FrameError(
        f'{len(frame)} bytes that begin with {frame[:4].hex(" ") or "nothing"} are no frame')


def state_frame(robot: int, times: NDArray[np.float64], values: NDArray[np.float64]) -> bytes:
    """Samples of a robot: times (n,) [s], values (n, columns) as its message lists them.

    Values go in single precision. NaN stands for what is not known.
    """
    rows, columns = values.shape
    return b''.join((
        _HEADER.pack(STATE, robot, rows, columns), times.astype('<f8').tobytes(),
        values.astype('<f4').tobytes()))


class States(NamedTuple):
    """Samples of a robot: times (n,) [s] and values (n, columns)."""

    robot: int
    times: NDArray[np.float64]
    values: NDArray[np.float32]


def read_states(frame: bytes) -> States:
    """Take a state frame apart. Raises FrameError."""
    _, robot, rows, columns = _HEADER.unpack_from(frame)
    if len(frame) != _HEADER.size + rows * (8 + 4 * columns):
        raise FrameError(f'{len(frame)} bytes of state for {rows} rows of {columns} numbers')
    return States(
        robot, np.frombuffer(frame, '<f8', rows, _HEADER.size),
        np.frombuffer(frame, '<f4', rows * columns, _HEADER.size + 8 * rows
                      ).reshape(rows, columns))


def scan_frame(
    robot: int, time: float, angle_min: float, angle_increment: float,
    ranges: NDArray[np.floating],
) -> bytes:
    """Laser scan; time [s], angles [rad], ranges (n,) [m], infinite beyond the range."""
    return b''.join((
        _HEADER.pack(SCAN, robot, 0, len(ranges)),
        _SCAN.pack(time, angle_min, angle_increment), ranges.astype('<f4').tobytes()))


def picture_frame(robot: int, time: float, jpeg: bytes) -> bytes:
    """Picture of the camera as JPEG; time [s]."""
    return _HEADER.pack(PICTURE, robot, 0, 0) + _TIME.pack(time) + jpeg


def map_frame(x: float, y: float, resolution: float, png: bytes) -> bytes:
    """Map as a grey PNG, 255 free and 0 occupied; x, y: lower left corner [m]."""
    return _HEADER.pack(MAP, 0, 0, 0) + _MAP.pack(x, y, resolution) + png


def mesh_frame(
    key: str, vertices: NDArray[np.floating], triangles: NDArray[np.integer],
) -> bytes:
    """Mesh: vertices (n, 3) [m], indices of triangles (m, 3)."""
    name = key.encode()
    return b''.join((
        _HEADER.pack(MESH, 0, len(name), 0), name,
        _MESH_COUNTS.pack(len(vertices), len(triangles)),
        vertices.astype('<f4').tobytes(), triangles.astype('<u4').tobytes()))


def read_mesh(frame: bytes) -> MeshFrame:
    """Take a mesh frame apart. Raises FrameError."""
    _, _, length, _ = _HEADER.unpack_from(frame)
    body = frame[_HEADER.size + length:]
    try:
        key = frame[_HEADER.size:_HEADER.size + length].decode()
        vertices, triangles = _MESH_COUNTS.unpack_from(body)
    except (UnicodeDecodeError, struct.error) as error:
        raise FrameError(f'a mesh that cannot be read: {error}') from error
    if len(body) != _MESH_COUNTS.size + 12 * (vertices + triangles):
        raise FrameError(
            f'mesh {key!r}: {len(body)} bytes for {vertices} vertices and {triangles} triangles')
    return MeshFrame(key, body)
