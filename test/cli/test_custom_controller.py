# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar simulate --controller`: a custom controller."""

import json
import os
from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

from racecar.base.compiled import has_compiler
from racecar.cli.main import main

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / 'docs' / 'examples' / 'pure_pursuit.py'
TUNED = ROOT / 'docs' / 'examples' / 'tuned_pursuit.py'

STEP = """
import math
from typing import NamedTuple
from racecar.base.types import AckermannCommand, CarMotion

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
def test_example_follows_the_path(capsys, monkeypatch, name, trajectory):
    # As a module it is compiled once for both trajectories.
    monkeypatch.syspath_prepend(EXAMPLE.parent)
    found, said = answer(
        capsys, f'{EXAMPLE.stem}:{name}', '--trajectory', trajectory, '--skip', 2)
    assert found['rmse'] < 0.05
    assert ('compiled' in said) == (name == 'CompiledPurePursuit' and has_compiler())


def test_it_runs_compiled_with_the_bits_of_plain_python(capsys, write, tmp_path):
    path = write(STEP)
    rows = []
    for name in ('Compiled', 'Plain'):
        _, said = answer(capsys, f'{path}:{name}', '--csv', tmp_path / f'{name}.csv')
        assert ('tick by tick' in said) == (name == 'Plain' or not has_compiler())
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


SETTINGS = """
class Told:
    def __init__(self, vehicle, gain=1.0, count: int = 2, name='a', *, flag=False, any=None):
        print('made', vehicle.cog_to_front_axle, gain, count, name, flag, any)

    def command(self, odometry, reference):
        return 0.0, 0.0

class Needs(Told):
    def __init__(self, vehicle, gain, **more):
        super().__init__(vehicle, gain, **more)
"""


def made(capsys, path, *settings):
    more = [word for setting in settings for word in ('--set', setting)]
    assert simulate(path, '--duration', '0.1', *more) == 0
    return next(line.split()[1:] for line in capsys.readouterr().out.splitlines()
                if line.startswith('made'))


def test_settings_reach_the_constructor_in_their_types(capsys, write):
    path = write(SETTINGS)
    given = ['gain=2', 'count=3', 'name=on top', 'flag=yes', 'any=[1, x]']
    axle = made(capsys, f'{path}:Told')[0]
    assert made(capsys, f'{path}:Told')[1:] == ['1.0', '2', 'a', 'False', 'None']
    assert made(capsys, f'{path}:Told', *(f'controller.{text}' for text in given)) == [
        axle, '2.0', '3', 'on', 'top', 'True', '[1,', "'x']"]
    assert made(capsys, f'{path}:Needs', 'controller.gain=2', 'controller.count=4')[1:3] == [
        '2', '4']


def test_it_believes_the_vehicle_of_the_tracker(capsys, write):
    path = write(SETTINGS)
    assert made(capsys, f'{path}:Told', 'trajectory_tracker.vehicle.cog_to_front_axle=0.25',
                'kinematic_linearizer.vehicle.cog_to_front_axle=0.3',
                'single_track_simulator.vehicle.cog_to_front_axle=0.35')[0] == '0.25'


@pytest.mark.parametrize(('name', 'settings', 'message'), [
    ('Told', 'controller.gian=1', "has no setting 'gian': it takes gain, count, name, flag, any;"
     ' did you mean gain'),
    ('Told', 'controller.vehicle=1', "has no setting 'vehicle': it takes gain, count"),
    ('Told', 'controller.gain=high', "'gain' is 'high', expected a number"),
    ('Told', 'controller.count=1.5', "'count' is 1.5, expected an integer"),
    ('Needs', 'controller.count=1', 'needs gain; give controller.gain'),
    # Any name may reach such a constructor, which has to refuse it.
    ('Needs', 'controller.gain=1 controller.other=1', 'cannot be made with the vehicle: Type'),
    ('Told', 'controllers.gain=1', "node 'controllers' is not part of kinematic_ode")])
def test_a_faulty_setting_ends_in_one_line(capsys, write, name, settings, message):
    more = [word for text in settings.split() for word in ('--set', text)]
    assert message in error(capsys, f'{write(SETTINGS)}:{name}', *more)


def test_a_setting_without_a_controller_is_refused(capsys):
    assert main(['simulate', 'kinematic_ode', '--set', 'controller.gain=1']) == 1
    assert 'controller.gain is a setting of a custom controller' in capsys.readouterr().err


@pytest.mark.parametrize(('body', 'message'), [
    ('step = step', 'without self: write step = staticmethod(function)'),
    ('step = 5', 'step of the controller is 5, expected a function'),
    ('step = staticmethod(step); state = 1.0', 'state of the controller is 1.0, expected a Named'),
    ('step = staticmethod(step); state = (1.0,)', 'state of the controller is (1.0,), expected'),
    ('step = staticmethod(step); state = State(0.0)', 'parameters of the controller is None'),
    ('step = staticmethod(step); state = State(0.0); parameters = Parameters("a")',
     "parameters of the controller is Parameters(gain='a'), expected a NamedTuple of finite")])
def test_a_faulty_pure_step_ends_in_one_line(capsys, write, body, message):
    text = f'{STEP}\nclass Faulty:\n    def __init__(self, vehicle): pass\n    {body}\n'
    assert message in error(capsys, f'{write(text)}:Faulty')


@pytest.mark.parametrize(('line', 'message'), [
    ('integral = math.nan', 'steering_angle=nan) at 0 s, expected finite numbers'),
    ('integral = [1.0, 2.0][int(100.0 * car.x)]', 'the controller fails '),
    ('if car.x > 0.2: raise ValueError("too far")', 'ValueError: too far')])
def test_a_pure_step_that_fails_ends_in_one_line(capsys, write, line, message):
    text = STEP.replace('    return State', f'    {line}\n    return State')
    assert message in error(capsys, f'{write(text)}:Compiled')


CODE = """
import sys
if sys.argv[1] == 'plain':
    sys.modules['numba'] = None
from racecar.cli.main import main
sys.exit(main(['simulate', 'kinematic_ode', '--duration', '2', *sys.argv[2:]]))
"""


@pytest.mark.parametrize('where', [f'{EXAMPLE}:CompiledPurePursuit', f'{TUNED}:TunedPursuit'])
def test_a_pure_step_runs_without_numba_too(tmp_path, where):
    pytest.importorskip('numba')
    for mode, said in (('compiled', ': compiled'), ('plain', 'Numba is not installed')):
        done = subprocess.run(
            [sys.executable, '-c', CODE, mode, '--controller', where, '--csv',
             str(tmp_path / mode)], text=True, capture_output=True, timeout=120,
            env={**os.environ, 'PYTHONPATH': str(ROOT / 'src')})
        assert done.returncode == 0, done.stderr
        assert said in done.stderr
    compiled, plain = (np.genfromtxt(tmp_path / mode, delimiter=',', skip_header=1)
                       for mode in ('compiled', 'plain'))
    np.testing.assert_allclose(compiled, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(('text', 'name', 'message'), [
    ('', 'Missing', "there is no class 'Missing', expected one of none"),
    ('class Other:\n    def command(self): pass', 'Missing', 'expected one of Other'),
    ('x = 1 / 0', 'Any', 'ZeroDivisionError: division by zero'),
    ('\nimport no_such_module', 'Any', 'mine.py, line 2)'),
    ('def f(', 'Any', 'SyntaxError'),
    ('class A:\n    pass', 'A', 'does not take the vehicle, expected __init__(self, vehicle'),
    ('class A:\n    def __init__(self, *, gain=1.0): pass', 'A',
     'expected __init__(self, vehicle'),
    ('class A:\n    def __init__(self, vehicle): pass', 'A',
     'has neither command(odometry, reference) nor step'),
    ('class A:\n    preview = -1.0\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return 1.0, 0.0', 'A',
     'preview of the controller is -1.0, expected a number of at least 0 [s]'),
    ('class A:\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return None', 'A', 'the controller returns None at 0 s'),
    ('class A:\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return 1.0', 'A',
     'the controller returns 1.0 at 0 s (mine.py, line 3), expected speed [m/s] and steering'),
    ('class A:\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return 1.0, float("nan")', 'A', 'expected finite numbers'),
    ('class A:\n    def __init__(self, vehicle): pass\n'
     '    def command(self, o, r): return {}["speed"]', 'A', 'mine.py, line 3)')])
def test_a_faulty_controller_ends_in_one_line(capsys, write, text, name, message):
    assert message in error(capsys, f'{write(text)}:{name}')


@pytest.mark.parametrize(('where', 'message'), [
    ('nothing', "controller 'nothing': expected module:Class or file.py:Class"),
    ('no_such_module_anywhere:A', "controller module 'no_such_module_anywhere' is neither in this"
     ' folder nor installed, expected module:Class or file.py:Class'),
    ('no.such.module:A', "controller module 'no.such.module' is neither"),
    ('/no/file.py:A', "controller file '/no/file.py' does not exist"),
    (':A', "controller ':A': expected module:Class or file.py:Class"),
    (f'{ROOT}/README.md:A', "README.md' does not end in .py, expected file.py:Class")])
def test_what_is_not_there_is_refused(capsys, where, message):
    assert message in error(capsys, where)


def test_a_policy_that_is_not_there_is_said_in_the_words_of_its_reader(capsys):
    assert main(['simulate', 'kinematic_ode', '--policy', '/no/file.onnx']) == 1
    assert capsys.readouterr().err.splitlines()[-1].endswith(
        "cannot be made with the vehicle: policy '/no/file.onnx' cannot be read: No such file or"
        ' directory')
