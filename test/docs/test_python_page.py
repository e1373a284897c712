# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""docs/python.md runs as it stands, and names all that racecar exports."""

import ast
import doctest
import inspect
from pathlib import Path
import re
import subprocess
import sys

import pytest

import racecar
from racecar import api, facade

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / 'docs' / 'python.md'
NAMES = [*api.__all__, *facade.__all__]


def test_the_page_runs_as_it_stands(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    failures, tried = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.REPORT_NDIFF)
    assert tried > 25
    assert failures == 0, capsys.readouterr().out


def test_the_page_on_controllers_shows_the_sweep_file_as_it_is():
    lines = (ROOT / 'docs/examples/tuned_pursuit_sweep.yaml').read_text().splitlines()
    shown = ''.join(f'    {line}\n' for line in lines if not line.startswith('#'))
    assert shown in (ROOT / 'docs/own_controller.md').read_text()


def test_the_tables_have_all_names_once_and_no_others():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith('|')]
    names = re.findall(r'`(\w+)`', '\n'.join(rows))
    assert sorted(names) == sorted(NAMES)


def test_what_the_facade_gives_is_stable():
    stable = PAGE.read_text().partition('## What is stable')[2].partition('extensions')[0]
    assert set(facade.__all__) <= set(re.findall(r'`(\w+)`', stable))


@pytest.mark.parametrize('name', NAMES)
def test_a_public_name_is_found_and_says_what_it_is(name):
    value = getattr(racecar, name)
    assert value is getattr(api if name in api.__all__ else facade, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)
        for key, member in vars(value).items():
            if not key.startswith('_') and inspect.isfunction(member) and (
                    member.__module__.startswith('racecar.')):
                assert inspect.getdoc(getattr(value, key)), f'{name}.{key}'


@pytest.mark.parametrize('home', [api, facade], ids=['api', 'facade'])
def test_all_imports_of_the_list_are_public(home):
    tree = ast.parse(Path(home.__file__).read_text())
    imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
                and str(node.module).startswith('racecar.') for alias in node.names]
    assert sorted(imported) == sorted(home.__all__)


@pytest.mark.parametrize('name', ['Nothing', '_Simulator', 'np', '__wrapped__'])
def test_what_is_not_public_is_not_there(name):
    with pytest.raises(AttributeError, match=f"'racecar' has no attribute '{name}'"):
        getattr(racecar, name)


def test_a_part_is_imported_without_the_others():
    code = ('import sys, racecar\n'
            'from racecar.base import errors\n'
            'from racecar.base.parameters import Parameter\n'
            'heavy = {"numba", "numpy", "racecar.api", "racecar.facade"} & set(sys.modules)\n'
            'assert not heavy, heavy\n'
            # As a controller does, which a node imports.
            'from racecar import AckermannCommand\n'
            'facade = {"racecar.facade.run", "racecar.stacks", "rosbags"} & set(sys.modules)\n'
            'assert not facade, facade\n'
            'from racecar import *\n'
            'assert {"Simulator", "simulate"} <= set(dir()) & set(dir(racecar))\n'
            # Every command and node would take a third longer to start.
            'slow = {"scipy.interpolate", "scipy.ndimage", "matplotlib", "pandas", "rosbags"} & '
            'set(sys.modules)\n'
            'assert not slow, slow\n')
    subprocess.run([sys.executable, '-c', code], check=True, cwd=ROOT / 'src')
