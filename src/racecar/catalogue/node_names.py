# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the nodes: executable and, by default, node. Those of control laws are in LAWS."""

from racecar.base.parameters import CAR_SECTION

TRAJECTORY_TRACKER = 'trajectory_tracker'
SINGLE_TRACK_SIMULATOR = 'single_track_simulator'
WORLD_SIMULATOR = 'world_simulator'
SERVO_COMMANDS = 'servo_commands'
ACKERMANN_MUX = 'ackermann_mux'
DRIVER_BRIDGE = CAR_SECTION
DIFFERENTIAL_WHEELS_SIMULATOR = 'differential_wheels_simulator'
DIFFERENTIAL_LINEARIZER = 'differential_linearizer'
GAP_FOLLOWER = 'gap_follower'
KEYBOARD_TELEOP = 'keyboard_teleop'
JOY_TELEOP = 'joy_teleop'
JOY_NODE = 'joy_node'
BAG_RECORDER = 'bag_recorder'
LAP_TIMER = 'lap_timer'
RACE_CONTROL = 'race_control'
EMERGENCY_BRAKE = 'emergency_brake'
