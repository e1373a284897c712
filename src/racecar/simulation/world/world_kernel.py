# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop over steps of the 3-D world: drive, tyres, engine, collisions.

One kernel moves all cars of a model. It works on the arrays of the engine itself, which stay where
they are for the life of model and data. Rows of its own arrays are wheels, WHEEL_COUNT for each
car in the order of WHEEL_NAMES, or cars; their columns are named below.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any, NamedTuple

from racecar.base.compiled import inlined, njit_once, specialise, unbound, unlocked
from racecar.base.rows import count_numbers, first_row, flatten
from racecar.base.tuple_kernels import reader
from racecar.base.types import WHEEL_NAMES
from racecar.dynamics.tyres.contact import grip, slide_four, TyrePair
from racecar.dynamics.vehicles.double_track_chassis import felt_load
from racecar.dynamics.vehicles.double_track_wheels import (
    driven_speed,
    HOLD_SPEED,
    speed_force,
    SpeedDrive,
)
from racecar.simulation.world.engine import call_engine, Steps
from racecar.simulation.world.wheel_contact import (
    Carcass,
    deflect,
    Ground,
    Touch,
    touch,
    TyreState,
    Vector3,
)

WHEEL_COUNT = len(WHEEL_NAMES)

SPEED_LIMIT = 1e4
"""Modulus of a velocity up to which the engine is trusted [m/s, rad/s]."""

# Deflection of a tyre [m].
DEFLECTION_X, DEFLECTION_Y, STATE_SIZE = 0, 1, 2

# What a wheel shows: slip, tangent of the slip angle [-], forces along and across it, load [N].
SLIP, TANGENT, FORCE_X, FORCE_Y, LOAD, SHOWN_SIZE = 0, 1, 2, 3, 4, 5

# What turns a wheel: torque [N m], capacity of its brake [N m], damping of a viscous brake
# [N m s/rad], rotation from which the torque drives no further [rad/s], moment of its rolling
# resistance over its load [m].
DRIVE, BRAKE, BRAKE_DAMPING, OVERSPEED, ROLLING, DRIVEN_SIZE = 0, 1, 2, 3, 4, 5

# Of a body: contacts begun since the last reset, time since it last touched anything [s], where
# the root was when the newest contact began [m] and how fast just before [m/s], its speed now
# [m/s]. Contacts with one thing with less than QUIET between them are one [s].
BEGUN, SINCE, BEGUN_X, BEGUN_Y, BEGUN_SPEED, SPEED, BODY_SIZE = 0, 1, 2, 3, 4, 5, 6
QUIET = 0.1

PARK_SPEED = 0.01
"""Speed of the driven wheels below which a car that is to stand is held by its brakes [m/s]."""


class Views(NamedTuple):
    """Arrays of a model and its data, named as the engine does."""

    qpos: Any
    qvel: Any
    ctrl: Any
    xfrc_applied: Any
    cvel: Any
    subtree_com: Any
    xipos: Any
    xaxis: Any
    geom_xpos: Any
    sensordata: Any
    dof_frictionloss: Any


class Places(NamedTuple):
    """Where in these arrays a car is.

    root: its body that moves freely; pose, motion: first numbers of that in qpos and qvel; touch:
    sensors that count where it touches anything, and each loose body; and of each wheel body,
    geom, joint, degree of freedom, and the actuator that takes its torque.
    """

    root: Any
    pose: Any
    motion: Any
    touch: Any
    body: Any
    geom: Any
    joint: Any
    dof: Any
    motor: Any


class Numbers(NamedTuple):
    """What the kernel changes, and of each car rows of two packed Axle and of a Governor.

    since: time since a car last touched what is fixed or drives, and each loose body [s].
    """

    state: Any
    driven: Any
    shown: Any
    bodies: Any
    since: Any
    axles: Any
    governors: Any


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


_GOVERNOR = Governor(SpeedDrive(*(0.0,) * len(SpeedDrive._fields)), *(0.0,) * 5)
GOVERNOR_SIZE = count_numbers(_GOVERNOR)
WANTED, GOVERNS = first_row(_GOVERNOR, 'drive', 'speed'), first_row(_GOVERNOR, 'governs')
_read_governor = reader('Governor', _GOVERNOR)

_EXAMPLE = Axle(
    Ground(*(0.0,) * len(Ground._fields)), Carcass(*(0.0,) * len(Carcass._fields)),
    TyrePair(*(0.0,) * len(TyrePair._fields)), Further(*(0.0,) * len(Further._fields)))
AXLE_SIZE = count_numbers(_EXAMPLE)
_read_axle = reader('Axle', _EXAMPLE)

prepare = push = turn = look = unbound


def pack_axle(axle: Axle) -> tuple[float, ...]:
    """Return the numbers of an axle in the order in which the kernel reads them."""
    return tuple(flatten(axle))


@inlined
def _vector(rows: Any, row: int) -> Vector3:
    return Vector3(rows[row, 0], rows[row, 1], rows[row, 2])


@inlined
def _heading(v: Views, places: Places, car: int) -> tuple[float, float]:
    """Return cosine and sine of the heading of a car."""
    # Its quaternion is w, x, y, z.
    q = places.pose[car] + 3
    return (1.0 - 2.0 * (v.qpos[q + 2] * v.qpos[q + 2] + v.qpos[q + 3] * v.qpos[q + 3]),
            2.0 * (v.qpos[q + 1] * v.qpos[q + 2] + v.qpos[q] * v.qpos[q + 3]))


@inlined
def _govern(v: Views, places: Places, car: int, governor: Governor) -> tuple[float, float]:
    """Return the force that drives a car, and what its parking brake can hold [N]."""
    drive, i = governor.drive, car * WHEEL_COUNT
    rolling = driven_speed(
        (v.qvel[places.dof[i]], v.qvel[places.dof[i + 1]], v.qvel[places.dof[i + 2]],
         v.qvel[places.dof[i + 3]]), drive)
    wanted, parks = drive.speed, (drive.speed == 0.0) & (abs(rolling) < PARK_SPEED)
    if wanted == 0.0:
        cosine, sine = _heading(v, places, car)
        wanted = -(governor.weight_x * cosine + governor.weight_y * sine) / drive.gain
    force = speed_force(wanted, rolling, drive)
    return 0.0 if parks else force, drive.force_limit if parks else 0.0


@inlined
def _turn(
    v: Views, places: Places, driven: Any, shown: Any, wheel: int, drive: float, brake: float,
) -> None:
    """Give the engine what turns a wheel.

    drive, brake: torques that come on top of those in the row `driven` of the wheel [N m].
    """
    speed = abs(v.qvel[places.dof[wheel]])
    torque = driven[wheel, DRIVE] + drive
    races = (speed > driven[wheel, OVERSPEED]) & (torque * v.qvel[places.dof[wheel]] > 0.0)
    v.ctrl[places.motor[wheel]] = 0.0 if races else torque
    v.dof_frictionloss[places.dof[wheel]] = brake + driven[wheel, BRAKE] + (
        driven[wheel, BRAKE_DAMPING] * max(speed, HOLD_SPEED)) + (
            driven[wheel, ROLLING] * shown[wheel, LOAD])


@inlined
def _sense(
    v: Views, places: Places, state: Any, car: int, wheel: int, axle: Axle, dt: float,
) -> tuple[Touch, TyreState]:
    """Return how a wheel touches the ground, and its tyre dt [s] later."""
    body = places.body[wheel]
    centre = _vector(v.geom_xpos, places.geom[wheel])
    origin = _vector(v.subtree_com, places.root[car])
    # The engine's velocities are those at the centre of gravity of the whole car.
    angular = Vector3(v.cvel[body, 0], v.cvel[body, 1], v.cvel[body, 2])
    x, y, z = centre.x - origin.x, centre.y - origin.y, centre.z - origin.z
    linear = Vector3(
        v.cvel[body, 3] + angular.y * z - angular.z * y,
        v.cvel[body, 4] + angular.z * x - angular.x * z,
        v.cvel[body, 5] + angular.x * y - angular.y * x)
    t = touch(centre, _vector(v.xaxis, places.joint[wheel]), linear, angular,
              axle.carcass.radius, axle.ground)
    if t.load <= 0.0:
        return t, TyreState(0.0, 0.0, 0.0, 0.0)
    tyre = deflect(state[wheel, DEFLECTION_X], state[wheel, DEFLECTION_Y], t, axle.carcass, dt)
    limit = axle.tyre.slip_limit
    return t, TyreState(
        tyre.ex, tyre.ey, min(max(tyre.slip, -limit), limit), tyre.tangent)


@inlined
def _apply(
    v: Views, places: Places, numbers: Numbers, wheel: int, t: Touch, tyre: TyreState,
    along: float, across: float,
) -> None:
    """Keep the state of a tyre, show it, and apply its force [N] to the wheel."""
    body, state, shown = places.body[wheel], numbers.state, numbers.shown
    state[wheel, DEFLECTION_X], state[wheel, DEFLECTION_Y] = tyre.ex, tyre.ey
    shown[wheel, SLIP], shown[wheel, TANGENT] = tyre.slip, tyre.tangent
    shown[wheel, FORCE_X], shown[wheel, FORCE_Y], shown[wheel, LOAD] = along, across, t.load
    fx = along * t.heading_x - across * t.heading_y
    fy = along * t.heading_y + across * t.heading_x
    middle = _vector(v.xipos, body)
    x, y, z = t.point.x - middle.x, t.point.y - middle.y, t.point.z - middle.z
    v.xfrc_applied[body, 0], v.xfrc_applied[body, 1] = fx, fy
    v.xfrc_applied[body, 2] = t.load
    v.xfrc_applied[body, 3] = y * t.load - z * fy
    v.xfrc_applied[body, 4] = z * fx - x * t.load
    v.xfrc_applied[body, 5] = x * fy - y * fx


@inlined
def _felt(t: Touch, further: Further) -> float:
    """Return the load under which a tyre grips as it does under its own [N]."""
    return felt_load(t.load, further.per_load, further.sensitivity)


@inlined
def _drag(v: Views, places: Places, car: int, drag: float) -> None:
    """Let the air push a car backwards."""
    at, body = places.motion[car], places.root[car]
    cosine, sine = _heading(v, places, car)
    speed = v.qvel[at] * cosine + v.qvel[at + 1] * sine
    force = -drag * abs(speed) * speed
    v.xfrc_applied[body, 0], v.xfrc_applied[body, 1] = force * cosine, force * sine


def _push_by_tyres(v: Views, places: Places, numbers: Numbers, car: int, dt: float) -> None:
    """Apply the tyre forces of a car; a wheel without load has none.

    The global name prepare is bound to the tyre.
    """
    i, state = car * WHEEL_COUNT, numbers.state
    front = _read_axle(numbers.axles, 0, 2 * car * AXLE_SIZE)
    rear = _read_axle(numbers.axles, 0, (2 * car + 1) * AXLE_SIZE)
    t0, a = _sense(v, places, state, car, i, front, dt)
    t1, b = _sense(v, places, state, car, i + 1, front, dt)
    t2, c = _sense(v, places, state, car, i + 2, rear, dt)
    t3, d = _sense(v, places, state, car, i + 3, rear, dt)
    f, r = prepare(front.tyre), prepare(rear.tyre)
    c0, c1, c2, c3 = slide_four(
        f, r, (a.slip, b.slip, c.slip, d.slip), (a.tangent, b.tangent, c.tangent, d.tangent))
    x0, y0 = grip(f, c0, _felt(t0, front.further))
    x1, y1 = grip(f, c1, _felt(t1, front.further))
    x2, y2 = grip(r, c2, _felt(t2, rear.further))
    x3, y3 = grip(r, c3, _felt(t3, rear.further))
    _apply(v, places, numbers, i, t0, a, c0.x * x0, c0.y * y0)
    _apply(v, places, numbers, i + 1, t1, b, c1.x * x1, c1.y * y1)
    _apply(v, places, numbers, i + 2, t2, c, c2.x * x2, c2.y * y2)
    _apply(v, places, numbers, i + 3, t3, d, c3.x * x3, c3.y * y3)
    if front.further.drag != 0.0:
        _drag(v, places, car, front.further.drag)


@inlined
def _push_by_engine(v: Views, places: Places, numbers: Numbers, car: int, dt: float) -> None:
    """Leave the wheels to the friction of the engine; their rolling resistance is that at rest."""
    i = car * WHEEL_COUNT
    front = _read_axle(numbers.axles, 0, 2 * car * AXLE_SIZE).further
    rear = _read_axle(numbers.axles, 0, (2 * car + 1) * AXLE_SIZE).further
    numbers.shown[i, LOAD] = numbers.shown[i + 1, LOAD] = 1.0 / front.per_load
    numbers.shown[i + 2, LOAD] = numbers.shown[i + 3, LOAD] = 1.0 / rear.per_load
    if front.drag != 0.0:
        _drag(v, places, car, front.drag)


@inlined
def _watch(v: Views, places: Places, bodies: Any, since: Any, car: int, dt: float) -> None:
    """Take note of what the body of a car touches."""
    things = len(since[car])
    others = v.sensordata[places.touch[car, 0]]
    for thing in range(1, things):
        others -= v.sensordata[places.touch[car, thing]]
    bodies[car, SINCE] += dt
    for thing in range(things):
        since[car, thing] += dt
        if (v.sensordata[places.touch[car, thing]] if thing > 0 else others) > 0.0:
            if since[car, thing] > QUIET:
                bodies[car, BEGUN] += 1.0
                bodies[car, BEGUN_X] = v.qpos[places.pose[car]]
                bodies[car, BEGUN_Y] = v.qpos[places.pose[car] + 1]
                bodies[car, BEGUN_SPEED] = bodies[car, SPEED]
            since[car, thing] = bodies[car, SINCE] = 0.0
    x, y = v.qvel[places.motion[car]], v.qvel[places.motion[car] + 1]
    bodies[car, SPEED] = math.sqrt(x * x + y * y)


@inlined
def _can_be_trusted(v: Views) -> bool:
    """Whether all velocities are finite and within reason."""
    trusted = True
    for k in range(len(v.qvel)):
        trusted &= abs(v.qvel[k]) <= SPEED_LIMIT
    return trusted


def _turn_all(v: Views, places: Places, numbers: Numbers) -> None:
    """Give the engine what turns the wheels of all cars, before the first half of a step."""
    for car in range(len(places.root)):
        front = rear = front_brake = rear_brake = 0.0
        governor = _read_governor(numbers.governors, 0, car * GOVERNOR_SIZE)
        if governor.governs != 0.0:
            force, hold = _govern(v, places, car, governor)
            drive = governor.drive
            front, rear = drive.lever_front * force, drive.lever_rear * force
            front_brake = governor.brake_front * hold
            rear_brake = governor.brake_rear * hold
        i = car * WHEEL_COUNT
        _turn(v, places, numbers.driven, numbers.shown, i, front, front_brake)
        _turn(v, places, numbers.driven, numbers.shown, i + 1, front, front_brake)
        _turn(v, places, numbers.driven, numbers.shown, i + 2, rear, rear_brake)
        _turn(v, places, numbers.driven, numbers.shown, i + 3, rear, rear_brake)


def _push_all(v: Views, places: Places, numbers: Numbers, dt: float) -> None:
    """Push the wheels of all cars, between the halves of a step; tyres move on by dt [s].

    The global name push is bound to what pushes the wheels of a car.
    """
    for car in range(len(places.root)):
        push(v, places, numbers, car, dt)


def _look(steps: Steps, v: Views, places: Places, numbers: Numbers, dt: float) -> None:
    """Compute what follows from positions and velocities, as the beginning of a step would.

    The global names turn and push are bound to those of WorldKernels.
    """
    turn(v, places, numbers)
    call_engine(steps.first, steps.model, steps.data)
    push(v, places, numbers, dt)


def _run(
    steps: Steps, v: Views, places: Places, numbers: Numbers, dt: float, count: int,
) -> bool:
    """Move all cars on by `count` steps of dt [s]; return whether all velocities can be trusted.

    The global name look is bound to that of WorldKernels.
    """
    for _ in range(count):
        # Before the engine meets numbers of which it would write a complaint to a file.
        if not _can_be_trusted(v):
            return False
        look(steps, v, places, numbers, dt)
        call_engine(steps.second, steps.model, steps.data)
        for car in range(len(places.root)):
            _watch(v, places, numbers.bodies, numbers.since, car, dt)
    return _can_be_trusted(v)


class WorldKernels(NamedTuple):
    """See _run() and _look()."""

    run: Callable[..., bool]
    look: Callable[..., None]


def tyre_kernels(prepare: Callable[[TyrePair], Any]) -> WorldKernels:
    """Return the kernels for wheels with tyres that a pure function makes, see TyreModel."""
    name = prepare.__name__
    return _kernels(name, specialise(
        _push_by_tyres, f'push_{name}', inlined, prepare=prepare))


def friction_kernels() -> WorldKernels:
    """Return the kernels for wheels with the friction of the engine."""
    return _kernels('friction', _push_by_engine)


def _kernels(name: str, push: Callable[..., None]) -> WorldKernels:
    look = specialise(
        _look, f'look_{name}', turn=njit_once(_turn_all),
        push=specialise(_push_all, f'push_all_{name}', push=push))
    return WorldKernels(specialise(_run, f'run_world_{name}', unlocked, look=look), look)
