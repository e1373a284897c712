# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What mypy reads of the messages is what the messages are."""

from __future__ import annotations

from array import array
import importlib.util
import os
from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip('rosidl_parser', reason='no ROS 2: run the tests by ./run test')

import make_message_stubs as stubs

try:
    FILES = stubs.stub_files()
except ImportError as error:
    pytest.skip(f'not all messages are installed: {error}', allow_module_level=True)


def test_the_stubs_are_those_of_the_messages():
    assert stubs.outdated() == [], 'run ./run python tools/make_message_stubs.py'


def test_a_stub_that_is_missing_wrong_or_left_over_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(stubs, 'FOLDER', tmp_path)
    assert 'std_msgs/msg/__init__.pyi' in stubs.outdated()
    stubs.main()
    assert stubs.outdated() == []
    (tmp_path / 'std_msgs' / '__init__.pyi').write_text('')
    left_over = tmp_path / 'gone_msgs' / '__init__.pyi'
    left_over.parent.mkdir()
    left_over.write_text('')
    assert stubs.outdated() == ['gone_msgs/__init__.pyi', 'std_msgs/__init__.pyi']
    stubs.main()
    assert stubs.outdated() == []
    assert not left_over.exists()


def test_fields_hold_what_the_stubs_say():
    """One field of each kind, as rosidl gives it back."""
    from geometry_msgs.msg import PoseWithCovariance
    from rcl_interfaces.msg import ParameterType
    from sensor_msgs.msg import JointState, LaserScan
    from std_msgs.msg import Byte, MultiArrayLayout

    covariance = PoseWithCovariance(covariance=[0.5] * 36).covariance
    assert isinstance(covariance, np.ndarray)
    assert covariance.dtype == np.float64
    ranges = LaserScan(ranges=[1.0]).ranges
    assert isinstance(ranges, array)
    assert isinstance(ranges[0], float)
    assert isinstance(JointState().name, list)
    assert isinstance(MultiArrayLayout().dim, list)
    assert isinstance(Byte().data, bytes)
    assert isinstance(ParameterType.PARAMETER_BOOL, int)


WRONG = {
    'Header().stamp.seconds': '"Time" has no attribute "seconds"',
    'Header(stamp=1)': 'Argument "stamp" to "Header" has incompatible type',
    'Header().frame_id = 3': 'Incompatible types in assignment',
    'SetBool.Request(value=True)': 'Unexpected keyword argument "value"',
}


def test_mypy_sees_a_wrong_use(tmp_path: Path):
    if importlib.util.find_spec('mypy') is None:
        pytest.skip('mypy is not installed')
    (tmp_path / 'wrong.py').write_text('\n'.join([
        'from std_msgs.msg import Header', 'from std_srvs.srv import SetBool', *WRONG]))
    answer = subprocess.run(
        [sys.executable, '-m', 'mypy', '--config-file', '', '--cache-dir', str(tmp_path),
         'wrong.py'],
        cwd=tmp_path, env={**os.environ, 'MYPYPATH': str(stubs.FOLDER)}, capture_output=True,
        text=True)
    complaints = answer.stdout.splitlines()
    for number, complaint in enumerate(WRONG.values(), start=3):
        assert any(line.startswith(f'wrong.py:{number}: error: {complaint}')
                   for line in complaints), complaints
