# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tracks whose licence lets nobody ship them here: fetched by their users, by a manifest.

A manifest is a YAML file: summary, licence, source (a URL) and tracks, a mapping of their names to
mappings of file names to SHA-256. A file lies at source/track/file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import hashlib
import http.client
import os
from pathlib import Path
import re
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

from racecar.base.environment import hash_of_file
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggestion
from racecar.base.share import find_track_source
from racecar.base.yaml_file import load_yaml

_KEYS = ('summary', 'licence', 'source', 'tracks')
_SCHEMES = ('http', 'https', 'file')
_DIGEST = re.compile('[0-9a-f]{64}')
# Of a file, and how long a server may be silent [s].
_MOST_BYTES, _TIMEOUT = 50_000_000, 30.0


class TrackSource(NamedTuple):
    """Where tracks are fetched from: {track: {file: SHA-256}}."""

    name: str
    summary: str
    licence: str
    source: str
    tracks: Mapping[str, Mapping[str, str]]

    def fetch(
        self, track: str, folder: Path, on_file: Callable[[int], object] = lambda _: None,
    ) -> list[Path]:
        """Get the files of a track into folder/track; those that are there already stay.

        on_file: called with the number of files that are there. Raises ConfigurationError for an
        unknown track, a file that cannot be had, has another content than the manifest says, or
        would replace one of the user's.
        """
        if track not in self.tracks:
            raise ConfigurationError(
                f"track {excerpt(track)} is unknown, expected one of {', '.join(self.tracks)}"
                f'{suggestion(track, self.tracks)}')
        found = []
        for count, (name, digest) in enumerate(self.tracks[track].items(), 1):
            path = folder / track / name
            if not _is_there(path, digest):
                url = f'{self.source}/{quote(track)}/{quote(name)}'
                _write(path, _download(url, digest))
            found.append(path)
            on_file(count)
        return found


def read_track_source(name: str) -> TrackSource:
    """Manifest of a path or a name in config/track_sources. Raises ConfigurationError."""
    path = find_track_source(name)

    def fail(problem: str) -> ConfigurationError:
        return ConfigurationError(f'manifest of tracks {excerpt(str(path))}: {problem}')

    content = load_yaml('manifest of tracks', path)
    if not isinstance(content, dict) or content.keys() != set(_KEYS):
        raise fail(f"expected the keys {', '.join(_KEYS)}")
    summary, licence, source, tracks = (content[key] for key in _KEYS)
    if not (isinstance(summary, str) and isinstance(licence, str)):
        raise fail('expected texts as summary and licence')
    if not isinstance(source, str) or urlsplit(source).scheme not in _SCHEMES:
        raise fail(f"source is {excerpt(str(source))}, expected a URL of {', '.join(_SCHEMES)}")
    problem = _problem_of_tracks(tracks)
    if problem:
        raise fail(problem)
    return TrackSource(path.stem, summary, licence, source.rstrip('/'), tracks)


def _problem_of_tracks(tracks: object) -> str:
    if not isinstance(tracks, dict) or not tracks:
        return 'tracks are no mapping of names to files'
    for track, files in tracks.items():
        if not isinstance(files, dict) or not files:
            return f'track {excerpt(track)} is no mapping of files to SHA-256'
        for file, digest in files.items():
            if not _is_plain(track) or not _is_plain(file):
                return f'{excerpt(f"{track}/{file}")} is no track and file, expected plain names'
            if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
                return (f'SHA-256 of {excerpt(file)} is {excerpt(str(digest))}, expected 64'
                        ' hexadecimal digits')
    return ''


def _is_plain(name: str) -> bool:
    """Whether a name stays in the folder that it is put in."""
    return not name.startswith('.') and name.isprintable() and not set(name) & set('/\\:')


def _is_there(path: Path, digest: str) -> bool:
    """Whether a file is there with the content. Raises ConfigurationError for another content."""
    if not os.path.lexists(path):
        return False
    try:
        found = hash_of_file(path)
    except OSError as error:
        raise ConfigurationError(
            f'{excerpt(str(path))} cannot be read: {error.strerror}') from error
    if found != digest:
        raise ConfigurationError(
            f'{excerpt(str(path))} is there with another content; move it away, or fetch into'
            ' another folder')
    return True


def _download(url: str, digest: str) -> bytes:
    try:
        with urlopen(url, timeout=_TIMEOUT) as answer:  # noqa: S310  the manifest has the schemes
            data: bytes = answer.read(_MOST_BYTES + 1)
    except HTTPError as error:
        raise ConfigurationError(
            f'{url} cannot be fetched: {error.code} {error.reason}; has it moved?') from error
    except (OSError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise ConfigurationError(
            f'{url} cannot be fetched: {reason}; is this computer online? The files can be copied'
            ' by hand, too') from error
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        raise ConfigurationError(
            f'{url} has the SHA-256 {found}, expected {digest}; nothing is kept of it')
    return data


def _write(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all."""
    part = path.with_name(f'{path.name}.part')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise ConfigurationError(
            f'{excerpt(str(path))} cannot be written: {error.strerror}') from error
