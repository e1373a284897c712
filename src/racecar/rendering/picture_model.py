# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model of the engine that is only looked at: a scene, robots of any kind, paint on the ground.

Nothing in it weighs or collides. Its joint positions are what a Sight says, so the engine's own
kinematics put every link to its place.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple, TYPE_CHECKING

from racecar.base.columns import Array
from racecar.base.poses import pose_of_angles
from racecar.base.types import Pose3
from racecar.description.robot_tree import Joint, Lamp, PRISMATIC
from racecar.rendering.creases import add_creased_mesh
from racecar.rendering.sight import DrawnRobot, Sight
from racecar.rendering.surfaces import add_grid, Surfaces
from racecar.rendering.textures import add_ground_texture, add_sky, add_wall_texture, TILE
from racecar.scene.scene import Board, Box, Colour, Cone, GREY, Scene
from racecar.simulation.world.car_model import add_shape, place
from racecar.simulation.world.engine import compiled_model, load_engine

if TYPE_CHECKING:
    from mujoco import MjModel, MjsBody, MjSpec

_GROUND, _WALL, _SKY, _ROBOT, _PLAIN, _LIT = 'ground', 'wall', 'sky', 'robot', 'plain', 'lit'

LIGHT_DISTANCE = 20.0
"""From what a light with shadows shines on to its place [m]."""

_SHADOW_RADIUS = 10.0

# Paint lies so high [m]: higher than the depth buffer can tell apart at some distance.
_PAINT = 0.002
_CONE_SIDES = 24
_BLACK: Colour = (0.03, 0.03, 0.03)
_WHITE: Colour = (0.95, 0.95, 0.95)

Rgba = tuple[float, float, float, float]
_NO_COLOUR: Rgba = (*GREY, 1.0)

# What a lit lamp reflects of other light, as a share of its own: its colour is that of its light.
_REFLECTED = 0.05


class Quality(NamedTuple):
    """What makes pictures nicer and slower.

    width, height: the largest picture [pixels]. samples: per pixel, 0 for hard edges. shadow_size:
    edge of the shadow map [pixels], 0 for no shadows, which take ten times as long in software.
    """

    width: int
    height: int
    samples: int = 0
    shadow_size: int = 0


class DrawnLamp(NamedTuple):
    """A lamp of a robot in the model: number of its geom; colours while dark and while lit."""

    robot: int
    function: str
    geom: int
    dark: Rgba
    lit: Rgba


class PictureModel(NamedTuple):
    """A compiled model and where in its positions each robot and cone is.

    robots: of each, first number of its pose and those of its joints in DrawnRobot.joints order,
    -1 for what the tree does not have. cones: first number of each. lamps: of all robots.
    """

    model: MjModel
    robots: tuple[tuple[int, tuple[int, ...]], ...]
    cones: tuple[int, ...]
    lamps: tuple[DrawnLamp, ...] = ()

    def pack(self, sight: Sight) -> Array:
        """Positions of the engine for what is seen."""
        packed: Array = self.model.qpos0.copy()
        for (first, joints), robot in zip(self.robots, sight.robots, strict=True):
            _write_pose(packed, first, robot.pose)
            for index, position in zip(joints, robot.positions, strict=True):
                if index >= 0:
                    packed[index] = position
        for first, pose in zip(self.cones, sight.cones, strict=True):
            _write_pose(packed, first, pose)
        return packed

    def light(self, sight: Sight) -> None:
        """Let those lamps of the model shine that are lit in what is seen."""
        model = self.model
        materials = [model.material(name).id for name in (_ROBOT, _LIT)]
        for lamp in self.lamps:
            is_lit = getattr(sight.robots[lamp.robot].lamps, lamp.function)
            model.geom_rgba[lamp.geom] = lamp.lit if is_lit else lamp.dark
            model.geom_matid[lamp.geom] = materials[is_lit]

    def focus(self, packed: Array) -> tuple[float, float, float]:
        """Place about which shadows are drawn: the first robot, the origin if there is none."""
        if not self.robots:
            return 0.0, 0.0, 0.0
        first = self.robots[0][0]
        x, y, z = packed[first:first + 3]
        return float(x), float(y), float(z)


def _write_pose(packed: Array, first: int, pose: Pose3) -> None:
    x, y, z, qx, qy, qz, qw = pose
    packed[first:first + 7] = x, y, z, qw, qx, qy, qz


def picture_model(
    scene: Scene, robots: Sequence[DrawnRobot], quality: Quality,
) -> PictureModel:
    """Model of a scene with robots.

    Raises ConfigurationError if MuJoCo cannot be imported or a mesh cannot be had or drawn.
    """
    mujoco = load_engine()
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.balanceinertia = True
    _set_up_light(spec, quality)
    _add_materials(spec)
    _add_scene(spec, scene)
    for index, cone in enumerate(scene.cones):
        _add_cone(spec, f'cone {index}', cone)
    for index, robot in enumerate(robots):
        _add_robot(spec, index, robot)
    model = compiled_model(spec)

    def address(name: str) -> int:
        return int(model.joint(name).qposadr[0])

    return PictureModel(
        model,
        tuple((address(f'{index} root'), tuple(
            address(f'{index} {name}') if _moves(robot, name) else -1 for name in robot.joints))
            for index, robot in enumerate(robots)),
        tuple(address(f'cone {index}') for index in range(len(scene.cones))),
        tuple(_drawn_lamp(model, index, robot, lamp)
              for index, robot in enumerate(robots) for lamp in robot.tree.lamps))


def _drawn_lamp(model: MjModel, index: int, robot: DrawnRobot, lamp: Lamp) -> DrawnLamp:
    return DrawnLamp(
        index, lamp.function, model.geom(_lamp_name(index, lamp.link, lamp.visual)).id,
        robot.tree.lamp_shape(lamp).colour or _NO_COLOUR,
        (*(_REFLECTED * part for part in lamp.colour), 1.0))  # type: ignore[arg-type]


def _lamp_name(index: int, link: str, visual: str) -> str:
    return f'{index} {link} {visual}'


def _moves(robot: DrawnRobot, name: str) -> bool:
    return any(joint.name == name and joint.moves for joint in robot.tree.joints)


def _set_up_light(spec: MjSpec, quality: Quality) -> None:
    mujoco = load_engine()
    visual = spec.visual
    visual.global_.offwidth, visual.global_.offheight = quality.width, quality.height
    visual.quality.offsamples = quality.samples
    visual.quality.shadowsize = max(quality.shadow_size, 1)
    # Distances on the map are in units of the extent, which is 1 m here.
    spec.stat.extent = 1.0
    visual.map.shadowclip = _SHADOW_RADIUS
    visual.headlight.ambient = (0.34, 0.34, 0.35)
    visual.headlight.diffuse = (0.18, 0.18, 0.18)
    visual.headlight.specular = (0.1, 0.1, 0.1)
    for direction, strength, casts in (
            ((-0.3, 0.4, -0.9), 0.52, quality.shadow_size > 0), ((0.6, -0.3, -0.6), 0.16, False)):
        light = spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, dir=direction,
            diffuse=(strength,) * 3, specular=(0.5 * strength,) * 3, ambient=(0.0,) * 3)
        light.castshadow = casts


def _add_materials(spec: MjSpec) -> None:
    add_sky(spec, _SKY)
    add_ground_texture(spec, _GROUND)
    add_wall_texture(spec, _WALL)
    role = int(load_engine().mjtTextureRole.mjTEXROLE_RGB)
    for name, texture, specular, shininess in (
            (_GROUND, _GROUND, 0.0, 0.0), (_WALL, _WALL, 0.0, 0.0), (_ROBOT, '', 0.6, 0.5),
            (_PLAIN, '', 0.05, 0.1), (_LIT, '', 0.0, 0.0)):
        material = spec.add_material(
            name=name, specular=specular, shininess=shininess, texuniform=True,
            texrepeat=(1.0 / TILE, 1.0 / TILE),
            emission=1.0 / _REFLECTED if name == _LIT else 0.0)
        if texture:
            material.textures[role] = texture


# What stands around

def _add_scene(spec: MjSpec, scene: Scene) -> None:
    mujoco = load_engine()
    ground = scene.ground
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, pos=(ground.x, ground.y, 0.0),
        size=(0.5 * ground.length, 0.5 * ground.width, 1.0),
        rgba=(*ground.colour, 1.0), material=_GROUND)
    by_colour: dict[Colour, Surfaces] = {}

    def of(colour: Colour) -> Surfaces:
        return by_colour.setdefault(colour, Surfaces())

    for wall in scene.walls:
        of(wall.colour).add_box(wall.box)
    for box in (*scene.boxes, *(board.box for board in scene.boards)):
        of(box.colour).add_box(box)
    if scene.grid is not None:
        add_grid(of(GREY), scene.grid, scene.grid_height)
    for index, (colour, surfaces) in enumerate(by_colour.items()):
        if surfaces:
            surfaces.mesh(spec, f'surfaces {index}')
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f'surfaces {index}',
                rgba=(*colour, 1.0), material=_WALL, contype=0, conaffinity=0)
    for patch in scene.patches:
        _add_block(spec.worldbody, Box(*patch[:5], _PAINT, patch.colour))
    for board in scene.boards:
        _add_marker(spec.worldbody, board)


def _add_block(body: MjsBody, box: Box) -> None:
    geom = body.add_geom(
        type=load_engine().mjtGeom.mjGEOM_BOX,
        size=(0.5 * box.length, 0.5 * box.width, 0.5 * box.height), rgba=(*box.colour, 1.0),
        material=_PLAIN, contype=0, conaffinity=0)
    place(geom, pose_of_angles(box.x, box.y, 0.5 * box.height, 0.0, 0.0, box.yaw))


def _add_marker(body: MjsBody, board: Board) -> None:
    """Add the marker of a board: a black square, and its white cells before it."""
    mujoco = load_engine()
    cells = board.cells
    edge = board.size / len(cells)
    face = 0.5 * board.thickness
    frame = body.add_body(pos=(board.x, board.y, 0.5 * board.height))
    place(frame, pose_of_angles(board.x, board.y, 0.5 * board.height, 0.0, 0.0, board.yaw))

    def add(y: float, z: float, width: float, height: float, out: float, colour: Colour) -> None:
        frame.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, pos=(face, y, z),
            size=(out, 0.5 * width, 0.5 * height), rgba=(*colour, 1.0), material=_PLAIN,
            contype=0, conaffinity=0)

    add(0.0, 0.0, board.size, board.size, 0.0005, _BLACK)
    for row, line in enumerate(cells):
        for column, white in enumerate(line):
            if white:
                # Who looks at the board has its y axis to the right.
                add((column + 0.5) * edge - 0.5 * board.size,
                    0.5 * board.size - (row + 0.5) * edge, edge, edge, 0.001, _WHITE)


# What moves

def _add_moving_body(parent: MjsBody, name: str) -> MjsBody:
    """Add a body that weighs something: the engine wants that of what moves."""
    body = parent.add_body(name=name)
    body.mass, body.explicitinertial, body.inertia = 1.0, True, (1.0, 1.0, 1.0)
    return body


def _add_cone(spec: MjSpec, name: str, cone: Cone) -> None:
    """Add a cone with a white band on a black foot."""
    mujoco = load_engine()
    body = _add_moving_body(spec.worldbody, name)
    body.add_freejoint(name=name)
    foot = 0.1 * cone.height
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.5 * cone.base, 0.5 * cone.base, 0.5 * foot),
        pos=(0.0, 0.0, 0.5 * foot), rgba=(*_BLACK, 1.0), material=_PLAIN, contype=0,
        conaffinity=0)
    shares = (0.1, 0.45, 0.7, 1.0)
    for number, (low, high) in enumerate(zip(shares, shares[1:], strict=False)):
        surfaces = Surfaces()
        colour = _WHITE if number == 1 else cone.colour
        rings = [(0.94 * cone.radius_at(share * cone.height) + 0.004 * cone.base,
                  share * cone.height) for share in (low, high)]
        _add_ring(surfaces, rings[0], rings[1])
        surfaces.mesh(spec, f'{name} {number}')
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f'{name} {number}', rgba=(*colour, 1.0),
            material=_PLAIN, contype=0, conaffinity=0)


def _add_ring(
    surfaces: Surfaces, lower: tuple[float, float], upper: tuple[float, float],
) -> None:
    """Add a piece of a cone between two rings, each a radius and a height [m]."""
    slope = (lower[0] - upper[0]) / (upper[1] - lower[1])
    size = math.hypot(1.0, slope)
    for side in range(_CONE_SIDES):
        start, end = (2.0 * math.pi * (side + k) / _CONE_SIDES for k in (0, 1))
        middle = 0.5 * (start + end)
        corners = [
            (radius * math.cos(angle), radius * math.sin(angle), z)
            for (radius, z), angle in ((lower, start), (lower, end), (upper, end),
                                       (upper, start))]
        surfaces.add(corners, (
            math.cos(middle) / size, math.sin(middle) / size, slope / size))


def _add_robot(spec: MjSpec, prefix: int, robot: DrawnRobot) -> None:
    tree = robot.tree
    lamps = {(lamp.link, lamp.visual) for lamp in tree.lamps}
    root = _add_moving_body(spec.worldbody, f'{prefix} {tree.root}')
    root.add_freejoint(name=f'{prefix} root')
    bodies = {tree.root: root}
    for joint in tree.joints:
        body = bodies[joint.child] = _add_moving_body(
            bodies[joint.parent], f'{prefix} {joint.child}')
        place(body, joint.origin)
        if joint.moves:
            _add_joint(body, f'{prefix} {joint.name}', joint)
    for link in tree.links:
        for shape in link.visuals:
            geom = add_shape(
                spec, bodies[link.name], shape, add_mesh=add_creased_mesh)
            geom.contype, geom.conaffinity, geom.material = 0, 0, _ROBOT
            geom.rgba = shape.colour or _NO_COLOUR
            if (link.name, shape.name) in lamps:
                geom.name = _lamp_name(prefix, link.name, shape.name)


def _add_joint(body: MjsBody, name: str, joint: Joint) -> None:
    kinds = load_engine().mjtJoint
    body.add_joint(
        name=name, axis=joint.axis,
        type=kinds.mjJNT_SLIDE if joint.kind == PRISMATIC else kinds.mjJNT_HINGE)
