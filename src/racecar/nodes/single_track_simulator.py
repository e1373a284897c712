# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track simulator: the report's ode_simulator, made right."""

from __future__ import annotations

import sys
from typing import Any

from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

from racecar.core.compiled import announce_compilation
from racecar.core.simulation.simulator import make_simulator, Simulator
from racecar.core.types import (
    FX_TOPIC,
    FY_TOPIC,
    SLIP_ANGLE_TOPIC,
    SLIP_TOPIC,
    WHEEL_NAMES,
)
from racecar.nodes.tables import SINGLE_TRACK_SIMULATOR
from racecar.ros import qos
from racecar.ros.interfaces import CarState
from racecar.ros.run_node import run_node
from racecar.ros.simulator_node import BASE_LINK, ODOM, SimulatorNode
from racecar.ros.wire import MessageTemplate

_JOINTS = ('left_front_wheel_joint', 'right_front_wheel_joint', 'left_rear_wheel_joint',
           'right_rear_wheel_joint', 'left_steering_hinge_joint', 'right_steering_hinge_joint')

# Ticks from one look for listeners of the wheel topics to the next.
_LISTENERS_EVERY = 10

# In the order of racecar.core.types.VehicleDiagnostics.
_STATE_FIELDS = (
    'x', 'y', 'yaw', 'longitudinal_velocity', 'lateral_velocity', 'yaw_rate', 'sideslip_angle',
    'lateral_acceleration', 'slip_angle_front', 'slip_angle_rear', 'lateral_force_front',
    'lateral_force_rear', 'speed_command', 'steering_angle')


class SingleTrackSimulatorNode(SimulatorNode):
    """Integrates the single-track model and is the source of time, odometry and transforms.

    Subscribes: vesc/low_level/ackermann_cmd_mux/output (ackermann_msgs/AckermannDriveStamped),
    vesc/wheel_command (racecar_interfaces/WheelCommand, for vehicle_model double_track),
    initialpose (geometry_msgs/PoseWithCovarianceStamped).
    Publishes: vesc/odom (nav_msgs/Odometry, base_link in odom), car_state
    (racecar_interfaces/CarState, centre of gravity), joint_states (sensor_msgs/JointState:
    position and velocity of the wheels, position of the hinges, which turn at once), tf
    (odom -> base_link), tf_static (map -> odom, base_link -> cog), /clock; for each wheel of
    WHEEL_NAMES long_pub/<wheel> (longitudinal slip [-]), lat_pub/<wheel> (slip angle [rad]),
    fx_pub/<wheel> and fy_pub/<wheel> (forces [N]), std_msgs/Float64 as in WheelState.
    Services: ~/reset (racecar_interfaces/Reset), ~/pause (std_srvs/SetBool).
    Parameters: racecar.nodes.tables.SINGLE_TRACK_SIMULATOR.
    """

    plant: Simulator

    def __init__(self, **kwargs: Any) -> None:
        """Raise ParameterError or ConfigurationError for what cannot be simulated."""
        super().__init__(kwargs.pop('node_name', 'single_track_simulator'),
                         SINGLE_TRACK_SIMULATOR, **kwargs)

    def make_plant(self, values: dict[str, Any]) -> Simulator:
        """Build the simulator from resolved parameter values."""
        announce_compilation(self.get_logger().info)
        simulator = make_simulator(values)
        # Compiled here, it does not hold up the first tick.
        simulator.warm_up()
        return simulator

    def set_up(self) -> None:
        """Create the publishers of car_state, joint_states and the wheels."""
        state = CarState()
        state.header.frame_id = ODOM
        self._state = MessageTemplate(state, ('header.stamp', *_STATE_FIELDS))
        joints = JointState(
            name=list(_JOINTS), position=[0.0] * len(_JOINTS), velocity=[0.0] * len(_JOINTS))
        self._joints = MessageTemplate(
            joints, ('header.stamp', *(
                f'{quantity}.{i}' for quantity in ('position', 'velocity')
                for i in range(len(_JOINTS)))))
        self._state_publisher = self.create_publisher(CarState, 'car_state', qos.STATE)
        self._joint_publisher = self.create_publisher(JointState, 'joint_states', qos.STATE)
        self._number = MessageTemplate(Float64(), ('data',))
        # In the order of the fields of WheelState.
        topics = (SLIP_TOPIC, SLIP_ANGLE_TOPIC, FX_TOPIC, FY_TOPIC)
        self._wheel_publishers = [
            (self.create_publisher(Float64, f'{topic}/{name}', qos.STATE), wheel, quantity)
            for quantity, topic in enumerate(topics) for wheel, name in enumerate(WHEEL_NAMES)]
        self._heard = self._wheel_publishers

    def static_transforms(self) -> list[TransformStamped]:
        """Return base_link -> cog."""
        transform = TransformStamped()
        transform.header.frame_id = BASE_LINK
        transform.child_frame_id = 'cog'
        vehicle = self.plant.model.vehicle
        transform.transform.translation.x = -vehicle.odometry_offset
        transform.transform.translation.z = vehicle.cog_height
        return [transform]

    def publish_details(self, sec: int, nanosec: int) -> None:
        """Publish car_state, joint_states, slip and forces of the wheels to those who listen."""
        plant = self.plant
        if self._state_publisher.get_subscription_count():
            self._state_publisher.publish(self._state.fill(sec, nanosec, *plant.diagnostics()))
        if self._joint_publisher.get_subscription_count():
            left, right = plant.front_angles
            self._joint_publisher.publish(self._joints.fill(
                sec, nanosec, *plant.wheel_angles, left, right, *plant.wheel_speeds, 0.0, 0.0))
        # Sixteen counts a tick would cost more than the tick's integration.
        if plant.time_ns // plant.period_ns % _LISTENERS_EVERY == 0:
            self._heard = [row for row in self._wheel_publishers
                           if row[0].get_subscription_count()]
        if self._heard:
            states = plant.wheels()
            for publisher, wheel, quantity in self._heard:
                publisher.publish(self._number.fill(states[wheel][quantity]))


def main(args: list[str] | None = None) -> int:
    """Run the node as a process."""
    return run_node(SingleTrackSimulatorNode, args)


if __name__ == '__main__':
    sys.exit(main())
