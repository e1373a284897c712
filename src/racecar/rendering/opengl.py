# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""OpenGL without a screen: EGL, else OSMesa, else one line that says what to install."""

from __future__ import annotations

import ctypes.util
import importlib
import os
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError
from racecar.world.engine import GL_VARIABLE, load_engine

if TYPE_CHECKING:
    from mujoco.gl_context import GLContext

_LIBRARIES = {'egl': 'EGL', 'osmesa': 'OSMesa', 'glfw': 'GL'}
_TRIED = ('egl', 'osmesa')
_OFF = ('disable', 'disabled', 'off', 'false', '0')
_ANY = ('', 'enable', 'enabled', 'on', 'true', '1')

_INSTALL = 'apt install libegl1 libgl1 (or libosmesa6, which draws without a graphics card, too)'


def open_context(width: int, height: int) -> GLContext:
    """Current context of MuJoCo for pictures up to this size [pixels].

    It belongs to the thread that asks for it. Raises ConfigurationError, in one line that says
    what to install, if there is no OpenGL.
    """
    load_engine()
    chosen = os.environ.get(GL_VARIABLE, '').strip().lower()
    if chosen in _OFF:
        raise ConfigurationError(
            f'pictures are switched off by {GL_VARIABLE}={chosen}; unset it, or set it to egl or'
            ' osmesa')
    if chosen not in (*_LIBRARIES, *_ANY):
        raise ConfigurationError(
            f'{GL_VARIABLE} is {chosen!r}, expected egl or osmesa, or nothing')
    reasons = []
    for name in _TRIED if chosen in _ANY else (chosen,):
        if ctypes.util.find_library(_LIBRARIES[name]) is None:
            reasons.append(f'{name}: no lib{_LIBRARIES[name]}')
            continue
        try:
            return _context(name, width, height)
        # Whatever PyOpenGL and the drivers below it raise where something is missing.
        except Exception as error:
            reasons.append(f'{name}: {" ".join(str(error).split()) or type(error).__name__}')
    raise ConfigurationError(
        f'pictures need OpenGL without a screen, which is not there: {_INSTALL};'
        f' {"; ".join(reasons)}')


def _context(name: str, width: int, height: int) -> GLContext:
    platform = os.environ.get('PYOPENGL_PLATFORM')
    try:
        # The module sets the platform; MuJoCo's own choice was made when it was imported.
        context: GLContext = importlib.import_module(f'mujoco.{name}').GLContext(width, height)
        context.make_current()
    except Exception:
        # So that the next one can be tried.
        if platform is None:
            os.environ.pop('PYOPENGL_PLATFORM', None)
        raise
    return context
