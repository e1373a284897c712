# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parameter table of every executable, importable without ROS."""

from __future__ import annotations

from dataclasses import replace

from racecar.base.frames import MAP, ODOM
from racecar.base.parameters import DIAGNOSTICS_RATE, Parameter, ParameterTable
from racecar.control.command_mux import HELD, NEWEST, PRIORITY
from racecar.control.emergency_brake import BRAKE_PARAMETERS
from racecar.control.gap_following import GAP_PARAMETERS
from racecar.control.laws import LawEntry
from racecar.control.point_ahead import POINT_AHEAD_PARAMETERS
from racecar.control.servo_commands import SERVO_PARAMETERS
from racecar.control.teleop.joy_driver import JOY_PARAMETERS
from racecar.control.teleop.key_driver import KEY_PARAMETERS
from racecar.control.tracker import TRACKER_PARAMETERS
from racecar.control.twist_commands import TWIST_PARAMETERS
from racecar.differential.plant import DIFFERENTIAL_PARAMETERS
from racecar.dynamics.powertrain import CAR_PARAMETERS
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS, VEHICLE_PARAMETERS
from racecar.metrics.laps import LapRule, MOST_SECTORS, WHOLE_LAP
from racecar.scene.world_choice import FLEET_PARAMETERS
from racecar.sensors.equipment import EQUIPMENT_PARAMETERS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.dead_reckoning import ODOMETRY_PARAMETERS
from racecar.simulation.ports import COAST, RETIRE, STOP, WAIT
from racecar.world.world_parameters import WORLD_PARAMETERS

_LOCKSTEP = Parameter(
    'lockstep', bool, False,
    'Answer each odometry message once, for a simulator in lockstep', read_only=True)

_ODOMETRY_TIMEOUT = Parameter(
    'odometry_timeout', float, 0.5, 'Age of the odometry at which the car is stopped', 's',
    above=0.0, maximum=60.0)

_FRAME_PREFIX = Parameter(
    'frame_prefix', str, '', 'What the frame base_link of the car begins with in messages, as'
    ' red/: frame_prefix of its simulator and, of one of several cars, its name', read_only=True)


def _if_needed(table: ParameterTable) -> ParameterTable:
    """Rows of which none has to be given: empty or 0 stands for none.

    Who needs them reads them by the table itself, which does not take that.
    """
    return ParameterTable(
        row if row.default is not None
        else replace(row, default='') if row.type is str
        else replace(row, default=0.0, above=None,
                     minimum=0.0 if row.above is not None else row.minimum)
        for row in table)


_SCAN_TIMEOUT = Parameter(
    'scan_timeout', float, 0.2, 'Age at which a scan is not used any more', 's', above=0.0,
    maximum=60.0)

# Every robot can be tracked by its base_link; the rest is for cog and custom controllers.
TRAJECTORY_TRACKER = _if_needed(VEHICLE_PARAMETERS) + TRACKER_PARAMETERS + ParameterTable([
    Parameter('active', bool, False, 'Track; turning it on starts the trajectory anew,'
              ' turning it off stops the car'),
    Parameter('controller', str, '',
              'A custom controller, module:Class or file.py:Class, that commands the car in'
              ' the place of tracker and law; empty: none', read_only=True),
    Parameter('controller_settings', str, '',
              'Settings of that controller as a YAML mapping, e.g. {gain: 3.0}', read_only=True),
    Parameter('follow_path', bool, False,
              'Follow the newest path that comes on the topic path, in place of the trajectory,'
              ' within the limits of speed and acceleration of waypoints', read_only=True),
    Parameter('rate', float, 100.0, 'Control rate; in lockstep the odometry gives it', 'Hz',
              above=0.0, maximum=10000.0, read_only=True),
    _ODOMETRY_TIMEOUT,
    _SCAN_TIMEOUT,
    _LOCKSTEP,
    _FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

_LINEARIZER_NODE = ParameterTable([
    Parameter('velocity_timeout', float, 0.2,
              'Age of the newest virtual velocity at which the car is stopped', 's',
              above=0.0, maximum=60.0),
    _ODOMETRY_TIMEOUT,
    _LOCKSTEP,
    _FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

def law_table(law: LawEntry) -> ParameterTable:
    """Parameter table of the node of a control law."""
    return VEHICLE_PARAMETERS + law.parameters + _LINEARIZER_NODE


DIFFERENTIAL_LINEARIZER = POINT_AHEAD_PARAMETERS + _LINEARIZER_NODE

GAP_FOLLOWER = VEHICLE_PARAMETERS + GAP_PARAMETERS + ParameterTable([
    _SCAN_TIMEOUT,
    Parameter('lockstep', bool, False,
              'Answer each scan once, for a simulator in lockstep whose lockstep_output is its'
              ' laser', read_only=True),
    _FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

SCAN, ODOMETRY = 'scan', 'odometry'
"""What a simulator in lockstep awaits an answer to."""

EMERGENCY_BRAKE = VEHICLE_PARAMETERS + BRAKE_PARAMETERS + ParameterTable([
    Parameter('stop_when_blind', bool, True,
              'Brake also while there is no scan or no odometry that is young enough'),
    _SCAN_TIMEOUT,
    _ODOMETRY_TIMEOUT,
    Parameter('lockstep', bool, False,
              'Judge each message of judges once, for a simulator in lockstep', read_only=True),
    Parameter('judges', str, SCAN,
              'What is judged in lockstep: scan, each scan, with the odometry that was due last,'
              ' or the other way round; that to which the simulator awaits an answer',
              choices=(SCAN, ODOMETRY), read_only=True),
    Parameter('odometry_rate', float, 100.0,
              'Rate of the odometry, by which it is known in lockstep which one was due last; that'
              ' of scans stands in them', 'Hz', above=0.0, maximum=1e6, read_only=True),
    _FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

LAP_TIMER = ParameterTable([
    Parameter('track', str, None, 'Closed centre line, by the name of a track or as a waypoint'
              ' file; with w_right and w_left it has borders', example='racetrack',
              read_only=True),
    Parameter('completion', float, WHOLE_LAP, 'Share of the length after the start line at which a'
              ' lap is complete: 1 is the line again, 0.995 the rule of the F1TENTH benchmarks',
              minimum=0.5, maximum=WHOLE_LAP, read_only=True),
    Parameter('sectors', int, LapRule().sectors, 'Equal parts of a lap with times of their own',
              minimum=1, maximum=MOST_SECTORS, read_only=True),
    DIAGNOSTICS_RATE,
])

RACE_CONTROL = VEHICLE_FILE_PARAMETERS + ParameterTable([
    Parameter('race_file', str, 'time_trial', 'Rules and track, by name or as a file of `racecar'
              ' race`; cars and controllers in it are not looked at', read_only=True),
    Parameter('world', str, '', 'World of the race, by name or as a file; empty: that of the race'
              ' file', read_only=True),
    Parameter('auto_start', bool, False, 'Begin the countdown once the odometry of all cars has'
              ' come; false: by the service ~/start', read_only=True),
    Parameter('lockstep', bool, False, 'Answer each look of a simulator in lockstep, which awaits'
              ' it by lockstep_race', read_only=True),
    *(row for row in FLEET_PARAMETERS if row.name != 'grid_spacing'),
    _FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

REAL_TIME_FACTOR = Parameter(
    'real_time_factor', float, 1.0,
    'Simulated seconds per second of wall time; 0 runs as fast as possible',
    minimum=1e-6, maximum=1e6, also=(0.0,))

# What every simulator node has besides its plant (racecar.ros.simulator_node).
SIMULATOR_NODE = ParameterTable([
    REAL_TIME_FACTOR,
    Parameter('lockstep', bool, False,
              'Integrate a tick only once the command stamped with it has come: deterministic,'
              ' at any speed', read_only=True),
    Parameter('lockstep_deadline', float, 5.0,
              'Wall time to wait for a command in lockstep before the time goes on without it, as'
              ' lockstep_policy says', 's', above=0.0, maximum=3600.0),
    Parameter('lockstep_policy', str, STOP,
              'What becomes of a car that does not answer within lockstep_deadline, or of several'
              ' is commanded more often than asked: it stops; coasts, so that it keeps its last'
              ' command and stops after command_timeout; retires, so that it stops and takes no'
              ' part any more until ~/reset; or is waited for',
              choices=(WAIT, COAST, STOP, RETIRE), read_only=True),
    Parameter('lockstep_output', str, 'odometry',
              'Output of the plant whose every value wants an answer in lockstep, and whose'
              ' subscribers wait_for_subscribers counts', read_only=True),
    Parameter('lockstep_inputs', list, [],
              'Inputs of the plant that do not drive, such as lamps, of which lockstep awaits a'
              ' value beside each command', read_only=True),
    Parameter('lockstep_race', bool, False,
              'In lockstep await the orders of race_control at each odometry', read_only=True),
    Parameter('command_timeout', float, 0.5,
              'Age of the newest command at which the car is stopped', 's',
              above=0.0, maximum=60.0),
    Parameter('end_time', float, 0.0,
              'Simulated time at which the time stops for good and the process ends; 0 never',
              's', minimum=0.0, maximum=1e9, read_only=True),
    Parameter('start_deadline', float, 0.0,
              'Wall time to wait for wait_for_subscribers and wait_for_publishers before the'
              ' process ends with an error; 0 waits on', 's', minimum=0.0, maximum=1e6,
              read_only=True),
    Parameter('faults', list, [], 'What fails, one or several faults in each text, as kind: drop,'
              ' target: odometry, onset: 5.0, size: 0.5', read_only=True),
    Parameter('paused', bool, False, 'Start with the time standing still', read_only=True),
    Parameter('simulation_interfaces', bool, True,
              'Offer the services and the action of simulation_interfaces', read_only=True),
    Parameter('simulation_interfaces_prefix', str, '',
              'What comes before their names, which have none by default, such as ~ or sim; a /'
              ' follows', read_only=True),
    Parameter('wait_for_subscribers', int, 0,
              'Subscriptions to the odometry to wait for before the first tick', minimum=0,
              maximum=100, read_only=True),
    Parameter('wait_for_publishers', list, [],
              'Topics to each of which somebody must publish before the first tick',
              read_only=True),
    Parameter('publish_clock', bool, True,
              'Publish /clock; one simulator of several in a network does', read_only=True),
    Parameter('publish_map', bool, True, 'Publish what stands around on map, in place of a'
              ' map_server', read_only=True),
    Parameter('publish_tf', bool, True, 'Publish odom -> base_link on tf', read_only=True),
    Parameter('odometry_frame', str, ODOM, 'Frame in which the pose of the robot is; with map,'
              ' which is exact, there is no map -> odom', choices=(ODOM, MAP), read_only=True),
    Parameter('frame_prefix', str, '', 'What the names of the frames of the robot begin with, as'
              ' ego_racecar/', read_only=True),
    Parameter('best_effort', list, [], 'Topics, as scan, that are published best effort, as by'
              ' drivers of sensors: a subscription that asks for reliable ones hears nothing; not'
              ' in lockstep', read_only=True),
    Parameter('take_initialpose', bool, True, 'A pose on initialpose puts the robot there; false'
              ' where it is for a localisation alone'),
    Parameter('take_pose', bool, False, 'A geometry_msgs/Pose on pose puts the robot there, as in'
              ' the simulator of MIT RSS', read_only=True),
    Parameter('publish_robot_description', bool, True,
              'Publish robot_description, and on tf its links; false where robot_state_publisher'
              ' does', read_only=True),
    Parameter('publish_map_to_odom', bool, True,
              'Publish map -> odom in place of a localisation: a static identity, or by the'
              ' truth where the odometry is reckoned',
              read_only=True),
    Parameter('relay_odometry', bool, True,
              'Publish vesc/odom also on pf/pose/odom for whoever listens, as the original does in'
              ' place of a particle filter; not where vesc/odom has another name or is reckoned',
              read_only=True),
    Parameter('opponent_odometry', bool, False,
              'Of two cars, publish the odometry of each also on opponent/odom below the name of'
              ' the other one; not where it is reckoned', read_only=True),
    Parameter('odometry_variance.position', float, 1e-6, 'Variance of x and y', 'm^2',
              above=0.0, maximum=1e6, read_only=True),
    Parameter('odometry_variance.yaw', float, 1e-6, 'Variance of the yaw', 'rad^2',
              above=0.0, maximum=1e6, read_only=True),
    Parameter('odometry_variance.velocity', float, 1e-6, 'Variance of the velocities',
              'm^2/s^2', above=0.0, maximum=1e6, read_only=True),
    Parameter('odometry_variance.yaw_rate', float, 1e-6, 'Variance of the yaw rate',
              'rad^2/s^2', above=0.0, maximum=1e6, read_only=True),
    DIAGNOSTICS_RATE,
]) + EQUIPMENT_PARAMETERS

FLEET = ParameterTable(FLEET_PARAMETERS)

SINGLE_TRACK_SIMULATOR = (
    VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS + FLEET + ODOMETRY_PARAMETERS + SIMULATOR_NODE)

WORLD_SIMULATOR = (
    VEHICLE_PARAMETERS + WORLD_PARAMETERS + FLEET + ODOMETRY_PARAMETERS + SIMULATOR_NODE)

DIFFERENTIAL_WHEELS_SIMULATOR = DIFFERENTIAL_PARAMETERS + FLEET + ParameterTable([
    Parameter('stamped_cmd_vel', bool, True, 'cmd_vel is a geometry_msgs/TwistStamped, as Nav2'
              ' sends it; false: a Twist, which lockstep cannot take', read_only=True),
]) + SIMULATOR_NODE

SERVO_COMMANDS = VEHICLE_PARAMETERS + SERVO_PARAMETERS + ParameterTable([
    Parameter('command_timeout', float, 0.5,
              'Age of the newest command at which the wheels are stopped', 's', above=0.0,
              maximum=60.0),
    DIAGNOSTICS_RATE,
])

ALL_INPUTS = 'all'
"""Value of `awaited` of a mux that does not know what is waited for."""

ACKERMANN_MUX = ParameterTable([
    Parameter('config_file', str, None,
              'Mux file with the sources, a path or a name in the folder config/; ~/reload'
              ' reads it again', example='mux/high_level'),
    Parameter('lockstep', bool, False,
              'Hold the first command until somebody listens, for a simulator in lockstep',
              read_only=True),
    Parameter('awaited', str, ALL_INPUTS,
              'Inputs, below ~/, with commas between them, that a simulator in lockstep waits for,'
              f' or {ALL_INPUTS}; who publishes on others is told', read_only=True),
    Parameter('arbitration', str, PRIORITY,
              'Which of the sources that speak is forwarded: that of the highest priority, or the'
              ' newest, whose command came last, until it falls silent; held: the newest, whose'
              ' command then stays, as in simulators, never on a car',
              choices=(PRIORITY, NEWEST, HELD)),
    Parameter('race', bool, False,
              'Let the referee of a race hold the car by the input race, over all sources of the'
              ' mux file', read_only=True),
    Parameter('shared', list, [],
              'Inputs, below ~/, that several nodes may command: a warning tells that the newest'
              ' command counts, where others have an error', read_only=True),
    _FRAME_PREFIX,
    DIAGNOSTICS_RATE,
]) + TWIST_PARAMETERS

DRIVER_BRIDGE = VEHICLE_PARAMETERS + CAR_PARAMETERS + ParameterTable([
    Parameter('command_timeout', float, 0.5,
              'Age of the newest driver/command at which the throttle is released and the car'
              ' brakes', 's', above=0.0, maximum=60.0),
    _ODOMETRY_TIMEOUT,
    Parameter('awaits_mux', bool, False, 'In lockstep command the wheels only once the mux has'
              ' answered what holds it now, as where an emergency brake decides each time',
              read_only=True),
    Parameter('mux_timeout', float, 0.2,
              'Silence of the mux, which answers what holds it, after which the wheels are not'
              ' commanded any more', 's', above=0.0, maximum=60.0),
    Parameter('state_rate', float, 50.0, 'Rate of driver/state', 'Hz', above=0.0,
              maximum=1000.0),
    Parameter('mux_source', str, 'Driver', 'Name of the driver in the mux file: wheels are'
              ' commanded past the mux only while this source holds it', read_only=True),
    _LOCKSTEP,
    _FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

KEYBOARD_TELEOP = KEY_PARAMETERS + ParameterTable([
    Parameter('rate', float, 30.0, 'Rate at which keys are read and commands sent while one is'
              ' held: a mux waits 0.2 s for the next', 'Hz', minimum=10.0, maximum=200.0,
              read_only=True),
    Parameter('terminal', str, '', 'Terminal device whose keys drive; empty: that of the standard'
              ' input', read_only=True),
    Parameter('key_releases', bool, True, 'Ask the terminal to tell when a key is released, as'
              ' those with the keyboard protocol of kitty do', read_only=True),
    Parameter('status_line', bool, True, 'Show keys and state in that terminal', read_only=True),
    _FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

JOY_TELEOP = JOY_PARAMETERS + ParameterTable([_FRAME_PREFIX, DIAGNOSTICS_RATE])

JOY_NODE = ParameterTable([
    Parameter('device', str, '/dev/input/js0', 'Joystick device of Linux', read_only=True),
    Parameter('deadzone', float, 0.01, 'Share of an axis about its middle that counts as the'
              ' middle', minimum=0.0, maximum=0.9, read_only=True),
    Parameter('autorepeat_rate', float, 20.0, 'Rate at which an unchanged state is published',
              'Hz', minimum=1.0, maximum=1000.0, read_only=True),
    Parameter('coalesce_interval', float, 0.01, 'Changes within this time make one message', 's',
              minimum=0.001, maximum=1.0, read_only=True),
    DIAGNOSTICS_RATE,
])

BAG_RECORDER = ParameterTable([
    Parameter('folder', str, None, 'Folder of the bag; it must not exist yet', read_only=True,
              example='drive'),
    Parameter('topics', list, [], 'Topics to record; empty records all there are',
              read_only=True),
    Parameter('awaited', list, [], 'Those of topics that are joined before the last of topics is:'
              ' a simulator in lockstep that waits for the recorder of its odometry loses none of'
              ' them', read_only=True),
    Parameter('compression', str, 'zstd', 'Compression of the chunks of the MCAP file',
              choices=('zstd', 'lz4', 'none'), read_only=True),
    Parameter('provenance', str, '', 'Text of a file run.yaml that is put beside the MCAP file:'
              ' how the run is made; empty: none', read_only=True),
    DIAGNOSTICS_RATE,
])
