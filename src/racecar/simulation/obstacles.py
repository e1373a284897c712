# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands in the way of a car in the plane, and the contacts that it has had."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.readings import Collisions, NO_COLLISION
from racecar.base.touch import Touch
from racecar.base.types import NANOSECONDS, Odometry, yaw_to_quaternion
from racecar.base.values import number_of, text_of, Values
from racecar.dynamics.impulse import Body, FIXED
from racecar.dynamics.vehicles import make_vehicle_model
from racecar.dynamics.vehicles.parameters import Footprint, PREFIX, VehicleParameters
from racecar.scene.grid_map import NO_GRID
from racecar.scene.motions import MotionState
from racecar.scene.overlaps import disc_overlaps, GridFields, overlaps, Rectangle
from racecar.scene.scene import box_rows, EMPTY_SCENE, foot_rows, MovingThing, Rows, Scene
from racecar.scene.surroundings import Surroundings, surroundings_of
from racecar.scene.touching import disc_touch, rectangles_touch, scene_touch
from racecar.scene.world_choice import scene_of
from racecar.simulation.contact import way_out
from racecar.simulation.fleet_file import values_of_cars

CONTACT_PARAMETER = Parameter(
    'contact_radius', float, 0.0, 'Radius of a disc about base_link that runs into things in place'
    ' of the outline of the vehicle, as simulators of courses count collisions; 0: the outline',
    'm', minimum=0.0, maximum=100.0, read_only=True)
"""A row of the planar simulator."""

GIVE_PARAMETER = Parameter(
    'contact_give', float, 0.0, 'How far a car may press into what stands around before it is'
    ' stopped, as into the air ducts at the border of a race track', 'm', minimum=0.0,
    maximum=1.0, read_only=True)
"""Another one."""

RELEASE = 0.02
"""A contact is over once there is this much room around the car [m]."""

INSIDE = 0.001
"""Who stands deeper in a wall than this was put there, and may leave [m]."""

MORE_SPEED = 1.0
"""By which a car may have slowed down in a tick [m/s]."""

DEPTH_STEP = 1e-3
"""Resolution of Obstacles.depth() [m]."""


def start_caution(values: Values, table: ParameterTable | None = None) -> str | None:
    """Say that a vehicle stands in something at its start, by the values of its simulator.

    Or that friction zones of the world change nothing of its model. table: of the simulator, for
    the cars of a fleet file. None if nothing is to be said, and for what is no vehicle. Raises
    ConfigurationError as load_world().
    """
    scene = scene_of(values)
    if (scene.is_empty and not scene.friction_zones) or f'{PREFIX}steering_limit' not in values:
        return None
    for car in values_of_cars(values, table):
        if scene.friction_zones and not _has_grip(car.values):
            return (f"the world '{values['world']}' has friction zones, and the car no friction"
                    f" with vehicle_model {values['vehicle_model']} and tyre_model"
                    f" {values['tyre_model']}: choose a vehicle_model with tyres and tyre_model"
                    ' fiala')
        footprint, name = VehicleParameters.from_values(car.values).footprint, car.name
        obstacles = Obstacles(scene, footprint, ContactShape.from_values(car.values))
        place = car.start_in(scene)
        if obstacles.hold(Odometry(
                0, place.x, place.y, *yaw_to_quaternion(place.yaw), 0.0, 0.0, 0.0)):
            return (
                f"the vehicle{f' {name}' if name else ''},"
                f' {footprint.front + footprint.rear:.3g} m long and {2.0 * footprint.side:.3g} m'
                f" wide, stands in something of the world '{values['world']}' at its start"
                f' ({place.x:.3g}, {place.y:.3g}): choose another world or vehicle, or move it by'
                ' initial_x, initial_y and initial_yaw'
                + (', or by grid_spacing and the starts of the world' if name else ''))
    return None


def _has_grip(values: Values) -> bool:
    """Whether the friction of the ground counts for a vehicle; that of the 3-D world always."""
    if 'vehicle_model' not in values:
        return True
    model = make_vehicle_model(
        text_of(values, 'vehicle_model'), VehicleParameters.from_values(values), values)
    return tuple(model.on_friction(0.5, 0.5).parameters) != tuple(model.parameters)


class Outline(NamedTuple):
    """What a vehicle covers: how far its middle is ahead of base_link, half its length and width.

    All [m].
    """

    ahead: float
    length: float
    width: float

    @classmethod
    def of(cls, footprint: Footprint) -> Outline:
        """Outline of a footprint."""
        front, rear, side = footprint
        return cls(0.5 * (front - rear), 0.5 * (front + rear), side)

    @property
    def reach(self) -> float:
        """Radius of the circle about base_link around all that it covers [m]."""
        return math.hypot(self.length + abs(self.ahead), self.width)

    def at(self, odometry: Odometry, margin: float = 0.0) -> Rectangle:
        """Where it is, wider by a margin [m]."""
        qz, qw = odometry.qz, odometry.qw
        cosine, sine = qw * qw - qz * qz, 2.0 * qz * qw
        return Rectangle(
            odometry.x + self.ahead * cosine, odometry.y + self.ahead * sine, cosine, sine,
            self.length + margin, self.width + margin)


class ContactShape(NamedTuple):
    """What of a car runs into things.

    radius: of a disc about its base frame in place of its outline, 0 for the outline; give: how
    far it may press into things before it is stopped. Both [m].
    """

    radius: float = 0.0
    give: float = 0.0

    @classmethod
    def from_values(cls, values: Values) -> ContactShape:
        """Shape of resolved values of a simulator, which may lack them."""
        return cls(number_of(values, CONTACT_PARAMETER.name, 0.0),
                   number_of(values, GIVE_PARAMETER.name, 0.0))


class Freedom(NamedTuple):
    """What a car may go through: fixed: what stands there; moving: things that move."""

    fixed: bool = False
    moving: bool = False


NO_FREEDOM = Freedom()


class Met(NamedTuple):
    """Where a car touches something, the normal towards that.

    way: by how much against the normal it is free [m], -1 where it is not; body: what it touches.
    """

    touch: Touch
    way: float
    body: Body = FIXED


OUTLINE = ContactShape()
"""Of a car that is stopped as soon as its outline touches something."""


@kernel
def _touched(
    around: tuple[Rows, Rows, Rows, Rows, NDArray[np.float32], Rows],
    rectangle: tuple[float, float, float, float, float, float],
) -> tuple[Touch, float]:
    """Where a rectangle touches the first scene, and way_out()."""
    scenes, place = Surroundings(*around), Rectangle(*rectangle)
    touch = scene_touch(scenes, 0, place)
    return touch, way_out(scenes, 0, place, touch)


class Obstacles:
    """The scene for one car; it counts the contacts.

    Walls, boxes, boards, cones and the cells of a map, however low, stop it; nothing moves them.
    Things that move are where they are at the time of the odometry.

    moves: whether any of it moves. collisions: contacts since the last reset.
    """

    def __init__(
        self, scene: Scene, footprint: Footprint, shape: ContactShape = OUTLINE,
    ) -> None:
        """footprint: of the car; shape: what of it runs into things."""
        grid = NO_GRID if scene.grid is None else scene.grid.numbers
        self._rows = (scene.wall_rows, scene.box_rows, foot_rows(scene.cones), grid[:])
        self._scene, self.moves = scene, bool(scene.moving)
        self._outline = Outline.of(footprint)
        self._radius, self._give = shape
        # Of what moves the radius around it [m] and its highest speed [m/s].
        self._movers = [
            (thing, 0.5 * math.hypot(*thing.size), thing.motion.fastest)
            for thing in scene.moving]
        # Of the moving things at a time [ns].
        self._moved: tuple[int, Rows, Rows] | None = None
        self.collisions = NO_COLLISION

    @functools.cached_property
    def _around(self) -> tuple[Rows, Rows, Rows, Rows, NDArray[np.float32], Rows]:
        # Copies: those of the scene may not be written, and in a tuple Numba 0.58 takes such
        # arrays for others, and then refuses the kernels of WorldBatch.
        return surroundings_of((self._scene,))[:]

    def _around_at(
        self, time_ns: int,
    ) -> tuple[Rows, Rows, Rows, Rows, NDArray[np.float32], Rows]:
        """Surroundings with the things that move."""
        walls, boxes, cones, feet, room, table = self._around
        _, more_boxes, more_feet = self._moving_rows(time_ns)
        counts = np.zeros_like(table)
        counts[:, 3], counts[:, 5] = len(more_boxes), len(more_feet)
        return (walls, np.concatenate([boxes, more_boxes]), cones,
                np.concatenate([feet, more_feet]), room, table + counts)

    def _moving_rows(self, time_ns: int) -> tuple[int, Rows, Rows]:
        """The time, rows of boxes, and of feet."""
        if self._moved is None or self._moved[0] != time_ns:
            objects = self._scene.moving_at(time_ns)
            self._moved = time_ns, box_rows(objects.boxes), foot_rows((), objects.cylinders)
        return self._moved

    def may_meet(self, odometry: Odometry, span_ns: int) -> bool:
        """Whether a car may have met something that moves in a time before an odometry [ns]."""
        reach, span = self._outline.reach + self._radius, span_ns / NANOSECONDS
        # It may have been faster before.
        pace = math.hypot(odometry.vx, odometry.vy) + reach * abs(odometry.yaw_rate) + MORE_SPEED
        for thing, radius, fastest in self._movers:
            at = thing.motion.at(odometry.time_ns)
            if math.hypot(at.x - odometry.x, at.y - odometry.y) < (
                    reach + radius + span * (pace + fastest)):
                return True
        return False

    def forget(self) -> None:
        """Count anew."""
        self.collisions = NO_COLLISION

    def block(self, odometry: Odometry, freedom: Freedom = NO_FREEDOM) -> bool:
        """Whether a car cannot be there; freedom: what does not count."""
        return self._meet(odometry, -self._give, freedom)

    def depth(self, odometry: Odometry) -> float:
        """How far a car presses into what stands around, to 1 mm, at most half its width [m]."""
        if not self._meet(odometry, 0.0):
            return 0.0
        low, high = 0.0, self._radius or min(self._outline.length, self._outline.width)
        while high - low > DEPTH_STEP:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._meet(odometry, -middle) else (low, middle)
        return low or high

    def touch(self, odometry: Odometry) -> Met:
        """Where the outline of a car touches what it is in deepest."""
        place, time_ns = self._outline.at(odometry, -self._give), odometry.time_ns
        if not self.moves:
            return Met(*_touched(self._around, place[:]))
        touch, way = _touched(self._around_at(time_ns), place[:])
        body = FIXED
        for thing in self._scene.moving:
            at = thing.motion.at(time_ns)
            if _thing_touch(place, thing, at).depth >= touch.depth:
                body = Body(at.x, at.y, 1.0, 0.0, at.vx, at.vy, at.yaw_rate, 0.0, 0.0, 0.0)
        return Met(touch, way, body)

    def is_near(self, odometry: Odometry, margin: float) -> bool:
        """Whether there is less room around a car than a margin [m]."""
        return self._meet(odometry, margin)

    def hold(self, odometry: Odometry) -> bool:
        """Whether a car is so far in something that it must have been put there."""
        return any(self.freedom(odometry))

    def freedom(self, odometry: Odometry) -> Freedom:
        """What a car may leave, as it is so far in it: it was put there, or that has come there.

        Without anything that moves, all or nothing.
        """
        return self._met(odometry, -self._give - INSIDE)

    def overlapped(self, odometry: Odometry) -> Freedom:
        """What a robot is in, however little, as freedom() has it."""
        return self._met(odometry, -self._give)

    def _met(self, odometry: Odometry, margin: float) -> Freedom:
        fixed = self._meet_fixed(odometry, margin)
        return Freedom(fixed, self._meet_moving(odometry, margin) if self.moves else fixed)

    def note_contact(self, odometry: Odometry, speed: float) -> None:
        """Count a contact, if it is a new one, of a car that has come with a speed [m/s]."""
        if not self.collisions.in_contact:
            self.collisions = Collisions(
                self.collisions.contacts + 1, True, odometry.x, odometry.y, speed)

    def note_free(self, odometry: Odometry) -> None:
        """End a contact if the car is well away."""
        if self.collisions.in_contact and not self._meet(odometry, RELEASE - self._give):
            self.collisions = self.collisions._replace(in_contact=False)

    def _meet(
        self, odometry: Odometry, margin: float, freedom: Freedom = NO_FREEDOM,
    ) -> bool:
        return (not freedom.fixed and self._meet_fixed(odometry, margin)) or (
            self.moves and not freedom.moving and self._meet_moving(odometry, margin))

    def _meet_fixed(self, odometry: Odometry, margin: float) -> bool:
        return self._meet_rows(self._rows, odometry, margin)

    def _meet_moving(self, odometry: Odometry, margin: float) -> bool:
        _, boxes, feet = self._moving_rows(odometry.time_ns)
        return self._meet_rows(
            (EMPTY_SCENE.wall_rows, boxes, feet, NO_GRID[:]), odometry, margin)

    def _meet_rows(
        self, rows: tuple[Rows, Rows, Rows, GridFields], odometry: Odometry, margin: float,
    ) -> bool:
        if self._radius:
            return disc_overlaps(*rows, (odometry.x, odometry.y, self._radius + margin))
        # A plain tuple, whose type Numba sees faster.
        return overlaps(*rows, self._outline.at(odometry, margin)[:])


def _thing_touch(place: Rectangle, thing: MovingThing, at: MotionState) -> Touch:
    """Where a rectangle touches a thing that moves."""
    if thing.is_round:
        return disc_touch(place, at.x, at.y, thing.radius)
    length, width = thing.size
    return rectangles_touch(place, Rectangle(
        at.x, at.y, math.cos(at.yaw), math.sin(at.yaw), 0.5 * length, 0.5 * width))
