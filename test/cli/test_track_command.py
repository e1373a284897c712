# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar track`: figures, files, and what it refuses."""

import json

from PIL import Image
from presence import present
import pytest

import racecar
from racecar.cli.main import main
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.scene.world_file import load_world


def test_it_finds_the_track_of_a_map_and_writes_its_centre_line(tmp_path, capsys):
    line, picture = tmp_path / 'line.csv', tmp_path / 'line.png'
    assert main(['track', 'racetrack', '-o', str(line), '--picture', str(picture),
                 '--vehicle', 'f1tenth', '--json']) == 0
    figures = json.loads(capsys.readouterr().out)
    found = read_way_points(line)
    assert figures['waypoints'] == len(found.points)
    assert figures['length'] == pytest.approx(90.2, abs=1.0)
    assert figures['narrowest'] == pytest.approx(2.2, abs=0.15)
    with Image.open(picture) as image:
        assert min(image.size) > 300


def test_a_track_of_a_seed_is_a_world_with_waypoints_that_a_car_can_drive(tmp_path, capsys):
    file = tmp_path / 'mine.csv'
    words = ['track', '--generate', '7', '--length', '40', '-o', str(file)]
    assert main(words) == 0
    assert 'smallest radius' in capsys.readouterr().out
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(made) == {'mine.csv', 'mine.yaml', 'mine.png'}
    assert main(words) == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == made
    assert not load_world(tmp_path / 'mine.yaml').is_empty
    run = racecar.simulate(waypoints=file, world=file.with_suffix('.yaml'), duration=45.0)
    metrics = run.metrics()
    assert metrics.collisions == 0
    laps = present(metrics.laps)
    assert len(laps.laps) == 1
    assert (laps.exits, laps.off_time) == (0, 0.0)


@pytest.mark.parametrize(('words', 'named'), [
    ([], 'expected either MAP or --generate SEED'),
    (['racetrack', '--generate', '1'], 'expected either MAP or --generate SEED'),
    (['racetrack', '--length', '50'], '--length is for --generate'),
    (['racetrack', '-o', 'line.txt'], 'expected a file that ends with .csv'),
    (['racetrack', '--at', '100,0'], '(100, 0) m is not free'),
    (['aut', '--vehicle', 'tesla_model3'], 'expected more than the'),
    (['aut', '--vehicle', 'f1tenth'], 'the sharpest bend has a radius of'),
    (['empty'], 'runs round nothing')])
def test_what_it_cannot_do_is_said_in_a_line(words, named, capsys):
    assert main(['track', *words]) == 1
    text = capsys.readouterr().err
    assert named in text
    assert len(text.splitlines()) == 1
