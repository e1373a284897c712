# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sets of topic names: what other software calls the topics, and how it has frames and sensors.

Each is a YAML file in config/topic_names or in a folder of RACECAR_TOPIC_NAMES.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
import re
from typing import Any, NamedTuple

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.base.share import find_topic_set, topic_set_names
from racecar.base.yaml_file import load_yaml
from racecar.ros import topics

_TOPIC = re.compile(r'[A-Za-z_]\w*(?:/[A-Za-z_]\w*)*', re.ASCII)

_KEYS = {'summary': str, 'rank': int, 'topics': dict, 'cars': dict, 'shared': list, 'muxes': dict,
         'parameters': dict}

FRAME_PREFIX = 'frame_prefix'
"""Parameter that a car of the set has by its name in a fleet."""

_KNOWN = {value for name, value in vars(topics).items()
          if name.isupper() and isinstance(value, str)}
_SENSOR_ENDINGS = {
    topic.rpartition('/')[2] for names in topics.SENSORS.values() for topic in names}

_LAST_RANK = 100


class TopicSet(NamedTuple):
    """What a set says.

    name: as users give it. summary: one line for people. rank: of sets that fit a robot equally
    well the one of the least is taken. topics: {relative name of this package: name in other
    software}; those below the name of a mux are its inputs and its output. shared: names in other
    software on which several nodes publish commands by design. muxes: mux file by the relative
    name of the mux. parameters: values for every node that has a parameter of the name, which
    go over its files in config/ and give way to those of the user. cars: by the names of cars that
    have topics of their own in a fleet, in place of `topics`; relative to where all cars are.
    """

    name: str
    summary: str
    rank: int
    topics: Mapping[str, str]
    shared: frozenset[str]
    muxes: Mapping[str, str]
    parameters: Mapping[str, object]
    cars: Mapping[str, Mapping[str, str]]

    def of_fleet(self, cars: Iterable[str]) -> TopicSet:
        """Set for nodes of several cars, whose frames have their names in front already."""
        if self.cars.keys().isdisjoint(cars):
            return self
        return self._replace(parameters={
            name: value for name, value in self.parameters.items() if name != FRAME_PREFIX})

    def of_car(self, car: str, namespace: str) -> TopicSet:
        """Set for nodes of one of several cars, with full names; namespace: of all cars."""
        if car not in self.cars:
            return self
        below = f'/{namespace}/' if namespace else '/'
        return self.of_fleet([car])._replace(
            topics={topic: below + name for topic, name in self.cars[car].items()},
            shared=frozenset(below + name for name in self.shared))

    def renamed(self, topic: str) -> str:
        """What the other software calls a topic of a relative name."""
        return self.topics.get(topic, topic)


def topic_set(name: str | Path) -> TopicSet:
    """Set of a name, or of a file.

    Raises ConfigurationError for an unknown name, and for a file that cannot be used, naming the
    value and what was expected.
    """
    return _read(str(name), find_topic_set(name))


def topic_sets() -> dict[str, TopicSet]:
    """All sets by their names, those of the least rank first. Raises ConfigurationError."""
    found = (topic_set(name) for name in topic_set_names())
    return {row.name: row for row in sorted(found, key=lambda row: row.rank)}


def names_in_all_sets(*names: str) -> tuple[str, ...]:
    """Names that any set has for topics of these relative names, those of the least rank first."""
    sets = topic_sets().values()
    return tuple(dict.fromkeys(known.renamed(name) for name in names for known in sets))


@cache
def _read(name: str, path: Path) -> TopicSet:
    fail = partial(_error, path)
    content = _content(path, fail)
    renamed, muxes = content.get('topics', {}), content.get('muxes', {})
    cars = content.get('cars', {})
    for car, of_car in cars.items():
        if not isinstance(of_car, dict):
            raise fail(f'what is of the car {car}', of_car, 'a mapping as `topics`')
    others = {name: None for names in (renamed, *cars.values())
              for name in _checked_names(names, fail)}
    for key, found, known in (('shared', content.get('shared', []), others),
                              ('muxes', muxes, topics.MUX_INPUTS)):
        for item in found:
            if item not in known:
                raise fail(f'an item of {key}', item, f"one of {', '.join(known)}")
    for mux, file in muxes.items():
        if not isinstance(file, str):
            raise fail(f'the file of {mux}', file, 'the name of a mux file')
    return TopicSet(
        name, content.get('summary', ''), content.get('rank', _LAST_RANK), renamed,
        frozenset(content.get('shared', [])), muxes, content.get('parameters', {}), cars)


def _checked_names(
    renamed: Mapping[str, object], fail: Callable[[str, object, str], ConfigurationError],
) -> Iterator[str]:
    """Names in the other software. Raises ConfigurationError for what is no topic."""
    for topic, other in renamed.items():
        if not _is_known(topic):
            raise fail('a topic', topic, f'one of this package; {suggest(topic, _KNOWN)}')
        if not (isinstance(other, str) and _TOPIC.fullmatch(other)):
            raise fail(f'the name of {topic}', other, 'a relative topic name, as ego_racecar/odom')
        yield other


def _content(
    path: Path, fail: Callable[[str, object, str], ConfigurationError],
) -> dict[str, Any]:
    """Mapping of _KEYS to values of their types."""
    content = load_yaml('set of topic names', path)
    if not isinstance(content, dict):
        raise fail('the file', content, f"a mapping with {', '.join(_KEYS)}")
    for key, value in content.items():
        if key not in _KEYS:
            raise fail('a key', key, f'another one; {suggest(key, _KEYS)}')
        if not isinstance(value, _KEYS[key]):
            raise fail(key, value, f'a value of type {_KEYS[key].__name__}')
    return content


def _error(path: Path, what: str, value: object, expected: str) -> ConfigurationError:
    return ConfigurationError(
        f"set of topic names '{path}': {what} is {excerpt(value)}, expected {expected}")


def _is_known(topic: str) -> bool:
    return topic in _KNOWN or topic.rpartition('/')[2] in _SENSOR_ENDINGS \
        or any(topic.startswith(f'{mux}/') for mux in topics.MUX_INPUTS)
