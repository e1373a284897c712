# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Normals of meshes: round where they are round, with edges where they have edges."""

import math

import numpy as np
import pytest

from racecar.description.triangles import is_stl, outward, solid, stl
from racecar.rendering.creases import normals_of


def prism(sides, radius=1.0, height=2.0):
    """Return the triangles of an upright prism."""
    angles = 2.0 * math.pi * np.arange(sides) / sides
    ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), 0.0 * angles], axis=1)
    return outward(solid(np.stack([ring, ring + [0.0, 0.0, height]])))


def test_a_box_has_the_normals_of_its_faces():
    box = prism(4)
    across = np.cross(box[:, 1] - box[:, 0], box[:, 2] - box[:, 0])
    units = across / np.linalg.norm(across, axis=1, keepdims=True)
    assert normals_of(box) == pytest.approx(np.repeat(units[:, None], 3, axis=1))


def test_a_fine_prism_is_round_with_flat_ends():
    corners = prism(24)
    normals = normals_of(corners)
    assert np.linalg.norm(normals, axis=2) == pytest.approx(np.ones(corners.shape[:2]))
    upright = np.abs(np.diff(corners[..., 2], axis=1)).max(axis=1) > 0.0
    # Those of the side point away from the axis, at each corner, those of the ends along it.
    outwards = corners[upright] * [1.0, 1.0, 0.0]
    assert normals[upright] == pytest.approx(outwards, abs=0.07)
    assert np.abs(normals[~upright][..., 2]) == pytest.approx(1.0)


def test_a_sharper_crease_gives_the_faces_of_the_side_edges():
    normals = normals_of(prism(24), math.radians(10.0))
    # Of both triangles of a face all corners have one normal.
    assert len(np.unique(np.round(normals.reshape(-1, 3), 6) + 0.0, axis=0)) == 26


def test_faces_without_area_do_no_harm():
    flat = np.concatenate([prism(6), np.zeros((1, 3, 3))])
    assert np.isfinite(normals_of(flat)).all()


@pytest.mark.parametrize(('change', 'expected'), [
    (lambda data: data, True), (lambda data: data[:-1], False), (lambda data: b'solid x', False),
    (lambda data: b'', False)])
def test_only_whole_binary_files_are_taken_for_one(change, expected):
    assert is_stl(change(stl(prism(5), 'prism'))) == expected
