# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generated pages and files are what the code gives; links lead somewhere."""

from pathlib import Path
import re

import pytest
from scripts import load_script

from racecar import api, facade
from racecar.catalogue import TABLES
from racecar.cli.main import COMMANDS
from racecar.stacks.options import LAUNCH, run_options

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def generator():
    return load_script('docs/generate.py')


def test_generated_text_is_up_to_date(generator):
    files = [str(path.relative_to(ROOT)) for path in generator.outdated()]
    assert not files, f'run `./run python docs/generate.py`: {files}'


def test_the_pages_have_a_table_for_every_node():
    found = [name for path in (ROOT / 'docs').rglob('*.md')
             for name in re.findall(r'<!-- parameters (\w+) -->', path.read_text())]
    assert sorted(found) == sorted([*TABLES, 'vehicle'])
    index = (ROOT / 'docs' / 'nodes' / 'README.md').read_text()
    assert [node for node in TABLES if f'[{node}]({node}.md)' not in index] == []


def test_a_changed_table_is_noticed(generator, monkeypatch):
    monkeypatch.setattr(generator, 'markdown_table', lambda node: f'changed {node}\n')
    assert ROOT / 'docs' / 'nodes' / 'ackermann_mux.md' in generator.outdated()


def test_every_command_and_argument_is_on_the_page_of_commands(generator):
    text = generator.commands_text()
    assert re.findall(r'^## racecar (\w+)$', text, re.MULTILINE) == list(COMMANDS)
    for argument in ('`--waypoints FILE`', '`--yaml`', '`-o, --output FILE`', '`NAME`', '`DEMO`'):
        assert argument in text


def test_every_launch_argument_is_in_the_table(generator):
    rows = re.findall(r'^\| `(\w+)` \|', generator.launch_table(), re.MULTILINE)
    assert rows == [row.launch_name for row in run_options(LAUNCH)]


def test_the_api_page_has_every_public_name(generator):
    text = generator.api_page((ROOT / 'docs' / 'python.md').read_text())
    found = re.findall(r'^\.\. [\w:]+:: racecar\.(\w+)$', text, re.MULTILINE)
    assert sorted(found) == sorted([*api.__all__, *facade.__all__])


def test_the_readme_is_short():
    assert len((ROOT / 'README.md').read_text().splitlines()) <= 150


def test_broken_links_and_network_resources_of_a_site_are_found(tmp_path):
    site = load_script('docs/build.py')
    (tmp_path / 'sub').mkdir()
    (tmp_path / 'sub' / 'a page.html').write_text(
        '<h1 id="top"></h1><a href="../index.html#start">x</a><a href="#top">x</a>'
        '<a href="https://example.org">x</a>')
    (tmp_path / 'index.html').write_text('<b id="start"></b><a href="sub/a%20page.html#top">x</a>')
    assert site.faults(tmp_path) == []
    (tmp_path / 'index.html').write_text(
        '<a href="sub/b.html">x</a><a href="sub/a%20page.html#bottom">x</a>'
        '<script src="https://example.org/x.js"></script>')
    assert site.faults(tmp_path) == [
        'index.html: sub/b.html is not there',
        'index.html: sub/a%20page.html#bottom is not there',
        'index.html: https://example.org/x.js comes from the network',
        'sub/a page.html: ../index.html#start is not there']


@pytest.mark.parametrize('page', sorted(
    str(path.relative_to(ROOT)) for path in [ROOT / 'README.md', *(ROOT / 'docs').rglob('*.md')]))
def test_relative_links_lead_somewhere(page):
    text = (ROOT / page).read_text()
    targets = [target.split('#')[0] for target in re.findall(r'\]\(([^)]+)\)', text)
               if '://' not in target]
    missing = [target for target in targets if not ((ROOT / page).parent / target).exists()]
    assert not missing


def test_pages_that_help_texts_and_errors_name_are_there():
    named = {found for path in (ROOT / 'src').rglob('*.py')
             for found in re.findall(r'docs/[\w/]+\.md', path.read_text())}
    assert len(named) > 20
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
