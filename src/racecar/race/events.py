# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a referee sees, and what it says."""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.types import Pose2

GREEN, LAP, TOUCH, CRASH, CONTACT, WARNING, WRONG_WAY, STANDING, FALSE_START, RESTART, FINISHED, \
    RETIRED, DISQUALIFIED, END = (
        'green', 'lap', 'touch', 'crash', 'contact', 'warning', 'wrong_way', 'standing',
        'false_start', 'restart', 'finished', 'retired', 'disqualified', 'end')
"""Kinds of events."""


class CarLook(NamedTuple):
    """A car at a time: pose of base_link in map, its velocity along and across the car [m/s].

    depth: how far it presses into what stands around [m]; stops: how often it has been stopped by
    something since it was placed last; silence: since its last command [s].
    """

    x: float
    y: float
    yaw: float
    vx: float
    vy: float
    depth: float = 0.0
    stops: int = 0
    silence: float = 0.0


class Meeting(NamedTuple):
    """Two cars side by side, by their numbers: normal of the contact, from one to the other."""

    one: int
    other: int
    nx: float
    ny: float


class RaceEvent(NamedTuple):
    """Something that happened in a heat.

    time: since the countdown began [s]; car: its name, '' if it is of all; kind: one of those
    above; text: for people; value: time of the lap [s], depth [m] or closing speed [m/s], 0 for
    none; x, y: where the car was, NaN of all [m].
    """

    time: float
    car: str
    kind: str
    text: str
    value: float
    x: float
    y: float


# Where cars stand that are not on the track: this far away, in a row [m].
_PARKED, _APART = -1000.0, 5.0


def parking_of(car: int) -> Pose2:
    """Where a car stands that is off the track, by its number."""
    return Pose2(_PARKED, _PARKED - _APART * car, 0.0)


class Order(NamedTuple):
    """A car, by its number, is to be put at rest at a pose of base_link; None: off the track."""

    car: int
    pose: Pose2 | None
