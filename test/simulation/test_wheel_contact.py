# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A wheel on the ground by itself: geometry, load, and the slip that its tyre sees."""

import math

from hypothesis import assume, given
from hypothesis import strategies as st
import pytest

from racecar.world.wheel_contact import (
    Carcass,
    deflect,
    Ground,
    LIMIT_PER_SPEED,
    REST_LIMIT,
    Touch,
    touch,
    Vector3,
)

RADIUS = 0.05
GROUND = Ground(30_000.0, 120.0)
CARCASS = Carcass(0.02, 0.02, 0.02, 3.6, 3.6, RADIUS)
STILL = Vector3(0.0, 0.0, 0.0)
DT = 0.001

angles = st.floats(-math.pi, math.pi)
speeds = st.floats(-5.0, 5.0)


def axle_of(yaw, camber=0.0):
    """Return the unit vector to the left of a wheel that leans by camber [rad]."""
    return Vector3(-math.sin(yaw) * math.cos(camber), math.cos(yaw) * math.cos(camber),
                   math.sin(camber))


def sliding(slip_x, slip_y, travel):
    return Touch(STILL, 1.0, 0.0, 14.0, slip_x, slip_y, travel)


def settle(slip_x, slip_y, travel, steps=20_000):
    ex = ey = 0.0
    for _ in range(steps):
        state = deflect(ex, ey, sliding(slip_x, slip_y, travel), CARCASS, DT)
        if (state.ex, state.ey) == (ex, ey):
            # All further steps would be this one.
            break
        ex, ey = state.ex, state.ey
    return state


@given(angles, st.floats(-0.5, 0.5), st.floats(0.0, 0.01))
def test_it_touches_at_the_lowest_point_of_its_circle(yaw, camber, sunk):
    centre = Vector3(1.0, 2.0, RADIUS * math.cos(camber) - sunk)
    axle = axle_of(yaw, camber)
    found = touch(centre, axle, STILL, STILL, RADIUS, GROUND)
    assume(found.load > 0.0)
    to_point = [b - a for a, b in zip(centre, found.point, strict=True)]
    assert math.hypot(*to_point) == pytest.approx(RADIUS)
    assert sum(a * b for a, b in zip(to_point, axle, strict=True)) == pytest.approx(0.0, abs=1e-12)
    # No other point of the circle is lower.
    forward = (math.cos(yaw), math.sin(yaw), 0.0)
    for step in range(-90, 91):
        turn = math.radians(step)
        z = centre.z + math.cos(turn) * to_point[2] + math.sin(turn) * RADIUS * forward[2]
        assert z >= found.point.z - 1e-12
    assert found.load == pytest.approx(GROUND.stiffness * sunk)
    assert (found.heading_x, found.heading_y) == pytest.approx(forward[:2])


@given(st.floats(0.0501, 10.0))
def test_without_touch_there_is_no_load(height):
    found = touch(Vector3(0.0, 0.0, height), axle_of(0.0), STILL, STILL, RADIUS, GROUND)
    assert found.load == 0.0


@pytest.mark.parametrize('camber', [1.2, -1.2, 0.5 * math.pi])
def test_a_wheel_on_its_side_has_no_tread_on_the_ground(camber):
    found = touch(
        Vector3(0.0, 0.0, 0.01), axle_of(0.3, camber), STILL, STILL, RADIUS, GROUND)
    assert found.load == 0.0


@given(st.floats(0.0, 0.01), st.floats(-100.0, 100.0))
def test_the_ground_never_pulls(sunk, sinking):
    found = touch(Vector3(0.0, 0.0, RADIUS - sunk), axle_of(0.0), Vector3(0.0, 0.0, sinking),
                  STILL, RADIUS, GROUND)
    assert found.load >= 0.0


@given(angles, speeds, speeds, st.floats(-100.0, 100.0), st.floats(-3.0, 3.0))
def test_slip_is_the_velocity_of_the_tread_in_the_frame_of_the_wheel(
        yaw, along, across, rotation, yaw_rate):
    c, s = math.cos(yaw), math.sin(yaw)
    axle = axle_of(yaw)
    spin = Vector3(axle.x * rotation, axle.y * rotation, yaw_rate)
    found = touch(
        Vector3(0.0, 0.0, RADIUS - 1e-4), axle,
        Vector3(along * c - across * s, along * s + across * c, 0.0), spin, RADIUS, GROUND)
    assert found.travel == pytest.approx(along, abs=1e-9)
    assert found.slip_x == pytest.approx(along - RADIUS * rotation, abs=1e-9)
    assert found.slip_y == pytest.approx(across, abs=1e-9)


@given(st.floats(0.05, 5.0), st.floats(-0.9, 2.0), st.floats(-1.0, 1.0))
def test_held_slip_is_that_of_the_double_track(travel, share, tangent):
    # Denominator: the larger of travel and rolling.
    rolling = travel * share
    fastest = max(abs(travel), abs(rolling))
    state = settle(travel - rolling, tangent * fastest, travel)
    assert state.slip == pytest.approx((travel - rolling) / fastest, rel=1e-6, abs=1e-9)
    assert state.tangent == pytest.approx(tangent, rel=1e-6, abs=1e-9)


def test_at_rest_it_is_a_spring_that_does_not_creep():
    state = deflect(0.001, -0.002, sliding(0.0, 0.0, 0.0), CARCASS, DT)
    assert (state.ex, state.ey) == (0.001, -0.002)
    assert (state.slip, state.tangent) == pytest.approx((0.05, -0.1))


def test_at_rest_it_damps():
    pushed = deflect(0.0, 0.0, sliding(0.1, 0.0, 0.0), CARCASS, DT)
    assert pushed.slip > pushed.ex / CARCASS.length
    back = deflect(pushed.ex, 0.0, sliding(-0.1, 0.0, 0.0), CARCASS, DT)
    assert back.slip < back.ex / CARCASS.length


@given(st.floats(0.1, 5.0), st.floats(-0.5, 0.5))
def test_a_step_of_slip_never_overshoots(travel, tangent):
    ey, seen = 0.0, []
    for _ in range(2000):
        state = deflect(0.0, ey, sliding(0.0, tangent * travel, travel), CARCASS, DT)
        ey = state.ey
        seen.append(abs(state.tangent))
    assert max(seen) <= abs(tangent) * (1.0 + 1e-9)


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0),
       st.floats(-1.0, 1.0))
def test_what_it_keeps_is_bounded_and_only_let_go_of(ex, ey, slip_x, slip_y, travel):
    state = deflect(ex, ey, sliding(slip_x, slip_y, travel), CARCASS, DT)
    n = 3.6 * math.hypot(state.ex, state.ey) / CARCASS.length
    fastest = max(abs(travel), abs(travel - slip_x), math.hypot(slip_x, slip_y))
    assert n <= (REST_LIMIT + LIMIT_PER_SPEED * fastest) * (1.0 + 1e-9)


def test_after_a_slide_only_what_friction_could_hold_is_left():
    ey, speed = 0.0, 1.0
    while speed > 0.0:
        ey = deflect(0.0, ey, sliding(0.0, speed, 0.0), CARCASS, DT).ey
        speed -= 9.81 * DT
    ey = deflect(0.0, ey, sliding(0.0, 0.0, 0.0), CARCASS, DT).ey
    assert 3.6 * ey / CARCASS.length == pytest.approx(REST_LIMIT)
