# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The pictures of `racecar animate`."""

import numpy as np
import pytest

from racecar.analysis.animation import AnimatedRun, TopView
from racecar.analysis.motion import Motion
from racecar.dynamics.vehicles.parameters import Footprint
from racecar.metrics.tracking_error import MergedTrack
from racecar.scene.scene import Cone, Scene

BLUE, VERMILION = (0, 114, 178), (213, 94, 0)


def straight(name='run', y=0.0, speed=1.0):
    t = np.linspace(0.0, 8.0, 801)
    zero = np.zeros_like(t)
    motion = Motion(t, speed * t, zero + y, zero, zero + speed, zero, zero)
    return AnimatedRun(name, motion, MergedTrack(t, motion.x, motion.y, motion.x, motion.y),
                       Footprint(0.4, 0.1, 0.15))


def places(picture, colour):
    """Return the columns [px] of the pixels of a colour, away from legend and clock."""
    height = len(picture)
    close = np.abs(picture.astype(int) - colour).max(axis=2) < 12
    return np.nonzero(close[height // 4:])[1]


def test_the_car_moves_to_the_right_and_the_picture_has_its_size():
    view = TopView([straight()], 400, 300)
    columns = []
    for time in (1.0, 4.0, 7.0):
        picture = view.picture(time)
        assert picture.shape == (300, 400, 3)
        assert picture.dtype == np.uint8
        columns.append(places(picture, BLUE).mean())
    first, second, third = columns
    assert second - first == pytest.approx(third - second, rel=0.05)
    assert second - first > 60


def test_a_trail_grows_and_never_ends_before_it_did():
    view = TopView([straight('a', 0.0), straight('b', 2.0, 0.5)], 400, 300)
    lengths = [[np.ptp(places(picture, colour)) for colour in (BLUE, VERMILION)]
               for picture in map(view.picture, (1.0, 3.0, 5.0, 7.0))]
    for of_one in zip(*lengths, strict=True):
        assert list(of_one) == sorted(of_one)
        assert of_one[-1] > 2 * of_one[0]


def test_a_picture_does_not_depend_on_those_before_it():
    often = TopView([straight()], 300, 200)
    for time in np.arange(0.0, 6.0, 0.5):
        often.picture(time)
    once = TopView([straight()], 300, 200).picture(6.0)
    # Where two pieces of a trail meet, their ends overlap.
    assert np.mean(often.picture(6.0) != once) < 0.01


def test_what_stands_around_is_drawn():
    cone = Cone(4.0, 1.5, base=0.8, colour=(0.0, 1.0, 0.0))
    picture = TopView([straight()], 300, 200, scene=Scene(cones=(cone,))).picture(0.0)
    assert places(picture, (0, 255, 0)).size > 30


def test_a_car_that_stands_can_be_drawn():
    run = straight(speed=0.0)
    assert places(TopView([run._replace(track=None)], 300, 200).picture(3.0), BLUE).size > 20
