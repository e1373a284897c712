# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recording from whatever holds one: a bag, the folder of a run, or a CSV file."""

from __future__ import annotations

from pathlib import Path

from racecar.bags.runs import locate, tracked_ahead_of
from racecar.cockpit.replay.bag_recording import BagRecording
from racecar.cockpit.replay.recording import Recording
from racecar.cockpit.replay.table_recording import TableRecording
from racecar.cockpit.robot_message import PLAIN_ROBOT
from racecar.core.analysis.run_csv import read_run_csv
from racecar.core.description.robot_tree import RobotTree
from racecar.core.description.vehicle_description import describe_vehicle
from racecar.core.errors import ConfigurationError, excerpt, ParameterError
from racecar.core.run_file import read_run_file, run_file_beside, RunFile
from racecar.core.share import find_vehicle
from racecar.core.vehicles.parameters import VehicleParameters
from racecar.core.world.scene import Scene
from racecar.core.world.world_choice import scene_of, WORLD_PARAMETER

_WORLD = WORLD_PARAMETER.name
_VEHICLE_NAME = 'vehicle.name'
_USUAL_VEHICLE = 'racecar'


def open_recording(
    path: Path, world: str | None = None, vehicle: str | None = None,
) -> Recording:
    """Open what a path means.

    world, vehicle: names or files, by default those of the run.yaml beside it. Raises RunError,
    BagError or ConfigurationError in one line.
    """
    found = locate(path)
    notes: list[str] = []
    file = _run_file(found, notes)
    scene = _scene(world, file, notes)
    parameters = _vehicle(vehicle, file, notes)
    if found.suffix == '.csv':
        table = read_run_csv(found, tracked_ahead_of(file))
        parameters = parameters or _named_vehicle(_USUAL_VEHICLE)
        return TableRecording(
            path.resolve().name, table, parameters, _tree(parameters, notes) or PLAIN_ROBOT,
            scene, tuple(notes))
    return BagRecording(
        found, scene=scene, notes=tuple(notes),
        tree=None if parameters is None else _tree(parameters, notes))


def _run_file(found: Path, notes: list[str]) -> RunFile | None:
    beside = run_file_beside(found)
    if not beside.is_file():
        return None
    try:
        return read_run_file(beside)
    except ConfigurationError as error:
        notes.append(str(error))
        return None


def _scene(world: str | None, file: RunFile | None, notes: list[str]) -> Scene | None:
    if world is not None:
        return scene_of({_WORLD: world})
    values = None if file is None else file.values_with(_WORLD)
    if values is None:
        return None
    try:
        return scene_of({_WORLD: str(values[_WORLD])})
    except ConfigurationError as error:
        notes.append(f'the world of the run is not shown: {error}')
        return None


def _named_vehicle(name: str) -> VehicleParameters:
    return VehicleParameters.from_file(find_vehicle(name))


def _vehicle(
    name: str | None, file: RunFile | None, notes: list[str],
) -> VehicleParameters | None:
    if name is not None:
        return _named_vehicle(name)
    values = None if file is None else file.values_with(_VEHICLE_NAME)
    if values is None:
        return None
    try:
        return VehicleParameters.from_values(values)
    except (ParameterError, KeyError, TypeError, ValueError) as error:
        notes.append(f'the vehicle of the run is not known: {excerpt(str(error))}')
        return None


def _tree(parameters: VehicleParameters, notes: list[str]) -> RobotTree | None:
    try:
        return describe_vehicle(parameters).tree
    except ConfigurationError as error:
        notes.append(f'the vehicle is not drawn: {error}')
        return None
