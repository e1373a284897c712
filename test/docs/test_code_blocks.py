# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What README and pages tell people to type can be typed.

Python and YAML blocks run, and so do the commands that need no ROS, with a second of simulated
time. Of `up`, `demo` and launch files the nodes are described and all parameters resolved; that
they drive is tested with the nodes. Of `analyze` and `render`, whose bags others make, the
arguments are read; test/nodes/test_readme_tour.py runs those of the README.
"""

import contextlib
import io
import re

from code_blocks import blocks_of, commands_of, PAGES, ROOT
import pytest
import yaml

from racecar.base.errors import RacecarError
from racecar.cli.examples import copy_examples
from racecar.cli.main import COMMANDS, main, make_parsers, with_number_lists
from racecar.cli.stack_arguments import stack_options
from racecar.simulation.fleet_file import read_fleet
from racecar.stacks import describe_stack
from racecar.stacks.fleet_sweep import make_fleet_sweep
from racecar.stacks.options import DEMO, from_texts, LAUNCH, run_options, SET_ARGUMENT, UP
from racecar.stacks.sweep import load_sweep

# Stand for something of the reader's.
PLACEHOLDERS = re.compile(r'\b(my_|mine\b|my\.|path/to|BAG|FILE|RUN|NAME|COMMAND|NODE)')
_SHOWN = 30
NAVIGATION = ('localization', 'navigation', 'localization_params', 'navigation_params')
DEMOS = {'figure_eight': 'kinematic_ode', 'driver': 'driver', 'world': 'kinematic_world'}
PROGRAMS = {'demo', 'test', 'setup', 'shell', 'clean', 'help', 'racecar', 'python', 'ros2',
            'ruff', 'mypy'}


@pytest.fixture(scope='module')
def parsers():
    return make_parsers(COMMANDS).whole


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder like the root of the repository, in which results do no harm."""
    for name in ('config', 'docs', 'worlds', 'benchmarks', 'urdf'):
        (tmp_path / name).symlink_to(ROOT / name)
    copy_examples(tmp_path / 'racecar_examples')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def racecar_commands(page):
    """Return the arguments of each call of racecar, also by ./run."""
    found = []
    for words in commands_of(page):
        if words[:2] == ('./run', 'demo'):
            found.append(words[1:])
        elif words[0] == 'racecar' or words[:2] == ('./run', 'racecar'):
            found.append(words[words.index('racecar') + 1:])
    return list(dict.fromkeys(found))


def with_pages(what):
    """Parametrize by the pages that have something of a kind."""
    return pytest.mark.parametrize('page', [page for page in PAGES if what(page)])


def launches(page):
    return [words for words in commands_of(page) if words[:3] == ('ros2', 'launch', 'racecar')]


def test_the_blocks_are_found():
    commands = racecar_commands('README.md')
    assert ('demo', '--watch') in commands
    assert len(commands) >= 10
    assert len([block for block in blocks_of('README.md') if block.language == 'python']) == 1
    assert sum(len(racecar_commands(page)) for page in PAGES) > 40
    assert sum(len(launches(page)) for page in PAGES) > 10


@with_pages(commands_of)
def test_run_knows_every_program(page):
    programs = {words[1] for words in commands_of(page) if words[0] == './run' and len(words) > 1}
    assert programs <= PROGRAMS


@with_pages(racecar_commands)
def test_commands_of_a_page_can_be_typed(page, parsers, clone):
    for words in racecar_commands(page):
        parsed, unknown = parsers.parse_known_args(with_number_lists(words))
        assert not unknown, words
        if PLACEHOLDERS.search(' '.join(words)):
            continue
        if parsed.command == 'up':
            more = {'record': str(clone / 'bag')} if parsed.record else {}
            resolve(parsed.name, stack_options(UP, parsed, **more))
        elif parsed.command == 'demo':
            parsed.vehicle = parsed.vehicle or ('bmw_x5' if parsed.demo == 'driver' else 'racecar')
            name = DEMOS.get(parsed.demo)
            if name:
                resolve(name, stack_options(DEMO, parsed, record=str(clone / 'bag')))


def resolve(name, options):
    descriptions = describe_stack(name, options)
    assert descriptions
    for description in descriptions:
        description.resolve()


def runs(page):
    return [words for words in racecar_commands(page)
            if words and words[0] in ('simulate', 'sweep', 'parameters')
            and '--help' not in words and not PLACEHOLDERS.search(' '.join(words))]


@pytest.mark.parametrize(
    'words', list(dict.fromkeys(words for page in PAGES for words in runs(page))), ids=' '.join)
def test_a_command_without_ros_runs(words, clone, capsys):
    second = ['--duration', '1', '--skip', '0'] if words[0] == 'simulate' else []
    assert main([*words, *second]) == 0, capsys.readouterr().err


@with_pages(launches)
def test_launch_arguments_exist_and_fit(page):
    for words in launches(page):
        if words[3:] == ('--show-args',) or PLACEHOLDERS.search(' '.join(words)):
            continue
        name = words[3].removesuffix('.launch.py')
        assert (ROOT / 'launch' / words[3]).is_file(), words
        texts = dict(word.split(':=', 1) for word in words[4:] if ':=' in word)
        known = {row.launch_name for row in run_options(LAUNCH)}
        if name == 'navigation':
            # It takes those of the configuration around which it starts Nav2, and its own.
            name = 'plant'
            for own in NAVIGATION:
                texts.pop(own, None)
        assert texts.keys() <= known, words
        try:
            resolve(name, from_texts(LAUNCH, texts, overrides_option=SET_ARGUMENT))
        except RacecarError as error:
            # Wrong on purpose: the page shows the message.
            shown = ' '.join((ROOT / page).read_text().split())
            assert str(error)[:_SHOWN] in shown, error


@pytest.mark.parametrize(('page', 'text'), [
    pytest.param(page, block.text, id=f'{page}-{number}') for page in PAGES
    for number, block in enumerate(blocks_of(page)) if block.language == 'python'])
def test_a_python_block_runs(page, text, clone):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, page, 'exec'), {'__name__': '__main__'})


@pytest.mark.parametrize(('page', 'text'), [
    pytest.param(page, block.text, id=f'{page}-{number}') for page in PAGES
    for number, block in enumerate(blocks_of(page)) if block.language == 'yaml'])
def test_a_yaml_block_is_read(page, text, tmp_path):
    content = yaml.safe_load(text)
    file = tmp_path / 'block.yaml'
    file.write_text(text)
    if isinstance(content, list):
        assert len(read_fleet(file)) == len(content)
    elif 'cars' in content and {'grid', 'sample'} & content.keys():
        assert len(make_fleet_sweep('gap_ode', content).points) > 1
    elif {'grid', 'sample'} & content.keys():
        assert len(load_sweep('kinematic_ode', file).points) > 1
