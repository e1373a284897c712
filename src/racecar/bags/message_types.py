# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the message types that are read from bags."""

ACKERMANN = 'ackermann_msgs/msg/AckermannDriveStamped'
CAR_STATE = 'racecar_interfaces/msg/CarState'
NUMBER = 'std_msgs/msg/Float64'
ODOMETRY = 'nav_msgs/msg/Odometry'
PATH = 'nav_msgs/msg/Path'
SCAN = 'sensor_msgs/msg/LaserScan'
MAP = 'nav_msgs/msg/OccupancyGrid'
COUNT = 'std_msgs/msg/UInt32'
TRANSFORMS = 'tf2_msgs/msg/TFMessage'
POINT = 'geometry_msgs/msg/PointStamped'
DRIVER_STATE = 'racecar_interfaces/msg/DriverState'
LAMP_SWITCHES = 'racecar_interfaces/msg/LampSwitches'
TEXT = 'std_msgs/msg/String'
JOINTS = 'sensor_msgs/msg/JointState'
IMU = 'sensor_msgs/msg/Imu'
IMAGE = 'sensor_msgs/msg/Image'
COMPRESSED_IMAGE = 'sensor_msgs/msg/CompressedImage'
CAR_INFO = 'racecar_interfaces/msg/CarInfo'
LOG = 'rcl_interfaces/msg/Log'
TWIST = 'geometry_msgs/msg/TwistStamped'
