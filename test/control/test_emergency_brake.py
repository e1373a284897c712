# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emergency brake: ways to contact against a motion in small steps, and when it brakes."""

import math

from hypothesis import example, given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.parameter_file import load_parameter_file
from racecar.base.readings import LaserScan
from racecar.base.share import find_config
from racecar.base.types import Odometry
from racecar.catalogue.tables.driving import EMERGENCY_BRAKE
from racecar.control.emergency_brake import (
    AHEAD,
    BrakeSettings,
    BrakeState,
    EmergencyBrake,
    free_way,
    judged,
    Motion,
    RELEASED,
    way_to_contact,
)
from racecar.dynamics.vehicles.parameters import Footprint, VehicleParameters

CAR = Footprint(0.45, 0.1, 0.15)
SETTINGS = BrakeSettings(laser_x=0.3)


def inside(points, box, grow):
    front, rear, side = box
    return ((points[0] > -rear - grow) & (points[0] < front + grow)
            & (np.abs(points[1]) < side + grow))


def seen_after(point, motion, ways):
    """A point in the frame of a car that has moved along its arc, by integrating its twist."""
    turned = motion.curvature * ways
    # Position of the car: the integral of the direction of motion, turned along.
    straight = np.sinc(turned / math.pi), np.where(
        turned == 0.0, 0.0, (1.0 - np.cos(turned)) / np.where(turned == 0.0, 1.0, turned))
    x = ways * (motion.x * straight[0] - motion.y * straight[1])
    y = ways * (motion.y * straight[0] + motion.x * straight[1])
    dx, dy = point[0] - x, point[1] - y
    return np.array([np.cos(turned) * dx + np.sin(turned) * dy,
                     -np.sin(turned) * dx + np.cos(turned) * dy])


@given(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0),
       st.one_of(st.just(0.0), st.floats(0.05, 2.0), st.floats(-2.0, -0.05)),
       st.floats(-0.4, 0.4), st.booleans())
@example(-1.5, 0.5, 0.0, 0.1875, True)
def test_the_way_is_that_of_a_motion_in_small_steps(x, y, curvature, slip, backwards):
    along = -1.0 if backwards else 1.0
    motion = Motion(along * math.cos(slip), math.sin(slip), curvature)
    point = np.array([x, y])
    if inside(point, CAR, 1e-3):
        return
    way = float(way_to_contact(point[:, np.newaxis], CAR, motion)[0])
    end = min(way, 4.0, 2.0 * math.pi / abs(curvature) if curvature else 4.0)
    before = seen_after(point, motion, np.linspace(0.0, end, 4001)[:-1])
    assert not inside(before, CAR, -1e-6).any()
    if way <= 4.0:
        at = seen_after(point, motion, np.array([way]))
        assert inside(at, CAR, 1e-6).all()
        assert not inside(at, CAR, -1e-6).any()


def test_ahead_it_is_the_distance_from_the_front_and_beside_there_is_none():
    points = np.array([[2.0, 2.0, 1.0, -1.0], [0.0, 0.149, 0.151, 0.0]])
    ways = way_to_contact(points, CAR, AHEAD)
    assert ways[:3] == pytest.approx([1.55, 1.55, math.inf], abs=1e-6)
    # Once around the earth.
    assert ways[3] > 1e6
    assert way_to_contact(points, CAR, Motion(-1.0, 0.0, 0.0))[3] == pytest.approx(0.9, abs=1e-6)


def test_on_a_circle_it_is_the_angle_that_the_car_turns_by():
    # Left with 1 m: the middle of the front edge runs on a circle of hypot(0.45, 1).
    radius, start = math.hypot(0.45, 1.0), math.atan2(-1.0, 0.45)
    turn = math.radians(50.0)
    point = np.array([[radius * math.cos(start + turn)], [1.0 + radius * math.sin(start + turn)]])
    assert way_to_contact(point, CAR, Motion(1.0, 0.0, 1.0)) == pytest.approx([turn], abs=1e-12)
    # Mirrored, as right.
    assert way_to_contact(point * [[1.0], [-1.0]], CAR, Motion(1.0, 0.0, -1.0)) == pytest.approx(
        [turn], abs=1e-12)


def test_what_is_within_the_margin_counts_by_the_vehicle_itself():
    beside, close, own = ([[0.2], [0.18]], [[0.47], [0.0]], [[0.4], [0.0]])
    for point, way in ((beside, math.inf), (close, 0.02), (own, math.inf)):
        assert free_way(np.array(point), CAR, 0.05, AHEAD) == pytest.approx(way)


def scan(ranges, span=math.pi / 2, **more):
    ranges = np.asarray(ranges, np.float32)
    values = {'angle_min': -span, 'angle_max': span,
              'angle_increment': 2.0 * span / max(len(ranges) - 1, 1), 'time_increment': 0.0,
              'scan_time': 0.025, 'range_min': 0.06, 'range_max': 10.0, **more}
    return LaserScan(**values, ranges=ranges)


def wall(distance, rays=181):
    """A wall across the way, so far ahead of the laser."""
    angles = np.linspace(-math.pi / 2, math.pi / 2, rays)
    with np.errstate(divide='ignore'):
        ranges = distance / np.maximum(np.cos(angles), 1e-9)
    return scan(np.where(ranges > 10.0, math.inf, ranges))


def corridor(half, rays=181):
    angles = np.linspace(-math.pi / 2, math.pi / 2, rays)
    with np.errstate(divide='ignore'):
        ranges = half / np.abs(np.sin(angles))
    return scan(np.where(ranges > 10.0, math.inf, ranges))


def moving(speed, yaw_rate=0.0):
    return Odometry(0, 0.0, 0.0, 0.0, 1.0, speed, 0.0, yaw_rate)


def verdict_of(seen, odometry, state=None, settings=SETTINGS):
    state = BrakeState() if state is None else state
    return judged(state, seen, odometry, settings, CAR)[1]


@pytest.mark.parametrize('speed', [0.5, 2.0, 6.0])
def test_it_brakes_where_reaction_and_braking_take_the_way_and_not_before(speed):
    needed = speed * 0.2 + speed * speed / 12.0
    # The front is 0.15 m ahead of the laser, the margin 0.05 m.
    late = verdict_of(wall(needed + 0.2 - 0.01), moving(speed))
    assert late.brakes
    assert late.time == pytest.approx((needed - 0.01) / speed, abs=1e-5)
    assert not verdict_of(wall(needed + 0.2 + 0.01), moving(speed)).brakes


def test_walls_beside_the_car_do_not_brake_it_as_those_of_a_point_would():
    seen, speed = corridor(0.4), 6.0
    angles = np.linspace(-math.pi / 2, math.pi / 2, 181)
    with np.errstate(divide='ignore', invalid='ignore'):
        point = np.nanmin(np.where(np.cos(angles) > 0.0, seen.ranges / (
            speed * np.cos(angles)), math.inf))
    assert point < 0.2
    assert not verdict_of(seen, moving(speed)).brakes


def test_it_looks_along_the_arc():
    # The wall is ahead; the car turns away before it.
    assert verdict_of(wall(1.0), moving(3.0)).brakes
    assert not verdict_of(wall(1.0), moving(3.0, 9.0)).brakes
    # And towards a wall beside it.
    assert not verdict_of(corridor(0.5), moving(3.0)).brakes
    assert verdict_of(corridor(0.5), moving(3.0, 6.0)).brakes


def test_it_stays_braked_before_a_wall_and_lets_go_once_the_way_is_free():
    state, verdict = judged(BrakeState(), wall(0.6), moving(3.0), SETTINGS, CAR)
    assert verdict.brakes
    for distance in (0.3, 0.6):
        state, verdict = judged(state, wall(distance), moving(0.0), SETTINGS, CAR)
        assert verdict.brakes
    state, verdict = judged(state, wall(0.75), moving(0.0), SETTINGS, CAR)
    assert not verdict.brakes
    # Who has not braked may start from there.
    assert not judged(BrakeState(), wall(0.3), moving(0.0), SETTINGS, CAR)[1].brakes


def test_a_brake_that_holds_has_to_be_released():
    settings = SETTINGS._replace(hold=RELEASED)
    state, _ = judged(BrakeState(), wall(0.6), moving(3.0), settings, CAR)
    for _ in range(3):
        state, verdict = judged(state, wall(9.0), moving(0.0), settings, CAR)
        assert verdict.brakes
    assert not judged(BrakeState(), wall(9.0), moving(0.0), settings, CAR)[1].brakes


NONE = {'NaN': math.nan, 'negative': -1.0, 'zero': 0.0, 'below the shortest': 0.01}


@pytest.mark.parametrize('value', NONE.values(), ids=NONE)
def test_rays_that_tell_nothing_do_not_release_the_brake(value):
    blinded = wall(9.0).ranges.copy()
    blinded[80:101] = value
    braking = BrakeState(True, AHEAD)
    assert verdict_of(scan(blinded), moving(0.0), braking).brakes
    # But of a few that are always so, a car that drives is not stopped.
    assert not verdict_of(scan(blinded), moving(2.0)).brakes
    assert verdict_of(scan(np.full(181, value)), moving(0.0)).brakes


def test_nearer_than_it_can_measure_is_close():
    ranges = wall(9.0).ranges.copy()
    ranges[90] = -math.inf
    assert verdict_of(scan(ranges), moving(1.0)).brakes


@pytest.mark.parametrize('seen', [
    scan([]), scan([1.0] * 10, range_min=math.nan)], ids=['empty', 'no shortest range'])
def test_a_scan_without_ranges_brakes(seen):
    verdict = verdict_of(seen, moving(0.0))
    assert verdict.brakes
    assert 'too few ranges' in verdict.why


def test_an_emergency_stop_lasts_until_it_is_released():
    values = EMERGENCY_BRAKE.resolve(
        load_parameter_file(find_config('vehicles/racecar'), 'emergency_brake'))
    brake = EmergencyBrake(values, VehicleParameters.from_values(values))
    assert not brake.judge(wall(9.0), moving(1.0, 0.5)).brakes
    angle = math.atan(VehicleParameters.from_values(values).wheelbase * 0.5)
    assert brake.steering_angle == pytest.approx(angle)
    brake.stopped = True
    assert brake.judge(wall(9.0), moving(0.0)).brakes
    # As when it still moved.
    assert brake.steering_angle == pytest.approx(angle)
    assert brake.judge(wall(9.0), moving(-1.0, 0.5)).brakes
    assert brake.steering_angle == pytest.approx(-angle)
    brake.release()
    assert not brake.judge(wall(9.0), moving(1.0)).brakes


def test_place_and_direction_of_the_laser_count():
    ranges = np.full(181, math.inf)
    # To the right of a laser that looks left: ahead.
    ranges[0] = 1.0
    settings = SETTINGS._replace(laser_y=0.1, laser_yaw=math.pi / 2)
    assert verdict_of(scan(ranges), moving(1.0), settings=settings).way == pytest.approx(
        0.8, abs=1e-6)
    assert not verdict_of(
        scan(ranges), moving(9.0), settings=settings._replace(laser_y=0.25)).brakes


@pytest.mark.parametrize(('blind', 'brakes'), [(0.4, False), (0.6, True)])
def test_half_of_the_rays_have_to_tell_something(blind, brakes):
    ranges = np.full(100, 9.0)
    ranges[:round(100 * blind)] = math.nan
    assert verdict_of(scan(ranges), moving(1.0)).brakes is brakes


def test_the_noise_of_a_car_that_stands_does_not_turn_its_wheels():
    state, _ = judged(BrakeState(), wall(9.0), moving(1.0, 0.5), SETTINGS, CAR)
    after, _ = judged(state, wall(9.0), moving(0.01, 3.0), SETTINGS, CAR)
    assert after.motion == state.motion
