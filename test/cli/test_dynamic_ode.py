# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The configuration dynamic_ode and the tracked point: set together, a mismatch refused."""

import json

from compilation import without_compilation
import pytest

from racecar.base.errors import ConfigurationError
from racecar.cli.main import main
from racecar.control.tracker import tracked_ahead
from racecar.stacks import describe_stack, StackOptions

COG = 0.16015


def describe(stack, **options):
    return {d.full_name: d for d in describe_stack(stack, StackOptions(**options))}


def test_dynamic_ode_differs_from_kinematic_ode_by_its_linearizer():
    assert list(describe('dynamic_ode')) == [
        name.replace('kinematic', 'dynamic') for name in describe('kinematic_ode')]


@pytest.mark.parametrize(
    ('stack', 'vehicle', 'point', 'ahead'),
    [('dynamic_ode', 'racecar', 'cog', COG), ('dynamic_ode', 'report', 'cog', 0.0),
     ('kinematic_ode', 'racecar', 'base_link', 0.0)])
def test_tracked_point_and_its_place_come_with_the_configuration(stack, vehicle, point, ahead):
    values = describe(stack, vehicle=vehicle)['trajectory_tracker'].resolve()
    assert (values['tracked_point'], tracked_ahead(values)) == (point, ahead)


@pytest.mark.parametrize(
    ('stack', 'tracker', 'message'),
    [('kinematic_ode', {'tracked_point': 'cog'},
      r"'cog', 0\.16015 m ahead of base_link, but the law of kinematic_linearizer is exact for"),
     ('dynamic_ode', {'tracked_point': 'base_link'},
      r"'base_link', 0 m ahead of base_link, but the law of dynamic_linearizer is exact for the"
      r' point 0\.16015 m ahead'),
     ('dynamic_ode', {'vehicle.cog_to_rear_axle': 0.1},
      r"'cog', 0\.1 m ahead of base_link.* and the same vehicle for both")])
def test_mismatch_is_refused(stack, tracker, message):
    with pytest.raises(ConfigurationError, match=message):
        describe(stack, overrides={'trajectory_tracker': tracker})


def test_mismatch_in_a_parameter_file_is_refused(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('/**/trajectory_tracker: {ros__parameters: {tracked_point: base_link}}\n')
    with pytest.raises(ConfigurationError, match='but the law of dynamic_linearizer'):
        describe('dynamic_ode', params_file=str(path))


@pytest.mark.parametrize(
    ('stack', 'linearizer'), [('dynamic_ode', {}), ('kinematic_ode', {'reverse': False})])
def test_trajectory_in_reverse_is_refused_where_the_law_only_goes_forwards(stack, linearizer):
    name = stack.replace('ode', 'linearizer')
    with pytest.raises(ConfigurationError, match=(
            f"trajectory 'parking' of trajectory_tracker goes backwards, which {name} does not")):
        describe(stack, trajectory='parking', overrides={name: linearizer})


@pytest.mark.parametrize('stack', ['kinematic_ode', 'dynamic_ode'])
@pytest.mark.parametrize(('distance', 'epsilon'), [(0.2, 0.1), (0.1, 0.2)])
def test_distance_of_the_tracker_other_than_epsilon_is_refused(stack, distance, epsilon):
    name = stack.replace('ode', 'linearizer')
    with pytest.raises(ConfigurationError, match=(
            f'PL_distance of trajectory_tracker is {distance} m, but epsilon of {name} is'
            f' {epsilon} m')):
        describe(stack, overrides={'trajectory_tracker': {'PL_distance': distance},
                                   name: {'epsilon': epsilon}})
    describe(stack, overrides={'trajectory_tracker': {'PL_distance': epsilon},
                               name: {'epsilon': epsilon}})


def test_points_that_coincide_are_no_mismatch():
    # base_link of the report's vehicle is its centre of gravity.
    for stack in ('kinematic_ode', 'dynamic_ode'):
        for point in ('base_link', 'cog'):
            describe(stack, vehicle='report', overrides={
                'trajectory_tracker': {'tracked_point': point}})


def test_centre_of_gravity_follows_a_vehicle_changed_in_a_parameter_file(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('/**: {ros__parameters: {vehicle: {cog_to_rear_axle: 0.2}}}\n')
    nodes = describe('dynamic_ode', params_file=str(path))
    assert tracked_ahead(nodes['trajectory_tracker'].resolve()) == 0.2


def test_mismatch_is_one_line_on_the_command_line(capsys):
    assert main(['simulate', 'dynamic_ode', '--set',
                 'trajectory_tracker.tracked_point=base_link']) == 1
    error = capsys.readouterr().err
    assert error.startswith('racecar simulate: error: tracked_point of trajectory_tracker')
    assert without_compilation(error).count('\n') == 1


@pytest.mark.parametrize('trajectory', ['parking', 'waypoints'])
def test_new_trajectories_run_by_name(trajectory, capsys):
    assert main(['simulate', 'kinematic_ode', '--trajectory', trajectory, '--duration', '15',
                 '--json']) == 0
    assert json.loads(capsys.readouterr().out)['max_error'] < 0.03


def test_error_is_that_of_the_tracked_point(capsys):
    # The rear axle is 0.16 m behind the centre of gravity: it would show.
    assert main(['simulate', 'dynamic_ode', '--trajectory', 'line', '--set',
                 'trajectory_tracker.b_coeff=0.0', '--duration', '5', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['max_error'] < 0.01
