# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which cars of the 3-D world are clear of the ground and of all that stands fixed.

At each step the engine goes through the tree of all that stands around for each body that may
touch it. A car that has nothing near it need not be tried: before some steps it is looked how far
it is from what stands fixed, and as long as it has not come so far the engine leaves it out. While
all cars are also clear of each other, and there is nothing that moves, no body can touch anything,
and the engine need not look for it at all. The contacts stay the same.
"""

from __future__ import annotations

from dataclasses import replace
import math
from typing import Any, NamedTuple, TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel, routine
from racecar.scene.overlaps import Rectangle
from racecar.scene.scene import Scene, WALL_THICKNESS
from racecar.scene.surroundings import Surroundings, surroundings_of
from racecar.scene.touching import clearance
from racecar.world.car_model import FIXED_BIT, FLOOR_BIT
from racecar.world.engine import load_engine
from racecar.world.engine_state import FloatArray, IntArray

if TYPE_CHECKING:
    from mujoco import MjModel

Place: TypeAlias = tuple[float, float, float]

Plain: TypeAlias = tuple[Any, ...]
"""Fields of a NamedTuple as a plain tuple, with which a call of a kernel takes less time."""

_ABOVE = 1e-4
"""Height above the ground from which on a body cannot touch it, whatever is rounded [m]."""

_WORLD = FLOOR_BIT | FIXED_BIT


class Clearance(NamedTuple):
    """How far cars are from what stands fixed, for the kernels of a world.

    bodies: middle and half edges of the box about all that collides of the root body of a car, in
    its axes, (cars, 6) [m]. looked: x and y of that middle when it was looked how much room there
    is around the car, this room, and half of that to the next car, 0 or less for none, (cars, 4)
    [m]. affinity: conaffinity of the bodies of the model; whole: of each root as it was compiled,
    (cars,).
    """

    bodies: FloatArray
    looked: FloatArray
    affinity: NDArray[np.int32]
    whole: IntArray


class FixedThings:
    """What stands fixed around cars, of which nobody has looked how far it is.

    clearance: of the cars, which look() renews.
    """

    def __init__(
        self, model: MjModel, scene: Scene, roots: IntArray, poses: IntArray,
    ) -> None:
        """Take a model of a scene; roots, poses: of each car body and first number in qpos."""
        # Cones are no part of what stands fixed.
        self._around, self._poses = surroundings_of((replace(scene, cones=()),))[:], poses
        self.clearance = Clearance(
            np.array([_box_of(model, int(root)) for root in roots]),
            np.full((len(roots), 4), -1.0), model.body_conaffinity,
            model.body_conaffinity[roots].astype(np.int64))
        collides = (model.body_contype | model.body_conaffinity) != 0
        collides[[0, *roots]] = False
        self._only_cars = not collides.any()

    def look(self, qpos: FloatArray) -> bool:
        """Look how much room there is around each car; qpos: of the engine.

        Returns whether nothing touches anything now but what the model names as pairs.
        """
        has_room = _look(
            self._around, self.clearance.bodies, self.clearance.looked, qpos, self._poses)
        return has_room and self._only_cars


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


@routine
def _box_in_world(bodies: FloatArray, car: int, qpos: FloatArray, at: int) -> Place:
    """Middle of the box about the root of a car, and its lowest point; at: its pose in qpos."""
    w, i, j, k = qpos[at + 3], qpos[at + 4], qpos[at + 5], qpos[at + 6]
    x, y, z = bodies[car, 0], bodies[car, 1], bodies[car, 2]
    scale = 2.0 / (w * w + i * i + j * j + k * k)
    lean_x, lean_y = scale * (i * k - w * j), scale * (j * k + w * i)
    up = 1.0 - scale * (i * i + j * j)
    return (
        qpos[at] + (1.0 - scale * (j * j + k * k)) * x + scale * (i * j - w * k) * y
        + scale * (i * k + w * j) * z,
        qpos[at + 1] + scale * (i * j + w * k) * x + (1.0 - scale * (i * i + k * k)) * y
        + scale * (j * k - w * i) * z,
        qpos[at + 2] + lean_x * x + lean_y * y + up * z - (
            abs(lean_x) * bodies[car, 3] + abs(lean_y) * bodies[car, 4]
            + abs(up) * bodies[car, 5]))


@kernel
def _look(
    around: Plain, bodies: FloatArray, looked: FloatArray, qpos: FloatArray,
    poses: IntArray,
) -> bool:
    """Write the room around each car, and tell whether each has some.

    around: the fields of Surroundings as a plain tuple.
    """
    scene = Surroundings(*around)
    for car in range(len(poses)):
        x, y, _ = _box_in_world(bodies, car, qpos, poses[car])
        reach = _reach(bodies, car)
        looked[car, 0], looked[car, 1], looked[car, 3] = x, y, math.inf
        looked[car, 2] = clearance(scene, 0, Rectangle(x, y, 1.0, 0.0, reach, 0.0))
        for other in range(car):
            dx, dy = x - looked[other, 0], y - looked[other, 1]
            half = 0.5 * (math.sqrt(dx * dx + dy * dy) - reach - _reach(bodies, other))
            looked[car, 3] = min(looked[car, 3], half)
            looked[other, 3] = min(looked[other, 3], half)
    has_room = True
    for car in range(len(poses)):
        has_room &= min(looked[car, 2], looked[car, 3]) > 0.0
    return has_room


@routine
def _reach(bodies: FloatArray, car: int) -> float:
    """How far a car reaches from its middle, however it is turned [m]."""
    a, b, c = bodies[car, 3], bodies[car, 4], bodies[car, 5]
    return math.sqrt(a * a + b * b + c * c) + WALL_THICKNESS


@routine
def try_near(c: Clearance, qpos: FloatArray, roots: IntArray, poses: IntArray) -> bool:
    """Let the engine try cars that are clear neither with the ground nor with what is fixed.

    A car above the ground is clear as long as it has not come further than the room around it.
    Returns whether all cars are clear, of each other too.
    """
    bodies, looked, affinity, whole = c.bodies, c.looked, c.affinity, c.whole
    all_clear = True
    for car in range(len(roots)):
        x, y, lowest = _box_in_world(bodies, car, qpos, poses[car])
        dx, dy, room = x - looked[car, 0], y - looked[car, 1], looked[car, 2]
        way, apart = dx * dx + dy * dy, looked[car, 3]
        is_clear = lowest > _ABOVE and room > 0.0 and way < room * room
        affinity[roots[car]] = whole[car] & ~_WORLD if is_clear else whole[car]
        all_clear &= is_clear and apart > 0.0 and way < apart * apart
    return all_clear


@routine
def try_all(c: Clearance, roots: IntArray) -> None:
    """Let the engine try all cars with everything, as the model was compiled."""
    affinity, whole = c.affinity, c.whole
    for car in range(len(roots)):
        affinity[roots[car]] = whole[car]
