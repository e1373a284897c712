# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node kinematic_linearizer over real topics, its time given by the test."""

import math

from ackermann_msgs.msg import AckermannDriveStamped
from node_bench import kinematic_linearizer, odometry, RACECAR, seconds, velocity
import pytest

from racecar.base.errors import ParameterError

pytestmark = pytest.mark.ros

OUTPUT = '/vesc/ackermann_cmd_mux/input/navigation'
TURN = math.atan(0.325 * (0.1 / 0.1) / 1.0)  # steering for the velocity (1.0, 0.1) at yaw 0


class Linearizer:
    """A linearizer and the commands that it sends."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.commands = bench.listen(OUTPUT, AckermannDriveStamped)
        self.node = bench.start(kinematic_linearizer, **{**RACECAR, **parameters})

    def see(self, at, **more):
        """Show it the car at a time, without any velocity."""
        before = self.bench.handled(self.node, '/vesc/odom')
        self.bench.send('/vesc/odom', odometry(at, **more))
        if not self.node.values['lockstep']:
            self.bench.set_clock(at)
            # Nothing tells that the odometry arrived, for it causes no message.
            self.bench.until(
                lambda: self.bench.handled(self.node, '/vesc/odom') > before, 'the odometry')

    def ask(self, at, x, y=0.0, **more):
        """Send a velocity and return the command that answers."""
        sent = len(self.commands)
        self.bench.send('/virtual_velocities', velocity(at, x, y, **more))
        self.bench.count(self.commands, sent + 1)
        return self.last

    @property
    def last(self):
        drive = self.commands[-1].drive
        return drive.speed, drive.steering_angle


@pytest.fixture
def linearizer(bench):
    return lambda **parameters: Linearizer(bench, **parameters)


@pytest.fixture
def lockstep(bench):
    return lambda **parameters: Linearizer(bench, lockstep=True, **parameters)


def near(*values):
    """Compare with numbers of single precision."""
    return pytest.approx(values, rel=1e-6)


def test_missing_vehicle_is_refused_at_start(bench):
    with pytest.raises(ParameterError, match=r"'vehicle\.name' is missing and has no default"):
        bench.start(kinematic_linearizer)


def test_bad_vehicle_is_refused_at_start(bench):
    with pytest.raises(ParameterError, match=(
            r"'vehicle\.steering_limit' is 2\.0, expected a number in \(0, 1\.5708\] \[rad\]")):
        bench.start(kinematic_linearizer, **{**RACECAR, 'vehicle.steering_limit': 2.0})


def test_velocity_becomes_speed_and_steering(linearizer):
    law = linearizer()
    law.see(1.0)
    assert law.ask(1.0, 1.0, 0.1) == near(1.0, TURN)


def test_heading_of_the_car_turns_the_velocity(linearizer):
    law = linearizer()
    law.see(1.0, yaw=0.5 * math.pi)
    assert law.ask(1.0, -0.1, 1.0) == near(1.0, TURN)


def test_command_carries_the_stamp_of_the_velocity(linearizer):
    law = linearizer()
    law.see(1.0)
    law.ask(0.95, 1.0)
    assert seconds(law.commands[-1]) == 0.95
    assert law.commands[-1].header.frame_id == 'base_link'


def test_unstamped_velocity_is_taken(linearizer):
    law = linearizer()
    law.see(1.0)
    assert law.ask(0.0, 1.0, 0.1) == near(1.0, TURN)


@pytest.mark.parametrize('frame', ['map', 'odom', ''])
def test_frames_that_coincide_with_map_are_taken(linearizer, frame):
    law = linearizer()
    law.see(1.0)
    assert law.ask(1.0, 0.5, frame=frame) == near(0.5, 0.0)


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize('component', ['x', 'y'])
def test_velocity_that_is_not_finite_is_dropped(linearizer, component, bad):
    law = linearizer()
    law.see(1.0)
    law.bench.send('/virtual_velocities', velocity(1.0, **{'x': 1.0, component: bad}))
    assert 'expected finite numbers' in law.bench.logged('virtual velocity dropped')
    assert law.ask(1.0, 0.5) == near(0.5, 0.0)


def test_velocity_in_another_frame_is_dropped(linearizer):
    law = linearizer()
    law.see(1.0)
    law.bench.send('/virtual_velocities', velocity(1.0, 1.0, frame='base_link'))
    assert "frame_id is 'base_link', expected 'map'" in law.bench.logged('velocity dropped')
    assert law.ask(1.0, 0.5) == near(0.5, 0.0)


def test_velocity_with_an_old_stamp_is_dropped(linearizer):
    law = linearizer(velocity_timeout=0.2)
    law.see(5.0)
    law.bench.send('/virtual_velocities', velocity(4.7, 1.0))
    assert 'its stamp is 0.300 s old, more than the timeout of 0.2 s' in law.bench.logged(
        'velocity dropped')
    assert law.ask(4.9, 0.5) == near(0.5, 0.0)


def test_velocity_before_any_odometry_is_not_used(linearizer):
    law = linearizer()
    law.bench.set_clock(1.0)
    law.bench.send('/virtual_velocities', velocity(1.0, 1.0))
    law.bench.logged('virtual velocity not used: no odometry yet on /vesc/odom')
    law.see(1.0)
    assert law.ask(1.0, 0.5) == near(0.5, 0.0)


def test_old_odometry_is_not_used(linearizer):
    law = linearizer(odometry_timeout=0.5)
    law.see(1.0)
    law.bench.set_clock(1.6)
    law.bench.send('/virtual_velocities', velocity(1.6, 1.0))
    law.bench.logged('odometry not used: its stamp is 0.600 s old')
    law.see(1.7)
    assert law.ask(1.7, 0.5) == near(0.5, 0.0)


def test_odometry_that_is_not_finite_is_dropped(linearizer):
    law = linearizer()
    law.see(1.0, yaw=0.5 * math.pi)
    law.bench.send('/vesc/odom', odometry(1.01, x=math.nan))
    law.bench.logged('message on /vesc/odom dropped: Odometry(')
    assert law.ask(1.0, 0.0, 1.0) == near(1.0, 0.0)


def test_silent_velocities_stop_the_car_once_and_hold_the_steering(linearizer):
    law = linearizer(velocity_timeout=0.2)
    law.see(1.0)
    law.ask(1.0, 1.0, 0.1)
    law.bench.set_clock(1.15)
    law.bench.set_clock(1.25)
    law.bench.count(law.commands, 2)
    assert law.last == near(0.0, TURN)
    assert seconds(law.commands[-1]) == 1.25
    law.bench.logged('no virtual velocity for 0.2 s; stopping')
    law.bench.set_clock(1.5)
    law.bench.set_clock(2.0)
    law.see(2.1)
    assert law.ask(2.1, 0.5) == near(0.5, 0.0)
    assert len(law.commands) == 3


def test_velocities_that_keep_coming_do_not_stop_the_car(linearizer):
    law = linearizer(velocity_timeout=0.2)
    for i in range(20):
        law.see(1.0 + i / 10)
        assert law.ask(1.0 + i / 10, 1.0) == near(1.0, 0.0)


def test_speed_and_steering_stay_within_the_limits_of_the_vehicle(linearizer):
    law = linearizer(vehicle__speed_max=1.5, vehicle__steering_limit=0.25)
    law.see(1.0)
    assert law.ask(1.0, 9.0, 9.0) == near(1.5, 0.25)


def test_law_depends_on_epsilon_and_wheelbase(linearizer):
    law = linearizer(epsilon=0.2, vehicle__cog_to_front_axle=0.3, vehicle__cog_to_rear_axle=0.2)
    law.see(1.0)
    assert law.ask(1.0, 1.0, 0.1) == near(1.0, math.atan(0.5 * 0.5))


def test_epsilon_changed_at_run_time_acts_at_once(linearizer):
    law = linearizer()
    law.see(1.0)
    law.ask(1.0, 1.0, 0.1)
    assert law.bench.set_parameter(law.node, 'epsilon', 0.2).successful
    assert law.ask(1.0, 1.0, 0.1) == near(1.0, math.atan(0.325 * 0.5))


def test_timeout_shortened_at_run_time_acts_at_once(linearizer):
    law = linearizer(velocity_timeout=40.0)
    law.see(1.0)
    law.bench.set_parameter(law.node, 'velocity_timeout', 0.2)
    law.ask(1.0, 1.0)
    law.bench.set_clock(1.1)
    law.bench.set_clock(1.25)
    law.bench.count(law.commands, 2)
    assert law.last == near(0.0, 0.0)


def test_steering_is_held_over_a_change_of_epsilon(linearizer):
    law = linearizer()
    law.see(1.0)
    law.ask(1.0, 1.0, 0.1)
    law.bench.set_parameter(law.node, 'epsilon', 0.2)
    assert law.ask(1.0, 0.0) == near(0.0, TURN)


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [('epsilon', 0.0, "parameter 'epsilon' is 0.0, expected a number in (0, 10] [m]"),
     ('velocity_timeout', 90.0, "'velocity_timeout' is 90.0, expected a number in (0, 60] [s]")])
def test_bad_parameter_is_refused_at_run_time_with_the_reason(linearizer, name, value, reason):
    law = linearizer()
    result = law.bench.set_parameter(law.node, name, value)
    assert not result.successful
    assert reason in result.reason


def test_geometry_is_read_only(linearizer):
    law = linearizer()
    assert not law.bench.set_parameter(law.node, 'vehicle.cog_to_front_axle', 0.3).successful


def test_lockstep_pairs_by_stamp_when_the_odometry_comes_first(lockstep):
    law = lockstep()
    law.see(1.0)
    law.ask(1.0, 1.0)
    law.see(1.01, yaw=0.5 * math.pi)
    assert law.ask(1.01, 0.0, 1.0) == near(1.0, 0.0)
    assert [seconds(message) for message in law.commands] == [1.0, 1.01]


def test_lockstep_pairs_by_stamp_when_the_velocity_comes_first(lockstep):
    law = lockstep()
    law.see(1.0)
    law.ask(1.0, 1.0)
    law.bench.deliver(law.node, '/virtual_velocities', velocity(1.01, 0.0, 1.0))
    law.see(1.01, yaw=0.5 * math.pi)
    law.bench.count(law.commands, 2)
    assert law.last == near(1.0, 0.0)
    assert seconds(law.commands[-1]) == 1.01


def test_lockstep_does_not_answer_a_velocity_of_another_stamp(lockstep):
    law = lockstep()
    law.see(1.0)
    law.bench.deliver(law.node, '/virtual_velocities', velocity(0.99, 1.0))
    assert law.ask(1.0, 0.5) == near(0.5, 0.0)
    assert len(law.commands) == 1


def test_lockstep_answers_each_velocity_once(lockstep):
    law = lockstep()
    law.see(1.0)
    law.ask(1.0, 1.0)
    law.see(1.0)
    law.see(1.01)
    law.ask(1.01, 0.5)
    assert len(law.commands) == 2
