# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one list of what others may import from racecar.core; docs/python.md shows it at work.

Names that are not here may change without a word in the changelog.
"""

from racecar.core.analysis.metrics import Metrics
from racecar.core.analysis.run_table import COLUMNS, RunTable
from racecar.core.control.laws import Law, LAWS
from racecar.core.control.linearizer import Linearizer
from racecar.core.control.own_controller import Controller, load_controller
from racecar.core.control.tracker import TRACKER_PARAMETERS, TrajectoryTracker
from racecar.core.description.robot_tree import RobotTree
from racecar.core.description.urdf import read_urdf, RobotDescription
from racecar.core.description.vehicle_description import describe_vehicle
from racecar.core.errors import (
    ConfigurationError,
    DivergenceError,
    ParameterError,
    RacecarError,
    RunError,
)
from racecar.core.parameter_file import load_parameter_file
from racecar.core.parameters import Parameter, ParameterTable
from racecar.core.share import find_config
from racecar.core.simulation.batch import BatchSimulation
from racecar.core.simulation.batch_result import BatchResult, Noise
from racecar.core.simulation.closed_loop import ClosedLoop, run_closed_loop, run_loop
from racecar.core.simulation.own_loop import OwnLoop
from racecar.core.simulation.plant_car import PlantCar
from racecar.core.simulation.simulator import (
    make_simulator,
    Simulator,
    SIMULATOR_PARAMETERS,
)
from racecar.core.simulation.stepper import Stepper
from racecar.core.trajectories import (
    make_trajectory,
    Motion,
    TRAJECTORIES,
    Trajectory,
    TRAJECTORY_PARAMETERS,
)
from racecar.core.types import AckermannCommand, CarMotion, Odometry, Pose2
from racecar.core.tyres import find_tyre_model, TYRE_MODELS, TyreModel
from racecar.core.vehicles import (
    make_vehicle_model,
    VEHICLE_MODELS,
    VEHICLE_PARAMETERS,
    VehicleModel,
    VehicleParameters,
)
from racecar.core.world.make_world import make_world_plant
from racecar.core.world.world_parameters import WORLD_PARAMETERS
from racecar.core.world.world_plant import WorldPlant

__all__ = [
    'COLUMNS', 'LAWS', 'SIMULATOR_PARAMETERS', 'TRACKER_PARAMETERS', 'TRAJECTORIES',
    'TRAJECTORY_PARAMETERS', 'TYRE_MODELS', 'VEHICLE_MODELS', 'VEHICLE_PARAMETERS',
    'WORLD_PARAMETERS', 'AckermannCommand', 'BatchResult', 'BatchSimulation', 'CarMotion',
    'ClosedLoop', 'ConfigurationError', 'Controller', 'DivergenceError', 'Law', 'Linearizer',
    'Metrics', 'Motion', 'Noise', 'Odometry', 'OwnLoop', 'Parameter', 'ParameterError',
    'ParameterTable', 'PlantCar', 'Pose2', 'RacecarError', 'RobotDescription', 'RobotTree',
    'RunError', 'RunTable', 'Simulator', 'Stepper', 'Trajectory', 'TrajectoryTracker',
    'TyreModel', 'VehicleModel', 'VehicleParameters', 'WorldPlant', 'describe_vehicle',
    'find_config', 'find_tyre_model', 'load_controller', 'load_parameter_file',
    'make_simulator', 'make_trajectory', 'make_vehicle_model', 'make_world_plant', 'read_urdf',
    'run_closed_loop', 'run_loop',
]
