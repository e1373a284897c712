# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Programs in the style of the course drive the car through the protocol."""

import itertools
import json
import queue
import struct

from gl import gl  # noqa: F401
from neo_program import Program
import numpy as np
import pytest

from racecar.cli import neo as cli
from racecar.cli.main import main
from racecar.neo.car import LARGEST_ANGLE, neo_options, NeoCar
from racecar.neo.controller import Controller, read_press
from racecar.neo.server import NeoServer
from racecar.neo.session import NeoSession
from racecar.scene.world_file import load_world
from racecar.stacks.options import StackOptions
from racecar.stacks.stepped.stepped_stack import SteppedStack


class Drives:
    """The simulator in this process; path: where the car has been in the last drive."""

    def __init__(self, beside, world, name='teleop_world', presses=(), **options):
        self._beside = beside
        self.said: list[tuple[str, str]] = []

        def log(level, text, _=''):
            self.said.append((level, text))

        self.car = NeoCar(SteppedStack(
            name, neo_options(name, StackOptions(world=world, **options)), log))
        controller = Controller([read_press(text) for text in presses])
        self.server = NeoServer(self.car, controller, log, ports=(0, 0))
        self.session = NeoSession(self.car, self.server, controller)
        self.path = np.empty((0, 3))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()

    def drive(self, update, duration, start=lambda program: None):
        """Drive by a program in a thread for a time [s]; what the session says of it."""
        def run():
            with Program(self.server.ports) as program:
                program.connect()
                return program.serve(start, update)

        program = self._beside(run)
        while not self.session.wait():
            pass
        places = []
        drive = self.session.run(duration, 0.0, lambda _: places.append(self.place))
        program.result(60.0)
        self.path = np.array(places)
        return drive

    @property
    def place(self):
        pose = self.car.stack.first.robot.output.read().pose
        return pose.x, pose.y, 2.0 * np.arctan2(pose.qz, pose.qw)


def test_full_angle_is_20_degrees_to_the_right_and_speed_a_quarter_of_4_m_s(beside):
    turning = []

    def update(program):
        # In the first frame, too, as programs divide by it.
        assert program.delta() == np.float32(0.016)
        program.drive(1.0, 1.0)
        turning.append(program.vector(28)[1])

    with Drives(beside, None, 'teleop') as drives:
        drive = drives.drive(update, 6.0)
        # At once 1 m/s, as this model has it, but for the frame of the start.
        assert drive.sums.distance == pytest.approx(6.0, abs=0.05)
        # To the right.
        assert drives.path[:, 1].min() < -0.5
        assert drives.path[:, 1].max() < 0.1
        wheelbase = drives.car.stack.simulator.values['vehicle.cog_to_front_axle'] \
            + drives.car.stack.simulator.values['vehicle.cog_to_rear_axle']
        kinematic = -np.tan(LARGEST_ANGLE) / wheelbase
        assert np.mean(turning[-50:]) == pytest.approx(kinematic, rel=0.1)


def test_two_drives_of_one_program_are_alike_to_the_bit(beside):
    def update(program):
        nearest = program.lidar()
        program.drive(0.6, float(np.clip((nearest[90] - nearest[630]) / 300.0, -1.0, 1.0)))

    with Drives(beside, 'walker') as drives:
        drives.drive(update, 3.0)
        first = drives.path
        drives.drive(update, 3.0)
        # Noise is a function of the time, which goes on: near, but not the same.
        assert np.abs(drives.path - first).max() < 0.05
    with Drives(beside, 'walker') as again:
        again.drive(update, 3.0)
        assert (again.path == first).all()


def test_a_wall_follower_drives_between_walls(beside):
    """Keeps to the middle by the lidar 45 degrees to either side, as in the labs."""
    def near(scan, degrees):
        window = scan[2 * degrees - 6:2 * degrees + 7]
        return window[window > 0.0].mean() if (window > 0.0).any() else 1000.0

    def update(program):
        scan = program.lidar()
        error = near(scan, 45) - near(scan, 315)
        ahead = near(scan, 3)
        program.drive(0.5 if ahead < 200.0 else 1.0, float(np.clip(0.01 * error, -1.0, 1.0)))

    with Drives(beside, 'walker') as drives:
        drive = drives.drive(update, 40.0, lambda program: program.set_max_speed(0.5))
        assert drive.sums.distance > 50.0
        assert drive.collisions == 0


def colour_centre(picture, of):
    """Column of the middle of a colour in the lower quarter of a picture; None if it is not there.

    of: 0, 1 or 2 for red, green or blue.
    """
    floor = picture[360:].astype(np.int16)
    others = np.maximum(floor[..., of - 1], floor[..., of - 2])
    found = floor[..., of] > others + 60
    return np.nonzero(found)[1].mean() if found.sum() > 30 else None


@pytest.mark.slow
def test_a_line_follower_goes_round_by_all_colours(beside, gl):  # noqa: F811
    """Steers to the middle of the line on the floor: red before green before blue."""
    seen: set[int] = set()
    angle = 0.0
    frames = itertools.count()

    def update(program):
        nonlocal angle
        # A picture takes as long as all else.
        if next(frames) % 3:
            program.drive(1.0, angle)
            return
        picture = program.picture()
        for colour in (0, 1, 2):
            centre = colour_centre(picture, colour)
            if centre is not None:
                seen.add(colour)
                angle = float(np.clip((centre - 320.0) / 160.0, -1.0, 1.0))
                break
        program.drive(1.0, angle)

    with Drives(beside, 'neo_line') as drives:
        drive = drives.drive(update, 40.0)
        assert len(drive.sums.laps) == 1, drive.text()
        assert seen == {0, 1, 2}
        line = np.array([(patch.x, patch.y) for patch in load_world('neo_line').patches])
        off = [np.hypot(*(line - place[:2]).T).min() for place in drives.path]
        assert max(off) < 0.4


def test_sensors_show_the_room_of_the_cone(beside, gl):  # noqa: F811
    found: dict[str, np.ndarray] = {}

    def update(program):
        found.update(scan=program.lidar(), depths=program.depths(), picture=program.picture(),
                     acceleration=program.vector(27), turning=program.vector(28))

    with Drives(beside, 'neo_cone') as drives:
        drives.drive(update, 0.2)
    # The laser is 0.265 m ahead of base_link, the walls at x = -2 and 6 and y = -3 and 3 m.
    expected = {0: 573.5, 180: 300.0, 360: 226.5, 540: 300.0}
    assert {index: found['scan'][index] for index in expected} == pytest.approx(expected, abs=8.0)
    # The cone ahead to the left, that is at the end of the clockwise scan: 3 m, 0.7 m.
    index = int(np.argmin(np.where(found['scan'] > 0.0, found['scan'], np.inf)[660:])) + 660
    bearing = np.degrees(np.arctan2(0.7, 3.0 - 0.265))
    assert index == pytest.approx(720 - 2.0 * bearing, abs=6.0)
    # The camera is 0.39 m ahead.
    assert found['depths'][28, 60] == pytest.approx(561.0, rel=0.08)
    orange = (found['picture'][..., 0] > 150) & (found['picture'][..., 2] < 90)
    assert orange.sum() > 200
    assert np.nonzero(orange)[1].mean() < 320.0
    assert np.abs(found['acceleration']).max() < 0.5
    assert np.abs(found['turning']).max() < 0.05


def test_the_command_serves_one_program_and_prints_its_drive(beside, monkeypatch, capsys):
    ports: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()

    def served(*arguments):
        # Not at the ports that programs know: somebody may have a simulator there.
        made = NeoServer(*arguments, ports=(0, 0))
        ports.put(made.ports)
        return made

    monkeypatch.setattr(cli, 'NeoServer', served)

    def run():
        with Program(ports.get(timeout=60.0)) as program:
            assert program.connect() == bytes((1, 0))
            return program.serve(lambda _: None, lambda _: program.drive(
                struct.unpack('=f', program.ask(19, 1))[0], 0.0))

    frames = beside(run)
    assert main(['neo', 'teleop', '--world', 'walker', '--once', '--json', '--real-time-factor',
                 '0', '--duration', '2', '--press', 'rt=0.5']) == 0
    assert frames.result(10.0) == 125
    said = capsys.readouterr()
    ready, line = said.out.splitlines()
    assert ready == 'Ready: start a program with -s'
    drive = json.loads(line)
    assert drive['distance'] == pytest.approx(1.0, abs=0.05)
    assert drive['collisions'] == 0
    assert 'the program is told to end after 2 s' in said.err
