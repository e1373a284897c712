# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages of driver_bridge: the state of driver and car, what the car is, and its wheels."""

from __future__ import annotations

import math

from sensor_msgs.msg import JointState

from racecar.base.errors import MessageError
from racecar.base.types import HINGE_JOINTS, WHEEL_JOINTS
from racecar.driver import ControlMode, Controls
from racecar.driver.bridge import WheelReadings
from racecar.dynamics.powertrain import CarParameters, Powertrain
from racecar.dynamics.powertrain.car_parameters import BRAKE_MODELS
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.ros.conversions import set_stamp
from racecar.ros.interfaces import CarInfo, DriverState
from racecar.ros.wire import check_stamp, deserialize

UNKNOWN = math.nan


def driver_state(
    time_ns: int, controls: Controls, powertrain: Powertrain,
    joints: WheelReadings | None, speed: float, overruled: bool,
) -> DriverState:
    """Message at a time [ns], without a frame.

    joints: None where none were heard; speed: of the car [m/s], UNKNOWN likewise; overruled:
    whether another source holds the mux.
    """
    lamps = controls.lamps(time_ns)
    left, right = joints.steering_angles if joints else (UNKNOWN, UNKNOWN)
    rpm = torque = UNKNOWN
    if joints and controls.mode == ControlMode.TORQUE:
        rpm = powertrain.rpm(controls.pedals(), joints.speeds)
        torque = powertrain.engine_torque(controls.pedals(), joints.speeds)
    state = DriverState(
        control_mode=int(controls.mode), overruled=overruled,
        target_cruising_speed=controls.cruising_speed, steering_angle=controls.steering_angle,
        throttle=controls.throttle, brake_intensity=controls.brake_intensity,
        gear=controls.gear, speed=speed, left_front_angle=left, right_front_angle=right,
        rpm=rpm, engine_torque=torque,
        wheel_speeds=joints.speeds if joints else (UNKNOWN,) * 4,
        wheel_encoders=joints.rotations if joints else (UNKNOWN,) * 4,
        left_indicator_lit=lamps.left_indicator, right_indicator_lit=lamps.right_indicator,
        front_lights_lit=lamps.front, rear_lights_lit=lamps.rear,
        antifog_lights_lit=lamps.antifog, brake_lights_lit=lamps.brake,
        backwards_lights_lit=lamps.backwards,
        indicator=int(controls.indicator), indicator_period=controls.indicator_period,
        hazard_flashers=controls.hazard_flashers, dipped_beams=controls.dipped_beams,
        antifog_lights=controls.antifog_lights, wiper_mode=int(controls.wiper_mode),
        limited_slip_differential=controls.limited_slip_differential,
        indicator_auto_disabling=controls.indicator_auto_disabling)
    set_stamp(state.header.stamp, time_ns)
    return state


def car_info(car: CarParameters, vehicle: VehicleParameters) -> CarInfo:
    """Message about a car."""
    front_track, rear_track = vehicle.track_widths
    front_radius, rear_radius = vehicle.wheel_radii
    return CarInfo(
        name=vehicle.name, type=int(car.car_type), engine_type=int(car.engine_kind),
        gear_count=len(car.gear_ratio), gear_ratios=list(car.gear_ratio),
        engine_min_rpm=car.engine_min_rpm, engine_max_rpm=car.engine_max_rpm,
        time_0_to_100=car.time_0_to_100, brake_coefficient=car.brake_coefficient,
        brake_model=BRAKE_MODELS.index(car.brake_model),
        wheel_damping=car.wheels_damping_constant, wheelbase=vehicle.wheelbase,
        track_front=front_track, track_rear=rear_track, front_wheel_radius=front_radius,
        rear_wheel_radius=rear_radius, steering_angle_limit=min(map(abs, vehicle.steering_range)),
        speed_min=vehicle.speed_min, speed_max=vehicle.speed_max)


def read_wheels(data: bytes) -> WheelReadings | None:
    """Wheels of a serialised sensor_msgs/JointState, None if it is about other joints.

    Raises MessageError for anything else.
    """
    message = deserialize(data, JointState)
    stamp = message.header.stamp
    time_ns = check_stamp(stamp.sec, stamp.nanosec)
    position = dict(zip(message.name, message.position, strict=False))
    velocity = dict(zip(message.name, message.velocity, strict=False))
    if not all(joint in position and joint in velocity for joint in WHEEL_JOINTS):
        return None
    left, right = (position.get(joint, UNKNOWN) for joint in HINGE_JOINTS)
    wheels = WheelReadings(
        time_ns, tuple(position[joint] for joint in WHEEL_JOINTS),
        tuple(velocity[joint] for joint in WHEEL_JOINTS), (left, right))
    if not all(map(math.isfinite, (*wheels.rotations, *wheels.speeds))):
        raise MessageError(
            f'{wheels.rotations} rad, {wheels.speeds} rad/s, expected finite numbers')
    return wheels
