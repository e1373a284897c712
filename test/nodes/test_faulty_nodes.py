# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults in nodes: the bits of the compiled loop, faults of sensors, jumps of the clock, ends."""

import numpy as np
import pytest

from racecar.base.types import NANOSECONDS, Odometry
from racecar.facade.simulation import Simulation
from racecar.simulation.ports import GROUND_TRUTH, ODOMETRY
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import ComposedStack

pytestmark = pytest.mark.ros

SIMULATOR = 'single_track_simulator'
DURATION = 3.0


def truth_of(plant):
    entity = plant.entities[0]
    shown = [output.name for output in entity.outputs]
    return entity.output(GROUND_TRUTH if GROUND_TRUTH in shown else ODOMETRY).read()


def row_of(plant):
    o = Odometry.of_body(plant.time_ns, truth_of(plant))
    return o.time_ns / NANOSECONDS, o.x, o.y, o.yaw, o.vx, o.vy, o.yaw_rate


def driven(faults, configuration='kinematic_ode', **options):
    """Rows of the true motion of a car that nodes drive in lockstep."""
    descriptions = describe_stack(configuration, StackOptions(
        **{'faults': faults, 'lockstep': True, 'real_time_factor': 0.0, 'end_time': DURATION,
           **options}))
    with ComposedStack(descriptions) as composed:
        plant, rows = composed.simulator.plant, []
        rows.append(row_of(plant))
        composed.simulator.on_advanced = lambda _: rows.append(row_of(plant))
        composed.spin()
    return np.array(rows)


def simulated(faults, configuration='kinematic_ode', **options):
    found = Simulation(configuration, StackOptions(faults=faults, **options)).run(DURATION)
    return found.table.rows[:, :7]


@pytest.mark.parametrize('faults', [
    ('kind: bias, target: odometry.yaw, onset: 0.5, size: 0.2',
     'kind: noise, target: odometry.x, onset: 1.0, size: 0.05, seed: 3',
     'kind: drop, target: command, onset: 1.5, size: 0.4, seed: 5', 'kind: play, size: 0.1'),
    ('kind: delay, target: odometry, onset: 0.5, size: 0.05',
     'kind: freeze, target: command.steering_angle, onset: 1.0, duration: 0.5',
     'kind: friction, onset: 1.5, size: 0.1'),
    ('kind: dead, target: odometry, onset: 0.5, duration: 0.8',
     'kind: blow_out, target: rear, onset: 1.0, size: 0.2',
     'kind: battery, onset: 1.7, size: 0.05'),
    ('kind: delay, target: command, onset: 0.5, size: 0.08',
     'kind: noise, target: command.speed, onset: 1.0, size: 0.1, seed: 2',
     'kind: bias, target: command.steering_angle, onset: 1.0, size: 0.05',
     'kind: stuck, target: steering, onset: 2.0, duration: 0.3'),
    ('kind: drop, target: odometry, onset: 0.3, size: 0.7, seed: 7',
     'kind: freeze, target: odometry.yaw, onset: 1.5, duration: 0.2',
     'kind: parameter, target: vehicle.mass, onset: 1.0, size: 9.0; kind: dead, target: command,'
     ' onset: 2.3')])
def test_nodes_in_lockstep_give_the_path_of_simulate_to_the_bit(faults):
    options = {'tyre_model': 'fiala'}
    np.testing.assert_array_equal(driven(faults, **options), simulated(faults, **options))
