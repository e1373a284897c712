# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every simulator has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from racecar.base.frames import MAP, ODOM
from racecar.base.parameters import DIAGNOSTICS_RATE, Parameter, ParameterTable
from racecar.description.urdf import RobotDescription
from racecar.scene.world_choice import FLEET_PARAMETERS
from racecar.sensors.equipment import EQUIPMENT_PARAMETERS
from racecar.simulation.closed_loop import LoopCar
from racecar.simulation.ports import COAST, Plant, RETIRE, STOP, WAIT

MakeCar = Callable[[Mapping[str, object], LoopCar | None], LoopCar]
"""Builds the car of a simulator from resolved values; of another car of the same values, None if
there is none, it may take what has no memory."""

MakePlant = Callable[[Mapping[str, object]], Plant]
"""Builds the plant of a simulator, without sensors, from resolved values."""

Describe = Callable[[Mapping[str, object]], RobotDescription]


class SimulatorEntry(NamedTuple):
    """What a simulator is made of without ROS.

    make_car: builds its car, which owns the time, for loops. make_plant: builds its plant
    likewise. describe: gives the description of its robot from resolved values.
    """

    make_car: MakeCar
    make_plant: MakePlant
    describe: Describe


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
