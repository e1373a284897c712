# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run from whatever holds one: the folder of a run, a bag, or a CSV file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from racecar.analysis.course_of_run import course_of_run
from racecar.analysis.motion import Motion, steering_range_of
from racecar.analysis.run_csv import motion_of, read_run_csv, tracking_run_of
from racecar.analysis.run_data import TrackingRun
from racecar.analysis.scene_of_run import scene_of_run
from racecar.bags.libraries import check_libraries
from racecar.base.errors import excerpt, ParameterError, RunError
from racecar.base.run_file import CSV_NAME, NAME, read_run_file_beside, RunFile
from racecar.control.tracker import tracked_ahead
from racecar.scene.scene import EMPTY_SCENE, Scene

BAG_NAME = 'bag'
"""The bag in the folder of a demo."""

@dataclass(frozen=True, eq=False)
class Run:
    """A run that was read.

    path: of its bag or CSV file. tracking: odometry and reference, None for a run without a
    reference. source: rows of a report that say where it is from. file: its run.yaml, if any.
    read_warnings: those of tracking.warnings that the reader of the bag has logged. collisions:
    contacts in a bag without a reference, None if nobody counted; map_scene: the map in it.
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


def locate(path: Path) -> Path:
    """Bag or CSV file that a path means: its own, or that in the folder of a run.

    Raises RunError if there is none.
    """
    if not path.exists():
        raise RunError(f"run '{path}' does not exist; check the path")
    if path.is_dir():
        if (path / CSV_NAME).is_file():
            return path / CSV_NAME
        if not _is_bag(path) and _is_bag(path / BAG_NAME):
            return path / BAG_NAME
        if not _is_bag(path):
            raise RunError(
                f"folder '{path}' holds no run, expected {CSV_NAME}, a bag, or a folder"
                f" '{BAG_NAME}' with one")
    return path


def read_run(
    path: Path, *, odometry_topic: str | None = None, reference_topic: str | None = None,
    needs_reference: bool = False, progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Read a run from the folder of one, a bag or a CSV file.

    Topics and progress as for read_tracking_run(); a reference may be missing unless it is asked
    for by its topic or by needs_reference. The run.yaml of a CSV file tells which point of the car
    follows the reference; without it, that is base_link. Raises RunError, BagError or
    ConfigurationError with a line that says why not.
    """
    found = locate(path)
    recorded = read_run_file_beside(found)
    name = path.resolve().stem if found.suffix == '.csv' else path.resolve().name
    if found.suffix == '.csv':
        if odometry_topic or reference_topic:
            raise RunError(f"run '{found}' is a CSV file, which has no topics; leave them out")
        table = read_run_csv(found, tracked_ahead_of(recorded))
        tracking = tracking_run_of(table, name)
        if needs_reference and tracking is None:
            raise RunError(
                f"run '{found}' has no reference: its columns x_reference and y_reference are"
                ' empty')
        return _with_limits(Run(
            name, found, motion_of(table), tracking, (('CSV file', str(found)),), recorded))
    check_libraries(found)
    # Not in every installation.
    from racecar.bags.bag_run import read_bag_run

    read = read_bag_run(found, odometry_topic, reference_topic, needs_reference=needs_reference,
                        progress=progress)
    return _with_limits(Run(
        name, found, read.motion, read.tracking, read.source, recorded, read.warnings,
        read.collisions, read.map_scene))


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
    motion = run.motion._replace(steering_range=steering_range_of(
        None if run.file is None else run.file.values_with('vehicle.steering_limit')))
    tracking = run.tracking
    if tracking is not None and len(tracking.reference_x):
        known = tracking.course
        start = (tracking.reference_x[0], tracking.reference_y[0]) if known is None \
            else known.points[0]
        tracking = replace(
            tracking, motion=motion, course=course_of_run(run.file, start) or known)
    return replace(run, motion=motion, tracking=tracking)
