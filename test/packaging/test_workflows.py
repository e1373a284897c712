# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the workflows of the repository start and install: nothing whose content may change."""

from pathlib import Path
import re

import pytest
import yaml

from bootstrap.checks import PYTHON_VERSIONS

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / '.github' / 'workflows').glob('*.yaml'))


def steps(path):
    workflow = yaml.safe_load(path.read_text())
    return [step for job in workflow['jobs'].values() for step in job['steps']]


def commands(path):
    """Lines of the scripts, those that go on in one."""
    return [line.strip() for step in steps(path) if 'run' in step
            for line in step['run'].replace('\\\n', ' ').splitlines()]


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_their_commit(path):
    actions = [step['uses'] for step in steps(path) if 'uses' in step]
    assert actions
    assert [action for action in actions if not re.search('@[0-9a-f]{40}$', action)] == []


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.stem)
def test_python_packages_come_from_lock_files_by_their_hashes(path):
    for line in commands(path):
        if 'pip install' in line:
            assert '--require-hashes' in line, line
            lock, = re.findall(r'requirements/(\S+\.lock)', line)
            assert (ROOT / 'requirements' / lock).is_file()
        assert not re.search(r'\b(pipx|uv|conda) ', line), line


@pytest.mark.parametrize('path', WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_only_read(path):
    assert yaml.safe_load(path.read_text())['permissions'] == {'contents': 'read'}


def test_keys_that_rosdep_leaves_out_are_those_of_the_lock_file():
    workflow = yaml.safe_load((ROOT / '.github' / 'workflows' / 'ci.yaml').read_text())
    skipped = workflow['jobs']['ros']['env']['PIP_KEYS']
    page = (ROOT / 'docs' / 'ros2_usage.md').read_text()
    assert re.findall(r"--skip-keys '(.*)'", page) == [skipped]


def test_a_push_is_tested_with_each_python_that_is_supported():
    workflow = yaml.safe_load((ROOT / '.github' / 'workflows' / 'ci.yaml').read_text())
    tested = {row['python'] for row in workflow['jobs']['wheels']['strategy']['matrix']['include']}
    assert tested == {f'{major}.{minor}' for major, minor in PYTHON_VERSIONS}
    assert {row['distro'] for row in workflow['jobs']['wheels']['strategy']['matrix']['include']} \
        == {'jazzy', 'kilted'}
    assert {'.ci/run', '.ci/ubuntu_packages'} <= {
        *commands(ROOT / '.github' / 'workflows' / 'ci.yaml')}
