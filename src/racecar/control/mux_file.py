# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mux files: which topics a multiplexer listens to, with which priorities."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.base.values import Values
from racecar.base.yaml_file import load_yaml
from racecar.control.command_mux import IDLE, LONGEST_TIMEOUT, Source


@dataclass(frozen=True)
class MuxConfiguration:
    """The inputs, highest priority first, and the name of the output topic."""

    sources: tuple[Source, ...]
    output: str


def load_mux_configuration(path: Path | str) -> MuxConfiguration:
    """Read a mux file in the original's form: a list `subscribers` and the name `publisher`.

    Each subscriber has name, topic, timeout [s] and priority (unique, higher wins), and may have
    `aliases` (further topics of the same source), `holds` (topics whose commands hold the mux
    and are not forwarded, for a source that then drives the car past it) and `short_desc`.
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


def _parse_source(path: Path | str, index: int, entry: object) -> Source:
    where = f'subscriber {index}'
    if not isinstance(entry, dict):
        raise ConfigurationError(
            f"mux file '{path}': {where} is {excerpt(entry)}, expected name, topic, timeout,"
            ' priority')
    where += f" ({entry.get('name', 'without a name')!r})"
    _check_keys(path, where, entry,
                {'name', 'topic', 'timeout', 'priority', 'aliases', 'holds', 'short_desc'})

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
    for key in ('aliases', 'holds'):
        topics = entry.get(key, [])
        if not isinstance(topics, list) or not all(map(_is_text, topics)):
            raise fail(key, 'a list of topic names')
    return Source(entry['name'], (entry['topic'], *entry.get('aliases', [])), float(timeout),
                  priority, tuple(entry.get('holds', [])))
