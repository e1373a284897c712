# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every node has in common: parameters from its table, nothing of rclpy overwritten."""

import gc
import re

from node_bench import RACECAR, RACECAR_DRIVER
import pytest
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, SetParameters, SetParametersAtomically
from rclpy.node import Node
from rclpy.parameter import Parameter

from racecar.base.errors import ConfigurationError
from racecar.catalogue import NODES, TABLES

pytestmark = pytest.mark.ros


@pytest.fixture
def start(bench, tmp_path):
    """Construct a node by the name of its executable with the least it asks for."""
    needed: dict[str, dict[str, object]] = {
        'trajectory_tracker': RACECAR, 'single_track_simulator': RACECAR,
        'world_simulator': RACECAR, 'servo_commands': RACECAR, 'kinematic_linearizer': RACECAR,
        'gap_follower': RACECAR, 'emergency_brake': RACECAR, 'lap_timer': {'track': 'racetrack'},
        'race_control': {**RACECAR, 'race_file': 'head_to_head', 'cars': ['red']},
        'dynamic_linearizer': RACECAR, 'driver_bridge': RACECAR_DRIVER,
        'ackermann_mux': {'config_file': 'mux/low_level'},
        'bag_recorder': {'folder': str(tmp_path / 'bag')}}
    return lambda executable: bench.start(
        NODES[executable].make_node, use_sim_time=False, **needed.get(executable, {}))


def test_every_executable_has_a_class_and_a_table():
    assert set(NODES) == set(TABLES)


@pytest.mark.parametrize('executable', NODES)
def test_no_attribute_of_the_base_class_is_overwritten(bench, start, executable):
    node = start(executable)
    for name, value in vars(bench.add(Node('plain'))).items():
        assert isinstance(getattr(node, name), type(value)), name


@pytest.mark.parametrize('executable', NODES)
def test_every_parameter_is_declared_with_range_unit_and_meaning(bench, start, executable):
    node = start(executable)
    rows = list(TABLES[executable])
    response = bench.call(
        f'{node.get_fully_qualified_name()}/describe_parameters', DescribeParameters,
        names=[row.name for row in rows])
    assert [(d.name, d.description, d.read_only, d.additional_constraints)
            for d in response.descriptors] == [
        (row.name, row.description, row.read_only, f'{row.range} {row.unit}'.strip())
        for row in rows]


def describe(bench, node, *names):
    return bench.call(f'{node.get_fully_qualified_name()}/describe_parameters',
                      DescribeParameters, names=names).descriptors


@pytest.mark.parametrize('executable', NODES)
def test_ranges_with_two_ends_are_offered_as_sliders(bench, start, executable):
    rows = [row for row in TABLES[executable] if row.type in (int, float)]
    for row, found in zip(
            rows, describe(bench, start(executable), *(row.name for row in rows)), strict=True):
        lower = row.minimum if row.above is None else row.above
        lower = lower if lower is None else min(lower, *row.also, lower)
        expected = [] if None in (lower, row.maximum) else [(lower, row.maximum)]
        other, mine = (found.integer_range, found.floating_point_range)[::1 if row.type is float
                                                                        else -1]
        assert [(entry.from_value, entry.to_value) for entry in mine] == expected, row.name
        assert not other


def test_some_parameters_have_sliders(bench, start):
    found, = describe(bench, start('kinematic_linearizer'), 'velocity_timeout')
    assert [(r.from_value, r.to_value) for r in found.floating_point_range] == [(0.0, 60.0)]
    simulator = start('single_track_simulator')
    found, = describe(bench, simulator, 'wait_for_subscribers')
    assert [(r.from_value, r.to_value) for r in found.integer_range] == [(0, 100)]


@pytest.mark.parametrize('executable', NODES)
def test_the_ends_of_a_range_can_be_set(bench, start, executable):
    node = start(executable)
    for row in TABLES[executable]:
        if row.type is float and not row.read_only:
            for value in (row.minimum, row.maximum):
                if value is not None:
                    result = bench.set_parameter(node, row.name, float(value))
                    # Two parameters may contradict each other.
                    assert result.successful or re.search(
                        'expected (less than|at most) [a-z]', result.reason), row.name


@pytest.mark.parametrize(('value', 'reason'), [
    ('hello', "parameter 'velocity_timeout' is 'hello', expected a number in (0, 60] [s]"),
    (True, "parameter 'velocity_timeout' is True, expected a number in (0, 60] [s]"),
    (60.001, "parameter 'velocity_timeout' is 60.001, expected a number in (0, 60] [s]"),
    (0.0, "parameter 'velocity_timeout' is 0.0, expected a number in (0, 60] [s]"),
    (None, "parameter 'velocity_timeout' has no value, expected a number in (0, 60] [s]")])
def test_refused_value_is_named_and_leaves_type_and_value(bench, start, value, reason):
    node = start('kinematic_linearizer')
    result = bench.set_parameter(node, 'velocity_timeout', value)
    assert not result.successful
    assert result.reason.startswith(reason)
    found, = describe(bench, node, 'velocity_timeout')
    assert found.type == ParameterType.PARAMETER_DOUBLE
    assert node.get_parameter('velocity_timeout').value == 0.2


def test_integer_where_a_number_is_meant_is_taken_as_one(bench, start):
    node = start('kinematic_linearizer')
    assert bench.set_parameter(node, 'velocity_timeout', 5).successful
    value = node.get_parameter('velocity_timeout').value
    assert (value, type(value), node.values['velocity_timeout']) == (5.0, float, 5.0)
    found, = describe(bench, node, 'velocity_timeout')
    assert found.type == ParameterType.PARAMETER_DOUBLE


def test_parameters_are_set_all_or_none(bench, start):
    node = start('kinematic_linearizer')
    result = bench.call(
        '/kinematic_linearizer/set_parameters_atomically', SetParametersAtomically,
        parameters=[Parameter(name, value=value).to_parameter_msg() for name, value in (
            ('use_sim_time', True), ('velocity_timeout', 1.0), ('odometry_timeout', 'x'))]).result
    assert not result.successful
    assert "parameter 'odometry_timeout' is 'x'" in result.reason
    assert (node.values['velocity_timeout'], node.get_parameter('use_sim_time').value) == (
        0.2, False)
    assert not node.get_clock().ros_time_is_active


def test_a_parameter_of_a_type_that_is_none_is_refused_and_ends_nothing(bench, start):
    node = start('kinematic_linearizer')
    untyped = ParameterMessage(name='velocity_timeout', value=ParameterValue(type=255))
    right = Parameter('velocity_timeout', value=1.0).to_parameter_msg()
    service = f'{node.get_fully_qualified_name()}/set_parameters'
    results = bench.call(service, SetParameters, parameters=[untyped, right]).results
    assert [result.successful for result in results] == [False, True]
    assert results[0].reason == (
        "parameter 'velocity_timeout' has the type 255, expected one of"
        ' rcl_interfaces/ParameterType, 0 to 9')
    assert node.values['velocity_timeout'] == 1.0
    right = Parameter('velocity_timeout', value=2.0).to_parameter_msg()
    result = bench.call(f'{service}_atomically', SetParametersAtomically,
                        parameters=[right, untyped]).result
    assert 'has the type 255' in result.reason
    assert not result.successful
    assert node.values['velocity_timeout'] == 1.0


def test_unknown_parameter_is_refused_with_the_nearest_name(bench, start):
    result = bench.set_parameter(start('kinematic_linearizer'), 'velocity_timout', 1.0)
    assert "'velocity_timout' is unknown here; did you mean velocity_timeout" in result.reason


@pytest.mark.parametrize('executable', NODES)
def test_every_parameter_can_be_set_to_its_own_value(bench, start, executable):
    node = start(executable)
    for row in TABLES[executable]:
        if not row.read_only:
            assert bench.set_parameter(node, row.name, node.values[row.name]).successful


@pytest.mark.parametrize('executable', NODES)
def test_unknown_parameter_is_refused_at_run_time(bench, start, executable):
    assert not bench.set_parameter(start(executable), 'no_such_parameter', 1.0).successful


@pytest.mark.parametrize('executable', NODES)
def test_parameter_cannot_be_deleted_at_run_time(bench, start, executable):
    node = start(executable)
    row = next((row for row in TABLES[executable] if not row.read_only), None)
    if row is not None:
        assert not bench.set_parameter(node, row.name, None).successful
        assert node.get_parameter(row.name).value == node.values[row.name]


def test_a_node_whose_constructor_fails_is_gone_at_once(bench):
    simulator = NODES['single_track_simulator'].make_node
    gc.disable()
    try:
        with pytest.raises(ConfigurationError, match='not a whole number of integration steps'):
            bench.start(simulator, use_sim_time=False, **{**RACECAR, 'step': 0.02})
        assert bench.probe.count_services('/single_track_simulator/set_parameters') == 0
        assert bench.probe.count_publishers('/parameter_events') == 1
        assert bench.probe.get_node_names() == ['probe']
    finally:
        gc.enable()
