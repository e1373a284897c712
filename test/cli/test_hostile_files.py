# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in a file that is read: it is used, or refused in one line, and soon."""

from pathlib import Path
import tempfile
import time
from typing import NoReturn

from hypothesis import example, given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.analysis.run_csv import read_run_csv
from racecar.bags.reader import BagReader
from racecar.base.errors import RacecarError
from racecar.base.parameter_file import read_parameter_file
from racecar.base.poses import NO_POSE
from racecar.base.share import find_config, find_world
from racecar.base.yaml_file import load_yaml
from racecar.control.mux_file import load_mux_configuration
from racecar.control.trajectories import make_trajectory, TRAJECTORY_PARAMETERS
from racecar.description.triangles import stl
from racecar.description.urdf import read_urdf
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.identification.csv_log import read_csv_log
from racecar.metrics.run_table import COLUMNS
from racecar.rendering.robots import robot_parts
from racecar.scene import load_world, Objects
from racecar.scene.scene_map import scene_map
from racecar.sensors import SENSOR_KINDS, View
from racecar.simulation.closed_loop import run_closed_loop
from racecar.stacks import describe_stack, find_stack, parse_overrides, StackOptions
from racecar.stacks.loops import make_loop
from racecar.stacks.sweep import load_sweep

# Processor time for one file [s]; a reader without bounds takes minutes.
_SOON = 10.0


def _drive(**options):
    stack = find_stack('kinematic_ode')
    values = {d.executable: d.resolve()
              for d in describe_stack(stack.name, StackOptions(**options))}
    run_closed_loop(*make_loop(stack, values), 0.02)


def _read_stack(path):
    _drive(params_file=str(path))


def _read_vehicle(path):
    VehicleParameters.from_file(path)
    CarParameters.from_file(path)
    _drive(vehicle=str(path))


def _read_parameters(path):
    read_parameter_file(path).of_node('car1/trajectory_tracker')


def _read_way_points(path):
    trajectory = make_trajectory(TRAJECTORY_PARAMETERS.resolve(
        {'trajectory': 'waypoints', 'waypoints_file': str(path)}))
    trajectory.at(1.0)


def _read_sweep(path):
    next(load_sweep('kinematic_ode', path).fleets())


def _read_bag(path):
    folder = path.with_suffix('.bag')
    folder.mkdir(exist_ok=True)
    path.replace(folder / 'metadata.yaml')
    (folder / 'a.db3').write_bytes(b'SQLite')
    BagReader(folder)


def _unknown() -> NoReturn:
    raise AssertionError('a laser at rest needs no motion')


def _read_world(path):
    scene = load_world(path)
    scene_map(scene)
    laser = SENSOR_KINDS['laser']
    values = {row.name: row.default for row in laser.parameters}
    laser.make({**values, 'rate': 40.0}).measure(
        View(scene, NO_POSE, 0, _unknown, _unknown, lambda: Objects(scene.cones)),
        np.random.default_rng(0))


YAML_READERS = {
    'yaml': lambda path: load_yaml('file', path), 'parameters': _read_parameters,
    'stack': _read_stack, 'vehicle': _read_vehicle, 'sweep': _read_sweep,
    'mux': load_mux_configuration, 'metadata': _read_bag, 'world': _read_world,
    'map': _read_world,
}
READERS = {**YAML_READERS, 'waypoints': _read_way_points}
SAMPLES = {
    'yaml': 'a: [1, {b: &c 2, d: *c}]\n',
    'parameters': find_config('trajectory_tracker').read_text(encoding='utf-8'),
    'stack': find_config('trajectory_tracker').read_text(encoding='utf-8')
    + find_config('single_track_simulator').read_text(encoding='utf-8'),
    'vehicle': find_config('vehicles/racecar').read_text(encoding='utf-8'),
    'sweep': 'duration: 1\nskip: 0\nvehicle: racecar\ntyre_model: fiala\nset:\n'
             '  trajectory_tracker.w: 0.2\nsample:\n'
             '  trajectory_tracker.Kp: {uniform: [2.0, 4.0]}\n'
             '  vehicle.mass: {normal: [5.0, 0.1]}\ncount: 2\nseed: 1\n'
             'noise: {x: 0.1, yaw: 0.01}\n',
    'mux': find_config('mux/low_level').read_text(encoding='utf-8'),
    'metadata': 'rosbag2_bagfile_information:\n  version: 9\n  storage_identifier: sqlite3\n'
                '  relative_file_paths:\n    - a.db3\n  duration: {nanoseconds: 1}\n'
                '  starting_time: {nanoseconds_since_epoch: 1}\n  message_count: 0\n'
                "  topics_with_message_count: []\n  compression_format: ''\n"
                "  compression_mode: ''\n  files: []\n  custom_data: ~\n  ros_distro: jazzy\n",
    'world': 'description: All there is\nheight: 0.4\nstarts:\n  - {x: 1.0, y: 0.0, yaw: 0.3}\n'
             'ground: {length: 10.0, width: 8.0, colour: [0.1, 0.2, 0.3]}\nwalls:\n'
             '  - {points: [[0, 1], [2, 1.5], [3, 0]], closed: true, height: 0.5}\n'
             '  - {points: [[-1, 1], [-2, 1.5]], thickness: 0.1, colour: [1, 0, 0]}\n'
             'boxes:\n  - {x: 4.0, y: 1.0, yaw: 0.2, length: 0.5, width: 0.4, height: 0.3}\n'
             'cones:\n  - {x: 2.0, y: -1.0, base: 0.2, height: 0.3, mass: 0.2}\n'
             'boards:\n  - {x: 1.0, y: 2.0, yaw: 3.0, marker: 5}\n'
             'patches:\n  - {x: 0.0, y: 0.0, length: 1.0, width: 0.2}\n',
    'map': find_world('room').read_text(encoding='utf-8').replace(
        'room.pgm', str(find_world('room').with_name('room.pgm'))),
    'waypoints': 'x,y,speed\n0,0,1\n2,1,1.5\n4,0,\n6,1,2\n',
}
NASTY = [
    '', '~', '[]', '{}', '[[]]', '-', '-1', '0', '1e1', '1e300', '-1e308', '1e-300', '5e-324',
    '9' * 400, '-' + '9' * 5000, '0x' + 'f' * 400, 'nan', '.inf', '-.inf', 'yes', 'N', "''",
    'a' * 5000, '"\\0"', '!!python/object:os.system x', '!!float x', '*a', '&a [*a]', '1:30',
    '2026-01-01', '/', '../../etc', '/dev/null', '{a: 1, a: 2}', '\t', '"\u2028"',
    '\N{AUTOMOBILE}',
    '[1, a]', '[1, 2.5]', '[-1e308, 1e308]', '<<', '? a', '|', '%', '@', '`', '1' + '0' * 30]


def _is_refused_well(name, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'file.yaml'
        path.write_bytes(content)
        start = time.process_time()
        try:
            READERS[name](path)
        except RacecarError as error:
            text = str(error)
            assert '\n' not in text
            assert len(text) < 3000
            assert time.process_time() - start < _SOON
            return True
        assert time.process_time() - start < _SOON
        return False


@st.composite
def _changed(draw, sample):
    """Return a sample of which some words or lines are others."""
    lines = [line for line in sample.splitlines() if not line.lstrip().startswith('#')]
    for _ in range(draw(st.integers(1, 3))):
        index = draw(st.integers(0, len(lines) - 1))
        words = lines[index].split(' ')
        place = draw(st.integers(0, len(words) - 1))
        words[place] = draw(st.sampled_from(NASTY) | st.text(max_size=8)
            | st.floats().map(repr))
        lines[index] = draw(st.sampled_from(
            [' '.join(words), ' ' + lines[index], '', lines[index] * 2, ','.join(words)]))
    return '\n'.join(lines).encode('utf-8', 'surrogatepass')


FUZZED = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize('name', READERS)
def test_changed_file_is_used_or_refused(name):
    @FUZZED
    @given(_changed(SAMPLES[name]))
    def check(content):
        _is_refused_well(name, content)

    check()


@pytest.mark.parametrize('name', READERS)
@FUZZED
@given(content=st.binary(max_size=60) | st.text('[]{}&*!|>:-,?"\'#% \n\t01ae.~<ros_/', max_size=60)
       .map(str.encode))
@example(content=b'')
def test_any_bytes_are_used_or_refused(name, content):
    _is_refused_well(name, content)


def _bomb(levels=9):
    return 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n' + ''.join(
        f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 10)}]\n" for i in range(levels))


@pytest.mark.parametrize('name', YAML_READERS)
@pytest.mark.parametrize(
    'content',
    [_bomb(), '[' * 100_000, '{a: ' * 100_000, '- ' * 50_000, 'a: &a [*a]', '? ' * 100_000,
     'a: [1, 2]\n' * 1_000_000, '[' + '1, ' * 400_000 + ']', 'b: ' + 'x' * 10_000_000],
    ids=['bomb', 'brackets', 'braces', 'dashes', 'itself', 'keys', '10 MB', 'list', 'word'])
def test_yaml_that_would_take_long_is_refused_soon(name, content):
    assert _is_refused_well(name, content.encode())


@pytest.mark.parametrize('name', [name for name in READERS if name != 'metadata'])
def test_byte_order_mark_is_accepted(name, tmp_path):
    path = tmp_path / 'file.yaml'
    path.write_bytes(b'\xef\xbb\xbf' + SAMPLES[name].encode())
    READERS[name](path)


@pytest.mark.parametrize('digits', [400, 5000])
@pytest.mark.parametrize('sign', ['', '-'])
def test_integer_of_many_digits_is_no_number(digits, sign, tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('trajectory_tracker: {ros__parameters: {Kp: ' + sign + '9' * digits + '}}')
    with pytest.raises(RacecarError, match=r"'Kp' is '-?9+\.\.\.9+', expected a number in \[0"):
        _read_stack(path)
    with pytest.raises(RacecarError, match=r"'Kp' is '-?9+\.\.\.9+', expected a number in \[0"):
        _drive(overrides=parse_overrides([f"trajectory_tracker.Kp={sign}{'9' * digits}"]))


@pytest.mark.parametrize('row', ['1e300,0', '0,-1e300', '1e7,1e308', '1e400,0', 'nan,1'])
def test_way_points_beyond_all_measure_are_refused(row):
    assert _is_refused_well('waypoints', f'0,0\n1,1\n{row}\n'.encode())


@pytest.mark.parametrize('name', READERS)
def test_path_that_is_too_long_or_impossible_is_refused(name):
    for path in (Path('a' * 5000), Path('/proc/nope/' + 'b/' * 2500), Path('a\0b')):
        if name != 'metadata':
            with pytest.raises(RacecarError) as raised:
                READERS[name](path)
            assert len(str(raised.value)) < 1000
        with pytest.raises(RacecarError):
            BagReader(path)


@pytest.mark.parametrize('option', ['vehicle', 'params_file', 'trajectory', 'tyre_model', 'world'])
def test_option_that_is_too_long_is_refused(option):
    with pytest.raises(RacecarError) as raised:
        _drive(**{option: 'a' * 5000})
    assert len(str(raised.value)) < 1000


def test_delay_of_very_many_steps_is_refused_at_once():
    for values, message in (
            ({'actuators.speed_delay': 100.0}, r"'actuators\.speed_delay' is 100\.0, expected a"
             r' number in \[0, 10\]'),
            ({'actuators.steering_delay': 10.0, 'step': 1e-4},
             "'actuators.steering_delay' is 10 s, 100000 integration steps of 0.0001 s, expected"
             ' at most 10000')):
        with pytest.raises(RacecarError, match=message):
            _drive(overrides={'single_track_simulator': values})


def test_longest_delay_runs_soon():
    start = time.process_time()
    _drive(overrides={'single_track_simulator': {'actuators.speed_delay': 10.0}})
    assert time.process_time() - start < _SOON


def test_bytes_of_a_command_line_that_are_no_text_are_refused():
    with pytest.raises(RacecarError, match='the value is not YAML: character 2, .* is none of'):
        _drive(overrides=parse_overrides(['trajectory_tracker.Kp=1\udcff']))


def test_run_of_numbers_beyond_all_measure_is_refused(tmp_path):
    path = tmp_path / 'run.csv'
    row = ['0'] * len(COLUMNS)
    for number in ('1e300', '-1e13'):
        path.write_text('\n'.join(
            ','.join(cells) for cells in (COLUMNS, row, ['1', number, *row[2:]])))
        with pytest.raises(RacecarError, match='line 3: expected .* numbers, .* none beyond 1e'):
            read_run_csv(path)
    with pytest.raises(RacecarError, match='cannot be read'):
        read_run_csv(Path('a\0b'))


def test_names_of_a_file_stand_in_one_short_line(tmp_path):
    path = tmp_path / 'log.csv'
    path.write_text('t[s],"' + 'a\n' * 5000 + '"\n0,1\n1,2\n')
    with pytest.raises(RacecarError, match='has no column steering_command') as raised:
        read_csv_log(path)
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 1000
    good = ('t[s]', 'steering_command[rad]', 'wheel_speed[m/s]', 'x[m]', 'y[m]', 'yaw[rad]')
    for bad, cell, wanted in (('x[furlong]', '1', 'log.csv.: column x has the unit'),
                              ('x[m]', '1e300', r'log.csv., line 2: x\[m\] is 1e\+300, expected')):
        path.write_text(f"{','.join([*good[:3], bad, *good[4:]])}\n0,0,0,{cell},0,0\n")
        with pytest.raises(RacecarError, match=wanted):
            read_csv_log(path)
    for text in ('<robot name="' + 'r' * 100_000 + '"><link name="a"/></robot>',
                 '<robot name="r"><link name="' + 'l' * 100_000 + '"/></robot>'):
        with pytest.raises(RacecarError, match='name has 100000 letters, expected at most 1000'):
            read_urdf(text)


@pytest.mark.parametrize(('name', 'content', 'message'), [
    ('bad.stl', stl(np.full((6, 3, 3), np.nan), 'bad'), 'has 6 triangles, expected some, all of'),
    ('bad.obj', b'v 0 0 zero', 'cannot be read'), ('bad.dae', b'<', 'cannot be read'),
    ('bad.xyz1', b'', 'cannot be read')])
def test_mesh_that_cannot_be_drawn_is_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    tree = read_urdf(f'<robot name="r"><link name="l"><visual><geometry><mesh filename="{path}"/>'
                     '</geometry></visual></link></robot>')
    with pytest.raises(RacecarError, match=f"mesh '.*{name}' {message}") as raised:
        robot_parts(tree)
    assert '\n' not in str(raised.value)


@pytest.mark.parametrize(('name', 'value'), [
    ('vehicle.mass', 1e308), ('vehicle.yaw_inertia', 1e-300), ('rate', 1e-100), ('step', 1e300),
    ('rate', 0.0100000019), ('vehicle.friction_coefficient', 1e-320)])
def test_number_that_no_car_has_is_refused_soon(name, value):
    start = time.process_time()
    with pytest.raises(RacecarError):
        _drive(overrides={'single_track_simulator': {name: value}})
    assert time.process_time() - start < _SOON


def test_hundreds_of_thousands_of_way_points_are_followed(tmp_path):
    path = tmp_path / 'circle.csv'
    angles = np.linspace(0.0, 2.0 * np.pi, 200_001)
    np.savetxt(path, np.column_stack([100.0 * np.cos(angles), 100.0 * np.sin(angles)]),
               delimiter=',', fmt='%.12f')
    trajectory = make_trajectory(TRAJECTORY_PARAMETERS.resolve(
        {'trajectory': 'waypoints', 'waypoints_file': str(path), 'waypoints_path': 'open'}))
    # From rest to 1.5 m/s with 1 m/s^2 and back.
    assert trajectory.duration == pytest.approx(200.0 * np.pi / 1.5 + 1.5, abs=1e-3)
    at = trajectory.at(100.0)
    assert np.hypot(at.x, at.y) == pytest.approx(100.0, abs=1e-6)
    assert np.hypot(at.vx, at.vy) == pytest.approx(1.5, abs=1e-6)
    assert np.hypot(at.ax, at.ay) == pytest.approx(1.5**2 / 100.0, rel=0.05)
