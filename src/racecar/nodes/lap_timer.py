# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Times the laps of a car by its odometry, on the real car as in simulation."""

from __future__ import annotations

import math
from typing import Unpack

from nav_msgs.msg import Odometry as OdometryMessage
import numpy as np

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.frames import MAP
from racecar.base.share import find_track
from racecar.base.types import NANOSECONDS, Odometry
from racecar.catalogue import node_names
from racecar.catalogue.tables.race import LAP_TIMER
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.metrics.lap_progress import courses_of, lap_reading, line_of
from racecar.metrics.laps import Course, LapRule, LapTimer
from racecar.ros import qos, topics
from racecar.ros.codecs.odometry import read_finite_odometry
from racecar.ros.interfaces import Laps
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.raw_subscription import subscribe_raw


class LapTimerNode(TableNode):
    """Tells for each odometry where the car is on a closed track, and of its laps.

    Subscribes: vesc/odom (nav_msgs/Odometry), whose frame is to be that of the track, `map`: where
    the odometry drifts, remap it to the topic of a localisation or to ground_truth/odom.
    Publishes: laps (racecar_interfaces/Laps), with the stamp of the odometry. A time that goes
    back begins anew.
    Parameters: racecar.catalogue.tables.race.LAP_TIMER.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError or ConfigurationError for a track that is none, or is open."""
        super().__init__(node_names.LAP_TIMER, LAP_TIMER, **options)
        name = self.values['track']
        points, _, _, widths = read_way_points(find_track(name))
        course = Course.along(points, widths)
        if not course.is_closed:
            raise ConfigurationError(
                f"parameter 'track' is {excerpt(name)}, whose ends are apart, expected a closed"
                ' centre line')
        rule = LapRule(self.values['completion'], self.values['sectors'])
        self._line = line_of(courses_of([course], rule), 0)
        self._timer = LapTimer(course, rule)
        self._length = course.length
        self._has_heard = False
        self._publisher = self.create_publisher(Laps, topics.LAPS, qos.STATE)
        odometry = subscribe_raw(
            self, OdometryMessage, topics.ODOMETRY, read_finite_odometry, self._on_odometry,
            qos.ODOMETRY_SUM_SUBSCRIPTION)
        self.watch_publishers([odometry.topic_name, self._publisher.topic_name])

    def waits_for(self) -> str:
        """Topic that is silent."""
        return '' if self._has_heard else (
            f'waiting for the odometry on {self.resolve_topic_name(topics.ODOMETRY)}')

    def _on_odometry(self, odometry: Odometry) -> None:
        self._has_heard = True
        self._timer.add(*(
            np.array([value]) for value in (
                odometry.time_ns / NANOSECONDS, odometry.x, odometry.y)))
        self._publisher.publish(self._message(odometry))

    def _message(self, odometry: Odometry) -> Laps:
        state = self._timer.state
        reading = lap_reading(self._line, state, odometry.yaw)
        message = Laps(
            laps=int(reading.laps), lap_time=reading.lap_time, last_lap=reading.last_lap,
            best_lap=reading.best_lap, sector=int(state.clock.sector),
            last_sector=state.clock.last_sector, length=self._length,
            progress=reading.progress % self._length, offset=reading.offset,
            driven=reading.driven, wrong_way=reading.wrong_way > 0.0,
            wrong_ways=int(reading.wrong_ways), off_track=reading.off_track > 0.0,
            track_exits=int(reading.track_exits), off_track_time=state.exits.time)
        if math.isnan(state.place.progress):
            message.progress = message.offset = math.nan
        message.header.frame_id = MAP
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(
            odometry.time_ns, NANOSECONDS)
        return message
