# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files of a student's folder, copied and read without trust in what they are."""

from __future__ import annotations

from collections.abc import Sequence
import os
from pathlib import Path
import shutil
import stat

from racecar.base.errors import ConfigurationError

_LARGEST = 50_000_000
_LONGEST_TEXT = 2_000_000


def copy_sources(folder: Path, copy: Path, ignored: Sequence[str]) -> None:
    """Copy the regular files of a folder, of at most 50 MB each, less the ignored patterns.

    Raises ConfigurationError if that cannot be done.
    """
    by_pattern = shutil.ignore_patterns(*ignored)

    def left_out(place: str, names: list[str]) -> set[str]:
        found = set(by_pattern(place, names))
        for name in set(names) - found:
            status = os.lstat(os.path.join(place, name))
            # Links may lead anywhere, or round in a circle; pipes and devices have no end.
            if not stat.S_ISDIR(status.st_mode) and not (
                    stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST):
                found.add(name)
        return found

    try:
        shutil.copytree(folder, copy, ignore=left_out)
    except RecursionError as error:
        raise ConfigurationError(
            f"folder '{folder}' cannot be copied: its folders lie too deep") from error
    except (OSError, shutil.Error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ConfigurationError(f"folder '{folder}' cannot be copied: {reason}") from error


def text_of(path: Path) -> str:
    """Text of a file, its first 2 MB; empty for what is no regular file or cannot be read.

    A student's setup.py may have made a pipe or a link to a device of it: reading has an end.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, 'rb') as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return ''
            return file.read(_LONGEST_TEXT).decode(errors='replace')
    except OSError:
        return ''
