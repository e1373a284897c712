# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which environment the user asks for, by what is sourced and by variables."""

import os

from .checks import missing_modules
from .errors import SetupError
from .installed import Installed
from .libraries import Libraries
from .terminal import say
from .wheels import DISTRIBUTIONS, Wheels
from .workspaces import Preparation

KINDS = ('wheels', 'installed', 'none')


def choose() -> Preparation:
    """Return the sourced ROS 2 installation if there is one, else the wheels.

    Raises:
        SetupError: what is asked for does not exist or is not sourced
    """
    asked = _asked('RACECAR_ROS', *KINDS)
    distro = _asked('RACECAR_DISTRO', *DISTRIBUTIONS)
    if asked == 'none':
        return Libraries()
    wheels = Wheels(distro or DISTRIBUTIONS[0])
    if asked == 'wheels':
        return wheels
    sourced = os.environ.get('ROS_DISTRO', '')
    if not sourced or not os.environ.get('AMENT_PREFIX_PATH'):
        if asked:
            raise SetupError('RACECAR_ROS=installed, but no ROS 2 installation is sourced.')
        return wheels
    workspace = Installed()
    if distro not in ('', sourced):
        problem = f'ROS 2 {sourced} is sourced, but RACECAR_DISTRO is {distro}'
    elif workspace.stamp.exists() or not missing_modules(workspace.python(), ['rclpy']):
        return workspace
    else:
        problem = f'ROS 2 {sourced} is sourced, but {workspace.python()} has no rclpy'
    if asked:
        raise SetupError(f'RACECAR_ROS=installed, but {problem}.')
    say(f'note: {problem}; using wheels.')
    return wheels


def _asked(variable: str, *known: str) -> str:
    value = os.environ.get(variable, '')
    if value and value not in known:
        *others, last = map(repr, known)
        raise SetupError(f'{variable}={value!r}: expected {", ".join(others)} or {last}')
    return value
