# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every node has in common: parameters from its table, nothing of rclpy overwritten."""

from node_bench import RACECAR, RACECAR_DRIVER
import pytest
from rcl_interfaces.srv import DescribeParameters
from rclpy.node import Node

from racecar.catalogue import TABLES
from racecar.stacks.composing import NODE_CLASSES

pytestmark = pytest.mark.ros


@pytest.fixture
def start(bench, tmp_path):
    """Construct a node by the name of its executable with the least it asks for."""
    needed = {
        'single_track_simulator': RACECAR, 'kinematic_linearizer': RACECAR,
        'dynamic_linearizer': RACECAR, 'driver_bridge': RACECAR_DRIVER,
        'ackermann_mux': {'config_file': 'mux/low_level'},
        'bag_recorder': {'folder': str(tmp_path / 'bag')}}
    return lambda executable: bench.start(
        NODE_CLASSES[executable], use_sim_time=False, **needed.get(executable, {}))


def test_every_executable_has_a_class_and_a_table():
    assert set(NODE_CLASSES) == set(TABLES)


@pytest.mark.parametrize('executable', NODE_CLASSES)
def test_no_attribute_of_the_base_class_is_overwritten(bench, start, executable):
    node = start(executable)
    for name, value in vars(bench.add(Node('plain'))).items():
        assert isinstance(getattr(node, name), type(value)), name


@pytest.mark.parametrize('executable', NODE_CLASSES)
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


@pytest.mark.parametrize('executable', NODE_CLASSES)
def test_every_parameter_can_be_set_to_its_own_value(bench, start, executable):
    node = start(executable)
    for row in TABLES[executable]:
        if not row.read_only:
            assert bench.set_parameter(node, row.name, node.values[row.name]).successful


@pytest.mark.parametrize('executable', NODE_CLASSES)
def test_unknown_parameter_is_refused_at_run_time(bench, start, executable):
    assert not bench.set_parameter(start(executable), 'no_such_parameter', 1.0).successful


@pytest.mark.parametrize('executable', NODE_CLASSES)
def test_parameter_cannot_be_deleted_at_run_time(bench, start, executable):
    node = start(executable)
    row = next((row for row in TABLES[executable] if not row.read_only), None)
    if row is not None:
        assert not bench.set_parameter(node, row.name, None).successful
        assert node.get_parameter(row.name).value == node.values[row.name]
