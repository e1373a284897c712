# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slip and forces of the wheels from a bag."""

import numpy as np
from presence import present
import pytest

from racecar.bags.tracking_run import read_tracking_run
from racecar.base.types import WHEEL_NAMES


@pytest.mark.parametrize('namespace', ['', '/car1'])
def test_each_wheel_has_its_own_curves(write_bag, with_tyres, namespace):
    data = read_tracking_run(write_bag(with_tyres(namespace=namespace))).run.tyre_data
    assert data is not None
    for curves, stiffness in ((data.fx, -100.0), (data.fy, -50.0)):
        assert list(curves) == list(WHEEL_NAMES)
        for number, curve in enumerate(curves.values()):
            assert curve.t == pytest.approx(0.01 * np.arange(200))
            assert curve.slip == pytest.approx(1e-3 * np.arange(200) + 0.1 * number)
            assert curve.force == pytest.approx(stiffness * curve.slip)


def test_lost_messages_do_not_shift_the_others(write_bag, with_tyres):
    bag = write_bag(with_tyres(
        lambda topic, tick: topic == 'fx_pub/left_rear' and (tick < 7 or tick == 50)
        or topic == 'long_pub/right_rear' and tick % 3 == 1))
    curves = present(read_tracking_run(bag).run.tyre_data).fx
    assert [curves[wheel].t.size for wheel in WHEEL_NAMES] == [200, 200, 192, 133]
    for curve in curves.values():
        assert curve.force == pytest.approx(-100.0 * curve.slip)
