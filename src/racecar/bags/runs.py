# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run from whatever holds one or several: the folder of a run, a bag, or a CSV file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TYPE_CHECKING

from racecar.analysis.course_of_run import course_of_run
from racecar.analysis.motion import Motion, steering_range_of
from racecar.analysis.run_csv import motion_of, read_run_csv, tracking_run_of
from racecar.analysis.run_data import TrackingRun
from racecar.analysis.scene_of_run import scene_of_run
from racecar.bags.libraries import check_libraries
from racecar.base.columns import Array
from racecar.base.errors import excerpt, ParameterError, RacecarError, RunError
from racecar.base.parameters import suggestion
from racecar.base.run_file import CSV_NAME, NAME, read_run_file, read_run_file_beside, RunFile
from racecar.base.types import NANOSECONDS
from racecar.control.tracker import tracked_ahead
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.simulation.fleet_file import vehicles_of_cars

if TYPE_CHECKING:
    from racecar.bags.bag_run import BagRun

BAG_NAME = 'bag'
"""The bag in the folder of a demo."""

# Of files that are read: tables, and those of bags.
_SUFFIXES = ('.csv', '.mcap', '.db3', '.bag')


@dataclass(frozen=True, eq=False)
class Run:
    """A run that was read.

    path: of its bag or CSV file. tracking: odometry and reference, None for a run without a
    reference. source: rows of a report that say where it is from. file: its run.yaml, if any.
    read_warnings: those of tracking.warnings that the reader of the bag has logged. collisions:
    contacts in a bag without a reference, None if nobody counted; map_scene: the map in it.
    car: its name among several in one world, '' for the only one. start_ns: stamp of 0 s [ns].
    """

    name: str
    path: Path
    motion: Motion
    tracking: TrackingRun | None
    source: tuple[tuple[str, str], ...]
    file: RunFile | None
    read_warnings: tuple[str, ...] = ()
    collisions: int | None = None
    map_scene: Scene = EMPTY_SCENE
    car: str = ''
    start_ns: int = 0

    @property
    def scene(self) -> Scene:
        """What stood around, by the map in its bag, else by its run.yaml; else nothing."""
        return scene_of_run(self.file) if self.map_scene.is_empty else self.map_scene

    @property
    def counted(self) -> int | None:
        """Contacts of the run, with a reference or without; None if nobody counted."""
        return self.collisions if self.tracking is None else self.tracking.collisions

    @property
    def skip(self) -> float:
        """Seconds that the metrics of the run left out at its start, by its run.yaml."""
        return 0.0 if self.file is None else self.file.skip


def locate(path: Path, car: str | None = None) -> Path:
    """Bag or CSV file that a path means: its own, or that in the folder of a run.

    car: name of one of several whose runs a folder holds. Raises RunError if there is none.
    """
    if not path.exists():
        raise RunError(f"run '{path}' does not exist; check the path")
    if path.is_dir():
        cars = cars_in_folder(path)
        if cars and car is None:
            raise RunError(
                f"folder '{path}' holds the runs of {len(cars)} cars, expected the choice of one:"
                f" {', '.join(cars)}")
        if cars:
            if car not in cars:
                raise RunError(
                    f"folder '{path}': car is {excerpt(car)}, expected one of {', '.join(cars)}"
                    f"{suggestion(str(car), cars)}")
            return path / str(car) / CSV_NAME
        if (path / CSV_NAME).is_file():
            return path / CSV_NAME
        if not _is_bag(path) and _is_bag(path / BAG_NAME):
            return path / BAG_NAME
        if not _is_bag(path):
            raise RunError(
                f"folder '{path}' holds no run, expected {CSV_NAME}, a bag, or a folder"
                f" '{BAG_NAME}' with one")
    else:
        _check_file(path)
    return path


def _check_file(path: Path) -> None:
    """Raise RunError for a file that is neither a table nor of a bag."""
    if path.name == NAME:
        raise RunError(f"'{path}' says how a run was made and holds none; give its folder,"
                       f" '{path.parent}'")
    if path.suffix not in _SUFFIXES:
        raise RunError(f"'{path}' holds no run, expected the folder of a run, a rosbag2 folder, or"
                       f" a file {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}")


def cars_of(path: Path) -> tuple[str, ...]:
    """Names of the cars whose runs a folder or a bag holds; none for what holds a single run.

    Raises RunError, BagError or ConfigurationError for what cannot be read.
    """
    if path.is_dir() and (cars := cars_in_folder(path)):
        return cars
    found = locate(path)
    if found.suffix == '.csv':
        return ()
    check_libraries(found)
    from racecar.bags.reader import BagReader
    from racecar.bags.summary import cars_in

    with BagReader(found) as reader:
        cars = tuple(cars_in(reader.summary))
    if len(cars) < 2:
        return ()
    # In the order in which the simulator has them.
    first = [car for car in _named_cars(read_run_file_beside(found)) if car in cars]
    return (*first, *(car for car in cars if car not in first))


def cars_in_folder(path: Path) -> tuple[str, ...]:
    """Cars of a folder that has a run in a folder for each; none of any other, as of a bag.

    Raises ConfigurationError for a run.yaml that cannot be read.
    """
    if (path / CSV_NAME).is_file() or _is_bag(path) or _is_bag(path / BAG_NAME):
        return ()
    there = sorted(file.parent.name for file in path.glob(f'*/{CSV_NAME}'))
    # Else these are runs that somebody put side by side.
    named = _named_cars(read_run_file(path) if (path / NAME).is_file() else None)
    return tuple(name for name in named if name in there)


def _named_cars(file: RunFile | None) -> list[str]:
    """Cars that a run.yaml names, in their order."""
    values = None if file is None else file.values_with('cars')
    named = values['cars'] if values is not None else None
    return [*map(str, named)] if isinstance(named, list) else []


class ChosenRun(NamedTuple):
    """A run that somebody wants: where it is, a short name for it, its car if it has several."""

    path: Path
    name: str
    car: str | None


def chosen_runs(paths: Sequence[Path], car: str | None = None) -> list[ChosenRun]:
    """Runs that paths mean: of what holds those of several cars each, or the car that is named.

    Raises RunError, BagError or ConfigurationError for what cannot be read and a car that is not
    there.
    """
    found = []
    for path, name in zip(paths, names_of(paths), strict=True):
        cars = cars_of(path)
        if car is not None and cars and car not in cars:
            raise RunError(
                f"run '{path}': car is {excerpt(car)}, expected one of {', '.join(cars)}"
                f'{suggestion(car, cars)}')
        found += [ChosenRun(path, one if len(paths) == 1 else f'{name}/{one}', one)
                  for one in cars if car in (None, one)] or [ChosenRun(path, name, None)]
    if car is not None and not any(run.car for run in found):
        raise RunError(
            f'car is {excerpt(car)}, expected none, as no run has several: leave it out')
    return found


def read_cars(
    path: Path, progress: Callable[[int, int], None] | None = None,
) -> dict[str, Run]:
    """Read the runs of all cars of a folder or a bag by name; none of what holds a single run.

    They have one time: 0 s is the first sample of any. Errors as of read_run().
    """
    cars = cars_of(path)
    if cars and not cars_in_folder(path):
        # Not in every installation.
        from racecar.bags.bag_run import read_bag_runs

        found = locate(path)
        recorded = read_run_file_beside(found)
        runs = {car: _run_of_bag(path, found, read, recorded, car) for car, read in zip(
            cars, read_bag_runs(found, cars, progress), strict=True)}
    else:
        runs = {car: read_run(path, car=car, progress=progress) for car in cars}
    return dict(zip(runs, with_one_time([*runs.values()]), strict=True))


def with_one_time(runs: Sequence[Run]) -> list[Run]:
    """Runs of the cars of a bag, with 0 s at the first sample of any."""
    start_ns = min((run.start_ns for run in runs), default=0)
    return [run if run.start_ns == start_ns else _later(run, start_ns) for run in runs]


def _later(run: Run, start_ns: int) -> Run:
    """The run with times since another stamp."""
    shift = (run.start_ns - start_ns) / NANOSECONDS

    def later(t: Array) -> Array:
        return t + shift

    motion = run.motion._replace(
        t=later(run.motion.t), command_t=later(run.motion.command_t),
        state_t=later(run.motion.state_t))
    tracking = run.tracking and replace(
        run.tracking, t=later(run.tracking.t), reference_t=later(run.tracking.reference_t),
        motion=motion, origin_ns=start_ns)
    return replace(run, motion=motion, tracking=tracking, start_ns=start_ns)


def read_run(
    path: Path, *, car: str | None = None, odometry_topic: str | None = None,
    reference_topic: str | None = None, needs_reference: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Read a run from the folder of one, a bag or a CSV file.

    car: name of one of several, by default the only one. Topics and progress as for
    read_tracking_run(); a reference may be missing unless it is asked
    for by its topic or by needs_reference. The run.yaml of a CSV file tells which point of the car
    follows the reference; without it, that is base_link. Raises RunError, BagError or
    ConfigurationError with a line that says why not.
    """
    if car is not None and odometry_topic is not None:
        raise RunError(
            f'both car {excerpt(car)} and odometry topic {excerpt(odometry_topic)} are given,'
            ' expected one of them; leave one out')
    found = locate(path, car)
    recorded = read_run_file_beside(found)
    if found.suffix == '.csv':
        if car is not None and found.parent != path / car:
            raise RunError(
                f"run '{found}' is of a single car, not {excerpt(car)}; leave the car out")
        if odometry_topic or reference_topic:
            raise RunError(f"run '{found}' is a CSV file, which has no topics; leave them out")
        name = path.resolve().stem
        table = read_run_csv(found, tracked_ahead_of(recorded))
        tracking = tracking_run_of(table, name)
        if needs_reference and tracking is None:
            raise RunError(
                f"run '{found}' has no reference: its columns x_reference and y_reference are"
                ' empty')
        return _with_limits(Run(
            name, found, motion_of(table), tracking, (('CSV file', str(found)),), recorded,
            car=car or ''))
    check_libraries(found)
    # Not in every installation.
    from racecar.bags.bag_run import read_bag_run

    read = read_bag_run(found, odometry_topic, reference_topic, car=car,
                        needs_reference=needs_reference, progress=progress)
    return _run_of_bag(path, found, read, recorded, car or '')


def _run_of_bag(
    path: Path, bag: Path, read: BagRun, recorded: RunFile | None, car: str,
) -> Run:
    """Run of what was read from the bag that a path means; recorded: its run.yaml."""
    return _with_limits(Run(
        path.resolve().name, bag, read.motion, read.tracking, read.source, recorded, read.warnings,
        read.collisions, read.map_scene, car, read.start_ns))


def names_of(paths: Sequence[Path]) -> list[str]:
    """Short name for each run: as much of the end of its path as tells them apart."""
    parts = [path.resolve().with_suffix('' if path.suffix == '.csv' else path.suffix).parts[1:]
             for path in paths]
    names = [own[-1] for own in parts]
    for depth in range(2, max(map(len, parts)) + 1):
        shared = {name for name in names
                  if len({own for own, other in zip(parts, names, strict=True)
                          if other == name}) > 1}
        names = ['/'.join(own[-depth:]) if name in shared else name
                 for name, own in zip(names, parts, strict=True)]
    # One and the same run may be given twice.
    return [name if names.count(name) == 1 else f'{name} ({names[:index + 1].count(name)})'
            for index, name in enumerate(names)]


def _is_bag(path: Path) -> bool:
    return path.is_dir() and any(
        file.suffix in ('.mcap', '.db3') or file.name.endswith(('.mcap.zstd', '.db3.zstd'))
        for file in path.iterdir())


def tracked_ahead_of(file: RunFile | None) -> float:
    """How far ahead of base_link the point lies that follows the reference [m].

    0 without a file. Raises RunError if it does not say.
    """
    values = None if file is None else file.values_with('tracked_point')
    if values is None:
        return 0.0
    try:
        return tracked_ahead(values)
    except (KeyError, TypeError, ValueError, ParameterError) as error:
        raise RunError(
            f'the {NAME} of the run does not say which point was tracked: {excerpt(str(error))};'
            ' take it away to analyse base_link') from error


def _with_limits(run: Run) -> Run:
    """The run with the steering range of its car and its course, which its run.yaml tells."""
    motion = run.motion._replace(steering_range=_steering_range(run.file, run.car))
    tracking = run.tracking
    if tracking is not None and len(tracking.reference_x):
        known = tracking.course
        start = (tracking.reference_x[0], tracking.reference_y[0]) if known is None \
            else known.points[0]
        tracking = replace(
            tracking, motion=motion, course=course_of_run(run.file, start) or known)
    return replace(run, motion=motion, tracking=tracking)


def _steering_range(file: RunFile | None, car: str) -> tuple[float, float]:
    """Of the front wheels [rad]; infinite where a run.yaml does not tell."""
    if file is None:
        return steering_range_of(None)
    fleet = file.values_with('cars') if car else None
    if fleet is not None:
        try:
            return vehicles_of_cars(fleet)[car].steering_range
        # The fleet file is gone or another one now, or the run.yaml is of another version.
        except (RacecarError, KeyError, TypeError, ValueError):
            return steering_range_of(None)
    return steering_range_of(file.values_with('vehicle.steering_limit'))
