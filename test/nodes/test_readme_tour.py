# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands of the README that drive, record and evaluate, one after another, shortened."""

from code_blocks import commands_of
from gl import gl  # noqa: F401
import pytest

from racecar.cli.main import main

pytestmark = pytest.mark.ros

# Later options go over earlier ones. What ends with Ctrl-C or takes minutes ends soon.
SHORT = {
    'up': ('--duration', '2', '--lockstep', '--real-time-factor', '0'),
    'analyze': (),
    'render': ('--start', '0', '--duration', '0.2', '--size', '64x48')}


def tour():
    """Return the words of these commands in the README, in its order."""
    return [words[2:] for words in commands_of('README.md')
            if words[:2] == ('./run', 'racecar') and words[2] in SHORT]


@pytest.mark.usefixtures('gl')
def test_the_tour_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('BROWSER', 'false')   # --watch opens one, and would wait for its page
    commands = tour()
    assert {words[0] for words in commands} == SHORT.keys()
    for words in commands:
        assert main([*words, *SHORT[words[0]]]) == 0, (words, capsys.readouterr().err)
    assert (tmp_path / 'runs' / 'eight' / 'analysis' / 'report.html').is_file()
