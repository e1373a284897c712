# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several differential-drive robots over topics: lockstep, lasers, contacts, services."""

from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
import pytest
from sensor_msgs.msg import JointState, LaserScan
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool

from racecar.base.errors import ConfigurationError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.nodes.differential_wheels_simulator import DifferentialWheelsSimulatorNode
from racecar.ros import qos
from racecar.ros.interfaces import SetFloat
from racecar.stacks import describe_stack, StackOptions

pytestmark = pytest.mark.ros

PIONEER = load_parameter_file(find_config('robots/pioneer'), 'any_node')
NAME = '/differential_wheels_simulator'
WHEELS = 'left_wheel_joint', 'right_wheel_joint'


class Robots:
    """A simulator of red and blue in lockstep; the test answers for each of them."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.odometry = {name: bench.listen(f'/{name}/odom', Odometry, qos.ODOMETRY)
                         for name in ('red', 'blue')}
        self.node = bench.start(
            DifferentialWheelsSimulatorNode, use_sim_time=False, remap={
                f'{name}/vesc/odom': f'{name}/odom' for name in self.odometry},
            **{**PIONEER, 'cars': [*self.odometry], 'lockstep': True, 'real_time_factor': 0.0,
               'robot__max_acceleration': 1e6, **parameters})
        bench.until(lambda: all(self.odometry.values()), 'the first odometry')

    def drive(self, ticks, red=None, blue=None):
        """Answer so many odometry messages: red by cmd_vel [m/s], blue by wheel speeds [rad/s]."""
        for _ in range(ticks):
            before = {name: len(heard) for name, heard in self.odometry.items()}
            if red is not None:
                message = TwistStamped()
                message.twist.linear.x = red
                message.header.stamp = self.odometry['red'][-1].header.stamp
                self.bench.send('/red/cmd_vel', message)
            if blue is not None:
                wheels = JointState(name=[*WHEELS], velocity=[blue, blue])
                wheels.header.stamp = self.odometry['blue'][-1].header.stamp
                self.bench.send('/blue/wheel_speeds', wheels)
            self.bench.until(lambda: all(
                len(heard) > before[name] for name, heard in self.odometry.items()),  # noqa: B023
                'the next odometry of both robots')


@pytest.mark.parametrize('mode', ['kinematics', 'world'])
def test_each_robot_has_topics_frames_laser_and_services_of_its_own(bench, mode):
    scans = bench.listen('/blue/scan', LaserScan)
    robots = Robots(bench, mode=mode, sensors=['laser'], laser__z=0.15,
                    grid_spacing=2.0)
    robots.drive(3, red=0.5, blue=2.0)
    for name, x in (('red', 0.0), ('blue', -2.0)):
        first, last = robots.odometry[name][0], robots.odometry[name][-1]
        assert (first.header.frame_id, first.child_frame_id) == (
            f'{name}/odom', f'{name}/base_link')
        assert first.pose.pose.position.x == pytest.approx(x, abs=1e-3)
        assert last.pose.pose.position.x > first.pose.pose.position.x
    bench.until(lambda: scans, 'a scan of blue')
    assert scans[0].header.frame_id == 'blue/laser'
    # From the laser to the rear of red.
    assert 1.4 < min(scans[0].ranges) < 2.0
    answer = bench.call(f'{NAME}/blue/enable_encoders', SetBool, data=False)
    assert (answer.success, answer.message) == (True, 'disabled')
    answer = bench.call(f'{NAME}/red/set_left_encoder', SetFloat, value=7.0)
    assert answer.success
    red, blue = robots.node.plant.entities
    assert red.output('encoders').read().left == 7.0
    assert blue.output('encoders').read().left != blue.output('encoders').read().left


def test_a_robot_runs_into_one_that_is_silent_and_retired_and_stands(bench):
    touches = bench.listen('/red/in_collision', Bool, qos.LATCHED)
    retired = bench.listen('/red/retired', String, qos.LATCHED)
    robots = Robots(bench, lockstep_deadline=0.3, lockstep_policy='retire', grid_spacing=0.6)
    robots.drive(2, red=0.0, blue=0.0)
    robots.drive(30, blue=5.0)
    bench.until(lambda: touches and touches[-1].data, 'a contact of red')
    bench.until(lambda: retired, 'why red is retired')
    assert retired[-1].data == (
        '1 odometry message unanswered, retired at 0.02 s (lockstep_policy retire)')
    red, blue = (robots.odometry[name][-1] for name in ('red', 'blue'))
    assert 'came on /red/' in bench.logged('no command stamped')
    assert blue.twist.twist.linear.x == 0.0
    # Front of blue at the rear of red: as its file has them.
    apart = red.pose.pose.position.x - blue.pose.pose.position.x
    assert apart == pytest.approx(0.21 + 0.301, abs=1e-3)


def nodes(**options):
    return {d.full_name: d for d in describe_stack('differential_plant', StackOptions(**options))}


def test_nodes_of_all_robots_and_what_they_are_told(tmp_path):
    fleet = tmp_path / 'fleet.yaml'
    fleet.write_text('[{name: red}, {name: blue, vehicle: khepera, set: {trajectory_tracker:'
                     ' {Kp: 3.0}}}]')
    found = nodes(cars=(str(fleet),), lockstep=True, record=str(tmp_path / 'bag'))
    assert {'differential_wheels_simulator', 'red/trajectory_tracker',
            'blue/trajectory_tracker'} <= set(found)
    simulator = found['differential_wheels_simulator'].resolve()
    assert simulator['cars'] == ['red', 'blue']
    assert simulator['wait_for_publishers'] == ['red/cmd_vel', 'blue/cmd_vel']
    # Those of the file of its robot.
    assert [found[f'{name}/trajectory_tracker'].resolve()['PL_distance']
            for name in ('red', 'blue')] == [0.2, 0.03]
    assert found['blue/trajectory_tracker'].resolve()['Kp'] == 3.0
    recorded = found['bag_recorder'].resolve()['topics']
    assert {'red/odom', 'blue/odom', 'red/cmd_vel', 'blue/encoders/left', 'tf'} <= {*recorded}


@pytest.mark.parametrize(('stack', 'options', 'message'), [
    ('differential_wheels', {}, 'one reference at the same time: take differential_plant'),
    ('differential_plant', {'race': 'head_to_head'}, 'differential_plant has no command muxes'),
    ('differential_plant', {'controller': 'gap'}, 'take differential_plant and publish cmd_vel'),
])
def test_what_several_robots_cannot_have_is_refused(stack, options, message):
    with pytest.raises(ConfigurationError, match=message):
        describe_stack(stack, StackOptions(cars=('a', 'b'), **options))
