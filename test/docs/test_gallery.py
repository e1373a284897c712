# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gallery: its pictures are there, and its commands make them."""

import importlib.util
from typing import Any

from code_blocks import ROOT
from gl import gl  # noqa: F401
import pytest

from racecar.cli.main import main

spec: Any = importlib.util.spec_from_file_location('make_gallery', ROOT / 'docs/make_gallery.py')
gallery = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gallery)

MOST_BYTES = 9_000_000
# Shorter and smaller than on the page, so that all of them take seconds.
SHORT = {'simulate': ('--duration', '3', '--skip', '0'), 'render': (), 'animate': (),
         'vehicle': ()}
SMALLER = {'--size': '64x48', '--start': '1', '--duration': '0.5', '--fps': '4'}


def shortened(words):
    """Return the words of a command with small numbers."""
    return [SMALLER.get(before, word) for before, word in zip(
        ['', *words[:-1]], words, strict=True)] + [*SHORT[words[0]]]


def test_each_picture_is_there_once_and_all_are_small_enough():
    pictures = gallery.pictures()
    assert 30 <= len(pictures) == len(set(pictures))
    assert sum(path.stat().st_size for path in pictures) < MOST_BYTES


def test_each_command_makes_a_picture_of_the_page_or_what_another_reads():
    commands = gallery.commands()
    names = {path.name for path in gallery.pictures()}
    for words in commands:
        name = gallery.output(words)
        assert name in names or any(name in other for other in commands if other != words)


def test_a_picture_brings_what_it_needs():
    made = [gallery.output(words) for words in gallery.needed(['race_top.jpg'])]
    assert made == ['race.csv', 'race_top.jpg']


def test_the_commands_of_the_page_work(gl, tmp_path, monkeypatch, capsys):  # noqa: F811
    pytest.importorskip('imageio')
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'docs').symlink_to(ROOT / 'docs')
    for words in gallery.commands():
        assert main(shortened(words)) == 0, (words, capsys.readouterr().err)
        assert (tmp_path / gallery.output(words)).stat().st_size > 0
