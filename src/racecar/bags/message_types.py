# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the message types that are read from bags."""

NUMBER = 'std_msgs/msg/Float64'
ODOMETRY = 'nav_msgs/msg/Odometry'
PATH = 'nav_msgs/msg/Path'
POINT = 'geometry_msgs/msg/PointStamped'
DRIVER_STATE = 'racecar_interfaces/msg/DriverState'
COUNT = 'std_msgs/msg/UInt32'
