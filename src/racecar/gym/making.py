# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""make_env(): one function for the three kinds of environments; policies of their cars."""

from __future__ import annotations

from collections.abc import Sequence
import os
from pathlib import Path
from typing import Any, Protocol

from racecar.base.errors import ConfigurationError
from racecar.base.extras import not_installed
from racecar.control.policy.contract import PolicyContract
from racecar.control.policy.contract import save_policy as save
from racecar.control.policy.network import Network
from racecar.gym.single import RaceEnv
from racecar.gym.vector import RaceVectorEnv

Env = Any
"""RaceEnv, RaceVectorEnv or RaceParallelEnv."""


class HasContract(Protocol):
    """An environment, for what its numbers mean."""

    @property
    def contract(self) -> PolicyContract:
        """What the numbers of observations and actions mean."""


def make_env(
    track: str | Sequence[str] = 'racetrack', *, worlds: int | None = None, parallel: bool = False,
    render_mode: str | None = None, **options: object,
) -> Env:
    """Environment in which cars learn to race.

    - track: a world with a closed track, by name or as a file, `generated`, or a list of these.
    - worlds: None for one world, a gymnasium.Env; a number for a native gymnasium.vector.VectorEnv
      of so many, which also takes autoreset_mode, threads and copy.
    - parallel: a PettingZoo ParallelEnv, in which each car is an agent.
    - render_mode: rgb_array, human, which opens a page of the cockpit, or None.
    - options: see docs/gym.md.

    Raises ConfigurationError or ParameterError with the option, its value and what was expected.
    """
    given: dict[str, Any] = {'track': track, **options}
    if parallel:
        if worlds is not None:
            raise ConfigurationError(
                f'worlds is {worlds!r} and parallel is set, expected one of the two: a parallel'
                ' environment has one world')
        try:
            from racecar.gym.parallel import RaceParallelEnv
        except ImportError as error:
            raise not_installed('a parallel environment', 'pettingzoo') from error
        return RaceParallelEnv(render_mode, **given)
    if worlds is None:
        return RaceEnv(render_mode, **given)
    return RaceVectorEnv(worlds, render_mode=render_mode, **given)


def save_policy(
    path: str | os.PathLike[str], env: HasContract, network: Network | bytes | None = None,
) -> Path:
    """Write a policy that was trained in an environment; returns where it lies.

    network: see multilayer(), or the bytes of an ONNX file; None: the ONNX file at the path, to
    which the contract is added. Raises ConfigurationError if network and environment do not fit,
    and for an ONNX file whose operations are not those of a small network.
    """
    file = Path(path).expanduser()
    if network is None:
        try:
            network = file.read_bytes()
        except OSError as error:
            raise ConfigurationError(
                f'policy {str(file)!r} cannot be read: {error.strerror}') from error
    save(file, network, env.contract)
    return file
