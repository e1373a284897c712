# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stacks of the 3-D world over real topics: bit for bit as without ROS, and the driver."""

from contextlib import redirect_stdout
import io
import json
from typing import Any

from bag_samples import messages_in
from mcap.reader import make_reader
import pytest

from racecar.cli.main import main
from racecar.clients.driver_demonstration import DriverDemonstration
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import ComposedStack

pytestmark = pytest.mark.ros

FAST = ('--lockstep', '--real-time-factor', '0')


@pytest.fixture(autouse=True)
def without_pacejka(monkeypatch):
    monkeypatch.delenv('PACEJKA', raising=False)


def racecar(*arguments):
    """Run the command `racecar` and return the JSON object that it prints."""
    with redirect_stdout(io.StringIO()) as printed:
        assert main([*map(str, arguments), '--json']) == 0
    return json.loads(printed.getvalue())


def messages_of(folder, topic):
    """Return the serialised messages of a topic in a bag."""
    file, = folder.glob('*.mcap')
    with open(file, 'rb') as stream:
        return [message.data for _, _, message in make_reader(stream).iter_messages([topic])]


@pytest.mark.parametrize(('name', 'options'), [
    ('kinematic_world', ()), ('kinematic_world_pacejka', ('--trajectory', 'circle')),
    ('dynamic_world', ('--set', 'world_simulator.rate=100.0', '--tyre-model', 'fiala')),
    ('kinematic_world', ('--world', 'cones', '--set', 'world_simulator.contact_model=pacejka'))])
def test_nodes_in_lockstep_equal_the_simulation_without_ros(tmp_path, name, options):
    up, simulate = tmp_path / 'up.csv', tmp_path / 'simulate.csv'
    found = racecar('up', name, *FAST, '--duration', 4, '--csv', up, *options)
    expected = racecar('simulate', name, '--duration', 4, '--csv', simulate, *options)
    assert up.read_bytes() == simulate.read_bytes()
    assert {**found, 'real_time_factor': 0} == {**expected, 'real_time_factor': 0}


def test_two_runs_record_the_same_bytes_and_another_seed_other_scans(tmp_path):
    sensors = ('--world', 'room', '--sensors', 'laser,imu')
    folders = [tmp_path / name for name in ('first', 'again', 'other')]
    for folder, more in zip(folders, ((), (), ('--set', 'world_simulator.laser.seed=7')),
                            strict=True):
        racecar('up', 'kinematic_world_pacejka', *FAST, '--duration', 2, '--record', folder,
                *sensors, *more)
    for topic in ('/vesc/odom', '/scan', '/imu/data', '/racecar/joint_states', '/car_state'):
        first, again, other = (messages_of(folder, topic) for folder in folders)
        assert first == again
        assert len(first) > 40
        assert (first != other) == (topic == '/scan')


def test_the_driver_drives_in_the_world(tmp_path):
    bag = tmp_path / 'bag'
    assert main(['up', 'driver_world', *FAST, '--duration', '2', '--record', str(bag)]) == 0
    recorded: dict[Any, Any] = {}
    for row in messages_in(bag, ['/vesc/odom', '/driver/state', '/racecar/joint_states']):
        recorded.setdefault(row.topic, []).append(row.message)
    stamps = {(m.header.stamp.sec, m.header.stamp.nanosec) for m in recorded['/vesc/odom']}
    assert len(stamps) == 201
    assert recorded['/driver/state'][-1].control_mode == -1
    assert 'left_rear_wheel_joint' in recorded['/racecar/joint_states'][0].name


@pytest.mark.parametrize('vehicle', ['racecar', 'bmw_x5'])
def test_the_demonstration_of_the_driver_runs_unchanged(vehicle):
    descriptions = describe_stack('driver_world', StackOptions(
        vehicle=vehicle, lockstep=True, real_time_factor=0.0, end_time=120.0))
    events = []
    with ComposedStack(descriptions) as composed:
        driver = DriverDemonstration(lambda time, event: events.append(event))
        composed.add_node(driver)
        odometry = composed.simulator.plant.entities[0].output('odometry')

        # It is parked while the body may still swing on its springs.
        def is_at_rest():
            return driver.finished and abs(odometry.read().twist.vx) < 0.01

        composed.spin(
            lambda _: None, until=lambda: is_at_rest() or driver.failure is not None)
        assert driver.failure is None
        assert is_at_rest()
    assert events[-1] == 'park'


def test_the_chain_of_the_original_drives_in_real_time(tmp_path):
    # By six topics without stamps: mux, servo_commands, controllers of the joints. Slowly, as a
    # loaded machine delays each of them.
    found = racecar('up', 'kinematic_world', '--real-time-factor', 0.5, '--duration', 4,
                    '--skip', 3,
                    '--set', 'world_simulator.command_interface=wheel_controllers')
    assert found['rmse'] < 0.1


def test_the_chain_of_the_original_has_no_lockstep(capfd):
    assert main(['up', 'kinematic_world', '--lockstep', '--duration', '1', '--set',
                 'world_simulator.command_interface=wheel_controllers']) == 1
    assert 'whose messages have no stamp' in capfd.readouterr().err


def test_a_stack_of_the_world_composes_with_a_namespace():
    descriptions = describe_stack('kinematic_world', StackOptions(
        namespace='car1', end_time=0.5, real_time_factor=0.0, lockstep=True))
    with ComposedStack(descriptions) as composed:
        composed.spin(lambda _: None)
        assert composed.simulator.plant.time_ns == 500_000_000
