# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scene in the model of the engine: what is fixed, cones, and things that move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from racecar.base.poses import pose_of_angles
from racecar.scene.scene import Box, Colour, Cone, HIGHEST, MovingThing, Scene
from racecar.world.car_model import (
    FIXED_BIT,
    FLOOR_BIT,
    HARD,
    LOOSE_BIT,
    MOVING_BIT,
    place,
)
from racecar.world.engine import load_engine

if TYPE_CHECKING:
    from mujoco import MjsBody, MjSpec

FLOOR = 'floor'

CONE_EDGES = 24
"""Sides of the pyramid that stands for a cone."""

CONE_FOOT = 0.05
"""Height of the square foot of a cone over that of the cone [-]."""

# Of a cone of thin, soft plastic. Its foot bends: it stands, and tips, on what is below the cone
# itself, so much of the foot. Friction of the foot and of the cone with the ground, and of the
# cone with what it meets; time constant [s] and damping ratio of that contact: it gives way, so
# that a cone on its side does not jam a car against the ground.
_SUPPORT, _FOOT_FRICTION, _LYING_FRICTION, _FRICTION = 0.53, 0.9, 0.1, 0.1
_SOFT = 0.04, 1.0


def moving_name(index: int) -> str:
    """Return the name of the body of a thing that moves in the model."""
    return f'moving_{index}'


def cone_name(index: int) -> str:
    """Return the name of a cone's body in the model."""
    return f'cone_{index}'


def add_scene(spec: MjSpec, scene: Scene, *, visuals: bool) -> None:
    """Add what stands around to an MjSpec; visuals: also what pictures only show."""
    mujoco = load_engine()
    ground = scene.ground
    floor = spec.worldbody.add_geom(
        name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, pos=(ground.x, ground.y, 0.0),
        size=(0.5 * ground.length, 0.5 * ground.width, 1.0), rgba=(*ground.colour, 1.0))
    floor.contype, floor.conaffinity = FLOOR_BIT, 0
    for wall in scene.walls:
        _add_box(spec.worldbody, wall.box, solid=True)
    boxes = (*scene.boxes, *(board.box for board in scene.boards), *scene.grid_boxes)
    for box in boxes:
        _add_box(spec.worldbody, box, solid=True)
    if scene.cones:
        _add_cones(spec, scene.cones)
    for index, thing in enumerate(scene.moving):
        _add_moving(spec, moving_name(index), thing)
    if visuals:
        for patch in scene.patches:
            _add_box(spec.worldbody, Box(*patch[:5], 0.001, patch.colour), solid=False)


def _add_box(body: MjsBody, box: Box, *, solid: bool) -> None:
    height = min(box.height, HIGHEST)
    geom = body.add_geom(
        type=load_engine().mjtGeom.mjGEOM_BOX,
        size=(0.5 * box.length, 0.5 * box.width, 0.5 * height), rgba=_opaque(box.colour))
    place(geom, pose_of_angles(box.x, box.y, 0.5 * height, 0.0, 0.0, box.yaw))
    geom.contype, geom.conaffinity = FIXED_BIT if solid else 0, 0
    geom.solref = HARD


def _add_moving(spec: MjSpec, name: str, thing: MovingThing) -> None:
    """Add a body that is moved from outside, whatever it meets."""
    mujoco = load_engine()
    body = spec.worldbody.add_body(name=name, mocap=True)
    half = 0.5 * min(thing.height, HIGHEST)
    kind, size = (
        (mujoco.mjtGeom.mjGEOM_CYLINDER, (thing.radius, half, 0.0)) if thing.is_round else
        (mujoco.mjtGeom.mjGEOM_BOX, (0.5 * thing.length, 0.5 * thing.width, half)))
    geom = body.add_geom(type=kind, size=size, pos=(0.0, 0.0, half), rgba=_opaque(thing.colour))
    geom.contype, geom.conaffinity = MOVING_BIT, 0
    geom.solref = HARD


def _add_cones(spec: MjSpec, cones: tuple[Cone, ...]) -> None:
    mujoco = load_engine()
    meshes: dict[tuple[float, float], str] = {}
    for index, cone in enumerate(cones):
        body = spec.worldbody.add_body(name=cone_name(index), pos=(cone.x, cone.y, 0.0))
        body.add_freejoint(name=cone_name(index))
        foot = CONE_FOOT * cone.height
        key = cone.base, cone.height
        if key not in meshes:
            meshes[key] = f'cone_mesh_{len(meshes)}'
            mesh = spec.add_mesh(name=meshes[key])
            mesh.make_cone(CONE_EDGES, 0.0)
            # From -1 to 1 on each axis; it stands on its foot, so that only that rests on the
            # ground.
            mesh.scale = (cone.radius_at(foot), cone.radius_at(foot), 0.5 * (cone.height - foot))
        stem = body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname=meshes[key],
            pos=(0.0, 0.0, 0.5 * (cone.height + foot)), mass=0.5 * cone.mass)
        support = body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, pos=(0.0, 0.0, 0.5 * foot), mass=0.5 * cone.mass,
            size=(0.5 * _SUPPORT * cone.base, 0.5 * _SUPPORT * cone.base, 0.5 * foot))
        # Its own numbers hold, not those of what it meets.
        stem.friction[0], stem.priority, stem.solref = _FRICTION, 1, _SOFT
        stem.contype, stem.conaffinity = LOOSE_BIT, FIXED_BIT | LOOSE_BIT | MOVING_BIT
        support.contype = support.conaffinity = 0
        for name, part, friction in (('stem', stem, _LYING_FRICTION),
                                     ('foot', support, _FOOT_FRICTION)):
            part.name, part.rgba = f'{cone_name(index)}/{name}', _opaque(cone.colour)
            spec.add_pair(
                geomname1=FLOOR, geomname2=part.name, condim=3, solref=HARD,
                friction=(friction, friction, 0.0, 0.0, 0.0))


def _opaque(colour: Colour) -> tuple[float, float, float, float]:
    red, green, blue = colour
    return red, green, blue, 1.0
