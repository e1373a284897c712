# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The physics engine MuJoCo: imported where it is needed, and called from compiled loops.

Numba calls the engine's functions by their addresses: a loop over steps then never comes back to
Python. Without Numba the same loop calls the functions of the Python package.
"""

from __future__ import annotations

from collections.abc import Callable
import ctypes
import importlib
import importlib.util
import os
import sys
from types import ModuleType
from typing import cast, NamedTuple, TYPE_CHECKING, TypeAlias

from racecar.base.compiled import has_compiler, with_compiler
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.extras import not_installed

if TYPE_CHECKING:
    from mujoco import MjData, MjModel, MjSpec


Address: TypeAlias = int
"""Of a C function or structure."""


def call_engine(
    function: Address | Callable[[MjModel, MjData], None], model: Address | MjModel,
    data: Address | MjData,
) -> None:
    """Call a function of (model, data) without result; compiled, all three are addresses."""
    cast('Callable[..., None]', function)(model, data)


@with_compiler
def _write_machine_code() -> None:
    from racecar.world.engine_code import write_code_of_call

    write_code_of_call(call_engine)


GL_VARIABLE = 'MUJOCO_GL'
"""Environment variable of MuJoCo that names how pictures are drawn."""


class Steps(NamedTuple):
    """Both halves of a step of the engine and what they work on, as call_engine() takes them.

    Between them stands what depends on the present positions and velocities.
    """

    first: Address | Callable[[MjModel, MjData], None]
    second: Address | Callable[[MjModel, MjData], None]
    model: Address | MjModel
    data: Address | MjData


def load_engine() -> ModuleType:
    """Import mujoco. Raises ConfigurationError naming what to install where it is not."""
    if sys.modules.get('mujoco') is not None:
        # By the import system, which waits for a thread that is just importing it.
        return importlib.import_module('mujoco')
    # With it the package looks for OpenGL at once and cannot be imported where there is none;
    # physics needs none, and pictures look for it themselves.
    chosen = os.environ.get(GL_VARIABLE)
    os.environ[GL_VARIABLE] = 'disable'
    try:
        return importlib.import_module('mujoco')
    except ModuleNotFoundError as error:
        raise not_installed('the 3-D world', 'mujoco') from error
    finally:
        if chosen is None:
            del os.environ[GL_VARIABLE]
        else:
            os.environ[GL_VARIABLE] = chosen


def compiled_model(spec: MjSpec) -> MjModel:
    """Return the model of an MjSpec.

    Raises ConfigurationError for what the engine cannot take, such as a mesh without area.
    """
    try:
        model: MjModel = spec.compile()
    except ValueError as error:
        reason = excerpt(' '.join(str(error).split()))[1:-1]
        raise ConfigurationError(
            f'MuJoCo cannot make a model of this: {reason}; correct or leave out what it names'
        ) from error
    return model


def engine_steps(model: MjModel, data: MjData) -> Steps:
    """Return the halves of a step for a model and its data, which must outlive it."""
    mujoco = load_engine()
    if not has_compiler():
        return Steps(mujoco.mj_step1, mujoco.mj_step2, model, data)
    # The symbols are found through the module that is linked against the engine.
    found = importlib.util.find_spec('mujoco._functions')
    assert found is not None
    library = ctypes.CDLL(found.origin)
    first, second = (
        ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
        for name in ('mj_step1', 'mj_step2'))
    return Steps(first, second, model._address, data._address)
