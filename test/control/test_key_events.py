# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bytes of a terminal as key events."""

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.control.teleop.key_events import KeyAction, KeyDecoder, KeyEvent


def decoded(data):
    return KeyDecoder().feed(data)


@pytest.mark.parametrize(('data', 'key'), [
    (b'w', 'w'), (b'W', 'w'), (b' ', 'space'), (b'\r', 'enter'), (b'\x1b[A', 'up'),
    (b'\x1b[B', 'down'), (b'\x1b[C', 'right'), (b'\x1bOD', 'left'), (b'\x03', 'ctrl+c'),
    ('ü'.encode(), 'ü'), (b'\x1b[97u', 'a'), (b'\x1b[97;2u', 'a'), (b'\x1b[99;5u', 'ctrl+c'),
    (b'\x1b[99;3u', 'alt+c'), (b'\x1b[1;1A', 'up'), (b'\x1b[32u', 'space')])
def test_a_key_has_its_name_in_each_of_its_forms(data, key):
    assert decoded(data) == [KeyEvent(key, KeyAction.PRESS)]


@pytest.mark.parametrize(('data', 'action'), [
    (b'\x1b[119;1:1u', KeyAction.PRESS), (b'\x1b[119;1:2u', KeyAction.REPEAT),
    (b'\x1b[119;1:3u', KeyAction.RELEASE)])
def test_the_protocol_of_kitty_tells_press_repetition_and_release(data, action):
    assert decoded(data) == [KeyEvent('w', action)]


def test_release_of_an_arrow_is_told_too():
    assert decoded(b'\x1b[1;1:3C') == [KeyEvent('right', KeyAction.RELEASE)]


def test_answer_of_the_terminal_and_loss_of_the_focus_are_no_keys():
    assert decoded(b'\x1b[?11u\x1b[I\x1b[O') == [
        KeyEvent('', KeyAction.SPEAKS_PROTOCOL), KeyEvent('', KeyAction.FOCUS_LOST)]


@pytest.mark.parametrize('data', [b'\x1b[15~', b'\x1b[H', b'\x1b[57441u', b'\x1b[0u', b'\xff',
                                  b'\x1b[99999999999u'])
def test_what_means_nothing_here_is_skipped(data):
    assert decoded(data) == []


def test_an_escape_that_nothing_follows_is_one():
    decoder = KeyDecoder()
    assert decoder.feed(b'\x1b') == []
    assert decoder.feed(b'') == [KeyEvent('escape')]


PIECES = st.lists(st.sampled_from([
    b'w', b'a', b' ', b'\x1b[A', b'\x1b[119;1:3u', b'\x1b[?11u', 'é'.encode(), b'\x1b[O']))


@given(PIECES, st.data())
def test_sequences_may_come_in_pieces(parts, data):
    whole = b''.join(parts)
    decoder, events, rest = KeyDecoder(), [], whole
    while rest:
        count = data.draw(st.integers(1, len(rest)))
        events += decoder.feed(rest[:count])
        rest = rest[count:]
    assert events + decoder.feed(b'') == decoded(whole)


@given(st.lists(st.binary(max_size=100)))
def test_no_bytes_bring_it_down_or_are_kept_for_ever(chunks):
    decoder = KeyDecoder()
    for chunk in chunks:
        for event in decoder.feed(chunk):
            assert isinstance(event.key, str)
    decoder.feed(b'')
    assert decoder.feed(b'w')[-1:] == [KeyEvent('w')]
