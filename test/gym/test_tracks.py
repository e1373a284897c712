# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tracks by name or file."""

import numpy as np

from racecar.gym.tracks import named_track


def test_a_track_is_the_same_until_its_files_change(tmp_path):
    world, line = tmp_path / 'world.yaml', tmp_path / 'line.csv'
    angles = np.linspace(0.0, 2.0 * np.pi, 101)

    def write(radius):
        world.write_text(f'cones:\n- {{x: {radius + 1.0}, y: 0.0}}\n')
        rows = radius * np.column_stack([np.cos(angles), np.sin(angles)])
        np.savetxt(line, rows, '%.6f', ',', header='x,y', comments='')

    write(2.0)
    first = named_track(str(world), str(line))
    assert named_track(str(world), str(line)) is first
    write(13.0)
    other = named_track(str(world), str(line))
    np.testing.assert_allclose(other.course.length / first.course.length, 6.5)
    assert other.scene.cones[0].x == 14.0
