# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Install racecar with colcon or pip; package.xml is the one source of its version."""

import collections
from glob import glob
import os
import sys
import xml.etree.ElementTree as ElementTree

from setuptools import find_packages, setup

NAME = 'racecar'
# The index of Python packages has another project of the name; `import racecar` is the same.
DISTRIBUTION = 'racecar-stack'
# docs/generate.py writes one file of parameters for each executable of the catalogue.
NODES = sorted(
    os.path.splitext(os.path.basename(path))[0] for path in glob('config/*.yaml'))
DATA_FOLDERS = ('config', 'docs/examples', 'docs/notebooks', 'launch', 'urdf', 'worlds')
# With these pip makes a wheel: the command and the libraries that it needs. colcon installs with
# others: the nodes go where `ros2 run` looks, and libraries are left to rosdep.
FOR_PIP = bool({'bdist_wheel', 'dist_info', 'editable_wheel', 'sdist'}.intersection(sys.argv))
HERE = os.path.dirname(os.path.abspath(__file__))


def version() -> str:
    """Version that package.xml states."""
    return ElementTree.parse(os.path.join(HERE, 'package.xml')).getroot().findtext('version', '')


def read(*path: str) -> str:
    """Text of a file."""
    with open(os.path.join(HERE, *path), encoding='utf-8') as stream:
        return stream.read()


def requirements(name: str) -> list[tuple[str, str]]:
    """Pairs of library and comment that a file of requirements has."""
    rows = [line.partition('#') for line in read('requirements', name).splitlines()]
    return [(library.strip(), comment.strip()) for library, _, comment in rows if library.strip()]


def extras() -> dict[str, list[str]]:
    """Libraries by the extras that are named behind each."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for library, names in requirements('extras.in'):
        for extra in [*names.split(), 'all']:
            found[extra].append(library)
    return found


def data_files() -> list[tuple[str, list[str]]]:
    """Pairs of destination and files; absent folders give none.

    With --symlink-install this runs in a folder that holds only the files named
    here, so it asks for patterns and never lists a directory.
    """
    files: dict[str, list[str]] = collections.defaultdict(list)
    files['share/ament_index/resource_index/packages'] = [f'resource/{NAME}']
    files[f'share/{NAME}'] = ['package.xml']
    if not FOR_PIP:
        # setup.cfg sends entry points where `ros2 run` looks; this one belongs on PATH.
        files['bin'] = [f'bin/{NAME}']
    for folder in DATA_FOLDERS:
        for path in sorted(glob(f'{folder}/**', recursive=True)):
            if os.path.isfile(path) and '__pycache__' not in path:
                files[f'share/{NAME}/{os.path.dirname(path)}'].append(path)
    return sorted(files.items())


setup(
    name=DISTRIBUTION if FOR_PIP else NAME,
    version=version(),
    description='Simulation, trajectory tracking and driver interface for car-like vehicles',
    long_description=read('README.md') if FOR_PIP else None,
    long_description_content_type='text/markdown',
    author='The racecar maintainers',
    maintainer='The racecar maintainers',
    maintainer_email='maintainers@racecar.invalid',
    license='Apache-2.0',
    keywords='robotics vehicle-dynamics simulation control ros2 f1tenth ackermann',
    classifiers=[
        'Intended Audience :: Education',
        'Intended Audience :: Science/Research',
        'Operating System :: POSIX :: Linux',
        'Programming Language :: Python :: 3',
        'Topic :: Scientific/Engineering',
        'Typing :: Typed',
    ],
    package_dir={'': 'src'},
    packages=find_packages(where='src'),
    package_data={'': ['py.typed', '*.yaml'], 'racecar.analysis': ['page/*'],
                  'racecar.cockpit': ['page/*']},
    data_files=data_files(),
    python_requires='>=3.11',
    install_requires=[
        library for library, _ in requirements('racecar.in')] if FOR_PIP else ['setuptools'],
    # Without this extra `colcon test` finds no pytest and passes with zero tests.
    extras_require={**(extras() if FOR_PIP else {}),
                    'test': ['hypothesis', 'pytest', 'pytest-timeout']},
    zip_safe=False,
    entry_points={
        'console_scripts': [
            # All one function: it finds the node by the name of its executable.
            *(f'{node} = {NAME}.executables:node' for node in NODES if not FOR_PIP),
            f'{NAME} = {NAME}.executables:command',
        ],
        # gymnasium.make('racecar/...') finds them without an import.
        'gymnasium.envs': [f'__root__ = {NAME}.gym.registration:register_envs'],
    },
)
