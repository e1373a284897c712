# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The configuration driver on the command line: what runs it, and what it is not for."""

import pytest

from racecar.cli.main import main


@pytest.mark.parametrize(('arguments', 'message'), [
    (['simulate', 'driver'], "configuration 'driver' follows no trajectory, expected one of kin"),
    (['sweep', 'driver', 'absent.yaml'], "configuration 'driver' follows no trajectory"),
    (['up', 'driver', '--duration', '1', '--json'], '--csv, --json and --report tell how a tra'),
    (['up', 'driver', '--trajectory', 'line'], "trajectory is 'line', but the configuration dr"),
    (['up', 'driver', '--vehicle', 'report'], 'has no parameters car.*')])
def test_what_the_driver_is_not_for_is_one_line(capsys, arguments, message):
    if arguments[0] == 'up':
        pytest.importorskip('rclpy', reason='needs ROS 2')
    assert main(arguments) == 1
    assert message in capsys.readouterr().err
