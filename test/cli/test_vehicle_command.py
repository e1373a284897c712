# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar vehicle: figures, files and pictures of a vehicle."""

from pathlib import Path

from gl import gl  # noqa: F401
import numpy as np
from PIL import Image
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.share import (
    find_config,
    find_robot,
    find_track,
    find_vehicle,
    find_wheeled_robot,
    find_world,
    vehicle_names,
    world_names,
)
from racecar.cli.main import main
from racecar.differential.parameters import RobotParameters


def error_of(capsys, *arguments):
    code = main(['vehicle', *map(str, arguments)])
    lines = capsys.readouterr().err.splitlines()
    assert (code, len(lines)) == (1, 1)
    return lines[0]


@pytest.mark.parametrize('name', vehicle_names())
def test_every_vehicle_has_figures(name, capsys):
    assert main(['vehicle', 'show', name]) == 0
    text = capsys.readouterr().out
    assert f'{name}: {find_vehicle(name)}' in text
    assert 'turning circle' in text
    assert 'nan' not in text


def test_a_robot_with_two_wheels_has_figures_and_files(tmp_path, capsys):
    assert main(['vehicle', 'show', 'khepera']) == 0
    text = ' '.join(capsys.readouterr().out.split())
    # 0.0075 m times max_speed; twice that over 0.052 m
    for part in ('distance between the wheels 0.052 m', 'wheel radius, width 0.0075',
                 'a turn'):
        assert part in text
    folder = tmp_path / 'khepera'
    assert main(['vehicle', 'export', 'khepera', '-o', str(folder)]) == 0
    mujoco = pytest.importorskip('mujoco', reason='MJCF is read by MuJoCo')
    model = mujoco.MjModel.from_xml_path(str(folder / 'khepera.xml'))
    assert model.body_mass.sum() == pytest.approx(
        RobotParameters.from_file(find_robot('khepera')).mass)
    assert 'robot name="khepera"' in (folder / 'khepera.urdf').read_text()
    assert 'did you mean khepera' in error_of(capsys, 'show', 'kepera')


def test_the_figures_are_those_of_the_file_and_what_follows(capsys):
    assert main(['vehicle', 'show', 'bmw_x5']) == 0
    text = ' '.join(capsys.readouterr().out.split())
    for part in ('wheelbase 2.995 m', 'length, width 4.85, 1.93 m', '1.78, 0.21 m',
                 # sqrt((2.995/tan(0.8303) + 0.814)^2 + 2.995^2) + 0.125, twice
                 'turning circle 9.541 m between kerbs',
                 'spring rate 100000 front, 100000 rear N/m',
                 # 4544 N less 36 kg of wheel, knuckle and carrier, over 100 N/mm
                 'compressed at rest by 41.9 front', 'roll gradient 3.01 deg/g'):
        assert part in text


def test_a_vehicle_that_cannot_be_is_one_line_with_its_file(tmp_path, capsys):
    path = tmp_path / 'mine.yaml'
    path.write_text(find_vehicle('bmw_x5').read_text().replace(
        'track_width: 1.628', 'track_width: 0.1'))
    line = error_of(capsys, 'show', path)
    assert "mine.yaml': parameter 'vehicle.track_width' is 0.1 m, expected more than" in line
    assert main(['simulate', 'kinematic_ode', '--vehicle', str(path), '--duration', '1']) == 1
    assert f'left and right overlap; it is in {path}' in capsys.readouterr().err
    assert 'did you mean bmw_x5' in error_of(capsys, 'show', 'bmv_x5')


def test_files_are_not_written_over(tmp_path, capsys):
    folder = tmp_path / 'bmw'
    assert main(['vehicle', 'export', 'bmw_x5', '-o', str(folder)]) == 0
    assert f'URDF: {folder}/bmw_x5.urdf' in capsys.readouterr().out
    assert 'expected a folder that is not there yet' in error_of(
        capsys, 'export', 'bmw_x5', '-o', folder)


def test_exported_files_name_no_other_folder_whatever_that_is_called(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / "a 'b' & c"))
    assert main(['vehicle', 'export', 'citroen_czero', '-o', str(tmp_path / 'car')]) == 0
    for path in (tmp_path / 'car').glob('*.*'):
        assert str(tmp_path) not in path.read_text()
        assert ' c/' not in path.read_text()
    mujoco = pytest.importorskip('mujoco', reason='MJCF is read by MuJoCo')
    model = mujoco.MjModel.from_xml_path(str(tmp_path / 'car' / 'citroen_czero.xml'))
    assert model.body_mass.sum() == pytest.approx(1222.0)


def test_a_package_that_cannot_be_called_so_is_refused_before_anything_is_written(
        tmp_path, capsys):
    folder = tmp_path / 'bmw'
    line = error_of(capsys, 'export', 'bmw_x5', '-o', folder, '--package', '../a"b')
    assert "--package is '../a\"b', expected the name of a ROS package" in line
    assert not folder.exists()


def test_a_picture_shows_a_robot_with_two_wheels(gl, tmp_path, capsys):  # noqa: F811
    path = tmp_path / 'x.png'
    assert main(['vehicle', 'render', 'khepera', '-o', str(path), '--size', '64x48']) == 0
    with Image.open(path) as image:
        red, green, _ = np.asarray(image, dtype=float).transpose(2, 0, 1)
    # Its red shell and dark plate fill a good part of the picture.
    assert 0.03 < np.mean(red > 2.0 * green) < 0.8
    assert 0.15 < np.mean(green < 100.0) < 0.8
    assert 'expected 0: khepera is a differential-drive robot' in error_of(
        capsys, 'render', 'khepera', '--steer', '0.1', '-o', tmp_path / 'y.png')


def test_a_picture_shows_the_car_and_its_steered_wheels(gl, tmp_path, capsys):  # noqa: F811
    pictures = []
    for name, more in (('straight', ()), ('left', ('--steer', '0.5'))):
        path = tmp_path / f'{name}.png'
        assert main(['vehicle', 'render', 'citroen_czero', '-o', str(path), '--size', '160x90',
                     *more]) == 0
        with Image.open(path) as image:
            pictures.append(np.asarray(image.convert('RGB')).astype(int))
    # It is yellow.
    red, green, blue = pictures[0].transpose(2, 0, 1)
    assert ((red > 100) & (green > 100) & (blue < 60)).mean() > 0.1
    changed = np.abs(pictures[1] - pictures[0]).max(axis=2) > 30
    assert 0.001 < changed.mean() < 0.1
    assert 'expected -0.5515 to 0.5515 rad, the steering_limit' in error_of(
        capsys, 'render', 'citroen_czero', '--steer', '2', '-o', tmp_path / 'x.png')
    assert 'expected one of .png, .jpg' in error_of(
        capsys, 'render', 'citroen_czero', '-o', tmp_path / 'x.mp4')


@pytest.mark.parametrize(('find', 'name'), [
    (find_vehicle, 'racecar'), (find_world, world_names()[0]), (find_track, 'racetrack'),
    (find_config, 'trajectory_tracker'), (find_config, 'vehicles/racecar')])
def test_a_name_goes_before_a_file_that_is_called_like_it(find, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text('#!/bin/sh')
    known = find(name)
    assert known.is_absolute()
    assert known != file
    # As a path it is the file.
    assert find(f'./{name}').samefile(file)
    assert find(file) == file
    other = tmp_path / 'mine.yaml'
    other.write_text('')
    assert find('mine.yaml').samefile(other)


@pytest.mark.parametrize('find', [
    find_vehicle, find_wheeled_robot, find_robot, find_world, find_track, find_config])
def test_a_word_without_separator_or_suffix_is_a_name_and_never_a_file(
        find, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'racetrak').write_text('')
    with pytest.raises(ConfigurationError, match="'racetrak' is neither a file nor one of "):
        find('racetrak')
    assert find('./racetrak').samefile(tmp_path / 'racetrak')


@pytest.mark.parametrize(('find', 'name', 'near'), [
    (find_vehicle, 'f1tent', 'f1tenth'), (find_wheeled_robot, 'pionier', 'pioneer'),
    (find_robot, 'kepera', 'khepera'), (find_world, 'arna', 'arena'),
    (find_track, 'racetrak', 'racetrack'), (find_config, 'mux/low_levl', 'mux/low_level')])
def test_the_nearest_name_is_suggested(find, name, near):
    with pytest.raises(ConfigurationError, match=rf'did you mean {near}\b'):
        find(name)
    assert find(near).stem == Path(near).name
