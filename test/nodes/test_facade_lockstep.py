# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.simulate() has the bits of the nodes in lockstep; racecar.load() reads their runs."""

from contextlib import redirect_stdout
import io
import json

import pytest

import racecar
from racecar.cli.main import main

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'trajectory': 'circle', 'vehicle': racecar.Vehicle('f1tenth').replace(mass=4.0)},
     ['--trajectory', 'circle', '--vehicle', 'f1tenth', '--set', 'vehicle.mass=4.0']),
    ({'configuration': 'double_track', 'law': 'dynamic', 'tyre_model': 'fiala'},
     ['--tyre-model', 'fiala', '--set', 'single_track_simulator.vehicle_model=double_track']),
], ids=['a changed vehicle', 'a vehicle model and a law'])
def test_nodes_in_lockstep_give_the_bits_of_simulate(tmp_path, arguments, words):
    configuration = 'dynamic_ode' if 'law' in arguments else 'kinematic_ode'
    with redirect_stdout(io.StringIO()) as printed:
        assert main(['up', configuration, *words, '--lockstep', '--real-time-factor', '0',
                     '--duration', '2', '--csv', str(tmp_path / 'up.csv'),
                     '--record', str(tmp_path / 'bag'), '--json']) == 0
    run = racecar.simulate(**arguments, duration=2.0)
    nodes = racecar.load(tmp_path / 'up.csv')
    assert nodes.table.rows.tobytes() == run.table.rows.tobytes()
    assert nodes.metrics() == run.metrics()
    recorded = racecar.load(tmp_path / 'bag')
    metrics = json.loads(printed.getvalue())
    for name, value in recorded.metrics().as_dict().items():
        # Without a lap there is no time of it.
        assert metrics[name] == (None if value is None else pytest.approx(value, rel=1e-9)), name
    assert recorded.parameters['trajectory_tracker']['vehicle.mass'] == (
        run.parameters['trajectory_tracker']['vehicle.mass'])
    # The reference of a bag is that of each odometry; its commands may come a little later.
    for name in ('time', 'x', 'yaw', 'vx', 'x_reference', 'y_reference'):
        assert recorded.table[name].tolist() == run.table[name].tolist(), name


def test_what_moves_gives_the_bits_of_simulate_also_among_scans(tmp_path):
    """Scans at 40 Hz part the ticks of 10 ms of the nodes, not those of simulate()."""
    world = tmp_path / 'crossed.yaml'
    world.write_text(
        'moving: [{radius: 0.4, path: [[0, 2, 1], [1, 0.1, 0], [2, -2, 1]]}]',
        encoding='utf-8')
    with redirect_stdout(io.StringIO()):
        assert main(['up', 'kinematic_ode', '--world', str(world), '--sensors', 'laser',
                     '--lockstep', '--real-time-factor', '0', '--duration', '2', '--csv',
                     str(tmp_path / 'up.csv')]) == 0
    run = racecar.simulate(world=str(world), duration=2.0)
    nodes = racecar.load(tmp_path / 'up.csv')
    assert nodes.table.rows.tobytes() == run.table.rows.tobytes()
    assert run.metrics().collisions == 1
