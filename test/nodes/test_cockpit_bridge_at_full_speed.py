# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The bridge in the process of `racecar up`: nothing is missing, and nothing waits for it."""

from __future__ import annotations

import contextlib
import csv
import socket
import threading

from cockpit_frames import read_state
from node_bench import RACECAR
import numpy as np
import pytest

from racecar.cli.main import main
from racecar.clients.cockpit_bridge import node
from racecar.cockpit import BRIDGE_OPTION
from racecar.cockpit.frames import is_text, read_json
from racecar.cockpit.link import LENGTH

pytestmark = pytest.mark.ros

FAST = ('--lockstep', '--real-time-factor', '0', '--duration', '2')
RADIUS = RACECAR['vehicle.wheel_radius']


class Viewer:
    """A server of the cockpit that takes what the bridge sends, or never takes anything."""

    def __init__(self, folder, *, takes=True):
        self.frames = []
        self.path = str(folder / 'link')
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        self._reader = threading.Thread(target=self._read, daemon=True)
        if takes:
            self._reader.start()

    def _read(self):
        connection, _ = self._listener.accept()
        with connection, contextlib.suppress(OSError), connection.makefile('rb') as stream:
            while len(head := stream.read(LENGTH.size)) == LENGTH.size:
                self.frames.append(stream.read(LENGTH.unpack(head)[0]))

    def rows(self):
        """Return times and rows of all state, once the bridge has gone."""
        self._reader.join(30.0)
        robots = [read_json(frame) for frame in self.frames if is_text(frame)]
        columns = [robot['columns'] for robot in robots if robot['type'] == 'robot'][-1]
        times, rows = read_state(self.frames, columns)
        # Where the first answer takes a second the simulator shows its first odometry again.
        begin = np.count_nonzero(times == times[0]) - 1
        return times[begin:], {name: values[begin:] for name, values in rows.items()}

    def close(self):
        self._listener.close()


@pytest.fixture
def view(tmp_path):
    with contextlib.ExitStack() as stack:
        def start(**options):
            viewer = Viewer(tmp_path, **options)
            stack.callback(viewer.close)
            return viewer

        yield start


def drive(name, file, *more):
    """Run a configuration; return the rows of its CSV file as arrays by column."""
    assert main(['up', name, *FAST, '--csv', str(file), *more]) == 0
    with open(file, newline='') as stream:
        rows = [*csv.DictReader(stream)]
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def test_all_samples_of_a_run_arrive_in_order_and_the_run_is_the_same_without(tmp_path, view):
    alone, watched = tmp_path / 'alone.csv', tmp_path / 'watched.csv'
    drive('kinematic_ode', alone)
    viewer = view()
    run = drive('kinematic_ode', watched, BRIDGE_OPTION, viewer.path)
    assert watched.read_bytes() == alone.read_bytes()
    times, rows = viewer.rows()
    assert times == pytest.approx(0.01 * np.arange(201), abs=1e-12)
    for column, expected in (('x', 'x'), ('y', 'y'), ('speed', 'vx')):
        assert rows[column] == pytest.approx(run[expected], abs=1e-6)
    # The last row, too, has what is sent after its odometry; the first may be shown before.
    for column, expected in (('reference_x', 'x_reference'), ('reference_y', 'y_reference')):
        assert rows[column][1:] == pytest.approx(run[expected][1:], abs=1e-6)
    for column in ('command_speed', 'steering'):
        assert np.isfinite(rows[column][1:]).all()
    # What is read beside the odometry is of the same instant: the rear wheels roll with the car.
    rolled = 0.5 * (np.diff(rows['joint:left_rear_wheel_joint'])
                    + np.diff(rows['joint:right_rear_wheel_joint']))
    assert RADIUS * rolled / 0.01 == pytest.approx(run['vx'][1:], abs=1e-3)


def test_a_run_that_is_over_before_the_bridge_looks_is_shown_whole(tmp_path, view, monkeypatch):
    monkeypatch.setattr(node, '_BATCH_PERIOD', 0.5)
    viewer = view()
    drive('kinematic_ode', tmp_path / 'run.csv', '--duration', '0.05', BRIDGE_OPTION, viewer.path)
    assert viewer.rows()[0] == pytest.approx(0.01 * np.arange(6), abs=1e-12)


def test_nobody_waits_for_a_viewer_that_takes_nothing(tmp_path, view):
    viewer = view(takes=False)
    run = drive('kinematic_ode', tmp_path / 'run.csv', BRIDGE_OPTION, viewer.path)
    assert len(run['x']) == 201
