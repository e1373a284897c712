# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Datagrams between programs of the RACECAR Neo library and their simulator, version 1.

A datagram is an opcode in one byte and what belongs to it, numbers in the byte order of the
machine and at multiples of their size, as C structures have them. The facts are those of
MITRacecarNeo/racecar-neo-library at commit 494d16e (library/simulation).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
import math
import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import MessageError

VERSION = 1
SYNC_PORT, ASYNC_PORT = 5065, 5064
"""Where a simulator listens: to a program that answers a call, and to all others."""

IMAGE_WIDTH, IMAGE_HEIGHT = 640, 480
FRAGMENTS = 32
"""Datagrams that a colour picture is sent in; each but the first is asked for by SEND_NEXT."""
DEPTH_WIDTH, DEPTH_HEIGHT = 80, 60
"""Size of the pictures of depths; the library makes 640 x 480 of it."""
LIDAR_SAMPLES = 720

LONGEST = 65_535
"""No datagram has more bytes."""

_CENTIMETRES = 100.0


class Opcode(IntEnum):
    """First byte of a datagram."""

    ERROR = 0
    CONNECT = 1
    START = 2
    UPDATE = 3
    EXIT = 4
    FINISHED = 5
    SEND_NEXT = 6
    PROGRAM_EXIT = 7
    GO = 8
    SET_START_UPDATE = 9
    GET_DELTA_TIME = 10
    SET_UPDATE_SLOW_TIME = 11
    GET_COLOUR_IMAGE = 12
    GET_DEPTH_IMAGE = 13
    GET_WIDTH = 14
    GET_HEIGHT = 15
    IS_DOWN = 16
    WAS_PRESSED = 17
    WAS_RELEASED = 18
    GET_TRIGGER = 19
    GET_JOYSTICK = 20
    SHOW_IMAGE = 21
    SET_SPEED_ANGLE = 22
    STOP = 23
    SET_MAX_SPEED = 24
    GET_LIDAR_SIZE = 25
    GET_LIDAR = 26
    GET_ACCELERATION = 27
    GET_ANGULAR_VELOCITY = 28


class Fault(IntEnum):
    """Second byte of an ERROR."""

    GENERIC = 0
    TIMEOUT = 1
    EXCEPTION = 2
    NO_FREE_CAR = 3
    PROGRAM_OUTDATED = 4
    SIMULATOR_OUTDATED = 5
    FRAGMENT_MISMATCH = 6


class Button(IntEnum):
    """Buttons of the controller."""

    A = 0
    B = 1
    X = 2
    Y = 3
    LB = 4
    RB = 5
    LJOY = 6
    RJOY = 7


class Side(IntEnum):
    """Triggers and joysticks of the controller."""

    LEFT = 0
    RIGHT = 1


class Request(NamedTuple):
    """A datagram of a program: code is its second byte where it has one that counts.

    numbers: speed and angle of SET_SPEED_ANGLE, maximum of SET_MAX_SPEED [-].
    """

    opcode: Opcode
    code: int = 0
    numbers: tuple[float, ...] = ()


# What comes behind the opcode: how many values the second byte has, or numbers in these ranges.
_CODES = {
    Opcode.IS_DOWN: len(Button), Opcode.WAS_PRESSED: len(Button), Opcode.WAS_RELEASED: len(Button),
    Opcode.GET_TRIGGER: len(Side), Opcode.GET_JOYSTICK: len(Side)}
_RANGES: dict[Opcode, tuple[tuple[float, float], ...]] = {
    Opcode.SET_SPEED_ANGLE: ((-1.0, 1.0), (-1.0, 1.0)), Opcode.SET_MAX_SPEED: ((0.0, 1.0),)}


def read_request(data: bytes) -> Request:
    """Request that a datagram stands for; bytes behind what belongs to it are ignored.

    Raises MessageError for an opcode that is unknown, for numbers that are missing or outside of
    their range, and for a button, trigger or joystick that is none.
    """
    if not data:
        raise MessageError('an empty datagram, expected an opcode')
    try:
        opcode = Opcode(data[0])
    except ValueError:
        raise MessageError(
            f'opcode {data[0]}, expected 0 to {max(Opcode):d}') from None
    if opcode in (Opcode.CONNECT, Opcode.ERROR):
        # Programs of long ago did not say their version.
        return Request(opcode, data[1] if len(data) > 1 else 0)
    if opcode in _CODES:
        if len(data) < 2 or data[1] >= _CODES[opcode]:
            raise MessageError(
                f'{opcode.name} of {data[1] if len(data) > 1 else "nothing"}, expected 0 to'
                f' {_CODES[opcode] - 1}')
        return Request(opcode, data[1])
    if opcode in _RANGES:
        ranges = _RANGES[opcode]
        layout = struct.Struct(f'@B{len(ranges)}f')
        if len(data) < layout.size:
            raise MessageError(
                f'{opcode.name} of {len(data)} bytes, expected {layout.size}')
        _, *numbers = layout.unpack_from(data)
        for number, (low, high) in zip(numbers, ranges, strict=True):
            if not low <= number <= high:
                raise MessageError(
                    f'{opcode.name} with {number:g}, expected {low:g} to {high:g}')
        return Request(opcode, 0, tuple(numbers))
    return Request(opcode)


def error_datagram(fault: Fault) -> bytes:
    """ERROR with its reason."""
    return bytes((Opcode.ERROR, fault))


def floats(*numbers: float) -> bytes:
    """Numbers of 32 bits."""
    return struct.pack(f'={len(numbers)}f', *numbers)


def integer(number: int) -> bytes:
    """A whole number of 32 bits."""
    return struct.pack('=i', number)


def colour_fragments(pixels: NDArray[np.uint8]) -> Sequence[bytes]:
    """Datagrams of a picture (480, 640, 3), red, green, blue; a fourth byte makes it opaque."""
    opaque = np.full((IMAGE_HEIGHT, IMAGE_WIDTH, 4), 255, np.uint8)
    opaque[..., :3] = pixels
    data = opaque.tobytes()
    size = len(data) // FRAGMENTS
    return [data[start:start + size] for start in range(0, len(data), size)]


def depth_datagram(depths: NDArray[np.float32], focal_length: float) -> bytes:
    """Distances from the camera [cm] of depths along its axis (60, 80) [m]; 0 where none is known.

    focal_length: of the picture [pixels]. The simulator of the course measures along each ray.
    """
    height, width = depths.shape
    right = (np.arange(width) - 0.5 * (width - 1)) / focal_length
    down = (np.arange(height) - 0.5 * (height - 1)) / focal_length
    return _in_centimetres(depths * np.sqrt(1.0 + right**2 + down[:, None]**2))


def lidar_datagram(ranges: NDArray[np.float32]) -> bytes:
    """Distances [cm] clockwise from straight ahead, of ranges clockwise [m]; 0 for none."""
    return _in_centimetres(ranges)


def _in_centimetres(distances: NDArray[np.floating]) -> bytes:
    known = np.where(np.isfinite(distances), distances, 0.0) * _CENTIMETRES
    return known.astype(np.float32).tobytes()


def is_fraction(number: float) -> bool:
    """Whether a number is within what a trigger or joystick can show."""
    return math.isfinite(number) and -1.0 <= number <= 1.0
