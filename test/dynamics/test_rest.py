# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car that has stopped stands still to the last bit, whatever its model."""

from pathlib import Path

import pytest

from racecar.base.elementary import NEGLIGIBLE, settled
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand
from racecar.dynamics.vehicles import VEHICLE_MODELS, VEHICLE_PARAMETERS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator

RACECAR = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS
PLACES = ('x', 'y', 'yaw')


def stopped(model, **values):
    """Return the simulator of a car 12 s after it was told to stop in a turn."""
    simulator = make_simulator(TABLE.resolve({
        'vehicle_model': model, **load_parameter_file(RACECAR, 'single_track_simulator'),
        **values}))
    for command, ticks in ((AckermannCommand(2.0, 0.2), 200), (AckermannCommand(0.0, 0.0), 1200)):
        simulator.set_command(command)
        for _ in range(ticks):
            simulator.tick()
    return simulator


@pytest.mark.parametrize('values', [
    {}, {'tyre_model': 'fiala', 'actuators.speed_lag': 0.05, 'actuators.steering_lag': 0.05},
    {'integrator': 'euler'}, {'integrator': 'dopri5', 'tyre_model': 'pacejka'}],
    ids=['defaults', 'fiala and lags', 'euler', 'dopri5 and pacejka'])
@pytest.mark.parametrize('model', VEHICLE_MODELS)
def test_a_stopped_car_is_at_rest_exactly(model, values):
    simulator = stopped(model, **values)
    moving = {name: value for name, value in zip(
        simulator.model.state_names, simulator.state, strict=True) if name not in PLACES}
    assert moving == dict.fromkeys(moving, 0.0)
    odometry = simulator.odometry()
    assert (odometry.vx, odometry.vy, odometry.yaw_rate) == (0.0, 0.0, 0.0)
    assert abs(odometry.x) + abs(odometry.y) > 1.0


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_only_what_is_negligible_is_taken_for_rest(sign):
    assert settled(sign * 5e-324) == settled(sign * 0.99 * NEGLIGIBLE) == 0.0
    assert settled(sign * NEGLIGIBLE) == sign * NEGLIGIBLE
    assert settled(sign * float('inf')) == sign * float('inf')
    assert settled(float('nan')) != settled(float('nan'))
