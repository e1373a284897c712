# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where cars of worlds have their numbers, and what is read of them."""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.rows import first_row, Numbers, Part, zeros_like, zeros_of
from racecar.dynamics.actuators import Channels
from racecar.dynamics.vehicles.interface import Command, Equations, NO_COMMAND
from racecar.metrics.lap_progress import LapReading, NO_LAP_READING
from racecar.scene.overlaps import Rectangle
from racecar.simulation.car_body import CarBody
from racecar.simulation.car_kernels import CarParts
from racecar.simulation.engine import CommandLimits
from racecar.simulation.layout import LANES
from racecar.simulation.rollout_kernel import rollout_rows


class Clock(NamedTuple):
    """ticks: control periods since the reset; fresh: 1 until the car has been read once."""

    ticks: float
    fresh: float


class Meeting(NamedTuple):
    """Contacts of a car.

    stands: 1 for a car that a contact has stopped until its next command; contacts: begun since
    the reset; in_contact: 1 until it is well away; hit_scene, hit_cars: 1 if there was one in this
    period; impact_speed: with which the last contact began [m/s]; impulse: sum of those along the
    normals in this period [N s]; inside: 1 for a car that is so deep in the scene that it was put
    there.
    """

    stands: float
    contacts: float
    in_contact: float
    hit_scene: float
    hit_cars: float
    impact_speed: float
    impulse: float
    inside: float


NO_MEETING = zeros_of(Meeting)


class Look(NamedTuple):
    """Where the point of its state was when a car was looked at [m].

    free: how far nothing that stands around was from a circle about it that holds the car [m], at
    least.
    """

    x: float
    y: float
    free: float


class Ground(NamedTuple):
    """Numbers of the factors of friction under the wheels, left and right, front and rear."""

    front_left: float
    front_right: float
    rear_left: float
    rear_right: float


NO_GROUND = zeros_of(Ground)


class WorldRows(NamedTuple):
    """Rows of a car in a world: those of RolloutRows and more.

    where: index of its scene and of its course, -1 without one; before: outputs before the steps
    that contacts may undo; back: state before the last of them; outline: where it is; look: see
    Look; near: 1 if it has come so far since that it has to be looked at; approach: speed before
    the steps [m/s]; ground: whose friction the parameters have; passing: 1 of a car in which a
    moving thing is so deep that it has come there.
    """

    inputs: Numbers
    limits: CommandLimits
    channels: Channels
    outputs: Command
    number: tuple[float]
    driven: tuple[float]
    body: CarBody
    where: tuple[float, float]
    clock: Clock
    meeting: Meeting
    before: Command
    back: tuple[float, ...]
    outline: Rectangle
    look: Look
    near: tuple[float]
    approach: tuple[float]
    ground: Ground
    passing: tuple[float]


class WorldParts(NamedTuple):
    """Where a block has the fields of WorldRows that cars have in worlds only."""

    number: Part[tuple[float]]
    inputs: Part[Command]
    outputs: Part[Command]
    body: Part[CarBody]
    where: Part[tuple[float, float]]
    clock: Part[Clock]
    meeting: Part[Meeting]
    before: Part[Command]
    back: Part[tuple[float, ...]]
    outline: Part[Rectangle]
    look: Part[Look]
    near: Part[tuple[float]]
    approach: Part[tuple[float]]
    ground: Part[Ground]
    passing: Part[tuple[float]]


def world_rows(equations: Equations) -> WorldRows:
    """Example of the rows of cars with these equations."""
    return WorldRows(
        *rollout_rows(equations), zeros_of(CarBody), (0.0, 0.0), zeros_of(Clock), NO_MEETING,
        NO_COMMAND, zeros_like(equations.state), zeros_of(Rectangle), zeros_of(Look),
        (0.0,), (0.0,), NO_GROUND, (0.0,))


def world_parts(parts: CarParts) -> WorldParts:
    """Where a block has the fields of WorldParts."""
    example, first = parts.inputs.example, parts.inputs.first
    return WorldParts(*(
        Part(getattr(example, field), first + first_row(example, field), LANES)
        for field in WorldParts._fields))


class CarReading(NamedTuple):
    """What is read of a car after a period.

    x, y [m], yaw [rad], vx, vy [m/s], yaw_rate [rad/s]: pose and twist of base_link; speed,
    steering_angle: inputs in force [m/s, rad]; valid: 0 for a car that has left the range in which
    its model holds, and stands; time: since the reset [s]; contacts, in_contact, hit_scene,
    hit_cars, impact_speed, impulse: as in Meeting; lap: see LapReading.
    """

    x: float
    y: float
    yaw: float
    vx: float
    vy: float
    yaw_rate: float
    speed: float
    steering_angle: float
    valid: float
    time: float
    contacts: float
    in_contact: float
    hit_scene: float
    hit_cars: float
    impact_speed: float
    impulse: float
    lap: LapReading


NO_READING = CarReading(*(0.0,) * 16, NO_LAP_READING)
READING_NAMES = (*CarReading._fields[:-1], *LapReading._fields)
"""Names of the numbers of a reading, in order."""


class WorldPlan(NamedTuple):
    """What a call of the kernel is to do.

    cars: in the blocks of the call, first: number of the first one of these blocks, each: cars in
    a full one; together: in a world; ticks: 1 to drive a period, 0 to read only; size: numbers of
    an input; dt: step [s]; intervals: in a period, steps: in an interval; done: steps before;
    depth: rows of each delay line; stride: numbers of a state; period_ns; restitution, friction:
    of contacts.
    """

    cars: float
    first: float
    each: float
    together: float
    ticks: float
    size: float
    dt: float
    intervals: float
    steps: float
    done: float
    depth: float
    stride: float
    period_ns: float
    restitution: float
    friction: float


class World(NamedTuple):
    """A world of a block: lanes of its cars, from the first to before `after`; its contacts.

    time_ns: of its moving things at the begin of the interval, step_ns: length of a step [ns].
    """

    first: int
    after: int
    restitution: float
    friction: float
    time_ns: int
    step_ns: int


class CarShape(NamedTuple):
    """What others see of a car: pose of base_link [m, -], outline, scene, periods since reset."""

    x: float
    y: float
    qz: float
    qw: float
    outline: Rectangle
    scene: float
    ticks: float


NO_SHAPE = CarShape(0.0, 0.0, 0.0, 1.0, zeros_of(Rectangle), 0.0, 0.0)
