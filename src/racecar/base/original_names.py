# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the original projects and what they are called here, as data.

Messages about unknown parameters and docs/from_the_report.md are made from it.
"""

from __future__ import annotations

from collections.abc import Iterable
import re
from typing import NamedTuple

PARAMETER, NODE, TOPIC, RUN = 'parameter', 'node', 'topic', 'run'
"""What the names of a table stand for: parameters by dotted name, executables, topics, or
configurations with their options as `racecar up` takes them."""


class OriginalName(NamedTuple):
    """One name of an original.

    ours: names here that together have its meaning; empty if there is none. note: a remark.
    """

    name: str
    ours: tuple[str, ...] = ()
    note: str = ''


class OriginalTable(NamedTuple):
    """Names of one part of an original; kind: what `ours` are; of: whose names, for messages."""

    kind: str
    of: str
    rows: tuple[OriginalName, ...]


def _same(*names: str) -> tuple[OriginalName, ...]:
    return tuple(OriginalName(name, (name,)) for name in names)


def _names(*rows: tuple[str, str] | tuple[str, str, str]) -> tuple[OriginalName, ...]:
    """Rows of name, names here with spaces between them, and note."""
    return tuple(OriginalName(name, tuple(ours.split()), *note) for name, ours, *note in rows)


def _runs(*rows: tuple[str, str] | tuple[str, str, str]) -> tuple[OriginalName, ...]:
    """Rows of name, configuration with its options, and note."""
    return tuple(OriginalName(name, (ours,), *note) for name, ours, *note in rows)


_TWO_DISTANCES = 'vehicle.cog_to_front_axle vehicle.cog_to_rear_axle'
_SUM = 'the sum of both distances'
_REPORT = "the report's"

_AXLES = _names(
    ('Cf', 'vehicle.front.cornering_stiffness', 'of both tyres of the axle'),
    ('Cr', 'vehicle.rear.cornering_stiffness', 'of both tyres of the axle'),
    ('cog_a', 'vehicle.cog_to_front_axle'), ('cog_b', 'vehicle.cog_to_rear_axle'))

_PACEJKA = tuple(
    OriginalName(letter, tuple(f'pacejka.{direction}.{name}' for direction in (
        'longitudinal', 'lateral')), note)
    for letter, name, note in (
        ('B', 'stiffness_factor', ''), ('C', 'shape', ''),
        ('D', 'friction', 'over the load: 19.0569 N and 1.371 N are 1.39 and 0.1 times 13.71 N'),
        ('E', 'curvature', ''),
        *((name, name, 'with `tyre_parameters: computed`') for name in (
            *(f'b{number}' for number in (*range(1, 9), 13)), 'H'))))

_SUSPENSION = tuple(
    OriginalName(f'suspension{axle}{name}', (f'vehicle.body.{axle.lower()}.{ours}',))
    for axle in ('Front', 'Rear')
    for name, ours in (('SpringConstant', 'spring_rate'), ('DampingConstant', 'damping_rate')))

_LIGHTS = tuple(
    OriginalName(name, tuple(f'vehicle.lights.{group}.{part}' for part in parts))
    for group, names in (('front', ('front',)), ('indicator', ('rightIndicator', 'leftIndicator')),
                         ('antifog', ('antifog',)), ('braking', ('braking',)),
                         ('rear', ('rear',)), ('backwards', ('backwards',)))
    for name, parts in (*((name, ('shape', 'size', 'positions')) for name in names),
                        (f'{group}Color', ('colour',))))

_WHEEL_SHAPE = tuple(
    OriginalName(name, (f'vehicle.wheel.{ours}',)) for name, ours in (
        ('subdivision', 'subdivision'), ('curvatureFactor', 'curvature_factor'),
        ('edgeSubdivision', 'edge_subdivision'), ('rimRadius', 'rim_radius'),
        ('rimBeamNumber', 'rim_beam_number'), ('rimBeamWidth', 'rim_beam_width'),
        ('centralInnerRadius', 'central_inner_radius'),
        ('centralOuterRadius', 'central_outer_radius'),
        ('rimBeamThickness', 'rim_beam_thickness'), ('rimBeamOffset', 'rim_beam_offset'),
        ('tireAppearance', 'tyre_colour'), ('rimAppearance', 'rim_colour')))

ORIGINALS: dict[str, OriginalTable] = {
    'ode_simulator': OriginalTable(PARAMETER, _REPORT, (
        *_names(('tyre_model', 'tyre_model', 'the same numbers'), ('dt', 'step'),
                ('m', 'vehicle.mass')),
        *_AXLES,
        *_names(('mu', 'vehicle.friction_coefficient'), ('Iz', 'vehicle.yaw_inertia'),
                ('r0', 'initial_yaw_rate'),
                ('beta0', 'initial_sideslip', 'with `formulation: report`'),
                ('x0', 'initial_x', 'of the centre of gravity with the vehicle `report`, else of'
                 ' the rear axle: `vehicle.odometry_point`'),
                ('y0', 'initial_y'), ('psi0', 'initial_yaw')))),
    'trajectory_tracker': OriginalTable(PARAMETER, _REPORT, (
        *_names(('trajectory_type', 'trajectory', 'the same numbers, or names')),
        *_same('a_coeff', 'b_coeff', 'focal_length', 'R', 'W', 'a', 'w', 'cycloid_radius',
               'cycloid_distance', 'Kp', 'Ki', 'Kd'),
        *_names(('FFWD', 'FFWD', '0 and 1 as well as false and true')),
        *_names(('PL_distance', 'PL_distance',
                 'together with `epsilon` of the linearizer, which must be equal')),
        *_names(('active', 'active', 'also the service `~/activate`')))),
    'linearizers': OriginalTable(PARAMETER, _REPORT, (
        *_names(('L', _TWO_DISTANCES, _SUM), ('l', _TWO_DISTANCES, _SUM),
                ('wheel_distance', _TWO_DISTANCES, _SUM), ('epsilon', 'epsilon'),
                ('M', 'vehicle.mass'), ('m', 'vehicle.mass')),
        *_AXLES,
        *_names(('a', 'vehicle.cog_to_front_axle'), ('b', 'vehicle.cog_to_rear_axle')))),
    'pacejka': OriginalTable(PARAMETER, _REPORT, (
        *_PACEJKA,
        *_names(('wheel_normal_force', '', 'each wheel has its own load, from mass and motion'),
                ('wheel_radius', 'vehicle.wheel_radius'),
                ('slip_compliance_lateral', '', 'not needed: forces act on the wheel directly'),
                ('slip_compliance_longitudinal', '', 'likewise'),
                ('mu1', 'vehicle.friction_coefficient', 'along the wheel'),
                ('mu2', 'vehicle.lateral_friction_coefficient', 'across it; mu1 and mu2 have other'
                 ' directions there, see fdir1'),
                ('fdir1', '', 'friction has the directions of the wheel, along and across; see'
                 ' [originals.md](originals.md)'),
                ('kp', '', 'see [originals.md](originals.md)'),
                ('kd', '', 'see [originals.md](originals.md)')))),
    'nodes': OriginalTable(NODE, _REPORT, _names(
        ('ode_simulator', 'single_track_simulator'),
        ('gazebo', 'world_simulator'),
        ('gazebo_odometry_node', 'world_simulator', 'its output /vesc/odom'),
        ('controller_manager', 'world_simulator', 'its `command_interface: wheel_controllers`'),
        ('robot_state_publisher', 'world_simulator', 'each simulator publishes the description and'
         ' the transforms; `publish_robot_description: false` leaves it to that node'),
        ('racecar_spawn', 'world_simulator', 'with `initial_x`, `initial_y`, `initial_yaw`'),
        ('car_kin_linearizer', 'kinematic_linearizer'),
        ('car_kinematic_linearizer', 'kinematic_linearizer'),
        ('car_dyn_linearizer', 'dynamic_linearizer'),
        ('car_dynamic_linearizer', 'dynamic_linearizer'),
        ('trajectory_tracker', 'trajectory_tracker'),
        ('servo_commands', 'servo_commands'),
        ('high_level_mux', 'ackermann_mux', 'once for each level'),
        ('low_level_mux', 'ackermann_mux', 'once for each level'),
        ('ackermann_cmd_mux', 'ackermann_mux'),
        ('zero_ackermann_cmd', 'ackermann_mux', 'a mux commands a stop itself when all its sources'
         ' fall silent'),
        ('keyboard_teleop', 'keyboard_teleop'),
        ('keyop', 'keyboard_teleop'),
        ('joy_node', 'joy_node'),
        ('joy_teleop', 'joy_teleop'),
        ('rosbag', 'bag_recorder', 'or the option `--record`'),
        ('better_odom', '', 'a relay; `--topic-names f1tenth_pf` gives the odometry its name'))),
    'topics': OriginalTable(TOPIC, _REPORT, (
        *_same('/virtual_velocities', '/reference_trajectory', '/vesc/odom', '/scan',
               '/camera/zed/rgb/image_rect_color', '/camera/zed/rgb/camera_info', '/car_state',
               '/clock', '/vesc/ackermann_cmd_mux/input/navigation',
               '/vesc/ackermann_cmd_mux/input/teleop', '/vesc/ackermann_cmd_mux/input/safety',
               '/vesc/low_level/ackermann_cmd_mux/output', '/racecar/joint_states'),
        *_names(
            ('/long_pub/right_front', '/long_pub/right_front', 'and the other three wheels; with'
             ' `--tyre-data` they are recorded'),
            ('/lat_pub/right_front', '/lat_pub/right_front'),
            ('/fx_pub/right_front', '/fx_pub/right_front'),
            ('/fy_pub/right_front', '/fy_pub/right_front'),
            ('/racecar/ackermann_cmd_mux/output', '/vesc/low_level/ackermann_cmd_mux/output',
             'the remap of racecar_control.launch; appendix A writes `ack` for the middle part'),
            ('/racecar/ackermann_cmd_mux/input/teleop', '/vesc/ackermann_cmd_mux/input/teleop',
             'the remap of gazebo_sim_joy.launch, whose names nothing used'),
            ('/racecar/left_rear_wheel_velocity_controller/command',
             '/racecar/left_rear_wheel_velocity_controller/command',
             'and the other five; with `command_interface: wheel_controllers`'),
            ('/pf/pose/odom', '/pf/pose/odom', 'a relay of `/vesc/odom` for whoever listens, with'
             ' the usual topic names; `relay_odometry: false` leaves it out'),
            ('/gazebo/link_states', '/vesc/odom'),
            ('/gazebo/model_states', '/vesc/odom')))),
    'launch': OriginalTable(RUN, _REPORT, _runs(
        ('racecar.launch', 'teleop_world', 'the empty plane'),
        ('racecar_tunnel.launch', 'teleop_world --world tunnel'),
        ('racecar_ar.launch', 'teleop_world --world ar'),
        ('racecar_parking_1.launch', 'teleop_world --world parking_1'),
        ('racecar_walker.launch', 'teleop_world --world walker'),
        ('racecar_cones.world', 'teleop_world --world cones', 'has no launch file'),
        ('gazebo_sim_joy.launch', 'teleop_world --world tunnel --teleop joy'),
        ('teleop.launch', 'teleop_world --teleop keyboard', 'in the report; in the repository it'
         ' starts the joystick: `--teleop joy`'),
        ('joy_teleop.launch.xml', 'teleop_world --teleop joy'),
        ('joy_teleop.py', 'teleop_world --teleop joy'),
        ('keyboard_teleop.py', 'teleop_world --teleop keyboard', 'or the node alone in another'
         ' terminal: `ros2 run racecar keyboard_teleop`'),
        ('mux.launch', 'plant', 'both muxes are part of every configuration'),
        ('racecar_control.launch',
         'teleop_world --set world_simulator.command_interface=wheel_controllers',
         'controllers of the joints and servo_commands'),
        ('servo_commands.py',
         'teleop_world --set world_simulator.command_interface=wheel_controllers'),
        ('gazebo_odometry.py', 'teleop_world'),
        ('ode_simulator.launch', 'plant', 'simulator, muxes and reference, without a law'),
        ('car_kin_linearizer.launch', 'kinematic_ode', 'with tracker, muxes and simulator'),
        ('car_dyn_linearizer.launch', 'dynamic_ode', 'likewise'),
        ('trajectory_tracker.launch', 'kinematic_ode', 'likewise'),
        ('Kinematic linearizer with Gazebo Physics', 'kinematic_world'),
        ('Kinematic linearizer with ODE Physics',
         'kinematic_ode --vehicle report --set single_track_simulator.formulation=report'),
        ('Kinematic linearizer with Gazebo Physics and Pacejka for wheels',
         'kinematic_world_pacejka', 'the environment variable `PACEJKA=1` does the same to'
         ' kinematic_world'))),
    'AckermannVehicle': OriginalTable(PARAMETER, "the AckermannVehicle's", (
        *_names(
            ('translation', 'initial_x initial_y', 'on the ground'), ('rotation', 'initial_yaw'),
            ('name', 'vehicle.name'),
            ('model', '', 'the vehicle is chosen by its file: `--vehicle`'),
            ('controller', 'controller', "or a node of one's own"),
            ('controllerArgs', 'controller_settings'), ('synchronization', 'lockstep'),
            ('trackFront', 'vehicle.track_width'), ('trackRear', 'vehicle.rear.track_width'),
            ('wheelbase', _TWO_DISTANCES, _SUM),
            ('minSteeringAngle', 'vehicle.steering_limit', 'that to the left, of a virtual wheel'
             ' in the middle of the axle, see [any vehicle](any_vehicle.md)'),
            ('maxSteeringAngle', 'vehicle.steering_limit_right', 'that to the right; 0: as to the'
             ' left')),
        *_SUSPENSION,
        *_names(
            ('wheelsDampingConstant', 'car.wheels_damping_constant'),
            ('extensionSlot', 'vehicle.extensions sensors', 'shapes and masses by files, sensors'
             ' in slots'),
            ('boundingObject', 'vehicle.front_overhang vehicle.rear_overhang vehicle.width'
             ' vehicle.body.height', 'more by `vehicle.extensions`'),
            ('physics', 'vehicle.mass vehicle.yaw_inertia vehicle.cog_height'
             ' vehicle.body.roll_inertia vehicle.body.pitch_inertia'),
            *((f'wheel{place}', 'vehicle.wheel_radius vehicle.wheel_width',
               'with all of `vehicle.wheel.*`; radii may differ between the axles, and'
               ' `vehicle.wheel.corners` takes wheels of other vehicles')
              for place in ('FrontRight', 'FrontLeft', 'RearRight', 'RearLeft')),
            *((f'axisDevices{place}', '', 'every wheel has brake and encoder, the driven ones'
               ' motors') for place in ('FrontRight', 'FrontLeft', 'RearRight', 'RearLeft')),
            ('data', 'vehicle.data')))),
    'Car': OriginalTable(PARAMETER, "the Car's", _names(
        ('type', 'car.type', 'and `vehicle.driven_axle`'),
        *((name, f'car.{ours}') for name, ours in (
            ('engineType', 'engine_type'), ('brakeCoefficient', 'brake_coefficient'),
            ('time0To100', 'time_0_to_100'), ('engineMaxTorque', 'engine_max_torque'),
            ('engineMaxPower', 'engine_max_power'), ('engineMinRPM', 'engine_min_rpm'),
            ('engineMaxRPM', 'engine_max_rpm'),
            ('engineFunctionCoefficients', 'engine_function_coefficients'),
            ('gearRatio', 'gear_ratio'),
            ('hybridPowerSplitRatio', 'hybrid_power_split_ratio'),
            ('hybridPowerSplitRPM', 'hybrid_power_split_rpm'))))),
    'AutomobileWheel': OriginalTable(PARAMETER, "the AutomobileWheel's", (
        *_names(('thickness', 'vehicle.wheel_width'),
                ('tireRadius', 'vehicle.wheel_radius vehicle.rear.wheel_radius')),
        *_WHEEL_SHAPE,
        *_names(('contactMaterial', 'vehicle.contact_material vehicle.friction_coefficient'),
                ('physics', 'vehicle.body.front.wheel_mass vehicle.body.rear.wheel_mass'
                 ' vehicle.wheel_inertia'),
                ('logoSlot', 'vehicle.wheel.logo.shape', 'with all of `vehicle.wheel.logo.*`')))),
    'AutomobileLights': OriginalTable(PARAMETER, "the AutomobileLights'", _LIGHTS),
    'DifferentialWheels': OriginalTable(PARAMETER, "the DifferentialWheels'", _names(
        *((name, f'robot.{ours}') for name, ours in (
            ('motorConsumption', 'motor_consumption'), ('axleLength', 'axle_length'),
            ('wheelRadius', 'wheel_radius'), ('maxSpeed', 'max_speed'),
            ('maxAcceleration', 'max_acceleration'), ('speedUnit', 'speed_unit'),
            ('slipNoise', 'slip_noise'), ('encoderNoise', 'encoder_noise'),
            ('encoderResolution', 'encoder_resolution'), ('maxForce', 'max_force'))))),
}
"""Tables by name."""


def _listed(row: OriginalName) -> str:
    names = ' and '.join(row.ours)
    return f'the sum of {names}' if row.note == _SUM else names


def counterpart(name: str, known: Iterable[str]) -> str:
    """Name used here for a name of the originals, as a remark for a message.

    name: of a parameter, node or launch file, with or without what stands before dots and
    slashes; known: the names that there are. Empty if the name is no original's, or has no other
    name here.
    """
    last = re.split(r'[./]', name)[-1]
    names = {other.removeprefix('/') for other in known}
    for table in ORIGINALS.values():
        for row in table.rows:
            if table.kind == RUN:
                is_meant = name in (row.name, row.name.split('.')[0])
                is_known = row.ours[0].split()[0] in names
            else:
                is_meant = last == row.name and row.ours != (row.name,)
                is_known = bool(row.ours) and names.issuperset(row.ours)
            if is_meant and is_known:
                return f'{table.of} {row.name} is {_listed(row)} here'
    return ''
