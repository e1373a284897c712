# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read a YAML file, or say in one line why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from racecar.core.errors import ConfigurationError


def load_yaml(kind: str, path: Path | str, remedy: str = 'check the path') -> Any:
    """Return the content of a YAML file.

    kind: what the file is, and remedy: what to do where it cannot be read, for the message.
    Raises ConfigurationError if it cannot be read or is not YAML.
    """
    try:
        with open(path, encoding='utf-8') as stream:
            return yaml.safe_load(stream)
    except OSError as error:
        raise ConfigurationError(
            f"{kind} '{path}' cannot be read: {error.strerror}; {remedy}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{kind} '{path}' is not YAML: {error}") from error
