# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.simulate(): the bits of the command, its options, and what it refuses."""

from dataclasses import replace
import inspect
import math
from pathlib import Path
from typing import Any
import warnings

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest
import yaml

import racecar
from racecar.analysis.run_csv import read_run_csv
from racecar.base.errors import ConfigurationError, ParameterError, RacecarError, RunError
from racecar.cli.main import main, make_parsers
from racecar.facade.arguments import settings_of
from racecar.facade.simulation import SimulateOptions
from racecar.stacks import parse_overrides
from racecar.stacks.options import run_options, SIMULATE

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / 'docs' / 'examples' / 'tuned_pursuit.py'
NAMES = {'overrides': 'set', 'end_time': 'duration'}


def commanded(folder, *words):
    """Return the rows that `racecar simulate` writes."""
    path = folder / 'commanded.csv'
    assert main(['simulate', *map(str, words), '--csv', str(path)]) == 0
    return read_run_csv(path).rows


def test_its_arguments_are_the_options_of_the_command():
    known = inspect.signature(racecar.simulate).parameters
    # A policy file is a controller.
    options = {NAMES.get(row.name, row.name): row for row in run_options(SIMULATE)
               if row.name != 'policy'}
    assert options.keys() | {'configuration', 'law', 'seed', 'skip', 'progress'} == known.keys()
    assert {*SimulateOptions.__annotations__, 'configuration', 'cars'} == known.keys()
    parser = make_parsers({'simulate'}).commands['simulate']
    for name, row in options.items():
        default = known[name].default
        assert (default or None) == (parser.get_default(row.name) or None), name
    described = present(inspect.getdoc(racecar.simulate))
    assert [name for name in known if f'\n- {name}: ' not in described] == []


@pytest.mark.parametrize(('arguments', 'words'), [
    ({}, ['kinematic_ode']),
    ({'trajectory': 'circle', 'vehicle': 'f1tenth', 'tyre_model': 'fiala'},
     ['kinematic_ode', '--trajectory', 'circle', '--vehicle', 'f1tenth', '--tyre-model', 'fiala']),
    ({'configuration': 'dynamic_ode', 'waypoints': 'racetrack', 'world': 'racetrack'},
     ['dynamic_ode', '--waypoints', 'racetrack', '--world', 'racetrack']),
    ({'configuration': 'double_track', 'law': 'dynamic', 'trajectory': 1},
     ['dynamic_ode', '--trajectory', '1', '--set',
      'single_track_simulator.vehicle_model=double_track']),
    ({'set': {'trajectory_tracker.Kp': np.float64(3.0), 'vehicle.mass': 4}},
     ['kinematic_ode', '--set', 'trajectory_tracker.Kp=3.0', '--set', 'vehicle.mass=4']),
    ({'set': {'single_track_simulator.rate': 50.0}, 'control_rate': 100},
     ['kinematic_ode', '--set', 'single_track_simulator.rate=50.0', '--control-rate', '100']),
    ({'controller': f'{EXAMPLE}:TunedPursuit', 'set': {'controller.gain': 3.0}},
     ['kinematic_ode', '--controller', f'{EXAMPLE}:TunedPursuit', '--set', 'controller.gain=3']),
    ({'configuration': 'differential_wheels', 'vehicle': 'khepera'},
     ['differential_wheels', '--vehicle', 'khepera']),
    ({'configuration': 'kinematic_world', 'world': 'cones'},
     ['kinematic_world', '--world', 'cones']),
], ids=['defaults', 'another car', 'a world', 'a vehicle model', 'settings', 'a control rate',
        'a controller', 'two wheels', 'the 3-D world'])
def test_it_gives_the_bits_of_the_command(tmp_path, arguments, words):
    run = racecar.simulate(**arguments, duration=2.0)
    expected = commanded(tmp_path, *words, '--duration', 2)
    assert run.table.rows.tobytes() == expected.tobytes()


def test_metrics_are_those_of_the_samples():
    run = racecar.simulate(trajectory='circle', duration=6.0, skip=2.0)
    table = run.table
    kept = table['time'] >= 2.0
    squared = ((table['x'] - table['x_reference'])**2
               + (table['y'] - table['y_reference'])**2)[kept]
    metrics = run.metrics()
    assert metrics.samples == len(squared) == 401
    assert metrics.rmse == pytest.approx(np.sqrt(np.mean(squared)), rel=1e-12)
    assert metrics.max_error == pytest.approx(np.sqrt(np.max(squared)), rel=1e-12)
    assert run.metrics(skip=0.0).samples == 601
    assert replace(run.metrics(skip=0.0), laps=None) == table.metrics()


def test_laps_of_a_circle_last_as_long_as_its_period():
    run = racecar.simulate(trajectory='circle', duration=50.0)
    laps = present(run.laps(sectors=2))
    # The circle turns with W, and the car follows it without delay.
    period = 2.0 * math.pi / run.parameters['trajectory_tracker']['W']
    assert [lap.time for lap in laps.laps] == pytest.approx([period] * 2, abs=1e-3)
    assert [lap.begun for lap in laps.laps] == pytest.approx([0.0, period], abs=1e-3)
    assert laps.laps[1].sectors == pytest.approx([0.5 * period] * 2, abs=1e-3)
    assert present(run.metrics(skip=30.0).laps).best == pytest.approx(period, abs=1e-3)


def test_a_run_on_an_open_path_has_no_laps():
    run = racecar.simulate(trajectory='line', duration=1.0)
    assert run.laps() is None
    assert 'laps' not in run.metrics().as_dict()


def test_a_run_that_was_saved_has_the_same_laps(tmp_path):
    run = racecar.simulate(waypoints='hall', duration=60.0)
    again = racecar.load(run.save(tmp_path / 'run'))
    assert len(present(run.laps()).laps) >= 1
    assert again.laps() == run.laps()


def test_it_says_how_it_was_made(tmp_path):
    run = racecar.simulate(
        trajectory='circle', duration=1.0, skip=0.5, set={'trajectory_tracker.Kp': 2.5})
    assert run.parameters['trajectory_tracker']['Kp'] == 2.5
    assert run.parameters['single_track_simulator']['vehicle.name'] == 'racecar'
    assert present(run.provenance).command == (
        "racecar.simulate('kinematic_ode', trajectory='circle',"
        " set={'trajectory_tracker.Kp': 2.5}, duration=1.0, skip=0.5)")
    folder = run.save(tmp_path / 'kept')
    assert commanded(tmp_path, '--from', folder, '--duration', 1).tobytes() == (
        run.table.rows.tobytes())
    assert yaml.safe_load((folder / 'run.yaml').read_text())['skip'] == 0.5


def test_a_seed_is_that_of_all_noise():
    def drive(**arguments):
        run = racecar.simulate(
            'differential_wheels', trajectory='circle', duration=2.0,
            set={'differential_wheels_simulator.robot.slip_noise': 0.05}, **arguments)
        return run.table.rows.tobytes()

    assert drive(seed=3) == drive(seed=3) != drive(seed=4)
    assert drive(seed=0) == drive()


def test_a_seed_that_is_set_by_its_name_counts():
    name = 'differential_wheels_simulator.noise_seed'
    run = racecar.simulate('differential_wheels', duration=0.5, seed=3, set={name: 8})
    assert run.parameters['differential_wheels_simulator']['noise_seed'] == 8


class Pursuit:
    def __init__(self, vehicle, gain=2.0):
        self.gain, self.wheelbase = gain, vehicle.wheelbase

    def command(self, odometry, reference):
        return self.gain * np.hypot(reference.x - odometry.x, reference.y - odometry.y), 0.1


def pursue(odometry, reference):
    return 2.0 * np.hypot(reference.x - odometry.x, reference.y - odometry.y), 0.1


@pytest.mark.parametrize('controller', [
    Pursuit, pursue, lambda odometry, reference: pursue(odometry, reference),
    f'{__file__}:Pursuit', f'{__file__}:pursue', Path(f'{__file__}:pursue')],
    ids=['class', 'function', 'lambda', 'place of a class', 'place of a function', 'path'])
def test_a_controller_may_be_given_in_any_form(controller):
    run = racecar.simulate(controller=controller, trajectory='circle', duration=1.0)
    expected = racecar.simulate(
        controller=Pursuit, trajectory='circle', duration=1.0, set={'controller.gain': 2.0})
    assert run.table.rows.tobytes() == expected.table.rows.tobytes()


def test_a_class_takes_settings_and_is_found_again_by_the_command(tmp_path):
    run = racecar.simulate(
        controller=Pursuit, trajectory='circle', duration=1.0, set={'controller.gain': 1.5})
    assert present(run.provenance).options['controller'] == f'{__file__}:Pursuit'
    folder = run.save(tmp_path / 'kept')
    assert commanded(tmp_path, '--from', folder, '--duration', 1).tobytes() == (
        run.table.rows.tobytes())


def test_a_function_drives_by_the_command_too(tmp_path):
    run = racecar.simulate(controller=pursue, duration=1.0)
    rows = commanded(
        tmp_path, 'kinematic_ode', '--controller', f'{__file__}:pursue', '--duration', 1)
    assert rows.tobytes() == run.table.rows.tobytes()


def test_a_reference_that_outruns_the_car_is_a_python_warning():
    with pytest.warns(UserWarning, match='the reference is faster than the car can drive') as told:
        run = racecar.simulate(trajectory='parabola', duration=10.0)
    assert told[0].filename == __file__
    assert run.warnings == (str(told[0].message),)


def test_a_reference_beyond_the_limit_of_the_tracker_is_one_that_outruns_the_car():
    with pytest.warns(UserWarning, match='where trajectory_tracker.velocity_limit allows 1 m/s'):
        racecar.simulate(trajectory='circle', duration=0.1,
                         set={'trajectory_tracker.velocity_limit': 1.0})


def test_a_reference_that_turns_more_tightly_than_the_car_is_told():
    car = racecar.Vehicle('f1tenth').parameters
    # A circle of the radius of the stop of the steering is driven, a smaller one not.
    radius = car.wheelbase / math.tan(car.steering_limit)
    circle: dict[str, Any] = {'vehicle': 'f1tenth', 'trajectory': 'circle', 'duration': 0.1}
    for factor, told in ((1.01, 0), (0.9, 1)):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter('always')
            racecar.simulate(**circle, set={'trajectory_tracker.R': factor * radius})
        assert len(found) == told
    assert f'on a radius down to {0.9 * radius:.3g} m where vehicle.steering_limit allows' \
        f' {radius:.3g} m' in str(found[0].message)


def test_a_step_that_cannot_be_compiled_is_a_python_warning(tmp_path):
    path = tmp_path / 'mine.py'
    path.write_text(
        'from typing import NamedTuple\n'
        'class Numbers(NamedTuple):\n    value: float\n'
        'def step(state, parameters, car, reference, dt):\n'
        '    return state, float(str(parameters.value)), 0.0\n'
        'class Slow:\n    step = staticmethod(step)\n'
        '    def __init__(self, vehicle):\n'
        '        self.state = self.parameters = Numbers(1.0)\n')
    with pytest.warns(UserWarning, match='in plain Python'):
        racecar.simulate(controller=f'{path}:Slow', duration=0.5)


def test_what_is_well_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        run = racecar.simulate(trajectory='circle', duration=1.0, controller=pursue)
    assert run.warnings == ()


def test_progress_is_shown_if_it_is_asked_for(capsys):
    racecar.simulate(duration=1.0)
    assert 'simulating' not in capsys.readouterr().err
    racecar.simulate(duration=1.0, progress=True)
    assert 'simulating' in capsys.readouterr().err


@pytest.mark.parametrize(('arguments', 'kind', 'message'), [
    ({'trajektory': 'circle'}, ConfigurationError,
     r"simulate\(\) has no argument 'trajektory'; did you mean trajectory\?"),
    ({'configuration': 'kinematic_od'}, ConfigurationError,
     "configuration 'kinematic_od' is unknown, .*did you mean kinematic_ode"),
    ({'configuration': 'doubel_track'}, ConfigurationError, 'did you mean double_track'),
    ({'configuration': 'gap_ode'}, ConfigurationError, 'follows no trajectory'),
    ({'configuration': None}, ConfigurationError, 'configuration None is unknown'),
    ({'trajectory': 'circel'}, ParameterError, 'did you mean circle'),
    ({'trajectory': 1.5}, ConfigurationError, 'trajectory is 1.5, expected a text'),
    ({'law': 'dynamical'}, ConfigurationError,
     "law is 'dynamical', expected one of kinematic, dynamic; did you mean dynamic"),
    ({'law': 'dynamic'}, ConfigurationError,
     "law is 'dynamic', but kinematic_ode has another: .* dynamic_ode"),
    ({'duration': 0.0}, ParameterError, "parameter 'duration' is 0.0, expected a number in"),
    ({'duration': 'long'}, ParameterError, "parameter 'duration' is 'long'"),
    ({'skip': 2.0, 'duration': 1.0}, ConfigurationError, r'skip is 2 s, expected less than'),
    ({'seed': 1.5}, ParameterError, "parameter 'seed' is 1.5, expected an integer"),
    ({'set': {'Kp': 3.0}}, ConfigurationError, "set has 'Kp', expected 'node.parameter'"),
    ({'set': 'trajectory_tracker.Kp=3'}, ConfigurationError, 'expected a dictionary'),
    ({'set': {'trajectory_tracker.Kpp': 3.0}}, ParameterError, 'did you mean Kp'),
    ({'set': {'tracker.Kp': 3.0}}, ConfigurationError, "node 'tracker' is not part of"),
    ({'controller': 3}, ConfigurationError, 'controller is 3, expected a class, a function'),
    ({'controller': 'mine'}, ConfigurationError, 'expected module:Class or file.py:Class'),
    ({'controller': lambda odometry, reference: 3.0}, RunError, 'the controller returns 3.0'),
    ({'vehicle': 3.0}, ConfigurationError, 'vehicle is 3.0, expected a text'),
    ({'vehicle': 'f1tent'}, ConfigurationError, 'did you mean f1tenth'),
    ({'world': 'tunnl'}, ConfigurationError, 'did you mean tunnel'),
])
def test_what_cannot_be_run_is_refused_with_value_and_remedy(arguments, kind, message):
    with pytest.raises(kind, match=message) as refused:
        racecar.simulate(**{'duration': 1.0, **arguments})
    assert '\n' not in str(refused.value)
    assert isinstance(refused.value, RacecarError)


@given(st.dictionaries(
    st.from_regex(r'[a-z]\w{0,8}\.[a-z]\w{0,8}(\.[a-z]\w{0,8})?', fullmatch=True).filter(
        str.isascii),
    st.one_of(st.booleans(), st.integers(-10**9, 10**9), st.text('abcxyz ', max_size=8),
              st.floats(allow_nan=False, allow_infinity=False),
              st.lists(st.integers(0, 9), max_size=4)), max_size=5))
def test_settings_mean_what_they_mean_on_the_command_line(settings):
    words = [f'{key}={yaml.safe_dump(value, default_flow_style=True).splitlines()[0]}'
             for key, value in settings.items()]
    assert settings_of('set', settings) == parse_overrides(words)
