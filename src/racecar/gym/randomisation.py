# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Distributions of what differs from episode to episode, drawn by seed of a world and episode.

Numbers are a hash of (seed, episode, place): no world's numbers depend on the others, nor on the
order in which they are reset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import Parameter, suggest
from racecar.base.random_numbers import philox, WORD
from racecar.base.values import integer_of

Array = NDArray[np.float64]

_SEED = Parameter('seed', int, 0, 'Of the first world; the others have the next ones', minimum=0)


class Distribution(NamedTuple):
    """A kind and its two numbers: uniform and loguniform low, high; normal mean, deviation."""

    kind: str
    first: float
    second: float

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest value."""
        low, high = self.of(np.array([1e-9, 1.0 - 1e-9])).tolist()
        return (self.first, self.second) if self.kind != 'normal' else (low, high)

    def of(self, shares: Array) -> Array:
        """Values for numbers that are uniform in (0, 1), of any shape."""
        return _KINDS[self.kind](self, shares)


def _normal(distribution: Distribution, shares: Array) -> Array:
    from statistics import NormalDist

    # Within three deviations, so that a mass stays positive.
    inverse = NormalDist().inv_cdf
    values = np.array([inverse(float(share)) for share in shares.ravel()]).reshape(shares.shape)
    found: Array = distribution.first + distribution.second * np.clip(values, -3.0, 3.0)
    return found


_KINDS: Mapping[str, Callable[[Distribution, Array], Array]] = {
    'uniform': lambda d, shares: d.first + (d.second - d.first) * shares,
    'loguniform': lambda d, shares: d.first * (d.second / d.first) ** shares,
    'normal': _normal,
}


def distribution_of(name: str, given: object, label: str = '') -> Distribution:
    """Distribution of a parameter: (low, high) is uniform, ('normal', mean, deviation) of a kind.

    label: for messages, by default that of the option randomise. Raises ConfigurationError for
    what is none.
    """
    said = label or f"randomise['{name}']"
    row: tuple[object, ...]
    if isinstance(given, (int, float)):
        row = ('uniform', given, given)
    elif isinstance(given, Sequence) and not isinstance(given, str):
        row = tuple(given) if len(given) == 3 else ('uniform', *given)
    else:
        row = ()
    numbers = [float(x) for x in row[1:] if isinstance(x, (int, float)) and math.isfinite(x)]
    if len(row) != 3 or len(numbers) != 2:
        raise ConfigurationError(
            f'{said} is {excerpt(given)}, expected (low, high), or a kind of'
            f" {', '.join(_KINDS)} and two numbers")
    kind, (first, second) = str(row[0]), numbers
    if kind not in _KINDS:
        raise ConfigurationError(
            f'{said} has the kind {excerpt(kind)}; {suggest(kind, list(_KINDS))}')
    if (second < 0.0 if kind == 'normal' else first > second) or (
            kind == 'loguniform' and first <= 0.0):
        raise ConfigurationError(
            f'{said} is {excerpt(given)}, expected low and high in this order, of'
            ' loguniform both positive, of normal a mean and a deviation of at least 0')
    return Distribution(kind, first, second)


def shares_of(
    seeds: NDArray[np.int64], episodes: NDArray[np.int64], stream: int, count: int,
) -> Array:
    """Uniform numbers in (0, 1) of worlds, (worlds, count), for one purpose: a stream."""
    found = np.empty((len(seeds), count))
    _fill(seeds, episodes, stream, found)
    return found


@kernel
def _fill(
    seeds: NDArray[np.int64], episodes: NDArray[np.int64], stream: int, found: Array,
) -> None:
    for world in range(len(seeds)):
        key = seeds[world] & (WORD - 1), (seeds[world] >> 32) & (WORD - 1)
        for k in range(found.shape[1]):
            words = philox((k, stream, episodes[world], 0), key)
            found[world, k] = (float(words[0]) + 0.5) / WORD


def world_seeds(seed: int, worlds: int) -> NDArray[np.int64]:
    """Seeds of the worlds of a vector: world k has that of an environment of seed + k.

    Raises ParameterError for a seed that is no integer of at least 0.
    """
    first = integer_of({'seed': _SEED.validate(seed)}, 'seed')
    return np.array([(first + k) % (1 << 63) for k in range(worlds)], dtype=np.int64)


def key_words(seeds: NDArray[np.int64], episodes: NDArray[np.int64], cars: int) -> Array:
    """Two words of a key for the noise of each car, (worlds cars, 2)."""
    shares = shares_of(seeds, episodes, _KEYS, 2 * cars)
    return np.floor(shares * WORD).reshape(-1, 2)


_KEYS, START_STREAM, PARAMETER_STREAM, ACTUATOR_STREAM, SPEED_STREAM = 1, 2, 3, 4, 5
ZONE_STREAM, MOVING_STREAM, NOISE_STREAM, OPPONENT_STREAM = 6, 7, 8, 9
