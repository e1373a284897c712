#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw the worlds, with a scan in each, for docs/world.md.

Run it with `./run python docs/world_figure.py`; it writes docs/pictures/worlds.png.
"""

from __future__ import annotations

from pathlib import Path
import sys

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon
import numpy as np

from racecar.base.parameters import ParameterTable
from racecar.base.poses import pose_of_angles
from racecar.base.share import find_vehicle
from racecar.base.types import Acceleration3, Twist3
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene import load_world, Objects, Scene
from racecar.scene.scene import rectangle_corners
from racecar.sensors import View
from racecar.sensors.laser import Laser, PARAMETERS

FILE = Path(__file__).resolve().parent / 'pictures' / 'worlds.png'
NAMES = ('tunnel', 'walker', 'racetrack', 'room', 'cones', 'parking_1')
LASER_X, LASER_Z = 0.265, 0.1374


def draw(panel: Axes, name: str) -> None:
    """Draw a world from above, the car at its start and what its laser sees."""
    scene = load_world(name)
    panel.set_title(name, fontsize=10)
    panel.set_aspect('equal')
    panel.spines[['top', 'right']].set_visible(False)
    if scene.grid is not None:
        x, y, _ = scene.grid.origin
        length, width = scene.grid.size
        grey = np.where(scene.grid.occupied, 0.2, np.where(scene.grid.values < 0, 0.85, 1.0))
        panel.imshow(grey, origin='lower', extent=(x, x + length, y, y + width), cmap='gray',
                     vmin=0.0, vmax=1.0)
    for patch in scene.patches:
        panel.add_patch(Polygon(
            rectangle_corners(*patch[:5]), color=patch.colour, alpha=0.4))
    for wall in scene.walls:
        panel.plot((wall.x1, wall.x2), (wall.y1, wall.y2), color='0.2', linewidth=1.0)
    for box in scene.solids:
        panel.add_patch(Polygon(rectangle_corners(*box[:5]), color='0.2'))
    for cone in scene.cones:
        panel.add_patch(Circle((cone.x, cone.y), 0.5 * cone.base, color=cone.colour))
    draw_scan(panel, scene)
    start = scene.starts[0]
    footprint = VehicleParameters.from_file(find_vehicle('racecar')).footprint
    panel.add_patch(Polygon(rectangle_corners(
        start.x + 0.5 * (footprint.front - footprint.rear), start.y, start.yaw,
        footprint.front + footprint.rear, 2.0 * footprint.side), color='tab:blue'))


def draw_scan(panel: Axes, scene: Scene) -> None:
    """Draw what the laser of a car at the start measures."""
    laser = Laser({**ParameterTable(PARAMETERS).resolve({}), 'rate': 40.0})
    start = scene.starts[0]
    pose = pose_of_angles(start.x + LASER_X, start.y, LASER_Z, 0.0, 0.0, start.yaw)
    still = Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    scan = laser.measure(
        View(scene, pose, 0, lambda: still, _no_acceleration, lambda: Objects(scene.cones)),
        np.random.default_rng(0))
    angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
    seen = np.isfinite(scan.ranges)
    panel.scatter(
        pose.x + scan.ranges[seen] * np.cos(start.yaw + angles[seen]),
        pose.y + scan.ranges[seen] * np.sin(start.yaw + angles[seen]), s=2.0, color='tab:red',
        zorder=3)


def _no_acceleration() -> Acceleration3:
    raise NotImplementedError


def main() -> int:
    """Write the picture."""
    figure = Figure(figsize=(13.0, 8.0), layout='constrained')
    for panel, name in zip(figure.subplots(2, 3).flat, NAMES, strict=True):
        draw(panel, name)
    figure.savefig(FILE, dpi=75)
    print(f'{FILE} written')
    return 0


if __name__ == '__main__':
    sys.exit(main())
