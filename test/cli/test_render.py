# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar render: pictures and videos as files."""

import signal
import threading
from typing import Any

from gl import gl  # noqa: F401
import numpy as np
from PIL import Image
import pytest

from racecar.analysis.run_csv import read_run_csv
from racecar.base.run_file import RecordedNode, run_file_beside, RunFile
from racecar.base.types import HINGE_JOINTS, TWO_WHEEL_JOINTS, WHEEL_JOINTS
from racecar.cli.filming import write_film
from racecar.cli.main import main
from racecar.differential.parameters import ROBOT_PARAMETERS
from racecar.metrics.run_table import COLUMNS, RunTable
from racecar.signals import Interruption

SMALL = ('--size', '64x48')


@pytest.fixture
def a_run(tmp_path):
    t = np.arange(0.0, 2.0, 0.05)
    rows = np.zeros((len(t), len(COLUMNS)))
    rows[:, 0], rows[:, 1], rows[:, 4] = t, t, 1.0
    rows[:, COLUMNS.index('x_reference')] = t
    path = tmp_path / 'run.csv'
    RunTable(rows).write_csv(path)
    return path


def error_of(capsys, *arguments):
    code = main(['render', *map(str, arguments)])
    lines = capsys.readouterr().err.splitlines()
    assert (code, len(lines)) == (1, 1)
    return lines[0]


def test_a_world_from_above_is_a_picture(gl, tmp_path, capsys):  # noqa: F811
    path = tmp_path / 'x.png'
    assert main(['render', 'world', 'racetrack', '-o', str(path), *SMALL]) == 0
    assert f'Picture, 64x48: {path}' in capsys.readouterr().out
    with Image.open(path) as image:
        assert image.size == (64, 48)
        assert np.asarray(image).std() > 5.0


def test_a_run_of_a_robot_with_two_wheels_shows_it_and_its_world(
        gl, tmp_path, a_run, monkeypatch):  # noqa: F811
    from racecar.rendering import renderer

    drawn = []

    class Watched(renderer.Renderer):
        def __init__(self, scene, robots, quality):
            drawn.append((scene.name, [joint for robot in robots for joint in robot.joints]))
            super().__init__(scene, robots, quality)

    monkeypatch.setattr(renderer, 'Renderer', Watched)
    values = {row.name: row.default for row in ROBOT_PARAMETERS} | {'world': 'arena'}
    RunFile('simulate', 'differential_wheels', {}, {
        'simulator': RecordedNode('simulator', values)}).write(run_file_beside(a_run))
    still, top = tmp_path / 'x.png', tmp_path / 'top.png'
    assert main(['render', 'run', str(a_run), '-o', str(still), *SMALL]) == 0
    assert main(['animate', str(a_run), '-o', str(top), '--size', '320x240']) == 0
    # What is asked for goes before what the run says.
    assert main(['render', 'run', str(a_run), '-o', str(tmp_path / 'y.png'), *SMALL,
                 '--vehicle', 'racecar', '--world', 'empty']) == 0
    assert drawn == [('arena', list(TWO_WHEEL_JOINTS)),
                     ('empty', list(WHEEL_JOINTS + HINGE_JOINTS))]


def test_all_cars_of_a_run_are_drawn_and_the_camera_follows_one(
        gl, tmp_path, a_run, monkeypatch):  # noqa: F811
    from racecar.rendering import renderer

    drawn = []

    class Watched(renderer.Renderer):
        def draw(self, sight, viewpoint, lens):
            drawn.append((sight, viewpoint))
            return super().draw(sight, viewpoint, lens)

    monkeypatch.setattr(renderer, 'Renderer', Watched)
    both = tmp_path / 'both'
    for name, y in (('red', 0.0), ('blue', 3.0)):
        (both / name).mkdir(parents=True)
        rows = read_run_csv(a_run).rows.copy()
        rows[:, COLUMNS.index('y')] = y
        RunTable(rows).write_csv(both / name / 'run.csv')
    RunFile('simulate', 'gap_ode', {}, {'simulator': RecordedNode(
        'simulator', {'cars': ['red', 'blue']})}).write(both / 'run.yaml')
    for name, words in (('a', ()), ('b', ('--car', 'blue'))):
        assert main(['render', 'run', str(both), '-o', str(tmp_path / f'{name}.png'), '--start',
                     '1', *words, *SMALL]) == 0
    (sight, first), (_, second) = drawn
    assert [(robot.pose.x, robot.pose.y) for robot in sight.robots] == [
        pytest.approx((1.0, 0.0)), pytest.approx((1.0, 3.0))]
    assert second.y - first.y == pytest.approx(3.0)
    # Red is red.
    assert [line.colour for line in sight.lines if line.colour[0] > 0.7] == [
        pytest.approx((211 / 255, 47 / 255, 47 / 255))]


@pytest.mark.parametrize('suffix', ['gif', 'mp4'])
def test_a_run_is_a_video(gl, tmp_path, a_run, suffix):  # noqa: F811
    if suffix == 'mp4':
        pytest.importorskip('imageio_ffmpeg')
    import imageio.v2

    path = tmp_path / f'x.{suffix}'
    assert main(['render', 'run', str(a_run), '-o', str(path), '--fps', '5', '--start', '0.5',
                 '--duration', '1', *SMALL]) == 0
    reader: Any
    with imageio.v2.get_reader(path) as reader:
        pictures = list(reader.iter_data())
    assert len(pictures) == 5
    assert pictures[0].shape[:2] == (48, 64)
    assert sorted(p.name for p in tmp_path.iterdir()) == ['run.csv', path.name]


@pytest.mark.parametrize('suffix', ['gif', 'mp4'])
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('workers', [1, 2])
def test_a_film_that_is_interrupted_leaves_no_file(tmp_path, suffix, number, workers):
    if suffix == 'mp4':
        pytest.importorskip('imageio_ffmpeg')

    def picture(index):
        # The encoder is there by then.
        if index == 5:
            signal.raise_signal(number)
        return np.zeros((48, 64, 3), np.uint8)

    before = signal.getsignal(number)
    with pytest.raises(Interruption) as caught:
        write_film(tmp_path / f'x.{suffix}', 5.0, 8, picture, workers)
    assert caught.value.number == number
    assert signal.getsignal(number) == before
    assert not [*tmp_path.iterdir()]


def test_pictures_drawn_side_by_side_stand_in_their_order(tmp_path):
    import imageio.v2

    later = threading.Event()

    def picture(index):
        # The first waits for the second.
        if index == 1:
            later.set()
        assert later.wait(60.0)
        return np.full((48, 64, 3), 60 * index, np.uint8)

    path = tmp_path / 'x.gif'
    write_film(path, 5.0, 4, picture, 2)
    reader: Any
    with imageio.v2.get_reader(path) as reader:
        assert [int(image[0, 0, 0]) for image in reader.iter_data()] == [0, 60, 120, 180]


def test_the_path_is_blue_and_seen_from_above(gl, tmp_path, a_run):  # noqa: F811
    path = tmp_path / 'x.png'
    assert main(['render', 'run', str(a_run), '--view', 'top', '-o', str(path)]) == 0
    with Image.open(path) as image:
        pixels = np.asarray(image.convert('RGB')).astype(int)
    # The car is of a blue with less green.
    blue = (pixels[..., 0] < 60) & (pixels[..., 1] > 95) & (pixels[..., 2] > 150)
    rows, columns = np.nonzero(blue)
    # Along x, to the right.
    assert np.ptp(columns) > 10 * np.ptp(rows) > 0


def test_what_is_there_is_not_overwritten(tmp_path, a_run, capsys):
    path = tmp_path / 'x.png'
    path.write_text('mine')
    assert 'not overwriting it' in error_of(capsys, 'run', a_run, '-o', path)
    assert path.read_text() == 'mine'


@pytest.mark.parametrize(('arguments', 'message'), [
    (('world', 'nowhere', '-o', 'x.png'), "world 'nowhere' is neither a file nor one of"),
    (('world', 'tunnel', '-o', 'x.bmp'), 'expected one of .png, .jpg, .jpeg, .mp4, .gif'),
    (('world', 'tunnel', '-o', 'no/x.png'), "the folder 'no' does not exist"),
    (('world', 'tunnel', '-o', 'x.mp4', '--size', '65x48'), 'expected even numbers'),
    (('world', 'tunnel', '-o', 'x.gif', '--fps', '60'), 'expected at most 50 Hz'),
    (('world', 'tunnel', '-o', 'x.png', '--view', 'fixed'), 'needs --from X,Y,Z and --at'),
    (('world', 'tunnel', '-o', 'x.png', '--at', '0,0,0'), 'are for --view fixed'),
    (('world', 'tunnel', '-o', 'x.png', '--laser'), '--laser is not for a world'),
    (('world', 'tunnel', '-o', 'x.png', '--view', 'fixed', '--from', '1,1,1', '--at', '1,1,1'),
     'expected two different points'),
    (('bag', 'nowhere', '-o', 'x.png'), 'nowhere'),
    (('run', 'nowhere.csv', '-o', 'x.png'), "run 'nowhere.csv' does not exist; check the path"),
])
def test_bad_input_is_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in error_of(capsys, *arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(('content', 'message'), [
    ('a,b\n1,2\n', 'does not begin with the columns of a run'),
    (','.join(COLUMNS) + '\n', 'has 0 rows, expected at least 2'),
    (','.join(COLUMNS) + '\n1,2\n', 'line 2: expected 11 numbers'),
    (','.join(COLUMNS) + '\n' + 'nan,' * 10 + '0\n', 'line 2: expected 11 numbers'),
    (','.join(COLUMNS) + '\n' + ('1,' * 10 + '0\n') * 2, 'its times do not ascend'),
])
def test_a_csv_that_is_no_run_is_one_line(tmp_path, capsys, content, message):
    path = tmp_path / 'bad.csv'
    path.write_text(content)
    assert message in error_of(capsys, 'run', path, '-o', tmp_path / 'x.png')


def test_a_start_after_the_end_is_refused(tmp_path, a_run, capsys):
    assert '--start is 9 s, expected at most' in error_of(
        capsys, 'run', a_run, '--start', '9', '-o', tmp_path / 'x.png')


def test_without_opengl_one_line_says_so(tmp_path, monkeypatch, a_run, capsys):
    monkeypatch.setenv('MUJOCO_GL', 'disable')
    assert 'switched off by MUJOCO_GL' in error_of(
        capsys, 'run', a_run, '-o', tmp_path / 'x.png')
    assert [path.name for path in tmp_path.iterdir()] == ['run.csv']


@pytest.mark.parametrize('arguments', [
    ('--size', '0x5'), ('--size', 'large'), ('--fps', 'nan'), ('--fps', '0'),
    ('--from', '1,2'), ('--start', '-1')])
def test_options_that_make_no_sense_are_usage_errors(arguments):
    with pytest.raises(SystemExit) as caught:
        main(['render', 'world', 'tunnel', *arguments])
    assert caught.value.code == 2


def test_lamps_are_lit_on_request_in_a_world_only(gl, tmp_path, a_run, capsys):  # noqa: F811
    pictures = []
    for number, lamps in enumerate(((), ('--lamps', 'all'))):
        path = tmp_path / f'{number}.png'
        assert main(['render', 'world', 'empty', '--view', 'around', '-o', str(path), '--size',
                     '160x120', *lamps]) == 0
        with Image.open(path) as image:
            pictures.append(np.asarray(image).astype(int))
    capsys.readouterr()
    assert np.abs(pictures[1] - pictures[0]).max() > 100
    assert error_of(capsys, 'run', a_run, '--lamps', 'front').endswith(
        '--lamps is for a world; a run has those that were lit')


def test_a_lamp_that_is_none_is_named(capsys):
    with pytest.raises(SystemExit):
        main(['render', 'world', 'empty', '--lamps', 'front,horn'])
    assert "'horn' is no lamp, expected some of left_indicator" in capsys.readouterr().err
