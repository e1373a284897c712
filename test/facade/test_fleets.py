# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points of a sweep that are made at once are, to the bit, those that are made one by one."""

import numpy as np
from presence import present
import pytest
from scripts import ROOT

from racecar.base.errors import ConfigurationError, ParameterError, RacecarError
from racecar.base.rows import flatten
from racecar.control.tracker import TRACKER_COLUMNS
from racecar.control.trajectories import TRAJECTORIES
from racecar.dynamics.vehicles import VEHICLE_MODELS
from racecar.dynamics.vehicles.parameters import VEHICLE_COLUMNS
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.model_lanes import command_limits
from racecar.stacks.loops import make_loop
from racecar.stacks.sweep import make_sweep

SIMULATOR = 'single_track_simulator'

# With it differs where base_link is, from which a car starts.
PLACES = {'vehicle.cog_to_rear_axle'}


def sweep_of(configuration='kinematic_ode', **content):
    return make_sweep(configuration, {'trajectory': 'circle', 'duration': 1.0, **content})


def alone(sweep, point):
    return make_loop(sweep.stack, sweep.values_at(point))


def assert_columns_are_those_of_each(sweep):
    """Return how many cars were made at once."""
    at_once = 0
    fleets = list(sweep.fleets())
    assert sorted(car for fleet in fleets for car in fleet.cars) == [*range(len(sweep.points))]
    for fleet in fleets:
        if fleet.columns is None:
            continue
        at_once += len(fleet.cars)
        for index, point in enumerate(fleet.cars):
            loop = alone(sweep, point)
            model = loop.simulator.model
            line = () if not len(fleet.columns.line) else [*flatten(loop.lane.car.numbers().line)]
            wanted = ((*model.parameters, *command_limits(model.vehicle)), model.state_limits,
                      loop.lane.parameters, line)
            for column, numbers in zip(fleet.columns, wanted, strict=True):
                np.testing.assert_array_equal(column[:, index], numbers)
            assert fleet.loop.simulator.state == loop.simulator.state
            if fleet.trajectories:
                assert fleet.trajectories[index] == loop.tracker.trajectory
            else:
                assert fleet.loop.tracker.trajectory == loop.tracker.trajectory
    return at_once


@pytest.mark.parametrize('model', sorted(VEHICLE_MODELS))
@pytest.mark.parametrize('name', sorted(VEHICLE_COLUMNS - PLACES))
def test_columns_are_the_numbers_of_each_car(name, model):
    base = sweep_of(grid={'vehicle.mass': [5.0]}).base[SIMULATOR]
    # Some are 0, that is off, in the racecar.
    value = base[name] or {'vehicle.friction_load_sensitivity': 0.1}.get(name, 0.41)
    sweep = sweep_of(
        grid={f'{SIMULATOR}.{name}': [0.99 * value, value, 1.01 * value]}, tyre_model='fiala',
        set={f'{SIMULATOR}.vehicle_model': model})
    assert_columns_are_those_of_each(sweep)


@pytest.mark.parametrize('tyres', ['linear', 'fiala', 'fiala_unsaturated', 'pacejka'])
@pytest.mark.parametrize('model', sorted(VEHICLE_MODELS))
def test_usual_numbers_are_made_at_once(model, tyres):
    # A car that oversteers has no steady turn.
    stiffest = 150.0 if model == 'kinematic_understeer' else 900.0
    sweep = sweep_of(
        sample={'vehicle.mass': {'uniform': [4.0, 8.0]},
                'vehicle.friction_coefficient': {'uniform': [0.3, 1.2]},
                'vehicle.front.cornering_stiffness': {'uniform': [80.0, stiffest]},
                'vehicle.speed_max': {'uniform': [2.0, 6.0]},
                f'{SIMULATOR}.vehicle.cog_height': {'uniform': [0.03, 0.06]}},
        count=6, tyre_model=tyres, set={f'{SIMULATOR}.vehicle_model': model})
    assert assert_columns_are_those_of_each(sweep) == 6


ACTUATORS = {
    'steering_delay': [0.01, 0.035, 0.004], 'speed_delay': [0.001, 0.02, 0.0],
    'steering_lag': [0.02, 0.1], 'steering_rate': [1.0, 3.0], 'steering_gain': [0.9, 1.1],
    'steering_offset': [-0.01, 0.02], 'speed_lag': [0.3, 0.1], 'acceleration': [2.0, 5.0]}


def test_numbers_of_the_actuators_are_made_at_once():
    sweep = sweep_of(grid={
        'vehicle.mass': [5.0, 6.0],
        **{f'{SIMULATOR}.actuators.{name}': values for name, values in ACTUATORS.items()
           if name in ('steering_delay', 'steering_lag', 'acceleration')}})
    assert assert_columns_are_those_of_each(sweep) == len(sweep.points)
    assert len([*sweep.fleets()]) == 1


@pytest.mark.parametrize('name', sorted(ACTUATORS))
def test_cars_with_columns_of_actuators_have_the_bits_of_each_alone(name):
    # 0 is off; some cars then have no actuators at all.
    off = 1.0 if name == 'steering_gain' else 0.0
    sweep = sweep_of(grid={f'{SIMULATOR}.actuators.{name}': [off, *ACTUATORS[name]]})
    assert assert_columns_are_those_of_each(sweep) >= 2
    together = BatchSimulation(fleets=sweep.fleets()).run(sweep.duration, record_every=1)
    for point in range(len(sweep.points)):
        single = BatchSimulation([alone(sweep, point)]).run(sweep.duration, record_every=1)
        np.testing.assert_array_equal(together.table(point).rows, single.table(0).rows)


def test_a_delay_between_steps_is_named_with_its_point():
    sweep = sweep_of(grid={f'{SIMULATOR}.actuators.speed_delay': [0.01, 0.0105, 0.02]})
    with pytest.raises(ConfigurationError, match=r'point 2 of 3 .*0\.0105 s, expected a whole'):
        [*sweep.fleets()]


def test_dynamic_law_and_its_tracker_are_made_at_once():
    sweep = sweep_of('dynamic_ode', sample={
        'vehicle.mass': {'uniform': [5.0, 6.0]},
        'vehicle.rear.cornering_stiffness': {'uniform': [200.0, 260.0]},
        'vehicle.steering_limit': {'uniform': [0.3, 0.5]}}, count=5)
    assert assert_columns_are_those_of_each(sweep) == 5


@pytest.mark.parametrize(('model', 'vehicle', 'at_once'), [
    ('single_track', 'racecar', 0), ('kinematic_bicycle', 'racecar', 0),
    # base_link of this one lies below the centre of gravity, of which the model gives the pose.
    ('single_track', 'report', 2),
    # The pose of the rear axle.
    ('kinematic_bicycle', 'report', 0), ('kinematic_understeer', 'report', 0)])
def test_points_that_start_elsewhere_are_made_one_by_one(model, vehicle, at_once):
    sweep = sweep_of(grid={'vehicle.cog_to_rear_axle': [0.15, 0.16]}, vehicle=vehicle,
                     set={f'{SIMULATOR}.vehicle_model': model})
    assert assert_columns_are_those_of_each(sweep) == at_once


def test_what_no_column_can_be_divides_the_points():
    sweep = sweep_of(grid={
        'vehicle.mass': [5.0, 5.5, 6.0], f'{SIMULATOR}.tyre_model': ['linear', 'fiala'],
        'trajectory_tracker.R': [2.0, 4.0]})
    assert assert_columns_are_those_of_each(sweep) == 12
    assert sorted(len(fleet.cars) for fleet in sweep.fleets()) == [6, 6]


@pytest.mark.parametrize('shape', sorted(TRAJECTORIES))
def test_trajectories_that_differ_in_numbers_are_made_at_once(shape):
    names = [row.name for row in TRAJECTORIES[shape].parameters if row.type is float]
    base = sweep_of(grid={'vehicle.mass': [5.0]}, trajectory=shape).base['trajectory_tracker']
    sweep = sweep_of(trajectory=shape, duration=0.5, grid={
        'vehicle.mass': [5.0, 6.0], 'trajectory_tracker.reference_origin': ['car', 'map'],
        **{f'trajectory_tracker.{name}': [base[name], 1.01 * base[name] + 1e-3]
           for name in names[:2]}})
    assert assert_columns_are_those_of_each(sweep) == len(sweep.points)
    assert len([*sweep.fleets()]) == 2
    together = BatchSimulation(fleets=sweep.fleets()).run(0.5, record_every=1, with_path=True)
    for point in range(len(sweep.points)):
        single = BatchSimulation([alone(sweep, point)]).run(0.5, record_every=1, with_path=True)
        np.testing.assert_array_equal(together.table(point).rows, single.table(0).rows)
        assert together.laps[point] == single.laps[0]
        assert present(together.path).metrics(point) == present(single.path).metrics(0)


def test_references_that_are_too_fast_are_noted_at_their_points():
    sweep = sweep_of(grid={'trajectory_tracker.R': [2.0, 50.0, 3.0, 80.0]})
    [*sweep.fleets()]
    assert {point: warning.partition(' by up to')[2][:10]
            for point, warning in sweep.outrun.items()} == {1: ' 15 m/s wh', 3: ' 24 m/s wh'}


def test_a_trajectory_that_cannot_be_is_named_with_its_point():
    sweep = sweep_of(trajectory='cycloid', grid={
        'trajectory_tracker.cycloid_distance': [0.3, 0.6, 1.5]})
    with pytest.raises(ParameterError, match=r'point 3 of 3 .*expected less than cycloid_radius'):
        [*sweep.fleets()]


@pytest.mark.parametrize('configuration', ['kinematic_ode', 'dynamic_ode'])
def test_gains_and_numbers_of_the_law_are_made_at_once(configuration):
    law = configuration.replace('ode', 'linearizer')
    sweep = sweep_of(configuration, sample={
        **{f'trajectory_tracker.{name}': {'uniform': [0.05, 0.5]}
           for name in sorted(TRACKER_COLUMNS)},
        f'{law}.epsilon': {'uniform': [0.05, 0.5]},
        f'{law}.minimum_speed': {'uniform': [0.01, 0.05]},
        'vehicle.mass': {'uniform': [5.0, 6.0]}}, count=7)
    assert assert_columns_are_those_of_each(sweep) == 7
    assert len([*sweep.fleets()]) == 1


def test_speeds_that_contradict_each_other_are_named_with_their_point():
    sweep = sweep_of('dynamic_ode', grid={'dynamic_linearizer.kinematic_speed': [0.1, 0.2, 0.9]})
    with pytest.raises(ParameterError, match=r'point 3 of 3 .*kinematic_speed=0\.9'):
        [*sweep.fleets()]


def test_batch_of_fleets_has_the_bits_of_one_of_loops():
    sweep = sweep_of(grid={
        'vehicle.mass': [5.0, 5.5, 6.0], 'trajectory_tracker.Kp': [2.0, 4.0]},
        tyre_model='fiala', set={f'{SIMULATOR}.actuators.steering_delay': 0.02})
    loops = [alone(sweep, point) for point in range(6)]
    one, other = (
        batch.run(1.0, record_every=1) for batch in (
            BatchSimulation(loops, threads=1),
            BatchSimulation(fleets=sweep.fleets(), threads=1, block_size=4)))
    np.testing.assert_array_equal(one.records, other.records)
    np.testing.assert_array_equal(one.rmse, other.rmse)


def error_of(make, sweep):
    with pytest.raises(RacecarError) as found:
        make(sweep)
    return type(found.value), str(found.value)


@pytest.mark.parametrize(('kind', 'named', 'varied'), [
    (ParameterError, 'cog_to_front_axle', {
        'grid': {'vehicle.cog_to_front_axle': [0.16, 0.15, 0.015, 0.01],
                 f'{SIMULATOR}.vehicle.cog_to_rear_axle': [0.08]}}),
    (ConfigurationError, 'is too long for', {
        'grid': {'vehicle.front.cornering_stiffness': [100.0, 5000.0, 9000.0]},
        'set': {f'{SIMULATOR}.low_speed_threshold': 0.1}}),
    (ParameterError, 'steady turn', {
        'grid': {'vehicle.rear.cornering_stiffness': [240.0, 20.0, 10.0]},
        'set': {f'{SIMULATOR}.vehicle_model': 'kinematic_understeer',
                'vehicle.front.cornering_stiffness': 900.0}}),
])
def test_error_is_that_of_the_first_point_which_cannot_be_made(kind, named, varied):
    def one_by_one(sweep):
        for point in range(len(sweep.points)):
            try:
                alone(sweep, point)
            except RacecarError as error:
                raise type(error)(
                    f'point {point + 1} of {len(sweep.points)} ({sweep.describe(point)}):'
                    f' {error}') from error

    found = error_of(lambda sweep: [*sweep.fleets()], sweep_of(**varied))
    assert found == error_of(one_by_one, sweep_of(**varied))
    assert found[0] is kind
    assert named in found[1]


def test_outrun_references_are_noted_of_each_point_whose_speed_differs():
    sweep = sweep_of(grid={'vehicle.speed_max': [3.0, 0.2, 2.5, 0.1]})
    assert [*sweep.fleets()]
    assert sorted(sweep.outrun) == [1, 3]
    assert '0.2 m/s' in sweep.outrun[1]
    assert '0.1 m/s' in sweep.outrun[3]


def test_references_beyond_the_limit_of_the_tracker_are_noted_unless_a_controller_drives():
    grid = {'trajectory_tracker.velocity_limit': [3.0, 0.2]}
    sweep = sweep_of(grid=grid)
    assert [*sweep.fleets()]
    assert [*sweep.outrun] == [1]
    assert 'trajectory_tracker.velocity_limit allows 0.2 m/s' in sweep.outrun[1]
    own = sweep_of(
        grid=grid, controller=f'{ROOT}/docs/examples/tuned_pursuit.py:TunedPursuit')
    assert [*own.custom_fleets()]
    assert not own.outrun
