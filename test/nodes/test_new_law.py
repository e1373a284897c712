# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A control law is its file and one entry of the registry; all else follows.

Each process registers a law of the test's own before anything reads the registry, and has the file
in config/ that docs/generate.py would write.
"""

import csv
import json
from pathlib import Path
import subprocess
import sys

import pytest

pytestmark = pytest.mark.ros

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 300.0
DURATION = '2'
TICKS = 201

LAW = '''
"""The kinematic law for a share of the wanted velocity."""

from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.parameters import Parameter, ParameterTable
from racecar.control.kinematic_linearizer import KinematicLaw, speed_and_steering
from racecar.control.laws import LawEntry, SimulatorKind
from racecar.control.linearizer import Linearizer, SteeringState


class SlowLaw(NamedTuple):
    epsilon: float
    share: float
    wheelbase: float
    steering_limit: float


@pure
def slow_step(state, law, car, vx, vy, dt):
    kinematic = KinematicLaw(law.epsilon, law.wheelbase, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    speed, steering = speed_and_steering(
        kinematic, law.epsilon, state.held_steering, car.yaw, law.share * vx, law.share * vy)
    steering = max(-law.steering_limit, min(law.steering_limit, steering))
    return SteeringState(steering), speed, steering


class SlowLinearizer(Linearizer):
    step = staticmethod(slow_step)
    parameter_type = SlowLaw

    def pack(self, values):
        return SlowLaw(values['epsilon'], values['share'], self._vehicle.wheelbase,
                       self._vehicle.steering_limit)

    @property
    def tracked_ahead(self):
        return 0.0

    @property
    def reverses(self):
        return True


SLOW = LawEntry(
    'slow', SlowLinearizer, ParameterTable([
        Parameter('epsilon', float, 0.1, 'Distance of P', 'm', above=0.0, maximum=10.0),
        Parameter('share', float, 0.5, 'Share of the velocity', minimum=0.0, maximum=1.0)]),
    'Drives at a share of the wanted velocity.',
    {'slow_ode': SimulatorKind.PLANE, 'slow_world': SimulatorKind.WORLD})
'''

PROGRAM = """
import os
from pathlib import Path
import sys

from racecar.base import share
from racecar.control.laws import LAWS
from slow_law import SLOW

LAWS[SLOW.name] = SLOW

from racecar.cli.parameters import parameter_file

source, mine = share.share_folder(), Path(__file__).parent / 'share'
if not mine.exists():
    (mine / 'config').mkdir(parents=True)
    for path in (*source.glob('config/*'), source / 'worlds', source / 'urdf',
                 source / 'package.xml'):
        (mine / path.relative_to(source)).symlink_to(path)
    (mine / 'config' / 'slow_linearizer.yaml').write_text(parameter_file('slow_linearizer'))
share.share_folder = lambda: mine

if sys.argv[1] == 'node':
    from racecar.nodes.shared.entry import run_executable

    sys.argv = sys.argv[2:]
    sys.exit(run_executable(sys.argv[0], sys.argv))

from racecar.cli.main import main

sys.exit(main())
"""


@pytest.fixture(scope='module')
def registered(tmp_path_factory):
    """Run words of `racecar`, or the word node and those of an executable, with the law."""
    folder = tmp_path_factory.mktemp('law')
    (folder / 'slow_law.py').write_text(LAW)
    (folder / 'racecar_with_law.py').write_text(PROGRAM)

    def run(*words):
        return subprocess.run(
            [sys.executable, folder / 'racecar_with_law.py', *words], capture_output=True,
            text=True, timeout=DEADLINE, check=False, cwd=folder)
    return run


def rows_of(path):
    with open(path, newline='', encoding='utf-8') as stream:
        return list(csv.DictReader(stream))


def speeds(rows):
    return [float(row['speed_command']) for row in rows]


def test_a_new_law_drives_without_ros_and_as_a_node_in_lockstep_with_equal_bits(
        registered, tmp_path):
    tables = {}
    for way, options in (('simulate', ()), ('up', ('--lockstep', '--real-time-factor', '0'))):
        path = tmp_path / f'{way}.csv'
        done = registered(way, 'slow_ode', '--trajectory', 'circle', '--duration', DURATION,
                          '--csv', str(path), '--json', *options)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)
        tables[way] = rows_of(path)
    assert len(tables['simulate']) == TICKS
    assert tables['up'] == tables['simulate']


def test_a_new_law_drives_in_the_world_too(registered, tmp_path):
    path = tmp_path / 'world.csv'
    done = registered('simulate', 'slow_world', '--trajectory', 'circle', '--duration', '1',
                      '--csv', str(path))
    assert done.returncode == 0, done.stderr
    rows = rows_of(path)
    assert float(rows[-1]['x']) > 0.1
    assert any(speed > 0.1 for speed in speeds(rows))


def test_the_parameters_of_a_new_law_are_those_of_its_node(registered, tmp_path):
    found = []
    for share in ('0.25', '0.5'):
        path = tmp_path / f'{share}.csv'
        done = registered('simulate', 'slow_ode', '--trajectory', 'circle', '--duration', '0.05',
                          '--csv', str(path), '--set', f'slow_linearizer.share={share}')
        assert done.returncode == 0, done.stderr
        found.append(speeds(rows_of(path)))
    # The first command comes before any of the two has moved.
    assert found[1][0] == pytest.approx(2.0 * found[0][0], rel=1e-6)
    assert found[0][0] > 0.0
    done = registered('simulate', 'slow_ode', '--set', 'slow_linearizer.share=2')
    assert "parameter 'share' is 2" in done.stderr
    assert 'expected a number in [0, 1]' in done.stderr


def test_a_new_law_is_an_executable_and_a_configuration_by_name(registered):
    done = registered('node', 'slow_linearizer', '--help')
    assert done.returncode == 0, done.stderr
    usage, _, about, *_ = done.stdout.splitlines()
    assert usage.startswith('usage: ros2 run racecar slow_linearizer ')
    assert about == 'Drives at a share of the wanted velocity.'
    assert 'share (' in done.stdout
    done = registered('simulate', 'slow_wold')
    assert 'did you mean slow_world' in done.stderr
    done = registered('parameters', 'slow_linearizer', '--yaml')
    assert 'share: 0.5' in done.stdout
