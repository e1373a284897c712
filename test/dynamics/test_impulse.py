# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hits of rigid bodies: closed forms of two bodies, momentum, energy, and who cannot move."""

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.touch import Touch
from racecar.dynamics.impulse import Body, collide, FIXED, Surface

numbers = st.floats(-5.0, 5.0)
masses = st.floats(0.5, 20.0)


@st.composite
def bodies(draw):
    angle, mass, inertia = draw(st.floats(-math.pi, math.pi)), draw(masses), draw(
        st.floats(0.05, 3.0))
    return Body(draw(numbers), draw(numbers), math.cos(angle), math.sin(angle), draw(numbers),
                draw(numbers), draw(numbers), 1.0 / mass, 1.0 / mass, 1.0 / inertia)


@st.composite
def touches(draw):
    angle = draw(st.floats(-math.pi, math.pi))
    return Touch(draw(numbers), draw(numbers), math.cos(angle), math.sin(angle), 0.01)


def velocity(body, x, y):
    """Velocity of the point of a body at x, y in world axes."""
    vx = body.vx * body.cosine - body.vy * body.sine - body.yaw_rate * (y - body.y)
    vy = body.vx * body.sine + body.vy * body.cosine + body.yaw_rate * (x - body.x)
    return np.array([vx, vy])


def momentum(body):
    """Momentum along x and y, and the angular one about the origin."""
    mass = 1.0 / body.per_along
    vx, vy = velocity(body, body.x, body.y)
    return np.array([mass * vx, mass * vy,
                     body.yaw_rate / body.per_inertia + mass * (body.x * vy - body.y * vx)])


def energy(body):
    """Kinetic energy; that of a body that moves one way only is of its speed."""
    if body.per_effort:
        return 0.5 * body.vx**2 / body.per_effort
    return 0.5 * ((body.vx**2 + body.vy**2) / body.per_along
                  + body.yaw_rate**2 / body.per_inertia)


def approach(one, other, touch):
    """Speed along the normal with which two bodies part."""
    apart = velocity(other, touch.x, touch.y) - velocity(one, touch.x, touch.y)
    return float(apart @ [touch.nx, touch.ny])


@pytest.mark.parametrize('restitution', [0.0, 0.4, 1.0])
def test_two_bodies_head_on_have_the_speeds_of_the_textbook(restitution):
    one = Body(0.0, 0.0, 1.0, 0.0, 3.0, 0.0, 0.0, 1.0 / 2.0, 1.0 / 2.0, 10.0)
    other = Body(1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 1.0 / 5.0, 1.0 / 5.0, 10.0)
    hit = collide(one, other, Touch(0.5, 0.0, 1.0, 0.0, 0.0), Surface(restitution, 0.7))
    centre = (2.0 * 3.0 - 5.0 * 1.0) / 7.0
    assert hit.first.vx == pytest.approx(centre - restitution * 5.0 / 7.0 * 4.0)
    # The other one looks the other way.
    assert -hit.second.vx == pytest.approx(centre + restitution * 2.0 / 7.0 * 4.0)
    assert hit.impulse == pytest.approx((1.0 + restitution) * 4.0 / (1.0 / 2.0 + 1.0 / 5.0))


@given(bodies(), bodies(), touches(), st.floats(0.0, 1.0))
def test_without_friction_an_eccentric_hit_has_the_impulse_of_the_textbook(
        one, other, touch, restitution):
    hit = collide(one, other, touch, Surface(restitution, 0.0))
    n = np.array([touch.nx, touch.ny])
    before = approach(one, other, touch)
    arms = [(touch.x - body.x) * n[1] - (touch.y - body.y) * n[0] for body in (one, other)]
    resistance = sum(body.per_along + arm * arm * body.per_inertia
                     for body, arm in zip((one, other), arms, strict=True))
    expected = max(-(1.0 + restitution) * before / resistance, 0.0)
    assert hit.impulse == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert momentum(hit.second) - momentum(other) == pytest.approx(
        expected * np.array([*n, touch.x * n[1] - touch.y * n[0]]), rel=1e-9, abs=1e-8)
    if before < -1e-6:
        assert approach(hit.first, hit.second, touch) == pytest.approx(
            -restitution * before, rel=1e-6, abs=1e-7)


@given(bodies(), bodies(), touches(), st.floats(0.0, 1.0), st.floats(0.0, 3.0))
def test_momentum_is_kept_and_energy_never_grows(one, other, touch, restitution, friction):
    hit = collide(one, other, touch, Surface(restitution, friction))
    before = momentum(one) + momentum(other)
    assert momentum(hit.first) + momentum(hit.second) == pytest.approx(
        before, rel=1e-9, abs=1e-8)
    assert energy(hit.first) + energy(hit.second) <= (
        energy(one) + energy(other)) * (1.0 + 1e-12) + 1e-12
    # Whoever came together parts, or slides along.
    if approach(one, other, touch) < 0.0:
        assert approach(hit.first, hit.second, touch) >= -1e-9


@given(bodies(), touches(), st.floats(0.0, 1.0), st.floats(0.0, 3.0))
def test_friction_is_at_most_the_coefficient_times_the_normal_impulse(
        one, touch, restitution, friction):
    hit = collide(one, FIXED, touch, Surface(restitution, friction))
    change = (momentum(hit.first) - momentum(one))[:2]
    tangent = np.array([-touch.ny, touch.nx])
    assert abs(change @ tangent) <= friction * hit.impulse + 1e-9
    assert hit.second == FIXED
    assert energy(hit.first) <= energy(one) * (1.0 + 1e-12)


@given(st.floats(-4.0, 4.0), st.floats(-2.0, 2.0), st.floats(-3.0, 3.0), masses, touches(),
       st.floats(0.0, 1.0), st.floats(0.0, 2.0))
def test_a_body_that_moves_one_way_only_stays_on_it_and_gains_nothing(
        speed, across, turn, mass, touch, restitution, friction):
    inertia = 0.1 * mass
    effort = mass * (1.0 + across * across) + inertia * turn * turn
    body = Body(0.3, -0.2, 1.0, 0.0, speed, speed * across, speed * turn, 0.0, 0.0, 0.0, 1.0,
                across, turn, 1.0 / effort)
    hit = collide(body, FIXED, touch, Surface(restitution, friction))
    after = hit.first
    assert (after.vy, after.yaw_rate) == pytest.approx(
        (after.vx * across, after.vx * turn), abs=1e-9)
    assert 0.5 * effort * after.vx**2 <= 0.5 * effort * speed**2 * (1.0 + 1e-12) + 1e-12


def test_bodies_that_part_are_left_alone():
    one = Body(0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    hit = collide(one, FIXED, Touch(0.5, 0.0, 1.0, 0.0, 0.1), Surface(0.5, 0.5))
    assert hit == (one, FIXED, 0.0)
