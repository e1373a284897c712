# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The wheel that pip makes: what it says of itself, and its commands where nothing else is.

The libraries come from the environment of the tests; those of the extras are hidden, and
that all are required is checked apart.
"""

import ast
import configparser
from email.parser import Parser
import importlib.metadata
import os
from pathlib import Path
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
import venv
import xml.etree.ElementTree as ElementTree
import zipfile

import aiohttp
from bag_samples import write_ours
from cockpit_frames import read_state
from own_event_loop import run_async
import pytest
from served import Page

from racecar.base.extras import DISTRIBUTION, LIBRARIES
from racecar.cockpit.frames import STATE
from racecar.stacks import STACKS

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ('src', 'config', 'launch', 'urdf', 'worlds', 'resource', 'requirements', 'bin',
           'setup.py', 'setup.cfg', 'pyproject.toml', 'package.xml', 'README.md', 'LICENSE',
           'MANIFEST.in')
# Of these parts nothing runs without ROS, and what they import comes with it.
OF_ROS = ('clients', 'nodes', 'ros')
COMES_WITH = {'OpenGL': 'mujoco', 'PIL': 'pillow', 'llvmlite': 'numba', 'yaml': 'pyyaml'}
SWEEP = 'duration: 0.1\ngrid:\n  kinematic_linearizer.epsilon: [0.1, 0.2]\n'


def pip(*arguments):
    subprocess.run([sys.executable, '-m', 'pip', '--no-input', '--disable-pip-version-check',
                    '--quiet', *arguments], check=True, capture_output=True, text=True)


@pytest.fixture(scope='module')
def wheel(tmp_path_factory):
    """Build the wheel from a copy, as setuptools writes beside the sources."""
    for module in ('pip', 'setuptools'):
        # To look for pip by its module would change where distutils comes from, for other tests.
        if not [*importlib.metadata.distributions(name=module)]:
            pytest.skip(f'{module} is not installed')
    folder = tmp_path_factory.mktemp('wheel')
    for name in SOURCES:
        source, target = ROOT / name, folder / 'sources' / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(
                '__pycache__', '*.egg-info'))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    pip('wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', str(folder),
        str(folder / 'sources'))
    path, = folder.glob('*.whl')
    return path


@pytest.fixture(scope='module')
def started(wheel, tmp_path_factory):
    """Install it alone and return what starts its command, without any path to the sources."""
    bare = tmp_path_factory.mktemp('bare') / 'venv'
    venv.create(bare, symlinks=True)
    python = bare / 'bin' / 'python'
    pip('--python', str(python), 'install', '--no-deps', '--no-index', str(wheel))
    # rosbags is a namespace: it has folders, but no file.
    libraries = {str(Path(next(iter(importlib.import_module(name).__path__))).parent)
                 for name in ('numpy', 'rosbags', 'yaml')}
    site, = bare.glob('lib/python3*/site-packages')
    hide = f'import sys; sys.modules.update(dict.fromkeys({[*LIBRARIES]}))'
    (site / 'libraries.pth').write_text('\n'.join([*sorted(libraries), hide]))
    hidden = ('PYTHONPATH', 'AMENT_PREFIX_PATH')
    environment = {name: value for name, value in os.environ.items() if name not in hidden}

    def start(*words, folder, program='racecar'):
        # Compiling for a new place takes longer than all of these runs.
        return subprocess.Popen(
            [str(bare / 'bin' / program), *map(str, words)], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**environment, 'NUMBA_DISABLE_JIT': '1'})

    return start


@pytest.fixture(scope='module')
def racecar(started):
    def run(*words, folder, program='racecar'):
        process = started(*words, folder=folder, program=program)
        out, errors = process.communicate(timeout=200)
        assert process.returncode == 0, errors
        return out

    return run


def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name, = (name for name in archive.namelist() if name.endswith('.dist-info/METADATA'))
        return Parser().parsestr(archive.read(name).decode())


def test_the_wheel_has_a_name_of_its_own_and_the_version_of_the_manifest(wheel):
    found = metadata(wheel)
    manifest = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert (found['Name'], found['Version']) == (DISTRIBUTION, manifest.findtext('version'))
    assert found['License'] == 'Apache-2.0'
    assert found['Requires-Python'] == '>=3.11'
    assert found.get_payload().startswith('# racecar')


def test_the_wheel_has_the_command_the_types_and_the_data(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        scripts, = (archive.read(name).decode() for name in names
                    if name.endswith('entry_points.txt'))
    assert 'racecar/py.typed' in names
    for folder in ('config', 'launch', 'urdf', 'worlds'):
        for path in (path for path in (ROOT / folder).rglob('*') if path.is_file()):
            if '__pycache__' not in path.parts:
                assert any(name.endswith(f'/data/share/racecar/{path.relative_to(ROOT)}')
                           for name in names), path
    page = Path('racecar') / 'cockpit' / 'page'
    assert {path.name for path in (ROOT / 'src' / page).iterdir()} == {
        Path(name).name for name in names if name.startswith(f'{page}/')}
    # Nodes are started by `racecar up`: without ROS they would be commands that cannot run.
    points = configparser.ConfigParser()
    points.read_string(scripts)
    assert {section: dict(points[section]) for section in points.sections()} == {
        'console_scripts': {'racecar': 'racecar.executables:command'},
        'gymnasium.envs': {'__root__': 'racecar.gym.registration:register_envs'}}


def libraries(wheel, extra=''):
    """What the wheel requires, or an extra of it."""
    wanted = f'extra == "{extra}"' if extra else ''
    return {text.partition(';')[0].strip().lower()
            for text in metadata(wheel).get_all('Requires-Dist')
            if (wanted in text if extra else 'extra ==' not in text)}


def test_the_extras_are_those_that_messages_name(wheel):
    extras = {extra for library in LIBRARIES.values() for extra in library.extras}
    assert set(metadata(wheel).get_all('Provides-Extra')) == {*extras, 'all', 'test'}
    for extra in extras:
        assert libraries(wheel, extra) == {
            library.requirement for library in LIBRARIES.values() if extra in library.extras}
    assert libraries(wheel, 'all') == {library.requirement for library in LIBRARIES.values()}


def test_the_wheel_requires_every_library_that_it_imports(wheel):
    required = libraries(wheel)
    assert not required & libraries(wheel, 'all')
    imported = set()
    for path in (ROOT / 'src' / 'racecar').rglob('*.py'):
        if path.relative_to(ROOT / 'src' / 'racecar').parts[0] in OF_ROS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition('.')[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.partition('.')[0])
    of_ros = {element.text for element in ElementTree.parse(ROOT / 'package.xml').getroot()
              if element.tag == 'exec_depend' and not str(element.text).startswith('python3-')}
    others = imported - of_ros - set(sys.stdlib_module_names) - {'racecar'}
    needed = {COMES_WITH.get(name, name) for name in others}
    assert needed - LIBRARIES.keys() <= required


def test_the_requirements_can_be_fulfilled_together(wheel):
    for text in libraries(wheel) | libraries(wheel, 'all'):
        name, _, exact = text.partition('==')
        if exact:
            installed = importlib.metadata.version(name)
            assert installed == exact, f'{name}: tested is {installed}'


def test_the_commands_work_where_only_the_wheel_is(racecar, tmp_path):
    manifest = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert racecar('--version', folder=tmp_path) == f"racecar {manifest.findtext('version')}\n"
    said = racecar('simulate', 'kinematic_ode', '--duration', '0.1', folder=tmp_path)
    assert said.startswith('RMSE')
    (tmp_path / 'sweep.yaml').write_text(SWEEP)
    said = racecar('sweep', 'kinematic_ode', 'sweep.yaml', '--output', 'swept', folder=tmp_path)
    assert 'Table: swept/results.csv' in said
    assert 'Report: swept/report.html' in said
    assert f"No figures: a figure needs matplotlib, which is not installed: pip install" \
        f" '{DISTRIBUTION}[plot]'\n" in said


def test_what_an_extra_brings_is_named_in_one_line_without_it(started, tmp_path, rows, messages):
    (tmp_path / 'log.csv').write_text('t[s]\n')
    write_ours(tmp_path / 'bag', rows, messages)
    for words, extra in (
            (('simulate', 'kinematic_world', '--duration', '0.1'), 'world'),
            (('identify', 'log.csv'), 'identify'),
            (('analyze', 'bag'), 'bags'),
            (('replay', 'bag'), 'bags'),
            (('animate', 'log.csv'), 'plot'),
            (('vehicle', 'render', 'racecar', '-o', 'car.png'), 'world')):
        process = started(*words, folder=tmp_path)
        _, errors = process.communicate(timeout=200)
        assert process.returncode == 1
        assert errors.splitlines()[-1].endswith(f"pip install '{DISTRIBUTION}[{extra}]'"), errors


def test_the_core_follows_waypoints_on_a_map_and_writes_a_report_with_figures(racecar, tmp_path):
    racecar('simulate', 'kinematic_ode', '--world', 'racetrack', '--waypoints', 'racetrack',
            '--duration', '0.1', '--report', '-o', 'run', folder=tmp_path)
    assert 'id="plotly"' in (tmp_path / 'run' / 'report.html').read_text()
    assert 'RMSE' in racecar('analyze', 'run', folder=tmp_path)
    # A notebook shows the numbers, and says why there is no picture.
    said = racecar('-c', "import racecar; print(racecar.load('run')._repr_html_())",
                   folder=tmp_path, program='python')
    assert 'RMSE' in said
    assert f'{DISTRIBUTION}[plot]' in said
    assert 'Report:' in racecar('compare', 'run', 'run', '-o', 'compared', folder=tmp_path)


def test_the_core_describes_every_vehicle(racecar, tmp_path):
    racecar('-c', 'import racecar\nfrom racecar.base.share import vehicle_names\n'
            'for name in vehicle_names():\n'
            '    racecar.describe_vehicle(racecar.Vehicle(name).parameters)',
            folder=tmp_path, program='python')


def test_the_core_serves_the_page_and_drives(started, tmp_path):
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    process = started('cockpit', '--port', port, folder=tmp_path)
    try:
        lines = iter(process.stdout.readline, '')
        address = next(found for line in lines if (found := re.search(r'http://\S+', line)))
        with urllib.request.urlopen(address.group(), timeout=60) as answer:  # noqa: S310
            assert '<title>' in answer.read().decode()
        run_async(starts_and_drives(address.group()))
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert 'Traceback' not in errors


async def starts_and_drives(address):
    """Let a page start a configuration, and see the car move."""
    async with aiohttp.ClientSession() as session:
        page = Page(await session.ws_connect(f'{address}ws', headers={'Origin': address[:-1]}))
        offered = (await page.get('welcome'))['configurations']
        assert {row['name'] for row in offered if row['unavailable']} == {
            name for name, stack in STACKS.items() if stack.simulator == 'world_simulator'}
        await page.send('start', configuration='kinematic_ode', options={})
        robot = await page.get('robot', within=200.0)
        speed = 0.0
        while speed < 0.1:
            frame = await page.until(lambda found: isinstance(found, bytes) and found[0] == STATE)
            speed = read_state([frame], robot['columns'])[1]['speed'][-1]


def test_the_import_name_is_racecar(racecar, tmp_path):
    code = ('import racecar, racecar.base.share as share; '
            'print(racecar.__version__, racecar.__file__, share.share_folder(), '
            'len(share.vehicle_names()))')
    version, module, folder, vehicles = racecar(
        '-c', code, folder=tmp_path, program='python').split()
    assert version == ElementTree.parse(ROOT / 'package.xml').getroot().findtext('version')
    assert str(ROOT) not in module
    assert folder.endswith('venv/share/racecar')
    assert int(vehicles) == len([*(ROOT / 'config' / 'vehicles').glob('*.yaml')])
