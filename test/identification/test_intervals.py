# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Degrees of freedom of intervals, against the whole matrix of what residuals do to estimates."""

import numpy as np
import pytest

from racecar.identification.jackknife import degrees_of_freedom


def of_blocks(design, blocks):
    """Return curvature, its share of each block, and the inverse of the rest."""
    curvature = design.T @ design
    shares = np.array([design[blocks == block].T @ design[blocks == block]
                       for block in range(blocks.max() + 1)])
    return curvature, shares, np.linalg.inv(curvature - shares)


def test_a_mean_of_equal_blocks_has_one_less_than_blocks():
    assert degrees_of_freedom(*of_blocks(np.ones((40, 1)), np.repeat(np.arange(8), 5))) == (
        pytest.approx([7.0]))


def test_unequal_blocks_have_what_satterthwaite_gives():
    rng = np.random.default_rng(0)
    blocks = np.repeat(np.arange(9), rng.integers(3, 9, 9))
    design = rng.standard_normal((blocks.size, 3))
    # One unknown that two blocks tell nearly all of.
    design[blocks > 1, 2] *= 0.1
    curvature, shares, rest = of_blocks(design, blocks)
    misses = np.eye(blocks.size) - design @ np.linalg.inv(curvature) @ design.T
    wanted = []
    for unknown in range(3):
        changes = np.array([
            rest[block, unknown] @ design[blocks == block].T @ misses[blocks == block]
            for block in range(9)])
        eigenvalues = np.linalg.eigvalsh(changes @ changes.T)
        wanted.append(np.sum(eigenvalues)**2 / np.sum(eigenvalues**2))
    found = degrees_of_freedom(curvature, shares, rest)
    assert found == pytest.approx(wanted)
    assert found[2] < 0.6 * found[0]
