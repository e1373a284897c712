# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""README tables and config files are what the parameter tables give; links lead somewhere."""

import importlib.util
from pathlib import Path
import re

import pytest

from racecar.catalogue import TABLES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def generator():
    specification = importlib.util.spec_from_file_location('generate', ROOT / 'docs/generate.py')
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_generated_text_is_up_to_date(generator):
    files = [str(path.relative_to(ROOT)) for path in generator.outdated()]
    assert not files, f'run `./run python docs/generate.py`: {files}'


def test_the_readme_has_a_table_for_every_node():
    text = (ROOT / 'README.md').read_text()
    found = set(re.findall(r'<!-- parameters (\w+) -->', text))
    assert found == {*TABLES, 'vehicle'}


def test_a_changed_table_is_noticed(generator, monkeypatch):
    monkeypatch.setattr(generator, 'markdown_table', lambda node: f'changed {node}\n')
    assert ROOT / 'README.md' in generator.outdated()


@pytest.mark.parametrize('page', sorted(
    str(path.relative_to(ROOT)) for path in [ROOT / 'README.md', *(ROOT / 'docs').rglob('*.md')]))
def test_relative_links_lead_somewhere(page):
    text = (ROOT / page).read_text()
    targets = [target.split('#')[0] for target in re.findall(r'\]\(([^)]+)\)', text)
               if '://' not in target]
    missing = [target for target in targets if not ((ROOT / page).parent / target).exists()]
    assert not missing
