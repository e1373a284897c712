# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The codecs of all modules of this folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from racecar.ros import codecs
from racecar.ros.codecs.codec import Codec


def _codecs_of_modules() -> Iterator[Codec]:
    for module in iter_modules(codecs.__path__, f'{codecs.__name__}.'):
        if module.name != __name__:
            found: tuple[Codec, ...] = getattr(import_module(module.name), 'CODECS', ())
            yield from found


CODECS: Mapping[type, Codec] = {codec.value_type: codec for codec in _codecs_of_modules()}
"""By value type; a simulator binds the ports of its plant with these."""
