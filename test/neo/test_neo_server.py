# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The server against programs that behave, and such that do not."""

import math
import socket
import struct
from typing import Any

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from neo_program import EndedError, EXIT, FINISHED, Program, PROGRAM_EXIT, START, UPDATE
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, RenderingError
from racecar.neo.controller import Controller, read_press
from racecar.neo.server import NeoServer

PIXELS = np.arange(480 * 640 * 3, dtype=np.uint32).astype(np.uint8).reshape(480, 640, 3)


class Car:
    """Notes what it is told; its sensors show what no other ones do."""

    def __init__(self):
        self.drives = []
        self.fraction = math.nan
        self.is_blind = False

    def drive(self, speed, angle):
        self.drives.append((speed, angle))

    def limit(self, fraction):
        self.fraction = fraction

    def pixels(self):
        if self.is_blind:
            raise RenderingError('no light')
        return PIXELS

    def depths(self):
        return np.full((60, 80), 1.5, np.float32), 77.0

    def ranges(self):
        return np.linspace(1.0, 5.0, 720, dtype=np.float32)

    def acceleration(self):
        return 1.0, 2.0, 3.0

    def angular_velocity(self):
        return 4.0, 5.0, 6.0


class Bench:
    """A server with its car, and what it has said."""

    def __init__(self, longest_answer=5.0, presses=()):
        self.car = Car()
        self.said: list[tuple[str, str]] = []
        self.controller = Controller(presses)
        self.server = NeoServer(
            self.car, self.controller, lambda level, text: self.said.append((level, text)),
            ports=(0, 0), longest_answer=longest_answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()

    def program(self):
        return Program(self.server.ports)

    def connected(self, program):
        """Let a program connect."""
        program.send(1, 1, to=program.asynchronous)
        self.listen()
        assert program.socket.recv(8) == bytes((1, 0))

    def listen(self):
        """Answer one datagram, which is on its way."""
        self.server.listen(10.0)

    @property
    def warnings(self):
        return [text for level, text in self.said if level == 'warn']


def test_a_program_gets_what_it_asks_for(beside):
    with Bench(presses=[read_press('A'), read_press('RT=0.75'), read_press('LX=-0.5')]) as bench, \
            bench.program() as program:
        bench.connected(program)
        seen: dict[str, Any] = {}

        def start(_):
            program.set_max_speed(0.5)

        def update(_):
            seen.update(
                delta=program.delta(), lidar=program.lidar(), picture=program.picture(),
                depths=program.depths(), acceleration=program.vector(27),
                turning=program.vector(28), down=program.ask(16, 0), other=program.ask(16, 1),
                trigger=struct.unpack('=f', program.ask(19, 1))[0],
                joystick=struct.unpack('=ff', program.ask(20, 0)),
                sizes=[struct.unpack('=i', program.ask(code))[0] for code in (14, 15, 25)])
            program.drive(0.25, -1.0)

        served = beside(program.serve, start, update)
        bench.controller.advance(0.0)
        assert bench.server.frame(0.0)
        assert bench.car.fraction == 0.5
        assert bench.server.frame(0.016)
        bench.server.end_program('enough')
        assert served.result(20.0) == 1
        assert seen['delta'] == np.float32(0.016)
        assert seen['lidar'][[0, 719]].tolist() == [100.0, 500.0]
        assert (seen['picture'] == PIXELS).all()
        assert seen['depths'].min() == pytest.approx(150.0, rel=1e-4)
        assert seen['acceleration'] == (1.0, 2.0, 3.0)
        assert seen['turning'] == (4.0, 5.0, 6.0)
        assert (seen['down'], seen['other']) == (b'\x01', b'\x00')
        assert seen['trigger'] == 0.75
        assert seen['joystick'] == (-0.5, 0.0)
        assert seen['sizes'] == [640, 480, 720]
        # It stops with its program.
        assert bench.car.drives == [(0.25, -1.0), (0.0, 0.0)]
        assert bench.warnings == []


def test_connecting_again_while_nobody_answered_is_answered_once():
    with Bench() as bench, bench.program() as program:
        for _ in range(4):
            program.send(1, 1, to=program.asynchronous)
        for _ in range(4):
            bench.listen()
        assert program.socket.recv(8) == bytes((1, 0))
        program.socket.settimeout(0.1)
        with pytest.raises(TimeoutError):
            program.socket.recv(8)


@pytest.mark.parametrize(('version', 'code'), [(0, 4), (2, 5)])
def test_another_version_is_told_so(version, code):
    with Bench() as bench, bench.program() as program:
        program.send(1, version, to=program.asynchronous)
        bench.listen()
        assert program.socket.recv(8) == bytes((0, code))
        assert bench.server.address is None
        assert bench.warnings == [
            f'a program speaks version {version} of the protocol, expected 1: take the newest'
            ' library of the course']


def test_a_second_program_is_refused_and_may_come_after_the_first():
    with Bench() as bench, bench.program() as first, bench.program() as second:
        bench.connected(first)
        second.send(1, 1, to=second.asynchronous)
        bench.listen()
        assert second.socket.recv(8) == bytes((0, 3))
        # It cannot end the first one, nor answer for it.
        second.send(PROGRAM_EXIT, to=second.asynchronous)
        bench.listen()
        second.send(FINISHED)
        bench.listen()
        assert bench.server.address == first.socket.getsockname()
        first.send(PROGRAM_EXIT, to=first.asynchronous)
        bench.listen()
        assert bench.server.address is None
        bench.connected(second)


def test_who_is_silent_is_given_up_and_told_why():
    with Bench(longest_answer=0.2) as bench, bench.program() as program:
        bench.connected(program)
        assert not bench.server.frame(0.0)
        assert program.socket.recv(8) == bytes((START,))
        assert program.socket.recv(8) == bytes((0, 1))
        assert bench.warnings == [
            'the program said nothing for 0.2 s: it must not wait, and has perhaps been killed']
        assert bench.car.drives == [(0.0, 0.0)]


def test_a_program_that_was_killed_makes_room_for_the_next():
    with Bench(longest_answer=0.2) as bench:
        with bench.program() as program:
            bench.connected(program)
        assert not bench.server.frame(0.0)
        with bench.program() as program:
            bench.connected(program)


@pytest.mark.parametrize(('data', 'said'), [
    ((PROGRAM_EXIT,), ('info', 'the program has ended')),
    ((0, 2), ('warn', 'the program ended with an exception in it')),
    ((0, 0), ('warn', 'the program ended with error 0')),
    ((200,), ('warn', 'the program sent opcode 200, expected 0 to 28')),
    ((UPDATE,), ('warn', 'the program sent UPDATE, which no program sends in a frame')),
])
def test_a_program_may_end_within_a_frame(data, said):
    with Bench() as bench, bench.program() as program:
        bench.connected(program)
        program.send(*data)
        assert not bench.server.frame(0.0)
        assert bench.said[-1] == said


def test_a_picture_out_of_step_ends_the_program():
    with Bench() as bench, bench.program() as program:
        bench.connected(program)
        program.send(12)
        program.send(FINISHED)
        assert not bench.server.frame(0.0)
        assert program.socket.recv(8) == bytes((START,))
        assert len(program.receive()) == 38_400
        with pytest.raises(EndedError) as ended:
            program.receive()
        assert ended.value.args == (bytes((0, 6)),)


def test_a_camera_that_fails_ends_the_program_with_its_reason():
    with Bench() as bench, bench.program() as program:
        bench.car.is_blind = True
        bench.connected(program)
        program.send(12)
        assert not bench.server.frame(0.0)
        assert bench.warnings == ['GET_COLOUR_IMAGE failed: no light']


def test_notebooks_read_sensors_without_being_connected(beside):
    with Bench() as bench, bench.program() as notebook:
        notebook.send(26, to=notebook.asynchronous)
        bench.listen()
        assert len(notebook.receive()) == 2880
        picture = beside(notebook.picture, notebook.asynchronous)
        while not picture.done():
            bench.server.listen(0.05)
        assert (picture.result() == PIXELS).all()
        # What only programs may do.
        notebook.send(23, to=notebook.asynchronous)
        # The last answer to a fragment may be on its way, too.
        bench.listen()
        bench.server.listen(0.5)
        with pytest.raises(EndedError):
            notebook.receive()
        assert bench.car.drives == []


@settings(deadline=None, max_examples=50,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=40)), min_size=1, max_size=6))
def test_bytes_of_strangers_disturb_no_program(datagrams):
    with Bench() as bench, bench.program() as program, bench.program() as stranger:
        bench.connected(program)
        for asynchronous, data in datagrams:
            stranger.send(*data, to=stranger.asynchronous if asynchronous else stranger.sync)
        program.send(FINISHED)
        assert bench.server.frame(0.0)
        assert bench.server.address == program.socket.getsockname()
        assert bench.car.drives == []


@settings(deadline=None, max_examples=50)
@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_bytes_of_the_program_end_it_or_its_frame(datagrams):
    with Bench() as bench, bench.program() as program:
        bench.connected(program)
        for data in datagrams:
            program.send(*data)
        program.send(PROGRAM_EXIT)
        while bench.server.frame(0.0):
            pass
        assert bench.server.address is None
        assert bench.car.drives[-1] == (0.0, 0.0)
        assert all(-1.0 <= part <= 1.0 for drive in bench.car.drives for part in drive)


def test_a_flood_of_nonsense_is_not_one_of_lines():
    with Bench() as bench, bench.program() as stranger:
        for _ in range(60):
            stranger.send(255, to=stranger.asynchronous)
            bench.listen()
        assert len(bench.said) == 21


def test_ports_that_another_simulator_has_are_named():
    with Bench() as bench:
        ports = bench.server.ports
        with pytest.raises(ConfigurationError, match=f'UDP port {ports[0]} of 127.0.0.1 is not'):
            NeoServer(bench.car, bench.controller, lambda *_: None, ports=ports)


def test_closing_tells_the_program_to_end():
    with Bench() as bench, bench.program() as program:
        bench.connected(program)
        bench.server.close()
        bench.server.close()
        assert program.socket.recv(8) == bytes((EXIT,))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(program.sync)
