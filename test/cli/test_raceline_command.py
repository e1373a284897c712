# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar raceline`: figures, files, and what it refuses."""

import json
import sys

from PIL import Image
import pytest

from racecar.cli.main import main
from racecar.control.racelines.raceline import read_raceline
from racecar.control.racelines.time_models import TIME_MODELS


def test_it_makes_the_centre_line_with_speeds_without_a_solver(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'casadi', None)
    line, picture = tmp_path / 'line.csv', tmp_path / 'line.png'
    assert main(['raceline', 'racetrack', '--method', 'centre', '--speed-limit', '6',
                 '-o', str(line), '--picture', str(picture), '--json']) == 0
    figures = json.loads(capsys.readouterr().out)
    found = read_raceline(line)
    assert figures['lap_time'] == pytest.approx(found.lap_time, rel=1e-3)
    assert figures['highest_speed'] <= 6.0
    assert found.notes['vehicle'] == 'f1tenth'
    with Image.open(picture) as image:
        assert min(image.size) > 300
    assert main(['raceline', 'racetrack', '--method', 'curvature']) == 1
    assert 'needs casadi, which is not installed' in capsys.readouterr().err


def test_it_shows_a_line_of_the_package(capsys):
    for model in TIME_MODELS:
        assert main(['raceline', 'racetrack_f1tenth_time', '--show', '--model', model]) == 0
        shown = capsys.readouterr().out
        assert 'least lap time on the track of a single track  11.43  s' in shown
        assert 'least lap time on the track of a double track  12.05  s' in shown


def test_it_refuses_what_it_cannot_read(tmp_path, capsys):
    assert main(['raceline', 'nowhere', '--show']) == 1
    assert "raceline 'nowhere' is neither a file nor one of" in capsys.readouterr().err
    assert main(['raceline', 'hall']) == 1
    assert 'hall' in capsys.readouterr().err
    assert main(['raceline', 'racetrack', '-o', str(tmp_path / 'line.txt')]) == 1
    assert 'expected a file that ends with .csv' in capsys.readouterr().err
