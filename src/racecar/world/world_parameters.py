# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the 3-D world."""

from __future__ import annotations

from racecar.base.parameters import Parameter, ParameterTable
from racecar.control.servo_commands import SERVO_PARAMETERS
from racecar.dynamics.tyres import SELECTION, tyre_model_choices
from racecar.dynamics.vehicles.parameters import DESCRIPTION_PARAMETERS
from racecar.dynamics.vehicles.tyre_sets import TYRE_PARAMETERS
from racecar.scene.world_choice import HEIGHT_PARAMETER, START_PARAMETERS, WORLD_PARAMETER
from racecar.simulation.ports import DEFAULT_STEP

COULOMB, PACEJKA = 'coulomb', 'pacejka'

ACKERMANN, WHEEL_CONTROLLERS, WHEEL_TORQUES = (
    'ackermann', 'wheel_controllers', 'wheel_torques')
COMMAND_INTERFACES = ACKERMANN, WHEEL_CONTROLLERS, WHEEL_TORQUES

DIFFERENTIAL, SERVOS = 'differential', 'servos'
WHEEL_DRIVES = DIFFERENTIAL, SERVOS

_RATE = 'its period is a whole number of steps'


def _rate(name: str, default: float, what: str) -> Parameter:
    return Parameter(name, float, default, f'Frequency of {what}; {_RATE}', 'Hz', above=0.001,
                     maximum=10000.0, read_only=True)


def _gain(name: str, default: float, what: str, unit: str) -> Parameter:
    return Parameter(name, float, default, what, unit, minimum=0.0, maximum=1e6, read_only=True)


WORLD_PARAMETERS = ParameterTable([
    Parameter('contact_model', str, COULOMB, 'Wheels on the ground: dry friction of the physics'
              ' engine, or tyre forces of the slip and load of each wheel',
              choices=(COULOMB, PACEJKA), read_only=True),
    Parameter('tyre_model', str, PACEJKA, f'Tyre model of contact_model {PACEJKA}, {SELECTION}',
              choices=tyre_model_choices(), read_only=True),
    *TYRE_PARAMETERS,
    Parameter('command_interface', str, ACKERMANN, 'What drives the car: speed and steering angle;'
              ' set-points of single joints, for the node servo_commands; or wheel torques of the'
              ' driver bridge as well as speed and angle', choices=COMMAND_INTERFACES,
              read_only=True),
    Parameter('wheel_drive', str, DIFFERENTIAL, 'What turns the wheels under speed and steering'
              ' angle: the engine of the vehicle, within drive_force_limit and through'
              ' differentials to driven_axle, as in double_track; or, as in the original, a'
              ' controller of the rotation of each wheel, with wheel_rates and wheel_gain',
              choices=WHEEL_DRIVES, read_only=True),
    *SERVO_PARAMETERS,
    _gain('wheel_gain.front', 0.5, 'Torque of a front wheel for its error of rotation; this and'
          ' the next three are those of the original car, for another one times mass and square of'
          ' the wheel radius over those of the original', 'N m s/rad'),
    _gain('wheel_gain.rear', 1.0, 'Torque of a rear wheel for its error of rotation',
          'N m s/rad'),
    _gain('hinge_gain', 20.0, 'Torque of a steering hinge for its error of angle; the original has'
          ' 1, at which the tyres turn it back', 'N m/rad'),
    _gain('hinge_damping', 0.5, 'Torque against the rotation of a steering hinge', 'N m s/rad'),
    Parameter('step', float, DEFAULT_STEP, 'Integration step', 's', above=0.0, maximum=0.01,
              read_only=True),
    _rate('rate', 20.0, 'odometry and control'),
    _rate('joint_states_rate', 50.0, 'the states of the joints'),
    _rate('wheel_states_rate', 100.0, 'slip and forces of the wheels'),
    _rate('car_state_rate', 100.0, 'the state of the car'),
    WORLD_PARAMETER,
    *START_PARAMETERS,
    HEIGHT_PARAMETER,
    *DESCRIPTION_PARAMETERS,
])
