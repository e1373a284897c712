# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run of several cars in one world as one object: a Run of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import os
from pathlib import Path
from typing import TYPE_CHECKING

from racecar.base.extras import require
from racecar.base.notebook import numbers_table, page_part, warnings_list
from racecar.base.run_file import NAME, RunFile
from racecar.facade.display import drawing
from racecar.facade.run import data_frame, left_out, new_place, report_file, Run
from racecar.metrics.run_table import COLUMNS

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    import pandas

    from racecar.analysis.comparison import ComparedQuantity, ComparedRun

Figures = dict[str, dict[str, float | None]]
"""Figures of cars by their names, and then by those of the figures."""


@dataclass(frozen=True, eq=False, repr=False)
class FleetRun:
    """What the cars of one world did.

    name: for titles. cars: the run of each by the name of the car: `run.cars['red'].table`.
    warnings: what a reader of the numbers should know. skip: seconds at the start that figures and
    report leave out unless they are told otherwise.
    """

    name: str
    cars: Mapping[str, Run]
    warnings: tuple[str, ...]
    skip: float

    @classmethod
    def of_cars(cls, name: str, cars: Mapping[str, Run], skip: float) -> FleetRun:
        """The runs of some cars together, with the warnings of all; name: before their names."""
        who = ' and '.join(cars) if len(cars) < 4 else f'{len(cars)} cars'
        return cls(f'{name}, {who}', cars, tuple(
            f'{car}: {text}' for car, run in cars.items() for text in run.warnings), skip)

    @property
    def provenance(self) -> RunFile | None:
        """How it was made, as its run.yaml: one and the same for all cars."""
        return next(iter(self.cars.values())).provenance

    def metrics(self, skip: float | None = None) -> Figures:
        """Figures of each car by name, SI units: distance, speeds, effort, collisions, laps.

        skip: seconds at the start to leave out, by default `run.skip`; laps and collisions are
        those of the whole run. Raises ConfigurationError if `skip` is negative.
        """
        return {name: {key: quantity.value for key, quantity in run.quantities(skip).items()}
                for name, run in self.cars.items()}

    def quantities(self, skip: float | None = None) -> list[ComparedQuantity]:
        """Each figure with its values for all cars, in their order; skip: as of metrics()."""
        from racecar.analysis.comparison import compared_quantities

        return compared_quantities(self._compared(skip))

    def to_pandas(self) -> pandas.DataFrame:
        """Tables of all cars below each other, with the column `car` before the others.

        Raises ConfigurationError where pandas is not installed.
        """
        return data_frame({
            'car': [name for name, run in self.cars.items() for _ in range(len(run.table))],
            **{column: [value for run in self.cars.values()
                        for value in run.table[column].tolist()] for column in COLUMNS}})

    def plot(self, *, skip: float | None = None) -> Figure:
        """Draw the paths of all cars in their world, and their speeds over time.

        A notebook shows the figure, `.savefig('cars.png')` writes it; `run.cars[NAME].plot()`
        draws one car. skip: as of metrics(). Raises ConfigurationError where matplotlib is not
        installed.
        """
        require('plot()', 'matplotlib')
        from racecar.analysis.scene_figure import draw_drives_figure
        from racecar.analysis.scene_of_run import scene_of_run

        return draw_drives_figure(
            self.name, {one.shown.name: one.shown.motion for one in self._compared(skip)},
            scene_of_run(self.provenance))

    def report(self, path: str | os.PathLike[str], *, skip: float | None = None) -> Path:
        """Write a page with all cars side by side, with figures that can be zoomed; its path.

        skip: as of metrics(). Raises ConfigurationError if it cannot be written.
        """
        from racecar.analysis.comparison import comparison_report

        file = report_file(path)
        comparison_report(self._compared(skip)).write(file)
        return file

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Keep the run, with all that is needed to make it again.

        path: a new folder, which gets run.yaml and for each car a folder that `racecar.load()`
        reads. Returns it. Raises ConfigurationError if it is there or cannot be written.
        """
        place = new_place(path)
        self.fill(place)
        return place

    def fill(self, folder: Path) -> None:
        """Write what save() does into a folder that is there or can be made.

        It has no folder of a car yet. Raises ConfigurationError if it cannot be written.
        """
        for name, run in self.cars.items():
            run.save(folder / name)
        if self.provenance is not None:
            self.provenance.write(folder / NAME)

    def write(self, file: Path) -> list[Path]:
        """Write the table of each car as CSV, with run.yaml beside it; replaces them.

        file: run.csv becomes run-red.csv and so on. Returns them. Raises ConfigurationError if one
        cannot be written.
        """
        files = [file.with_name(f'{file.stem}-{name}{file.suffix}') for name in self.cars]
        for one, run in zip(files, self.cars.values(), strict=True):
            run.write(one)
        return files

    def __repr__(self) -> str:
        """Say which cars there are, and how far each drove."""
        driven = ', '.join(
            f'{name} {run.motion.distance:.4g} m' for name, run in self.cars.items())
        duration = max(run.motion.duration for run in self.cars.values())
        return f'<FleetRun {self.name}: {len(self.cars)} cars, {duration:.4g} s: {driven}>'

    def _repr_html_(self) -> str:
        """Figures and paths for a notebook."""
        rows = [(row.name, *texts, unit) for row in self.quantities()
                for texts, unit in [row.texts()]]
        return page_part(
            self.name,
            numbers_table(('', *self.cars, 'unit'), rows, numbers=range(1, len(self.cars) + 1))
            + warnings_list(self.warnings),
            drawing(self.plot, f'paths of {self.name}'))

    def _compared(self, skip: float | None) -> list[ComparedRun]:
        from racecar.analysis.comparison import ComparedRun
        from racecar.analysis.course_of_run import further_quantities
        from racecar.analysis.run_charts import ShownRun
        from racecar.analysis.scene_of_run import scene_of_run

        scene, skipped = scene_of_run(self.provenance), left_out(skip, self.skip)
        return [ComparedRun(
            ShownRun(name, run.motion.without_start(skipped), None, scene=scene), None, run.name,
            run.warnings, run.provenance, skipped,
            further=further_quantities(run.collisions, run.laps()))
            for name, run in self.cars.items()]
