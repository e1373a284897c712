# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar simulate --report` and `--from`: a run is kept, and can be made again."""

import json
import shutil

import pytest
import yaml

from racecar.bags.runs import read_run
from racecar.base.run_file import read_run_file
from racecar.base.share import find_raceline, find_world
from racecar.cli.main import main
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.run_files import cautions, describe_run, options_of

OWN = """
from racecar.base.types import AckermannCommand

class Straight:
    def __init__(self, vehicle, speed=1.0):
        self.speed = speed

    def command(self, odometry, reference):
        return AckermannCommand(self.speed, 0.05)
"""


def read_bytes(path):
    with open(path, 'rb') as stream:
        return stream.read()


@pytest.fixture
def racecar(capsys):
    """Run a command that must succeed and return its standard output and its warnings."""
    def run(*words):
        assert main([str(word) for word in words]) == 0
        captured = capsys.readouterr()
        return captured.out, [line for line in captured.err.splitlines() if 'warning' in line]
    return run


@pytest.fixture
def refused(capsys):
    def run(*words):
        assert main([str(word) for word in words]) == 1
        return capsys.readouterr().err
    return run


@pytest.mark.parametrize('options', [
    ('kinematic_ode', '--trajectory', 'circle', '--set', 'trajectory_tracker.Kp=2.25'),
    ('dynamic_ode', '--vehicle', 'f1tenth', '--tyre-model', 'fiala', '--world', 'cones'),
    ('kinematic_ode', '--set', 'single_track_simulator.rate=50.0', '--control-rate', '100'),
    ('differential_wheels', '--vehicle', 'khepera'),
], ids=['a circle', 'another car in a world', 'a control rate', 'a differential-drive robot'])
def test_a_run_is_made_again_to_the_bit(racecar, tmp_path, options):
    first, second = tmp_path / 'first', tmp_path / 'second'
    racecar('simulate', *options, '--duration', 1.5, '--csv', f'{first}.csv')
    _, warnings = racecar(
        'simulate', '--from', f'{first}.run.yaml', '--csv', f'{second}.csv')
    assert warnings == []
    assert read_bytes(f'{second}.csv') == read_bytes(f'{first}.csv')
    then, now = (read_run_file(f'{path}.run.yaml') for path in (first, second))
    assert (now.nodes, now.options, now.files) == (then.nodes, then.options, then.files)


def test_a_folder_keeps_all_that_is_needed_to_make_a_run_again(racecar, tmp_path):
    folder = tmp_path / 'first'
    racecar('simulate', 'kinematic_ode', '--duration', 1, '--output', folder)
    assert {path.name for path in folder.iterdir()} == {
        'run.csv', 'run.yaml', 'report.html', 'path.png', 'x.png', 'y.png', 'error.png'}
    racecar('simulate', '--from', folder, '--csv', tmp_path / 'second.csv')
    assert read_bytes(tmp_path / 'second.csv') == read_bytes(folder / 'run.csv')


def test_a_parameter_may_be_changed_and_the_run_made_longer(racecar, tmp_path):
    racecar('simulate', 'kinematic_ode', '--duration', 1, '--csv', tmp_path / 'a.csv')
    racecar('simulate', '--from', tmp_path / 'a.run.yaml', '--set', 'trajectory_tracker.Kp=4.5',
            '--duration', 2, '--csv', tmp_path / 'b.csv')
    racecar('simulate', 'kinematic_ode', '--duration', 2, '--set', 'trajectory_tracker.Kp=4.5',
            '--csv', tmp_path / 'c.csv')
    assert (tmp_path / 'b.csv').read_bytes() == (tmp_path / 'c.csv').read_bytes()
    assert read_run(tmp_path / 'b.csv').motion.duration == 2.0


def test_the_vehicle_may_be_changed_in_all_nodes(racecar, tmp_path):
    change = ('--set', 'vehicle.front.cornering_stiffness=60.0')
    racecar('simulate', 'dynamic_ode', '--duration', 1, '--csv', tmp_path / 'a.csv')
    racecar('simulate', '--from', tmp_path / 'a.run.yaml', *change, '--csv', tmp_path / 'b.csv')
    racecar('simulate', 'dynamic_ode', '--duration', 1, *change, '--csv', tmp_path / 'c.csv')
    assert read_bytes(tmp_path / 'b.csv') == read_bytes(tmp_path / 'c.csv')
    assert read_bytes(tmp_path / 'b.csv') != read_bytes(tmp_path / 'a.csv')


def test_a_change_of_a_line_or_of_the_image_of_a_map_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world, line = find_world('racetrack'), find_raceline('racetrack_f1tenth_curvature')
    image = world.with_suffix('.png')
    for source, name in ((world, 'own.yaml'), (image, image.name), (line, 'line.csv')):
        shutil.copy(source, name)
    options = StackOptions(trajectory='raceline', world='own.yaml', overrides={
        'trajectory_tracker': {'raceline_file': 'line.csv'}})
    file = describe_run(
        'simulate', 'kinematic_ode', options, describe_stack('kinematic_ode', options), '')
    monkeypatch.chdir('/')
    assert cautions(file, 'simulate') == []
    for name in ('line.csv', image.name):
        (tmp_path / name).write_bytes(b'')
    assert cautions(file, 'simulate') == [
        f"file {tmp_path / 'line.csv'} has changed", f'file {tmp_path / image.name} has changed']


def test_files_of_the_user_are_read_where_they_are_and_a_change_is_told(
        racecar, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    track = tmp_path / 'track.csv'
    track.write_text('x,y\n0,0\n2,0\n4,1\n6,1\n')
    (tmp_path / 'own.yaml').write_text(
        'trajectory_tracker:\n  ros__parameters:\n    waypoints_file: track.csv\n')
    racecar('simulate', 'kinematic_ode', '--trajectory', 'waypoints', '--params-file', 'own.yaml',
            '--duration', 1, '--csv', tmp_path / 'a.csv')
    (tmp_path / 'own.yaml').unlink()
    elsewhere = tmp_path / 'elsewhere'
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    _, warnings = racecar('simulate', '--from', tmp_path / 'a.run.yaml', '--csv', 'b.csv')
    assert warnings == []
    assert (elsewhere / 'b.csv').read_bytes() == (tmp_path / 'a.csv').read_bytes()
    track.write_text('x,y\n0,0\n2,0\n4,2\n6,1\n')
    _, (warning,) = racecar('simulate', '--from', tmp_path / 'a.run.yaml', '--csv', 'c.csv')
    assert warning.endswith(f'file {track} has changed')


def test_a_controller_of_the_users_own_is_run_again_with_its_settings(racecar, tmp_path):
    (tmp_path / 'mine.py').write_text(OWN)
    first, second = tmp_path / 'first.csv', tmp_path / 'second.csv'
    racecar('simulate', 'kinematic_ode', '--controller', f'{tmp_path}/mine.py:Straight', '--set',
            'controller.speed=0.5', '--duration', 1, '--csv', first)
    _, warnings = racecar('simulate', '--from', tmp_path / 'first.run.yaml', '--csv', second)
    assert warnings == []
    assert second.read_bytes() == first.read_bytes()
    assert read_run(second).motion.speed_command.tolist() == [0.5] * 101
    (tmp_path / 'mine.py').write_text(OWN + '# changed\n')
    _, (warning,) = racecar('simulate', '--from', tmp_path / 'first.run.yaml', '--trust')
    assert 'mine.py:Straight has changed' in warning


@pytest.mark.parametrize(('hash_line', 'told'), [
    (True, 'has changed since the run'), (False, 'has no hash in the run file')])
def test_a_controller_that_is_not_that_of_the_run_is_not_executed(
        racecar, tmp_path, capsys, hash_line, told):
    mine, file = tmp_path / 'mine.py', tmp_path / 'first.run.yaml'
    mine.write_text(OWN)
    racecar('simulate', 'kinematic_ode', '--controller', f'{mine}:Straight', '--duration', 1,
            '--csv', tmp_path / 'first.csv')
    mine.write_text(f'open({str(tmp_path / "ran")!r}, "w")\n' + OWN)
    if not hash_line:
        content = yaml.safe_load(file.read_text())
        del content['files'][f'{mine}:Straight']
        file.write_text(yaml.safe_dump(content))
    for command in ('simulate', 'up'):
        assert main([command, '--from', str(file)]) == 1
        assert f'controller {mine}:Straight {told}, and would be executed' in \
            capsys.readouterr().err
    assert not (tmp_path / 'ran').exists()
    assert main(['simulate', '--from', str(file), '--trust']) == 0
    assert (tmp_path / 'ran').exists()


def test_another_version_or_machine_is_told_with_both_values(racecar, tmp_path):
    racecar('simulate', 'kinematic_ode', '--duration', 1, '--csv', tmp_path / 'a.csv')
    file = tmp_path / 'a.run.yaml'
    content = yaml.safe_load(file.read_text())
    content['environment'] |= {'numpy': '1.0.0', 'processor': 'another'}
    # Not safe_dump(): a digest such as 012e4 would stand without quotes, as a number.
    file.write_text(json.dumps(content))
    _, warnings = racecar('simulate', '--from', file)
    assert len(warnings) == 2
    assert f'may differ from that of {file}: numpy is ' in warnings[0]
    assert 'was 1.0.0' in warnings[0]
    assert 'was another' in warnings[1]


def test_json_stays_one_object_and_says_on_stderr_where_the_run_lies(racecar, tmp_path, capsys):
    assert main(['simulate', 'kinematic_ode', '--duration', '1', '--json', '--output',
                 str(tmp_path / 'run')]) == 0
    captured = capsys.readouterr()
    assert captured.out.count('\n') == 1
    assert json.loads(captured.out)['samples'] == 101
    assert f'Report: {tmp_path}/run/report.html' in captured.err


def test_a_file_that_could_not_be_written_is_not_named_as_a_result(capsys):
    assert main(['simulate', 'kinematic_ode', '--duration', '0.1', '--csv', '/dev/full']) == 1
    told = capsys.readouterr()
    assert 'Run:' not in told.out
    assert "'/dev/full' cannot be written: No space left" in told.err


def test_a_folder_that_cannot_be_made_is_told_before_the_run(capsys, tmp_path):
    (tmp_path / 'file').touch()
    place = tmp_path / 'file' / 'run'
    assert main(['simulate', 'kinematic_ode', '--duration', '0.1', '--output', str(place)]) == 1
    told = capsys.readouterr()
    assert f"--output '{place}' cannot be made: Not a directory" in told.err
    assert not told.out


def test_the_metrics_of_the_report_are_those_that_were_printed(racecar, tmp_path):
    """Of a law for the centre of gravity, so that the tracked point is not base_link."""
    out, _ = racecar('simulate', 'dynamic_ode', '--duration', 3, '--output', tmp_path / 'run')
    rmse = out.split()[1]
    assert f'<td class="number">{rmse}</td>' in (tmp_path / 'run' / 'report.html').read_text()
    out, _ = racecar('analyze', tmp_path / 'run')
    assert out.split()[1] == rmse
    assert (tmp_path / 'run' / 'analysis' / 'report.html').is_file()


def test_what_contradicts_from_is_refused(refused, racecar, tmp_path):
    racecar('simulate', 'kinematic_ode', '--duration', 1, '--csv', tmp_path / 'a.csv')
    file = tmp_path / 'a.run.yaml'
    assert 'kinematic_ode, --vehicle contradicts --from' in refused(
        'simulate', 'kinematic_ode', '--from', file, '--vehicle', 'f1tenth')
    assert 'no configuration is named: give NAME, or --from' in refused('simulate')
    assert 'cannot be read' in refused('simulate', '--from', tmp_path / 'absent.yaml')
    (tmp_path / 'run').mkdir()
    assert 'exists already' in refused(
        'simulate', '--from', file, '--output', tmp_path / 'run')


@pytest.mark.parametrize(('change', 'message'), [
    ({'configuration': 'nothing'}, "configuration 'nothing' is unknown"),
    ({'options': {'colour': 'red'}}, "option 'colour' of the run file is unknown"),
    ({'options': {'tyre_model': 3}}, 'option tyre_model of the run file is 3, expected str'),
    ({'options': {'end_time': 'soon'}}, "end_time of the run file is 'soon', expected float"),
    ({'nodes': {'other': {'executable': 'x', 'parameters': {}}}},
     "run file: node 'other' is not part of kinematic_ode")])
def test_a_file_that_no_run_can_be_made_from_is_refused(
        refused, racecar, tmp_path, change, message):
    racecar('simulate', 'kinematic_ode', '--duration', 1, '--csv', tmp_path / 'a.csv')
    file = tmp_path / 'a.run.yaml'
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **change}))
    error = refused('simulate', '--from', file)
    assert message in error.splitlines()[-1]
    assert error.count('error: ') == 1


@pytest.mark.parametrize('stack', ['kinematic_ode', 'dynamic_ode', 'plant', 'driver', 'gap_ode',
                                   'kinematic_world'])
def test_the_nodes_of_every_stack_come_back_with_the_same_values(stack, tmp_path):
    options = StackOptions(lockstep=True, namespace='car1', record=str(tmp_path / 'bag'),
                           sensors=('laser',))
    descriptions = describe_stack(stack, options)
    file = describe_run('up', stack, options, descriptions, '')
    again = describe_stack(stack, options_of(file, 'up'))
    then = {d.full_name: d.resolve() for d in descriptions if d.executable != 'bag_recorder'}
    now = {d.full_name: d.resolve() for d in again}
    for values in (*then.values(), *now.values()):
        # Nobody listens in the place of the recorder.
        values.pop('wait_for_subscribers', None)
    assert now == then
    assert cautions(file, 'up') == []


@pytest.mark.parametrize('namespace', ['car1', '/car1/', 'fleet/car1'])
def test_a_run_with_a_namespace_is_made_again_without_nodes(namespace):
    options = StackOptions(lockstep=True, namespace=namespace,
                           overrides={'trajectory_tracker': {'Kp': 3.25}})
    descriptions = describe_stack('kinematic_ode', options)
    file = describe_run('up', 'kinematic_ode', options, descriptions, '')
    again = {d.full_name: d.resolve()
             for d in describe_stack('kinematic_ode', options_of(file, 'simulate'))}
    assert again['trajectory_tracker']['Kp'] == 3.25
    place = namespace.strip('/')
    then = {d.full_name.removeprefix(f'{place}/'): d.resolve() for d in descriptions}
    assert then.keys() == again.keys()
    for values in (then, again):
        values['kinematic_linearizer'].pop('lockstep')
    assert then['kinematic_linearizer'] == again['kinematic_linearizer']


def test_a_run_that_was_not_in_lockstep_is_said_to_be_no_repetition():
    options = StackOptions()
    descriptions = describe_stack('kinematic_ode', options)
    file = describe_run('up', 'kinematic_ode', options, descriptions, '')
    assert cautions(file, 'up') == [
        'the run was not in lockstep: its timing was that of the machine']


def test_a_file_with_the_name_of_a_vehicle_is_not_taken_for_it(tmp_path, monkeypatch):
    (tmp_path / 'f1tenth').write_text('')
    monkeypatch.chdir(tmp_path)
    options = StackOptions(vehicle='f1tenth')
    descriptions = describe_stack('kinematic_ode', options)
    file = describe_run('up', 'kinematic_ode', options, descriptions, '')
    assert file.options['vehicle'] == 'f1tenth'
