# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Readings of a sensor of a plant behind faults."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
import math
import zlib

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.base.random_numbers import philox
from racecar.base.readings import CameraImage, DepthImage, Imu, LaserScan
from racecar.base.types import NANOSECONDS
from racecar.sensors.mounting import NoiseSource
from racecar.simulation.faults import (
    CAMERA,
    DEAD,
    DELAY,
    DROP,
    Fault,
    FREEZE,
    IMU,
    MOST_DELAY,
    NOISE,
    SCAN,
)
from racecar.simulation.ports import Output

READINGS: Mapping[str, tuple[type, ...]] = {
    SCAN: (LaserScan,), IMU: (Imu,), CAMERA: (CameraImage, DepthImage)}
"""Types of the readings of the sensors that a target stands for."""

# Of the counter of random numbers, as no others with the same key have it.
_STREAM = 3


class FaultyOutput:
    """Output of a sensor behind its faults; output: what it shows, None where nothing arrives."""

    def __init__(
        self, output: Output, faults: Sequence[Fault], step_ns: int, time_ns: Callable[[], int],
        name: str,
    ) -> None:
        """time_ns: gives the time of the plant [ns]; name: of the sensor, with that of its robot.

        Raises ConfigurationError for a delay that is too long.
        """
        self._raw, self._time_ns = output, time_ns
        self._period_ns = output.steps * step_ns / output.spread
        # What is late is late before anything else happens to it.
        self._faults = sorted(faults, key=lambda fault: fault.kind != DELAY)
        self._number = zlib.crc32(name.encode())
        self._noise = {fault: NoiseSource(fault.seed, self._number)
                       for fault in faults if fault.kind == NOISE}
        late = [self._periods(fault) for fault in faults if fault.kind == DELAY]
        # Readings that are under way, the newest last.
        self._past: deque[object] = deque(maxlen=max(late, default=0) + 1)
        self._frozen: dict[Fault, object] = {}
        self.output = replace(output, read=self._read)
        self.restart()

    def _periods(self, fault: Fault) -> int:
        periods = round(fault.size * NANOSECONDS / self._period_ns)
        if periods > MOST_DELAY:
            raise ConfigurationError(
                f'fault delay has the size {fault.size:g} s, {periods} periods of'
                f' {self._raw.name}, expected at most {MOST_DELAY}')
        return periods

    def restart(self) -> None:
        """Forget all readings, after the time began again."""
        self._past.clear()
        self._frozen.clear()
        self.note(0)

    @property
    def _tick(self) -> int:
        return round(self._time_ns() / self._period_ns)

    def steps_ahead(self, step: int) -> int:
        """Number of steps after one at which the next reading is due."""
        return self._raw.steps_ahead(step)

    def note(self, step: int) -> None:
        """Keep what faults to come need, if there is a reading at a step."""
        if not self._raw.is_due(step):
            return
        now_ns = self._time_ns()
        next_ns = math.ceil(now_ns + self._period_ns)
        for fault in self._faults:
            acts = fault.acts_at(now_ns)
            if fault.kind == DELAY and acts:
                self._past.append(self._raw.read())
            elif fault.kind == FREEZE and (
                    fault not in self._frozen or (fault.acts_at(next_ns) and not acts)):
                self._frozen[fault] = self._raw.read()

    def _read(self) -> object:
        now_ns, tick, arrives = self._time_ns(), self._tick, True
        value: object = None
        for fault in self._faults:
            if not fault.acts_at(now_ns):
                continue
            if fault.kind == DELAY:
                arrives &= len(self._past) > self._periods(fault)
                value = self._past[0]
            elif fault.kind in (DROP, DEAD):
                share = 1.0 if fault.kind == DEAD else fault.size
                chance = philox((tick, 0, 0, _STREAM), (fault.seed, self._number))[0] * 2.0**-32
                arrives &= chance >= share
            elif fault.kind == FREEZE:
                value = self._frozen[fault]
            else:
                value = self._altered(fault, self._raw.read() if value is None else value)
        if not arrives:
            return None
        return self._raw.read() if value is None else value

    def _altered(self, fault: Fault, scan: object) -> LaserScan:
        """Scan with other ranges, of which those out of reach are as a laser shows them."""
        # Nothing else is the target of such a fault.
        assert isinstance(scan, LaserScan)
        rays = len(scan.ranges)
        added = fault.size * (
            self._noise[fault].at(self._time_ns()).standard_normal(rays)
            if fault.kind == NOISE else np.ones(rays))
        ranges = np.asarray(scan.ranges, float) + added
        measured = np.isfinite(ranges)
        ranges[measured & (ranges > scan.range_max)] = math.inf
        ranges[measured & (ranges < scan.range_min)] = -math.inf
        return scan._replace(ranges=ranges.astype(scan.ranges.dtype))
