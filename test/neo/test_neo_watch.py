# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Programs of RACECAR Neo beside the pages of the cockpit."""

import queue

from neo_program import Program
import pytest

from racecar.cli.main import main
from racecar.cockpit.engine.engine_run import EngineRun
from racecar.cockpit.feed import Message
from racecar.cockpit.pages import Pages
from racecar.neo.car import neo_options, NeoCar
from racecar.neo.controller import Controller
from racecar.neo.server import NeoServer
from racecar.neo.session import NeoSession
from racecar.stacks.options import StackOptions
from racecar.stacks.stepped.stepped_stack import SteppedStack


class Nowhere:
    def send(self, frame, key=''):
        pass


def how_made():
    raise NotImplementedError


def test_a_program_drives_the_car_that_pages_show_and_another_begins_anew(beside):
    options = neo_options('teleop', StackOptions(
        world='walker', end_time=5.0))
    stack = SteppedStack('teleop', options, lambda *_: None)
    car, controller = NeoCar(stack), Controller()
    with NeoServer(car, controller, lambda *_: None, ports=(0, 0)) as server:
        session = NeoSession(car, server, controller)

        def run(frames):
            with Program(server.ports) as program:
                program.connect()
                left = iter(range(frames))

                def update(_):
                    program.drive(1.0, 0.0)
                    return next(left, None) is not None

                return program.serve(lambda _: None, update)

        first = beside(run, 60)
        while not session.wait():
            pass
        requests: queue.Queue[Message] = queue.Queue()
        loop = EngineRun(stack, Pages(Nowhere()), requests, how_made, session.frame)
        loop.begin()
        ended = beside(loop.spin)
        assert first.result(20.0) == 60
        there = stack.first.robot.output.read().pose.x
        assert there > 50 * 0.016
        second = beside(run, 1000)
        ended.result(60.0)
        server.end_program('the end')
        # It began at the start, not where the first one had come to.
        driven = second.result(20.0) * 0.016
        assert 0.1 < driven < 5.0
        assert stack.first.robot.output.read().pose.x == pytest.approx(driven, abs=0.3)


@pytest.mark.parametrize(('words', 'said'), [
    (['--once'], '--once cannot be had with --watch'),
    (['--json', '--set', 'teleop.x=1'], '--json, --set cannot be had with --watch'),
])
def test_watching_refuses_what_it_does_not_do(words, said, capsys):
    assert main(['neo', '--watch', *words]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(('words', 'said'), [
    (['kinematic_ode'], "'kinematic_ode' is none for programs, expected one of teleop_world"),
    (['labs/lab.py'], "in one terminal, then 'python3 labs/lab.py -s' in another one"),
    (['--vehicle', ''], 'vehicle is empty, expected a value; leave it out for the default'),
    (['--press', 'Q'], "'Q' names 'Q'"),
    (['--world', 'nowhere'], 'nowhere'),
])
def test_what_cannot_be_is_refused_in_one_line(words, said, capsys):
    assert main(['neo', *words]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count('\n') == 1
