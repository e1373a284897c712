# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scripts of the repository that are no modules of a package."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def load_script(path: str) -> Any:
    """The module of a script, by its path in the repository; each call makes a new one."""
    file = ROOT / path
    specification = importlib.util.spec_from_file_location(file.stem, file)
    assert specification is not None
    assert specification.loader is not None
    module: ModuleType = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
