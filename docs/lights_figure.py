# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw the pictures of docs/lights_and_wheels.md: `./run python docs/lights_figure.py`."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from PIL import Image

from racecar.base.poses import NO_POSE, pose_of_angles
from racecar.base.shapes import Mesh, Shape
from racecar.base.share import find_vehicle
from racecar.base.types import Lamps, Pose3
from racecar.description.mesh_store import stored_mesh
from racecar.description.robot_tree import Link, RobotTree
from racecar.description.vehicle_description import describe_vehicle
from racecar.description.wheel_mesh import wheel_meshes
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.wheel_parameters import DEFAULT_WHEEL, WheelShape
from racecar.rendering.lens import Lens
from racecar.rendering.renderer import Pixels, Renderer
from racecar.rendering.sight import DrawnRobot, Quality, RobotSight, Sight
from racecar.rendering.viewpoints import looking_at
from racecar.scene.scene import EMPTY_SCENE

PICTURES = Path(__file__).resolve().parent / 'pictures'
DARK = Lamps()
COLOURS = {'tyre': (0.06, 0.06, 0.065, 1.0), 'rim': (0.7, 0.72, 0.75, 1.0)}

_USUAL = DEFAULT_WHEEL.shape(0.4, 0.3)
WHEELS = (
    WheelShape(), _USUAL,
    _USUAL._replace(rim_beam_number=10, rim_beam_width=0.03, central_outer_radius=0.09,
                    central_inner_radius=0.05),
    _USUAL._replace(curvature_factor=1.0, rim_radius=0.2, rim_beam_number=3, rim_beam_width=0.08,
                    central_outer_radius=0.08, central_inner_radius=0.04),
    _USUAL._replace(thickness=0.2, rim_radius=0.33, rim_beam_number=7, rim_beam_width=0.05,
                    rim_beam_thickness=0.05, rim_beam_offset=-0.05, curvature_factor=0.2,
                    central_outer_radius=0.12, central_inner_radius=0.06))


def wheels() -> Pixels:
    """Return a row of wheels of different fields; the first is that of the seed."""
    shapes = []
    for number, wheel in enumerate(WHEELS):
        # Its outer side, z, towards -y, to the eye.
        pose = pose_of_angles(0.95 * number, 0.0, wheel.tire_radius, 0.5 * math.pi, 0.0, 0.0)
        for name, mesh in zip(COLOURS, wheel_meshes(wheel), strict=True):
            uri = stored_mesh(f'figure_{name}', mesh.triangles)
            shapes.append(Shape(pose, Mesh(uri), COLOURS[name], f'{name} {number}'))
    tree = RobotTree('wheels', (Link('base', visuals=tuple(shapes)),), ())
    lens = Lens(1400, 380, 0.36, 0.02, 100.0)
    middle = 0.95 * 0.5 * (len(WHEELS) - 1)
    return draw(tree, lens, looking_at((middle + 4.0, -12.0, 2.2), (middle, 0.0, 0.38)))


def lights() -> Pixels:
    """Return a car from ahead and from behind, with its lamps dark and lit."""
    vehicle = VehicleParameters.from_file(find_vehicle('bmw_x5'))
    tree = describe_vehicle(vehicle).tree
    lens = Lens(700, 400, 0.5, 0.02, 100.0)
    rows = [
        np.concatenate([draw(tree, lens, looking_at(eye, target), lamps)
                        for lamps in (DARK, lit)], axis=1)
        for eye, target, lit in (
            ((9.6, 4.4, 2.6), (2.0, 0.0, 0.75),
             Lamps(left_indicator=True, front=True, antifog=True)),
            ((-7.0, 4.0, 2.8), (0.8, 0.0, 0.75),
             Lamps(left_indicator=True, rear=True, brake=True, backwards=True)))]
    return np.concatenate(rows)


def draw(tree: RobotTree, lens: Lens, viewpoint: Pose3, lamps: Lamps = DARK) -> Pixels:
    """Return a picture of a robot that stands at the origin."""
    quality = Quality(lens.width, lens.height, 8, 4096)
    with Renderer(EMPTY_SCENE, [DrawnRobot(tree)], quality) as renderer:
        return renderer.draw(Sight([RobotSight(NO_POSE, (), lamps)]), viewpoint, lens)


if __name__ == '__main__':
    for name, make in (('wheels', wheels), ('lights', lights)):
        path = PICTURES / f'{name}.jpg'
        Image.fromarray(make()).save(path, quality=88)
        print(path)
