# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A laser range finder that sweeps a plane: the scanner of the car.

Ranges are exact against walls, boxes, cones and the cells of a map. What is lower than the laser
is not seen. Ranges follow REP 117: beyond the longest range +inf, below the shortest -inf, unless
they are clipped.
"""

from __future__ import annotations

import math

import numpy as np

from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter
from racecar.base.readings import LaserScan
from racecar.base.types import NANOSECONDS
from racecar.base.values import flag_of, integer_of, number_of, Values
from racecar.sensors.beams import Beams
from racecar.sensors.interface import DELAY, SensorKind, View
from racecar.sensors.laser_readings import LaserErrors, Ranges, read_noisy, read_ranges
from racecar.sensors.noise import seed_of
from racecar.sensors.scans_together import ScansTogether

PARAMETERS = (
    Parameter('angle_min', float, -2.3561944902, 'Angle of the first ray', 'rad',
              minimum=-2.0 * math.pi, maximum=2.0 * math.pi, read_only=True),
    Parameter('angle_max', float, 2.3561944902, 'Angle of the last ray', 'rad',
              minimum=-2.0 * math.pi, maximum=2.0 * math.pi, read_only=True),
    Parameter('rays', int, 1081, 'Number of rays', minimum=1, maximum=100_000, read_only=True),
    Parameter('range_min', float, 0.1, 'Shortest range; what is nearer gives -inf', 'm',
              minimum=0.0, maximum=1000.0, read_only=True),
    Parameter('range_max', float, 10.0, 'Longest range; what is further gives +inf', 'm',
              above=0.0, maximum=1000.0, read_only=True),
    Parameter('clip', bool, False, 'What is nearer or further gives the shortest or longest range'
              ' in place of -inf or +inf, against REP 117 but as simulators of courses do',
              read_only=True),
    Parameter('resolution', float, 0.01, 'Ranges are whole multiples of it; 0: of nothing', 'm',
              minimum=0.0, maximum=10.0, read_only=True),
    Parameter('noise', float, 0.01, 'Standard deviation of the Gaussian noise of ranges', 'm',
              minimum=0.0, maximum=10.0, read_only=True),
    Parameter('sweep_time', float, 0.0, 'Time from the first ray to the last, during which the'
              ' motion of the laser skews the scan; 0: all at once', 's', minimum=0.0,
              maximum=60.0, read_only=True),
    Parameter(DELAY, float, 0.0, 'Time from a scan to when it is shown, a whole number of periods'
              ' of rate; until then the first one is', 's', minimum=0.0, maximum=10.0,
              read_only=True),
)


class Laser:
    """The laser with its settings.

    beams: as they go out; errors: what a reading differs by from the truth; limits: shortest and
    longest range to which readings are clipped [m], None if they are not.
    """

    def __init__(self, values: Values) -> None:
        """values: rows of PARAMETERS and the rate [Hz].

        Raises ParameterError for angles that are no range of at most a turn, a shortest range
        that is not the smaller one, and a sweep that takes longer than the next begins.
        """
        low, high, nearest, farthest, rate, sweep, noise, resolution = (
            number_of(values, name) for name in (
                'angle_min', 'angle_max', 'range_min', 'range_max', 'rate', 'sweep_time', 'noise',
                'resolution'))
        span, rays = high - low, integer_of(values, 'rays')
        if not (0.0 < span <= 2.0 * math.pi + 1e-9 or rays == 1):
            raise ParameterError(
                f"parameter 'angle_max' is {high:g} rad and angle_min {low:g} rad, expected the"
                ' first to be larger by at most a full turn')
        if nearest >= farthest:
            raise ParameterError(
                f"parameter 'range_min' is {nearest:g} m and range_max {farthest:g} m, expected"
                ' the first to be smaller')
        if sweep * rate > 1.0 + 1e-9:
            raise ParameterError(
                f"parameter 'sweep_time' is {sweep:g} s, expected at most the period of"
                f' {1.0 / rate:g} s')
        self._noise = noise
        self.limits = (nearest, farthest) if flag_of(values, 'clip') else None
        self.beams = Beams.spread(low, high, rays, farthest, sweep)
        gaps = max(rays - 1, 1)
        self.errors = LaserErrors(noise, resolution, nearest, farthest)
        # What all scans have in common: all but the ranges.
        self._facts = (
            low, high if rays > 1 else low, (high - low) / gaps if rays > 1 else 0.0,
            sweep / gaps, 1.0 / rate, nearest, farthest)
        self._sweep_ns = round(sweep * NANOSECONDS)
        self._no_noise = np.zeros(rays)

    def measure(self, view: View, generator: np.random.Generator) -> LaserScan:
        """Return a scan whose last ray goes out at the time of the view.

        During a sweep the laser moves with the twist of the view, the objects not at all.
        """
        truth = self.beams.distances(view.scene, view.objects(), view.pose, view.twist)
        ranges = np.empty(self.beams.count, np.float32)
        if self._noise == 0.0:
            read_ranges(truth, self._no_noise, self.errors, ranges)
        else:
            # One call: each costs as much as a hundred rays.
            read_noisy(truth, seed_of(generator), self.errors, ranges)
        if self.limits is not None:
            np.clip(ranges, *self.limits, out=ranges)
        return self.scan_of(ranges, view.age_ns)

    def scan_of(self, ranges: Ranges, age_ns: int = 0) -> LaserScan:
        """Scan with ranges [m] of which the last was read so long ago [ns]."""
        return LaserScan(*self._facts, ranges, self._sweep_ns + age_ns)


LASER = SensorKind(
    'laser', LaserScan, PARAMETERS, Laser, rate=40.0, together=ScansTogether)
