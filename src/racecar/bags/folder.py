# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The folder of a new bag."""

from __future__ import annotations

import contextlib
from pathlib import Path

from racecar.bags.metadata import FILE_NAME
from racecar.base.errors import BagError


def make_bag_folder(folder: Path | str) -> None:
    """Make the folder of a new bag and those above it.

    Raises BagError if it exists already or cannot be made.
    """
    try:
        Path(folder).mkdir(parents=True)
    except FileExistsError:
        raise BagError(
            f"bag folder '{folder}' exists already, not overwriting it; give another name or"
            ' remove it') from None
    except OSError as error:
        raise _not_made(folder, error) from error


def check_bag_folder(folder: Path | str) -> None:
    """Raise BagError if there can be no new bag there; tries, and leaves nothing behind."""
    path = Path(folder)
    missing = []
    try:
        missing = [above for above in (path, *path.parents) if not above.exists()]
        make_bag_folder(path)
        # A full disk makes folders, but no files.
        trial = path / FILE_NAME
        try:
            trial.write_text('trial')
        finally:
            trial.unlink(missing_ok=True)
    except OSError as error:
        raise _not_made(folder, error) from error
    finally:
        with contextlib.suppress(OSError):
            for made in missing:
                made.rmdir()


def _not_made(folder: Path | str, error: OSError) -> BagError:
    return BagError(
        f"bag folder '{folder}' cannot be made: {error.strerror}; name another place")
