# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equations of the double track bound to tyres: for loops, and for questions at one point."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any, NamedTuple

from racecar.base.compiled import inlined, specialise, unbound
from racecar.base.elementary import sine_cosine, sine_cosine_of_turn
from racecar.base.packing import Vector
from racecar.base.tuple_kernels import reader
from racecar.dynamics.tyres.contact import any_form, ContactForm
from racecar.dynamics.tyres.pacejka_contact import SHAPE_LIMIT
from racecar.dynamics.vehicles.double_track_chassis import ChassisForm
from racecar.dynamics.vehicles.double_track_equations import double_rates, MODE, wheel_forces
from racecar.dynamics.vehicles.double_track_held import hold_angles, hold_speed, hold_torques
from racecar.dynamics.vehicles.double_track_wheels import speed_accelerations, torque_accelerations
from racecar.dynamics.vehicles.interface import HeldRates, ModalDerivative, SPEED, STEERING_ANGLE
from racecar.dynamics.vehicles.tyre_sets import TyreSet


class PointKernels(NamedTuple):
    """Kernels of (state, inputs, parameters).

    wheels: slips, then along, across, loads of Forces, of each four; diagnose: the fields of
    VehicleDiagnostics.
    """

    derivative: Callable[[Vector, Vector, Vector], tuple[float, ...]]
    wheels: Callable[[Vector, Vector, Vector], tuple[Any, ...]]
    diagnose: Callable[[Vector, Vector, Vector], tuple[float, ...]]


read_state = hold_command = hold_wheels = command_rates = torque_rates = unbound
forces = body = slips = unbound


@inlined
def is_commanded(inputs: Vector) -> bool:
    """Return whether speed and steering angle are followed."""
    return inputs[MODE] == 0.0


def _derivative(state: Vector, inputs: Vector, parameters: Vector) -> Any:
    """Return the time derivative of the state [SI]."""
    point = read_state(state, 0, 0)
    if inputs[MODE] == 0.0:
        return command_rates(point, hold_command(inputs, parameters))
    return torque_rates(point, hold_wheels(inputs, parameters))


def _body(inputs: Vector, parameters: Vector) -> Any:
    """Return the Body: the force of a tyre does not depend on what turns its wheel."""
    if inputs[MODE] == 0.0:
        return hold_command(inputs, parameters).body
    return hold_wheels(inputs, parameters).body


def _wheels(state: Vector, inputs: Vector, parameters: Vector) -> Any:
    """Return what PointKernels says."""
    point, held = read_state(state, 0, 0), body(inputs, parameters)
    found = forces(point, held)
    return slips(point, held), found.along, found.across, found.loads


def _diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics: mean slip angle and summed force per axle."""
    point, held = read_state(state, 0, 0), body(inputs, parameters)
    left, right, rear_left, rear_right = slips(point, held)
    found = forces(point, held)
    y, across = found.y, found.across
    return (
        point.x, point.y, point.yaw, point.vx, point.vy, point.yaw_rate,
        math.atan2(math.copysign(1.0, point.vx) * point.vy, abs(point.vx)),
        ((y[0] + y[1]) + (y[2] + y[3])) * held.per_mass,
        0.5 * (math.atan(left.across) + math.atan(right.across)),
        0.5 * (math.atan(rear_left.across) + math.atan(rear_right.across)),
        across[0] + across[1], across[2] + across[3], inputs[SPEED], inputs[STEERING_ANGLE],
    )


def contact_form(tyres: TyreSet) -> tuple[str, ContactForm]:
    """Return the form of the tyres and its name, unique among those of all tyres."""
    model = tyres.model
    shapes = (tyres.front_x.shape, tyres.front_y.shape, tyres.rear_x.shape, tyres.rear_y.shape)
    if model.contact is not None and max(shapes) <= SHAPE_LIMIT:
        return model.name, model.contact
    name = f'any_{model.name}'
    return name, any_form(name, model.lateral_force, model.longitudinal_force)


def _forces(name: str, form: ContactForm, chassis: ChassisForm) -> Any:
    return specialise(
        wheel_forces, f'wheel_forces_{name}', inlined, slide_four=form.slide_four, rest=form.rest,
        grip=form.grip, turn=form.turn, push=form.push, slips=chassis.slips,
        carried=chassis.carried, felt=chassis.felt)


def _rates(
    name: str, forces: Any, accelerations: Any, heading: Any, chassis: ChassisForm,
) -> Any:
    return specialise(double_rates, f'double_rates_{name}', inlined, forces=forces,
                      accelerations=accelerations, heading=heading,
                      reactions=chassis.reactions, completed=chassis.completed)


def modal_derivative(tyres: TyreSet, chassis: ChassisForm) -> ModalDerivative:
    """Return the derivative of a double track with such tyres and chassis, for loops."""
    tyre, form = contact_form(tyres)
    name = f'{tyre}{chassis.name}'
    forces = _forces(name, form, chassis)
    hold = specialise(
        hold_angles, f'hold_angles_{name}', inlined, prepare=form.prepare,
        chassis_of=chassis.chassis_of, carcass_of=chassis.carcass_of)
    command, torques = (HeldRates(
        f'double_{mode}_{name}',
        specialise(held, f'{held.__name__}_{name}', inlined, hold=hold),
        _rates(f'within_step_{mode}_{name}', forces, accelerations, sine_cosine_of_turn, chassis))
        for mode, held, accelerations in (
            ('speed', hold_speed, speed_accelerations),
            ('torques', hold_torques, torque_accelerations)))
    return ModalDerivative(f'double_{name}', chassis.state, is_commanded, command, torques)


def point_kernels(
    tyres: TyreSet, chassis: ChassisForm, form: ModalDerivative,
) -> PointKernels:
    """Return the kernels of such a double track and the derivative that it has."""
    tyre, contact = contact_form(tyres)
    name = f'{tyre}{chassis.name}'
    forces = _forces(name, contact, chassis)
    kind: Any = chassis.state
    state = reader(kind.__name__, kind(*(0.0,) * len(kind._fields)))
    hold: dict[str, Any] = {'hold_command': form.command.hold, 'hold_wheels': form.torques.hold}
    body = specialise(_body, f'double_body_{name}', **hold)
    point: dict[str, Any] = {
        'read_state': state, 'body': body, 'forces': forces, 'slips': chassis.slips}
    return PointKernels(
        specialise(
            _derivative, f'double_derivative_{name}',
            command_rates=_rates(
                f'speed_{name}', forces, speed_accelerations, sine_cosine, chassis),
            torque_rates=_rates(
                f'torques_{name}', forces, torque_accelerations, sine_cosine, chassis),
            read_state=state, **hold),
        specialise(_wheels, f'double_wheels_{name}', **point),
        specialise(_diagnose, f'double_diagnose_{name}', **point))
