# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop over steps of the 3-D world: drive, tyres, engine, collisions.

One kernel moves all cars of a model. It works on the arrays of the engine itself, which stay where
they are for the life of model and data, and on numbers of its own, those of a Car for each car.

What is called for each car and wheel with a World has neither loops nor branches around its
arrays, where that can be: Numba counts the references to all arrays of a World in functions that
have, by instructions that lock memory. That took a quarter of a step of 20 cars with tyre forces.
"""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
from typing import NamedTuple, TypeAlias

from racecar.base.compiled import compiled, importable, pure
from racecar.base.rows import count_numbers, first_row, load, Numbers, Part, store, zeros_of
from racecar.base.types import WHEEL_NAMES, Wheels
from racecar.base.vectors import Flat
from racecar.dynamics.tyres.contact import grip, slide, slide_four, TyrePair
from racecar.dynamics.vehicles.double_track_chassis import felt_load
from racecar.dynamics.vehicles.double_track_wheels import (
    driven_speed,
    HOLD_SPEED,
    speed_force,
    SpeedDrive,
)
from racecar.scene.friction_zones import friction_at, ZoneRows
from racecar.world.clearance import Clearance, Plain, try_all, try_near
from racecar.world.engine import call_engine, Steps
from racecar.world.engine_state import FloatArray, IntArray, SPEED_LIMIT
from racecar.world.wheel_contact import (
    Carcass,
    deflect,
    Ground,
    Touch,
    touch,
    TyreState,
    Vector3,
)

WHEEL_COUNT = len(WHEEL_NAMES)

CARRIER_COUNT = 3
"""Joints by which a wheel may hang on its car: its own, a hinge, a suspension."""

QUIET = 0.1
"""Contacts with one thing with less time than this between them are one [s]."""

PARK_SPEED = 0.01
"""Speed of the driven wheels below which a car that is to stand is held by its brakes [m/s]."""


class Further(NamedTuple):
    """What a vehicle may have besides, see double_track_chassis; 0 is off.

    sensitivity of friction to the load [-]; per_load: 1 over the static load of a wheel [1/N];
    drag of the car over the square of its speed [kg/m].
    """

    sensitivity: float
    per_load: float
    drag: float


class Axle(NamedTuple):
    """What the wheels of an axle have in common."""

    ground: Ground
    carcass: Carcass
    tyre: TyrePair
    further: Further


class Governor(NamedTuple):
    """What drives a car that is commanded by speed.

    drive: the speed controller of the double track, with open differentials; governs: 1 while it
    drives, 0 while torques or the controllers of single wheels do; brake_front, brake_rear: torque
    of the parking brake on a front, on a rear wheel over the force that it holds [m]; weight_x,
    weight_y: of the car along the ground, 0 on level ground [N].

    To stand, it holds against the weight; below PARK_SPEED the driven wheels are braked by as much
    as the engine could hold, the wheels of the other axle by half as much.
    """

    drive: SpeedDrive
    governs: float
    brake_front: float
    brake_rear: float
    weight_x: float
    weight_y: float


class Body(NamedTuple):
    """What the body of a car has touched.

    begun: contacts since the last reset; since: time since it last touched anything [s]; begun_x,
    begun_y, begun_speed: where base_link was when the newest contact began [m], and how fast just
    before [m/s]; speed: now [m/s].
    """

    begun: float
    since: float
    begun_x: float
    begun_y: float
    begun_speed: float
    speed: float


class Turning(NamedTuple):
    """What turns a wheel besides the governor.

    drive: torque; brake: its capacity [N m]; brake_damping: of a viscous brake [N m s/rad];
    overspeed: rotation from which the torque drives no further [rad/s]; rolling: moment of the
    rolling resistance over the load [m].
    """

    drive: float
    brake: float
    brake_damping: float
    overspeed: float
    rolling: float


class Shown(NamedTuple):
    """What a wheel shows: slip, tangent of the slip angle [-], forces on it and load [N]."""

    slip: float
    tangent: float
    force_x: float
    force_y: float
    load: float


class Wheel(NamedTuple):
    """Deflection of the tyre ex, ey [m], and what turns the wheel and what it shows."""

    ex: float
    ey: float
    turning: Turning
    shown: Shown


class Car(NamedTuple):
    """Numbers of a car; wheels in the order of WHEEL_NAMES."""

    front: Axle
    rear: Axle
    governor: Governor
    body: Body
    wheels: tuple[Wheel, Wheel, Wheel, Wheel]


_AXLE = Axle(
    zeros_of(Ground), zeros_of(Carcass),
    zeros_of(TyrePair), zeros_of(Further))
_GOVERNOR = Governor(zeros_of(SpeedDrive), *(0.0,) * 5)
_BODY = zeros_of(Body)
_DEFLECTION = 0.0, 0.0
_TURNING = zeros_of(Turning)
_SHOWN = zeros_of(Shown)
_WHEEL = Wheel(*_DEFLECTION, _TURNING, _SHOWN)
_CAR = Car(_AXLE, _AXLE, _GOVERNOR, _BODY, (_WHEEL, _WHEEL, _WHEEL, _WHEEL))

CAR_SIZE = count_numbers(_CAR)
"""Numbers of a car; those of a wheel are WHEEL_SIZE apart."""

WHEEL_SIZE = count_numbers(_WHEEL)

FRONT, REAR = Part(_AXLE, first_row(_CAR, 'front')), Part(_AXLE, first_row(_CAR, 'rear'))
GOVERNOR, BODY = Part(_GOVERNOR, first_row(_CAR, 'governor')), Part(_BODY, first_row(_CAR, 'body'))
WHEELS = first_row(_CAR, 'wheels')
DEFLECTION = Part(_DEFLECTION, WHEELS)
TURNING = Part(_TURNING, WHEELS + first_row(_WHEEL, 'turning'))
SHOWN = Part(_SHOWN, WHEELS + first_row(_WHEEL, 'shown'))
LOAD = Part((0.0,), SHOWN.first + first_row(_SHOWN, 'load'))


class Views(NamedTuple):
    """Arrays of a model and its data, named as the engine does."""

    qpos: FloatArray
    qvel: FloatArray
    ctrl: FloatArray
    xfrc_applied: FloatArray
    qfrc_applied: FloatArray
    cvel: FloatArray
    subtree_com: FloatArray
    xpos: FloatArray
    xmat: FloatArray
    xanchor: FloatArray
    xaxis: FloatArray
    geom_xpos: FloatArray
    sensordata: FloatArray
    dof_frictionloss: FloatArray
    pair_friction: FloatArray


class Places(NamedTuple):
    """Where in these arrays a car is.

    root: its body that moves freely; pose, motion: first numbers of that in qpos and qvel; touch:
    sensors that count where it touches anything, and each loose body; and of each wheel body,
    geom, pair with the floor (-1 for wheels that pass through it), joint, and degree of freedom.
    carriers: joints from each wheel up to the root, its own first, each with its number (-1 for
    none), degree of freedom, and 1 where it slides, (wheels, CARRIER_COUNT, 3).
    """

    root: IntArray
    pose: IntArray
    motion: IntArray
    touch: IntArray
    body: IntArray
    geom: IntArray
    pair: IntArray
    joint: IntArray
    dof: IntArray
    carriers: IntArray


class Paving(NamedTuple):
    """Friction of the ground.

    zones: see racecar.scene.friction_zones; spots: where each wheel stands in the axes of
    base_link [m], (wheels, 2); friction: of each wheel with ground of factor 1, (wheels,).
    """

    zones: ZoneRows
    spots: FloatArray
    friction: FloatArray


class World(NamedTuple):
    """What the kernels work on.

    rows: numbers of a Car for each car; since: time since a car last touched what is fixed or
    drives, and each loose body [s], (cars, 1 + loose bodies); clearance: of the cars.
    """

    views: Views
    places: Places
    rows: Flat
    since: FloatArray
    paving: Paving
    clearance: Clearance


PlainSteps: TypeAlias = Plain
"""Steps as a plain tuple."""

PlainWorld: TypeAlias = Plain
"""A World as plain tuples, with which a call takes a third of the time."""


def plain_world(world: World) -> PlainWorld:
    """World as the kernels take it."""
    paving = world.paving
    return (world.views[:], world.places[:], world.rows, world.since,
            (paving.zones[:], *paving[1:]), world.clearance[:])


@pure
def _world_of(w: PlainWorld) -> World:
    views, places, rows, since, (zones, spots, friction), clearance = w
    return World(
        Views(*views), Places(*places), rows, since, Paving(ZoneRows(*zones), spots, friction),
        Clearance(*clearance))


@pure
def _vector(rows: FloatArray, row: int) -> Vector3:
    return Vector3(rows[row, 0], rows[row, 1], rows[row, 2])


@pure
def _heading(w: World, car: int) -> tuple[float, float]:
    """Cosine and sine of the heading of a car."""
    # Its quaternion is w, x, y, z.
    qpos, q = w.views.qpos, w.places.pose[car] + 3
    return (1.0 - 2.0 * (qpos[q + 2] * qpos[q + 2] + qpos[q + 3] * qpos[q + 3]),
            2.0 * (qpos[q + 1] * qpos[q + 2] + qpos[q] * qpos[q + 3]))


@pure
def _wheel_speeds(w: World, car: int) -> Wheels:
    """Rotation of the wheels of a car [rad/s]."""
    qvel, dof, i = w.views.qvel, w.places.dof, car * WHEEL_COUNT
    return qvel[dof[i]], qvel[dof[i + 1]], qvel[dof[i + 2]], qvel[dof[i + 3]]


@pure
def _govern(w: World, car: int, governor: Governor) -> tuple[float, float]:
    """Force that drives a car, and what its parking brake can hold [N]."""
    drive, (cosine, sine) = governor.drive, _heading(w, car)
    rolling = driven_speed(_wheel_speeds(w, car), drive)
    wanted, parks = drive.speed, (drive.speed == 0.0) & (abs(rolling) < PARK_SPEED)
    if wanted == 0.0:
        wanted = -(governor.weight_x * cosine + governor.weight_y * sine) / drive.gain
    force = speed_force(wanted, rolling, drive)
    return 0.0 if parks else force, drive.force_limit if parks else 0.0


@pure
def _turn(w: World, car: int, k: int, drive: float, brake: float) -> None:
    """Give the engine what turns the wheel k of a car, its torque as a generalised force.

    drive, brake: torques that come on top of those of its Turning [N m].
    """
    v, at, wheel = w.views, car * CAR_SIZE + k * WHEEL_SIZE, car * WHEEL_COUNT + k
    turning, rotation = load(w.rows, TURNING, at), v.qvel[w.places.dof[wheel]]
    speed = abs(rotation)
    torque = turning.drive + drive
    races = (speed > turning.overspeed) & (torque * rotation > 0.0)
    v.qfrc_applied[w.places.dof[wheel]] = 0.0 if races else torque
    v.dof_frictionloss[w.places.dof[wheel]] = brake + turning.brake + (
        turning.brake_damping * max(speed, HOLD_SPEED)) + (
            turning.rolling * load(w.rows, LOAD, at)[0])


@pure
def _touched(w: World, car: int, k: int, axle: Axle) -> Touch:
    """How the wheel k of a car touches the ground."""
    v, wheel = w.views, car * WHEEL_COUNT + k
    body = w.places.body[wheel]
    centre = _vector(v.geom_xpos, w.places.geom[wheel])
    origin = _vector(v.subtree_com, w.places.root[car])
    # The engine's velocities are those at the centre of gravity of the whole car.
    angular = Vector3(v.cvel[body, 0], v.cvel[body, 1], v.cvel[body, 2])
    x, y, z = centre.x - origin.x, centre.y - origin.y, centre.z - origin.z
    linear = Vector3(
        v.cvel[body, 3] + angular.y * z - angular.z * y,
        v.cvel[body, 4] + angular.z * x - angular.x * z,
        v.cvel[body, 5] + angular.x * y - angular.y * x)
    return touch(centre, _vector(v.xaxis, w.places.joint[wheel]), linear, angular,
                 axle.carcass.radius, axle.ground)


@pure
def _deflected(w: World, car: int, k: int, t: Touch, axle: Axle, dt: float) -> TyreState:
    """Tyre of the wheel k of a car dt [s] later."""
    if t.load <= 0.0:
        return TyreState(0.0, 0.0, 0.0, 0.0)
    ex, ey = load(w.rows, DEFLECTION, car * CAR_SIZE + k * WHEEL_SIZE)
    tyre = deflect(ex, ey, t, axle.carcass, dt)
    limit = axle.tyre.slip_limit
    return TyreState(tyre.ex, tyre.ey, min(max(tyre.slip, -limit), limit), tyre.tangent)


@pure
def _sense(w: World, car: int, k: int, axle: Axle, dt: float) -> tuple[Touch, TyreState]:
    """How the wheel k of a car touches the ground, and its tyre dt [s] later."""
    t = _touched(w, car, k, axle)
    return t, _deflected(w, car, k, t, axle, dt)


@pure
def _apply(
    w: World, car: int, k: int, t: Touch, tyre: TyreState, force: tuple[float, float],
) -> None:
    """Keep the state of a tyre, show it, and add its force [N] to those on a car."""
    at = car * CAR_SIZE + k * WHEEL_SIZE
    along, across = force
    store(w.rows, DEFLECTION, at, (tyre.ex, tyre.ey))
    store(w.rows, SHOWN, at, Shown(tyre.slip, tyre.tangent, along, across, t.load))
    fx = along * t.heading_x - across * t.heading_y
    fy = along * t.heading_y + across * t.heading_x
    _pull(w, car, k, t.point, Vector3(fx, fy, t.load))


@pure
def _moment(force: Vector3, point: Vector3, about: Vector3) -> Vector3:
    """Moment of a force at a point about another one [N m]."""
    x, y, z = point.x - about.x, point.y - about.y, point.z - about.z
    return Vector3(y * force.z - z * force.y, z * force.x - x * force.z,
                   x * force.y - y * force.x)


@pure
def _pull(w: World, car: int, k: int, point: Vector3, force: Vector3) -> None:
    """Let a force [N] at a point of the wheel k of a car act on the joints that carry it.

    These are generalised forces, as the engine would make them of a force on the body of the
    wheel, with less work. What acts on the wheel's own joint, which has its torque already, and on
    the root is added to what is there.
    """
    wheel = car * WHEEL_COUNT + k
    _pull_joint(w, wheel, 0, point, force)
    _pull_joint(w, wheel, 1, point, force)
    _pull_joint(w, wheel, 2, point, force)
    v, root, at = w.views, w.places.root[car], w.places.motion[car]
    moment = _moment(force, point, _vector(v.xpos, root))
    v.qfrc_applied[at] += force.x
    v.qfrc_applied[at + 1] += force.y
    v.qfrc_applied[at + 2] += force.z
    # Rotations of a free joint are about the axes of its body.
    v.qfrc_applied[at + 3] += (
        v.xmat[root, 0] * moment.x + v.xmat[root, 3] * moment.y + v.xmat[root, 6] * moment.z)
    v.qfrc_applied[at + 4] += (
        v.xmat[root, 1] * moment.x + v.xmat[root, 4] * moment.y + v.xmat[root, 7] * moment.z)
    v.qfrc_applied[at + 5] += (
        v.xmat[root, 2] * moment.x + v.xmat[root, 5] * moment.y + v.xmat[root, 8] * moment.z)


@pure
def _pull_joint(w: World, wheel: int, number: int, point: Vector3, force: Vector3) -> None:
    """Let a force [N] at a point of a wheel act on one of the joints that carry it.

    number: of the joint among them; where it is not there, nothing changes.
    """
    v, carriers = w.views, w.places.carriers
    # Without a branch: a joint that is not there stands for the first, which stays as it is.
    is_there = carriers[wheel, number, 0] >= 0
    joint, dof = max(carriers[wheel, number, 0], 0), max(carriers[wheel, number, 1], 0)
    moment = _moment(force, point, _vector(v.xanchor, joint))
    slides = carriers[wheel, number, 2] != 0
    along = (v.xaxis[joint, 0] * (force.x if slides else moment.x)
             + v.xaxis[joint, 1] * (force.y if slides else moment.y)
             + v.xaxis[joint, 2] * (force.z if slides else moment.z))
    before = v.qfrc_applied[dof]
    after = along if number > 0 else before + along
    v.qfrc_applied[dof] = after if is_there else before


@pure
def _let_go(w: World, car: int) -> None:
    """Take the forces of the tyres from the root of a car."""
    force, at = w.views.qfrc_applied, w.places.motion[car]
    force[at] = force[at + 1] = force[at + 2] = 0.0
    force[at + 3] = force[at + 4] = force[at + 5] = 0.0


@pure
def _felt(t: Touch, further: Further) -> float:
    """Load under which a tyre grips as it does under its own [N]."""
    return felt_load(t.load, further.per_load, further.sensitivity)


@pure
def _drag(w: World, car: int, drag: float) -> None:
    """Let the air push a car backwards."""
    v, at, body = w.views, w.places.motion[car], w.places.root[car]
    cosine, sine = _heading(w, car)
    speed = v.qvel[at] * cosine + v.qvel[at + 1] * sine
    force = -drag * abs(speed) * speed
    v.xfrc_applied[body, 0], v.xfrc_applied[body, 1] = force * cosine, force * sine


Push = Callable[[World, int, float], None]
"""Pure function (world, car, dt) that pushes the wheels of a car; tyres move on by dt [s]."""


def _pushing_by_tyres(prepare: Callable[[TyrePair], Numbers]) -> Push:
    """Function that applies the tyre forces of a car; a wheel without load has none."""
    @importable
    def push_by_tyres(w: World, car: int, dt: float) -> None:
        front = load(w.rows, FRONT, car * CAR_SIZE)
        rear = load(w.rows, REAR, car * CAR_SIZE)
        t0, a = _sense(w, car, 0, front, dt)
        t1, b = _sense(w, car, 1, front, dt)
        t2, c = _sense(w, car, 2, rear, dt)
        t3, d = _sense(w, car, 3, rear, dt)
        f, r = prepare(front.tyre), prepare(rear.tyre)
        c0, c1, c2, c3 = slide_four(
            f, r, (a.slip, b.slip, c.slip, d.slip), (a.tangent, b.tangent, c.tangent, d.tangent))
        x0, y0 = grip(f, c0, _felt(t0, front.further))
        x1, y1 = grip(f, c1, _felt(t1, front.further))
        x2, y2 = grip(r, c2, _felt(t2, rear.further))
        x3, y3 = grip(r, c3, _felt(t3, rear.further))
        _let_go(w, car)
        _apply(w, car, 0, t0, a, (c0.x * x0, c0.y * y0))
        _apply(w, car, 1, t1, b, (c1.x * x1, c1.y * y1))
        _apply(w, car, 2, t2, c, (c2.x * x2, c2.y * y2))
        _apply(w, car, 3, t3, d, (c3.x * x3, c3.y * y3))
        if front.further.drag != 0.0:
            _drag(w, car, front.further.drag)

    return push_by_tyres


@pure
def _on_friction(axle: Axle, factor: float) -> Axle:
    """Axle on ground whose friction is times a factor."""
    c, t = axle.carcass, axle.tyre
    return Axle(
        axle.ground,
        Carcass(c.length, c.damping_x, c.damping_y, c.limit_x / factor, c.limit_y / factor,
                c.radius),
        TyrePair(t.stiffness_x, factor * t.friction_x, t.shape_x, t.curvature_x, t.stiffness_y,
                 factor * t.friction_y, t.shape_y, t.curvature_y, t.load, t.by_load,
                 t.asymmetry_x, t.shift_x, t.asymmetry_y, t.shift_y, t.slip_limit),
        axle.further)


def _pushing_over_zones(prepare: Callable[[TyrePair], Numbers]) -> Push:
    """Function as _pushing_by_tyres(), on ground with friction zones: each wheel by itself."""
    @importable
    def push_over_zones(w: World, car: int, dt: float) -> None:
        front = load(w.rows, FRONT, car * CAR_SIZE)
        rear = load(w.rows, REAR, car * CAR_SIZE)
        _let_go(w, car)
        for k in range(WHEEL_COUNT):
            axle = front if k < 2 else rear
            t = _touched(w, car, k, axle)
            here = _on_friction(axle, friction_at(w.paving.zones, t.point.x, t.point.y))
            state = _deflected(w, car, k, t, here, dt)
            tyre = prepare(here.tyre)
            contact = slide(tyre, state.slip, state.tangent)
            share_x, share_y = grip(tyre, contact, _felt(t, here.further))
            _apply(w, car, k, t, state, (contact.x * share_x, contact.y * share_y))
        if front.further.drag != 0.0:
            _drag(w, car, front.further.drag)

    return push_over_zones


@pure
def _pave(w: World) -> None:
    """Give the engine the friction of each wheel on ground with friction zones."""
    v = w.views
    for car in range(len(w.places.root)):
        at, (cosine, sine) = w.places.pose[car], _heading(w, car)
        for wheel in range(car * WHEEL_COUNT, (car + 1) * WHEEL_COUNT):
            ahead, left = w.paving.spots[wheel, 0], w.paving.spots[wheel, 1]
            friction = w.paving.friction[wheel] * friction_at(
                w.paving.zones, v.qpos[at] + ahead * cosine - left * sine,
                v.qpos[at + 1] + ahead * sine + left * cosine)
            # Along both directions of the ground.
            v.pair_friction[w.places.pair[wheel], 0] = friction
            v.pair_friction[w.places.pair[wheel], 1] = friction


@pure
def _push_by_engine(w: World, car: int, dt: float) -> None:
    """Leave the wheels to the friction of the engine; their rolling resistance is that at rest."""
    at = car * CAR_SIZE
    front, rear = load(w.rows, FRONT, at).further, load(w.rows, REAR, at).further
    for k in range(WHEEL_COUNT):
        axle = front if k < 2 else rear
        store(w.rows, LOAD, at + k * WHEEL_SIZE, (1.0 / axle.per_load,))
    if front.drag != 0.0:
        _drag(w, car, front.drag)


@pure
def _watch(w: World, car: int, dt: float) -> None:
    """Take note of what the body of a car touches."""
    v, touch_of, since, at = w.views, w.places.touch, w.since, car * CAR_SIZE
    things = since.shape[1]
    others = v.sensordata[touch_of[car, 0]]
    for thing in range(1, things):
        others -= v.sensordata[touch_of[car, thing]]
    body = load(w.rows, BODY, at)
    quiet = body.since + dt
    for thing in range(things):
        since[car, thing] += dt
        if (v.sensordata[touch_of[car, thing]] if thing > 0 else others) > 0.0:
            if since[car, thing] > QUIET:
                body = Body(
                    body.begun + 1.0, 0.0, v.qpos[w.places.pose[car]],
                    v.qpos[w.places.pose[car] + 1], body.speed, body.speed)
            since[car, thing] = quiet = 0.0
    x, y = v.qvel[w.places.motion[car]], v.qvel[w.places.motion[car] + 1]
    store(w.rows, BODY, at, Body(
        body.begun, quiet, body.begun_x, body.begun_y, body.begun_speed,
        math.sqrt(x * x + y * y)))


@pure
def _can_be_trusted(v: Views) -> bool:
    """Whether all velocities are finite and within reason."""
    trusted = True
    for k in range(len(v.qvel)):
        trusted &= abs(v.qvel[k]) <= SPEED_LIMIT
    return trusted


@pure
def _turn_all(w: World) -> None:
    """Give the engine what turns the wheels of all cars, before the first half of a step."""
    for car in range(len(w.places.root)):
        front = rear = front_brake = rear_brake = 0.0
        governor = load(w.rows, GOVERNOR, car * CAR_SIZE)
        if governor.governs != 0.0:
            force, hold = _govern(w, car, governor)
            drive = governor.drive
            front, rear = drive.lever_front * force, drive.lever_rear * force
            front_brake = governor.brake_front * hold
            rear_brake = governor.brake_rear * hold
        _turn(w, car, 0, front, front_brake)
        _turn(w, car, 1, front, front_brake)
        _turn(w, car, 2, rear, rear_brake)
        _turn(w, car, 3, rear, rear_brake)


Look = Callable[[PlainSteps, PlainWorld, float], None]
"""look(steps, world, dt): computes what follows from positions and velocities.

That is what the beginning of a step would do; tyres move on by dt [s].
"""

Run = Callable[[PlainSteps, PlainWorld, float, int, bool], int]
"""run(steps, world, dt, count, while_clear): moves all cars on by up to `count` steps of dt [s].

while_clear: only as long as no car can touch anything. Returns the number of steps done, -1 where
a velocity cannot be trusted.
"""


class WorldKernels(NamedTuple):
    """Compiled loops of a world."""

    run: Run
    look: Look


@functools.cache
def world_kernels(
    prepare: Callable[[TyrePair], Numbers] | None, types: tuple[object, ...], *,
    has_zones: bool = False,
) -> WorldKernels:
    """Kernels of a world.

    prepare: pure function that makes the tyre of an axle, see TyreModel; None for wheels with the
    friction of the engine. types: types_of() the arguments of Run. has_zones: whether the ground
    has friction zones.
    """
    make = _pushing_over_zones if has_zones else _pushing_by_tyres
    push = _push_by_engine if prepare is None else make(prepare)
    paves = has_zones and prepare is None

    @importable
    def look_at(steps: Steps, w: World, dt: float) -> None:
        if paves:
            _pave(w)
        _turn_all(w)
        call_engine(steps.first, steps.model, steps.data)
        for car in range(len(w.places.root)):
            push(w, car, dt)

    def look(steps: PlainSteps, world: PlainWorld, dt: float) -> None:
        w = _world_of(world)
        try_near(w.clearance, w.views.qpos, w.places.root, w.places.pose)
        look_at(Steps(*steps), w, dt)
        try_all(w.clearance, w.places.root)

    def run(
        steps: PlainSteps, world: PlainWorld, dt: float, count: int, while_clear: bool,
    ) -> int:
        w, halves = _world_of(world), Steps(*steps)
        done = 0
        # Before the engine meets numbers of which it would write a complaint to a file.
        trusted = _can_be_trusted(w.views)
        while done < count and trusted:
            all_clear = try_near(w.clearance, w.views.qpos, w.places.root, w.places.pose)
            if while_clear and not all_clear:
                break
            look_at(halves, w, dt)
            call_engine(halves.second, halves.model, halves.data)
            for car in range(len(w.places.root)):
                _watch(w, car, dt)
            done += 1
            trusted = _can_be_trusted(w.views)
        try_all(w.clearance, w.places.root)
        return done if trusted else -1

    return WorldKernels(compiled(run, types), compiled(look, types[:-2]))
