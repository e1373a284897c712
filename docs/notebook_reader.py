# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gives MyST-NB the notebooks that are kept as Python files; docs/conf.py names it."""

from __future__ import annotations

from typing import Any

import nbformat

from racecar.cli.examples import notebook_of


def read(text: str) -> Any:
    """Notebook of a Python file with cells."""
    return nbformat.from_dict(notebook_of(text))
