# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps of several cars as Parquet datasets: what their rows hold, and reading them back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from racecar.base.run_file import RunFile
from racecar.facade.datasets import (
    digest_of,
    FAILURE,
    field_of,
    files_of,
    parameter_columns,
    POINT,
)
from racecar.facade.fleet_sweeps import FAULT, FleetChunk, FleetOutcome, FleetSweepTask
from racecar.metrics.quantities import Quantity
from racecar.stacks.fleet_sweep import CARS, FleetSweep

if TYPE_CHECKING:
    import pyarrow

_LABEL = 'label'


class FleetRows:
    """Rows of a sweep of several cars: parameters, figures as `red.best_lap`, `red.fault`."""

    def __init__(self, sweep: FleetSweep) -> None:
        self.sweep = sweep

    @property
    def task(self) -> FleetSweepTask:
        """What runs the points."""
        return FleetSweepTask(self.sweep)

    def content(self, made: RunFile) -> dict[str, object]:
        """What the run.yaml says of the sweep; digest: of all that decides its rows."""
        sweep = self.sweep
        return {
            CARS: [*sweep.cars], 'points': len(sweep.points), 'names': [*sweep.names],
            'units': [*sweep.units], 'is_grid': sweep.is_grid, 'duration': sweep.duration,
            'digest': digest_of(sweep, made)}

    def table(self, arrow: ModuleType, parts: Sequence[FleetChunk]) -> pyarrow.Table:
        """Rows of chunks in the order of their points, which leave none out."""
        first = parts[0].first
        outcomes = [outcome for part in parts for outcome in part.outcomes]
        unmade = {number: text for part in parts for number, text in part.unmade.items()}
        numbers = range(first, first + len(outcomes))
        fields = [field_of(arrow, POINT, arrow.int64())]
        columns = [arrow.array(numbers, arrow.int64())]
        for field, column in parameter_columns(arrow, self.sweep, numbers):
            fields.append(field)
            columns.append(column)
        for car in self.sweep.cars:
            kinds = {key: one for outcome in outcomes
                     for key, one in outcome.figures.get(car, {}).items()}
            for key, kind in kinds.items():
                values = [outcome.figures.get(car, kinds)[key].value
                          if outcome.figures else None for outcome in outcomes]
                is_whole = all(isinstance(value, int | None) for value in values)
                fields.append(field_of(
                    arrow, f'{car}.{key}', arrow.int64() if is_whole else arrow.float64(),
                    kind.unit, **{_LABEL: kind.name}))
                columns.append(arrow.array(values, fields[-1].type))
            fields.append(field_of(arrow, f'{car}.{FAULT}', arrow.string()))
            columns.append(arrow.array([outcome.faults[car] for outcome in outcomes]))
        fields.append(field_of(arrow, FAILURE, arrow.string()))
        columns.append(arrow.array([unmade.get(number) for number in numbers], arrow.string()))
        return arrow.table(columns, schema=arrow.schema(fields))

    def outcomes(self, folder: Path) -> list[FleetOutcome]:
        """What the cars did at all points that a folder has, in their order."""
        from pyarrow import parquet

        found = []
        for _, _, path in files_of(folder):
            table = parquet.read_table(path, partitioning=None)
            about = {field.name: field.metadata or {} for field in table.schema}
            for row in table.to_pylist():
                found.append(FleetOutcome({} if row[FAILURE] is not None else {
                    car: {key.removeprefix(f'{car}.'): Quantity(
                        about[key][_LABEL.encode()].decode(), value,
                        about[key].get(b'unit', b'').decode())
                        for key, value in row.items()
                        if key.startswith(f'{car}.') and _LABEL.encode() in about[key]}
                    for car in self.sweep.cars},
                    {car: row[f'{car}.{FAULT}'] for car in self.sweep.cars}))
        return found
