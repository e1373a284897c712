# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controllers that come with the package, one a file; a new one adds its row here.

They follow by progress, but for `gap`, which sees scans alone.
"""

from __future__ import annotations

CONTROLLERS = {
    'pure_pursuit': 'racecar.control.racing.pure_pursuit:PurePursuit',
    'stanley': 'racecar.control.racing.stanley:Stanley',
    'lqr': 'racecar.control.racing.lqr:LinearQuadratic',
    'map': 'racecar.control.racing.acceleration_pursuit:AccelerationPursuit',
    'kinematic_nmpc': 'racecar.control.racing.kinematic_mpc:KinematicPredictive',
    'nmpc': 'racecar.control.racing.dynamic_mpc:DynamicPredictive',
    'mpcc': 'racecar.control.racing.contouring_mpc:ContouringPredictive',
    'mppi': 'racecar.control.racing.path_integral:PathIntegral',
    'gap': 'racecar.control.racing.gap:Gap',
}
"""Where a controller is found, by the name that stands for it."""
