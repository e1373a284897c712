# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recording from whatever holds one: a bag, the folder of one or several runs, a CSV file."""

from __future__ import annotations

from pathlib import Path

from racecar.analysis.robot_profile import (
    profile_of_file,
    profile_of_run,
    RobotProfile,
    usual_profile,
)
from racecar.analysis.run_csv import read_run_csv
from racecar.bags.libraries import check_libraries
from racecar.bags.runs import cars_in_folder, locate, tracked_ahead_of
from racecar.base.errors import ConfigurationError, excerpt, ParameterError
from racecar.base.run_file import read_run_file_beside, RunFile
from racecar.cockpit.replay.recording import Recording
from racecar.cockpit.replay.table_recording import TableDrive, TableRecording
from racecar.cockpit.robot_message import PLAIN_ROBOT
from racecar.description.robot_tree import RobotTree
from racecar.scene.scene import Scene
from racecar.scene.world_choice import scene_of, WORLD_PARAMETER

_WORLD = WORLD_PARAMETER.name


def open_recording(
    path: Path, world: str | None = None, vehicle: str | None = None,
) -> Recording:
    """Open what a path means.

    world, vehicle: names or files, by default those of the run.yaml beside it. Raises RunError,
    BagError or ConfigurationError in one line.
    """
    cars = cars_in_folder(path) or (None,)
    found = locate(path, cars[0])
    notes: list[str] = []
    file = _run_file(found, notes)
    scene = _scene(world, file, notes)
    if found.suffix == '.csv':
        drives = []
        for number, car in enumerate(cars):
            known = _profile(vehicle, file, notes, car) or usual_profile()
            drives.append(TableDrive(
                read_run_csv(locate(path, car), tracked_ahead_of(file)), known,
                _tree(known, notes) or PLAIN_ROBOT, number=number, car=car or ''))
        return TableRecording(path.resolve().name, drives, scene, tuple(dict.fromkeys(notes)))
    profile = _profile(vehicle, file, notes)
    check_libraries(found)
    # Not in every installation.
    from racecar.cockpit.replay.bag_recording import BagRecording

    return BagRecording(
        found, scene=scene, notes=tuple(notes),
        tree=None if profile is None else _tree(profile, notes))


def _run_file(found: Path, notes: list[str]) -> RunFile | None:
    try:
        return read_run_file_beside(found)
    except ConfigurationError as error:
        notes.append(str(error))
        return None


def _scene(world: str | None, file: RunFile | None, notes: list[str]) -> Scene | None:
    if world is not None:
        return scene_of({_WORLD: world})
    if file is None or file.world is None:
        return None
    try:
        return scene_of({_WORLD: file.world})
    except ConfigurationError as error:
        notes.append(f'the world of the run is not shown: {error}')
        return None


def _profile(
    name: str | None, file: RunFile | None, notes: list[str], car: str | None = None,
) -> RobotProfile | None:
    if name is not None:
        return profile_of_file(name)
    try:
        return profile_of_run(file, car or '')
    except ParameterError as error:
        notes.append(excerpt(str(error)))
        return None


def _tree(profile: RobotProfile, notes: list[str]) -> RobotTree | None:
    try:
        return profile.describe()
    except ConfigurationError as error:
        notes.append(f'the robot is not drawn: {error}')
        return None
