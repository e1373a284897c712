# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Style, types and licence headers; the settings are in pyproject.toml."""

import importlib.util
from pathlib import Path
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ('bin', 'benchmarks', 'config', 'docs', 'launch', 'racecar_interfaces', 'src', 'stubs',
           'test', 'tools', 'underlay', 'urdf', 'worlds')
HEADER = [
    '# Copyright 2026 The racecar maintainers',
    '# SPDX-License-Identifier: Apache-2.0',
]


def files(*suffixes):
    """Return our files with these suffixes, not what tools have made."""
    found = [path for path in ROOT.glob('*') if path.is_file() and path.suffix in suffixes]
    for folder in FOLDERS:
        found += [
            path for path in (ROOT / folder).rglob('*')
            if path.is_file() and path.suffix in suffixes
            and '.egg-info' not in str(path) and '__pycache__' not in path.parts
        ]
    return sorted(found)


def tool(module, *arguments):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f'{module} is not installed')
    answer = subprocess.run(
        [sys.executable, '-m', module, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, f'\n{answer.stdout}{answer.stderr}'


def test_ruff():
    tool('ruff', 'check', '--no-cache', '.')


def test_types():
    tool('mypy')


def test_yaml():
    tool('yamllint', '--strict', '.')


@pytest.mark.parametrize(
    'path', files('.xml', '.urdf', '.xacro', '.sdf'), ids=lambda path: str(path.relative_to(ROOT)))
def test_xml_is_well_formed(path):
    ElementTree.parse(path)


def test_every_source_file_starts_with_the_licence():
    sources = [*files('.py', '.pyi'), ROOT / 'run', ROOT / 'bin' / 'racecar', ROOT / '.ci' / 'run']
    assert len(sources) > 5
    wrong = []
    for path in sources:
        lines = path.read_text().splitlines()
        if lines and lines[0].startswith('#!'):
            lines = lines[1:]
        if lines[:2] != HEADER:
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []
