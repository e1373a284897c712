# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mux files: which topics a multiplexer listens to, with which priorities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import math
from pathlib import Path
from typing import TypeGuard

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.base.types import AckermannCommand
from racecar.base.values import Values
from racecar.base.yaml_file import load_yaml
from racecar.control.command_mux import ACKERMANN, IDLE, LONGEST_TIMEOUT, Source, TWIST


@dataclass(frozen=True)
class MuxConfiguration:
    """The inputs, highest priority first, and the name of the output topic."""

    sources: tuple[Source, ...]
    output: str


def load_mux_configuration(path: Path | str) -> MuxConfiguration:
    """Read a mux file in the original's form: a list `subscribers` and the name `publisher`.

    Each subscriber has name, topic, timeout [s] and priority (unique, higher wins), and may have
    `aliases` (further topics of the same source), `holds` (topics whose commands hold the mux
    and are not forwarded, for a source that then drives the car past it), `yields` (topics whose
    commands let it go at once, for a source that says so when it has nothing to command), `type`
    (ackermann, or twist: speed and yaw rate), `full_scale` (mapping of speed [m/s] and
    steering_angle [rad] that commands from -1 to 1 are shares of) and `short_desc`.
    Raises ConfigurationError naming the file, the entry, the value and what was expected.
    """
    content = load_yaml('mux file', path, 'check config_file')
    if not isinstance(content, dict) or not isinstance(content.get('subscribers'), list) \
            or not content['subscribers']:
        raise ConfigurationError(f"mux file '{path}' has no list 'subscribers'")
    _check_keys(path, 'the file', content, {'subscribers', 'publisher'})
    sources = tuple(
        _parse_source(path, index, entry) for index, entry in enumerate(content['subscribers']))
    for attribute in ('name', 'priority'):
        values = [getattr(source, attribute) for source in sources]
        repeated = next((value for value in values if values.count(value) > 1), None)
        if repeated is not None:
            raise ConfigurationError(
                f"mux file '{path}': {attribute} {repeated!r} stands more than once;"
                f' each source needs its own {attribute}')
    output = content.get('publisher', 'output')
    if not _is_text(output):
        raise ConfigurationError(
            f"mux file '{path}': publisher is {excerpt(output)}, expected a topic name")
    return MuxConfiguration(
        tuple(sorted(sources, key=lambda source: -source.priority)), output)


def _check_keys(path: Path | str, where: str, mapping: Values, known: set[str]) -> None:
    for key in mapping:
        if key not in known:
            raise ConfigurationError(
                f"mux file '{path}': unknown key {excerpt(key)} in {where};"
                f' {suggest(str(key), sorted(known))}')


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value != '' and value.isprintable()


def _parse_commands(
    entry: Values, fail: Callable[[str, str], ConfigurationError],
) -> tuple[str, AckermannCommand | None]:
    """Type and full scale of the commands of a source; fail: makes the error of a key."""
    kind, scale = entry.get('type', ACKERMANN), entry.get('full_scale')
    if kind not in (ACKERMANN, TWIST):
        raise fail('type', f'{ACKERMANN} or {TWIST}')
    if scale is None:
        return str(kind), None
    if kind != ACKERMANN or not _is_scale(scale):
        raise fail('full_scale', f'a mapping of {" and ".join(AckermannCommand._fields)} to'
                   f' numbers above 0, of a source of type {ACKERMANN}')
    return ACKERMANN, AckermannCommand(**scale)


def _is_scale(value: object) -> TypeGuard[dict[str, float]]:
    return isinstance(value, dict) and value.keys() == set(AckermannCommand._fields) and all(
        isinstance(number, int | float) and not isinstance(number, bool)
        and 0.0 < number < math.inf for number in value.values())


def _parse_source(path: Path | str, index: int, entry: object) -> Source:
    where = f'subscriber {index}'
    if not isinstance(entry, dict):
        raise ConfigurationError(
            f"mux file '{path}': {where} is {excerpt(entry)}, expected name, topic, timeout,"
            ' priority')
    where += f" ({entry.get('name', 'without a name')!r})"
    _check_keys(path, where, entry,
                {'name', 'topic', 'timeout', 'priority', 'aliases', 'holds', 'yields', 'type',
                 'full_scale', 'short_desc'})

    def fail(key: str, expected: str) -> ConfigurationError:
        return ConfigurationError(
            f"mux file '{path}': {key} of {where} is {excerpt(entry.get(key))},"
            f' expected {expected}')

    for key in ('name', 'topic'):
        if not _is_text(entry.get(key)):
            raise fail(key, 'a non-empty string of printable characters')
    if entry['name'] == IDLE:
        raise fail('name', f'another name: {IDLE!r} says that nobody holds the mux')
    timeout, priority = entry.get('timeout'), entry.get('priority')
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) \
            or not 0.0 < timeout <= LONGEST_TIMEOUT:
        raise fail('timeout', f'a number of seconds above 0, at most {LONGEST_TIMEOUT:g}')
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise fail('priority', 'an integer; higher wins')
    for key in ('aliases', 'holds', 'yields'):
        topics = entry.get(key, [])
        if not isinstance(topics, list) or not all(map(_is_text, topics)):
            raise fail(key, 'a list of topic names')
    return Source(entry['name'], (entry['topic'], *entry.get('aliases', [])), float(timeout),
                  priority, tuple(entry.get('holds', [])), tuple(entry.get('yields', [])),
                  *_parse_commands(entry, fail))
