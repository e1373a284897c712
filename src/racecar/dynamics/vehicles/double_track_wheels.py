# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What turns the wheels of a double track: a speed controller, or torques, brakes and motors.

    J wi' = Ti - ci wi - Bi - R Fxi

Commanded by speed, each driven wheel gets R F/n, with F = sat(m (V - R w)/T, F_max) and w the mean
speed of the driven wheels: an engine with open differentials. Commanded by torques, each wheel has
its own torque, brake and damping; or, forced, its speed W, which an ideal motor gives it:
w' = FORCE_RATE (W - w). From OVERSPEED_FACTOR times the vehicle's highest speed a torque does not
drive a wheel any faster.

Brake. Bi is dry friction of the capacity given. It opposes the rotation; where the capacity
suffices to hold the wheel, it brings it to rest at STICK_RATE and then equals the other torques,
so that a braked car stands still against its engine. It never drives a wheel. A viscous brake is
one whose capacity is its damping times |wi|, or times HOLD_SPEED where that is more.
"""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import by_type, pure
from racecar.base.types import Wheels

STICK_RATE = 500.0
"""Rate at which a brake that can hold a wheel brings it to rest [1/s]."""

HOLD_SPEED = 1.0
"""Rotation below which the torque of a viscous brake does not fall any further [rad/s].

Without it a viscous brake could neither stop a wheel in finite time nor hold it.
"""

FORCE_RATE = 500.0
"""Rate at which a forced wheel comes to its speed [1/s]."""

OVERSPEED_FACTOR = 5.0
"""Rolling speed over the highest speed of the vehicle from which a torque drives no further.

An engine has a highest speed too; without it, wheels that spin would leave the range of the model.
"""


class SpeedDrive(NamedTuple):
    """A speed controller: V [m/s], m/T [kg/s], F_max [N]; R/n of a front, of a rear wheel [m]."""

    speed: float
    gain: float
    force_limit: float
    lever_front: float
    lever_rear: float


class TorqueDrive(NamedTuple):
    """Torques on each wheel: see DoubleTrack.torque_inputs().

    overspeed: rotation from which a torque drives no further [rad/s]; of a front and of a rear
    wheel, with J that of the wheel and what the engine adds to it, stick: J STICK_RATE [N m s],
    per_inertia: 1/J.
    """

    drive: Wheels
    brake: Wheels
    damping: Wheels
    brake_damping: Wheels
    forced: Wheels
    overspeed: float
    stick: float
    rear_stick: float
    per_inertia: float
    rear_per_inertia: float


@pure
def brake_torque(speed: float, torque: float, capacity: float, stick: float) -> float:
    """Torque of a brake on a wheel [N m].

    speed [rad/s]; torque: sum of the others [N m]; capacity [N m]; stick: J STICK_RATE [N m s].
    """
    needed = torque + stick * speed
    low = 0.0 if speed > 0.0 else -capacity
    high = 0.0 if speed < 0.0 else capacity
    return min(max(needed, low), high)


@pure
def driven_speed(speeds: Wheels, drive: SpeedDrive) -> float:
    """Mean rolling speed of the driven wheels [m/s]; speeds [rad/s]."""
    return (drive.lever_front * (speeds[0] + speeds[1])
            + drive.lever_rear * (speeds[2] + speeds[3]))


@pure
def speed_force(speed: float, rolling: float, drive: SpeedDrive) -> float:
    """Force of the speed controller at the driven wheels [N].

    speed: wanted, rolling: mean of the driven wheels [m/s].
    """
    return min(max(drive.gain * (speed - rolling), -drive.force_limit), drive.force_limit)


@by_type
def accelerations(drive: object, speeds: Wheels, reactions: Wheels, per_inertia: float) -> Wheels:
    """Angular acceleration of each wheel [rad/s^2].

    drive: a SpeedDrive or a TorqueDrive; speeds [rad/s]; reactions: what turns each wheel
    backwards [N m]; per_inertia: 1/J of a wheel alone.
    """
    raise NotImplementedError


@accelerations.register(SpeedDrive)
def _speed_accelerations(
    drive: SpeedDrive, speeds: Wheels, reactions: Wheels, per_inertia: float,
) -> Wheels:
    force = speed_force(drive.speed, driven_speed(speeds, drive), drive)
    front, rear = drive.lever_front * force, drive.lever_rear * force
    return ((front - reactions[0]) * per_inertia, (front - reactions[1]) * per_inertia,
            (rear - reactions[2]) * per_inertia, (rear - reactions[3]) * per_inertia)


class _Hub(NamedTuple):
    """What TorqueDrive says of one wheel."""

    drive: float
    brake: float
    damping: float
    brake_damping: float
    forced: float
    overspeed: float
    stick: float
    per_inertia: float


@pure
def _torque_acceleration(speed: float, reaction: float, hub: _Hub) -> float:
    races = (abs(speed) > hub.overspeed) & (hub.drive * speed > 0.0)
    torque = (0.0 if races else hub.drive) - hub.damping * speed - reaction
    capacity = hub.brake + hub.brake_damping * max(abs(speed), HOLD_SPEED)
    free = (torque - brake_torque(speed, torque, capacity, hub.stick)) * hub.per_inertia
    return FORCE_RATE * (hub.drive - speed) if hub.forced != 0.0 else free


@accelerations.register(TorqueDrive)
def _torque_accelerations(
    drive: TorqueDrive, speeds: Wheels, reactions: Wheels, per_inertia: float,
) -> Wheels:
    (torque, brake, damping, viscous, forced, overspeed, stick, rear_stick, per_front,
     per_rear) = drive
    return (
        _torque_acceleration(speeds[0], reactions[0], _Hub(
            torque[0], brake[0], damping[0], viscous[0], forced[0], overspeed, stick,
            per_front)),
        _torque_acceleration(speeds[1], reactions[1], _Hub(
            torque[1], brake[1], damping[1], viscous[1], forced[1], overspeed, stick,
            per_front)),
        _torque_acceleration(speeds[2], reactions[2], _Hub(
            torque[2], brake[2], damping[2], viscous[2], forced[2], overspeed, rear_stick,
            per_rear)),
        _torque_acceleration(speeds[3], reactions[3], _Hub(
            torque[3], brake[3], damping[3], viscous[3], forced[3], overspeed, rear_stick,
            per_rear)))
