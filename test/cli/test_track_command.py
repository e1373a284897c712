# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar track`: figures, files, and what it refuses."""

from functools import partial
import hashlib
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
import json
import threading

from PIL import Image
from presence import present
import pytest

import racecar
from racecar.cli.main import main
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.scene.track_source import read_track_source
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


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def collection(tmp_path):
    """Manifest of a collection that a server on loopback has, and its folder."""
    served = tmp_path / 'served'
    (served / 'Round Hall').mkdir(parents=True)
    tracks: dict[str, dict[str, str]] = {'Round Hall': {}}
    for file, content in (('Hall_map.yaml', b'image: Hall_map.png\nresolution: 0.05\n'),
                          ('Hall_map.png', bytes(range(256))),
                          ('Hall_centerline.csv', b'0,0,1,1\n1,0,1,1\n')):
        (served / 'Round Hall' / file).write_bytes(content)
        tracks['Round Hall'][file] = hashlib.sha256(content).hexdigest()
    with ThreadingHTTPServer(
            ('127.0.0.1', 0), partial(_Files, directory=str(served))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        manifest = tmp_path / 'hall.yaml'
        manifest.write_text(json.dumps({
            'summary': 'a hall', 'licence': 'GPL-3.0', 'tracks': tracks,
            'source': f'http://127.0.0.1:{server.server_port}/'}))
        yield manifest, served / 'Round Hall'
        server.shutdown()
        thread.join()


def fetch(manifest, into, *tracks):
    return main(['track', '--fetch', *tracks, '--manifest', str(manifest), '--into', str(into)])


def test_a_track_is_fetched_whole_and_once(collection, tmp_path, capsys):
    manifest, served = collection
    assert fetch(manifest, tmp_path / 'mine') == 0
    assert capsys.readouterr().out == 'hall: a hall (GPL-3.0)\nRound Hall\n'
    assert fetch(manifest, tmp_path / 'mine', 'Round Hall') == 0
    there = tmp_path / 'mine' / 'Round Hall'
    assert {path.name: path.read_bytes() for path in there.iterdir()} == {
        path.name: path.read_bytes() for path in served.iterdir()}
    assert (f"--world '{there}/Hall_map.yaml' --waypoints '{there}/Hall_centerline.csv'"
            in capsys.readouterr().out)
    # What is there needs no server.
    for path in served.iterdir():
        path.unlink()
    assert fetch(manifest, tmp_path / 'mine', 'Round Hall') == 0


def test_what_is_not_as_the_manifest_says_is_not_kept(collection, tmp_path, capsys):
    manifest, served = collection
    (served / 'Hall_map.png').write_bytes(b'another')
    assert fetch(manifest, tmp_path / 'mine', 'Round Hall') == 1
    assert 'Hall_map.png has the SHA-256' in capsys.readouterr().err
    assert [path.name for path in (tmp_path / 'mine' / 'Round Hall').iterdir()] == [
        'Hall_map.yaml']
    own = tmp_path / 'mine' / 'Round Hall' / 'Hall_map.yaml'
    own.write_text('my own')
    assert fetch(manifest, tmp_path / 'mine', 'Round Hall') == 1
    assert 'is there with another content; move it away' in capsys.readouterr().err
    assert own.read_text() == 'my own'


@pytest.mark.parametrize(('change', 'words', 'named'), [
    ({}, ['Flat Hall'], "track 'Flat Hall' is unknown, expected one of Round Hall"),
    ({'source': 'http://127.0.0.1:9/'}, ['Round Hall'],
     'Round%20Hall/Hall_map.yaml cannot be fetched: [Errno 111] Connection refused; is this'),
    ({'source': 'ftp://example.org'}, [], "'ftp://example.org', expected a URL of http, https"),
    ({'source': 'file:///nowhere'}, ['Round Hall'], 'cannot be fetched'),
    ({'tracks': {'..': {'a.csv': 64 * '0'}}}, [], "'../a.csv' is no track and file"),
    ({'tracks': {'a': {'/etc/a.csv': 64 * '0'}}}, [], "'a//etc/a.csv' is no track and file"),
    ({'tracks': {'a': {'a.csv': 'd41d8cd9'}}}, [], "'a.csv' is 'd41d8cd9', expected 64"),
    ({'tracks': []}, [], 'tracks are no mapping'),
    ({'more': 1}, [], 'expected the keys summary, licence, source, tracks')])
def test_what_cannot_be_fetched_is_said_in_a_line(
        collection, tmp_path, capsys, change, words, named):
    manifest, _ = collection
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **change}))
    assert fetch(manifest, tmp_path / 'mine', *words) == 1
    text = capsys.readouterr().err
    assert named in text
    assert text.count('\n') == 1
    assert not (tmp_path / 'mine').exists()


def test_tracks_of_the_package_s_manifest_have_maps_and_centre_lines():
    source = read_track_source('f1tenth_racetracks')
    assert len(source.tracks) == 23
    for files in source.tracks.values():
        endings = {name.rpartition('_')[2] for name in files}
        assert endings - {'raceline.csv'} == {'map.yaml', 'map.png', 'centerline.csv'}


@pytest.mark.parametrize(('words', 'named'), [
    ([], 'expected either MAP, --generate SEED or --fetch'),
    (['racetrack', '--generate', '1'], 'expected either MAP, --generate SEED or --fetch'),
    (['racetrack', '--into', 'x'], '--into is for --fetch'),
    (['--fetch', 'Spa', '--vehicle', 'f1tenth'], '--vehicle is for a MAP: fetch it first'),
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
    # Beside what may be said of compiling, once on a machine.
    assert text.count('error: ') == 1
