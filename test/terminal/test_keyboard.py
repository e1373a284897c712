# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Keys of a real terminal device, and that it is given back as it was."""

import os
import signal
import subprocess
import sys

from pseudo_terminal import DEADLINE, stopped
import pytest

from racecar.base.errors import ConfigurationError
from racecar.control.teleop.key_events import KeyAction, KeyEvent
from racecar.terminal.keyboard import Keyboard

# Reads keys for ever, and says what it reads.
PROGRAM = """
import sys, time
from racecar.terminal.keyboard import Keyboard
keyboard = Keyboard()
keyboard.write('ready')
while True:
    for event in keyboard.read():
        keyboard.write(f'<{event.key}>')
        if event.key == 'e':
            raise RuntimeError('on purpose')
        if event.key == 'q':
            sys.exit(3)
    time.sleep(0.005)
"""


def test_keys_come_one_by_one_and_are_not_shown(terminal):
    keyboard = Keyboard(terminal.path)
    try:
        assert not terminal.is_restored
        assert keyboard.read() == []
        terminal.type('w')
        assert keyboard.read() == [KeyEvent('w')]
        terminal.type(b'\x1b[?11u\x1b[119;1:3u')
        assert [event.action for event in keyboard.read()] == [
            KeyAction.SPEAKS_PROTOCOL, KeyAction.RELEASE]
    finally:
        keyboard.close()
    assert terminal.is_restored
    terminal.read()
    # Protocol of kitty and reports of the focus: on, then off.
    assert terminal.seen == b'\x1b[>11u\x1b[?u\x1b[?1004h\x1b[?1004l\x1b[<u'


def test_nothing_is_asked_of_a_terminal_that_is_not_to_be_asked(terminal):
    keyboard = Keyboard(terminal.path, asks_for_releases=False)
    keyboard.close()
    terminal.read()
    assert terminal.seen == b''
    assert terminal.is_restored


@pytest.mark.parametrize(('path', 'message'), [
    ('/dev/null', "'/dev/null' is no terminal: start it in a terminal of its own"),
    ('/absent', "terminal '/absent' cannot be opened: No such file or directory; start it in")])
def test_what_is_no_terminal_is_refused(path, message):
    with pytest.raises(ConfigurationError, match=message):
        Keyboard(path)


def test_a_pipe_at_the_standard_input_is_refused():
    done = subprocess.run(
        [sys.executable, '-c', 'from racecar.terminal.keyboard import Keyboard; Keyboard()'],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert 'the standard input is no terminal, so there are no keys' in done.stderr


ENDS = {
    'its own': lambda terminal, _: terminal.type('q'),
    'an error': lambda terminal, _: terminal.type('e'),
    'Ctrl-C': lambda terminal, _: terminal.type(b'\x03'),
    'Ctrl-C in the protocol': lambda terminal, _: terminal.type(b'\x1b[99;5u'),
    'SIGQUIT': lambda _, process: process.send_signal(signal.SIGQUIT),
    'SIGHUP': lambda _, process: process.send_signal(signal.SIGHUP)}


@pytest.mark.parametrize('end', ENDS)
def test_however_the_process_ends_the_terminal_is_as_it_was(terminal, end):
    process = terminal.start('-c', PROGRAM)
    terminal.until_seen('ready')
    assert not terminal.is_restored
    ENDS[end](terminal, process)
    code = terminal.wait(process)
    assert code == {'its own': 3, 'an error': 1, 'SIGQUIT': -signal.SIGQUIT,
                    'SIGHUP': -signal.SIGHUP}.get(end, -signal.SIGINT)
    assert terminal.is_restored
    assert b'\x1b[<u' in terminal.seen


@pytest.mark.parametrize('suspend', ['signal', 'Ctrl-Z in the protocol'])
def test_a_suspended_process_gives_the_terminal_back_and_takes_it_again(terminal, suspend):
    process = terminal.start('-c', PROGRAM)
    terminal.until_seen('ready')
    if suspend == 'signal':
        process.send_signal(signal.SIGTSTP)
    else:
        terminal.type(b'\x1b[122;5u')
    # The only process of its session has no shell that could continue it: the kernel lets
    # SIGTSTP stop nobody there, but the handler has run.
    place = terminal.until_seen('\x1b[<u')
    if stopped(process):
        assert terminal.is_restored
        process.send_signal(signal.SIGCONT)
    place = terminal.until_seen('\x1b[>11u', place)
    terminal.until(lambda: not terminal.is_restored, 'the terminal taken again')
    terminal.type('a')
    terminal.until_seen('<a>', place)
    terminal.type('q')
    assert terminal.wait(process) == 3
    assert terminal.is_restored
