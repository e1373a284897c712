# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Versions, dependencies and what colcon and pip see of the package."""

import ast
import configparser
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
import yaml

from racecar.catalogue import NODES

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / 'src' / 'racecar'
PACKAGES = ('.', 'racecar_interfaces')

# Python module -> rosdep key, where the names differ.
KEYS = {
    'PIL': 'python3-pil',
    'aiohttp': 'python3-aiohttp',
    'imageio': 'python3-imageio',
    'matplotlib': 'python3-matplotlib',
    'mcap': 'mcap-ros2-support',
    'mujoco': 'python3-mujoco-pip',
    'numba': 'python3-numba',
    'numpy': 'python3-numpy',
    'rosbags': 'python3-rosbags-pip',
    'scipy': 'python3-scipy',
    'tqdm': 'python3-tqdm',
    'transforms3d': 'python3-transforms3d',
    'trimesh': 'python3-trimesh-pip',
    'yaml': 'python3-yaml',
    # Come with a package that is declared.
    'OpenGL': 'python3-mujoco-pip',
    'contourpy': 'python3-matplotlib',
    'llvmlite': 'python3-numba',
    'launch_xml': 'ros2launch',
    'launch_yaml': 'ros2launch',
    'lz4': 'python3-rosbags-pip',
    'zstandard': 'python3-rosbags-pip',
}

# Distribution of Python -> module, where the names differ.
MODULES = {'foxglove-sdk': 'foxglove', 'imageio-ffmpeg': 'imageio_ffmpeg', 'pillow': 'PIL',
           'pyyaml': 'yaml'}

# Distributions for which rosdep has no key, and those that are optional; what uses them says what
# to install.
WITHOUT_KEY = {'foxglove-sdk', 'imageio-ffmpeg', 'manifold3d', 'shtab'}
OPTIONAL = {'casadi', 'dask', 'distributed', 'gymnasium', 'optuna', 'pandas', 'pettingzoo',
            'pyarrow'}


def manifest(package='.'):
    return ElementTree.parse(ROOT / package / 'package.xml').getroot()


def declared(package='.'):
    return {
        element.text for element in manifest(package) if element.tag.endswith('depend')
    }


def imported_modules(folder):
    """Yield (file, top-level module) of every absolute import below a folder."""
    for path in sorted(folder.rglob('*.py')):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield path.relative_to(ROOT), alias.name.split('.')[0]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                yield path.relative_to(ROOT), node.module.split('.')[0]


def setup_py(*arguments):
    return subprocess.run(
        [sys.executable, 'setup.py', '--quiet', *arguments], cwd=ROOT, capture_output=True,
        text=True, check=True,
    ).stdout.split()


@pytest.mark.parametrize('package', PACKAGES)
def test_the_changelog_starts_with_the_version_of_the_manifest(package):
    text = (ROOT / package / 'CHANGELOG.rst').read_text()
    first = re.search(r'^(\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)\n-+$', text, re.MULTILINE)
    assert first, 'no heading of the form "0.1.0 (2026-11-20)"'
    assert first.group(1) == manifest(package).findtext('version')


def test_both_packages_have_one_version():
    assert len({manifest(package).findtext('version') for package in PACKAGES}) == 1


def test_who_cites_gives_the_version_of_the_manifest():
    version = manifest().findtext('version')
    assert yaml.safe_load((ROOT / 'CITATION.cff').read_text())['version'] == version
    assert f'version = {{{version}}}' in (ROOT / 'README.md').read_text()


def test_setup_py_has_the_version_of_the_manifest():
    pytest.importorskip('setuptools', reason='setuptools is not installed')
    assert setup_py('--version')[-1] == manifest().findtext('version')


def test_every_import_is_declared_in_the_manifest():
    without = {MODULES.get(name, name) for name in WITHOUT_KEY | OPTIONAL}
    known = declared() | set(sys.stdlib_module_names) | without | {'racecar'}
    undeclared = sorted({
        f'{path}: {module}'
        for folder in (SRC, ROOT / 'launch')
        for path, module in imported_modules(folder)
        if KEYS.get(module, module) not in known
    })
    assert not undeclared, 'declare in package.xml (key names: KEYS in this file)'


def listed(name):
    """Distributions that a file of requirements names, without their versions."""
    lines = (ROOT / 'requirements' / name).read_text().splitlines()
    return {re.split('[=<>; ]', line)[0] for line in lines if line[:1].isalpha()}


def required():
    """Distributions that setup.py names, those of the extras too."""
    pytest.importorskip('setuptools', reason='setuptools is not installed')
    program = ('import distutils.core; setup = distutils.core.run_setup("setup.py", ["--quiet"],'
               ' stop_after="init"); print(*setup.install_requires, *sum('
               'setup.extras_require.values(), []))')
    answer = subprocess.run(
        [sys.executable, '-c', f'import setuptools; {program}'], cwd=ROOT, capture_output=True,
        text=True, check=True)
    return set(answer.stdout.split())


def key_of(distribution):
    module = MODULES.get(distribution, distribution)
    return KEYS.get(module, f'python3-{module}' if f'python3-{module}' in declared() else module)


def test_every_library_of_the_requirements_has_a_key_or_is_said_to_have_none():
    libraries = listed('racecar.in') | listed('extras.in') | required()
    assert {'numpy', 'pandas', 'pytest-timeout', 'setuptools'} <= libraries
    assert {name for name in libraries if key_of(name) not in declared()} \
        == WITHOUT_KEY | OPTIONAL


def test_libraries_without_a_key_are_named_in_the_manifest_and_in_the_instructions():
    manifest_text = (ROOT / 'package.xml').read_text()
    page = (ROOT / 'docs' / 'ros2_usage.md').read_text()
    for name in WITHOUT_KEY | OPTIONAL:
        assert re.search(rf'<!--[^>]*\b{name}\b', manifest_text), name
        assert f'`{name}`' in page, name


def test_what_pip_installs_beside_ros_is_what_apt_does_not_have():
    pip_keys = {key for key in declared() if key.endswith('-pip') or key == 'mcap-ros2-support'}
    found = listed('rosdep_pip.in')
    assert {key_of(name) for name in found - WITHOUT_KEY - {'mcap-ros2-support'}} \
        | {'mcap-ros2-support'} == pip_keys
    # Served to one command, 50 MB.
    assert found >= WITHOUT_KEY - {'foxglove-sdk'}
    page = (ROOT / 'docs' / 'ros2_usage.md').read_text()
    skipped, = re.findall(r"--skip-keys '(.*)'", page)
    assert set(skipped.split()) == pip_keys


@pytest.mark.parametrize('package', ['racecar_interfaces', 'underlay/ackermann_msgs',
                                     'underlay/tf2_msgs'])
def test_every_message_package_used_by_a_definition_is_declared(package):
    used = {
        found
        for path in (ROOT / package).rglob('*.[ms][sr][gv]')
        for found in re.findall(r'^(\w+)/\w+', path.read_text(), re.MULTILINE)
    }
    assert used
    assert used <= declared(package)


def test_every_definition_is_generated():
    for package in (ROOT / 'racecar_interfaces', *sorted((ROOT / 'underlay').iterdir())):
        cmake = (package / 'CMakeLists.txt').read_text()
        for path in (*package.glob('msg/*'), *package.glob('srv/*')):
            assert f'"{path.relative_to(package)}"' in cmake


def test_every_field_of_our_interfaces_is_commented():
    for path in (ROOT / 'racecar_interfaces').rglob('*.[ms][sr][gv]'):
        text = path.read_text()
        assert text.startswith('# '), f'{path} does not open with its purpose'
        for line in text.splitlines():
            if re.match(r'float(32|64) ', line):
                assert re.search(r'# \[[^\]]+\] \w', line), f'{path}: no unit in {line!r}'


def test_every_node_is_an_executable():
    """setup.py makes one for each file of parameters directly in config/."""
    assert set(NODES) == {path.stem for path in (ROOT / 'config').glob('*.yaml')}
    modules = {path.stem for path in (SRC / 'nodes').glob('[!_]*.py')}
    assert modules == {
        'control_law', *(name for name, spec in NODES.items() if spec.law is None)}


def test_executables_go_where_ros2_run_looks():
    parser = configparser.ConfigParser()
    parser.read(ROOT / 'setup.cfg')
    assert parser['install']['install_scripts'] == '$base/lib/racecar'
    assert parser['develop']['script_dir'] == '$base/lib/racecar'


def test_an_install_makes_the_robot_description_and_finds_its_meshes(tmp_path):
    pytest.importorskip('setuptools', reason='setuptools is not installed')
    prefix, modules = tmp_path / 'prefix', tmp_path / 'modules'
    setup_py('install_data', '--install-dir', str(prefix))
    shutil.copytree(SRC, modules / 'racecar')
    script = (
        'from racecar.base.shapes import Mesh\n'
        'from racecar.description.vehicle_description import describe_vehicle\n'
        'from racecar.base.share import find_config, resource_file\n'
        'from racecar.dynamics.vehicles.parameters import VehicleParameters\n'
        'vehicle = VehicleParameters.from_file(find_config("vehicles/racecar"))\n'
        'for link in describe_vehicle(vehicle).tree.links:\n'
        '    for shape in link.visuals:\n'
        '        if isinstance(shape.geometry, Mesh):\n'
        '            print(resource_file(shape.geometry.uri))\n')
    found = subprocess.run(
        [sys.executable, '-c', script], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, 'AMENT_PREFIX_PATH': str(prefix), 'PYTHONPATH': os.pathsep.join(
            [str(modules), os.environ.get('PYTHONPATH', '')])}).stdout.splitlines()
    # package://racecar/ is the share folder for RViz and robot_state_publisher, too.
    folder = prefix / 'share' / 'racecar' / 'urdf' / 'meshes'
    assert {Path(path).parent for path in found} == {folder}
    installed = {path.name for path in folder.glob('*.stl')}
    assert {Path(path).name for path in found} <= installed
    # With those of the other vehicles.
    assert installed == {path.name for path in (ROOT / 'urdf' / 'meshes').glob('*.stl')}


@pytest.fixture
def colcon(tmp_path):
    program = shutil.which('colcon')
    if program is None:
        pytest.skip('colcon is not installed')

    def names(folder, *arguments):
        environment = {**os.environ, 'COLCON_HOME': str(tmp_path / 'home')}
        environment.pop('COLCON_DEFAULTS_FILE', None)
        answer = subprocess.run(
            [program, '--log-base', str(tmp_path / 'log'), 'list', '--names-only', *arguments],
            cwd=folder, env=environment, capture_output=True, text=True, check=True,
        )
        return sorted(answer.stdout.split())

    return names


def test_colcon_finds_both_packages_from_the_root(colcon):
    assert colcon(ROOT) == ['racecar', 'racecar_interfaces']


def test_colcon_finds_both_packages_from_a_workspace_with_a_link(colcon, tmp_path):
    sources = tmp_path / 'src'
    sources.mkdir()
    (sources / 'racecar').symlink_to(ROOT)
    assert colcon(tmp_path) == ['racecar'], 'the underlay must stay invisible'
    (sources / 'racecar_interfaces').symlink_to(ROOT / 'racecar_interfaces')
    assert colcon(tmp_path) == ['racecar', 'racecar_interfaces']
