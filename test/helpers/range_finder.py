# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A range finder for tests: the distance to the nearest surface straight ahead."""

import math
from typing import NamedTuple

from racecar.base.parameters import Parameter
from racecar.sensors import SensorKind


class Range(NamedTuple):
    distance: float


class RangeFinder:
    def __init__(self, values):
        self.range, self.noise = values['range'], values['noise']

    def measure(self, view, generator):
        pose = view.pose
        # Of a quaternion: where its x axis points.
        dx = 1.0 - 2.0 * (pose.qy ** 2 + pose.qz ** 2)
        dy = 2.0 * (pose.qx * pose.qy + pose.qw * pose.qz)
        hits = [self.range]
        for wall in view.scene.surfaces:
            ex, ey = wall.x2 - wall.x1, wall.y2 - wall.y1
            across = dx * ey - dy * ex
            if across == 0.0:
                continue
            ox, oy = wall.x1 - pose.x, wall.y1 - pose.y
            distance, share = (ox * ey - oy * ex) / across, (ox * dy - oy * dx) / across
            if distance >= 0.0 and 0.0 <= share <= 1.0 and pose.z <= wall.height:
                hits.append(distance)
        return Range(max(0.0, min(hits) + self.noise * generator.standard_normal()))


RANGE_FINDER = SensorKind('range_finder', Range, (
    Parameter('range', float, 10.0, 'Longest distance', 'm', above=0.0, maximum=math.inf),
    Parameter('noise', float, 0.0, 'Standard deviation', 'm', minimum=0.0)), RangeFinder)
