# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A differential-drive robot in the 3-D world, against the planar modes."""

from dataclasses import replace
import math

from presence import present
import pytest

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config, robot_names
from racecar.base.types import Pose2, WheelSpeeds
from racecar.differential.description import describe_robot
from racecar.differential.motion import PHYSICS, PlanarMotion
from racecar.differential.parameters import RobotParameters
from racecar.differential.plant import DIFFERENTIAL_PARAMETERS, make_robot_plant
from racecar.differential.world_motion import WorldMotion
from racecar.scene.scene import Cone, Scene, Wall

PIONEER = replace(RobotParameters.from_file(find_config('robots/pioneer')), max_acceleration=1e6)
KHEPERA = replace(RobotParameters.from_file(find_config('robots/khepera')), slip_noise=0.0)


def driven(motion, left, right, steps):
    motion.set_speeds(WheelSpeeds(left, right))
    motion.advance(steps)
    return motion.state


@pytest.mark.parametrize(('robot', 'left', 'right'), [
    (PIONEER, 3.0, 5.0), (PIONEER, -4.0, 4.0), (KHEPERA, 20.0, 35.0), (KHEPERA, -20.0, -10.0)])
def test_the_world_matches_kinematics_on_high_friction(robot, left, right):
    found = driven(WorldMotion(robot), left, right, 2000)
    told = driven(PlanarMotion(robot), left, right, 2000)
    # From rest to full speed the motors take some 100 ms, and contacts of the engine creep.
    rim = max(abs(left), abs(right)) * robot.wheel_radius
    way = abs(0.5 * (left + right)) * robot.wheel_radius
    turn = abs(right - left) * robot.wheel_radius / robot.axle_length
    assert math.hypot(found.x - told.x, found.y - told.y) < 0.1 * way + 0.02 * robot.axle_length
    assert found.yaw % math.tau == pytest.approx(told.yaw % math.tau, abs=0.12 * turn)
    assert found.vx == pytest.approx(told.vx, abs=4e-3 * rim)
    assert found.yaw_rate == pytest.approx(told.yaw_rate, rel=4e-3)
    assert (found.left_speed, found.right_speed) == pytest.approx((left, right), rel=5e-3)


def robot_plant(**values):
    return make_robot_plant(DIFFERENTIAL_PARAMETERS.resolve({
        **load_parameter_file(find_config('robots/pioneer'), 'any'), **values}))


def test_a_robot_that_is_dropped_falls_freely_and_settles():
    robot = robot_plant(mode='world', initial_z=0.5)
    entity, = robot.entities
    state = entity.platform.state
    assert state().pose.z == 0.5
    robot.advance(200)
    # Semi-implicit steps of a millisecond: g t (t + dt)/2.
    assert 0.5 - state().pose.z == pytest.approx(9.81 * 0.2 * 0.201 / 2.0, rel=1e-3)
    assert state().twist.vz == pytest.approx(-9.81 * 0.2, rel=1e-3)
    robot.advance(3000)
    assert state().pose.z == pytest.approx(0.0, abs=2e-3)
    assert abs(state().twist.vz) < 1e-3
    assert entity.fault() == ''
    entity.reset(None)
    assert state().pose.z == 0.5


@pytest.mark.parametrize('mode', ['kinematics', 'physics'])
def test_in_the_plane_there_is_no_height_to_fall_from(mode):
    with pytest.raises(ConfigurationError, match="'initial_z' is 0.5 m, expected 0 in mode"):
        robot_plant(mode=mode, initial_z=0.5)


def test_the_world_matches_the_planar_physics_while_the_torque_limits():
    weak = replace(PIONEER, max_force=0.3)
    found, planar = (driven(motion, 10.0, 10.0, 1000).vx
                     for motion in (WorldMotion(weak), PlanarMotion(weak, PHYSICS)))
    assert found == pytest.approx(planar, rel=0.02)
    assert found < 0.9 * 10.0 * weak.wheel_radius


def test_wheels_slip_on_low_friction_as_in_the_plane():
    ice = replace(PIONEER, friction_coefficient=0.02)
    found, planar = (driven(motion, 10.0, 10.0, 1500)
                     for motion in (WorldMotion(ice), PlanarMotion(ice, PHYSICS)))
    assert found.left_speed == pytest.approx(10.0, rel=0.01)
    assert found.vx < 0.4 * 10.0 * ice.wheel_radius
    assert found.vx == pytest.approx(planar.vx, rel=0.05)


def test_encoders_count_what_the_wheels_turn():
    motion = WorldMotion(PIONEER)
    state = driven(motion, 4.0, 6.0, 1000)
    assert state.left_count == pytest.approx(12191.0 * state.left_angle)
    assert state.right_count == pytest.approx(12191.0 * state.right_angle)
    motion.set_counts(5.0, -5.0)
    before = motion.state
    motion.advance(10)
    assert motion.state.left_count - 5.0 == pytest.approx(
        12191.0 * (motion.state.left_angle - before.left_angle))


def test_a_wall_stops_the_robot_and_is_counted_once():
    scene = Scene(name='wall', walls=(Wall(1.0, -1.0, 1.0, 1.0),))
    motion = WorldMotion(PIONEER, scene=scene)
    state = driven(motion, 5.0, 5.0, 4000)
    assert state.x == pytest.approx(1.0 - PIONEER.front, abs=0.02)
    assert present(motion.collisions).contacts == 1
    assert present(motion.collisions).in_contact
    assert present(motion.collisions).speed == pytest.approx(5.0 * PIONEER.wheel_radius, rel=0.05)
    motion.reset(None)
    assert present(motion.collisions).contacts == 0
    assert motion.state[:2] == (0.0, 0.0)


def test_a_cone_is_pushed_away_and_stands_again_after_a_reset():
    scene = Scene(name='cone', cones=(Cone(0.6, 0.0),))
    motion = WorldMotion(PIONEER, scene=scene)
    driven(motion, 6.0, 6.0, 2500)
    cone, = present(motion.cones)()
    assert math.hypot(cone.x - 0.6, cone.y) > 0.1
    assert present(motion.collisions).contacts >= 1
    seen = present(motion.objects)()
    assert len(seen.cones) + len(seen.boxes) == 1
    motion.reset(None)
    cone, = present(motion.cones)()
    assert (cone.x, cone.y) == (0.6, 0.0)


def test_two_runs_give_the_same_bits():
    robot = replace(PIONEER, encoder_noise=0.1)
    one, other = (driven(WorldMotion(robot, seed=3), 3.0, 4.0, 500) for _ in range(2))
    assert one == other


def test_a_robot_that_lies_on_its_side_says_so():
    motion = WorldMotion(PIONEER)
    assert motion.fault() == ''
    motion.engine.data.qpos[2:7] = 0.3, math.cos(0.8), math.sin(0.8), 0.0, 0.0
    assert 'has fallen over' in motion.fault()
    motion.engine.data.qpos[2:7] = -1.0, 1.0, 0.0, 0.0, 0.0
    assert 'has fallen to z -1 m' in motion.fault()


def test_velocities_beyond_all_reason_end_in_the_last_good_state():
    motion = WorldMotion(PIONEER)
    driven(motion, 1.0, 1.0, 100)
    motion.engine.data.qvel[0] = 1e6
    with pytest.raises(DivergenceError, match='reset the robot'):
        motion.advance(10)
    assert motion.time_ns == 100 * 1_000_000


def test_bad_numbers_are_refused():
    motion = WorldMotion(PIONEER)
    with pytest.raises(ParameterError, match='expected finite numbers'):
        motion.set_speeds(WheelSpeeds(math.nan, 0.0))
    with pytest.raises(ParameterError, match='expected finite'):
        motion.reset(Pose2(math.inf, 0.0, 0.0))


def test_the_acceleration_is_that_of_the_next_step():
    motion = WorldMotion(replace(PIONEER, max_force=0.3))
    driven(motion, 10.0, 10.0, 300)
    expected, before = motion.acceleration().ax, motion.state.vx
    motion.advance(10)
    assert expected == pytest.approx((motion.state.vx - before) / 0.01, rel=0.05)


@pytest.mark.parametrize('name', robot_names())
def test_the_robot_description_has_mass_centre_and_inertia_of_the_robot(name):
    robot = RobotParameters.from_file(find_config(f'robots/{name}'))
    whole = describe_robot(robot).tree.mass_properties()
    assert whole.mass == pytest.approx(robot.mass)
    assert whole.centre[0] == pytest.approx(robot.cog_ahead)
    assert whole.tensor[2, 2] == pytest.approx(robot.yaw_inertia)
    joints = {joint.name: joint for joint in describe_robot(robot).tree.joints if joint.moves}
    assert {*joints} == {'left_wheel_joint', 'right_wheel_joint'}
    assert joints['left_wheel_joint'].origin.y == pytest.approx(0.5 * robot.axle_length)
    model = WorldMotion(robot).engine.model
    assert model.body_subtreemass[0] == pytest.approx(robot.mass)
