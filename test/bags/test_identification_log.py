# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drives to identify a car from come out of bags with their commands, speed and pose."""

from bag_samples import ACKERMANN, Messages, ODOMETRY, START_NS, WRITERS
import numpy as np
import pytest

from racecar.bags.identification_log import read_identification_log
from racecar.base.errors import BagError


def rows_of(messages, stamps, command='/drive'):
    found = []
    for k, stamp in enumerate(stamps):
        recorded = START_NS + 20_000_000 * k
        found.append(('/odom', ODOMETRY, recorded, messages.odometry(stamp, 0.02 * k, 1.0)))
        found.append((command, ACKERMANN, recorded,
                      messages.ackermann(stamp, 1.0, 0.1 * (k % 2))))
    return found


@pytest.mark.parametrize('writer', list(WRITERS))
def test_commands_speed_and_pose_are_read_from_every_kind_of_bag(writer, tmp_path):
    messages = Messages()
    stamps = [START_NS + 20_000_000 * k for k in range(20)]
    log = read_identification_log(
        WRITERS[writer](tmp_path / 'run', rows_of(messages, stamps), messages))
    assert log.has('steering_command', 'speed_command', 'wheel_speed', 'x', 'y', 'yaw')
    assert not log.has('yaw_rate')
    t, steering = log.channels['steering_command']
    assert t == pytest.approx(np.arange(20) * 0.02)
    assert steering == pytest.approx(0.1 * (np.arange(20) % 2))
    assert log.channels['x'].values == pytest.approx(0.02 * np.arange(20))


def test_topics_may_be_named_and_missing_ones_are(tmp_path):
    messages = Messages()
    stamps = [START_NS + 20_000_000 * k for k in range(5)]
    bag = WRITERS['ours none'](tmp_path / 'run', rows_of(messages, stamps, '/mine'), messages)
    with pytest.raises(BagError, match='/drive'):
        read_identification_log(bag)
    assert read_identification_log(bag, {'command': '/mine'}).has('steering_command')


def test_stamps_that_step_back_are_a_clock_that_jumps(tmp_path):
    messages = Messages()
    stamps = [START_NS + 20_000_000 * k for k in (0, 1, 2, 3, 1, 2)]
    bag = WRITERS['ours none'](tmp_path / 'run', rows_of(messages, stamps), messages)
    with pytest.raises(BagError, match='clock of .* jumps from'):
        read_identification_log(bag)
