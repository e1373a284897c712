# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Install racecar; package.xml is the one source of its version."""

import collections
from glob import glob
import os
import xml.etree.ElementTree as ElementTree

from setuptools import find_packages, setup

NAME = 'racecar'
# Every module directly in this folder is an executable.
NODES = sorted(
    os.path.splitext(os.path.basename(path))[0]
    for path in glob('src/racecar/nodes/[!_]*.py'))
DATA_FOLDERS = ('config', 'launch', 'urdf', 'worlds')


def version():
    """Return the version that package.xml states."""
    here = os.path.dirname(os.path.abspath(__file__))
    return ElementTree.parse(os.path.join(here, 'package.xml')).getroot().findtext('version')


def data_files():
    """Return (destination, files) pairs; absent folders give none.

    With --symlink-install this runs in a folder that holds only the files named
    here, so it asks for patterns and never lists a directory.
    """
    files = collections.defaultdict(list)
    files['share/ament_index/resource_index/packages'] = [f'resource/{NAME}']
    files[f'share/{NAME}'] = ['package.xml']
    # setup.cfg sends entry points where `ros2 run` looks; this one belongs on PATH.
    files['bin'] = [f'bin/{NAME}']
    for folder in DATA_FOLDERS:
        for path in sorted(glob(f'{folder}/**', recursive=True)):
            if os.path.isfile(path) and '__pycache__' not in path:
                files[f'share/{NAME}/{os.path.dirname(path)}'].append(path)
    return sorted(files.items())


setup(
    name=NAME,
    version=version(),
    description='Simulation, trajectory tracking and driver interface for car-like vehicles',
    author='The racecar maintainers',
    maintainer='The racecar maintainers',
    maintainer_email='maintainers@racecar.invalid',
    license='Apache-2.0',
    package_dir={'': 'src'},
    packages=find_packages(where='src'),
    package_data={'': ['py.typed', '*.yaml'], 'racecar.core.analysis': ['page/*']},
    data_files=data_files(),
    python_requires='>=3.11',
    install_requires=['setuptools'],
    # Without this extra `colcon test` finds no pytest and passes with zero tests.
    extras_require={'test': ['hypothesis', 'pytest', 'pytest-timeout']},
    zip_safe=False,
    entry_points={
        'console_scripts': [
            # All one function: it finds the node by the name of its executable.
            *(f'{node} = {NAME}.executables:node' for node in NODES),
            f'{NAME} = {NAME}.executables:command',
        ],
    },
)
