# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from racecar.analysis.run_data import TrackingRun
from racecar.metrics.tracking_error import compute_metrics


def test_run_from_arrays():
    t = np.arange(0, 10, 0.05)
    run = TrackingRun(name='simulated', t=t, x=np.cos(t), y=np.sin(t), yaw=t + math.pi / 2,
                      reference_t=t, reference_x=0 * t, reference_y=0 * t)
    assert compute_metrics(run.merged()).rmse == pytest.approx(1.0)
