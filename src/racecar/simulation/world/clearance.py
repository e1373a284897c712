# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which cars of the 3-D world are clear of the ground and of all that stands fixed.

At each step the engine goes through the tree of all that stands around for each body that may
touch it. A car that has nothing near it need not be tried: it is looked how far it is from what
stands fixed, and again when it has come so far. Contacts are those of before.
"""

from __future__ import annotations

from dataclasses import replace
import math
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure
from racecar.scene.overlaps import Rectangle
from racecar.scene.scene import Scene, WALL_THICKNESS
from racecar.scene.surroundings import Surroundings, surroundings_of
from racecar.scene.touching import clearance
from racecar.simulation.world.car_model import FIXED_BIT, FLOOR_BIT
from racecar.simulation.world.engine import load_engine
from racecar.simulation.world.engine_state import FloatArray, IntArray

if TYPE_CHECKING:
    from mujoco import MjModel

_NEAR = 0.05
"""A car with less room is looked at again when it has come so far [m]."""

_ABOVE = 1e-4
"""Height above the ground from which on a body cannot touch it, whatever is rounded [m]."""

_WORLD = FLOOR_BIT | FIXED_BIT


class Clearance(NamedTuple):
    """What stands fixed, and how far cars are from it.

    around: it as one scene. bodies: middle and half edges of the box about all that collides of
    the root body of a car, in its axes, (cars, 6) [m]. looked: x and y of that middle when it was
    looked how much room there is around it, how far from there that holds, and the room, (cars, 4)
    [m]. affinity: conaffinity of the bodies of the model;
    whole: of each root as it was compiled, (cars,).
    """

    around: Surroundings
    bodies: FloatArray
    looked: FloatArray
    affinity: NDArray[np.int32]
    whole: IntArray


def clearance_of(model: MjModel, scene: Scene, roots: IntArray) -> Clearance:
    """Clearance of cars by their root bodies in a model of a scene, not looked at yet."""
    return Clearance(
        # Cones are no part of what stands fixed.
        surroundings_of((replace(scene, cones=()),)),
        np.array([_box_of(model, int(root)) for root in roots]),
        np.full((len(roots), 4), (0.0, 0.0, -1.0, 0.0)), model.body_conaffinity,
        model.body_conaffinity[roots].astype(np.int64))


def _box_of(model: MjModel, body: int) -> FloatArray:
    """Middle and half edges of the box about the geoms of a body that collide, in its axes."""
    first, axes = int(model.body_geomadr[body]), np.empty(9)
    lower, upper = np.full(3, math.inf), np.full(3, -math.inf)
    for geom in range(first, first + int(model.body_geomnum[body])):
        if model.geom_conaffinity[geom]:
            load_engine().mju_quat2Mat(axes, model.geom_quat[geom])
            turned = axes.reshape(3, 3)
            middle = model.geom_pos[geom] + turned @ model.geom_aabb[geom, :3]
            half = np.abs(turned) @ model.geom_aabb[geom, 3:]
            lower, upper = np.minimum(lower, middle - half), np.maximum(upper, middle + half)
    return np.concatenate([0.5 * (lower + upper), 0.5 * (upper - lower)])


@pure
def _has_room(c: Clearance, car: int, x: float, y: float) -> bool:
    """Whether a car is clear of what stands fixed; x, y: middle of its body [m]."""
    dx, dy, holds = x - c.looked[car, 0], y - c.looked[car, 1], c.looked[car, 2]
    if not (holds > 0.0 and dx * dx + dy * dy < holds * holds):
        a, b, d = c.bodies[car, 3], c.bodies[car, 4], c.bodies[car, 5]
        # However the body is turned.
        reach = math.sqrt(a * a + b * b + d * d) + WALL_THICKNESS
        room = clearance(c.around, 0, Rectangle(x, y, 1.0, 0.0, reach, 0.0))
        c.looked[car, 0], c.looked[car, 1] = x, y
        c.looked[car, 2], c.looked[car, 3] = max(room, _NEAR), room
    return c.looked[car, 3] >= _NEAR


@pure
def _is_clear(c: Clearance, car: int, qpos: FloatArray, at: int) -> bool:
    """Whether a car touches neither the ground nor what stands fixed; at: its pose in qpos."""
    w, i, j, k = qpos[at + 3], qpos[at + 4], qpos[at + 5], qpos[at + 6]
    x, y, z = c.bodies[car, 0], c.bodies[car, 1], c.bodies[car, 2]
    scale = 2.0 / (w * w + i * i + j * j + k * k)
    lean_x, lean_y = scale * (i * k - w * j), scale * (j * k + w * i)
    up = 1.0 - scale * (i * i + j * j)
    lowest = qpos[at + 2] + lean_x * x + lean_y * y + up * z - (
        abs(lean_x) * c.bodies[car, 3] + abs(lean_y) * c.bodies[car, 4]
        + abs(up) * c.bodies[car, 5])
    if not lowest > _ABOVE:
        return False
    return _has_room(
        c, car,
        qpos[at] + (1.0 - scale * (j * j + k * k)) * x + scale * (i * j - w * k) * y
        + scale * (i * k + w * j) * z,
        qpos[at + 1] + scale * (i * j + w * k) * x + (1.0 - scale * (i * i + k * k)) * y
        + scale * (j * k - w * i) * z)


@pure
def try_near(c: Clearance, qpos: FloatArray, roots: IntArray, poses: IntArray) -> None:
    """Let the engine try only cars that are not clear with ground and what stands fixed."""
    for car in range(len(roots)):
        whole = c.whole[car]
        c.affinity[roots[car]] = whole & ~_WORLD if _is_clear(c, car, qpos, poses[car]) else whole


@pure
def try_all(c: Clearance, roots: IntArray) -> None:
    """Let the engine try all cars with everything, as the model was compiled."""
    for car in range(len(roots)):
        c.affinity[roots[car]] = c.whole[car]
