# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The lap timer: odometry in, laps, sectors, progress, wrong way and track limits out."""

import math

from nav_msgs.msg import Odometry
from node_bench import stamp
import numpy as np
import pytest

from racecar.base.errors import RacecarError
from racecar.nodes.lap_timer import LapTimerNode
from racecar.ros import qos
from racecar.ros.interfaces import Laps

pytestmark = pytest.mark.ros

RADIUS, WIDTH = 10.0, 1.0


@pytest.fixture
def circle(tmp_path):
    """Waypoint file of a circle about the origin, counter-clockwise from (RADIUS, 0)."""
    file = tmp_path / 'circle.csv'
    angles = np.linspace(0.0, math.tau, 401)
    file.write_text('x,y,w_right,w_left\n' + '\n'.join(
        f'{RADIUS * math.cos(a)},{RADIUS * math.sin(a)},{WIDTH},{WIDTH}' for a in angles))
    return str(file)


class Drive:
    """A car that goes round by angles [rad], at a time [s] each, as the timer tells of it."""

    def __init__(self, bench, file, **parameters):
        self.bench = bench
        self.laps = bench.listen('/laps', Laps, qos.STATE)
        bench.start(LapTimerNode, use_sim_time=False, track=file, **parameters)

    def to(self, time, angle, radius=RADIUS, forward=True):
        """Send an odometry, and return what is told of it."""
        message = Odometry()
        message.header.stamp = stamp(time)
        message.header.frame_id, message.child_frame_id = 'map', 'base_link'
        pose = message.pose.pose
        pose.position.x, pose.position.y = radius * math.cos(angle), radius * math.sin(angle)
        yaw = angle + (0.5 if forward else -0.5) * math.pi
        pose.orientation.z, pose.orientation.w = math.sin(0.5 * yaw), math.cos(0.5 * yaw)
        count = len(self.laps)
        self.bench.send('/vesc/odom', message)
        told = self.bench.count(self.laps, count + 1)
        assert told.header.stamp == message.header.stamp
        return told


def test_laps_and_sectors_are_timed_between_two_messages(bench, circle):
    drive = Drive(bench, circle, sectors=4)
    # 0.7 rad/s, from 0.21 rad before the line; the line is crossed at 0.3 s.
    for tick in range(300):
        told = drive.to(0.1 * tick, 0.7 * (0.1 * tick - 0.3))
        if tick == 100:
            lap = math.tau / 0.7
            assert (told.laps, told.sector) == (1, 0)
            assert told.last_lap == pytest.approx(lap, abs=2e-3)
            assert told.lap_time == pytest.approx(10.0 - 0.3 - lap, abs=2e-3)
    assert told.header.frame_id == 'map'
    assert told.laps == 3
    assert told.best_lap == pytest.approx(lap, abs=2e-3)
    assert told.last_sector == pytest.approx(lap / 4.0, abs=2e-3)
    assert told.length == pytest.approx(math.tau * RADIUS, rel=1e-3)
    assert told.progress == pytest.approx(0.7 * 29.6 % math.tau * RADIUS, abs=0.05)
    assert told.driven == pytest.approx(0.7 * 29.9 * RADIUS, abs=0.05)
    assert not told.wrong_way
    assert not told.off_track


def test_wrong_way_and_track_limits_are_told(bench, circle):
    drive = Drive(bench, circle)
    for tick in range(10):
        told = drive.to(0.1 * tick, 0.1 * tick, RADIUS + 0.5)
    assert told.offset == pytest.approx(-0.5, abs=1e-3)
    assert math.isnan(told.last_lap)
    assert not told.off_track
    for tick in range(10, 15):
        told = drive.to(0.1 * tick, 0.1 * tick, RADIUS + 1.5)
    assert told.off_track
    assert told.track_exits == 1
    assert told.off_track_time == pytest.approx(0.4)
    for tick in range(15, 20):
        told = drive.to(0.1 * tick, 1.4 - 0.1 * (tick - 14), forward=False)
    assert told.wrong_way
    assert told.wrong_ways == 1
    assert not told.off_track
    # Elsewhere, and back in time: all is forgotten.
    told = drive.to(0.0, 0.0, 100.0)
    assert math.isnan(told.progress)
    assert told.wrong_ways == told.track_exits == 0


@pytest.mark.parametrize(('track', 'named'), [
    ('slalom', "'slalom', whose ends are apart, expected a closed centre line"),
    ('nowhere', "'nowhere' is neither a file nor one of")])
def test_what_is_no_closed_track_is_refused(bench, track, named):
    with pytest.raises(RacecarError, match=named):
        bench.start(LapTimerNode, track=track)


def test_without_odometry_it_says_what_it_waits_for(bench):
    node = bench.start(LapTimerNode, track='racetrack')
    assert node.waits_for() == 'waiting for the odometry on /vesc/odom'
