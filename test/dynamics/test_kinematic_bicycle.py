# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic bicycle against its circle, and the other models at walking pace against it."""

import dataclasses
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.vehicles import (
    DoubleTrack,
    KinematicBicycle,
    SingleTrackForce,
    VEHICLE_PARAMETERS,
    VehicleParameters,
)
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.simulator import Simulator

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
RACECAR = VehicleParameters.from_file(FILE)


def drive(model, commands, seconds, **options):
    simulator = Simulator(model, **options)
    for speed, angle in commands:
        simulator.set_command(AckermannCommand(speed, angle))
        for _ in range(round(seconds * 100)):
            simulator.tick()
    return simulator


@given(
    speed=st.floats(-2.0, 5.0), angle=st.floats(0.05, 1.0), side=st.sampled_from((-1.0, 1.0)),
    gain=st.sampled_from((1.0, 0.5)), x=st.floats(-5.0, 5.0), yaw=st.floats(-3.0, 3.0))
@settings(max_examples=40, deadline=None)
def test_rear_axle_runs_on_the_circle_of_the_steering_angle(speed, angle, side, gain, x, yaw):
    simulator = drive(KinematicBicycle(RACECAR, gain), [(speed, side * angle)], 1.0,
                      start=Start(Pose2(x, 1.0, yaw)))
    radius = side * RACECAR.wheelbase / math.tan(angle)
    turned = gain * speed / radius
    odometry = simulator.odometry()
    assert odometry.x == pytest.approx(x + radius * (math.sin(yaw + turned) - math.sin(yaw)),
                                       abs=1e-6)
    assert odometry.y == pytest.approx(1.0 - radius * (math.cos(yaw + turned) - math.cos(yaw)),
                                       abs=1e-6)
    assert math.remainder(odometry.yaw - yaw - turned, math.tau) == pytest.approx(0.0, abs=1e-6)
    assert (odometry.vx, odometry.vy) == (pytest.approx(gain * speed), 0.0)


def test_odometry_at_the_centre_of_gravity_moves_sideways_too():
    vehicle = dataclasses.replace(RACECAR, odometry_point='cog')
    rear, cog = (drive(KinematicBicycle(v), [(1.0, 0.3)], 1.0) for v in (RACECAR, vehicle))
    odometry = cog.odometry()
    assert odometry.vy == pytest.approx(RACECAR.cog_to_rear_axle * rear.odometry().yaw_rate)
    assert math.tan(cog.diagnostics().sideslip) == pytest.approx(odometry.vy / odometry.vx)


def test_mirrored_steering_gives_the_mirrored_path_to_the_bit():
    left, right = (
        drive(KinematicBicycle(RACECAR), [(1.0, s * 0.3), (-2.0, s * 0.1)], 1.0).state
        for s in (1.0, -1.0))
    assert right == (left[0], -left[1], -left[2])


@pytest.mark.parametrize('make', [SingleTrackForce, DoubleTrack])
@pytest.mark.parametrize('speed', [0.05, -0.05])
def test_other_models_at_walking_pace_are_the_kinematic_bicycle(make, speed):
    odometry = drive(make(RACECAR, 'fiala'), [(speed, 0.3)], 3.0).odometry()
    assert odometry.yaw_rate == pytest.approx(
        odometry.vx * math.tan(0.3) / RACECAR.wheelbase, rel=0.01)


@pytest.mark.parametrize('gain', [0.0, -1.0, math.nan])
def test_gain_must_be_positive(gain):
    with pytest.raises(ParameterError, match='speed_gain'):
        KinematicBicycle(RACECAR, gain)


@pytest.mark.parametrize(
    ('values', 'speed'),
    [({'vehicle_model': 'kinematic_bicycle', 'speed_gain': 0.5}, 0.5),
     ({'vehicle_model': 'single_track_force'}, 1.0),
     ({'vehicle_model': 'double_track', 'tyre_model': 'pacejka', 'tyre_parameters': 'wet'}, 1.0)])
def test_parameters_select_the_model(values, speed):
    table = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
    simulator = make_simulator(table.resolve({**load_parameter_file(FILE, 'any'), **values}))
    assert simulator.model.name == values['vehicle_model']
    simulator.set_command(AckermannCommand(1.0, 0.0))
    for _ in range(100):
        simulator.tick()
    assert simulator.odometry().vx == pytest.approx(speed, abs=0.01)
