# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The figures of a differential-drive robot and what follows from them, as rows of text."""

from __future__ import annotations

import math

from racecar.differential.parameters import RobotParameters
from racecar.dynamics.vehicles.vehicle_sheet import Row


def robot_sheet(robot: RobotParameters) -> dict[str, list[Row]]:
    """Figures of a robot by title."""
    front, rear, side = robot.footprint
    sheet = {
        'Dimensions': [
            Row('length, width', f'{front + rear:.4g}, {2.0 * side:.4g} m'),
            Row('height', f'{robot.height:.4g} m'),
            Row('distance between the wheels', f'{robot.axle_length:.4g} m'),
            Row('wheel radius, width', f'{robot.wheel_radius:.4g}, {robot.wheel_width:.4g} m'),
        ],
        'Masses and loads': [
            Row('mass', f'{robot.mass:.5g} kg, of which a wheel {robot.wheel_mass:.4g} kg'),
            Row('centre of gravity',
                f'{robot.cog_ahead:.4g} m ahead of the axle, {robot.cog_height:.4g} m high'),
            Row('yaw inertia', f'{robot.yaw_inertia:.4g} kg m^2'),
            Row('load of each wheel', f'{robot.wheel_load:.4g} N'),
            Row('share of the caster', f'{100.0 * robot.caster_load:.1f} %'),
        ],
        'Drive': _drive(robot),
    }
    if robot.has_encoders:
        turn = 2.0 * math.pi * robot.encoder_resolution
        sheet['Encoders'] = [
            Row('resolution', f'{robot.encoder_resolution:.4g} /rad, {turn:.5g} a turn'),
            Row('distance a count', f'{1e3 * robot.wheel_radius / robot.encoder_resolution:.4g}'
                ' mm'),
        ]
    return sheet


def _drive(robot: RobotParameters) -> list[Row]:
    speed = robot.max_speed * robot.wheel_radius
    turning = 2.0 * speed / robot.axle_length
    # What the motors can push, and what the wheels can hold.
    motors = 2.0 * robot.max_force / robot.wheel_radius
    grip = 2.0 * robot.friction_coefficient * robot.wheel_load
    return [
        Row('maximum speed', f'{speed:.4g} m/s at {robot.max_speed:.4g} rad/s of the wheels'),
        Row('maximum yaw rate', f'{turning:.4g} rad/s on the spot'),
        Row('maximum acceleration', f'{robot.max_acceleration * robot.wheel_radius:.4g} m/s^2 in'
            ' mode kinematics'),
        Row('maximum force of the motors', f'{motors:.4g} N; the tyres hold {grip:.4g} N'),
    ]
