# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one list of what others may import from racecar; docs/python.md shows it at work.

Names that are not here may change without a word in the changelog.
"""

from racecar.base.compiled import pure
from racecar.base.errors import (
    ConfigurationError,
    DivergenceError,
    ParameterError,
    RacecarError,
    RunError,
)
from racecar.base.parameter_file import load_parameter_file
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, CarMotion, Odometry, Pose2
from racecar.control.custom_controller import Controller, load_controller
from racecar.control.laws import LawEntry, LAWS
from racecar.control.linearizer import Linearizer
from racecar.control.tracker import TRACKER_PARAMETERS, TrajectoryTracker
from racecar.control.trajectories import (
    make_trajectory,
    Motion,
    TRAJECTORIES,
    Trajectory,
    TRAJECTORY_PARAMETERS,
)
from racecar.description.robot_tree import RobotTree
from racecar.description.urdf import read_urdf, RobotDescription
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.prediction import motion_of, predict, state_at, vehicle_numbers
from racecar.dynamics.tyres import find_tyre_model, TYRE_MODELS, TyreModel
from racecar.dynamics.vehicles import (
    make_vehicle_model,
    VEHICLE_MODELS,
    VEHICLE_PARAMETERS,
    VehicleModel,
    VehicleParameters,
)
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.metrics.laps import Course, LapRule
from racecar.metrics.run_table import COLUMNS, RunTable
from racecar.metrics.tracking_error import Metrics
from racecar.scene import load_world, Scene
from racecar.scene.track import find_centre_line
from racecar.sensors.world_laser import WorldLaser
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import BatchResult, Noise
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.closed_loop import ClosedLoop, run_closed_loop, run_loop
from racecar.simulation.contact import Contact
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.plant_car import PlantCar
from racecar.simulation.rollout_batch import RolloutBatch
from racecar.simulation.simulator import Simulator
from racecar.simulation.stepper import Stepper
from racecar.simulation.world_batch import WorldBatch, WorldReadings, WorldSetup
from racecar.world.make_world import make_world_plant
from racecar.world.world_parameters import WORLD_PARAMETERS
from racecar.world.world_plant import WorldPlant

__all__ = [
    'COLUMNS', 'LAWS', 'SIMULATOR_PARAMETERS', 'TRACKER_PARAMETERS', 'TRAJECTORIES',
    'TRAJECTORY_PARAMETERS', 'TYRE_MODELS', 'VEHICLE_MODELS', 'VEHICLE_PARAMETERS',
    'WORLD_PARAMETERS', 'AckermannCommand', 'BatchResult', 'BatchSimulation', 'CarMotion',
    'ClosedLoop', 'ConfigurationError', 'Contact', 'Controller', 'Course', 'CustomLoop',
    'DivergenceError', 'LapRule', 'LawEntry', 'Linearizer', 'Metrics', 'Motion', 'Noise',
    'Odometry', 'Parameter', 'ParameterError', 'ParameterTable', 'PlantCar', 'Pose2',
    'RacecarError', 'RobotDescription', 'RobotTree', 'RolloutBatch', 'RunError', 'RunTable',
    'Scene', 'Simulator', 'Start', 'Stepper', 'Trajectory', 'TrajectoryTracker', 'TyreModel',
    'VehicleModel', 'VehicleParameters', 'WorldBatch', 'WorldLaser', 'WorldPlant', 'WorldReadings',
    'WorldSetup', 'describe_vehicle', 'find_centre_line', 'find_config', 'find_tyre_model',
    'load_controller', 'load_parameter_file', 'load_world', 'make_simulator', 'make_trajectory',
    'make_vehicle_model', 'make_world_plant', 'motion_of', 'predict', 'pure', 'read_urdf',
    'run_closed_loop', 'run_loop', 'state_at', 'vehicle_numbers',
]
