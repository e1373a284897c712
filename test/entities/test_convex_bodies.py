# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Distances of convex bodies, against a general solver of the same problem."""

import numpy as np
import pytest
from scipy.optimize import nnls

from racecar.base.types import Pose3, yaw_to_quaternion
from racecar.entities.convex_bodies import corners, hull_distance
from racecar.simulation.ports import Bounds


def solved(first, second):
    """Distance by non-negative least squares, whose weights are held to sum 1 by a large row."""
    heavy = 1e4
    count = len(first), len(second)
    system = np.vstack([
        np.hstack([first.T, -second.T]),
        np.repeat([[heavy, 0.0]], count, axis=1), np.repeat([[0.0, heavy]], count, axis=1)])
    weights, _ = nnls(system, np.array([0.0, 0.0, 0.0, heavy, heavy]))
    return np.linalg.norm(weights[:count[0]] @ first - weights[count[0]:] @ second)


@pytest.mark.parametrize('seed', range(20))
def test_a_distance_is_that_of_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(8, 3))
    second = rng.normal(size=(rng.integers(1, 12), 3)) + rng.uniform(-3.0, 3.0, 3)
    assert hull_distance(first, second) == pytest.approx(solved(first, second), abs=1e-5)


def test_boxes_have_the_distance_of_their_nearest_corners_edges_and_faces():
    unit = Bounds((-0.5,) * 3, (0.5,) * 3)
    cube = corners(unit, Pose3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    turned = corners(unit, Pose3(2.0, 0.0, 0.0, 0.0, 0.0, *yaw_to_quaternion(np.pi / 4)))
    assert hull_distance(cube, turned) == pytest.approx(1.5 - np.sqrt(0.5))
    assert hull_distance(cube, cube + (1.0, 0.0, 0.0)) == 0.0
    assert hull_distance(cube, cube + (2.0, 2.0, 2.0)) == pytest.approx(np.sqrt(3.0))
    assert hull_distance(cube, [(0.1, 0.2, 0.3)]) == 0.0
