# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a simulated car in the plane, and of one that is driven by commands alone."""

from __future__ import annotations

from racecar.base.parameters import Parameter, ParameterTable
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR, INTEGRATORS
from racecar.dynamics.tyres import DEFAULT_TYRE_MODEL, SELECTION, tyre_model_choices
from racecar.dynamics.vehicles import VEHICLE_MODELS
from racecar.dynamics.vehicles.initial_motion import INITIAL_MOTION_PARAMETERS
from racecar.dynamics.vehicles.kinematic_bicycle import SPEED_GAIN
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD
from racecar.dynamics.vehicles.parameters import DESCRIPTION_PARAMETERS
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT
from racecar.dynamics.vehicles.single_track_equations import FORMULATIONS
from racecar.dynamics.vehicles.tyre_sets import TYRE_PARAMETERS
from racecar.scene.world_choice import START_PARAMETERS, WORLD_PARAMETER
from racecar.simulation.contact import CONTACT_PARAMETERS
from racecar.simulation.obstacles import CONTACT_PARAMETER, GIVE_PARAMETER
from racecar.simulation.ports import DEFAULT_PERIOD, DEFAULT_STEP

SIMULATOR_PARAMETERS = ParameterTable([
    Parameter('vehicle_model', str, 'single_track', 'Equations of motion of the vehicle',
              choices=tuple(VEHICLE_MODELS), read_only=True),
    Parameter('tyre_model', str, DEFAULT_TYRE_MODEL, f'Tyre model, {SELECTION}',
              choices=tyre_model_choices(), read_only=True),
    Parameter('formulation', str, FORMULATIONS[0], 'Single-track equations: without small angles,'
              ' or as in the report', choices=FORMULATIONS, read_only=True),
    Parameter('integrator', str, DEFAULT_INTEGRATOR, 'Integration method',
              choices=tuple(INTEGRATORS), read_only=True),
    Parameter('step', float, DEFAULT_STEP, 'Integration step; a whole number of them makes one'
              ' period of rate', unit='s', above=0.0, maximum=1.0, read_only=True),
    Parameter('rate', float, 1.0 / DEFAULT_PERIOD, 'Frequency of odometry and control', unit='Hz',
              above=0.001, maximum=10000.0, read_only=True),
    Parameter('low_speed_threshold', float, 0.0, 'Longitudinal velocity below which the slip is'
              f' regularised; 0 chooses {LOW_SPEED_THRESHOLD:g}, or more where the tyres are too'
              ' stiff for steps of 1 ms', unit='m/s', minimum=0.0, read_only=True),
    CONTACT_PARAMETER,
    GIVE_PARAMETER,
    *CONTACT_PARAMETERS,
    Parameter('speed_gain', float, SPEED_GAIN, 'Speed of the kinematic bicycle over the commanded'
              " one; the original's servo chain had 0.5", above=0.0, read_only=True),
    Parameter('understeer_gradient', float, 0.0, 'Of kinematic_understeer; 0: that of the'
              " vehicle's tyres", unit='rad s^2/m', minimum=-1.0, maximum=1.0, read_only=True),
    Parameter('drive_time_constant', float, DRIVE_TIME_CONSTANT, 'Time constant of the speed'
              ' controller of single_track_force and double_track', unit='s', above=0.0,
              read_only=True),
    *TYRE_PARAMETERS,
    *ACTUATOR_PARAMETERS,
    WORLD_PARAMETER,
    *START_PARAMETERS,
    *INITIAL_MOTION_PARAMETERS,
    *DESCRIPTION_PARAMETERS,
])

COMMANDED_CAR_PARAMETERS = ParameterTable([
    *(SIMULATOR_PARAMETERS[name] for name in (
        'vehicle_model', 'tyre_model', 'formulation', 'integrator', 'step', 'low_speed_threshold',
        'speed_gain', 'understeer_gradient', 'drive_time_constant')),
    *TYRE_PARAMETERS, *ACTUATOR_PARAMETERS])
"""Of rollouts and environments: nothing of world, topics and clock."""
