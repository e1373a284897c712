# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names for people of what has a name for programs: configurations, vehicles, worlds, options."""

from __future__ import annotations

from collections.abc import Mapping

CONFIGURATIONS: Mapping[str, str] = {
    'kinematic_ode': 'Follow a path, planar',
    'dynamic_ode': 'Follow a path, dynamic law, planar',
    'plant': 'Vehicle alone, planar',
    'driver': 'Drive with pedals and gears, planar',
    'kinematic_world': 'Follow a path, 3-D',
    'kinematic_world_pacejka': 'Follow a path, 3-D with tyre forces',
    'dynamic_world': 'Follow a path, dynamic law, 3-D',
    'driver_world': 'Drive with pedals and gears, 3-D',
    'gap_ode': 'Follow the gap, planar',
    'gap_world': 'Follow the gap, 3-D',
    'differential_wheels': 'Differential-drive robot',
    'differential_plant': 'Differential-drive robot alone',
    'teleop': 'Drive by hand, planar',
    'teleop_world': 'Drive by hand, 3-D',
}

VEHICLES: Mapping[str, str] = {
    'bmw_x5': 'BMW X5',
    'car_2014': 'Default car of 2014',
    'citroen_czero': 'Citroën C-Zero',
    'course': 'Car of the course',
    'f1tenth': 'F1TENTH',
    'f1tenth_real': 'F1TENTH, as identified',
    'racecar': 'MIT RACECAR',
    'report': 'Car of the report',
    'tesla_model3': 'Tesla Model 3',
    'toyota_prius': 'Toyota Prius',
    'khepera': 'Khepera',
    'pioneer': 'Pioneer 3-DX',
}
"""Cars, and differential-drive robots."""

WORLDS: Mapping[str, str] = {
    'ar': 'Board with a marker',
    'arena': 'Arena for small robots',
    'aut': 'Track of Austria, 94 m',
    'berlin': 'Track of Berlin, 68 m',
    'building_31': 'MIT building 31',
    'bumpers': 'Ring for cars that hit each other',
    'cones': 'Row of cones',
    'empty': 'Open plane',
    'esp': 'Track of Spain, 236 m',
    'gbr': 'Track of Great Britain, 201 m',
    'crossing': 'Things that cross the way, and walkers',
    'ice': 'Puddle and slab of ice',
    'levine': 'Levine Hall, Penn, 63 m',
    'mco': 'Track of Monaco, 177 m',
    'neo_cone': 'Orange cone to park at',
    'neo_line': 'Line of three colours, 34 m',
    'neo_lights': 'Coloured lights and markers',
    'neo_slalom': 'Slalom of coloured cones',
    'parking_1': 'Parking bay',
    'racetrack': 'Race track, 90 m',
    'room': 'Furnished room',
    'skirk': 'Skirkanich Hall, Penn, 31 m',
    'stata_basement': 'MIT Stata Center, basement',
    'tunnel': 'Loop of corridors, 110 m',
    'vegas': 'Track of Las Vegas, 471 m',
    'walker': 'Race course, 135 m',
}

TRAJECTORIES: Mapping[str, str] = {
    'line': 'Line',
    'parabola': 'Parabola',
    'circle': 'Circle',
    'figure_eight': 'Figure eight',
    'cycloid': 'Cycloid',
    'waypoints': 'Waypoints',
    'parking': 'Parking',
    'skidpad': 'Skidpad',
    'circle_to_slip': 'Circle, faster until it slips',
    'step_steer': 'Step of the steering',
    'ramp_steer': 'Ramp of the steering',
    'coast_down': 'Coasting down',
    'raceline': 'Race line',
}

WAYPOINTS: Mapping[str, str] = {
    'aut': 'Centre line of Austria',
    'berlin': 'Centre line of Berlin',
    'esp': 'Centre line of Spain',
    'gbr': 'Centre line of Great Britain',
    'hall': 'Circuit in a hall, 33 m',
    'levine': 'Centre line of Levine Hall',
    'mco': 'Centre line of Monaco',
    'racetrack': 'Centre line of the race track',
    'skirk': 'Centre line of Skirkanich Hall',
    'slalom': 'Slalom',
    'vegas': 'Centre line of Las Vegas',
}

TYRE_MODELS: Mapping[str, str] = {
    'linear': 'Linear',
    'fiala': 'Fiala',
    'fiala_unsaturated': 'Fiala, unsaturated',
    'pacejka': 'Pacejka',
}

SENSORS: Mapping[str, str] = {
    'laser': 'Lidar', 'camera': 'Camera', 'depth': 'Depth camera', 'imu': 'IMU'}
