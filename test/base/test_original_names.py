# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The names of the originals: each has a row, and every name of ours in it exists."""

import argparse
import shlex

import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.original_names import counterpart, NODE, ORIGINALS, PARAMETER, RUN, TOPIC
from racecar.base.parameter_file import read_parameter_file
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import WHEEL_NAMES
from racecar.catalogue import NODES, TABLES
from racecar.cli import up
from racecar.cli.stack_arguments import stack_options
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS
from racecar.ros import topics
from racecar.stacks import describe_stack, find_stack
from racecar.stacks.options import UP

# As the tables of the report and the documents of Webots have them.
NAMES = {
    'ode_simulator': 'tyre_model dt m cog_a cog_b mu Cf Cr Iz r0 beta0 x0 y0 psi0',
    'trajectory_tracker': 'trajectory_type a_coeff b_coeff focal_length R W a w cycloid_radius'
                          ' cycloid_distance Kp Ki Kd FFWD PL_distance active',
    'linearizers': 'L epsilon m Cf Cr cog_a cog_b M a b',
    'pacejka': 'B C D E b1 b2 b3 b4 b5 b6 b7 b8 b13 H mu1 mu2 fdir1 kp kd wheel_normal_force'
               ' slip_compliance_lateral slip_compliance_longitudinal'
               ' wheel_radius',
    'nodes': 'keyboard_teleop servo_commands gazebo_odometry_node racecar_spawn better_odom'
             ' robot_state_publisher controller_manager ode_simulator trajectory_tracker',
    'topics': '/virtual_velocities /vesc/ackermann_cmd_mux/input/navigation /vesc/odom'
              ' /reference_trajectory /long_pub/right_front /lat_pub/right_front'
              ' /fx_pub/right_front /fy_pub/right_front /scan /pf/pose/odom /gazebo/link_states'
              ' /vesc/ackermann_cmd_mux/input/teleop /racecar/ackermann_cmd_mux/output'
              ' /racecar/ackermann_cmd_mux/input/teleop',
    # Appendix A.
    'launch': 'joy_teleop.launch.xml joy_teleop.py mux.launch gazebo_sim_joy.launch teleop.launch'
              ' racecar_control.launch servo_commands.py keyboard_teleop.py racecar_tunnel.launch'
              ' racecar.launch gazebo_odometry.py',
    'AckermannVehicle': 'translation rotation name model controller controllerArgs synchronization'
                        ' trackFront trackRear wheelbase minSteeringAngle maxSteeringAngle'
                        ' suspensionFrontSpringConstant suspensionFrontDampingConstant'
                        ' suspensionRearSpringConstant suspensionRearDampingConstant'
                        ' wheelsDampingConstant extensionSlot boundingObject physics'
                        ' wheelFrontRight wheelFrontLeft wheelRearRight wheelRearLeft'
                        ' axisDevicesFrontRight axisDevicesFrontLeft axisDevicesRearRight'
                        ' axisDevicesRearLeft data',
    'Car': 'type engineType brakeCoefficient time0To100 engineMaxTorque engineMaxPower'
           ' engineMinRPM engineMaxRPM engineFunctionCoefficients gearRatio hybridPowerSplitRatio'
           ' hybridPowerSplitRPM',
    'AutomobileWheel': 'thickness tireRadius subdivision curvatureFactor edgeSubdivision rimRadius'
                       ' rimBeamNumber rimBeamWidth centralInnerRadius centralOuterRadius'
                       ' rimBeamThickness rimBeamOffset contactMaterial tireAppearance'
                       ' rimAppearance physics logoSlot',
    'AutomobileLights': 'front frontColor rightIndicator leftIndicator indicatorColor antifog'
                        ' antifogColor braking brakingColor rear rearColor backwards'
                        ' backwardsColor',
    'DifferentialWheels': 'motorConsumption axleLength wheelRadius maxSpeed maxAcceleration'
                          ' speedUnit slipNoise encoderNoise encoderResolution maxForce'}

TOPICS = {
    *(value for value in vars(topics).values() if isinstance(value, str)),
    *(f'{group}/{wheel}' for group in topics.WHEELS for wheel in WHEEL_NAMES),
    topics.joint_command('left_rear_wheel_velocity')}


def rows(kind):
    return [(key, row) for key, table in ORIGINALS.items() if table.kind == kind
            for row in table.rows]


@pytest.mark.parametrize('key', ORIGINALS)
def test_every_name_of_the_original_has_a_row(key):
    found = [row.name for row in ORIGINALS[key].rows]
    assert set(NAMES[key].split()) <= set(found)
    assert len(found) == len(set(found))


def test_every_name_of_ours_exists():
    parameters = {name for table in TABLES.values() for name in table.names}
    for key, row in rows(PARAMETER):
        assert {*row.ours} <= parameters | {*VEHICLE_FILE_PARAMETERS.names}, (key, row.name)
        assert row.ours or row.note, (key, row.name)
    assert {name for _, row in rows(NODE) for name in row.ours} <= {*NODES}
    for _, row in rows(TOPIC):
        assert {name.removeprefix('/') for name in row.ours} <= {
            name.removeprefix('/') for name in TOPICS}, row.name


@pytest.mark.parametrize('row', [row for _, row in rows(RUN)], ids=lambda row: row.name)
def test_every_launch_file_has_a_configuration_that_can_be_described(row):
    parser = argparse.ArgumentParser()
    up.add_arguments(parser)
    command, = row.ours
    arguments = parser.parse_args(shlex.split(command))
    assert describe_stack(arguments.name, stack_options(UP, arguments))


@pytest.mark.parametrize(('name', 'ours'), [
    ('m', "the report's m is vehicle.mass here"),
    ('/ode_simulator/Iz', "the report's Iz is vehicle.yaw_inertia here"),
    ('vehicle.Cf', "the report's Cf is vehicle.front.cornering_stiffness here"),
    ('L', "the report's L is the sum of vehicle.cog_to_front_axle and vehicle.cog_to_rear_axle"
          ' here'),
    ('a', "the report's a is vehicle.cog_to_front_axle here"),
    ('r0', "the report's r0 is initial_yaw_rate here"),
    ('trackFront', "the AckermannVehicle's trackFront is vehicle.track_width here"),
    ('axleLength', ''), ('tyre_model', ''), ('xyzzy', ''), ('', '')])
def test_original_name_of_a_parameter_is_translated_where_ours_is_known(name, ours):
    assert counterpart(name, TABLES['single_track_simulator'].names) == ours


def test_unknown_parameter_is_refused_with_the_name_that_it_has_here():
    with pytest.raises(ParameterError, match=r"'mu' is unknown here; the report's mu is vehicle\."
                       r'friction_coefficient here$'):
        TABLES['single_track_simulator'].resolve({'mu': 0.5})
    with pytest.raises(ParameterError, match='trajectory_type is trajectory here'):
        TABLES['trajectory_tracker']['trajectory_type']


def test_unknown_parameter_without_likeness_names_three_of_many():
    table = ParameterTable(
        Parameter(f'group.{letter}{number}', float, 0.0, 'A number')
        for letter in 'abc' for number in range(1000, 1100))
    with pytest.raises(ParameterError) as refused:
        table.resolve({'xyzzy': 1.0})
    assert 'the most alike of 300 names: ' in str(refused.value)
    assert str(refused.value).count('group.') == 3


@pytest.mark.parametrize(('text', 'message'), [
    ('/**: {ros__parameters: {Cr: 1.0}}',
     "line 1: parameter 'Cr' is unknown .* the report's Cr is vehicle.rear.cornering_stiffness"),
    ('/ode_simulator: {ros__parameters: {m: 1.0}}',
     "'/ode_simulator' matches no node .* the report's ode_simulator is single_track_simulator")])
def test_parameter_file_of_the_original_is_refused_with_the_names_here(tmp_path, text, message):
    path = tmp_path / 'original.yaml'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        read_parameter_file(path).check(
            {'single_track_simulator': TABLES['single_track_simulator'].names}, 'kinematic_ode')


def test_launch_file_of_the_original_is_refused_with_the_configuration_that_does_it():
    for name in ('gazebo_sim_joy', 'gazebo_sim_joy.launch'):
        with pytest.raises(ConfigurationError, match=(
                r"the report's gazebo_sim_joy\.launch is teleop_world --world tunnel --tel")):
            find_stack(name)
