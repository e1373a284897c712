# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Planners on a ring: when their laps end, and what ends them before."""

import json
import math
from pathlib import Path
import sys

import numpy as np
import pytest
from scripts import load_script

from racecar.control.racelines.raceline import read_raceline

pytest.importorskip('gymnasium', reason='Gymnasium is not installed')

ROOT = Path(__file__).resolve().parents[2]
RADIUS, HALF_WIDTH, CELL, SPEED = 8.0, 1.0, 0.1, 3.0
PLANNER = """
import math

class Ring:
    def __init__(self, gain):
        self.gain = gain

    def set_map(self, name):
        self.radius = {'ring': 8.0}[name]

    def plan(self, obs):
        x, y, yaw = obs['pose']
        angle = math.atan2(x, self.radius - y)
        offset = self.radius - math.hypot(x, self.radius - y)
        error = math.remainder(yaw - angle, 2.0 * math.pi)
        return [math.atan(0.33 / self.radius) - self.gain * (offset + error), 3.0]
"""


@pytest.fixture
def clone(tmp_path):
    """Give a folder with a ring that begins at the origin, a line on it and a planner."""
    maps = tmp_path / 'maps'
    maps.mkdir()
    corner = RADIUS + HALF_WIDTH + 1.0
    size = int(2.0 * corner / CELL)
    middle = (np.arange(size) + 0.5) * CELL - corner
    far = np.hypot(middle[None, :], middle[:, None])
    free = np.abs(far - RADIUS) < HALF_WIDTH
    (maps / 'ring.pgm').write_bytes(
        f'P5 {size} {size} 255\n'.encode() + np.where(free, 255, 0).astype(np.uint8).tobytes())
    (maps / 'ring.yaml').write_text(
        f'image: ring.pgm\nresolution: {CELL}\norigin: [{-corner}, {RADIUS - corner}, 0.0]\n'
        'negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n', encoding='utf-8')
    angles = np.arange(0.0, 2.0 * math.pi, 0.05 / RADIUS)
    line = RADIUS * np.column_stack([np.sin(angles), 1.0 - np.cos(angles)])
    # Its first row is not read.
    before = 0.5 * (line[:1] + line[-1:])
    np.savetxt(maps / 'ring_centerline.csv', np.concatenate([before, line]), delimiter=',')
    np.savetxt(tmp_path / 'ring_raceline.csv', np.column_stack([
        RADIUS * angles, line, angles, np.full_like(angles, 1.0 / RADIUS),
        np.full_like(angles, SPEED), np.zeros_like(angles)]), delimiter=',')
    (tmp_path / 'ring_planner.py').write_text(PLANNER, encoding='utf-8')
    return tmp_path


@pytest.fixture
def laps(clone, capsys, monkeypatch):
    """Return what gives the laps on the ring for arguments of the script."""
    monkeypatch.setattr(sys, 'path', [str(ROOT / 'benchmarks'), *sys.path])
    monkeypatch.chdir(clone)
    script = load_script('benchmarks/planner_laps.py')

    def driven(*arguments):
        monkeypatch.setattr(sys, 'argv', [
            'planner_laps.py', str(clone), '--maps', 'ring', '--json', *arguments])
        script.main()
        return json.loads(capsys.readouterr().out)['ring']

    return driven


def test_planner_and_controller_take_the_time_of_the_ring(clone, laps):
    ways = [
        laps('--planner', 'ring_planner:Ring', '--arguments', '{"gain": 1.0}',
             '--laps', '2'),
        laps('--controller', 'lqr', '--raceline', str(clone / '{map}_raceline.csv'),
             '--laps', '1')]
    # From rest the speed comes with the time constant of its controller, 20/(10 9.51) s.
    expected = 0.995 * 2.0 * math.pi * RADIUS / SPEED + 20.0 / 95.1
    for lap in [*ways[0], *ways[1]]:
        assert lap['is_complete']
        assert lap['progress'] > 0.995
        assert lap['time'] == pytest.approx(expected, abs=0.15)
    assert ways[0][0]['start'] == 0.0
    assert ways[0][1]['start'] == np.random.default_rng(12345).random()


def test_lap_ends_where_a_corner_is_in_the_wall(laps):
    lap, = laps('--planner', 'ring_planner:Ring', '--arguments', '{"gain": -1.0}',
                '--laps', '1')
    assert not lap['is_complete']
    assert lap['progress'] < 0.9


def test_a_smoothed_line_is_near_its_points_without_their_bends(laps, clone):
    table = np.loadtxt(clone / 'ring_raceline.csv', delimiter=',')
    # Two of twenty points lie 2 cm beside the ring, one on either side.
    aside = 0.02 * (-1.0) ** np.arange(len(table)) * (np.arange(len(table)) % 20 < 2)
    table[:, 1] += aside * np.sin(table[:, 3])
    table[:, 2] -= aside * np.cos(table[:, 3])
    np.savetxt(clone / 'bent_raceline.csv', table, delimiter=',')
    script = load_script('benchmarks/planner_laps.py')
    line = str(clone / 'bent_raceline.csv')
    bent = read_raceline(line)
    (clone / 'smooth').mkdir()
    smooth = read_raceline(script.smoothed(line, 0.01, clone / 'smooth'))
    assert np.abs(bent.curvature).max() > 10.0 / RADIUS
    assert np.abs(smooth.curvature - 1.0 / RADIUS).max() < 0.5 / RADIUS
    assert np.abs(np.hypot(smooth.x, smooth.y - RADIUS) - RADIUS).max() < 0.025
    assert smooth.speed == pytest.approx(SPEED)
    lap, = laps('--controller', 'lqr', '--raceline', line, '--smoothing', '0.01', '--laps', '1')
    assert lap['is_complete']
