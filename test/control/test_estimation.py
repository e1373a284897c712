# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Kalman filter of a single track, and controllers that see their car by it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import racecar
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_vehicle
from racecar.base.vectors import vector
from racecar.control import single_track_filter as filters
from racecar.control.single_track_filter import (
    DRIFT,
    FILTER_NUMBERS,
    FilterParameters,
    SCRATCH_NUMBERS,
    SIZE,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters

CAR = VehicleParameters.from_file(find_vehicle('f1tenth'))
NOISE = FilterParameters(
    CAR.mass, CAR.yaw_inertia, CAR.cog_to_front_axle, CAR.cog_to_rear_axle,
    *filters.axle_tyres(CAR), pose_noise=0.02, heading_noise=0.01, pose_drift=0.03,
    heading_drift=0.01, drift_time=0.25, speed_noise=0.05, yaw_rate_noise=0.03)
DT, STEERING = 0.01, 0.08

MEASURED = {
    'controller.pose_noise': 0.01, 'controller.pose_drift': 0.02,
    'controller.heading_noise': 0.004, 'controller.heading_drift': 0.0075,
    'controller.speed_noise': 0.05, 'controller.yaw_rate_noise': 0.03,
    'controller.pose_delay': 0.05}
DRIVE: dict[str, Any] = {
    'vehicle': 'f1tenth', 'tyre_model': 'pacejka', 'trajectory': 'raceline', 'controller': 'lqr',
    'flying_start': True}
SHARE = {'trajectory_tracker.raceline_speed': 0.7, 'trajectory_tracker.tracked_point': 'cog',
         'controller.slip_feed_forward': 1.0}


def rates(p, state, steering):
    """The equations of the module, written down again."""
    _, _, yaw, vx, vy, r = state[:6]

    def force(tyre, slip):
        z, slide = math.tan(slip), 3.0 * tyre.limit / tyre.stiffness
        if abs(z) >= slide:
            return -math.copysign(tyre.limit, z)
        return -tyre.stiffness * z * (1.0 - abs(z) / slide + z * z / (3.0 * slide**2))

    front = force(p.front_tyre, math.atan2(vy + p.front * r, vx) - steering)
    rear = force(p.rear_tyre, math.atan2(vy - p.rear * r, vx))
    ahead = front * math.cos(steering)
    return np.array([
        vx * math.cos(yaw) - vy * math.sin(yaw), vx * math.sin(yaw) + vy * math.cos(yaw), r, 0.0,
        (ahead + rear) / p.mass - r * vx, (p.front * ahead - p.rear * rear) / p.inertia])


def across(run):
    path = run.metrics().path
    assert path is not None
    return path.cross_track_rmse


def filter_of(state, covariance):
    return vector([*state, *np.ravel(covariance), *np.zeros(SCRATCH_NUMBERS)])


def test_prediction_and_its_derivative_are_those_of_the_equations():
    state = np.array([1.0, -2.0, 0.7, 5.0, -0.2, 1.3, 0.01, -0.02, 0.005])

    def predicted(start, covariance):
        numbers = filter_of(start, covariance)
        filters.predict(NOISE, numbers, 0, FILTER_NUMBERS, STEERING, DT)
        return np.array(numbers[:SIZE]), np.reshape(numbers[SIZE:FILTER_NUMBERS], (SIZE, SIZE))

    after, noise = predicted(state, np.zeros((SIZE, SIZE)))
    keep = math.exp(-DT / NOISE.drift_time)
    expected = np.concatenate([state[:6] + DT * rates(NOISE, state, STEERING), keep * state[6:]])
    assert after == pytest.approx(expected, abs=1e-12)
    step = 1e-6
    slope = np.array([(predicted(state + step * row, noise)[0]
                       - predicted(state - step * row, noise)[0]) / (2.0 * step)
                      for row in np.eye(SIZE)]).T
    found = predicted(state, np.eye(SIZE))[1] - noise
    assert found == pytest.approx(slope @ slope.T, abs=1e-6)


def test_at_the_midpoint_a_turn_is_that_of_its_rates():
    p = NOISE._replace(midpoint=1.0, model=filters.LOOSE)
    numbers = filter_of([1.0, -2.0, 0.7, 5.0, -0.2, 1.3, 0.0, 0.0, 0.0], np.zeros((SIZE, SIZE)))
    before = np.array(numbers[:6])
    filters.predict(p, numbers, 0, FILTER_NUMBERS, STEERING, DT)
    after, noise = np.array(numbers[:6]), np.reshape(numbers[SIZE:FILTER_NUMBERS], (SIZE, SIZE))
    euler = before + DT * rates(p, before, STEERING)
    assert after[3:] == pytest.approx(euler[3:], abs=1e-12)
    # Rates that change evenly, driven in a thousand steps.
    pose = before[:3].copy()
    for part in np.arange(1000) / 1000.0 + 5e-4:
        vx, vy, r = before[3:] + part * (after[3:] - before[3:])
        c, s = math.cos(pose[2]), math.sin(pose[2])
        pose += 1e-3 * DT * np.array([vx * c - vy * s, vx * s + vy * c, r])
    assert after[:3] == pytest.approx(pose, abs=2e-6)
    assert np.abs(euler[:3] - pose).max() > 1e-4
    # Covariances of white noise that is integrated once and twice.
    q = filters.LOOSE.turning**2
    assert noise[5, 5] == pytest.approx(q * DT)
    assert noise[2, 5] == noise[5, 2] == pytest.approx(q * DT**2 / 2.0)
    assert noise[2, 2] == pytest.approx(q * DT**3 / 3.0)
    assert np.linalg.eigvalsh(noise).min() > -1e-15


def test_errors_and_innovations_are_as_large_as_the_filter_says():
    random = np.random.default_rng(5)
    runs, steps = 60, 30
    nees, motion, pose = [], [], []
    for _ in range(runs):
        truth = np.array([0.0, 0.0, 0.3, 5.0, random.normal(0.0, 0.3), 1.0, *random.normal(
            0.0, [NOISE.pose_drift, NOISE.pose_drift, NOISE.heading_drift])])
        white = np.array([NOISE.pose_noise, NOISE.pose_noise, NOISE.heading_noise])

        def measured(true, deviation=white):
            return tuple((true[:3] + true[DRIFT:] + random.normal(0.0, deviation)).tolist())

        numbers = vector(np.zeros(FILTER_NUMBERS + SCRATCH_NUMBERS))
        filters.start_filter(NOISE, numbers, 0, measured(truth), (
            truth[3] + random.normal(0.0, 0.05), truth[5] + random.normal(0.0, 0.5)))
        for _ in range(steps):
            keep = math.exp(-DT / NOISE.drift_time)
            truth[:6] += DT * rates(NOISE, truth, STEERING)
            truth[3:6] += random.normal(0.0, np.sqrt(DT) * np.array([1.0, 0.15, 0.6]))
            truth[6:] = keep * truth[6:] + math.sqrt(1.0 - keep**2) * random.normal(
                0.0, [NOISE.pose_drift, NOISE.pose_drift, NOISE.heading_drift])
            filters.predict(NOISE, numbers, 0, FILTER_NUMBERS, STEERING, DT)
            motion.append(filters.take_motion(
                NOISE, numbers, 0, FILTER_NUMBERS, truth[3] + random.normal(0.0, 0.05),
                truth[5] + random.normal(0.0, 0.03)))
            pose.append(filters.take_pose(NOISE, numbers, 0, FILTER_NUMBERS, measured(truth)))
        error = np.array(numbers[:SIZE]) - truth
        covariance = np.reshape(numbers[SIZE:FILTER_NUMBERS], (SIZE, SIZE))
        nees.append(error @ np.linalg.solve(covariance, error))
    # Chi-square: mean n and variance 2 n of each; four deviations of the mean.
    for values, freedom in ((nees, SIZE), (motion, 2), (pose, 3)):
        assert np.mean(values) == pytest.approx(
            freedom, abs=4.0 * math.sqrt(2.0 * freedom / len(values)))


def test_a_car_that_is_driven_by_the_estimate_errs_less_than_its_measurements():
    raw_error = math.hypot(0.01, 0.02)
    run = racecar.simulate('double_track', **DRIVE, duration=20.0, set={
        **SHARE, **MEASURED, 'controller.estimator': 'ekf', 'controller.noise_seed': 3})
    error = across(run)
    assert error < raw_error
    better = racecar.simulate('double_track', **DRIVE, duration=20.0, set={
        **SHARE, **MEASURED, 'controller.estimator': 'ekf_midpoint', 'controller.noise_seed': 3})
    assert across(better) < error
    raw = racecar.simulate('double_track', **DRIVE, duration=6.0, set={
        **SHARE, **MEASURED, 'controller.noise_seed': 3})
    assert across(raw) > 3.0 * error


def test_side_by_side_it_has_the_bits_of_a_run_alone_and_seeds_differ():
    settings = {**SHARE, **MEASURED, 'controller.estimator': 'ekf'}
    found = racecar.sweep('double_track', grid={'controller.noise_seed': [1, 2, 1]}, **DRIVE,
                          set=settings, duration=3.0)
    alone = racecar.simulate('double_track', **DRIVE, duration=3.0, set={
        **settings, 'controller.noise_seed': 2})
    first, second, again = found.result.rmse
    assert (second, first) == (alone.metrics().rmse, again)
    assert first != second


def test_without_noise_and_estimator_it_is_the_controller_itself():
    plain = racecar.simulate('double_track', **DRIVE, set=SHARE, duration=2.0)
    seen = racecar.simulate('double_track', **DRIVE, duration=2.0, set={
        **SHARE, 'controller.noise_seed': 5})
    np.testing.assert_allclose(seen.table.rows, plain.table.rows, atol=1e-5)


def test_wrong_settings_are_told():
    with pytest.raises(ParameterError, match="'estimator' is 'ukf', expected one of"):
        racecar.simulate('single_track', **DRIVE, duration=1.0,
                         set={**SHARE, 'controller.estimator': 'ukf'})
    with pytest.raises(ConfigurationError, match=r"has no setting 'pose_nois'.*pose_noise"):
        racecar.simulate('single_track', **DRIVE, duration=1.0,
                         set={**SHARE, 'controller.pose_nois': 0.1})
