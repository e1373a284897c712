# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Style, types and licence headers; the settings are in pyproject.toml.

What is checked here is checked by pre-commit, too.
"""

import importlib.util
from pathlib import Path
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ('bin', 'benchmarks', 'config', 'docs', 'launch', 'racecar_interfaces', 'src', 'stubs',
           'test', 'tools', 'underlay', 'urdf', 'worlds')
# Each with the arguments that check everything.
TOOLS = {'mypy': (), 'ruff': ('check', '--no-cache', '.'), 'yamllint': ('--strict', '.')}
BINARY = {'.gif', '.ico', '.jpg', '.mp4', '.pdf', '.pgm', '.png', '.stl', '.webp', '.woff2'}
# The longest are pictures of the documentation [B].
LARGEST = 2_000_000
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


def tracked():
    """Files that the version control knows; without it all of ours."""
    try:
        names = subprocess.run(
            ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=ROOT,
            capture_output=True, text=True, check=True).stdout.split('\0')
    except (OSError, subprocess.CalledProcessError):
        pytest.skip('no clone of the repository')
    paths = [ROOT / name for name in names if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize('module', TOOLS)
def test_tool_finds_nothing(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f'{module} is not installed')
    answer = subprocess.run(
        [sys.executable, '-m', module, *TOOLS[module]], cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, f'\n{answer.stdout}{answer.stderr}'


def test_pre_commit_starts_every_tool():
    configuration = yaml.safe_load((ROOT / '.pre-commit-config.yaml').read_text())
    hooks = [hook for row in configuration['repos'] if row['repo'] == 'local'
             for hook in row['hooks']]
    entries = {hook['entry'].split()[1]: hook for hook in hooks}
    for module, arguments in TOOLS.items():
        words = entries[module]['entry'].split()[2:]
        assert set(words) - {'--force-exclude'} == set(arguments) - {'--no-cache', '.'}
    # Each of the whole repository, or of every file of its kind.
    assert all('files' not in hook and 'exclude' not in hook for hook in hooks)
    others = [hook['entry'] for hook in hooks if hook['entry'].split()[1] not in TOOLS]
    assert [name(Path(__file__)) in entry for entry in others] == [True, False]
    # What is pinned by a name could become something else.
    assert all(re.fullmatch('[0-9a-f]{40}', row['rev'])
               for row in configuration['repos'] if row['repo'] != 'local')


def test_text_is_without_trailing_spaces_foreign_line_ends_and_marks_of_merges():
    # Files of others stay as they were published.
    excluded = re.compile(
        yaml.safe_load((ROOT / '.pre-commit-config.yaml').read_text())['exclude'])
    wrong = []
    for path in tracked():
        if path.suffix in BINARY or excluded.match(name(path)):
            continue
        text = path.read_bytes()
        # At the end of Python files ruff looks for more.
        if text and not text.endswith(b'\n') or (
                path.suffix != '.py' and text.endswith(b'\n\n')):
            wrong.append(f'{name(path)}: ends without one newline')
        for number, line in enumerate(text.split(b'\n'), 1):
            if line != line.rstrip(b' \t\r') or re.match(rb'(<{7}|>{7}|={7}$)( |$)', line):
                wrong.append(f'{name(path)}:{number}: {line[-30:]!r}')
    assert wrong == []


def test_no_file_is_larger_than_a_picture():
    assert [name(path) for path in tracked() if path.stat().st_size > LARGEST] == []


def test_files_that_start_a_program_say_which():
    assert [name(path) for path in tracked() if path.stat().st_mode & 0o111
            and path.read_bytes()[:2] != b'#!'] == []


def test_toml_is_well_formed():
    found = [path for path in tracked() if path.suffix == '.toml']
    assert found
    for path in found:
        tomllib.loads(path.read_text())


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
