# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What full keys, sticks and pads command."""

import pytest

from racecar.cockpit.person_limits import angle_of, largest_speed


@pytest.mark.parametrize(('right', 'angles'), [(0.0, (0.4, -0.2)), (0.2, (0.4, -0.1))])
def test_a_page_steers_to_each_side_as_far_as_the_car_can(right, angles):
    limits = {'vehicle.steering_limit': 0.4, 'vehicle.steering_limit_right': right}
    assert (angle_of(limits, 1.0), angle_of(limits, -0.5)) == pytest.approx(angles)


def test_a_page_drives_no_faster_than_the_car_can():
    assert largest_speed({}) == 3.0
    assert largest_speed({'vehicle.speed_max': 1.5}) == 1.5
    assert largest_speed({'vehicle.speed_max': 30.0}) == 3.0
