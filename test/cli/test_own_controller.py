# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar simulate --controller`: a controller of the user's own."""

import json
from pathlib import Path

import numpy as np
import pytest

from racecar.cli.main import main
from racecar.core.compiled import COMPILED

EXAMPLE = Path(__file__).parents[2] / 'docs' / 'examples' / 'pure_pursuit.py'

STEP = """
import math
from typing import NamedTuple
from racecar.core.types import AckermannCommand, CarMotion

class State(NamedTuple):
    integral: float

class Parameters(NamedTuple):
    gain: float

def step(state, parameters, car, reference, dt):
    left = math.cos(car.yaw) * (reference.y - car.y) - math.sin(car.yaw) * (reference.x - car.x)
    integral = state.integral + left * dt
    return State(integral), 1.0, parameters.gain * left + 0.1 * integral

class Compiled:
    preview = 0.3
    step = staticmethod(step)
    def __init__(self, vehicle):
        self.state, self.parameters = State(0.0), Parameters(0.8)

class Plain:
    preview = 0.3
    def __init__(self, vehicle):
        self.state, self.last = State(0.0), None
    def command(self, odometry, reference):
        dt = 0.0 if self.last is None else (odometry.time_ns - self.last) / 1e9
        self.last = odometry.time_ns
        o = odometry
        self.state, speed, steering = step(
            self.state, Parameters(0.8), CarMotion(o.x, o.y, o.yaw, o.vx, o.vy, o.yaw_rate),
            reference, 0.01 if dt else 0.0)
        return AckermannCommand(speed, steering)
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name='mine'):
        path = tmp_path / f'{name}.py'
        path.write_text(text)
        return path

    return write


def simulate(where, *more):
    return main(['simulate', 'kinematic_ode', '--controller', str(where), '--duration', '5',
                 *map(str, more)])


def answer(capsys, where, *more):
    assert simulate(where, '--json', *more) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def error(capsys, where, *more):
    assert simulate(where, *more) == 1
    err = capsys.readouterr().err
    return [line for line in err.splitlines() if 'error' in line][-1]


@pytest.mark.parametrize('name', ['PurePursuit', 'CompiledPurePursuit'])
@pytest.mark.parametrize('trajectory', ['figure_eight', 'waypoints'])
def test_example_follows_the_path(capsys, name, trajectory):
    found, said = answer(capsys, f'{EXAMPLE}:{name}', '--trajectory', trajectory, '--skip', 2)
    assert found['rmse'] < 0.05
    assert ('compiled' in said) == (name == 'CompiledPurePursuit' and COMPILED)


def test_it_runs_compiled_with_the_bits_of_plain_python(capsys, write, tmp_path):
    path = write(STEP)
    rows = []
    for name in ('Compiled', 'Plain'):
        _, said = answer(capsys, f'{path}:{name}', '--csv', tmp_path / f'{name}.csv')
        assert ('tick by tick' in said) == (name == 'Plain' or not COMPILED)
        rows.append((tmp_path / f'{name}.csv').read_text())
    assert rows[0] == rows[1]
    table = np.genfromtxt(tmp_path / 'Plain.csv', delimiter=',', names=True)
    assert np.abs(table['y']).max() > 0.5


def test_reference_and_metrics_are_those_of_the_stock_loop(capsys, write, tmp_path):
    path = write(STEP)
    answer(capsys, f'{path}:Plain', '--csv', tmp_path / 'own.csv')
    assert main(['simulate', 'kinematic_ode', '--duration', '5', '--csv',
                 str(tmp_path / 'stock.csv')]) == 0
    own, stock = (np.genfromtxt(tmp_path / f'{name}.csv', delimiter=',', names=True)
                  for name in ('own', 'stock'))
    for column in ('time', 'x_reference', 'y_reference'):
        assert (own[column] == stock[column]).all()


def test_a_step_that_cannot_be_compiled_runs_in_plain_python(capsys, write):
    text = STEP.replace('integral = state', 'open("/dev/null").close()\n    integral = state')
    text += """
    def command(self, odometry, reference):
        return AckermannCommand(1.0, 0.0)

Compiled.command = command
""".replace('    def', 'def').replace('        return', '    return')
    _, said = answer(capsys, f'{write(text, "slow")}:Compiled')
    assert 'in plain Python, tick by tick, as ' in said


@pytest.mark.parametrize(('text', 'name', 'message'), [
    ('', 'Missing', "there is no class 'Missing', expected one of none"),
    ('class Other:\n    def command(self): pass', 'Missing', 'expected one of Other'),
    ('x = 1 / 0', 'Any', 'ZeroDivisionError: division by zero'),
    ('def f(', 'Any', 'SyntaxError'),
    ('class A:\n    pass', 'A', 'cannot be made with the vehicle: TypeError'),
    ('class A:\n    def __init__(self, vehicle): pass', 'A',
     'has neither command(odometry, reference) nor step'),
    ('class A:\n    preview = -1.0\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return 1.0, 0.0', 'A',
     'preview of the controller is -1.0, expected a number of at least 0 [s]'),
    ('class A:\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return None', 'A', 'the controller fails at 0 s: TypeError'),
    ('class A:\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return 1.0, float("nan")', 'A', 'expected finite numbers'),
    ('class A:\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return {}["speed"]', 'A', 'mine.py, line 3)')])
def test_a_faulty_controller_ends_in_one_line(capsys, write, text, name, message):
    assert message in error(capsys, f'{write(text)}:{name}')


@pytest.mark.parametrize('where', ['nothing', 'no_such_module_anywhere:A', '/no/file.py:A', ':A'])
def test_what_is_not_there_is_refused(capsys, where):
    assert 'controller' in error(capsys, where)
