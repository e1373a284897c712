# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One codec for each value type of core that crosses a topic, a file each.

The `CODECS` of each module of this folder are known by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from racecar.ros.codecs.codec import Channel, Codec, MessageChannel, Place, SensorCodec

__all__ = ['CODECS', 'Channel', 'Codec', 'MessageChannel', 'Place', 'SensorCodec']


def _codecs_of_modules() -> Iterator[Codec]:
    for module in iter_modules(__path__):
        codecs: tuple[Codec, ...] = getattr(
            import_module(f'{__name__}.{module.name}'), 'CODECS', ())
        yield from codecs


CODECS: Mapping[type, Codec] = {codec.value_type: codec for codec in _codecs_of_modules()}
"""By value type; a simulator binds the ports of its plant with these."""
